// Eigenproblems of every precision, layout and size, and what is refused.
#include <hilo/eigenvalues.hpp>
#include <hilo/math.hpp>
#include <hilo/numbers.hpp>
#include <sstream>

#include "error_message.hpp"
#include "spectra.hpp"
#include "spectral/native.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class EigenvalueArguments : public testing::Test {};
TYPED_TEST_SUITE(EigenvalueArguments, AllPrecisions, NameOfPrecision);

// The second difference, whose eigenvalues are 2 − 2 cos (kπ / (n + 1)); of complex numbers D A Dᴴ, D = diag(iʲ).
template <class T>
void fill_difference(const MatrixView<T>& a, Uplo uplo, double size) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const bool is_read = i == j || (i > j) == (uplo == Uplo::lower);
      if (!is_read) continue;  // as it was
      a(i, j) = element_of<T>(0.0, 0.0);
      if (i == j) a(i, j) = element_of<T>(2.0 * size, 0.0);
      if (std::abs(i - j) == 1) {
        a(i, j) = is_complex(precision_of<T>) ? element_of<T>(0.0, i > j ? -size : size) : element_of<T>(-size, 0.0);
      }
    }
  }
}

template <class T>
dd_real exact_difference(std::int64_t k, std::int64_t n) {
  const dd_real half = sin(numbers::pi * dd_real(double(k + 1)) / double(2 * (n + 1)));
  return half * half * 4.0;
}

TYPED_TEST(EigenvalueArguments, ValuesAndVectorsOfEveryLayout) {
  using T = TypeParam;
  using Real = real_type<T>;
  const double unit = std::ldexp(1.0, error_unit(precision_of<T>));
  for (const std::int64_t n : {1, 2, 19}) {
    for (const Layout layout : both_layouts) {
      for (const Uplo uplo : both_triangles) {
        StoredMatrix<T> a(layout, n, n), x(layout, n, n);
        a.fill([](std::int64_t, std::int64_t) { return not_a_number<T>(); });
        fill_difference(a.view, uplo, 1.0);
        const StoredMatrix<T> before = a;
        std::vector<Real> values(static_cast<std::size_t>(2 * n), Real(7)), alone(static_cast<std::size_t>(n));
        const auto report = hermitian_eigensystem(uplo, a.view, {values.data(), n, 2}, x.view, {.certify = true});
        ASSERT_TRUE(report) << report.reason;
        EXPECT_EQ(report.path, double_double<T>         ? EigenvaluePath::refinement
                               : spectral::has_lapack() ? EigenvaluePath::lapack
                                                        : EigenvaluePath::jacobi);
        EXPECT_EQ(a.first_changed(before, [](auto, auto) { return true; }), -1);
        EXPECT_EQ(x.first_changed(StoredMatrix<T>(layout, n, n), [](auto, auto) { return false; }), -1);
        ASSERT_TRUE(hermitian_eigenvalues(uplo, a.read(), {alone.data(), n}));
        EXPECT_TRUE(report.is_certified);
        for (std::int64_t k = 0; k < n; ++k) {
          const Real value = values[static_cast<std::size_t>(2 * k)];
          const auto away = [&](const Real& y) { return std::fabs((dd_real(y) - exact_difference<T>(k, n)).hi); };
          EXPECT_LE(away(value), 40.0 * unit * 4.0) << n << ' ' << k;
          EXPECT_LE(away(alone[static_cast<std::size_t>(k)]), 40.0 * unit * 4.0) << n << ' ' << k;
          // The reference's own error.
          EXPECT_LE(away(value), report.bound + 0x1p-102) << n << ' ' << k;
          EXPECT_EQ(values[static_cast<std::size_t>(2 * k + 1)], Real(7));
        }
        EXPECT_LE(report.residual_u2 * 0x1p-106, 20.0 * double(n) * unit);
        EXPECT_LE(report.orthogonality_u2 * 0x1p-106, 20.0 * double(n) * unit);
      }
    }
  }
}

TYPED_TEST(EigenvalueArguments, SizesOf2To400AndBeyond) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t n = 12;
  const bool is_small_range = is_single(precision_of<T>);
  for (const int exponent : {is_small_range ? -120 : -900, is_small_range ? -40 : -400, is_small_range ? 40 : 400,
                             is_small_range ? 122 : 1018}) {
    StoredMatrix<T> a(Layout::column, n, n), x(Layout::column, n, n);
    fill_difference(a.view, Uplo::lower, std::ldexp(1.0, exponent));
    std::vector<Real> values(static_cast<std::size_t>(n));
    const auto report = hermitian_eigensystem(Uplo::lower, a.view, {values.data(), n}, x.view, {.certify = true});
    ASSERT_TRUE(report) << exponent << report.reason;
    EXPECT_TRUE(report.is_certified);
    EXPECT_LE(report.bound, std::ldexp(40.0 * double(n), exponent + error_unit(precision_of<T>)));
    // In ascending order.
    for (std::size_t k = 1; k < values.size(); ++k) EXPECT_LE(values[k - 1], values[k]);
  }
}

TYPED_TEST(EigenvalueArguments, ZeroAndDiagonalMatrices) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t n = 30;
  std::vector<T> a(static_cast<std::size_t>(n * n), T(0)), x(a.size());
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const auto of = [n](std::vector<T>& y) { return view(Layout::column, Op::none, y.data(), n, n, n); };
  auto report = hermitian_eigensystem(Uplo::upper, of(a), {values.data(), n}, of(x), {.certify = true});
  ASSERT_TRUE(report);
  for (const Real& value : values) EXPECT_EQ(value, Real(0));
  EXPECT_LE(report.bound, 1e-100);
  EXPECT_EQ(report.residual_u2, 0.0);
  for (std::int64_t i = 0; i < n; ++i) of(a)(i, i) = element_of<T>(double((i * 7) % n) - 11.0, 0.0);
  report = hermitian_eigensystem(Uplo::upper, of(a), {values.data(), n}, of(x), {.certify = true});
  ASSERT_TRUE(report);
  for (std::int64_t k = 0; k < n; ++k) {
    EXPECT_EQ(values[static_cast<std::size_t>(k)], Real(double(k) - 11.0));
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(magnitude(of(x)(i, k)), (i * 7) % n == k ? 1.0 : 0.0) << i << ' ' << k;
    }
  }
  EXPECT_LE(report.bound, 1e-30);
}

TYPED_TEST(EigenvalueArguments, RefusedByNameBeforeAnythingIsWritten) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t n = 4;
  StoredMatrix<T> a(Layout::column, n, n, 3), x(Layout::column, n, n);
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const VectorView<Real> w{values.data(), n};
  const auto refused = [&](const auto& matrix, const auto& to, const auto& vectors,
                           std::initializer_list<std::string> words, Uplo uplo = Uplo::lower,
                           errc code = errc::invalid_argument, EigenvalueOptions options = {}) {
    const StoredMatrix<T> before(Layout::column, n, n);
    expect_contains(message_of(code, [&] { hermitian_eigensystem<T>(uplo, matrix, to, vectors, options); }), words);
    EXPECT_EQ(x.first_changed(before, [](auto, auto) { return true; }), -1);
    for (const Real& value : values) EXPECT_EQ(value, Real(7));
  };
  const MatrixView<T> wide = a.view.sub(0, 0, 3, 4);
  refused(wide, w, x.view, {"hermitian_eigensystem: ", "A, 3 x 4", "not square"});
  refused(a.view, VectorView<Real>{values.data(), 3}, x.view, {"elements of values = 3", "rows of A = 4"});
  refused(a.view, VectorView<Real>{nullptr, 4}, x.view, {"values", "null"});
  refused(a.view, w, x.view.sub(0, 0, 4, 3), {"columns of vectors = 3"});
  refused(a.view, w, x.view.sub(0, 0, 3, 4), {"rows of vectors = 3"});
  refused(MatrixView<T>{nullptr, n, n, 1, n}, w, x.view, {"A", "null"});
  refused(a.view, w, a.view, {"vectors overlaps A"});
  refused(a.view, VectorView<Real>{reinterpret_cast<Real*>(x.view.data), n}, x.view, {"values overlap"});
  refused(a.view, VectorView<Real>{reinterpret_cast<Real*>(a.view.data), n}, x.view, {"values overlap A"});
  refused(a.view, w, x.view, {"uplo = 2"}, static_cast<Uplo>(2));
  refused(a.view, w, x.view, {"accuracy", "exact"}, Uplo::lower, errc::unsupported,
          {.products = {.accuracy = Accuracy::exact}});
  refused(a.view, w, x.view, {"block"}, Uplo::lower, errc::invalid_argument, {.products = {.block = -1}});
  MatrixView<T> conjugated = x.view;
  conjugated.conjugate = true;
  refused(a.view, w, conjugated, {"vectors is conjugated"});
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    a.view(3, 1) = element_of<T>(bad, 0.0);
    refused(a.view, w, x.view, {"A(3, 1) is not finite"});
    if (is_complex(precision_of<T>)) {
      a.view(3, 1) = element_of<T>(0.0, bad);
      refused(a.view, w, x.view, {"A(3, 1) is not finite"});
    }
    // It is not read.
    EXPECT_TRUE(hermitian_eigenvalues(Uplo::upper, a.view, w));
    std::fill(values.begin(), values.end(), Real(7));
    a.view(3, 1) = T(1);
  }
}

TYPED_TEST(EigenvalueArguments, AValueThatOverflowsIsRefused) {
  using T = TypeParam;
  using Real = real_type<T>;
  const std::int64_t n = 8;
  const double largest = is_single(precision_of<T>) ? double(std::numeric_limits<float>::max()) : 0x1.8p1023;
  std::vector<T> a(static_cast<std::size_t>(n * n), element_of<T>(largest, 0.0));
  std::vector<Real> values(static_cast<std::size_t>(n), Real(7));
  const auto report =
      hermitian_eigenvalues(Uplo::lower, view(Layout::column, Op::none, a.data(), n, n, n), {values.data(), n});
  EXPECT_FALSE(report);
  expect_contains(report.reason, {"values(7) overflows"});
  for (const Real& value : values) EXPECT_EQ(value, Real(7));
}

TYPED_TEST(EigenvalueArguments, NothingIsSolvedAtOnce) {
  using T = TypeParam;
  using Real = real_type<T>;
  const MatrixView<T> none{nullptr, 0, 0, 1, 1};
  EXPECT_TRUE(hermitian_eigensystem(Uplo::lower, none, VectorView<Real>{nullptr, 0}, none));
  const EigenvalueReport proved =
      hermitian_eigenvalues(Uplo::lower, none, VectorView<Real>{nullptr, 0}, {.certify = true});
  EXPECT_TRUE(proved.is_certified);
  EXPECT_EQ(proved.bound, 0.0);
}

// Neither order of rows nor the triangle nor threads change more than roundings; threads and where it lies nothing.
// What LAPACK's values alone lose (xSTERF), and where its own scaling does not converge.
template <class T>
void expect_tiny_couplings() {
  const double tiny = sizeof(T) == 4 ? 0x1p-90 : 0x1p-900, large = sizeof(T) == 4 ? 0x1p100 : 0x1p800;
  for (const double scale : {1.0, large, 1.0 / large}) {
    constexpr std::int64_t n = 10;
    StoredMatrix<T> a(Layout::column, n, n), vectors(Layout::column, n, n);
    a.fill([&](auto i, auto j) {
      const double x = i == j ? static_cast<double>(i * 7 % 3) : std::abs(i - j) == 1 ? tiny : 0.0;
      return static_cast<T>(x * scale);
    });
    std::vector<T> values(n), alone(n);
    const VectorView<T> of_system{values.data(), n}, of_values{alone.data(), n};
    ASSERT_TRUE(symmetric_eigensystem(Uplo::lower, a.read(), of_system, vectors.view)) << scale;
    ASSERT_TRUE(symmetric_eigenvalues(Uplo::lower, a.read(), of_values)) << scale;
    for (std::int64_t k = 0; k < n; ++k) {
      const double expected = k < 4 ? 0.0 : k < 7 ? 1.0 : 2.0;
      EXPECT_NEAR(values[static_cast<std::size_t>(k)] / scale, expected, 1e-6) << k;
      EXPECT_EQ(alone[static_cast<std::size_t>(k)], values[static_cast<std::size_t>(k)]) << k;
    }
  }
}
TEST(EigenvalueArgumentsOfNative, TinyCouplingsAreNoHarm) {
  expect_tiny_couplings<float>();
  expect_tiny_couplings<double>();
  const float lower[4][4] = {{-0x1.0d2b8ep-94f},
                             {-0x1.a17ed2p-1f, -0x1.16cceep-82f},
                             {0x1.4d20d6p-108f, -0x1.fa88d4p-87f, -0x1.769734p-93f},
                             {0x1.f30fdep-34f, -0x1.24238ap-23f, 0x1.6c0f5p-74f, 0x1.3e3f8ap-30f}};
  std::vector<float> values(4);
  const MatrixView<const float> a{&lower[0][0], 4, 4, 4, 1};
  ASSERT_TRUE(symmetric_eigenvalues(Uplo::lower, a, VectorView<float>{values.data(), 4}));
  EXPECT_NEAR(values[3], 0x1.a17ed2p-1, 1e-6);  // all but a block of two rows is tiny
}

TEST(EigenvalueArgumentsOfDD, RefusedWhereALowWordIsNotFinite) {
  std::vector<dd_real> a(4, dd_real(1.0)), values(2, dd_real(7.0));
  a[1].lo = std::numeric_limits<double>::quiet_NaN();
  const auto call = [&] {
    symmetric_eigenvalues(Uplo::lower, MatrixView<const dd_real>{a.data(), 2, 2, 1, 2},
                          VectorView<dd_real>{values.data(), 2});
  };
  expect_contains(message_of(errc::invalid_argument, call), {"A(1, 0) is not finite"});
}

// Of words that underflow one by one some would not be those of a dd number.
TEST(EigenvalueArgumentsOfDD, ValuesThatUnderflowAreCanonical) {
  constexpr std::int64_t n = 5;
  std::vector<dd_real> values(n);
  for (int seed = 1; seed <= 10; ++seed) {
    StoredMatrix<dd_real> a(Layout::column, n, n, seed);
    for (dd_real& e : a.elements) e = ldexp(e, -1020);
    ASSERT_TRUE(symmetric_eigenvalues(Uplo::lower, a.read(), VectorView<dd_real>{values.data(), n}));
    for (const dd_real& value : values) EXPECT_EQ(value.hi, value.hi + value.lo) << seed;
  }
}

TEST(EigenvalueArgumentsOfDD, BitsDoNotDependOnThreadsAndTriangles) {
  const std::int64_t n = 300;
  std::vector<dd_real> a = random_hermitian<dd_real>(n, 11);
  const auto of = [n](std::vector<dd_real>& y) { return view(Layout::column, Op::none, y.data(), n, n, n); };
  std::vector<std::vector<dd_real>> every;
  for (const int threads : {1, 2}) {
    for (const Uplo uplo : both_triangles) {
      std::vector<dd_real> x(a.size()), values(static_cast<std::size_t>(n));
      ASSERT_TRUE(symmetric_eigensystem(uplo, of(a), VectorView<dd_real>{values.data(), n}, of(x),
                                        {.products = {.threads = threads}}));
      x.insert(x.end(), values.begin(), values.end());
      every.push_back(x);
    }
  }
  // LAPACK's own bits may depend on its threads.
  EXPECT_EQ(first_difference(every[0], every[1]), -1);
  EXPECT_EQ(first_difference(every[2], every[3]), -1);
}

TEST(EigenvalueArgumentsOfDD, CallsWithPointersAreThoseOnViews) {
  const std::int64_t n = 7;
  for (const Layout layout : both_layouts) {
    StoredMatrix<dd_real> a(layout, n, n, 5), x(layout, n, n), y(layout, n, n);
    const std::int64_t leading = layout == Layout::column ? n + 3 : n + 2;
    std::vector<dd_real> values(static_cast<std::size_t>(n)), same(values.size());
    const dd_real* const at = &a.view(0, 0);
    ASSERT_TRUE(symmetric_eigensystem(Uplo::upper, a.view, VectorView<dd_real>{values.data(), n}, x.view));
    ASSERT_TRUE(symmetric_eigensystem(layout, Uplo::upper, n, at, leading, same.data(), &y.view(0, 0), leading));
    EXPECT_EQ(first_difference(x.elements, y.elements), -1);
    EXPECT_EQ(first_difference(values, same), -1);
    ASSERT_TRUE(symmetric_eigenvalues(Uplo::upper, a.view, VectorView<dd_real>{values.data(), n}));
    ASSERT_TRUE(symmetric_eigenvalues(layout, Uplo::upper, n, at, leading, same.data()));
    EXPECT_EQ(first_difference(values, same), -1);
    expect_contains(
        message_of(errc::invalid_argument,
                   [&] { symmetric_eigensystem(layout, Uplo::upper, n, at, leading, same.data(), &y.view(0, 0), 3); }),
        {"hermitian_eigensystem: ldv = 3 is less than 7"});
    expect_contains(message_of(errc::invalid_argument,
                               [&] { symmetric_eigenvalues(layout, Uplo::upper, -1, at, leading, same.data()); }),
                    {"hermitian_eigenvalues: n = -1 is negative"});
  }
}

TEST(EigenvalueArgumentsOfDD, TheReportIsALine) {
  std::vector<dd_real> a = random_hermitian<dd_real>(5, 11), values(5);
  const auto report = symmetric_eigenvalues(Uplo::lower, view(Layout::column, Op::none, a.data(), 5, 5, 5),
                                            VectorView<dd_real>{values.data(), 5}, {.certify = true});
  std::ostringstream text;
  text << report;
  expect_contains(text.str(),
                  {"solved, refinement, updates ", ", residual ", " u^2, orthogonality ", "error at most "});
}

}  // namespace
}  // namespace hilo::test
