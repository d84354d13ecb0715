// A triangle of a modular product on the CPU: the entries that are wanted have the bits of the whole product, all
// others are as they were, however the product is cut.
#include <gtest/gtest.h>

#include <hilo/blas.hpp>
#include <limits>

#include "triangle_products.hpp"

namespace hilo::test {
namespace {

template <class T>
class ModularTriangle : public TriangleProducts<T, Engine::modular> {};

using Scalars = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(ModularTriangle, Scalars);

TYPED_TEST(ModularTriangle, HasTheBitsOfTheWholeProduct) {
  this->expect_triangles({1, 1, 1});
  this->expect_triangles({65, 65, 33, {}, -1, 1});
  this->expect_triangles({130, 130, 7, {.accuracy = Accuracy::normwise, .threads = 2}, 3, 0.5});
  // More than a tile of sums, and than what is written at a time; rows that the tiles' strips do not divide.
  this->expect_triangles({530, 530, 3, {}, -1, 1});
}

TYPED_TEST(ModularTriangle, OfATrapezium) {
  this->expect_triangles({140, 65, 20, {}, -1, 1});
  this->expect_triangles({65, 140, 20, {}, -1, 1});
}

TYPED_TEST(ModularTriangle, ByPanels) {
  this->expect_triangles({150, 150, 90, {.threads = 1, .workspace_bytes = 1 << 18}, -1, 1});
  this->expect_triangles({150, 150, 90, {.threads = 1, .workspace_bytes = 1 << 20, .depth = 64}, -1, 1});
}

TYPED_TEST(ModularTriangle, WithRowsThatCannotBeScaled) {
  auto a = random_elements<TypeParam>(300 * 20, 1), b = random_elements<TypeParam>(20 * 300, 2);
  a[5] = TypeParam(std::numeric_limits<double>::infinity());
  for (Uplo uplo : {Uplo::lower, Uplo::upper}) {
    this->expect_triangle({300, 300, 20}, Layout::column, uplo, a, b);
  }
}

// As routines take it where the engine is open, whichever engine that is.
TYPED_TEST(ModularTriangle, OfUpdates) {
  constexpr int64_t n = 330, k = 300;
  auto a = random_elements<TypeParam>(n * k, 3);
  const auto before = random_elements<TypeParam>(n * n, 4);
  auto whole = before, triangle = before;
  auto x = this->in(Layout::column, a, n, k);
  gemm(TypeParam(2), x, x.turned(Op::transpose), TypeParam(-1), this->in(Layout::column, whole, n, n));
  syrk(Uplo::lower, TypeParam(2), x, TypeParam(-1), this->in(Layout::column, triangle, n, n));
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(j * n + i);
      ASSERT_TRUE(same_bits(triangle[at], i >= j ? whole[at] : before[at])) << i << ", " << j;
    }
  }
}

TEST(ModularTriangle, HermitianOnesHaveARealDiagonal) {
  constexpr int64_t n = 330, k = 300;
  auto a = random_elements<dd_complex>(n * k, 3), c = random_elements<dd_complex>(n * n, 4);
  for (std::size_t i = 0; i < c.size(); i += n + 1) c[i].im = std::numeric_limits<double>::quiet_NaN();
  const auto x = view(Layout::column, Op::none, a.data(), n, k, n);
  herk(Uplo::upper, dd_real(2), x, dd_real(-1), view(Layout::column, Op::none, c.data(), n, n, n));
  for (std::size_t i = 0; i < c.size(); i += n + 1) {
    EXPECT_EQ(c[i].im, dd_real(0));
    EXPECT_TRUE(isfinite(c[i].re));
  }
}

}  // namespace
}  // namespace hilo::test
