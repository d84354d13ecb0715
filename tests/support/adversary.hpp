// Sums that make the direct engine err as much as a search can: one product near 1, then products of about a unit of
// its last place or just above halves of it, lo parts at their largest, chosen so that every rounding goes one way.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gemm/direct/reference.hpp>
#include <vector>

#include "random.hpp"

namespace hilo {

struct Terms {
  std::vector<dd_real> a, b;
};

class Adversary {
 public:
  Adversary(Accuracy accuracy, bool fma) : interval_(direct::renormalisation_interval(accuracy)), fma_(fma) {}

  /// A chunk of `steps` <= 64 terms: a beam search, step by step, for the largest error. The same in every run.
  Terms chunk(int steps) {
    std::vector<std::vector<State>> beams = {{State{}}};
    for (int h = 0; h < steps; ++h) beams.push_back(widen(beams.back(), h));
    Terms terms{std::vector<dd_real>(static_cast<std::size_t>(steps)),
                std::vector<dd_real>(static_cast<std::size_t>(steps))};
    std::size_t index = 0;
    for (std::size_t h = static_cast<std::size_t>(steps); h > 0; --h) {
      const State& state = beams[h][index];
      terms.a[h - 1] = {state.a.hi, state.a.lo};
      terms.b[h - 1] = {state.b.hi, state.b.lo};
      index = state.parent;
    }
    return terms;
  }

 private:
  using Step = direct::ScalarStep;
  using Words = Step::dd;

  static constexpr std::size_t beam_width = 64;
  static constexpr int children = 256;

  struct State {
    Words sum = {0.0, 0.0};
    long double error = 0;  // so far, in u²
    std::size_t parent = 0;
    Words a = {0.0, 0.0}, b = {0.0, 0.0};
  };

  std::vector<State> widen(const std::vector<State>& beam, int h) {
    std::vector<State> next;
    for (std::size_t parent = 0; parent < beam.size(); ++parent) {
      for (int child = 0; child < children; ++child) {
        State s = beam[parent];
        s.parent = parent;
        choose_factors(h == 0, s.a, s.b);
        Words before = s.sum;
        s.sum = fma_ ? Step::step_fma(before, s.a, s.b) : Step::step_split_scaled(before, s.a, s.b);
        if ((h + 1) % interval_ == 0) s.sum = Step::fast_two_sum(s.sum.hi, s.sum.lo);
        s.error += step_error(before, s.a, s.b, s.sum);
        next.push_back(s);
      }
    }
    std::stable_sort(next.begin(), next.end(), [](const State& x, const State& y) { return x.error > y.error; });
    next.resize(std::min(next.size(), beam_width));
    return next;
  }

  void choose_factors(bool is_first, Words& a, Words& b) {
    if (is_first) {
      a = {1.0 + below(8) * 0x1p-52, 0x1p-53 * fraction()};
      b = {1.0 + below(8) * 0x1p-52, 0x1p-53 * fraction()};
      return;
    }
    a = factor(1.0 + fraction());
    if (below(2) == 0.0) {
      b = factor(0x1p-54 * (1.0 + fraction()) * std::ldexp(1.0, static_cast<int>(below(4))));
    } else {
      b = factor(0x1p-53 * (1.0 + 2.0 * below(3)) * (1.0 + 0x1p-28 * fraction()) / std::fabs(a.hi));
    }
  }

  // ±high with a lo part of half a unit in its last place or less.
  Words factor(double high) {
    double lo = std::ldexp(below(2) == 0.0 ? 1.0 : fraction(), std::ilogb(high) - 53);
    double sign = below(2) == 0.0 ? 1.0 : -1.0;
    return Step::fast_two_sum(sign * high, below(2) == 0.0 ? lo : -lo);
  }

  // What the step added beyond a · b, in u²; good to a thousandth where a · b is of about u or before is 0.
  static long double step_error(Words before, Words a, Words b, Words after) {
    Words p = Step::two_prod(a.hi, b.hi), q = Step::two_prod(a.hi, b.lo), r = Step::two_prod(a.lo, b.hi);
    long double exact = static_cast<long double>(before.hi - after.hi) + p.hi;
    exact += static_cast<long double>(before.lo) - after.lo;
    for (double part : {p.lo, q.hi, r.hi, q.lo, r.lo, a.lo * b.lo}) exact += part;
    return -exact * 0x1p106L;
  }

  double fraction() { return static_cast<double>(random_.bits() >> 11) * 0x1p-53; }
  double below(std::uint64_t n) { return static_cast<double>((random_.bits() >> 32) % n); }

  int interval_;
  bool fma_;
  test::Random random_{7};
};

}  // namespace hilo
