// Products by tiles: how they are cut, what their programs are built with, their run with the first tile that the
// device takes, and what it gives back.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "opencl/native.hpp"
#include "tile/batch_tile.hpp"
#include "tile/table.hpp"

namespace hilo::tile {

/// For the tuner and the tests; by default a device's own.
struct Choice {
  std::optional<Tile> tile = {};
  std::optional<std::int64_t> workspace = {};
  std::optional<bool> is_small = {};    ///< DD and ZDD: by one launch (kernels/direct/small_product.cl)
  std::optional<BatchTile> batch = {};  ///< a batch by one launch (kernels/batch/multiply.cl)
};

/// How a product is cut, in GemmPlan's words.
struct Form {
  std::int64_t micro_rows, micro_columns;  ///< of a work-item
  std::int64_t tile_rows, tile_columns;    ///< of a work-group
  std::int64_t depth, workspace_bytes;
};

/// The event of the whole product, and where the count of recomputed entries waits for who wants it.
struct Run {
  Event event;
  opencl::Workspace recomputed;  ///< cl_uint counters to add; no buffer where no entry can be
  std::int64_t counters = 1;
};

/// What packed operands and sums take on a device where nobody says: 1 GiB, on a GPU a sixteenth of its memory where
/// that is more; no more than a quarter of it, or its largest allocation.
std::int64_t default_workspace(const DeviceInfo& device);

/// The text of the kernel that multiplies panels.
constexpr const char* multiply_text = "product/multiply.cl";

/// -D options that say what a number is, and those of a tile.
std::string number_options(NumberKind kind, int lanes, bool fma);
std::string tile_options(const Tile& tile, NumberKind kind);

/// The device does not launch a tile's kernel for want of resources.
class LaunchRefusal : public cl::Error {
 public:
  using cl::Error::Error;
};

/// launch(), by which a tile's kernel is made, or launched for the first time in a product, before anything is written
/// to C. Throws LaunchRefusal where the kernel wants more than the device has, twice, else what launch throws.
template <class Launch>
auto first_launch(Launch launch) {
  auto is_wanting = [](const cl::Error& failure) {
    return failure.err() == CL_OUT_OF_RESOURCES || failure.err() == CL_INVALID_WORK_GROUP_SIZE ||
           failure.err() == CL_INVALID_WORK_ITEM_SIZE;
  };
  try {
    return launch();
  } catch (const cl::Error& failure) {
    if (!is_wanting(failure)) throw;
  }
  try {
    return launch();
  } catch (const cl::Error& failure) {
    if (!is_wanting(failure)) throw;
    throw LaunchRefusal(failure.err(), failure.what());
  }
}

/// run(tile). Where the tile does not build or is not launched, run() with the next of tiles_for, and so on. Where one
/// works those before it are refused (tile/table.hpp), but not for what may pass: resources that were wanting, a build
/// that was interrupted. Throws what run throws for the last one, and other errors.
template <class Run>
auto run_with_tile(const DeviceInfo& device, const TileKey& key, Tile tile, Run run) {
  struct Failed {
    Tile tile;
    std::string why;
  };
  std::vector<Failed> failed;
  std::optional<std::vector<Tile>> others;
  auto is_last = [&] {
    if (!others) {
      others = tiles_for(device, key);
      // Refused by another thread meanwhile, it is none of them.
      const auto found = std::find(others->begin(), others->end(), tile);
      if (found != others->end()) others->erase(others->begin(), found + 1);
    }
    return others->empty();
  };
  for (;;) {
    std::string why;
    // Memory may have ended in the first launch that needs it: the tile may be taken another time.
    bool is_for_good = true;
    try {
      auto result = run(tile);
      for (const Failed& f : failed) refuse_tile(device, key, f.tile, f.why);
      return result;
    } catch (const opencl::InterruptedBuild& failure) {
      if (is_last()) throw;
      is_for_good = false;
    } catch (const error& failure) {
      if (failure.code() != errc::build_failure || is_last()) throw;
      why = failure.what();
    } catch (const LaunchRefusal& failure) {
      if (is_last()) throw;
      is_for_good = failure.err() != CL_OUT_OF_RESOURCES;
      why = std::string(failure.what()) + " returned " + opencl::status_name(failure.err());
    }
    if (is_for_good) failed.push_back({tile, why});
    tile = others->front();
    others->erase(others->begin());
  }
}

}  // namespace hilo::tile
