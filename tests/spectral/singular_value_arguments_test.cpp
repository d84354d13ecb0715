// Singular value decompositions of every precision, layout and shape, and what is refused.
#include <hilo/math.hpp>
#include <hilo/numbers.hpp>
#include <hilo/singular_values.hpp>
#include <sstream>

#include "error_message.hpp"
#include "singular_matrices.hpp"
#include "solve/scaling.hpp"
#include "spectral/native.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class SingularValueArguments : public testing::Test {};
TYPED_TEST_SUITE(SingularValueArguments, AllPrecisions, NameOfPrecision);

// Rows of differences x_i − x_{i−1}, m − 1 or m + 1 of m unknowns: values 2 sin(kπ / 2n), n the larger of both; of
// complex numbers rows and columns are multiplied by powers of i.
template <class T>
void fill_difference(const MatrixView<T>& a, double size) {
  const bool is_wide = a.rows < a.columns;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const std::int64_t k = is_wide ? j - i : i - j;
      const double x = k == 0 ? size : k == 1 ? -size : 0.0;
      const bool is_turned = is_complex(precision_of<T>) && (i + j) % 2 == 1;
      a(i, j) = is_turned ? element_of<T>(0.0, (i + 2 * j) % 4 == 1 ? x : -x) : element_of<T>(x, 0.0);
    }
  }
}
dd_real exact_difference(std::int64_t k, std::int64_t count) {
  return sin(numbers::pi * dd_real(double(count - k)) / double(2 * (count + 1))) * 2.0;
}

// ‖A − U Σ Vᴴ‖ and ‖I − XᴴX‖, largest entries, by plain loops in double-double.
template <class T>
dd_complex number_of(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return dd_complex(dd_real(x.real()), dd_real(x.imag()));
  } else {
    return dd_complex(dd_real(x));
  }
}
double size_of(const dd_complex& x) { return std::hypot(x.re.hi, x.im.hi); }
template <class T, class Value>
double largest_rest(const MatrixView<T>& a, const MatrixView<T>& u, const MatrixView<T>& v, Value value) {
  double most = 0.0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      dd_complex sum = number_of<T>(a(i, j));
      for (std::int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
        sum = sum - number_of<T>(u(i, k)) * conj(number_of<T>(v(j, k))) * dd_complex(dd_real(value(k)));
      }
      most = std::max(most, size_of(sum));
    }
  }
  return most;
}
template <class T>
double largest_defect(const MatrixView<T>& x) {
  double most = 0.0;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.columns; ++i) {
      dd_complex sum(dd_real(i == j ? -1.0 : 0.0));
      for (std::int64_t k = 0; k < x.rows; ++k) sum = sum + conj(number_of<T>(x(k, i))) * number_of<T>(x(k, j));
      most = std::max(most, size_of(sum));
    }
  }
  return most;
}

TYPED_TEST(SingularValueArguments, ValuesAndVectorsOfEveryLayoutAndShape) {
  using T = TypeParam;
  using Real = real_type<T>;
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{2, 1}, {1, 2}, {13, 12}, {12, 13}}) {
    const std::int64_t count = std::min(m, n);
    for (const Layout layout : both_layouts) {
      for (const bool is_whole : {false, true}) {
        for (const bool relative : {false, true}) {
          StoredMatrix<T> a(layout, m, n), u(layout, m, is_whole ? m : count), v(layout, n, is_whole ? n : count);
          fill_difference(a.view, 1.0);
          const StoredMatrix<T> before = a, u_before = u, v_before = v;
          std::vector<Real> values(static_cast<std::size_t>(2 * count), Real(7)), alone(values.size());
          const SingularValueOptions options{.certify = true, .relative = relative};
          const auto report =
              singular_value_decomposition<T>(a.view, {values.data(), count, 2}, u.view, v.view, options);
          ASSERT_TRUE(report) << report.reason;
          EXPECT_EQ(report.path, double_double<T> ? relative ? SingularValuePath::jacobi_in_double_double
                                                             : SingularValuePath::refinement
                                 : spectral::has_lapack() && !relative ? SingularValuePath::lapack
                                                                       : SingularValuePath::jacobi);
          EXPECT_EQ(a.first_changed(before, [](auto, auto) { return true; }), -1);
          EXPECT_EQ(u.first_changed(u_before, [](auto, auto) { return false; }), -1);
          EXPECT_EQ(v.first_changed(v_before, [](auto, auto) { return false; }), -1);
          ASSERT_TRUE(singular_values(a.read(), {alone.data(), count}, {.relative = relative}));
          EXPECT_TRUE(report.is_certified);
          EXPECT_EQ(std::int64_t(report.bounds.size()), count);
          for (std::int64_t k = 0; k < count; ++k) {
            const Real value = values[static_cast<std::size_t>(2 * k)];
            const auto away = [&, c = count](const Real& y) {
              return std::fabs((dd_real(y) - exact_difference(k, c)).hi);
            };
            EXPECT_LE(away(value), 20.0 * unit * 2.0) << m << ' ' << n << ' ' << k;
            EXPECT_LE(away(alone[static_cast<std::size_t>(k)]), 20.0 * unit * 2.0) << m << ' ' << n << ' ' << k;
            // The reference's own error.
            EXPECT_LE(away(value), report.bound + 0x1p-102) << m << ' ' << n << ' ' << k;
            EXPECT_EQ(values[static_cast<std::size_t>(2 * k + 1)], Real(7));
          }
          const auto value = [&](std::int64_t k) { return values[static_cast<std::size_t>(2 * k)]; };
          EXPECT_LE(largest_rest(a.view, u.view, v.view, value), 40.0 * unit) << m << ' ' << n;
          EXPECT_LE(largest_defect(u.view), 40.0 * unit) << m << ' ' << n;
          EXPECT_LE(largest_defect(v.view), 40.0 * unit) << m << ' ' << n;
          EXPECT_LE(report.residual_u2 * 0x1p-106, 20.0 * double(m) * unit);
          EXPECT_LE(report.left_orthogonality_u2 * 0x1p-106, 20.0 * double(m) * unit);
          EXPECT_LE(report.right_orthogonality_u2 * 0x1p-106, 20.0 * double(n) * unit);
        }
      }
    }
  }
}

// Random matrices of every small shape, and tall and wide ones.
TYPED_TEST(SingularValueArguments, OfEveryShape) {
  using T = TypeParam;
  using Real = real_type<T>;
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  for (std::int64_t m = 1; m <= 7; ++m) {
    for (std::int64_t n = 1; n <= 7; ++n) {
      for (const bool is_whole : {false, true}) {
        const std::int64_t count = std::min(m, n);
        StoredMatrix<T> a(Layout::row, m, n, static_cast<std::uint64_t>(m + 10 * n)),
            u(Layout::row, m, is_whole ? m : count), v(Layout::column, n, is_whole ? n : count);
        // As it is seen transposed and conjugated, too.
        for (const Op op : {Op::none, Op::conjugate_transpose}) {
          std::vector<Real> values(static_cast<std::size_t>(count));
          const MatrixView<T>& left = op == Op::none ? u.view : v.view;
          const MatrixView<T>& right = op == Op::none ? v.view : u.view;
          const auto report = singular_value_decomposition<T>(a.read().turned(op), {values.data(), count}, left, right);
          ASSERT_TRUE(report) << report.reason;
          const auto value = [&](std::int64_t k) { return values[static_cast<std::size_t>(k)]; };
          // LAPACK leaves 80 units of one.
          EXPECT_LE(largest_rest(a.view, u.view, v.view, value), (double_double<T> ? 30.0 : 200.0) * unit)
              << m << " " << n;
          EXPECT_LE(largest_defect(u.view), 40.0 * unit) << m << ' ' << n;
          EXPECT_LE(largest_defect(v.view), 40.0 * unit) << m << ' ' << n;
        }
      }
    }
  }
}

TYPED_TEST(SingularValueArguments, SizesOf2To400AndBeyond) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t m = 13, n = 12;
  const bool is_small_range = is_single(precision_of<T>);
  for (const int exponent : {is_small_range ? -120 : -900, is_small_range ? -40 : -400, is_small_range ? 40 : 400,
                             is_small_range ? 122 : 1018}) {
    for (const bool relative : {false, true}) {
      StoredMatrix<T> a(Layout::column, m, n), u(Layout::column, m, n), v(Layout::column, n, n);
      fill_difference(a.view, std::ldexp(1.0, exponent));
      std::vector<Real> values(static_cast<std::size_t>(n));
      const auto report = singular_value_decomposition<T>(a.view, {values.data(), n}, u.view, v.view,
                                                          {.certify = true, .relative = relative});
      ASSERT_TRUE(report) << exponent << report.reason;
      EXPECT_TRUE(report.is_certified);
      EXPECT_LE(report.bound, std::ldexp(40.0 * double(n), exponent + error_unit(precision_of<T>)));
      for (std::size_t k = 0; k < values.size(); ++k) {
        const dd_real value = solver::scaled(dd_real(values[k]), -exponent);
        EXPECT_NEAR(value.hi, exact_difference(std::int64_t(k), n).hi, is_small_range ? 1e-5 : 1e-14) << exponent;
        EXPECT_LE(values[k], values[k > 0 ? k - 1 : 0]);
      }
    }
  }
}

TYPED_TEST(SingularValueArguments, ZeroDiagonalAndPermutedMatrices) {
  using T = TypeParam;
  using Real = real_type<T>;
  for (const int kind : {0, 1, 2, 3}) {
    const bool relative = kind % 2 == 1;
    const std::int64_t n = kind < 2 ? 30 : 3, m = n + n / 10;
    StoredMatrix<T> a(Layout::row, m, n), u(Layout::row, m, m), v(Layout::column, n, n);
    a.fill([](auto, auto) { return -T(0); });
    std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
    const SingularValueOptions options{.certify = true, .relative = relative};
    auto report = singular_value_decomposition<T>(a.view, {values.data(), n}, u.view, v.view, options);
    ASSERT_TRUE(report);
    for (const Real& value : values) EXPECT_TRUE(value == Real(0) && !std::signbit(dd_real(value).hi));
    EXPECT_LE(report.bound, 1e-100);
    EXPECT_EQ(report.residual_u2, 0.0);
    EXPECT_LE(largest_defect(u.view), 1e-30);
    EXPECT_LE(largest_defect(v.view), 1e-30);
    // Row (7 i + 3) mod m has ±i, of complex ones times i.
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = i % 2 == 0 ? double(i) : -double(i);
      a.view((7 * i + 3) % m, i) = is_complex(precision_of<T>) ? element_of<T>(0.0, x) : element_of<T>(x, 0.0);
    }
    report = singular_value_decomposition<T>(a.view, {values.data(), n}, u.view, v.view, options);
    ASSERT_TRUE(report);
    const double unit = std::ldexp(double(n), error_unit(precision_of<T>));
    const auto value = [&](std::int64_t k) { return values[static_cast<std::size_t>(k)]; };
    for (std::int64_t k = 0; k < n; ++k) {
      EXPECT_LE(std::fabs((dd_real(value(k)) - double(n - 1 - k)).hi), 8.0 * unit) << k;
    }
    EXPECT_LE(largest_rest(a.view, u.view, v.view, value), 20.0 * unit);
    EXPECT_LE(report.bound, 200.0 * unit);
  }
}

TYPED_TEST(SingularValueArguments, RefusedByNameBeforeAnythingIsWritten) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t m = 5, n = 3;
  StoredMatrix<T> a(Layout::column, m, n, 3), u(Layout::column, m, m), v(Layout::column, n, n);
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const VectorView<Real> w{values.data(), n};
  const auto refused = [&](const MatrixView<T>& matrix, const VectorView<Real>& to, const MatrixView<T>& left,
                           const MatrixView<T>& right, std::initializer_list<std::string> words,
                           errc code = errc::invalid_argument, SingularValueOptions options = {}) {
    expect_contains(message_of(code, [&] { singular_value_decomposition<T>(matrix, to, left, right, options); }),
                    words);
    EXPECT_EQ(u.first_changed(StoredMatrix<T>(Layout::column, m, m), [](auto, auto) { return true; }), -1);
    EXPECT_EQ(v.first_changed(StoredMatrix<T>(Layout::column, n, n), [](auto, auto) { return true; }), -1);
    for (const Real& value : values) EXPECT_EQ(value, Real(7));
  };
  const MatrixView<T> thin = u.view.sub(0, 0, m, n);
  refused(a.view, VectorView<Real>{values.data(), 2}, thin, v.view,
          {"singular_value_decomposition: ", "elements of values = 2", "min(m, n) = 3"});
  refused(a.view, VectorView<Real>{nullptr, n}, thin, v.view, {"values", "null"});
  refused(a.view, w, u.view.sub(0, 0, m, 4), v.view, {"columns of U = 4", "min(m, n) = 3"});
  refused(a.view, w, u.view.sub(0, 0, 4, n), v.view, {"rows of U = 4", "rows of A = 5"});
  refused(a.view, w, thin, v.view.sub(0, 0, 2, n), {"rows of V = 2", "columns of A = 3"});
  refused(a.view, w, thin, v.view.sub(0, 0, n, 2), {"columns of V = 2"});
  refused(MatrixView<T>{nullptr, m, n, 1, m}, w, thin, v.view, {"A", "null"});
  refused(a.view, w, MatrixView<T>{nullptr, m, n, 1, m}, v.view, {"U", "null"});
  refused(a.view, w, a.view, v.view, {"U overlaps A"});
  refused(a.view, w, thin, a.view.sub(0, 0, n, n), {"V overlaps A"});
  refused(a.view, w, thin, thin.sub(0, 0, n, n), {"V overlaps U"});
  refused(a.view, VectorView<Real>{reinterpret_cast<Real*>(u.view.data), n}, thin, v.view, {"values overlap U"});
  refused(a.view, VectorView<Real>{reinterpret_cast<Real*>(v.view.data), n}, thin, v.view, {"values overlap V"});
  refused(a.view, VectorView<Real>{reinterpret_cast<Real*>(a.view.data), n}, thin, v.view, {"values overlap A"});
  refused(a.view, w, thin, v.view, {"accuracy", "exact"}, errc::unsupported,
          {.products = {.accuracy = Accuracy::exact}});
  refused(a.view, w, thin, v.view, {"block"}, errc::invalid_argument, {.products = {.block = -1}});
  MatrixView<T> conjugated = v.view;
  conjugated.conjugate = true;
  refused(a.view, w, thin, conjugated, {"V is conjugated"});
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    a.view(3, 1) = element_of<T>(bad, 0.0);
    refused(a.view, w, thin, v.view, {"A(3, 1) is not finite"});
    if (is_complex(precision_of<T>)) {
      a.view(3, 1) = element_of<T>(0.0, bad);
      refused(a.view, w, thin, v.view, {"A(3, 1) is not finite"});
    }
    expect_contains(message_of(errc::invalid_argument, [&] { singular_values(a.read(), w); }),
                    {"singular_values: A(3, 1) is not finite"});
    a.view(3, 1) = T(1);
  }
}

TYPED_TEST(SingularValueArguments, AValueThatOverflowsIsRefused) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t n = 8;
  const double largest = is_single(precision_of<T>) ? double(std::numeric_limits<float>::max()) : 0x1.8p1023;
  const std::vector<T> a(static_cast<std::size_t>(n * n), element_of<T>(largest, 0.0));
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const auto report =
      singular_values(view(Layout::column, Op::none, a.data(), n, n, n), VectorView<Real>{values.data(), n});
  EXPECT_FALSE(report);
  expect_contains(report.reason, {"values(0) overflows"});
  for (const Real& value : values) EXPECT_EQ(value, Real(7));
}

TYPED_TEST(SingularValueArguments, NothingIsSolvedAtOnce) {
  using T = TypeParam;
  using Real = real_type<T>;
  const VectorView<Real> no_values{nullptr, 0};
  const MatrixView<T> none{nullptr, 0, 0, 1, 1};
  EXPECT_TRUE(singular_value_decomposition<T>(none, no_values, none, none));
  // A whole U of a matrix without columns is some unitary one.
  StoredMatrix<T> u(Layout::column, 3, 3);
  const MatrixView<T> no_columns{nullptr, 3, 0, 1, 3};
  for (const bool is_wide : {false, true}) {
    u.fill([](auto, auto) { return T(7); });
    EXPECT_TRUE(is_wide ? singular_value_decomposition<T>(no_columns.turned(Op::transpose), no_values, none, u.view)
                        : singular_value_decomposition<T>(no_columns, no_values, u.view, none));
    EXPECT_EQ(largest_defect(u.view), 0.0);
  }
  EXPECT_TRUE(singular_values(no_columns, no_values, {.certify = true}));
}

TYPED_TEST(SingularValueArguments, CallsWithPointersAreThoseOnViews) {
  using T = TypeParam;
  using Real = real_type<T>;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{7, 5}, {5, 7}}) {
    const std::int64_t count = std::min(m, n);
    for (const Layout layout : both_layouts) {
      StoredMatrix<T> a(layout, m, n, 5), u(layout, m, count), v(layout, n, count), u2(layout, m, count),
          v2(layout, n, count);
      const auto leading = [layout](std::int64_t rows, std::int64_t columns) {
        return layout == Layout::column ? rows + 3 : columns + 2;
      };
      std::vector<Real> values(static_cast<std::size_t>(count)), same(values.size());
      const T* const at = &a.view(0, 0);
      ASSERT_TRUE(singular_value_decomposition<T>(a.view, {values.data(), count}, u.view, v.view));
      ASSERT_TRUE(singular_value_decomposition(layout, m, n, at, leading(m, n), same.data(), &u2.view(0, 0),
                                               leading(m, count), &v2.view(0, 0), leading(n, count)));
      EXPECT_EQ(first_difference(u.elements, u2.elements), -1);
      EXPECT_EQ(first_difference(v.elements, v2.elements), -1);
      EXPECT_EQ(first_difference(values, same), -1);
      ASSERT_TRUE(singular_values(a.view, VectorView<Real>{values.data(), count}));
      ASSERT_TRUE(singular_values(layout, m, n, at, leading(m, n), same.data()));
      EXPECT_EQ(first_difference(values, same), -1);
      expect_contains(message_of(errc::invalid_argument,
                                 [&, m = m, n = n] {
                                   singular_value_decomposition(layout, m, n, at, leading(m, n), same.data(),
                                                                &u2.view(0, 0), 1, &v2.view(0, 0), leading(n, 5));
                                 }),
                      {"singular_value_decomposition: ldu = 1 is less than "});
      expect_contains(message_of(errc::invalid_argument, [&] { singular_values(layout, -1, 3, at, 9, same.data()); }),
                      {"singular_values: m = -1 is negative"});
    }
  }
}

// What LAPACK's values lose where couplings are tiny, and where its own scaling does not converge.
TYPED_TEST(SingularValueArguments, TinyCouplingsAreNoHarm) {
  using T = TypeParam;
  using Real = real_type<T>;
  const bool is_small_range = is_single(precision_of<T>);
  const double tiny = is_small_range ? 0x1p-90 : 0x1p-900, large = is_small_range ? 0x1p100 : 0x1p800;
  for (const double scale : {1.0, large, 1.0 / large}) {
    constexpr std::int64_t n = 10;
    StoredMatrix<T> a(Layout::column, n, n), u(Layout::column, n, n), v(Layout::column, n, n);
    a.fill([&](auto i, auto j) {
      const double x = i == j ? static_cast<double>(i * 7 % 3) : std::abs(i - j) == 1 ? tiny : 0.0;
      return element_of<T>(x * scale, 0.0);
    });
    std::vector<Real> values(n), alone(n);
    ASSERT_TRUE(singular_value_decomposition<T>(a.read(), {values.data(), n}, u.view, v.view)) << scale;
    ASSERT_TRUE(singular_values(a.read(), VectorView<Real>{alone.data(), n})) << scale;
    for (std::int64_t k = 0; k < n; ++k) {
      const double expected = k < 3 ? 2.0 : k < 6 ? 1.0 : 0.0;
      EXPECT_NEAR(dd_real(values[static_cast<std::size_t>(k)]).hi / scale, expected, 1e-6) << k;
      EXPECT_NEAR(dd_real(alone[static_cast<std::size_t>(k)]).hi / scale, expected, 1e-6) << k;
    }
  }
}

TEST(SingularValueArgumentsOfDD, RefusedWhereALowWordIsNotFinite) {
  std::vector<dd_real> a(4, dd_real(1.0)), values(2, dd_real(7.0));
  a[1].lo = std::numeric_limits<double>::quiet_NaN();
  const auto call = [&] {
    singular_values(MatrixView<const dd_real>{a.data(), 2, 2, 1, 2}, VectorView<dd_real>{values.data(), 2});
  };
  expect_contains(message_of(errc::invalid_argument, call), {"A(1, 0) is not finite"});
}

TEST(SingularValueArgumentsOfDD, BitsDoNotDependOnThreads) {
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{90, 90}, {95, 90}, {130, 80}, {280, 270}}) {
    for (const bool relative : {false, true}) {
      if (relative && m != 95) continue;
      StoredMatrix<dd_real> a(Layout::column, m, n, 11);
      std::vector<std::vector<dd_real>> every;
      for (const int threads : {1, 2}) {
        StoredMatrix<dd_real> u(Layout::column, m, n), v(Layout::column, n, n);
        std::vector<dd_real> all(static_cast<std::size_t>(n));
        ASSERT_TRUE(singular_value_decomposition<dd_real>(a.view, {all.data(), n}, u.view, v.view,
                                                          {.relative = relative, .products = {.threads = threads}}));
        all.insert(all.end(), u.elements.begin(), u.elements.end());
        all.insert(all.end(), v.elements.begin(), v.elements.end());
        every.push_back(all);
      }
      EXPECT_EQ(first_difference(every[0], every[1]), -1) << m << ' ' << n << ' ' << relative;
    }
  }
}

TEST(SingularValueArgumentsOfDD, TheReportIsALine) {
  StoredMatrix<dd_real> a(Layout::column, 6, 5, 11);
  std::vector<dd_real> values(5);
  StoredMatrix<dd_real> u(Layout::column, 6, 5), v(Layout::column, 5, 5);
  const auto report =
      singular_value_decomposition<dd_real>(a.view, {values.data(), 5}, u.view, v.view, {.certify = true});
  std::ostringstream text;
  text << report;
  expect_contains(text.str(),
                  {"solved, refinement, updates ", ", residual ", " u^2, orthogonality ", " and ", "error at most "});
}

}  // namespace
}  // namespace hilo::test
