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

// ⌈√x⌉ of an integer below 2^53.
float root_above(std::int64_t x) {
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(x)));
  while (root * root < x) ++root;
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

// Less than any shift that brings an element to a byte.
constexpr std::int32_t left_out = leave_out;

// At least the exponents of all codes.
constexpr std::int64_t of_bad_lines = 2048;

bool is_idle(double largest) { return largest == 0.0 || std::isinf(largest); }

std::int64_t lines_at_once(const SumTestRequest& request, std::int64_t terms) {
  const std::int64_t of_line = (packs_bytes(request.library) ? 4 : 2) * terms;
  return std::max<std::int64_t>(request.bytes / of_line / 64, 1) * 64;
}

Magnitudes room_for(const Operand& x, std::int64_t lines) {
  Magnitudes room;
  room.along = x.runs_along_lines();
  room.depth = x.terms;
  room.leading = leading_bytes(room.along ? lines : x.terms);
  room.bytes = std::make_unique<host::Workspace>((room.along ? x.terms : lines) * room.leading);
  return room;
}

// f(i) for i = 0 … count − 1, by all threads or by one: a runtime ends the threads that a smaller team leaves over.
template <class F>
void for_blocks(int threads, std::int64_t count, F f) {
  host::for_each(threads, count > 1 ? std::max<std::int64_t>(count, threads) : count, [&](std::int64_t i, int) {
    if (i < count) f(i);
  });
}

void pack(int operand, std::int64_t lines, Magnitudes& x, const SumTestRequest& request) {
  if (!packs_bytes(request.library)) return;
  x.packed = std::make_unique<host::Workspace>(packed_bytes(lines, x.depth));
  for_blocks(request.threads, blocks(lines, packed_side), [&](std::int64_t strip) {
    const std::int64_t line = strip * packed_side, count = std::min(packed_side, lines - line);
    if (operand == 0) {
      pack_bytes(x.from<std::uint8_t>(line, true), count, x.depth, x.depth, x.packed_from(line));
    } else {
      pack_bytes(x.from<std::int8_t>(line, false), count, x.depth, x.depth, x.packed_from(line));
    }
  });
}

// Looks at lines together whose codes stay in cache, or nearly so.
class Look {
 public:
  Look(int operand, const Operand& x, const KernelSet& kernels, const SumTestRequest& request)
      : x_(x),
        kernels_(kernels),
        request_(request),
        longest_norm_(static_cast<float>(longest_norm(x.terms))),
        keeps_(x.lines <= lines_at_once(request, x.terms)) {
    const auto lines = static_cast<std::size_t>(x.lines);
    found_.largest.assign(static_cast<std::size_t>(padded(x.lines)), 0.0);
    found_.norm.assign(lines, norm_of_idle);
    found_.shift.assign(lines, 0);
    found_.places.assign(static_cast<std::size_t>(padded(x.lines)), left_out);
    if (keeps_) found_.all = room_for(x, x.lines);
    if (x.runs_along_lines()) {
      look_across();
    } else {
      look_along();
    }
    found_.largest.resize(lines);
    if (keeps_) pack(operand, x.lines, found_.all, request);
  }

  LineSums take() { return std::move(found_); }

 private:
  void settle(std::int64_t line, std::int64_t squares) {
    const auto l = static_cast<std::size_t>(line);
    const float norm = root_above(squares);
    const int shift = std::max(-ceil_log2_of_ratio(norm, longest_norm_), 0);
    found_.norm[l] = std::ldexp(norm, shift);
    found_.shift[l] = shift;
    found_.places[l] = static_cast<std::int32_t>(magnitude_unit - exponent(line)) + shift;
  }
  std::int64_t exponent(std::int64_t line) const {
    return 1 + std::ilogb(found_.largest[static_cast<std::size_t>(line)]);
  }

  // Of runs along terms, a line each.
  void look_along() {
    host::for_parts(request_.threads, x_.lines, [&](std::int64_t first, std::int64_t last) {
      std::vector<std::int16_t> codes(static_cast<std::size_t>(padded(x_.terms)));
      for (std::int64_t line = first; line < last; ++line) {
        double& largest = found_.largest[static_cast<std::size_t>(line)];
        largest = kernels_.codes(x_.run(line, 0, x_.terms), codes.data());
        if (!is_idle(largest)) settle(line, kernels_.squares(codes.data(), x_.terms, exponent(line)));
        if (!keeps_) continue;
        kernels_.magnitudes(codes.data(), x_.terms, nullptr, found_.places[static_cast<std::size_t>(line)],
                            found_.all.row(line));
      }
    });
  }

  // Of runs along lines, some lines of all terms.
  void look_across() {
    // Neighbours of a page or two, since each term begins another page, of terms that are not too many for that.
    constexpr std::int64_t in_cache = std::int64_t{1} << 20, at_most = std::int64_t{1} << 22;
    const auto lines_in = [&](std::int64_t bytes) { return bytes / (2 * x_.terms) / 64 * 64; };
    const std::int64_t wanted = std::clamp<std::int64_t>(lines_in(in_cache), 256, 512);
    const std::int64_t all = std::min(at_most, request_.bytes / request_.threads);
    const std::int64_t together =
        std::max<std::int64_t>(std::min({wanted, lines_in(all), padded(blocks(x_.lines, request_.threads))}), 64);
    for_blocks(request_.threads, blocks(x_.lines, together), [&](std::int64_t b) {
      const std::int64_t first = b * together, count = std::min(together, x_.lines - first), leading = padded(count);
      const host::Workspace memory(2 * leading * x_.terms);
      auto* const codes = reinterpret_cast<std::int16_t*>(memory.data());
      double* const largest = found_.largest.data() + first;
      for (std::int64_t h = 0; h < x_.terms; ++h) {
        kernels_.codes_each(x_.run(h, first, count), codes + h * leading, largest);
      }
      std::vector<std::int64_t> exponents(static_cast<std::size_t>(count)), squares(exponents.size());
      for (std::int64_t l = 0; l < count; ++l) {
        exponents[static_cast<std::size_t>(l)] = is_idle(largest[l]) ? of_bad_lines : exponent(first + l);
      }
      kernels_.squares_each(codes, x_.terms, leading, count, exponents.data(), squares.data());
      for (std::int64_t l = 0; l < count; ++l) {
        if (!is_idle(largest[l])) settle(first + l, squares[static_cast<std::size_t>(l)]);
      }
      for (std::int64_t h = 0; keeps_ && h < x_.terms; ++h) {
        kernels_.magnitudes(codes + h * leading, count, found_.places.data() + first, 0, found_.all.row(h) + first);
      }
    });
  }

  const Operand& x_;
  const KernelSet& kernels_;
  const SumTestRequest& request_;
  const float longest_norm_;
  const bool keeps_;
  LineSums found_;
};

class SumTest {
 public:
  SumTest(const Operand (&operand)[2], const LineSums (&lines)[2], const KernelSet& kernels,
          const SumTestRequest& request)
      : operand_(operand),
        lines_(lines),
        kernels_(kernels),
        request_(request),
        terms_(operand[0].terms),
        packs_(packs_bytes(request.library)) {}

  SumTestFigures run() {
    const std::int64_t m = operand_[0].lines, n = operand_[1].lines, at_once = lines_at_once(request_, terms_);
    std::int32_t most = std::numeric_limits<std::int32_t>::min();
    Magnitudes some[2];
    const auto magnitudes = [&](int o, std::int64_t first, std::int64_t count) -> const Magnitudes& {
      if (lines_[o].all.bytes) return lines_[o].all;
      some[o] = magnitudes_of(o, first, count);
      return some[o];
    };
    const Magnitudes* columns = nullptr;
    for (std::int64_t i = 0; i < m; i += at_once) {
      const std::int64_t height = std::min(at_once, m - i);
      const Magnitudes& rows = magnitudes(0, i, height);
      for (std::int64_t j = 0; j < n; j += at_once) {
        const std::int64_t width = std::min(at_once, n - j);
        if (i == 0 || n > at_once) columns = &magnitudes(1, j, width);
        most = std::max(most, most_asked(rows, i, height, *columns, j, width));
      }
    }
    SumTestFigures figures{};
    figures.asked = most;
    for (int o = 0; o < 2; ++o) {
      const float largest = *std::max_element(lines_[o].norm.begin(), lines_[o].norm.end());
      figures.norm[o] = static_cast<std::int64_t>(std::max(largest, 0.0f));
      figures.shift[o] = static_cast<int>(*std::max_element(lines_[o].shift.begin(), lines_[o].shift.end()));
    }
    return figures;
  }

 private:
  Magnitudes magnitudes_of(int o, std::int64_t first, std::int64_t count) const {
    const Operand& x = operand_[o];
    Magnitudes result = room_for(x, count);
    const std::int64_t runs = result.along ? terms_ : count, length = result.along ? count : terms_;
    const std::int32_t* places = lines_[o].places.data() + first;
    host::for_parts(request_.threads, runs, [&](std::int64_t from, std::int64_t to) {
      std::vector<std::int16_t> codes(static_cast<std::size_t>(padded(length)));
      for (std::int64_t r = from; r < to; ++r) {
        kernels_.codes(result.along ? x.run(r, first, count) : x.run(first + r, 0, terms_), codes.data());
        kernels_.magnitudes(codes.data(), length, result.along ? places : nullptr, result.along ? 0 : places[r],
                            result.row(r));
      }
    });
    pack(o, count, result, request_);
    return result;
  }

  std::int32_t most_asked(const Magnitudes& rows, std::int64_t first_row, std::int64_t height,
                          const Magnitudes& columns, std::int64_t first_column, std::int64_t width) const {
    const int threads = request_.threads;
    const std::int64_t count[2] = {height, width};
    // Of packed operands those of the engine's own products.
    std::int64_t tile[2] = {std::min<std::int64_t>(height, packs_ ? 256 : 512),
                            std::min<std::int64_t>(width, packs_ ? 128 : 1024)};
    auto tiles = [&](int d) { return blocks(count[d], tile[d]); };
    // Some for each thread.
    while (tiles(0) * tiles(1) < 2 * threads && tile[0] * tile[1] > 128 * 128) {
      std::int64_t& longer = tile[0] > tile[1] ? tile[0] : tile[1];
      longer = padded((longer + 1) / 2);
    }
    // Rows a power of two apart would share cache sets.
    const std::int64_t leading = padded(tile[1]) + 16;
    const host::Workspace memory(threads * tile[0] * leading * std::int64_t{sizeof(std::int32_t)});
    auto* const sums = reinterpret_cast<std::int32_t*>(memory.data());
    std::vector<std::int32_t> most(static_cast<std::size_t>(threads), std::numeric_limits<std::int32_t>::min());
    host::for_each(threads, tiles(0) * tiles(1), [&](std::int64_t t, int thread) {
      const std::int64_t row = t / tiles(1) * tile[0], column = t % tiles(1) * tile[1];
      const std::int64_t own_rows = std::min(tile[0], height - row), own_columns = std::min(tile[1], width - column);
      std::int32_t* own = sums + thread * tile[0] * leading;
      if (packs_) {
        multiply_packed_bytes(own_rows, own_columns, terms_, terms_, rows.packed_from(row), columns.packed_from(column),
                              own, leading);
      } else {
        multiply_bytes(request_.library, own_rows, own_columns, terms_, rows.from<std::uint8_t>(row, true),
                       columns.from<std::int8_t>(column, false), own, leading);
      }
      const float* sigma = lines_[1].norm.data() + first_column + column;
      std::int32_t own_most = most[static_cast<std::size_t>(thread)];
      for (std::int64_t r = 0; r < own_rows; ++r) {
        const float rho = lines_[0].norm[static_cast<std::size_t>(first_row + row + r)];
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
  const LineSums (&lines_)[2];
  const KernelSet& kernels_;
  const SumTestRequest& request_;
  std::int64_t terms_;
  bool packs_;
};

}  // namespace

LineSums line_sums(int operand, const Operand& x, const KernelSet& kernels, const SumTestRequest& request) {
  return Look(operand, x, kernels, request).take();
}

SumTestFigures sum_test(const Operand (&operand)[2], const LineSums (&lines)[2], const KernelSet& kernels,
                        const SumTestRequest& request) {
  return SumTest(operand, lines, kernels, request).run();
}

}  // namespace hilo::modular
