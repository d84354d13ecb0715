// Matrices in the memories of devices that have contexts of their own, between which data goes by other ways than
// within one: all GPUs of the platform where there are several, otherwise one device twice. Bits are those of one
// device.
#include <hilo/lapack.hpp>

#include "error_message.hpp"
#include "group_matrices.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;
using T = dd_real;

class OpenclGroupContexts : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};

const DeviceGroup& group() {
  static const DeviceGroup& devices = *new DeviceGroup([] {
    if (DeviceGroup all; all.size() > 1) return all;
    return DeviceGroup(std::vector<Context>{queue().context(), test_context(), queue().context()});
  }());
  return devices;
}

GroupMatrix<T> dealt(const StoredMatrix<T>& x, int64_t block) { return dealt(group(), x, block); }

TEST_F(OpenclGroupContexts, HaveTheLuOfOneDevice) {
  for (const auto& [rows, columns, block] :
       {std::array<int64_t, 3>{137, 137, 2}, {151, 103, 2}, {20, 19, 1}, {401, 401, 4}}) {
    const StoredMatrix<T> x(Layout::column, rows, columns, 1);
    const BlockedOptions options = options_of(block == 4 ? Engine::automatic : Engine::direct, block);
    const OnDevice<T> one(queue(), x);
    GroupMatrix<T> all = dealt(x, block);
    std::vector<int64_t> pivots(static_cast<std::size_t>(columns)), found(pivots);
    const int64_t info = getrf(queue(), one.view, pivots, {}, options);
    // With what the first has left behind, too.
    for (int round = 0; round < 2; ++round) {
      all.write(x.read());
      EXPECT_EQ(getrf(all, found, options), info);
      EXPECT_EQ(found, pivots);
      EXPECT_EQ(first_difference(read(all).elements, one.read(queue())), -1)
          << rows << " x " << columns << ", round " << round;
    }
    if (rows != columns) continue;
    const StoredMatrix<T> sides(Layout::column, rows, 3, 2);
    StoredMatrix<T> y = sides;
    const OnDevice<T> wanted(queue(), sides);
    getrs(queue(), Op::none, one.view, pivots, wanted.view, {}, options);
    getrs(Op::none, all, found, y.view, options);
    EXPECT_EQ(first_difference(y.elements, wanted.read(queue())), -1) << rows << " x " << columns;
  }
}

TEST_F(OpenclGroupContexts, HaveTheCholeskyOfOneDevice) {
  for (const int64_t n : {1, 19, 137, 401}) {
    const StoredMatrix<T> x = positive_matrix<T>(Layout::column, Uplo::lower, n);
    const BlockedOptions options = options_of(n == 401 ? Engine::automatic : Engine::direct, 2);
    const OnDevice<T> one(queue(), x);
    GroupMatrix<T> all = dealt(x, 2);
    EXPECT_EQ(potrf(queue(), Uplo::lower, one.view, {}, options), potrf(all, options));
    EXPECT_EQ(lower_differences(all, one), 0) << n;
  }
}

// Parts of a block have the place of those of an earlier one, of which devices take the long ones late.
TEST_F(OpenclGroupContexts, PassBlocksWhereTheyAreMany) {
  const StoredMatrix<T> x = positive_matrix<T>(Layout::column, Uplo::lower, 301), y(Layout::column, 301, 301, 2);
  const BlockedOptions options = options_of(Engine::direct, 1);
  const OnDevice<T> factor(queue(), x), lu(queue(), y);
  std::vector<int64_t> pivots(301), found(pivots);
  potrf(queue(), Uplo::lower, factor.view, {}, options);
  getrf(queue(), lu.view, pivots, {}, options);
  for (int devices : {4, 5, 7, 9}) {
    std::vector<Context> contexts(static_cast<std::size_t>(devices), queue().context());
    contexts.back() = test_context();
    GroupMatrix<T> matrix = dealt(DeviceGroup(contexts), x, 1);
    EXPECT_EQ(potrf(matrix, options), 0);
    EXPECT_EQ(lower_differences(matrix, factor), 0) << devices << " devices";
    matrix.write(y.read());
    EXPECT_EQ(getrf(matrix, found, options), 0);
    EXPECT_EQ(found, pivots);
    EXPECT_EQ(first_difference(read(matrix).elements, lu.read(queue())), -1) << devices << " devices";
  }
}

TEST_F(OpenclGroupContexts, HaveTheProductOfOneDevice) {
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{67, 83, 41}, {1, 50, 40}, {50, 3, 40}, {20, 30, 0}, {190, 170, 130}}) {
    for (Engine engine : {Engine::direct, Engine::modular}) {
      const StoredMatrix<T> a(Layout::column, m, k, 1), b(Layout::column, k, n, 2), c(Layout::column, m, n, 3);
      const OnDevice<T> x(queue(), a), y(queue(), b), z(queue(), c);
      GroupMatrix<T> dealt_a = dealt(a, 1), dealt_b = dealt(b, 2), dealt_c = dealt(c, 2);
      GemmOptions options;
      options.engine = engine;
      gemm(queue(), T(1.25), x.view, y.view, T(-0.75), z.view, {}, options).wait();
      gemm(T(1.25), dealt_a, dealt_b, T(-0.75), dealt_c, options);
      EXPECT_EQ(first_difference(read(dealt_c).elements, z.read(queue())), -1) << m << " x " << n << " x " << k;
    }
  }
}

}  // namespace
}  // namespace hilo::test
