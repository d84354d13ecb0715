// Products of which a triangle alone is wanted, by an engine: the entries that are wanted have the bits of the whole
// product, all others are as they were.
#pragma once

#include <gtest/gtest.h>

#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/cpu_product.hpp"
#include "random.hpp"
#include "same_bits.hpp"

namespace hilo::test {

using std::int64_t;

template <class T, Engine engine>
class TriangleProducts : public testing::Test {
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
    x.options.engine = engine;
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

}  // namespace hilo::test
