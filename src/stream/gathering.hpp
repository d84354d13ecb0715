// All columns of a group's matrix in the memory of some of its devices, rows after rows.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "stream/board.hpp"
#include "stream/carrier.hpp"
#include "stream/device_columns.hpp"
#include "stream/group_matrix.hpp"

namespace hilo::stream {

/// What it has begun has ended when it is destroyed.
class Gathering {
 public:
  /// For the devices that want it, with all its memory. Throws out_of_memory.
  Gathering(GroupMatrixState& matrix, const std::vector<bool>& wants_all);
  ~Gathering();

  /// Bytes of a device's memory that it takes.
  static std::int64_t bytes(const GroupMatrixState& matrix);

  /// On threads of its own, while somebody else computes with what is there.
  void begin();
  /// Returns when all is there. Throws what has failed.
  void finish();

  /// Where it is on a device that wants it; and as a product takes it there, which waits for the rows that it needs, or
  /// throws Board::Stopped where they will not come.
  const DeviceView& matrix(int device) const;
  HostMatrix operand(int device);

  /// Of a device, once it has finished.
  Traffic traffic(int device) const;

 private:
  class Member;
  class Rows;

  Member& member(int device) const { return *members_[static_cast<std::size_t>(device)]; }

  GroupMatrixState& state_;
  const std::int64_t piece_rows_;
  const int pieces_;
  Board passed_, arrived_;  // by piece and device
  std::vector<std::unique_ptr<Member>> members_;
  std::future<void> running_;
};

}  // namespace hilo::stream
