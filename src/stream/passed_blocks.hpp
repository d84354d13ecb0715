// Pinned host memory through which blocks of columns go from the device that has them to the others, a few at a time.
#pragma once

#include <hilo/device.hpp>

#include "stream/host_matrix.hpp"

namespace hilo::stream {

class PassedBlocks {
 public:
  /// Blocks that have a place at a time: while one is read, its device has the next ones to bring.
  static constexpr int count = 4;

  /// Of blocks of so many columns at most. Throws out_of_memory.
  PassedBlocks(const Context& context, std::int64_t rows, std::int64_t columns, std::int64_t element_bytes);

  /// Where a block is, which is that of the `count`-th before it: so many rows and columns, from its first column on.
  HostMatrix place(int block) const;

 private:
  std::int64_t rows_, columns_, element_bytes_;
  detail::HostMemory memory_;
};

}  // namespace hilo::stream
