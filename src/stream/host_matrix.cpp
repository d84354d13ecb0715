#include "stream/host_matrix.hpp"

#include "opencl/host_memory.hpp"
#include "opencl/settled.hpp"

namespace hilo::stream {

HostMatrix HostMatrix::sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
  HostMatrix x = *this;
  if (resident || sender) {
    x.row += i;
    x.column += j;
  } else {
    x.data += (i * row_stride + j * column_stride) * element_bytes;
  }
  x.rows = block_rows;
  x.columns = block_columns;
  return x;
}

opencl::HostLines HostMatrix::lines() const {
  return {static_cast<std::size_t>((by_columns() ? rows : columns) * element_bytes),
          static_cast<std::size_t>(by_columns() ? columns : rows),
          static_cast<std::size_t>((by_columns() ? column_stride : row_stride) * element_bytes)};
}

DeviceView HostMatrix::on_device(const cl::Buffer& buffer) const {
  return {opencl::copied(buffer), 0, rows, columns, by_columns() ? 1 : columns, by_columns() ? rows : 1, conjugate};
}

HostMatrix host_matrix(const void* data, const ViewLines& x, std::int64_t element_bytes) {
  HostMatrix matrix{static_cast<std::byte*>(const_cast<void*>(data)),
                    x.rows,
                    x.columns,
                    row_stride_of(x),
                    x.column_stride,
                    x.conjugate,
                    element_bytes,
                    false};
  if (x.rows > 0 && x.columns > 0) {
    const opencl::HostLines lines = matrix.lines();
    matrix.is_pinned = opencl::is_pinned(data, lines.pitch * (lines.lines - 1) + lines.line_bytes);
  }
  return matrix;
}

}  // namespace hilo::stream
