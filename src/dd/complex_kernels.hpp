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

HWY_INLINE Complex multiply(const Complex& x, const Complex& y) {
  return {Subtract()(Multiply()(x.re, y.re), Multiply()(x.im, y.im)),
          Add()(Multiply()(x.re, y.im), Multiply()(x.im, y.re))};
}
HWY_INLINE Complex multiply(dd x, const Complex& y) { return {Multiply()(x, y.re), Multiply()(x, y.im)}; }
HWY_INLINE Complex add(const Complex& x, const Complex& y) { return {Add()(x.re, y.re), Add()(x.im, y.im)}; }
HWY_INLINE Complex subtract(const Complex& x, const Complex& y) {
  return {Subtract()(x.re, y.re), Subtract()(x.im, y.im)};
}

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

void scale_complex(std::int64_t n, dd_complex alpha, dd_complex* x, host::Ahead ahead) {
  const Complex a = broadcast(alpha);
  for_vectors(
      ahead, n, [&](dd_complex* to) { store(multiply(a, load(to)), to); }, x);
}

void axpy_complex(std::int64_t n, dd_complex alpha, const dd_complex* x, dd_complex* y, host::Ahead ahead) {
  const Complex a = broadcast(alpha);
  for_vectors(
      ahead, n, [&](const dd_complex* from, dd_complex* to) { store(add(multiply(a, load(from)), load(to)), to); }, x,
      y);
}

void rotate_complex(std::int64_t n, dd_real cosine, dd_complex sine, dd_complex* x_data, dd_complex* y_data,
                    host::Ahead ahead) {
  const dd c = Lanes::broadcast(cosine);
  const Complex s = broadcast(sine), conjugate = broadcast(conj(sine));
  for_vectors(
      ahead, n,
      [&](dd_complex* to_x, dd_complex* to_y) {
        const Complex x = load(to_x), y = load(to_y);
        store(add(multiply(c, x), multiply(s, y)), to_x);
        store(subtract(multiply(c, y), multiply(conjugate, x)), to_y);
      },
      x_data, y_data);
}

}  // namespace
}  // namespace hilo::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
