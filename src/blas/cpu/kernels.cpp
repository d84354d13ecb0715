#include "blas/cpu/kernels.hpp"

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "blas/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/kernel_sets.hpp"
#include "dd/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::blas::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
constexpr Lanes::Tag tag;
constexpr std::int64_t lanes = HWY_LANES(double);

// The first `count` lanes of memory, where not all are there.
struct Some {
  Lanes::mask mask;
  std::int64_t count;
  explicit HWY_INLINE Some(std::int64_t n) : mask(hn::FirstN(tag, static_cast<std::size_t>(n))), count(n) {}
  HWY_INLINE Lanes::real load(const double* x) const {
    // Highway 1.0 loads a masked vector of two lanes as an aligned whole one.
    if constexpr (lanes <= 2) {
      alignas(16) double some[2] = {};
      for (std::int64_t i = 0; i < count; ++i) some[i] = x[i];
      return hn::Load(tag, some);
    } else {
      return hn::MaskedLoad(mask, tag, x);
    }
  }
  HWY_INLINE void store(Lanes::real x, double* to) const { hn::BlendedStore(x, mask, tag, to); }
};
struct All {
  HWY_INLINE Lanes::real load(const double* x) const { return hn::LoadU(tag, x); }
  HWY_INLINE void store(Lanes::real x, double* to) const { hn::StoreU(x, tag, to); }
};

template <class Where>
HWY_INLINE dd load(const Where& where, const double* x, std::int64_t pitch) {
  return {where.load(x), where.load(x + pitch)};
}
template <class Where>
HWY_INLINE void store(const Where& where, dd x, double* to, std::int64_t pitch) {
  where.store(x.hi, to);
  where.store(x.lo, to + pitch);
}
HWY_INLINE dd broadcast(const double* x) { return {hn::Set(tag, x[0]), hn::Set(tag, x[1])}; }

// sum + line · scalar, renormalised.
template <bool Fma, bool ScalarFirst>
HWY_INLINE dd step(dd sum, dd line, dd scalar) {
  const dd a = ScalarFirst ? scalar : line, b = ScalarFirst ? line : scalar;
  dd r;
  if constexpr (Fma) {
    r = Lanes::step_fma(sum, a, b);
  } else {
    r = Lanes::step_split(sum, a, b);
  }
  return Lanes::fast_two_sum(r.hi, r.lo);
}

// Vectors of sums in registers, enough to hide the latency of a step where there are as many registers.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int most_sums = 8;
#else
constexpr int most_sums = 4;
#endif

// Elements of a line in registers, and a term added to them.
template <bool Fma, bool ScalarFirst>
struct Real {
  static constexpr int words = 2;
  static constexpr int vectors = most_sums;
  dd x;

  template <class Where>
  HWY_INLINE void load_from(const Where& where, const double* from, std::int64_t pitch) {
    x = load(where, from, pitch);
  }
  HWY_INLINE void add(const Real& line, const double* scalar) {
    x = step<Fma, ScalarFirst>(x, line.x, broadcast(scalar));
  }
  HWY_INLINE void close() { x = Lanes::two_sum(x.hi, x.lo); }
  HWY_INLINE Lanes::mask finite() const { return hn::Eq(x.hi - x.hi, hn::Zero(tag)); }
  template <class Where>
  HWY_INLINE void store_to(const Where& where, double* to, std::int64_t pitch) const {
    store(where, x, to, pitch);
  }
};

template <bool Fma, bool ScalarFirst>
struct Complex {
  static constexpr int words = 4;
  static constexpr int vectors = most_sums / 2;
  dd re, im;

  template <class Where>
  HWY_INLINE void load_from(const Where& where, const double* from, std::int64_t pitch) {
    re = load(where, from, pitch);
    im = load(where, from + 2 * pitch, pitch);
  }
  HWY_INLINE void add(const Complex& line, const double* scalar) {
    const dd scalar_re = broadcast(scalar), scalar_im = broadcast(scalar + 2);
    constexpr auto with = step<Fma, ScalarFirst>;
    re = with(re, line.re, scalar_re);
    re = ScalarFirst ? with(re, line.im, Lanes::negate(scalar_im)) : with(re, Lanes::negate(line.im), scalar_im);
    // The real part of the first factor comes first.
    if constexpr (ScalarFirst) {
      im = with(im, line.im, scalar_re);
      im = with(im, line.re, scalar_im);
    } else {
      im = with(im, line.re, scalar_im);
      im = with(im, line.im, scalar_re);
    }
  }
  HWY_INLINE void close() {
    re = Lanes::two_sum(re.hi, re.lo);
    im = Lanes::two_sum(im.hi, im.lo);
  }
  HWY_INLINE Lanes::mask finite() const { return hn::Eq((re.hi - re.hi) + (im.hi - im.hi), hn::Zero(tag)); }
  template <class Where>
  HWY_INLINE void store_to(const Where& where, double* to, std::int64_t pitch) const {
    store(where, re, to, pitch);
    store(where, im, to + 2 * pitch, pitch);
  }
};

// Elements i … of all lines, `Vectors` vectors of them. Whether all are finite, and stored.
template <class Elements, int Vectors, class Where>
HWY_INLINE bool add_at(const LineProducts& p, std::int64_t i, const Where& where) {
  Elements x[Vectors];
  HWY_UNROLL(8)
  for (int v = 0; v < Vectors; ++v) x[v].load_from(where, p.x + i + v * lanes, p.pitch);
  for (std::int64_t k = 0; k < p.count; ++k) {
    HWY_UNROLL(8)
    for (int v = 0; v < Vectors; ++v) {
      Elements line;
      line.load_from(where, p.lines + k * Elements::words * p.pitch + i + v * lanes, p.pitch);
      x[v].add(line, p.scalars + k * Elements::words);
    }
  }
  auto finite = hn::Eq(hn::Zero(tag), hn::Zero(tag));
  HWY_UNROLL(8)
  for (int v = 0; v < Vectors; ++v) {
    x[v].close();
    finite = hn::And(finite, x[v].finite());
  }
  if (!hn::AllTrue(tag, finite)) return false;
  HWY_UNROLL(8)
  for (int v = 0; v < Vectors; ++v) x[v].store_to(where, p.x + i + v * lanes, p.pitch);
  return true;
}

// The first element that is left as it was because it, or one close behind, is not finite.
template <class Elements>
std::int64_t add_products(const LineProducts& p) {
  if (p.count == 0) return p.n;
  std::int64_t i = 0;
  for (constexpr std::int64_t width = Elements::vectors * lanes; i + width <= p.n; i += width) {
    if (!add_at<Elements, Elements::vectors>(p, i, All())) return i;
  }
  if constexpr (constexpr int half = Elements::vectors / 2; half > 1) {
    if (i + half * lanes <= p.n) {
      if (!add_at<Elements, half>(p, i, All())) return i;
      i += half * lanes;
    }
  }
  for (; i + lanes <= p.n; i += lanes) {
    if (!add_at<Elements, 1>(p, i, All())) return i;
  }
  if (i < p.n && !add_at<Elements, 1>(p, i, Some(p.n - i))) return i;
  return p.n;
}

// f(where, i) for all elements.
template <class F>
HWY_INLINE void for_elements(std::int64_t n, F f) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f(All(), i);
  if (i < n) f(Some(n - i), i);
}

void divide(std::int64_t n, double* x, std::int64_t pitch, const Divisor<dd_real>& d) {
  const dd by = Lanes::broadcast(d.value);
  for_elements(n, [&](const auto& where, std::int64_t i) {
    store(where, Lanes::divide(load(where, x + i, pitch), by), x + i, pitch);
  });
}

void divide_complex(std::int64_t n, double* x, std::int64_t pitch, const Divisor<dd_complex>& d) {
  const dd re = Lanes::broadcast(d.value.re), im = Lanes::broadcast(d.value.im), norm = Lanes::broadcast(d.norm);
  const Lanes::real scale = Lanes::literal(d.scale);
  const auto part = [&](dd y) {
    const dd q = Lanes::divide(y, norm);
    const Lanes::real hi = Lanes::mul(q.hi, scale);
    return dd{hi, hn::IfThenElseZero(hn::IsFinite(hi), Lanes::mul(q.lo, scale))};
  };
  for_elements(n, [&](const auto& where, std::int64_t i) {
    const dd a = load(where, x + i, pitch), b = load(where, x + 2 * pitch + i, pitch);
    store(where, part(Lanes::subtract(Lanes::multiply(a, re), Lanes::multiply(b, im))), x + i, pitch);
    store(where, part(Lanes::add(Lanes::multiply(a, im), Lanes::multiply(b, re))), x + 2 * pitch + i, pitch);
  });
}

}  // namespace

const KernelSet* kernels() {
  static const KernelSet set = {
    hwy::TargetName(HWY_TARGET),
    HWY_NATIVE_FMA != 0,
#if HWY_NATIVE_FMA
    {{add_products<Real<true, false>>, add_products<Complex<true, false>>},
     {add_products<Real<true, true>>, add_products<Complex<true, true>>}},
#else
    {},
#endif
    {{add_products<Real<false, false>>, add_products<Complex<false, false>>},
     {add_products<Real<false, true>>, add_products<Complex<false, true>>}},
    divide,
    divide_complex,
  };
  return &set;
}

}  // namespace hilo::blas::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::blas {

HWY_EXPORT(kernels);

const KernelSet& kernel_set(std::string_view target) {
  // Never destroyed: destructors of static objects may still compute.
  static const auto& sets =
      *new std::vector<const KernelSet*>(detail::supported_kernel_sets(HWY_DISPATCH_TABLE(kernels)));
  return detail::kernel_set_of_name(sets, target);
}

}  // namespace hilo::blas
#endif
