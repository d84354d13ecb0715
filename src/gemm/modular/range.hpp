// A part of an operand or of the moduli.
#pragma once

#include <cstdint>

namespace hilo::modular {

/// Neighbouring lines, terms or moduli.
struct Range {
  std::int64_t first = -1, count = 0;
  bool operator==(const Range&) const = default;
};

}  // namespace hilo::modular
