#include "cli/ranks/solve.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <sstream>

#include "cli/json.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/problem/structure.hpp"
#include "cli/ranks/job.hpp"
#include "cli/ranks/messages.hpp"
#include "cli/ranks/operand.hpp"
#include "cli/stopwatch.hpp"
#include "cli/text.hpp"

namespace hilo::cli {
namespace {

using distributed::Cluster;

struct RanksSolution {
  const SolveRequest& request;
  std::int64_t n, nrhs;
  RanksReport ranks = {};
  bool is_solved = false;
  double backward_error_u2 = 0.0;  ///< in u² = 2^-106, as that of a SolveReport
  std::string failure = {};
  double seconds = 0.0;
  std::vector<std::string> written = {};

  bool is_positive() const { return request.kind == SystemKind::positive; }
};

// What is promised of a residual, in units of the precision for each row: factors with partial pivoting come to less,
// unless their entries grow.
constexpr double most_units_of_row = 8.0;

// u² is 2^-106 of numbers in double-double, and 2^53 times as much is a unit in double.
template <class T>
constexpr double unit_u2 = precisions::words(precision_of<T>) == 2 ? 1.0 : 0x1p53;

std::string entry(std::int64_t i, std::int64_t j) {
  return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")";
}

// A's tiles of this rank, one after the other.
template <class T>
std::vector<std::vector<T>> own_tiles(const distributed::Matrix<T>& matrix) {
  std::vector<std::vector<T>> tiles;
  matrix.read_tiles([&](std::int64_t, std::int64_t, const MatrixView<const T>& x) {
    tiles.emplace_back(x.data, x.data + x.rows * x.columns);
  });
  return tiles;
}

template <class T>
void check_finite(const RanksOperand<T>& operand, const distributed::Matrix<T>& matrix) {
  matrix.read_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<const T>& tile) {
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const bool is_finite = std::isfinite(static_cast<double>(data::real_part(tile(r, c)))) &&
                               std::isfinite(static_cast<double>(data::imaginary_part(tile(r, c))));
        if (!is_finite) {
          reject(operand.name + ": " + entry(i + r, j + c) + " is NaN or Inf");
        }
      }
    }
  });
}

// As flaw_of_structure, with the transpose beside it.
template <class T>
void check_hermitian(const RanksOperand<T>& operand, const distributed::Matrix<T>& matrix,
                     const distributed::Matrix<T>& transpose) {
  operand.fill(transpose, Op::transpose);
  const std::vector<std::vector<T>> mirror = own_tiles(transpose);
  std::size_t at = 0;
  const std::string what = operand.name + " is not " + (data::is_complex<T> ? "Hermitian: " : "symmetric: ");
  matrix.read_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<const T>& tile) {
    const T* other = mirror[at++].data();
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      for (std::int64_t r = 0; r < tile.rows; ++r, ++other) {
        if (tile(r, c) == mirrored(*other, SystemKind::positive)) continue;
        if (i + r == j + c) reject(what + entry(i + r, j + c) + " is not real");
        reject(what + entry(i + r, j + c) + " is not " + (data::is_complex<T> ? "the conjugate of " : "") +
               entry(j + c, i + r));
      }
    }
  });
}

template <class T>
void take_magnitudes(const distributed::Matrix<T>& matrix) {
  matrix.change_tiles([](std::int64_t, std::int64_t, const MatrixView<T>& tile) {
    for (std::int64_t c = 0; c < tile.columns; ++c) {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        const double re = static_cast<double>(data::real_part(tile(r, c))),
                     im = static_cast<double>(data::imaginary_part(tile(r, c)));
        tile(r, c) = data::from_parts<T>(data::real_of<T>(std::hypot(re, im)), data::real_of<T>(0));
      }
    }
  });
}

// A system over ranks, with what it takes to look at its solution.
template <class T>
class System {
 public:
  System(const Cluster& cluster, const SolveArguments& arguments, const SolveRequest& r, Progress& progress)
      : cluster_(cluster),
        r_(r),
        progress_(progress),
        is_positive_(r.kind == SystemKind::positive),
        of_a_(arguments.files.empty() ? generated_a() : operand_of_file<T>(cluster, arguments.files[0], progress)),
        of_b_(arguments.files.empty() ? generated_operand<T>({{}, r.seed, data::Terms::none}, 'B', r.n, r.nrhs)
                                      : operand_of_file<T>(cluster, arguments.files[1], progress)) {
    check_sizes();
    std::vector<MatrixSize> sizes = {{"A", n(), n()}, {"b", n(), nrhs()}, {"b - A x", n(), 3 * nrhs()}};
    if (is_positive_ && !arguments.files.empty()) {
      // check_hermitian() keeps its tiles besides.
      for (const char* name : {"A transposed", "its copy"}) sizes.push_back({name, n(), n()});
    }
    check_memory_of_ranks(cluster, sizes, sizeof(T), r.ranks->tile, grid());
    a_.emplace(matrix(n(), n()));
    x_.emplace(matrix(n(), nrhs()));
    fill();
    if (arguments.files.empty()) return;
    check_finite(of_a_, *a_);
    check_finite(of_b_, *x_);
    if (is_positive_) check_hermitian(of_a_, *a_, matrix(n(), n()));
  }

  std::int64_t n() const { return of_a_.rows; }
  std::int64_t nrhs() const { return of_b_.columns; }
  const distributed::Matrix<T>& x() const { return *x_; }

  void fill() {
    progress_.at("reading or generating");
    of_a_.fill(*a_, Op::none);
    of_b_.fill(*x_, Op::none);
  }

  /// x in the place of b, factors in that of A. Why it was not solved; empty where it was.
  std::string solve() {
    BlockedOptions options = r_.options.products;
    options.threads = 0;
    const auto& checkpoint = r_.ranks->checkpoint;
    if (is_positive_) {
      const std::int64_t info =
          checkpoint ? potrf(Uplo::lower, *a_, *checkpoint, options) : potrf(Uplo::lower, *a_, options);
      if (info != 0) return "A is not positive definite: its leading block of " + rows(info) + " is not";
      potrs(Uplo::lower, *a_, *x_, options);
      return "";
    }
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n()));
    const std::int64_t info = checkpoint ? getrf(*a_, pivots, *checkpoint, options) : getrf(*a_, pivots, options);
    if (info != 0) return "A is singular: after " + rows(info - 1) + " of LU all pivots of the next column are zero";
    getrs<T>(Op::none, *a_, pivots, *x_, options);
    return "";
  }

  /// max |b − A x| / (|A||x| + |b|), in u². A's factors are gone then.
  double backward_error_u2() {
    progress_.at("looking at the residual");
    of_a_.fill(*a_, Op::none);
    const distributed::Matrix<T> residual = matrix(n(), nrhs()), scale = matrix(n(), nrhs()),
                                 magnitudes = matrix(n(), nrhs());
    of_b_.fill(residual, Op::none);
    gemm(T(-1), *a_, *x_, T(1), residual, r_.options.products);
    const std::vector<std::vector<T>> x_tiles = own_tiles(*x_);
    std::size_t at = 0;
    magnitudes.change_tiles([&](std::int64_t, std::int64_t, const MatrixView<T>& tile) {
      std::copy(x_tiles[at].begin(), x_tiles[at].end(), tile.data);
      ++at;
    });
    of_b_.fill(scale, Op::none);
    take_magnitudes(*a_);
    take_magnitudes(magnitudes);
    take_magnitudes(scale);
    gemm(T(1), *a_, magnitudes, T(1), scale, r_.options.products);
    take_magnitudes(residual);
    return largest_of_ranks(largest_ratio(residual, scale)) * 0x1p106;
  }

 private:
  static std::string rows(std::int64_t count) { return cli::count(count, "row", "rows"); }

  RanksOperand<T> generated_a() const {
    const data::Recipe recipe{r_.generator, r_.seed, data::Terms::along_columns};
    return is_positive_ ? generated_positive_operand<T>(recipe, 'A', r_.n)
                        : generated_operand<T>(recipe, 'A', r_.n, r_.n);
  }

  void check_sizes() const {
    const auto size = [](const RanksOperand<T>& x) {
      return x.name + " is " + std::to_string(x.rows) + " x " + std::to_string(x.columns);
    };
    if (of_a_.rows != of_a_.columns) reject(size(of_a_) + "; the matrix of a system is square");
    if (of_a_.rows == 0) reject(size(of_a_) + "; there is nothing to solve");
    if (of_b_.rows != of_a_.rows) reject(size(of_b_) + ", " + size(of_a_) + ": b must have " + rows(of_a_.rows));
    if (of_b_.columns == 0) reject(size(of_b_) + "; there is nothing to solve");
  }

  distributed::Matrix<T> matrix(std::int64_t rows, std::int64_t columns) const {
    return {cluster_, rows, columns, r_.ranks->tile, grid()};
  }
  distributed::Grid grid() const { return grid_of(*r_.ranks, cluster_.ranks(), !is_positive_); }

  // Both have magnitudes; what is not a number counts as infinite.
  static double largest_ratio(const distributed::Matrix<T>& x, const distributed::Matrix<T>& y) {
    const std::vector<std::vector<T>> numerators = own_tiles(x), denominators = own_tiles(y);
    double largest = 0.0;
    for (std::size_t t = 0; t < numerators.size(); ++t) {
      for (std::size_t i = 0; i < numerators[t].size(); ++i) {
        const double numerator = static_cast<double>(data::real_part(numerators[t][i])),
                     denominator = static_cast<double>(data::real_part(denominators[t][i]));
        if (numerator == 0.0 && std::isfinite(denominator)) continue;
        const double ratio = numerator / denominator;
        largest = std::isfinite(ratio) ? std::max(largest, ratio) : std::numeric_limits<double>::infinity();
        if (std::isinf(largest)) return largest;
      }
    }
    return largest;
  }

  const Cluster& cluster_;
  const SolveRequest& r_;
  Progress& progress_;
  bool is_positive_;
  RanksOperand<T> of_a_, of_b_;
  std::optional<distributed::Matrix<T>> a_, x_;
};

void print_table(std::ostream& out, const RanksSolution& s) {
  std::ostringstream system;
  system << name(s.request.precision) << ", " << s.n << " x " << s.n;
  if (s.is_positive()) system << ' ' << name(s.request.kind);
  system << ", " << count(s.nrhs, "right-hand side", "right-hand sides") << ", " << name(s.request.layout) << " layout";
  out << wrapped("system     ", 11, system.str());
  if (s.is_solved) {
    out << "solved     to backward accuracy, by " << (s.is_positive() ? "Cholesky" : "LU") << " of tiles\n"
        << "residual   " << digits(s.backward_error_u2) << " u^2 (|A||x| + |b|), u^2 = 2^-106\n";
  } else {
    out << wrapped("solved     ", 11, "NO: " + s.failure);
  }
  print_ranks(out, s.ranks);
  out << "total      " << digits(s.seconds) << " s\n";
  for (const std::string& path : s.written) out << "written    " << path << '\n';
}

void print_json(std::ostream& out, const RanksSolution& s) {
  nlohmann::ordered_json j;
  j["precision"] = name(s.request.precision);
  j["n"] = s.n;
  j["nrhs"] = s.nrhs;
  j["kind"] = name(s.request.kind);
  j["layout"] = name(s.request.layout);
  j["engine"] = name(s.request.options.products.engine);
  j["accuracy"] = name(s.request.options.accuracy);
  j["solved"] = s.is_solved;
  add_nulls(j, {"backward_error_u2", "failure"});
  if (s.is_solved) j["backward_error_u2"] = finite_or_null(s.backward_error_u2);
  if (!s.failure.empty()) j["failure"] = s.failure;
  add_ranks(j, s.ranks);
  j["repeat"] = s.request.repeat;
  j["seconds_total"] = s.seconds;
  print_object(out, j);
}

}  // namespace

void check_solve_on_ranks(const SolveArguments& arguments, const SolveRequest& r) {
  refuse_on_ranks(r.precision == Precision::s || r.precision == Precision::c,
                  "--precision " + std::string(name(r.precision)), "there are d, z, dd and zdd");
  constexpr const char* kinds = "there is LU and, with --spd, Cholesky";
  refuse_on_ranks(r.kind == SystemKind::symmetric, "--symmetric", kinds);
  refuse_on_ranks(r.kind == SystemKind::hermitian, "--hermitian", kinds);
  refuse_on_ranks(r.kind == SystemKind::least_squares, "--least-squares", kinds);
  refuse_on_ranks(r.options.accuracy == SolveAccuracy::full, "--accuracy full",
                  "--accuracy backward asks for what there is, a system next to the one given");
  refuse_on_ranks(r.options.certify, "--certify", "the residual is measured");
  refuse_on_ranks(r.verify != Verify::none, "--verify", "the residual is measured anyway");
  refuse_on_ranks(r.options.factors != SolveFactors::automatic, "--factors " + shown(arguments.factors),
                  "factors are in --precision");
  refuse_place_on_ranks(arguments.place);
  if (r.ranks->checkpoint && r.repeat > 0) {
    reject("--checkpoint and --repeat " + shown(arguments.repeat) +
           ": a run would go on from the one before; leave one of them out");
  }
}

template <class T>
int solve_on_ranks(const SolveArguments& arguments, const SolveRequest& r) {
  for (const std::string& path : r.outputs) data::check_writable(path);
  const Cluster cluster = start_ranks(*r.ranks, r.options.products.threads, arguments.place);
  const bool is_first = cluster.rank() == 0;
  Progress progress(arguments.json || !is_first);
  System<T> system(cluster, arguments, r, progress);
  RanksSolution s{r, system.n(), system.nrhs()};
  s.seconds = std::numeric_limits<double>::infinity();
  distributed::Traffic before;
  for (int run = r.repeat > 0 ? -1 : 0; run < std::max(r.repeat, 1); ++run) {
    if (run > (r.repeat > 0 ? -1 : 0)) system.fill();
    progress.at("solving");
    before = cluster.traffic();
    const Stopwatch watch;
    s.failure = system.solve();
    const double seconds = largest_of_ranks(watch.seconds());
    if (run >= 0 || !s.failure.empty()) s.seconds = std::min(s.seconds, seconds);
    if (!s.failure.empty()) break;
  }
  s.ranks = report_of(cluster, *r.ranks, !s.is_positive(), before);
  if (s.failure.empty()) {
    s.backward_error_u2 = system.backward_error_u2();
    const double most = most_units_of_row * static_cast<double>(s.n) * unit_u2<T>;
    if (!(s.backward_error_u2 <= most)) {
      s.failure = "the residual is " + digits(s.backward_error_u2) + " u^2 (|A||x| + |b|), more than " + digits(most) +
                  ": the factors lose digits";
    }
  }
  s.is_solved = s.failure.empty();
  if (s.is_solved && !arguments.output.empty()) {
    write_of_ranks(cluster, arguments.output, r.layout, system.x(), progress);
    s.written = r.outputs;
  }
  progress.at("");
  if (!is_first) return s.is_solved ? 0 : 1;
  return finish(s, r.outputs, arguments.json);
}

#define HILO_INSTANTIATE(T) template int solve_on_ranks<T>(const SolveArguments&, const SolveRequest&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
