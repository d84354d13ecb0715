#include "stream/passed_blocks.hpp"

namespace hilo::stream {

PassedBlocks::PassedBlocks(const Context& context, std::int64_t rows, std::int64_t columns, std::int64_t element_bytes)
    : rows_(rows),
      columns_(columns),
      element_bytes_(element_bytes),
      memory_(context, nullptr, count * rows * columns, element_bytes) {}

HostMatrix PassedBlocks::place(int block) const {
  auto* data = static_cast<std::byte*>(memory_.data()) + block % count * rows_ * columns_ * element_bytes_;
  return {data, rows_, columns_, 1, rows_, false, element_bytes_, true};
}

}  // namespace hilo::stream
