// Matrices in host memory, as they go to devices; and those in a device's, as its products in panels take them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "matrix/arguments.hpp"
#include "matrix/device_product.hpp"
#include "opencl/staging.hpp"

namespace hilo::stream {

class DeviceColumns;
class Sender;

/// A matrix in host memory, without its elements' type; op(X) of it, as a product takes it. Or a block of one in a
/// device's memory, which does not move.
struct HostMatrix {
  std::byte* data;  ///< element (0, 0)
  std::int64_t rows, columns, row_stride, column_stride;
  bool conjugate;
  std::int64_t element_bytes;
  bool is_pinned;
  DeviceColumns* resident = nullptr;  ///< where it is in a device's memory: data is null
  Sender* sender = nullptr;           ///< who sends its blocks: data is that of the whole
  std::int64_t row = 0, column = 0;   ///< of the block, where either is somebody

  bool operator==(const HostMatrix&) const = default;

  /// Whether its lines are columns.
  bool by_columns() const { return row_stride == 1 && !(rows == 1 && column_stride == 1); }
  HostMatrix sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const;
  /// Of one in host memory.
  opencl::HostLines lines() const;
  /// The same packed on a device, line by line from the beginning of a buffer.
  DeviceView on_device(const cl::Buffer& buffer) const;
};

HostMatrix host_matrix(const void* data, const ViewLines& lines, std::int64_t element_bytes);

}  // namespace hilo::stream
