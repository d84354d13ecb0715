// Matrices in the memories of several devices: what is written comes back, and factors have the bits, pivots and info
// of one device's memory.
#include <hilo/lapack.hpp>
#include <limits>

#include "blas/words.hpp"
#include "error_message.hpp"
#include "group_matrices.hpp"
#include "opencl/native.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class OpenclGroupMatrix : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclGroupMatrix, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclGroupMatrix, ReturnsWhatWasWritten) {
  using T = TypeParam;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (int devices : {1, 2, 3}) {
      const StoredMatrix<T> x(layout, 37, 53, 1);
      StoredMatrix<T> y(layout, 37, 53, 2);
      const GroupMatrix<T> a = dealt(group_of(devices), x, 1);
      a.read(y.view);
      EXPECT_EQ(first_difference(x.elements, y.elements), -1);
    }
  }
  // As a view has it, to and from pinned memory.
  const StoredMatrix<T> x(Layout::column, 40, 21, 3);
  GroupMatrix<T> turned(group_of(2), 21, 40, 1);
  turned.write(x.read().turned(Op::conjugate_transpose));
  HostBuffer<T> pinned(queue().context(), 21 * 40);
  const MatrixView<T> y = view(Layout::row, Op::none, pinned.data(), 21, 40, 40);
  turned.read(y);
  turned.write(y);
  turned.read(y);
  for (int64_t j = 0; j < 40; ++j) {
    for (int64_t i = 0; i < 21; ++i) EXPECT_TRUE(y(i, j) == blas::conjugated<T>(x(j, i), true));
  }
}

// As where memory has no room for all of L: then a half of it has the place of the other.
BlockedOptions with_half_of_l(BlockedOptions options) {
  options.device_bytes = 1;
  return options;
}

template <class T>
void expect_lu(const StoredMatrix<T>& x, int devices, const BlockedOptions& options) {
  const OnDevice<T> one(queue(), x);
  GroupMatrix<T> all = dealt(group_of(devices), x, options.block);
  std::vector<int64_t> pivots(static_cast<std::size_t>(x.view.columns), -1), found(pivots);
  StreamReport report;
  BlockedOptions whole = options;
  whole.device_bytes = 0;
  const int64_t info = getrf(queue(), one.view, pivots, {}, whole);
  EXPECT_EQ(getrf(all, found, options, &report), info);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(read(all).elements, one.read(queue())), -1)
      << x.view.rows << " x " << x.view.columns << ", " << devices << " devices";
  EXPECT_EQ(report.bytes_in, (devices - 1) * report.bytes_out);
  EXPECT_EQ(report.bytes_out > 0, devices > 1);
  EXPECT_GT(report.seconds, 0.0);
}

TYPED_TEST(OpenclGroupMatrix, HasTheLuOfOneDevice) {
  using T = TypeParam;
  const BlockedOptions direct = options_of(Engine::direct, 2);
  for (int devices : {1, 2, 3}) expect_lu<T>({Layout::column, 137, 137, 1}, devices, direct);
  for (int devices : {2, 3, 4}) expect_lu<T>({Layout::column, 151, 103, 2}, devices, with_half_of_l(direct));
  expect_lu<T>({Layout::column, 151, 103, 2}, 2, direct);
  expect_lu<T>({Layout::column, 151, 103, 2}, 4, direct);
  // Fewer blocks than devices.
  expect_lu<T>({Layout::column, 20, 19, 3}, 3, direct);
  expect_lu<T>({Layout::column, 70, 1, 3}, 2, options_of(Engine::direct));
  // More devices than places on the way.
  if (precision_of<T> == Precision::d) expect_lu<T>({Layout::column, 260, 260, 4}, 9, options_of(Engine::direct, 1));
  // More pivots than are read at once.
  if (precision_of<T> == Precision::d) expect_lu<T>({Layout::column, 640, 620, 7}, 2, options_of(Engine::direct, 80));
  // Solved for by parts of more rows than a block has.
  if (precision_of<T> == Precision::z || precision_of<T> == Precision::dd) {
    expect_lu<T>({Layout::column, 300, 270, 5}, 2, with_half_of_l(options_of(Engine::direct, 1)));
  }
  // Without pivots for two columns.
  StoredMatrix<T> zeros(Layout::column, 90, 90, 6);
  for (int64_t i = 0; i < 90; ++i) zeros.view(i, 37) = zeros.view(i, 61) = T(0);
  expect_lu<T>(zeros, 2, direct);
  if (double_double<T> && (is_long() || precision_of<T> == Precision::dd)) {
    expect_lu<T>({Layout::column, 401, 401, 5}, 2, options_of(Engine::automatic, 4));
  }
}

template <class T>
void expect_cholesky(const StoredMatrix<T>& x, int devices, const BlockedOptions& options) {
  const OnDevice<T> one(queue(), x);
  GroupMatrix<T> all = dealt(group_of(devices), x, options.block);
  BlockedOptions whole = options;
  whole.device_bytes = 0;
  const int64_t info = potrf(queue(), Uplo::lower, one.view, {}, whole);
  EXPECT_EQ(potrf(all, options), info);
  // What comes after a column without a factor is of no particular value.
  if (info != 0) return;
  EXPECT_EQ(lower_differences(all, one), 0) << x.view.rows << ", " << devices << " devices, " << name(options.engine);
}

TYPED_TEST(OpenclGroupMatrix, HasTheCholeskyOfOneDevice) {
  using T = TypeParam;
  const BlockedOptions direct = options_of(Engine::direct, 2);
  const auto positive = [](int64_t n) { return positive_matrix<T>(Layout::column, Uplo::lower, n); };
  for (int devices : {1, 2, 3}) expect_cholesky<T>(positive(137), devices, direct);
  for (int devices : {2, 3, 4}) expect_cholesky<T>(positive(151), devices, with_half_of_l(direct));
  expect_cholesky<T>(positive(151), 4, direct);
  expect_cholesky<T>(positive(19), 3, direct);
  expect_cholesky<T>(positive(1), 2, direct);
  for (int64_t column : {3, 77, 119}) {
    StoredMatrix<T> a = positive(120);
    a.view(column, column) = T(-1);
    expect_cholesky<T>(a, 2, direct);
  }
  if (double_double<T> && (is_long() || precision_of<T> == Precision::dd)) {
    expect_cholesky<T>(positive(401), 2, options_of(Engine::automatic, 4));
  }
}

// Where a device has no memory for all of L after all.
TYPED_TEST(OpenclGroupMatrix, KeepsHalfOfLWhereThereIsNoMemoryForAll) {
  using T = TypeParam;
  const BlockedOptions options = options_of(Engine::direct, 2);
  const StoredMatrix<T> x(Layout::column, 137, 137, 1);
  const OnDevice<T> one(queue(), x);
  std::vector<int64_t> pivots(137), found(pivots);
  getrf(queue(), one.view, pivots, {}, options);
  GroupMatrix<T> all = dealt(group_of(2), x, options.block);
  queue().context().state()->workspaces.fail_after(0);
  EXPECT_EQ(getrf(all, found, options), 0);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(read(all).elements, one.read(queue())), -1);
}

// As systems with a matrix and right-hand sides in one device's memory.
TYPED_TEST(OpenclGroupMatrix, SolvesAsOneDeviceDoes) {
  using T = TypeParam;
  const BlockedOptions options = options_of(Engine::direct, 2);
  constexpr int64_t n = 67;
  const StoredMatrix<T> general(Layout::column, n, n, 1), sides(Layout::column, n, 5, 2),
      positive = positive_matrix<T>(Layout::column, Uplo::lower, n);
  std::vector<int64_t> pivots(n), found(n);
  const auto expect_solution = [&](const StoredMatrix<T>& x, const OnDevice<T>& wanted, const char* what, int devices) {
    EXPECT_EQ(first_difference(x.elements, wanted.read(queue())), -1) << what << ", " << devices << " devices";
  };
  for (int devices : {1, 2, 3}) {
    const OnDevice<T> lu(queue(), general), factor(queue(), positive);
    GroupMatrix<T> a = dealt(group_of(devices), general, 2), l = dealt(group_of(devices), positive, 2);
    StreamReport report;
    StoredMatrix<T> x = sides;
    {
      const OnDevice<T> y(queue(), sides);
      getrf(queue(), lu.view, pivots, {}, options);
      getrs(queue(), Op::none, lu.view, pivots, y.view, {}, options);
      EXPECT_EQ(gesv(a, found, x.view, options, &report), 0);
      expect_solution(x, y, "gesv", devices);
      EXPECT_EQ(found, pivots);
      EXPECT_GE(report.bytes_out, n * 5 * static_cast<int64_t>(sizeof(T)));
    }
    for (Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      const OnDevice<T> y(queue(), x);
      getrs(queue(), op, lu.view, pivots, y.view, {}, options);
      getrs(op, a, found, x.view, options);
      expect_solution(x, y, "getrs", devices);
    }
    const OnDevice<T> y(queue(), sides);
    StoredMatrix<T> z = sides;
    potrf(queue(), Uplo::lower, factor.view, {}, options);
    potrs(queue(), Uplo::lower, factor.view, y.view, {}, options);
    EXPECT_EQ(posv(l, z.view, options), 0);
    expect_solution(z, y, "posv", devices);
    potrs(queue(), Uplo::lower, factor.view, y.view, {}, options);
    potrs(l, z.view, options);
    expect_solution(z, y, "potrs", devices);
  }
  // Where the first device has no room for all factors they go through host memory.
  for (bool is_positive : {false, true}) {
    const OnDevice<T> factor(queue(), is_positive ? positive : general), y(queue(), sides);
    GroupMatrix<T> a = dealt(group_of(2), is_positive ? positive : general, 2);
    StoredMatrix<T> x = sides;
    StreamReport report;
    const auto fail_next = [&] { queue().context().state()->workspaces.fail_after(0); };
    if (is_positive) {
      potrf(queue(), Uplo::lower, factor.view, {}, options);
      potrs(queue(), Uplo::lower, factor.view, y.view, {}, options);
      potrf(a, options);
      fail_next();
      potrs(a, x.view, options, &report);
    } else {
      getrf(queue(), factor.view, pivots, {}, options);
      getrs(queue(), Op::transpose, factor.view, pivots, y.view, {}, options);
      getrf(a, found, options);
      fail_next();
      getrs(Op::transpose, a, found, x.view, options, &report);
    }
    EXPECT_GE(report.bytes_in, n * (n + 5) * static_cast<int64_t>(sizeof(T)));
    expect_solution(x, y, "by way of host memory", 2);
  }
  // Without factors there is no solution.
  StoredMatrix<T> zeros(Layout::column, n, n), x = sides;
  zeros.fill([](int64_t, int64_t) { return T(0); });
  GroupMatrix<T> a = dealt(group_of(2), zeros, 2);
  EXPECT_EQ(gesv(a, found, x.view, options), 1);
  EXPECT_EQ(posv(a, x.view, options), 1);
  EXPECT_EQ(first_difference(x.elements, sides.elements), -1);
}

TEST(OpenclGroupMatrixDistribution, GoesRound) {
  const GroupMatrix<float> a(group_of(2), 5, 40, 1);
  int64_t next = 0;
  int device = 0;
  for (const auto& c : a.distribution()) {
    EXPECT_EQ(c.first, next);
    EXPECT_LE(c.count, 8);
    EXPECT_GT(c.count, 4);
    EXPECT_EQ(c.device, device);
    next += c.count;
    device = 1 - device;
  }
  EXPECT_EQ(next, 40);
  EXPECT_EQ(a.rows(), 5);
  EXPECT_EQ(a.columns(), 40);
  EXPECT_EQ(a.block(), 1);
  EXPECT_EQ(a.devices().size(), 2);
}

TEST(OpenclGroupMatrixMove, TakesTheMatrixAlong) {
  const StoredMatrix<float> x(Layout::column, 9, 30, 1);
  GroupMatrix<float> a = dealt(group_of(2), x, 1), b = std::move(a);
  EXPECT_EQ(first_difference(read(b).elements, x.elements), -1);
  a = std::move(b);
  EXPECT_EQ(first_difference(read(a).elements, x.elements), -1);
}

TEST(OpenclGroupMatrixSize, MayBeZero) {
  const std::vector<int64_t> none;
  std::vector<int64_t> pivots;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{0, 0}, {7, 0}}) {
    GroupMatrix<float> a(group_of(2), rows, columns);
    const MatrixView<float> x{nullptr, rows, columns, 1, 7};
    a.write(x);
    EXPECT_EQ(getrf(a, pivots), 0);
    a.read(x);
    EXPECT_TRUE(a.distribution().empty());
  }
  GroupMatrix<float> a(group_of(2), 0, 0);
  EXPECT_EQ(potrf(a), 0);
  GroupMatrix<float> b(a.devices(), 0, 7), c(a.devices(), 0, 7), square(a.devices(), 7, 7);
  const GroupReport report = gemm<float>(1, b, square, 0, c);
  EXPECT_EQ(report.plan.n, 7);
  EXPECT_EQ(report.plan.m, 0);
}

TEST(OpenclGroupMatrixErrors, NameWhatIsWrong) {
  using enum errc;
  const DeviceGroup group = group_of(2);
  auto made = [&](int64_t rows, int64_t columns, int64_t block) { GroupMatrix<float>(group, rows, columns, block); };
  expect_contains(message_of(invalid_argument, [&] { made(-1, 2, 0); }), {"GroupMatrix: rows = -1 is negative"});
  expect_contains(message_of(invalid_argument, [&] { made(1, -2, 0); }), {"GroupMatrix: columns = -2 is negative"});
  expect_contains(message_of(invalid_argument, [&] { made(1, 2, 1025); }), {"block = 1025 is not between 0 and 1024"});
  expect_contains(message_of(overflow, [&] { made(int64_t{1} << 40, int64_t{1} << 40, 0); }), {"do not fit 64 bits"});
  expect_contains(message_of(out_of_memory, [&] { made(int64_t{1} << 30, 4096, 0); }), {"GroupMatrix: ", "bytes"});
  expect_contains(message_of(unsupported, [&] { made((int64_t{1} << 32) + 5, 1, 0); }),
                  {"GroupMatrix: the matrix has 4294967301 rows, more than are taken on a device"});
  expect_contains(message_of(unsupported, [&] { made(0, int64_t{1} << 50, 0); }), {"columns, more than are taken"});

  GroupMatrix<double> a(group, 30, 20, 2);
  StoredMatrix<double> x(Layout::column, 30, 21, 1);
  std::vector<int64_t> pivots(20);
  const BlockedOptions options = options_of(Engine::direct, 2);
  expect_contains(message_of(invalid_argument, [&] { a.write(x.read()); }),
                  {"GroupMatrix::write: columns of the view = 21 is not columns of the matrix = 20"});
  expect_contains(message_of(invalid_argument, [&] { a.read(x.view); }), {"GroupMatrix::read: columns of the view"});
  expect_contains(message_of(invalid_argument, [&] { a.write({nullptr, 30, 20, 1, 30}); }), {"is null"});
  expect_contains(message_of(invalid_argument, [&] { getrf(a, pivots); }),
                  {"getrf: options.block = 0 is not that of A's columns, 2"});
  expect_contains(message_of(invalid_argument, [&] { getrf(a, std::span(pivots).first(19), options); }),
                  {"getrf: pivots has room for 19, of 20 columns"});
  expect_contains(message_of(invalid_argument, [&] { potrf(a, options); }), {"potrf: rows of A = 30"});
  expect_contains(message_of(unsupported, [&] { getrf(a, pivots, options_of(Engine::modular, 2)); }),
                  {"getrf: engine modular with accuracy classic"});
  GroupMatrix<double> wide(group, 20, 30, 2);
  expect_contains(message_of(unsupported, [&] { getrf(wide, pivots, options); }), {"getrf: A, 20 x 30"});
  GroupMatrix<double> even(group, 20, 20, 2);
  StoredMatrix<double> b(Layout::column, 19, 3, 1);
  expect_contains(message_of(invalid_argument, [&] { gesv(a, pivots, b.view, options); }), {"gesv: rows of A = 30"});
  expect_contains(message_of(invalid_argument, [&] { gesv(even, pivots, b.view, options); }),
                  {"gesv: rows of B = 19 is not rows of A = 20"});
  expect_contains(message_of(invalid_argument, [&] { getrs(Op::none, even, pivots, b.view); }), {"getrs: rows of B"});
  expect_contains(message_of(invalid_argument, [&] { getrs(Op::none, even, pivots, x.view.sub(0, 0, 20, 3)); }),
                  {"getrs: pivots[0] = 0"});
  expect_contains(message_of(invalid_argument, [&] { potrs(even, b.view); }), {"potrs: rows of B"});
  expect_contains(message_of(invalid_argument, [&] { posv(even, b.view, options); }), {"posv: rows of B"});
  const GroupMatrix<double> other(group_of(3), 20, 7, 2), tall(group, 21, 7, 2), coarse(group, 20, 7, 3),
      fitting(group, 20, 7, 2);
  GroupMatrix<double> c(group, 30, 7, 2), square(group, 30, 30, 2);
  auto product = [&](const GroupMatrix<double>& of, const GroupMatrix<double>& by) { gemm(1.0, of, by, 0.0, c); };
  expect_contains(message_of(invalid_argument, [&] { product(a, other); }), {"gemm: B is on other devices than C"});
  expect_contains(message_of(invalid_argument, [&] { product(a, tall); }), {"columns of A = 20 is not rows of B = 21"});
  expect_contains(message_of(invalid_argument, [&] { product(a, coarse); }), {"block of B = 3 is not block of C = 2"});
  expect_contains(message_of(invalid_argument, [&] { product(wide, fitting); }),
                  {"rows of A = 20 is not rows of C = 30"});
  expect_contains(message_of(invalid_argument, [&] { product(a, wide); }), {"columns of B = 30 is not columns of C"});
  expect_contains(message_of(invalid_argument, [&] { gemm(1.0, square, square, 0.0, square); }), {"gemm: C is A"});
  // Nothing has changed.
  StoredMatrix<double> y(Layout::column, 30, 20, 1), z(Layout::column, 30, 20, 2);
  a.write(y.read());
  message_of(unsupported, [&] { getrf(a, pivots, options_of(Engine::reproducible, 2)); });
  a.read(z.view);
  EXPECT_EQ(first_difference(y.elements, z.elements), -1);
}

}  // namespace
}  // namespace hilo::test
