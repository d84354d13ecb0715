#include "tune/register_rate.hpp"

#include <algorithm>
#include <chrono>

#include "dd/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tune/register_rate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "dd/lanes.hpp"

#ifndef HILO_REGISTER_RATE_ONCE
#define HILO_REGISTER_RATE_ONCE
namespace hilo::tune {

struct RegisterRates {
  double (*multiply_adds_s)(), (*multiply_adds_d)(), (*steps)(), (*fast_steps)();
};

}  // namespace hilo::tune
#endif

HWY_BEFORE_NAMESPACE();
namespace hilo::tune::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hilo::HWY_NAMESPACE::Lanes;

volatile double sink;

// Makes an operand one that the compiler must take for new: it would compute what is the same once for all.
template <class V>
HWY_INLINE void renew(V& x) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  asm volatile("" : "+m"(x));
#elif HWY_ARCH_X86
  asm volatile("" : "+v"(x.raw));
#elif HWY_ARCH_ARM
  asm volatile("" : "+w"(x.raw));
#else
  asm volatile("" : "+m"(x));
#endif
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// GFlop/s of one pass of `sums` independent sums over `steps` multiply-adds whose operands stay in registers.
template <class Word, int sums>
double multiply_add_pass(int steps) {
  constexpr hn::ScalableTag<Word> tag;
  hn::Vec<decltype(tag)> sum[sums];
  HWY_UNROLL(16)
  for (int i = 0; i < sums; ++i) sum[i] = hn::Set(tag, static_cast<Word>(i));
  auto a = hn::Set(tag, static_cast<Word>(0.999 + sink)), b = hn::Set(tag, static_cast<Word>(1e-3 + sink));
  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; ++s) {
    HWY_UNROLL(16)
    for (int i = 0; i < sums; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
    renew(a);
  }
  const double seconds = seconds_since(start);
  double out = 0;
  HWY_UNROLL(16)
  for (int i = 0; i < sums; ++i) out += static_cast<double>(hn::GetLane(sum[i]));
  sink = out * 0.0;
  return 2.0 * sums * static_cast<double>(hn::Lanes(tag)) * steps / seconds * 1e-9;
}

// The best of several passes, each of about a millisecond: short enough to run undisturbed now and then.
template <class Pass>
double best_of(Pass pass) {
  constexpr int passes = 8;
  double best = 0.0;
  for (int i = 0; i < passes; ++i) best = std::max(best, pass());
  return best;
}

template <class Word>
double multiply_add() {
  constexpr int steps = 300000;
  return best_of([] {
    return std::max(
        {multiply_add_pass<Word, 8>(steps), multiply_add_pass<Word, 10>(steps), multiply_add_pass<Word, 12>(steps)});
  });
}

HWY_INLINE Lanes::dd step(Lanes::dd sum, Lanes::dd a, Lanes::dd b) {
#if HWY_NATIVE_FMA
  return Lanes::step_fma(sum, a, b);
#else
  return Lanes::step_split(sum, a, b);
#endif
}

// GFlop/s of DD of the same with steps, renormalised after every `interval`.
template <int sums, int interval>
double step_pass(int steps) {
  constexpr Lanes::Tag tag;
  Lanes::dd sum[sums];
  HWY_UNROLL(16)
  for (int i = 0; i < sums; ++i) sum[i] = {hn::Set(tag, i), hn::Zero(tag)};
  Lanes::dd a = {hn::Set(tag, 1.0 + sink), hn::Set(tag, 0x1p-54)},
            b = {hn::Set(tag, 0.7 + sink), hn::Set(tag, 0x1p-55)};
  const auto start = std::chrono::steady_clock::now();
  for (int s = 0; s < steps; s += interval) {
    HWY_UNROLL(4)
    for (int u = 0; u < interval; ++u) {
      HWY_UNROLL(16)
      for (int i = 0; i < sums; ++i) {
        renew(a.hi);
        sum[i] = step(sum[i], a, b);
      }
    }
    HWY_UNROLL(16)
    for (int i = 0; i < sums; ++i) sum[i] = Lanes::fast_two_sum(sum[i].hi, sum[i].lo);
  }
  const double seconds = seconds_since(start);
  double out = 0;
  HWY_UNROLL(16)
  for (int i = 0; i < sums; ++i) out += hn::GetLane(sum[i].hi + sum[i].lo);
  sink = out * 0.0;
  return 2.0 * sums * static_cast<double>(hn::Lanes(tag)) * steps / seconds * 1e-9;
}

template <int interval>
double steps() {
  constexpr int count = 60000;
  return best_of([] {
    return std::max({step_pass<6, interval>(count), step_pass<8, interval>(count), step_pass<10, interval>(count),
                     step_pass<12, interval>(count)});
  });
}

const RegisterRates* rates() {
  static const RegisterRates all = {multiply_add<float>, multiply_add<double>, steps<1>, steps<4>};
  return &all;
}

}  // namespace hilo::tune::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hilo::tune {

HWY_EXPORT(rates);

double multiply_add_rate(Precision precision) {
  const RegisterRates& all = *HWY_DYNAMIC_DISPATCH(rates)();
  return is_single(precision) ? all.multiply_adds_s() : all.multiply_adds_d();
}

double register_rate(Accuracy accuracy) {
  const RegisterRates& all = *HWY_DYNAMIC_DISPATCH(rates)();
  return accuracy == Accuracy::fast ? all.fast_steps() : all.steps();
}

}  // namespace hilo::tune
#endif
