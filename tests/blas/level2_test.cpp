// Level 2 of the BLAS on the host: against sums in double-double, entry by entry, with everything that must not be read
// set to NaN and everything that must not be written compared.
#include <algorithm>
#include <hilo/blas.hpp>

#include "level2_cases.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// |x − y| of each entry within bound · ε · terms.
template <class T>
void expect_near(const Wide& x, const Wide& y, const Wide& terms, double bound, std::uint64_t seed) {
  for (std::size_t i = 0; i < x.elements.size(); ++i) {
    const double e = magnitude(x.elements[i] - y.elements[i]);
    EXPECT_LE(e, bound * epsilon_of<T> * magnitude(terms.elements[i])) << "seed " << seed << " entry " << i;
  }
}

// alpha · a + beta · b of each entry, and of their magnitudes.
Wide combined(const dd_complex& alpha, const Wide& a, const dd_complex& beta, const Wide& b) {
  Wide r = a;
  for (std::size_t i = 0; i < r.elements.size(); ++i) {
    r.elements[i] = dd_complex::multiply_finite(alpha, a.elements[i]);
    if (!(beta == dd_complex(0))) r.elements[i] += dd_complex::multiply_finite(beta, b.elements[i]);
  }
  return r;
}
Wide combined_magnitudes(const dd_complex& alpha, const Wide& a, const dd_complex& beta, const Wide& b) {
  return combined(dd_complex(dd_real(magnitude(alpha))), a, dd_complex(dd_real(magnitude(beta))), b.magnitudes());
}

template <class T>
Wide column_of(const StoredVector<T>& x) {
  return x.wide_column();
}

template <class T>
class Level2 : public testing::Test {};
TYPED_TEST_SUITE(Level2, AllPrecisions, NameOfPrecision);

TYPED_TEST(Level2, MultipliesByMatrices) {
  using T = TypeParam;
  for_cases<T>([&](const Level2Case<T>& c) {
    const std::int64_t m = c.uplo == Uplo::lower ? c.n : c.n / 2 + 3, n = c.diag == Diag::unit ? c.n : 2 * c.n / 3;
    const bool is_turned = is_transposed(c.op);
    const StoredMatrix<T> a(c.layout, is_turned ? n : m, is_turned ? m : n, c.seed + 1);
    const MatrixView<const T> view = a.read().turned(c.op);
    const StoredVector<T> x(n, c.x_stride, c.seed + 2), before(m, c.y_stride, c.seed + 3);
    const Wide product = Wide(view) * column_of(x), terms = Wide(view).magnitudes() * column_of(x).magnitudes();
    const T alpha = c.seed % 5 == 0 ? T(1) : element_of<T>(-1.5, 0.5);
    for (const T& beta : {T(0), T(1), element_of<T>(0.75, -2)}) {
      StoredVector<T> y = before;
      if (beta == T(0)) y.fill([](std::int64_t) { return not_a_number<T>(); });
      gemv(alpha, view, x.read(), beta, y.view, c.options);
      expect_near<T>(column_of(y), combined(wide(alpha), product, wide(beta), column_of(before)),
                     combined_magnitudes(wide(alpha), terms, wide(beta), column_of(before)),
                     8.0 + static_cast<double>(n), c.seed);
      EXPECT_TRUE(y.keeps_what_is_between(before)) << c.seed;
    }
  });
}

// The whole of which a view has a triangle.
template <class T>
Wide whole_of(const MatrixView<const T>& a, Uplo uplo, bool is_hermitian) {
  Wide w(a);
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (i != j && (i > j) != (uplo == Uplo::lower)) w(i, j) = is_hermitian ? conj(w(j, i)) : w(j, i);
      if (i == j && is_hermitian) w(i, j) = dd_complex(w(i, j).re);
    }
  }
  return w;
}

TYPED_TEST(Level2, MultipliesBySymmetricMatrices) {
  using T = TypeParam;
  const T alpha = element_of<T>(-1.5, 0.5), beta = element_of<T>(0.75, -2);
  for_cases<T>([&](const Level2Case<T>& c) {
    const bool is_hermitian = c.diag == Diag::unit;
    const StoredMatrix<T> a = one_triangle<T>(c, true);
    const MatrixView<const T> view = a.read().turned(c.op);
    const Uplo uplo = flipped(c.uplo, c.op);
    const Wide whole = whole_of(view, uplo, is_hermitian);
    const StoredVector<T> x(c.n, c.x_stride, c.seed + 2), before(c.n, c.y_stride, c.seed + 3);
    StoredVector<T> y = before;
    if (is_hermitian) {
      hemv(uplo, alpha, view, x.read(), beta, y.view, c.options);
    } else {
      symv(uplo, alpha, view, x.read(), beta, y.view, c.options);
    }
    expect_near<T>(
        column_of(y), combined(wide(alpha), whole * column_of(x), wide(beta), column_of(before)),
        combined_magnitudes(wide(alpha), whole.magnitudes() * column_of(x).magnitudes(), wide(beta), column_of(before)),
        8.0 + static_cast<double>(c.n), c.seed);
    EXPECT_TRUE(y.keeps_what_is_between(before)) << c.seed;
  });
}

TYPED_TEST(Level2, MultipliesAndSolvesByTriangles) {
  using T = TypeParam;
  for_cases<T>([&](const Level2Case<T>& c) {
    const StoredMatrix<T> a = one_triangle<T>(c, c.diag == Diag::non_unit);
    const MatrixView<const T> view = a.read().turned(c.op);
    const Uplo uplo = flipped(c.uplo, c.op);
    const Wide factor = triangle(Wide(view), uplo, c.diag);
    const StoredVector<T> before(c.n, c.x_stride, c.seed + 2);
    const double bound = 8.0 + static_cast<double>(c.n);
    StoredVector<T> x = before;
    trmv(uplo, c.diag, view, x.view, c.options);
    expect_near<T>(column_of(x), factor * column_of(before), factor.magnitudes() * column_of(before).magnitudes(),
                   bound, c.seed);
    EXPECT_TRUE(x.keeps_what_is_between(before)) << c.seed;
    x.fill([&](std::int64_t i) { return before(i); });
    trsv(uplo, c.diag, view, x.view, c.options);
    expect_near<T>(factor * column_of(x), column_of(before), factor.magnitudes() * column_of(x).magnitudes(), bound,
                   c.seed);
    EXPECT_TRUE(x.keeps_what_is_between(before)) << c.seed;
  });
}

TYPED_TEST(Level2, UpdatesMatrices) {
  using T = TypeParam;
  const T alpha = element_of<T>(-1.5, 0.5);
  for_cases<T>([&](const Level2Case<T>& c) {
    const bool conjugates = c.diag == Diag::unit, is_turned = is_transposed(c.op);
    const std::int64_t n = c.n / 2 + 1;
    const StoredVector<T> x(c.n, c.x_stride, c.seed + 2), y(n, c.y_stride, c.seed + 3);
    const StoredMatrix<T> before(c.layout, is_turned ? n : c.n, is_turned ? c.n : n, c.seed + 1);
    StoredMatrix<T> a = before;
    const MatrixView<T> view = is_turned ? a.view.turned(Op::transpose) : a.view;
    const Wide old(is_turned ? before.read().turned(Op::transpose) : before.read());
    if (conjugates) {
      ger(alpha, x.read(), y.read(), view, c.options);
    } else {
      geru(alpha, x.read(), y.read(), view, c.options);
    }
    const Wide product = column_of(x) * column_of(y).turned(conjugates ? Op::conjugate_transpose : Op::transpose);
    const Wide terms = column_of(x).magnitudes() * column_of(y).magnitudes().turned(Op::transpose);
    expect_near<T>(Wide(view), combined(wide(alpha), product, dd_complex(1), old),
                   combined_magnitudes(wide(alpha), terms, dd_complex(1), old), 8.0, c.seed);
    EXPECT_EQ(a.first_changed(before, [](auto, auto) { return false; }), -1) << c.seed;
  });
}

TYPED_TEST(Level2, UpdatesTriangles) {
  using T = TypeParam;
  for_cases<T>([&](const Level2Case<T>& c) {
    const bool is_hermitian = c.diag == Diag::unit, is_turned = is_transposed(c.op), has_y = is_conjugated(c.op);
    const T alpha = is_hermitian && !has_y ? T(-1.5) : element_of<T>(-1.5, 0.5);
    const StoredVector<T> x(c.n, c.x_stride, c.seed + 2), y(c.n, c.y_stride, c.seed + 3);
    const Uplo stored = is_turned ? flipped(c.uplo, Op::transpose) : c.uplo;
    StoredMatrix<T> before(c.layout, c.n, c.n, c.seed + 1);
    const auto is_other = [&](std::int64_t i, std::int64_t j) { return i != j && (i > j) != (stored == Uplo::lower); };
    before.fill([&](std::int64_t i, std::int64_t j) { return is_other(i, j) ? not_a_number<T>() : before(i, j); });
    StoredMatrix<T> a = before;
    const MatrixView<T> view = is_turned ? a.view.turned(Op::transpose) : a.view;
    const Wide old(is_turned ? before.read().turned(Op::transpose) : before.read());
    const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;
    const Wide left = column_of(x), right = has_y ? column_of(y) : left;
    Wide sum = combined(wide(alpha), left * right.turned(op), dd_complex(1), old);
    Wide terms = left.magnitudes() * right.magnitudes().turned(op);
    if (has_y) {
      sum = combined(is_hermitian ? conj(wide(alpha)) : wide(alpha), right * left.turned(op), dd_complex(1), sum);
      terms = combined(dd_complex(1), terms, dd_complex(1), right.magnitudes() * left.magnitudes().turned(op));
      if (is_hermitian) {
        her2(c.uplo, alpha, x.read(), y.read(), view, c.options);
      } else {
        syr2(c.uplo, alpha, x.read(), y.read(), view, c.options);
      }
    } else if (is_hermitian) {
      her<T>(c.uplo, real_type<T>(-1.5), x.read(), view, c.options);
    } else {
      syr<T>(c.uplo, alpha, x.read(), view, c.options);
    }
    terms = combined_magnitudes(dd_complex(2), terms, dd_complex(1), old);
    Wide result(view);
    for (std::int64_t j = 0; j < c.n; ++j) {
      for (std::int64_t i = 0; i < c.n; ++i) {
        if (i != j && (i > j) != (c.uplo == Uplo::lower)) result(i, j) = sum(i, j) = terms(i, j) = dd_complex(0);
        if (i != j || !is_hermitian) continue;
        EXPECT_EQ(result(i, j).im.hi, 0.0) << c.seed;
        sum(i, j) = dd_complex(sum(i, j).re);
      }
    }
    expect_near<T>(result, sum, terms, 8.0, c.seed);
    EXPECT_EQ(a.first_changed(before, is_other), -1) << c.seed;
  });
}

// Of no rows or no columns, on several threads too.
TYPED_TEST(Level2, TakesEmptyMatrices) {
  using T = TypeParam;
  const BlockedOptions options{.threads = 4};
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 70}, {70, 0}, {0, 5000}, {5000, 0}}) {
    std::vector<T> x(5000, T(2)), y(5000, T(3));
    const MatrixView<const T> a{x.data(), m, n, 1, std::max<std::int64_t>(m, 1), false};
    gemv(T(2), a, VectorView<const T>{x.data(), n}, T(0.5), VectorView<T>{y.data(), m}, options);
    for (std::int64_t i = 0; i < std::ssize(y); ++i) {
      EXPECT_EQ(y[static_cast<std::size_t>(i)], i < m ? T(1.5) : T(3)) << m << ' ' << n;
    }
    const MatrixView<T> b{y.data(), m, n, 1, std::max<std::int64_t>(m, 1), false};
    ger(T(2), VectorView<const T>{x.data(), m}, VectorView<const T>{x.data(), n}, b, options);
  }
  // y = beta · y, whatever alpha.
  T y = element_of<T>(-0.0, 0.0);
  const MatrixView<const T> none{nullptr, 1, 0, 1, 1};
  const auto multiply = [&](T alpha, T beta) {
    gemv(alpha, none, VectorView<const T>{nullptr, 0}, beta, VectorView<T>{&y, 1}, options);
  };
  multiply(T(2), T(1));
  EXPECT_TRUE(same_bits(y, element_of<T>(-0.0, 0.0)));
  multiply(T(-1), T(0));
  EXPECT_TRUE(same_bits(y, T(0)));
  y = T(3);
  multiply(element_of<T>(std::numeric_limits<double>::infinity(), 0.0), T(1));
  EXPECT_EQ(y, T(3));
  symv(Uplo::lower, T(2), MatrixView<const T>{}, VectorView<const T>{}, T(0), VectorView<T>{}, options);
  trsv(Uplo::lower, Diag::unit, MatrixView<const T>{}, VectorView<T>{}, options);
}

TYPED_TEST(Level2, ZeroFactorsReadNothing) {
  using T = TypeParam;
  StoredMatrix<T> a(Layout::column, 9, 9);
  a.fill([](auto, auto) { return not_a_number<T>(); });
  const StoredMatrix<T> before = a;
  StoredVector<T> x(9, 2), y(9, 1, 4);
  x.fill([](std::int64_t) { return not_a_number<T>(); });
  const StoredVector<T> old = y;
  gemv(T(0), a.read(), x.read(), T(1), y.view);
  symv(Uplo::lower, T(0), a.read(), x.read(), T(1), y.view);
  EXPECT_EQ(first_difference(y.elements, old.elements), -1);
  gemv(T(0), a.read(), x.read(), T(2), y.view);
  for (std::int64_t i = 0; i < 9; ++i) EXPECT_TRUE(same_bits(y(i), old(i) + old(i)));
  hemv(Uplo::upper, T(0), a.read(), x.read(), T(0), y.view);
  for (std::int64_t i = 0; i < 9; ++i) EXPECT_TRUE(same_bits(y(i), T(0)));
  ger(T(0), x.read(), x.read(), a.view);
  her(Uplo::lower, real_type<T>(0), x.read(), a.view);
  syr2(Uplo::lower, T(0), x.read(), x.read(), a.view);
  EXPECT_EQ(first_difference(a.elements, before.elements), -1);
}

TYPED_TEST(Level2, InfinitiesAndNaNStayInTheirRows) {
  using T = TypeParam;
  // Complex numbers of a CBLAS with an infinite part may be NaN in both.
  const auto expect_infinite = [](const T& x) {
    if constexpr (double_double<T> || !is_complex(precision_of<T>)) {
      EXPECT_EQ(wide(x).re.hi, infinity);
    }
  };
  const std::int64_t n = 150;
  StoredMatrix<T> a(Layout::column, n, n);
  StoredVector<T> x(n, 1), y(n, 1);
  a.fill([](std::int64_t i, std::int64_t j) { return T(i == j ? 3 : 1); });
  x.fill([](std::int64_t) { return T(2); });
  a.view(70, 5) = element_of<T>(infinity, 0);
  a.view(100, 8) = not_a_number<T>();
  for (const Layout layout : both_layouts) {
    StoredMatrix<T> b(layout, n, n);
    b.fill([&](std::int64_t i, std::int64_t j) { return a(i, j); });
    StoredVector<T> z = x, w = x;
    gemv(T(1), b.read(), x.read(), T(0), y.view);
    trmv(Uplo::lower, Diag::non_unit, b.read(), z.view);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(std::isfinite(magnitude(y(i))), i != 70 && i != 100) << i;
      EXPECT_EQ(std::isfinite(magnitude(z(i))), i != 70 && i != 100) << i;
    }
    expect_infinite(y(70));
    expect_infinite(z(70));
    EXPECT_TRUE(std::isnan(wide(z(100)).re.hi));
    symv(Uplo::lower, T(1), b.read(), x.read(), T(0), y.view);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(std::isfinite(magnitude(y(i))), i != 70 && i != 100 && i != 5 && i != 8) << i;
    }
    expect_infinite(y(5));
    w.view(60) = element_of<T>(infinity, 0);
    b.view(70, 5) = b.view(100, 8) = T(1);
    trsv(Uplo::lower, Diag::unit, b.read(), w.view);
    for (std::int64_t i = 0; i < 60; ++i) EXPECT_TRUE(std::isfinite(magnitude(w(i)))) << i;
    expect_infinite(w(60));
    EXPECT_FALSE(std::isfinite(magnitude(w(140))));
  }
}

}  // namespace
}  // namespace hilo::test
