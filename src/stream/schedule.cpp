#include "stream/schedule.hpp"

#include <algorithm>
#include <cstddef>

namespace hilo::stream {
namespace {

// A quarter, a quarter and a half of the largest come first.
std::vector<std::int64_t> ends_of(std::int64_t lines, std::int64_t largest, bool grows) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  if (grows && largest % 4 == 0) {
    for (std::int64_t part : {largest / 4, largest / 4, largest / 2}) {
      if (end + part < lines) ends.push_back(end += part);
    }
  }
  while (end < lines) ends.push_back(end = std::min(end + largest, lines));
  return ends;
}

// Squares that grow, by a panel of A or of B at a time, in proportion.
std::vector<Pair> growing(int rows, int columns) {
  std::vector<Pair> order;
  int i = 0, j = 0;
  while (i < rows || j < columns) {
    const bool takes_row = j == columns || (i < rows && i * columns <= j * rows);
    if (takes_row) {
      for (int of_b = 0; of_b < j; ++of_b) order.push_back({{i, of_b}});
      ++i;
    } else {
      for (int of_a = 0; of_a < i; ++of_a) order.push_back({{of_a, j}});
      ++j;
    }
  }
  return order;
}

// Blocks of `staying` panels of one operand, each with all panels of the other, there and back again.
std::vector<Pair> sweeping(int operand, int panels, int others, int staying) {
  std::vector<Pair> order;
  bool is_back = false;
  for (int first = 0; first < panels; first += staying, is_back = !is_back) {
    for (int at = 0; at < others; ++at) {
      const int other = is_back ? others - 1 - at : at;
      for (int p = first; p < std::min(first + staying, panels); ++p) {
        Pair pair;
        pair.panel[operand] = p;
        pair.panel[1 - operand] = other;
        order.push_back(pair);
      }
    }
  }
  return order;
}

// Each place holds a panel for a round over the other operand's; places begin one after the other.
std::vector<Pair> following(int operand, int panels, int others, int places) {
  struct Place {
    int panel, left;
  };
  std::vector<Pair> order;
  std::vector<Place> held;
  int next = 0;
  for (int at = 0; next < panels || !held.empty(); at = (at + 1) % others) {
    if (next < panels && static_cast<int>(held.size()) < places) held.push_back({next++, others});
    for (Place& place : held) {
      Pair pair;
      pair.panel[operand] = place.panel;
      pair.panel[1 - operand] = at;
      order.push_back(pair);
      if (--place.left == 0 && next < panels) place = {next++, others};
    }
    std::erase_if(held, [](const Place& place) { return place.left == 0; });
  }
  return order;
}

}  // namespace

Cut::Cut(std::int64_t m, std::int64_t n, std::int64_t rows, std::int64_t columns, bool grows)
    : largest_{std::min(m, rows), std::min(n, columns)}, ends_{ends_of(m, rows, grows), ends_of(n, columns, grows)} {}

Cut Cut::of_triangle(Uplo triangle, std::int64_t m, std::int64_t n, std::int64_t lines, bool grows) {
  Cut cut(m, n, lines, lines, grows);
  cut.triangle_ = triangle;
  const int longer = triangle == Uplo::lower ? 0 : 1;
  cut.ends_[longer] = cut.ends_[1 - longer];
  const std::int64_t all = longer == 0 ? m : n;
  for (std::int64_t end = std::min(m, n); end < all;) cut.ends_[longer].push_back(end = std::min(end + lines, all));
  return cut;
}

std::optional<Cut> Cut::of(std::int64_t m, std::int64_t n) const {
  Cut cut = *this;
  const std::int64_t own[2] = {m, n};
  for (int o = 0; o < 2; ++o) {
    std::vector<std::int64_t>& ends = cut.ends_[o];
    const std::int64_t all = lines(o), count = std::ssize(ends);
    if (own[o] > all || own[o] < count) return std::nullopt;
    if (count > 1 && own[o] <= ends[ends.size() - 2]) {
      // A panel has a line at least, and leaves one for each of those after it.
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t& end = ends[static_cast<std::size_t>(i)];
        end = std::min(std::max(end * own[o] / all, cut.first(o, static_cast<int>(i)) + 1), own[o] - (count - 1 - i));
      }
    }
    ends.back() = own[o];
    cut.largest_[o] = std::min(largest_[o], own[o]);
  }
  return cut;
}

std::int64_t Cut::entries() const {
  std::int64_t all = 0;
  for (int i = 0; i < panels(0); ++i) {
    for (int j = 0; j < panels(1); ++j) all += is_wanted({{i, j}}) ? count(0, i) * count(1, j) : 0;
  }
  return all;
}

std::vector<std::vector<Pair>> orders_of(const Cut& cut, const int (&slots)[2], int staying) {
  const int panels = cut.panels(staying), others = cut.panels(1 - staying);
  const int places = std::min(slots[staying], panels);
  std::vector<std::vector<Pair>> orders;
  if (slots[0] >= cut.panels(0) && slots[1] >= cut.panels(1)) {
    orders.push_back(growing(cut.panels(0), cut.panels(1)));
  } else {
    orders = {sweeping(staying, panels, others, places), following(staying, panels, others, places)};
  }
  for (std::vector<Pair>& order : orders) {
    std::erase_if(order, [&](const Pair& pair) { return !cut.is_wanted(pair); });
  }
  return orders;
}

std::vector<Step> schedule(const Cut& cut, const std::vector<Pair>& order, std::vector<int> (&held)[2]) {
  // The steps that want a panel, the next one last; and where panels are.
  std::vector<std::vector<std::size_t>> uses[2];
  std::vector<int> slot_of[2];
  std::size_t next_free[2] = {0, 0};
  for (std::size_t at = order.size(); at-- > 0;) {
    for (int o = 0; o < 2; ++o) {
      const auto panel = static_cast<std::size_t>(order[at].panel[o]);
      if (uses[o].size() <= panel) uses[o].resize(panel + 1);
      uses[o][panel].push_back(at);
    }
  }
  for (int o = 0; o < 2; ++o) {
    slot_of[o].assign(uses[o].size(), -1);
    for (std::size_t slot = 0; slot < held[o].size(); ++slot) {
      const int panel = held[o][slot];
      if (panel >= 0 && static_cast<std::size_t>(panel) < uses[o].size()) {
        slot_of[o][static_cast<std::size_t>(panel)] = static_cast<int>(slot);
      }
    }
  }
  std::vector<Step> steps;
  steps.reserve(order.size());
  for (const Pair& pair : order) {
    Step step{pair, {}, {0, 0}, cut.triangle_of(pair)};
    for (int o = 0; o < 2; ++o) {
      auto next_use = [&](int panel) {
        const bool is_used = panel >= 0 && static_cast<std::size_t>(panel) < uses[o].size();
        return is_used && !uses[o][static_cast<std::size_t>(panel)].empty()
                   ? uses[o][static_cast<std::size_t>(panel)].back()
                   : order.size();
      };
      const auto wanted = static_cast<std::size_t>(pair.panel[o]);
      int& slot = slot_of[o][wanted];
      if (slot < 0) {
        std::size_t& free = next_free[o];
        while (free < held[o].size() && held[o][free] >= 0) ++free;
        // Where no place is free, that of the panel that is wanted again last.
        auto place = free < held[o].size() ? held[o].begin() + static_cast<std::ptrdiff_t>(free)
                                           : std::max_element(held[o].begin(), held[o].end(),
                                                              [&](int x, int y) { return next_use(x) < next_use(y); });
        if (*place >= 0 && static_cast<std::size_t>(*place) < slot_of[o].size()) {
          slot_of[o][static_cast<std::size_t>(*place)] = -1;
        }
        *place = pair.panel[o];
        slot = static_cast<int>(place - held[o].begin());
        step.loads.push_back({o, pair.panel[o], slot});
      }
      step.slot[o] = slot;
      uses[o][wanted].pop_back();
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace hilo::stream
