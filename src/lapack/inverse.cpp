// Inverses on the host: arguments -> place -> routine.
#include "lapack/inverse.hpp"

#include <hilo/lapack.hpp>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/inverse_place.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using lapack::InversePlace;

template <class T>
void check_square_result(const Arguments& check, const MatrixView<T>& a) {
  check.check_result(argument("A", a));
  check.check_square(argument("A", a));
}

// The first column, counted from 1, with 0 on the diagonal; or 0.
template <class T>
std::int64_t first_zero(const MatrixView<T>& a) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    if (a(i, i) == T(0)) return i + 1;
  }
  return 0;
}

}  // namespace

template <gemm_scalar T>
std::int64_t trtri(Uplo uplo, Diag diag, const MatrixView<T>& a, const BlockedOptions& options) {
  return door("trtri", [&]() -> std::int64_t {
    const Arguments check("trtri", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_enum(static_cast<int>(diag), 1, "diag");
    check_square_result(check, a);
    const std::int64_t info = diag == Diag::unit ? 0 : first_zero(a);
    if (info != 0 || a.rows == 0) return info;
    InversePlace<T> place(options);
    lapack::invert_triangle(place, uplo, diag, a);
    return 0;
  });
}

template <gemm_scalar T>
std::int64_t getri(const MatrixView<T>& a, std::span<const std::int64_t> pivots, const BlockedOptions& options) {
  return door("getri", [&]() -> std::int64_t {
    const Arguments check("getri", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check_square_result(check, a);
    lapack::check_pivots(check, pivots, a.rows);
    lapack::check_pivots_apart(check, pivots, a.rows, argument("A", a));
    const std::int64_t info = first_zero(a);
    if (info != 0 || a.rows == 0) return info;
    InversePlace<T> place(options);
    place.set_pivots(pivots);
    lapack::invert_with_factors(place, a);
    return 0;
  });
}

template <gemm_scalar T>
std::int64_t potri(Uplo uplo, const MatrixView<T>& a, const BlockedOptions& options) {
  return door("potri", [&]() -> std::int64_t {
    const Arguments check("potri", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check_square_result(check, a);
    const std::int64_t info = first_zero(a);
    if (info != 0 || a.rows == 0) return info;
    InversePlace<T> place(options);
    lapack::invert_positive(place, lapack::as_lower(uplo, a));
    return 0;
  });
}

#define HILO_INSTANTIATE(T)                                                                                   \
  template std::int64_t trtri<T>(Uplo, Diag, const MatrixView<T>&, const BlockedOptions&);                    \
  template std::int64_t getri<T>(const MatrixView<T>&, std::span<const std::int64_t>, const BlockedOptions&); \
  template std::int64_t potri<T>(Uplo, const MatrixView<T>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
