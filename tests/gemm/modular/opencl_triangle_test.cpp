// Products by the modular engine on a device of which only a triangle is wanted: the entries of the whole product's
// plan, bit for bit, and nothing beside them.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "planned_product.hpp"

namespace hilo::test {
namespace {

template <class T>
bool has_same_bits(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

// A number that no product makes, another for each place.
template <class T>
T unlikely(std::size_t at) {
  const auto word = std::bit_cast<double>(0x7ff4000000000000U + at);
  return T(dd_real(word, word));
}

// What the modular engine writes of a triangle, by the plan of the whole product: its entries with the same bits, and
// nothing beside them. Returns how many are direct of the whole product, and of each triangle.
template <class T>
std::array<std::int64_t, 3> expect_modular_triangles(PlannedProblem<T>& p, T alpha, T beta, bool by_rows,
                                                     const GemmOptions& options, bool is_unwatched = false) {
  const std::int64_t n = p.shape.m;
  std::array<std::int64_t, 3> direct = {};
  DeviceProduct product = p.product(alpha, beta);
  if (by_rows) product.c = product.c.turned(Op::transpose);
  const auto run = [&](const std::vector<T>& before) {
    p.dc.write(queue(), before.data(), 0, p.dc.size());
    DevicePlan plan = plan_product(*queue().state()->context, p.shape, product, options);
    EXPECT_TRUE(takes_triangle(*queue().state()->context, plan));
    std::get<modular::DevicePlan>(plan.engine).is_unwatched = is_unwatched;
    DeviceRun ran = execute(plan, product, *queue().state(), {});
    ran.event.wait();
    if (ran.recomputed.buffer()()) ran.recomputed.release(queue().state()->queue, {});
    direct[product.triangle ? *product.triangle == Uplo::lower ? 1 : 2 : 0] = ran.entries_direct;
    return p.read();
  };
  const std::vector<T> all = run(p.c);
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    product.triangle = uplo;
    std::vector<T> before = p.c;
    const auto is_wanted = [&](std::size_t at) {
      const auto line = static_cast<std::int64_t>(at) / n, within = static_cast<std::int64_t>(at) % n;
      return (uplo == Uplo::lower) == by_rows ? line >= within : line <= within;
    };
    for (std::size_t at = 0; at < before.size(); ++at) {
      if (!is_wanted(at) || beta == T(0)) before[at] = unlikely<T>(at);
    }
    const std::vector<T> found = run(before);
    std::int64_t wrong = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
      wrong += !has_same_bits(found[at], is_wanted(at) ? all[at] : before[at]);
    }
    EXPECT_EQ(wrong, 0) << "n = " << n << ", " << static_cast<int>(uplo) << ' ' << by_rows << ", "
                        << name(options.accuracy) << ", workspace " << options.workspace_bytes;
  }
  return direct;
}

template <class T>
std::array<std::int64_t, 3> expect_modular_triangles(PlannedProblem<T>& p, const GemmOptions& options,
                                                     bool is_unwatched = false) {
  expect_modular_triangles(p, T(1), T(0), false, options, is_unwatched);
  return expect_modular_triangles(p, entry<T>(3), entry<T>(5), true, options, is_unwatched);
}

GemmOptions modular_options(Accuracy accuracy = Accuracy::classic) {
  GemmOptions options;
  options.engine = Engine::modular;
  options.accuracy = accuracy;
  if (accuracy == Accuracy::bits) options.bits = 90;
  return options;
}

// Sizes within a tile, at the edges of tiles, with columns of their own at the end, and of many bands of tiles.
TEST(OpenclTriangle, HasTheEntriesOfTheWholeProduct) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 129, 150, 300, 530}) {
    PlannedProblem<dd_real> p(n, n, n % 2 ? 70 : 33, 1);
    expect_modular_triangles(p, modular_options());
  }
  PlannedProblem<dd_complex> z(150, 150, 70, 1);
  expect_modular_triangles(z, modular_options());
  PlannedProblem<dd_real> p(150, 150, 70, 1);
  for (const dd_real alpha : {dd_real(1), dd_real(-1), entry<dd_real>(2)}) {
    for (const dd_real beta : {dd_real(0), dd_real(1), entry<dd_real>(9)}) {
      for (const bool by_rows : {false, true}) expect_modular_triangles(p, alpha, beta, by_rows, modular_options());
    }
  }
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::tight, Accuracy::normwise, Accuracy::bits}) {
    expect_modular_triangles(p, modular_options(accuracy));
  }
  for (const bool by_rows : {false, true}) {
    expect_modular_triangles(p, dd_real(-0.5), dd_real(0), by_rows, modular_options(Accuracy::exact));
  }
}

// C panel by panel, by rows and columns and in slices of k, where memory is short.
TEST(OpenclTriangle, ByPanels) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const auto plan_of = [](const PlannedProblem<dd_real>& p, const GemmOptions& options) {
    return plan_product(*queue().state()->context, p.shape, p.product(1, 0), options).told;
  };
  int tried = 0;
  for (const std::int64_t n : {130, 301, 530}) {
    PlannedProblem<dd_real> p(n, n, 133, 1);
    GemmOptions options = modular_options(Accuracy::normwise);
    const std::int64_t whole = plan_of(p, options).workspace_bytes;
    for (const int part : {2, 5, 12, 20}) {
      options.workspace_bytes = whole / part;
      options.depth = part == 5 ? 64 : 0;
      try {
        const GemmPlan plan = plan_of(p, options);
        tried += plan.tile_rows < n && plan.tile_columns < n;
      } catch (const error& e) {
        // Of small products a part is less than panels take.
        ASSERT_EQ(e.code(), errc::invalid_argument);
        continue;
      }
      expect_modular_triangles(p, options);
    }
  }
  EXPECT_GT(tried, 0);
}

// Entries that the direct engine computes, and whole products that go to it: of rows with NaN, of a row and a column
// that overflow.
TEST(OpenclTriangle, WithTheDirectEngine) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::int64_t bad_row : {3, 290}) {
    PlannedProblem<dd_real> p(300, 300, 70, 1);
    p.a[static_cast<std::size_t>(bad_row)] = dd_real(inf);
    for (std::int64_t h = 0; h < 70; ++h) {
      p.a[static_cast<std::size_t>(7 + h * 300)] *= 0x1p600;
      p.b[static_cast<std::size_t>(5 + h * 300)] *= 0x1p600;
    }
    p.da.write(queue(), p.a.data(), 0, p.da.size());
    p.db.write(queue(), p.b.data(), 0, p.db.size());
    // By rows C is the transpose's: its lower triangle is the same one.
    const auto direct = expect_modular_triangles(p, modular_options());
    EXPECT_EQ(direct[0], 301);
    EXPECT_EQ(direct[1], bad_row + 1 + 1);
    EXPECT_EQ(direct[2], 300 - bad_row);
    expect_modular_triangles(p, modular_options(Accuracy::fast));
  }
  PlannedProblem<dd_real> p(40, 40, 70, 1);
  p.a[3] = dd_real(inf);
  p.da.write(queue(), p.a.data(), 0, p.da.size());
  expect_modular_triangles(p, modular_options());
}

// Rows and columns with NaN are NaN where they are of the triangle.
TEST(OpenclTriangle, ThatNobodyWatches) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const std::int64_t n = 130;
  PlannedProblem<dd_complex> p(n, n, 33, 1);
  p.a[static_cast<std::size_t>(70 + 5 * n)] = dd_complex(std::numeric_limits<double>::infinity());
  p.b[static_cast<std::size_t>(20 + 5 * n)] = dd_complex(std::numeric_limits<double>::quiet_NaN());
  p.da.write(queue(), p.a.data(), 0, p.da.size());
  p.db.write(queue(), p.b.data(), 0, p.db.size());
  expect_modular_triangles(p, modular_options(Accuracy::normwise), true);
}

// A times its transpose, whose operands have one scan, has the bits of A times the transpose of a copy, and the report.
template <class T>
void expect_bits_of_a_copy(PlannedProblem<T>& p, const GemmOptions& options, bool is_conjugate = false,
                           bool is_unwatched = false) {
  opencl::ContextState& context = *queue().state()->context;
  p.b = p.a;
  p.db.write(queue(), p.b.data(), 0, p.db.size());
  for (const std::optional<Uplo> triangle :
       {std::optional<Uplo>(), std::optional(Uplo::lower), std::optional(Uplo::upper)}) {
    GemmPlan told[2];
    std::vector<T> found[2];
    for (const bool is_copy : {false, true}) {
      DeviceProduct product = p.product(T(1), T(0));
      product.triangle = triangle;
      product.b.conjugate = is_conjugate;
      if (!is_copy) product.b.buffer = product.a.buffer;
      p.dc.write(queue(), p.c.data(), 0, p.dc.size());
      DevicePlan plan = plan_product(context, p.shape, product, options);
      ASSERT_TRUE(!triangle || takes_triangle(context, plan));
      std::get<modular::DevicePlan>(plan.engine).is_unwatched = is_unwatched;
      DeviceRun ran = execute(plan, product, *queue().state(), {});
      ran.event.wait();
      if (ran.recomputed.buffer()()) ran.recomputed.release(queue().state()->queue, {});
      told[is_copy] = ran.plan;
      found[is_copy] = p.read();
    }
    std::int64_t wrong = 0;
    for (std::size_t at = 0; at < p.c.size(); ++at) wrong += !has_same_bits(found[0][at], found[1][at]);
    EXPECT_EQ(wrong, 0) << "n = " << p.shape.m << ", k = " << p.shape.k << ", " << name(options.accuracy);
    EXPECT_EQ(told[0].moduli, told[1].moduli);
    EXPECT_EQ(told[0].bits, told[1].bits);
    EXPECT_EQ(told[0].path, told[1].path);
    EXPECT_EQ(told[0].error_bound_u2, told[1].error_bound_u2);
  }
}

TEST(OpenclTriangle, OfAMatrixTimesItsTranspose) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  // Terms for the sum test begin at 64; lines and terms that are no multiple of what work-groups take.
  for (const auto& [n, k] : {std::pair{1, 1}, {7, 63}, {40, 70}, {150, 64}, {301, 133}, {530, 200}}) {
    for (const Accuracy accuracy :
         {Accuracy::classic, Accuracy::fast, Accuracy::tight, Accuracy::normwise, Accuracy::bits, Accuracy::exact}) {
      // Others' moduli take other kernels, which take their time to compile.
      if (accuracy != Accuracy::classic && n != 40) continue;
      PlannedProblem<dd_real> p(n, n, k, 1);
      expect_bits_of_a_copy(p, modular_options(accuracy));
    }
  }
  PlannedProblem<dd_complex> z(150, 150, 70, 1);
  for (dd_complex& x : z.a) x.im = x.re * dd_real(0.625);
  z.da.write(queue(), z.a.data(), 0, z.da.size());
  for (const bool is_conjugate : {false, true}) {
    expect_bits_of_a_copy(z, modular_options(), is_conjugate);
    expect_bits_of_a_copy(z, modular_options(Accuracy::normwise), is_conjugate, true);
  }
}

// Exponents that spread, so that the spread test follows: over terms, which balancing would take away from a product of
// others, over all elements, and in a few lines; lines of zeros and with Inf.
TEST(OpenclTriangle, OfAMatrixThatSpreadsTimesItsTranspose) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const std::int64_t n = 130, k = 90;
  for (int kind = 0; kind < 5; ++kind) {
    PlannedProblem<dd_real> p(n, n, k, 1);
    for (std::int64_t h = 0; h < k; ++h) {
      for (std::int64_t i = 0; i < n; ++i) {
        dd_real& x = p.a[static_cast<std::size_t>(i + h * n)];
        const auto by = static_cast<int>(kind == 0             ? h % 40
                                         : kind == 1           ? (i * 7 + h * 13) % 23
                                         : kind == 2 && i == 5 ? h
                                                               : 0);
        x = ldexp(x, -by);
        if (kind == 3 && i % 5 == 0) x = 0;
        if (kind == 4 && i == 17 && h == 3) x = std::numeric_limits<double>::infinity();
        if (kind == 4 && i > 100 && h > i - 100) x = 0;
      }
    }
    p.da.write(queue(), p.a.data(), 0, p.da.size());
    for (const Accuracy accuracy : {Accuracy::classic, Accuracy::fast, Accuracy::tight}) {
      expect_bits_of_a_copy(p, modular_options(accuracy));
    }
  }
}

// A times the transpose of its first rows, or the first rows of a matrix times its transpose: integers of both operands
// are found at once, and the bits are those of copies.
template <class T>
void expect_products_with_first_rows(const std::vector<std::array<std::int64_t, 3>>& sizes) {
  opencl::ContextState& context = *queue().state()->context;
  for (const auto& [m, n, k] : sizes) {
    PlannedProblem<T> p(m, n, k, 1);
    const std::int64_t rows = std::min(m, n);
    for (std::int64_t h = 0; h < k; ++h) {
      for (std::int64_t i = 0; i < rows; ++i) {
        T &x = p.a[static_cast<std::size_t>(i + h * m)], &y = p.b[static_cast<std::size_t>(i + h * n)];
        (m >= n ? y : x) = m >= n ? x : y;
      }
    }
    p.da.write(queue(), p.a.data(), 0, p.da.size());
    p.db.write(queue(), p.b.data(), 0, p.db.size());
    for (const bool by_rows : {false, true}) {
      for (const bool is_unwatched : {false, true}) {
        std::vector<T> found[2];
        for (const bool is_copy : {false, true}) {
          DeviceProduct product = p.product(1, 0);
          if (by_rows) {
            product.c.row_stride = n;
            product.c.column_stride = 1;
          }
          if (!is_copy && m >= n) product.b = product.a.sub(0, 0, n, k).turned(Op::transpose);
          if (!is_copy && m < n) product.a = product.b.sub(0, 0, k, m).turned(Op::transpose);
          p.dc.write(queue(), p.c.data(), 0, p.dc.size());
          const Accuracy accuracy = is_unwatched ? Accuracy::normwise : Accuracy::classic;
          DevicePlan plan = plan_product(context, p.shape, product, modular_options(accuracy));
          std::get<modular::DevicePlan>(plan.engine).is_unwatched = is_unwatched;
          DeviceRun ran = execute(plan, product, *queue().state(), {});
          ran.event.wait();
          if (ran.recomputed.buffer()()) ran.recomputed.release(queue().state()->queue, {});
          found[is_copy] = p.read();
        }
        std::int64_t wrong = 0;
        for (std::size_t at = 0; at < p.c.size(); ++at) wrong += !has_same_bits(found[0][at], found[1][at]);
        EXPECT_EQ(wrong, 0) << m << " x " << n << ", k = " << k << (by_rows ? ", by rows" : "");
      }
    }
  }
}

TEST(OpenclTriangle, OfAMatrixTimesItsFirstRows) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  expect_products_with_first_rows<dd_real>({{301, 70, 133}, {70, 301, 133}, {140, 129, 40}, {17, 300, 65}});
  expect_products_with_first_rows<dd_complex>({{140, 129, 40}});
}

// Zeros beside a triangle of A, whose terms are left out: the bits are those of a product that takes them.
template <class T>
void expect_bits_of_zeros_that_are_taken(std::int64_t m, std::int64_t n, std::int64_t k, const GemmOptions& options) {
  opencl::ContextState& context = *queue().state()->context;
  for (const Uplo uplo : {Uplo::lower, Uplo::upper}) {
    PlannedProblem<T> p(m, n, k, 1);
    for (std::int64_t h = 0; h < k; ++h) {
      for (std::int64_t i = 0; i < m; ++i) {
        const std::int64_t row = i / DeviceProduct::triangle_block, column = h / DeviceProduct::triangle_block;
        if (uplo == Uplo::lower ? column > row : column < row) p.a[static_cast<std::size_t>(i + h * m)] = T(0);
      }
    }
    p.da.write(queue(), p.a.data(), 0, p.da.size());
    for (const bool by_rows : {false, true}) {
      std::vector<T> found[2];
      for (const bool is_told : {false, true}) {
        DeviceProduct product = p.product(T(0.75), T(1));
        if (by_rows) {
          product.c.row_stride = n;
          product.c.column_stride = 1;
        }
        if (is_told) product.triangle_of_a = uplo;
        p.dc.write(queue(), p.c.data(), 0, p.dc.size());
        DevicePlan plan = plan_product(context, p.shape, product, options);
        DeviceRun ran = execute(plan, product, *queue().state(), {});
        ran.event.wait();
        EXPECT_EQ(ran.plan.path, Path::modular);
        if (ran.recomputed.buffer()()) ran.recomputed.release(queue().state()->queue, {});
        found[is_told] = p.read();
      }
      std::int64_t wrong = 0;
      for (std::size_t at = 0; at < p.c.size(); ++at) wrong += !has_same_bits(found[0][at], found[1][at]);
      EXPECT_EQ(wrong, 0) << m << " x " << n << " x " << k << ' ' << static_cast<int>(uplo) << ' ' << by_rows
                          << ", workspace " << options.workspace_bytes;
    }
  }
}

// Of one panel and of several, with rows and columns that take a tile of their own, and where memory is short.
TEST(OpenclTriangle, OfTheLeftOperand) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  GemmOptions options = modular_options();
  for (const auto& [m, n, k] : {std::array{40, 33, 40}, {200, 70, 200}, {1100, 35, 1100}, {530, 130, 530}}) {
    expect_bits_of_zeros_that_are_taken<dd_real>(m, n, k, options);
  }
  expect_bits_of_zeros_that_are_taken<dd_complex>(550, 10, 550, options);
  options.accuracy = Accuracy::normwise;
  // Little, where tiles are large, too.
  options.workspace_bytes = std::int64_t{5} << 19;
  expect_bits_of_zeros_that_are_taken<dd_real>(530, 130, 530, options);
  options.workspace_bytes = 0;
  options.depth = 128;
  expect_bits_of_zeros_that_are_taken<dd_real>(540, 50, 540, options);
}

// What goes to plain sums where the modular engine gives it up.
TEST(OpenclTriangle, IsNotOfDoubles) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  PlannedProblem<double> p(40, 40, 33, 1);
  opencl::ContextState& context = *queue().state()->context;
  EXPECT_FALSE(takes_triangle(context, plan_product(context, p.shape, p.product(1, 0), modular_options())));
}

}  // namespace
}  // namespace hilo::test
