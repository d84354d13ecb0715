// QR on the host: arguments -> place -> routine.
#include "lapack/qr.hpp"

#include <hilo/lapack.hpp>
#include <vector>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/pivoted_place.hpp"
#include "lapack/pivots.hpp"
#include "lapack/qr_arguments.hpp"
#include "lapack/qr_pivoted.hpp"
#include "lapack/qr_place.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using lapack::QrPlace;

}  // namespace

template <gemm_scalar T>
void geqrf(const MatrixView<T>& a, std::span<detail::Scalar<T>> tau, const BlockedOptions& options) {
  door("geqrf", [&] {
    const Arguments check("geqrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    lapack::check_factors(check, argument("A", a), lapack::argument(tau));
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
    lapack::check_factors(check, argument("A", a), lapack::argument(tau));
    lapack::check_pivot_count(check, pivots, a.columns, "columns");
    lapack::check_pivots_apart(check, pivots, a.columns, argument("A", a));
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
    lapack::check_product(check, side, op, argument("A", a), lapack::argument(tau), argument("C", c));
    if (c.rows == 0 || c.columns == 0 || tau.empty()) return;
    QrPlace<T> place(options, tau);
    lapack::multiply_by_orthogonal(place, side, op, a.sub(0, 0, a.rows, std::ssize(tau)), c);
  });
}

template <gemm_scalar T>
void ungqr(const MatrixView<T>& a, std::span<const detail::Scalar<T>> tau, const BlockedOptions& options) {
  door("ungqr", [&] {
    const Arguments check("ungqr", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    lapack::check_columns(check, argument("A", a), lapack::argument(tau));
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
    lapack::check_least_squares(check, op, argument("A", a), argument("B", b));
    std::vector<T> tau(static_cast<std::size_t>(std::min(a.rows, a.columns)));
    QrPlace<T> place(options, std::span<T>(tau));
    if (tau.empty()) {
      place.scale(T(0), b);
      return 0;
    }
    return lapack::solve_full_rank(place, op, a, b);
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
