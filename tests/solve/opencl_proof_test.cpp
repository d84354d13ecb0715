// What products on a device leave, as proofs count it, against |I − R A| in double-double; and that matrices which are
// singular are never proved not to be.
#include <cmath>
#include <limits>

#include "on_device.hpp"
#include "opencl/native.hpp"
#include "singular_matrix.hpp"
#include "solve/opencl/device_proof.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

template <class T>
class OpenclProof : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclProof, DoubleDoubles, NameOfPrecision);

// A scaled system on the device, whose rows and columns are near 1 as they are given.
template <class T>
struct Prover {
  std::vector<T> b;
  BufferView<T> of_a;
  solver::DeviceMatrix matrix;
  solver::DeviceSystem<T> system;

  Prover(std::int64_t n, const std::vector<T>& a, const BlockedOptions& options = {})
      : b(static_cast<std::size_t>(n), T(1)),
        of_a(upload(queue(), a, n)),
        matrix(*queue().state(), precision_of<T>, {cl::Buffer(of_a.buffer.native(), true), 0, n, n, 1, n},
               solver::Part::all, options, {}),
        system(solver::Structure::general, matrix, scaling(n, a),
               view<const T>(Layout::column, Op::none, b.data(), n, 1, n), options) {}

  static solver::Scaling scaling(std::int64_t n, const std::vector<T>& a) {
    const auto size = [&](std::int64_t i, std::int64_t j) {
      return solver::size_of(a[static_cast<std::size_t>(i + j * n)]);
    };
    solver::Scaling s{std::vector<int>(static_cast<std::size_t>(n)), std::vector<int>(static_cast<std::size_t>(n))};
    for (std::int64_t i = 0; i < n; ++i) {
      double most = 0.0;
      for (std::int64_t j = 0; j < n; ++j) most = std::max(most, size(i, j));
      s.rows[static_cast<std::size_t>(i)] = solver::exponent_to_one(most);
    }
    return s;
  }
  template <class E>
  std::vector<E> read(const cl::Buffer& x) {
    std::vector<E> all(static_cast<std::size_t>(system.rows() * system.rows()));
    queue().finish();
    cl::CommandQueue(queue().native(), true).enqueueReadBuffer(x, CL_TRUE, 0, all.size() * sizeof(E), all.data());
    return all;
  }
};

template <class X, class E>
std::vector<X> widened(const std::vector<E>& x) {
  return {x.begin(), x.end()};
}

// |I − R A| e_j against E e_j, of some columns.
template <class T, class E>
void expect_excess(Prover<T>& prover, const solver::DeviceSquare& inverse, std::int64_t step, const std::string& what) {
  using X = solver::Solution<T>;
  const std::int64_t n = prover.system.rows();
  solver::Certificate certificate(prover.system, inverse);
  certificate.make_product(inverse);
  std::vector<X> r = widened<X>(prover.template read<E>(inverse.buffer()));
  std::vector<X> a = widened<X>(prover.template read<solver::Exact<T>>(prover.matrix.entries()));
  std::vector<X> rest(static_cast<std::size_t>(n));
  const auto of = [n](std::vector<X>& x, std::int64_t j, std::int64_t columns) {
    return view(Layout::column, Op::none, x.data() + j * n, n, columns, n);
  };
  double most = 0.0;
  for (std::int64_t j = 0; j < n; j += step) {
    std::fill(rest.begin(), rest.end(), X(0));
    rest[static_cast<std::size_t>(j)] = X(1);
    gemm(X(-1), of(r, 0, n), of(a, j, 1), X(1), of(rest, 0, 1), {.engine = Engine::direct});
    std::vector<double> unit(static_cast<std::size_t>(n));
    unit[static_cast<std::size_t>(j)] = 1.0;
    const std::vector<double> bound = certificate.excess(unit);
    for (std::size_t i = 0; i < bound.size(); ++i) {
      most = std::max(most, std::abs(solver::leading(rest[i])) / bound[i]);
    }
  }
  EXPECT_LE(most, 1.0) << what << ' ' << n;
}

// Pivots grow, rows are graded, entries lie in 2^±60, small integers have exact factors, and low words are as large as
// they may be.
TYPED_TEST(OpenclProof, BoundsWhatProductsLeave) {
  using T = TypeParam;
  using F = solver::Leading<T>;
  Random random(5);
  for (int round = 0; round < (is_long() ? 500 : 25); ++round) {
    const std::int64_t n = random.between(1, round % 5 ? 30 : 130);
    const int kind = static_cast<int>(random.below(6));
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
        if (kind == 5) e = random_element<T>(random);
      }
    }
    Prover<T> prover(n, a);
    if (!prover.system.factor(SolvePath::double_lu)) continue;
    const solver::DeviceSquare inverse = prover.system.inverse_in_double();
    const std::string what = "kind " + std::to_string(kind);
    expect_excess<T, F>(prover, inverse, 1 + n / 20, what + " in double");
    expect_excess<T, T>(prover, in_double_double(prover.system, inverse), 1 + n / 20, what + " in double-double");
    if (!prover.system.factor(SolvePath::double_double_lu)) continue;
    expect_excess<T, T>(prover, prover.system.inverse(), 1 + n / 20, what + " of double-double");
  }
}

class OpenclProofOfDoubles : public OpenclProof<double> {};

// Products by parts, and inverses of triangles by halves.
template <class F>
void expect_products_by_parts() {
  const std::int64_t n = solver::proof_depth + 60;
  std::vector<F> a(static_cast<std::size_t>(n * n));
  Random random(3);
  for (F& e : a) e = random_element<F>(random);
  Prover<F> prover(n, a);
  ASSERT_TRUE(prover.system.factor(SolvePath::double_lu));
  const solver::DeviceSquare inverse = prover.system.inverse_in_double();
  expect_excess<F, F>(prover, inverse, n / 3, "by parts");
  const solver::Certificate certificate(prover.system, inverse);
  EXPECT_TRUE(solver::contracts(certificate, n));
}

TEST_F(OpenclProofOfDoubles, BoundsWhatProductsByPartsLeave) {
  expect_products_by_parts<double>();
  if (is_long()) expect_products_by_parts<std::complex<double>>();
}

// As Certificate.CountsWhatUnderflows, as far as inverses are taken: rows 0 and 1 have a condition of 2^92, rows 2 and
// 3 an inverse of 2^880, and what stands between them, 2^-1046, is scaled to nothing, by which x_3 is 2^-106.
TEST_F(OpenclProofOfDoubles, CountsWhatUnderflows) {
  const std::int64_t n = 4;
  std::vector<dd_real> a(16), inverse(16);
  a[0] = a[1] = a[4] = dd_real(0x1p60);
  a[5] = dd_real(0x1p60) * (dd_real(1) + dd_real(0x1p-90));
  a[2] = a[8] = dd_real(0x1p-1046);
  a[11] = a[14] = dd_real(0x1p-880);
  const std::vector<dd_real> b = {0, 1, 0, 0};
  const auto of_a = upload(queue(), a, n);
  solver::DeviceMatrix matrix(*queue().state(), Precision::dd, {cl::Buffer(of_a.buffer.native(), true), 0, n, n, 1, n},
                              solver::Part::all, {}, {});
  const std::vector<int> exponents = {-30, -30, 0, 0};
  solver::DeviceSystem<dd_real> system(solver::Structure::positive, matrix, {exponents, exponents},
                                       view(Layout::column, Op::none, b.data(), n, 1, n), {});
  const dd_real large = 0x1p90;
  inverse[0] = large + 1.0;
  inverse[1] = inverse[4] = -large;
  inverse[5] = large;
  inverse[11] = inverse[14] = dd_real(0x1p880);
  const solver::DeviceSquare on_device(matrix, Precision::dd, "a test's inverse");
  cl::CommandQueue(queue().native(), true)
      .enqueueWriteBuffer(on_device.buffer(), CL_TRUE, 0, inverse.size() * sizeof(dd_real), inverse.data());
  solver::Certificate certificate(system, on_device);
  certificate.make_product(on_device);
  const auto bound = solver::proved_bound(system, certificate, 0, 6);
  ASSERT_TRUE(bound.has_value());
  EXPECT_GE((*bound)[0], 0x1p90);
  EXPECT_GE((*bound)[1], 0x1p90);
  EXPECT_GE((*bound)[3], 0x1p-106);
  matrix.finish();
}

// An inverse that is none proves nothing.
TYPED_TEST(OpenclProof, KnowsNothingOfWhatOverflows) {
  using T = TypeParam;
  using F = solver::Leading<T>;
  const std::int64_t n = 4;
  for (const double entry : {0x1p950, std::numeric_limits<double>::infinity(), std::nan("")}) {
    std::vector<F> r(static_cast<std::size_t>(n * n));
    std::vector<T> a(r.size());
    for (std::size_t i = 0; i < r.size(); i += n + 1) r[i] = F(1), a[i] = T(1);
    if constexpr (precisions::is_complex(precision_of<T>)) {
      r[7] = F(0.0, entry);
    } else {
      r[7] = entry;
    }
    Prover<T> prover(n, a);
    const solver::DeviceSquare inverse(prover.matrix, precision_of<F>, "a test's inverse");
    cl::CommandQueue(queue().native(), true)
        .enqueueWriteBuffer(inverse.buffer(), CL_TRUE, 0, r.size() * sizeof(F), r.data());
    const std::vector<double> one(static_cast<std::size_t>(n), 1.0);
    solver::Certificate certificate(prover.system, inverse);
    certificate.make_product(inverse);
    EXPECT_FALSE(above_its_image(certificate, one)) << entry;
    EXPECT_FALSE(solver::contracts(certificate, n)) << entry;
    prover.matrix.finish();
  }
}

TYPED_TEST(OpenclProof, ProvesNothingOfSingularMatrices) {
  using T = TypeParam;
  Random random(7);
  int have_factors = 0;
  for (int round = 0; round < (is_long() ? 2000 : 30); ++round) {
    const std::int64_t n = random.between(2, 20);
    const std::vector<T> a = singular_matrix<T>(random, n);
    const auto b = upload(queue(), std::vector<T>(static_cast<std::size_t>(n), T(1)), n);
    EXPECT_FALSE(solve(queue(), upload(queue(), a, n), b, b, {}, {.certify = true}).is_certified) << round;
    Prover<T> prover(n, a);
    const std::vector<double> one(static_cast<std::size_t>(n), 1.0);
    const auto proves = [&](const solver::DeviceSquare& inverse) {
      solver::Certificate certificate(prover.system, inverse);
      certificate.make_product(inverse);
      return above_its_image(certificate, one).has_value();
    };
    if (prover.system.factor(SolvePath::double_lu)) {
      ++have_factors;
      const solver::DeviceSquare inverse = prover.system.inverse_in_double();
      EXPECT_FALSE(proves(inverse)) << "in double " << round;
      EXPECT_FALSE(proves(in_double_double(prover.system, inverse))) << "in double-double " << round;
    }
    if (prover.system.factor(SolvePath::double_double_lu)) {
      EXPECT_FALSE(proves(prover.system.inverse())) << "of double-double " << round;
    }
    prover.matrix.finish();
  }
  EXPECT_GE(have_factors, 10);
}

}  // namespace
}  // namespace hilo::test
