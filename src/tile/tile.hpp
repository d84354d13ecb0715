// Tiles: how a kernel of products is cut. Nothing here can change a bit of a result in DD or ZDD.
#pragma once

#include <array>
#include <cstring>
#include <hilo/complex.hpp>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <string>

#include "tile/parameters.hpp"

namespace hilo::tile {

/// What a number of a product is to the kernels: a ZDD product is one in DD.
struct NumberKind {
  Precision precision;

  constexpr bool is_double_double() const { return precision == Precision::dd || precision == Precision::zdd; }
  constexpr bool is_complex() const { return precision == Precision::c || precision == Precision::z; }
  constexpr int word_bytes() const { return precision == Precision::s || precision == Precision::c ? 4 : 8; }
  constexpr int words() const { return is_double_double() || is_complex() ? 2 : 1; }
  constexpr int bytes() const { return words() * word_bytes(); }
};

/// A number of S, D, C or Z as a kernel takes it.
struct NumberArgument {
  std::array<std::byte, 16> bytes{};
  std::size_t size = 0;

  NumberArgument(NumberKind kind, const dd_complex& x) {
    auto put = [&](auto word) {
      std::memcpy(bytes.data() + size, &word, sizeof word);
      size += sizeof word;
    };
    for (double part : {x.re.hi, x.im.hi}) {
      if (size > 0 && !kind.is_complex()) break;
      if (kind.word_bytes() == 4) {
        put(static_cast<float>(part));
      } else {
        put(part);
      }
    }
  }
};

/// What the kernel has of local memory at the most.
constexpr int local_bytes(const Tile& t, NumberKind kind) {
  const int pad = kind.is_double_double() ? 0 : kind.bytes() == 4 ? 4 : 32 / kind.bytes();
  const int tiles = t.stages * t.depth * (t.panel_rows() + t.panel_columns() + 2 * pad);
  return kind.bytes() * (tiles + (t.local_chunks ? t.panel_rows() * t.panel_columns() : 0)) +
         (t.copies == Copies::bulk ? 8 * t.stages : 0);
}

/// Whether the kernels take the parameters for numbers of that kind.
bool is_valid(const Tile& tile, NumberKind kind);

std::string to_string(const Tile& tile);

}  // namespace hilo::tile
