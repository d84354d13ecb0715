// The bits of level 2 in DD and ZDD: those of the definition in docs/linear-algebra.md, whatever the threads, layouts
// and instruction sets.
#include <hilo/blas.hpp>

#include "blas/reference.hpp"
#include "level2_cases.hpp"

namespace hilo::test {
namespace {

template <class T>
class BitsOfLevel2 : public testing::Test {};
TYPED_TEST_SUITE(BitsOfLevel2, DoubleDoubles, NameOfPrecision);

// Σ a(k) · x(k), k = first … last − 1, by the definition.
template <class A, class X>
dd_real defined_sum(std::int64_t first, std::int64_t last, A a, X x) {
  using ops = canonical::ScalarStep;
  ops::dd total = {0.0, 0.0}, chunk = {0.0, 0.0};
  for (std::int64_t k = first; k < last; ++k) {
    const dd_real l = a(k), r = x(k);
    const ops::dd sum = ops::gather(chunk, ops::two_prod(l.hi, r.hi), {l.hi, l.lo}, {r.hi, r.lo});
    chunk = ops::fast_two_sum(sum.hi, sum.lo);
    if ((k + 1) % canonical::chunk_steps != 0 && k + 1 != last) continue;
    total = ops::add_finite(total, ops::two_sum(chunk.hi, chunk.lo));
    chunk = {0.0, 0.0};
  }
  dd_real r;
  r.hi = total.hi, r.lo = total.lo;
  return r;
}
template <class A>
dd_real sum_of(std::int64_t first, std::int64_t last, A a, const std::vector<dd_real>& x) {
  return defined_sum(first, last, a, [&](std::int64_t k) { return x[static_cast<std::size_t>(k)]; });
}
template <class A>
dd_complex sum_of(std::int64_t first, std::int64_t last, A a, const std::vector<dd_complex>& x) {
  const auto part_of_x = [&](bool is_turned) {
    return [is_turned, &x](std::int64_t s) {
      const dd_complex z = x[static_cast<std::size_t>(s / 2)];
      return (s % 2 != 0) != is_turned ? z.im : z.re;
    };
  };
  const auto re_of_a = [&](std::int64_t s) { return s % 2 ? -a(s / 2).im : a(s / 2).re; };
  const auto im_of_a = [&](std::int64_t s) { return s % 2 ? a(s / 2).im : a(s / 2).re; };
  return {defined_sum(2 * first, 2 * last, re_of_a, part_of_x(false)),
          defined_sum(2 * first, 2 * last, im_of_a, part_of_x(true))};
}

TYPED_TEST(BitsOfLevel2, AreThoseOfTheDefinition) {
  using T = TypeParam;
  for_cases<T>([&](const Level2Case<T>& c) {
    const std::int64_t n = c.n;
    const StoredMatrix<T> a = one_triangle<T>(c, c.diag == Diag::non_unit), full(c.layout, n, n, c.seed);
    const MatrixView<const T> view = a.read().turned(c.op), whole = full.read().turned(c.op);
    const Uplo uplo = flipped(c.uplo, c.op);
    const auto of = [](const MatrixView<const T>& b, std::int64_t i, std::int64_t k) {
      return b.conjugate ? conjugate_of(b(i, k)) : b(i, k);
    };
    const auto of_triangle = [&](std::int64_t i, std::int64_t k) {
      return i == k && c.diag == Diag::unit ? T(1) : of(view, i, k);
    };
    const StoredVector<T> before(n, c.x_stride, c.seed + 2);
    const std::vector<T> x = before.in_order();
    StoredVector<T> product(n, 1), symmetric(n, 1), triangular = before, solved = before;
    gemv(T(1), whole, before.read(), T(0), product.view, c.options);
    symv(uplo, T(1), whole, before.read(), T(0), symmetric.view, c.options);
    trmv(uplo, c.diag, view, triangular.view, c.options);
    trsv(uplo, c.diag, view, solved.view, c.options);
    const bool is_lower = uplo == Uplo::lower;
    std::vector<T> y;  // solved, in the order in which it is
    for (std::int64_t i = 0; i < n; ++i) {
      const auto row = [&](std::int64_t k) { return of(whole, i, k); };
      EXPECT_TRUE(same_bits(product(i), sum_of(0, n, row, x))) << c.seed << ' ' << i;
      const auto mirrored = [&](std::int64_t k) { return (k < i) == is_lower ? of(whole, i, k) : of(whole, k, i); };
      EXPECT_TRUE(same_bits(symmetric(i), sum_of(0, n, mirrored, x))) << c.seed << ' ' << i;
      const auto at = [&](std::int64_t k) { return of_triangle(i, k); };
      EXPECT_TRUE(same_bits(triangular(i), sum_of(is_lower ? 0 : i, is_lower ? i + 1 : n, at, x)))
          << c.seed << ' ' << i;
      const auto place = [&](std::int64_t k) { return is_lower ? k : n - 1 - k; };
      const auto in_order = [&](std::int64_t k) { return of_triangle(place(i), place(k)); };
      const T rest = x[static_cast<std::size_t>(place(i))] - sum_of(0, i, in_order, y);
      y.push_back(c.diag == Diag::unit ? rest : blas::quotient(rest, blas::Divisor<T>(in_order(i))));
      EXPECT_TRUE(same_bits(solved(place(i)), y.back())) << c.seed << ' ' << i;
    }
  });
}

TYPED_TEST(BitsOfLevel2, DoNotDependOnThreadsLayoutsOrInstructionSets) {
  using T = TypeParam;
  const std::int64_t m = 700, n = 650;
  std::vector<std::vector<T>> first;
  for (const char* target : {"", "AVX3", "AVX2", "SSE2"}) {
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 20}) {
        if (*target && threads != 2) continue;
        BlockedOptions o;
        o.threads = threads;
        o.target = target;
        const StoredMatrix<T> a(layout, m, n, 1);
        const MatrixView<const T> square = a.read().sub(0, 0, n, n);
        const StoredVector<T> x(n, threads, 2), z(m, 2, 3);
        StoredVector<T> y(m, 1, 4), few(5, 1, 5), symmetric(n, 1, 6), triangular(n, 1, 7), solved(n, -1, 8);
        StoredMatrix<T> updated(layout, m, n, 9), triangle(layout, n, n, 10);
        try {
          gemv(T(2), a.read(), x.read(), T(3), y.view, o);
        } catch (const error& e) {
          EXPECT_EQ(e.code(), errc::unsupported);
          continue;
        }
        gemv(T(1), a.read().sub(0, 0, 5, n), x.read(), T(0), few.view, o);
        hemv(Uplo::lower, T(2), square, x.read(), T(3), symmetric.view, o);
        trmv(Uplo::upper, Diag::unit, square, triangular.view, o);
        trsv(Uplo::lower, Diag::non_unit, square, solved.view, o);
        ger(T(2), z.read(), x.read(), updated.view, o);
        her2(Uplo::upper, T(2), x.read(), x.read(), triangle.view, o);
        const std::vector<std::vector<T>> results = {
            y.in_order(),      few.in_order(),           symmetric.in_order(),     triangular.in_order(),
            solved.in_order(), by_columns(updated.view), by_columns(triangle.view)};
        if (first.empty()) first = results;
        for (std::size_t i = 0; i < results.size(); ++i) {
          EXPECT_EQ(first_difference(results[i], first[i]), -1) << target << ' ' << threads << ' ' << i;
        }
      }
    }
  }
}

template <class T>
T real_of(const T& x) {
  return conjugate_of(x) == x ? x : T(wide(x).re);
}

// Matrices whose threads keep the sums of some chunks at a time: a symmetric one against the same written out, and a
// triangle against itself by one thread.
TYPED_TEST(BitsOfLevel2, OfManyRoundsOfChunksAreThoseOfOneThread) {
  using T = TypeParam;
  const std::int64_t n = 2117;
  BlockedOptions one, two;
  one.threads = 1;
  two.threads = 2;
  const StoredVector<T> x(n, 1, 2);
  for (const Layout layout : both_layouts) {
    const StoredMatrix<T> a(layout, n, n, 1);
    StoredMatrix<T> whole = a;
    whole.fill([&](std::int64_t i, std::int64_t j) {
      return i > j ? a(i, j) : i < j ? conjugate_of(a(j, i)) : real_of(a(i, i));
    });
    StoredVector<T> y(n, 1, 3), z = y, w = x, v = x;
    hemv(Uplo::lower, T(1), a.read(), x.read(), T(0), y.view, two);
    gemv(T(1), whole.read(), x.read(), T(0), z.view, two);
    trmv(Uplo::upper, Diag::non_unit, a.read(), w.view, two);
    trmv(Uplo::upper, Diag::non_unit, a.read(), v.view, one);
    EXPECT_EQ(first_difference(y.elements, z.elements), -1);
    EXPECT_EQ(first_difference(w.elements, v.elements), -1);
    gemv(T(1), whole.read(), x.read(), T(0), z.view, one);
    EXPECT_EQ(first_difference(y.elements, z.elements), -1);
  }
}

}  // namespace
}  // namespace hilo::test
