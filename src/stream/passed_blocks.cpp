#include "stream/passed_blocks.hpp"

#include <algorithm>
#include <utility>

#include "opencl/native.hpp"
#include "stream/devices.hpp"

namespace hilo::stream {
namespace {

std::vector<std::vector<opencl::PeerMemory>> peer_memories(const DeviceGroup& group, const DealtColumns& deal,
                                                           const HostMatrix& shape, int places) {
  std::vector<opencl::ContextState*> contexts;
  for (const opencl::QueueState* device : devices_of(group)) contexts.push_back(device->context.get());
  const std::int64_t of_part = PassedBlocks::part_columns(deal.widest()) * shape.rows;
  static_assert(PassedBlocks::pieces <= PassedBlocks::parts);
  std::vector<std::vector<opencl::PeerMemory>> memories(contexts.size());
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::int64_t of_piece = PassedBlocks::piece_rows(shape, deal) * deal.columns_of(static_cast<int>(i));
    for (int j = 0; j < places * PassedBlocks::parts; ++j) {
      auto memory = opencl::PeerMemory::make(contexts, i, std::max(of_part, of_piece) * shape.element_bytes, j > 0);
      if (!memory) return {};
      memories[i].push_back(std::move(*memory));
    }
  }
  return memories;
}

}  // namespace

PassedBlock PassedBlock::columns(std::int64_t first, std::int64_t count) const {
  PassedBlock x = *this;
  if (!memory()) x.host = host.sub(0, first, host.rows, count);
  x.host.columns = count;
  x.column += first;
  return x;
}

std::int64_t PassedBlocks::piece_rows(const HostMatrix& shape, const DealtColumns& deal) {
  std::int64_t most = 0;
  for (int device = 0; device < deal.devices(); ++device) most = std::max(most, deal.columns_of(device));
  const std::int64_t of_part = shape.rows * part_columns(deal.widest()) / most,
                     of_block = shape.rows * deal.widest() / shape.columns;
  return std::max<std::int64_t>(std::min(of_part, of_block), 1);
}

PassedBlocks::PassedBlocks(const DeviceGroup& devices, const HostMatrix& shape, const DealtColumns& deal)
    : shape_(shape),
      deal_(deal),
      places_(static_cast<int>(hilo::blocks(pieces, devices.size()))),
      memories_(peer_memories(devices, deal, shape, places_)) {
  if (is_on_devices()) return;
  const std::int64_t elements = std::max(shape.rows * deal.widest(), shape.columns);
  host_.emplace(devices.queue(0).context(), nullptr, pieces * elements, shape.element_bytes);
}

std::int64_t PassedBlocks::bytes_on(int device) const {
  if (!is_on_devices()) return 0;
  const auto& its = memories_[static_cast<std::size_t>(device)];
  return std::ssize(its) * its.front().bytes();
}

PassedBlock PassedBlocks::on_device(const opencl::PeerMemory& memory, int device, std::int64_t rows,
                                    std::int64_t columns, std::int64_t pitch) const {
  HostMatrix shape = shape_;
  shape.rows = rows;
  shape.columns = columns;
  return {shape, memory.in(static_cast<std::size_t>(device)), 0, pitch};
}

PassedBlock PassedBlocks::on_host(int place, std::int64_t column, std::int64_t rows, std::int64_t columns,
                                  std::int64_t pitch) const {
  const std::int64_t of_place = host_->bytes() / pieces;
  std::byte* data = static_cast<std::byte*>(host_->data()) + place * of_place + column * pitch * shape_.element_bytes;
  return {{data, rows, columns, 1, pitch, false, shape_.element_bytes, true}};
}

PassedBlock PassedBlocks::part(int block, int number, int device) const {
  const DealtColumns::Block& b = deal_.blocks()[static_cast<std::size_t>(block)];
  const std::int64_t width = part_columns(b.columns), column = number * width, rows = shape_.rows - b.first,
                     columns = std::min(width, b.columns - column);
  if (!is_on_devices()) return on_host(block % pieces, column, rows, columns, rows);
  const int place = block / devices() % places_;
  const auto at = static_cast<std::size_t>(place * parts + number);
  return on_device(memories_[static_cast<std::size_t>(b.device)][at], device, rows, columns, shape_.rows);
}

PassedBlock PassedBlocks::piece(int number, std::int64_t rows, int owner, int device) const {
  const std::int64_t columns = deal_.columns_of(owner);
  if (is_on_devices()) {
    const auto at = static_cast<std::size_t>(number % pieces);
    return on_device(memories_[static_cast<std::size_t>(owner)][at], device, rows, columns, piece_rows(shape_, deal_));
  }
  // Pieces of fewer rows, too, have each device's columns where those of others have them.
  std::int64_t before = 0;
  for (int d = 0; d < owner; ++d) before += deal_.columns_of(d);
  return on_host(number % pieces, before, rows, columns, piece_rows(shape_, deal_));
}

}  // namespace hilo::stream
