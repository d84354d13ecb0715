// Integers from their residues, rounded to doubles and double-doubles, on SIMD lanes.
//
// For files that Highway's foreach_target.hpp compiles again and again.
#if defined(HILO_MODULAR_REBUILD_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_MODULAR_REBUILD_KERNELS_HPP
#undef HILO_MODULAR_REBUILD_KERNELS_HPP
#else
#define HILO_MODULAR_REBUILD_KERNELS_HPP
#endif

#include "gemm/modular/cpu/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::modular::HWY_NAMESPACE {
namespace {

constexpr hn::Rebind<std::int32_t, decltype(f64)> i32_of_f64;
constexpr hn::Rebind<std::int8_t, decltype(f64)> i8_of_f64;

// Vectors side by side: what follows is a long chain of operations that wait for each other, and has room for another.
constexpr int side_by_side = 2;

struct Reals {
  Real v[side_by_side];

  static HWY_INLINE Reals broadcast(double x) {
    return each([&](int) HWY_ATTR { return hn::Set(f64, x); });
  }
  template <class F>
  static HWY_INLINE Reals each(F f) {
    Reals r;
    HWY_UNROLL(2)
    for (int i = 0; i < side_by_side; ++i) r.v[i] = f(i);
    return r;
  }
  friend HWY_INLINE Reals operator+(Reals x, Reals y) {
    return each([&](int i) HWY_ATTR { return hn::Add(x.v[i], y.v[i]); });
  }
  friend HWY_INLINE Reals operator-(Reals x, Reals y) {
    return each([&](int i) HWY_ATTR { return hn::Sub(x.v[i], y.v[i]); });
  }
};

// x · y + z and z − x · y, where they are exact or only nearly matter.
HWY_INLINE Reals multiply_add(Reals x, double y, Reals z) {
  return Reals::each([&](int i) HWY_ATTR { return hn::MulAdd(x.v[i], hn::Set(f64, y), z.v[i]); });
}
HWY_INLINE Reals subtract_product(Reals x, double y, Reals z) {
  return Reals::each([&](int i) HWY_ATTR { return hn::NegMulAdd(x.v[i], hn::Set(f64, y), z.v[i]); });
}
// The integer nearest to x · y, whose rounding does not matter.
HWY_INLINE Reals nearest_multiple(Reals x, double y) {
  Reals magic = Reals::broadcast(0x1.8p52);
  return multiply_add(x, y, magic) - magic;
}

struct Pair {
  Reals high, low;
};

// |a| >= |b| or a = 0. Dekker.
HWY_INLINE Pair fast_two_sum(Reals a, Reals b) {
  Reals sum = a + b;
  return {sum, b - (sum - a)};
}

// Σ residue · cofactor less the multiple of M nearest to it, in signed digits, lowest first; times 2^(41 j) in place j.
template <int Digits>
HWY_INLINE void symmetric_digits(const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride,
                                 Reals (&digit)[Digits]) {
  HWY_UNROLL(9)
  for (int j = 0; j < Digits; ++j) digit[j] = Reals::broadcast(0.0);
  for (int l = 0; l < basis.count; ++l) {
    const std::int8_t* plane = residues + l * plane_stride;
    Reals residue = Reals::each([&](int i) HWY_ATTR {
      return hn::PromoteTo(f64, hn::PromoteTo(i32_of_f64, hn::LoadU(i8_of_f64, plane + i * lanes)));
    });
    HWY_UNROLL(9)
    for (int j = 0; j < Digits; ++j) digit[j] = multiply_add(residue, basis.cofactor[l][j], digit[j]);
  }
  Reals sum = digit[Digits - 1];
  HWY_UNROLL(9)
  for (int j = Digits - 2; j >= 0; --j) sum = multiply_add(sum, 0x1p41, digit[j]);
  Reals quotient = nearest_multiple(sum, basis.inverse_product);
  HWY_UNROLL(9)
  for (int j = 0; j < Digits; ++j) digit[j] = subtract_product(quotient, basis.product[j], digit[j]);
  HWY_UNROLL(9)
  for (int j = 0; j + 1 < Digits; ++j) {
    Reals carry = nearest_multiple(digit[j], 0x1p-41);
    digit[j] = subtract_product(carry, 0x1p41, digit[j]);
    digit[j + 1] = digit[j + 1] + carry;
  }
  HWY_UNROLL(9)
  for (int j = 1; j < Digits; ++j) {
    Real place = hn::Set(f64, power(digit_bits * j));
    digit[j] = Reals::each([&](int i) HWY_ATTR { return hn::Mul(digit[j].v[i], place); });
  }
}

// A pass over the first `count` terms: returns their rounded sum and leaves its errors, all but the last place.
template <int Digits>
HWY_INLINE Reals distill(Reals (&term)[Digits], int count) {
  Reals sum = term[0];
  HWY_UNROLL(9)
  for (int j = 1; j < count; ++j) {
    Pair s = fast_two_sum(term[j], sum);
    sum = s.high;
    term[j - 1] = s.low;
  }
  return sum;
}

// RN(x) of x, the sum of the first `count` terms, which become those of the rest, one fewer: signed digits at their
// places, lowest first, or what this left of them. Proved in docs/modular.md.
template <int Digits>
HWY_INLINE Reals take_nearest(Reals (&term)[Digits], int count) {
  if (count == 1) return term[0];
  Reals leading = distill(term, count), second = distill(term, count - 1);
  Pair x = fast_two_sum(leading, second);
  // Only its sign matters, and that of a sum of integers is right.
  Reals tail = Reals::broadcast(0.0);
  HWY_UNROLL(9)
  for (int j = 0; j + 2 < count; ++j) tail = term[j] + tail;
  // Half a unit that goes on beyond belongs to the next double.
  Reals twice = x.low + x.low, moved = x.high + twice, step = moved - x.high;
  return Reals::each([&](int i) HWY_ATTR {
    auto moves = hn::And(hn::Eq(step.v[i], twice.v[i]), hn::Gt(hn::Mul(x.low.v[i], tail.v[i]), hn::Zero(f64)));
    term[count - 2].v[i] = hn::IfThenElse(moves, hn::Neg(x.low.v[i]), x.low.v[i]);
    return hn::IfThenElse(moves, moved.v[i], x.high.v[i]);
  });
}

template <int Digits>
void rebuild_digits(std::int64_t count, const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride,
                    Exponents shifts, double* hi, double* lo) {
  constexpr std::int64_t at_once = side_by_side * lanes;
  for (std::int64_t i = 0; i < count; i += at_once) {
    // More streams than hardware follows by itself: the next cache line of each plane.
    if (i % block_bytes == 0) {
      for (int l = 0; l < basis.count; ++l) __builtin_prefetch(residues + l * plane_stride + i + block_bytes);
    }
    Reals digit[Digits];
    symmetric_digits<Digits>(basis, residues + i, plane_stride, digit);
    Pair x = {take_nearest(digit, Digits), Reals::broadcast(0.0)};
    // Canonical: a lo that came out as half a unit may belong to the next hi.
    if (lo && Digits > 1) x = fast_two_sum(x.high, take_nearest(digit, Digits - 1));
    for (int v = 0; v < side_by_side; ++v) {
      std::int64_t at = i + v * lanes;
      Integer shift = hn::Set(i64, shifts.base0);
      if (shifts.base) shift = hn::Add(shift, hn::LoadU(i64, shifts.base + at));
      Integer half = hn::ShiftRight<1>(shift);
      Real first = power_of_two(half), second = power_of_two(hn::Sub(shift, half));
      hn::StoreU(x.high.v[v] * first * second, f64, hi + at);
      if (lo) hn::StoreU(x.low.v[v] * first * second, f64, lo + at);
    }
  }
}

template <int... Digits>
void rebuild_any(std::integer_sequence<int, Digits...>, std::int64_t count, const Basis& basis,
                 const std::int8_t* residues, std::int64_t plane_stride, Exponents shifts, double* hi, double* lo) {
  ((basis.digits == Digits + 1 ? rebuild_digits<Digits + 1>(count, basis, residues, plane_stride, shifts, hi, lo)
                               : void()),
   ...);
}

void rebuild(std::int64_t count, const Basis& basis, const std::int8_t* residues, std::int64_t plane_stride,
             Exponents shifts, double* hi, double* lo) {
  rebuild_any(std::make_integer_sequence<int, max_digits>(), count, basis, residues, plane_stride, shifts, hi, lo);
}

}  // namespace
}  // namespace hilo::modular::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
