// Composed double-double operations, whose bits must not depend on the compiler or its flags: prints one hash a kernel.
#include <hilo/complex.hpp>
#include <hilo/math.hpp>

#include "hash.hpp"

using hilo::dd_complex;
using namespace flags;

namespace {

using Doubles = std::vector<double>;

[[gnu::noinline]] dd_real dot(const Numbers& x, const Numbers& y) {
  dd_real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (isfinite(x[i] * y[i]) && abs(x[i] * y[i]) < 0x1p300) sum += x[i] * y[i];
  return sum;
}

// The words in two arrays.
[[gnu::noinline]] void axpy_split(double alpha, const Doubles& x_hi, const Doubles& x_lo, Doubles& y_hi,
                                  Doubles& y_lo) {
  for (std::size_t i = 0; i < x_hi.size(); ++i) {
    dd_real r = dd_real{y_hi[i], y_lo[i]} + alpha * dd_real{x_hi[i], x_lo[i]};
    y_hi[i] = r.hi;
    y_lo[i] = r.lo;
  }
}

}  // namespace

int main() {
  constexpr std::size_t n = 2048 + 5;
  const Numbers a = numbers(n), b = numbers(n), c = numbers(n);
  const dd_real *p = a.data(), *q = b.data(), *r = c.data();

  print("a*b+c", n, [=](std::size_t i) { return p[i] * q[i] + r[i]; });
  print("a+b", n, [=](std::size_t i) { return p[i] + q[i]; });
  print("a*b", n, [=](std::size_t i) { return p[i] * q[i]; });
  print("a*b-c*a", n, [=](std::size_t i) { return p[i] * q[i] - r[i] * p[i]; });
  print("a/b", n, [=](std::size_t i) { return p[i] / q[i]; });
  print("a/b.hi + c", n, [=](std::size_t i) { return p[i] / q[i].hi + r[i]; });
  print("sqrt", n, [=](std::size_t i) { return sqrt(abs(p[i])) * q[i] + r[i]; });
  print("fma", n, [=](std::size_t i) { return fma(p[i], q[i], -(p[i] * q[i])); });
  print("sloppy", n, [=](std::size_t i) { return dd_real::add_sloppy(p[i] * q[i], r[i]); });
  print("horner", n, [=](std::size_t i) { return ((p[i] * q[i] + 1) * q[i] + r[i]) * q[i] + 0.25; });
  print("min abs compare", n, [=](std::size_t i) { return p[i] * q[i] < r[i] ? abs(p[i]) : fmax(q[i], r[i]); });
  print("round and scale", n, [=](std::size_t i) { return rint(ldexp(p[i], 40)) - floor(q[i]) * trunc(r[i]); });
  { Hash("dot").add(dot(a, b)); }

  print("complex", n, [=](std::size_t i) {
    dd_complex z = dd_complex(p[i], q[i]) * dd_complex(r[i], p[i]) + dd_complex(q[i], r[i]);
    return z.re + z.im * 0.5;
  });

  // A caller's own products of doubles, which the compiler would like to contract into what follows.
  Doubles x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = a[i].hi, y[i] = b[i].hi, z[i] = c[i].hi;
  const double *s = x.data(), *t = y.data(), *v = z.data();
  print("dd(x*y)+z", n, [=](std::size_t i) { return dd_real(s[i] * t[i]) + v[i]; });
  print("dd(x*y)+c", n, [=](std::size_t i) { return dd_real(s[i] * t[i]) + r[i]; });
  print("dd{x*y,0}*c", n, [=](std::size_t i) { return dd_real{s[i] * t[i], 0.0} * r[i] + v[i]; });
  // |w| < 2^-55, so that x·w may follow x as its lo.
  Doubles small(n);
  for (std::size_t i = 0; i < n; ++i)
    small[i] = std::bit_cast<double>((next() & 0x800fffffffffffffu) | (std::uint64_t{1023 - 56} << 52));
  const double* w = small.data();
  print("dd{x,x*w}+c", n, [=](std::size_t i) { return dd_real{s[i], s[i] * w[i]} + r[i]; });
  print("sloppy(dd{x,x*w},c)", n, [=](std::size_t i) { return dd_real::add_sloppy(dd_real{s[i], s[i] * w[i]}, r[i]); });
  print("c+x*y", n, [=](std::size_t i) { return r[i] + s[i] * t[i]; });
  print("x*y-c", n, [=](std::size_t i) { return s[i] * t[i] - r[i]; });
  print("c*(x*y)+a", n, [=](std::size_t i) { return r[i] * (s[i] * t[i]) + p[i]; });
  print("c/(x*y)", n, [=](std::size_t i) { return r[i] / (s[i] * t[i]); });
  print("sum(x*y,z)", n, [=](std::size_t i) { return dd_real::sum(s[i] * t[i], v[i]); });
  print("product(x*y,z)", n, [=](std::size_t i) { return dd_real::product(s[i] * t[i], v[i]) + r[i]; });
  print("c+f*g", n, [=](std::size_t i) { return r[i] + static_cast<float>(s[i]) * static_cast<float>(t[i]); });
  print("c<x*y", n, [=](std::size_t i) { return dd_real(r[i] < s[i] * t[i]); });
  print("integers of 128 bits", n, [=](std::size_t i) {
    auto wide = static_cast<__int128>(ldexp(p[i], 115 - ilogb(p[i])));
    return dd_real(wide) * q[i] + static_cast<unsigned __int128>(wide) * (i % 7);
  });
  print("integers", n, [=](std::size_t i) { return r[i] * static_cast<long long>(i * 0x9e3779b97f4a7c15u) + int(i); });

  Doubles x_lo(n), y_hi(n), y_lo(n);
  for (std::size_t i = 0; i < n; ++i) x_lo[i] = a[i].lo, y_hi[i] = c[i].hi, y_lo[i] = c[i].lo;
  axpy_split(1.0 / 3.0, x, x_lo, y_hi, y_lo);
  Hash split("split arrays");
  for (std::size_t i = 0; i < n; ++i) split.add(y_hi[i]), split.add(y_lo[i]);
}
