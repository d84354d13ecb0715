// Triangles that are solved with by columns, small enough for an emulator that finds races: in local memory, where
// blocks of rows and of columns that B does not fill are read beside B, and by some work-items a column, or one, where
// there are many.
#include <hilo/blas.hpp>

#include "blas/opencl/place.hpp"
#include "on_device.hpp"
#include "opencl/local_memory.hpp"

namespace hilo::test {
namespace {

template <class T>
class OpenclSolveColumns : public testing::Test {};
using Words = testing::Types<float, double>;
TYPED_TEST_SUITE(OpenclSolveColumns, Words, NameOfPrecision);

TYPED_TEST(OpenclSolveColumns, SolvesWithPartsOfBlocks) {
  using T = TypeParam;
  Queue& q = queue();
  if (!is_single(precision_of<T>) && !q.context().device().fp64) GTEST_SKIP() << "no double precision";
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{20, 5}, {70, 33}}) {
    for (const Uplo uplo : both_triangles) {
      StoredMatrix<T> a(Layout::column, n, n, 3), b(Layout::column, n, m, 5);
      for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = T(n);
      const OnDevice<T> x(q, a), y(q, b);
      trsm(Side::left, uplo, Diag::non_unit, T(1), a.read(), b.view);
      trsm(q, Side::left, uplo, Diag::non_unit, T(1), x.view, y.view).wait();
      const std::vector<T> found = y.read(q);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], b.elements[i], 16 * epsilon_of<T>) << n;
    }
  }
}

// Each column has the steps that it has among few.
template <class T>
class OpenclSolveManyColumns : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_single(precision_of<T>) && !queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
  // As many as make the call take 16 work-items for each, 8, 4 and one, and one more work-group that they do not fill.
  // In DD and ZDD 4 have triangles without a unit diagonal, of complex numbers in single or double precision none.
  const std::int64_t units = queue().context().device().compute_units;
  const std::int64_t many[5] = {15 * units + 5, 30 * units + 29, 70 * units + 29, 150 * units + 29, 192 * units + 29};
  static constexpr std::int64_t few = 13;
};
using ByRows = testing::Types<std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclSolveManyColumns, ByRows, NameOfPrecision);

TYPED_TEST(OpenclSolveManyColumns, HasTheBitsOfFew) {
  using T = TypeParam;
  Queue& q = queue();
  int turn = 0;
  for (const std::int64_t n : {5, 13, 17, 64}) {
    for (const Uplo uplo : both_triangles) {
      for (const Diag diag : {Diag::non_unit, Diag::unit}) {
        for (const Op op : {every_op[turn % 2], every_op[2 + turn % 2]}) {
          const Layout layout = both_layouts[turn++ / 2 % 2];
          // Of each triangle one, with a unit diagonal and without.
          if (is_small() && (n != 17 || turn % 6 != 0)) continue;
          StoredMatrix<T> a(layout, n, n, 3);
          for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(2);
          const OnDevice<T> x(q, a);
          for (const std::int64_t m : this->many) {
            if (is_small() && m > 100) continue;
            const StoredMatrix<T> b(layout, n, m, 5);
            const OnDevice<T> all(q, b), slices(q, b);
            trsm(q, Side::left, uplo, diag, T(1), x.view.turned(op), all.view).wait();
            for (std::int64_t j = 0; j < m; j += this->few) {
              trsm(q, Side::left, uplo, diag, T(1), x.view.turned(op),
                   slices.view.sub(0, j, n, std::min(this->few, m - j)))
                  .wait();
            }
            EXPECT_EQ(first_difference(all.read(q), slices.read(q)), -1)
                << n << " " << m << " " << name(op) << " " << (uplo == Uplo::lower ? 'L' : 'U') << " "
                << (diag == Diag::unit);
          }
        }
      }
    }
  }
}

// Zeros, and what reciprocals and remainders of usual quotients do not hold, in some rows and columns, beside usual
// ones.
template <class T>
class OpenclSolveColumnsExactly : public OpenclSolveManyColumns<T> {};
TYPED_TEST_SUITE(OpenclSolveColumnsExactly, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclSolveColumnsExactly, DividesByAnythingInAnyLane) {
  using T = TypeParam;
  Queue& q = queue();
  constexpr std::int64_t n = 37;
  const double scales[] = {1.0, 0.0, 0x1p-400, 0x1p400, 1.0, 0x1p-620};
  for (const std::int64_t m : this->many) {
    StoredMatrix<T> a(Layout::column, n, n, 3), b(Layout::row, n, m, 5);
    a.fill([&](std::int64_t i, std::int64_t j) {
      const double scale = i != j ? 0x1p-5 : i == n - 1 ? 0x1p-300 : i == n - 2 ? 0x1p300 : 1.0;
      return (i == j ? a(i, j) + T(2) : a(i, j)) * T(scale);
    });
    b.fill([&](std::int64_t i, std::int64_t j) { return b(i, j) * T(scales[(i + 2 * j) % 6]); });
    const OnDevice<T> x(q, a), y(q, b);
    const BlockedOptions options{.fma = q.context().device().fma ? Fma::on : Fma::off};
    trsm(Side::left, Uplo::lower, Diag::non_unit, T(1), a.read(), b.view, options);
    trsm(q, Side::left, Uplo::lower, Diag::non_unit, T(1), x.view, y.view, {}, options).wait();
    EXPECT_EQ(first_difference(y.read(q), b.elements), -1) << m;
  }
}

// By the kernel that is meant, with sums that are begun, as a panel of LU has them.
TYPED_TEST(OpenclSolveManyColumns, EndsBegunSums) {
  using T = TypeParam;
  Queue& q = queue();
  constexpr std::int64_t n = 1;
  for (const std::int64_t m : this->many) {
    const StoredMatrix<T> a(Layout::column, n, n, 3);
    StoredMatrix<T> b(Layout::column, n, m, 5);
    if constexpr (std::is_same_v<T, dd_real>) {
      for (dd_real& z : b.elements) z.lo = z.hi / 3;
    } else if constexpr (std::is_same_v<T, dd_complex>) {
      for (dd_complex& z : b.elements) z.im.lo = z.im.hi / 3;
    }
    const OnDevice<T> x(q, a), all(q, b), slices(q, b);
    const auto view_of = [](const BufferView<T>& v) {
      return DeviceView{
          cl::Buffer(v.buffer.native(), true), v.offset, v.rows, v.columns, v.row_stride, v.column_stride};
    };
    opencl::Trace trace;
    q.state()->trace = &trace;
    blas::DevicePlace place(*q.state(), precision_of<T>, {}, {});
    place.solve_block(Uplo::lower, Diag::unit, view_of(x.view), view_of(all.view), true);
    for (std::int64_t j = 0; j < m; j += this->few) {
      place.solve_block(Uplo::lower, Diag::unit, view_of(x.view),
                        view_of(slices.view.sub(0, j, n, std::min(this->few, m - j))), true);
    }
    place.finish().wait();
    q.state()->trace = nullptr;
    // In ZDD they take 89 KB of local memory, in the others 48 and less.
    if (opencl::local_memory(q.context().device()) >= (std::is_same_v<T, dd_complex> ? 90 : 48) << 10) {
      const std::int64_t most = !is_double_double(precision_of<T>) ? 160 : std::is_same_v<T, dd_complex> ? 112 : 192;
      EXPECT_EQ(trace.launches.front().kernel, m > most * this->units ? "solve_many_columns" : "solve_few_columns");
      EXPECT_EQ(trace.launches.back().kernel, "solve_few_columns");
    }
    EXPECT_EQ(first_difference(all.read(q), slices.read(q)), -1) << m;
  }
}

}  // namespace
}  // namespace hilo::test
