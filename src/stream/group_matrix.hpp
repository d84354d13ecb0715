// What a matrix in the memories of a group's devices is made of.
#pragma once

#include <hilo/device_group.hpp>
#include <optional>
#include <vector>

#include "matrix/device_product.hpp"
#include "stream/dealt_columns.hpp"
#include "stream/host_matrix.hpp"
#include "stream/multiply.hpp"
#include "stream/passed_blocks.hpp"

namespace hilo::stream {

struct GroupMatrixState {
  /// block_given: of a factorisation's options, or 0. Throws invalid_argument, overflow and out_of_memory.
  GroupMatrixState(const DeviceGroup& group, Precision elements, std::int64_t rows, std::int64_t columns,
                   std::int64_t block_given);

  Devices queues() const;
  bool is_empty() const { return shape.rows == 0 || shape.columns == 0; }
  /// So many bytes of a device's memory, with what passed() has of it.
  std::int64_t bytes_on(int device) const {
    return memory[static_cast<std::size_t>(device)].bytes() + (passed_ ? passed_->bytes_on(device) : 0);
  }
  /// Memory by which devices tell each other of columns, made when it is first asked for; none of one device.
  const PassedBlocks* passed();

  /// All of it from host memory, or to it, which has its sizes and is not empty; by all devices at a time. has_begun:
  /// what is written may have changed.
  void write(const HostMatrix& from, bool& has_begun);
  void read(const HostMatrix& to, bool& has_begun) const;

  const DeviceGroup devices;
  const Precision precision;
  const std::int64_t block;
  const HostMatrix shape;  ///< without data
  const DealtColumns deal;
  std::vector<detail::Memory> memory;
  std::vector<DeviceView> own;  ///< of each device its columns, side by side

 private:
  std::optional<PassedBlocks> passed_;
};

}  // namespace hilo::stream
