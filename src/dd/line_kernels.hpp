// Sums over lines of a matrix, each line times a number, on SIMD lanes: one sum an element of a line, by the steps of
// `dot`. Included as lanes.hpp is.
#if defined(HILO_DD_LINE_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_LINE_KERNELS_HPP
#undef HILO_DD_LINE_KERNELS_HPP
#else
#define HILO_DD_LINE_KERNELS_HPP
#endif

#include <algorithm>
#include <cstdint>

#include "dd/complex_kernels.hpp"
#include "dd/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

HWY_INLINE dd step(dd sum, dd a, dd b) {
  const dd next = Lanes::gather(sum, Lanes::two_prod(a.hi, b.hi), a, b);
  return Lanes::fast_two_sum(next.hi, next.lo);
}

// Blocks of two words in a vector.
constexpr int blocks = std::max<int>(lanes / 2, 1);

// Block k of each row into column k.
HWY_INLINE void turn_blocks([[maybe_unused]] const real (&row)[blocks], [[maybe_unused]] real (&column)[blocks]) {
#if HWY_TARGET != HWY_SCALAR
  [[maybe_unused]] const Lanes::Tag d;
  if constexpr (blocks == 2) {
    column[0] = hn::ConcatLowerLower(d, row[1], row[0]);
    column[1] = hn::ConcatUpperUpper(d, row[1], row[0]);
  } else if constexpr (blocks == 4) {
    const auto two_columns = [&](real even, real odd, int k) {
      column[k] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even);
      column[k + 1] = hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even));
    };
    two_columns(hn::ConcatLowerLower(d, row[2], row[0]), hn::ConcatLowerLower(d, row[3], row[1]), 0);
    two_columns(hn::ConcatUpperUpper(d, row[2], row[0]), hn::ConcatUpperUpper(d, row[3], row[1]), 2);
  }
#endif
}

// Lines of a matrix: how an element is added, and how columns of as many rows as there are lanes are loaded, in the
// order of load().
struct RealLine {
  using Element = dd_real;
  using Vector = dd;
  // Sums at a time: a step takes about three times as long to end as to begin.
  static constexpr int vectors = 4;
  static constexpr int columns = blocks;

  struct Factor {
    dd x;
    HWY_INLINE Factor(dd_real f, bool) : x(Lanes::broadcast(f)) {}
  };
  static HWY_INLINE void add(dd& sum, dd a, const Factor& f) { sum = step(sum, a, f.x); }

  static HWY_INLINE void load_columns(const dd_real* from, std::int64_t apart, dd (&column)[columns]) {
    real row[2][blocks], turned[2][blocks];
    for (int r = 0; r < 2 * blocks; ++r) {
      row[r / blocks][r % blocks] = hn::LoadU(Lanes::Tag(), reinterpret_cast<const double*>(from + r * apart));
    }
    turn_blocks(row[0], turned[0]);
    turn_blocks(row[1], turned[1]);
    for (int k = 0; k < columns; ++k) column[k] = interleave(turned[0][k], turned[1][k]);
  }
};

struct ComplexLine {
  using Element = dd_complex;
  using Vector = Complex;
  static constexpr int vectors = 2;
  static constexpr int columns = std::max(blocks / 2, 1);

  // The factors of Im a in sums of real and of imaginary parts have the sign that it has itself.
  struct Factor {
    Complex x;
    dd re_by_im, im_by_im;
    HWY_INLINE Factor(dd_complex f, bool conjugate)
        : x(broadcast(f)),
          re_by_im(Lanes::broadcast(conjugate ? f.im : -f.im)),
          im_by_im(Lanes::broadcast(conjugate ? -f.re : f.re)) {}
  };
  static HWY_INLINE void add(Complex& sum, const Complex& a, const Factor& f) {
    sum.re = step(sum.re, a.re, f.x.re);
    sum.im = step(sum.im, a.re, f.x.im);
    sum.re = step(sum.re, a.im, f.re_by_im);
    sum.im = step(sum.im, a.im, f.im_by_im);
  }

  static HWY_INLINE void load_columns(const dd_complex* from, std::int64_t apart, Complex (&column)[columns]) {
    real hi[blocks], lo[blocks], turned_hi[blocks], turned_lo[blocks];
    for (int pair = 0; pair < blocks; ++pair) {
      const dd_complex* const row = from + (pair % 2 * 2 * columns + pair / 2) * apart;
      const real first = hn::LoadU(Lanes::Tag(), reinterpret_cast<const double*>(row));
      const real second = hn::LoadU(Lanes::Tag(), reinterpret_cast<const double*>(row + columns * apart));
      const dd words = interleave(first, second);
      hi[pair] = words.hi, lo[pair] = words.lo;
    }
    turn_blocks(hi, turned_hi);
    turn_blocks(lo, turned_lo);
    for (int k = 0; k < columns; ++k) {
      column[k] = {{turned_hi[2 * k], turned_lo[2 * k]}, {turned_hi[2 * k + 1], turned_lo[2 * k + 1]}};
    }
  }
};

// What lies p.ahead bytes behind x is on its way: `count` lines of memory, `apart` elements from one to the next.
template <Reach reach, int count, class T>
HWY_INLINE void expect(const LineTerms<T>& p, const T* x, std::int64_t apart) {
  if constexpr (reach != Reach::here) {
    const auto from = reinterpret_cast<std::uintptr_t>(x) + static_cast<std::uintptr_t>(p.ahead);
    Lanes::expect<reach == Reach::nearest ? 3 : 2>(count, from, static_cast<std::uintptr_t>(apart) * sizeof(T));
  }
}

// Elements i … of all lines, as many as `count` vectors have.
template <class Line, int count, Reach reach>
HWY_INLINE void add_lines_at(const LineTerms<typename Line::Element>& p, std::int64_t i) {
  decltype(load(p.sums)) sum[count];
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) sum[v] = load(p.sums + i + v * lanes);
  for (std::int64_t k = 0; k < p.count; ++k) {
    const typename Line::Factor factor(p.factors[k], p.conjugate);
    const auto* const line = p.lines + k * p.apart + i;
    constexpr std::int64_t together = 64 / sizeof *line;
    expect<reach, (count * lanes + together - 1) / together>(p, line, together);
    HWY_UNROLL(8)
    for (int v = 0; v < count; ++v) Line::add(sum[v], load(line + v * lanes), factor);
  }
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) store(sum[v], p.sums + i + v * lanes);
}

// The same of all elements that whole vectors have, and how many these are.
template <class Line, Reach reach>
std::int64_t add_whole_vectors(const LineTerms<typename Line::Element>& p) {
  std::int64_t i = 0;
  for (; i + Line::vectors * lanes <= p.n; i += Line::vectors * lanes) add_lines_at<Line, Line::vectors, reach>(p, i);
  for (; i + lanes <= p.n; i += lanes) add_lines_at<Line, 1, reach>(p, i);
  return i;
}

template <class Line>
void add_lines(const LineTerms<typename Line::Element>& p) {
  using T = typename Line::Element;
  const std::int64_t i = p.reach == Reach::here   ? add_whole_vectors<Line, Reach::here>(p)
                         : p.reach == Reach::next ? add_whole_vectors<Line, Reach::next>(p)
                                                  : add_whole_vectors<Line, Reach::nearest>(p);
  if (i == p.n) return;
  // What is left of each line, in memory of its own.
  const std::int64_t left = p.n - i;
  T some[lanes] = {};
  std::copy_n(p.sums + i, left, some);
  auto sum = load(some);
  for (std::int64_t k = 0; k < p.count; ++k) {
    std::copy_n(p.lines + k * p.apart + i, left, some);
    Line::add(sum, load(some), typename Line::Factor(p.factors[k], p.conjugate));
  }
  store(sum, some);
  std::copy_n(some, left, p.sums + i);
}

// Element k of rows that lie `apart`.
template <class T>
HWY_INLINE auto load_column(std::int64_t rows, const T* from, std::int64_t apart) {
  T some[lanes] = {};
  for (std::int64_t r = 0; r < rows; ++r) some[r] = from[r * apart];
  return load(some);
}

// Rows i …, as many as `count` vectors have; factor k is of column k, or p.count − 1 − k where backward.
template <class Line, bool backward, Reach reach, int count>
HWY_INLINE void add_rows_at(const LineTerms<typename Line::Element>& p, std::int64_t i) {
  typename Line::Vector sum[count];
  HWY_UNROLL(4)
  for (int v = 0; v < count; ++v) sum[v] = load(p.sums + i + v * lanes);
  std::int64_t k = 0;
  if constexpr (blocks > 1) {
    constexpr int n = Line::columns;
    for (; k + n <= p.count; k += n) {
      // All that is turned comes first: so steps that wait for one another are far apart.
      typename Line::Vector column[count][n];
      HWY_UNROLL(4)
      for (int v = 0; v < count; ++v) {
        const auto* const from = p.lines + (i + v * lanes) * p.apart + (backward ? p.count - n - k : k);
        expect<reach, lanes>(p, from, p.apart);
        Line::load_columns(from, p.apart, column[v]);
      }
      HWY_UNROLL(4)
      for (int c = 0; c < n; ++c) {
        const typename Line::Factor factor(p.factors[k + c], p.conjugate);
        HWY_UNROLL(4)
        for (int v = 0; v < count; ++v) Line::add(sum[v], column[v][backward ? n - 1 - c : c], factor);
      }
    }
  }
  for (; k < p.count; ++k) {
    HWY_UNROLL(4)
    for (int v = 0; v < count; ++v) {
      const auto* const from = p.lines + (i + v * lanes) * p.apart + (backward ? p.count - 1 - k : k);
      Line::add(sum[v], load_column(lanes, from, p.apart), {p.factors[k], p.conjugate});
    }
  }
  HWY_UNROLL(4)
  for (int v = 0; v < count; ++v) store(sum[v], p.sums + i + v * lanes);
}

template <class Line, bool backward, Reach reach>
std::int64_t add_whole_rows(const LineTerms<typename Line::Element>& p) {
  // Few rows are few places in memory that are read at a time.
  constexpr int vectors = 2;
  std::int64_t i = 0;
  for (; i + vectors * lanes <= p.n; i += vectors * lanes) add_rows_at<Line, backward, reach, vectors>(p, i);
  for (; i + lanes <= p.n; i += lanes) add_rows_at<Line, backward, reach, 1>(p, i);
  return i;
}

template <class Line, bool backward>
void add_rows(const LineTerms<typename Line::Element>& p) {
  const std::int64_t i = p.reach == Reach::nearest ? add_whole_rows<Line, backward, Reach::nearest>(p)
                                                   : add_whole_rows<Line, backward, Reach::next>(p);
  if (i == p.n) return;
  const std::int64_t left = p.n - i;
  typename Line::Element some[lanes] = {};
  std::copy_n(p.sums + i, left, some);
  auto sum = load(some);
  for (std::int64_t k = 0; k < p.count; ++k) {
    const auto* const from = p.lines + i * p.apart + (backward ? p.count - 1 - k : k);
    Line::add(sum, load_column(left, from, p.apart), {p.factors[k], p.conjugate});
  }
  store(sum, some);
  std::copy_n(some, left, p.sums + i);
}

void close_sums(std::int64_t n, dd_real* sums, dd_real* totals) {
  for_vectors(
      host::Ahead::nothing, n,
      [](dd_real* from, dd_real* to) {
        const dd sum = load(from);
        store(Lanes::add_finite(load(to), Lanes::two_sum(sum.hi, sum.lo)), to);
        store(dd{Lanes::literal(0.0), Lanes::literal(0.0)}, from);
      },
      sums, totals);
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
