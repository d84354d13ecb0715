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

struct RealLine {
  using Element = dd_real;
  static constexpr int vectors = HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64 ? 8 : 4;
  explicit HWY_INLINE RealLine(bool) {}

  static HWY_INLINE dd load_in_passing(const dd_real* line) { return Lanes::load_in_passing(line); }
  HWY_INLINE void add(dd& sum, dd a, dd factor) const { sum = step(sum, a, factor); }
};

struct ComplexLine {
  using Element = dd_complex;
  static constexpr int vectors = RealLine::vectors / 2;
  real sign;  // of imaginary parts
  explicit HWY_INLINE ComplexLine(bool conjugate) : sign(Lanes::literal(conjugate ? -0.0 : 0.0)) {}

  static HWY_INLINE Complex load_in_passing(const dd_complex* line) {
    HWY_UNROLL(8)
    for (std::int64_t i = 0; i < lanes; i += 2) __builtin_prefetch(line + 32 + i);
    return load(line);
  }
  HWY_INLINE void add(Complex& sum, Complex a, const Complex& factor) const {
    a.im = {hn::Xor(a.im.hi, sign), hn::Xor(a.im.lo, sign)};
    sum.re = step(sum.re, a.re, factor.re);
    sum.im = step(sum.im, a.re, factor.im);
    sum.re = step(sum.re, Lanes::negate(a.im), factor.im);
    sum.im = step(sum.im, a.im, factor.re);
  }
};

HWY_INLINE dd broadcast(dd_real x) { return Lanes::broadcast(x); }

// Elements i … of all lines, as many as `count` vectors have.
template <class Line, int count>
HWY_INLINE void add_lines_at(const LineTerms<typename Line::Element>& p, std::int64_t i) {
  const Line line(p.conjugate);
  decltype(load(p.sums)) sum[count];
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) sum[v] = load(p.sums + i + v * lanes);
  for (std::int64_t k = 0; k < p.count; ++k) {
    const auto factor = broadcast(p.factors[k]);
    HWY_UNROLL(8)
    for (int v = 0; v < count; ++v)
      line.add(sum[v], Line::load_in_passing(p.lines + k * p.apart + i + v * lanes), factor);
  }
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) store(sum[v], p.sums + i + v * lanes);
}

template <class Line>
void add_lines(const LineTerms<typename Line::Element>& p) {
  using T = typename Line::Element;
  std::int64_t i = 0;
  for (; i + Line::vectors * lanes <= p.n; i += Line::vectors * lanes) add_lines_at<Line, Line::vectors>(p, i);
  for (; i + lanes <= p.n; i += lanes) add_lines_at<Line, 1>(p, i);
  if (i == p.n) return;
  // What is left of each line, in memory of its own.
  const std::int64_t left = p.n - i;
  const Line line(p.conjugate);
  T some[lanes] = {};
  std::copy_n(p.sums + i, left, some);
  auto sum = load(some);
  for (std::int64_t k = 0; k < p.count; ++k) {
    std::copy_n(p.lines + k * p.apart + i, left, some);
    line.add(sum, load(some), broadcast(p.factors[k]));
  }
  store(sum, some);
  std::copy_n(some, left, p.sums + i);
}

// Elements of a vector.
template <class T>
constexpr int side = static_cast<int>(lanes * sizeof(double) / sizeof(T));

// The square of as many rows and columns as a vector has elements, turned.
template <int n>
HWY_INLINE void turn_square(const double* from, std::int64_t apart, real (&column)[n]) {
#if HWY_TARGET != HWY_SCALAR
  const Lanes::Tag d;
  const auto row = [&](int i) { return hn::LoadU(d, from + i * apart); };
  if constexpr (n == 2) {
    const real a = row(0), b = row(1);
    column[0] = hn::ConcatLowerLower(d, b, a);
    column[1] = hn::ConcatUpperUpper(d, b, a);
  } else {
    const real a = row(0), b = row(1), c = row(2), e = row(3);
    const auto two_columns = [&](real even, real odd, int k) {
      column[k] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even);
      column[k + 1] = hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even));
    };
    two_columns(hn::ConcatLowerLower(d, c, a), hn::ConcatLowerLower(d, e, b), 0);
    two_columns(hn::ConcatUpperUpper(d, c, a), hn::ConcatUpperUpper(d, e, b), 2);
  }
#endif
}

// Element k of rows that lie `apart`, in the order of Lanes::load.
HWY_INLINE dd load_column(std::int64_t rows, const dd_real* from, std::int64_t apart) {
  dd_real some[lanes] = {};
  for (std::int64_t r = 0; r < rows; ++r) some[r] = from[r * apart];
  return load(some);
}

// Rows i …, as many as `count` vectors have; factor k is of column k, or p.count − 1 − k where backward.
template <bool backward, int count>
HWY_INLINE void add_rows_at(const LineTerms<dd_real>& p, std::int64_t i) {
  dd sum[count];
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) sum[v] = load(p.sums + i + v * lanes);
  std::int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr int n = side<dd_real>;
  if constexpr (n > 1) {
    constexpr std::int64_t ahead = 16;
    for (; k + n <= p.count; k += n) {
      HWY_UNROLL(8)
      for (int v = 0; v < count; ++v) {
        const dd_real* const from = p.lines + (i + v * lanes) * p.apart + (backward ? p.count - n - k : k);
        HWY_UNROLL(8)
        for (std::int64_t r = 0; r < lanes; ++r) {
          __builtin_prefetch(from + r * p.apart + (backward ? -ahead : ahead));
        }
        real upper[n], lower[n];
        turn_square<n>(reinterpret_cast<const double*>(from), 2 * p.apart, upper);
        turn_square<n>(reinterpret_cast<const double*>(from + n * p.apart), 2 * p.apart, lower);
        HWY_UNROLL(4)
        for (int c = 0; c < n; ++c) {
          const int at = backward ? n - 1 - c : c;
          const dd a = {hn::InterleaveLower(Lanes::Tag(), upper[at], lower[at]),
                        hn::InterleaveUpper(Lanes::Tag(), upper[at], lower[at])};
          sum[v] = step(sum[v], a, broadcast(p.factors[k + c]));
        }
      }
    }
  }
#endif
  for (; k < p.count; ++k) {
    HWY_UNROLL(8)
    for (int v = 0; v < count; ++v) {
      const std::int64_t at = backward ? p.count - 1 - k : k;
      const dd a = load_column(lanes, p.lines + (i + v * lanes) * p.apart + at, p.apart);
      sum[v] = step(sum[v], a, broadcast(p.factors[k]));
    }
  }
  HWY_UNROLL(8)
  for (int v = 0; v < count; ++v) store(sum[v], p.sums + i + v * lanes);
}

template <bool backward>
void add_rows(const LineTerms<dd_real>& p) {
  constexpr int vectors = RealLine::vectors;
  std::int64_t i = 0;
  for (; i + vectors * lanes <= p.n; i += vectors * lanes) add_rows_at<backward, vectors>(p, i);
  for (; i + lanes <= p.n; i += lanes) add_rows_at<backward, 1>(p, i);
  if (i == p.n) return;
  const std::int64_t left = p.n - i;
  dd_real some[lanes] = {};
  std::copy_n(p.sums + i, left, some);
  dd sum = load(some);
  for (std::int64_t k = 0; k < p.count; ++k) {
    const std::int64_t at = backward ? p.count - 1 - k : k;
    sum = step(sum, load_column(left, p.lines + i * p.apart + at, p.apart), broadcast(p.factors[k]));
  }
  store(sum, some);
  std::copy_n(some, left, p.sums + i);
}

template <int n>
void turn_complex(std::int64_t rows, std::int64_t columns, const dd_complex* from, std::int64_t apart, dd_complex* to,
                  std::int64_t to_apart) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (n > 1) {
    for (; i + n <= rows; i += n) {
      std::int64_t k = 0;
      for (; k + n <= columns; k += n) {
        const dd_complex* const square = from + i * apart + k;
        // What is right of it comes next.
        for (int r = 0; r < n; ++r) __builtin_prefetch(square + r * apart + columns);
        real column[n];
        turn_square<n>(reinterpret_cast<const double*>(square), 4 * apart, column);
        for (int c = 0; c < n; ++c) {
          hn::StoreU(column[c], Lanes::Tag(), reinterpret_cast<double*>(to + (k + c) * to_apart + i));
        }
      }
      for (; k < columns; ++k) {
        for (int r = 0; r < n; ++r) to[k * to_apart + i + r] = from[(i + r) * apart + k];
      }
    }
  }
#endif
  for (; i < rows; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) to[k * to_apart + i] = from[i * apart + k];
  }
}

void close_sums(std::int64_t n, dd_real* sums, dd_real* totals) {
  for_vectors(
      n,
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
