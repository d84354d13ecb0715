// QR in device memory, in six precisions: LAPACK's residual ratios and conventions, least squares.
#include <algorithm>
#include <hilo/lapack.hpp>

#include "blas/opencl/arguments.hpp"
#include "lapack/opencl/qr_place.hpp"
#include "lapack/qr.hpp"
#include "on_device.hpp"
#include "orthogonal.hpp"
#include "test_matrices.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
void take(StoredMatrix<T>& x, const std::vector<T>& elements) {
  std::ranges::copy(elements, x.elements.begin());
}

template <class T>
class OpenclQr : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_single(precision_of<T>) && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclQr, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclQr, HasSmallResiduals) {
  using T = TypeParam;
  Queue& q = queue();
  std::uint64_t seed = 0;
  for (const auto& [m, n] :
       {std::pair<int, int>{1, 1}, {10, 10}, {19, 30}, {30, 19}, {1, 20}, {20, 1}, {90, 70}, {1130, 24}}) {
    for (const std::int64_t block : {7, 0}) {
      // Sums of so many terms that S, D, C and Z make them in parts; DD and ZDD do not.
      if (m > 1000 && (block == 0 || double_double<T>)) continue;
      BlockedOptions options;
      options.block = block;
      const StoredMatrix<T> a(both_layouts[seed % 2], m, n, seed);
      ++seed;
      Factored<T> f(a);
      const OnDevice<T> on_device(q, a);
      geqrf(q, on_device.view, f.tau, {}, options);
      take(f.factors, on_device.read(q));
      EXPECT_EQ(f.factors.first_changed(a, [](auto, auto) { return false; }), -1);
      StoredMatrix<T> columns(a.layout, m, f.count());
      columns.fill([&](auto i, auto j) { return f.factors(i, j); });
      const OnDevice<T> of_q(q, columns);
      ungqr(q, of_q.view, f.tau, {}, options);
      take(columns, of_q.read(q));
      const Wide left(a.view), orthogonal(columns.view);
      const double most = m < 50 ? 3.0 : 1.0;
      EXPECT_LT(ratio<T>(difference(orthogonal * f.r(), left), m, norm_of(left)), most) << m << ' ' << n;
      const Wide gram = orthogonal.turned(Op::conjugate_transpose) * orthogonal;
      EXPECT_LT(ratio<T>(difference(gram, identity(f.count(), f.count())), m), 2 * most) << m << ' ' << n;
      for (const Op op : every_op) {
        StoredMatrix<T> c(a.layout, m, 4, 9);
        const Wide old(c.view), product = f.times_q(old, op);
        const OnDevice<T> x(q, c);
        unmqr(q, Side::left, op, on_device.view.sub(0, 0, m, f.count()), f.tau, x.view, {}, options);
        take(c, x.read(q));
        EXPECT_LT(ratio<T>(difference(Wide(c.view), product), m, norm_of(old)), 3.0) << m << ' ' << name(op);
      }
    }
  }
}

TYPED_TEST(OpenclQr, HasLapacksReflectors) {
  using T = TypeParam;
  Queue& q = queue();
  constexpr bool is_float = is_single(precision_of<T>);
  // Subnormal floats may be zeros on a device.
  for (const int e : {0, 1, is_float ? 124 : 1020, is_float ? -100 : -1022}) {
    StoredMatrix<T> a(Layout::column, 3, 1);
    const float entries[] = {3, 0, 4};
    a.fill([&](auto i, auto) { return with_exponent(T(entries[i]), e); });
    const OnDevice<T> on_device(q, a);
    std::vector<T> tau(1);
    geqrf(q, on_device.view, tau);
    take(a, on_device.read(q));
    EXPECT_LT(magnitude(with_exponent(a(0, 0), -e) + T(5)), 8 * epsilon_of<T>) << e;
    EXPECT_LT(magnitude(tau[0] - T(8) / T(5)), 4 * epsilon_of<T>) << e;
    EXPECT_LT(magnitude(a(2, 0) - T(1) / T(2)), 4 * epsilon_of<T>) << e;
  }
  // Nothing to be done, not even a sign.
  StoredMatrix<T> a(Layout::column, 5, 3, 1);
  a.fill([&](auto i, auto j) { return i > j ? T(0) : T(real(a(i, j))); });
  const OnDevice<T> on_device(q, a);
  std::vector<T> tau(3, T(7));
  geqrf(q, on_device.view, tau);
  EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1);
  for (const T& x : tau) EXPECT_EQ(x, T(0));
}

TYPED_TEST(OpenclQr, NaNAndInfAreFound) {
  using T = TypeParam;
  Queue& q = queue();
  for (const T& bad : {not_a_number<T>(), element_of<T>(infinity, 0)}) {
    for (const std::int64_t block : {7, 0}) {
      BlockedOptions options;
      options.block = block;
      StoredMatrix<T> a(Layout::column, 70, 70, 3);
      a.view(5, 2) = bad;
      const OnDevice<T> on_device(q, a);
      std::vector<T> tau(70);
      geqrf(q, on_device.view, tau, {}, options);
      take(a, on_device.read(q));
      EXPECT_TRUE(std::isfinite(magnitude(a(1, 1))));
      EXPECT_FALSE(std::isfinite(magnitude(a(2, 2))));
      EXPECT_FALSE(std::isfinite(magnitude(a(2, 5))));
      EXPECT_FALSE(std::isfinite(magnitude(a(69, 69))));
    }
  }
}

TYPED_TEST(OpenclQr, SolvesLeastSquares) {
  using T = TypeParam;
  Queue& q = queue();
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {10, 10}, {30, 19}, {19, 30}}) {
    for (const Op op : every_op) {
      const StoredMatrix<T> a(Layout::column, m, n, 7);
      const std::int64_t rows = is_transposed(op) ? n : m, columns = is_transposed(op) ? m : n;
      StoredMatrix<T> b(Layout::row, std::max(m, n), 3, 8);
      const Wide left = Wide(a.view).turned(op), right(b.view.sub(0, 0, rows, 3));
      const OnDevice<T> factors(q, a), x(q, b);
      EXPECT_EQ(gels(q, op, factors.view, x.view), 0);
      const StoredMatrix<T> before = b;
      take(b, x.read(q));
      EXPECT_EQ(b.first_changed(before, [](auto, auto) { return false; }), -1);
      const Wide solution(b.view.sub(0, 0, columns, 3)), rest = difference(left * solution, right);
      const double scale = norm_of(left) * norm_of(solution) + norm_of(right);
      if (rows >= columns) {
        EXPECT_LT(
            ratio<T>(left.turned(Op::conjugate_transpose) * rest, m + n, scale * norm_of(left.turned(Op::transpose))),
            3.0)
            << m << ' ' << n << ' ' << name(op);
      } else {
        EXPECT_LT(ratio<T>(rest, m + n, scale), 3.0) << m << ' ' << n << ' ' << name(op);
      }
    }
  }
}

TYPED_TEST(OpenclQr, TellsTheFirstZeroOfRsDiagonal) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t zero : {0, 4, 7}) {
    for (const bool is_wide : {false, true}) {
      StoredMatrix<T> a(Layout::column, is_wide ? 8 : 13, is_wide ? 13 : 8), b(Layout::column, 13, 2, 4);
      const auto entry = [&](auto i, auto j) { return T(i > j || (i == j && i >= zero) ? 0 : i == j ? 3 : 1); };
      a.fill([&](auto i, auto j) { return is_wide ? entry(j, i) : entry(i, j); });
      const OnDevice<T> factors(q, a), x(q, b);
      EXPECT_EQ(gels(q, Op::none, factors.view, x.view), zero + 1);
      EXPECT_EQ(first_difference(x.read(q), b.elements), -1);
    }
  }
}

TYPED_TEST(OpenclQr, OfNothing) {
  using T = TypeParam;
  Queue& q = queue();
  const StoredMatrix<T> a(Layout::column, 0, 4), b(Layout::column, 4, 2, 3), c(Layout::column, 4, 3, 3);
  const OnDevice<T> nothing(q, a), x(q, b), y(q, c);
  EXPECT_EQ(gels(q, Op::none, nothing.view, x.view), 0);
  StoredMatrix<T> zeros = b;
  take(zeros, x.read(q));
  EXPECT_EQ(norm_of(Wide(zeros.view)), 0.0);
  EXPECT_EQ(gels(q, Op::none, y.view, x.view.sub(0, 0, 4, 0)), 0);
  // No reflectors: nothing is done, and the first columns of I.
  unmqr(q, Side::left, Op::none, y.view, {}, x.view);
  EXPECT_EQ(first_difference(x.read(q), zeros.elements), -1);
  ungqr(q, y.view, {});
  StoredMatrix<T> columns = c;
  take(columns, y.read(q));
  EXPECT_EQ(norm_of(difference(Wide(columns.view), identity(4, 3))), 0.0);
  if constexpr (!is_complex(precision_of<T>)) {
    std::vector<T> tau(3);
    geqrf(q, y.view, tau);
    orgqr(q, y.view, tau);
    ormqr(q, Side::left, Op::none, y.view, {}, x.view);
  }
}

// Panels in one launch and by columns have the same bits where a word has four bytes, too. Some columns are summed
// again.
TEST(OpenclQrPanels, OfComplexFloatInOneLaunchOrByColumns) {
  using T = std::complex<float>;
  Queue& q = queue();
  constexpr std::int64_t m = 200, n = 20;
  StoredMatrix<T> a(Layout::column, m, n, 3);
  a.fill([&](auto i, auto j) { return with_exponent(a(i, j), j % 6 == 4 ? 40 : j % 6 == 5 ? -40 : 0); });
  BlockedOptions options;
  options.block = 16;
  std::vector<T> factors[2], tau(n), first_tau;
  for (const int groups : {2, 0}) {
    const OnDevice<T> on_device(q, a);
    lapack::QrDevicePlace place(*q.state(), Precision::c, options, {});
    place.set_limits({groups, 1 << 20, 16});
    place.make_tau(n);
    lapack::factor_orthogonal(place, blas::device_view(on_device.view));
    place.read_tau(tau.data(), n);
    place.finish().wait();
    factors[groups / 2] = on_device.read(q);
    if (groups == 2) first_tau = tau;
  }
  EXPECT_EQ(first_difference(factors[0], factors[1]), -1);
  EXPECT_EQ(first_difference(tau, first_tau), -1);
}

}  // namespace
}  // namespace hilo::test
