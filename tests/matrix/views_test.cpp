// Views: blocks, transposes and conjugates of matrices without moving an element, and products of them on the CPU and
// on a device, which have the bits of the calls by layout, operation and leading dimension.
#include <gtest/gtest.h>

#include <hilo/gemm.hpp>

#include "error_message.hpp"
#include "modular_problems.hpp"
#if HILO_TEST_OPENCL
#include "opencl_queue.hpp"
#endif

namespace hilo::test {
namespace {

TEST(MatrixView, BlocksAndTurnsOfEachOther) {
  std::vector<int> x(7 * 5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i);
  const auto whole = view(Layout::column, Op::none, x.data(), 6, 5, 7);
  const auto block = whole.sub(2, 1, 3, 4);
  EXPECT_EQ(block.rows, 3);
  EXPECT_EQ(block.columns, 4);
  for (Op op : {Op::none, Op::transpose, Op::conjugate_transpose, Op::conjugate}) {
    const auto turned = block.turned(op);
    EXPECT_EQ(turned.conjugate, is_conjugated(op));
    EXPECT_FALSE(turned.turned(op).conjugate);
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 4; ++j) {
        EXPECT_EQ(is_transposed(op) ? turned(j, i) : turned(i, j), whole(i + 2, j + 1)) << name(op);
        EXPECT_EQ(&turned.turned(op)(i, j), &block(i, j)) << name(op);
      }
    }
  }
  // The view of op(X) is op of the view of X.
  for (Layout layout : {Layout::column, Layout::row}) {
    const auto plain = view(layout, Op::none, x.data(), 4, 5, 6),
               turned = view(layout, Op::transpose, x.data(), 5, 4, 6);
    EXPECT_EQ(&plain.turned(Op::transpose)(3, 2), &turned(3, 2));
    EXPECT_EQ(plain.turned(Op::transpose).row_stride, turned.row_stride);
  }
}

template <class T>
class ProductOfViews : public testing::Test {};
TYPED_TEST_SUITE(ProductOfViews, Precisions, PrecisionName);

constexpr Op all_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose, Op::conjugate};

// A block of a larger matrix such that op of it is x.
template <class T>
struct Block {
  std::vector<T> elements;
  MatrixView<T> view;

  Block(Layout layout, Op op, const std::vector<T>& x, std::int64_t rows, std::int64_t columns)
      : elements(static_cast<std::size_t>((rows + 5) * (columns + 5)), number<T>(3, -3)), view{} {
    const bool by_columns = columns_contiguous(layout, op);
    const auto whole = hilo::view(by_columns ? Layout::column : Layout::row, Op::none, elements.data(), rows + 5,
                                  columns + 5, (by_columns ? rows : columns) + 5);
    view = whole.sub(2, 3, rows, columns);
    view.conjugate = is_conjugated(op);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const T e = x[static_cast<std::size_t>(i + j * rows)];
        view(i, j) = view.conjugate ? conjugate(e) : e;
      }
    }
  }
};

template <class T>
std::vector<T> entries(const MatrixView<T>& x) {
  std::vector<T> all;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) all.push_back(x(i, j));
  }
  return all;
}

template <class T>
Problem<T> problem() {
  auto p = generated<T>(uniform_kind, 9, 7, 20, 5);
  set_scalars(p);
  return p;
}

constexpr GemmOptions asked = {.engine = Engine::reproducible, .threads = 1};

TYPED_TEST(ProductOfViews, HaveTheBitsOfTheirMatrices) {
  using T = TypeParam;
  const auto p = problem<T>();
  const std::vector<T> expected = p.multiply(asked);
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : all_ops) {
      for (Op opb : all_ops) {
        Block<T> a(layout, opa, p.a, p.m, p.k), b(layout, opb, p.b, p.k, p.n), c(layout, Op::none, p.c0, p.m, p.n);
        gemm(p.alpha, a.view, b.view, p.beta, c.view, asked);
        EXPECT_EQ(first_difference(entries(c.view), expected), -1) << name(layout) << name(opa) << name(opb);
        EXPECT_TRUE(same_bits(c.elements.front(), number<T>(3, -3)) && same_bits(c.elements.back(), number<T>(3, -3)));
      }
    }
  }
}

// S, D, C and Z by CBLAS, which has no word for a conjugate that is not transposed.
template <class T>
void expect_conjugates() {
  const T i1(std::complex<typename T::value_type>(1, 2)), i2(T(3, -1));
  std::vector<T> a = {i1, i2, T(2, 2), T(0, 1)}, b = {T(1, 1), T(-2, 1), i2, i1}, c(4);
  for (Op opa : all_ops) {
    for (Op opb : all_ops) {
      for (Layout layout : {Layout::column, Layout::row}) {
        const auto x = view(Layout::column, Op::none, a.data(), 2, 2, 2).turned(opa);
        const auto y = view(Layout::column, Op::none, b.data(), 2, 2, 2).turned(opb);
        const auto z = view(layout, Op::none, c.data(), 2, 2, 2);
        gemm(T(1), x, y, T(0), z, {.engine = Engine::direct});
        auto element = [](const MatrixView<T>& v, std::int64_t i, std::int64_t j) {
          return v.conjugate ? std::conj(v(i, j)) : v(i, j);
        };
        for (std::int64_t i = 0; i < 2; ++i) {
          for (std::int64_t j = 0; j < 2; ++j) {
            EXPECT_EQ(z(i, j), element(x, i, 0) * element(y, 0, j) + element(x, i, 1) * element(y, 1, j))
                << name(opa) << name(opb);
          }
        }
      }
    }
  }
}

TEST(ProductOfViewsByCblas, ConjugatesWithoutTransposing) {
  expect_conjugates<std::complex<float>>();
  expect_conjugates<std::complex<double>>();
}

TEST(ProductOfViews, OfOneRowOrColumnMayHaveAnyStrides) {
  std::vector<dd_real> a(40, 2), c(40, 7);
  const MatrixView<dd_real> row{a.data(), 1, 4, 1000, 1}, column{a.data(), 4, 1, 1, -5},
      entry{c.data() + 3, 1, 1, 9, 9};
  gemm(dd_real(1), row, column, dd_real(0), entry);
  EXPECT_EQ(c[3], 16);
  const MatrixView<dd_real> outer{c.data(), 4, 4, 1, 6};
  gemm(dd_real(1), column, row, dd_real(0), outer);
  EXPECT_EQ(c[0], 4);
  EXPECT_EQ(c[21], 4);
  EXPECT_EQ(c[4], 7);
  // No elements at all.
  gemm(dd_real(1), MatrixView<dd_real>{nullptr, 4, 0, 3, 3}, MatrixView<dd_real>{nullptr, 0, 4, 3, 3}, dd_real(0),
       outer);
  EXPECT_EQ(c[0], 0);
}

TEST(ProductOfViews, ThatDoNotFitAreRefusedByName) {
  std::vector<dd_real> x(100);
  const auto square = view(Layout::column, Op::none, x.data(), 3, 3, 3);
  const auto other = view(Layout::column, Op::none, x.data() + 50, 3, 3, 3);
  auto message = [&](const MatrixView<dd_real>& a, const MatrixView<dd_real>& b, const MatrixView<dd_real>& c) {
    return message_of(errc::invalid_argument, [&] { gemm(dd_real(1), a, b, dd_real(0), c); });
  };
  EXPECT_EQ(message(square.sub(0, 0, 2, 3), square, other), "gemm: rows of C = 3 is not rows of A = 2");
  EXPECT_EQ(message(square, square.sub(0, 0, 3, 2), other), "gemm: columns of C = 3 is not columns of B = 2");
  EXPECT_EQ(message(square.sub(0, 0, 3, 2), square, other), "gemm: columns of A = 2 is not rows of B = 3");
  EXPECT_EQ(message({x.data(), -1, 3, 1, 3}, square, other), "gemm: A has -1 rows");
  EXPECT_EQ(message({x.data(), 3, 3, 2, 7}, square, other),
            "gemm: neither rows nor columns of A, 3 x 3 with strides 2 and 7, are contiguous");
  EXPECT_EQ(message(square, {x.data(), 3, 3, 1, 2}, other),
            "gemm: neither rows nor columns of B, 3 x 3 with strides 1 and 2, are contiguous");
  EXPECT_EQ(message(square, square, other.turned(Op::conjugate)), "gemm: C is conjugated, which a result cannot be");
  EXPECT_EQ(message(square, square, square), "gemm: C overlaps A in memory");
  EXPECT_EQ(message({nullptr, 3, 3, 1, 3}, square, other), "gemm: A is null, but m = 3 and k = 3");
}

#if HILO_TEST_OPENCL
TYPED_TEST(ProductOfViews, HaveTheirBitsOnADeviceToo) {
  using T = TypeParam;
  const auto p = problem<T>();
  const std::vector<T> expected = p.multiply(asked);
  Queue& q = queue();
  for (Op opa : all_ops) {
    Block<T> a(Layout::column, opa, p.a, p.m, p.k), b(Layout::row, opa, p.b, p.k, p.n),
        c(Layout::row, Op::none, p.c0, p.m, p.n);
    gemm(q, p.alpha, a.view, b.view, p.beta, c.view, asked);
    EXPECT_EQ(first_difference(entries(c.view), expected), -1) << name(opa);

    Block<T> again(Layout::row, Op::none, p.c0, p.m, p.n);
    auto on_device = [&](const Block<T>& x) {
      Buffer<T> buffer(q.context(), std::ssize(x.elements));
      buffer.write(q, x.elements.data(), 0, std::ssize(x.elements));
      return BufferView<T>{buffer,
                           x.view.data - x.elements.data(),
                           x.view.rows,
                           x.view.columns,
                           x.view.row_stride,
                           x.view.column_stride,
                           x.view.conjugate};
    };
    const BufferView<T> result = on_device(again);
    const GemmEvent run = gemm(q, p.alpha, on_device(a), on_device(b), p.beta, result, {}, asked);
    run.wait();
    result.buffer.read(q, again.elements.data(), 0, std::ssize(again.elements));
    EXPECT_EQ(first_difference(again.elements, c.elements), -1) << name(opa);
    EXPECT_EQ(run.report.plan.m, p.m);

    // A block of a block, turned twice.
    const BufferView<T> same = result.turned(Op::transpose).sub(1, 0, 3, 2).turned(Op::transpose);
    EXPECT_EQ(same.offset, result.offset + result.column_stride);
    EXPECT_EQ(same.rows, 2);
  }
}
#endif

}  // namespace
}  // namespace hilo::test
