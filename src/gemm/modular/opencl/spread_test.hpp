// The spread test on an OpenCL device (docs/modular.md defines it): which level of moduli covers the exponents of a
// product's entries, with balanced terms where that takes fewer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gemm/modular/opencl/scan.hpp"
#include "gemm/modular/opencl/spread.hpp"

namespace hilo::modular {

class SpreadTest {
 public:
  /// Levels that are counted before the host is asked: ordinary matrices are within them.
  static constexpr int first_levels = 6;

  /// What each level covers rises; `limit` entries may spread beyond. Both must outlive it.
  SpreadTest(Scan& scan, const std::vector<int>& thresholds, std::uint32_t limit, bool charges_uneven);

  int levels() const { return static_cast<int>(thresholds_.size()); }

  /// Counts entries beyond the first levels, or beyond one threshold.
  void begin();
  void begin(int threshold) { count_within({threshold}); }

  /// The first level with few enough entries beyond it, levels() if none has; once figures of begin() are read.
  int find();

  /// The widest spread, from the one threshold of begin() on and as far as spreads are told apart; once its figures are
  /// read. Nothing is beyond it.
  int find_widest(int threshold);

  /// The operands as they were found to hold: with balanced terms, or as they were scanned.
  const ScannedOperands& found() const { return found_; }
  bool is_balanced() const { return is_balanced_; }

  /// Entries that spread beyond what was found, and their bits, `word_pitch` words a row.
  std::int64_t entries_beyond() const { return beyond_; }
  const cl::Buffer& beyond() const { return spread_->beyond(); }
  int word_pitch() const { return spread_->word_pitch(); }

  /// Gives its memory back.
  void release() {
    if (spread_) spread_->release();
  }

 private:
  std::vector<int> some_levels(int first, int count) const;
  void count_within(const std::vector<int>& thresholds);
  void clear_counts();
  int find_level(int first, int last, int counted = 0);
  int lowest_level(int first, int level);
  bool holds(int threshold);
  bool has_held();
  bool is_worth_balancing() const;
  int balance(int level);

  Scan& scan_;
  const std::vector<int>& thresholds_;
  std::uint32_t limit_;
  bool charges_uneven_;
  ScannedOperands found_;
  bool is_balanced_ = false;
  std::unique_ptr<DeviceSpread> spread_;
  std::int64_t beyond_ = 0;
};

}  // namespace hilo::modular
