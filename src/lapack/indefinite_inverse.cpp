// Inverses of indefinite matrices on the host: arguments -> place -> routine.
#include "lapack/indefinite_inverse.hpp"

#include <hilo/lapack.hpp>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/indefinite_inverse_place.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using blas::Symmetry;

template <class T>
std::int64_t invert(const char* routine, Symmetry symmetry, Uplo uplo, const MatrixView<T>& a,
                    std::span<const std::int64_t> pivots, const BlockedOptions& options) {
  return door(routine, [&]() -> std::int64_t {
    const Arguments check(routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_result(argument("A", a));
    check.check_square(argument("A", a));
    const std::int64_t n = a.rows;
    lapack::IndefiniteInversePlace<T> place(options, uplo, symmetry, lapack::checked_pivots(check, uplo, pivots, n));
    lapack::check_pivots_apart(check, pivots, n, argument("A", a));
    if (n == 0) return 0;
    const MatrixView<T> lower = place.placed(a);
    if (const std::int64_t zero = place.first_zero(lower)) return uplo == Uplo::upper ? n + 1 - zero : zero;
    lapack::invert_indefinite(place, lower);
    return 0;
  });
}

}  // namespace

template <gemm_scalar T>
std::int64_t sytri(Uplo uplo, const MatrixView<T>& a, std::span<const std::int64_t> pivots,
                   const BlockedOptions& options) {
  return invert("sytri", Symmetry::symmetric, uplo, a, pivots, options);
}
template <gemm_scalar T>
std::int64_t hetri(Uplo uplo, const MatrixView<T>& a, std::span<const std::int64_t> pivots,
                   const BlockedOptions& options) {
  return invert("hetri", Symmetry::hermitian, uplo, a, pivots, options);
}

#define HILO_INSTANTIATE_OF(T, tri) \
  template std::int64_t tri<T>(Uplo, const MatrixView<T>&, std::span<const std::int64_t>, const BlockedOptions&);
#define HILO_INSTANTIATE(T)     \
  HILO_INSTANTIATE_OF(T, sytri) \
  HILO_INSTANTIATE_OF(T, hetri)
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE
#undef HILO_INSTANTIATE_OF

}  // namespace hilo
