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

#include "dd/elementwise_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace hilo::array::HWY_NAMESPACE {
namespace {

struct Complex {
  dd re, im;
};

HWY_INLINE Complex load(const dd_complex* x) {
  Complex z;
  hn::LoadInterleaved4(Lanes::Tag(), reinterpret_cast<const double*>(x), z.re.hi, z.re.lo, z.im.hi, z.im.lo);
  return z;
}
HWY_INLINE void store(const Complex& z, dd_complex* x) {
  hn::StoreInterleaved4(z.re.hi, z.re.lo, z.im.hi, z.im.lo, Lanes::Tag(), reinterpret_cast<double*>(x));
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
HWY_INLINE void for_vectors(std::int64_t n, F f, T*... arrays) {
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) f((arrays + i)...);
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

void rotate(std::int64_t n, dd_real cosine, dd_real sine, dd_real* x_data, dd_real* y_data) {
  const dd c = Lanes::broadcast(cosine), s = Lanes::broadcast(sine);
  for_vectors(
      n,
      [&](dd_real* to_x, dd_real* to_y) {
        const dd x = load(to_x), y = load(to_y);
        store(Add()(Multiply()(c, x), Multiply()(s, y)), to_x);
        store(Subtract()(Multiply()(c, y), Multiply()(s, x)), to_y);
      },
      x_data, y_data);
}

void scale_complex(std::int64_t n, dd_complex alpha, dd_complex* x) {
  const Complex a = broadcast(alpha);
  for_vectors(
      n, [&](dd_complex* to) { store(multiply(a, load(to)), to); }, x);
}

void axpy_complex(std::int64_t n, dd_complex alpha, const dd_complex* x, dd_complex* y) {
  const Complex a = broadcast(alpha);
  for_vectors(
      n, [&](const dd_complex* from, dd_complex* to) { store(add(multiply(a, load(from)), load(to)), to); }, x, y);
}

void rotate_complex(std::int64_t n, dd_real cosine, dd_complex sine, dd_complex* x_data, dd_complex* y_data) {
  const dd c = Lanes::broadcast(cosine);
  const Complex s = broadcast(sine), conjugate = broadcast(conj(sine));
  for_vectors(
      n,
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
