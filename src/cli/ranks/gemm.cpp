#include "cli/ranks/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#if HILO_HAS_ACCURACY
#include <hilo/accuracy.hpp>
#endif

#include "cli/gemm/result.hpp"
#include "cli/json.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/ranks/job.hpp"
#include "cli/ranks/messages.hpp"
#include "cli/ranks/operand.hpp"
#include "cli/ranks/sample.hpp"
#include "cli/stopwatch.hpp"
#include "cli/text.hpp"
#include "cli/timed_product.hpp"

namespace hilo::cli {
namespace {

using distributed::Cluster;

struct RanksProduct {
  const GemmRequest& request;
  GemmPlan plan;  ///< of one tile's product
  double error_bound_u2;
  RanksReport ranks;
  double seconds = 0.0;
  std::optional<Verification> verification = {};
  std::string written = {};

  double gflops() const {
    GemmPlan whole = plan;
    whole.m = request.m, whole.n = request.n, whole.k = request.k;
    return cli::gflops(whole, seconds);
  }
};

// A and B, and C where beta reads it.
template <class T>
struct RanksOperands {
  RanksOperand<T> a, b;
  std::optional<RanksOperand<T>> c;
};

template <class T>
std::string size_of(const RanksOperand<T>& x, Op op) {
  return x.name + " is " + std::to_string(x.rows) + " x " + std::to_string(x.columns) +
         (op == Op::none ? "" : " and transposed");
}

template <class T>
RanksOperands<T> operands_of_files(const Cluster& cluster, const GemmArguments& arguments, GemmRequest& r, bool has_c,
                                   Progress& progress) {
  RanksOperands<T> o{operand_of_file<T>(cluster, arguments.files[0], progress),
                     operand_of_file<T>(cluster, arguments.files[1], progress),
                     {}};
  const bool plain_a = r.opa == Op::none, plain_b = r.opb == Op::none;
  r.m = plain_a ? o.a.rows : o.a.columns;
  r.k = plain_a ? o.a.columns : o.a.rows;
  r.n = plain_b ? o.b.columns : o.b.rows;
  const std::int64_t k_of_b = plain_b ? o.b.rows : o.b.columns;
  if (r.k != k_of_b) {
    reject(size_of(o.a, r.opa) + ", " + size_of(o.b, r.opb) + ": op(A) has " + std::to_string(r.k) +
           " columns, op(B) " + std::to_string(k_of_b) + " rows; they must be equal");
  }
  if (!has_c) return o;
  o.c = operand_of_file<T>(cluster, arguments.c_file, progress);
  if (o.c->rows != r.m || o.c->columns != r.n) {
    reject("--c " + size_of(*o.c, Op::none) + "; the product is " + std::to_string(r.m) + " x " + std::to_string(r.n));
  }
  return o;
}

template <class T>
RanksOperands<T> generated(const GemmRequest& r, bool has_c) {
  constexpr auto columns = data::Terms::along_columns, rows = data::Terms::along_rows;
  const auto recipe = [&](data::Terms terms) { return data::Recipe{r.generator, r.seed, terms}; };
  const std::vector<MatrixSize> sizes = generated_sizes(r, has_c);
  RanksOperands<T> o{
      generated_operand<T>(recipe(r.opa == Op::none ? columns : rows), 'A', sizes[0].rows, sizes[0].columns),
      generated_operand<T>(recipe(r.opb == Op::none ? rows : columns), 'B', sizes[1].rows, sizes[1].columns),
      {}};
  if (has_c) o.c = generated_operand<T>(recipe(data::Terms::none), 'C', r.m, r.n);
  return o;
}

// How tasks take a request, and what one of a whole tile would be.
GemmRequest request_of_tile(const GemmRequest& r) {
  GemmRequest tile = r;
  GemmOptions& options = tile.options;
  if (options.engine == Engine::automatic) options.engine = Engine::reproducible;
  if (options.fma == Fma::automatic) options.fma = Fma::on;
  options.threads = 1;
  tile.m = std::min(r.m, r.ranks->tile);
  tile.n = std::min(r.n, r.ranks->tile);
  tile.k = std::min(r.k, r.ranks->tile);
  return tile;
}

// What holds of a tile's product whichever engine computes it, and whatever its entries are: the direct one's bound,
// within which the modular one keeps. Of other accuracies what is guaranteed depends on the entries of each tile.
template <class T>
double bound_of_tile(const GemmRequest& of_tile) {
  const Accuracy accuracy = of_tile.options.accuracy;
  if (accuracy != Accuracy::classic && accuracy != Accuracy::fast) return std::numeric_limits<double>::infinity();
  GemmRequest direct = of_tile;
  direct.options = {};
  direct.options.engine = Engine::direct;
  direct.options.accuracy = accuracy;
  direct.options.fma = of_tile.options.fma;
  std::optional<Queue> no_queue;
  return plan_product<T>(no_queue, direct).error_bound_u2;
}

// Each of K steps is a product that adds to C, of which it keeps |A_s||B_s| + |C| within the bound of a tile's; |C| is
// no more than the steps before, by a part that counts as one more.
double bound_of_steps(const GemmRequest& r, double of_tile) {
  const double steps = std::ceil(static_cast<double>(r.k) / static_cast<double>(r.ranks->tile));
  return of_tile * (steps + 1.0);
}

#if HILO_HAS_ACCURACY
// Rows and columns of C, whose entries are compared.
template <class T>
std::optional<Verification> verified(const Cluster& cluster, const GemmRequest& r, T alpha,
                                     const distributed::Matrix<T>& a, const distributed::Matrix<T>& b, T beta,
                                     const distributed::Matrix<T>* c0, const distributed::Matrix<T>& c,
                                     const RanksProduct& product) {
  const Lines rows = sample_of(r.m, r.ranks->tile), columns = sample_of(r.n, r.ranks->tile);
  const bool plain_a = r.opa == Op::none, plain_b = r.opb == Op::none;
  const std::vector<T> of_a = plain_a ? entries_of(cluster, a, rows, {}) : entries_of(cluster, a, {}, rows),
                       of_b = plain_b ? entries_of(cluster, b, {}, columns) : entries_of(cluster, b, columns, {}),
                       of_c0 = c0 ? entries_of(cluster, *c0, rows, columns) : std::vector<T>(),
                       of_c = entries_of(cluster, c, rows, columns);
  const std::int64_t m = std::ssize(rows), n = std::ssize(columns);
  const auto leading = [](std::int64_t x) { return std::max<std::int64_t>(x, 1); };
  Verification v{{}, 0, 0, 0.0, {}};
  cluster.agree([&] {
    if (cluster.rank() != 0) return;
    const auto found =
        accuracy::gemm_error<T>(Layout::column, r.opa, r.opb, m, n, r.k, alpha, of_a.data(), leading(plain_a ? m : r.k),
                                of_b.data(), leading(plain_b ? r.k : n), beta, c0 ? of_c0.data() : nullptr, of_c.data(),
                                leading(m), accuracy::Sample::full, product.plan.measure);
    v.entries_checked = found.entries_checked;
    v.non_finite_mismatches = found.non_finite_mismatches;
    v.max_error_u2 = found.max_error_u2;
    if (std::isfinite(product.error_bound_u2) || v.non_finite_mismatches) {
      v.verified = v.max_error_u2 <= product.error_bound_u2 && v.non_finite_mismatches == 0;
    }
  });
  return v;
}
#endif

void print_table(std::ostream& out, const RanksProduct& x) {
  const GemmPlan& p = x.plan;
  out << "product    " << name(p.precision) << "gemm " << name(p.opa) << name(p.opb) << ", " << x.request.m << " x "
      << x.request.n << " x " << x.request.k << ", " << name(p.layout) << " layout\n"
      << "engine     " << name(p.engine) << ", " << accuracy_name(x.request.options) << ", of tiles\n";
  print_ranks(out, x.ranks);
  out << "total      " << digits(x.seconds) << " s, " << digits(x.gflops()) << " GFlop/s\n";
  if (x.verification) {
    const Verification& v = *x.verification;
    const char* answer = !v.verified ? "-" : *v.verified ? "yes" : "NO";
    out << "verified   " << answer << ": " << count(v.entries_checked, "entry", "entries")
        << " against MPFR, largest error " << digits(v.max_error_u2) << "\n           "
        << (std::isfinite(x.error_bound_u2) ? "of at most " + digits(x.error_bound_u2) : "with nothing guaranteed")
        << ", in " << error_unit_name(p.precision) << '\n';
  }
  if (!x.written.empty()) out << "written    " << x.written << '\n';
}

void print_json(std::ostream& out, const RanksProduct& x) {
  const GemmPlan& p = x.plan;
  nlohmann::ordered_json j;
  j["precision"] = name(p.precision);
  j["m"] = x.request.m;
  j["n"] = x.request.n;
  j["k"] = x.request.k;
  j["transa"] = name(p.opa);
  j["transb"] = name(p.opb);
  j["layout"] = name(p.layout);
  j["engine"] = name(p.engine);
  j["accuracy"] = accuracy_name(x.request.options);
  add_ranks(j, x.ranks);
  j["repeat"] = x.request.repeat;
  j["warmup"] = x.request.warmup;
  j["seconds_total"] = x.seconds;
  j["gflops_total"] = x.gflops();
  add_nulls(j, {"verified", "entries_checked", "max_error_u2", "error_bound_u2"});
  if (x.verification) {
    const Verification& v = *x.verification;
    if (v.verified) j["verified"] = *v.verified;
    j["entries_checked"] = v.entries_checked;
    j["max_error_u2"] = finite_or_null(v.max_error_u2);
  }
  j["error_bound_u2"] = finite_or_null(x.error_bound_u2);
  j["measure"] = name(p.measure);
  print_object(out, j);
}

}  // namespace

void check_gemm_on_ranks(const GemmArguments& arguments, const GemmRequest& r) {
  refuse_on_ranks(r.precision == Precision::s || r.precision == Precision::c,
                  "--precision " + std::string(name(r.precision)), "there are d, z, dd and zdd");
  refuse_on_ranks(r.options.accuracy == Accuracy::exact, "--accuracy exact",
                  "terms are added a tile at a time, each rounded");
  refuse_on_ranks(r.verify == Verify::full, "--verify=full", "--verify compares entries of 16 rows and columns");
  refuse_place_on_ranks(arguments.place);
  constexpr const char* of_device = "it is for one device";
  for (const auto& [option, value] : {std::pair{"--flags", arguments.programs.flags_file},
                                      {"--build-options", arguments.programs.build_options},
                                      {"--dump", arguments.programs.dump},
                                      {"--load", arguments.programs.load}}) {
    refuse_on_ranks(!value.empty(), option, of_device);
  }
  refuse_on_ranks(!arguments.devices.empty(), "--devices", "STARPU_NCPU and STARPU_NOPENCL say what computes");
  refuse_on_ranks(r.options.device_bytes != 0, "--device-memory", of_device);
  refuse_on_ranks(arguments.timing, "--timing", of_device);
  refuse_on_ranks(arguments.leads_with_total, "--eAppGflops", "there is one rate");
}

template <class T>
int gemm_on_ranks(const GemmArguments& arguments, const GemmRequest& request, T alpha, T beta) {
  GemmRequest r = request;
  const RanksRequest& ranks = *r.ranks;
  const bool has_c = !(beta == T(0));
  const Cluster cluster = start_ranks(ranks, r.options.threads, arguments.place);
  const bool is_first = cluster.rank() == 0;
  Progress progress(arguments.json || arguments.quiet || !is_first);
  const RanksOperands<T> o =
      arguments.files.empty() ? generated<T>(r, has_c) : operands_of_files<T>(cluster, arguments, r, has_c, progress);
  const GemmRequest of_tile = request_of_tile(r);
  std::optional<Queue> no_queue;
  const GemmPlan plan = plan_product<T>(no_queue, of_tile);
  const distributed::Grid grid = grid_of(ranks, cluster.ranks(), false);
  std::vector<MatrixSize> sizes = {{"A", o.a.rows, o.a.columns}, {"B", o.b.rows, o.b.columns}, {"C", r.m, r.n}};
  if (o.c && r.verify != Verify::none) sizes.push_back({"the C that --beta scales", r.m, r.n});
  check_memory_of_ranks(cluster, sizes, sizeof(T), ranks.tile, grid);
  const auto matrix = [&](std::int64_t rows, std::int64_t columns) {
    return distributed::Matrix<T>(cluster, rows, columns, ranks.tile, grid);
  };
  const auto made = [&](const RanksOperand<T>& x) {
    progress.at((arguments.files.empty() ? "generating " : "reading ") + x.name);
    const distributed::Matrix<T> filled = matrix(x.rows, x.columns);
    x.fill(filled, Op::none);
    return filled;
  };
  const distributed::Matrix<T> a = made(o.a), b = made(o.b), c = matrix(r.m, r.n);
  double seconds = std::numeric_limits<double>::infinity();
  distributed::Traffic before;
  const std::int64_t runs = runs_of(r);
  for (std::int64_t run = 0; run < runs; ++run) {
    if (o.c) o.c->fill(c, Op::none);
    progress.at("multiplying: run " + std::to_string(run + 1) + " of " + std::to_string(runs));
    before = cluster.traffic();
    const Stopwatch watch;
    gemm(alpha, a.turned(r.opa), b.turned(r.opb), beta, c, of_tile.options);
    if (run >= r.warmup) seconds = std::min(seconds, largest_of_ranks(watch.seconds()));
  }
  RanksProduct product{r, plan, bound_of_steps(r, bound_of_tile<T>(of_tile)), report_of(cluster, ranks, false, before),
                       seconds};
#if HILO_HAS_ACCURACY
  if (r.verify != Verify::none) {
    progress.at("verifying");
    std::optional<distributed::Matrix<T>> c0;
    if (o.c) c0 = made(*o.c);
    product.verification = verified<T>(cluster, r, alpha, a, b, beta, c0 ? &*c0 : nullptr, c, product);
  }
#endif
  std::int64_t failed[] = {product.verification && !product.verification->verified.value_or(true)};
  from_first_rank(failed);
  if (!arguments.output.empty() && !failed[0]) {
    write_of_ranks(cluster, arguments.output, r.layout, c, progress);
    product.written = arguments.output;
  }
  progress.at("");
  if (is_first && arguments.json) print_json(std::cout, product);
  if (is_first && !arguments.json && !arguments.quiet) print_table(std::cout, product);
  if (is_first && failed[0]) print_failure("the verification failed", output_paths({{"-o", arguments.output}}));
  return failed[0] ? 1 : 0;
}

#define HILO_INSTANTIATE(T) template int gemm_on_ranks<T>(const GemmArguments&, const GemmRequest&, T, T);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
