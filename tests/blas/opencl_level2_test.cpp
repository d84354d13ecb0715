// Level 2 in device memory: the host's bits in DD and ZDD, its values in S, D, C and Z.
#include <hilo/blas.hpp>

#include "error_message.hpp"
#include "level2_cases.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class OpenclLevel2 : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_single(precision_of<T>) && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclLevel2, AllPrecisions, NameOfPrecision);

// Bits, or the largest difference in ε of the largest element.
template <class T>
void expect_alike(const std::vector<T>& found, const std::vector<T>& expected, const std::string& what) {
  if (double_double<T>) {
    EXPECT_EQ(first_difference(found, expected), -1) << what;
    return;
  }
  double most = 0.0, error = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    most = std::max(most, magnitude(expected[i]));
    if (found[i] != expected[i]) error = std::max(error, magnitude(wide(found[i]) - wide(expected[i])));
  }
  EXPECT_LE(error, 200 * epsilon_of<T> * most) << what;
}

// A matrix and vectors, of which calls on the device are compared with those on the host.
template <class T>
class Case {
 public:
  Case(const Level2Case<T>& c, std::int64_t columns)
      : c_(c),
        a_(c.layout, is_transposed(c.op) ? columns : c.n, is_transposed(c.op) ? c.n : columns, c.seed),
        x_(columns, c.x_stride, c.seed + 1),
        y_(c.n, c.y_stride, c.seed + 2) {}

  /// Near the identity, so that solving makes nothing large; NaN where the triangle is not.
  void keep_triangle(bool with_diagonal) {
    a_.fill([&](std::int64_t i, std::int64_t j) {
      if (i == j) return with_diagonal ? a_(i, j) + T(2) : not_a_number<T>();
      return (i > j) == (c_.uplo == Uplo::lower) ? a_(i, j) * T(0.0625) : not_a_number<T>();
    });
  }
  StoredMatrix<T>& a() { return a_; }
  StoredVector<T>& x() { return x_; }
  StoredVector<T>& y() { return y_; }

  /// host(A, x, y) and device(queue, A, x, y), which write what is not const.
  template <class Host, class Device>
  void compare(const char* routine, bool conjugates, Host host, Device device) const {
    StoredMatrix<T> a = a_;
    StoredVector<T> x = x_, y = y_;
    const OnDevice<T> da(queue(), a_);
    const VectorOnDevice<T> dx(queue(), x_), dy(queue(), y_);
    const Op op = conjugates ? c_.op : is_transposed(c_.op) ? Op::transpose : Op::none;
    host(a.view.turned(op), x.view, y.view);
    device(queue(), da.view.turned(op), dx.view, dy.view).wait();
    const std::string what = std::string(routine) + ", case " + std::to_string(c_.seed) + ", " + std::to_string(c_.n);
    expect_alike(da.read(queue()), a.elements, what + ", A");
    expect_alike(dx.read(queue()).elements, x.elements, what + ", x");
    expect_alike(dy.read(queue()).elements, y.elements, what + ", y");
  }
  Uplo uplo() const { return flipped(c_.uplo, c_.op); }

 private:
  Level2Case<T> c_;
  StoredMatrix<T> a_;
  StoredVector<T> x_, y_;
};

#define HILO_ON_HOST(...) [&](const auto& a, const auto& x, const auto& y) { (void)a, (void)x, (void)y, __VA_ARGS__; }
#define HILO_ON_DEVICE(...) \
  [&](Queue& q, const auto& a, const auto& x, const auto& y) { return (void)a, (void)x, (void)y, __VA_ARGS__; }

template <class T>
void compare_products(const Level2Case<T>& c) {
  const Uplo uplo = flipped(c.uplo, c.op);
  const T alpha = c.seed % 4 == 0 ? T(1) : element_of<T>(0.75, -0.5);
  const T beta = c.seed % 5 == 0 ? T(1) : c.seed % 5 == 1 ? T(0) : element_of<T>(-1.5, 0.25);
  Case<T> general(c, c.n + 7), symmetric(c, c.n);
  // Which is not read.
  if (beta == T(0)) general.y().fill([](std::int64_t) { return not_a_number<T>(); });
  general.compare("gemv", true, HILO_ON_HOST(gemv(alpha, a, x, beta, y)),
                  HILO_ON_DEVICE(gemv(q, alpha, a, x, beta, y)));
  symmetric.keep_triangle(true);
  symmetric.compare("symv", true, HILO_ON_HOST(symv(uplo, alpha, a, x, beta, y)),
                    HILO_ON_DEVICE(symv(q, uplo, alpha, a, x, beta, y)));
  symmetric.compare("hemv", true, HILO_ON_HOST(hemv(uplo, alpha, a, x, beta, y)),
                    HILO_ON_DEVICE(hemv(q, uplo, alpha, a, x, beta, y)));
}

template <class T>
void compare_triangles(const Level2Case<T>& c) {
  const Uplo uplo = flipped(c.uplo, c.op);
  Case<T> triangle(c, c.n);
  triangle.keep_triangle(c.diag == Diag::non_unit);
  triangle.compare("trmv", true, HILO_ON_HOST(trmv(uplo, c.diag, a, x)), HILO_ON_DEVICE(trmv(q, uplo, c.diag, a, x)));
  triangle.compare("trsv", true, HILO_ON_HOST(trsv(uplo, c.diag, a, x)), HILO_ON_DEVICE(trsv(q, uplo, c.diag, a, x)));
}

template <class T>
void compare_updates(const Level2Case<T>& c) {
  using R = real_type<T>;
  const Uplo uplo = flipped(c.uplo, c.op);
  const T alpha = c.seed % 4 == 0 ? T(1) : element_of<T>(0.75, -0.5);
  const Case<T> general(c, c.n + 7), square(c, c.n);
  general.compare("ger", false, HILO_ON_HOST(ger(alpha, y, x, a)), HILO_ON_DEVICE(ger(q, alpha, y, x, a)));
  general.compare("geru", false, HILO_ON_HOST(geru(alpha, y, x, a)), HILO_ON_DEVICE(geru(q, alpha, y, x, a)));
  square.compare("syr", false, HILO_ON_HOST(syr(uplo, alpha, x, a)), HILO_ON_DEVICE(syr(q, uplo, alpha, x, a)));
  square.compare("her", false, HILO_ON_HOST(her(uplo, R(0.75F), x, a)), HILO_ON_DEVICE(her(q, uplo, R(0.75F), x, a)));
  square.compare("syr2", false, HILO_ON_HOST(syr2(uplo, alpha, x, y, a)),
                 HILO_ON_DEVICE(syr2(q, uplo, alpha, x, y, a)));
  square.compare("her2", false, HILO_ON_HOST(her2(uplo, alpha, x, y, a)),
                 HILO_ON_DEVICE(her2(q, uplo, alpha, x, y, a)));
}

// A third of the cases unless there is time, in which every way a matrix lies occurs.
template <class T, class F>
void for_some_cases(F f) {
  for_cases<T>([&](const Level2Case<T>& c) {
    if (c.seed % 3 == 0 || is_long()) f(c);
  });
}

// Every way a matrix lies, with more rows than a tile has, and enough for tiles that serve both triangles.
template <class T, class F>
void for_large_cases(F f) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : {257, 600, 650}) {
    for (const Layout layout : both_layouts) {
      for (const Op op : {Op::none, Op::conjugate_transpose}) {
        for (const Uplo uplo : both_triangles) {
          const Diag diag = ++seed % 2 ? Diag::unit : Diag::non_unit;
          f(Level2Case<T>{layout, op, uplo, diag, n, level2_strides[seed % 4], level2_strides[seed / 4 % 4], seed});
        }
      }
    }
  }
}

TYPED_TEST(OpenclLevel2, MultipliesByMatrices) {
  for_some_cases<TypeParam>(compare_products<TypeParam>);
  for_large_cases<TypeParam>(compare_products<TypeParam>);
}
TYPED_TEST(OpenclLevel2, MultipliesByTrianglesAndSolves) {
  for_some_cases<TypeParam>(compare_triangles<TypeParam>);
  for_large_cases<TypeParam>(compare_triangles<TypeParam>);
}
TYPED_TEST(OpenclLevel2, Updates) {
  for_some_cases<TypeParam>(compare_updates<TypeParam>);
  for_large_cases<TypeParam>(compare_updates<TypeParam>);
}

// Few rows or few columns, or none.
TYPED_TEST(OpenclLevel2, LongMatrices) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{3, 5000}, {5000, 3}, {70, 0}, {0, 70}}) {
    for (const Layout layout : both_layouts) {
      const Level2Case<T> c{layout, Op::none, Uplo::lower, Diag::unit, m, 1, 1, 5};
      Case<T>(c, n).compare("gemv", true, HILO_ON_HOST(gemv(T(2), a, x, T(3), y)),
                            HILO_ON_DEVICE(gemv(q, T(2), a, x, T(3), y)));
      Case<T>(c, n).compare("ger", false, HILO_ON_HOST(ger(T(2), y, x, a)), HILO_ON_DEVICE(ger(q, T(2), y, x, a)));
    }
  }
}

// Sums that are not finite are plain sums, with their infinities; a factor of 0 reads no matrix.
TYPED_TEST(OpenclLevel2, InfinitiesNaNAndZeroFactors) {
  using T = TypeParam;
  const double large = is_single(precision_of<T>) ? 0x1p127 : 0x1p1023;
  for (const Layout layout : both_layouts) {
    const Level2Case<T> c{layout, Op::none, Uplo::lower, Diag::non_unit, 150, 1, 1, 5};
    for (const T& special : {element_of<T>(infinity, 0), not_a_number<T>(), element_of<T>(large, large)}) {
      if (!double_double<T>) break;
      Case<T> all(c, 150);
      all.keep_triangle(true);
      all.a().fill([&](std::int64_t i, std::int64_t j) { return i >= j ? all.a()(i, j) : T(0.5F); });
      all.a().view(70, 66) = all.a().view(140, 3) = special;
      all.compare("gemv", true, HILO_ON_HOST(gemv(T(2), a, x, T(1), y)), HILO_ON_DEVICE(gemv(q, T(2), a, x, T(1), y)));
      all.compare("hemv", true, HILO_ON_HOST(hemv(Uplo::lower, T(1), a, x, T(0), y)),
                  HILO_ON_DEVICE(hemv(q, Uplo::lower, T(1), a, x, T(0), y)));
      for (const Uplo uplo : both_triangles) {
        all.compare("trmv", true, HILO_ON_HOST(trmv(uplo, Diag::unit, a, x)),
                    HILO_ON_DEVICE(trmv(q, uplo, Diag::unit, a, x)));
        all.compare("trsv", true, HILO_ON_HOST(trsv(uplo, Diag::non_unit, a, x)),
                    HILO_ON_DEVICE(trsv(q, uplo, Diag::non_unit, a, x)));
      }
      all.x().view(9) = special;
      all.compare("ger", false, HILO_ON_HOST(ger(T(2), y, x, a)), HILO_ON_DEVICE(ger(q, T(2), y, x, a)));
      all.compare("her", false, HILO_ON_HOST(her(Uplo::upper, real_type<T>(2), x, a)),
                  HILO_ON_DEVICE(her(q, Uplo::upper, real_type<T>(2), x, a)));
      all.compare("her2", false, HILO_ON_HOST(her2(Uplo::lower, T(2), x, y, a)),
                  HILO_ON_DEVICE(her2(q, Uplo::lower, T(2), x, y, a)));
    }
    Case<T> none(c, 150);
    none.a().fill([](std::int64_t, std::int64_t) { return not_a_number<T>(); });
    for (const T& beta : {T(0), T(1), T(3)}) {
      none.compare("gemv", true, HILO_ON_HOST(gemv(T(0), a, x, beta, y)), HILO_ON_DEVICE(gemv(q, T(0), a, x, beta, y)));
      const auto y_of = [&](auto call) {
        const VectorOnDevice<T> y(queue(), none.y());
        const OnDevice<T> a(queue(), none.a());
        const VectorOnDevice<T> x(queue(), none.x());
        call(a.view, x.view, y.view).wait();
        return y.read(queue()).in_order();
      };
      const std::vector<T> found = y_of(
          [&](const auto& a, const auto& x, const auto& y) { return hemv(queue(), Uplo::lower, T(0), a, x, beta, y); });
      for (std::int64_t i = 0; i < 150; ++i) EXPECT_FALSE(std::isnan(magnitude(found[static_cast<std::size_t>(i)])));
    }
    StoredVector<T> x(150, 1, 2);
    x.fill([](std::int64_t) { return not_a_number<T>(); });
    StoredMatrix<T> a(layout, 150, 150, 4);
    const OnDevice<T> da(queue(), a);
    ger(queue(), T(0), VectorOnDevice<T>(queue(), x).view, VectorOnDevice<T>(queue(), x).view, da.view).wait();
    EXPECT_EQ(first_difference(da.read(queue()), a.elements), -1);
  }
}

// Zeros of both signs in A, and one among factors, of which a work-group's other lines know nothing.
TYPED_TEST(OpenclLevel2, UpdatesOfZeros) {
  using T = TypeParam;
  if (!double_double<T>) return;
  for (const Layout layout : both_layouts) {
    Case<T> all({layout, Op::none, Uplo::lower, Diag::non_unit, 150, 1, 1, 5}, 150);
    all.a().fill([&](std::int64_t i, std::int64_t j) {
      return (i + j) % 3 == 0 ? element_of<T>(-0.0, i % 2 == 0 ? -0.0 : 1.5) : all.a()(i, j);
    });
    for (const bool has_zero : {false, true}) {
      if (has_zero) all.x().view(9) = element_of<T>(0, -1.25);
      all.compare("ger", false, HILO_ON_HOST(ger(T(2), y, x, a)), HILO_ON_DEVICE(ger(q, T(2), y, x, a)));
      all.compare("her2", false, HILO_ON_HOST(her2(Uplo::lower, T(2), x, y, a)),
                  HILO_ON_DEVICE(her2(q, Uplo::lower, T(2), x, y, a)));
    }
  }
}

// What they wait for writes A; the last command is the event's.
TEST(OpenclLevel2Calls, WaitForEventsAndEndWithTheirs) {
  const Context context = queue().context();
  cl::CommandQueue out_of_order(context.state()->context, context.state()->device,
                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue queues[] = {Queue(context), Queue(out_of_order())};
  for (Queue& q : queues) {
    StoredMatrix<float> a(Layout::column, 200, 200, 3);
    a.fill([&](std::int64_t i, std::int64_t j) { return i == j ? 2.0F : a(i, j) / 64; });
    StoredVector<float> x(200, 1, 1), y(200, 2, 2);
    const OnDevice<float> late(q, StoredMatrix<float>(Layout::column, 200, 200));
    const VectorOnDevice<float> u(q, x), v(q, y);
    cl::UserEvent written(context.state()->context);
    const Event product = gemv(q, 2, late.view, u.view, 1, v.view, {Event(written())});
    const Event solved = trsv(q, Uplo::lower, Diag::non_unit, late.view, v.view, {product});
    const Event multiplied = trmv(q, Uplo::upper, Diag::unit, late.view, v.view, {solved});
    Buffer<float> buffer = late.buffer;
    buffer.write(queue(), a.elements.data(), 0, buffer.size());
    written.setStatus(CL_COMPLETE);
    multiplied.wait();
    gemv(2, a.read(), x.read(), 1, y.view);
    trsv(Uplo::lower, Diag::non_unit, a.read(), y.view);
    trmv(Uplo::upper, Diag::unit, a.read(), y.view);
    expect_alike(v.read(queue()).elements, y.elements, "three calls");
  }
}

TEST(OpenclLevel2Calls, RefuseWhatCannotBeRight) {
  Queue& q = queue();
  const StoredMatrix<float> square(Layout::column, 4, 4, 3);
  const StoredVector<float> first(4, 1, 1), second(4, 1, 2);
  const OnDevice<float> a(q, square);
  const VectorOnDevice<float> x(q, first), y(q, second);
  const auto refuses = [&](auto call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
    EXPECT_EQ(first_difference(a.read(q), square.elements), -1);
    EXPECT_EQ(first_difference(x.read(q).elements, first.elements), -1);
    EXPECT_EQ(first_difference(y.read(q).elements, second.elements), -1);
  };
  const BufferView<float> narrow = a.view.sub(0, 0, 4, 3);
  BufferVector<float> in_a{a.buffer, a.view.offset + 1, 4, 1}, bad = x.view;
  bad.offset = x.buffer.size();
  BufferView<float> conjugated = a.view;
  conjugated.conjugate = true;
  refuses([&] { gemv(q, 1, narrow, x.view, 0, y.view); }, {"gemv: elements of x = 4 is not columns of A = 3"});
  refuses([&] { gemv(q, 1, a.view, x.view, 0, x.view); }, {"gemv: y overlaps x"});
  refuses([&] { gemv(q, 1, a.view, x.view, 0, in_a); }, {"gemv: y overlaps A"});
  refuses([&] { gemv(q, 1, a.view, bad, 0, y.view); }, {"gemv: x, of 4 elements", "is not within its buffer"});
  refuses([&] { symv(q, Uplo::lower, 1, narrow, x.view, 0, y.view); }, {"symv: A, 4 x 3, is not square"});
  refuses([&] { hemv(q, Uplo(2), 1, a.view, x.view, 0, y.view); }, {"hemv: uplo = 2"});
  refuses([&] { trmv(q, Uplo::lower, Diag(3), a.view, x.view); }, {"trmv: diag = 3"});
  refuses([&] { trsv(q, Uplo::lower, Diag::unit, a.view, in_a); }, {"trsv: x overlaps A"});
  refuses([&] { ger(q, 1, in_a, y.view, a.view); }, {"ger: A overlaps x"});
  refuses([&] { geru(q, 1, x.view, y.view, conjugated); }, {"geru: A is conjugated, which a result cannot be"});
  refuses([&] { syr(q, Uplo::lower, 1, x.view, narrow); }, {"syr: A, 4 x 3, is not square"});
  refuses([&] { her2(q, Uplo::lower, 1, x.view, in_a, a.view); }, {"her2: A overlaps y"});
}

}  // namespace
}  // namespace hilo::test
