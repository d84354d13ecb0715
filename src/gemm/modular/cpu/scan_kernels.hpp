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

// As kernels.hpp has them, of one vector.
HWY_INLINE void store_codes(Real x, std::int16_t* code) {
  const hn::Rebind<std::uint16_t, decltype(u64)> u16;
  const auto is_small = hn::Lt(x, hn::Set(f64, 0x1p-1022));
  const auto bits = hn::BitCast(u64, hn::IfThenElse(is_small, hn::Mul(x, hn::Set(f64, 0x1p64)), x));
  const auto bias =
      hn::IfThenElse(hn::RebindMask(u64, is_small), hn::Set(u64, 16 * (1022 + 64)), hn::Set(u64, 16 * 1022));
  auto c = hn::Sub(hn::ShiftRight<48>(bits), bias);
  const auto is = [&](double y) HWY_ATTR { return hn::RebindMask(u64, hn::Eq(x, hn::Set(f64, y))); };
  c = hn::IfThenElse(is(0.0), hn::Set(u64, static_cast<std::uint16_t>(code_of_zero)), c);
  c = hn::IfThenElse(is(std::numeric_limits<double>::infinity()), hn::Set(u64, code_of_bad), c);
  hn::StoreU(hn::TruncateTo(u16, c), u16, reinterpret_cast<std::uint16_t*>(code));
}

double codes(const Run& run, std::int16_t* code) {
  Blocks blocks(run);
  Real largest = hn::Zero(f64);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select(b);
    for (int v = 0; v < vectors; ++v) {
      const Real x = magnitude_of_neighbours(run, blocks, v);
      largest = hn::Max(largest, x);
      store_codes(x, code + b * block + v * lanes);
    }
  }
  return hn::GetLane(hn::MaxOfLanes(f64, largest));
}

void codes_each(const Run& run, std::int16_t* code, double* magnitude) {
  Blocks blocks(run);
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    blocks.select(b);
    for (int v = 0; v < vectors; ++v) {
      const std::int64_t at = b * block + v * lanes;
      const Real x = magnitude_of_neighbours(run, blocks, v);
      hn::StoreU(hn::Max(hn::LoadU(f64, magnitude + at), x), f64, magnitude + at);
      store_codes(x, code + at);
    }
  }
}

constexpr std::int64_t codes_at_once = HWY_LANES(std::int32_t);
static_assert(block % codes_at_once == 0);

HWY_INLINE Integer32 load_codes(const std::int16_t* code) {
  const hn::Rebind<std::int16_t, decltype(i32)> i16;
  return hn::PromoteTo(i32, hn::LoadU(i16, code));
}

// With the distance d of an element's exponent below e a square is (17 + bits)² 2^(14 − 2d), at most 2^24: so many of
// them have a sum of 32 bits.
constexpr std::int64_t squares_at_once = 64;

// Of e: what codes are taken from for 16 d + 15 − bits, and from where on that counts for nothing.
HWY_INLINE std::int32_t squares_base(std::int64_t e) { return static_cast<std::int32_t>(16 * e + 15); }
HWY_INLINE std::int32_t squares_end(std::int64_t e) {
  return std::min(16 * (1000 + norm_unit), squares_base(e) - code_of_zero);
}

HWY_INLINE Integer32 less_square(Integer32 sum, Integer32 code, Integer32 base, Integer32 end) {
  const Integer32 below = hn::Sub(base, code);
  const Integer32 root = hn::Or(hn::And(below, hn::Set(i32, 15)), hn::Set(i32, -32));
  const Integer32 by = hn::Min(hn::And(hn::ShiftRight<3>(below), hn::Set(i32, ~1)), hn::Set(i32, 30));
  const Integer32 square = hn::Neg(hn::ShiftLeft<2 * (norm_unit - 5)>(hn::Mul(root, root)));
  return hn::Sub(sum, hn::IfThenElseZero(hn::Lt(below, end), square >> by));
}

HWY_INLINE void add_to(std::int64_t* sum, Integer32 x) {
  alignas(64) std::int32_t lane[codes_at_once];
  hn::Store(x, i32, lane);
  for (std::int64_t i = 0; i < codes_at_once; ++i) sum[i] += lane[i];
}

std::int64_t squares(const std::int16_t* code, std::int64_t count, std::int64_t exponent) {
  const Integer32 base = hn::Set(i32, squares_base(exponent)), end = hn::Set(i32, squares_end(exponent));
  std::int64_t sum[codes_at_once] = {};
  for (std::int64_t i = 0; i < count;) {
    Integer32 part = hn::Zero(i32);
    const std::int64_t to = std::min(i + squares_at_once * codes_at_once, count);
    for (; i < to; i += codes_at_once) part = less_square(part, load_codes(code + i), base, end);
    add_to(sum, part);
  }
  return std::accumulate(sum, sum + codes_at_once, std::int64_t{0});
}

void squares_each(const std::int16_t* code, std::int64_t rows, std::int64_t leading, std::int64_t count,
                  const std::int64_t* exponent, std::int64_t* sum) {
  constexpr int together = block / codes_at_once;
  for (std::int64_t j = 0; j < count; j += block) {
    alignas(64) std::int32_t base[block], end[block];
    std::int64_t sums[block] = {};
    const std::int64_t present = std::min(block, count - j);
    for (std::int64_t i = 0; i < block; ++i) {
      base[i] = squares_base(i < present ? exponent[j + i] : 0);
      end[i] = squares_end(i < present ? exponent[j + i] : 0);
    }
    for (std::int64_t h = 0; h < rows;) {
      Integer32 part[together];
      HWY_UNROLL(together)
      for (int v = 0; v < together; ++v) part[v] = hn::Zero(i32);
      const std::int64_t to = std::min(h + squares_at_once, rows);
      for (; h < to; ++h) {
        HWY_UNROLL(together)
        for (int v = 0; v < together; ++v) {
          const std::int64_t at = v * codes_at_once;
          part[v] = less_square(part[v], load_codes(code + h * leading + j + at), hn::Load(i32, base + at),
                                hn::Load(i32, end + at));
        }
      }
      HWY_UNROLL(together)
      for (int v = 0; v < together; ++v) add_to(sums + v * codes_at_once, part[v]);
    }
    std::copy_n(sums, present, sum + j);
  }
}

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

void magnitudes(const std::int16_t* code, std::int64_t count, const std::int32_t* shift, std::int32_t shift0,
                std::uint8_t* byte) {
  const hn::Rebind<std::uint8_t, decltype(i32)> u8;
  const Integer32 common = hn::Set(i32, shift0);
  for (std::int64_t i = 0; i < count; i += codes_at_once) {
    const Integer32 by = shift ? hn::LoadU(i32, shift + i) : common;
    // Of 16 times a place and five bits from 2^3 on, where the byte's are from 2^8 on.
    Integer32 place = hn::Add(load_codes(code + i), hn::ShiftLeft<4>(hn::Add(by, hn::Set(i32, 3))));
    place = hn::Min(hn::Max(place, hn::Set(i32, 3 * 16)), hn::Set(i32, 12 * 16 - 1));
    const Integer32 five = hn::Or(hn::And(place, hn::Set(i32, 15)), hn::Set(i32, 16));
    const Integer32 bits = five << hn::ShiftRight<4>(place);
    hn::StoreU(hn::DemoteTo(u8, hn::ShiftRight<8>(hn::Min(bits, hn::Set(i32, 0x7fff)))), u8, byte + i);
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
