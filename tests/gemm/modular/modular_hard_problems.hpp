// Products at the edges of the modular engine's definition: what it gives to the direct engine, exponents and zeros in
// every pattern, subnormal numbers, overflow, one huge or tiny entry. Each says what becomes of it.
#pragma once

#include <optional>

#include "modular_problems.hpp"

namespace hilo::test {

/// A product, and its path in the modular engine where that is what it is for.
template <class T>
struct HardProduct {
  std::string name;
  Problem<T> problem;
  std::optional<Path> path = {};
  std::int64_t entries_direct = 0;
  GemmOptions options = {.engine = Engine::modular, .threads = 1};
  bool is_refused = false;
};

inline GemmOptions modular_options(Accuracy accuracy) {
  return {.engine = Engine::modular, .accuracy = accuracy, .threads = 1, .bits = accuracy == Accuracy::bits ? 80 : 0};
}

namespace hard {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

inline std::string named(const char* what, double x) { return std::string(what) + " " + std::to_string(x); }

template <class T>
void scale_row(Problem<T>& p, std::int64_t i, int power) {
  for (std::int64_t h = 0; h < p.k; ++h) p.left(i, h) = scaled(p.left(i, h), power);
}
template <class T>
void scale_column(Problem<T>& p, std::int64_t j, int power) {
  for (std::int64_t h = 0; h < p.k; ++h) p.right(h, j) = scaled(p.right(h, j), power);
}
/// Term h of every sum: A · D and D⁻¹ · B.
template <class T>
void balance(Problem<T>& p, std::int64_t h, int power) {
  for (std::int64_t i = 0; i < p.m; ++i) p.left(i, h) = scaled(p.left(i, h), power);
  for (std::int64_t j = 0; j < p.n; ++j) p.right(h, j) = scaled(p.right(h, j), -power);
}

/// Integers of at most `bits` bits.
template <class T>
void fill_with_integers(std::vector<T>& x, int bits, Random& random) {
  std::int64_t most = (std::int64_t{1} << bits) - 1;
  for (T& e : x) {
    auto re = static_cast<double>(random.between(-most, most));
    e = number<T>(re, static_cast<double>(random.between(-most, most)));
  }
}

/// A row of three elements whose sum decides whether it is even, and so whether another modulus is needed.
template <class T>
Problem<T> nearly_even(dd_real x, dd_real y, dd_real z) {
  Problem<T> p(1, 1, 5);
  GemmPlan plan = plan_gemm<T>(Layout::column, Op::none, Op::none, 1, 1, 5, modular_options(Accuracy::classic));
  double small = std::ldexp(0.5, -plan.esc);
  const dd_real row[] = {x, y, z, 0, 0}, column[] = {small, small, 0.75, 0.75, 0.75};
  for (std::int64_t h = 0; h < 5; ++h) {
    p.left(0, h) = number<T>(row[h]);
    p.right(h, 0) = number<T>(column[h]);
  }
  return p;
}

/// The same set of scalars at every edge of their range.
template <class T>
std::vector<HardProduct<T>> special_scalars() {
  std::vector<HardProduct<T>> all;
  auto p = flat<T>(5, 6, 20, 10);
  for (double special : {infinity, -infinity, nan, largest, 0x1p-1070}) {
    Problem<T> q = p;
    q.alpha = number<T>(special);
    all.push_back({named("alpha", special), q});
    q.beta = number<T>(2);
    all.push_back({named("beta 2, alpha", special), q});
    q.alpha = number<T>(3, 1);
    q.beta = number<T>(special);
    all.push_back({named("beta", special), q});
    q.beta = number<T>(0.5);
    q.c0[7] = number<T>(special);
    q.c0[8] = number<T>(1, special);
    all.push_back({named("in C,", special), q});
  }
  return all;
}

}  // namespace hard

/// Entries, or all of C, that the direct engine computes.
template <class T>
std::vector<HardProduct<T>> direct_products() {
  using namespace hard;
  std::vector<HardProduct<T>> all;
  for (double special : {infinity, -infinity, nan}) {
    // 300 · 20 / 256 = 23 entries at most: one row of 20, or one column of 20.
    auto p = flat<T>(300, 20, 12, 1);
    p.left(7, 5) = number<T>(special);
    all.push_back({named("a row with", special), p, Path::modular, 20});
    for (std::int64_t h = 0; h < p.k; ++h) p.left(7, h) = number<T>(h % 3 ? special : 1.0, special);
    p.left(7, 2) = number<T>(0x1p1000, -0x1p900);
    all.push_back({named("a row of", special), p, Path::modular, 20});
    p.left(8, 0) = number<T>(special);
    all.push_back({named("two rows with", special), p, Path::direct_for_operands});
    p = flat<T>(20, 300, 12, 2);
    p.right(11, 299) = number<T>(is_complex<T> ? 1.0 : special, special);
    set_scalars(p);
    all.push_back({named("a column with", special), p, Path::modular, 20});
  }
  auto column = flat<T>(6, 5, 40, 5);
  column.right(39, 4) = number<T>(-infinity);
  all.push_back({"a column with Inf of few", column, Path::direct_for_operands});

  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    auto p = flat<T>(6, 5, 40, 6);
    p.left(2, 5) = number<T>(infinity);
    p.left(3, 0) = number<T>(nan);
    p.right(39, 4) = number<T>(-infinity);
    if (accuracy != Accuracy::exact) set_scalars(p);
    all.push_back({"Inf and NaN, " + std::string(name(accuracy)), p, Path::modular, 14, modular_options(accuracy)});
    for (std::int64_t i = 0; i < p.m; ++i) p.left(i, i) = number<T>(infinity);
    // All of it is more than any limit.
    all.push_back(
        {"Inf everywhere, " + std::string(name(accuracy)), p, Path::direct_for_operands, 0, modular_options(accuracy)});
  }

  // Rows of 2^600 meet columns of 2^600 in 2 × 2 of the 4 entries that may be.
  auto overflow = flat<T>(32, 33, 20, 9);
  for (std::int64_t i : {3, 31}) scale_row(overflow, i, 600);
  for (std::int64_t j : {0, 17}) scale_column(overflow, j, 600);
  all.push_back({"overflow", overflow, Path::modular, 4});
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
    auto p = overflow;
    // Below the largest number, beyond it, and as far beyond as elements go.
    for (int power : {509 - 600, 600 - 509, 1023 - 600}) {
      scale_row(p, 31, power);
      scale_column(p, 17, power);
      if (accuracy != Accuracy::exact) set_scalars(p);
      all.push_back({named("overflow", power) + ", " + std::string(name(accuracy)), p, Path::modular, 0,
                     modular_options(accuracy)});
    }
  }
  scale_row(overflow, 5, 600);
  all.push_back({"more overflow", overflow, Path::direct_for_operands});
  for (double x : {largest / 8, largest / 3, largest / 2, largest}) {
    Problem<T> p(2, 2, 3);
    for (std::int64_t h = 0; h < 3; ++h) {
      p.left(0, h) = number<T>(x);
      p.left(1, h) = number<T>(h == 1 ? -x : x);
      p.right(h, 0) = number<T>(0.25);
      p.right(h, 1) = number<T>(h ? 0.5 : 0.125);
    }
    all.push_back({named("near the largest number,", x), p, Path::direct_for_operands});
  }

  for (std::int64_t count : {1, 4}) {
    all.push_back({"entries of a wide range", wide_entries<T>(count), Path::modular, count});
  }
  all.push_back({"too many entries of a wide range", wide_entries<T>(5), Path::direct_for_range});
  all.push_back(
      {"fast entries of a wide range", wide_entries<T>(3), Path::modular, 3, modular_options(Accuracy::fast)});
  for (Accuracy accuracy : {Accuracy::tight, Accuracy::normwise, Accuracy::bits}) {
    all.push_back({"a wide range, " + std::string(name(accuracy)), wide_entries<T>(1), Path::modular, 0,
                   modular_options(accuracy), accuracy == Accuracy::tight});
  }
  // All of them where the range is what decides: DD and ZDD hold some 60 bits, D and Z some 110, 120 are told apart.
  for (int range : {10, 30, 56, 57, 58, 59, 60, 61, 62, 106, 107, 108, 109, 110, 111, 112, 113, 119, 120, 121, 122}) {
    bool is_wide = range > (double_double<T> ? 70 : 115), is_narrow = range < (double_double<T> ? 56 : 106);
    if (!is_wide && !is_narrow) continue;
    all.push_back({named("range", range), wide_entries<T>(5, range), is_wide ? Path::direct_for_range : Path::modular});
  }
  for (HardProduct<T>& x : hard::special_scalars<T>()) all.push_back(std::move(x));
  return all;
}

/// Words that are no double-double: sums of two like any other, unless they overflow.
template <double_double T>
std::vector<HardProduct<T>> products_of_any_words() {
  auto p = flat<T>(9, 8, 30, 7);
  words(p.left(0, 1))[1] = 0x1p-30;
  words(p.left(1, 2))[1] = -3.0;
  words(p.left(2, 3))[1] = 0x1p-60 - words(p.left(2, 3))[0];
  words(p.right(4, 4))[0] = 0.0;
  words(p.right(5, 5))[1] = 0x1p+200;
  for (std::int64_t h = 0; h < p.k; ++h) words(p.right(h, 7))[1] = -words(p.right(h, 7))[0];
  std::vector<HardProduct<T>> all = {{"any words", p}};
  auto random_words = generated<T>(uniform_kind, 7, 9, 33, 8);
  Random random(9);
  for (std::vector<T>* x : {&random_words.a, &random_words.b}) {
    for (T& e : *x) {
      for (std::size_t w = 0; w < words(e).size(); w += 2) {
        double hi = words(e)[w];
        const double los[] = {hi, -hi, std::ldexp(hi, -53), std::ldexp(-hi, -53), std::ldexp(hi, -52), 0x1p-1074};
        words(e)[w + 1] = los[random.below(6)];
        if (random.below(4) == 0) std::swap(words(e)[w], words(e)[w + 1]);
      }
    }
  }
  all.push_back({"random words", random_words});
  // Powers of two, and next to half a unit less: of the next lower exponent, or not.
  auto powers = Problem<T>(8, 9, 12);
  for (std::vector<T>* x : {&powers.a, &powers.b}) {
    for (T& e : *x) {
      for (std::size_t w = 0; w < words(e).size(); w += 2) {
        const double los[] = {-0x1p-55, -0x1p-54, -0x1.8p-54, -0x1.4p-54, -0x1p-53, -0x1.8p-53, 0x1.8p-54, 0x1.8p-53};
        words(e)[w] = std::ldexp(random.below(2) ? 1.0 : -1.0, static_cast<int>(random.below(2)));
        words(e)[w + 1] = words(e)[w] * los[random.below(8)];
      }
    }
  }
  all.push_back({"words around powers of two", powers});
  // The report has the spread, which is 0 as 4 less half a unit and a little is no larger than 3.
  powers = Problem<T>(1, 1, 2);
  powers.left(0, 0) = number<T>(dd_real(4, -0x1.8p-52));
  powers.left(0, 1) = number<T>(3);
  powers.right(1, 0) = number<T>(1);
  all.push_back({"a word below a power of two", powers, {}, 0, modular_options(Accuracy::bits)});
  words(p.left(3, 3))[0] = words(p.left(3, 3))[1] = hard::largest;
  all.push_back({"words whose sum overflows", p, Path::direct_for_operands});
  auto far_apart = flat<T>(300, 20, 12, 10);
  for (std::int64_t j = 0; j < far_apart.n; ++j) hard::scale_column(far_apart, j, -200);
  words(far_apart.left(7, 3))[0] = words(far_apart.left(7, 3))[1] = hard::largest;
  all.push_back({"one of few whose sum overflows", far_apart, Path::modular, 20});
  // A sum that ties go to even in, and so is one unit short of making its line even.
  auto short_by_one = hard::nearly_even<T>(1 - 0x1p-53, dd_real(1 - 0x1p-20, 0x1p-54), 0.0);
  all.push_back({"a line that a tie would make even", short_by_one, Path::modular});
  return all;
}

/// Zeros and exponents in every pattern.
template <class T>
std::vector<HardProduct<T>> graded_products() {
  using namespace hard;
  std::vector<HardProduct<T>> all;
  auto p = generated<T>(range_kind(3), 13, 11, 40, 1);
  for (std::int64_t h = 0; h < p.k; ++h) {
    for (std::int64_t i = 0; i < p.m; ++i) p.left(i, h) = h % 2 ? T(0) : p.left(i, h);
    for (std::int64_t j = 0; j < p.n; ++j) p.right(h, j) = h % 2 ? p.right(h, j) : T(0);
  }
  all.push_back({"complementary zeros", p});
  p = generated<T>(uniform_kind, 9, 8, 33, 2);
  for (std::int64_t h = 0; h < p.k; ++h) p.left(3, h) = p.right(h, 5) = T(0);
  all.push_back({"a zero row and column", p});
  set_scalars(p);
  std::fill(p.b.begin(), p.b.end(), T(0));
  all.push_back({"B is 0", p});
  std::fill(p.a.begin(), p.a.end(), T(0));
  all.push_back({"both are 0", p});
  p = generated<T>(range_kind(1), 30, 29, 60, 8);
  Random zeros(9);
  for (std::vector<T>* x : {&p.a, &p.b}) {
    // A 64th of the products is not 0: some entries have none.
    for (T& e : *x) e = zeros.below(8) ? number<T>(-0.0) : e;
  }
  all.push_back({"sparse", p});

  // Where the large half of each row of A meets zeros of B, all that counts lies 2^40 lower.
  p = generated<T>(uniform_kind, 10, 9, 30, 3);
  for (std::int64_t h = 0; h < p.k; h += 2) {
    for (std::int64_t i = 0; i < p.m; ++i) p.left(i, h) = scaled(p.left(i, h), 40);
    for (std::int64_t j = 0; j + 1 < p.n; ++j) p.right(h, j) = T(0);
  }
  all.push_back({"zeros that hide a range", p});

  for (bool is_flat : {true, false}) {
    for (int pattern = 0; pattern < 3; ++pattern) {
      p = is_flat ? flat<T>(24, 22, 61, 4) : generated<T>(uniform_kind, 24, 22, 61, 4);
      Random random(5);
      for (std::int64_t h = 0; h < p.k; ++h) {
        balance(p, h,
                static_cast<int>(pattern == 0   ? 10 * h - 300
                                 : pattern == 1 ? 600 * (h % 2) - 300
                                                : random.between(-300, 300)));
      }
      all.push_back({"terms scaled in pattern " + std::to_string(pattern), p, Path::modular_balanced});
      for (std::int64_t i = 0; i < p.m; ++i) scale_row(p, i, static_cast<int>(random.between(-200, 200)));
      for (std::int64_t j = 0; j < p.n; ++j) scale_column(p, j, static_cast<int>(random.between(-200, 200)));
      all.push_back({"everything scaled, pattern " + std::to_string(pattern), p, Path::modular_balanced});
    }
  }
  // Elements so far below their line's largest that they do not make it even, and those that just do: a modulus.
  for (int far : {1020, 1021}) {
    auto q = nearly_even<T>(1 - 0x1p-53, 1 - 0x1p-20, std::ldexp(1.0, -far));
    all.push_back({named("a line that is even by", far), q, Path::modular});
  }
  // One row of many spreads, and balancing helps it, or does not.
  for (std::int64_t m : {40, 270}) {
    for (std::int64_t row : {std::int64_t{1}, m / 2 + 3, m - 1}) {
      p = flat<T>(m, 9, 20, 5);
      for (std::int64_t h = 1; h < p.k; ++h) {
        for (std::int64_t i = 0; i < m; ++i) p.left(i, h) = i == row ? p.left(i, h) : T(0);
        balance(p, h, static_cast<int>(5 * h));
      }
      all.push_back({"a row that balancing helps", p, Path::modular_balanced});
      p = flat<T>(m, 9, 20, 6);
      p.left(row, 4) = scaled(p.left(row, 4), 20);
      for (std::int64_t j = 0; j < p.n; ++j) p.right(4, j) = T(0);
      all.push_back({"a row that balancing does not help", p, Path::modular});
    }
  }
  // Terms so far below their row and column that they do not count, and those that just do.
  for (int far : {998, 999, 1000, 1001, 1020}) {
    Problem<T> q(1, 1, 2);
    q.left(0, 0) = q.right(1, 0) = number<T>(1);
    q.left(0, 1) = q.right(0, 0) = scaled(number<T>(1), -far);
    all.push_back({named("two terms apart by", far), q, far < 1000 ? Path::modular_balanced : Path::direct_for_range});
  }

  p = Problem<T>(9, 8, 25);
  Random integers(11);
  fill_with_integers(p.a, 50, integers);
  fill_with_integers(p.b, 46, integers);
  // Sums of up to 101 bits, from all normal to all below half of the least subnormal number.
  for (int power : {-900, -1020, -1030, -1060, -1075, -1100, -1120, -1150, -1170, -1176, -1180}) {
    Problem<T> q = p;
    for (std::int64_t i = 0; i < p.m; ++i) scale_row(q, i, power / 2);
    for (std::int64_t j = 0; j < p.n; ++j) scale_column(q, j, power - power / 2);
    all.push_back({named("integers times 2 to", power), q});
  }
  p = generated<T>(uniform_kind, 10, 9, 30, 12);
  std::vector<T> tiny(static_cast<std::size_t>(p.k));
  fill_with_integers(tiny, 51, integers);
  for (std::int64_t h = 0; h < p.k; ++h) p.left(4, h) = scaled(tiny[static_cast<std::size_t>(h)], -1074);
  all.push_back({"a subnormal row", p});
  for (std::int64_t j = 0; j < p.n; ++j) scale_column(p, j, 500);
  all.push_back({"a subnormal row times 2^500", p});
  for (std::vector<T>* x : {&p.a, &p.b}) {
    for (T& e : *x) e = scaled(tiny[static_cast<std::size_t>(integers.below(p.k))], -1074);
    all.push_back({"subnormal matrices", p});
  }

  for (int power : {50, 300, 900, -900}) {
    p = generated<T>(uniform_kind, 16, 15, 40, 14);
    p.left(3, 7) = scaled(p.left(3, 7), power);
    all.push_back({named("one entry of A times 2 to", power), p});
    p.right(39, 0) = scaled(p.right(39, 0), power / 2);
    p.left(3, 39) = scaled(p.left(3, 39), power / 10);
    all.push_back({named("entries of A and B times 2 to", power), p});
  }
  // Rows and columns that few terms make are charged for it in classic: one bit more or less of range is a modulus.
  for (std::int64_t k : {20, 300}) {
    for (int terms = 1; terms <= 6; ++terms) {
      for (int range = 1; range <= 9; range += k == 20 ? 1 : 3) {
        p = flat<T>(8, 9, k, 30);
        for (int h = 0; h < terms; ++h) p.left(5, h) = scaled(p.left(5, h), range), p.right(h, 0) = T(0);
        for (int h = 0; h < terms; ++h) p.right(h + 6, 3) = scaled(p.right(h + 6, 3), range), p.left(0, h + 6) = T(0);
        all.push_back({"lines of few terms", p});
      }
    }
  }
  for (std::int64_t k : {64, 65, 256, 1024}) {
    p = generated<T>(kinds[6], 4, 5, k, 21);
    p.left(2, k / 2) = scaled(p.left(2, k / 2), 50);
    all.push_back({"one huge entry in a long row", p});
    for (std::int64_t i = 0; i < 4; ++i) p.left(i, i) = scaled(p.left(i, i), 50);
    p.right(k - 1, 1) = scaled(p.right(k - 1, 1), 30);
    all.push_back({"a huge entry in each long row", p});
    all.push_back({"the same, fast", p, {}, 0, modular_options(Accuracy::fast)});
  }
  return all;
}

}  // namespace hilo::test
