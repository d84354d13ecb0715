// Level 1 of the BLAS on the host: against the operators and sums in double-double, on vectors of any stride.
#include <algorithm>
#include <hilo/blas.hpp>
#include <hilo/math.hpp>

#include "dd/reduction.hpp"
#include "vectors.hpp"

namespace hilo::test {
namespace {

constexpr std::int64_t sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 31, 64, 100, 257, 300, 2500};
constexpr std::int64_t strides[][2] = {{1, 1}, {2, 1}, {1, -1}, {-3, 2}, {-1, -1}, {5, 7}};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// f(n, stride of x, stride of y, seed)
template <class F>
void for_vectors(F f) {
  std::uint64_t seed = 1;
  for (const std::int64_t n : sizes) {
    for (const auto& [x, y] : strides) f(n, x, y, ++seed);
  }
}

// The product that routines define.
template <class S, class T>
T product(const S& x, const T& y) {
  if constexpr (std::same_as<S, dd_complex>) {
    return dd_complex::multiply_finite(x, y);
  } else if constexpr (is_complex(precision_of<T>) && !is_complex(precision_of<S>)) {
    return T(x * y.real(), x * y.imag());
  } else {
    return x * y;
  }
}
template <class T>
T conjugate(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return conj(x);
  } else {
    return x;
  }
}

// The bits of double-doubles; others to three roundings of what has magnitude `scale`.
template <class T>
void expect_near(const T& x, const T& y, double scale, std::int64_t at) {
  if constexpr (double_double<T>) {
    EXPECT_TRUE(same_bits(x, y)) << at;
  } else {
    EXPECT_LE(magnitude(wide(x) - wide(y)), 3.0 * epsilon_of<T> * scale) << at;
  }
}

template <class T>
class Level1 : public testing::Test {};
TYPED_TEST_SUITE(Level1, AllPrecisions, NameOfPrecision);

TYPED_TEST(Level1, ComputesElementByElement) {
  using T = TypeParam;
  using R = real_type<T>;
  const T alpha = element_of<T>(-1.7, 0.6), s = element_of<T>(0.6, 0.3);
  const R c(0.75f);
  for_vectors([&](std::int64_t n, std::int64_t x_stride, std::int64_t y_stride, std::uint64_t seed) {
    const StoredVector<T> x(n, x_stride, seed), y(n, y_stride, seed + 1000);
    StoredVector<T> sum = y, scaled = x, left = x, right = y, copied = y, first = x, second = y;
    axpy(alpha, x.read(), sum.view);
    scal(alpha, scaled.view);
    rot(left.view, right.view, c, s);
    copy(x.read(), copied.view);
    swap(first.view, second.view);
    for (std::int64_t i = 0; i < n; ++i) {
      expect_near<T>(sum(i), product(alpha, x(i)) + y(i), 6.0, i);
      expect_near<T>(scaled(i), product(alpha, x(i)), 6.0, i);
      expect_near<T>(left(i), product(c, x(i)) + product(s, y(i)), 6.0, i);
      expect_near<T>(right(i), product(c, y(i)) - product(conjugate(s), x(i)), 6.0, i);
      EXPECT_TRUE(same_bits(copied(i), x(i)) && same_bits(first(i), y(i)) && same_bits(second(i), x(i))) << i;
    }
    for (const StoredVector<T>* v : {&scaled, &left, &first}) EXPECT_TRUE(v->keeps_what_is_between(x)) << n;
    for (const StoredVector<T>* v : {&sum, &right, &copied, &second}) EXPECT_TRUE(v->keeps_what_is_between(y)) << n;
  });
}

TYPED_TEST(Level1, Sums) {
  using T = TypeParam;
  for_vectors([&](std::int64_t n, std::int64_t x_stride, std::int64_t y_stride, std::uint64_t seed) {
    const StoredVector<T> x(n, x_stride, seed), y(n, y_stride, seed + 1000);
    const Wide a = x.wide_column(), b = y.wide_column();
    const auto inner = [](const Wide& u, const Wide& v) { return (u.turned(Op::transpose) * v)(0, 0); };
    const double scale = magnitude(inner(a.magnitudes(), b.magnitudes()));
    const double bound = epsilon_of<T> * (8.0 + static_cast<double>(n));
    EXPECT_LE(magnitude(wide(dot(x.view, y.view)) - inner(a.turned(Op::conjugate), b)), bound * scale) << n;
    EXPECT_LE(magnitude(wide(dotu(x.read(), y.view)) - inner(a, b)), bound * scale) << n;
    const dd_real squares = inner(a.turned(Op::conjugate), a).re;
    EXPECT_LE(magnitude(wide(nrm2(x.view)) - dd_complex(sqrt(squares))), bound * sqrt(squares).hi) << n;
    dd_real sum(0);
    for (const dd_complex& e : a.elements) sum += abs(e.re) + abs(e.im);
    EXPECT_LE(magnitude(wide(asum(x.read())) - dd_complex(sum)), bound * sum.hi) << n;
  });
}

TYPED_TEST(Level1, FindsTheFirstOfTheLargest) {
  using T = TypeParam;
  for_vectors([&](std::int64_t n, std::int64_t stride, std::int64_t, std::uint64_t seed) {
    StoredVector<T> x(n, stride, seed);
    EXPECT_EQ(
        iamax(x.view), n == 0 ? -1 : [&] {
          std::int64_t largest = 0;
          const auto of = [&](std::int64_t i) {
            const dd_complex z = wide(x(i));
            const dd_real m = abs(z.re) + abs(z.im);
            return double_double<T> ? m : is_single(precision_of<T>) ? dd_real(float(m.hi)) : dd_real(m.hi);
          };
          for (std::int64_t i = 1; i < n; ++i) {
            if (of(i) > of(largest)) largest = i;
          }
          return largest;
        }());
    if (n < 4) return;
    const std::int64_t at = static_cast<std::int64_t>(seed) % (n - 1);
    x.view(at) = element_of<T>(-7, 5);
    x.view(n - 1) = element_of<T>(7, -5);
    EXPECT_EQ(iamax(x.read()), at);
    x.view(n - 1) = element_of<T>(-infinity, 0);
    EXPECT_EQ(iamax(x.read()), n - 1);
    x.view(n - 1) = x.view(n - 2) = element_of<T>(nan, 0);
    EXPECT_EQ(iamax(x.read()), n - 2);
  });
  // Lower words decide.
  if constexpr (std::same_as<T, dd_real>) {
    StoredVector<T> x(300, 1, 5);
    x.view(7) = dd_real(3);
    x.view(200) = dd_real(-3, -0x1p-70);
    EXPECT_EQ(iamax(x.view), 200);
  }
}

TYPED_TEST(Level1, BitsDoNotDependOnThreadsStridesOrInstructionSets) {
  using T = TypeParam;
  using R = real_type<T>;
  const std::int64_t n = is_complex(precision_of<T>) ? 140000 : 280000;  // more than a super-chunk
  struct Results {
    std::vector<T> dots;
    std::vector<R> reals;
    std::vector<T> x, y;
    std::int64_t largest;
  };
  std::vector<Results> all;
  const T alpha = element_of<T>(1.25, -0.7);
  for (const char* target : {"", "AVX3", "AVX2", "SSE2"}) {
    for (const int threads : {1, 2, 5}) {
      for (const std::int64_t stride : {1, -2}) {
        if (*target && (threads == 5 || stride == 1)) continue;
        BlockedOptions o;
        o.threads = threads;
        o.target = target;
        StoredVector<T> x(n, stride, 3), y(n, 2 * stride, 4);
        try {
          Results r{{dot(x.view, y.view, o), dotu(x.view, y.view, o)}, {nrm2(x.view, o), asum(x.view, o)}, {}, {}, 0};
          r.largest = iamax(x.view, o);
          axpy(alpha, x.view, y.view, o);
          scal(alpha, x.view, o);
          rot(x.view, y.view, R(0.8f), alpha, o);
          r.x = x.in_order(), r.y = y.in_order();
          all.push_back(r);
        } catch (const error& e) {
          EXPECT_EQ(e.code(), errc::unsupported);
          continue;
        }
        EXPECT_EQ(first_difference(all.back().dots, all[0].dots), -1) << target << threads << ' ' << stride;
        EXPECT_EQ(first_difference(all.back().reals, all[0].reals), -1) << target << threads << ' ' << stride;
        EXPECT_EQ(first_difference(all.back().x, all[0].x), -1) << target << threads << ' ' << stride;
        EXPECT_EQ(first_difference(all.back().y, all[0].y), -1) << target << threads << ' ' << stride;
        EXPECT_EQ(all.back().largest, all[0].largest);
      }
    }
  }
}

TYPED_TEST(Level1, NormsNeitherOverflowNorUnderflow) {
  using T = TypeParam;
  using std::ldexp;
  const StoredVector<T> x(100, 1, 5);
  const auto norm = nrm2(x.view);
  const int most = is_single(precision_of<T>) ? 120 : 1015;
  for (const int e : {most, -most / 2, most / 2, -400}) {
    if (e == -400 && is_single(precision_of<T>)) continue;
    StoredVector<T> y = x;
    y.fill([&](std::int64_t i) {
      if constexpr (is_complex(precision_of<T>)) {
        return T(ldexp(x(i).real(), e), ldexp(x(i).imag(), e));
      } else {
        return T(ldexp(x(i), e));
      }
    });
    EXPECT_TRUE(same_bits(nrm2(y.view), ldexp(norm, e))) << e;
  }
  const double least = is_single(precision_of<T>) ? 0x1p-149 : 0x1p-1074;
  StoredVector<T> tiny(4, 1), special(70, 2, 8);
  tiny.fill([&](std::int64_t) { return element_of<T>(least, 0); });
  EXPECT_EQ(magnitude(nrm2(tiny.view)), 2 * least);
  tiny.fill([&](std::int64_t) { return T(0); });
  EXPECT_EQ(magnitude(nrm2(tiny.view)), 0.0);
  special.view(60) = element_of<T>(-infinity, 0);
  EXPECT_EQ(magnitude(nrm2(special.view)), infinity);
  EXPECT_EQ(magnitude(asum(special.view)), infinity);
  special.view(3) = element_of<T>(nan, 0);
  EXPECT_TRUE(std::isnan(magnitude(nrm2(special.view))));
  EXPECT_TRUE(std::isnan(magnitude(asum(special.view))));
}

TYPED_TEST(Level1, InfinitiesAndNaN) {
  using T = TypeParam;
  for (const std::int64_t at : {0, 66, 299}) {
    StoredVector<T> x(300, 1), y(300, 1);
    x.fill([](std::int64_t) { return T(2); });
    y.fill([](std::int64_t) { return T(3); });
    StoredVector<T> sum = y;
    x.view(at) = element_of<T>(infinity, 0);
    EXPECT_EQ(wide(dot(x.view, y.view)).re.hi, infinity);
    axpy(T(2), x.view, sum.view);
    for (std::int64_t i = 0; i < 300; ++i) {
      EXPECT_TRUE(i == at || same_bits(sum(i), T(7))) << i;
    }
    EXPECT_EQ(wide(sum(at)).re.hi, infinity);
    x.view(at) = not_a_number<T>();
    EXPECT_TRUE(std::isnan(magnitude(dotu(x.view, y.view))));
    scal(T(2), x.view);
    for (std::int64_t i = 0; i < 300; ++i) EXPECT_EQ(std::isnan(magnitude(x(i))), i == at);
  }
}

TYPED_TEST(Level1, ZeroFactorsReadNothing) {
  using T = TypeParam;
  StoredVector<T> x(20, 3), y(20, 1, 4);
  x.fill([](std::int64_t) { return not_a_number<T>(); });
  const StoredVector<T> before = y;
  axpy(T(0), x.view, y.view);
  EXPECT_EQ(first_difference(y.elements, before.elements), -1);
  scal(T(0), x.view);
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_TRUE(same_bits(x(i), T(0)));
}

TYPED_TEST(Level1, RotationsTakeTheSecondToZero) {
  using T = TypeParam;
  using R = real_type<T>;
  Random random(7);
  const int most = is_single(precision_of<T>) ? 120 : 1000;
  for (int i = 0; i < 2000; ++i) {
    const double p = std::ldexp(1.0, i % 7 == 0 ? most : i % 7 == 1 ? -most + 100 : 0);
    const double q = std::ldexp(1.0, i % 5 == 0 ? most : i % 5 == 1 ? -most + 100 : 0);
    const T a = i % 11 == 0 ? T(0) : element_of<T>(p * random.uniform(), p * random.uniform());
    const T b = i % 13 == 0 ? T(0) : element_of<T>(q * random.uniform(), q * random.uniform());
    T r = a, z = b, s;
    R c;
    rotg(r, z, c, s);
    const dd_complex cosine = wide(c), sine = wide(s);
    // Of numbers near 1.
    const double larger = std::max({magnitude(a), magnitude(b), 0x1p-1000});
    const int down = -std::ilogb(larger);
    const auto near_one = [&](const T& x) { return dd_complex(ldexp(wide(x).re, down), ldexp(wide(x).im, down)); };
    const dd_complex x = near_one(a), y = near_one(b);
    const double bound = 16 * epsilon_of<T>;
    EXPECT_LE(magnitude(cosine * x + sine * y - near_one(r)), bound) << i;
    EXPECT_LE(magnitude(cosine * y - conj(sine) * x), bound) << i;
    EXPECT_LE(magnitude(cosine * cosine + sine * conj(sine) - dd_complex(1)), bound) << i;
    if constexpr (is_complex(precision_of<T>)) {
      EXPECT_TRUE(same_bits(z, b));
    } else {
      EXPECT_TRUE(same_bits(z, b == T(0) ? T(0) : abs(a) > abs(b) ? s : c == T(0) ? T(1) : T(1) / c)) << i;
    }
  }
}

template <class T>
class BitsOfLevel1 : public testing::Test {};
TYPED_TEST_SUITE(BitsOfLevel1, DoubleDoubles, NameOfPrecision);

// The real terms of a vector, with a complex element turned as f says.
template <class T, class F>
std::vector<dd_real> real_terms(const StoredVector<T>& x, F f) {
  std::vector<dd_real> all;
  for (std::int64_t i = 0; i < x.view.size; ++i) {
    if constexpr (std::same_as<T, dd_complex>) {
      const dd_complex z = f(x(i));
      all.insert(all.end(), {z.re, z.im});
    } else {
      all.push_back(x(i));
    }
  }
  return all;
}

TYPED_TEST(BitsOfLevel1, OfSumsAreThoseOfTheDefinition) {
  using T = TypeParam;
  const auto same = [](const dd_complex& z) { return z; };
  const auto sum_of = [](const std::vector<dd_real>& x, const std::vector<dd_real>& y) {
    return array::reference_sum(static_cast<std::int64_t>(x.size()), array::ScalarDotTerms{x.data(), y.data()});
  };
  for_vectors([&](std::int64_t n, std::int64_t x_stride, std::int64_t y_stride, std::uint64_t seed) {
    const StoredVector<T> x(n, x_stride, seed), y(n, y_stride, seed + 1000);
    const std::vector<dd_real> left = real_terms(x, same);
    const auto with = [&](auto turn) { return sum_of(left, real_terms(y, turn)); };
    T expected, unconjugated;
    if constexpr (std::same_as<T, dd_complex>) {
      expected = dd_complex(with(same), with([](const dd_complex& z) { return dd_complex(z.im, -z.re); }));
      unconjugated = dd_complex(with([](const dd_complex& z) { return conj(z); }),
                                with([](const dd_complex& z) { return dd_complex(z.im, z.re); }));
    } else {
      expected = unconjugated = with(same);
    }
    EXPECT_TRUE(same_bits(dot(x.view, y.view), expected)) << n;
    EXPECT_TRUE(same_bits(dotu(x.view, y.view), unconjugated)) << n;
    EXPECT_TRUE(same_bits(nrm2(x.view), sqrt(sum_of(left, left)))) << n;
    std::vector<dd_real> magnitudes = left;
    for (dd_real& e : magnitudes) e = abs(e);
    EXPECT_TRUE(same_bits(asum(x.view), array::reference_sum(static_cast<std::int64_t>(magnitudes.size()),
                                                             array::ScalarSumTerms{magnitudes.data()})))
        << n;
  });
}

}  // namespace
}  // namespace hilo::test
