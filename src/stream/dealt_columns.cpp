#include "stream/dealt_columns.hpp"

#include <algorithm>

#include "blas/triangular.hpp"

namespace hilo::stream {
namespace {

// Of columns that a device factors by itself, and below which there are too few to gain by several, for each of them.
constexpr std::int64_t blocks_together = 8, least_blocks = 32;

}  // namespace

DealtColumns::DealtColumns(std::int64_t columns, std::int64_t block, std::int64_t most_columns, int devices)
    : columns_(static_cast<std::size_t>(devices)) {
  halve(0, columns, block, most_columns);
  std::int64_t number = 0;
  for (Block& b : blocks_) {
    b.device = static_cast<int>(number++ % devices);
    std::int64_t& dealt = columns_[static_cast<std::size_t>(b.device)];
    b.at = dealt;
    dealt += b.columns;
  }
}

void DealtColumns::halve(std::int64_t first, std::int64_t columns, std::int64_t block, std::int64_t most_columns) {
  if (columns <= most_columns) {
    blocks_.push_back({first, columns, 0, 0});
    return;
  }
  const std::int64_t h = blas::half(columns, block);
  halve(first, h, block, most_columns);
  halve(first + h, columns - h, block, most_columns);
}

int DealtColumns::block_of(std::int64_t first, std::int64_t columns) const {
  const auto found = std::ranges::lower_bound(blocks_, first, {}, &Block::first);
  const bool is_one = found != blocks_.end() && found->first == first && found->columns == columns;
  return is_one ? static_cast<int>(found - blocks_.begin()) : -1;
}

std::size_t DealtColumns::number_at(std::int64_t column) const {
  const auto after = std::ranges::upper_bound(blocks_, column, {}, &Block::first);
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::int64_t DealtColumns::widest() const { return std::ranges::max(blocks_, {}, &Block::columns).columns; }

std::vector<DealtColumns::Run> DealtColumns::runs(int device) const {
  std::vector<Run> runs;
  const std::int64_t all = blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().columns;
  for (const Block& b : blocks_) {
    if (b.device != device) continue;
    Run* last = runs.empty() ? nullptr : &runs.back();
    const std::int64_t apart = !last ? 0 : last->count == 1 ? b.first - last->first : last->apart;
    if (last && last->columns == b.columns && b.first == last->first + last->count * apart && b.first + apart <= all) {
      last->apart = apart;
      ++last->count;
    } else {
      runs.push_back({b.first, b.at, b.columns, 1, 0});
    }
  }
  return runs;
}

std::vector<DealtColumns::Segment> DealtColumns::segments(int device, std::int64_t first, std::int64_t end) const {
  std::vector<Segment> segments;
  for (const Block& b : blocks_) {
    const std::int64_t begin = std::max(b.first, first), last = std::min(b.first + b.columns, end);
    if (b.device == device && begin < last) segments.push_back({begin, b.at + begin - b.first, last - begin});
  }
  return segments;
}

std::int64_t DealtColumns::columns_of(const std::vector<Segment>& segments) {
  std::int64_t columns = 0;
  for (const Segment& s : segments) columns += s.columns;
  return columns;
}

DealtColumns blocks_of(std::int64_t columns, std::int64_t block, std::size_t devices) {
  return {columns, block, blocks_together * block, static_cast<int>(devices)};
}

std::optional<DealtColumns> deal(std::int64_t columns, std::int64_t block, std::size_t devices) {
  if (columns < least_blocks * block * static_cast<std::int64_t>(devices)) return std::nullopt;
  return blocks_of(columns, block, devices);
}

}  // namespace hilo::stream
