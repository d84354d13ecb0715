// Every key that a tile may have.
#pragma once

#include <vector>

#include "tile/table.hpp"

namespace hilo::test {

inline std::vector<tile::TileKey> all_keys() {
  std::vector<tile::TileKey> keys;
  for (Precision p : {Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}) {
    for (int bits = 0; bits < 4; ++bits) {
      for (tile::SizeClass size : {tile::SizeClass::small, tile::SizeClass::medium, tile::SizeClass::large}) {
        keys.push_back({p, bits / 2 == 1, bits % 2 == 1, size});
      }
    }
  }
  return keys;
}

}  // namespace hilo::test
