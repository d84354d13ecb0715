#include "stream/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "matrix/sizes.hpp"

namespace hilo::stream {
namespace {

// Of panels that pass through: one comes or goes while another is worked on, and one waits.
constexpr int most_spare = 3;
// The most panels of C that a plan is looked for with where all panels have places, and where they have not.
constexpr std::int64_t most_pairs = 400, most_pairs_by_turns = 1600;
// A plan is not looked for further where it can be better by so little.
constexpr double worth = 0.98;

std::vector<std::int64_t> candidates(std::int64_t lines, std::int64_t unit) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = unit; size < lines; size *= 2) {
    sizes.push_back(size);
    if (size > unit && size / 2 * 3 < lines) sizes.push_back(size / 2 * 3);
  }
  sizes.push_back(lines);
  // Few large panels are tried first, so that many small ones need not be.
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

bool has_places_for_all(const PlanRequest& r, const Cut& cut, const PanelCost& cost) {
  return cut.panels(0) * cost.slot_bytes[0] + cut.panels(1) * cost.slot_bytes[1] <= r.device_bytes - cost.working_bytes;
}

// What a line of a copy costs beside its bytes, in bytes.
constexpr double line_overhead = 4096.0;

double seconds_in(const PlanRequest& r, int operand, double lines) {
  const double bytes = lines * static_cast<double>(r.k * r.element_bytes);
  const double line = r.cuts_lines[operand] ? lines * static_cast<double>(r.element_bytes) : bytes;
  return r.share_in[operand] * bytes * (1.0 + line_overhead / line) / r.bytes_per_second_in;
}

// The lines of a panel by those of the largest, both padded.
double share_of(const Cut& cut, const PanelCost& cost, int operand, int panel) {
  const std::int64_t to = cost.padding[operand];
  return static_cast<double>(round_up(cut.count(operand, panel), to)) /
         static_cast<double>(round_up(cut.panel_lines(operand), to));
}

// What lines wait for products, of which the largest are expected.
double seconds_between(const PlanRequest& r, int operand, double lines, const PanelCost& cost) {
  if (r.bytes_between[operand] == 0) return 0.0;
  const double bytes = lines * static_cast<double>(r.k * r.element_bytes);
  return bytes / static_cast<double>(r.bytes_between[operand]) * cost.pair_seconds;
}

// The places that memory has for panels: all that there are, or as many as it has of one operand and two of the other.
std::optional<std::array<int, 2>> places(const PlanRequest& r, const Cut& cut, const PanelCost& cost, int staying) {
  const int panels[2] = {cut.panels(0), cut.panels(1)};
  if (has_places_for_all(r, cut, cost)) return std::array{panels[0], panels[1]};
  const std::int64_t bytes = r.device_bytes - cost.working_bytes;
  const int coming = 1 - staying;
  for (int of_coming = std::min(panels[coming], 2); of_coming > 0; --of_coming) {
    const std::int64_t rest = bytes - of_coming * cost.slot_bytes[coming];
    if (rest < cost.slot_bytes[staying]) continue;
    const std::int64_t of_place = std::max<std::int64_t>(cost.slot_bytes[staying], 1);
    const int of_staying = static_cast<int>(std::min<std::int64_t>(rest / of_place, panels[staying]));
    return staying == 0 ? std::array{of_staying, of_coming} : std::array{of_coming, of_staying};
  }
  return std::nullopt;
}

}  // namespace

namespace {

// When each of a few places that take turns is free.
class Turns {
 public:
  explicit Turns(int places) : free_(static_cast<std::size_t>(places), 0.0) {}
  double& next() { return free_[at_++ % free_.size()]; }

 private:
  std::vector<double> free_;
  std::size_t at_ = 0;
};

}  // namespace

double expected_seconds(const PlanRequest& r, const Cut& cut, int spare, const PanelCost& cost,
                        const std::vector<Step>& steps) {
  double in = 0.0, compute = 0.0, out = 0.0;
  std::vector<double> free[2];
  Turns passing(spare), of_c(spare);
  auto place_of = [&](int operand, int slot) -> double& {
    auto& slots = free[operand];
    const auto at = static_cast<std::size_t>(slot);
    if (slots.size() <= at) slots.resize(at + 1, 0.0);
    return slots[at];
  };
  for (const Step& step : steps) {
    for (const Load& load : step.loads) {
      const double lines = static_cast<double>(cut.count(load.operand, load.panel));
      const double share = share_of(cut, cost, load.operand, load.panel);
      double& place = r.passes_through ? passing.next() : place_of(load.operand, load.slot);
      in = std::max(in, place);
      in += std::max(seconds_in(r, load.operand, lines),
                     compute > in ? seconds_between(r, load.operand, lines, cost) : 0.0);
      compute = std::max(compute, in) + cost.prepare_seconds[load.operand] * share + r.command_seconds;
      place = compute;
    }
    const double rows = static_cast<double>(cut.count(0, step.pair.panel[0])),
                 columns = static_cast<double>(cut.count(1, step.pair.panel[1]));
    const double bytes = rows * columns * static_cast<double>(r.element_bytes);
    const double share = share_of(cut, cost, 0, step.pair.panel[0]) * share_of(cut, cost, 1, step.pair.panel[1]);
    double& c = of_c.next();
    double ready = c;
    if (r.takes_c || step.triangle) ready = in = std::max(in, c) + bytes / r.bytes_per_second_in;
    compute = std::max(compute, ready) + cost.pair_seconds * share + r.command_seconds;
    if (!r.passes_through) {
      for (int o = 0; o < 2; ++o) place_of(o, step.slot[o]) = compute;
    }
    c = out = std::max(out, compute) + bytes / r.bytes_per_second_out;
  }
  return out;
}

namespace {

// What products and preparations of all panels take, each once.
double compute_seconds(const PlanRequest& r, const Cut& cut, const PanelCost& cost) {
  double seconds = static_cast<double>(cut.entries()) /
                   (static_cast<double>(cut.rows()) * static_cast<double>(cut.columns())) * cost.pair_seconds;
  for (int o = 0; o < 2; ++o) {
    seconds += static_cast<double>(cut.lines(o)) / static_cast<double>(cut.panel_lines(o)) * cost.prepare_seconds[o];
  }
  return seconds + r.command_seconds * cut.panels(0) * cut.panels(1);
}

// The best order of one cut, where it is better than `best`.
void try_cut(const PlanRequest& r, const Cut& cut, int levels, int spare, const PanelCost& cost,
             std::optional<Plan>& best) {
  const std::int64_t pairs = static_cast<std::int64_t>(cut.panels(0)) * cut.panels(1);
  const std::int64_t most = has_places_for_all(r, cut, cost) ? most_pairs : most_pairs_by_turns;
  if (best && (pairs > most || compute_seconds(r, cut, cost) > worth * best->seconds)) return;
  for (int staying : {0, 1}) {
    const auto found = places(r, cut, cost, staying);
    if (!found) continue;
    const int slots[2] = {(*found)[0], (*found)[1]};
    for (std::vector<Pair>& order : orders_of(cut, slots, staying)) {
      std::vector<int> held[2] = {nobody(slots[0]), nobody(slots[1])};
      const double seconds = expected_seconds(r, cut, spare, cost, schedule(cut, order, held));
      if (!best || seconds < best->seconds) {
        best = Plan{cut, {slots[0], slots[1]}, std::move(order), levels, spare, seconds};
      }
    }
    if (slots[0] == cut.panels(0) && slots[1] == cut.panels(1)) return;
  }
}

// Among panels with so many levels; or among all.
std::optional<Plan> best_panels(const PlanRequest& r, std::optional<int> wanted, std::int64_t& least_bytes) {
  std::optional<Plan> best;
  auto cut_of = [&](std::int64_t rows, std::int64_t columns, bool grows) {
    return r.triangle ? Cut::of_triangle(*r.triangle, r.m, r.n, rows, grows) : Cut(r.m, r.n, rows, columns, grows);
  };
  auto try_levels = [&](std::int64_t rows, std::int64_t columns, const Cut& cut, int levels) {
    for (int spare = most_spare; spare > 0; --spare) {
      const PanelCost cost = r.cost(cut, spare, levels);
      const std::int64_t least = cost.working_bytes + cost.slot_bytes[0] + cost.slot_bytes[1];
      least_bytes = std::min(least_bytes, least);
      if (cost.largest_buffer > r.buffer_bytes || least > r.device_bytes) continue;
      try_cut(r, cut, levels, spare, cost, best);
      if (rows % (4 * r.unit) == 0 && columns % (4 * r.unit) == 0) {
        try_cut(r, cut_of(rows, columns, true), levels, spare, cost, best);
      }
      // Fewer places besides are for who lacks others.
      if (has_places_for_all(r, cut, cost)) break;
    }
  };
  auto try_size = [&](std::int64_t rows, std::int64_t columns) {
    const Cut cut = cut_of(rows, columns, false);
    for (int levels : r.levels ? r.levels(cut) : std::vector<int>{0}) {
      if (!wanted || levels == *wanted) try_levels(rows, columns, cut, levels);
    }
  };
  for (std::int64_t rows : candidates(r.triangle ? std::min(r.m, r.n) : r.m, r.unit)) {
    if (r.triangle) {
      try_size(rows, rows);
    } else {
      for (std::int64_t columns : candidates(r.n, r.unit)) try_size(rows, columns);
    }
  }
  return best;
}

}  // namespace

std::optional<Plan> choose_panels(const PlanRequest& r, std::int64_t& least_bytes) {
  least_bytes = std::numeric_limits<std::int64_t>::max();
  if (r.wanted_levels == 0) return best_panels(r, std::nullopt, least_bytes);
  std::optional<Plan> best;
  for (int levels = r.wanted_levels; levels >= 0 && !best; --levels) best = best_panels(r, levels, least_bytes);
  return best;
}

}  // namespace hilo::stream
