// What the papers' models tell of a device's registers, tiles and patterns: `hilo model --blocking`.
#pragma once

#include <hilo/model.hpp>
#include <string>
#include <vector>

namespace hilo::cli {

/// Blocks of b × b entries in registers, as Nakasato has them.
struct WordBlocks {
  Precision precision;                    ///< s or d
  double gflops;                          ///< the device's peak
  double gbytes;                          ///< 10^9 bytes a second that b = 1 asks for; others ask for 1/b of it
  int least_for_cache, least_for_memory;  ///< the least b that they feed; 0: not known
};

struct ThreadCount {
  int registers;         ///< of a thread
  std::int64_t threads;  ///< that run at once
};

struct DoubleDoublePeak {
  std::string name;
  double gflops;
};

/// Tiles in shared memory of single precision, as Lai and Seznec have them; with the largest block in registers.
struct TileBlocks {
  std::string loads;
  int block;
  std::int64_t registers, edge, bytes;
  std::int64_t groups;  ///< on a multiprocessor at once
  double share;         ///< of multiply-adds among instructions
  double attainable;    ///< of the peak
  double gflops;        ///< the same in GFlop/s
  double memory_gflops;
};

/// As Chien has them.
struct PatternPeak {
  std::string name;
  model::Issue issue;
  double gflops;
};

/// Lists are empty where nothing is known of the device.
struct ModelBlocks {
  std::vector<WordBlocks> words;
  std::vector<ThreadCount> threads;
  std::vector<DoubleDoublePeak> double_double;
  std::vector<TileBlocks> tiles;
  std::vector<PatternPeak> patterns;
};

ModelBlocks model_blocks(const model::Device& device);

}  // namespace hilo::cli
