// Every function of the number, whose bits must not depend on the compiler or its flags: prints one hash a function.
#include <hilo/complex_math.hpp>
#include <hilo/math.hpp>
#include <hilo/numbers.hpp>
#include <hilo/pack.hpp>
#include <hilo/random.hpp>
#include <hilo/text.hpp>
#include <random>

#include "hash.hpp"

using hilo::dd_complex;
using hilo::dd_pack;
using namespace flags;

namespace {

// Where a function has something to compute: x itself, and x brought into (−8, 8), (0, 1) and (−200, 200).
dd_real argument(dd_real x, std::size_t i) {
  switch (i % 4) {
    case 0:
      return x;
    case 1:
      return fmod(x, dd_real(8));
    case 2:
      return abs(fmod(x, dd_real(1)));
    default:
      return fmod(x * 64, dd_real(200));
  }
}

#define HILO_UNARY(f) print(#f, n, [=](std::size_t i) { return f(argument(x[i], i)); })
#define HILO_BINARY(f) print(#f, n, [=](std::size_t i) { return f(argument(x[i], i), argument(y[i], i / 4)); })
#define HILO_COMPLEX(f)                                                         \
  print("complex " #f, n, [=](std::size_t i) {                                  \
    dd_complex w = f(dd_complex(argument(x[i], i / 4), argument(y[i], i / 2))); \
    return i % 2 == 0 ? w.re : w.im;                                            \
  })

void real_functions(std::size_t n, const dd_real* x, const dd_real* y) {
  HILO_UNARY(exp);
  HILO_UNARY(exp2);
  HILO_UNARY(exp10);
  HILO_UNARY(expm1);
  HILO_UNARY(log);
  HILO_UNARY(log2);
  HILO_UNARY(log10);
  HILO_UNARY(log1p);
  HILO_UNARY(cbrt);
  HILO_UNARY(sin);
  HILO_UNARY(cos);
  HILO_UNARY(tan);
  HILO_UNARY(sinpi);
  HILO_UNARY(cospi);
  HILO_UNARY(tanpi);
  HILO_UNARY(asin);
  HILO_UNARY(acos);
  HILO_UNARY(atan);
  HILO_UNARY(sinh);
  HILO_UNARY(cosh);
  HILO_UNARY(tanh);
  HILO_UNARY(asinh);
  HILO_UNARY(acosh);
  HILO_UNARY(atanh);
  HILO_UNARY(erf);
  HILO_UNARY(erfc);
  HILO_UNARY(tgamma);
  HILO_UNARY(lgamma);
  HILO_BINARY(pow);
  HILO_BINARY(hypot);
  HILO_BINARY(atan2);
  HILO_BINARY(fmod);
  HILO_BINARY(remainder);
  HILO_BINARY(fdim);
  HILO_BINARY(nextafter);
}

void complex_functions(std::size_t n, const dd_real* x, const dd_real* y) {
  HILO_COMPLEX(sqrt);
  HILO_COMPLEX(exp);
  HILO_COMPLEX(log);
  HILO_COMPLEX(sin);
  HILO_COMPLEX(cos);
  HILO_COMPLEX(tan);
  HILO_COMPLEX(asin);
  HILO_COMPLEX(acos);
  HILO_COMPLEX(atan);
  HILO_COMPLEX(sinh);
  HILO_COMPLEX(cosh);
  HILO_COMPLEX(tanh);
  HILO_COMPLEX(asinh);
  HILO_COMPLEX(acosh);
  HILO_COMPLEX(atanh);
  print("complex divide", n, [=](std::size_t i) {
    dd_complex w = dd_complex(x[i], y[i]) / dd_complex(y[i], argument(x[i], i));
    return i % 2 == 0 ? w.re : w.im;
  });
}

// Lanes give the bits of the number, so they print under the same names with the same hashes.
template <int N>
void packs(std::size_t n, const dd_real* x, const dd_real* y) {
  auto in_lanes = [=](const char* name, auto f) {
    Numbers r(n), a(N), b(N);
    for (std::size_t i = 0; i + N <= n; i += N) {
      for (std::size_t j = 0; j < N; ++j) a[j] = argument(x[i + j], i + j), b[j] = argument(y[i + j], (i + j) / 4);
      f(dd_pack<N>::load(a.data()), dd_pack<N>::load(b.data())).store(r.data() + i);
    }
    Hash(name).add(r);
  };
  in_lanes("lanes +", [](auto a, auto b) { return a + b; });
  in_lanes("lanes a*b-a", [](auto a, auto b) { return a * b - a; });
  in_lanes("lanes /", [](auto a, auto b) { return a / b; });
  in_lanes("lanes sqrt", [](auto a, auto) { return sqrt(a); });
  in_lanes("lanes exp", [](auto a, auto) { return exp(a); });
  in_lanes("lanes log", [](auto a, auto) { return log(a); });
  in_lanes("lanes sin", [](auto a, auto) { return sin(a); });
  in_lanes("lanes cos", [](auto a, auto) { return cos(a); });
}

void random_numbers(std::size_t n) {
  std::mt19937_64 engine(7);
  hilo::uniform_real_distribution uniform;
  hilo::normal_distribution normal;
  print("random", n, [&](std::size_t i) { return i % 2 == 0 ? uniform(engine) : normal(engine); });
}

}  // namespace

int main() {
  constexpr std::size_t n = 1024;
  const Numbers a = numbers(n), b = numbers(n);
  real_functions(n, a.data(), b.data());
  complex_functions(n, a.data(), b.data());
  packs<1>(n, a.data(), b.data());
  packs<4>(n, a.data(), b.data());
  packs<8>(n, a.data(), b.data());
  random_numbers(n);
}
