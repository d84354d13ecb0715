// What becomes of GemmOptions::workspace_bytes below the least that a product needs.
#pragma once

#include <cstdint>

namespace hilo {

enum class SmallWorkspace : std::uint8_t {
  refused,
  raised  ///< to the least: of a product inside a routine, which has written some of its results by then
};

}  // namespace hilo
