// A panel of QR has the bits of its definition, written out entry by entry.
#include <algorithm>
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "blas/reference.hpp"
#include "lapack/qr.hpp"
#include "lapack/qr_place.hpp"
#include "matrices.hpp"

namespace hilo::test {
namespace {

template <class T>
class QrPanel : public testing::Test {};
TYPED_TEST_SUITE(QrPanel, DoubleDoubles, NameOfPrecision);

// Sums by rows and by columns as docs/linear-algebra.md has them.
template <class T>
struct Definition {
  StoredMatrix<T> a;
  std::vector<T> tau;
  bool fma;

  // Σ conj(column j) · row from row j + 1 on.
  template <class Row>
  T sum(std::int64_t j, Row row) const {
    const std::int64_t m = a.view.rows;
    std::vector<T> sums;
    for (std::int64_t c = 0; c < m; c += 32) {
      const std::int64_t begin = std::max(j + 1, c), end = std::min(c + 32, m);
      const auto left = [&](std::int64_t i) { return row(begin + i); };
      const auto right = [&](std::int64_t i) { return conj(a(begin + i, j)); };
      sums.push_back(blas::with_products(T(0), std::max<std::int64_t>(end - begin, 0), left, right, fma));
    }
    return added(added(added(sums, 8), 8), m).front();
  }
  // Each so many of them.
  std::vector<T> added(const std::vector<T>& x, std::int64_t count) const {
    std::vector<T> sums;
    for (std::int64_t c = 0; c < std::ssize(x); c += count) {
      const auto left = [&](std::int64_t i) { return x[static_cast<std::size_t>(c + i)]; };
      const auto one = [](std::int64_t) { return T(1); };
      sums.push_back(blas::with_products(T(0), std::min(count, std::ssize(x) - c), left, one, fma));
    }
    return sums;
  }

  void factor() {
    const std::int64_t m = a.view.rows, n = a.view.columns;
    StoredMatrix<T> t(Layout::row, n, n);
    for (std::int64_t j = 0; j < n; ++j) {
      const T alpha = a(j, j);
      const auto square = real(alpha) * real(alpha) + imag(alpha) * imag(alpha);
      const auto norm = sqrt(square + real(sum(j, [&](auto i) { return a(i, j); })));
      const auto beta = real(alpha) < 0 ? norm : -norm;
      const T d = alpha - T(beta);
      T factor((beta - real(alpha)) / beta);
      if constexpr (std::same_as<T, dd_complex>) factor.im = -imag(alpha) / beta;
      std::vector<T> products, y(static_cast<std::size_t>(n));
      for (std::int64_t k = 0; k < j; ++k) {
        const T with_x = conj(sum(j, [&](auto i) { return a(i, k); }));
        products.push_back(-(factor * (conj(a(j, k)) + blas::quotient(with_x, blas::Divisor<T>(d)))));
      }
      for (std::int64_t k = j + 1; k < n; ++k) {
        const T with_x = sum(j, [&](auto i) { return a(i, k); });
        const T with_v = a(j, k) + blas::quotient(with_x, blas::Divisor<T>(conj(d)));
        y[static_cast<std::size_t>(k)] = conj(factor) * with_v;
      }
      for (std::int64_t i = 0; i < j; ++i) {
        const auto left = [&](std::int64_t k) { return k < i ? T(0) : t(i, k); };
        const auto right = [&](std::int64_t k) { return products[static_cast<std::size_t>(k)]; };
        t.view(i, j) = blas::with_products(T(0), j, left, right, fma);
      }
      t.view(j, j) = factor;
      tau.push_back(factor);
      a.view(j, j) = T(beta);
      for (std::int64_t i = j; i < m; ++i) {
        if (i > j) a.view(i, j) = blas::quotient(a(i, j), blas::Divisor<T>(d));
        const auto v = [&](std::int64_t) { return i > j ? a(i, j) : T(1); };
        for (std::int64_t k = j + 1; k < n; ++k) {
          const auto minus_y = [&](std::int64_t) { return -y[static_cast<std::size_t>(k)]; };
          a.view(i, k) = blas::with_products(a(i, k), 1, v, minus_y, fma);
        }
      }
    }
  }
};

TYPED_TEST(QrPanel, HasTheBitsOfItsDefinition) {
  using T = TypeParam;
  for (const Fma fma : {Fma::on, Fma::off}) {
    for (const auto& [m, n] : {std::pair<int, int>{2, 1}, {30, 29}, {600, 13}, {100, 40}, {4200, 3}}) {
      BlockedOptions options;
      options.block = n;
      options.fma = fma;
      const StoredMatrix<T> a(Layout::row, m, n, 3);
      StoredMatrix<T> factors = a;
      std::vector<T> tau(static_cast<std::size_t>(n));
      geqrf(factors.view, tau, options);
      Definition<T> x = {a, {}, fma == Fma::on};
      x.factor();
      EXPECT_EQ(first_difference(factors.elements, x.a.elements), -1) << m << ' ' << n;
      EXPECT_EQ(first_difference(tau, x.tau), -1) << m << ' ' << n;
    }
  }
}

// V and T written out with their zeros do what their triangles do.
TYPED_TEST(QrPanel, AppliesWrittenReflectors) {
  using T = TypeParam;
  const std::int64_t m = 30, n = 7, k = 9;
  const BlockedOptions options;
  for (const Op op : {Op::none, Op::conjugate}) {
    for (const Uplo uplo : both_triangles) {
      const StoredMatrix<T> v(Layout::column, m, k, 3), s(Layout::row, k, k, 4);
      StoredMatrix<T> c(Layout::column, m, n, 5), expected = c;
      lapack::QrPlace<T> place(options, std::span<const T>());
      lapack::apply_reflectors(place, v.read().turned(op), uplo, s.read().turned(op), expected.view);
      lapack::apply_written_reflectors(place, v.read().turned(op), uplo, s.read().turned(op), c.view);
      const Wide right(expected.view);
      EXPECT_LT(norm_of(difference(Wide(c.view), right)), 100 * epsilon_of<T> * norm_of(right)) << name(op);
    }
  }
}

}  // namespace
}  // namespace hilo::test
