// Counter-based random numbers: entry (i, j) is a function of seed, i and j, by the mixing function of SplitMix64
// (Steele, Lea, Flood, OOPSLA 2014). Integers, exact scalings and dd_real only, so that no machine differs.
#include "data/generate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>

#include "data/quoted.hpp"
#include "host/floating_point.hpp"
#include "host/team.hpp"

namespace hilo::data {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;
constexpr std::int64_t entries_at_a_time = 1 << 22;

constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// The stream of random words of one real number.
class Words {
 public:
  Words(std::uint64_t seed, std::int64_t i, std::int64_t j, int part)
      : state_(mix(mix(mix(seed + golden) + static_cast<std::uint64_t>(i) * 0xd1342543de82ef95u + 1) +
                   static_cast<std::uint64_t>(j) * 0xaf251af3b0f025b5u + static_cast<std::uint64_t>(part) + 2)) {}
  std::uint64_t next() { return mix(state_ += golden); }

 private:
  std::uint64_t state_;
};

// 2^e for a normal result.
double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

// In (−1, 1): 192 random bits behind the binary point and a sign, rounded to 53 bits and 53 more behind them.
dd_real uniform(Words& words) {
  std::uint64_t w0 = words.next() | 1, w1 = words.next(), w2 = words.next();
  int zeros = std::countl_zero(w0);
  std::uint64_t upper = zeros ? (w0 << zeros) | (w1 >> (64 - zeros)) : w0;
  std::uint64_t lower = zeros ? (w1 << zeros) | (w2 >> (64 - zeros)) : w1;
  // The leading 53 bits, and what is left in units of 2^-54 of their last place.
  std::int64_t high = static_cast<std::int64_t>(upper >> 11);
  std::int64_t rest = static_cast<std::int64_t>(((upper & 0x7ff) << 43) | (lower >> 21));
  constexpr std::int64_t half = std::int64_t{1} << 53;
  if (rest >= half) {
    high += 1;
    rest -= 2 * half;
  }
  if (rest == -half) rest += 1;  // a tie may not be canonical
  double hi = static_cast<double>(high) * power_of_two(-53 - zeros);
  double lo = static_cast<double>(rest) * power_of_two(-107 - zeros);
  return w2 & 1 ? dd_real(-hi, -lo) : dd_real(hi, lo);
}

dd_real absolute(dd_real x) { return x.hi < 0.0 ? -x : x; }

double normal(Words& words) {
  std::int64_t sum = 0;
  for (int i = 0; i < 6; ++i) {
    std::uint64_t w = words.next();
    sum += static_cast<std::int64_t>(w >> 32) + static_cast<std::int64_t>(w & 0xffffffffu);
  }
  return static_cast<double>(sum - 6 * (std::int64_t{1} << 32)) * 0x1p-32;
}

// exp(x) as a double, |x| < 620: 2^n times the Taylor series of the rest, |rest| <= ln 2 / 2.
double exponential(double x) {
  constexpr dd_real ln2(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
  int n = static_cast<int>(x * 1.4426950408889634 + (x < 0.0 ? -0.5 : 0.5));
  dd_real rest = x - ln2 * n, sum(1);
  for (int i = 17; i > 0; --i) sum = dd_real(1) + sum * rest / i;
  return sum.hi * power_of_two(n);
}

dd_real value(const Generator& g, std::uint64_t seed, std::int64_t i, std::int64_t j, int part, Terms terms) {
  Words words(seed, i, j, part);
  switch (g.init) {
    case Init::uniform:
      return uniform(words);
    case Init::positive:
      return absolute(uniform(words));
    case Init::range: {
      dd_real x = uniform(words) * 0.5;
      return x * exponential(g.phi * normal(words));
    }
    case Init::dominant: {
      std::int64_t term = terms == Terms::along_columns ? j : terms == Terms::along_rows ? i : 0;
      dd_real x = uniform(words);
      // A complex term is near 1 in its real part alone.
      return term == 0 && part == 0 ? dd_real(1) + x * 0x1p-10 : x * 0x1p-14;
    }
    case Init::hilbert:
      return part ? dd_real(0) : dd_real(1) / (i + j + 1);
  }
  return dd_real(0);
}

void set(dd_real& x, auto entry) { x = entry(0); }
void set(double& x, auto entry) { x = entry(0).hi; }
void set(float& x, auto entry) { x = static_cast<float>(entry(0)); }
void set(dd_complex& x, auto entry) { x = dd_complex(entry(0), entry(1)); }
void set(std::complex<double>& x, auto entry) { x = {entry(0).hi, entry(1).hi}; }
void set(std::complex<float>& x, auto entry) { x = {static_cast<float>(entry(0)), static_cast<float>(entry(1))}; }

[[noreturn]] void reject(const std::string& message) { throw error(errc::invalid_argument, "generate: " + message); }

}  // namespace

Generator parse_generator(std::string_view text) {
  constexpr std::array<std::string_view, 5> names = {"uniform", "positive", "range", "dominant", "hilbert"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i] && names[i] != "range") return {static_cast<Init>(i), 0.0};
  }
  if (text.starts_with("range:")) {
    std::string_view number = text.substr(6);
    Generator g{Init::range, 0.0};
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), g.phi);
    if (status == std::errc{} && end == number.data() + number.size() && g.phi >= 0.0 &&
        g.phi <= largest_phi(Precision::dd)) {
      return g;
    }
  }
  throw error(errc::parse, "init = " + quoted(text) +
                               " is none of uniform, positive, range:PHI (PHI from 0 to 100), dominant and hilbert");
}

std::uint64_t seed_of_matrix(std::uint64_t seed, char matrix) {
  return mix(seed + golden * static_cast<unsigned char>(matrix));
}

template <gemm_scalar T>
void generate(const Recipe& recipe, Layout layout, std::int64_t rows, std::int64_t columns, T* data,
              std::int64_t leading, const Watch& watch) {
  bool by_columns = layout == Layout::column;
  std::int64_t inner = by_columns ? rows : columns, outer = by_columns ? columns : rows;
  if (rows < 0) reject("rows = " + std::to_string(rows) + " is negative");
  if (columns < 0) reject("columns = " + std::to_string(columns) + " is negative");
  if (leading < inner) {
    reject("leading = " + std::to_string(leading) + " is less than the contiguous dimension " + std::to_string(inner));
  }
  if (!data && inner && outer) reject("data is null");
  constexpr double limit = largest_phi(precision_of<T>);
  const Generator& generator = recipe.generator;
  const double phi = generator.phi;
  if (generator.init == Init::range && !(phi >= 0.0 && phi <= limit)) {
    reject("phi = " + std::to_string(phi) + " is not within 0 and " + std::to_string(static_cast<int>(limit)));
  }
  if (inner == 0) return;
  host::IeeeArithmetic arithmetic;
  const std::int64_t step = std::max<std::int64_t>(entries_at_a_time / inner, 1);
  for (std::int64_t start = 0; start < outer; start += step) {
    if (watch) watch(static_cast<double>(start) / static_cast<double>(outer));
    host::for_parts(host::default_threads(), std::min(step, outer - start), [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t o = start + first; o < start + last; ++o) {
        for (std::int64_t n = 0; n < inner; ++n) {
          std::int64_t i = by_columns ? n : o, j = by_columns ? o : n;
          set(data[o * leading + n], [&](int part) { return value(generator, recipe.seed, i, j, part, recipe.terms); });
        }
      }
    });
  }
}

template <gemm_scalar T>
void generate_block(const Recipe& recipe, std::int64_t i, std::int64_t j, const MatrixView<T>& block) {
  host::IeeeArithmetic arithmetic;
  for (std::int64_t c = 0; c < block.columns; ++c) {
    for (std::int64_t r = 0; r < block.rows; ++r) {
      set(block(r, c),
          [&](int part) { return value(recipe.generator, recipe.seed, i + r, j + c, part, recipe.terms); });
    }
  }
}

#define HILO_INSTANTIATE(T)                                                                                     \
  template void generate<T>(const Recipe&, Layout, std::int64_t, std::int64_t, T*, std::int64_t, const Watch&); \
  template void generate_block<T>(const Recipe&, std::int64_t, std::int64_t, const MatrixView<T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
