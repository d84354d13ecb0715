#include "stream/device_columns.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hilo::stream {

HostMatrix DeviceColumns::all() {
  // By columns, one row too: of complex products it has a say in the bits.
  const std::int64_t leading = std::max<std::int64_t>(matrix_.rows, 2);
  return {nullptr, matrix_.rows, matrix_.columns, 1, leading, false, element_bytes_, true, this};
}

// A block's window of the matrix, by the number of its first column (DealtStorage), and what it is packed.
struct DeviceColumns::Window {
  std::array<cl::size_type, 3> origin, region;
  cl::size_type pitch;
};

DeviceColumns::Window DeviceColumns::window(const HostMatrix& block) const {
  const auto bytes = [&](std::int64_t elements) { return static_cast<cl::size_type>(elements * element_bytes_); };
  return {{bytes(block.row), static_cast<cl::size_type>(block.column), 0},
          {bytes(block.rows), static_cast<cl::size_type>(block.columns), 1},
          bytes(matrix_.column_stride)};
}

cl::Event DeviceColumns::send(Lanes& lanes, const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready) {
  const Window w = window(from);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event sent;
  lanes.in.enqueueCopyBufferRect(matrix_.buffer, to, w.origin, {0, 0, 0}, w.region, w.pitch, 0, w.region[0], 0, &wait,
                                 &sent);
  lanes.in.flush();
  return sent;
}

cl::Event DeviceColumns::fetch(Lanes& lanes, const cl::Buffer& from, const HostMatrix& to, const cl::Event& ready) {
  const Window w = window(to);
  const std::vector<cl::Event> wait = {ready};
  cl::Event fetched;
  lanes.out.enqueueCopyBufferRect(from, matrix_.buffer, {0, 0, 0}, w.origin, w.region, w.region[0], 0, w.pitch, 0,
                                  &wait, &fetched);
  lanes.out.flush();
  return fetched;
}

}  // namespace hilo::stream
