#include "accuracy/sample.hpp"

#include <algorithm>

namespace hilo::accuracy {
namespace {

constexpr std::int64_t least_sampled = 320;

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) from a fixed seed.
class Generator {
 public:
  std::int64_t below(std::int64_t n) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::int64_t>((z ^ (z >> 31)) % static_cast<std::uint64_t>(n));
  }

 private:
  std::uint64_t state_ = 2;
};

// The first, the last, and both sides of the first and the last edge of tiles of 8 to 256.
std::vector<std::int64_t> edges(std::int64_t size) {
  std::vector<std::int64_t> list = {0, size - 1};
  for (std::int64_t tile = 8; tile <= 256; tile *= 2) {
    for (std::int64_t edge : {tile, size / tile * tile}) {
      for (std::int64_t i : {edge - 1, edge}) {
        if (i >= 0 && i < size) list.push_back(i);
      }
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

bool precedes(Position x, Position y) { return x.column != y.column ? x.column < y.column : x.row < y.row; }
bool same(Position x, Position y) { return x.column == y.column && x.row == y.row; }

}  // namespace

std::vector<Position> positions(std::int64_t m, std::int64_t n, Sample sample) {
  std::vector<Position> list;
  if (m == 0 || n == 0) return list;
  if (sample == Sample::full || m * n <= least_sampled) {
    list.reserve(static_cast<std::size_t>(m * n));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) list.push_back({i, j});
    }
    return list;
  }
  Generator random;
  list = {{0, 0}, {m - 1, 0}, {0, n - 1}, {m - 1, n - 1}};
  for (std::int64_t i : edges(m)) list.push_back({i, random.below(n)});
  for (std::int64_t j : edges(n)) list.push_back({random.below(m), j});
  for (std::int64_t i : edges(m)) {
    if (i < n) list.push_back({i, i});
  }
  while (true) {
    std::sort(list.begin(), list.end(), precedes);
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
    std::int64_t missing = least_sampled - static_cast<std::int64_t>(list.size());
    if (missing <= 0) return list;
    for (std::int64_t i = 0; i < missing; ++i) list.push_back({random.below(m), random.below(n)});
  }
}

}  // namespace hilo::accuracy
