#include "register_rate.hpp"

#include <algorithm>
#include <chrono>

#define HWY_COMPILE_ONLY_STATIC
#define HWY_WANT_AVX3_DL
#include <hwy/highway.h>

namespace hilo::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Lanes {
  using Tag = hn::ScalableTag<double>;
  using real = hn::Vec<Tag>;
  using mask = hn::Mask<Tag>;
#define HILO_FN static HWY_INLINE
  HILO_FN real literal(double c) { return hn::Set(Tag(), c); }
  HILO_FN real mul(real a, real b) { return hn::Mul(a, b); }
  HILO_FN real magnitude(real a) { return hn::Abs(a); }
  HILO_FN real choose(mask m, real a, real b) { return hn::IfThenElse(m, a, b); }
  HILO_FN real fma(real a, real b, real c) { return hn::MulAdd(a, b, c); }
  HILO_FN real fms(real a, real b, real c) { return hn::MulSub(a, b, c); }
  HILO_FN real spare_add(real x, real y) { return hn::MulAdd(literal(1.0), x, y); }
#include <hilo/eft.clh>
#include <hilo/step.clh>
#undef HILO_FN
};

volatile double sink;

// One pass of `sums` independent sums over `steps` steps with operands that stay in registers.
template <int Sums, int Interval>
double pass(int steps) {
  constexpr Lanes::Tag tag;
  Lanes::dd sum[Sums];
  HWY_UNROLL(16)
  for (int i = 0; i < Sums; ++i) sum[i] = {hn::Set(tag, i), hn::Zero(tag)};
  Lanes::dd a = {hn::Set(tag, 1.0 + sink), hn::Set(tag, 0x1p-54)},
            b = {hn::Set(tag, 0.7 + sink), hn::Set(tag, 0x1p-55)};
  auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; s += Interval) {
    HWY_UNROLL(4)
    for (int u = 0; u < Interval; ++u) {
      HWY_UNROLL(16)
      for (int i = 0; i < Sums; ++i) {
        // Operands that the compiler must take for new: it would compute their product once for all.
        asm volatile("" : "+v"(a.hi.raw));
        sum[i] = Lanes::step_fma(sum[i], a, b);
      }
    }
    HWY_UNROLL(16)
    for (int i = 0; i < Sums; ++i) sum[i] = Lanes::fast_two_sum(sum[i].hi, sum[i].lo);
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double out = 0;
  HWY_UNROLL(16)
  for (int i = 0; i < Sums; ++i) out += hn::GetLane(sum[i].hi + sum[i].lo);
  sink = out * 0.0;
  return 2.0 * Sums * static_cast<double>(hn::Lanes(tag)) * steps / seconds * 1e-9;
}

template <int Interval>
double best() {
  return std::max({pass<6, Interval>(1000000), pass<8, Interval>(1000000), pass<10, Interval>(1000000),
                   pass<12, Interval>(1000000)});
}

}  // namespace

double register_rate(Accuracy accuracy) { return accuracy == Accuracy::classic ? best<1>() : best<4>(); }

}  // namespace hilo::bench
