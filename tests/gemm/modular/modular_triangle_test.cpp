// A triangle of a modular product on the CPU: the entries that are wanted have the bits of the whole product, all
// others are as they were, however the product is cut.
#include <gtest/gtest.h>

#include <hilo/blas.hpp>
#include <limits>

#include "gemm/cpu_product.hpp"
#include "random.hpp"
#include "same_bits.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class ModularTriangle : public testing::Test {
 protected:
  struct Case {
    int64_t m, n, k;
    GemmOptions options = {};
    double alpha = 1, beta = 0;
  };

  static MatrixView<T> in(Layout layout, std::vector<T>& x, int64_t rows, int64_t columns) {
    return view(layout, Op::none, x.data(), rows, columns, layout == Layout::column ? rows : columns);
  }

  static void expect_triangle(Case x, Layout layout, Uplo uplo, std::vector<T> a, std::vector<T> b) {
    SCOPED_TRACE(testing::Message() << x.m << " x " << x.n << " x " << x.k << ", workspace "
                                    << x.options.workspace_bytes << ", " << name(layout)
                                    << (uplo == Uplo::lower ? ", lower" : ", upper"));
    x.options.engine = Engine::modular;
    const auto before = random_elements<T>(x.m * x.n, 7);
    auto whole = before, triangle = before;
    const auto left = in(layout, a, x.m, x.k), right = in(layout, b, x.k, x.n);
    gemm(T(x.alpha), left, right, T(x.beta), in(layout, whole, x.m, x.n), x.options);
    const auto c = in(layout, triangle, x.m, x.n), expected = in(layout, whole, x.m, x.n);
    const GemmShape shape = shape_of_views(lines_of(left), lines_of(right), lines_of(c), sizeof(T));
    ASSERT_TRUE(execute_triangle(plan_product<T>(shape, 1, x.options),
                                 Product<T>{T(x.alpha), left, right, T(x.beta), c, {}, uplo}));
    auto old = before;
    const auto unwritten = in(layout, old, x.m, x.n);
    for (int64_t j = 0; j < x.n; ++j) {
      for (int64_t i = 0; i < x.m; ++i) {
        const bool is_wanted = uplo == Uplo::lower ? i >= j : i <= j;
        ASSERT_TRUE(same_bits(c(i, j), is_wanted ? expected(i, j) : unwritten(i, j))) << i << ", " << j;
      }
    }
  }

  static void expect_triangles(const Case& x) {
    for (Layout layout : {Layout::column, Layout::row}) {
      for (Uplo uplo : {Uplo::lower, Uplo::upper}) {
        expect_triangle(x, layout, uplo, random_elements<T>(x.m * x.k, 1), random_elements<T>(x.k * x.n, 2));
      }
    }
  }
};

using Scalars = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(ModularTriangle, Scalars);

TYPED_TEST(ModularTriangle, HasTheBitsOfTheWholeProduct) {
  this->expect_triangles({1, 1, 1});
  this->expect_triangles({65, 65, 33, {}, -1, 1});
  this->expect_triangles({130, 130, 7, {.accuracy = Accuracy::normwise, .threads = 2}, 3, 0.5});
  // More than a tile of sums, and than what is written at a time.
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
