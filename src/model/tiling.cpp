// Lai and Seznec's bounds: the blocks that registers and shared memory have room for, and the part of the peak that the
// instructions around multiply-adds leave.
#include <algorithm>
#include <cmath>
#include <hilo/model.hpp>

namespace hilo::model {

std::int64_t tile_edge(const TiledKernel& kernel, int block) {
  return std::int64_t{std::lround(std::sqrt(kernel.threads))} * block;
}

std::int64_t block_registers(const TiledKernel& kernel, int block) {
  const std::int64_t tiles = 2 * tile_edge(kernel, block) * kernel.depth, b = block;
  const std::int64_t words = b * b + b + kernel.load_words + (tiles + kernel.threads - 1) / kernel.threads;
  return words * kernel.word_registers + kernel.address_registers;
}

std::int64_t tile_bytes(const TiledKernel& kernel, int block, int word_bytes) {
  return 2 * tile_edge(kernel, block) * kernel.depth * word_bytes;
}

int largest_block(const TiledKernel& kernel, const Multiprocessor& multiprocessor, int word_bytes) {
  int block = 0;
  while (running_groups(kernel, multiprocessor, block + 1, word_bytes) > 0) ++block;
  return block;
}

std::int64_t running_groups(const TiledKernel& kernel, const Multiprocessor& multiprocessor, int block,
                            int word_bytes) {
  const std::int64_t registers = block_registers(kernel, block);
  if (registers > multiprocessor.file.most) return 0;
  const std::int64_t by_registers = running_threads(multiprocessor.file, static_cast<int>(registers)) / kernel.threads;
  const std::int64_t by_threads = multiprocessor.most_threads / kernel.threads;
  const std::int64_t by_memory = multiprocessor.shared_bytes / tile_bytes(kernel, block, word_bytes);
  return std::min({by_registers, by_threads, by_memory});
}

double multiply_add_share(int block, int load_words) {
  const double multiply_adds = static_cast<double>(block) * block;
  return multiply_adds / (multiply_adds + 2.0 * block / load_words);
}

double attainable_part(int block, int load_words, double throughput) {
  return multiply_add_share(block, load_words) * throughput;
}

double tile_memory_roof(std::int64_t tile_edge, int word_bytes, double bandwidth) {
  return static_cast<double>(tile_edge) / word_bytes * bandwidth;
}

}  // namespace hilo::model
