// Where factorisations run on a device.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "blas/opencl/place.hpp"
#include "lapack/opencl/joint_panels.hpp"
#include "opencl/pinned.hpp"

namespace hilo::lapack {

class DevicePlace : public blas::DevicePlace {
 public:
  using blas::DevicePlace::DevicePlace;
  /// Room for the pivots of a factorisation of so many columns, or those of one, counted from 1.
  void make_pivots(std::int64_t count);
  void set_pivots(std::span<const std::int64_t> pivots);

  /// Known only at the end: what follows is of no particular value then.
  bool has_failed() const { return false; }

  void lu_panel(const Matrix& a, std::int64_t first);
  /// How panels are tried in one launch. Without this: what the device is known to run at a time, and the columns that
  /// its local memory holds.
  void set_limits(const JointPanels::Limits& limits) { panels_.set_limits(limits); }
  void cholesky_block(const Matrix& a, std::int64_t first);
  /// Of columns that are factored the last rows, so many, are elsewhere: products of the others are parts of those with
  /// them, as they are chosen on a device.
  void count_rows_elsewhere(std::int64_t rows, opencl::ContextState& device) {
    rows_elsewhere_ = rows;
    chooser_ = &device;
  }
  /// multiply() of all rows below a triangle of the factored columns.
  void multiply_below(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                      const Matrix& c);
  void move_rows(const Matrix& b, std::int64_t first, std::int64_t count);
  void move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count);

  /// Some of the pivots, counted from 1, by a queue of their own: on return they are there.
  void put_pivots(const cl::CommandQueue& queue, std::int64_t first, std::span<const std::int64_t> pivots);
  /// What result() tells, with so many pivots, once the factorisation's last command is done: begins to read it, before
  /// what follows, which goes on beside it; and waits until it is there. Panels come before or after both.
  void ask_for_result(const cl::Event& done, std::int64_t pivots);
  std::int64_t hear_result(std::span<std::int64_t> pivots);

  /// Waits for all commands: the info of the factorisation, and its pivots.
  std::int64_t result(std::span<std::int64_t> pivots);

 private:
  // The work-items of a group that any device of the kind takes: of GPUs other than NVIDIA's many take 256.
  std::int64_t large_group();
  void move(const Matrix& b, std::int64_t first, std::int64_t count, bool back);
  void move_listed(const Matrix& b, const opencl::move_arguments& arguments);
  void move_in_turns(const Matrix& b, const opencl::Workspace& moves, std::int64_t count);
  opencl::BorrowedKernel moves_kernel(const char* name, std::int64_t items, std::int64_t together,
                                      std::int64_t rows = 1);
  cl::Buffer info();

  // A panel's columns that one launch takes.
  struct Slice {
    std::int64_t group_rows, groups, width;
  };
  std::optional<Slice> slice_of(std::int64_t rows);
  // False where the device's compiler does not take the kernel.
  bool panel_at_once(const Slice& slice, const Matrix& a, std::int64_t first, bool is_open);
  void panel_by_columns(const Matrix& a, std::int64_t first, bool is_open);
  void make_room(std::int64_t groups);
  void make_room_for_tagged(std::int64_t groups);
  void subtract_open(const Matrix& a, const Matrix& b, const Matrix& c);

  std::int64_t pivot_count_ = 0, room_ = 0, shown_room_ = 0;  // room: for what so many work-groups publish
  std::int64_t rows_elsewhere_ = 0;
  opencl::ContextState* chooser_ = nullptr;
  JointPanels panels_;
  cl::Buffer pivots_, info_, published_, keys_, shown_, heads_;
  // Of a result that was asked for what is on its way.
  struct Asked {
    std::optional<opencl::Pinned> given_up;
    opencl::Pinned info;
    std::vector<opencl::Pinned> pivots;
  };
  Asked asked_;
};

}  // namespace hilo::lapack
