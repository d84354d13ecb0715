// What `hilo tune` found, as text and as JSON.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <iosfwd>
#include <string>
#include <vector>

#include "tune/tuner.hpp"

namespace hilo::cli {

struct TuneReport {
  DeviceInfo device;
  std::string file;  ///< where the tiles are kept
  double seconds;    ///< that it took
  bool is_interrupted;
  std::vector<tune::TuneResult> results;
  std::vector<std::string> ignored;  ///< of the files
};

/// "sgemm NT large"; DD and ZDD without the transposes, as they are the same.
std::string head(const tile::TileKey& key);

void print_table(std::ostream& out, const TuneReport& report);
void print_json(std::ostream& out, const TuneReport& report);

}  // namespace hilo::cli
