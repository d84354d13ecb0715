#include "gemm/modular/cpu/panels.hpp"

#include <utility>

namespace hilo::modular {

namespace {

constexpr std::int64_t most_tile_lines = 512;

// With so many levels: the panels that need at most `bytes`, or the smallest there are.
Panels cut(const PanelProblem& problem, std::int64_t bytes, std::int64_t depth, int levels) {
  Panels panels{{problem.lines[0], problem.lines[1]},
                std::min(problem.terms, depth),
                problem.moduli,
                levels,
                problem.packs,
                {0, 0}};
  auto set_tiles = [&] {
    // Sums of a tile, 1 MiB, stay in the second-level cache; where operands are packed its rows do, of up to 4096
    // terms, and up to 2048 the next tile's as well.
    const bool has_long_rows = panels.packs && block_terms(panels.depth, levels) > 1024;
    const std::int64_t tile_lines[2] = {has_long_rows ? most_tile_lines / 2 : most_tile_lines,
                                        panels.packs ? 128 : most_tile_lines};
    const std::int64_t lines[2] = {block_lines(panels.lines[0], levels), block_lines(panels.lines[1], levels)};
    // Whole cache lines of columns, or all of them: a tile's last block may reach past its end.
    for (int i = 0; i < 2; ++i) panels.tile[i] = std::min(lines[i], tile_lines[i]);
    // A tile for each thread.
    auto tiles = [&] { return blocks(lines[0], panels.tile[0]) * blocks(lines[1], panels.tile[1]); };
    while (tiles() * panels.chunk < 2 * problem.threads && panels.tile[0] * panels.tile[1] > 128 * 128) {
      int longer = panels.tile[0] > panels.tile[1] ? 0 : 1;
      panels.tile[longer] = padded((panels.tile[longer] + 1) / 2);
    }
  };
  // Cuts what costs least to cut: fewer lines at a time keep the other operand's residues; below a thousand lines
  // the residues cost more than chunks of moduli, which scale entries again.
  std::int64_t parts[2] = {1, 1};
  const std::int64_t tiled = block_grid(levels) * most_tile_lines;  // blocks of whole tiles
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
    if (cut_lines(0, std::max<std::int64_t>(640, tiled)) || cut_lines(1, std::max<std::int64_t>(1024, tiled))) continue;
    if (halve(panels.chunk, 4)) continue;
    if (halve(panels.depth, std::int64_t{1024})) continue;
    int longer = panels.lines[0] > panels.lines[1] ? 0 : 1;
    if (cut_lines(longer, 64)) continue;
    if (std::exchange(panels.packs, false)) continue;
    if (halve(panels.chunk, 1) || halve(panels.depth, std::int64_t{64})) continue;
    if (halve(panels.lines[0], std::int64_t{1}) || halve(panels.depth, std::int64_t{1})) continue;
    break;
  }
  return panels;
}

// Whether none of a panel's blocks is empty.
bool has_all_blocks(const Panels& x) {
  const std::int64_t others = block_grid(x.levels) - 1;
  return x.lines[0] > others * block_lines(x.lines[0], x.levels) &&
         x.lines[1] > others * block_lines(x.lines[1], x.levels) && x.depth > others * block_terms(x.depth, x.levels);
}

// What a product takes in panels, in multiplications of bytes: measured on a core with AVX-512 VNNI, 670 GOPS.
double cost_of(const PanelProblem& p, const Panels& x) {
  // By levels: products of blocks, how often residues of C are stored, and sums of an operand's residues.
  constexpr double reached[] = {1.0, 0.907, 0.82}, stores[] = {1.0, 2.0, 3.75}, sums[] = {0.0, 36.0, 97.0};
  // Storing a residue of C; reading an element of an operand; its residues.
  constexpr double stored = 64.0, read = 1350.0, residues = 2150.0;
  auto size = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); };
  auto ratio = [](std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); };
  const std::int64_t chunks = blocks(p.moduli, x.chunk), depths = blocks(p.terms, x.depth), grid = block_grid(x.levels);
  // The first operand's residues serve one panel of C, the second's all panels beside it where they can stay.
  const double loads[] = {static_cast<double>(blocks(p.lines[1], x.lines[1])),
                          chunks * depths == 1 ? 1.0 : static_cast<double>(blocks(p.lines[0], x.lines[0]))};
  const double planes = planes_of(p.moduli, p.parts == 2);
  // What blocks are filled up by, and threads that wait for the last tiles of a panel.
  double padding = ratio(grid * block_terms(x.depth, x.levels), x.depth), waiting = 1.0;
  std::int64_t tasks = x.chunk;
  for (int i = 0; i < 2; ++i) {
    const std::int64_t lines = block_lines(x.lines[i], x.levels), tiles = blocks(lines, x.tile[i]);
    padding *= ratio(grid * lines, x.lines[i]);
    waiting *= ratio(tiles * x.tile[i], lines);
    tasks *= tiles;
  }
  waiting = p.threads == 1 ? 1.0 : waiting * ratio(blocks(tasks, p.threads) * p.threads, tasks);
  double cost = size(p.lines[0], p.lines[1]) * planes * padding * waiting *
                (static_cast<double>(p.terms) * reached[x.levels] + stored * stores[x.levels]);
  for (int i = 0; i < 2; ++i) {
    cost += size(p.lines[i], p.terms) * loads[i] *
            (planes * sums[x.levels] + p.parts * (residues + read * static_cast<double>(chunks)));
  }
  return cost;
}

}  // namespace

Panels choose_panels(const PanelProblem& problem, std::int64_t bytes, std::int64_t depth) {
  Panels best = cut(problem, bytes, depth, 0);
  const bool is_asked_for = problem.levels > 0;
  // Levels of packed operands gain nothing: their products are of memory as much as of operations.
  const int most = is_asked_for ? problem.levels : problem.levels < 0 && !problem.packs ? max_block_levels : 0;
  for (int levels = most; levels > 0; --levels) {
    const Panels x = cut(problem, bytes, depth, levels);
    if (x.bytes(problem) > bytes || !has_all_blocks(x)) continue;
    if (is_asked_for) return x;
    // Products of bytes take longer in small tiles.
    if (std::min(x.tile[0], x.tile[1]) < most_tile_lines) continue;
    if (cost_of(problem, x) < cost_of(problem, best)) best = x;
  }
  return best;
}

std::int64_t default_workspace(std::int64_t operand_bytes) {
  constexpr std::int64_t least = std::int64_t{1} << 28, much = std::int64_t{1} << 31;
  return std::max({least, operand_bytes, std::min(2 * operand_bytes, much)});
}

}  // namespace hilo::modular
