#include "tile/run.hpp"

#include <algorithm>

namespace hilo::tile {
namespace {

// A type of OpenCL C of as many bytes as so many numbers. Of doubles where they are that: NVIDIA's compiler makes
// shorter programs of integers than of floats, and longer ones than of doubles.
std::string chunk_of(NumberKind kind, int run) {
  const int bytes = run * kind.bytes(), word_bytes = bytes == 128 ? 8 : kind.word_bytes();
  const std::string word = word_bytes == 8 ? "double" : "uint";
  return bytes == word_bytes ? word : word + std::to_string(bytes / word_bytes);
}

}  // namespace

std::int64_t default_workspace(const DeviceInfo& device) {
  // A CPU's memory is everybody's.
  const std::int64_t least = std::int64_t{1} << 30;
  const std::int64_t share = device.type == DeviceType::cpu ? least : std::max(least, device.global_memory / 16);
  return std::min({share, device.global_memory / 4, device.max_allocation});
}

std::string number_options(NumberKind kind, int lanes, bool fma) {
  using opencl::define;
  std::string options = define("HILO_LANES", lanes) + define("NUMBER_BYTES", kind.bytes()) +
                        define("IS_DOUBLE_DOUBLE", kind.is_double_double());
  if (kind.is_double_double()) {
    return options + define("HILO_FMA", fma) + define("IS_COMPLEX", kind.precision == Precision::zdd);
  }
  return options + " -DWORD=" + (kind.word_bytes() == 4 ? "float" : "double") +
         define("WORD_BYTES", kind.word_bytes()) + define("IS_COMPLEX", kind.is_complex());
}

std::string tile_options(const Tile& t, NumberKind kind) {
  std::string options = " -DROW_CHUNK=" + chunk_of(kind, t.row_run) +
                        " -DCOLUMN_CHUNK=" + chunk_of(kind, t.column_run) +
                        " -DUNIT_ITEMS=" + (t.has_matrix_unit() ? "32" : "1");
  for (const Parameter& p : parameters) {
    if (*p.macro) options += opencl::define(p.macro, p.member.of(t));
  }
  return options;
}

}  // namespace hilo::tile
