// How many entries of a product spread beyond what a count of moduli covers, counted on the device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gemm/modular/opencl/operand.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// figures of kernels/modular/scan.cl, by index.
namespace figure {
inline constexpr int levels = 8, largest = 8, bad = 10, balance = 12, narrowed = 14, bits = 15, beyond = 17, asked = 19,
                     norm = 20, shift = 22, count = 24;
}

/// What the scan found and the count reads; buffers by operand, A and B.
struct ScannedOperands {
  std::int64_t lines[2], terms;
  cl::Buffer codes[2];      ///< of elements, 16 bits each: of A [line][term], whole groups of eight, of B [term][line]
  cl::Buffer exponents[2];  ///< of lines
  cl::Buffer uneven[2];     ///< null where no line takes a surcharge
  cl::Buffer balance;       ///< null where terms are not balanced
  int surcharge;
};

/// One of so many rows is in the sample that levels are tried with.
std::int64_t sample_step(std::int64_t rows);

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

  /// For thresholds that rise, at most figure::levels of them: counts the entries of a sample of rows beyond each into
  /// figures[0], …, then all entries beyond the first that the sample expects to hold into figures[figure::beyond], and
  /// beyond the one before it into the next figure, no further than to see that there are more than `limit`. These
  /// figures start at 0.
  void count(const cl::Buffer& figures, const std::vector<int>& thresholds, std::uint32_t limit);

  /// What the figures say about `levels` thresholds.
  CountedLevels counted(const std::array<std::int32_t, figure::count>& figures, int levels, std::uint32_t limit) const;

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
  opencl::Workspace masks_, settled_, charged_, beyond_;
};

}  // namespace hilo::modular
