// Double-double arithmetic on Highway's SIMD lanes, once for each instruction set: the text of eft.clh, core.clh and
// step.clh, so the bits are those of scalars.
//
// For files that Highway's foreach_target.hpp compiles again and again; included between it and HWY_BEFORE_NAMESPACE.
#if defined(HILO_DD_LANES_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_LANES_HPP
#undef HILO_DD_LANES_HPP
#else
#define HILO_DD_LANES_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <hilo/dd_real.hpp>

#include "host/expect.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The names that the shared text is written over.
struct Lanes {
  using Tag = hn::ScalableTag<double>;
  using real = hn::Vec<Tag>;
  using mask = hn::Mask<Tag>;

#define HILO_FN static HWY_INLINE
  HILO_FN real literal(double c) { return hn::Set(Tag(), c); }
  HILO_FN real mul(real a, real b) { return hn::Mul(a, b); }
  HILO_FN real scaled(real a, real b) { return mul(a, b); }
  HILO_FN real magnitude(real a) { return hn::Abs(a); }
  HILO_FN real leading_half(real a) {
    const hn::RebindToUnsigned<Tag> bits;
    auto rounded = hn::BitCast(bits, a) + hn::Set(bits, 0x4000000);
    return hn::BitCast(Tag(), hn::And(rounded, hn::Set(bits, ~std::uint64_t{0x7ffffff})));
  }
  HILO_FN real choose(mask m, real a, real b) { return hn::IfThenElse(m, a, b); }
  HILO_FN real usually(mask m, real a, real b) { return choose(m, a, b); }
  HILO_FN real square_root(real a) { return hn::Sqrt(a); }
#if HWY_NATIVE_FMA
  HILO_FN real fma(real a, real b, real c) { return hn::MulAdd(a, b, c); }
  HILO_FN real fms(real a, real b, real c) { return hn::MulSub(a, b, c); }
  // Adders are busier than multipliers in a step: 9 of its 13 operations.
  HILO_FN real spare_add(real x, real y) { return hn::MulAdd(literal(1.0), x, y); }
#else
  // Never called: without the instruction only the split sequence is offered.
  HILO_FN real fma(real a, real b, real c) { return a * b + c; }
  HILO_FN real fms(real a, real b, real c) { return a * b - c; }
  HILO_FN real spare_add(real x, real y) { return x + y; }
#endif
#include <hilo/detail/eft.clh>
  HILO_FN dd two_prod(real a, real b) {
#if HWY_NATIVE_FMA
    return two_prod_fma(a, b);
#else
    // The product of halves alone where two_prod_split would not scale.
    dd p = two_prod_of_halves(a, b);
    mask fits = hn::And(magnitude(a) <= literal(0x1p500), magnitude(b) <= literal(0x1p500));
    fits = hn::And(fits, magnitude(p.hi) >= literal(0x1p-500));
    return HWY_LIKELY(hn::AllTrue(Tag(), fits)) ? p : two_prod_split(a, b);
#endif
  }
#include <hilo/detail/core.clh>
#include <hilo/detail/step.clh>
#undef HILO_FN

  // Words of two vectors by turns, in whatever order takes the fewest shuffles; doing it again puts them back.
  static HWY_INLINE dd interleave(real first, real second) {
#if HWY_TARGET == HWY_SCALAR
    return {first, second};
#else
    return {hn::InterleaveLower(Tag(), first, second), hn::InterleaveUpper(Tag(), first, second)};
#endif
  }
  // As many elements as there are lanes, in that order; store puts them back into theirs.
  static HWY_INLINE dd load(const dd_real* x) {
    auto* words = reinterpret_cast<const double*>(x);
    return interleave(hn::LoadU(Tag(), words), hn::LoadU(Tag(), words + hn::Lanes(Tag())));
  }
  // `count` lines of memory, `apart` bytes from one to the next, are on their way to a cache, 3 being the nearest one.
  template <int cache>
  static HWY_INLINE void expect(int count, std::uintptr_t from, std::uintptr_t apart) {
    HWY_UNROLL(16)
    for (int i = 0; i < count; ++i, from += apart) __builtin_prefetch(reinterpret_cast<const void*>(from), 0, cache);
  }
  static HWY_INLINE void store(dd x, dd_real* out) {
    auto* words = reinterpret_cast<double*>(out);
    const dd pairs = interleave(x.hi, x.lo);
    hn::StoreU(pairs.hi, Tag(), words);
    hn::StoreU(pairs.lo, Tag(), words + hn::Lanes(Tag()));
  }
  static HWY_INLINE dd broadcast(dd_real x) { return {literal(x.hi), literal(x.lo)}; }
  static HWY_INLINE dd negate(dd x) { return {hn::Neg(x.hi), hn::Neg(x.lo)}; }
  static HWY_INLINE dd subtract(dd x, dd y) { return add(x, negate(y)); }
};

}  // namespace hilo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
