#include "register_rate.hpp"

#include <algorithm>
#include <chrono>

#define HWY_COMPILE_ONLY_STATIC
#define HWY_WANT_AVX3_DL
#include <hwy/highway.h>

#include "dd/lanes.hpp"

namespace hilo::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;

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
