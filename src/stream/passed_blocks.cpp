#include "stream/passed_blocks.hpp"

#include <algorithm>
#include <utility>

#include "opencl/native.hpp"
#include "stream/devices.hpp"

namespace hilo::stream {
namespace {

std::vector<std::vector<opencl::PeerMemory>> peer_memories(const DeviceGroup& group, const DealtColumns& deal,
                                                           const HostMatrix& shape) {
  std::vector<opencl::ContextState*> contexts;
  for (const opencl::QueueState* device : devices_of(group)) contexts.push_back(device->context.get());
  static_assert(PassedBlocks::pieces <= PassedBlocks::parts - PassedBlocks::short_parts);
  std::int64_t of_parts[PassedBlocks::parts] = {};
  for (const DealtColumns::Block& b : deal.blocks()) {
    for (int part = 0; part < PassedBlocks::parts; ++part) {
      of_parts[part] = std::max(of_parts[part], PassedBlocks::part_rows(part, b, shape.rows).count * b.columns);
    }
  }
  std::vector<std::vector<opencl::PeerMemory>> memories(contexts.size());
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::int64_t of_piece = PassedBlocks::piece_rows(shape, deal) * deal.columns_of(static_cast<int>(i));
    for (int j = 0; j < PassedBlocks::places * PassedBlocks::parts; ++j) {
      const int part = j % PassedBlocks::parts;
      const std::int64_t elements =
          std::max({of_parts[part], part < PassedBlocks::short_parts ? 0 : of_piece, std::int64_t{1}});
      auto memory = opencl::PeerMemory::make(contexts, i, elements * shape.element_bytes, j > 0);
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

PassedBlocks::Rows PassedBlocks::part_rows(int part, const DealtColumns::Block& block, std::int64_t rows) {
  const std::int64_t columns = std::max<std::int64_t>(block.columns, 1), after = block.first + 3 * columns;
  const auto next = [](std::int64_t row, std::int64_t of) { return (row / of + 1) * of; };
  const std::int64_t few = 4 * columns, many = round_up(hilo::blocks(rows, parts - short_parts), few);
  std::int64_t ends[parts + 1] = {block.first, block.first + 2 * columns, after, next(after, few)};
  for (int i = short_parts; i < parts; ++i) ends[i + 1] = next(ends[i], many);
  const std::int64_t first = std::min(ends[part], rows);
  return {first, std::min(ends[part + 1], rows) - first};
}

std::int64_t PassedBlocks::piece_rows(const HostMatrix& shape, const DealtColumns& deal) {
  std::int64_t most = 0;
  for (int device = 0; device < deal.devices(); ++device) most = std::max(most, deal.columns_of(device));
  const std::int64_t of_part = shape.rows * deal.widest() / (parts - short_parts) / most,
                     of_block = shape.rows * deal.widest() / shape.columns;
  return std::max<std::int64_t>(std::min(of_part, of_block), 1);
}

PassedBlocks::PassedBlocks(const DeviceGroup& devices, const HostMatrix& shape, const DealtColumns& deal)
    : shape_(shape), deal_(deal), memories_(peer_memories(devices, deal, shape)) {
  if (is_on_devices()) return;
  const std::int64_t elements = std::max(shape.rows * deal.widest(), shape.columns);
  host_.emplace(devices.queue(0).context(), nullptr, blocks() * elements, shape.element_bytes);
}

std::int64_t PassedBlocks::bytes_on(int device) const {
  if (!is_on_devices()) return 0;
  std::int64_t bytes = 0;
  for (const opencl::PeerMemory& memory : memories_[static_cast<std::size_t>(device)]) bytes += memory.bytes();
  return bytes;
}

PassedBlock PassedBlocks::on_device(const opencl::PeerMemory& memory, int device, std::int64_t rows,
                                    std::int64_t columns, std::int64_t pitch) const {
  HostMatrix shape = shape_;
  shape.rows = rows;
  shape.columns = columns;
  return {shape, memory.in(static_cast<std::size_t>(device)), 0, pitch};
}

PassedBlock PassedBlocks::on_host(int place, std::int64_t first, std::int64_t rows, std::int64_t columns,
                                  std::int64_t pitch) const {
  const std::int64_t of_place = host_->bytes() / blocks();
  std::byte* data = static_cast<std::byte*>(host_->data()) + place * of_place + first * shape_.element_bytes;
  return {{data, rows, columns, 1, pitch, false, shape_.element_bytes, true}};
}

PassedBlock PassedBlocks::part(int block, int number, int device) const {
  const DealtColumns::Block& b = deal_.blocks()[static_cast<std::size_t>(block)];
  const Rows rows = part_rows(number, b, shape_.rows);
  if (!is_on_devices()) {
    return on_host(block % blocks(), (rows.first - b.first) * b.columns, rows.count, b.columns, rows.count);
  }
  const int place = block / devices() % places;
  const auto at = static_cast<std::size_t>(place * parts + number);
  return on_device(memories_[static_cast<std::size_t>(b.device)][at], device, rows.count, b.columns, rows.count);
}

PassedBlock PassedBlocks::piece(int number, std::int64_t rows, int owner, int device) const {
  const std::int64_t columns = deal_.columns_of(owner);
  if (is_on_devices()) {
    const auto at = static_cast<std::size_t>(short_parts + number % pieces);
    return on_device(memories_[static_cast<std::size_t>(owner)][at], device, rows, columns, piece_rows(shape_, deal_));
  }
  // Pieces of fewer rows, too, have each device's columns where those of others have them.
  std::int64_t before = 0;
  for (int d = 0; d < owner; ++d) before += deal_.columns_of(d);
  const std::int64_t pitch = piece_rows(shape_, deal_);
  return on_host(number % pieces, before * pitch, rows, columns, pitch);
}

}  // namespace hilo::stream
