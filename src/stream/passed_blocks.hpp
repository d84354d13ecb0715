// Pinned host memory through which blocks of a matrix go from the device that has them to the others, a few at a time.
#pragma once

#include <hilo/device.hpp>

#include "stream/host_matrix.hpp"

namespace hilo::stream {

class PassedBlocks {
 public:
  /// Blocks that have a place at a time: while one is read, its device has the next ones to bring.
  static constexpr int count = 4;

  /// Of blocks of so many elements at most. Throws out_of_memory.
  PassedBlocks(const Context& context, std::int64_t elements, std::int64_t element_bytes);

  /// A block where it is on its way, in the place of the `count`-th before it; columns contiguous.
  HostMatrix place(int block, std::int64_t rows, std::int64_t columns) const;

 private:
  std::int64_t elements_, element_bytes_;
  detail::HostMemory memory_;
};

}  // namespace hilo::stream
