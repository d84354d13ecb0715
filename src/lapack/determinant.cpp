// Determinants from factors, as numbers whose exponent does not overflow.
#include <hilo/lapack.hpp>
#include <limits>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/norm.hpp"
#include "lapack/pivots.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::door;

// e with 2^e <= |x| < 2^(e + 1); of a double-double its lo part may tell.
template <class R>
int exponent_of(const R& x) {
  using std::frexp;
  int e;
  frexp(x, &e);
  return e - 1;
}

// Of a complex number that of its larger part.
template <gemm_scalar T>
int exponent_of_larger_part(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    using std::abs;
    const auto re = abs(real_type<T>(x.real())), im = abs(real_type<T>(x.imag()));
    return exponent_of(re > im ? re : im);
  } else {
    return exponent_of(x);
  }
}

template <gemm_scalar T>
class Product {
 public:
  void multiply(const T& x) {
    Determinant<T> factor{x, 0};
    normalise(factor);
    value_.mantissa = value_.mantissa * factor.mantissa;
    value_.exponent += factor.exponent;
    normalise(value_);
  }
  void negate() { value_.mantissa = -value_.mantissa; }

  Determinant<T> value() const {
    if (value_.mantissa == T(0)) return {T(0), 0};
    return value_;
  }

 private:
  static void normalise(Determinant<T>& x) {
    if (x.mantissa == T(0) || !lapack::is_finite(lapack::modulus(lapack::times_power_of_two(x.mantissa, -1)))) return;
    const int e = exponent_of_larger_part(x.mantissa);
    x.mantissa = lapack::times_power_of_two(x.mantissa, -e);
    x.exponent += e;
  }

  Determinant<T> value_{T(1), 0};
};

}  // namespace

template <detail::Readable T>
Determinant<std::remove_const_t<T>> determinant(const MatrixView<T>& lu, std::span<const std::int64_t> pivots) {
  return door("determinant", [&] {
    const Arguments check("determinant", sizeof(T));
    check.check(argument("A", lu));
    check.check_square(argument("A", lu));
    lapack::check_pivots(check, pivots, lu.rows);
    Product<std::remove_const_t<T>> product;
    for (std::int64_t i = 0; i < lu.rows; ++i) {
      product.multiply(blas::element(lu, i, i));
      if (pivots[static_cast<std::size_t>(i)] != i + 1) product.negate();
    }
    return product.value();
  });
}

template <detail::Readable T>
Determinant<detail::RealOf<T>> determinant(const MatrixView<T>& factor) {
  return door("determinant", [&] {
    const Arguments check("determinant", sizeof(T));
    check.check(argument("A", factor));
    check.check_square(argument("A", factor));
    using R = detail::RealOf<T>;
    Product<R> product;
    for (std::int64_t i = 0; i < factor.rows; ++i) {
      const R x(real(factor(i, i)));
      product.multiply(x);
      product.multiply(x);
    }
    return product.value();
  });
}

#define HILO_INSTANTIATE_OF(T)                                                                                      \
  template Determinant<std::remove_const_t<T>> determinant<T>(const MatrixView<T>&, std::span<const std::int64_t>); \
  template Determinant<detail::RealOf<T>> determinant<T>(const MatrixView<T>&);
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
