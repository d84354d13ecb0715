// What proofs in double say of I − B and I − R A against these matrices in double-double; and that matrices which are
// singular are never proved not to be.
#include "solve/factor_certificate.hpp"

#include <algorithm>

#include "matrices.hpp"
#include "singular_matrix.hpp"
#include "solve/host_proof.hpp"
#include "test_matrices.hpp"
#include "wide_system.hpp"

namespace hilo::test {
namespace {

using solver::Certificate;
using solver::FactorCertificate;
using solver::HostSystem;
using solver::Structure;

template <class T>
HostSystem<T> system_of(Structure structure, std::int64_t n, const std::vector<T>& a) {
  const std::vector<T> b(static_cast<std::size_t>(n), T(1));
  const auto entry = [&](std::int64_t i, std::int64_t j) { return a[static_cast<std::size_t>(i + j * n)]; };
  return {structure,      n,
          entry,          view(Layout::column, Op::none, b.data(), n, 1, n),
          {.threads = 1}, {*solver::largest_of_rows(1, n, n, entry)}};
}

template <class T>
MatrixView<T> square(std::vector<T>& x, std::int64_t n) {
  return view(Layout::column, Op::none, x.data(), n, n, n);
}

// The largest |M_ij| / (G e_j)_i, M = I − A · B by columns.
template <class T, class C>
double largest_to_bound(std::int64_t n, std::vector<T> a, std::vector<T> b, const C& certificate) {
  std::vector<T> m(a.size());
  for (std::int64_t i = 0; i < n; ++i) m[static_cast<std::size_t>(i * (n + 1))] = T(1);
  gemm(T(-1), square(a, n), square(b, n), T(1), square(m, n), {.engine = Engine::direct});
  double most = 0.0;
  const std::int64_t step = std::max<std::int64_t>(1, n / 40);
  for (std::int64_t j = 0; j < n; j += step) {
    std::vector<double> unit(static_cast<std::size_t>(n));
    unit[static_cast<std::size_t>(j)] = 1.0;
    const std::vector<double> bound = certificate.excess(unit);
    for (std::int64_t i = 0; i < n; ++i) {
      const double size = std::abs(solver::leading(m[static_cast<std::size_t>(i + j * n)]));
      most = std::max(most, size / bound[static_cast<std::size_t>(i)]);
    }
  }
  return most;
}

// What each proof says, in the order of their cost.
template <class T>
void check_excess(Structure structure, std::int64_t n, const std::vector<T>& a) {
  using F = solver::Leading<T>;
  HostSystem<T> system = system_of(structure, n, a);
  ASSERT_TRUE(system.factor(system.paths()[0]));
  const auto factors = system.triangles();
  ASSERT_TRUE(factors);
  FactorCertificate<T> certificate(system, *factors);
  const MatrixView<const F> inverses = certificate.inverses();
  const bool is_positive = structure == Structure::positive;
  std::vector<T> x(a.size()), y(a.size()), of_a = system.dense(), product(a.size());
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i + j * n);
      if (i > j || (i == j && is_positive)) x[at] = T(inverses(i, j));
      if (i == j && !is_positive) x[at] = T(1);
      if (i <= j) y[at] = is_positive ? conj(T(inverses(j, i))) : T(inverses(i, j));
    }
  }
  if (!is_positive) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t k = factors->pivots()[static_cast<std::size_t>(i)] - 1;
      for (std::int64_t j = 0; j < n; ++j) {
        std::swap(of_a[static_cast<std::size_t>(i + j * n)], of_a[static_cast<std::size_t>(k + j * n)]);
      }
    }
  }
  gemm(T(1), square(x, n), square(of_a, n), T(0), square(product, n), {.engine = Engine::direct});
  EXPECT_LE(largest_to_bound(n, product, y, certificate), 1.0) << "by factors " << n;
  certificate.take_product();
  certificate.make_product();
  EXPECT_LE(largest_to_bound(n, product, y, certificate), 1.0) << "by product " << n;
  const std::vector<F> inverse = certificate.inverse();
  Certificate by_inverse(system, inverse);
  by_inverse.make_product(inverse);
  EXPECT_LE(largest_to_bound(n, std::vector<T>(inverse.begin(), inverse.end()), system.dense(), by_inverse), 1.0)
      << "by inverse " << n;
}

template <class T>
class FactorCertificateOf : public testing::Test {};
using DoubleDoubles = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(FactorCertificateOf, DoubleDoubles);

TYPED_TEST(FactorCertificateOf, BoundsWhatFactorsLeave) {
  using T = TypeParam;
  std::uint64_t seed = 1;
  for (const std::int64_t n : {1, 2, 3, 5, 17, 64, 65, 130, 300}) {
    for (const double condition : {1e1, 1e6, 1e12}) {
      if (n > 200 && condition != 1e6) continue;
      check_excess<T>(Structure::general, n, matrix_with_condition<T>(n, condition, ++seed));
      check_excess<T>(Structure::positive, n, hermitian_with_condition<T>(n, condition, ++seed, true));
      check_excess<T>(Structure::symmetric, n, matrix_with_condition<T>(n, condition, ++seed));
    }
  }
}

// Pivots grow, rows are graded, entries lie in 2^±60, small integers have exact factors, and low words are as large as
// they may be.
TYPED_TEST(FactorCertificateOf, BoundsWhatHardFactorsLeave) {
  using T = TypeParam;
  Random random(5);
  for (int round = 0; round < (is_long() ? 2000 : 40); ++round) {
    const std::int64_t n = random.between(1, 30);
    const int kind = static_cast<int>(random.below(5));
    std::vector<T> a(static_cast<std::size_t>(n * n));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        T& e = a[static_cast<std::size_t>(i + j * n)];
        const double sign = random.below(2) ? 1.0 : -1.0;
        if (kind == 0) e = T(i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0);
        if (kind == 1) e = with_exponent(random_element<T>(random), static_cast<int>(-3 * i));
        if (kind == 2) e = with_exponent(random_element<T>(random), static_cast<int>(random.between(-60, 60)));
        if (kind == 3) e = T(static_cast<double>(random.between(-3, 3))) + T(i == j ? 4.0 : 0.0);
        if (kind == 4) e = T(dd_real::sum(1.0 + static_cast<double>(random.between(0, 3)), sign * 0x1.ffffffp-54));
      }
    }
    HostSystem<T> system = system_of(Structure::general, n, a);
    if (!system.factor(SolvePath::double_lu)) continue;
    check_excess<T>(Structure::general, n, a);
  }
}

// Parts of a product, added up, are the product.
TEST(ProofPlace, AddsProductsByParts) {
  const std::int64_t k = 2 * solver::proof_depth + 3;
  std::vector<double> a(static_cast<std::size_t>(2 * k)), b(static_cast<std::size_t>(3 * k)), c(6, 1.0);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 7) - 3.0;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 5) - 1.0;
  solver::ProofPlace<double> place({.threads = 1}, 3, 3);
  const auto of_a = view(Layout::column, Op::none, a.data(), 2, k, 2);
  const auto of_b = view(Layout::column, Op::none, b.data(), k, 3, k);
  place.add_product(true, of_a, of_b, view(Layout::column, Op::none, c.data(), 2, 3, 2));
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t i = 0; i < 2; ++i) {
      double sum = 1.0;
      for (std::int64_t h = 0; h < k; ++h) sum += of_a(i, h) * of_b(h, j);
      EXPECT_EQ(c[static_cast<std::size_t>(i + 2 * j)], sum);
    }
  }
}

TYPED_TEST(FactorCertificateOf, ProvesNothingOfSingularMatrices) {
  using T = TypeParam;
  Random random(7);
  int have_factors = 0;
  for (int round = 0; round < (is_long() ? 20000 : 300); ++round) {
    const std::int64_t n = random.between(2, 20);
    const std::vector<T> a = singular_matrix<T>(random, n);
    HostSystem<T> system = system_of(Structure::general, n, a);
    if (!system.factor(SolvePath::double_lu)) continue;
    ++have_factors;
    const std::vector<double> one(static_cast<std::size_t>(n), 1.0);
    FactorCertificate<T> certificate(system, *system.triangles());
    EXPECT_FALSE(above_its_image(certificate, one)) << "by factors " << round;
    certificate.take_product();
    certificate.make_product();
    EXPECT_FALSE(above_its_image(certificate, one)) << "by product " << round;
    const auto inverse = certificate.inverse();
    Certificate by_inverse(system, inverse);
    by_inverse.make_product(inverse);
    EXPECT_FALSE(above_its_image(by_inverse, one)) << "by inverse " << round;
  }
  EXPECT_GE(have_factors, 100);
}

}  // namespace
}  // namespace hilo::test
