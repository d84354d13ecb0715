// Every key that a tile may have.
#pragma once

#include <vector>

#include "gemm/direct/tile_table.hpp"

namespace hilo::test {

inline std::vector<direct::TileKey> all_keys() {
  std::vector<direct::TileKey> keys;
  for (Precision p : {Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}) {
    for (int bits = 0; bits < 4; ++bits) {
      for (direct::SizeClass size : {direct::SizeClass::small, direct::SizeClass::medium, direct::SizeClass::large}) {
        keys.push_back({p, bits / 2 == 1, bits % 2 == 1, size});
      }
    }
  }
  return keys;
}

}  // namespace hilo::test
