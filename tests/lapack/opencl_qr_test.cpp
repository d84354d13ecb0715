// QR in device memory: the bits of the host's, panels in one launch, calls.
#include <algorithm>
#include <atomic>
#include <hilo/lapack.hpp>
#include <thread>

#include "blas/opencl/arguments.hpp"
#include "error_message.hpp"
#include "lapack/opencl/qr_place.hpp"
#include "lapack/qr.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "orthogonal.hpp"
#include "test_matrices.hpp"

namespace hilo::test {
namespace {

BlockedOptions options_of(Engine engine, std::int64_t block) {
  BlockedOptions options;
  options.engine = engine;
  options.block = block;
  options.fma = Fma::on;
  return options;
}

std::int64_t larger_or_smaller(bool is_larger, std::int64_t m, std::int64_t n) {
  return is_larger ? std::max(m, n) : std::min(m, n);
}

template <class T>
void expect_factors_of_host(Queue& q, const StoredMatrix<T>& a, const BlockedOptions& options) {
  const Factored<T> f(a, options);
  const OnDevice<T> on_device(q, a);
  std::vector<T> tau(f.tau.size(), T(7));
  geqrf(q, on_device.view, tau, {}, options);
  EXPECT_EQ(first_difference(on_device.read(q), f.factors.elements), -1)
      << a.view.rows << " x " << a.view.columns << " block " << options.block;
  EXPECT_EQ(first_difference(tau, f.tau), -1) << a.view.rows << " x " << a.view.columns;
}

template <class T>
void expect_products_of_host(Queue& q, const StoredMatrix<T>& a, const BlockedOptions& options) {
  const Factored<T> f(a, options);
  const std::int64_t m = a.view.rows;
  const OnDevice<T> factors(q, f.factors);
  const BufferView<T> v = factors.view.sub(0, 0, m, f.count());
  for (const Op op : every_op) {
    for (const Side side : both_sides) {
      StoredMatrix<T> c(a.layout, side == Side::left ? m : 5, side == Side::left ? 5 : m, 9);
      const OnDevice<T> on_device(q, c);
      unmqr(side, op, f.factors.read().sub(0, 0, m, f.count()), f.tau, c.view, options);
      unmqr(q, side, op, v, f.tau, on_device.view, {}, options);
      EXPECT_EQ(first_difference(on_device.read(q), c.elements), -1) << m << ' ' << name(op) << ' ' << options.block;
    }
  }
  // All of Q, and as much as there are reflectors.
  for (const std::int64_t columns : {m, f.count()}) {
    StoredMatrix<T> x(a.layout, m, columns, 4);
    x.fill([&](auto i, auto j) { return j < f.count() ? f.factors(i, j) : not_a_number<T>(); });
    const OnDevice<T> on_device(q, x);
    ungqr(x.view, f.tau, options);
    ungqr(q, on_device.view, f.tau, {}, options);
    EXPECT_EQ(first_difference(on_device.read(q), x.elements), -1) << m << ' ' << columns << ' ' << options.block;
  }
}

template <class T>
void expect_solutions_of_host(Queue& q, const StoredMatrix<T>& a, const BlockedOptions& options) {
  for (const Op op : every_op) {
    StoredMatrix<T> factors = a, b(a.layout, larger_or_smaller(true, a.view.rows, a.view.columns), 3, 8);
    const OnDevice<T> on_device(q, a), x(q, b);
    EXPECT_EQ(gels(op, factors.view, b.view, options), gels(q, op, on_device.view, x.view, {}, options));
    EXPECT_EQ(first_difference(on_device.read(q), factors.elements), -1) << name(op);
    EXPECT_EQ(first_difference(x.read(q), b.elements), -1) << name(op);
  }
}

template <class T>
class OpenclBitsOfQr : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclBitsOfQr, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclBitsOfQr, OfFactors) {
  using T = TypeParam;
  std::uint64_t seed = 3;
  for (const auto& [m, n] : {std::pair<int, int>{0, 0},
                             {0, 3},
                             {3, 0},
                             {1, 1},
                             {1, 6},
                             {6, 1},
                             {10, 10},
                             {19, 30},
                             {30, 19},
                             {65, 65},
                             {300, 70},
                             {70, 300}}) {
    for (const std::int64_t block : {1, 2, 7, 10, 0}) {
      if (m + n > 60 && block < 7 && block != 0) continue;
      for (const Layout layout : both_layouts) {
        expect_factors_of_host(queue(), StoredMatrix<T>(layout, m, n, ++seed), options_of(Engine::direct, block));
      }
    }
  }
  expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, 140, 90, 3), options_of(Engine::modular, 0));
  // A panel wider than a work-group, and rows about those of its sums.
  expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, 200, 150, 3), options_of(Engine::direct, 150));
  // Reflectors so many that V and T are written out.
  if (!is_complex(precision_of<T>) || is_long()) {
    expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, 530, 515, 3), options_of(Engine::direct, 512));
  }
  for (const std::int64_t m : {255, 256, 257, 513}) {
    expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, m, 5, 3), options_of(Engine::direct, 0));
  }
  expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, 260, 260, 3), options_of(Engine::direct, 0));
  // More rows than sums are added side by side, by blocks for which that are few.
  for (const auto& [m, n, block] : {std::tuple<int, int, int>{2300, 5, 0}, {4200, 5, 512}, {17000, 3, 0}}) {
    expect_factors_of_host(queue(), StoredMatrix<T>(Layout::column, m, n, 3), options_of(Engine::direct, block));
  }
}

TYPED_TEST(OpenclBitsOfQr, OfProductsWithQ) {
  using T = TypeParam;
  std::uint64_t seed = 3;
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {10, 10}, {19, 30}, {30, 19}, {70, 66}, {520, 12}}) {
    for (const std::int64_t block : {1, 7, 0}) {
      if (m > 60 && block == 1) continue;
      expect_products_of_host(queue(), StoredMatrix<T>(both_layouts[seed % 2], m, n, seed),
                              options_of(Engine::direct, block));
      ++seed;
    }
  }
}

TYPED_TEST(OpenclBitsOfQr, OfLeastSquares) {
  using T = TypeParam;
  std::uint64_t seed = 3;
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {10, 10}, {30, 19}, {19, 30}, {20, 1}, {1, 20}, {90, 70}}) {
    ++seed;
    expect_solutions_of_host(queue(), StoredMatrix<T>(both_layouts[seed % 2], m, n, seed),
                             options_of(Engine::direct, seed % 3 == 0 ? 7 : 0));
  }
}

// Columns of zeros, of real numbers that need no reflector, and powers of two apart.
TYPED_TEST(OpenclBitsOfQr, OfHardMatrices) {
  using T = TypeParam;
  Queue& q = queue();
  for (const auto& matrix : hard_matrices<T>()) {
    StoredMatrix<T> a(Layout::column, 40, 40);
    a.fill([&, e = matrix.entries(40)](std::int64_t i, std::int64_t j) { return e(i, j); });
    for (const std::int64_t block : {7, 0}) expect_factors_of_host(q, a, options_of(Engine::direct, block));
  }
  for (const int e : {0, 1, 1010, -1022, -1074}) {
    StoredMatrix<T> a(Layout::column, 30, 12, 5);
    a.fill([&](auto i, auto j) { return with_exponent(T(wide(a(i, j)).re.hi), e); });
    expect_factors_of_host(q, a, options_of(Engine::direct, 0));
  }
  StoredMatrix<T> a(Layout::column, 30, 20, 5);
  a.fill([&](auto i, auto j) {
    return j == 3 || j == 7 ? T(0)
           : j == 0         ? T(i == 0 ? -2 : 0)
                            : with_exponent(a(i, j), static_cast<int>(40 * (i % 9) - 200));
  });
  for (const std::int64_t block : {1, 7, 0}) expect_factors_of_host(q, a, options_of(Engine::direct, block));
  // Without FMA, with entries that Dekker's splitting cannot take.
  for (const double scale : {1.0, 0x1p1000}) {
    StoredMatrix<T> b(Layout::column, 270, 20, 3);
    b.fill([&](auto i, auto j) { return b(i, j) * T(scale); });
    BlockedOptions options = options_of(Engine::direct, 0);
    options.fma = Fma::off;
    expect_factors_of_host(q, b, options);
    if (scale == 1.0) expect_products_of_host(q, b, options);
  }
}

// A panel in one launch, on any device: with two work-groups, of which one makes T, and with more; they may give it up.
// Some have no patience at all. The factorisation goes on by two launches a column, with the same bits.
TYPED_TEST(OpenclBitsOfQr, OfPanelsInOneLaunchOrGivenUp) {
  using T = TypeParam;
  Queue& q = queue();
  using Limits = lapack::JointPanels::Limits;
  const BlockedOptions options = options_of(Engine::direct, 16);
  for (const auto& [m, n, limits] : {std::tuple<int, int, Limits>{20, 20, {2, 1 << 20, 16}},
                                     {256, 40, {2, 1 << 20, 16}},
                                     {1, 1, {2, 1 << 20, 16}},
                                     {600, 40, {4, 1000, 16}},
                                     {300, 20, {3, 0, 16}},
                                     {200, 40, {3, 1 << 20, 8}}}) {
    // PoCL takes many seconds to build a program of this.
    if (is_complex(precision_of<T>) && limits.columns != 16) continue;
    StoredMatrix<T> a(Layout::column, m, n, 3);
    a.fill([&](std::int64_t i, std::int64_t j) {
      // Columns that are summed once more, with a power of two, among those that are not.
      const int exponent = j % 6 == 4 ? 40 : j % 6 == 5 ? -300 : 0;
      return j == 3 || (j == 0 && i > 0) ? T(j == 0 ? 0 : 2)
                                         : with_exponent(a(i, j), static_cast<int>(i % 7) + exponent);
    });
    const Factored<T> f(a, options);
    const OnDevice<T> on_device(q, a);
    std::vector<T> tau(f.tau.size());
    lapack::QrDevicePlace place(*q.state(), precision_of<T>, options, {});
    place.set_limits(limits);
    place.make_tau(f.count());
    lapack::factor_orthogonal(place, blas::device_view(on_device.view));
    place.read_tau(tau.data(), f.count());
    place.finish().wait();
    EXPECT_EQ(first_difference(on_device.read(q), f.factors.elements), -1) << m << ' ' << n << ' ' << limits.groups;
    EXPECT_EQ(first_difference(tau, f.tau), -1) << m << ' ' << n << ' ' << limits.groups;
  }
}

TEST(OpenclQrCalls, WaitAndRunOnQueuesOutOfOrder) {
  const Context context = queue().context();
  if (!context.device().fp64) GTEST_SKIP() << "no double precision";
  cl::CommandQueue native(context.state()->context, context.state()->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue q(native());
  const BlockedOptions options = options_of(Engine::direct, 16);
  const StoredMatrix<dd_real> a(Layout::column, 90, 90, 3);
  for (int i = 0; i < 3; ++i) {
    expect_factors_of_host(q, a, options);
    expect_products_of_host(q, StoredMatrix<dd_real>(Layout::column, 90, 40, 3), options);
    expect_solutions_of_host(q, StoredMatrix<dd_real>(Layout::column, 60, 40, 3), options);
  }
  // After a product that makes the matrix.
  StoredMatrix<dd_real> expected(Layout::column, 90, 90);
  gemm(1, a.read(), a.read(), 0, expected.view, options);
  const Factored<dd_real> f(expected, options);
  for (Queue* const its : {&q, &queue()}) {
    const OnDevice<dd_real> left(*its, a), made(*its, StoredMatrix<dd_real>(Layout::column, 90, 90));
    const Event product = gemm(*its, 1, left.view, left.view, 0, made.view, {}, options);
    std::vector<dd_real> tau(90);
    geqrf(*its, made.view, tau, {product}, options);
    EXPECT_EQ(first_difference(made.read(*its), f.factors.elements), -1);
    EXPECT_EQ(first_difference(tau, f.tau), -1);
  }
}

TEST(OpenclQrCalls, RunSideBySide) {
  const Context context = queue().context();
  if (!context.device().fp64) GTEST_SKIP() << "no double precision";
  const BlockedOptions options = options_of(Engine::direct, 0);
  const StoredMatrix<dd_real> a(Layout::column, 150, 70, 3);
  const Factored<dd_real> f(a, options);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Queue q(context);
      for (int i = 0; i < 3; ++i) {
        const OnDevice<dd_real> x(q, a);
        std::vector<dd_real> tau(70);
        geqrf(q, x.view, tau, {}, options);
        right += first_difference(tau, f.tau) == -1 && first_difference(x.read(q), f.factors.elements) == -1;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 12);
}

// Few sums of many terms, which engines without batches have as one product.
TEST(OpenclQrCalls, TakeAllTermsByEnginesWithoutBatches) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  std::vector<BlockedOptions> all(4);
  all[0].engine = Engine::modular;
  all[1].engine = Engine::reproducible;
  all[2].accuracy = Accuracy::normwise;
  all[3].accuracy = Accuracy::bits;
  all[3].bits = 80;
  for (std::size_t o = 0; o < all.size(); ++o) {
    // Another matrix each, so that what a product before has left is of no use.
    const StoredMatrix<double> a(Layout::column, 600, 128, 3 + o);
    const Factored<double> f(a, {});
    const OnDevice<double> x(q, a);
    std::vector<double> tau(128);
    geqrf(q, x.view, tau, {}, all[o]);
    StoredMatrix<double> found = f.factors;
    found.elements = x.read(q);
    found.view.data = found.elements.data() + (f.factors.view.data - f.factors.elements.data());
    const Wide left(found.view), right(f.factors.view);
    EXPECT_LE(norm_of(difference(left, right)), 1e-13 * norm_of(right)) << o;
  }
}

TEST(OpenclQrCalls, RefuseWhatCannotBeRight) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  const StoredMatrix<dd_real> a(Layout::column, 6, 4, 3), b(Layout::column, 6, 2, 4);
  const OnDevice<dd_real> x(q, a), y(q, b);
  std::vector<dd_real> tau(4, dd_real(7));
  const auto refuses = [&](auto call, const std::string& message) {
    expect_contains(message_of(errc::invalid_argument, call), {message});
    EXPECT_EQ(first_difference(x.read(q), a.elements), -1);
    EXPECT_EQ(first_difference(y.read(q), b.elements), -1);
    EXPECT_EQ(tau, std::vector<dd_real>(4, dd_real(7)));
  };
  BufferView<dd_real> bad = x.view;
  bad.offset = -1;
  refuses([&] { geqrf(q, bad, tau); }, "geqrf: the offset of A = -1 is negative");
  bad.offset = x.buffer.size() - 5;
  refuses([&] { ungqr(q, bad, tau); }, "ungqr: A covers ");
  refuses([&] { geqrf(q, x.view, std::span(tau).first(3)); }, "geqrf: tau has room for 3, of 4 reflectors");
  refuses([&] { geqrf(q, x.view, std::span(static_cast<dd_real*>(nullptr), 4)); }, "geqrf: tau is null");
  refuses([&] { ungqr(q, x.view.turned(Op::transpose), tau); }, "ungqr: columns of A = 6 is more than rows of A = 4");
  refuses([&] { ungqr(q, x.view.sub(0, 0, 6, 2), tau); }, "ungqr: tau has 4 numbers, more than A, 6 x 2");
  refuses([&] { unmqr(q, Side::left, Op::none, x.view, tau, y.view.sub(0, 0, 5, 2)); },
          "unmqr: rows of A = 6 is not rows of C = 5");
  refuses([&] { unmqr(q, Side::left, Op::none, x.view, tau, x.view); }, "unmqr: C overlaps A in memory");
  refuses([&] { unmqr(q, Side::left, static_cast<Op>(4), x.view, tau, y.view); }, "unmqr: ");
  refuses([&] { gels(q, Op::none, x.view, y.view.sub(0, 0, 4, 2)); },
          "gels: rows of B = 4 is not the larger size of A = 6");
  refuses([&] { gels(q, Op::none, x.view, x.view); }, "gels: B overlaps A in memory");
  const Queue other{Context(test_context())};
  const OnDevice<dd_real> far(other, a);
  refuses([&] { geqrf(q, far.view, tau); }, "geqrf: the buffer of A belongs to another context than the queue");
  BlockedOptions options;
  options.accuracy = Accuracy::exact;
  expect_contains(message_of(errc::unsupported, [&] { geqrf(q, x.view, tau, {}, options); }), {"geqrf: "});
}

}  // namespace
}  // namespace hilo::test
