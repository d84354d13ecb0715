// exp, log, sin, cos and sincos on SIMD lanes, by the text of elementary.clh. Included as lanes.hpp is.
#if defined(HILO_DD_FUNCTION_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_FUNCTION_KERNELS_HPP
#undef HILO_DD_FUNCTION_KERNELS_HPP
#else
#define HILO_DD_FUNCTION_KERNELS_HPP
#endif

#include <hilo/math/elementary.hpp>

#include "dd/elementwise_kernels.hpp"
#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

struct FunctionLanes : Lanes, hilo::detail::elementary_tables {
  using Bits = hn::RebindToUnsigned<Tag>;

#define HILO_FN static HWY_INLINE
  // Kernels round to nearest: array.cpp sets the mode.
  HILO_FN real nearest_integer(real a) { return integer_near(a); }
  // Integers of less than 2^51 stand in the last bits of these sums.
  HILO_FN real low_bits(real n, int k) {
    auto kept = hn::Set(Bits(), 0xfff0000000000000u | ((std::uint64_t{1} << k) - 1));
    return hn::BitCast(Tag(), hn::And(hn::BitCast(Bits(), n + literal(0x1.8p52)), kept)) - literal(0x1p52);
  }
  HILO_FN real power_of_two(real k) {
    return hn::BitCast(Tag(), hn::ShiftLeft<52>(hn::BitCast(Bits(), k + literal(0x1.00000000003ffp52))));
  }
  HILO_FN real exponent_of(real a) {
    auto exponent = hn::ShiftRight<52>(hn::BitCast(Bits(), a));
    return hn::BitCast(Tag(), hn::Or(exponent, hn::Set(Bits(), 0x4330000000000000u))) - literal(0x1.00000000003ffp52);
  }
  HILO_FN real lookup(const double* table, real i) {
    const hn::RebindToSigned<Tag> integers;
    auto index = hn::BitCast(integers, i + literal(0x1p52));
    return hn::GatherIndex(Tag(), table, hn::And(index, hn::Set(integers, 0xfffffffffffff)));
  }
  HILO_FN bool any(mask m) { return HWY_UNLIKELY(!hn::AllFalse(Tag(), m)); }
#undef HILO_FN
#define HILO_FN static HWY_INLINE HWY_MAYBE_UNUSED
#include <hilo/detail/elementary.clh>
#undef HILO_FN

  static HWY_NOINLINE angle reduce_large(dd x, mask is_wanted) {
    double words[4][lanes];
    hn::StoreU(x.hi, Tag(), words[0]);
    hn::StoreU(x.lo, Tag(), words[1]);
    hn::StoreU(choose(is_wanted, literal(1.0), literal(0.0)), Tag(), words[2]);
    hilo::detail::reduce_lanes(words);
    return {hn::LoadU(Tag(), words[0]), hn::LoadU(Tag(), words[1]), hn::LoadU(Tag(), words[2]),
            hn::LoadU(Tag(), words[3])};
  }
};

struct Exponential {
  HWY_INLINE dd operator()(dd x) const { return FunctionLanes::exponential(x); }
};
struct Logarithm {
  HWY_INLINE dd operator()(dd x) const { return FunctionLanes::logarithm(x); }
};
struct Sine {
  HWY_INLINE dd operator()(dd x) const { return FunctionLanes::sine(x); }
};
struct Cosine {
  HWY_INLINE dd operator()(dd x) const { return FunctionLanes::cosine(x); }
};

// Functions are long: one copy of them, in the loop, instead of three as in for_each.
template <class Function>
void function(std::int64_t n, const dd_real* x, dd_real* out) {
  Elements in{x};
  for (std::int64_t i = 0; i < n; i += lanes) {
    bool is_whole = n - i >= lanes;
    dd y = Function()(is_whole ? in.load(i) : Elements{x + i}.load_some(n - i));
    if (is_whole) {
      Lanes::store(y, out + i);
    } else {
      store_some(y, out + i, n - i);
    }
  }
}

void sine_cosine(std::int64_t n, const dd_real* x, dd_real* sine, dd_real* cosine) {
  for (std::int64_t i = 0; i < n; i += lanes) {
    bool is_whole = n - i >= lanes;
    auto y = FunctionLanes::sine_cosine(is_whole ? Lanes::load(x + i) : Elements{x + i}.load_some(n - i));
    if (is_whole) {
      Lanes::store(y.sine, sine + i);
      Lanes::store(y.cosine, cosine + i);
    } else {
      store_some(y.sine, sine + i, n - i);
      store_some(y.cosine, cosine + i, n - i);
    }
  }
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
