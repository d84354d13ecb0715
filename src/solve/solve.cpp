// Systems on the host: arguments -> system -> ladder.
#include <hilo/solve.hpp>
#include <ostream>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "solve/answer.hpp"
#include "solve/certify.hpp"
#include "solve/host_proof.hpp"
#include "solve/host_system.hpp"
#include "solve/least_squares.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using solver::check_finite;
using solver::climb;
using solver::nothing_to_solve;
using solver::written;

// All but whether A's entries are finite.
template <class T>
void check_system(const Arguments& check, const MatrixView<const T>& a, const MatrixView<const T>& b,
                  const MatrixView<T>& x, const SolveOptions& options) {
  check.check_options(precision_of<solver::Solution<T>>, Backend::cpu, options.products);
  check.check_enum(static_cast<int>(options.accuracy), 1, "options.accuracy");
  check.check_enum(static_cast<int>(options.factors), 2, "options.factors");
  const Argument of_a = argument("A", a), of_x = argument("X", x);
  check.check(of_a);
  check.check(argument("B", b));
  check.check_result(of_x);
  check.check_equal("rows of B", b.rows, "rows of A", a.rows);
  check.check_equal("rows of X", x.rows, "columns of A", a.columns);
  check.check_equal("columns of X", x.columns, "columns of B", b.columns);
  check.check_apart(of_x, of_a);
  check_finite(check, "B", b.rows, b.columns, b);
}

// entry(i, j) of A as it is to be taken.
template <class T, class Entry>
SolveReport solved(solver::Structure structure, Entry entry, const MatrixView<const T>& b, const MatrixView<T>& x,
                   const SolveOptions& options, const solver::GeneralMatrix& known = {}) {
  if (b.rows == 0 || b.columns == 0) return nothing_to_solve(options);
  solver::HostSystem<T> system(structure, b.rows, entry, b, options.products, known);
  SolveReport report = climb<T>(system, options);
  if (!report.is_solved) return report;
  if (options.certify) solver::certify<T>(system, report);
  return written(system, std::move(report), x);
}

// A by one triangle.
template <class T>
SolveReport solved_by_triangle(const char* routine, solver::Structure structure, Uplo uplo,
                               const MatrixView<const T>& a, const MatrixView<const T>& b, const MatrixView<T>& x,
                               const SolveOptions& options) {
  return blas::door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    const bool is_lower = uplo == Uplo::lower;
    check.check_square(argument("A", a));
    check_system(check, a, b, x, options);
    const bool is_hermitian = structure != solver::Structure::symmetric;
    const auto entry = [&a, is_lower, is_hermitian](std::int64_t i, std::int64_t j) -> T {
      if (is_hermitian && i == j) return T(real(blas::element(a, i, i)));
      if ((i >= j) == is_lower) return blas::element(a, i, j);
      return blas::conjugated(blas::element(a, j, i), is_hermitian);
    };
    check_finite(check, "A", a.rows, a.columns,
                 [&](std::int64_t i, std::int64_t j) { return i == j || (i > j) == is_lower ? entry(i, j) : T(0); });
    return solved<T>(structure, entry, b, x, options);
  });
}

}  // namespace

template <gemm_scalar T>
SolveReport solve(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                  const SolveOptions& options) {
  return blas::door("solve", [&] {
    const Arguments check("solve", sizeof(T));
    check.check_square(argument("A", a));
    check_system<T>(check, a, b, x, options);
    const auto entry = [&a](std::int64_t i, std::int64_t j) { return blas::element(a, i, j); };
    auto known = solver::general_matrix<T>(a, options.products);
    if (!known) check_finite(check, "A", a.rows, a.columns, entry);
    known->is_for_double = options.factors != SolveFactors::in_double_double;
    return solved<T>(solver::Structure::general, entry, b, x, options, *known);
  });
}

template <gemm_scalar T>
SolveReport solve_positive(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                           const SolveOptions& options) {
  return solved_by_triangle<T>("solve_positive", solver::Structure::positive, uplo, a, b, x, options);
}

template <gemm_scalar T>
SolveReport solve_symmetric(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                            const SolveOptions& options) {
  return solved_by_triangle<T>("solve_symmetric", solver::Structure::symmetric, uplo, a, b, x, options);
}

template <gemm_scalar T>
SolveReport solve_hermitian(Uplo uplo, const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                            const SolveOptions& options) {
  return solved_by_triangle<T>("solve_hermitian", solver::Structure::hermitian, uplo, a, b, x, options);
}

template <gemm_scalar T>
SolveReport solve_least_squares(const detail::Operand<T>& a, const detail::Operand<T>& b, const MatrixView<T>& x,
                                const SolveOptions& options) {
  constexpr const char* routine = "solve_least_squares";
  return blas::door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check_system<T>(check, a, b, x, options);
    check.check_apart(argument("X", x), argument("B", b));
    if (options.certify) check.reject(errc::unsupported, "options.certify: least squares have no proof");
    const auto entry = [&a](std::int64_t i, std::int64_t j) { return blas::element(a, i, j); };
    check_finite(check, "A", a.rows, a.columns, entry);
    if (x.rows == 0 || b.columns == 0) return nothing_to_solve(options);
    if (a.rows == 0) {
      for (std::int64_t j = 0; j < x.columns; ++j) {
        for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) = T(0);
      }
      return nothing_to_solve(options);
    }
    const auto run = [&](auto system) {
      SolveReport report = climb<T>(system, options);
      return report.is_solved ? written(system, std::move(report), x) : report;
    };
    using System = solver::LeastSquaresSystem<T>;
    if (a.rows >= a.columns) return run(System(false, a.rows, a.columns, entry, b, options.products));
    const auto turned = [&entry](std::int64_t i, std::int64_t j) { return blas::conjugated(entry(j, i), true); };
    return run(System(true, a.columns, a.rows, turned, b, options.products));
  });
}

std::string_view name(SolveAccuracy a) { return a == SolveAccuracy::full ? "full" : "backward"; }
std::string_view name(SolveFactors f) {
  constexpr std::string_view names[] = {"automatic", "in double", "in double-double"};
  return names[static_cast<int>(f)];
}
std::string_view name(SolvePath p) {
  constexpr std::string_view names[] = {"none",
                                        "LU in double",
                                        "Cholesky in double",
                                        "LDL^T in double",
                                        "QR in double",
                                        "LU in double-double",
                                        "Cholesky in double-double",
                                        "LDL^T in double-double",
                                        "QR in double-double"};
  return names[static_cast<int>(p)];
}

std::ostream& operator<<(std::ostream& out, const SolveReport& r) {
  if (!r.is_solved) return out << "not solved: " << r.reason;
  const auto flags = out.flags();
  const auto precision = out.precision(3);
  out << "solved, accuracy " << name(r.accuracy) << ", " << name(r.path) << ", steps " << r.steps << ", condition "
      << std::defaultfloat << r.condition << ", backward error " << r.backward_error_u2 << " u^2, error ";
  if (r.is_certified) {
    out << "at most " << r.error_bound;
  } else {
    out << "about " << r.error_estimate;
  }
  out.precision(precision);
  out.flags(flags);
  return out;
}

#define HILO_INSTANTIATE_BY_TRIANGLE(T, routine)                                                                    \
  template SolveReport routine<T>(Uplo, const detail::Operand<T>&, const detail::Operand<T>&, const MatrixView<T>&, \
                                  const SolveOptions&);
#define HILO_INSTANTIATE(T)                                                                                 \
  template SolveReport solve_least_squares<T>(const detail::Operand<T>&, const detail::Operand<T>&,         \
                                              const MatrixView<T>&, const SolveOptions&);                   \
  HILO_INSTANTIATE_BY_TRIANGLE(T, solve_positive)                                                           \
  HILO_INSTANTIATE_BY_TRIANGLE(T, solve_symmetric)                                                          \
  HILO_INSTANTIATE_BY_TRIANGLE(T, solve_hermitian)                                                          \
  template SolveReport solve<T>(const detail::Operand<T>&, const detail::Operand<T>&, const MatrixView<T>&, \
                                const SolveOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE
#undef HILO_INSTANTIATE_BY_TRIANGLE

}  // namespace hilo
