// Sums and dot products on SIMD lanes, in the order of docs/array.md, which reduction.hpp computes on scalars.
// Included as lanes.hpp is.
#if defined(HILO_DD_REDUCTION_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_REDUCTION_KERNELS_HPP
#undef HILO_DD_REDUCTION_KERNELS_HPP
#else
#define HILO_DD_REDUCTION_KERNELS_HPP
#endif

#include <algorithm>
#include <cstdint>

#include "dd/elementwise_kernels.hpp"
#include "dd/kernels.hpp"
#include "dd/lanes.hpp"
#include "dd/reduction.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

// The terms of a reduction, one row of `columns` at a time.
struct DotTerms {
  const dd_real *x, *y;
  host::Ahead ahead = host::Ahead::nothing;

  HWY_INLINE DotTerms from(std::int64_t i) const { return {x + i, y + i, ahead}; }
  // What follows n terms from i on in memory is on its way.
  template <std::int64_t n>
  HWY_INLINE void expect(std::int64_t i) const {
    host::expect<n * sizeof(dd_real)>(ahead, x + i);
    if (x != y) host::expect<n * sizeof(dd_real)>(ahead, y + i);
  }
  HWY_INLINE Lanes::dd add_to(Lanes::dd sum, std::int64_t i) const {
    Lanes::dd a = Lanes::load(x + i), b = Lanes::load(y + i);
    return Lanes::gather(sum, Lanes::two_prod(a.hi, b.hi), a, b);
  }
};
// The same, y by its turn. What follows in y comes soon, or what follows in x, which other terms take.
template <Turn turn, bool expects_y>
struct TurnedTerms {
  static constexpr bool is_swapped = turn == Turn::im_re || turn == Turn::im_minus_re;
  static constexpr bool is_negated = turn == Turn::re_minus_im || turn == Turn::im_minus_re;
  const dd_real *x, *y;
  host::Ahead ahead;

  template <std::int64_t n>
  HWY_INLINE void expect(std::int64_t i) const {
    host::expect<n * sizeof(dd_real)>(ahead, (expects_y ? y : x) + i);
  }
  HWY_INLINE Lanes::dd add_to(Lanes::dd sum, std::int64_t i) const {
    const Lanes::dd a = Lanes::load(x + i), b = factor(i);
    return Lanes::gather(sum, Lanes::two_prod(a.hi, b.hi), a, b);
  }

  HWY_INLINE Lanes::dd factor(std::int64_t i) const {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (lanes > 2) {
      const Lanes::Tag d;
      const auto turned = [&](const double* words) {
        real z = hn::LoadU(d, words);
        if constexpr (is_swapped) z = hn::SwapAdjacentBlocks(z);
        if constexpr (is_negated) z = hn::Xor(z, hn::OddEvenBlocks(Lanes::literal(-0.0), Lanes::literal(0.0)));
        return z;
      };
      const auto* const words = reinterpret_cast<const double*>(y + i);
      return Lanes::interleave(turned(words), turned(words + lanes));
    }
#endif
    dd_real some[lanes];
    for (std::int64_t j = 0; j < lanes; ++j) {
      const dd_real z = y[is_swapped ? (i + j) ^ 1 : i + j];
      some[j] = is_negated && (i + j) % 2 == 1 ? -z : z;
    }
    return Lanes::load(some);
  }
};

struct SumTerms {
  const dd_real* x;
  host::Ahead ahead = host::Ahead::nothing;

  HWY_INLINE SumTerms from(std::int64_t i) const { return {x + i, ahead}; }
  template <std::int64_t n>
  HWY_INLINE void expect(std::int64_t i) const {
    host::expect<n * sizeof(dd_real)>(ahead, x + i);
  }
  HWY_INLINE Lanes::dd add_to(Lanes::dd sum, std::int64_t i) const {
    Lanes::dd a = Lanes::load(x + i);
    Lanes::dd t = Lanes::two_sum(sum.hi, a.hi);
    return {t.hi, (sum.lo + a.lo) + t.lo};
  }
};

struct MagnitudeTerms {
  const dd_real* x;
  host::Ahead ahead = host::Ahead::nothing;

  template <std::int64_t n>
  HWY_INLINE void expect(std::int64_t i) const {
    host::expect<n * sizeof(dd_real)>(ahead, x + i);
  }
  HWY_INLINE Lanes::dd add_to(Lanes::dd sum, std::int64_t i) const {
    Lanes::dd a = Lanes::load(x + i);
    const auto sign = hn::And(a.hi, hn::SignBit(Lanes::Tag()));
    Lanes::dd t = Lanes::two_sum(sum.hi, hn::Xor(a.hi, sign));
    return {t.hi, (sum.lo + hn::Xor(a.lo, sign)) + t.lo};
  }
};

// Columns are in the order in which Lanes::load leaves the elements.
static_assert(sizeof(ColumnSums) == 2 * columns * sizeof(double));
HWY_INLINE Lanes::dd load(const ColumnSums& sums, std::int64_t j) {
  return {hn::Load(Lanes::Tag(), sums.hi + j), hn::Load(Lanes::Tag(), sums.lo + j)};
}
HWY_INLINE void store(ColumnSums& sums, Lanes::dd x, std::int64_t j) {
  hn::Store(x.hi, Lanes::Tag(), sums.hi + j);
  hn::Store(x.lo, Lanes::Tag(), sums.lo + j);
}
void clear(ColumnSums& sums) { sums = {}; }

// Adds `rows` rows, a group of columns at a time whose sums fit the registers.
template <class Terms>
HWY_INLINE void add_rows(std::int64_t rows, Terms terms, ColumnSums& sums) {
  constexpr std::int64_t vectors = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64 ? 8 : 4;
  constexpr std::int64_t group = std::min<std::int64_t>(vectors * lanes, columns);
  // Several groups pass over the same few rows, so that these come from the nearest cache.
  constexpr std::int64_t block = group == columns ? chunk_rows : 8;
  for (std::int64_t first = 0; first < rows; first += block) {
    std::int64_t last = std::min(first + block, rows);
    for (std::int64_t j = 0; j < columns; j += group) {
      Lanes::dd sum[group / lanes];
      HWY_UNROLL(8)
      for (std::int64_t v = 0; v < group / lanes; ++v) sum[v] = load(sums, j + v * lanes);
      for (std::int64_t row = first; row < last; ++row) {
        terms.template expect<group>(row * columns + j);
        HWY_UNROLL(8)
        for (std::int64_t v = 0; v < group / lanes; ++v) {
          Lanes::dd next = terms.add_to(sum[v], row * columns + j + v * lanes);
          sum[v] = Lanes::fast_two_sum(next.hi, next.lo);
        }
      }
      HWY_UNROLL(8)
      for (std::int64_t v = 0; v < group / lanes; ++v) store(sums, sum[v], j + v * lanes);
    }
  }
}

// The sum of all columns. Columns from n on are zero, and adding zero changes nothing.
dd_real fold(ColumnSums& sums, std::int64_t n) {
  std::int64_t half = columns / 2;
  for (; half >= lanes; half /= 2) {
    if (half >= n) continue;
    for (std::int64_t j = 0; j < half; j += lanes) {
      store(sums, Lanes::add_finite(load(sums, j), load(sums, j + half)), j);
    }
  }
  dd_real value[lanes];
  Lanes::store(load(sums, 0), value);
  return add_halves(value, lanes);
}

// total = total + part(j), or part(j) for the first, in all columns.
template <class Part>
HWY_INLINE void add_columns(bool is_first, ColumnSums& total, Part part) {
  for (std::int64_t j = 0; j < columns; j += lanes) {
    store(total, is_first ? part(j) : Lanes::add_finite(load(total, j), part(j)), j);
  }
}

template <class Terms>
dd_real reduce(std::int64_t n, Terms terms, Terms last_row) {
  if (n == 0) return 0;
  ColumnSums total, partial, chunk;
  std::int64_t rows = (n + columns - 1) / columns;
  for (std::int64_t super = 0; super < rows; super += superchunk_rows) {
    std::int64_t super_end = std::min(super + superchunk_rows, rows);
    for (std::int64_t first = super; first < super_end; first += chunk_rows) {
      clear(chunk);
      std::int64_t last = std::min(first + chunk_rows, super_end);
      add_rows(std::min(last, n / columns) - first, terms.from(first * columns), chunk);
      if (last * columns > n) add_rows(1, last_row, chunk);
      add_columns(first == super, partial, [&](std::int64_t j) {
        Lanes::dd sum = load(chunk, j);
        return Lanes::two_sum(sum.hi, sum.lo);
      });
    }
    add_columns(super == 0, total, [&](std::int64_t j) { return load(partial, j); });
  }
  return fold(total, n);
}

// What is left of x after whole rows, and zeros.
struct LastRow {
  dd_real x[columns] = {};
  LastRow(std::int64_t n, const dd_real* from) { std::copy_n(from + n / columns * columns, n % columns, x); }
};

dd_real sum(std::int64_t n, const dd_real* x) {
  LastRow last(n, x);
  return reduce(n, SumTerms{x, ahead_of(1, n)}, SumTerms{last.x});
}

dd_real dot(std::int64_t n, const dd_real* x, const dd_real* y) {
  LastRow last_x(n, x), last_y(n, y);
  return reduce(n, DotTerms{x, y, ahead_of(2, n)}, DotTerms{last_x.x, last_y.x});
}

void close_columns(ColumnSums& sums) {
  for (std::int64_t j = 0; j < columns; j += lanes) {
    const Lanes::dd sum = load(sums, j);
    store(sums, Lanes::two_sum(sum.hi, sum.lo), j);
  }
}

// The columns of at most a chunk's terms, closed.
template <class Terms>
HWY_INLINE void sum_chunk(std::int64_t n, Terms terms, Terms last_row, ColumnSums& sums) {
  clear(sums);
  add_rows(n / columns, terms, sums);
  if (n % columns != 0) add_rows(1, last_row, sums);
  close_columns(sums);
}

void dot_chunk(std::int64_t n, const dd_real* x, const dd_real* y, host::Ahead ahead, ColumnSums& sums) {
  const LastRow last_x(n, x), last_y(n, y);
  sum_chunk(n, DotTerms{x, y, ahead}, DotTerms{last_x.x, last_y.x}, sums);
}

// Few rows at a time, so that those of the second sum come from the nearest cache; as many as the second sum asks for
// in y before the first one takes them.
template <Turn re, Turn im>
void sum_complex_chunk(std::int64_t n, const dd_real* x, const dd_real* y, host::Ahead ahead, ColumnSums (&sums)[2]) {
  constexpr std::int64_t block = 4;
  static_assert(block * columns * sizeof(dd_real) <= host::ahead_bytes);
  const LastRow last_x(n, x), last_y(n, y);
  const auto add = [&](std::int64_t rows, const dd_real* left, const dd_real* right) {
    add_rows(rows, TurnedTerms<re, false>{left, right, ahead}, sums[0]);
    add_rows(rows, TurnedTerms<im, true>{left, right, ahead}, sums[1]);
  };
  clear(sums[0]);
  clear(sums[1]);
  for (std::int64_t row = 0; row < n / columns; row += block) {
    add(std::min(block, n / columns - row), x + row * columns, y + row * columns);
  }
  if (n % columns != 0) add(1, last_x.x, last_y.x);
  close_columns(sums[0]);
  close_columns(sums[1]);
}

void complex_dot_chunk(std::int64_t n, const dd_real* x, const dd_real* y, bool conjugate, host::Ahead ahead,
                       ColumnSums (&sums)[2]) {
  if (conjugate) {
    sum_complex_chunk<Turn::re_im, Turn::im_minus_re>(n, x, y, ahead, sums);
  } else {
    sum_complex_chunk<Turn::re_minus_im, Turn::im_re>(n, x, y, ahead, sums);
  }
}

void magnitude_chunk(std::int64_t n, const dd_real* x, host::Ahead ahead, ColumnSums& sums) {
  LastRow last(n, x);
  sum_chunk(n, MagnitudeTerms{x, ahead}, MagnitudeTerms{last.x}, sums);
}

void add_to_columns(ColumnSums& total, const ColumnSums& part) {
  add_columns(false, total, [&](std::int64_t j) { return load(part, j); });
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
