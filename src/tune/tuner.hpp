// The search for the fastest tile of a device: `hilo tune`. docs/tuning.md says how it goes.
#pragma once

#include <functional>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tile/table.hpp"

namespace hilo::tune {

/// A tile that was tried.
struct Measurement {
  tile::Tile tile;
  double gflops = 0.0;    ///< 0 where it failed
  std::string failure;    ///< why it does not build or run, or how its products are wrong; empty where they are right
  bool may_pass = false;  ///< the failure: memory ended or the device failed, for which the tile need not be to blame
};

/// What was tried on a device with these kernels, in this process and in others before: $HILO_TUNING.progress, or
/// beside the file in use, a JSON object a line. Lines that are none count as absent.
class TuningLog {
 public:
  explicit TuningLog(const DeviceInfo& device);

  /// Of that key, for n × n matrices.
  std::vector<Measurement> find(const tile::TileKey& key, std::int64_t n) const;
  /// The size that was measured last.
  std::optional<std::int64_t> size(const tile::TileKey& key) const;
  /// Before a trial: a tile that twice ends the process, or with it the device's work, has failed. Throws io.
  void begin(const tile::TileKey& key, std::int64_t n, const tile::Tile& tile);
  /// After it. A failure that may pass is not remembered. Throws io.
  void add(const tile::TileKey& key, std::int64_t n, const Measurement& measurement);

 private:
  struct Line {
    tile::TileKey key;
    std::int64_t n;
    Measurement measurement;
  };
  void write(const Line& line, bool is_begun);

  DeviceInfo device_;
  std::string kernels_;
  std::vector<Line> lines_;
};

struct TuneOptions {
  double seconds;                                      ///< from the call on; what is under way at the end is finished
  std::function<bool()> stops = [] { return false; };  ///< asked before each trial
  std::function<void(const Measurement& last, const Measurement& best)> reports = [](const auto&, const auto&) {};
  std::vector<tile::Tile> candidates = {};  ///< these and no others
  std::int64_t n = 0;                       ///< 0: by the size class, and smaller where a run takes long
};

struct TuneResult {
  tile::TileKey key;
  std::int64_t n;                         ///< of the n × n matrices that were timed
  Measurement before;                     ///< what tile_for said; gflops is 0 where it was not tried
  std::optional<Measurement> best;        ///< none where nothing was tried, or nothing was right
  std::vector<Measurement> measurements;  ///< all that is known of the key, with what earlier runs found
  int tried = 0;                          ///< in this call
};

/// Tries tiles one after the other: what is used now, tiles that were the best somewhere, and then what differs from
/// the best so far in one respect, until none is left or the time is over. A tile is timed only when its products are
/// right, and only such a tile can be the best; at the end the first few are timed again, in turn. Throws
/// invalid_argument for a queue without profiling, unsupported for a precision that the device does not have,
/// out_of_memory, io, and device_failure where the device does not work any more; what was found until then is in the
/// log.
TuneResult tune(Queue& queue, const tile::TileKey& key, const TuneOptions& options, TuningLog& log);

/// The same without a device: how a tile's products are found right or wrong, and timed.
struct TrialFunctions {
  std::function<std::string(const tile::Tile&)> find_error;  ///< empty where there is none
  std::function<double(const tile::Tile&)> seconds;
  double operations;
};
Measurement measure(const TrialFunctions& trial, const tile::Tile& tile, double best_gflops);

/// The keys that a device can be tuned for: S and C, the others with double precision; DD and ZDD once a size.
std::vector<tile::TileKey> keys_of(const DeviceInfo& device);

}  // namespace hilo::tune
