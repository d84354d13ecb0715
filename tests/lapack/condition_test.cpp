// Norms against their definitions, and estimates of condition numbers against explicit inverses.
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "indefinite.hpp"
#include "matrices.hpp"
#include "test_matrices.hpp"

namespace hilo::test {
namespace {

constexpr Norm one_and_infinity[] = {Norm::one, Norm::infinity};
constexpr double infinity = std::numeric_limits<double>::infinity();

// Of matrices whose entries' squares neither over- nor underflow.
double defined(Norm norm, const Wide& a) {
  const auto size = [&](std::int64_t i, std::int64_t j) { return std::hypot(a(i, j).re.hi, a(i, j).im.hi); };
  if (norm == Norm::infinity) return defined(Norm::one, a.turned(Op::transpose));
  double most = 0.0, squares = 0.0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      sum += size(i, j);
      squares += size(i, j) * size(i, j);
      if (norm == Norm::max) most = std::max(most, size(i, j));
    }
    if (norm == Norm::one) most = std::max(most, sum);
  }
  return norm == Norm::frobenius ? std::sqrt(squares) : most;
}

template <class R>
double number(const R& x) {
  return wide(x).re.hi;
}

// An estimate is at least the condition's reciprocal, and at most ten times it.
template <class R>
void expect_estimate(const R& estimate, double exact, const std::string& what) {
  EXPECT_GE(number(estimate), 0.999 * exact) << what;
  EXPECT_LE(number(estimate), 10 * exact) << what;
}

// Rows of exponents from 0 down to -bits.
template <class T>
StoredMatrix<T> graded(std::int64_t n, int bits, std::uint64_t seed) {
  StoredMatrix<T> a(both_layouts[seed % 2], n, n, seed);
  const StoredMatrix<T> old = a;
  a.fill([&](std::int64_t i, std::int64_t j) { return with_exponent(old(i, j), static_cast<int>(-bits * i / n)); });
  return a;
}

template <class T>
constexpr int some_bits = double_double<T>             ? 80
                          : is_single(precision_of<T>) ? 12
                                                       : 35;
// Of entries that norms of a hundred do not overflow with, and whose words are normal.
template <class T>
constexpr int most_exponent = is_single(precision_of<T>) ? 118 : 1010;
template <class T>
constexpr int least_exponent = is_single(precision_of<T>) ? -100
                               : double_double<T>         ? -860
                                                          : -960;

template <class T>
class Condition : public testing::Test {};
TYPED_TEST_SUITE(Condition, AllPrecisions, NameOfPrecision);

TYPED_TEST(Condition, NormsAreThoseOfTheirDefinitions) {
  using T = TypeParam;
  for (const auto& [rows, columns] : {std::pair<int, int>{0, 3}, {3, 0}, {1, 1}, {7, 4}, {4, 7}, {20, 20}}) {
    const int m = rows, n = columns;
    for (const Norm norm : {Norm::one, Norm::infinity, Norm::frobenius, Norm::max}) {
      const StoredMatrix<T> a(both_layouts[m % 2], m, n, 3);
      const Wide w(a.view);
      const auto near = [&](const auto& x, double y) { EXPECT_NEAR(number(x), y, 1e-5 * y) << m << ' ' << n; };
      near(lange(norm, a.view), defined(norm, w));
      near(lange(norm, a.read().turned(Op::conjugate_transpose)), defined(norm, w.turned(Op::transpose)));
      for (const Uplo uplo : both_triangles) {
        for (const Diag diag : both_diagonals) {
          const Wide t = triangle(w, uplo, Diag::non_unit);
          if (diag == Diag::non_unit) near(lantr(norm, uplo, diag, a.read()), defined(norm, t));
          if (m != n) continue;
          near(lantr(norm, uplo, diag, a.view), defined(norm, triangle(w, uplo, diag)));
          Wide h = t;
          for (std::int64_t i = 0; i < n; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
              if (i != j && (i > j) != (uplo == Uplo::lower)) h(i, j) = t(j, i);
            }
            h(i, i).im = dd_real(0);
          }
          near(lanhe(norm, uplo, a.view), defined(norm, h));
          for (std::int64_t i = 0; i < n; ++i) h(i, i) = t(i, i);
          near(lansy(norm, uplo, a.view), defined(norm, h));
          near(lansy(norm, uplo, a.read()), defined(norm, h));
        }
      }
    }
  }
}

TYPED_TEST(Condition, NormsOfHugeTinyAndBadEntries) {
  using T = TypeParam;
  for (const Norm norm : {Norm::one, Norm::infinity, Norm::frobenius, Norm::max}) {
    StoredMatrix<T> a(Layout::column, 6, 6, 3);
    const double plain = number(lange(norm, a.view));
    for (const int e : {most_exponent<T>, least_exponent<T>}) {
      StoredMatrix<T> b = a;
      b.fill([&](std::int64_t i, std::int64_t j) { return with_exponent(a(i, j), e); });
      EXPECT_NEAR(std::ldexp(number(lange(norm, b.view)), -e), plain, 1e-5 * plain);
    }
    a.view(2, 3) = element_of<T>(-infinity, 0);
    EXPECT_EQ(number(lange(norm, a.view)), infinity);
    a.view(2, 3) = not_a_number<T>();
    EXPECT_TRUE(std::isnan(number(lange(norm, a.view))));
    EXPECT_TRUE(std::isnan(number(lantr(norm, Uplo::upper, Diag::unit, a.view))));
    EXPECT_FALSE(std::isnan(number(lantr(norm, Uplo::lower, Diag::unit, a.view))));
    EXPECT_TRUE(std::isnan(number(lanhe(norm, Uplo::upper, a.view))));
  }
}

TYPED_TEST(Condition, OfGeneralMatrices) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 3, 10, 40, 70}) {
    for (const int bits : {0, some_bits<T>}) {
      BlockedOptions options;
      options.block = ++seed % 2 ? 7 : 0;
      const StoredMatrix<T> a = graded<T>(n, bits, seed);
      StoredMatrix<T> lu = a;
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      EXPECT_EQ(getrf(lu.view, pivots, options), 0);
      StoredMatrix<T> x = lu;
      EXPECT_EQ(getri(x.view, pivots, options), 0);
      for (const Norm norm : one_and_infinity) {
        const auto anorm = lange(norm, a.view);
        const auto estimate = gecon(norm, lu.view, anorm, options);
        expect_estimate(estimate, 1 / defined(norm, Wide(a.view)) / defined(norm, Wide(x.view)), std::to_string(n));
        // The same of a matrix that is scaled as far as it can be.
        for (const int e : {most_exponent<T>, least_exponent<T>}) {
          StoredMatrix<T> scaled = lu;
          scaled.fill([&](std::int64_t i, std::int64_t j) { return i > j ? lu(i, j) : with_exponent(lu(i, j), e); });
          if (bits == 0) {
            EXPECT_EQ(gecon(norm, scaled.read(), with_exponent(anorm, e), options), estimate) << n << ' ' << e;
          }
        }
      }
    }
  }
}

// Factors that are read where they lie, and a copy of them: U's solutions overflow where those of U scaled to ‖A‖ do
// not, or entries' moduli do, of which no part does.
TYPED_TEST(Condition, OfFactorsNearTheEndsOfTheRangeIsThatOfACopy) {
  using T = TypeParam;
  using R = real_type<T>;
  const int range = is_single(precision_of<T>) ? 126 : 1022;
  for (const Norm norm : one_and_infinity) {
    StoredMatrix<T> in_place(Layout::column, 3, 3), by_rows(Layout::row, 3, 3);
    const auto both = [&](auto entry) {
      in_place.fill(entry);
      by_rows.fill(entry);
    };
    for (const int e : {-14, 0, 14}) {
      const R anorm = with_exponent(R(1), e);
      both([&](auto i, auto j) { return i != j ? T(0) : with_exponent(T(1), i == 2 ? e - range + 5 : e); });
      const R condition = gecon(norm, in_place.view, anorm);
      EXPECT_EQ(condition, with_exponent(R(1), 5 - range)) << e;
      EXPECT_EQ(condition, gecon(norm, by_rows.view, anorm)) << e;
    }
    // Their quotient is all that solutions have.
    const double large = std::ldexp(1.5, range + 1);
    both([&](auto i, auto j) { return i != j ? T(0) : i == 1 ? element_of<T>(large, large) : T(1); });
    EXPECT_EQ(gecon(norm, in_place.view, R(1)), R(1));
    EXPECT_EQ(gecon(norm, by_rows.view, R(1)), R(1));
  }
}

TYPED_TEST(Condition, OfPositiveMatrices) {
  using T = TypeParam;
  for (const auto& matrix : hard_positive_matrices<T>()) {
    if (matrix.name == "graded") continue;
    for (const std::int64_t n : {1, 2, 10, 40}) {
      for (const Uplo uplo : both_triangles) {
        StoredMatrix<T> a(Layout::column, n, n);
        a.fill([&, f = matrix.entries(n)](std::int64_t i, std::int64_t j) { return f(i, j); });
        const auto anorm = lanhe(Norm::one, uplo, a.view);
        EXPECT_EQ(potrf(uplo, a.view), 0);
        const auto estimate = pocon(uplo, a.view, anorm);
        EXPECT_EQ(potri(uplo, a.view), 0);
        const auto inverse = lanhe(Norm::infinity, uplo, a.view);
        expect_estimate(estimate, 1 / number(anorm) / number(inverse), matrix.name);
      }
    }
  }
}

TYPED_TEST(Condition, OfIndefiniteMatrices) {
  using T = TypeParam;
  std::uint64_t seed = 0;
  for (const std::int64_t n : {1, 2, 3, 10, 40, 70}) {
    for (const Kind& kind : every_kind) {
      for (const int bits : {0, some_bits<T> / 2}) {
        BlockedOptions options;
        options.block = ++seed % 2 ? 7 : 0;
        StoredMatrix<T> a = indefinite<T>(both_layouts[seed % 2], kind.uplo, n, seed);
        const StoredMatrix<T> old = a;
        a.fill([&](std::int64_t i, std::int64_t j) {
          const auto exponent = [&](std::int64_t k) { return static_cast<int>(bits * k / n); };
          return with_exponent(old(i, j), -exponent(i) - exponent(j));
        });
        const auto anorm = kind.norm(a.view);
        auto pivots = room(a);
        EXPECT_EQ(kind.factor(a.view, pivots, options), 0);
        StoredMatrix<T> x = a;
        EXPECT_EQ(kind.invert(x.view, pivots, options), 0);
        const auto estimate = kind.condition(a, pivots, anorm, options);
        expect_estimate(estimate, 1 / number(anorm) / number(kind.norm(x.view)), std::to_string(n));
        if (bits != 0) continue;
        // The same steps by LU, but where roundings part what is equal.
        StoredMatrix<T> lu = old;
        lu.fill([&](std::int64_t i, std::int64_t j) {
          const T entry = is_in(kind.uplo, i, j) ? old(i, j) : old(j, i);
          if (!kind.is_hermitian) return entry;
          return i == j ? T(real(entry)) : is_in(kind.uplo, i, j) ? entry : conjugate_of(entry);
        });
        auto rows = room(lu);
        EXPECT_EQ(getrf(lu.view, rows, options), 0);
        const double by_lu = number(gecon(Norm::one, lu.view, anorm, options));
        if (n > 3) {
          EXPECT_NEAR(number(estimate), by_lu, 1e-3 * by_lu) << n;
        }
        // The same of a matrix that is scaled as far as it can be.
        for (const int e : {most_exponent<T>, least_exponent<T>}) {
          const auto in_d = [&](std::int64_t i, std::int64_t j) {
            const auto pivot = [&](std::int64_t k) { return pivots[static_cast<std::size_t>(k)]; };
            std::int64_t begin = 0;
            while (begin + (pivot(begin) > 0 ? 1 : 2) <= std::min(i, j)) begin += pivot(begin) > 0 ? 1 : 2;
            return std::max(i, j) < begin + (pivot(begin) > 0 ? 1 : 2);
          };
          StoredMatrix<T> scaled = a;
          scaled.fill([&](std::int64_t i, std::int64_t j) { return in_d(i, j) ? with_exponent(a(i, j), e) : a(i, j); });
          EXPECT_EQ(kind.condition(scaled, pivots, with_exponent(anorm, e), options), estimate) << n << ' ' << e;
        }
      }
    }
  }
}

TYPED_TEST(Condition, OfSingularEmptyAndBadIndefiniteMatrices) {
  using T = TypeParam;
  using R = real_type<T>;
  for (const Kind& kind : every_kind) {
    const StoredMatrix<T> none(Layout::column, 0, 0);
    EXPECT_EQ(kind.condition(none, {}, R(0)), R(1));
    StoredMatrix<T> a = indefinite<T>(Layout::column, kind.uplo, 10, 3);
    std::vector<std::int64_t> pivots;
    for (std::int64_t i = 1; i <= 10; ++i) pivots.push_back(i);
    for (std::int64_t i = 0; i < 10; ++i) a.view(i, i) = T(1);
    EXPECT_GT(kind.condition(a, pivots, R(1)), R(0));
    // A Hermitian matrix has real numbers on its diagonal, whatever stands there.
    if (kind.is_hermitian) a.view(1, 1) = element_of<T>(1, std::numeric_limits<double>::quiet_NaN());
    EXPECT_GT(kind.condition(a, pivots, R(1)), R(0));
    EXPECT_EQ(kind.condition(a, pivots, R(0)), R(0));
    EXPECT_EQ(kind.condition(a, pivots, R(std::numeric_limits<float>::infinity())), R(0));
    EXPECT_TRUE(std::isnan(number(kind.condition(a, pivots, R(std::numeric_limits<float>::quiet_NaN())))));
    a.view(4, 4) = kind.is_hermitian ? element_of<T>(0, 1) : T(0);
    EXPECT_EQ(kind.condition(a, pivots, R(1)), R(0));
    (kind.uplo == Uplo::lower ? a.view(6, 2) : a.view(2, 6)) = not_a_number<T>();
    EXPECT_TRUE(std::isnan(number(kind.condition(a, pivots, R(1)))));
    // A condition that no number holds.
    const int e = is_single(precision_of<T>) ? 100 : 800;
    a.fill([&](auto i, auto j) { return i == j ? with_exponent(T(1), i % 2 ? e : -e) : T(0); });
    EXPECT_EQ(kind.condition(a, pivots, with_exponent(R(1), e)), R(0));
  }
}

TYPED_TEST(Condition, OfTriangles) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 2, 10, 40, 70}) {
    for (const Uplo uplo : both_triangles) {
      for (const Diag diag : both_diagonals) {
        StoredMatrix<T> a = graded<T>(n, diag == Diag::unit ? 0 : some_bits<T>, 5);
        for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) * T(4);
        const StoredMatrix<T> old = a;
        a.fill([&](auto i, auto j) { return i == j ? old(i, j) : with_exponent(old(i, j), -2); });
        StoredMatrix<T> x = a;
        EXPECT_EQ(trtri(uplo, diag, x.view), 0);
        for (const Norm norm : one_and_infinity) {
          const auto estimate = trcon(norm, uplo, diag, a.read());
          const double exact = 1 / number(lantr(norm, uplo, diag, a.view)) / number(lantr(norm, uplo, diag, x.view));
          expect_estimate(estimate, exact, std::to_string(n));
        }
      }
    }
  }
}

// Ones in the first column and on the diagonal: n in the 1-norm, 2 in the infinity norm, and so the inverse.
TYPED_TEST(Condition, TellsTheNormsApart) {
  using T = TypeParam;
  const std::int64_t n = 60;
  StoredMatrix<T> a(Layout::row, n, n);
  a.fill([](auto i, auto j) { return T(i == j || j == 0 ? 1 : 0); });
  for (const Norm norm : one_and_infinity) {
    const double exact = norm == Norm::one ? 1.0 / (n * n) : 0.25;
    expect_estimate(trcon(norm, Uplo::lower, Diag::unit, a.view), exact, "triangle");
    expect_estimate(gecon(norm, a.view, lange(norm, a.view)), exact, "factors");
  }
}

TYPED_TEST(Condition, OfSingularEmptyAndBadMatrices) {
  using T = TypeParam;
  using R = real_type<T>;
  for (const Norm norm : one_and_infinity) {
    StoredMatrix<T> a(Layout::column, 10, 10, 3), none(Layout::column, 0, 0);
    EXPECT_EQ(gecon(norm, none.view, R(0)), R(1));
    EXPECT_EQ(trcon(norm, Uplo::lower, Diag::unit, none.view), R(1));
    EXPECT_EQ(pocon(Uplo::lower, none.view, R(0)), R(1));
    EXPECT_EQ(gecon(norm, a.view, R(0)), R(0));
    EXPECT_EQ(gecon(norm, a.view, R(std::numeric_limits<float>::infinity())), R(0));
    EXPECT_TRUE(std::isnan(number(gecon(norm, a.view, R(std::numeric_limits<float>::quiet_NaN())))));
    const T kept = a(4, 4);
    a.view(4, 4) = T(0);
    EXPECT_EQ(gecon(norm, a.view, R(1)), R(0));
    EXPECT_EQ(pocon(Uplo::upper, a.view, R(1)), R(0));
    EXPECT_EQ(trcon(norm, Uplo::upper, Diag::non_unit, a.view), R(0));
    EXPECT_GT(trcon(norm, Uplo::upper, Diag::unit, a.view), R(0));
    a.view(4, 4) = kept;
    a.view(3, 5) = not_a_number<T>();
    EXPECT_TRUE(std::isnan(number(gecon(norm, a.view, R(1)))));
    EXPECT_TRUE(std::isnan(number(pocon(Uplo::upper, a.view, R(1)))));
    EXPECT_TRUE(std::isnan(number(trcon(norm, Uplo::upper, Diag::unit, a.view))));
    EXPECT_FALSE(std::isnan(number(trcon(norm, Uplo::lower, Diag::unit, a.view))));
    // A condition that no number holds.
    const int e = is_single(precision_of<T>) ? 100 : 800;
    a.fill([&](auto i, auto j) { return i == j ? with_exponent(T(1), i % 2 ? e : -e) : T(0); });
    EXPECT_EQ(trcon(norm, Uplo::lower, Diag::non_unit, a.view), R(0));
  }
}

}  // namespace
}  // namespace hilo::test
