// Factorisations on the host: arguments -> place -> routine.
#include <hilo/lapack.hpp>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/host_place.hpp"
#include "lapack/lu.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using lapack::HostPlace;

}  // namespace

template <gemm_scalar T>
std::int64_t getrf(const MatrixView<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options) {
  return door("getrf", [&] {
    const Arguments check("getrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_result(argument("A", a));
    const std::int64_t n = std::min(a.rows, a.columns);
    lapack::check_pivot_count(check, pivots, n);
    lapack::check_pivots_apart(check, pivots, n, argument("A", a));
    HostPlace<T> place(options);
    place.set_pivots(pivots);
    place.accept_normwise_products();
    lapack::factor(place, a);
    return place.info();
  });
}

template <gemm_scalar T>
void getrs(Op op, const detail::Operand<T>& lu, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options) {
  door("getrs", [&] {
    const Arguments check("getrs", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(op), 3, "op");
    check.check_system(argument("A", lu), argument("B", b));
    lapack::check_pivots(check, pivots, lu.rows);
    lapack::check_pivots_apart(check, pivots, lu.rows, argument("B", b));
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    place.set_pivots(pivots);
    lapack::solve_with_factors(place, op, lu, b);
  });
}

template <gemm_scalar T>
std::int64_t gesv(const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options) {
  return door("gesv", [&] {
    const Arguments check("gesv", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_system(argument("A", a), argument("B", b));
    check.check_result(argument("A", a));
    lapack::check_pivot_count(check, pivots, a.rows);
    lapack::check_pivots_apart(check, pivots, a.rows, argument("A", a));
    lapack::check_pivots_apart(check, pivots, a.rows, argument("B", b));
    HostPlace<T> place(options);
    place.set_pivots(pivots);
    place.accept_normwise_products();
    lapack::factor(place, a);
    place.accept_normwise_products(false);
    if (place.info() == 0 && b.columns > 0) lapack::solve_with_factors(place, Op::none, a, b);
    return place.info();
  });
}

template <gemm_scalar T>
std::int64_t potrf(Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options) {
  return door("potrf", [&] {
    const Arguments check("potrf", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_result(argument("A", a));
    check.check_square(argument("A", a));
    HostPlace<T> place(options);
    place.accept_normwise_products();
    lapack::factor_positive(place, lapack::as_lower(uplo, a));
    return place.info();
  });
}

template <gemm_scalar T>
void potrs(Uplo uplo, const detail::Operand<T>& factor, const MatrixView<T>& b, const BlockedOptions& options) {
  door("potrs", [&] {
    const Arguments check("potrs", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_system(argument("A", factor), argument("B", b));
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    lapack::solve_positive(place, uplo, factor, b);
  });
}

template <gemm_scalar T>
std::int64_t posv(Uplo uplo, const MatrixView<T>& a, const MatrixView<T>& b, const BlockedOptions& options) {
  return door("posv", [&] {
    const Arguments check("posv", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_system(argument("A", a), argument("B", b));
    check.check_result(argument("A", a));
    HostPlace<T> place(options);
    place.accept_normwise_products();
    lapack::factor_positive(place, lapack::as_lower(uplo, a));
    place.accept_normwise_products(false);
    if (!place.has_failed() && b.columns > 0) lapack::solve_positive<HostPlace<T>>(place, uplo, a, b);
    return place.info();
  });
}

#define HILO_INSTANTIATE(T)                                                                                   \
  template std::int64_t getrf<T>(const MatrixView<T>&, std::span<std::int64_t>, const BlockedOptions&);       \
  template void getrs<T>(Op, const MatrixView<const T>&, std::span<const std::int64_t>, const MatrixView<T>&, \
                         const BlockedOptions&);                                                              \
  template std::int64_t gesv<T>(const MatrixView<T>&, std::span<std::int64_t>, const MatrixView<T>&,          \
                                const BlockedOptions&);                                                       \
  template std::int64_t potrf<T>(Uplo, const MatrixView<T>&, const BlockedOptions&);                          \
  template void potrs<T>(Uplo, const MatrixView<const T>&, const MatrixView<T>&, const BlockedOptions&);      \
  template std::int64_t posv<T>(Uplo, const MatrixView<T>&, const MatrixView<T>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
