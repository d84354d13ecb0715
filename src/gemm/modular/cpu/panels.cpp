#include "gemm/modular/cpu/panels.hpp"

#include <utility>

namespace hilo::modular {

Panels choose_panels(const PanelProblem& problem, std::int64_t bytes, std::int64_t depth) {
  Panels panels{{problem.lines[0], problem.lines[1]}, std::min(problem.terms, depth), problem.moduli, 0, {0, 0}};
  // With fewer lines each packed byte would be read about once.
  constexpr std::int64_t most_tile_lines = 512;
  bool packs = problem.packs && std::min(problem.lines[0], problem.lines[1]) > most_tile_lines;
  auto set_tiles = [&] {
    // Sums of a tile, 1 MiB, stay in the second-level cache, or a quarter of them beside lines that are packed.
    const std::int64_t tile_lines[2] = {most_tile_lines, packs ? 128 : most_tile_lines};
    // Whole cache lines of columns, or all of them: a tile's last block may reach past its end.
    for (int i = 0; i < 2; ++i) panels.tile[i] = std::min(panels.lines[i], tile_lines[i]);
    // A tile for each thread.
    auto tiles = [&] {
      auto count = [&](int i) { return (panels.lines[i] + panels.tile[i] - 1) / panels.tile[i]; };
      return count(0) * count(1);
    };
    while (tiles() * panels.chunk < 2 * problem.threads && panels.tile[0] * panels.tile[1] > 128 * 128) {
      int longer = panels.tile[0] > panels.tile[1] ? 0 : 1;
      panels.tile[longer] = padded((panels.tile[longer] + 1) / 2);
    }
    // Some tiles for each thread between two times that all wait for each other.
    constexpr std::int64_t tiles_of_thread = 4;
    const std::int64_t wanted = (tiles_of_thread * problem.threads + tiles() - 1) / tiles();
    panels.packed = packs ? static_cast<int>(std::min<std::int64_t>(wanted, panels.chunk)) : 0;
  };
  // Cuts what costs least to cut: fewer lines at a time keep the other operand's residues; below a thousand lines
  // the residues cost more than chunks of moduli, which scale entries again.
  std::int64_t parts[2] = {1, 1};
  auto cut_lines = [&](int i, std::int64_t least) {
    if (panels.lines[i] <= least) return false;
    parts[i] += 1;
    std::int64_t lines = padded((problem.lines[i] + parts[i] - 1) / parts[i]);
    panels.lines[i] = std::min(std::max(least, lines), panels.lines[i]);
    return true;
  };
  auto halve = [](auto& x, auto least) {
    if (x <= least) return false;
    x = std::max<std::remove_reference_t<decltype(x)>>(least, (x + 1) / 2);
    return true;
  };
  for (set_tiles(); panels.bytes(problem) > bytes; set_tiles()) {
    if (cut_lines(0, 640) || cut_lines(1, 1024)) continue;
    if (halve(panels.chunk, 4)) continue;
    if (halve(panels.depth, std::int64_t{1024})) continue;
    int longer = panels.lines[0] > panels.lines[1] ? 0 : 1;
    if (cut_lines(longer, 64)) continue;
    if (std::exchange(packs, false)) continue;
    if (halve(panels.chunk, 1) || halve(panels.depth, std::int64_t{64})) continue;
    if (halve(panels.lines[0], std::int64_t{1}) || halve(panels.depth, std::int64_t{1})) continue;
    break;
  }
  return panels;
}

std::int64_t default_workspace(std::int64_t operand_bytes) { return std::max(std::int64_t{1} << 28, operand_bytes); }

}  // namespace hilo::modular
