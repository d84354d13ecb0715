// Level 3 of the BLAS on the host with lines of memory that few matrices have, and quotients that overflow.
#include <sys/mman.h>

#include <hilo/blas.hpp>
#include <hilo/gemm.hpp>
#include <limits>

#include "matrices.hpp"

namespace hilo::test {
namespace {

template <class T>
class Level3Lines : public testing::Test {};
TYPED_TEST_SUITE(Level3Lines, AllPrecisions, NameOfPrecision);

// A row whose elements lie apart: what is between them stays.
TYPED_TEST(Level3Lines, TakesARowOfElementsApart) {
  using T = TypeParam;
  const std::vector<T> left = {T(2)}, terms(20, T(3));
  std::vector<T> x(40), y(40, T(7));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(static_cast<float>(i));
  const MatrixView<const T> a{left.data(), 1, 1, 1, 1}, b{x.data(), 1, 8, 7, 5};
  symm<T>(Side::left, Uplo::lower, T(1), a, b, T(0), MatrixView<T>{y.data(), 1, 8, 7, 5});
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], i % 5 == 0 ? T(2 * static_cast<float>(i)) : T(7)) << i;
  T square(0);
  syrk<T>(Uplo::lower, T(1), MatrixView<const T>{x.data(), 1, 3, 7, 5}, T(0), MatrixView<T>{&square, 1, 1, 1, 1});
  EXPECT_EQ(square, T(125));
}

// Of which a BLAS library that counts by 32 bits could not tell; most of it is no memory.
TYPED_TEST(Level3Lines, TakesColumnsFurtherApartThan31Bits) {
  using T = TypeParam;
  constexpr std::int64_t apart = (std::int64_t{1} << 32) + 2;
  constexpr std::size_t bytes = (apart + 2) * sizeof(T);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space";
  const MatrixView<T> wide_one{static_cast<T*>(memory), 2, 2, 1, apart};
  const StoredMatrix<T> a(Layout::column, 2, 2, 3), b(Layout::column, 2, 2, 5);
  StoredMatrix<T> c(Layout::column, 2, 2, 7), d = c;
  const auto fill = [&](const StoredMatrix<T>& from) {
    for (std::int64_t i = 0; i < 4; ++i) wide_one(i % 2, i / 2) = from(i % 2, i / 2);
  };
  symm<T>(Side::left, Uplo::lower, T(1), a.read(), b.read(), T(0.5), c.view);
  fill(b);
  symm<T>(Side::left, Uplo::lower, T(1), a.read(), wide_one, T(0.5), d.view);
  EXPECT_EQ(first_difference(d.elements, c.elements), -1);
  fill(StoredMatrix<T>(Layout::column, 2, 2, 7));
  symm<T>(Side::left, Uplo::lower, T(1), a.read(), b.read(), T(0.5), wide_one);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(wide_one(i % 2, i / 2), c(i % 2, i / 2)) << i;
  fill(StoredMatrix<T>(Layout::column, 2, 2, 7));
  gemm<T>(T(1), wide_one, b.read(), T(0), d.view);
  gemm<T>(T(1), StoredMatrix<T>(Layout::column, 2, 2, 7).read(), b.read(), T(0), c.view);
  EXPECT_EQ(first_difference(d.elements, c.elements), -1);
  munmap(memory, bytes);
}

// hi may overflow where a quotient is scaled back.
TEST(QuotientsOfZdd, ThatOverflowAreInfinite) {
  const dd_complex d(ldexp(dd_real(1), -100));
  dd_complex x(dd_real(0x1p1000, -0x1p940));
  trsm<dd_complex>(Side::left, Uplo::lower, Diag::non_unit, 1, MatrixView<const dd_complex>{&d, 1, 1, 1, 1},
                   MatrixView<dd_complex>{&x, 1, 1, 1, 1});
  EXPECT_EQ(x.re.hi, std::numeric_limits<double>::infinity());
  EXPECT_EQ(x.re.lo, 0.0);
}

}  // namespace
}  // namespace hilo::test
