// Determinants from factors, as numbers whose exponent does not overflow.
#include <hilo/lapack.hpp>
#include <limits>

#include "blas/arguments.hpp"
#include "blas/door.hpp"
#include "lapack/indefinite_order.hpp"
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
bool has_exponent(const T& x) {
  return !(x == T(0)) && lapack::is_finite(lapack::modulus(lapack::times_power_of_two(x, -1)));
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
  void multiply_by_power_of_two(int exponent) { value_.exponent += exponent; }
  void negate() { value_.mantissa = -value_.mantissa; }

  Determinant<T> value() const {
    if (value_.mantissa == T(0)) return {T(0), 0};
    return value_;
  }

 private:
  static void normalise(Determinant<T>& x) {
    if (!has_exponent(x.mantissa)) return;
    const int e = exponent_of_larger_part(x.mantissa);
    x.mantissa = lapack::times_power_of_two(x.mantissa, -e);
    x.exponent += e;
  }

  Determinant<T> value_{T(1), 0};
};

// The product of D's determinants, by numbers of type N: real ones of a Hermitian matrix. Exchanges come in pairs, of a
// row and of a column.
template <class N, class T>
Determinant<N> determinant_of_d(const char* routine, Uplo uplo, const MatrixView<T>& factors,
                                std::span<const std::int64_t> pivots) {
  return door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    check.check(argument("A", factors));
    check.check_square(argument("A", factors));
    const std::int64_t n = factors.rows;
    const std::vector<std::int64_t> ordered = lapack::checked_pivots(check, uplo, pivots, n);
    Product<N> product;
    if (n == 0) return product.value();
    const MatrixView<T> a = uplo == Uplo::upper ? lapack::turned_around(factors) : factors;
    constexpr bool is_whole = std::same_as<N, std::remove_const_t<T>>;
    const auto diagonal = [&](std::int64_t i) {
      if constexpr (is_whole) {
        return blas::element(a, i, i);
      } else {
        return N(real(a(i, i)));
      }
    };
    for (const lapack::BlockOfD& d : lapack::blocks_of_d(ordered, 0, n)) {
      const std::int64_t k = d.begin;
      const N first = diagonal(k);
      if (d.size == 1) {
        product.multiply(first);
        continue;
      }
      // Scaled by the entry beside the diagonal, the largest; of a Hermitian block by its modulus.
      // Both near 1 for that.
      const std::remove_const_t<T> entry = blas::element(a, k + 1, k);
      const int e = has_exponent(entry) ? exponent_of_larger_part(entry) : 0;
      const auto scaled = [e](const auto& x) { return lapack::times_power_of_two(x, -e); };
      const N second = diagonal(k + 1);
      N beside;
      if constexpr (is_whole) {
        beside = scaled(entry);
      } else {
        beside = lapack::modulus(scaled(entry));
      }
      product.multiply(beside);
      product.multiply(beside);
      product.multiply((scaled(first) / beside) * (scaled(second) / beside) - N(1));
      product.multiply_by_power_of_two(2 * e);
    }
    return product.value();
  });
}

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

template <detail::Readable T>
Determinant<std::remove_const_t<T>> symmetric_determinant(Uplo uplo, const MatrixView<T>& factors,
                                                          std::span<const std::int64_t> pivots) {
  return determinant_of_d<std::remove_const_t<T>>("symmetric_determinant", uplo, factors, pivots);
}

template <detail::Readable T>
Determinant<detail::RealOf<T>> hermitian_determinant(Uplo uplo, const MatrixView<T>& factors,
                                                     std::span<const std::int64_t> pivots) {
  return determinant_of_d<detail::RealOf<T>>("hermitian_determinant", uplo, factors, pivots);
}

#define HILO_INSTANTIATE_OF(T)                                                                                      \
  template Determinant<std::remove_const_t<T>> determinant<T>(const MatrixView<T>&, std::span<const std::int64_t>); \
  template Determinant<detail::RealOf<T>> determinant<T>(const MatrixView<T>&);                                     \
  template Determinant<std::remove_const_t<T>> symmetric_determinant<T>(Uplo, const MatrixView<T>&,                 \
                                                                        std::span<const std::int64_t>);             \
  template Determinant<detail::RealOf<T>> hermitian_determinant<T>(Uplo, const MatrixView<T>&,                      \
                                                                   std::span<const std::int64_t>);
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
