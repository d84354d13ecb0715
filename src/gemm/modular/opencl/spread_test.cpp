#include "gemm/modular/opencl/spread_test.hpp"

#include <algorithm>
#include <utility>

#include "gemm/modular/guarantee.hpp"

namespace hilo::modular {

SpreadTest::SpreadTest(Scan& scan, const std::vector<int>& thresholds, std::uint32_t limit, bool charges_uneven)
    : scan_(scan), thresholds_(thresholds), limit_(limit), charges_uneven_(charges_uneven), found_(scan.found()) {}

void SpreadTest::begin() {
  if (!thresholds_.empty()) count_within(some_levels(0, first_levels));
}

int SpreadTest::find() {
  const int all = levels();
  if (all == 0) return 0;
  const int level = find_level(0, all, std::min(first_levels, all));
  return level > 0 && all > 1 && is_worth_balancing() ? balance(level) : level;
}

int SpreadTest::find_widest(int threshold) {
  int low = threshold, widest = low;
  bool is_within = has_held();
  while (!is_within) {
    low = widest + 1;
    widest = std::min(2 * widest + 8, max_deficit);
    is_within = widest == max_deficit || holds(widest);
  }
  while (low < widest) {
    const int middle = (low + widest) / 2;
    if (holds(middle)) {
      widest = middle;
    } else {
      low = middle + 1;
    }
  }
  beyond_ = 0;
  return widest;
}

std::vector<int> SpreadTest::some_levels(int first, int count) const {
  const auto begin = thresholds_.begin() + first;
  return {begin, begin + std::min(count, levels() - first)};
}

// Counts entries beyond thresholds that rise, on new bit planes where there are none so wide.
void SpreadTest::count_within(const std::vector<int>& thresholds) {
  if (!spread_ || spread_->widest() < thresholds.back()) {
    if (spread_) {
      spread_->release();
    } else if (charges_uneven_) {
      scan_.find_uneven(found_);
    }
    spread_ = std::make_unique<DeviceSpread>(scan_.call(), scan_.program(), found_, thresholds.back());
  }
  spread_->count(scan_.figures(), thresholds, limit_);
}

void SpreadTest::clear_counts() {
  scan_.call().fill_zero(scan_.figures(), figure_levels * 4);
  scan_.call().fill_zero_at(scan_.figures(), figure_beyond * 4, 8);
}

// Of levels [first, last) the first that has few enough entries beyond it, and how many; last if none has. Where
// figures of the first `counted` of them are read already, 0 if none are.
int SpreadTest::find_level(int first, int last, int counted) {
  while (first < last) {
    if (counted == 0) {
      counted = std::min<int>(last - first, figure_levels);
      clear_counts();
      count_within(some_levels(first, counted));
      scan_.read();
    }
    const CountedLevels found = spread_->counted(scan_.read_figures(), counted, limit_);
    beyond_ = found.entries;
    if (found.answer == CountedLevels::Answer::found) return first + found.level;
    if (found.answer == CountedLevels::Answer::not_later) return lowest_level(first, first + found.level);
    first += found.level;
    counted = 0;
  }
  return last;
}

// The first level from `first` on that holds, `level` being one.
int SpreadTest::lowest_level(int first, int level) {
  while (level > first && holds(thresholds_[static_cast<std::size_t>(level - 1)])) --level;
  holds(thresholds_[static_cast<std::size_t>(level)]);
  return level;
}

// Whether few enough entries spread beyond a threshold, and how many.
bool SpreadTest::holds(int threshold) {
  clear_counts();
  count_within({threshold});
  scan_.read();
  return has_held();
}

bool SpreadTest::has_held() {
  const CountedLevels found = spread_->counted(scan_.read_figures(), 1, limit_);
  beyond_ = found.entries;
  return found.answer == CountedLevels::Answer::found;
}

bool SpreadTest::is_worth_balancing() const {
  return scan_.figure_of(figure_balance + 1) - scan_.figure_of(figure_balance) >= worthwhile_balance;
}

// The level with balanced terms, if it is lower.
int SpreadTest::balance(int level) {
  cl::Buffer balanced = scan_.balance_lines();
  scan_.read();
  if (scan_.figure_of(figure_narrowed) >= most_narrowing) return level;
  ScannedOperands unbalanced = found_;
  const std::int64_t beyond = beyond_;
  auto of_unbalanced = std::move(spread_);
  found_.balance = opencl::copied(scan_.balance());
  found_.exponents = std::move(balanced);
  for (cl::Buffer& uneven : found_.uneven) uneven = {};
  const int found = find_level(0, level);
  is_balanced_ = found < level;
  if (!is_balanced_) {
    std::swap(of_unbalanced, spread_);
    found_ = std::move(unbalanced);
    beyond_ = beyond;
  }
  if (of_unbalanced) of_unbalanced->release();
  return is_balanced_ ? found : level;
}

}  // namespace hilo::modular
