// A triangle of a direct product on the CPU: the entries that are wanted have the bits of the whole product, all others
// are as they were, however the product is cut.
#include <gtest/gtest.h>

#include <hilo/blas.hpp>
#include <limits>

#include "triangle_products.hpp"

namespace hilo::test {
namespace {

template <class T>
class DirectTriangle : public TriangleProducts<T, Engine::direct> {};

using Scalars = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(DirectTriangle, Scalars);

TYPED_TEST(DirectTriangle, HasTheBitsOfTheWholeProduct) {
  this->expect_triangles({17, 17, 40});
  this->expect_triangles({65, 65, 33, {}, -1, 1});
  this->expect_triangles({130, 130, 70, {.accuracy = Accuracy::fast, .threads = 2}, 3, 0.5});
  this->expect_triangles({61, 61, 9, {.tile_rows = 16, .tile_columns = 24}, 1, 1});
}

TYPED_TEST(DirectTriangle, OfATrapezium) {
  this->expect_triangles({150, 65, 20, {}, -1, 1});
  this->expect_triangles({65, 150, 20, {}, -1, 1});
}

// More than a super-chunk of terms, one after the other and shared out; more lines than are packed at a time.
TYPED_TEST(DirectTriangle, InParts) {
  this->expect_triangles({35, 35, 8300, {.threads = 1}, -1, 1});
  this->expect_triangles({35, 35, 8300, {.threads = 4}, -1, 1});
  this->expect_triangles({2100, 33, 3, {.threads = 2}, -1, 1});
  this->expect_triangles({33, 2100, 3, {.threads = 2}, -1, 1});
}

TYPED_TEST(DirectTriangle, ByEveryInstructionSet) {
  for (const char* target : {"AVX3", "AVX2", "SSE4", "SCALAR"}) {
    try {
      this->expect_triangles({70, 70, 20, {.fma = Fma::off, .target = target}, -1, 1});
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
    }
  }
}

TYPED_TEST(DirectTriangle, WithInfAndNaN) {
  auto a = random_elements<TypeParam>(90 * 20, 1), b = random_elements<TypeParam>(20 * 90, 2);
  a[5] = TypeParam(std::numeric_limits<double>::infinity());
  b[70] = TypeParam(std::numeric_limits<double>::quiet_NaN());
  for (Uplo uplo : {Uplo::lower, Uplo::upper}) this->expect_triangle({90, 90, 20}, Layout::column, uplo, a, b);
}

}  // namespace
}  // namespace hilo::test
