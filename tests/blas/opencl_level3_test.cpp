// Level 3 in device memory: the host's bits in DD and ZDD, its values in S, D, C and Z.
#include <cmath>
#include <hilo/blas.hpp>
#include <limits>
#include <tuple>

#include "blas/level3.hpp"
#include "blas/opencl/place.hpp"
#include "environment_variable.hpp"
#include "error_message.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"

namespace hilo::test {
namespace {

template <class T>
class OpenclLevel3 : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_single(precision_of<T>) && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclLevel3, AllPrecisions, NameOfPrecision);

const BlockedOptions direct{.engine = Engine::direct, .fma = Fma::on};
// In the long form with blocks by turns.
BlockedOptions options_of(std::int64_t n) {
  BlockedOptions x = direct;
  if (is_long()) x.block = every_block[n % 5];
  return x;
}
Layout layout_of(std::int64_t n) { return is_long() ? both_layouts[n / 5 % 2] : Layout::column; }

// Of S, D, C and Z the largest difference in ε of the largest entry.
template <class T>
void expect_alike(const OnDevice<T>& found, const StoredMatrix<T>& expected, const std::string& what) {
  StoredMatrix<T> x = expected;
  x.elements = found.read(queue());
  if (is_double_double(precision_of<T>)) {
    EXPECT_EQ(first_difference(x.elements, expected.elements), -1) << what;
    return;
  }
  x.view.data = x.elements.data() + (expected.view.data - expected.elements.data());
  const Wide left(x.view), right(expected.view);
  EXPECT_LE(norm_of(difference(left, right)), 1000 * epsilon_of<T> * norm_of(right)) << what;
}

std::string text(Side side, Uplo uplo, Op op, std::int64_t n) {
  return std::to_string(static_cast<int>(side)) + ' ' + std::to_string(static_cast<int>(uplo)) + ' ' +
         std::string(name(op)) + ' ' + std::to_string(n);
}

TYPED_TEST(OpenclLevel3, SolvesAndMultipliesByTriangles) {
  using T = TypeParam;
  Queue& q = queue();
  const T alpha = T(0.75);
  for (const std::int64_t n : orders_of({1, 20, 130})) {
    const BlockedOptions options = options_of(n);
    for (const Side side : both_sides) {
      for (const Uplo uplo : both_triangles) {
        for (const Op op : every_op) {
          const Diag diag = (op == Op::transpose) != (is_long() && n % 2 == 1) ? Diag::unit : Diag::non_unit;
          const Layout layout = uplo == Uplo::upper ? Layout::row : Layout::column;
          StoredMatrix<T> a(layout, n, n, 3),
              b(layout_of(n), side == Side::left ? n : 33, side == Side::left ? 33 : n, 5);
          a.fill([&](auto i, auto j) { return i == j ? a(i, j) + T(2) : a(i, j) * T(0.0625); });
          const Uplo of_view = is_transposed(op) ? (uplo == Uplo::lower ? Uplo::upper : Uplo::lower) : uplo;
          StoredMatrix<T> c = b;
          c.view.data = c.elements.data() + (b.view.data - b.elements.data());
          const OnDevice<T> x(q, a), y(q, b), z(q, c);
          trsm(side, of_view, diag, alpha, a.read().turned(op), b.view, options);
          trsm(q, side, of_view, diag, alpha, x.view.turned(op), y.view, {}, options).wait();
          expect_alike(y, b, "trsm " + text(side, uplo, op, n));
          trmm(side, of_view, diag, alpha, a.read().turned(op), c.view, options);
          trmm(q, side, of_view, diag, alpha, x.view.turned(op), z.view, {}, options).wait();
          expect_alike(z, c, "trmm " + text(side, uplo, op, n));
        }
      }
    }
  }
}

// Of columns so many that work-items take more of them, and blocks of more rows than fit side by side.
TYPED_TEST(OpenclLevel3, TakesManyColumnsAndLargeBlocks) {
  using T = TypeParam;
  Queue& q = queue();
  for (const auto& [n, columns, block] : {std::tuple<int, int, int>{20, 2101, 0}, {64, 2051, 64}, {100, 9, 100}}) {
    for (const Uplo uplo : both_triangles) {
      const Diag diag = uplo == Uplo::lower ? Diag::unit : Diag::non_unit;
      StoredMatrix<T> a(Layout::column, n, n, 3), b(Layout::column, n, columns, 5), c(Layout::column, n, columns, 6);
      a.fill([&](auto i, auto j) { return i == j ? a(i, j) + T(2) : a(i, j) * T(0.0625); });
      const OnDevice<T> x(q, a), y(q, b), z(q, c);
      BlockedOptions with_block = direct;
      with_block.block = block;
      trsm(Side::left, uplo, diag, T(1), a.read(), b.view, with_block);
      trsm(q, Side::left, uplo, diag, T(1), x.view, y.view, {}, with_block).wait();
      expect_alike(y, b, "trsm " + text(Side::left, uplo, Op::none, n));
      trmm(Side::left, uplo, diag, T(1), a.read(), c.view, with_block);
      trmm(q, Side::left, uplo, diag, T(1), x.view, z.view, {}, with_block).wait();
      expect_alike(z, c, "trmm " + text(Side::left, uplo, Op::none, n));
    }
  }
}

TYPED_TEST(OpenclLevel3, MultipliesSymmetricMatrices) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : orders_of({1, 20, 130})) {
    const BlockedOptions options = options_of(n);
    for (const Side side : both_sides) {
      for (const Uplo uplo : both_triangles) {
        const std::int64_t rows = side == Side::left ? n : 33, columns = side == Side::left ? 33 : n;
        const StoredMatrix<T> a(layout_of(n), n, n, 3), b(Layout::row, rows, columns, 5);
        StoredMatrix<T> c(layout_of(n), rows, columns, 7);
        const OnDevice<T> x(q, a), y(q, b), z(q, c);
        symm(side, uplo, T(0.75), a.read(), b.read(), T(-2), c.view, options);
        symm(q, side, uplo, T(0.75), x.view, y.view, T(-2), z.view, {}, options).wait();
        expect_alike(z, c, "symm " + text(side, uplo, Op::none, n));
        hemm(side, uplo, T(0.75), a.read(), b.read(), T(0), c.view, options);
        hemm(q, side, uplo, T(0.75), x.view, y.view, T(0), z.view, {}, options).wait();
        expect_alike(z, c, "hemm " + text(side, uplo, Op::none, n));
      }
    }
  }
}

TYPED_TEST(OpenclLevel3, UpdatesTriangles) {
  using T = TypeParam;
  using R = real_type<T>;
  Queue& q = queue();
  for (const std::int64_t n : orders_of({1, 20, 300})) {
    const BlockedOptions options = options_of(n);
    for (const Uplo uplo : both_triangles) {
      const StoredMatrix<T> a(layout_of(n), n, 40, 3), b(Layout::row, n, 40, 5);
      StoredMatrix<T> c(layout_of(n), n, n, 7);
      const OnDevice<T> x(q, a), y(q, b), z(q, c);
      const std::string what = text(Side::left, uplo, Op::none, n);
      syrk(uplo, T(0.75), a.read(), T(-2), c.view, options);
      syrk(q, uplo, T(0.75), x.view, T(-2), z.view, {}, options).wait();
      expect_alike(z, c, "syrk " + what);
      syr2k(uplo, T(0.75), a.read(), b.read(), T(0.5), c.view, options);
      syr2k(q, uplo, T(0.75), x.view, y.view, T(0.5), z.view, {}, options).wait();
      expect_alike(z, c, "syr2k " + what);
      herk(uplo, R(0.75), a.read(), R(0.5), c.view, options);
      const Event first = herk(q, uplo, R(0.75), x.view, R(0.5), z.view, {}, options);
      her2k(uplo, T(0.75), a.read(), b.read(), R(1), c.view, options);
      her2k(q, uplo, T(0.75), x.view, y.view, R(1), z.view, {first}, options).wait();
      expect_alike(z, c, "her2k " + what);
    }
  }
}

// Triangles of several hundred rows of S and D are solved with in one launch; such of S, D, C and Z are multiplied by
// as one product.
template <class T>
class OpenclLevel3Plain : public OpenclLevel3<T> {};
using PlainPrecisions = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(OpenclLevel3Plain, PlainPrecisions, NameOfPrecision);

TYPED_TEST(OpenclLevel3Plain, TakesTrianglesOfManyRows) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : {300, 530}) {
    for (const Side side : both_sides) {
      for (const Uplo uplo : both_triangles) {
        const bool is_left = side == Side::left;
        const Diag diag = (uplo == Uplo::lower) == is_left ? Diag::unit : Diag::non_unit;
        const Layout layout = is_left ? Layout::column : Layout::row;
        StoredMatrix<T> a(uplo == Uplo::lower ? Layout::column : Layout::row, n, n, 3);
        StoredMatrix<T> b(layout, is_left ? n : 37, is_left ? 37 : n, 5);
        a.fill([&](auto i, auto j) { return i == j ? a(i, j) + T(2) : a(i, j) * T(0.0078125); });
        StoredMatrix<T> c = b;
        c.view.data = c.elements.data() + (b.view.data - b.elements.data());
        const OnDevice<T> x(q, a), y(q, b), z(q, c);
        trsm(side, uplo, diag, T(0.75), a.read(), b.view);
        trsm(q, side, uplo, diag, T(0.75), x.view, y.view).wait();
        expect_alike(y, b, "trsm " + text(side, uplo, Op::none, n));
        trmm(side, uplo, diag, T(0.75), a.read(), c.view);
        trmm(q, side, uplo, diag, T(0.75), x.view, z.view).wait();
        expect_alike(z, c, "trmm " + text(side, uplo, Op::none, n));
      }
    }
  }
}

template <class T>
blas::DevicePlace::Matrix matrix_of(const BufferView<T>& v) {
  return {cl::Buffer(v.buffer.native(), true), v.offset, v.rows, v.columns, v.row_stride, v.column_stride, v.conjugate};
}

// What `automatic` takes where products by the modular engine are fast: their values, by whichever engine.
struct FreePlace : blas::DevicePlace {
  using DevicePlace::DevicePlace;
  using DevicePlace::multiply_both;
  using DevicePlace::plan_of;
};

template <class T>
void expect_near(const OnDevice<T>& found, const StoredMatrix<T>& expected, const std::string& what) {
  StoredMatrix<T> x = expected;
  x.elements = found.read(queue());
  x.view.data = x.elements.data() + (expected.view.data - expected.elements.data());
  const Wide left(x.view), right(expected.view);
  EXPECT_LE(norm_of(difference(left, right)), 100 * epsilon_of<T> * norm_of(right)) << what;
}

template <class T>
void expect_large_products() {
  Queue& q = queue();
  const std::int64_t n = 130, k = 40;
  for (const Uplo uplo : both_triangles) {
    for (const blas::Symmetry symmetry : {blas::Symmetry::symmetric, blas::Symmetry::hermitian}) {
      const bool is_hermitian = symmetry == blas::Symmetry::hermitian;
      for (const double beta : {0.0, 0.5}) {
        const StoredMatrix<T> a(Layout::column, n, k, 3), b(Layout::row, n, k, 5);
        StoredMatrix<T> c(uplo == Uplo::lower ? Layout::column : Layout::row, n, n, 7);
        T alpha(0.75);
        if constexpr (std::is_same_v<T, dd_complex>) {
          alpha.im = 0.5;
          // Taken as 0.
          if (is_hermitian) c.view(3, 3).im = dd_real(std::numeric_limits<double>::quiet_NaN());
        }
        const OnDevice<T> x(q, a), y(q, b), z(q, c);
        if (is_hermitian) {
          her2k(uplo, alpha, a.read(), b.read(), real_type<T>(beta), c.view, direct);
        } else {
          syr2k(uplo, alpha, a.read(), b.read(), T(beta), c.view, direct);
        }
        FreePlace place(*q.state(), precision_of<T>, direct, {});
        const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;
        const auto left = matrix_of(x.view), right = matrix_of(y.view).turned(op);
        const DeviceProduct product{
            precision_of<T>, as_dd_complex(alpha), left, right, 0, {left.buffer, 0, n, n, 1, n}};
        DevicePlan plan = place.plan_of(product);
        place.multiply_both(plan, product, uplo, symmetry, beta, matrix_of(z.view));
        place.finish().wait();
        expect_near(z, c, (is_hermitian ? "her2k " : "syr2k ") + text(Side::left, uplo, op, n));
      }
    }
  }
}

TEST(OpenclLevel3Large, ProductsHaveTheValuesOfHalves) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  expect_large_products<dd_real>();
  expect_large_products<dd_complex>();
}

// By the modular engine: with accuracies whose moduli do not follow from entries as one product, with classic by
// halves.
template <class T>
void expect_triangles_by_moduli(const BlockedOptions& options, T alpha, T beta) {
  Queue& q = queue();
  const std::int64_t n = 300, k = 70;
  for (const Layout layout : both_layouts) {
    for (const Uplo uplo : both_triangles) {
      const StoredMatrix<T> a(layout, n, k, 3), b(Layout::row, n, k, 5);
      StoredMatrix<T> c(layout, n, n, 7);
      const OnDevice<T> x(q, a), y(q, b), z(q, c);
      const std::string what = text(Side::left, uplo, Op::none, static_cast<int>(options.accuracy));
      syrk(uplo, alpha, a.read(), beta, c.view, options);
      syrk(q, uplo, alpha, x.view, beta, z.view, {}, options).wait();
      expect_alike(z, c, "syrk " + what);
      syr2k(uplo, alpha, a.read(), b.read(), beta, c.view, options);
      syr2k(q, uplo, alpha, x.view, y.view, beta, z.view, {}, options).wait();
      expect_alike(z, c, "syr2k " + what);
    }
  }
}

TEST(OpenclLevel3Moduli, UpdateTriangles) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  BlockedOptions options{.engine = Engine::modular, .fma = Fma::on};
  for (const Accuracy accuracy : {Accuracy::classic, Accuracy::normwise, Accuracy::bits}) {
    options.accuracy = accuracy;
    options.bits = accuracy == Accuracy::bits ? 100 : 0;
    expect_triangles_by_moduli<dd_real>(options, 0.75, 0.5);
    if (is_long() || accuracy == Accuracy::normwise) expect_triangles_by_moduli<dd_complex>(options, 1, 0);
  }
}

// Moduli follow from all entries of a product: the host and devices make the same products of a triangle.
TEST(OpenclLevel3Moduli, AreThoseOfTheHostWhereTermsDiffer) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  Queue& q = queue();
  const std::int64_t n = 300, k = 270;
  StoredMatrix<dd_real> a(Layout::column, n, k, 3), c(Layout::column, n, n, 7);
  for (std::int64_t h = 0; h < k; ++h) {
    for (std::int64_t i = 0; i < n; ++i) a.view(i, h) *= dd_real(std::pow(10.0, static_cast<double>(h % 7)));
  }
  for (const Engine engine : {Engine::modular, Engine::reproducible}) {
    const BlockedOptions options{.engine = engine, .fma = Fma::on, .block = 16};
    const OnDevice<dd_real> x(q, a), z(q, c);
    syrk(Uplo::lower, dd_real(1), a.read(), dd_real(1), c.view, options);
    syrk(q, Uplo::lower, dd_real(1), x.view, dd_real(1), z.view, {}, options).wait();
    expect_alike(z, c, "engine " + std::to_string(static_cast<int>(engine)));
  }
}

// Whether syrk takes a triangle as one product.
bool takes_at_once(const BlockedOptions& options) {
  Queue& q = queue();
  const StoredMatrix<dd_real> a(Layout::column, 70, 33, 3), c(Layout::column, 70, 70, 7);
  const OnDevice<dd_real> x(q, a), z(q, c);
  blas::DevicePlace place(*q.state(), Precision::dd, options, {});
  const bool is_taken = place.multiply_triangle_at_once(Uplo::lower, blas::Symmetry::symmetric, 1, matrix_of(x.view),
                                                        matrix_of(x.view.turned(Op::transpose)), 0, matrix_of(z.view));
  if (is_taken) place.finish().wait();
  return is_taken;
}

TEST(OpenclLevel3Moduli, TakeATriangleAtOnceWhereItHasTheBitsOfHalves) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  EXPECT_TRUE(takes_at_once({.engine = Engine::modular, .accuracy = Accuracy::normwise}));
  EXPECT_TRUE(takes_at_once({.accuracy = Accuracy::normwise}));
  for (const Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight}) {
    EXPECT_FALSE(takes_at_once({.engine = Engine::modular, .accuracy = accuracy}));
  }
  EXPECT_FALSE(takes_at_once({.accuracy = Accuracy::tight}));
  EXPECT_EQ(takes_at_once({.engine = Engine::direct}), queue().context().device().type != DeviceType::cpu);
}

// Kernels of triangles that are wrong or do not build fail their self-test: whole products keep their unit, and
// triangles go by halves.
TEST(OpenclLevel3Moduli, GoByHalvesWhereTheirKernelsAreWrong) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const BlockedOptions options{.engine = Engine::modular, .accuracy = Accuracy::normwise, .fma = Fma::on};
  const auto unit = [] { return modular::byte_unit(*queue().state()->context); };
  const modular::ByteUnit best = unit();
  const std::string good = embedded_kernel("bytes/stairs.clh");
  const TemporaryFolder cache;
  const EnvironmentVariable at("HILO_CACHE_DIR", cache.file("").c_str());
  for (const std::string& bad : {replaced(good, "within / rows", "within / rows + 1"), std::string("nonsense;\n")}) {
    const TemporaryFolder folder;
    folder.write("bytes/stairs.clh", bad);
    const EnvironmentVariable path("HILO_KERNEL_PATH", folder.file("").c_str());
    EXPECT_FALSE(takes_at_once(options));
    expect_triangles_by_moduli<dd_real>(options, 0.75, 0.5);
    EXPECT_EQ(unit(), best);
  }
  EXPECT_TRUE(takes_at_once(options)) << "the good text is back";
}

}  // namespace
}  // namespace hilo::test
