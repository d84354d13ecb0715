#include "stream/dealt_storage.hpp"

#include <algorithm>
#include <array>

#include "matrix/sizes.hpp"

namespace hilo::stream {
namespace {

// Lines begin at whole memory sectors.
constexpr std::int64_t line_bytes = 512;

std::int64_t pitch(std::int64_t length, std::int64_t element_bytes) {
  return round_up(length * element_bytes, line_bytes) / element_bytes;
}

}  // namespace

std::int64_t DealtStorage::elements(const HostMatrix& like, std::int64_t rows, std::int64_t columns) {
  return like.by_columns() ? pitch(rows, like.element_bytes) * columns : pitch(columns, like.element_bytes) * rows;
}

DealtStorage::DealtStorage(Lanes& lanes, const HostMatrix& like, std::int64_t rows, std::int64_t columns)
    : lanes_(lanes), element_bytes_(like.element_bytes) {
  opencl::ContextState& context = *lanes.compute.context;
  const std::int64_t bytes = std::max<std::int64_t>(elements(like, rows, columns), 1) * element_bytes_;
  memory_ = context.workspaces.borrow(context, lanes.compute.queue, false, bytes, "columns of a group's matrix");
  if (memory_.busy()()) memory_.busy().wait();
  matrix_ = lay(memory_.buffer(), like, rows, columns);
}

DeviceView DealtStorage::lay(const cl::Buffer& buffer, const HostMatrix& like, std::int64_t rows,
                             std::int64_t columns) {
  const bool by_columns = like.by_columns();
  return {opencl::copied(buffer),
          0,
          rows,
          columns,
          by_columns ? 1 : pitch(columns, like.element_bytes),
          by_columns ? pitch(rows, like.element_bytes) : 1,
          like.conjugate};
}

DealtStorage::~DealtStorage() {
  if (memory_.buffer()()) memory_.release(lanes_.compute.queue, {});
}

// Lines before the block by their number: drivers have lost what lies 4 GiB from the beginning by bytes, and what went
// to overlapping sub-buffers.
struct DealtStorage::Window {
  std::array<cl::size_type, 3> origin, region;
  cl::size_type pitch, host_pitch, slice = 0;
};

DealtStorage::Window DealtStorage::window(const HostMatrix& block, std::int64_t row, std::int64_t column) const {
  const bool by_columns = matrix_.row_stride == 1;
  const auto bytes = [&](std::int64_t elements) { return static_cast<cl::size_type>(elements * element_bytes_); };
  const std::int64_t line = by_columns ? block.rows : block.columns, lines = by_columns ? block.columns : block.rows;
  return {{bytes(by_columns ? row : column), static_cast<cl::size_type>(by_columns ? column : row), 0},
          {bytes(line), static_cast<cl::size_type>(lines), 1},
          bytes(by_columns ? matrix_.column_stride : matrix_.row_stride),
          bytes(lines == 1   ? line
                : by_columns ? block.column_stride
                             : block.row_stride)};
}

DealtStorage::Window DealtStorage::window(const PassedBlock& block) const {
  const auto bytes = [&](std::int64_t elements) { return static_cast<cl::size_type>(elements * element_bytes_); };
  // A single row, whose elements lie side by side there as here.
  if (matrix_.row_stride != 1) return {{bytes(block.column), 0, 0}, {bytes(block.host.columns), 1, 1}, 0, 0};
  return {{0, static_cast<cl::size_type>(block.column), 0},
          {bytes(block.host.rows), static_cast<cl::size_type>(block.host.columns), 1},
          bytes(block.pitch),
          0};
}

cl::Event DealtStorage::send(const HostMatrix& from, std::int64_t row, std::int64_t column, const cl::Event& ready) {
  const Window w = window(from, row, column);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event sent;
  lanes_.in.enqueueWriteBufferRect(matrix_.buffer, CL_FALSE, w.origin, {0, 0, 0}, w.region, w.pitch, 0, w.host_pitch, 0,
                                   from.data, &wait, &sent);
  lanes_.in.flush();
  return sent;
}

void DealtStorage::cut(Window& there, Window& here, const Runs& runs) const {
  if (runs.count == 1) return;
  const auto count = static_cast<cl::size_type>(runs.count), apart = static_cast<cl::size_type>(runs.apart);
  if (matrix_.row_stride != 1) {
    here.region = {here.region[0] / count, count, 1};
    there.pitch = here.region[0];
    here.pitch = apart * static_cast<cl::size_type>(element_bytes_);
  } else {
    here.region = {here.region[0], here.region[1] / count, count};
    there.slice = there.pitch * here.region[1];
    here.slice = here.pitch * apart;
  }
}

cl::Event DealtStorage::copy(const cl::Buffer& from, Window there, Window here, const cl::Event& ready,
                             const Runs& runs) {
  cut(there, here, runs);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event copied;
  lanes_.in.enqueueCopyBufferRect(from, matrix_.buffer, there.origin, here.origin, here.region, there.pitch,
                                  there.slice, here.pitch, here.slice, &wait, &copied);
  lanes_.in.flush();
  return copied;
}

cl::Event DealtStorage::copy(const DealtStorage& from, std::int64_t row, std::int64_t from_column, std::int64_t rows,
                             std::int64_t columns, std::int64_t column, const Runs& runs) {
  const HostMatrix block{nullptr, rows, columns, 1, rows, false, element_bytes_, true};
  return copy(from.matrix_.buffer, from.window(block, row, from_column), window(block, row, column), {}, runs);
}

cl::Event DealtStorage::fetch(std::int64_t row, std::int64_t column, const HostMatrix& to, const cl::Event& ready) {
  const Window w = window(to, row, column);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event fetched;
  lanes_.out.enqueueReadBufferRect(matrix_.buffer, CL_FALSE, w.origin, {0, 0, 0}, w.region, w.pitch, 0, w.host_pitch, 0,
                                   to.data, &wait, &fetched);
  lanes_.out.flush();
  return fetched;
}

cl::Event DealtStorage::send(const PassedBlock& from, std::int64_t row, std::int64_t column, const cl::Event& ready,
                             const Runs& runs) {
  Window here = window(from.host, row, column);
  if (from.memory()) return copy(from.memory, window(from), here, ready, runs);
  Window there{{0, 0, 0}, here.region, here.host_pitch, 0};
  cut(there, here, runs);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event sent;
  lanes_.in.enqueueWriteBufferRect(matrix_.buffer, CL_FALSE, here.origin, there.origin, here.region, here.pitch,
                                   here.slice, there.pitch, there.slice, from.host.data, &wait, &sent);
  lanes_.in.flush();
  return sent;
}

cl::Event DealtStorage::fetch(std::int64_t row, std::int64_t column, const PassedBlock& to, const cl::Event& ready) {
  if (!to.memory()) return fetch(row, column, to.host, ready);
  const Window here = window(to.host, row, column), there = window(to);
  std::vector<cl::Event> wait;
  if (ready()) wait.push_back(ready);
  cl::Event fetched;
  lanes_.out.enqueueCopyBufferRect(matrix_.buffer, to.memory, here.origin, there.origin, here.region, here.pitch, 0,
                                   there.pitch, 0, &wait, &fetched);
  lanes_.out.flush();
  return fetched;
}

}  // namespace hilo::stream
