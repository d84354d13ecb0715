// trmm in device memory whose blocks beside the diagonal are one product by the modular engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hilo/blas.hpp>
#include <limits>
#include <type_traits>

#include "blas/level3.hpp"
#include "blas/opencl/place.hpp"
#include "on_device.hpp"

namespace hilo::test {
namespace {

const BlockedOptions direct{.engine = Engine::direct, .fma = Fma::on};

template <class T>
blas::DevicePlace::Matrix matrix_of(const BufferView<T>& v) {
  return {cl::Buffer(v.buffer.native(), true), v.offset, v.rows, v.columns, v.row_stride, v.column_stride, v.conjugate};
}

// Takes blocks beside the diagonal as one product, wherever that can be.
struct BlocksPlace : blas::DevicePlace {
  using DevicePlace::DevicePlace;
  std::int64_t rows_beside_one_product(std::int64_t order, std::int64_t) { return order > 64 ? 64 : 0; }
};

template <class T>
struct TriangleProblem {
  static constexpr std::int64_t n = 600, m = 41;
  StoredMatrix<T> a, b;

  // Entries of A fall off beside the diagonal and rows of B differ by up to 2^20, so that what is promised entry by
  // entry asks for more than what is promised of norms.
  TriangleProblem(Layout layout_of_a, Layout layout_of_b) : a(layout_of_a, n, n, 3), b(layout_of_b, n, m, 5) {
    b.fill([&](auto i, auto j) { return b(i, j) * T(std::ldexp(1.0, static_cast<int>(i * 7 % 21))); });
  }

  // Whether it was done; what is written is near the host's direct product in (|A||B|)_ij.
  bool run(Side side, Uplo uplo, Diag diag, T alpha) {
    Queue& q = queue();
    constexpr Op t = Op::transpose;
    const OnDevice<T> x(q, a), y(q, b);
    const BlockedOptions by_moduli{.engine = Engine::modular, .fma = Fma::on};
    BlocksPlace place(*q.state(), precision_of<T>, by_moduli, {});
    const auto left = matrix_of(x.view), right = matrix_of(y.view);
    const bool is_left = side == Side::left;
    const bool is_done = is_left ? blas::multiply_blocks_at_once(place, uplo, diag, as_dd_complex(alpha), left, right)
                                 : blas::multiply_blocks_at_once(place, blas::other(uplo), diag, as_dd_complex(alpha),
                                                                 left.turned(t), right.turned(t));
    place.finish().wait();
    StoredMatrix<T> found = b;
    found.elements = y.read(q);
    found.view.data = found.elements.data() + (b.view.data - b.elements.data());
    if (!is_done) {
      EXPECT_EQ(first_difference(found.elements, b.elements), -1) << "B is another one";
      return false;
    }
    StoredMatrix<T> expected = b;
    expected.view.data = expected.elements.data() + (b.view.data - b.elements.data());
    trmm(side, uplo, diag, alpha, a.read(), expected.view, direct);
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        double magnitude = 0;
        for (std::int64_t h = 0; h < n; ++h) {
          if (uplo == Uplo::lower ? h > i : h < i) continue;
          magnitude += (h == i && diag == Diag::unit ? 1.0 : magnitude_of(a(i, h))) * magnitude_of(b(h, j));
        }
        largest = std::max(largest, magnitude_of(found(i, j) - expected(i, j)) / magnitude);
      }
    }
    // Both keep (8 n + 16) u^2 |A||B|, and errors of opposite signs cancel.
    EXPECT_LE(largest, (8 * n + 16) * 0x1p-106);
    EXPECT_LE(largest, 40 * 0x1p-106);
    return true;
  }
  static double magnitude_of(const T& x) {
    if constexpr (std::is_same_v<T, dd_complex>) {
      return std::hypot(x.re.hi, x.im.hi);
    } else {
      return std::abs(x.hi);
    }
  }
};

template <class T>
void expect_blocks_at_once() {
  for (const Uplo uplo : both_triangles) {
    for (const Layout layout : both_layouts) {
      TriangleProblem<T> p(Layout::column, layout);
      EXPECT_TRUE(p.run(Side::left, uplo, layout == Layout::row ? Diag::unit : Diag::non_unit, T(0.75)));
    }
  }
  TriangleProblem<T> p(Layout::row, Layout::column);
  EXPECT_TRUE(p.run(Side::left, Uplo::lower, Diag::non_unit, T(1)));
}

TEST(OpenclTrmm, BlocksBesideTheDiagonalAreOneProduct) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  expect_blocks_at_once<dd_real>();
  if (is_long()) expect_blocks_at_once<dd_complex>();
}

// Nothing is written where entries are not finite, or exponents spread too far.
TEST(OpenclTrmm, GoesByHalvesWhereModuliDoNotDo) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  TriangleProblem<dd_real> infinite(Layout::column, Layout::column), wide(Layout::column, Layout::column);
  infinite.b.view(200, 7) = dd_real(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(infinite.run(Side::left, Uplo::lower, Diag::non_unit, 1));
  wide.a.fill([&](auto i, auto j) { return ldexp(wide.a(i, j), static_cast<int>((i * 31 + j * 17) % 400)); });
  wide.b.fill([&](auto i, auto j) { return ldexp(wide.b(i, j), static_cast<int>((i * 13 + j * 29) % 400)); });
  EXPECT_FALSE(wide.run(Side::left, Uplo::upper, Diag::non_unit, 1));
}

}  // namespace
}  // namespace hilo::test
