// Triangles that are solved with by columns, small enough for an emulator that finds races: in local memory, where
// blocks of rows and of columns that B does not fill are read beside B, and by a work-item a column where there are
// many.
#include <hilo/blas.hpp>

#include "on_device.hpp"

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

// Of which each has the steps of one in a work-group.
template <class T>
class OpenclSolveManyColumns : public testing::Test {};
using ByRows = testing::Types<std::complex<float>, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclSolveManyColumns, ByRows, NameOfPrecision);

TYPED_TEST(OpenclSolveManyColumns, HasTheBitsOfFew) {
  using T = TypeParam;
  Queue& q = queue();
  if (!is_single(precision_of<T>) && !q.context().device().fp64) GTEST_SKIP() << "no double precision";
  // As many as make the call take a work-item for each, and one more work-group that they do not fill.
  const std::int64_t m = 48 * q.context().device().compute_units + 29, few = 13;
  int at = 0;
  for (const std::int64_t n : {1, 13, 64}) {
    for (const Op op : every_op) {
      const Uplo uplo = both_triangles[at % 2];
      const Diag diag = at / 2 % 2 == 0 ? Diag::non_unit : Diag::unit;
      const Layout layout = at++ % 3 == 0 ? Layout::row : Layout::column;
      StoredMatrix<T> a(layout, n, n, 3);
      const StoredMatrix<T> b(layout, n, m, 5);
      for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = a(i, i) + T(2);
      const OnDevice<T> x(q, a), all(q, b), slices(q, b);
      trsm(q, Side::left, uplo, diag, T(1), x.view.turned(op), all.view).wait();
      for (std::int64_t j = 0; j < m; j += few) {
        trsm(q, Side::left, uplo, diag, T(1), x.view.turned(op), slices.view.sub(0, j, n, std::min(few, m - j))).wait();
      }
      EXPECT_EQ(first_difference(all.read(q), slices.read(q)), -1)
          << n << " " << name(op) << " " << (uplo == Uplo::lower ? 'L' : 'U');
    }
  }
}

}  // namespace
}  // namespace hilo::test
