#include "cli/accuracy/conditions.hpp"

#include <cstdio>
#include <hilo/accuracy.hpp>
#include <hilo/lapack.hpp>

#include "cli/accuracy/conditioned.hpp"
#include "cli/accuracy/leading_words.hpp"
#include "cli/operands.hpp"
#include "cli/solve/verify.hpp"
#include "cli/words.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

constexpr double largest_ratio = 30.0;  // of what is right, as LAPACK's own tests have it

// "double-double": what factors are made in.
template <class T>
std::string precision_name() {
  return double_double<T> ? "double-double" : "double";
}

template <class T>
Matrix<T> square_of_zeros(std::int64_t n) {
  return data::zero_matrix<T>(n, n, Layout::column, "a factor");
}

// Each takes A as W has it and, as factors, what T has of it; what T computes is measured in W.

template <class W, class T>
void factor_lu(const Matrix<W>& a, Matrix<T> factors, const GemmOptions& options, ConditionFinding& found) {
  const std::int64_t n = a.rows;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  getrf(view_of(factors), std::span(pivots), options);
  const Matrix<W> lu = converted<W>(factors);
  Matrix<W> lower = square_of_zeros<W>(n), upper = lower, exchanged = a;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) (i > j ? lower : upper)(i, j) = lu(i, j);
    lower(j, j) = W(1);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t other = pivots[static_cast<std::size_t>(i)] - 1;
    for (std::int64_t j = 0; j < n && other != i; ++j) std::swap(exchanged(i, j), exchanged(other, j));
  }
  found.residual_ratio = accuracy::factor_residual<W>(view_of(lower), view_of(upper), view_of(exchanged));
}

template <class W, class T>
void factor_cholesky(const Matrix<W>& a, Matrix<T> factor, const GemmOptions& options, ConditionFinding& found) {
  const std::int64_t n = a.rows, info = potrf(Uplo::lower, view_of(factor), options);
  if (info != 0) {
    found.failure =
        "the leading block of " + std::to_string(info) + " rows is not positive definite to " + precision_name<T>();
    return;
  }
  Matrix<W> lower = converted<W>(factor);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) lower(i, j) = W(0);
  }
  const auto l = view_of(lower);
  found.residual_ratio = accuracy::factor_residual<W>(l, l.turned(Op::conjugate_transpose), view_of(a));
}

template <class W, class T>
void factor_qr(const Matrix<W>& a, Matrix<T> factors, const GemmOptions& options, ConditionFinding& found) {
  const std::int64_t n = a.rows;
  std::vector<T> tau(static_cast<std::size_t>(n));
  geqrf(view_of(factors), std::span(tau), options);
  Matrix<W> upper = converted<W>(factors), identity = square_of_zeros<W>(n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j + 1; i < n; ++i) upper(i, j) = W(0);
    identity(j, j) = W(1);
  }
  ungqr(view_of(factors), std::span<const T>(tau), options);
  Matrix<W> columns = converted<W>(factors);
  const auto q = view_of(columns);
  found.residual_ratio = accuracy::factor_residual<W>(q, view_of(upper), view_of(a));
  found.orthogonality_ratio = accuracy::factor_residual<W>(q.turned(Op::conjugate_transpose), q, view_of(identity));
}

template <class W, class T>
void solve_by_lu(const Matrix<T>& b, Matrix<T> factors, const GemmOptions& options, Matrix<W>& x,
                 ConditionFinding& found) {
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(factors.rows));
  if (const std::int64_t info = getrf(view_of(factors), std::span(pivots), options); info != 0) {
    found.failure = "U(" + std::to_string(info) + ", " + std::to_string(info) + ") is 0 in " + precision_name<T>();
    return;
  }
  Matrix<T> solution = b;
  getrs(Op::none, view_of(factors), std::span<const std::int64_t>(pivots), view_of(solution), options);
  x = converted<W>(solution);
}

template <class T>
void solve_by_hilo(const Matrix<T>& a, const Matrix<T>& b, const GemmOptions& options, Matrix<T>& x,
                   ConditionFinding& found) {
  SolveOptions how;
  how.accuracy = *found.method->accuracy;
  how.products = options;
  const SolveReport report = solve<T>(view_of(a), view_of(b), view_of(x), how);
  found.path = report.path;
  if (report) {
    found.delivered = report.accuracy;
  } else {
    found.failure = report.reason;
  }
}

// Of one condition: A, a positive definite one where there is potrf, and a right-hand side.
template <class T>
struct Problem {
  Matrix<T> a, positive, b;
};

template <class W, class T>
void factor(const Problem<T>& p, const Problem<W>& exact, const GemmOptions& options, ConditionFinding& found) {
  switch (found.method->asked) {
    case Routine::getrf:
      return factor_lu(exact.a, p.a, options, found);
    case Routine::potrf:
      return factor_cholesky(exact.positive, p.positive, options, found);
    default:
      return factor_qr(exact.a, p.a, options, found);
  }
}

template <class W, class T>
void solve_system(const Problem<T>& p, const Problem<W>& exact, const GemmOptions& options, ConditionFinding& found) {
  Matrix<W> x = data::zero_matrix<W>(exact.a.rows, 1, Layout::column, "X");
  if (!found.method->accuracy) {
    solve_by_lu<W>(p.b, p.a, options, x, found);
  } else {
    solve_by_hilo(exact.a, exact.b, options, x, found);
  }
  if (!found.failure.empty()) return;
  const Matrix<W>& solution = x;
  found.backward_error_u2 = accuracy::solve_backward_error<W>(view_of(exact.a), view_of(exact.b), view_of(solution));
  const auto errors = accuracy::solve_error<W>(view_of(exact.a), view_of(exact.b), view_of(solution));
  found.max_error_u2 = errors.max_error_u2;
  found.max_entry_error_u2 = errors.max_entry_error_u2;
}

// Whether the errors are within what is promised of the method.
template <class T>
bool holds(const ConditionFinding& f) {
  if (!f.failure.empty() || f.method->in_double) return true;
  if (!f.is_of_solution()) return f.residual_ratio <= largest_ratio && f.orthogonality_ratio <= largest_ratio;
  if (!f.delivered) return true;  // of getrs nothing is promised that these errors tell
  return f.backward_error_u2 <= promised_u2<T> &&
         (f.delivered != SolveAccuracy::full || f.max_entry_error_u2 <= promised_u2<T>);
}

template <class W, class T>
void apply(const Problem<T>& p, const Problem<W>& exact, const GemmOptions& options, ConditionFinding& found) {
  if (found.is_of_solution()) return solve_system(p, exact, options, found);
  factor(p, exact, options, found);
}

template <class T>
ConditionFinding finding(const ConditionMethod& method, const Problem<T>& p, const GemmOptions& options) {
  ConditionFinding found{&method};
  if constexpr (double_double<T>) {
    if (method.in_double) {
      const auto in_double = [](const Matrix<T>& x) { return leading_words(x); };
      apply<T, Leading<T>>({in_double(p.a), in_double(p.positive), in_double(p.b)}, p, options, found);
      return found;
    }
  }
  apply<T, T>(p, p, options, found);
  found.holds = holds<T>(found);
  return found;
}

template <class T>
using Wide = std::conditional_t<data::is_complex<T>, dd_complex, dd_real>;

template <class T>
Matrix<T> rounded(Matrix<Wide<T>> x) {
  if constexpr (double_double<T>) {
    return x;
  } else {
    return leading_words(x);
  }
}

template <class T>
void sweep(const AccuracyRequest& r, Progress& progress, const std::function<void(ConditionRow)>& append) {
  const Conditioned<Wide<T>> matrices(r.n, r.seed, r.threads);
  Matrix<T> b = data::zero_matrix<T>(r.n, 1, Layout::column, "B");
  data::generate({{}, data::seed_of_matrix(r.seed, 'B')}, Layout::column, r.n, 1, b.entries.data(), b.leading());
  GemmOptions options;
  options.threads = r.threads;
  const auto all = static_cast<double>(condition_rows(r));
  double done = 0.0;
  for (const bool of_solutions : {false, true}) {
    const std::vector<const ConditionMethod*> methods = methods_of(r, of_solutions);
    for (std::size_t i = 0; i < r.conditions.size() && !methods.empty(); ++i, ++done) {
      ConditionRow row{of_solutions, r.conditions[i], {}};
      char what[32];
      std::snprintf(what, sizeof what, "condition %.3g: ", row.condition);
      progress.at(done / all, std::string(what) + "generating");
      Problem<T> p{rounded<T>(matrices.general(row.condition)), {}, b};
      if (r.has(Routine::potrf) && !of_solutions) p.positive = rounded<T>(matrices.positive(row.condition));
      for (const ConditionMethod* method : methods) {
        progress.at(done / all, std::string(what) + method->title);
        row.findings.push_back(finding(*method, p, options));
      }
      append(row);
    }
  }
}

}  // namespace

void sweep_conditions(const AccuracyRequest& request, Progress& progress,
                      const std::function<void(ConditionRow)>& append) {
  if (condition_rows(request) == 0) return;
  with_type_of(request.precision, [&]<class T>(std::type_identity<T>) {
    if constexpr (!is_single(precision_of<T>)) sweep<T>(request, progress, append);
  });
}

}  // namespace hilo::cli
