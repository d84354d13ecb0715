// Level 3 of the BLAS on the host: against sums in double-double, entry by entry, with everything that must not be read
// set to NaN and everything that must not be written compared.
#include <algorithm>
#include <hilo/blas.hpp>
#include <limits>

#include "blas/reference.hpp"
#include "largest_ratio.hpp"
#include "matrices.hpp"

namespace hilo::test {
namespace {

constexpr std::int64_t blocks[] = {1, 2, 7, 10, 0};

// |x − y| in ε(|terms|), each entry's own; NaN where they are not alike in being finite.
template <class T>
double error_of(const Wide& x, const Wide& y, const Wide& terms) {
  double worst = 0.0;
  for (std::size_t i = 0; i < x.elements.size(); ++i) {
    const double e = magnitude(x.elements[i] - y.elements[i]) / epsilon_of<T>;
    const double scale = magnitude(terms.elements[i]);
    const double r = e == 0.0 ? 0.0 : e / scale;
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

// A triangular matrix with NaN wherever it must not be read; of a moderate condition.
template <class T>
StoredMatrix<T> triangular(Layout layout, std::int64_t n, Uplo uplo, Diag diag, std::uint64_t seed) {
  StoredMatrix<T> a(layout, n, n, seed);
  a.fill([&](std::int64_t i, std::int64_t j) {
    if (i == j) return diag == Diag::unit ? not_a_number<T>() : a(i, j) + T(a(i, j) == a(i, j) ? 2 : 0);
    return (i > j) == (uplo == Uplo::lower) ? a(i, j) * T(0.25) : not_a_number<T>();
  });
  return a;
}

template <std::size_t count>
std::int64_t choice(std::uint64_t seed, const std::int64_t (&of)[count]) {
  return of[seed % count];
}

template <class T>
struct Case {
  Side side;
  Uplo uplo;
  Diag diag;
  Op op;
  Layout layout_a, layout_b;
  std::uint64_t seed;
  std::int64_t n = -1;  // any

  std::int64_t order(std::initializer_list<std::int64_t> few) const {
    return n < 0 ? few.begin()[seed % few.size()] : n;
  }
};

// Every case; in the long form also with every order from 0 to 300, layouts by turns.
template <class T, class F>
void for_cases(F f) {
  std::uint64_t seed = 1;
  std::vector<std::int64_t> orders = orders_of({});
  orders.insert(orders.begin(), -1);
  for (const std::int64_t n : orders) {
    for (const Side side : both_sides) {
      for (const Uplo uplo : both_triangles) {
        for (const Diag diag : both_diagonals) {
          for (const Op op : every_op) {
            for (const Layout a : both_layouts) {
              for (const Layout b : both_layouts) {
                ++seed;
                if (n < 0 || seed / 5 % 4 == seed % 4) f(Case<T>{side, uplo, diag, op, a, b, seed, n});
              }
            }
          }
        }
      }
    }
  }
}

constexpr Uplo flipped(Uplo uplo, Op op) {
  return is_transposed(op) ? (uplo == Uplo::lower ? Uplo::upper : Uplo::lower) : uplo;
}

template <class T>
class Level3 : public testing::Test {};
TYPED_TEST_SUITE(Level3, AllPrecisions, NameOfPrecision);

TYPED_TEST(Level3, SolvesAndMultipliesByTriangles) {
  using T = TypeParam;
  const T alpha = element_of<T>(-1.5, 0.5);
  LargestRatio solves("solves"), products("products");
  for_cases<T>([&](const Case<T>& x) {
    const std::uint64_t seed = x.seed;
    const std::int64_t n = x.order({1, 10, 19, 30}), other = choice(seed, {1, 3, 40});
    BlockedOptions options;
    options.block = blocks[seed % 5];
    options.threads = 1 + static_cast<int>(seed % 2);
    const bool is_left = x.side == Side::left;
    const std::int64_t rows = is_left ? n : other, columns = is_left ? other : n;
    const StoredMatrix<T> a = triangular<T>(x.layout_a, n, x.uplo, x.diag, seed),
                          before(x.layout_b, rows, columns, seed + 77);
    const MatrixView<const T> turned = a.read().turned(x.op);
    const Uplo uplo = flipped(x.uplo, x.op);
    const Wide factor = triangle(Wide(turned), uplo, x.diag), b(before.view);
    Wide alpha_b = b;
    for (dd_complex& e : alpha_b.elements) e = wide(alpha) * e;
    const auto times_factor = [&](const Wide& y, const Wide& z) { return is_left ? z * y : y * z; };
    const auto what = [&] {
      return testing::Message() << "seed " << seed << " n " << n << " block " << options.block << " " << name(x.op);
    };

    StoredMatrix<T> solved = before;
    trsm(x.side, uplo, x.diag, alpha, turned, solved.view, options);
    Wide residual_scale = times_factor(Wide(solved.view).magnitudes(), factor.magnitudes());
    EXPECT_LE(solves.of(error_of<T>(times_factor(Wide(solved.view), factor), alpha_b, residual_scale), n),
              8.0 + static_cast<double>(n))
        << what();
    EXPECT_EQ(solved.first_changed(before, [](auto, auto) { return false; }), -1) << what();

    StoredMatrix<T> product = before;
    trmm(x.side, uplo, x.diag, alpha, turned, product.view, options);
    EXPECT_LE(products.of(error_of<T>(Wide(product.view), times_factor(alpha_b, factor),
                                      times_factor(alpha_b.magnitudes(), factor.magnitudes())),
                          n),
              8.0 + static_cast<double>(n))
        << what();
  });
}

TYPED_TEST(Level3, MultipliesSymmetricMatrices) {
  using T = TypeParam;
  const T alpha = element_of<T>(-1.5, 0.5), beta = element_of<T>(0.75, -2);
  LargestRatio largest;
  for_cases<T>([&](const Case<T>& x) {
    const std::uint64_t seed = x.seed;
    const bool is_hermitian = x.diag == Diag::unit, is_left = x.side == Side::left;
    const std::int64_t n = x.order({1, 10, 30}), other = choice(seed / 3, {1, 7, 20});
    const std::int64_t rows = is_left ? n : other, columns = is_left ? other : n;
    StoredMatrix<T> a(x.layout_a, n, n, seed);
    a.fill([&](std::int64_t i, std::int64_t j) {
      return i == j || (i > j) == (x.uplo == Uplo::lower) ? a(i, j) : not_a_number<T>();
    });
    const StoredMatrix<T> b(x.layout_b, rows, columns, seed + 50), before(x.layout_a, rows, columns, seed + 60);
    const MatrixView<const T> turned = a.read().turned(x.op);
    const Uplo uplo = flipped(x.uplo, x.op);
    Wide whole(turned);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        if (i != j && (i > j) != (uplo == Uplo::lower)) whole(i, j) = is_hermitian ? conj(whole(j, i)) : whole(j, i);
        if (i == j && is_hermitian) whole(i, j) = dd_complex(whole(i, j).re);
      }
    }
    const Wide wide_b(b.view), product = is_left ? whole * wide_b : wide_b * whole;
    const Wide terms = is_left ? whole.magnitudes() * wide_b.magnitudes() : wide_b.magnitudes() * whole.magnitudes();
    const Wide old(before.view);
    for (const T& factor : {beta, T(0)}) {
      Wide expected = product, scale = terms;
      for (std::size_t i = 0; i < expected.elements.size(); ++i) {
        const dd_complex c = old.elements[i];
        expected.elements[i] = wide(alpha) * expected.elements[i] + wide(factor) * c;
        scale.elements[i] = dd_complex(4) * scale.elements[i] + dd_complex(dd_real(4 * magnitude(c)));
      }
      StoredMatrix<T> c = before;
      if (factor == T(0)) c.fill([](auto, auto) { return not_a_number<T>(); });
      if (is_hermitian) {
        hemm(x.side, uplo, alpha, turned, b.read(), factor, c.view);
      } else {
        symm(x.side, uplo, alpha, turned, b.read(), factor, c.view);
      }
      EXPECT_LE(largest.of(error_of<T>(Wide(c.view), expected, scale), n), 8.0 + static_cast<double>(n)) << seed;
      EXPECT_EQ(c.first_changed(before, [](auto, auto) { return false; }), -1) << seed;
    }
  });
}

TYPED_TEST(Level3, UpdatesTriangles) {
  using T = TypeParam;
  using R = real_type<T>;
  LargestRatio largest;
  for_cases<T>([&](const Case<T>& x) {
    const std::uint64_t seed = x.seed;
    const bool is_hermitian = x.diag == Diag::unit, has_b = x.side == Side::right;
    const std::int64_t n = x.order({1, 10, 30}), k = choice(seed / 3, {0, 1, 20});
    BlockedOptions options;
    options.block = blocks[seed % 5];
    const bool is_turned = is_transposed(x.op);
    const StoredMatrix<T> a(x.layout_a, is_turned ? k : n, is_turned ? n : k, seed),
        b(x.layout_b, is_turned ? k : n, is_turned ? n : k, seed + 9);
    const MatrixView<const T> left = a.read().turned(x.op), right = b.read().turned(x.op);
    StoredMatrix<T> before(x.layout_b, n, n, seed + 70);
    const auto is_other = [&](std::int64_t i, std::int64_t j) { return i != j && (i > j) != (x.uplo == Uplo::lower); };
    before.fill([&](std::int64_t i, std::int64_t j) { return is_other(i, j) ? not_a_number<T>() : before(i, j); });
    const T alpha = is_hermitian && !has_b ? T(-1.5) : element_of<T>(-1.5, 0.5);
    const T beta = seed % 2 ? T(0) : is_hermitian ? T(0.75) : element_of<T>(0.75, -2);
    const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;

    const Wide wide_a(left), wide_b(has_b ? right : left);
    Wide expected = wide_a * wide_b.turned(op), terms = wide_a.magnitudes() * wide_b.magnitudes().turned(op);
    for (dd_complex& e : expected.elements) e = wide(alpha) * e;
    if (has_b) {
      const Wide second = wide_b * wide_a.turned(op), more = wide_b.magnitudes() * wide_a.magnitudes().turned(op);
      for (std::size_t i = 0; i < second.elements.size(); ++i) {
        expected.elements[i] += (is_hermitian ? conj(wide(alpha)) : wide(alpha)) * second.elements[i];
        terms.elements[i] += more.elements[i];
      }
    }
    Wide result(n, n);
    StoredMatrix<T> c = before;
    if (has_b) {
      if (is_hermitian) {
        her2k<T>(x.uplo, alpha, left, right, R(real(wide(beta)).hi), c.view, options);
      } else {
        syr2k<T>(x.uplo, alpha, left, right, beta, c.view, options);
      }
    } else if (is_hermitian) {
      herk<T>(x.uplo, R(-1.5), left, R(real(wide(beta)).hi), c.view, options);
    } else {
      syrk<T>(x.uplo, alpha, left, beta, c.view, options);
    }
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        dd_complex& e = expected(i, j);
        if (is_other(i, j)) {
          e = dd_complex(0);
          continue;
        }
        dd_complex old = wide(before(i, j));
        if (is_hermitian && i == j) {
          old = dd_complex(old.re);
          e = dd_complex(e.re);
          EXPECT_EQ(wide(c(i, j)).im.hi, 0.0) << seed;
        }
        if (!(beta == T(0))) e += wide(beta) * old;
        terms(i, j) = dd_complex(4) * terms(i, j) + dd_complex(dd_real(4 * magnitude(old)));
        result(i, j) = wide(c(i, j));
      }
    }
    EXPECT_LE(largest.of(error_of<T>(result, expected, terms), n), 8.0 + static_cast<double>(k)) << seed;
    EXPECT_EQ(c.first_changed(before, is_other), -1) << seed;
  });
}

// The bits of x_i = (b_i − Σ a_ik · x_k) / a_ii, one entry after the other.
template <class T>
std::vector<T> solved_one_by_one(const MatrixView<const T>& a, const MatrixView<T>& b, Diag diag, bool fma) {
  std::vector<T> x;
  for (std::int64_t j = 0; j < b.columns; ++j) {
    const std::size_t top = x.size();
    for (std::int64_t i = 0; i < b.rows; ++i) {
      const auto left = [&](std::int64_t k) { return -a(i, k); };
      const auto right = [&](std::int64_t k) { return x[top + static_cast<std::size_t>(k)]; };
      const T sum = blas::with_products(b(i, j), i, left, right, fma);
      x.push_back(diag == Diag::unit ? sum : blas::quotient(sum, blas::Divisor<T>(a(i, i))));
    }
  }
  return x;
}

template <class T>
class BitsOfLevel3 : public testing::Test {};
TYPED_TEST_SUITE(BitsOfLevel3, DoubleDoubles, NameOfPrecision);

TYPED_TEST(BitsOfLevel3, OfABlockAreThoseOfItsDefinition) {
  using T = TypeParam;
  for (const Fma fma : {Fma::on, Fma::off}) {
    for (const Diag diag : both_diagonals) {
      for (const std::int64_t n : {1, 7, 33, 64, 130}) {
        const StoredMatrix<T> a = triangular<T>(Layout::column, n, Uplo::lower, diag, 3), b(Layout::row, n, 37, 4);
        BlockedOptions options;
        options.fma = fma;
        options.block = n;
        StoredMatrix<T> x = b;
        trsm(Side::left, Uplo::lower, diag, T(1), a.read(), x.view, options);
        EXPECT_EQ(first_difference(by_columns(x.view), solved_one_by_one<T>(a.read(), b.view, diag, fma == Fma::on)),
                  -1)
            << n;
      }
    }
  }
}

TYPED_TEST(BitsOfLevel3, DoNotDependOnThreadsOrLayouts) {
  using T = TypeParam;
  const std::int64_t n = 150;
  for (const Engine engine : {Engine::direct, Engine::modular, Engine::reproducible}) {
    std::vector<T> first[3];
    for (const Layout layout : both_layouts) {
      for (const int threads : {1, 2, 5}) {
        BlockedOptions options;
        options.engine = engine;
        options.threads = threads;
        const StoredMatrix<T> a = triangular<T>(layout, n, Uplo::lower, Diag::non_unit, 8);
        StoredMatrix<T> x(layout, n, 70, 9), y = x, z(layout, n, n, 10);
        trsm(Side::left, Uplo::lower, Diag::non_unit, T(1), a.read(), x.view, options);
        trmm(Side::left, Uplo::lower, Diag::non_unit, T(1), a.read(), y.view, options);
        syrk(Uplo::upper, T(1), x.read(), T(1), z.view, options);
        const std::vector<T> results[] = {by_columns(x.view), by_columns(y.view), by_columns(z.view)};
        for (int i = 0; i < 3; ++i) {
          if (first[i].empty()) first[i] = results[i];
          EXPECT_EQ(first_difference(results[i], first[i]), -1) << name(engine) << ' ' << threads << ' ' << i;
        }
      }
    }
  }
}

TYPED_TEST(BitsOfLevel3, OfAnIsaAreThoseOfAnother) {
  using T = TypeParam;
  const StoredMatrix<T> a = triangular<T>(Layout::column, 50, Uplo::upper, Diag::non_unit, 8),
                        b(Layout::column, 50, 33, 9);
  std::vector<T> first;
  for (const char* target : {"AVX3", "AVX2", "SSE4", "SSSE3"}) {
    BlockedOptions options;
    options.target = target;
    options.fma = Fma::off;
    options.engine = Engine::direct;
    StoredMatrix<T> x = b;
    try {
      trsm(Side::left, Uplo::upper, Diag::non_unit, T(1), a.read(), x.view, options);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      continue;
    }
    if (first.empty()) first = by_columns(x.view);
    EXPECT_EQ(first_difference(by_columns(x.view), first), -1) << target;
  }
}

TYPED_TEST(Level3, InfinitiesAndNaNStayInTheirColumns) {
  using T = TypeParam;
  const std::int64_t n = 20;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const StoredMatrix<T> a = triangular<T>(Layout::column, n, Uplo::lower, Diag::unit, 3), b(Layout::column, n, 3, 5);
  for (const std::int64_t block : {4, 32}) {
    BlockedOptions options;
    options.block = block;
    StoredMatrix<T> x = b, y = b;
    trsm(Side::left, Uplo::lower, Diag::unit, T(1), a.read(), x.view, options);
    y.view(7, 1) = element_of<T>(infinity, 0);
    y.view(9, 2) = not_a_number<T>();
    trsm(Side::left, Uplo::lower, Diag::unit, T(1), a.read(), y.view, options);
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_TRUE(same_bits(x(i, 0), y(i, 0))) << i;
      EXPECT_EQ(std::isfinite(magnitude(y(i, 1))), i < 7) << i;
      EXPECT_EQ(std::isfinite(magnitude(y(i, 2))), i < 9) << i;
    }
    if constexpr (!is_complex(precision_of<T>)) {
      EXPECT_EQ(wide(y(7, 1)).re.hi, infinity);
    }
  }
}

TYPED_TEST(Level3, ZeroFactorsReadNothing) {
  using T = TypeParam;
  const StoredMatrix<T> nan = [] {
    StoredMatrix<T> x(Layout::column, 5, 5);
    x.fill([](auto, auto) { return not_a_number<T>(); });
    return x;
  }();
  StoredMatrix<T> b = nan;
  trsm(Side::left, Uplo::lower, Diag::non_unit, T(0), nan.read(), b.view);
  EXPECT_EQ(std::ranges::count(by_columns(b.view), T(0)), 25);
  b.view(0, 0) = not_a_number<T>();
  trmm(Side::right, Uplo::upper, Diag::non_unit, T(0), nan.read(), b.view);
  EXPECT_EQ(std::ranges::count(by_columns(b.view), T(0)), 25);
  b.fill([](auto, auto) { return T(3); });
  symm(Side::left, Uplo::lower, T(0), nan.read(), nan.read(), T(2), b.view);
  EXPECT_EQ(std::ranges::count(by_columns(b.view), T(6)), 25);
  syrk(Uplo::lower, T(0), nan.read(), T(0), b.view);
  EXPECT_EQ(b(4, 0), T(0));
  EXPECT_EQ(b(0, 4), T(6));
}

}  // namespace
}  // namespace hilo::test
