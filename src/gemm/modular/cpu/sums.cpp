#include "gemm/modular/cpu/sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "host/team.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

// Bytes have so many bits after the point of an element beside the norm's largest, as 31R/64 < ρ' <= R.
constexpr int byte_unit = 5;

// ⌈√x⌉ of an integer below 2^53.
float root_above(double x) {
  auto root = static_cast<std::int64_t>(std::sqrt(x));
  while (static_cast<double>(root * root) < x) ++root;
  return static_cast<float>(root);
}

std::int32_t float_bits(float x) { return std::bit_cast<std::int32_t>(x); }

// With all but the first four bits cleared. What a float would round is cleared first.
float leading_bits(std::int32_t x) {
  const std::int32_t exact = x < 1 << 24 ? x : x & ~0xff;
  return std::bit_cast<float>(float_bits(static_cast<float>(exact)) & 0x7ff00000);
}

// The least n with x <= y · 2^n, both positive; very large for a y of 0, and very small for an x below 0.
std::int32_t ceil_log2_of_ratio(float x, float y) { return (float_bits(x) - float_bits(y) + 0x7fffff) >> 23; }

// Of an idle line: no entry of it asks for anything.
constexpr float norm_of_idle = -1e30f;

// ρ' or σ' of all lines, and what scales to them.
struct Norms {
  std::vector<float> norm;
  std::vector<std::int64_t> shift;
};

Norms norms_of(const SummedLines& lines, std::int64_t terms) {
  const auto most = static_cast<float>(longest_norm(terms));
  Norms x{std::vector<float>(lines.idle.size(), norm_of_idle), std::vector<std::int64_t>(lines.idle.size(), 0)};
  for (std::size_t l = 0; l < lines.idle.size(); ++l) {
    if (lines.idle[l]) continue;
    const float norm = root_above(lines.squares[l]);
    const int shift = std::max(-ceil_log2_of_ratio(norm, most), 0);
    x.shift[l] = shift;
    x.norm[l] = std::ldexp(norm, shift);
  }
  return x;
}

// Lines of an operand as bytes, a row for each term where runs are along lines, else a row for each line.
struct Magnitudes {
  std::int64_t leading;
  bool along;
  std::vector<std::uint8_t> bytes;

  template <class Byte>
  ByteMatrix<Byte> from(std::int64_t line, bool is_first_operand) const {
    const auto* data = reinterpret_cast<const Byte*>(bytes.data());
    return {data + line * (along ? 1 : leading), leading, along == is_first_operand};
  }
};

class SumTest {
 public:
  SumTest(const Operand (&operand)[2], const SummedLines (&lines)[2], const KernelSet& kernels,
          const SumTestRequest& request)
      : operand_(operand), kernels_(kernels), request_(request), terms_(operand[0].terms) {
    for (int o = 0; o < 2; ++o) {
      norms_[o] = norms_of(lines[o], operand[o].terms);
      shift_[o].resize(lines[o].idle.size());
      for (std::size_t l = 0; l < shift_[o].size(); ++l) {
        shift_[o][l] = lines[o].idle[l] ? leave_out : byte_unit - lines[o].exponent[l] + norms_[o].shift[l];
      }
    }
  }

  SumTestResult run() {
    const std::int64_t m = operand_[0].lines, n = operand_[1].lines;
    const std::int64_t at_once = std::max<std::int64_t>(request_.bytes / (2 * terms_) / 64, 1) * 64;
    std::int32_t most = std::numeric_limits<std::int32_t>::min();
    Magnitudes columns;
    for (std::int64_t i = 0; i < m; i += at_once) {
      const std::int64_t height = std::min(at_once, m - i);
      const Magnitudes rows = magnitudes(0, i, height);
      for (std::int64_t j = 0; j < n; j += at_once) {
        const std::int64_t width = std::min(at_once, n - j);
        if (i == 0 || n > at_once) columns = magnitudes(1, j, width);
        most = std::max(most, most_asked(rows, i, height, columns, j, width));
      }
    }
    SumTestResult result{};
    result.figures.asked = most;
    for (int o = 0; o < 2; ++o) {
      const float largest = *std::max_element(norms_[o].norm.begin(), norms_[o].norm.end());
      result.figures.norm[o] = static_cast<std::int64_t>(std::max(largest, 0.0f));
      result.figures.shift[o] = static_cast<int>(*std::max_element(norms_[o].shift.begin(), norms_[o].shift.end()));
      result.shift[o] = std::move(norms_[o].shift);
    }
    return result;
  }

 private:
  Magnitudes magnitudes(int o, std::int64_t first, std::int64_t count) const {
    const Operand& x = operand_[o];
    const bool along = x.runs_along_lines();
    const std::int64_t runs = along ? terms_ : count;
    Magnitudes result{leading_bytes(along ? count : terms_), along, {}};
    result.bytes.resize(static_cast<std::size_t>(runs * result.leading));
    const std::int64_t* shift = shift_[o].data() + first;
    host::for_parts(request_.threads, runs, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t r = from; r < to; ++r) {
        std::uint8_t* out = result.bytes.data() + r * result.leading;
        if (along) {
          kernels_.magnitudes(x.run(r, first, count), {shift, 0}, out);
        } else {
          kernels_.magnitudes(x.run(first + r, 0, terms_), {nullptr, shift[r]}, out);
        }
      }
    });
    return result;
  }

  std::int32_t most_asked(const Magnitudes& rows, std::int64_t first_row, std::int64_t height,
                          const Magnitudes& columns, std::int64_t first_column, std::int64_t width) const {
    const int threads = request_.threads;
    const std::int64_t count[2] = {height, width};
    std::int64_t tile[2] = {std::min<std::int64_t>(height, 512), std::min<std::int64_t>(width, 1024)};
    auto tiles = [&](int d) { return blocks(count[d], tile[d]); };
    // Some for each thread.
    while (tiles(0) * tiles(1) < 2 * threads && tile[0] * tile[1] > 128 * 128) {
      std::int64_t& longer = tile[0] > tile[1] ? tile[0] : tile[1];
      longer = padded((longer + 1) / 2);
    }
    const std::int64_t leading = padded(tile[1]);
    std::vector<std::int32_t> sums(static_cast<std::size_t>(threads * tile[0] * leading));
    std::vector<std::int32_t> most(static_cast<std::size_t>(threads), std::numeric_limits<std::int32_t>::min());
    host::for_each(threads, tiles(0) * tiles(1), [&](std::int64_t t, int thread) {
      const std::int64_t row = t / tiles(1) * tile[0], column = t % tiles(1) * tile[1];
      const std::int64_t own_rows = std::min(tile[0], height - row), own_columns = std::min(tile[1], width - column);
      std::int32_t* own = sums.data() + thread * tile[0] * leading;
      multiply_bytes(request_.library, own_rows, own_columns, terms_, rows.from<std::uint8_t>(row, true),
                     columns.from<std::int8_t>(column, false), own, leading);
      const float* sigma = norms_[1].norm.data() + first_column + column;
      std::int32_t own_most = most[static_cast<std::size_t>(thread)];
      for (std::int64_t r = 0; r < own_rows; ++r) {
        const float rho = norms_[0].norm[static_cast<std::size_t>(first_row + row + r)];
        const std::int32_t* sum = own + r * leading;
        for (std::int64_t c = 0; c < own_columns; ++c) {
          own_most = std::max(own_most, ceil_log2_of_ratio(rho + sigma[c], 4.0f * leading_bits(sum[c])));
        }
      }
      most[static_cast<std::size_t>(thread)] = own_most;
    });
    return *std::max_element(most.begin(), most.end());
  }

  const Operand (&operand_)[2];
  const KernelSet& kernels_;
  const SumTestRequest& request_;
  std::int64_t terms_;
  Norms norms_[2];
  std::vector<std::int64_t> shift_[2];  // of elements to bytes
};

}  // namespace

SumTestResult sum_test(const Operand (&operand)[2], const SummedLines (&lines)[2], const KernelSet& kernels,
                       const SumTestRequest& request) {
  return SumTest(operand, lines, kernels, request).run();
}

}  // namespace hilo::modular
