// A product with the tile that a table has for it, and with the default where the device does not take that one.
#pragma once

#include <string>

#include "gemm/direct/tile_table.hpp"
#include "opencl/native.hpp"

namespace hilo::direct {

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

/// run(tile) for tile_for's tile. Where that does not build or is not launched, run(tile) for default_tile, and where
/// this works the former is refused (tile_table.hpp), but not for what may pass: resources that were wanting, a build
/// that was interrupted. Throws what run throws for the default, and other errors.
template <class Run>
auto run_with_tile(const DeviceInfo& device, const TileKey& key, Run run) {
  const OpenclTile tile = tile_for(device, key);
  auto is_default = [&] { return tile == default_tile(device, key); };
  std::string why;
  // Memory may have ended in the first launch that needs it: the tile may be taken another time.
  bool is_for_good = true;
  try {
    return run(tile);
  } catch (const opencl::InterruptedBuild& failure) {
    if (is_default()) throw;
    is_for_good = false;
    why = failure.what();
  } catch (const error& failure) {
    if (failure.code() != errc::build_failure || is_default()) throw;
    why = failure.what();
  } catch (const LaunchRefusal& failure) {
    if (is_default()) throw;
    is_for_good = failure.err() != CL_OUT_OF_RESOURCES;
    why = std::string(failure.what()) + " returned " + opencl::status_name(failure.err());
  }
  auto result = run(default_tile(device, key));
  if (is_for_good) refuse_tile(device, key, tile, why);
  return result;
}

}  // namespace hilo::direct
