// Factorisations, solves, inverses, norms and conditions in LAPACK's words: the bits of the same routine on views, in
// every layout, with leading dimensions larger than needed; and what is refused, by name.
#include "error_message.hpp"
#include "operands.hpp"

namespace hilo::test {
namespace {

struct Sizes {
  std::int64_t m, n;
};
constexpr Sizes every_size[] = {{0, 3}, {4, 0}, {1, 1}, {5, 3}, {2, 7}};
constexpr std::int64_t orders[] = {0, 1, 2, 7};
constexpr std::int64_t right_sides = 3;

// A, B and C with random elements, and pivots and tau that are none.
template <class T>
Operands<T> operands(Layout layout, Sizes a, Sizes b) {
  return {{layout, a.m, a.n, 1},
          {layout, b.m, b.n, 2},
          {layout, b.m, b.n, 3},
          {0, 1},
          {0, 1},
          std::vector<std::int64_t>(10, -7),
          std::vector<T>(10, T(12345))};
}
// A n × n, the others n × right_sides.
template <class T>
Operands<T> systems(Layout layout, std::int64_t n) {
  return operands<T>(layout, {n, n}, {n, right_sides});
}

template <class X>
auto first(std::vector<X>& x, std::int64_t n) {
  return std::span<X>(x).first(static_cast<std::size_t>(n));
}

template <class T>
class LapackCalls : public testing::Test {};
using Precisions = testing::Types<double, dd_real, dd_complex>;
TYPED_TEST_SUITE(LapackCalls, Precisions, NameOfPrecision);

TYPED_TEST(LapackCalls, OfLu) {
  using T = TypeParam;
  for (const Layout layout : both_layouts) {
    for (const Sizes& size : every_size) {
      const std::int64_t m = size.m, n = size.n;
      const std::int64_t count = std::min(m, n);
      same_calls(
          operands<T>(layout, {m, n}, {0, 0}), [&](auto& o) { return getrf(o.a.view, first(o.pivots, count)); },
          [&](auto& o) { return getrf(layout, m, n, at(o.a), ld(o.a), o.pivots.data()); });
    }
    for (const std::int64_t n : orders) {
      const auto given = systems<T>(layout, n);
      same_calls(
          given, [&](auto& o) { return gesv(o.a.view, first(o.pivots, n), o.b.view); },
          [&](auto& o) { return gesv(layout, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b)); });
      Operands<T> factors = given;
      ASSERT_EQ(getrf(factors.a.view, first(factors.pivots, n)), 0);
      for (const Op op : every_op) {
        same_calls(
            factors, [&](auto& o) { getrs(op, o.a.read(), first(o.pivots, n), o.b.view); },
            [&](auto& o) {
              EXPECT_EQ(getrs(layout, op, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b)), 0);
            });
      }
      same_calls(
          factors, [&](auto& o) { return getri(o.a.view, first(o.pivots, n)); },
          [&](auto& o) { return getri(layout, n, at(o.a), ld(o.a), o.pivots.data()); });
    }
    // A column of zeros.
    auto singular = systems<T>(layout, 4);
    singular.a.fill([&](std::int64_t i, std::int64_t j) { return j == 2 ? T(0) : singular.a(i, j); });
    EXPECT_EQ(gesv(layout, 4, right_sides, at(singular.a), ld(singular.a), singular.pivots.data(), at(singular.b),
                   ld(singular.b)),
              3);
  }
}

TYPED_TEST(LapackCalls, OfSymmetricMatrices) {
  using T = TypeParam;
  for (const Layout layout : both_layouts) {
    for (const Uplo uplo : both_triangles) {
      for (const std::int64_t n : orders) {
        const auto given = systems<T>(layout, n);
        const auto pivots = [&](auto& o) { return first(o.pivots, n); };
        same_calls(
            given, [&](auto& o) { return sysv(uplo, o.a.view, pivots(o), o.b.view); },
            [&](auto& o) {
              return sysv(layout, uplo, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b));
            });
        same_calls(
            given, [&](auto& o) { return hesv(uplo, o.a.view, pivots(o), o.b.view); },
            [&](auto& o) {
              return hesv(layout, uplo, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b));
            });
        same_calls(
            given, [&](auto& o) { return sytrf(uplo, o.a.view, pivots(o)); },
            [&](auto& o) { return sytrf(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data()); });
        same_calls(
            given, [&](auto& o) { return hetrf(uplo, o.a.view, pivots(o)); },
            [&](auto& o) { return hetrf(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data()); });
        Operands<T> factors = given;
        ASSERT_EQ(sytrf(uplo, factors.a.view, pivots(factors)), 0);
        same_calls(
            factors, [&](auto& o) { sytrs(uplo, o.a.read(), pivots(o), o.b.view); },
            [&](auto& o) {
              EXPECT_EQ(sytrs(layout, uplo, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b)), 0);
            });
        same_calls(
            factors, [&](auto& o) { return sytri(uplo, o.a.view, pivots(o)); },
            [&](auto& o) { return sytri(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data()); });
        Operands<T> hermitian = given;
        ASSERT_EQ(hetrf(uplo, hermitian.a.view, pivots(hermitian)), 0);
        same_calls(
            hermitian, [&](auto& o) { hetrs(uplo, o.a.read(), pivots(o), o.b.view); },
            [&](auto& o) {
              EXPECT_EQ(hetrs(layout, uplo, n, right_sides, at(o.a), ld(o.a), o.pivots.data(), at(o.b), ld(o.b)), 0);
            });
        same_calls(
            hermitian, [&](auto& o) { return hetri(uplo, o.a.view, pivots(o)); },
            [&](auto& o) { return hetri(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data()); });
        const real_type<T> anorm(3);
        same_calls(
            factors, [&](auto& o) { return sycon(uplo, o.a.view, pivots(o), anorm); },
            [&](auto& o) {
              real_type<T> rcond(-1);
              EXPECT_EQ(sycon(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data(), anorm, &rcond), 0);
              return rcond;
            });
        same_calls(
            hermitian, [&](auto& o) { return hecon(uplo, o.a.view, pivots(o), anorm); },
            [&](auto& o) {
              real_type<T> rcond(-1);
              EXPECT_EQ(hecon(layout, uplo, n, at(o.a), ld(o.a), o.pivots.data(), anorm, &rcond), 0);
              return rcond;
            });
      }
    }
  }
}

TYPED_TEST(LapackCalls, OfPositiveDefiniteMatrices) {
  using T = TypeParam;
  for (const Layout layout : both_layouts) {
    for (const Uplo uplo : both_triangles) {
      for (const std::int64_t n : orders) {
        auto given = systems<T>(layout, n);
        given.a.fill([&](std::int64_t i, std::int64_t j) { return i == j ? T(20) : given.a(i, j); });
        same_calls(
            given, [&](auto& o) { return posv(uplo, o.a.view, o.b.view); },
            [&](auto& o) { return posv(layout, uplo, n, right_sides, at(o.a), ld(o.a), at(o.b), ld(o.b)); });
        same_calls(
            given, [&](auto& o) { return potrf(uplo, o.a.view); },
            [&](auto& o) { return potrf(layout, uplo, n, at(o.a), ld(o.a)); });
        Operands<T> factor = given;
        ASSERT_EQ(potrf(uplo, factor.a.view), 0);
        same_calls(
            factor, [&](auto& o) { potrs(uplo, o.a.read(), o.b.view); },
            [&](auto& o) { EXPECT_EQ(potrs(layout, uplo, n, right_sides, at(o.a), ld(o.a), at(o.b), ld(o.b)), 0); });
        same_calls(
            factor, [&](auto& o) { return potri(uplo, o.a.view); },
            [&](auto& o) { return potri(layout, uplo, n, at(o.a), ld(o.a)); });
        for (const Diag diag : both_diagonals) {
          same_calls(
              given, [&](auto& o) { return trtri(uplo, diag, o.a.view); },
              [&](auto& o) { return trtri(layout, uplo, diag, n, at(o.a), ld(o.a)); });
        }
      }
      auto indefinite = systems<T>(layout, 4);
      indefinite.a.fill([](std::int64_t i, std::int64_t j) { return i == j ? T(i == 1 ? -1 : 1) : T(0); });
      EXPECT_EQ(potrf(layout, uplo, 4, at(indefinite.a), ld(indefinite.a)), 2);
    }
  }
}

TYPED_TEST(LapackCalls, OfQr) {
  using T = TypeParam;
  for (const Layout layout : both_layouts) {
    for (const Sizes& size : every_size) {
      const std::int64_t m = size.m, n = size.n;
      const std::int64_t count = std::min(m, n);
      const auto given = operands<T>(layout, {m, n}, {std::max(m, n), right_sides});
      same_calls(
          given, [&](auto& o) { geqrf(o.a.view, first(o.tau, count)); },
          [&](auto& o) { EXPECT_EQ(geqrf(layout, m, n, at(o.a), ld(o.a), o.tau.data()), 0); });
      same_calls(
          given, [&](auto& o) { geqp3(o.a.view, first(o.pivots, n), first(o.tau, count)); },
          [&](auto& o) { EXPECT_EQ(geqp3(layout, m, n, at(o.a), ld(o.a), o.pivots.data(), o.tau.data()), 0); });
      for (const Op op : every_op) {
        same_calls(
            given, [&](auto& o) { return gels(op, o.a.view, o.b.view); },
            [&](auto& o) { return gels(layout, op, m, n, right_sides, at(o.a), ld(o.a), at(o.b), ld(o.b)); });
      }
    }
    // Q of 2 reflectors of 5 rows, or of 7.
    for (const Side side : both_sides) {
      const std::int64_t rows = side == Side::left ? 5 : 7;
      auto factors = operands<T>(layout, {rows, 2}, {5, 7});
      geqrf(factors.a.view, first(factors.tau, 2));
      for (const Op op : every_op) {
        same_calls(
            factors, [&](auto& o) { unmqr(side, op, o.a.read(), first(o.tau, 2), o.c.view); },
            [&](auto& o) {
              EXPECT_EQ(unmqr(layout, side, op, 5, 7, 2, at(o.a), ld(o.a), o.tau.data(), at(o.c), ld(o.c)), 0);
            });
        if constexpr (!is_complex(precision_of<T>)) {
          same_calls(
              factors, [&](auto& o) { ormqr(side, op, o.a.read(), first(o.tau, 2), o.c.view); },
              [&](auto& o) {
                EXPECT_EQ(ormqr(layout, side, op, 5, 7, 2, at(o.a), ld(o.a), o.tau.data(), at(o.c), ld(o.c)), 0);
              });
        }
      }
      auto wider = operands<T>(layout, {rows, 4}, {0, 0});
      geqrf(wider.a.view.sub(0, 0, rows, 2), first(wider.tau, 2));
      same_calls(
          wider, [&](auto& o) { ungqr(o.a.view, first(o.tau, 2)); },
          [&](auto& o) { EXPECT_EQ(ungqr(layout, rows, 4, 2, at(o.a), ld(o.a), o.tau.data()), 0); });
      if constexpr (!is_complex(precision_of<T>)) {
        same_calls(
            wider, [&](auto& o) { orgqr(o.a.view, first(o.tau, 2)); },
            [&](auto& o) { EXPECT_EQ(orgqr(layout, rows, 4, 2, at(o.a), ld(o.a), o.tau.data()), 0); });
      }
    }
  }
}

TYPED_TEST(LapackCalls, OfNormsAndConditions) {
  using T = TypeParam;
  using Real = real_type<T>;
  for (const Layout layout : both_layouts) {
    for (const Norm norm : {Norm::one, Norm::infinity, Norm::frobenius, Norm::max}) {
      for (const Sizes& size : every_size) {
        const std::int64_t m = size.m, n = size.n;
        const auto given = operands<T>(layout, {m, n}, {0, 0});
        same_calls(
            given, [&](auto& o) { return lange(norm, o.a.view); },
            [&](auto& o) { return lange(layout, norm, m, n, at(o.a), ld(o.a)); });
        for (const Uplo uplo : both_triangles) {
          for (const Diag diag : both_diagonals) {
            same_calls(
                given, [&](auto& o) { return lantr(norm, uplo, diag, o.a.view); },
                [&](auto& o) { return lantr(layout, norm, uplo, diag, m, n, at(o.a), ld(o.a)); });
          }
        }
      }
    }
    for (const std::int64_t n : orders) {
      const auto given = systems<T>(layout, n);
      const Real anorm(3);
      for (const Norm norm : {Norm::one, Norm::infinity}) {
        same_calls(
            given, [&](auto& o) { return gecon(norm, o.a.view, anorm); },
            [&](auto& o) {
              Real rcond(-1);
              EXPECT_EQ(gecon(layout, norm, n, at(o.a), ld(o.a), anorm, &rcond), 0);
              return rcond;
            });
        for (const Uplo uplo : both_triangles) {
          same_calls(
              given, [&](auto& o) { return lansy(norm, uplo, o.a.view); },
              [&](auto& o) { return lansy(layout, norm, uplo, n, at(o.a), ld(o.a)); });
          same_calls(
              given, [&](auto& o) { return lanhe(norm, uplo, o.a.view); },
              [&](auto& o) { return lanhe(layout, norm, uplo, n, at(o.a), ld(o.a)); });
          same_calls(
              given, [&](auto& o) { return pocon(uplo, o.a.view, anorm); },
              [&](auto& o) {
                Real rcond(-1);
                EXPECT_EQ(pocon(layout, uplo, n, at(o.a), ld(o.a), anorm, &rcond), 0);
                return rcond;
              });
          for (const Diag diag : both_diagonals) {
            same_calls(
                given, [&](auto& o) { return trcon(norm, uplo, diag, o.a.view); },
                [&](auto& o) {
                  Real rcond(-1);
                  EXPECT_EQ(trcon(layout, norm, uplo, diag, n, at(o.a), ld(o.a), &rcond), 0);
                  return rcond;
                });
          }
        }
      }
    }
  }
}

class LapackCallsRefuse : public testing::Test {
 protected:
  static constexpr Layout column = Layout::column, row = Layout::row;
  static constexpr Op none = Op::none;
  static constexpr Uplo lower = Uplo::lower;
  std::vector<dd_real> memory = std::vector<dd_real>(100, dd_real(2)), before = memory;
  std::vector<std::int64_t> numbers = std::vector<std::int64_t>(10, 1);
  dd_real* const a = memory.data();
  dd_real* const b = memory.data() + 40;
  dd_real* const tau = memory.data() + 80;
  std::int64_t* const pivots = numbers.data();

  template <class Call>
  void refuses(const char* message, Call call) {
    expect_contains(message_of(errc::invalid_argument, call), {message});
    EXPECT_EQ(first_difference(memory, before), -1);
    EXPECT_EQ(numbers, std::vector<std::int64_t>(10, 1));
  }
};

TEST_F(LapackCallsRefuse, Sizes) {
  refuses("getrf: m = -1 is negative", [&] { getrf(column, -1, 3, a, 3, pivots); });
  refuses("gesv: nrhs = -1 is negative", [&] { gesv(column, 3, -1, a, 3, pivots, b, 3); });
  refuses("potrs: n = -2 is negative", [&] { potrs(column, lower, -2, 1, a, 3, b, 3); });
  refuses("hetrf: n = -2 is negative", [&] { hetrf(column, lower, -2, a, 3, pivots); });
  refuses("sytri: n = -2 is negative", [&] { sytri(column, lower, -2, a, 3, pivots); });
  refuses("lansy: n = -2 is negative", [&] { lansy(column, Norm::one, lower, -2, a, 3); });
  refuses("lantr: n = -2 is negative", [&] { lantr(column, Norm::one, lower, Diag::unit, 2, -2, a, 3); });
  refuses("geqp3: n = -3 is negative", [&] { geqp3(column, 3, -3, a, 3, pivots, tau); });
  refuses("unmqr: k = -1 is negative", [&] { unmqr(column, Side::left, none, 3, 2, -1, a, 3, tau, b, 3); });
  refuses("unmqr: k = 4 is more than m = 3", [&] { unmqr(column, Side::left, none, 3, 5, 4, a, 3, tau, b, 3); });
  refuses("unmqr: k = 4 is more than n = 3", [&] { ormqr(column, Side::right, none, 5, 3, 4, a, 3, tau, b, 5); });
  refuses("ungqr: n = 4 is more than m = 3", [&] { ungqr(column, 3, 4, 2, a, 3, tau); });
  refuses("ungqr: k = 3 is more than n = 2", [&] { orgqr(column, 3, 2, 3, a, 3, tau); });
}

TEST_F(LapackCallsRefuse, LeadingDimensions) {
  refuses("getrf: lda = 3 is less than 4, the contiguous dimension of A in column layout",
          [&] { getrf(column, 4, 2, a, 3, pivots); });
  refuses("getrf: lda = 1 is less than 2, the contiguous dimension of A in row layout",
          [&] { getrf(row, 4, 2, a, 1, pivots); });
  refuses("getrs: ldb = 2 is less than 3", [&] { getrs(column, none, 3, 2, a, 3, pivots, b, 2); });
  refuses("posv: ldb = 1 is less than 2", [&] { posv(row, lower, 3, 2, a, 3, b, 1); });
  refuses("trtri: lda = 0 is less than 1", [&] { trtri(column, lower, Diag::unit, 0, a, 0); });
  refuses("gels: ldb = 3 is less than 5", [&] { gels(column, none, 3, 5, 1, a, 3, b, 3); });
  refuses("unmqr: lda = 1 is less than 2", [&] { unmqr(row, Side::left, none, 3, 4, 2, a, 1, tau, b, 4); });
  refuses("unmqr: ldc = 3 is less than 4", [&] { unmqr(row, Side::left, none, 3, 4, 2, a, 2, tau, b, 3); });
  dd_real rcond;
  refuses("gecon: lda = 2 is less than 3", [&] { gecon(column, Norm::one, 3, a, 2, 1, &rcond); });
  refuses("hetri: lda = 2 is less than 3", [&] { hetri(column, lower, 3, a, 2, pivots); });
  refuses("sycon: lda = 2 is less than 3", [&] { sycon(column, lower, 3, a, 2, pivots, 1, &rcond); });
}

TEST_F(LapackCallsRefuse, EnumeratorsAndNullPointers) {
  const auto bad = [](auto x) { return static_cast<decltype(x)>(7); };
  refuses("potrf: layout = 7", [&] { potrf(bad(column), lower, 2, a, 2); });
  refuses("getrs: op = 7", [&] { getrs(column, bad(none), 2, 1, a, 2, pivots, b, 2); });
  refuses("sytrf: uplo = 7", [&] { sytrf(column, bad(lower), 2, a, 2, pivots); });
  refuses("sytri: pivots is null", [&] { sytri(column, lower, 2, a, 2, nullptr); });
  refuses("getrf: pivots is null", [&] { getrf(column, 2, 2, a, 2, nullptr); });
  dd_real* const null = nullptr;
  refuses("geqrf: tau is null", [&] { geqrf(column, 2, 2, a, 2, null); });
  refuses("gesv: B, 2 x 1, is null", [&] { gesv(column, 2, 1, a, 2, pivots, null, 2); });
  refuses("gecon: rcond is null", [&] { gecon(column, Norm::one, 2, a, 2, 1, null); });
  refuses("pocon: rcond is null", [&] { pocon(column, lower, 2, a, 2, 1, null); });
  refuses("sycon: rcond is null", [&] { sycon(column, lower, 2, a, 2, pivots, 1, null); });
  refuses("hecon: rcond is null", [&] { hecon(column, lower, 2, a, 2, pivots, 1, null); });
  refuses("trcon: rcond is null", [&] { trcon(column, Norm::one, lower, Diag::unit, 2, a, 2, null); });
  refuses("unmqr: side = 7", [&] { unmqr(column, bad(Side::left), none, 5, 2, 4, a, 5, tau, b, 5); });
  EXPECT_EQ(getrf(column, 0, 0, null, 1, nullptr), 0);
  EXPECT_EQ(sytri(row, lower, 0, null, 1, nullptr), 0);
  EXPECT_EQ(posv(row, lower, 0, 0, null, 1, null, 1), 0);
  EXPECT_EQ(geqrf(column, 0, 3, null, 1, null), 0);
  EXPECT_EQ(gels(column, none, 0, 0, 0, null, 1, null, 1), 0);
}

}  // namespace
}  // namespace hilo::test
