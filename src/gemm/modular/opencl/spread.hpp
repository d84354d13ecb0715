// How many entries of a product spread beyond what a count of moduli covers, counted on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm/modular/opencl/scan.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// What counting levels said about the first one with few enough entries beyond it.
struct CountedLevels {
  enum class Answer : std::uint8_t {
    found,      ///< it is `level`, and beyond() has its entries
    later,      ///< those before `level` have too many
    not_later,  ///< it is `level` or before it
  };
  Answer answer;
  int level;
  std::int64_t entries;  ///< beyond the level that was found
};

/// Counts entries with E_ij (and a surcharge) above thresholds.
class DeviceSpread {
 public:
  /// Takes memory for thresholds up to `widest`, and makes the bit planes.
  DeviceSpread(opencl::Call& call, const cl::Program& program, const ScannedOperands& operands, int widest);

  int widest() const { return widest_; }

  /// For thresholds that rise, at most figure_levels of them: counts the entries of a sample of rows beyond each into
  /// figures[0], …, then all entries beyond the first that the sample expects to hold into figures[figure_beyond], and
  /// beyond the one before it into the next figure, no further than to see that there are more than `limit`. These
  /// figures start at 0.
  void count(const cl::Buffer& figures, const std::vector<int>& thresholds, std::uint32_t limit);

  /// What the figures say about `levels` thresholds.
  CountedLevels counted(const Figures& figures, int levels, std::uint32_t limit) const;

  /// Bits of the entries beyond the threshold that was counted whole, `word_pitch` words a row.
  const cl::Buffer& beyond() const { return beyond_.buffer(); }
  int word_pitch() const { return word_pitch_; }

  /// Gives its memory back.
  void release();

  /// Device memory for a product m × n × k.
  static std::int64_t bytes(std::int64_t m, std::int64_t n, std::int64_t k, int widest);

 private:
  opencl::Call& call_;
  cl::Program program_;
  ScannedOperands operands_;
  int widest_, word_pitch_;
  opencl::Workspace masks_, beyond_;
};

}  // namespace hilo::modular
