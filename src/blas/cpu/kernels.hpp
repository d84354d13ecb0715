// The SIMD kernels of blocks without products, in double-double: whatever the instruction set, the bits of
// reference.hpp.
#pragma once

#include <cstdint>
#include <hilo/complex.hpp>
#include <string_view>
#include <vector>

#include "blas/reference.hpp"

namespace hilo::blas {

/// x[i] += Σ line_k[i] · scalar_k for i < n, k = 0 … count − 1 in increasing order. Words of a line lie `pitch` doubles
/// apart, lines as many times that as they have words; a scalar's words side by side.
struct LineProducts {
  std::int64_t n, count;
  const double* lines;
  const double* scalars;
  double* x;
  std::int64_t pitch;
};

/// What one instruction set offers.
struct KernelSet {
  std::string_view target;  ///< Highway's name
  bool has_fma;
  /// By whether the scalar is the first factor of a product, and by whether elements are complex. Where an entry is not
  /// finite it is left as it was, and the first such i given back; n where there is none.
  using AddProducts = std::int64_t (*)(const LineProducts& p);
  AddProducts fma[2][2], split[2][2];  ///< fma is empty where has_fma is false
  /// x[i] = x[i] / d, i < n, words `pitch` apart.
  void (*divide)(std::int64_t n, double* x, std::int64_t pitch, const Divisor<dd_real>& d);
  void (*divide_complex)(std::int64_t n, double* x, std::int64_t pitch, const Divisor<dd_complex>& d);
};

/// The set of that name, or the best this CPU can run for an empty one. Throws unsupported, naming those that exist.
const KernelSet& kernel_set(std::string_view target);

}  // namespace hilo::blas
