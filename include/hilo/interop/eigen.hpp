// Eigen's matrices of hilo::dd_real and std::complex<hilo::dd_real>.
#pragma once

#include <Eigen/Core>
#include <cstdlib>
#include <hilo/complex_math.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/interop/detail/eigen_dispatch.hpp>
#include <hilo/interop/detail/eigen_factorisation_dispatch.hpp>
#include <hilo/interop/detail/eigen_product.hpp>
#include <hilo/interop/std_complex.hpp>
#include <hilo/math.hpp>
#include <hilo/random.hpp>

namespace hilo::detail {

// std::rand as an engine.
struct StandardRandom {
  static constexpr unsigned min() { return 0; }
  static constexpr unsigned max() { return RAND_MAX; }
  unsigned operator()() { return static_cast<unsigned>(std::rand()); }
};

}  // namespace hilo::detail

namespace Eigen {

template <>
struct NumTraits<hilo::dd_real> : GenericNumTraits<hilo::dd_real> {
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 0,
    RequireInitialization = 0,
    ReadCost = 2,
    AddCost = 20,
    MulCost = 10
  };
  static constexpr hilo::dd_real dummy_precision() { return {0x1p-93, 0.0}; }
};

/// For products and factorisations. Eigenvalues of general matrices are std::complex<dd_real>, whatever the matrix.
template <>
struct NumTraits<hilo::dd_complex> : GenericNumTraits<hilo::dd_complex> {
  using Real = hilo::dd_real;
  using Literal = hilo::dd_real;
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 1,
    RequireInitialization = 0,
    ReadCost = 4,
    AddCost = 40,
    MulCost = 80
  };
  static constexpr Real epsilon() { return NumTraits<Real>::epsilon(); }
  static constexpr Real dummy_precision() { return NumTraits<Real>::dummy_precision(); }
  static constexpr int digits10() { return NumTraits<Real>::digits10(); }
};

/// A matrix of dd_real and one of words, such as doubles, mix as dd_real and a word do.
template <hilo::detail::real_scalar Word, class Operation>
struct ScalarBinaryOpTraits<hilo::dd_real, Word, Operation> {
  using ReturnType = hilo::dd_real;
};
template <hilo::detail::real_scalar Word, class Operation>
struct ScalarBinaryOpTraits<Word, hilo::dd_real, Operation> {
  using ReturnType = hilo::dd_real;
};

namespace internal {

/// setRandom and Random: all 106 bits from std::rand, in [−1, 1).
template <>
struct random_impl<hilo::dd_real> {
  static hilo::dd_real run(const hilo::dd_real& a, const hilo::dd_real& b) {
    hilo::detail::StandardRandom engine;
    return a + (b - a) * hilo::uniform_real_distribution()(engine);
  }
  static hilo::dd_real run() { return run(-1, 1); }
};

}  // namespace internal

}  // namespace Eigen
