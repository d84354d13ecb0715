// Levels 1 to 3 in the BLAS's words: the bits of the same routine on views, in every layout, with increments of either
// sign and leading dimensions larger than needed; and what is refused, by name.
#include <hilo/blas.hpp>

#include "error_message.hpp"
#include "level2_cases.hpp"
#include "operands.hpp"

namespace hilo::test {
namespace {

template <class T>
struct Factors {
  T alpha = element_of<T>(1.5, -0.5), beta = element_of<T>(-0.75, 2);
  real_type<T> real_alpha = real_type<T>(-1.25), real_beta = real_type<T>(0.5);
};

// f(operands) with vectors of m and n elements, increments of both signs, and an A.
template <class T, class F>
void for_vectors(std::int64_t m, std::int64_t n, const StoredMatrix<T>& a, F f) {
  const StoredMatrix<T> none(Layout::column, 0, 0);
  for (const std::int64_t incx : level2_strides) {
    for (const std::int64_t incy : level2_strides) f(Operands<T>{a, none, none, {m, incx, 4}, {n, incy, 5}});
  }
}

// A with NaN for its other triangle, and for its diagonal if that is not to be read.
template <class T>
StoredMatrix<T> triangle_of(const StoredMatrix<T>& a, Uplo uplo, Diag diag = Diag::non_unit) {
  StoredMatrix<T> x = a;
  x.fill([&](std::int64_t i, std::int64_t j) {
    const bool is_kept = i == j ? diag == Diag::non_unit : (i > j) == (uplo == Uplo::lower);
    return is_kept ? a(i, j) : not_a_number<T>();
  });
  return x;
}

template <class T>
void expect_numbers(const std::vector<T>& x) {
  for (const T& e : x) EXPECT_TRUE(e == e);
}

template <class T>
class BlasCalls : public testing::Test {};
using Precisions = testing::Types<double, dd_real, dd_complex>;
TYPED_TEST_SUITE(BlasCalls, Precisions, NameOfPrecision);

constexpr std::int64_t vector_sizes[] = {0, 1, 2, 7};
struct Sizes {
  std::int64_t m, n;
};
constexpr Sizes matrix_sizes[] = {{0, 3}, {4, 0}, {1, 1}, {5, 3}, {2, 7}};

TYPED_TEST(BlasCalls, OnVectors) {
  using T = TypeParam;
  const T alpha = Factors<T>().alpha, s = element_of<T>(0.5, 0.25);
  const real_type<T> c(0.875);
  for (const std::int64_t n : vector_sizes) {
    for_vectors<T>(n, n, {Layout::column, 0, 0}, [&](const Operands<T>& given) {
      same_calls(
          given, [&](auto& o) { axpy(alpha, o.x.read(), o.y.view); },
          [&](auto& o) { axpy(n, alpha, at(o.x), inc(o.x), at(o.y), inc(o.y)); });
      same_calls(
          given, [&](auto& o) { copy(o.x.read(), o.y.view); },
          [&](auto& o) { copy(n, at(o.x), inc(o.x), at(o.y), inc(o.y)); });
      same_calls(
          given, [&](auto& o) { swap(o.x.view, o.y.view); },
          [&](auto& o) { swap(n, at(o.x), inc(o.x), at(o.y), inc(o.y)); });
      same_calls(
          given, [&](auto& o) { return dot(o.x.read(), o.y.read()); },
          [&](auto& o) { return dot(n, at(o.x), inc(o.x), at(o.y), inc(o.y)); });
      same_calls(
          given, [&](auto& o) { return dotu(o.x.read(), o.y.read()); },
          [&](auto& o) { return dotu(n, at(o.x), inc(o.x), at(o.y), inc(o.y)); });
      same_calls(
          given, [&](auto& o) { rot(o.x.view, o.y.view, c, s); },
          [&](auto& o) { rot(n, at(o.x), inc(o.x), at(o.y), inc(o.y), c, s); });
      if (inc(given.x) < 0) return;
      same_calls(
          given, [&](auto& o) { scal(alpha, o.x.view); }, [&](auto& o) { scal(n, alpha, at(o.x), inc(o.x)); });
      same_calls(
          given, [&](auto& o) { return nrm2(o.x.read()); }, [&](auto& o) { return nrm2(n, at(o.x), inc(o.x)); });
      same_calls(
          given, [&](auto& o) { return asum(o.x.read()); }, [&](auto& o) { return asum(n, at(o.x), inc(o.x)); });
      same_calls(
          given, [&](auto& o) { return iamax(o.x.read()); }, [&](auto& o) { return iamax(n, at(o.x), inc(o.x)); });
    });
  }
  T a = element_of<T>(3, 1), b = element_of<T>(-4, 2), sine, a2 = a, b2 = b, sine2;
  real_type<T> cosine, cosine2;
  rotg(a, b, cosine, sine);
  rotg(&a2, &b2, &cosine2, &sine2);
  EXPECT_TRUE(same_bits(a, a2) && same_bits(b, b2) && same_bits(cosine, cosine2) && same_bits(sine, sine2));
}

TYPED_TEST(BlasCalls, OnAMatrixAndVectors) {
  using T = TypeParam;
  const T alpha = Factors<T>().alpha, beta = Factors<T>().beta;
  for (const Sizes& size : matrix_sizes) {
    const std::int64_t m = size.m, n = size.n;
    for (const Layout layout : both_layouts) {
      for (const Op op : every_op) {
        for_vectors<T>(is_transposed(op) ? m : n, is_transposed(op) ? n : m, {layout, m, n, 6}, [&](const auto& given) {
          same_calls(
              given, [&](auto& o) { gemv(alpha, o.a.read().turned(op), o.x.read(), beta, o.y.view); },
              [&](auto& o) {
                gemv(layout, op, m, n, alpha, at(o.a), ld(o.a), at(o.x), inc(o.x), beta, at(o.y), inc(o.y));
              });
        });
      }
      for_vectors<T>(m, n, {layout, m, n, 6}, [&](const Operands<T>& given) {
        same_calls(
            given, [&](auto& o) { ger(alpha, o.x.read(), o.y.read(), o.a.view); },
            [&](auto& o) { ger(layout, m, n, alpha, at(o.x), inc(o.x), at(o.y), inc(o.y), at(o.a), ld(o.a)); });
        same_calls(
            given, [&](auto& o) { geru(alpha, o.x.read(), o.y.read(), o.a.view); },
            [&](auto& o) { geru(layout, m, n, alpha, at(o.x), inc(o.x), at(o.y), inc(o.y), at(o.a), ld(o.a)); });
      });
    }
  }
}

TYPED_TEST(BlasCalls, OnATriangleAndVectors) {
  using T = TypeParam;
  const T alpha = Factors<T>().alpha, beta = Factors<T>().beta;
  const real_type<T> real = Factors<T>().real_alpha;
  for (const std::int64_t n : vector_sizes) {
    for (const Layout layout : both_layouts) {
      for (const Uplo uplo : both_triangles) {
        const StoredMatrix<T> a(layout, n, n, 6);
        for_vectors<T>(n, n, triangle_of(a, uplo), [&](const Operands<T>& given) {
          same_calls(
              given, [&](auto& o) { symv(uplo, alpha, o.a.read(), o.x.read(), beta, o.y.view); },
              [&](auto& o) {
                symv(layout, uplo, n, alpha, at(o.a), ld(o.a), at(o.x), inc(o.x), beta, at(o.y), inc(o.y));
                expect_numbers(o.y.elements);
              });
          same_calls(
              given, [&](auto& o) { hemv(uplo, alpha, o.a.read(), o.x.read(), beta, o.y.view); },
              [&](auto& o) {
                hemv(layout, uplo, n, alpha, at(o.a), ld(o.a), at(o.x), inc(o.x), beta, at(o.y), inc(o.y));
              });
          same_calls(
              given, [&](auto& o) { syr(uplo, alpha, o.x.read(), o.a.view); },
              [&](auto& o) { syr(layout, uplo, n, alpha, at(o.x), inc(o.x), at(o.a), ld(o.a)); });
          same_calls(
              given, [&](auto& o) { her(uplo, real, o.x.read(), o.a.view); },
              [&](auto& o) { her(layout, uplo, n, real, at(o.x), inc(o.x), at(o.a), ld(o.a)); });
          same_calls(
              given, [&](auto& o) { syr2(uplo, alpha, o.x.read(), o.y.read(), o.a.view); },
              [&](auto& o) { syr2(layout, uplo, n, alpha, at(o.x), inc(o.x), at(o.y), inc(o.y), at(o.a), ld(o.a)); });
          same_calls(
              given, [&](auto& o) { her2(uplo, alpha, o.x.read(), o.y.read(), o.a.view); },
              [&](auto& o) { her2(layout, uplo, n, alpha, at(o.x), inc(o.x), at(o.y), inc(o.y), at(o.a), ld(o.a)); });
          if (inc(given.y) != 1) return;
          for (const Op op : every_op) {
            for (const Diag diag : both_diagonals) {
              const Operands<T> part{triangle_of(a, uplo, diag), given.b, given.c, given.x, given.y};
              same_calls(
                  part, [&](auto& o) { trmv(flipped(uplo, op), diag, o.a.read().turned(op), o.x.view); },
                  [&](auto& o) {
                    trmv(layout, uplo, op, diag, n, at(o.a), ld(o.a), at(o.x), inc(o.x));
                    expect_numbers(o.x.elements);
                  });
              same_calls(
                  part, [&](auto& o) { trsv(flipped(uplo, op), diag, o.a.read().turned(op), o.x.view); },
                  [&](auto& o) { trsv(layout, uplo, op, diag, n, at(o.a), ld(o.a), at(o.x), inc(o.x)); });
            }
          }
        });
      }
    }
  }
}

TYPED_TEST(BlasCalls, WithATriangleOfASide) {
  using T = TypeParam;
  const T alpha = Factors<T>().alpha, beta = Factors<T>().beta;
  for (const Sizes& size : matrix_sizes) {
    const std::int64_t m = size.m, n = size.n;
    for (const Side side : both_sides) {
      const std::int64_t order = side == Side::left ? m : n;
      for (const Layout layout : both_layouts) {
        const StoredMatrix<T> a(layout, order, order, 1);
        const auto with = [&](const StoredMatrix<T>& x) {
          return Operands<T>{x, {layout, m, n, 2}, {layout, m, n, 3}, {0, 1}, {0, 1}};
        };
        for (const Uplo uplo : both_triangles) {
          const Operands<T> triangle = with(triangle_of(a, uplo));
          same_calls(
              triangle, [&](auto& o) { symm(side, uplo, alpha, o.a.read(), o.b.read(), beta, o.c.view); },
              [&](auto& o) {
                symm(layout, side, uplo, m, n, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b), beta, at(o.c), ld(o.c));
                expect_numbers(o.c.elements);
              });
          same_calls(
              triangle, [&](auto& o) { hemm(side, uplo, alpha, o.a.read(), o.b.read(), beta, o.c.view); },
              [&](auto& o) {
                hemm(layout, side, uplo, m, n, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b), beta, at(o.c), ld(o.c));
              });
          for (const Op op : every_op) {
            for (const Diag diag : both_diagonals) {
              const Operands<T> part = with(triangle_of(a, uplo, diag));
              same_calls(
                  part, [&](auto& o) { trsm(side, flipped(uplo, op), diag, alpha, o.a.read().turned(op), o.b.view); },
                  [&](auto& o) {
                    trsm(layout, side, uplo, op, diag, m, n, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b));
                    expect_numbers(o.b.elements);
                  });
              same_calls(
                  part, [&](auto& o) { trmm(side, flipped(uplo, op), diag, alpha, o.a.read().turned(op), o.b.view); },
                  [&](auto& o) {
                    trmm(layout, side, uplo, op, diag, m, n, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b));
                  });
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(BlasCalls, ToATriangle) {
  using T = TypeParam;
  const T alpha = Factors<T>().alpha, beta = Factors<T>().beta;
  const real_type<T> real_alpha = Factors<T>().real_alpha, real_beta = Factors<T>().real_beta;
  for (const Sizes& size : matrix_sizes) {
    const std::int64_t n = size.m, k = size.n;
    for (const Layout layout : both_layouts) {
      for (const Op op : every_op) {
        const std::int64_t rows = is_transposed(op) ? k : n, columns = is_transposed(op) ? n : k;
        const Operands<T> given{
            {layout, rows, columns, 1}, {layout, rows, columns, 2}, {layout, n, n, 3}, {0, 1}, {0, 1}};
        for (const Uplo uplo : both_triangles) {
          same_calls(
              given, [&](auto& o) { syrk(uplo, alpha, o.a.read().turned(op), beta, o.c.view); },
              [&](auto& o) { syrk(layout, uplo, op, n, k, alpha, at(o.a), ld(o.a), beta, at(o.c), ld(o.c)); });
          same_calls(
              given, [&](auto& o) { herk(uplo, real_alpha, o.a.read().turned(op), real_beta, o.c.view); },
              [&](auto& o) {
                herk(layout, uplo, op, n, k, real_alpha, at(o.a), ld(o.a), real_beta, at(o.c), ld(o.c));
              });
          same_calls(
              given, [&](auto& o) { syr2k(uplo, alpha, o.a.read().turned(op), o.b.read().turned(op), beta, o.c.view); },
              [&](auto& o) {
                syr2k(layout, uplo, op, n, k, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b), beta, at(o.c), ld(o.c));
              });
          same_calls(
              given,
              [&](auto& o) { her2k(uplo, alpha, o.a.read().turned(op), o.b.read().turned(op), real_beta, o.c.view); },
              [&](auto& o) {
                her2k(layout, uplo, op, n, k, alpha, at(o.a), ld(o.a), at(o.b), ld(o.b), real_beta, at(o.c), ld(o.c));
              });
        }
      }
    }
  }
}

class BlasCallsRefuse : public testing::Test {
 protected:
  static constexpr Layout column = Layout::column, row = Layout::row;
  static constexpr Op none = Op::none, transpose = Op::transpose;
  static constexpr Uplo lower = Uplo::lower;
  static constexpr Diag unit = Diag::unit;
  static constexpr Side left = Side::left, right = Side::right;
  std::vector<dd_real> memory = std::vector<dd_real>(100, dd_real(2)), before = memory;
  const dd_real* const a = memory.data();
  const dd_real* const b = memory.data() + 30;
  dd_real* const c = memory.data() + 60;

  template <class Call>
  void refuses(const char* message, Call call, errc code = errc::invalid_argument) {
    expect_contains(message_of(code, call), {message});
    EXPECT_EQ(first_difference(memory, before), -1);
  }
};

TEST_F(BlasCallsRefuse, Sizes) {
  refuses("axpy: n = -1 is negative", [&] { axpy(-1, 2, a, 1, c, 1); });
  refuses("rot: n = -2 is negative", [&] { rot(-2, c, 1, c + 9, 1, 1, 0); });
  refuses("gemv: m = -1 is negative", [&] { gemv(column, none, -1, 3, 1, a, 3, b, 1, 0, c, 1); });
  refuses("geru: n = -1 is negative", [&] { geru(column, 3, -1, 1, a, 1, b, 1, c, 3); });
  refuses("her2: n = -1 is negative", [&] { her2(column, lower, -1, 1, a, 1, b, 1, c, 3); });
  refuses("trsm: n = -4 is negative", [&] { trsm(column, left, lower, none, unit, 3, -4, 1, a, 3, c, 3); });
  refuses("hemm: m = -4 is negative", [&] { hemm(column, left, lower, -4, 3, 1, a, 3, b, 3, 0, c, 3); });
  refuses("syr2k: k = -5 is negative", [&] { syr2k(column, lower, none, 3, -5, 1, a, 3, b, 3, 0, c, 3); });
}

TEST_F(BlasCallsRefuse, Increments) {
  refuses("axpy: incx = 0", [&] { axpy(2, 2, a, 0, c, 1); });
  refuses("dot: incy = 0", [&] { dot(2, a, 1, b, 0); });
  refuses("gemv: incy = 0", [&] { gemv(column, none, 2, 2, 1, a, 2, b, 1, 0, c, 0); });
  refuses("trsv: incx = 0", [&] { trsv(column, lower, none, unit, 2, a, 2, c, 0); });
  refuses("scal: incx = -1 is not positive", [&] { scal(2, 3, c, -1); });
  refuses("nrm2: incx = 0 is not positive", [&] { nrm2(2, a, 0); });
  refuses("asum: incx = -2 is not positive", [&] { asum(2, a, -2); });
  refuses("iamax: incx = -2 is not positive", [&] { iamax(2, a, -2); });
  refuses(
      "copy: incy = -4611686018427387904 gives 4 elements an extent that does not fit 64 bits",
      [&] { copy(4, a, 1, c, std::int64_t{-1} << 62); }, errc::overflow);
}

TEST_F(BlasCallsRefuse, LeadingDimensions) {
  refuses("gemv: lda = 2 is less than 3, the contiguous dimension of A in column layout",
          [&] { gemv(column, none, 3, 2, 1, a, 2, b, 1, 0, c, 1); });
  refuses("gemv: lda = 1 is less than 2, the contiguous dimension of A in row layout",
          [&] { gemv(row, transpose, 3, 2, 1, a, 1, b, 1, 0, c, 1); });
  refuses("ger: lda = 2 is less than 3", [&] { ger(column, 3, 2, 1, a, 1, b, 1, c, 2); });
  refuses("syr: lda = 0 is less than 1", [&] { syr(column, lower, 0, 1, a, 1, c, 0); });
  refuses("trsm: lda = 3 is less than 4, the contiguous dimension of A",
          [&] { trsm(column, right, lower, none, unit, 3, 4, 1, a, 3, c, 3); });
  refuses("trmm: ldb = 3 is less than 4, the contiguous dimension of B in row layout",
          [&] { trmm(row, left, lower, none, unit, 3, 4, 1, a, 3, c, 3); });
  refuses("symm: ldc = 2 is less than 3, the contiguous dimension of C",
          [&] { symm(column, left, lower, 3, 4, 1, a, 3, b, 3, 0, c, 2); });
  refuses("syrk: lda = 3 is less than 4", [&] { syrk(column, lower, transpose, 3, 4, 1, a, 3, 0, c, 3); });
  refuses("herk: lda = 3 is less than 4", [&] { herk(row, lower, none, 3, 4, 1, a, 3, 0, c, 3); });
  refuses("her2k: ldb = 2 is less than 3", [&] { her2k(column, lower, none, 3, 4, 1, a, 3, b, 2, 0, c, 3); });
}

TEST_F(BlasCallsRefuse, EnumeratorsAndNullPointers) {
  const auto bad = [](auto x) { return static_cast<decltype(x)>(7); };
  refuses("gemv: layout = 7", [&] { gemv(bad(column), none, 2, 2, 1, a, 2, b, 1, 0, c, 1); });
  refuses("trsm: op = 7", [&] { trsm(column, left, lower, bad(none), unit, 2, 2, 1, a, 2, c, 2); });
  refuses("trmm: uplo = 7", [&] { trmm(column, left, bad(lower), transpose, unit, 2, 2, 1, a, 2, c, 2); });
  refuses("symm: side = 7", [&] { symm(column, bad(left), lower, 2, 2, 1, a, 2, b, 2, 0, c, 2); });
  const dd_real* const null = nullptr;
  refuses("dot: x, of 2 elements, is null", [&] { dot(2, null, -1, b, 1); });
  refuses("trsm: A, 2 x 2, is null", [&] { trsm(column, left, lower, none, unit, 2, 2, 1, null, 2, c, 2); });
}

TEST(BlasCallsOfNothing, TakeNullPointers) {
  dd_real* const null = nullptr;
  axpy(0, 2, null, -1, null, -2);
  swap(0, null, 1, null, 1);
  EXPECT_EQ(dot(0, null, -1, null, 1), dd_real(0));
  EXPECT_EQ(iamax(0, null, 1), -1);
  gemv(Layout::row, Op::transpose, 0, 0, 1, null, 1, null, -1, 0, null, -1);
  her(Layout::column, Uplo::lower, 0, 1, null, -1, null, 1);
  trsm(Layout::column, Side::left, Uplo::lower, Op::none, Diag::unit, 0, 0, 1, null, 1, null, 1);
  syrk(Layout::row, Uplo::upper, Op::none, 0, 0, 1, null, 1, 0, null, 1);
}

}  // namespace
}  // namespace hilo::test
