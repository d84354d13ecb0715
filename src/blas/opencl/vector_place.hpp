// Vectors where routines run on a device: element by element, and sums with the host's bits.
#pragma once

#include "blas/opencl/place.hpp"

namespace hilo::blas {

/// BufferVector without the elements' type.
struct DeviceVector {
  cl::Buffer buffer;
  std::int64_t offset, size, stride;
};
inline opencl::vector_view view_of(const DeviceVector& x) { return {x.offset, x.stride}; }

class VectorPlace : public DevicePlace {
 public:
  using DevicePlace::DevicePlace;

  void axpy(const dd_complex& alpha, const DeviceVector& x, const DeviceVector& y);
  /// x = alpha · x, of which nothing is read where alpha = 0.
  void scale(const dd_complex& alpha, const DeviceVector& x);
  void copy(const DeviceVector& x, const DeviceVector& y);
  void exchange(const DeviceVector& x, const DeviceVector& y);
  void rotate(const dd_real& c, const dd_complex& s, const DeviceVector& x, const DeviceVector& y);

  /// What is summed; the numbers are those of kernels/blas/vector_sums.cl.
  enum class Terms : std::uint8_t { conjugate_products, products, squares, magnitudes, scaled_squares };
  /// Σ over x and y, or x alone; scaled_squares are of x · 2^exponent. Waits for it.
  dd_complex sum(Terms terms, const DeviceVector& x, const DeviceVector& y, int exponent = 0);

  struct Largest {
    std::int64_t index;  ///< -1 of none
    dd_real magnitude;
  };
  /// The first element of largest |Re| + |Im|, or, by_parts, of max(|Re|, |Im|); the first NaN where there is one.
  /// Waits for it.
  Largest largest(const DeviceVector& x, bool by_parts);

 private:
  template <class... Numbers>
  void for_elements(const char* name, const DeviceVector& x, const DeviceVector* y, bool sets_zero,
                    const Numbers&... numbers);
  /// Numbers of the precision's parts, and what they are in memory.
  dd_real part_of(const std::byte* words) const;
  std::int64_t part_bytes() const { return word_bytes(precision()) * (is_double_double(precision()) ? 2 : 1); }
};

}  // namespace hilo::blas
