#include "stream/device_columns.hpp"

#include <algorithm>

#include "opencl/native.hpp"

namespace hilo::stream {

HostMatrix DeviceColumns::all() {
  // By columns, one row too: of complex products it has a say in the bits.
  const std::int64_t leading = std::max<std::int64_t>(matrix_.rows, 2);
  return {nullptr, matrix_.rows, matrix_.columns, 1, leading, false, element_bytes_, true, this};
}

DeviceView DeviceColumns::view(const HostMatrix& block) const {
  return {opencl::copied(matrix_.buffer),
          matrix_.offset + block.row + block.column * matrix_.column_stride,
          block.rows,
          block.columns,
          1,
          matrix_.column_stride,
          block.conjugate};
}

}  // namespace hilo::stream
