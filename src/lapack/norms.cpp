// Norms on the host: arguments -> routine.
#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/condition.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;

template <class T>
using Element = std::remove_const_t<T>;
template <class T>
using Real = real_type<Element<T>>;

void check_norm(const Arguments& check, Norm norm) {
  check.check_enum(static_cast<int>(norm), static_cast<int>(Norm::max), "norm");
}

// Of a matrix by a triangle, and its diagonal by a function.
template <class T, class Diagonal>
Real<T> norm_of_half(const char* routine, Norm norm, Uplo uplo, const MatrixView<T>& a, Diagonal diagonal) {
  return door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check_norm(check, norm);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check(argument("A", a));
    check.check_square(argument("A", a));
    return lapack::norm_of_entries<Element<T>>(norm, a.rows, a.columns, [&](std::int64_t i, std::int64_t j) {
      if (i == j) return Element<T>(diagonal(i));
      return (i > j) == (uplo == Uplo::lower) ? a(i, j) : a(j, i);
    });
  });
}

}  // namespace

template <detail::Readable T>
detail::RealOf<T> lange(Norm norm, const MatrixView<T>& a) {
  return door("lange", [&] {
    const Arguments check("lange", sizeof(T));
    check_norm(check, norm);
    check.check(argument("A", a));
    return lapack::norm_of_entries<Element<T>>(norm, a.rows, a.columns, a);
  });
}

template <detail::Readable T>
detail::RealOf<T> lansy(Norm norm, Uplo uplo, const MatrixView<T>& a) {
  return norm_of_half<T>("lansy", norm, uplo, a, [&](std::int64_t i) { return a(i, i); });
}

template <detail::Readable T>
detail::RealOf<T> lanhe(Norm norm, Uplo uplo, const MatrixView<T>& a) {
  return norm_of_half<T>("lanhe", norm, uplo, a, [&](std::int64_t i) { return Element<T>(real(a(i, i))); });
}

template <detail::Readable T>
detail::RealOf<T> lantr(Norm norm, Uplo uplo, Diag diag, const MatrixView<T>& a) {
  return door("lantr", [&] {
    const Arguments check("lantr", sizeof(T));
    check_norm(check, norm);
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check_enum(static_cast<int>(diag), 1, "diag");
    check.check(argument("A", a));
    return lapack::norm_of_triangle<Element<T>>(norm, uplo, diag, a);
  });
}

#define HILO_INSTANTIATE_OF(T)                                 \
  template Real<T> lange<T>(Norm, const MatrixView<T>&);       \
  template Real<T> lansy<T>(Norm, Uplo, const MatrixView<T>&); \
  template Real<T> lanhe<T>(Norm, Uplo, const MatrixView<T>&); \
  template Real<T> lantr<T>(Norm, Uplo, Diag, const MatrixView<T>&);
#define HILO_INSTANTIATE(T) \
  HILO_INSTANTIATE_OF(T)    \
  HILO_INSTANTIATE_OF(const T)
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE
#undef HILO_INSTANTIATE_OF

}  // namespace hilo
