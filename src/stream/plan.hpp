// How a product of matrices in host memory goes through a device in panels: the panels, by what they are expected to
// take.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "stream/schedule.hpp"

namespace hilo::stream {

/// Bytes of device memory and seconds of panels with so many lines.
struct PanelCost {
  std::int64_t slot_bytes[2];  ///< a place for a panel of A, and of B
  std::int64_t working_bytes;  ///< all besides
  std::int64_t largest_buffer;
  double prepare_seconds[2];         ///< of a panel
  double pair_seconds;               ///< of the largest panels
  std::int64_t padding[2] = {1, 1};  ///< lines that panels are padded to a multiple of, and take the time of
};

/// A product and its way: what the choice of panels depends on.
struct PlanRequest {
  std::int64_t m, n, k, element_bytes;
  bool takes_c;
  std::optional<Uplo> triangle;  ///< of C that is wanted alone, as Cut::of_triangle() has it
  bool passes_through;           ///< whether places of panels are free once these are prepared
  std::int64_t device_bytes;     ///< at most
  std::int64_t buffer_bytes;     ///< at most, of one buffer
  std::int64_t unit;             ///< panels have a multiple of so many lines, but for the last
  double bytes_per_second_in, bytes_per_second_out;
  bool cuts_lines[2];      ///< whether a panel has part of each line of an operand in host memory, or whole lines
  double command_seconds;  ///< what a panel's commands take however small it is
  std::function<PanelCost(const Cut&, int spare, int levels)> cost;
  double share_in[2] = {1.0, 1.0};  ///< of the time that an operand's bytes would take, as they come another way
  /// Of an operand's bytes at most so many come from other devices between two products; 0: there is no such limit.
  std::int64_t bytes_between[2] = {0, 0};
  std::function<std::vector<int>(const Cut&)> levels = nullptr;  ///< that its panels can have; null: 0 alone
  int wanted_levels = 0;  ///< or fewer where no panels can have them; 0: those that take the least time
};

struct Plan {
  Cut cut;
  int slots[2];
  std::vector<Pair> order;
  int levels;      ///< of Strassen's algorithm, in products of panels
  int spare;       ///< places for panels that pass through, and for panels of C: 1 where memory has no room for more
  double seconds;  ///< expected
};

/// The expected seconds of steps from the first byte sent to the last one returned.
double expected_seconds(const PlanRequest& request, const Cut& cut, int spare, const PanelCost& cost,
                        const std::vector<Step>& steps);

/// None where even the smallest panels do not fit; least_bytes is what those take.
std::optional<Plan> choose_panels(const PlanRequest& request, std::int64_t& least_bytes);

}  // namespace hilo::stream
