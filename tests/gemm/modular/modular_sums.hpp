// The sum test of the modular engine by plain loops over its definition, docs/modular.md 1.3: how many moduli and bits
// a product takes, and the entries of that product.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "exact_entry.hpp"
#include "modular_hard_problems.hpp"
#include "test_size.hpp"

namespace hilo::test::sums {

using std::int64_t;

inline constexpr int never = 1000, none = -1000;

// M_N (1 − 2^-28) for N = 1 to 49, of real or complex products.
class Limits {
 public:
  explicit Limits(bool is_complex) {
    mpfr_t product;
    mpfr_init2(product, 400);
    mpfr_set_si(product, 1, MPFR_RNDN);
    std::vector<long> taken;
    constexpr long split[] = {241, 233, 229, 221, 205, 197, 193, 181, 173, 157, 149, 137, 113, 109, 101, 97};
    const std::size_t first = is_complex ? std::size(split) : 0;
    for (long next = 256; taken.size() < std::size(limit_);) {
      const bool is_split = taken.size() < first;
      const long candidate = is_split ? split[taken.size()] : next--;
      bool is_coprime = is_split || (candidate != 255 && candidate != 245);
      for (long m : taken) is_coprime = is_coprime && std::gcd(m, candidate) == 1;
      if (!is_coprime) continue;
      mpfr_mul_si(product, product, candidate, MPFR_RNDN);
      mpfr_t& limit = limit_[taken.size()];
      mpfr_init2(limit, 400);
      mpfr_div_2si(limit, product, 28, MPFR_RNDN);
      mpfr_sub(limit, product, limit, MPFR_RNDN);
      taken.push_back(candidate);
    }
    mpfr_init2(sum_, 64);
    mpfr_clear(product);
  }
  ~Limits() {
    for (mpfr_t& limit : limit_) mpfr_clear(limit);
    mpfr_clear(sum_);
  }
  Limits(const Limits&) = delete;

  int largest_bits(int count, int64_t sums) {
    mpfr_t& limit = limit_[count - 1];
    auto bits = static_cast<int>(mpfr_get_exp(limit) / 2) + 1;
    do {
      mpfr_set_si_2exp(sum_, sums, 2 * --bits, MPFR_RNDN);
    } while (mpfr_greater_p(sum_, limit));
    return bits;
  }

 private:
  mpfr_t limit_[49], sum_;
};

// p_max(count, k).
inline int largest_bits(int count, int64_t k, bool is_complex) {
  static Limits limits[] = {Limits(false), Limits(true)};
  return limits[is_complex].largest_bits(count, 2 * k * (is_complex ? 2 : 1));
}

// The least N with p_max(N, k) >= bits.
inline int least_moduli(int64_t k, bool is_complex, int bits) {
  int count = 1;
  while (largest_bits(count, k, is_complex) < bits) ++count;
  return count;
}

inline int ceil_log2(int64_t k) {
  int log = 0;
  while ((int64_t{1} << log) < k) ++log;
  return log;
}

// x with all but its first `count` bits cleared.
inline int64_t first_bits(int64_t x, int count) {
  int64_t unit = 1;
  while (x / unit >= int64_t{1} << count) unit *= 2;
  return x / unit * unit;
}

inline int64_t ceil_root(int64_t x) {
  int64_t root = 0;
  for (int64_t step = int64_t{1} << 24; step > 0; step /= 2) {
    if ((root + step) * (root + step) < x) root += step;
  }
  return x == 0 ? 0 : root + 1;
}

// |RN(hi + lo)|, of a complex element that of the larger part; negative where it is Inf or NaN.
template <class T>
double magnitude(const T& x) {
  double largest = 0.0;
  for (dd_real part : parts(x)) {
    double value = std::fabs(part.hi + part.lo);
    if (!std::isfinite(value)) return -1.0;
    largest = std::max(largest, value);
  }
  return largest;
}

// A row of A or a column of B.
struct Line {
  bool is_bad = false, is_zero = true;
  int e = 0, v = 0;
  int64_t norm = 0;  // ρ · 2^v
  std::vector<int64_t> bytes;

  bool is_idle() const { return is_bad || is_zero; }

  explicit Line(const std::vector<double>& x) {
    // x = 0.1ffffxxxx… · 2^exponent, for x ≠ 0
    std::vector<int> exponents, five;
    for (double y : x) {
      int exponent = 0;
      five.push_back(static_cast<int>(32.0 * std::frexp(y, &exponent)));
      exponents.push_back(exponent);
      is_bad = is_bad || y < 0.0;
      if (y > 0.0) e = is_zero ? exponent : std::max(e, exponent), is_zero = false;
    }
    bytes.assign(x.size(), 0);
    if (is_idle()) return;
    int64_t squares = 0;
    for (std::size_t h = 0; h < x.size(); ++h) {
      if (x[h] == 0.0 || exponents[h] + 12 - e <= -1000) continue;
      int64_t square = int64_t{five[h] + 1} * (five[h] + 1);
      int shift = 2 * (exponents[h] - e + 7);
      if (shift < -40) {
        squares += 1;
      } else {
        squares += shift >= 0 ? square << shift : (square + (int64_t{1} << -shift) - 1) >> -shift;
      }
    }
    norm = ceil_root(squares);
    int64_t most = int64_t{31} << (7 + (ceil_log2(static_cast<int64_t>(x.size())) + 1) / 2);
    while (norm << 1 <= most) norm <<= 1, ++v;
    for (std::size_t h = 0; h < x.size(); ++h) {
      int shift = exponents[h] - e + v;
      int64_t byte = shift >= 0 ? int64_t{five[h]} << shift : shift > -10 ? five[h] >> -shift : 0;
      bytes[h] = x[h] == 0.0 ? 0 : std::min<int64_t>(byte, 127);
    }
  }
};

// What the definition makes of the operands, whatever the accuracy.
template <class T>
struct Lines {
  const Problem<T>& problem;
  std::vector<Line> rows, columns;
  int64_t bad = 0, unscalable = 0;  // entries of bad lines, and with those that may overflow
  int asked = none;                 // the least n with ρ' + σ' <= 4 T 2^n for all entries
  int64_t most[2] = {0, 0};         // ρ* and σ*
  int shift[2] = {0, 0};            // the largest v and w

  explicit Lines(const Problem<T>& p) : problem(p) {
    std::vector<double> x(static_cast<std::size_t>(p.k));
    auto fill = [&](auto element) {
      for (int64_t h = 0; h < p.k; ++h) x[static_cast<std::size_t>(h)] = magnitude(element(h));
    };
    for (int64_t i = 0; i < p.m; ++i) {
      fill([&](int64_t h) { return p.left(i, h); });
      add(rows, Line(x), 0);
    }
    for (int64_t j = 0; j < p.n; ++j) {
      fill([&](int64_t h) { return p.right(h, j); });
      add(columns, Line(x), 1);
    }
    for (const Line& row : rows) {
      for (const Line& column : columns) {
        bad += row.is_bad || column.is_bad;
        unscalable += is_unscalable(row, column);
        if (row.is_idle() || column.is_idle()) continue;
        asked = std::max(asked, asked_by(row.norm + column.norm, row, column));
      }
    }
  }

  bool is_unscalable(const Line& row, const Line& column) const {
    if (row.is_bad || column.is_bad) return true;
    bool is_zero = row.is_zero || column.is_zero;
    return !is_zero && row.e + column.e + ceil_log2(problem.k) + is_complex<T> > 1022;
  }

  static int64_t sum_of_bytes(const Line& row, const Line& column) {
    return std::inner_product(row.bytes.begin(), row.bytes.end(), column.bytes.begin(), int64_t{0});
  }

  // The least n with norms <= 4 T 2^n.
  static int asked_by(int64_t norms, const Line& row, const Line& column) {
    return asked_by(norms, sum_of_bytes(row, column));
  }
  static int asked_by(int64_t norms, int64_t sum) {
    if (sum == 0) return never;
    int64_t four = 4 * first_bits(sum, 4);
    int n = -30;
    while (norms << (n < 0 ? -n : 0) > four << (n > 0 ? n : 0)) ++n;
    return n;
  }

 private:
  void add(std::vector<Line>& all, Line&& line, int operand) {
    if (!line.is_idle()) {
      most[operand] = std::max(most[operand], line.norm);
      shift[operand] = std::max(shift[operand], line.v);
    }
    all.push_back(std::move(line));
  }
};

struct Numbers {
  double kappa, constant;
  int base;  // p0

  template <class T>
  static Numbers of(Accuracy accuracy) {
    bool is_wide = double_double<T>;
    double kappa = (is_wide ? 4.0 : 0.5) * (accuracy == Accuracy::fast    ? 4.0
                                            : accuracy == Accuracy::tight ? 0.25
                                                                          : 1.0);
    int base = (is_wide ? 106 : 53) + 1 - std::ilogb(kappa) + is_complex<T>;
    return {kappa, is_wide ? (is_complex<T> ? 16.0 : 12.0) : (is_complex<T> ? 5.0 : 4.0), base};
  }
};

// What the definition says of a product.
template <class T>
struct Definition {
  const Lines<T>& lines;
  Numbers numbers;
  bool is_tight;             // whether entries that may overflow are like any other
  bool is_given_up = false;  // too many entries that cannot be scaled
  bool is_settled = false;   // by the sum test, and then:
  int moduli = 0, p = 0, asked = 0;
  int64_t direct = 0;  // entries
  int64_t terms = 0;   // k'

  Definition(const Lines<T>& all, Accuracy accuracy)
      : lines(all), numbers(Numbers::of<T>(accuracy)), is_tight(accuracy == Accuracy::tight) {
    int64_t k = all.problem.k, entries = all.problem.m * all.problem.n;
    direct = is_tight ? all.bad : all.unscalable;
    is_given_up = is_tight ? direct > entries - 1 : 256 * direct > entries;
    if (is_given_up || k < 64 || k > 65536) return;
    asked = std::max(all.asked + numbers.base - 1, numbers.base - ceil_log2(k));
    terms = (all.most[0] * all.most[1] >> 24) + 1;
    if (asked > largest_bits(49, terms, is_complex<T>)) return;
    moduli = least_moduli(terms, is_complex<T>, asked);
    p = largest_bits(moduli, terms, is_complex<T>);
    is_settled = moduli <= least_moduli(k, is_complex<T>, numbers.base) + 2 && bits() <= 165;
  }

  int bits() const { return p + std::max(lines.shift[0], lines.shift[1]); }

  // Of a product that the sum test settles, without direct entries.
  double own_bound() const {
    return 0.5 * numbers.kappa * std::sqrt(static_cast<double>(lines.problem.k)) + numbers.constant;
  }

  double bound(const GemmPlan& plan, int64_t direct_entries) const {
    double own = is_settled ? own_bound() : numbers.kappa * static_cast<double>(plan.k) + numbers.constant;
    // Direct entries of `tight` are Inf or NaN.
    return direct_entries == 0 || plan.accuracy == Accuracy::tight ? own : std::max(own, direct_bound(plan));
  }

  static double direct_bound(const GemmPlan& plan) {
    if (!double_double<T>) return (is_complex<T> ? 2.0 : 1.0) * (static_cast<double>(plan.k) + 4.0);
    Accuracy accuracy = plan.accuracy == Accuracy::fast ? Accuracy::fast : Accuracy::classic;
    bool fma = plan_gemm<T>(Layout::column, Op::none, Op::none, 1, 1, 1, {.engine = Engine::direct}).fma;
    return direct_error_bound_u2(plan.k, accuracy, is_complex<T>, fma);
  }

  // Entry i, j: the integers' product rounded once.
  T entry(int64_t i, int64_t j) const {
    const Line &row = lines.rows[static_cast<std::size_t>(i)], &column = lines.columns[static_cast<std::size_t>(j)];
    int e = row.e - row.v, f = column.e - column.v;
    auto add = [&](ExactSum& sum, dd_real x, dd_real y) { sum.add_integer_product(x, p - e, y, p - f); };
    return entry_of<T>(
        lines.problem.k, [&](int64_t h) { return lines.problem.left(i, h); },
        [&](int64_t h) { return lines.problem.right(h, j); }, add, false, e + f - 2 * p);
  }
};

inline constexpr Accuracy accuracies[] = {Accuracy::classic, Accuracy::fast, Accuracy::tight};

struct Call {
  Storage storage = {};
  int threads = 1;
  int64_t workspace = 0;
};

template <class T>
class ModularSums : public testing::Test {
 protected:
  // The engine's answer is that of the definition; where that leaves it to the spread test, it is one of that test's.
  std::vector<T> check(const Lines<T>& lines, Accuracy accuracy, const std::string& what, const Call& call = {}) {
    const Problem<T>& p = lines.problem;
    const Definition<T> expected(lines, accuracy);
    GemmOptions options = modular_options(accuracy);
    options.threads = call.threads;
    options.workspace_bytes = call.workspace;
    GemmReport report;
    std::vector<T> c;
    const std::string text = p.text() + ", " + std::string(name(accuracy)) + ", " + what;
    try {
      c = p.multiply(options, &report, call.storage);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported) << text << ": " << e.what();
      EXPECT_EQ(accuracy, Accuracy::tight) << text;
      EXPECT_FALSE(expected.is_settled || expected.is_given_up) << text << ": " << e.what();
      ++unsettled_;
      return c;
    }
    const GemmPlan& plan = report.plan;
    bound_ = plan.error_bound_u2;
    if (expected.is_given_up) {
      EXPECT_EQ(plan.path, Path::direct_for_operands) << text;
      return c;
    }
    const int base = expected.numbers.base;
    if (expected.is_settled) {
      ++settled_;
      fewer_ += expected.p < base;
      EXPECT_EQ(plan.path, Path::modular) << text;
      EXPECT_EQ(plan.moduli, expected.moduli) << text;
      EXPECT_EQ(plan.bits, expected.bits()) << text;
      EXPECT_EQ(plan.esc, std::max(expected.bits() - base, 0)) << text;
      EXPECT_EQ(report.entries_direct, expected.direct) << text;
      // Long sums take their time.
      if (is_long() || random_.below(1 + p.k / 1000) == 0) check_entry(expected, c, text);
    } else {
      ++unsettled_;
      if (!is_modular(report)) {
        EXPECT_EQ(plan.path, Path::direct_for_range) << text;
        return c;
      }
      EXPECT_GE(plan.bits, base) << text;
      EXPECT_EQ(plan.bits, largest_bits(plan.moduli, p.k, is_complex<T>)) << text;
      EXPECT_EQ(plan.esc, plan.bits - base) << text;
    }
    EXPECT_DOUBLE_EQ(plan.error_bound_u2, expected.bound(plan, report.entries_direct)) << text;
    return c;
  }

  void check_all(const Problem<T>& p, const std::string& what) {
    const Lines<T> lines(p);
    for (Accuracy accuracy : accuracies) check(lines, accuracy, what);
  }

  // Of C's entries that are not direct one at random.
  void check_entry(const Definition<T>& expected, const std::vector<T>& c, const std::string& text) {
    const Lines<T>& lines = expected.lines;
    int64_t i = random_.below(lines.problem.m), j = random_.below(lines.problem.n);
    const Line &row = lines.rows[static_cast<std::size_t>(i)], &column = lines.columns[static_cast<std::size_t>(j)];
    if (row.is_bad || column.is_bad || (!expected.is_tight && lines.is_unscalable(row, column))) return;
    EXPECT_EQ(first_difference_in_value<T>({c[lines.problem.index(i, j)]}, {expected.entry(i, j)}), -1)
        << text << ": entry " << i << ", " << j;
  }

  void check_error(const Problem<T>& p, Accuracy accuracy, const std::string& what) {
    std::vector<T> c = check(Lines<T>(p), accuracy, what);
    if (c.empty()) return;
    auto found = error_of(p, c);
    error_ = found.max_error_u2;
    EXPECT_LE(found.max_error_u2, bound_) << p.text() << ", " << name(accuracy) << ", " << what;
    EXPECT_EQ(found.non_finite_mismatches, 0) << what;
  }

  int settled_ = 0, unsettled_ = 0, fewer_ = 0;
  double bound_ = 0.0, error_ = 0.0;
  Random random_{99};
};
}  // namespace hilo::test::sums
