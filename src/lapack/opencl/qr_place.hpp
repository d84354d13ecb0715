// Where QR runs on a device.
#pragma once

#include "blas/opencl/place.hpp"

namespace hilo::lapack {

class QrDevicePlace : public blas::DevicePlace {
 public:
  using blas::DevicePlace::DevicePlace;

  /// Room for the factors tau of a matrix, or those of one, `count` numbers of the place's precision.
  void make_tau(std::int64_t count);
  void set_tau(const void* tau, std::int64_t count);
  /// Waits for all commands.
  void read_tau(void* tau, std::int64_t count);

  void qr_panel(const Matrix& a, std::int64_t first, const Matrix& t);
  void reflector_triangle(const Matrix& v, std::int64_t first, const Matrix& t);

  void copy(const Matrix& from, const Matrix& to);
  void copy_trapezoid(Uplo uplo, Diag diag, const Matrix& from, const Matrix& to);
  void subtract(const Matrix& a, const Matrix& b);
  void set_identity(const Matrix& a, std::int64_t first);
  /// Waits for all commands.
  std::int64_t first_zero(const Matrix& a);

 private:
  void make_work(std::int64_t elements, std::int64_t marks);
  opencl::copy_arguments copy_of(const Matrix& from, const Matrix& to, std::int64_t first) const;

  cl::Buffer tau_, work_, marks_;
  std::int64_t work_room_ = 0, marks_room_ = 0;
};

}  // namespace hilo::lapack
