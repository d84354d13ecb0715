#include "cli/model/blocks.hpp"

#include <algorithm>

namespace hilo::cli {
namespace {

std::vector<WordBlocks> word_blocks(const model::Device& d) {
  std::vector<WordBlocks> all;
  for (const Precision p : {Precision::s, Precision::d}) {
    const double gflops = p == Precision::s ? d.gflops_s : d.gflops_d;
    if (gflops == 0.0) continue;
    auto least = [&](double gbytes) { return gbytes > 0.0 ? model::least_block(gflops, word_bytes(p), gbytes) : 0; };
    all.push_back(
        {p, gflops, model::block_bandwidth(gflops, word_bytes(p), 1), least(d.cache_gbytes), least(d.memory_gbytes)});
  }
  return all;
}

std::vector<TileBlocks> tile_blocks(const model::Device& d) {
  const bool is_known = d.file.registers && d.shared_bytes && d.most_threads && d.group_threads && d.gflops_s > 0.0;
  if (!is_known) return {};
  constexpr int word = word_bytes(Precision::s);
  const model::Multiprocessor multiprocessor{d.file, d.shared_bytes, d.most_threads};
  std::vector<TileBlocks> all;
  for (const model::LoadMix& load : d.loads) {
    const model::TiledKernel kernel{d.group_threads, d.group_depth, std::max(word / d.register_bytes, 1), load.words,
                                    d.address_registers};
    const int block = model::largest_block(kernel, multiprocessor, word);
    if (block == 0) continue;
    const std::int64_t edge = model::tile_edge(kernel, block);
    const double part = model::attainable_part(block, load.words, load.throughput);
    all.push_back({load.name, block, model::block_registers(kernel, block), edge,
                   model::tile_bytes(kernel, block, word), model::running_groups(kernel, multiprocessor, block, word),
                   model::multiply_add_share(block, load.words), part, part * d.gflops_s,
                   model::tile_memory_roof(edge, word, d.memory_gbytes)});
  }
  return all;
}

}  // namespace

ModelBlocks model_blocks(const model::Device& d) {
  ModelBlocks blocks{word_blocks(d), {}, {}, tile_blocks(d), {}};
  for (const int registers : d.kernel_registers) {
    if (d.file.registers) blocks.threads.push_back({registers, model::running_threads(d.file, registers)});
  }
  for (const model::OperationCount& c : d.double_double) {
    if (d.double_gops == 0.0) break;
    blocks.double_double.push_back({c.name, model::operation_peak(d.double_gops, c.additions, c.multiplications)});
  }
  for (const model::Pattern& p : d.patterns) {
    if (d.gflops_s == 0.0) break;
    blocks.patterns.push_back(
        {p.name, p.issue, model::pattern_peak(d.gflops_s, d.multiply_add_cycles, p.steps, p.issue)});
  }
  return blocks;
}

}  // namespace hilo::cli
