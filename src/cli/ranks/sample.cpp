#include "cli/ranks/sample.hpp"

#include <algorithm>
#include <set>

#include "cli/ranks/messages.hpp"

namespace hilo::cli {
namespace {

constexpr std::size_t most_lines = 16;

// f(place among the lines, line − first) of those from `first` on, `count` at the most; of no lines all count.
template <class F>
void for_lines(const Lines& lines, std::int64_t first, std::int64_t count, F f) {
  if (lines.empty()) {
    for (std::int64_t i = 0; i < count; ++i) f(first + i, i);
    return;
  }
  for (auto at = std::lower_bound(lines.begin(), lines.end(), first); at != lines.end() && *at < first + count; ++at) {
    f(at - lines.begin(), *at - first);
  }
}

}  // namespace

Lines sample_of(std::int64_t n, std::int64_t tile) {
  std::set<std::int64_t> lines;
  const auto add = [&](std::int64_t line) {
    if (line >= 0 && line < n) lines.insert(line);
  };
  for (const std::int64_t line : {std::int64_t{0}, n - 1, tile - 1, tile, (n - 1) / tile * tile}) add(line);
  std::uint64_t state = 1;
  while (lines.size() < most_lines && static_cast<std::int64_t>(lines.size()) < n) {
    state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth, MMIX
    add(static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(n)));
  }
  return Lines(lines.begin(), lines.end());
}

template <class T>
std::vector<T> entries_of(const distributed::Cluster& cluster, const distributed::Matrix<T>& matrix, const Lines& rows,
                          const Lines& columns) {
  const std::int64_t m = rows.empty() ? matrix.rows() : std::ssize(rows),
                     n = columns.empty() ? matrix.columns() : std::ssize(columns);
  std::vector<T> entries;
  cluster.agree([&] { entries.assign(static_cast<std::size_t>(m * n), T(0)); });
  // Each is on one rank, and zero on others.
  matrix.read_tiles([&](std::int64_t i, std::int64_t j, const MatrixView<const T>& tile) {
    for_lines(columns, j, tile.columns, [&](std::int64_t to_j, std::int64_t from_j) {
      for_lines(rows, i, tile.rows, [&](std::int64_t to_i, std::int64_t from_i) {
        entries[static_cast<std::size_t>(to_i + to_j * m)] = tile(from_i, from_j);
      });
    });
  });
  add_on_first_rank({reinterpret_cast<double*>(entries.data()), entries.size() * (sizeof(T) / sizeof(double))});
  return entries;
}

#define HILO_INSTANTIATE(T)                                                                                    \
  template std::vector<T> entries_of(const distributed::Cluster&, const distributed::Matrix<T>&, const Lines&, \
                                     const Lines&);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
