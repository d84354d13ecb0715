#include "solve/cpu/kernels.hpp"

#include <algorithm>
#include <cmath>

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solve/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/kernel_sets.hpp"
#include "solve/cpu/sums.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::solver::HWY_NAMESPACE {
namespace {

constexpr Lanes::Tag tag;
constexpr std::int64_t lanes = HWY_LANES(double);

// A block of the matrix on its way through a cache, a column's words side by side, which all lines are multiplied by.
constexpr std::int64_t block_rows = 2048, block_columns = 2;
struct Block {
  alignas(64) double hi[block_columns * block_rows];
  alignas(64) double lo[block_columns * block_rows];
};
static_assert(block_rows % row_padding == 0 && row_padding % (4 * lanes) == 0);

// The block that comes next: while one is multiplied, it is on its way to a cache.
struct Next {
  const double* hi;
  const double* lo;
  std::int64_t row_stride, column_stride;

  Next(const WordProducts& p, std::int64_t i, std::int64_t j)
      : hi(p.hi), lo(p.row_stride == 2 ? nullptr : p.lo), row_stride(p.row_stride), column_stride(p.column_stride) {
    const bool is_below = j + block_columns >= p.columns;
    const std::int64_t at =
        is_below ? (i + block_rows) * row_stride : i * row_stride + (j + block_columns) * column_stride;
    hi = behind(hi, at);
    if (lo) lo = behind(lo, at);
  }
  // A vector of rows of a column.
  HWY_INLINE void expect(std::int64_t r, std::int64_t c) const {
    const std::int64_t at = r * row_stride + c * column_stride;
    if (row_stride <= 2) {
      expect(hi, at);
      if (row_stride == 2) expect(hi, at + lanes);
      if (lo) expect(lo, at);
    } else if (c == 0) {
      for (std::int64_t k = 0; k < lanes; ++k) {
        expect(hi, at + k * row_stride);
        if (lo) expect(lo, at + k * row_stride);
      }
    }
  }

 private:
  // No pointer, which may lie behind the matrix.
  static HWY_INLINE const double* behind(const double* x, std::int64_t at) {
    return reinterpret_cast<const double*>(reinterpret_cast<std::uintptr_t>(x) +
                                           static_cast<std::uintptr_t>(at) * sizeof(double));
  }
  static HWY_INLINE void expect(const double* x, std::int64_t at) { __builtin_prefetch(behind(x, at), 0, 2); }
};

// Where entries of a column lie: words in neighbouring places, entries in neighbouring places, or anyhow.
struct Planar {
  static HWY_INLINE dd load(const double* hi, const double* lo, std::int64_t) {
    return {hn::LoadU(tag, hi), lo ? hn::LoadU(tag, lo) : hn::Zero(tag)};
  }
};
// What lies behind hi is lo, or not asked for.
struct Paired {
  static HWY_INLINE dd load(const double* hi, const double*, std::int64_t) {
    dd x;
    hn::LoadInterleaved2(tag, hi, x.hi, x.lo);
    return x;
  }
};
struct Strided {
  static HWY_INLINE real load(const double* x, std::int64_t stride) {
    alignas(64) double some[lanes];
    HWY_UNROLL(8)
    for (std::int64_t i = 0; i < lanes; ++i) some[i] = x[i * stride];
    return hn::Load(tag, some);
  }
  static HWY_INLINE dd load(const double* hi, const double* lo, std::int64_t stride) {
    return {load(hi, stride), lo ? load(lo, stride) : hn::Zero(tag)};
  }
};

// Entries [i …] × [j …] of the matrix, and zeros below.
template <class Entries>
HWY_INLINE void load_block(const WordProducts& p, std::int64_t i, std::int64_t j, std::int64_t rows,
                           std::int64_t columns, Block& block) {
  const bool has_scales = p.row_scales != nullptr;
  const std::int64_t step = lanes * p.row_stride;
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t at = i * p.row_stride + (j + c) * p.column_stride;
    const double *hi = p.hi + at, *lo = p.lo ? p.lo + at : nullptr;
    double *to_hi = block.hi + c * block_rows, *to_lo = block.lo + c * block_rows;
    const real of_column = Lanes::literal(has_scales ? p.column_scales[j + c] : 1.0);
    const auto put = [&](dd x, std::int64_t r) HWY_ATTR {
      if (has_scales) {
        const real scale = of_column * hn::LoadU(tag, p.row_scales + i + r);
        x = {Lanes::mul(x.hi, scale), Lanes::mul(x.lo, scale)};
      }
      hn::Store(x.hi, tag, to_hi + r);
      hn::Store(x.lo, tag, to_lo + r);
    };
    std::int64_t r = 0;
    for (; r + lanes <= rows; r += lanes) {
      put(Entries::load(hi, lo, p.row_stride), r);
      hi += step;
      if (lo) lo += step;
    }
    for (; r < rows; ++r) {
      const double scale = has_scales ? p.column_scales[j + c] * p.row_scales[i + r] : 1.0;
      to_hi[r] = *hi * scale;
      to_lo[r] = lo ? *lo * scale : 0.0;
      hi += p.row_stride;
      if (lo) lo += p.row_stride;
    }
    for (; r % row_padding != 0; ++r) to_hi[r] = to_lo[r] = 0.0;
  }
}

void load_block(const WordProducts& p, std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns,
                Block& block) {
  if (p.row_stride == 1) {
    load_block<Planar>(p, i, j, rows, columns, block);
  } else if (p.row_stride == 2 && (!p.lo || p.lo == p.hi + 1)) {
    load_block<Paired>(p, i, j, rows, columns, block);
  } else {
    load_block<Strided>(p, i, j, rows, columns, block);
  }
}

// Rows of `Vectors` vectors by `Lines` lines: as many chains as hide the latency of one.
template <int Words, bool HasLow, int Vectors, int Lines>
HWY_INLINE void multiply_rows(const WordProducts& p, const Block& block, const WordLine* line, std::int64_t i,
                              std::int64_t r, std::int64_t j, std::int64_t columns, const Next* next) {
  constexpr int Chains = Vectors * Lines;
  Sums<Words, Chains> sum;
  double* place[Chains];
  HILO_EACH {
    place[k] = line[k / Vectors].sums + i + r + k % Vectors * lanes;
    HWY_UNROLL(8)
    for (int w = 0; w < Words; ++w) sum.word[w][k] = hn::LoadU(tag, place[k] + w * p.pitch);
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t at = c * block_rows + r;
    if (next) {
      for (std::int64_t v = 0; v < Vectors; ++v) next->expect(r + v * lanes, c);
    }
    real hi[Chains], x_hi[Chains], x_lo[Chains];
    HILO_EACH {
      hi[k] = hn::Load(tag, block.hi + at + k % Vectors * lanes);
      x_hi[k] = hn::Set(tag, line[k / Vectors].x_hi[j + c]);
      x_lo[k] = hn::Set(tag, line[k / Vectors].x_lo[j + c]);
    }
    if constexpr (HasLow) {
      real lo[Chains];
      HILO_EACH lo[k] = hn::Load(tag, block.lo + at + k % Vectors * lanes);
      sum.add_product(hi, lo, x_hi, x_lo);
    } else {
      sum.add_product(hi, x_hi, x_lo);
    }
  }
  HILO_EACH {
    HWY_UNROLL(8)
    for (int w = 0; w < Words; ++w) hn::StoreU(sum.word[w][k], tag, place[k] + w * p.pitch);
  }
}

template <int Words, bool HasLow, int Vectors, int Lines>
HWY_INLINE void multiply_block(const WordProducts& p, const Block& block, const WordLine* line, std::int64_t i,
                               std::int64_t rows, std::int64_t j, std::int64_t columns) {
  const Next next(p, i, j);
  for (std::int64_t r = 0; r < rows; r += Vectors * lanes) {
    multiply_rows<Words, HasLow, Vectors, Lines>(p, block, line, i, r, j, columns, line == p.lines ? &next : nullptr);
  }
}

// f(i, rows, j, columns) on the blocks of a matrix, each loaded.
template <class F>
HWY_INLINE void for_blocks(const WordProducts& p, Block& block, F f) {
  for (std::int64_t i = 0; i < p.rows; i += block_rows) {
    const std::int64_t rows = std::min(block_rows, p.rows - i);
    for (std::int64_t j = 0; j < p.columns; j += block_columns) {
      const std::int64_t columns = std::min(block_columns, p.columns - j);
      load_block(p, i, j, rows, columns, block);
      f(i, rows, j, columns);
    }
  }
}

template <int Words, bool HasLow>
void add_products(const WordProducts& p) {
  // As the registers of a CPU hold.
  constexpr int chains = Words <= 4 && (HWY_MAX_BYTES == 64 || HWY_ARCH_ARM_A64) ? 4 : 2;
  Block block;
  for_blocks(p, block, [&](std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) HWY_ATTR {
    std::int64_t l = 0;
    for (; l + 2 <= p.count; l += 2) {
      multiply_block<Words, HasLow, chains / 2, 2>(p, block, p.lines + l, i, rows, j, columns);
    }
    if (l < p.count) multiply_block<Words, HasLow, chains, 1>(p, block, p.lines + l, i, rows, j, columns);
  });
}

template <int Words>
void add_products(const WordProducts& p) {
  p.lo ? add_products<Words, true>(p) : add_products<Words, false>(p);
}

void add_magnitudes(const WordProducts& p) {
  Block block;
  for_blocks(p, block, [&](std::int64_t i, std::int64_t rows, std::int64_t j, std::int64_t columns) HWY_ATTR {
    const Next next(p, i, j);
    for (const WordLine* line = p.lines; line != p.lines + p.count; ++line) {
      for (std::int64_t r = 0; r < rows; r += lanes) {
        real sum = hn::LoadU(tag, line->sums + i + r);
        for (std::int64_t c = 0; c < columns; ++c) {
          if (line == p.lines) next.expect(r, c);
          const real size = hn::Abs(hn::Load(tag, block.hi + c * block_rows + r));
          sum = sum + Lanes::mul(size, hn::Set(tag, line->x_hi[j + c]));
        }
        hn::StoreU(sum, tag, line->sums + i + r);
      }
    }
  });
}

// A vector of entries of a column, of no low words where it has one word of each.
HWY_INLINE dd entries_of(const double* x, std::int64_t words) {
  return words == 1 ? Planar::load(x, nullptr, 1) : Paired::load(x, nullptr, 2);
}

Entries find_largest(const MatrixInPlace& a, std::int64_t first, std::int64_t last, double* largest) {
  real rest = hn::Zero(tag), low = hn::Zero(tag);
  double other_rest = 0.0, other_low = 0.0;
  // As many streams as are read fastest.
  constexpr std::int64_t most_columns = 4;
  for (std::int64_t j = first; j < last; j += most_columns) {
    const std::int64_t columns = std::min(most_columns, last - j);
    std::int64_t i = 0;
    for (; i + lanes <= a.rows; i += lanes) {
      real most = hn::LoadU(tag, largest + i);
      for (std::int64_t c = 0; c < columns; ++c) {
        const dd x = entries_of(a.column(j + c) + i * a.words, a.words);
        const real size = hn::Abs(x.hi);
        most = hn::Max(most, size);
        rest = rest + (size - size) + (x.lo - x.lo);
        low = hn::Or(low, x.lo);
      }
      hn::StoreU(most, tag, largest + i);
    }
    for (; i < a.rows; ++i) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const double* const x = a.column(j + c) + i * a.words;
        const double size = std::fabs(x[0]);
        largest[i] = std::max(largest[i], size);
        other_rest += size - size;
        if (a.words == 1) continue;
        other_rest += x[1] - x[1];
        if (x[1] != 0.0) other_low = 1.0;
      }
    }
  }
  const bool are_finite = other_rest == 0.0 && hn::AllTrue(tag, rest == hn::Zero(tag));
  return {are_finite, other_low != 0.0 || !hn::AllTrue(tag, low == hn::Zero(tag))};
}

double largest_of_column(const MatrixInPlace& a, std::int64_t j, const double* row_scales) {
  const double* const x = a.column(j);
  real most = hn::Zero(tag);
  double other = 0.0;
  std::int64_t i = 0;
  for (; i + lanes <= a.rows; i += lanes) {
    const real size = hn::Abs(entries_of(x + i * a.words, a.words).hi);
    most = hn::Max(most, Lanes::mul(size, hn::LoadU(tag, row_scales + i)));
  }
  for (; i < a.rows; ++i) other = std::max(other, std::fabs(x[i * a.words]) * row_scales[i]);
  alignas(64) double some[lanes];
  hn::Store(most, tag, some);
  return std::max(other, *std::max_element(some, some + lanes));
}

void put_leading(const MatrixInPlace& a, std::int64_t j, const double* row_scales, double scale, double* to) {
  const double* const x = a.column(j);
  const real of_column = Lanes::literal(scale);
  std::int64_t i = 0;
  for (; i + lanes <= a.rows; i += lanes) {
    const real of_entry = Lanes::mul(of_column, hn::LoadU(tag, row_scales + i));
    hn::StoreU(Lanes::mul(entries_of(x + i * a.words, a.words).hi, of_entry), tag, to + i);
  }
  for (; i < a.rows; ++i) to[i] = x[i * a.words] * (scale * row_scales[i]);
}

}  // namespace

const KernelSet* kernels() {
  static const KernelSet set = {
      hwy::TargetName(HWY_TARGET),
      {nullptr, nullptr, add_products<2>, add_products<3>, add_products<4>, nullptr, add_products<6>},
      add_magnitudes,
      find_largest,
      largest_of_column,
      put_leading};
  return &set;
}

}  // namespace hilo::solver::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::solver {

HWY_EXPORT(kernels);

const KernelSet& kernel_set(std::string_view target) {
  // Never destroyed: destructors of static objects may still compute.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return detail::kernel_set_of_name(sets, target);
}

}  // namespace hilo::solver
#endif
