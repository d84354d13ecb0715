// The sum test of the modular engine: how many moduli and bits it takes, and entries of the product, against plain
// loops over the definition (docs/modular.md 1.3); and errors against MPFR where it decides.
#include "modular_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace hilo::test {
namespace {

using namespace sums;

TYPED_TEST_SUITE(ModularSums, Precisions, PrecisionName);

TYPED_TEST(ModularSums, RangesOfExponents) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (int64_t k : {63, 64, 65, 100, 500, 1024}) {
    int64_t m = k > 200 ? 13 : 40, n = k > 200 ? 15 : 35;
    this->check_all(flat<T>(m, n, k, seed++), "flat");
    for (double phi = 0.0; phi <= 2.0; phi += is_long() ? 0.05 : 0.5) {
      this->check_all(generated<T>(range_kind(phi), m, n, k, seed++), "phi " + std::to_string(phi));
    }
  }
  for (int64_t k : {65536, 65537}) this->check_all(flat<T>(1, 1, k, seed++), "flat");
  this->check_all(generated<T>(range_kind(1.5), 1, 1, 65536, seed++), "phi 1.5");
  EXPECT_GE(this->settled_, 60);
  EXPECT_GE(this->unsettled_, 20);
  EXPECT_GE(this->fewer_, 20);
}

// Everything that changes what the test adds up, by chance.
template <class T>
Problem<T> spoilt(Random& random, int64_t least, int64_t most) {
  int64_t k = random.between(64, 130), m = random.between(least, most), n = random.between(least, most);
  Kind kind = random.below(6) ? range_kind(static_cast<double>(random.below(5)) / 4.0) : kinds[6 + random.below(3)];
  auto p = random.below(3) ? generated<T>(kind, m, n, k, random.bits()) : flat<T>(m, n, k, random.bits());
  for (int64_t changes = random.below(4); changes > 0; --changes) {
    int64_t what = random.below(9), i = random.below(p.m), j = random.below(p.n), h = random.below(k);
    if (what == 0) hard::scale_row(p, i, static_cast<int>(random.between(-600, 480)));
    if (what == 1) hard::scale_column(p, j, static_cast<int>(random.between(-600, 480)));
    if (what == 2) hard::scale_row(p, i, -10000);
    if (what == 3) hard::scale_column(p, j, -1040);
    if (what == 4) p.left(i, h) = scaled(p.left(i, h), static_cast<int>(random.between(1, 30)));
    if (what == 5) p.right(h, j) = scaled(p.right(h, j), static_cast<int>(random.between(1, 9)));
    if (what == 6) {
      int64_t sparsity = random.between(2, 9);
      for (T& x : random.below(2) ? p.a : p.b) x = random.below(sparsity) ? number<T>(-0.0) : x;
    }
    // Half of a row above the other half, and zeros to meet it.
    for (int64_t l = 0; what == 7 && l < k / 2; ++l) p.left(i, l) = scaled(p.left(i, l), 12), p.right(l, j) = T(0);
    if (what == 8) {
      for (double& word : words(random.below(2) ? p.left(i, h) : p.right(h, j))) {
        const double values[] = {1.0, -1.0 + 0x1p-53, 0x1p-53, -0x1p-54, 0x1.fp-3, std::nextafter(0x1.fp-1, 0.0)};
        word = values[random.below(6)];
      }
    }
  }
  return p;
}

TYPED_TEST(ModularSums, AnyOperands) {
  using T = TypeParam;
  Random random(5);
  for (int round = 0; round < (is_long() ? 6000 : 80); ++round) {
    auto p = round % 2 ? spoilt<T>(random, 20, 40) : spoilt<T>(random, 1, 8);
    this->check_all(p, "round " + std::to_string(round));
  }
  EXPECT_GE(this->settled_, 100);
  EXPECT_GE(this->unsettled_, 30);
}

TYPED_TEST(ModularSums, SpecialElements) {
  using T = TypeParam;
  for (int64_t k : {64, 100, 500}) {
    Problem<T> p(13, 12, k);
    this->check_all(p, "zeros");
    for (double x : {1.0, 1.0 - 0x1p-53, 0x1.fp-1, std::nextafter(0x1.fp-1, 0.0), 0x1p-1074, 0x1.8p-1073, 0x1p-1022}) {
      p.a.assign(p.a.size(), number<T>(x, x));
      p.b.assign(p.b.size(), number<T>(x));
      this->check_all(p, "all " + std::to_string(x));
      p.b.assign(p.b.size(), number<T>(dd_real(1.0, -0x1p-60), 0.75));
      this->check_all(p, "just below 1 and " + std::to_string(x));
    }
    auto q = flat<T>(13, 12, k, 3);
    for (std::vector<T>* matrix : {&q.a, &q.b}) {
      for (T& x : *matrix) {
        // Words whose sum is a power of two, just below one, or in another binade than the first.
        if (double_double<T>)
          words(x)[1] = words(x)[0] * (words(x)[0] > 0.7 ? -0x1p-53 : words(x)[0] > 0.0 ? 0.7 : -0.9);
      }
    }
    this->check_all(q, "words that are no double-double");
    q = flat<T>(13, 12, k, 4);
    for (int64_t h = 0; h < k; ++h) q.left(4, h) = scaled(q.left(4, h), -1070), q.right(h, 5) = T(0);
    for (int64_t i = 0; i < q.m; ++i) hard::scale_row(q, i, static_cast<int>(7 * i));
    this->check_all(q, "a subnormal row");
    // Elements below, at and above what norms leave out, one unit of which counts in the norm.
    for (int far : {10, 30, 1011, 1012, 1013, 1014, 1040}) {
      auto r = flat<T>(3, 2, k, 5);
      for (int64_t h = 1; h < k / 2; ++h) r.left(1, h) = scaled(r.left(1, h), -far), r.right(h, 0) = T(0);
      this->check_all(r, "elements 2^-" + std::to_string(far) + " of others");
    }
  }
  EXPECT_GE(this->settled_, 60);
}

TYPED_TEST(ModularSums, BadLinesAndOverflow) {
  using T = TypeParam;
  int with_direct = 0;
  for (double special : {hard::infinity, hard::nan, 0x1p1020}) {
    // A row of 8 of the 9 entries that may be.
    auto p = flat<T>(300, 8, 64, 6);
    p.left(17, 3) = number<T>(0.5, special);
    if (!is_complex<T>) p.left(17, 3) = number<T>(special);
    auto check = [&](const std::string& what) {
      const Lines<T> lines(p);
      for (Accuracy accuracy : accuracies) {
        const Definition<T> expected(lines, accuracy);
        with_direct += expected.direct > 0 && expected.is_settled;
        this->check(lines, accuracy, what);
      }
    };
    check("a line with " + std::to_string(special));
    hard::scale_column(p, 1, 600);
    p.left(9, 0) = scaled(p.left(9, 0), 4);
    hard::scale_row(p, 9, 450);
    check("and overflow");
    p.left(18, 3) = p.left(17, 3);
    check("two lines with " + std::to_string(special));
  }
  EXPECT_GE(with_direct, 12);
}

// Entry i, j has no products but those of elements 2^-power of their row's largest.
template <class T>
Problem<T> weak_entry(int64_t m, int64_t n, int64_t k, int64_t i, int64_t j, int power) {
  auto p = flat<T>(m, n, k, 7);
  for (int64_t h = 0; h < k / 2; ++h) p.left(i, h) = scaled(p.left(i, h), power), p.right(h, j) = T(0);
  return p;
}

TYPED_TEST(ModularSums, OneWeakEntryIsLeftToTheSpreadTest) {
  using T = TypeParam;
  for (int power : {0, 40}) {
    for (auto [m, n] : {std::pair<int64_t, int64_t>{32, 32}, {64, 64}, {205, 5}, {1, 1024}, {1, 1}}) {
      auto p = weak_entry<T>(m, n, 64, m / 2, n - 1, power);
      const Lines<T> lines(p);
      for (Accuracy accuracy : accuracies) {
        EXPECT_EQ(Definition<T>(lines, accuracy).is_settled, power == 0);
        this->check(lines, accuracy, "an entry by 2^-" + std::to_string(power));
      }
    }
  }
}

// One entry decides, wherever bytes and their sums are cut into parts.
TYPED_TEST(ModularSums, OneWeakEntryDecides) {
  using T = TypeParam;
  struct Case {
    int64_t m, n, i, j;
    Call call;
  };
  constexpr Layout rows = Layout::row;
  for (const Case& x : {Case{300, 140, 299, 139, {{}, 1, 1 << 16}},
                        {140, 300, 129, 257, {{rows, Op::none, Op::transpose}, 1, 1 << 16}},
                        {300, 140, 150, 100, {{Layout::column, Op::transpose, Op::transpose}, 2, 0}},
                        {300, 140, 0, 139, {{rows, Op::transpose, Op::none}, 2, 1 << 16}},
                        {514, 1027, 513, 1026, {}}}) {
    if (is_complex<T> && x.m > 512) continue;
    int moduli[2];
    for (int is_weak : {0, 1}) {
      auto p = weak_entry<T>(x.m, x.n, 64, x.i, x.j, 4 * is_weak);
      const Lines<T> lines(p);
      const Definition<T> d(lines, Accuracy::classic);
      ASSERT_TRUE(d.is_settled);
      moduli[is_weak] = d.moduli;
      if (is_weak) this->check(lines, Accuracy::classic, "one weak entry", x.call);
    }
    EXPECT_GT(moduli[1], moduli[0]);
  }
}

// Most terms are larger than the others, or smaller, or nothing beside them.
TYPED_TEST(ModularSums, LongSums) {
  using T = TypeParam;
  for (int64_t k : {8193, 10000}) {
    for (int shift : {2, -2, -2000}) {
      auto p = flat<T>(2, 2, k, static_cast<std::uint64_t>(k + shift));
      for (int64_t h = 0; h < k - k / 8; ++h) {
        for (int64_t i = 0; i < 2; ++i) p.left(i, h) = scaled(p.left(i, h), shift);
      }
      this->check_all(p, "most terms times 2^" + std::to_string(shift));
    }
    for (int64_t count : {1, 2, 3}) {
      auto p = flat<T>(1, 1, k, 1);
      std::fill(p.a.begin(), p.a.end() - count, T(0));
      std::fill(p.b.begin(), p.b.end() - count, T(0));
      this->check_all(p, std::to_string(count) + " last terms");
    }
  }
}

// Lines of `count` equal elements x and y, in units of 1/32, and zeros; in A one more that only its norm counts.
template <class T>
Problem<T> equal_elements(int64_t k, int64_t count, int x, int y, bool has_more) {
  Problem<T> p(1, 1, k);
  for (int64_t h = 0; h < count; ++h) {
    p.left(0, h) = number<T>(x / 32.0);
    p.right(h, 0) = is_complex<T> ? number<T>(0.0, y / -32.0) : number<T>(y / -32.0);
  }
  if (has_more) p.left(0, k - 1) = number<T>(0x1p-40);
  return p;
}

// Where norms meet the limit of a number of bits, or exceed it by a unit, and k' is the most or the least for its bits,
// so that a unit more or less would be seen.
TYPED_TEST(ModularSums, NormsAtTheLimit) {
  using T = TypeParam;
  constexpr bool complex = is_complex<T>;
  std::array<int, 4> found{};
  for (int64_t k : {65, 70, 80, 101, 115, 130, 160, 180, 200, 290, 1024}) {
    std::array<int, 4> checked{};
    for (int64_t root = 1; root * root < k; ++root) {
      for (int i = 0; i < 16 * 16 * 2; ++i) {
        if (k > 290 && i % 5) continue;
        auto p = equal_elements<T>(k, root * root, 16 + i / 2 % 16, 16 + i / 32, i % 2);
        const Lines<T> lines(p);
        const Line &row = lines.rows[0], &column = lines.columns[0];
        const int64_t norms = row.norm + column.norm, sum = lines.sum_of_bytes(row, column);
        for (Accuracy accuracy : accuracies) {
          const Definition<T> d(lines, accuracy);
          if (!d.is_settled) continue;
          auto moduli_of_norms = [&](int64_t x) {
            return least_moduli(d.terms, complex, d.numbers.base - 1 + lines.asked_by(x, sum));
          };
          const bool limits[] = {moduli_of_norms(norms + 1) > d.moduli,
                                 moduli_of_norms(norms - (int64_t{1} << std::max(row.v, column.v))) < d.moduli,
                                 largest_bits(d.moduli, d.terms + 1, complex) < d.p,
                                 largest_bits(d.moduli, d.terms - 1, complex) > d.p};
          for (std::size_t limit = 0; limit < 4; ++limit) {
            found[limit] += limits[limit];
            if (limits[limit] && checked[limit]++ < 10) this->check(lines, accuracy, "limit " + std::to_string(limit));
          }
        }
      }
    }
  }
  for (int count : found) EXPECT_GE(count, 20);
}

// Elements whose bytes would be larger than 127: 126 would ask for another modulus.
TYPED_TEST(ModularSums, TheLargestBytes) {
  using T = TypeParam;
  int found = 0;
  for (int64_t count = 20; count < 128; ++count) {
    for (int x = 16; x < 32; ++x) {
      const auto p = equal_elements<T>(2000, count, x, x, false);
      const Lines<T> lines(p);
      Line row = lines.rows[0], column = lines.columns[0];
      for (Line* line : {&row, &column}) {
        for (int64_t& byte : line->bytes) byte = std::min<int64_t>(byte, 126);
      }
      for (Accuracy accuracy : accuracies) {
        const Definition<T> d(lines, accuracy);
        int asked = d.numbers.base - 1 + lines.asked_by(row.norm + column.norm, row, column);
        if (!d.is_settled || least_moduli(d.terms, is_complex<T>, asked) == d.moduli || ++found > 8) continue;
        this->check(lines, accuracy, std::to_string(count) + " of " + std::to_string(x));
      }
    }
  }
  EXPECT_GE(found, 8);
}

TYPED_TEST(ModularSums, StorageThreadsAndWorkspaceDoNotMatter) {
  using T = TypeParam;
  Problem<T> problems[] = {weak_entry<T>(34, 67, 64, 3, 65, 3), generated<T>(range_kind(0.75), 39, 21, 100, 8),
                           weak_entry<T>(130, 140, 64, 129, 139, 3)};
  // More lines than are held at a time in a small workspace, and only the last ones ask for anything.
  for (int64_t h = 0; h < 64; ++h) {
    for (int64_t l = 0; l < 128; ++l) problems[2].left(l, h) = problems[2].right(h, l) = T(0);
  }
  for (const Problem<T>& p : problems) {
    const Lines<T> lines(p);
    auto plain = this->check(lines, Accuracy::classic, "plain");
    for (Layout layout : {Layout::column, Layout::row}) {
      for (Op a : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        for (Op b : {Op::none, Op::transpose, Op::conjugate_transpose}) {
          const Call call{{layout, a, b, 3}, a == b ? 2 : 1, a == Op::none ? 0 : 1 << 16};
          auto c = this->check(lines, Accuracy::classic, call.storage.text(), call);
          EXPECT_EQ(first_difference(c, plain), -1) << p.text() << ", " << call.storage.text();
        }
      }
    }
  }
  EXPECT_EQ(this->settled_, 57);
}

TYPED_TEST(ModularSums, ErrorsStayBelowTheBound) {
  using T = TypeParam;
  std::uint64_t seed = 50;
  for (int64_t k : {64, 100, 1000, 4096}) {
    for (double phi : {0.0, 0.5, 1.0, 1.5}) {
      auto p = generated<T>(range_kind(phi), k > 1000 ? 3 : 5, 4, k, seed++);
      for (Accuracy accuracy : accuracies) this->check_error(p, accuracy, "phi " + std::to_string(phi));
    }
  }
  Random random(51);
  for (int round = 0; round < (is_long() ? 1000 : 40); ++round) {
    auto p = spoilt<T>(random, 1, 14);
    for (Accuracy accuracy : accuracies) this->check_error(p, accuracy, "round " + std::to_string(round));
  }
  // Without direct entries it is the product of rounded integers, whose bits the sum test chose.
  for (double phi : {0.0, 0.5}) {
    auto p = generated<T>(range_kind(phi), 6, 5, 64, 52);
    const Lines<T> lines(p);
    for (Accuracy accuracy : accuracies) {
      const Definition<T> expected(lines, accuracy);
      ASSERT_TRUE(expected.is_settled);
      const auto c = this->check(lines, accuracy, "rounded");
      for (int round = 0; round < 30; ++round) this->check_entry(expected, c, "rounded");
    }
  }
}

// All elements x, in units of 1/32, and half a unit that rounding takes away from each, which makes all errors alike. A
// larger one in each line meets a zero.
template <class T>
Problem<T> one_direction(int64_t k, int x, int larger, double half_unit) {
  Problem<T> p(1, 1, k);
  const T element = number<T>(dd_real::sum(x / 32.0, half_unit), half_unit);
  for (int64_t h = 2; h < k; ++h) p.left(0, h) = p.right(h, 0) = element;
  p.left(0, 0) = p.right(1, 0) = number<T>(std::ldexp(1.0, larger));
  return p;
}

TYPED_TEST(ModularSums, ErrorsOfOneDirectionComeNearTheBound) {
  using T = TypeParam;
  double nearest = 0.0;
  for (int64_t k : {66, 300, 1030, 4096}) {
    for (Accuracy accuracy : accuracies) {
      Problem<T> worst(1, 1, k);
      double largest = 0.0;
      int spare = 0;
      for (int i = 0; i < 16 * 8; ++i) {
        int x = 16 + i % 16, larger = i / 16 - 1;
        auto p = one_direction<T>(k, x, larger, 0.0);
        const Lines<T> lines(p);
        const Definition<T> d(lines, accuracy);
        int unit = lines.rows[0].e - lines.rows[0].v - d.p;
        // In D and Z elements have bits down to 2^-53.
        if (!d.is_settled || (!double_double<T> && unit <= -53)) continue;
        // Bits that the moduli hold and nothing asks for make errors smaller.
        double error = std::ldexp(32.0 / x, unit + (double_double<T> ? 106 : 53) + d.p - d.asked) / d.own_bound();
        if (error <= largest) continue;
        largest = error;
        spare = d.p - d.asked;
        worst = one_direction<T>(k, x, larger, std::ldexp(0.5, unit));
      }
      if (largest == 0.0) continue;
      this->check_error(worst, accuracy, "errors of one direction");
      const double part = std::ldexp(this->error_ / this->bound_, spare);
      nearest = std::max(nearest, part);
      if (is_long()) {
        std::printf("%s, %s: %.3f of the bound but for %d spare bits\n", worst.text().c_str(), name(accuracy).data(),
                    part, spare);
      }
    }
  }
  EXPECT_GE(nearest, !is_complex<T> ? 0.8 : double_double<T> ? 0.6 : 0.35);
}

// A plan that chooses an engine counts on the moduli that elements of about one magnitude ask for.
TYPED_TEST(ModularSums, ArePredictedForUniformElements) {
  using T = TypeParam;
  const GemmOptions options{.engine = Engine::modular};
  int too_many = 0, sizes = 0;
  for (int64_t n = 64; n <= (is_long() ? 1024 : 400); n += 16) {
    const auto p = generated<T>(uniform_kind, n, n, n, static_cast<std::uint64_t>(n));
    const GemmPlan plan = plan_gemm<T>(Layout::column, Op::none, Op::none, n, n, n, options);
    GemmReport report;
    (void)p.multiply(options, &report);
    EXPECT_LE(report.plan.moduli, plan.moduli) << p.text();
    EXPECT_GE(report.plan.moduli, plan.moduli - 1) << p.text();
    too_many += report.plan.moduli < plan.moduli;
    ++sizes;
  }
  EXPECT_LE(too_many, sizes / 4);
}

}  // namespace
}  // namespace hilo::test
