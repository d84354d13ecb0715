// QR on the host: arguments -> place -> routine.
#include "lapack/qr.hpp"

#include <hilo/lapack.hpp>
#include <vector>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/pivoted_place.hpp"
#include "lapack/pivots.hpp"
#include "lapack/qr_pivoted.hpp"
#include "lapack/qr_place.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using blas::door;
using lapack::QrPlace;
using std::to_string;

// op(X)ᵀ = transposed(op)(X).
constexpr Op transposed(Op op) {
  constexpr Op of[] = {Op::transpose, Op::none, Op::conjugate, Op::conjugate_transpose};
  return of[static_cast<int>(op)];
}

template <class T>
void check_tau(const Arguments& check, std::span<T> tau) {
  if (!tau.empty() && !tau.data()) check.reject(errc::invalid_argument, "tau is null");
}

// A, and room for its reflectors.
template <class T>
void check_factors(const Arguments& check, const MatrixView<T>& a, std::span<T> tau) {
  check.check_result(argument("A", a));
  const std::int64_t count = std::min(a.rows, a.columns);
  if (std::ssize(tau) < count) {
    check.reject(errc::invalid_argument,
                 "tau has room for " + to_string(tau.size()) + ", of " + to_string(count) + " reflectors");
  }
  check_tau(check, tau);
}

// Numbers tau of reflectors in A's first columns.
template <class T, class A>
void check_reflectors(const Arguments& check, std::span<const T> tau, const MatrixView<A>& a) {
  if (std::ssize(tau) > std::min(a.rows, a.columns)) {
    check.reject(errc::invalid_argument, "tau has " + to_string(tau.size()) + " numbers, more than A, " +
                                             to_string(a.rows) + " x " + to_string(a.columns) + ", has reflectors");
  }
  check_tau(check, tau);
}

// A = F or Fᵀ, whichever F has no more columns than rows, and its factors take A's place; B = op(A)⁺ · B.
template <class T>
std::int64_t solve(QrPlace<T>& place, Op op, const MatrixView<T>& a, const MatrixView<T>& b) {
  const bool is_tall = a.rows >= a.columns;
  const MatrixView<T> f = is_tall ? a : a.turned(Op::transpose);
  const Op of_f = is_tall ? op : transposed(op);
  lapack::factor_orthogonal(place, f);
  for (std::int64_t j = 0; j < f.columns; ++j) {
    if (f(j, j) == T(0)) return j + 1;
  }
  if (b.columns == 0) return 0;
  const MatrixView<const T> r = f.sub(0, 0, f.columns, f.columns).turned(of_f);
  const MatrixView<T> top = b.sub(0, 0, f.columns, b.columns);
  if (is_transposed(of_f)) {
    blas::solve_triangle(place, Uplo::lower, Diag::non_unit, r, top);
    place.scale(T(0), b.sub(f.columns, 0, f.rows - f.columns, b.columns));
    lapack::multiply_orthogonal(place, of_f == Op::transpose ? Op::conjugate : Op::none, f, b);
  } else {
    lapack::multiply_orthogonal(place, of_f == Op::none ? Op::conjugate_transpose : Op::transpose, f, b);
    blas::solve_triangle(place, Uplo::upper, Diag::non_unit, r, top);
  }
  return 0;
}

}  // namespace

template <gemm_scalar T>
void geqrf(const MatrixView<T>& a, std::span<detail::Scalar<T>> tau, const BlockedOptions& options) {
  door("geqrf", [&] {
    const Arguments check("geqrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check_factors(check, a, tau);
    if (a.rows == 0 || a.columns == 0) return;
    QrPlace<T> place(options, tau);
    lapack::factor_orthogonal(place, a);
  });
}

template <gemm_scalar T>
void geqp3(const MatrixView<T>& a, std::span<std::int64_t> pivots, std::span<detail::Scalar<T>> tau,
           const BlockedOptions& options) {
  door("geqp3", [&] {
    const Arguments check("geqp3", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check_factors(check, a, tau);
    lapack::check_pivot_count(check, pivots, a.columns, "columns");
    if (a.rows == 0 || a.columns == 0) {
      for (std::int64_t j = 0; j < a.columns; ++j) pivots[static_cast<std::size_t>(j)] = j + 1;
      return;
    }
    lapack::PivotedPlace<T> place(options, a, pivots, tau);
    lapack::factor_pivoted(place, a);
  });
}

template <gemm_scalar T>
void unmqr(Side side, Op op, const detail::Operand<T>& a, std::span<const detail::Scalar<T>> tau,
           const MatrixView<T>& c, const BlockedOptions& options) {
  door("unmqr", [&] {
    const Arguments check("unmqr", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(side), 1, "side");
    check.check_enum(static_cast<int>(op), 3, "op");
    const Argument x = argument("A", a), z = argument("C", c);
    check.check(x);
    check.check_result(z);
    const bool is_left = side == Side::left;
    check.check_equal("rows of A", a.rows, is_left ? "rows of C" : "columns of C", is_left ? c.rows : c.columns);
    check_reflectors(check, tau, a);
    check.check_apart(z, x);
    if (c.rows == 0 || c.columns == 0 || tau.empty()) return;
    QrPlace<T> place(options, tau);
    const MatrixView<const T> reflectors = a.sub(0, 0, a.rows, std::ssize(tau));
    // C · op(Q) is (op(Q)ᵀ · Cᵀ)ᵀ.
    lapack::multiply_orthogonal(place, is_left ? op : transposed(op), reflectors,
                                is_left ? c : c.turned(Op::transpose));
  });
}

template <gemm_scalar T>
void ungqr(const MatrixView<T>& a, std::span<const detail::Scalar<T>> tau, const BlockedOptions& options) {
  door("ungqr", [&] {
    const Arguments check("ungqr", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_result(argument("A", a));
    if (a.columns > a.rows) {
      check.reject(errc::invalid_argument,
                   "columns of A = " + to_string(a.columns) + " is more than rows of A = " + to_string(a.rows));
    }
    check_reflectors(check, tau, a);
    if (a.columns == 0) return;
    QrPlace<T> place(options, tau);
    lapack::form_orthogonal(place, a, std::ssize(tau));
  });
}

template <gemm_scalar T>
std::int64_t gels(Op op, const MatrixView<T>& a, const MatrixView<T>& b, const BlockedOptions& options) {
  return door("gels", [&]() -> std::int64_t {
    const Arguments check("gels", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(op), 3, "op");
    const Argument x = argument("A", a), y = argument("B", b);
    check.check_result(x);
    check.check_result(y);
    check.check_equal("rows of B", b.rows, "the larger size of A", std::max(a.rows, a.columns));
    check.check_apart(y, x);
    std::vector<T> tau(static_cast<std::size_t>(std::min(a.rows, a.columns)));
    QrPlace<T> place(options, std::span<T>(tau));
    if (tau.empty()) {
      place.scale(T(0), b);
      return 0;
    }
    return solve(place, op, a, b);
  });
}

#define HILO_INSTANTIATE(T)                                                                                   \
  template void geqrf<T>(const MatrixView<T>&, std::span<T>, const BlockedOptions&);                          \
  template void geqp3<T>(const MatrixView<T>&, std::span<std::int64_t>, std::span<T>, const BlockedOptions&); \
  template void unmqr<T>(Side, Op, const MatrixView<const T>&, std::span<const T>, const MatrixView<T>&,      \
                         const BlockedOptions&);                                                              \
  template void ungqr<T>(const MatrixView<T>&, std::span<const T>, const BlockedOptions&);                    \
  template std::int64_t gels<T>(Op, const MatrixView<T>&, const MatrixView<T>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
