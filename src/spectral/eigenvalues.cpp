// Eigenproblems on the host: arguments -> refinement, or LAPACK -> what was asked for.
#include <hilo/eigenvalues.hpp>
#include <ostream>

#include "blas/door.hpp"
#include "spectral/eigensystem.hpp"
#include "spectral/hermitian_host.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using spectral::Dense;
using spectral::Eigensystem;

template <class T>
void check_arguments(const char* routine, Uplo uplo, const MatrixView<const T>& a,
                     const VectorView<real_type<T>>& values, const MatrixView<T>* vectors,
                     const EigenvalueOptions& options) {
  const Arguments check(routine, sizeof(T)), check_values(routine, sizeof(real_type<T>));
  check.check_options(precision_of<T>, Backend::cpu, options.products);
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  const Argument of_a = argument("A", a);
  const blas::VectorArgument of_values = argument("values", values);
  check.check(of_a);
  check.check_square(of_a);
  check_values.check(of_values);
  check.check_equal("elements of values", values.size, "rows of A", a.rows);
  spectral::check_values_apart(check, routine, values, of_a);
  if (vectors) {
    const Argument of_vectors = argument("vectors", *vectors);
    check.check_result(of_vectors);
    check.check_equal("rows of vectors", vectors->rows, "rows of A", a.rows);
    check.check_equal("columns of vectors", vectors->columns, "rows of A", a.rows);
    check.check_apart(of_vectors, of_a);
    spectral::check_values_apart(check, routine, values, of_vectors);
  }
  for (std::int64_t j = 0; j < a.columns; ++j) {
    const std::int64_t first = uplo == Uplo::lower ? j : 0, last = uplo == Uplo::lower ? a.rows : j + 1;
    for (std::int64_t i = first; i < last; ++i) {
      const T x = i == j ? T(spectral::real_part<T>(a(i, j))) : T(a(i, j));
      if (!spectral::is_finite_value(x)) spectral::reject_not_finite(check, i, j);
    }
  }
  spectral::check_order(routine, a.rows);
}

// Entry (i, j), i >= j, of the lower triangle.
template <class T>
T lower_entry(Uplo uplo, const MatrixView<const T>& a, std::int64_t i, std::int64_t j) {
  if (i == j) return T(spectral::real_part<T>(a(i, i)));
  return uplo == Uplo::lower ? blas::element(a, i, j) : blas::conjugated(blas::element(a, j, i), true);
}

// In double-double, scaled so that the largest entry is near 1; the exponent.
template <class X, class Entry>
int take_scaled(std::int64_t n, Entry entry, Dense<X>& to) {
  double most = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) most = std::max(most, solver::size_of(entry(i, j)));
  }
  const int exponent = most > 0.0 ? -std::ilogb(most) : 0;
  to = Dense<X>(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) to(i, j) = X(solver::scaled(entry(i, j), exponent));
  }
  spectral::mirror(to);
  return exponent;
}

template <double_double T>
Eigensystem<T> refined(std::int64_t n, Uplo uplo, const MatrixView<const T>& a, bool wants_vectors,
                       const EigenvalueOptions& options) {
  Eigensystem<T> system;
  system.exponent = take_scaled(
      n, [&](std::int64_t i, std::int64_t j) { return lower_entry(uplo, a, i, j); }, system.matrix);
  spectral::HermitianHost<T> place(std::move(system.matrix), options.products);
  place.start();
  spectral::HermitianRefinement<spectral::HermitianHost<T>> refinement(place);
  system.report = spectral::refined(refinement, wants_vectors || options.certify, wants_vectors);
  const std::vector<std::int64_t> order = refinement.order();
  system.vectors = Dense<T>(n, n);
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t j = order[static_cast<std::size_t>(k)];
    system.values.push_back(refinement.value(j));
    for (std::int64_t i = 0; i < n; ++i) system.vectors(i, k) = place.vectors()(i, j);
  }
  if (options.certify) system.matrix = place.matrix();
  return system;
}

template <gemm_scalar T>
EigenvalueReport solved_natively(Uplo uplo, const MatrixView<const T>& a, const VectorView<real_type<T>>& values,
                                 const MatrixView<T>* vectors, const EigenvalueOptions& options) {
  using Real = real_type<T>;
  using X = solver::Solution<T>;
  const std::int64_t n = a.rows;
  const auto entry = [&](std::int64_t i, std::int64_t j) { return lower_entry(uplo, a, i, j); };
  using D = solver::Leading<T>;
  // LAPACK scales less: couplings that are tiny beside large entries keep it from converging.
  Dense<T> x;
  const int exponent = take_scaled(
      n, [&](std::int64_t i, std::int64_t j) { return D(entry(i, j)); }, x);
  const int threads = options.products.threads > 0 ? options.products.threads : host::default_threads();
  std::vector<Real> found = spectral::native_eigenvalues(threads, x);
  for (Real& value : found) value = static_cast<Real>(solver::scaled(static_cast<double>(value), -exponent));
  EigenvalueReport report;
  if (found.empty()) return spectral::refusal("LAPACK does not converge");
  report.reason = spectral::overflow_among(n, [&](std::int64_t j) { return found[static_cast<std::size_t>(j)]; });
  if (!report.reason.empty()) return report;
  if (options.certify) {
    using E = solver::Exact<T>;
    Eigensystem<X> system;
    system.exponent = take_scaled(
        n, [&](std::int64_t i, std::int64_t j) { return E(entry(i, j)); }, system.matrix);
    system.vectors = Dense<X>(x, [](const T& e) { return X(E(e)); });
    for (const Real& value : found) {
      system.values.push_back(solver::scaled(dd_real(static_cast<double>(value)), system.exponent));
    }
    spectral::certify(system, options, report);
  }
  report.is_solved = true;
  report.path = spectral::has_lapack() ? EigenvaluePath::lapack : EigenvaluePath::jacobi;
  for (std::int64_t j = 0; j < n; ++j) values(j) = found[static_cast<std::size_t>(j)];
  if (!vectors) return report;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) (*vectors)(i, j) = x(i, j);
  }
  return report;
}

template <gemm_scalar T>
EigenvalueReport solved(const char* routine, Uplo uplo, const MatrixView<const T>& a,
                        const VectorView<real_type<T>>& values, const MatrixView<T>* vectors,
                        const EigenvalueOptions& options) {
  return blas::door(routine, [&] {
    check_arguments(routine, uplo, a, values, vectors, options);
    const std::int64_t n = a.rows;
    if (n == 0) return spectral::report_of_nothing(options.certify);
    if constexpr (!double_double<T>) {
      return solved_natively(uplo, a, values, vectors, options);
    } else {
      Eigensystem<T> system = refined(n, uplo, a, vectors != nullptr, options);
      if (const std::string obstacle = system.obstacle(); !obstacle.empty()) return spectral::refusal(obstacle);
      if (options.certify) spectral::certify(system, options, system.report);
      for (std::int64_t j = 0; j < n; ++j) values(j) = system.value_as_given(j);
      if (vectors) {
        for (std::int64_t j = 0; j < n; ++j) {
          for (std::int64_t i = 0; i < n; ++i) (*vectors)(i, j) = system.vectors(i, j);
        }
      }
      return std::move(system.report);
    }
  });
}

}  // namespace

template <detail::Readable T>
EigenvalueReport hermitian_eigenvalues(Uplo uplo, const MatrixView<T>& a, const VectorView<detail::RealOf<T>>& values,
                                       const EigenvalueOptions& options) {
  return solved<std::remove_const_t<T>>("hermitian_eigenvalues", uplo, a, values, nullptr, options);
}

template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Uplo uplo, const detail::Operand<T>& a, const VectorView<real_type<T>>& values,
                                       const MatrixView<T>& vectors, const EigenvalueOptions& options) {
  return solved<T>("hermitian_eigensystem", uplo, a, values, &vectors, options);
}

std::string_view name(EigenvaluePath p) {
  constexpr std::string_view names[] = {"none", "LAPACK", "Jacobi", "refinement", "Jacobi in double-double"};
  return names[static_cast<int>(p)];
}

std::ostream& operator<<(std::ostream& out, const EigenvalueReport& r) {
  if (!r.is_solved) return out << "not solved: " << r.reason;
  const auto flags = out.flags();
  const auto precision = out.precision(3);
  out << "solved, " << name(r.path) << ", updates " << r.updates << std::defaultfloat;
  if (r.residual_u2 == r.residual_u2) {
    out << ", residual " << r.residual_u2 << " u^2, orthogonality " << r.orthogonality_u2 << " u^2";
  }
  if (r.is_certified) out << ", error at most " << r.bound;
  out.precision(precision);
  out.flags(flags);
  return out;
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template EigenvalueReport hermitian_eigenvalues<T>(Uplo, const MatrixView<T>&, const VectorView<real_type<T>>&,      \
                                                     const EigenvalueOptions&);                                        \
  template EigenvalueReport hermitian_eigenvalues<const T>(Uplo, const MatrixView<const T>&,                           \
                                                           const VectorView<real_type<T>>&, const EigenvalueOptions&); \
  template EigenvalueReport hermitian_eigensystem<T>(Uplo, const MatrixView<const T>&,                                 \
                                                     const VectorView<real_type<T>>&, const MatrixView<T>&,            \
                                                     const EigenvalueOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
