// The error of the direct engine against MPFR: ordinary data below the gates, an adversary below the proved bound and
// near it, exact integers exact, tiny and huge operands.
// HILO_LONG_TESTS=1 checks more entries and prints the largest error of each kind of data.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <data/generate.hpp>
#include <hilo/accuracy.hpp>

#include "adversary.hpp"
#include "test_size.hpp"

namespace hilo {
namespace {

using Matrix = std::vector<dd_real>;

struct Variant {
  Accuracy accuracy;
  bool fma;

  GemmOptions options() const {
    GemmOptions o;
    o.accuracy = accuracy;
    o.fma = fma ? Fma::on : Fma::off;
    return o;
  }
  double bound(std::int64_t k) const { return direct_error_bound_u2(k, accuracy, false, fma); }
};
constexpr std::array<Variant, 4> variants = {
    {{Accuracy::classic, true}, {Accuracy::fast, true}, {Accuracy::classic, false}, {Accuracy::fast, false}}};

std::ostream& operator<<(std::ostream& out, Variant v) {
  return out << name(v.accuracy) << (v.fma ? ", FMA" : ", no FMA");
}

struct Product {
  std::int64_t m, n, k;
  Matrix a, b;  // m × k and k × n, by columns

  Matrix multiply(Variant v) const {
    Matrix c(static_cast<std::size_t>(m * n));
    gemm(Layout::column, Op::none, Op::none, m, n, k, dd_real(1), a.data(), m, b.data(), k, dd_real(0), c.data(), m,
         v.options());
    return c;
  }
  accuracy::ErrorReport error_of(const Matrix& c) const {
    return accuracy::gemm_error<dd_real>(Layout::column, Op::none, Op::none, m, n, k, dd_real(1), a.data(), m, b.data(),
                                         k, dd_real(0), nullptr, c.data(), m, accuracy::Sample::full);
  }
  double error(Variant v) const { return error_of(multiply(v)).max_error_u2; }
};

enum class Kind { uniform, positive, decades, dominant, dominant_above, log_normal, cancelling };
struct KindName {
  Kind kind;
  const char* name;
};
constexpr std::array<KindName, 7> kinds = {{{Kind::uniform, "uniform"},
                                            {Kind::positive, "positive"},
                                            {Kind::decades, "decades"},
                                            {Kind::dominant, "dominant"},
                                            {Kind::dominant_above, "dominant_above"},
                                            {Kind::log_normal, "log_normal"},
                                            {Kind::cancelling, "cancelling"}}};

Matrix generated(data::Init init, double phi, std::uint64_t seed, std::int64_t rows, std::int64_t columns,
                 data::Terms terms) {
  Matrix x(static_cast<std::size_t>(rows * columns));
  data::generate({{init, phi}, seed, terms}, Layout::column, rows, columns, x.data(), rows);
  return x;
}

Matrix matrix(Kind kind, std::uint64_t seed, std::int64_t rows, std::int64_t columns, data::Terms terms) {
  using data::Init;
  switch (kind) {
    case Kind::positive:
      return generated(Init::positive, 0, seed, rows, columns, terms);
    case Kind::dominant:
    case Kind::dominant_above:
      return generated(Init::dominant, 0, seed, rows, columns, terms);
    case Kind::log_normal:
      return generated(Init::range, 4, seed, rows, columns, terms);
    default:
      break;
  }
  Matrix x = generated(Init::uniform, 0, seed, rows, columns, terms);
  if (kind == Kind::decades) {
    // Powers of 2 from 10^-30 to 10^30, by the bits of the entry itself.
    for (dd_real& e : x) {
      int power = static_cast<int>(std::bit_cast<std::uint64_t>(e.hi) % 200) - 100;
      e = dd_real(std::ldexp(e.hi, power), std::ldexp(e.lo, power));
    }
  }
  return x;
}

void put_beside_one(dd_real& x, bool above) {
  if ((x > dd_real(1)) != above) x = dd_real(2) - x;
}

Product product(Kind kind, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  Product p{m, n, k, matrix(kind, 2 * seed, m, k, data::Terms::along_columns),
            matrix(kind, 2 * seed + 1, k, n, data::Terms::along_rows)};
  if (kind == Kind::dominant || kind == Kind::dominant_above) {
    // The first products on one side of 1. Above a power of two u is a larger part of the sum than anywhere else.
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) put_beside_one(p.a[i], kind == Kind::dominant_above);
    for (std::size_t j = 0; j < static_cast<std::size_t>(n * k); j += static_cast<std::size_t>(k)) {
      put_beside_one(p.b[j], kind == Kind::dominant_above);
    }
  }
  if (kind == Kind::cancelling) {
    // The second half of each sum takes back all but 2^-60 of the first.
    std::int64_t half = k / 2;
    for (std::int64_t h = 0; h < half; ++h) {
      for (std::int64_t i = 0; i < m; ++i)
        p.a[static_cast<std::size_t>(i + (half + h) * m)] = p.a[static_cast<std::size_t>(i + h * m)];
      for (std::int64_t j = 0; j < n; ++j) {
        dd_real x = p.b[static_cast<std::size_t>(h + j * k)];
        p.b[static_cast<std::size_t>(half + h + j * k)] = x * dd_real(0x1p-60) - x;
      }
    }
  }
  return p;
}

// For the largest of some 60 sums at every k, and of ten times as many (the long form) at k = 8, 32 and 64.
double gate(Accuracy accuracy, std::int64_t k) {
  return (accuracy == Accuracy::classic ? 4.0 : 8.0) + std::sqrt(static_cast<double>(k));
}

// The slope of log y over log x by least squares.
double log_log_slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = static_cast<double>(x.size()), sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double lx = std::log(x[i]), ly = std::log(y[i]);
    sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class DataTest : public testing::TestWithParam<KindName> {};

TEST_P(DataTest, StaysBelowTheGatesAndGrowsAtMostLinearly) {
  std::array<std::vector<double>, variants.size()> sizes, errors;
  for (std::int64_t k : {1, 2, 3, 7, 8, 32, 63, 64, 65, 100, 512, 1000, 4096, 4097, 8192}) {
    std::int64_t edge = test::is_long() ? 25 : k > 1000 ? 6 : 8;
    Product p = product(GetParam().kind, edge, edge, k, static_cast<std::uint64_t>(k));
    std::array<double, variants.size()> found;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      found[v] = p.error(variants[v]);
      EXPECT_LE(found[v], variants[v].bound(k)) << "k = " << k << ", " << variants[v];
      double allowed = gate(variants[v].accuracy, k) * (GetParam().kind == Kind::dominant_above ? 2.0 : 1.0);
      if (!test::is_long() || k == 8 || k == 32 || k == 64) {
        EXPECT_LE(found[v], allowed) << "k = " << k << ", " << variants[v];
      }
      if (k >= 64) {
        sizes[v].push_back(static_cast<double>(k));
        errors[v].push_back(found[v]);
      }
    }
    if (test::is_long()) {
      std::printf("| %s | %d | %.2f | %.2f | %.2f | %.2f |\n", GetParam().name, static_cast<int>(k), found[0], found[1],
                  found[2], found[3]);
    }
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    EXPECT_LE(log_log_slope(sizes[v], errors[v]), 1.0) << variants[v];
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, DataTest, testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

// `copies` of an adversarial chunk, one after the other: their errors add up.
Product adversary(Variant v, int steps, int copies) {
  Terms chunk = Adversary(v.accuracy, v.fma).chunk(steps);
  Product p{1, 1, steps * copies, {}, {}};
  for (int i = 0; i < copies; ++i) {
    p.a.insert(p.a.end(), chunk.a.begin(), chunk.a.end());
    p.b.insert(p.b.end(), chunk.b.begin(), chunk.b.end());
  }
  return p;
}

class AdversaryTest : public testing::TestWithParam<Variant> {};

TEST_P(AdversaryTest, StaysBelowTheBoundAndAboveAThirdOfIt) {
  Variant v = GetParam();
  for (int steps : {8, 32, 64}) {
    double error = adversary(v, steps, 1).error(v);
    EXPECT_LE(error, v.bound(steps)) << steps << " steps";
    EXPECT_GE(error, (steps == 64 ? 0.35 : steps == 32 ? 0.3 : 0.2) * v.bound(steps)) << steps << " steps";
    if (test::is_long()) {
      std::printf("adversary, %s accuracy, FMA %d, k = %d: %.1f of %.1f, %.3f\n", name(v.accuracy).data(), v.fma, steps,
                  error, v.bound(steps), error / v.bound(steps));
    }
  }
}

TEST_P(AdversaryTest, DoesNotGrowFromChunkToChunk) {
  Variant v = GetParam();
  Product p = adversary(v, 64, 70);
  double error = p.error(v);
  EXPECT_LE(error, v.bound(p.k));
  EXPECT_GE(error, 0.2 * v.bound(p.k));
}

INSTANTIATE_TEST_SUITE_P(AllVariants, AdversaryTest, testing::ValuesIn(variants), [](const auto& variant) {
  return std::string(name(variant.param.accuracy)) + (variant.param.fma ? "_fma" : "_split");
});

TEST(ErrorBound, IsWithinTheClassicGuarantee) {
  for (std::int64_t k : {1, 2, 3, 63, 64, 65, 4096, 4097, 1 << 20}) {
    for (bool fma : {false, true}) {
      EXPECT_LE(direct_error_bound_u2(k, Accuracy::classic, false, fma), static_cast<double>(8 * k + 16)) << k;
    }
  }
}

TEST(ErrorBound, GrowsWithTheNumberOfTerms) {
  for (Variant v : variants) {
    for (bool is_complex : {false, true}) {
      double last = direct_error_bound_u2(0, v.accuracy, is_complex, v.fma);
      for (std::int64_t k = 1; k < 10000; ++k) {
        double bound = direct_error_bound_u2(k, v.accuracy, is_complex, v.fma);
        ASSERT_GE(bound, last) << k << ", " << v;
        last = bound;
      }
    }
  }
}

TEST(ScaledProduct, StaysBelowTheBoundWithAlphaAndBeta) {
  constexpr std::int64_t m = 13, n = 11;
  for (std::int64_t k : {1, 8, 100}) {
    Product p = product(Kind::uniform, m, n, k, 77);
    Matrix c0 = matrix(Kind::uniform, 5, m, n, data::Terms::none);
    dd_real alpha = c0[3] * 3.0, beta = c0[4];
    for (Variant v : variants) {
      Matrix c = c0;
      gemm(Layout::column, Op::none, Op::none, m, n, k, alpha, p.a.data(), m, p.b.data(), k, beta, c.data(), m,
           v.options());
      auto report = accuracy::gemm_error(Layout::column, Op::none, Op::none, m, n, k, alpha, p.a.data(), m, p.b.data(),
                                         k, beta, c0.data(), c.data(), m, accuracy::Sample::full);
      EXPECT_LE(report.max_error_u2, gate(v.accuracy, k) + 8.0) << k << ", " << v;
      EXPECT_GT(report.max_error_u2, 0.0);
    }
  }
}

TEST(ComplexProduct, StaysBelowTheBoundForAllTransposes) {
  constexpr std::int64_t m = 9, n = 7;
  for (std::int64_t k : {1, 31, 33, 200}) {
    auto count = static_cast<std::size_t>(k);
    std::vector<dd_complex> a(m * count), b(n * count), c0(m * n);
    data::generate({{data::Init::uniform, 0}, 1}, Layout::row, k, m, a.data(), m);
    data::generate({{data::Init::uniform, 0}, 2}, Layout::row, k, n, b.data(), n);
    data::generate({{data::Init::uniform, 0}, 3}, Layout::row, m, n, c0.data(), n);
    dd_complex alpha = c0[0], beta = c0[1];
    for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        std::int64_t lda = opa == Op::none ? k : m, ldb = opb == Op::none ? n : k;
        for (Variant v : variants) {
          std::vector<dd_complex> c = c0;
          gemm(Layout::row, opa, opb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), n, v.options());
          auto report = accuracy::gemm_error(Layout::row, opa, opb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta,
                                             c0.data(), c.data(), n, accuracy::Sample::full);
          EXPECT_LE(report.max_error_u2, std::sqrt(2.0) * gate(v.accuracy, 2 * k) + 16.0) << k << ", " << v;
          EXPECT_LE(report.max_error_u2, direct_error_bound_u2(k, v.accuracy, true, v.fma)) << k << ", " << v;
          EXPECT_GT(report.max_error_u2, 0.0);
        }
      }
    }
  }
}

__extension__ using Wide = __int128;

dd_real from_integer(Wide x) {
  double hi = static_cast<double>(x);
  return dd_real(hi, static_cast<double>(x - static_cast<Wide>(hi)));
}

TEST(ExactIntegers, AreExactInEveryEntry) {
  constexpr std::int64_t m = 13, n = 9;
  for (std::int64_t k : {1, 3, 64, 65, 1000, 1024}) {
    auto count = static_cast<std::size_t>(k);
    std::vector<Wide> a(m * count), b(n * count);
    std::uint64_t state = 1;
    auto word = [&] {
      state = state * 6364136223846793005u + 1442695040888963407u;
      return state >> 32;
    };
    for (Wide& x : a) {
      x = (static_cast<Wide>(word()) << 38) | static_cast<Wide>((word() << 6) ^ word());
      if (word() & 1) x = -x;
    }
    for (Wide& x : b) x = static_cast<Wide>(word() & 0xfffff) - (word() & 1 ? 0xfffff : 0);
    Product p{m, n, k, Matrix(m * count), Matrix(n * count)};
    std::transform(a.begin(), a.end(), p.a.begin(), from_integer);
    std::transform(b.begin(), b.end(), p.b.begin(), from_integer);
    ASSERT_TRUE(std::any_of(p.a.begin(), p.a.end(), [](dd_real x) { return x.lo != 0.0; }));
    for (Variant v : variants) {
      Matrix c = p.multiply(v);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          Wide sum = 0;
          for (std::int64_t h = 0; h < k; ++h) {
            sum += a[static_cast<std::size_t>(i + h * m)] * b[static_cast<std::size_t>(h + j * k)];
          }
          ASSERT_EQ(c[static_cast<std::size_t>(i + j * m)], from_integer(sum)) << k << ", " << v;
        }
      }
    }
  }
}

Matrix scaled(Matrix x, int power) {
  for (dd_real& e : x) e = dd_real(std::ldexp(e.hi, power), std::ldexp(e.lo, power));
  return x;
}

TEST(ExtremeOperands, PowersOfTwoScaleTheBits) {
  Product p = product(Kind::uniform, 5, 6, 130, 9);
  for (Variant v : variants) {
    Matrix c = p.multiply(v);
    struct Powers {
      int a, b;
    };
    for (Powers s : {Powers{500, 500}, Powers{500, -500}, Powers{-400, -400}, Powers{1010, -20}, Powers{-30, 1015}}) {
      Product q{p.m, p.n, p.k, scaled(p.a, s.a), scaled(p.b, s.b)};
      EXPECT_EQ(q.multiply(v), scaled(c, s.a + s.b)) << s.a << " and " << s.b << ", " << v;
    }
  }
}

TEST(ExtremeOperands, TinyProductsErrByTheUnderflowTermAtMost) {
  for (Variant v : variants) {
    for (int power : {-850, -950, -970, -1000, -1020, -1060, -1073}) {
      Product p = product(Kind::uniform, 8, 8, 100, 10);
      // Half of the scale in each operand, then all of it in one, whose elements are subnormal.
      for (int part : {power / 2, power}) {
        Product q{p.m, p.n, p.k, scaled(p.a, part), scaled(p.b, power - part)};
        for (dd_real& x : q.a) x = dd_real::sum(x.hi, x.lo);
        EXPECT_LE(q.error(v), v.bound(p.k)) << power << ", " << v;
      }
    }
  }
}

}  // namespace
}  // namespace hilo
