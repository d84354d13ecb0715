#include "stream/passed_blocks.hpp"

namespace hilo::stream {

PassedBlocks::PassedBlocks(const Context& context, std::int64_t elements, std::int64_t element_bytes)
    : elements_(elements), element_bytes_(element_bytes), memory_(context, nullptr, count * elements, element_bytes) {}

HostMatrix PassedBlocks::place(int block, std::int64_t rows, std::int64_t columns) const {
  std::byte* data = static_cast<std::byte*>(memory_.data()) + block % count * elements_ * element_bytes_;
  return {data, rows, columns, 1, rows, false, element_bytes_, true};
}

}  // namespace hilo::stream
