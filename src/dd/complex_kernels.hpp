// Rotations, and operations on arrays of complex numbers, on SIMD lanes. Included as lanes.hpp is.
#if defined(HILO_DD_COMPLEX_KERNELS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HILO_DD_COMPLEX_KERNELS_HPP
#undef HILO_DD_COMPLEX_KERNELS_HPP
#else
#define HILO_DD_COMPLEX_KERNELS_HPP
#endif

#include <algorithm>
#include <cstdint>
#include <hilo/complex.hpp>
#include <utility>

#include "dd/elementwise_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

struct Complex {
  dd re, im;
};

// Even blocks of two words of x and y, and odd ones; of vectors of one block x and y.
HWY_INLINE void split_blocks([[maybe_unused]] real& x, [[maybe_unused]] real& y) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (lanes > 2) {
    const real even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x);
    y = hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x));
    x = even;
  }
#endif
}

HWY_INLINE dd interleave(real first, real second) { return Lanes::interleave(first, second); }

// As many elements as there are lanes, in whatever order takes the fewest shuffles; store puts them back into theirs.
HWY_INLINE Complex load(const dd_complex* x) {
  const auto* const words = reinterpret_cast<const double*>(x);
  real vector[4];
  for (int v = 0; v < 4; ++v) vector[v] = hn::LoadU(Lanes::Tag(), words + v * lanes);
  if constexpr (lanes == 2) std::swap(vector[1], vector[2]);
  dd first = interleave(vector[0], vector[1]), second = interleave(vector[2], vector[3]);
  split_blocks(first.hi, second.hi);
  split_blocks(first.lo, second.lo);
  return {first, second};
}
HWY_INLINE void store(const Complex& z, dd_complex* x) {
  auto* const words = reinterpret_cast<double*>(x);
  dd first = z.re, second = z.im;
  split_blocks(first.hi, second.hi);
  split_blocks(first.lo, second.lo);
  first = interleave(first.hi, first.lo), second = interleave(second.hi, second.lo);
  real vector[4] = {first.hi, first.lo, second.hi, second.lo};
  if constexpr (lanes == 2) std::swap(vector[1], vector[2]);
  for (int v = 0; v < 4; ++v) hn::StoreU(vector[v], Lanes::Tag(), words + v * lanes);
}
HWY_INLINE dd load(const dd_real* x) { return Lanes::load(x); }
HWY_INLINE void store(dd z, dd_real* x) { Lanes::store(z, x); }

HWY_INLINE Complex broadcast(dd_complex x) { return {Lanes::broadcast(x.re), Lanes::broadcast(x.im)}; }

// As many elements as there are lanes, Re and Im by turns: in blocks of two words, which take half the shuffles of
// Complex. Of vectors of one block by turns in lanes, of single numbers one vector each.
struct Mixed {
  dd x[2];
};

// f(v) for both vectors. Operations take both before the next one does: a chain of its own for each.
template <class F>
HWY_INLINE Mixed both(F f) {
  return {{f(0), f(1)}};
}

HWY_INLINE Mixed load_mixed(const dd_complex* x) {
  const auto* const words = reinterpret_cast<const double*>(x);
  return both([=](int v) {
    const double* const from = words + 2 * v * lanes;
    return interleave(hn::LoadU(Lanes::Tag(), from), hn::LoadU(Lanes::Tag(), from + lanes));
  });
}
HWY_INLINE void store(const Mixed& z, dd_complex* x) {
  auto* const words = reinterpret_cast<double*>(x);
  for (int v = 0; v < 2; ++v) {
    const dd pair = interleave(z.x[v].hi, z.x[v].lo);
    hn::StoreU(pair.hi, Lanes::Tag(), words + 2 * v * lanes);
    hn::StoreU(pair.lo, Lanes::Tag(), words + (2 * v + 1) * lanes);
  }
}

// Where vector v has Re: re; im elsewhere.
HWY_INLINE real by_parts([[maybe_unused]] int v, real re, [[maybe_unused]] real im) {
#if HWY_TARGET == HWY_SCALAR
  return v == 0 ? re : im;
#else
  if constexpr (lanes == 2) return hn::OddEven(im, re);
  return hn::OddEvenBlocks(im, re);
#endif
}
HWY_INLINE Mixed by_parts(dd re, dd im) {
  return both([&](int v) { return dd{by_parts(v, re.hi, im.hi), by_parts(v, re.lo, im.lo)}; });
}

// Re and Im exchanged.
HWY_INLINE Mixed exchanged(const Mixed& z) {
#if HWY_TARGET == HWY_SCALAR
  return {{z.x[1], z.x[0]}};
#else
  const auto exchange = [](real x) {
    if constexpr (lanes == 2) return hn::Shuffle01(x);
    return hn::SwapAdjacentBlocks(x);
  };
  return both([&](int v) { return dd{exchange(z.x[v].hi), exchange(z.x[v].lo)}; });
#endif
}

HWY_INLINE Mixed negated(const Mixed& z) {
  return both([&](int v) { return Lanes::negate(z.x[v]); });
}

// A number to multiply by: parts that Re and Im of x are multiplied by, and with Re and Im of x exchanged.
struct MixedFactor {
  Mixed straight, crossed;
  bool is_real;
  explicit HWY_INLINE MixedFactor(dd_complex f)
      : straight(by_parts(Lanes::broadcast(f.re), Lanes::broadcast(f.re))),
        crossed(by_parts(Lanes::broadcast(-f.im), Lanes::broadcast(f.im))),
        is_real(f.im.hi == 0.0) {}
};

// The bits of operators, whatever the operands.
struct Exact {
  HWY_INLINE Mixed multiply(const Mixed& x, const Mixed& y) const {
    return both([&](int v) { return Multiply()(x.x[v], y.x[v]); });
  }
  HWY_INLINE Mixed add(const Mixed& x, const Mixed& y) const {
    return both([&](int v) { return Add()(x.x[v], y.x[v]); });
  }
  HWY_INLINE Mixed multiply(const MixedFactor& f, const Mixed& x) const {
    return add(multiply(f.straight, x), multiply(f.crossed, exchanged(x)));
  }
};

// The same without selects and tests on the way. What they would change is collected in `special`: zeros that are or
// may be negative as operands of sums, and what is not finite, which stays so to the end.
template <bool is_real>
struct Quick {
  mask special;

  HWY_INLINE Quick() : special(hn::Ne(hn::Zero(Lanes::Tag()), hn::Zero(Lanes::Tag()))) {}
  HWY_INLINE bool is_special() const { return !hn::AllFalse(Lanes::Tag(), special); }
  HWY_INLINE Mixed multiply(const Mixed& x, const Mixed& y) const {
    return both([&](int v) {
      const dd p = Lanes::two_prod(x.x[v].hi, y.x[v].hi);
      return Lanes::fast_two_sum(p.hi, rest(p, x.x[v], y.x[v]));
    });
  }
  HWY_INLINE Mixed add(const Mixed& x, const Mixed& y) {
    for (int v = 0; v < 2; ++v) special = hn::Or(special, hn::Or(is_zero(x.x[v].hi), is_zero(y.x[v].hi)));
    return both([&](int v) { return Lanes::add_finite(x.x[v], y.x[v]); });
  }
  HWY_INLINE Mixed multiply(const MixedFactor& f, const Mixed& x) {
    if constexpr (!is_real) return add(multiply(f.straight, x), multiply(f.crossed, exchanged(x)));
    // What is added is zero, of a sign that a sum or its lo may have.
    const Mixed turned = exchanged(x);
    return both([&](int v) {
      const dd a = f.straight.x[v], b = x.x[v], p = Lanes::two_prod(a.hi, b.hi);
      const dd z = Lanes::fast_two_sum(p.hi, Lanes::choose(is_zero(p.hi), p.hi, rest(p, a, b)));
      const real zero = Lanes::mul(f.crossed.x[v].hi, turned.x[v].hi);
      return dd{z.hi + zero, Lanes::choose(is_zero(z.lo), zero, z.lo)};
    });
  }
  // `loaded` may be a zero as long as it is positive; x is no negative one.
  HWY_INLINE Mixed add_loaded(const Mixed& x, const Mixed& loaded) {
    for (int v = 0; v < 2; ++v) {
      special = hn::Or(special, is_minus_zero(loaded.x[v].hi));
      if constexpr (is_real) special = hn::Or(special, is_minus_zero(x.x[v].hi));
    }
    return both([&](int v) { return Lanes::add_finite(x.x[v], loaded.x[v]); });
  }
  HWY_INLINE void expect_finite(const Mixed& z) {
    for (int v = 0; v < 2; ++v) special = hn::Or(special, is_not_finite(z.x[v].hi));
  }

 private:
  static HWY_INLINE real rest(dd p, dd x, dd y) { return p.lo + (Lanes::mul(x.hi, y.lo) + Lanes::mul(x.lo, y.hi)); }
};

// f(arrays at i …) for all elements, of which what is left after whole vectors lies in arrays of its own.
template <class F, class... T>
HWY_INLINE void for_vectors(host::Ahead ahead, std::int64_t n, F f, T*... arrays) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    (host::expect<lanes * sizeof *arrays>(ahead, arrays + i), ...);
    f((arrays + i)...);
  }
  if (i == n) return;
  const std::int64_t left = n - i;
  [&]<class... U>(U... rest) {
    (std::copy_n(arrays + i, left, rest.x), ...);
    f(rest.x...);
    const auto put_back = [&](const auto* from, auto* to) {
      if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(to)>>) std::copy_n(from, left, to);
    };
    (put_back(rest.x, arrays + i), ...);
  }([]<class E>(E*) {
    struct Some {
      std::remove_const_t<E> x[lanes] = {};
    };
    return Some();
  }(arrays)...);
}

void rotate(std::int64_t n, dd_real cosine, dd_real sine, dd_real* x_data, dd_real* y_data, host::Ahead ahead) {
  const dd c = Lanes::broadcast(cosine), s = Lanes::broadcast(sine);
  for_vectors(
      ahead, n,
      [&](dd_real* to_x, dd_real* to_y) {
        const dd x = load(to_x), y = load(to_y);
        store(Add()(Multiply()(c, x), Multiply()(s, y)), to_x);
        store(Subtract()(Multiply()(c, y), Multiply()(s, x)), to_y);
      },
      x_data, y_data);
}

template <bool is_real>
void scale_by(const MixedFactor& alpha, std::int64_t n, dd_complex* data, host::Ahead ahead) {
  for_vectors(
      ahead, n,
      [&](dd_complex* to) {
        const Mixed x = load_mixed(to);
        Quick<is_real> quick;
        const Mixed z = quick.multiply(alpha, x);
        quick.expect_finite(z);
        store(HWY_LIKELY(!quick.is_special()) ? z : Exact().multiply(alpha, x), to);
      },
      data);
}

void scale_complex(std::int64_t n, dd_complex alpha, dd_complex* x, host::Ahead ahead) {
  const MixedFactor a(alpha);
  a.is_real ? scale_by<true>(a, n, x, ahead) : scale_by<false>(a, n, x, ahead);
}

template <bool is_real>
void add_times(const MixedFactor& alpha, std::int64_t n, const dd_complex* x_data, dd_complex* y_data,
               host::Ahead ahead) {
  for_vectors(
      ahead, n,
      [&](const dd_complex* from, dd_complex* to) {
        const Mixed x = load_mixed(from), y = load_mixed(to);
        Quick<is_real> quick;
        const Mixed z = quick.add_loaded(quick.multiply(alpha, x), y);
        quick.expect_finite(z);
        store(HWY_LIKELY(!quick.is_special()) ? z : Exact().add(Exact().multiply(alpha, x), y), to);
      },
      x_data, y_data);
}

void axpy_complex(std::int64_t n, dd_complex alpha, const dd_complex* x, dd_complex* y, host::Ahead ahead) {
  const MixedFactor a(alpha);
  a.is_real ? add_times<true>(a, n, x, y, ahead) : add_times<false>(a, n, x, y, ahead);
}

template <bool is_real>
void rotate_by(dd_real cosine, dd_complex sine, std::int64_t n, dd_complex* x_data, dd_complex* y_data,
               host::Ahead ahead) {
  const Mixed c = by_parts(Lanes::broadcast(cosine), Lanes::broadcast(cosine));
  const MixedFactor s(sine), conjugate(conj(sine)), minus_conjugate(-conj(sine));
  for_vectors(
      ahead, n,
      [&](dd_complex* to_x, dd_complex* to_y) {
        const Mixed x = load_mixed(to_x), y = load_mixed(to_y);
        Quick<is_real> quick;
        Mixed left = quick.add(quick.multiply(c, x), quick.multiply(s, y));
        Mixed right = quick.add(quick.multiply(c, y), quick.multiply(minus_conjugate, x));
        quick.expect_finite(left);
        quick.expect_finite(right);
        if (HWY_UNLIKELY(quick.is_special())) {
          const Exact exact;
          left = exact.add(exact.multiply(c, x), exact.multiply(s, y));
          right = exact.add(exact.multiply(c, y), negated(exact.multiply(conjugate, x)));
        }
        store(left, to_x);
        store(right, to_y);
      },
      x_data, y_data);
}

void rotate_complex(std::int64_t n, dd_real c, dd_complex s, dd_complex* x, dd_complex* y, host::Ahead ahead) {
  s.im.hi == 0.0 ? rotate_by<true>(c, s, n, x, y, ahead) : rotate_by<false>(c, s, n, x, y, ahead);
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
