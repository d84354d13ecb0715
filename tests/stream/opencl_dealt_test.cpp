// LU and Cholesky of pinned matrices by a group, whose devices have their columns: the bits, pivots and info of one
// device.
#include <chrono>
#include <hilo/streaming.hpp>
#include <optional>
#include <thread>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "stream/dealt_factor.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

// The matrix pinned where it lies.
template <class T>
HostBuffer<T> pinned(StoredMatrix<T>& x) {
  return {queue().context(), x.elements.data(), std::ssize(x.elements)};
}

DeviceGroup group_of(int devices) {
  return DeviceGroup(std::vector<Context>(static_cast<std::size_t>(devices), queue().context()));
}

// What others have factored comes to each device of several; a lower trapezium alone to one.
void expect_dealt(int devices, const StreamReport& of_group, const StreamReport& of_one) {
  if (devices > 1) {
    EXPECT_GT(of_group.bytes_in, of_one.bytes_in);
  }
  EXPECT_GT(of_group.seconds, 0.0);
  EXPECT_GT(of_group.seconds_kernel, 0.0);
}

template <class T>
class OpenclDealt : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclDealt, AllPrecisions, NameOfPrecision);

template <class T>
void expect_lu(StoredMatrix<T> one, int devices, const BlockedOptions& options) {
  StoredMatrix<T> all = one;
  const auto n = static_cast<std::size_t>(std::min(one.view.rows, one.view.columns));
  std::vector<int64_t> pivots(n, -1), found(n, -2);
  StreamReport of_one, of_group;
  const HostBuffer<T> lies = pinned(all);
  const int64_t info = getrf(queue(), one.view, pivots, options, &of_one);
  EXPECT_EQ(getrf(group_of(devices), all.view, found, options, &of_group), info);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(all.elements, one.elements), -1)
      << one.view.rows << " x " << one.view.columns << ", " << devices << " devices";
  expect_dealt(devices, of_group, of_one);
}

TYPED_TEST(OpenclDealt, Lu) {
  using T = TypeParam;
  const BlockedOptions direct = options_of(Engine::direct, 2), automatic = options_of(Engine::automatic, 4);
  expect_lu<T>({Layout::column, 137, 137, 1}, 2, direct);
  expect_lu<T>({Layout::row, 203, 200, 2}, 3, direct);
  expect_lu<T>({Layout::column, 139, 133, 7}, 1, direct);
  expect_lu<T>({Layout::column, 150, 310, 3}, 2, direct);
  // Solved for by parts of more rows than a block has.
  if (precision_of<T> == Precision::d) expect_lu<T>({Layout::column, 300, 270, 5}, 2, options_of(Engine::direct, 1));
  if (is_long() || precision_of<T> == Precision::dd) {
    expect_lu<T>({Layout::column, 523, 523, 4}, 2, options_of(Engine::direct, 8));
  }
  // Products that are large enough for the modular engine.
  if (double_double<T> && (is_long() || precision_of<T> == Precision::dd)) {
    expect_lu<T>({Layout::column, 401, 401, 5}, 2, automatic);
    expect_lu<T>({Layout::row, 401, 401, 5}, 1, automatic);
  }
}

TYPED_TEST(OpenclDealt, LuOfColumnsThatAreZero) {
  using T = TypeParam;
  StoredMatrix<T> a(Layout::column, 160, 160, 6);
  for (int64_t i = 0; i < 160; ++i) a.view(i, 37) = a.view(i, 90) = T(0);
  expect_lu<T>(a, 2, options_of(Engine::direct, 2));
}

template <class T>
void expect_cholesky(Uplo uplo, StoredMatrix<T> one, int devices, const BlockedOptions& options) {
  StoredMatrix<T> all = one;
  StreamReport of_one, of_group;
  const HostBuffer<T> lies = pinned(all);
  const int64_t info = potrf(queue(), uplo, one.view, options, &of_one);
  EXPECT_EQ(potrf(group_of(devices), uplo, all.view, options, &of_group), info);
  // What comes after a column without a factor is of no particular value.
  if (info == 0) {
    EXPECT_EQ(first_difference(all.elements, one.elements), -1)
        << one.view.rows << ", " << devices << " devices, " << name(options.engine);
  }
  for (int64_t j = 0; j < one.view.columns; ++j) {
    for (int64_t i = 0; i < one.view.rows; ++i) {
      if (uplo == Uplo::lower ? i < j : i > j) {
        EXPECT_TRUE(all(i, j) == one(i, j));
      }
    }
  }
  EXPECT_NE(of_group.bytes_in, of_one.bytes_in);
  EXPECT_GT(of_group.seconds_kernel, 0.0);
}

TYPED_TEST(OpenclDealt, Cholesky) {
  using T = TypeParam;
  const BlockedOptions direct = options_of(Engine::direct, 2), automatic = options_of(Engine::automatic, 4);
  for (Uplo uplo : both_triangles) {
    expect_cholesky<T>(uplo, positive_matrix<T>(Layout::column, uplo, 137), 2, direct);
    expect_cholesky<T>(uplo, positive_matrix<T>(Layout::row, uplo, 203), 3, direct);
    expect_cholesky<T>(uplo, positive_matrix<T>(Layout::column, uplo, 138), 1, direct);
  }
  if (is_long() || precision_of<T> == Precision::dd) {
    expect_cholesky<T>(Uplo::lower, positive_matrix<T>(Layout::column, Uplo::lower, 523), 2,
                       options_of(Engine::direct, 8));
  }
  if (double_double<T> && (is_long() || precision_of<T> == Precision::dd)) {
    expect_cholesky<T>(Uplo::lower, positive_matrix<T>(Layout::column, Uplo::lower, 401), 2, automatic);
    expect_cholesky<T>(Uplo::upper, positive_matrix<T>(Layout::column, Uplo::upper, 402), 1, automatic);
  }
}

TYPED_TEST(OpenclDealt, CholeskyOfWhatIsNotPositive) {
  using T = TypeParam;
  for (int64_t column : {3, 77, 159}) {
    StoredMatrix<T> a = positive_matrix<T>(Layout::column, Uplo::lower, 160);
    a.view(column, column) = T(-1);
    expect_cholesky<T>(Uplo::lower, a, 2, options_of(Engine::direct, 2));
    expect_cholesky<T>(Uplo::lower, a, 1, options_of(Engine::direct, 2));
  }
}

TYPED_TEST(OpenclDealt, Systems) {
  using T = TypeParam;
  const BlockedOptions options = options_of(Engine::direct, 2);
  StoredMatrix<T> a(Layout::column, 150, 150, 8), b(Layout::column, 150, 7, 9), lu = a, x = b, y = b;
  const HostBuffer<T> lies = pinned(a);
  std::vector<int64_t> pivots(150), found(150);
  EXPECT_EQ(gesv(queue(), lu.view, pivots, x.view, options), 0);
  EXPECT_EQ(gesv(group_of(2), a.view, found, y.view, options), 0);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(y.elements, x.elements), -1);
}

// With a unit that makes large products of bytes faster than others: which engine has a product, and whether a triangle
// is one, the whole decides. Each part alone would be the direct engine's.
TEST(OpenclDealtEngines, AreThoseOfWholeProducts) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  if (queue().context().device().type != DeviceType::cpu) GTEST_SKIP() << "a GPU's own doubles are faster at this size";
  const EnvironmentVariable unit("HILO_INT8_UNIT", "dot_product");
  const BlockedOptions automatic = options_of(Engine::automatic, 4);
  const StoredMatrix<dd_real> a(Layout::column, 401, 401, 12);
  const StoredMatrix<dd_real> positive = positive_matrix<dd_real>(Layout::column, Uplo::lower, 401);
  StoredMatrix<dd_real> modular = a, direct = a;
  std::vector<int64_t> pivots(401);
  getrf(queue(), modular.view, pivots, automatic);
  getrf(queue(), direct.view, pivots, options_of(Engine::direct, 4));
  EXPECT_NE(first_difference(modular.elements, direct.elements), -1);
  for (int devices : {1, 2, 3}) {
    expect_lu(a, devices, automatic);
    expect_cholesky(Uplo::lower, positive, devices, automatic);
  }
}

// A group of the first device and of one that has been described otherwise.
template <class Change>
DeviceGroup group_with_another(Change change) {
  const Context other = test_context();
  change(other.state()->info);
  return DeviceGroup({queue().context(), other});
}

TYPED_TEST(OpenclDealt, MultiplyAndAddAsTheFirstDeviceDoes) {
  using T = TypeParam;
  const DeviceGroup group = group_with_another([](DeviceInfo& info) { info.fma = !info.fma; });
  const BlockedOptions options = options_of(Engine::direct, 2);
  StoredMatrix<T> one(Layout::column, 137, 137, 11), all = one;
  StoredMatrix<T> factor = positive_matrix<T>(Layout::column, Uplo::lower, 137), dealt = factor;
  const HostBuffer<T> lies = pinned(all), lies_too = pinned(dealt);
  std::vector<int64_t> pivots(137), found(137);
  getrf(queue(), one.view, pivots, options);
  getrf(group, all.view, found, options);
  EXPECT_EQ(first_difference(all.elements, one.elements), -1);
  potrf(queue(), Uplo::lower, factor.view, options);
  potrf(group, Uplo::lower, dealt.view, options);
  EXPECT_EQ(first_difference(dealt.elements, factor.elements), -1);
}

// Columns are not dealt where one of the devices has less memory than its share takes.
TEST(OpenclDealtRoom, IsThatOfTheSmallestDevice) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const DeviceGroup group = group_with_another([](DeviceInfo& info) { info.global_memory = 300 << 10; });
  const BlockedOptions options = options_of(Engine::direct, 2);
  StoredMatrix<double> one(Layout::column, 200, 200, 12), alike = one, all = one;
  const HostBuffer<double> lies = pinned(all), lies_too = pinned(alike);
  std::vector<int64_t> pivots(200), found(200);
  StreamReport whole, dealt, report;
  getrf(queue(), one.view, pivots, options, &whole);
  getrf(group_of(2), alike.view, found, options, &dealt);
  getrf(group, all.view, found, options, &report);
  EXPECT_GT(dealt.bytes_in, whole.bytes_in);
  EXPECT_EQ(report.bytes_in, whole.bytes_in);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(all.elements, one.elements), -1);
}

// Pivots, which go to a device beside its other commands, do not meet those of who had their memory before.
TEST(OpenclDealtMemory, IsWrittenOnceItIsFree) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const Context context = test_context();
  const DeviceGroup group({context, context});
  const BlockedOptions options = options_of(Engine::direct, 1);
  const StoredMatrix<double> a(Layout::column, 70, 70, 13);
  StoredMatrix<double> one = a, all = a;
  const HostBuffer<double> lies = pinned(all);
  std::vector<int64_t> pivots(70), found(70);
  getrf(group, one.view, pivots, options);
  opencl::ContextState& state = *context.state();
  const cl::CommandQueue others(state.context, state.device);
  // Of more memory than is kept, what is still in use is lent too.
  state.workspaces.let_go();
  opencl::Workspace much =
      state.workspaces.borrow(state, others, false, state.info.global_memory / 4, "what others have");
  constexpr std::size_t bytes = 4096;
  opencl::Workspace used = state.workspaces.borrow(state, others, false, bytes, "what others use");
  const cl::Buffer buffer = used.buffer();
  others.enqueueFillBuffer(buffer, cl_int{-1}, 0, bytes);
  others.finish();
  cl::UserEvent in_use(state.context);
  used.release(others, in_use);
  std::thread factoring([&] { getrf(group, all.view, found, options); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  std::vector<cl_int> words(bytes / sizeof(cl_int));
  others.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, words.data());
  in_use.setStatus(CL_COMPLETE);
  factoring.join();
  EXPECT_EQ(std::ranges::count(words, -1), std::ssize(words));
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(all.elements, one.elements), -1);
  much.release(others, {});
}

}  // namespace
}  // namespace hilo::test
