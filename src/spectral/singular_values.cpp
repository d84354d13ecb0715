// Singular values on the host: arguments -> QR, refinement, or LAPACK -> what was asked for.
#include <hilo/singular_values.hpp>
#include <ostream>

#include "blas/door.hpp"
#include "spectral/arguments.hpp"
#include "spectral/singular_host.hpp"
#include "spectral/singular_solution.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using spectral::Decomposition;
using spectral::Dense;
using spectral::LeftVectors;
using spectral::SingularSolution;

// What is asked for: U and V, or null.
template <gemm_scalar T>
struct Request {
  MatrixView<const T> a;
  VectorView<real_type<T>> values;
  const MatrixView<T>*u, *v;
  const SingularValueOptions& options;

  std::int64_t count() const { return std::min(a.rows, a.columns); }
  bool is_wide() const { return a.rows < a.columns; }
  bool wants_vectors() const { return u != nullptr; }
  // A, or Aᴴ of a wide one, and the vectors on its sides.
  MatrixView<const T> tall() const { return is_wide() ? a.turned(Op::conjugate_transpose) : a; }
  const MatrixView<T>& left() const { return is_wide() ? *v : *u; }
  const MatrixView<T>& right() const { return is_wide() ? *u : *v; }
  bool is_left_whole() const { return wants_vectors() && left().columns > count(); }
};

template <class T>
void check_arguments(const char* routine, const Request<T>& x) {
  const Arguments check(routine, sizeof(T)), check_values(routine, sizeof(real_type<T>));
  check.check_options(precision_of<T>, Backend::cpu, x.options.products);
  const Argument of_a = argument("A", x.a);
  check.check(of_a);
  check_values.check(argument("values", x.values));
  check.check_equal("elements of values", x.values.size, "min(m, n)", x.count());
  spectral::check_values_apart(check, routine, x.values, of_a);
  if (x.wants_vectors()) {
    const Argument of_u = argument("U", *x.u), of_v = argument("V", *x.v);
    const auto check_vectors = [&](const Argument& vectors, std::int64_t columns, const char* rows_name,
                                   const char* columns_name, std::int64_t order) {
      check.check_result(vectors);
      check.check_equal(rows_name, vectors.lines.rows, vectors.name[0] == 'U' ? "rows of A" : "columns of A", order);
      if (columns != order) check.check_equal(columns_name, columns, "min(m, n)", x.count());
      check.check_apart(vectors, of_a);
      spectral::check_values_apart(check, routine, x.values, vectors);
    };
    check_vectors(of_u, x.u->columns, "rows of U", "columns of U", x.a.rows);
    check_vectors(of_v, x.v->columns, "rows of V", "columns of V", x.a.columns);
    check.check_apart(of_v, of_u);
  }
  for (std::int64_t j = 0; j < x.a.columns; ++j) {
    for (std::int64_t i = 0; i < x.a.rows; ++i) {
      if (!spectral::is_finite_value(T(x.a(i, j)))) spectral::reject_not_finite(check, i, j);
    }
  }
  spectral::check_shape(routine, x.a.rows, x.a.columns);
}

// Converted, and scaled so that the largest entry is near 1; the exponent.
template <class X, class T, class Convert>
int take_scaled(const MatrixView<const T>& a, Convert convert, Dense<X>& to) {
  double most = 0.0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) most = std::max(most, solver::size_of(T(a(i, j))));
  }
  const int exponent = solver::exponent_to_one(most);
  to = Dense<X>(a.rows, a.columns);
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      to(i, j) = X(solver::scaled(convert(blas::element(a, i, j)), exponent));
    }
  }
  return exponent;
}

// Values, and vectors in their order, where the matrix is nearly square. Norms are for the report where `is_whole`
// problem is solved.
template <double_double T>
Decomposition<T> refined(const Dense<T>& a, bool wants_vectors, bool is_whole, const SingularValueOptions& options,
                         SingularValueReport& report) {
  spectral::SingularHost<T> place(a, options.products);
  place.start();
  spectral::SingularRefinement<spectral::SingularHost<T>> refinement(place);
  report.path = SingularValuePath::refinement;
  if (refinement.refine(wants_vectors)) {
    report.updates = refinement.updates();
  } else {
    report.path = SingularValuePath::jacobi_in_double_double;
    report.updates = refinement.rotate();
  }
  if (is_whole && wants_vectors) {
    const spectral::SingularNorms norms = refinement.norms_u2();
    report.residual_u2 = norms.residual;
    report.left_orthogonality_u2 = norms.left;
    report.right_orthogonality_u2 = norms.right;
  }
  const std::int64_t m = a.rows(), n = a.columns();
  Decomposition<T> found{{}, place.u(), Dense<T>(n, n)};
  const std::vector<std::int64_t> order = refinement.order();
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t j = order[static_cast<std::size_t>(k)];
    const dd_real value = refinement.value(j);
    const bool is_turned = value < dd_real(0.0);
    found.values.push_back(abs(value));
    for (std::int64_t i = 0; i < m; ++i) found.u(i, k) = is_turned ? -place.u()(i, j) : place.u()(i, j);
    for (std::int64_t i = 0; i < n; ++i) found.v(i, k) = place.v()(i, j);
  }
  return found;
}

// The same of any matrix with m >= n: of tall ones A = Q R, R's. U has n columns, or m.
template <double_double T>
Decomposition<T> decomposed(const Dense<T>& a, bool wants_vectors, bool is_u_whole, const SingularValueOptions& options,
                            SingularValueReport& report) {
  const std::int64_t m = a.rows(), n = a.columns();
  const BlockedOptions products = spectral::classic(options.products);
  if (options.relative) {
    const LeftVectors left = !wants_vectors ? LeftVectors::none : is_u_whole ? LeftVectors::whole : LeftVectors::thin;
    Decomposition<T> found = spectral::jacobi_decomposition(a, left, products);
    blas::HostPlace<T> place(products);
    report.path = SingularValuePath::jacobi_in_double_double;
    report.updates = found.sweeps;
    if (wants_vectors) spectral::orthonormalise(place, found.u), spectral::orthonormalise(place, found.v);
    return found;
  }
  if (5 * m <= 6 * n) return refined(a, wants_vectors, true, options, report);
  Dense<T> f = a, r(n, n);
  std::vector<T> tau(static_cast<std::size_t>(n));
  geqrf(f.view(), std::span<T>(tau), products);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i <= j; ++i) r(i, j) = f(i, j);
  }
  Decomposition<T> found = refined(r, wants_vectors, false, options, report);
  if (!wants_vectors) return found;
  found.u = spectral::padded(found.u, m, is_u_whole ? m : n);
  unmqr(Side::left, Op::none, f.view(), std::span<const T>(tau), found.u.view(), products);
  // Reflectors leave several u² each.
  blas::HostPlace<T> place(products);
  const auto half = [](const T& t) { return spectral::leading(t) * 0.5; };
  const Dense<solver::Leading<T>> e(spectral::orthogonality_defect(place, found.u), half);
  spectral::correct(place, found.u, e, 0.0, products);
  return found;
}

// ‖A V − U Σ‖ / σ_1 and how far U and V, n columns of each, are from orthonormal, by products.
template <double_double T>
void measure(const SingularSolution<T>& x, const SingularValueOptions& options, SingularValueReport& report) {
  blas::HostPlace<T> place(spectral::classic(options.products));
  const Decomposition<T>& found = x.found;
  Dense<T> w = spectral::product(place, x.matrix, found.v);
  for (std::int64_t j = 0; j < w.columns(); ++j) {
    for (std::int64_t i = 0; i < w.rows(); ++i) {
      w(i, j) = w(i, j) - found.u(i, j) * found.values[static_cast<std::size_t>(j)];
    }
  }
  const double size = found.values.front().hi;
  report.residual_u2 = size > 0.0 ? spectral::frobenius(w) / size * 0x1p106 : 0.0;
  report.left_orthogonality_u2 =
      spectral::frobenius(spectral::orthogonality_defect(place, spectral::first_columns(found.u, w.columns()))) *
      0x1p106;
  report.right_orthogonality_u2 = spectral::frobenius(spectral::orthogonality_defect(place, found.v)) * 0x1p106;
}

template <class T, class V>
void write(const Dense<T>& from, const MatrixView<V>& to) {
  for (std::int64_t j = 0; j < to.columns; ++j) {
    for (std::int64_t i = 0; i < to.rows; ++i) to(i, j) = from(i, j);
  }
}

template <double_double T>
SingularValueReport solved_in_double_double(const Request<T>& request) {
  const SingularValueOptions& options = request.options;
  SingularValueReport report;
  SingularSolution<T> x;
  x.exponent = take_scaled(
      request.tall(), [](const T& e) { return e; }, x.matrix);
  const bool wants_vectors = request.wants_vectors() || options.certify;
  x.found = decomposed(x.matrix, wants_vectors, request.is_left_whole(), options, report);
  const auto value = [&](std::int64_t j) {
    return solver::scaled_back(x.found.values[static_cast<std::size_t>(j)], -x.exponent);
  };
  SingularValueReport refused;
  refused.reason = spectral::overflow_among(request.count(), value);
  if (!refused.reason.empty()) return refused;
  if (options.certify) spectral::certify(x, options, report);
  const bool is_measured = report.residual_u2 == report.residual_u2;
  if (wants_vectors && !is_measured) measure(x, options, report);
  report.is_solved = true;
  for (std::int64_t j = 0; j < request.count(); ++j) request.values(j) = value(j);
  if (request.wants_vectors()) write(x.found.u, request.left()), write(x.found.v, request.right());
  return report;
}

template <gemm_scalar T>
SingularValueReport solved_natively(const Request<T>& request) {
  using Real = real_type<T>;
  using D = solver::Leading<T>;
  using X = solver::Solution<T>;
  const SingularValueOptions& options = request.options;
  Dense<D> a;
  const int exponent = take_scaled(
      request.tall(), [](const T& e) { return D(e); }, a);
  const int threads = options.products.threads > 0 ? options.products.threads : host::default_threads();
  const LeftVectors left = request.is_left_whole()                      ? LeftVectors::whole
                           : request.wants_vectors() || options.certify ? LeftVectors::thin
                                                                        : LeftVectors::none;
  Decomposition<T> found = spectral::native_decomposition<T>(threads, a, left, options.relative, exponent);
  SingularValueReport report;
  report.reason = spectral::overflow_among(request.count(),
                                           [&](std::int64_t j) { return found.values[static_cast<std::size_t>(j)]; });
  if (!report.reason.empty()) return report;
  if (options.certify) {
    using E = solver::Exact<T>;
    SingularSolution<X> x;
    x.exponent = take_scaled(
        request.tall(), [](const T& e) { return E(e); }, x.matrix);
    const auto convert = [](const T& e) { return X(E(e)); };
    x.found = {{}, Dense<X>(found.u, convert), Dense<X>(found.v, convert)};
    for (const Real& value : found.values) {
      x.found.values.push_back(solver::scaled(dd_real(static_cast<double>(value)), x.exponent));
    }
    spectral::certify(x, options, report);
  }
  report.is_solved = true;
  report.path = found.sweeps > 0 ? SingularValuePath::jacobi : SingularValuePath::lapack;
  report.updates = found.sweeps;
  for (std::int64_t j = 0; j < request.count(); ++j) request.values(j) = found.values[static_cast<std::size_t>(j)];
  if (request.wants_vectors()) write(found.u, request.left()), write(found.v, request.right());
  return report;
}

// Of a wide matrix Aᴴ was decomposed.
template <gemm_scalar T>
SingularValueReport with_sides_as_given(const Request<T>& request, SingularValueReport report) {
  if (request.is_wide()) std::swap(report.left_orthogonality_u2, report.right_orthogonality_u2);
  return report;
}

// Of a matrix without rows or columns.
template <gemm_scalar T>
SingularValueReport of_nothing(const Request<T>& request) {
  SingularValueReport report;
  report.is_solved = true;
  report.residual_u2 = report.left_orthogonality_u2 = report.right_orthogonality_u2 = 0.0;
  if (request.options.certify) report.is_certified = true, report.bound = 0.0;
  if (!request.wants_vectors()) return report;
  for (const MatrixView<T>* x : {request.u, request.v}) {
    write(spectral::padded(Dense<T>(), x->rows, x->columns), *x);
  }
  return report;
}

template <gemm_scalar T>
SingularValueReport solved(const char* routine, const Request<T>& request) {
  return blas::door(routine, [&] {
    check_arguments(routine, request);
    if (request.count() == 0) return of_nothing(request);
    if constexpr (double_double<T>) {
      return with_sides_as_given(request, solved_in_double_double(request));
    } else {
      return with_sides_as_given(request, solved_natively(request));
    }
  });
}

}  // namespace

template <detail::Readable T>
SingularValueReport singular_values(const MatrixView<T>& a, const VectorView<detail::RealOf<T>>& values,
                                    const SingularValueOptions& options) {
  return solved<std::remove_const_t<T>>("singular_values", {a, values, nullptr, nullptr, options});
}

template <gemm_scalar T>
SingularValueReport singular_value_decomposition(const detail::Operand<T>& a, const VectorView<real_type<T>>& values,
                                                 const MatrixView<T>& u, const MatrixView<T>& v,
                                                 const SingularValueOptions& options) {
  return solved<T>("singular_value_decomposition", {a, values, &u, &v, options});
}

std::string_view name(SingularValuePath p) {
  constexpr std::string_view names[] = {"none", "LAPACK", "Jacobi", "refinement", "Jacobi in double-double"};
  return names[static_cast<int>(p)];
}

std::ostream& operator<<(std::ostream& out, const SingularValueReport& r) {
  if (!r.is_solved) return out << "not solved: " << r.reason;
  const auto flags = out.flags();
  const auto precision = out.precision(3);
  out << "solved, " << name(r.path) << ", updates " << r.updates << std::defaultfloat;
  if (r.residual_u2 == r.residual_u2) {
    out << ", residual " << r.residual_u2 << " u^2, orthogonality " << r.left_orthogonality_u2 << " and "
        << r.right_orthogonality_u2 << " u^2";
  }
  if (r.is_certified) out << ", error at most " << r.bound;
  out.precision(precision);
  out.flags(flags);
  return out;
}

#define HILO_INSTANTIATE(T)                                                                                           \
  template SingularValueReport singular_values<T>(const MatrixView<T>&, const VectorView<real_type<T>>&,              \
                                                  const SingularValueOptions&);                                       \
  template SingularValueReport singular_values<const T>(const MatrixView<const T>&, const VectorView<real_type<T>>&,  \
                                                        const SingularValueOptions&);                                 \
  template SingularValueReport singular_value_decomposition<T>(const MatrixView<const T>&,                            \
                                                               const VectorView<real_type<T>>&, const MatrixView<T>&, \
                                                               const MatrixView<T>&, const SingularValueOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
