// L · D · Lᵀ and L · D · Lᴴ on the host: arguments -> place -> routine.
#include "lapack/indefinite.hpp"

#include <hilo/lapack.hpp>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/indefinite_place.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;
using blas::Symmetry;
using lapack::IndefinitePlace;

template <class T>
Arguments checked(const char* routine, Uplo uplo, const BlockedOptions& options) {
  const Arguments check(routine, sizeof(T));
  check.check_options(precision_of<T>, Backend::cpu, options);
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  return check;
}

template <class T>
std::int64_t factor(IndefinitePlace<T>& place, Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots) {
  const std::int64_t n = a.rows;
  if (n == 0) return 0;
  lapack::factor_indefinite(place, place.placed(a));
  std::ranges::copy(lapack::ordered_pivots(uplo, place.pivots(), n), pivots.begin());
  return place.info() > 0 && uplo == Uplo::upper ? n + 1 - place.info() : place.info();
}

template <class T>
void solve(IndefinitePlace<T>& place, const MatrixView<const T>& a, const MatrixView<T>& b) {
  if (b.rows > 0 && b.columns > 0) lapack::solve_indefinite(place, place.placed(a), place.placed(b));
}

template <class T>
IndefinitePlace<T> place_for(const BlockedOptions& options, Uplo uplo, Symmetry symmetry, std::int64_t n) {
  return {options, uplo, symmetry, std::vector<std::int64_t>(static_cast<std::size_t>(n))};
}

template <class T>
std::int64_t factor(const char* routine, Symmetry symmetry, Uplo uplo, const MatrixView<T>& a,
                    std::span<std::int64_t> pivots, const BlockedOptions& options) {
  return door(routine, [&] {
    const Arguments check = checked<T>(routine, uplo, options);
    check.check_result(argument("A", a));
    check.check_square(argument("A", a));
    lapack::check_pivot_count(check, pivots, a.rows);
    lapack::check_pivots_apart(check, pivots, a.rows, argument("A", a));
    auto place = place_for<T>(options, uplo, symmetry, a.rows);
    return factor(place, uplo, a, pivots);
  });
}

template <class T>
void solve(const char* routine, Symmetry symmetry, Uplo uplo, const MatrixView<const T>& factors,
           std::span<const std::int64_t> pivots, const MatrixView<T>& b, const BlockedOptions& options) {
  door(routine, [&] {
    const Arguments check = checked<T>(routine, uplo, options);
    check.check_system(argument("A", factors), argument("B", b));
    IndefinitePlace<T> place(options, uplo, symmetry, lapack::checked_pivots(check, uplo, pivots, b.rows));
    lapack::check_pivots_apart(check, pivots, b.rows, argument("B", b));
    solve(place, factors, b);
  });
}

template <class T>
std::int64_t factor_and_solve(const char* routine, Symmetry symmetry, Uplo uplo, const MatrixView<T>& a,
                              std::span<std::int64_t> pivots, const MatrixView<T>& b, const BlockedOptions& options) {
  return door(routine, [&] {
    const Arguments check = checked<T>(routine, uplo, options);
    check.check_system(argument("A", a), argument("B", b));
    check.check_result(argument("A", a));
    lapack::check_pivot_count(check, pivots, a.rows);
    lapack::check_pivots_apart(check, pivots, a.rows, argument("A", a));
    lapack::check_pivots_apart(check, pivots, a.rows, argument("B", b));
    auto place = place_for<T>(options, uplo, symmetry, a.rows);
    const std::int64_t info = factor(place, uplo, a, pivots);
    if (info == 0) solve<T>(place, a, b);
    return info;
  });
}

}  // namespace

template <gemm_scalar T>
std::int64_t sytrf(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options) {
  return factor("sytrf", Symmetry::symmetric, uplo, a, pivots, options);
}
template <gemm_scalar T>
std::int64_t hetrf(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options) {
  return factor("hetrf", Symmetry::hermitian, uplo, a, pivots, options);
}
template <gemm_scalar T>
void sytrs(Uplo uplo, const detail::Operand<T>& factors, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options) {
  solve("sytrs", Symmetry::symmetric, uplo, factors, pivots, b, options);
}
template <gemm_scalar T>
void hetrs(Uplo uplo, const detail::Operand<T>& factors, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options) {
  solve("hetrs", Symmetry::hermitian, uplo, factors, pivots, b, options);
}
template <gemm_scalar T>
std::int64_t sysv(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options) {
  return factor_and_solve("sysv", Symmetry::symmetric, uplo, a, pivots, b, options);
}
template <gemm_scalar T>
std::int64_t hesv(Uplo uplo, const MatrixView<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options) {
  return factor_and_solve("hesv", Symmetry::hermitian, uplo, a, pivots, b, options);
}

#define HILO_INSTANTIATE_OF(T, trf, trs, sv)                                                                  \
  template std::int64_t trf<T>(Uplo, const MatrixView<T>&, std::span<std::int64_t>, const BlockedOptions&);   \
  template void trs<T>(Uplo, const MatrixView<const T>&, std::span<const std::int64_t>, const MatrixView<T>&, \
                       const BlockedOptions&);                                                                \
  template std::int64_t sv<T>(Uplo, const MatrixView<T>&, std::span<std::int64_t>, const MatrixView<T>&,      \
                              const BlockedOptions&);
#define HILO_INSTANTIATE(T)                  \
  HILO_INSTANTIATE_OF(T, sytrf, sytrs, sysv) \
  HILO_INSTANTIATE_OF(T, hetrf, hetrs, hesv)
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE
#undef HILO_INSTANTIATE_OF

}  // namespace hilo
