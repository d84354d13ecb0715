// Factorisations in device memory: the bits of the host's, with the same pivots and info.
#include <atomic>
#include <hilo/lapack.hpp>
#include <thread>

#include "error_message.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
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

template <class T>
void expect_bits_of_host(Queue& q, StoredMatrix<T> a, const BlockedOptions& options, bool is_singular = false) {
  const std::int64_t m = a.view.rows, n = a.view.columns;
  const OnDevice<T> on_device(q, a);
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(std::min(m, n)), -1), found = pivots;
  const std::int64_t info = getrf(a.view, pivots, options);
  EXPECT_TRUE(info == 0 || is_singular);
  EXPECT_EQ(getrf(q, on_device.view, found, {}, options), info);
  EXPECT_EQ(found, pivots) << m << ' ' << n;
  EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << m << " x " << n << " block " << options.block;
  if (m != n || info != 0) return;
  for (const Op op : every_op) {
    StoredMatrix<T> b(a.layout, n, 5, 9);
    const OnDevice<T> right(q, b);
    getrs(op, a.read(), pivots, b.view, options);
    getrs(q, op, on_device.view, pivots, right.view, {}, options);
    EXPECT_EQ(first_difference(right.read(q), b.elements), -1) << n << ' ' << name(op);
  }
}

template <class T>
void expect_bits_of_host(Queue& q, Layout layout, std::int64_t m, std::int64_t n, const BlockedOptions& options) {
  expect_bits_of_host<T>(q, {layout, m, n, 3 + static_cast<std::uint64_t>(m)}, options);
}

template <class T>
void expect_bits_of_host(Queue& q, Layout layout, Uplo uplo, std::int64_t n, const BlockedOptions& options) {
  const StoredMatrix<T> factor(Layout::column, n, n, 7);
  StoredMatrix<T> a(layout, n, n), b(layout, n, 5, 9);
  herk<T>(uplo, real_type<T>(1), factor.read(), real_type<T>(0), a.view);
  for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(1);
  const OnDevice<T> on_device(q, a), right(q, b);
  EXPECT_EQ(potrf(uplo, a.view, options), 0);
  EXPECT_EQ(potrf(q, uplo, on_device.view, {}, options), 0);
  EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << n << " block " << options.block;
  potrs(uplo, a.read(), b.view, options);
  potrs(q, uplo, on_device.view, right.view, {}, options);
  EXPECT_EQ(first_difference(right.read(q), b.elements), -1) << n;
}

template <class T>
class OpenclBitsOfLapack : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclBitsOfLapack, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclBitsOfLapack, OfLu) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<int, int>{1, 1}, {10, 10}, {3, 20}, {20, 3}, {65, 65}, {150, 140}}) {
    for (const std::int64_t block : {7, 0}) {
      for (const Layout layout : both_layouts) {
        expect_bits_of_host<T>(queue(), layout, m, n, options_of(Engine::direct, block));
      }
    }
  }
  expect_bits_of_host<T>(queue(), Layout::column, 140, 140, options_of(Engine::modular, 0));
  // Raised to the least of each product, after whose first one it is too late to refuse.
  BlockedOptions with_little = options_of(Engine::modular, 0);
  with_little.workspace_bytes = 1;
  expect_bits_of_host<T>(queue(), Layout::column, 140, 140, with_little);
  expect_bits_of_host<T>(queue(), Layout::column, 90, 90, options_of(Engine::direct, 100));
  for (const std::int64_t n : orders_of({})) {
    const BlockedOptions options = options_of(Engine::direct, every_block[n % 5]);
    expect_bits_of_host<T>(queue(), both_layouts[n / 5 % 2], n, n, options);
  }
  if (!is_long()) return;
  for_hard_cases(hard_matrices<T>(), {}, {}, [](const TestMatrix<T>& matrix, const HardCase& c) {
    // One of them for each size.
    if (c.turn % 11 != 0) return;
    const BlockedOptions options = options_of(Engine::direct, c.block);
    expect_bits_of_host<T>(queue(), stored(matrix, c.layout, c.n), options, matrix.is_singular);
  });
}

// Entries that Dekker's splitting cannot take, where there is no FMA.
TYPED_TEST(OpenclBitsOfLapack, OfHugeMatrices) {
  using T = TypeParam;
  Queue& q = queue();
  for (const Fma fma : {Fma::on, Fma::off}) {
    const BlockedOptions options{.engine = Engine::direct, .fma = fma};
    StoredMatrix<T> a(Layout::column, 20, 20, 3);
    a.fill([&](std::int64_t i, std::int64_t j) { return a(i, j) * T(0x1p1000); });
    const OnDevice<T> on_device(q, a);
    std::vector<std::int64_t> pivots(20), found(20);
    EXPECT_EQ(getrf(a.view, pivots, options), getrf(q, on_device.view, found, {}, options));
    EXPECT_EQ(found, pivots);
    EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << static_cast<int>(fma);
  }
}

TYPED_TEST(OpenclBitsOfLapack, OfCholesky) {
  using T = TypeParam;
  for (const std::int64_t n : {1, 10, 65, 140}) {
    for (const std::int64_t block : {7, 0}) {
      for (const Layout layout : both_layouts) {
        for (const Uplo uplo : both_triangles) {
          expect_bits_of_host<T>(queue(), layout, uplo, n, options_of(Engine::direct, block));
        }
      }
    }
  }
  expect_bits_of_host<T>(queue(), Layout::column, Uplo::lower, 300, options_of(Engine::modular, 0));
  for (const std::int64_t n : orders_of({})) {
    for (const Uplo uplo : both_triangles) {
      const BlockedOptions options = options_of(Engine::direct, every_block[n % 5]);
      expect_bits_of_host<T>(queue(), both_layouts[n / 5 % 2], uplo, n, options);
    }
  }
}

// D · A · D, whose roots and quotients are out of the range of reciprocals in some columns.
TYPED_TEST(OpenclBitsOfLapack, OfCholeskyOfAnySize) {
  using T = TypeParam;
  Queue& q = queue();
  constexpr std::int64_t n = 70;
  const BlockedOptions options = options_of(Engine::direct, 0);
  for (const int exponents : {0, 1, 2, 3, 4}) {
    StoredMatrix<T> a(Layout::column, n, n, 7);
    a.fill([&](std::int64_t i, std::int64_t j) {
      const auto d = [&](std::int64_t k) {
        const int far = static_cast<int>(k % 3) * (k % 2 == 0 ? 70 : -70);
        const int all[] = {far, -300, 300, -145 - far / 70, -500};
        return std::ldexp(1.0, all[exponents]);
      };
      const T x = i == j ? T(n) : i > j ? a(i, j) : T(0);
      return x * T(d(i)) * T(d(j));
    });
    const OnDevice<T> on_device(q, a);
    EXPECT_EQ(potrf(Uplo::lower, a.view, options), 0) << exponents;
    EXPECT_EQ(potrf(q, Uplo::lower, on_device.view, {}, options), 0) << exponents;
    EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << exponents;
  }
}

template <class T>
class OpenclLapack : public OpenclBitsOfLapack<T> {};
TYPED_TEST_SUITE(OpenclLapack, AllPrecisions, NameOfPrecision);

// ‖B − AX‖ / (‖A‖ ‖X‖ ε)
template <class T>
double residual(const StoredMatrix<T>& a, const StoredMatrix<T>& b, const OnDevice<T>& x, const Queue& q) {
  StoredMatrix<T> solution = b;
  solution.elements = x.read(q);
  solution.view.data = solution.elements.data() + x.view.offset;
  const Wide left(a.view), right(solution.view);
  return norm_of(difference(left * right, Wide(b.view))) / (norm_of(left) * norm_of(right) * epsilon_of<T>);
}

TYPED_TEST(OpenclLapack, SolvesSystems) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : {1, 30, 150}) {
    const StoredMatrix<T> a(Layout::column, n, n, 3), b(Layout::column, n, 4, 5);
    const OnDevice<T> factors(q, a), x(q, b);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    EXPECT_EQ(getrf(q, factors.view, pivots), 0);
    getrs(q, Op::none, factors.view, pivots, x.view);
    EXPECT_LE(residual(a, b, x, q), 30) << n;

    StoredMatrix<T> positive(Layout::column, n, n);
    herk<T>(Uplo::lower, real_type<T>(1), a.read(), real_type<T>(0), positive.view);
    for (std::int64_t j = 0; j < n; ++j) {
      positive.view(j, j) = positive(j, j) + T(3);
      for (std::int64_t i = 0; i < j; ++i) positive.view(i, j) = conjugate_of(positive(j, i));
    }
    const OnDevice<T> factor(q, positive), y(q, b);
    EXPECT_EQ(potrf(q, Uplo::upper, factor.view), 0);
    potrs(q, Uplo::upper, factor.view, y.view);
    EXPECT_LE(residual(positive, b, y, q), 30) << n;
  }
}

TYPED_TEST(OpenclLapack, TellsInfo) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : {1, 8, 150}) {
    for (const std::int64_t bad : {std::int64_t{0}, n / 2, n - 1}) {
      StoredMatrix<T> a(Layout::column, n, n, 3);
      a.fill([&](std::int64_t i, std::int64_t j) { return i > j || (i == j && i == bad) ? T(0) : a(i, j); });
      const OnDevice<T> upper(q, a);
      std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
      EXPECT_EQ(getrf(q, upper.view, pivots), bad + 1) << n;
      a.fill([&](auto i, auto j) { return i != j ? T(0) : i == bad ? T(-1) : T(4); });
      const OnDevice<T> indefinite(q, a);
      EXPECT_EQ(potrf(q, Uplo::lower, indefinite.view), bad + 1) << n;
    }
  }
}

// Exchanges of rows, there and back, by each way: few and many of those there are, more than registers hold, and most
// of more than local memory does, in columns for more than one launch.
TEST(OpenclLapackCalls, ExchangeRows) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  for (const auto& [rows, count, columns] : {std::tuple<int, int, int>{300, 40, 3},
                                             {300, 100, 3},
                                             {400, 300, 3},
                                             {3000, 300, 3},
                                             {40000, 4200, 3},
                                             {70000, 15000, 100}}) {
    const StoredMatrix<double> a(Layout::column, rows, columns, 3);
    StoredMatrix<double> expected(Layout::column, rows, columns, 3);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t k = i % 7 == 0 ? i : i + (i * 7919 + 13) % (rows - i);
      pivots[static_cast<std::size_t>(i)] = k + 1;
      for (std::int64_t j = 0; j < columns; ++j) std::swap(expected.view(i, j), expected.view(k, j));
    }
    const OnDevice<double> on_device(q, a);
    lapack::DevicePlace place(*q.state(), Precision::d, {}, {});
    place.set_pivots(pivots);
    const BufferView<double>& x = on_device.view;
    const DeviceView view{
        cl::Buffer(x.buffer.native(), true), x.offset, rows, columns, x.row_stride, x.column_stride, false};
    place.move_rows(view, 0, count);
    place.finish().wait();
    EXPECT_EQ(first_difference(on_device.read(q), expected.elements), -1) << rows << ' ' << count;
    lapack::DevicePlace back(*q.state(), Precision::d, {}, {});
    back.set_pivots(pivots);
    back.move_rows_back(view, 0, count);
    back.finish().wait();
    EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << rows << ' ' << count;
  }
}

// A panel in one launch, on any device: with one work-group, which waits for nobody; with several, which may give it
// up, and with no patience at all. The factorisation goes on by a launch a column, with the same bits.
TEST(OpenclLapackCalls, TakePanelsInOneLaunchOrGiveThemUp) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  using Limits = lapack::JointPanels::Limits;
  BlockedOptions options = options_of(Engine::direct, 16);
  for (const auto& [m, n, limits] : {std::tuple<int, int, Limits>{20, 20, {1, 0, 16}},
                                     {200, 40, {1, 0, 16}},
                                     {200, 40, {1, 0, 5}},
                                     {256, 16, {1, 0, 7}},
                                     {150, 40, {2, 1000, 16}},
                                     {150, 40, {2, 0, 5}},
                                     {150, 130, {1, 0, 5}},
                                     {150, 130, {2, 0, 5}},
                                     {300, 20, {1, 0, 16}}}) {
    StoredMatrix<dd_real> a(Layout::column, m, n, 3);
    a.fill([&](std::int64_t i, std::int64_t j) {
      return j == 3 ? a(i, 2) : i % 5 == 1 && j < 9 ? dd_real(2) : a(i, j);
    });
    const OnDevice<dd_real> on_device(q, a);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n)), found = pivots;
    const std::int64_t info = getrf(a.view, pivots, options);
    lapack::DevicePlace place(*q.state(), Precision::dd, options, {});
    place.set_limits(limits);
    place.make_pivots(n);
    const BufferView<dd_real>& x = on_device.view;
    lapack::factor(
        place, DeviceView{cl::Buffer(x.buffer.native(), true), x.offset, m, n, x.row_stride, x.column_stride, false});
    EXPECT_EQ(place.result(found), info) << m << ' ' << n;
    EXPECT_EQ(found, pivots) << m << ' ' << n;
    EXPECT_EQ(first_difference(on_device.read(q), a.elements), -1) << m << ' ' << n;
  }
}

TEST(OpenclLapackCalls, WaitAndRunOnQueuesOutOfOrder) {
  const Context context = queue().context();
  if (!context.device().fp64) GTEST_SKIP() << "no double precision";
  cl::CommandQueue native(context.state()->context, context.state()->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue q(native());
  for (int i = 0; i < 3; ++i) {
    expect_bits_of_host<dd_real>(q, Layout::column, 150, 150, options_of(Engine::direct, 0));
    expect_bits_of_host<dd_real>(q, Layout::column, Uplo::lower, 300, options_of(Engine::modular, 0));
  }
  // After a product that makes the matrix.
  const StoredMatrix<dd_real> a(Layout::column, 100, 100, 3);
  StoredMatrix<dd_real> expected(Layout::column, 100, 100);
  const OnDevice<dd_real> left(q, a), made(q, expected);
  const BlockedOptions options = options_of(Engine::direct, 0);
  gemm(1, a.read(), a.read(), 0, expected.view, options);
  std::vector<std::int64_t> pivots(100), found(100);
  getrf(expected.view, pivots, options);
  const Event product = gemm(q, 1, left.view, left.view, 0, made.view, {}, options);
  EXPECT_EQ(getrf(q, made.view, found, {product}, options), 0);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(made.read(q), expected.elements), -1);
}

// Panels of several factorisations at a time, each of which may want all multiprocessors.
TEST(OpenclLapackCalls, RunSideBySide) {
  const Context context = queue().context();
  if (!context.device().fp64) GTEST_SKIP() << "no double precision";
  constexpr std::int64_t n = 300;
  const BlockedOptions options = options_of(Engine::direct, 0);
  const StoredMatrix<dd_real> a(Layout::column, n, n, 3);
  StoredMatrix<dd_real> expected(Layout::column, n, n, 3);
  std::vector<std::int64_t> pivots(n);
  EXPECT_EQ(getrf(expected.view, pivots, options), 0);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Two of the threads in a context of their own.
      Queue q{t % 2 ? Context(test_context()) : context};
      for (int i = 0; i < 3; ++i) {
        const OnDevice<dd_real> x(q, a);
        std::vector<std::int64_t> found(n);
        getrf(q, x.view, found, {}, options);
        right += found == pivots && first_difference(x.read(q), expected.elements) == -1;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, 12);
}

// Few sums of many terms, which engines without batches have as one product.
TEST(OpenclLapackCalls, TakeAllTermsByEnginesWithoutBatches) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  const std::int64_t n = 1000;
  const StoredMatrix<double> a(Layout::column, n, n, 3);
  StoredMatrix<double> factors = a;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n)), found = pivots;
  getrf(factors.view, pivots);
  const OnDevice<double> x(q, a);
  EXPECT_EQ(getrf(q, x.view, found, {}, options_of(Engine::reproducible, 0)), 0);
  EXPECT_EQ(found, pivots);
  const std::vector<double> all = x.read(q);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_LE(std::abs(all[i] - factors.elements[i]), 1e-9) << i;
}

TEST(OpenclLapackCalls, RefuseWhatCannotBeRight) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  StoredMatrix<dd_real> a(Layout::column, 4, 4, 3);
  const OnDevice<dd_real> x(q, a);
  std::vector<std::int64_t> pivots(4, 1);
  const auto refuses = [&](auto call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
    EXPECT_EQ(first_difference(x.read(q), a.elements), -1);
  };
  BufferView<dd_real> bad = x.view;
  bad.offset = -1;
  refuses([&] { getrf(q, bad, pivots); }, {"getrf: the offset of A = -1 is negative"});
  bad.offset = x.buffer.size() - 5;
  refuses([&] { potrf(q, Uplo::lower, bad); }, {"potrf: A covers 25 elements from offset", "but its buffer has"});
  bad.offset = std::numeric_limits<std::int64_t>::max() - 1;
  refuses([&] { potrf(q, Uplo::lower, bad); }, {"potrf: A covers 25 elements from offset", "but its buffer has"});
  refuses([&] { potrf(q, Uplo::lower, x.view.sub(0, 0, 3, 2)); }, {"potrf: A, 3 x 2, is not square"});
  refuses([&] { getrf(q, x.view, std::span(pivots).first(3)); }, {"getrf: pivots has room for 3, of 4 rows"});
  refuses([&] { getrs(q, Op::none, x.view, pivots, x.view); }, {"getrs: B overlaps A in memory"});
  const OnDevice<dd_real> b(q, StoredMatrix<dd_real>(Layout::column, 4, 1, 3));
  pivots = {1, 2, 9, 4};
  refuses([&] { getrs(q, Op::none, x.view, pivots, b.view); }, {"getrs: pivots[2] = 9 is not between 3 and 4"});
  const Queue other{Context(test_context())};
  const OnDevice<dd_real> far(other, a);
  refuses([&] { getrf(q, far.view, pivots); }, {"getrf: the buffer of A belongs to another context than the queue"});
}

}  // namespace
}  // namespace hilo::test
