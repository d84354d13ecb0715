// A tile on a device: whether its products are right, and how long they take.
#pragma once

#include <hilo/device.hpp>
#include <memory>
#include <string>

#include "tile/table.hpp"

namespace hilo::tune {

/// Products of n × n matrices on a device, as a tile is chosen for them.
class Trial {
 public:
  virtual ~Trial() = default;
  /// As that of trial_product.hpp, on the device.
  virtual std::string find_error(const tile::Tile& tile) = 0;
  /// The product that is timed, once, its result checked: S, D, C and Z all of it, by a product with a vector of
  /// integers, DD and ZDD an entry of each panel or so.
  virtual std::string find_error_of_timed(const tile::Tile& tile) = 0;
  /// Device time of one run.
  virtual double seconds(const tile::Tile& tile) = 0;
  /// Operations of a run: 2n³, complex 8n³.
  virtual double operations() const = 0;
};

/// n is rounded up to a multiple of 16. Throws out_of_memory.
std::unique_ptr<Trial> make_trial(Queue& queue, const tile::TileKey& key, std::int64_t n);

}  // namespace hilo::tune
