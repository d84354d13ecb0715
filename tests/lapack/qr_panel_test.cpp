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

  T v(std::int64_t i, std::int64_t k) const { return i < k ? T(0) : i == k ? T(1) : a(i, k); }
  // Σ conj(column j) · row from row j + 1 on.
  template <class Row>
  T sum(std::int64_t j, Row row) const {
    T all(0);
    for (std::int64_t c = (j + 1) / 256 * 256; c < a.view.rows; c += 256) {
      const std::int64_t begin = std::max(j + 1, c), end = std::min(c + 256, a.view.rows);
      const auto left = [&](std::int64_t i) { return row(begin + i); };
      const auto right = [&](std::int64_t i) { return conj(a(begin + i, j)); };
      all = all + blas::with_products(T(0), end - begin, left, right, fma);
    }
    return all;
  }

  void factor() {
    const StoredMatrix<T> old = a;
    const std::int64_t m = a.view.rows, n = a.view.columns;
    // T, and Vᴴ · A.
    StoredMatrix<T> t(Layout::row, n, n), w(Layout::row, n, n);
    for (std::int64_t j = 0; j < n; ++j) {
      std::vector<T> y;
      for (std::int64_t k = 0; k < j; ++k) {
        const auto left = [&](std::int64_t i) { return i > k ? T(0) : conj(t(i, k)); };
        y.push_back(blas::with_products(
            T(0), j, left, [&](auto i) { return w(i, j); }, fma));
      }
      for (std::int64_t i = 0; i < m; ++i) {
        const auto left = [&](std::int64_t k) { return v(i, k); };
        const auto right = [&](std::int64_t k) { return -y[static_cast<std::size_t>(k)]; };
        a.view(i, j) = blas::with_products(a(i, j), j, left, right, fma);
      }
      const T alpha = a(j, j);
      const auto square = real(alpha) * real(alpha) + imag(alpha) * imag(alpha);
      const auto norm = sqrt(square + real(sum(j, [&](auto i) { return a(i, j); })));
      const auto beta = real(alpha) < 0 ? norm : -norm;
      const T d = alpha - T(beta);
      T factor((beta - real(alpha)) / beta);
      if constexpr (std::same_as<T, dd_complex>) factor.im = -imag(alpha) / beta;
      for (std::int64_t k = j + 1; k < n; ++k) {
        const T with_x = sum(j, [&](auto i) { return old(i, k); });
        w.view(j, k) = old(j, k) + blas::quotient(with_x, blas::Divisor<T>(conj(d)));
      }
      std::vector<T> products;
      for (std::int64_t k = 0; k < j; ++k) {
        const T with_x = conj(sum(j, [&](auto i) { return v(i, k); }));
        products.push_back(-(factor * (conj(v(j, k)) + blas::quotient(with_x, blas::Divisor<T>(d)))));
      }
      for (std::int64_t i = 0; i < j; ++i) {
        const auto left = [&](std::int64_t k) { return k < i ? T(0) : t(i, k); };
        const auto right = [&](std::int64_t k) { return products[static_cast<std::size_t>(k)]; };
        t.view(i, j) = blas::with_products(T(0), j, left, right, fma);
      }
      t.view(j, j) = factor;
      tau.push_back(factor);
      for (std::int64_t i = j + 1; i < m; ++i) a.view(i, j) = blas::quotient(a(i, j), blas::Divisor<T>(d));
      a.view(j, j) = T(beta);
    }
  }
};

TYPED_TEST(QrPanel, HasTheBitsOfItsDefinition) {
  using T = TypeParam;
  for (const Fma fma : {Fma::on, Fma::off}) {
    for (const auto& [m, n] : {std::pair<int, int>{2, 1}, {30, 29}, {600, 13}, {100, 40}}) {
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
