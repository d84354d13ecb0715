// The scan of operands on SIMD lanes: magnitudes, exponents, and the least sums of their deficits.
//
// For files that Highway's foreach_target.hpp compiles again and again.
#if defined(HILO_MODULAR_SCAN_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_MODULAR_SCAN_KERNELS_HPP
#undef HILO_MODULAR_SCAN_KERNELS_HPP
#else
#define HILO_MODULAR_SCAN_KERNELS_HPP
#endif

#include "gemm/modular/cpu/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::modular::HWY_NAMESPACE {
namespace {

// |RN(hi + lo)|, or |hi| alone; Inf for NaN.
HWY_INLINE Real magnitude_of_sum(Real x) {
  x = hn::Abs(x);
  return hn::IfThenElse(hn::Eq(x, x), x, hn::Set(f64, std::numeric_limits<double>::infinity()));
}

// The same of the larger part of an element, word by word.
template <class Load>
HWY_INLINE Real magnitude_of(const Run& run, Load load) {
  Real largest = hn::Zero(f64);
  for (int part = 0; part < run.parts; ++part) {
    Real x = load(part * run.words);
    if (run.words == 2) x = x + load(part * run.words + 1);
    largest = hn::Max(largest, magnitude_of_sum(x));
  }
  return largest;
}

// Of the v-th vector of neighbours.
HWY_INLINE Real magnitude_of_neighbours(const Run& run, const Blocks& blocks, int v) {
  if (HWY_LIKELY(blocks.is_packed())) {
    Real hi, lo;
    blocks.load_packed_neighbours(v, hi, lo);
    return magnitude_of_sum(hi + lo);
  }
  return magnitude_of(run, [&](int word) HWY_ATTR { return blocks.load_neighbours(v, word); });
}

// x · 2^shift, 0 where the shift leaves it out, Inf though it may be.
HWY_INLINE Real scaled_magnitude(Real x, Integer shift) {
  auto is_left_out = hn::Lt(shift, hn::Set(i64, leave_out / 2));
  return hn::IfThenElse(hn::RebindMask(f64, is_left_out), hn::Zero(f64), Scale(shift)(x));
}

// What magnitudes are taken together by, along a run or across runs.
struct Largest {
  static HWY_INLINE Real add(Real so_far, Real x) { return hn::Max(so_far, x); }
  static HWY_INLINE Real over_lanes(Real x) { return hn::MaxOfLanes(f64, x); }
};
struct Sum {
  static HWY_INLINE Real add(Real so_far, Real x) {
    return so_far + hn::IfThenElseZero(hn::Ge(x, hn::Set(f64, least_magnitude)), hn::Ceil(x));
  }
  static HWY_INLINE Real over_lanes(Real x) { return hn::SumOfLanes(f64, x); }
};

// The first five bits of a positive normal number.
constexpr std::int64_t five_bits = 0x7fff000000000000, fifth_bit = std::int64_t{1} << 48;
struct Squares {
  static HWY_INLINE Real add(Real so_far, Real x) {
    Integer above = hn::Add(hn::And(hn::BitCast(i64, x), hn::Set(i64, five_bits)), hn::Set(i64, fifth_bit));
    Real root = hn::BitCast(f64, above);
    Real square = hn::Max(hn::Ceil(hn::Mul(root, root)), hn::Set(f64, 1.0));
    return so_far + hn::IfThenElseZero(hn::Ge(x, hn::Set(f64, least_magnitude)), square);
  }
  static HWY_INLINE Real over_lanes(Real x) { return hn::SumOfLanes(f64, x); }
};

template <class Kind>
double along(const Run& run, Exponents shifts) {
  Blocks blocks(run, shifts);
  Real result = hn::Zero(f64);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select(b);
    for (int v = 0; v < vectors; ++v) {
      Real x = magnitude_of_neighbours(run, blocks, v);
      result = Kind::add(result, scaled_magnitude(x, blocks.exponent_of_neighbours(v)));
    }
  }
  return hn::GetLane(Kind::over_lanes(result));
}

template <class Kind>
void across(const Run& run, Exponents shifts, double* so_far) {
  Blocks blocks(run, shifts);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select(b);
    for (int v = 0; v < vectors; ++v) {
      double* out = so_far + b * block + v * lanes;
      Real x = magnitude_of_neighbours(run, blocks, v);
      x = scaled_magnitude(x, blocks.exponent_of_neighbours(v));
      hn::StoreU(Kind::add(hn::LoadU(f64, out), x), f64, out);
    }
  }
}

double largest(const Run& run, Exponents shifts) { return along<Largest>(run, shifts); }
void largest_each(const Run& run, Exponents shifts, double* magnitude) { across<Largest>(run, shifts, magnitude); }
double sum(const Run& run, Exponents shifts) { return along<Sum>(run, shifts); }
void sum_each(const Run& run, Exponents shifts, double* total) { across<Sum>(run, shifts, total); }
double squares(const Run& run, Exponents shifts) { return along<Squares>(run, shifts); }
void squares_each(const Run& run, Exponents shifts, double* total) { across<Squares>(run, shifts, total); }

// E(x) = 1 + ilogb(x) of positive numbers, subnormal ones too.
HWY_INLINE Integer exponent_of(Real x) {
  auto is_small = hn::Lt(x, hn::Set(f64, 0x1p-1022));
  Real scaled = hn::IfThenElse(is_small, hn::Mul(x, hn::Set(f64, 0x1p64)), x);
  Integer bits = hn::BitCast(i64, scaled);
  Integer bias = hn::IfThenElse(hn::RebindMask(i64, is_small), hn::Set(i64, 1022 + 64), hn::Set(i64, 1022));
  return hn::Sub(hn::ShiftRight<52>(bits), bias);
}

void deficits(const Run& run, Exponents exponents, std::uint8_t* deficit) {
  constexpr std::int64_t most = max_deficit, of_zero = 255;
  Blocks blocks(run, exponents);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select_in_order(b);
    Integer bytes = hn::Zero(i64);
    for (int v = vectors - 1; v >= 0; --v) {
      Real x = magnitude_of(run, [&](int word) HWY_ATTR { return blocks.load(v, word); });
      Integer d = hn::Sub(blocks.exponent(v), exponent_of(x));
      d = hn::IfThenElse(hn::Lt(d, hn::Zero(i64)), hn::Zero(i64), d);
      d = hn::IfThenElse(hn::Gt(d, hn::Set(i64, most)), hn::Set(i64, most), d);
      d = hn::IfThenElse(hn::RebindMask(i64, hn::Eq(x, hn::Zero(f64))), hn::Set(i64, of_zero), d);
      bytes = hn::Or(hn::ShiftLeft<8>(bytes), d);
    }
    hn::StoreU(bytes, i64, reinterpret_cast<std::int64_t*>(deficit + b * block));
  }
}

void magnitudes(const Run& run, Exponents shifts, std::uint8_t* byte) {
  Blocks blocks(run, shifts);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select_in_order(b);
    Integer bytes = hn::Zero(i64);
    for (int v = vectors - 1; v >= 0; --v) {
      Real x = magnitude_of(run, [&](int word) HWY_ATTR { return blocks.load(v, word); });
      x = scaled_magnitude(x, blocks.exponent(v));
      x = hn::BitCast(f64, hn::And(hn::BitCast(i64, x), hn::Set(i64, five_bits)));
      bytes = hn::Or(hn::ShiftLeft<8>(bytes), hn::ConvertTo(i64, hn::Min(x, hn::Set(f64, 127.0))));
    }
    hn::StoreU(bytes, i64, reinterpret_cast<std::int64_t*>(byte + b * block));
  }
}

template <int Rows>
int min_plus_rows(const MinPlus& x, std::int64_t first) {
  constexpr hn::CappedTag<std::uint8_t, block_bytes> u8;
  constexpr std::int64_t width = HWY_MIN(HWY_LANES(std::uint8_t), block_bytes);
  const std::uint8_t* left = x.left + first * x.left_row_stride;
  std::uint8_t* smallest = x.smallest + first * x.leading;
  auto largest = hn::Zero(u8);
  for (std::int64_t j = 0; j < x.columns; j += width) {
    hn::Vec<decltype(u8)> least[Rows];
    HWY_UNROLL(8)
    for (int i = 0; i < Rows; ++i) least[i] = hn::LoadU(u8, smallest + i * x.leading + j);
    for (std::int64_t h = 0; h < x.terms; ++h) {
      auto r = hn::LoadU(u8, x.right + h * x.right_leading + j);
      HWY_UNROLL(8)
      for (int i = 0; i < Rows; ++i) {
        auto l = hn::Set(u8, left[i * x.left_row_stride + h * x.left_term_stride]);
        least[i] = hn::Min(least[i], hn::SaturatedAdd(l, r));
      }
    }
    HWY_UNROLL(8)
    for (int i = 0; i < Rows; ++i) {
      hn::StoreU(least[i], u8, smallest + i * x.leading + j);
      largest = hn::Max(largest, least[i]);
    }
  }
  alignas(64) std::uint8_t bytes[block_bytes];
  hn::Store(largest, u8, bytes);
  return *std::max_element(bytes, bytes + width);
}

int min_plus(const MinPlus& x) {
  constexpr int step = 8;
  int largest = 0;
  std::int64_t i = 0;
  for (; i + step <= x.rows; i += step) largest = std::max(largest, min_plus_rows<step>(x, i));
  for (; i < x.rows; ++i) largest = std::max(largest, min_plus_rows<1>(x, i));
  return largest;
}

}  // namespace
}  // namespace hilo::modular::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
