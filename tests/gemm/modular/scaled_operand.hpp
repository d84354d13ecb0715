// Numbers that are hard to scale to integers, and runs of an operand of them, for tests of residues.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "dd_against_mpfr.hpp"
#include "exact_integer.hpp"
#include "gemm/modular/cpu/kernels.hpp"

namespace hilo::modular::testing {

using std::int64_t;
using namespace hilo::testing;

// Numbers x with |x · 2^shift| <= 2^bits that make trouble for the rounding of x · 2^shift, or for limbs.
class Numbers {
 public:
  Numbers(testing::Inputs& inputs, int bits, int words) : inputs_(inputs), bits_(bits), words_(words) {}

  dd_real operator()(int64_t shift) {
    if (below(40) == 0) return not_finite();
    if (shift == leave_out) return inputs_.number(true);
    for (int tries = 0; tries < 20; ++tries) {
      Integer x;
      int64_t places = 0;  // after the point of x · 2^shift
      any(shift, x, places);
      dd_real number = below(2) ? pair(x, -places - shift) : pair(-x, -places - shift);
      if (words_ == 2 && below(5) == 0) number = spoilt(number);
      if (is_within(number, shift)) return number;
    }
    return dd_real(below(2) ? 0.0 : -0.0);
  }

 private:
  int64_t below(int64_t n) { return inputs_.below(static_cast<int>(n)); }
  int64_t sign() { return below(2) ? 1 : -1; }
  Integer random(int64_t length) { return length <= 0 ? Integer(0) : Integer(inputs_.bits() >> (64 - length)); }

  dd_real pair(const Integer& x, int64_t shift) const {
    if (words_ == 2) return testing::nearest_pair(x, shift);
    Integer rest = x;
    return dd_real(testing::take_double(rest, shift));
  }
  // Words without a finite sum.
  dd_real not_finite() {
    constexpr double infinity = std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::max();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (words_ == 1) return dd_real(below(2) ? nan : below(2) ? infinity : -infinity);
    const dd_real all[] = {dd_real(infinity),       dd_real(-infinity, infinity), dd_real(nan),     dd_real(1.0, nan),
                           dd_real(0.5, -infinity), dd_real(most, most),          dd_real(nan, nan)};
    return all[below(static_cast<int64_t>(std::size(all)))];
  }
  // Words that are no double-double: of nearly the same sum, but in another order, or with more in lo.
  dd_real spoilt(dd_real x) {
    if (below(2)) return dd_real(x.lo, x.hi);
    double moved = std::ldexp(below(2) ? x.hi : x.lo, static_cast<int>(below(60) - 40));
    return dd_real(x.hi + moved, x.lo - moved);
  }
  bool is_within(dd_real x, int64_t shift) const {
    if (!std::isfinite(x.hi) || !std::isfinite(x.lo) || !std::isfinite(x.hi + x.lo)) return false;
    Integer magnitude = abs(testing::in_least_units(x.hi) + testing::in_least_units(x.lo));
    int64_t limit = bits_ + 1074 - shift;
    return limit < 0 ? magnitude == 0 : magnitude <= power_of_two(limit);
  }

  void any(int64_t shift, Integer& x, int64_t& places) {
    switch (below(6)) {
      case 0: {
        // Of any size that a double can have.
        int64_t most = std::min<int64_t>(bits_, 1023 + shift), least = shift - 1074, length = 1 + below(53);
        if (below(2)) least = std::max<int64_t>(least, -60);
        x = random(length) * power_of_two(60) * power_of_two(below(700)) + random(1 + below(53));
        places = testing::bit_length(x) - (most <= least ? least : least + below(most - least + 1));
        break;
      }
      case 1:
        half(shift, x, places);
        break;
      case 2: {
        // The largest, less little or nothing.
        int64_t below_it = below(1000) - bits_;
        places = std::max<int64_t>(below_it, 0);
        x = power_of_two(bits_ + places) - (below(4) ? power_of_two(places - below_it) : Integer(0));
        break;
      }
      case 3:
        for (int64_t terms = 1 + below(5); terms > 0; --terms) {
          int64_t place = limb_bits * below(limbs_for(bits_)) + below(2) * 41 + below(5) - 2;
          x += sign() * power_of_two(std::max<int64_t>(place, 0));
        }
        break;
      default:
        words(x, places);
        break;
    }
  }
  // An integer and a half, less or more than that by little or nothing; even and odd.
  void half(int64_t shift, Integer& x, int64_t& places) {
    x = random(below(std::min(bits_, 52) + 1));
    if (below(2) && bits_ > 54) x += (power_of_two(52) + random(52)) * power_of_two(below(bits_ - 53));
    x = 2 * x + 1;
    places = 1;
    if (below(3)) {
      // Near, far, or the least that there is, which scaling loses.
      int64_t distances[] = {1 + below(60), 1 + below(1000), std::max<int64_t>(1073 - shift - below(3), 1)};
      int64_t distance = distances[below(3)];
      x = x * power_of_two(distance) + sign();
      places += distance;
    }
  }
  // Two words anywhere, with bits where limbs are largest.
  void words(Integer& x, int64_t& places) {
    int64_t first = bits_ - below(3) * below(bits_ + 1), second = first - 53 - below(std::max<int64_t>(first, 1));
    x = (power_of_two(52) + random(52)) * power_of_two(2000 + first - 53);
    x += sign() * (power_of_two(52) + random(52)) * power_of_two(2000 + second - 53);
    places = 2000;
  }

  testing::Inputs& inputs_;
  int bits_, words_;
};

// A run of an operand and the shifts of its elements. What lies between elements is NaN.
struct Operand {
  std::vector<double> words;
  std::vector<int64_t> base;
  Run run;
  Exponents shifts;

  Operand(int64_t count, int64_t stride, int words_of_part, int parts, bool negates_imaginary) {
    int size = words_of_part * parts;
    words.assign(static_cast<std::size_t>((count - 1) * stride + size), std::numeric_limits<double>::quiet_NaN());
    run = {words.data(), count, stride, words_of_part, parts, negates_imaginary};
  }
  Operand(const Operand&) = delete;

  int64_t shift(int64_t i) const { return shifts.base0 + (shifts.base ? shifts.base[i] : 0); }
  void set(int64_t i, int part, dd_real x) {
    double* to = words.data() + i * run.stride + part * run.words;
    to[0] = x.hi;
    if (run.words == 2) to[1] = x.lo;
  }
  // The integer nearest to a scaled part, zero for one that is not finite; parts 0, 1, and 2 for the sum of both.
  Integer integer(int64_t i, int plane) const {
    if (plane == 2) return integer(i, 0) + integer(i, 1);
    const double* x = words.data() + i * run.stride + plane * run.words;
    double lo = run.words == 2 ? x[1] : 0.0;
    if (!std::isfinite(x[0] + lo)) return 0;
    Integer nearest = testing::nearest_integer(x[0], lo, shift(i));
    if (plane == 1 && run.negates_imaginary) nearest = -nearest;
    return nearest;
  }
  std::string text(int64_t i) const {
    std::string all = " shift " + std::to_string(shift(i)) + (run.negates_imaginary ? " conjugate" : "");
    for (int w = 0; w < run.words * run.parts; ++w) {
      char buffer[40];
      std::snprintf(buffer, sizeof buffer, " %a", words[static_cast<std::size_t>(i * run.stride + w)]);
      all += buffer;
    }
    return all;
  }
};

}  // namespace hilo::modular::testing
