#include "gemm/cost.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "gemm/arguments.hpp"
#include "gemm/direct/cpu.hpp"
#include "gemm/direct/kernels.hpp"
#include "gemm/modular/byte_product.hpp"
#include "gemm/modular/cpu.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/kernels.hpp"
#include "gemm/modular/operand.hpp"
#include "gemm/modular/panels.hpp"
#include "gemm/plan.hpp"
#include "host/mutex.hpp"

namespace hilo {
namespace {

int planned_moduli(Accuracy accuracy, std::int64_t k, bool is_complex) {
  return modular::usual_moduli(modular::guarantee(accuracy, k, 2, is_complex), accuracy, k, is_complex).moduli;
}

// This thread's time, in seconds: what others do to the machine takes no part in it where the system can tell.
double thread_time() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec t{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The shortest of a few runs, in seconds, after one that makes caches, memory and generated code ready.
template <class F>
double seconds(F run) {
  constexpr double enough = 8e-3;
  run();
  double best = 1e9, total = 0.0;
  for (int i = 0; i < 3 || (i < 30 && total < enough); ++i) {
    double start = thread_time();
    run();
    double time = thread_time() - start;
    best = std::min(best, time);
    total += time;
  }
  return best;
}

std::vector<dd_real> numbers(std::int64_t count) {
  std::vector<dd_real> x(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  auto uniform = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  for (dd_real& e : x) e = dd_real::sum(uniform(), uniform() * 0x1p-53);
  return x;
}

// Seconds of an m × n × k product by either engine alone, on one core.
double product_seconds(const GemmOptions& options, Engine engine, std::int64_t m, std::int64_t n, std::int64_t k) {
  auto a = numbers(m * k), b = numbers(k * n), c = numbers(m * n);
  GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, m, n, k, sizeof(dd_real));
  GemmPlan plan = plan_of(Precision::dd, shape, 1, Backend::cpu, options.accuracy);
  GemmOptions own = options;
  own.threads = 1;
  own.workspace_bytes = own.depth = own.tile_rows = own.tile_columns = 0;
  auto product = product_of<dd_real>(shape, {}, 1, a.data(), b.data(), 0, c.data());
  if (engine == Engine::direct) {
    direct::plan_cpu(plan, own);
    return seconds([&] { direct::run_cpu(plan, product); });
  }
  modular::plan_cpu(plan, own);
  return seconds([&] { modular::run_cpu(plan, own, modular::max_moduli, product); });
}

// Two points of a line.
struct Line {
  double slope, start;

  static Line through(double x1, double y1, double x2, double y2) {
    double slope = std::max((y2 - y1) / (x2 - x1), 0.0);
    return {slope, std::max(y1 - slope * x1, 0.0)};
  }
};

void measure_residues(CostModel& cost, const modular::KernelSet& kernels) {
  constexpr std::int64_t lines = 32, terms = 1024, count = lines * terms;
  auto x = numbers(count);
  modular::Operand operand = modular::Operand::left(MatrixView<const dd_real>{x.data(), lines, terms, terms, 1});
  std::int64_t plane = modular::plane_bytes(lines, terms);
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(32 * plane));
  auto residues = [&](int moduli) {
    return seconds([&] {
      for (std::int64_t i = 0; i < lines; ++i) {
        kernels.residues(operand.run(i, 0, terms), {nullptr, 106}, 106, modular::basis(32).first, moduli,
                         planes.data() + i * modular::leading_bytes(terms), plane);
      }
    });
  };
  cost.residue = std::max(residues(32) - residues(16), 0.0) / static_cast<double>(16 * count);
}

void measure_products(CostModel& cost, Int8Library library) {
  constexpr std::int64_t n = 512;
  std::vector<std::uint8_t> a(n * n, 77);
  std::vector<std::int8_t> b(n * n, -77);
  std::vector<std::int32_t> c(n * n);
  auto product = [&](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    return seconds([&] {
      modular::multiply_bytes(library, rows, columns, depth, {a.data(), depth, false}, {b.data(), columns, false},
                              c.data(), columns);
    });
  };
  // Products of bytes and bytes packed are in other proportions where the matrices are smaller.
  double large = product(n, n, n), small = product(64, 64, n), least = product(16, 16, 16);
  double large_products = n * n * n, small_products = 64 * 64 * n, large_bytes = 2 * n * n, small_bytes = 2 * 64 * n;
  double determinant = large_products * small_bytes - small_products * large_bytes;
  cost.call = least;
  large = std::max(large - least, 0.0);
  small = std::max(small - least, 0.0);
  cost.byte_product = (large * small_bytes - small * large_bytes) / determinant;
  cost.byte_pack = std::max((small * large_products - large * small_products) / determinant, 0.0);
  // Noise: all of it products.
  if (cost.byte_product <= 0.0) cost.byte_product = large / large_products;
}

void measure_results(CostModel& cost, const modular::KernelSet& kernels) {
  constexpr std::int64_t count = 4096;
  std::vector<std::int32_t> sums(count, 123456789);
  std::int64_t plane = modular::plane_bytes(1, count);
  std::vector<std::int8_t> residues(static_cast<std::size_t>(32 * plane));
  modular::ReductionConstants constants = modular::reduction_constants(modular::moduli[1]);
  cost.reduction = seconds([&] { kernels.reduce(count, constants, sums.data(), false, residues.data()); }) /
                   static_cast<double>(count);
  std::vector<double> hi(count), lo(count);
  auto rebuild = [&](int moduli) {
    return seconds([&] {
      kernels.rebuild(count, modular::basis(moduli), residues.data(), plane, {nullptr, 0}, hi.data(), lo.data());
    });
  };
  cost.rebuild = std::max(rebuild(32) - rebuild(16), 0.0) / static_cast<double>(16 * count);
}

// What is left of whole products, of many entries and of many numbers, is by the entry and by the number.
void measure_rest(CostModel& cost, const GemmOptions& options) {
  auto rest = [&](std::int64_t n, std::int64_t k) {
    int moduli = planned_moduli(options.accuracy, k, false);
    double known = modular_seconds(cost, Precision::dd, n, n, k, moduli);
    return std::max(product_seconds(options, Engine::modular, n, n, k) - known, 0.0);
  };
  constexpr std::int64_t wide = 512, thin = 48, shallow = 64, deep = 4096;
  cost.entry = rest(wide, shallow) / static_cast<double>(wide * wide);
  cost.scan = rest(thin, deep) / static_cast<double>(2 * thin * deep);
}

void measure_direct(CostModel& cost, const GemmOptions& options) {
  constexpr std::int64_t n = 192, shallow = 8;
  double deep_seconds = product_seconds(options, Engine::direct, n, n, n);
  double shallow_seconds = product_seconds(options, Engine::direct, n, n, shallow);
  Line line = Line::through(shallow, shallow_seconds, n, deep_seconds);
  cost.direct_step = line.slope / static_cast<double>(n * n);
  cost.direct_entry = line.start / static_cast<double>(n * n);
}

CostModel measure(const GemmOptions& options, Int8Library library) {
  CostModel cost{};
  const modular::KernelSet& kernels = modular::kernel_set(options.target);
  measure_direct(cost, options);
  measure_residues(cost, kernels);
  measure_products(cost, library);
  measure_results(cost, kernels);
  measure_rest(cost, options);
  return cost;
}

}  // namespace

const CostModel& cost_model(const GemmOptions& options) {
  using Key = std::tuple<std::string, Int8Library, Accuracy, Fma>;
  // Never destroyed: destructors of static objects may still multiply.
  static auto& models = *new std::map<Key, CostModel>;
  Int8Library library = modular::int8_library(options.int8_library);
  const direct::KernelSet& set = direct::kernel_set(options.target);
  Fma fma = options.fma != Fma::automatic ? options.fma : set.has_fma ? Fma::on : Fma::off;
  Key key{std::string(set.target), library, options.accuracy, fma};
  std::lock_guard lock(host::mutex_over_forks<CostModel>());
  auto found = models.find(key);
  if (found == models.end()) found = models.emplace(key, measure(options, library)).first;
  return found->second;
}

double direct_seconds(const CostModel& cost, Precision precision, std::int64_t m, std::int64_t n, std::int64_t k) {
  double entries = static_cast<double>(padded_entries(m, n)), terms = static_cast<double>(k);
  double parts = is_complex(precision) ? 2.0 : 1.0;
  return parts * entries * (parts * terms * cost.direct_step + cost.direct_entry);
}

double modular_seconds(const CostModel& cost, Precision precision, std::int64_t m, std::int64_t n, std::int64_t k,
                       int moduli) {
  double parts = is_complex(precision) ? 2.0 : 1.0, products = is_complex(precision) ? 3.0 : 1.0;
  auto rows = static_cast<double>(m), columns = static_cast<double>(n), terms = static_cast<double>(k);
  double elements = (rows + columns) * terms, entries = rows * columns, count = moduli;
  double panels = std::max(1.0, terms / static_cast<double>(modular::max_byte_depth));
  return elements * (parts * cost.scan + products * count * (cost.residue + cost.byte_pack)) +
         products * count * (entries * terms * cost.byte_product + panels * (entries * cost.reduction + cost.call)) +
         entries * parts * (count * cost.rebuild + cost.entry);
}

std::int64_t crossover(const CostModel& cost, Precision precision, Accuracy accuracy) {
  for (std::int64_t n = 64; n <= 65536; n += std::max<std::int64_t>(n / 64, 8)) {
    if (!may_be_modular(precision, n, n, n)) continue;
    bool complex = is_complex(precision);
    int moduli = planned_moduli(accuracy, n, complex);
    if (modular_seconds(cost, precision, n, n, n, moduli) < direct_seconds(cost, precision, n, n, n)) return n;
  }
  return 0;
}

Expectation expected_seconds(Precision precision, const GemmShape& s, const GemmOptions& options) {
  if (!may_be_modular(precision, s.m, s.n, s.k)) return {0.0, 0.0};
  const CostModel& cost = cost_model(options);
  bool complex = is_complex(precision);
  int moduli = planned_moduli(options.accuracy, s.k, complex);
  return {direct_seconds(cost, precision, s.m, s.n, s.k), modular_seconds(cost, precision, s.m, s.n, s.k, moduli)};
}

int most_moduli_worthwhile(Precision precision, const GemmShape& s, const GemmOptions& options) {
  const CostModel& cost = cost_model(options);
  double direct = direct_seconds(cost, precision, s.m, s.n, s.k);
  int most = modular::max_moduli;
  while (most > 0 && modular_seconds(cost, precision, s.m, s.n, s.k, most) > direct) --most;
  return most;
}

}  // namespace hilo
