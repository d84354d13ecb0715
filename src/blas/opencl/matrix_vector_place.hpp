// A matrix and vectors where routines run on a device.
#pragma once

#include "blas/opencl/vector_place.hpp"

namespace hilo::blas {

class MatrixVectorPlace : public VectorPlace {
 public:
  using VectorPlace::VectorPlace;

  /// What of a matrix is there; the numbers are those of kernels/blas/row_sums.cl.
  enum class Shape : std::uint8_t { general, lower, upper, symmetric_lower, hermitian_lower };

  /// y = alpha · A · x + beta · y; y may not share elements with A or x, but that of a triangle may be x.
  void multiply(Shape shape, Diag diag, const dd_complex& alpha, const DeviceView& a, const DeviceVector& x,
                const dd_complex& beta, const DeviceVector& y);
  /// x = A · x, A a triangle.
  void multiply_triangle(Uplo uplo, Diag diag, const DeviceView& a, const DeviceVector& x);
  /// x = A⁻¹ · x, A a triangle.
  void solve(Uplo uplo, Diag diag, const DeviceView& a, const DeviceVector& x);

  /// What is added to A, or to a triangle of it: alpha · x · yᵀ or alpha · x · yᴴ, and, where there are two, alpha · y
  /// · xᵀ or conj(alpha) · y · xᴴ; of Hermitian ones the diagonal becomes real.
  struct Update {
    enum class Part : std::uint8_t { all, lower, upper } part;
    bool conjugates, has_two, is_hermitian;
  };
  void update(const Update& update, const dd_complex& alpha, const DeviceVector& x, const DeviceVector& y,
              const DeviceView& a);

 private:
  /// Chunks of a symmetric or Hermitian matrix, where that can be done by reading its triangle once.
  bool sum_symmetric(Shape shape, const DeviceView& a, const DeviceVector& x, const cl::Buffer& sums,
                     const opencl::row_arguments& arguments);
  std::int64_t chunk_terms() const { return is_complex(precision()) ? 32 : 64; }
};

}  // namespace hilo::blas
