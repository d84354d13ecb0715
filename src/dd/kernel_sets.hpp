// The kernels of those instruction sets that this CPU can run. Included after Highway.
#pragma once

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <hilo/error.hpp>
#include <string>
#include <string_view>
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

/// The set of that name, or the first for an empty one. Throws unsupported, naming those that exist.
template <class Set>
const Set& kernel_set_of_name(const std::vector<const Set*>& sets, std::string_view target) {
  if (target.empty()) return *sets.front();
  std::string names;
  for (const Set* set : sets) {
    if (set->target == target) return *set;
    names += (names.empty() ? "" : ", ") + std::string(set->target);
  }
  throw error(errc::unsupported, "options.target = \"" + std::string(target) +
                                     "\" is not an instruction set of this CPU and build: " + names);
}

}  // namespace hilo::detail
