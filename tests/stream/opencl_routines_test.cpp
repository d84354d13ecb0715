// Routines on matrices of host memory: with device memory for a tenth of them, and for all, the bits of the same
// routine on matrices in device memory.
#include <hilo/streaming.hpp>
#include <optional>

#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl_queue.hpp"
#include "stream/devices.hpp"
#include "stream/multiply.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

// Of whole tiles of bytes, as GPUs multiply them for ZDD, a few take more than a tenth of matrices as small as these.
template <class T>
Engine engine_of_pieces() {
  const bool is_gpu = queue().context().device().type == DeviceType::gpu;
  return is_gpu && precision_of<T> == Precision::zdd ? Engine::direct : Engine::automatic;
}

template <class T>
int64_t bytes_of(const StoredMatrix<T>& x) {
  return x.view.rows * x.view.columns * static_cast<int64_t>(sizeof(T));
}

// run(options, report) with device memory for all, and for a part of `bytes`, after which expect(what) compares.
template <class Run, class Expect>
void with_memory(BlockedOptions options, int64_t bytes, int64_t part, Run run, Expect expect) {
  StreamReport whole, pieces;
  run(options, &whole);
  expect("whole");
  options.device_bytes = bytes / part;
  run(options, &pieces);
  expect("in pieces");
  EXPECT_GT(whole.bytes_in, 0);
  EXPECT_NE(pieces.bytes_in, whole.bytes_in);
  EXPECT_GT(pieces.seconds, 0.0);
  EXPECT_GT(pieces.seconds_kernel, 0.0);
}

template <class T>
class OpenclStreamedRoutines : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclStreamedRoutines, AllPrecisions, NameOfPrecision);

template <class T>
void expect_lu(Layout layout, int64_t m, int64_t n, const BlockedOptions& options, int64_t part = 10) {
  StoredMatrix<T> a(layout, m, n, 3);
  const OnDevice<T> there(queue(), a);
  std::vector<int64_t> pivots(static_cast<std::size_t>(std::min(m, n)), -1);
  const int64_t info = getrf(queue(), there.view, pivots, {}, options);
  const std::vector<T> wanted = there.read(queue());
  std::optional<StoredMatrix<T>> x;
  std::vector<int64_t> found(pivots.size());
  with_memory(
      options, bytes_of(a), part,
      [&](const BlockedOptions& with, StreamReport* report) {
        x.emplace(a);
        EXPECT_EQ(getrf(queue(), x->view, found, with, report), info);
      },
      [&](const char* what) {
        EXPECT_EQ(found, pivots) << what;
        EXPECT_EQ(first_difference(x->elements, wanted), -1) << what << ' ' << m << " x " << n;
      });
}

TYPED_TEST(OpenclStreamedRoutines, Lu) {
  using T = TypeParam;
  expect_lu<T>(Layout::column, 523, 523, options_of(engine_of_pieces<T>(), 16));
  if (is_long()) expect_lu<T>(Layout::row, 523, 431, options_of(Engine::direct, 16));
  expect_lu<T>(Layout::column, 431, 523, options_of(Engine::direct, 16));
  if (double_double<T> && is_long()) expect_lu<T>(Layout::column, 450, 450, options_of(Engine::modular, 32), 1);
}

template <class T>
void expect_cholesky(const StoredMatrix<T>& a, Uplo uplo, const BlockedOptions& options) {
  const OnDevice<T> there(queue(), a);
  EXPECT_EQ(potrf(queue(), uplo, there.view, {}, options), 0);
  const std::vector<T> wanted = there.read(queue());
  std::optional<StoredMatrix<T>> x;
  with_memory(
      options, bytes_of(a), 10,
      [&](const BlockedOptions& with, StreamReport* report) {
        x.emplace(a);
        EXPECT_EQ(potrf(queue(), uplo, x->view, with, report), 0);
      },
      [&](const char* what) { EXPECT_EQ(first_difference(x->elements, wanted), -1) << what; });
}

TYPED_TEST(OpenclStreamedRoutines, Cholesky) {
  using T = TypeParam;
  for (Uplo uplo : both_triangles) {
    const Layout layout = uplo == Uplo::lower ? Layout::column : Layout::row;
    expect_cholesky(positive_matrix<T>(layout, uplo, 461), uplo, options_of(engine_of_pieces<T>(), 16));
    if (is_long()) expect_cholesky(positive_matrix<T>(layout, uplo, 523), uplo, options_of(Engine::direct, 16));
  }
}

TYPED_TEST(OpenclStreamedRoutines, WhatHasNoFactors) {
  using T = TypeParam;
  const int64_t n = 300;
  BlockedOptions options = options_of(Engine::direct, 16);
  options.device_bytes = n * n * static_cast<int64_t>(sizeof(T)) / 4;
  StoredMatrix<T> indefinite = positive_matrix<T>(Layout::column, Uplo::lower, n);
  indefinite.view(211, 211) = T(-1);
  EXPECT_EQ(potrf(queue(), Uplo::lower, indefinite.view, options), 212);
  StoredMatrix<T> singular(Layout::column, n, n, 8);
  for (int64_t i = 0; i < n; ++i) singular.view(i, 170) = T(0);
  std::vector<int64_t> pivots(n);
  EXPECT_EQ(getrf(queue(), singular.view, pivots, options), 171);
}

TYPED_TEST(OpenclStreamedRoutines, TriangularSolves) {
  using T = TypeParam;
  const int64_t n = 310, m = 290;
  for (Side side : {Side::left, Side::right}) {
    for (Uplo uplo : both_triangles) {
      StoredMatrix<T> a(Layout::column, n, n, 11);
      for (int64_t i = 0; i < n; ++i) a.view(i, i) = T(40);
      const StoredMatrix<T> b =
          side == Side::left ? StoredMatrix<T>(Layout::row, n, m, 12) : StoredMatrix<T>(Layout::column, m, n, 12);
      const T alpha = uplo == Uplo::lower ? T(1) : T(-0.75);
      const BlockedOptions options = options_of(Engine::direct, 16);
      const OnDevice<T> divisor(queue(), a), there(queue(), b);
      trsm(queue(), side, uplo, Diag::non_unit, alpha, divisor.view, there.view, {}, options).wait();
      const std::vector<T> wanted = there.read(queue());
      std::optional<StoredMatrix<T>> x;
      with_memory(
          options, bytes_of(a) + bytes_of(b), 10,
          [&](const BlockedOptions& with, StreamReport* report) {
            x.emplace(b);
            trsm(queue(), side, uplo, Diag::non_unit, alpha, a.read(), x->view, with, report);
          },
          [&](const char* what) { EXPECT_EQ(first_difference(x->elements, wanted), -1) << what; });
    }
  }
}

TYPED_TEST(OpenclStreamedRoutines, SymmetricUpdates) {
  using T = TypeParam;
  const int64_t n = 410, k = 70;
  for (Uplo uplo : both_triangles) {
    for (Engine engine :
         is_long() ? std::vector{Engine::direct, engine_of_pieces<T>()} : std::vector{engine_of_pieces<T>()}) {
      for (float beta : {0.0F, -0.5F}) {
        const StoredMatrix<T> a(Layout::column, n, k, 21), c(Layout::row, n, n, 22);
        const BlockedOptions options = options_of(engine, 16);
        const OnDevice<T> factor(queue(), a), there(queue(), c), hermitian(queue(), c);
        syrk(queue(), uplo, T(1.5), factor.view, T(beta), there.view, {}, options).wait();
        herk(queue(), uplo, real_type<T>(1.5), factor.view, real_type<T>(beta), hermitian.view, {}, options).wait();
        const std::vector<T> wanted = there.read(queue()), wanted_hermitian = hermitian.read(queue());
        std::optional<StoredMatrix<T>> x, y;
        with_memory(
            options, bytes_of(a) + bytes_of(c), 10,
            [&](const BlockedOptions& with, StreamReport* report) {
              x.emplace(c);
              y.emplace(c);
              herk(queue(), uplo, real_type<T>(1.5), a.read(), real_type<T>(beta), y->view, with);
              syrk(queue(), uplo, T(1.5), a.read(), T(beta), x->view, with, report);
            },
            [&](const char* what) {
              EXPECT_EQ(first_difference(x->elements, wanted), -1) << what << ' ' << name(engine);
              EXPECT_EQ(first_difference(y->elements, wanted_hermitian), -1) << what << ", Hermitian";
            });
      }
    }
  }
}

TYPED_TEST(OpenclStreamedRoutines, Systems) {
  using T = TypeParam;
  const int64_t n = 403, columns = 9;
  const StoredMatrix<T> a(Layout::column, n, n, 31), b(Layout::column, n, columns, 32);
  BlockedOptions options = options_of(Engine::direct, 16), small = options;
  small.device_bytes = bytes_of(a) / 8;
  StoredMatrix<T> lu = a, x = b, factors = a, y = b;
  std::vector<int64_t> pivots(n), found(n);
  EXPECT_EQ(gesv(queue(), lu.view, pivots, x.view, options), 0);
  EXPECT_EQ(gesv(queue(), factors.view, found, y.view, small), 0);
  EXPECT_EQ(found, pivots);
  EXPECT_EQ(first_difference(y.elements, x.elements), -1);
  for (const Op op : every_op) {
    const OnDevice<T> there(queue(), lu), right(queue(), b);
    getrs(queue(), op, there.view, pivots, right.view, {}, options);
    StoredMatrix<T> z = b;
    getrs(queue(), op, lu.read(), pivots, z.view, small);
    EXPECT_EQ(first_difference(z.elements, right.read(queue())), -1) << name(op);
  }
  for (Uplo uplo : both_triangles) {
    const StoredMatrix<T> positive = positive_matrix<T>(Layout::row, uplo, n);
    StoredMatrix<T> factor = positive, its = positive, u = b, v = b, w = b;
    EXPECT_EQ(posv(queue(), uplo, factor.view, u.view, options), 0);
    EXPECT_EQ(posv(queue(), uplo, its.view, v.view, small), 0);
    EXPECT_EQ(first_difference(its.elements, factor.elements), -1);
    EXPECT_EQ(first_difference(v.elements, u.elements), -1);
    potrs(queue(), uplo, factor.read(), w.view, small);
    EXPECT_EQ(first_difference(w.elements, u.elements), -1);
  }
}

// The products of several devices have the bits of one's.
TYPED_TEST(OpenclStreamedRoutines, Groups) {
  using T = TypeParam;
  const int64_t n = 401;
  const BlockedOptions options = options_of(Engine::direct, 32);
  BlockedOptions small = options;
  for (int devices : is_long() ? std::vector{2, 3, 4} : std::vector{2}) {
    const DeviceGroup group(std::vector<Context>(static_cast<std::size_t>(devices), queue().context()));
    StoredMatrix<T> a(Layout::column, n, n, 41), one = a, all = a;
    small.device_bytes = bytes_of(a) / 8;
    std::vector<int64_t> pivots(n), found(n);
    StreamReport report;
    EXPECT_EQ(getrf(queue(), one.view, pivots, options), 0);
    EXPECT_EQ(getrf(group, all.view, found, small, &report), 0);
    EXPECT_EQ(found, pivots);
    EXPECT_EQ(first_difference(all.elements, one.elements), -1) << devices << " devices";
    const StoredMatrix<T> positive = positive_matrix<T>(Layout::column, Uplo::lower, n);
    StoredMatrix<T> on_one = positive, on_all = positive;
    EXPECT_EQ(potrf(queue(), Uplo::lower, on_one.view, options), 0);
    EXPECT_EQ(potrf(group, Uplo::lower, on_all.view, small), 0);
    EXPECT_EQ(first_difference(on_all.elements, on_one.elements), -1) << devices << " devices";
  }
}

// As factorisations have products by moduli: what nobody waits for figures of.
DevicePlan plan_unwatched(opencl::ContextState& context, const GemmShape& shape, const DeviceProduct& product,
                          const GemmOptions& options) {
  DevicePlan plan = plan_product(context, shape, product, options);
  if (auto* own = std::get_if<modular::DevicePlan>(&plan.engine)) own->is_unwatched = true;
  return plan;
}

// Triangles in panels are those of the whole product, and nothing beside them changes.
template <class T>
void expect_triangles(const GemmOptions& options, stream::Planner* planner, float beta) {
  const int64_t n = 330, k = 70;
  const StoredMatrix<T> a(Layout::column, n, k, 51), b(Layout::row, k, n, 52), c(Layout::row, n, n, 53);
  StoredMatrix<T> whole = c;
  std::vector<StreamReport> streams;
  const stream::Devices one = stream::devices_of(queue());
  const auto shape = shape_of_views(lines_of(a.view), lines_of(b.view), lines_of(c.view), sizeof(T));
  const Product<T> product{T(-0.75), a.read(), b.read(), T(beta), whole.view};
  stream::multiply<T>(one, planner, shape, product, options, streams);
  GemmOptions small = options;
  small.device_bytes = bytes_of(c) * (options.engine == Engine::modular ? 2 : 1);
  for (Uplo uplo : both_triangles) {
    for (int devices : {1, 3}) {
      const DeviceGroup group(std::vector<Context>(static_cast<std::size_t>(devices), queue().context()));
      StoredMatrix<T> x = c, wanted = whole;
      wanted.fill(
          [&](int64_t i, int64_t j) { return (uplo == Uplo::lower ? i >= j : i <= j) ? whole(i, j) : c(i, j); });
      Product<T> of_triangle{T(-0.75), a.read(), b.read(), T(beta), x.view, {}, uplo};
      streams.clear();
      EXPECT_TRUE(stream::multiply_triangle<T>(stream::devices_of(group), planner, of_triangle, small, streams));
      EXPECT_EQ(first_difference(x.elements, wanted.elements), -1) << devices << ' ' << name(options.engine);
      EXPECT_EQ(std::ssize(streams), devices);
      // Panels on one side of the diagonal do not return.
      int64_t bytes = 0;
      for (const StreamReport& s : streams) bytes += s.bytes_out;
      EXPECT_LT(bytes, bytes_of(c) * 9 / 10);
    }
  }
}

TYPED_TEST(OpenclStreamedRoutines, Triangles) {
  using T = TypeParam;
  for (float beta : {0.0F, 0.5F}) {
    expect_triangles<T>({.engine = Engine::direct}, plan_product, beta);
    if constexpr (double_double<T>) {
      expect_triangles<T>({.engine = Engine::modular}, plan_product, beta);
      expect_triangles<T>({.engine = Engine::modular, .accuracy = Accuracy::normwise}, plan_unwatched, beta);
    }
  }
}

// Rows and columns with Inf or NaN are NaN in panels as in one piece.
TYPED_TEST(OpenclStreamedRoutines, SpoiltLines) {
  using T = TypeParam;
  if constexpr (double_double<T>) {
    const int64_t n = 300, k = 70;
    StoredMatrix<T> a(Layout::column, n, k, 61), b(Layout::column, k, n, 62), c(Layout::column, n, n, 63);
    a.view(250, 3) = T(std::numeric_limits<double>::infinity());
    b.view(69, 17) = T(std::numeric_limits<double>::quiet_NaN());
    GemmOptions options{.engine = Engine::modular, .accuracy = Accuracy::normwise};
    const auto shape = shape_of_views(lines_of(a.view), lines_of(b.view), lines_of(c.view), sizeof(T));
    for (const T beta : {T(0.5), T(0)}) {
      options.device_bytes = 0;
      StoredMatrix<T> whole = c, panels = c;
      std::vector<StreamReport> streams;
      for (StoredMatrix<T>* x : {&whole, &panels}) {
        stream::multiply<T>(stream::devices_of(queue()), plan_unwatched, shape,
                            {T(1), a.read(), b.read(), beta, x->view}, options, streams);
        options.device_bytes = 2 * bytes_of(c);
      }
      EXPECT_EQ(std::ssize(streams), 1);
      EXPECT_EQ(first_difference(panels.elements, whole.elements), -1);
      EXPECT_TRUE(panels(250, 5) != panels(250, 5));
      EXPECT_TRUE(panels(5, 17) != panels(5, 17));
    }
  }
}

TEST(OpenclStreamedCalls, RefuseMoreThanKernelsCount) {
  float one = 1;
  const MatrixView<float> a{&one, 1, 1, 1, 1}, wide{&one, 1, (int64_t{1} << 32) + 5, 1, 1};
  const std::string message =
      message_of(errc::unsupported, [&] { trsm<float>(queue(), Side::left, Uplo::lower, Diag::non_unit, 1, a, wide); });
  expect_contains(message, {"trsm: B has 4294967301 columns, more than are taken on a device, which is 2147479552"});
}

}  // namespace
}  // namespace hilo::test
