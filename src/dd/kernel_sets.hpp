// The kernels of those instruction sets that this CPU can run. Included after Highway.
#pragma once

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hilo::detail {

/// What the functions in a dispatch table of Highway's return, one for each instruction set, best first. The last needs
/// nothing beyond the build's baseline.
template <class Set, std::size_t size>
std::vector<const Set*> supported_kernel_sets(const Set* (*const (&table)[size])()) {
  // Where only one is compiled.
  if constexpr (size == 1) {
    return {table[0]()};
  } else {
    std::vector<const Set*> found;
    // Lower bits are better targets.
    for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
      hwy::ChosenTarget one;
      one.Update(rest & -rest);
      found.push_back(table[one.GetIndex()]());
    }
    return found;
  }
}

}  // namespace hilo::detail
