// Random numbers of each precision.
#pragma once

#include <complex>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/gemm.hpp>
#include <type_traits>
#include <vector>

namespace hilo::bench {

template <class T>
struct Words {
  using type = T;
};
template <class T>
struct Words<std::complex<T>> {
  using type = T;
};
template <>
struct Words<dd_real> {
  using type = double;
};
template <>
struct Words<dd_complex> {
  using type = double;
};

// Steele, Lea, Flood, OOPSLA 2014: some times as fast as the standard's generators.
class SplitMix64 {
 public:
  using result_type = std::uint64_t;
  explicit SplitMix64(std::uint64_t state) : state_(state) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

// Words uniform in (-1, 1); of double-doubles those of the high parts.
template <class T>
std::vector<T> random(std::int64_t count, std::uint64_t state) {
  std::vector<T> x(static_cast<std::size_t>(count));
  SplitMix64 engine(state);
  auto word = [&engine] { return static_cast<double>(static_cast<std::int64_t>(engine()) >> 11) * 0x1p-52; };
  using Word = typename Words<T>::type;
  auto words = reinterpret_cast<Word*>(x.data());
  const std::size_t all = x.size() * (sizeof(T) / sizeof(Word));
  for (std::size_t i = 0; i < all; ++i) words[i] = static_cast<Word>(word());
  if constexpr (double_double<T>) {
    for (std::size_t i = 0; i < all; i += 2) words[i + 1] *= 0x1p-54 * words[i];
  }
  return x;
}

// An n × n matrix near the identity, so that nothing grows much by products with it or its inverse.
template <class T>
std::vector<T> near_identity(std::int64_t n, std::uint64_t state) {
  std::vector<T> elements = random<T>(n * n, state);
  const T scale = T(1) / T(static_cast<double>(n));
  for (T& e : elements) e = e * scale;
  for (std::int64_t i = 0; i < n; ++i) elements[static_cast<std::size_t>(i * (n + 1))] = T(1);
  return elements;
}

}  // namespace hilo::bench
