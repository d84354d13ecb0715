// Triangles that are solved with by columns in local memory, small enough for an emulator that finds races: blocks of
// rows and of columns that B does not fill, which work-items read beside B.
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

}  // namespace
}  // namespace hilo::test
