// Where QR runs on a device.
#pragma once

#include <limits>
#include <optional>

#include "blas/opencl/place.hpp"
#include "lapack/opencl/joint_panels.hpp"
#include "lapack/qr.hpp"

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
  /// How panels are tried in one launch. Without this: what the device is known to run at a time, and 64 columns.
  void set_limits(const JointPanels::Limits& limits) { panels_.set_limits(limits); }
  /// Reflectors from which on V and T are written out with their zeros, as three products without triangles take less
  /// time then; from which on T of both halves is made so. In DD and ZDD as on the host, for its bits.
  std::int64_t written_reflectors() const { return is_double_double(precision()) ? many_reflectors : block(); }
  std::int64_t written_triangles() const {
    return is_double_double(precision()) ? std::numeric_limits<std::int64_t>::max() : block();
  }
  void reflector_triangle(const Matrix& v, std::int64_t first, const Matrix& t);

  void subtract(const Matrix& a, const Matrix& b);
  void set_identity(const Matrix& a, std::int64_t first);
  /// Waits for all commands.
  std::int64_t first_zero(const Matrix& a);

 private:
  // Work-groups of a chunk of rows, and columns with which each of them sums.
  struct Split {
    std::int64_t groups, columns;
  };
  std::optional<Split> split_of(std::int64_t rows);
  // False where the device's compiler does not take the kernel.
  bool panel_at_once(const Split& split, const Matrix& a, std::int64_t first, const Matrix& t);
  void panel_by_columns(const Matrix& a, std::int64_t first, const Matrix& t);
  void make_work(std::int64_t elements);
  void make_room_for_tagged(std::int64_t words);

  std::int64_t count_ = 0, work_room_ = 0, shown_room_ = 0;
  JointPanels panels_;
  cl::Buffer tau_, work_, shown_;
};

}  // namespace hilo::lapack
