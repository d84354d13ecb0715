// Random numbers that are the same on every machine: Random, and random_elements of a matrix.
#pragma once

#include <concepts>
#include <cstdint>
#include <hilo/complex.hpp>
#include <vector>

namespace hilo::test {

/// A sequence of its own for each seed: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to count − 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>((bits() >> 11) % static_cast<std::uint64_t>(count));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  /// In [-1, 1), a multiple of 2^-52.
  double uniform() { return static_cast<double>(static_cast<std::int64_t>(bits()) >> 11) * 0x1p-52; }

  /// A double-double, real or complex, whose hi words are uniform in [-1, 1) and whose lo words are below 2^-53.
  template <class T>
  T element() {
    if constexpr (std::same_as<T, dd_complex>) {
      // One after the other: arguments of a call are evaluated in an order of the compiler's choice.
      const dd_real re = element<dd_real>();
      return {re, element<dd_real>()};
    } else {
      const double hi = uniform();
      return dd_real::sum(hi, uniform() * 0x1p-53);
    }
  }

 private:
  std::uint64_t state_;
};

template <class T>
std::vector<T> random_elements(std::int64_t count, std::uint64_t seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  Random random(seed);
  for (T& e : x) e = random.element<T>();
  return x;
}

}  // namespace hilo::test
