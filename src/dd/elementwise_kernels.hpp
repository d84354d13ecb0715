// Operations on arrays, element by element, on SIMD lanes. Included as lanes.hpp is.
#if defined(HILO_DD_ELEMENTWISE_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_ELEMENTWISE_KERNELS_HPP
#undef HILO_DD_ELEMENTWISE_KERNELS_HPP
#else
#define HILO_DD_ELEMENTWISE_KERNELS_HPP
#endif

#include <cstdint>

#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
using real = Lanes::real;
using mask = Lanes::mask;
constexpr std::int64_t lanes = HWY_LANES(double);

// Operands of a kernel: what it reads at i, and what it reads where there are only n < lanes elements.
struct Elements {
  const dd_real* x;
  host::Ahead ahead = host::Ahead::nothing;
  HWY_INLINE dd load(std::int64_t i) const {
    host::expect<lanes * sizeof(dd_real)>(ahead, x + i);
    return Lanes::load(x + i);
  }
  HWY_INLINE dd load_some(std::int64_t n) const {
    dd_real some[lanes];
    for (std::int64_t i = 0; i < lanes; ++i) some[i] = i < n ? x[i] : dd_real(1);
    return Lanes::load(some);
  }
};
struct Number {
  dd x;
  explicit HWY_INLINE Number(dd_real a) : x(Lanes::broadcast(a)) {}
  HWY_INLINE dd load(std::int64_t) const { return x; }
  HWY_INLINE dd load_some(std::int64_t) const { return x; }
};
struct Word {
  real x;
  explicit HWY_INLINE Word(double a) : x(Lanes::literal(a)) {}
  HWY_INLINE real load(std::int64_t) const { return x; }
  HWY_INLINE real load_some(std::int64_t) const { return x; }
};

HWY_INLINE void store_some(dd x, dd_real* out, std::int64_t n) {
  dd_real some[lanes];
  Lanes::store(x, some);
  for (std::int64_t i = 0; i < n; ++i) out[i] = some[i];
}

// Elements from `out` to the next address at which stores do not cross cache lines, where there is one.
HWY_INLINE std::int64_t elements_to_alignment(const dd_real* out) {
  constexpr std::uintptr_t bytes = lanes * sizeof(double);
  std::uintptr_t past = reinterpret_cast<std::uintptr_t>(out) % bytes;
  return past % sizeof(dd_real) != 0 ? 0 : static_cast<std::int64_t>((bytes - past) % bytes / sizeof(dd_real));
}

// out[i] = operation(operands at i …). The first and the last elements are computed before anything is stored, because
// `out` may be an operand and they lie in two vectors where those between are aligned.
template <class Operation, class... Operands>
HWY_INLINE void for_each(std::int64_t n, dd_real* out, Operation operation, Operands... operands) {
  if (n < lanes) {
    if (n == 0) return;
    store_some(operation(operands.load_some(n)...), out, n);
    return;
  }
  dd first = operation(operands.load(0)...), last = operation(operands.load(n - lanes)...);
  for (std::int64_t i = elements_to_alignment(out); i + lanes <= n; i += lanes) {
    Lanes::store(operation(operands.load(i)...), out + i);
  }
  Lanes::store(first, out);
  Lanes::store(last, out + n - lanes);
}

// Below, operations that leave out core.clh's selects, and do it again with them if in some lane they may be missed:
// where the result is not finite. Where some zero is negative, what the selects would give is put in its place.

HWY_INLINE mask is_not_finite(real a) {
#if HWY_TARGET == HWY_AVX3
  return {_mm512_fpclass_pd_mask(a.raw, 0x99)};
#else
  return hn::Not(hn::Abs(a) < Lanes::literal(__builtin_inf()));
#endif
}
HWY_INLINE mask is_minus_zero(real a) {
#if HWY_TARGET == HWY_AVX3
  return {_mm512_fpclass_pd_mask(a.raw, 0x04)};
#else
  const hn::RebindToSigned<Lanes::Tag> integers;
  return hn::RebindMask(Lanes::Tag(), hn::Eq(hn::BitCast(integers, a), hn::Set(integers, INT64_MIN)));
#endif
}

HWY_INLINE bool any(mask m) { return HWY_UNLIKELY(!hn::AllFalse(Lanes::Tag(), m)); }
HWY_INLINE mask is_zero(real a) { return hn::Eq(a, hn::Zero(Lanes::Tag())); }

struct Add {
  HWY_INLINE dd operator()(dd x, dd y) const {
    dd z = Lanes::add_finite(x, y);
    const mask infinite = is_not_finite(z.hi), negative = hn::Or(is_minus_zero(x.hi), is_minus_zero(y.hi));
    if (!any(hn::Or(infinite, negative))) return z;
    if (any(infinite)) return Lanes::add(x, y);
    // x or y is -0: the sum's words are those of the other, with -0 for a lo of 0, but that -0 + 0 is 0 with a lo of 0.
    const real lo = x.lo + y.lo;
    const real zero = hn::IfThenElse(is_zero(y.hi), y.hi, Lanes::literal(-0.0));
    z.hi = hn::IfThenElse(negative, x.hi + y.hi, z.hi);
    z.lo = hn::IfThenElse(negative, hn::IfThenElse(is_zero(lo), zero, lo), z.lo);
    return z;
  }
};
struct Subtract {
  HWY_INLINE dd operator()(dd x, dd y) const { return Add()(x, Lanes::negate(y)); }
};
struct Multiply {
  HWY_INLINE dd operator()(dd x, dd y) const {
    dd p = Lanes::two_prod(x.hi, y.hi);
    dd z = Lanes::fast_two_sum(p.hi, p.lo + (Lanes::mul(x.hi, y.lo) + Lanes::mul(x.lo, y.hi)));
    const mask infinite = is_not_finite(z.hi), negative = is_minus_zero(p.hi);
    if (!any(hn::Or(infinite, negative))) return z;
    if (any(infinite)) return Lanes::multiply(x, y);
    return {hn::IfThenElse(negative, p.hi, z.hi), hn::IfThenElse(negative, p.hi, z.lo)};
  }
};

// Where a is so large or so small that core.clh's divisions scale it, or not finite.
HWY_INLINE mask is_scaled(real a) {
  real m = Lanes::magnitude(a);
  return hn::Not(hn::And(m >= Lanes::literal(0x1p-300), m <= Lanes::literal(0x1p300)));
}

struct Divide {
  HWY_INLINE dd operator()(dd x, dd y) const {
    real t = x.hi / y.hi;
    dd p = Lanes::two_prod(y.hi, t);
    dd r = Lanes::fast_two_sum(p.hi, Lanes::mul(y.lo, t));
    dd s = Lanes::fast_two_sum(r.hi, r.lo + p.lo);
    real rest = (x.hi - s.hi) + (x.lo - s.lo);
    dd z = Lanes::fast_two_sum(t, rest / y.hi);
    mask special = hn::Or(is_scaled(x.hi), is_scaled(y.hi));
    return HWY_LIKELY(hn::AllFalse(Lanes::Tag(), special)) ? z : Lanes::divide(x, y);
  }
};
struct AddWord {
  HWY_INLINE dd operator()(dd x, real y) const { return Lanes::add_word(x, y); }
};
struct WordMinus {
  HWY_INLINE dd operator()(dd x, real y) const { return Lanes::add_word(Lanes::negate(x), y); }
};
struct MultiplyWord {
  HWY_INLINE dd operator()(dd x, real y) const { return Lanes::multiply_word(x, y); }
};
struct DivideWord {
  HWY_INLINE dd operator()(dd x, real y) const {
    real t = x.hi / y;
    dd p = Lanes::two_prod(t, y);
    dd z = Lanes::fast_two_sum(t, ((x.hi - p.hi) + (x.lo - p.lo)) / y);
    mask special = hn::Or(is_scaled(x.hi), is_scaled(y));
    return HWY_LIKELY(hn::AllFalse(Lanes::Tag(), special)) ? z : Lanes::divide_word(x, y);
  }
};
struct SquareRoot {
  HWY_INLINE dd operator()(dd x) const { return Lanes::root(x); }
};
struct MultiplyAdd {
  HWY_INLINE dd operator()(dd a, dd x, dd y) const {
    dd p = Lanes::two_prod(a.hi, x.hi);
    dd product = Lanes::fast_two_sum(p.hi, p.lo + (Lanes::mul(a.hi, x.lo) + Lanes::mul(a.lo, x.hi)));
    dd z = Lanes::add_finite(product, y);
    mask special = hn::Or(is_not_finite(z.hi), hn::Or(is_minus_zero(p.hi), is_minus_zero(y.hi)));
    return any(special) ? Add()(Multiply()(a, x), y) : z;
  }
};

// What pays for that many arrays of n elements.
HWY_INLINE host::Ahead ahead_of(std::int64_t arrays, std::int64_t n) {
  return host::ahead_of(arrays * n * static_cast<std::int64_t>(sizeof(dd_real)));
}

template <class Operation>
void unary(std::int64_t n, const dd_real* x, dd_real* out) {
  for_each(n, out, Operation(), Elements{x, ahead_of(2, n)});
}
template <class Operation>
void binary(std::int64_t n, const dd_real* x, const dd_real* y, dd_real* out) {
  const host::Ahead ahead = ahead_of(3, n);
  for_each(n, out, Operation(), Elements{x, ahead}, Elements{y, ahead});
}
template <class Operation>
void with_number(std::int64_t n, const dd_real* x, dd_real a, dd_real* out) {
  for_each(n, out, Operation(), Elements{x, ahead_of(2, n)}, Number(a));
}
template <class Operation>
void number_with(std::int64_t n, const dd_real* x, dd_real a, dd_real* out) {
  for_each(n, out, Operation(), Number(a), Elements{x, ahead_of(2, n)});
}
template <class Operation>
void with_word(std::int64_t n, const dd_real* x, double a, dd_real* out) {
  for_each(n, out, Operation(), Elements{x, ahead_of(2, n)}, Word(a));
}

void axpy(std::int64_t n, dd_real alpha, const dd_real* x, dd_real* y, host::Ahead ahead) {
  for_each(n, y, MultiplyAdd(), Number(alpha), Elements{x, ahead}, Elements{y, ahead});
}

void scale(std::int64_t n, dd_real alpha, dd_real* x, host::Ahead ahead) {
  for_each(n, x, Multiply(), Elements{x, ahead}, Number(alpha));
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
