// What the programs of the flags matrix share: data made by bits alone, so that it cannot depend on flags either, and
// one hash of the results for each kernel.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>
#include <hilo/dd_real.hpp>
#include <vector>

namespace flags {

using hilo::dd_real;
using Numbers = std::vector<dd_real>;

inline std::uint64_t state = 0x9e3779b97f4a7c15u;
inline std::uint64_t next() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// Every eighth number is huge, tiny or special.
inline dd_real number(std::size_t i) {
  const double special[] = {0.0, -0.0, 0x1p-1074, 0x1.fffffffffffffp1023, -0x1p-1022, 0x1p-960, -0x1.8p-1000, 0x1p1000};
  if (i % 64 == 7) return special[next() % 8];
  if (i % 512 == 9) return std::bit_cast<double>(std::uint64_t{0x7ff0000000000000u} | next() % 2 << 63);
  std::uint64_t e = 1023 - 4 + next() % 8;
  if (i % 8 == 5) e = 1 + next() % 2046;
  double hi = std::bit_cast<double>((next() & 0x800fffffffffffffu) | e << 52);
  if (e < 60) return hi;
  double lo = std::bit_cast<double>((next() & 0x800fffffffffffffu) | (e - 55 - next() % 3) << 52);
  return dd_real{hi, lo};
}

inline Numbers numbers(std::size_t n) {
  Numbers x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = number(i);
  return x;
}

class Hash {
 public:
  explicit Hash(const char* name) : name_(name) {}
  ~Hash() { std::printf("%-24s %016llx\n", name_, static_cast<unsigned long long>(value_)); }

  void add(double a) {
    // NaNs have no canonical bits, and are all alike.
    value_ ^= a == a ? std::bit_cast<std::uint64_t>(a) : 0x7ff8000000000000u;
    value_ *= 0x100000001b3u;
    value_ ^= value_ >> 29;
  }
  void add(dd_real x) { add(x.hi), add(x.lo); }
  void add(const Numbers& x) {
    for (dd_real e : x) add(e);
  }

 private:
  const char* name_;
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// r[i] = f(i), kept apart for each kernel so that each loop is optimised as a user's is.
template <class F>
[[gnu::noinline]] void fill(Numbers& r, F f) {
  dd_real* out = r.data();
  for (std::size_t i = 0, n = r.size(); i < n; ++i) out[i] = f(i);
}

template <class F>
void print(const char* name, std::size_t n, F f) {
  Numbers r(n);
  fill(r, f);
  Hash(name).add(r);
}

}  // namespace flags
