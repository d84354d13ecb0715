// Bounds that are proved of systems in device memory: against errors in 420 bits, what products there leave against |I
// − R A| in double-double, and that matrices which are singular are never proved not to be.
#include <hilo/solve.hpp>

#include "on_device.hpp"
#include "opencl/native.hpp"
#include "proved_bounds.hpp"
#include "same_bits.hpp"
#include "singular_matrix.hpp"
#include "solve/opencl/device_proof.hpp"
#include "test_matrices.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

template <class T>
BufferView<T> upload(Queue& q, const std::vector<T>& x, std::int64_t rows) {
  Buffer<T> buffer(q.context(), std::ssize(x));
  buffer.write(q, x.data(), 0, std::ssize(x));
  return view(Layout::column, Op::none, buffer, rows, std::ssize(x) / rows, rows);
}

// solve(a, b, x) of views on the device; A as its columns are.
template <class T, class Solve>
BoundOutcome certified_by(Queue& q, std::vector<T>& a, const std::vector<T>& b, Solve solve) {
  const auto n = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(a.size()))));
  std::vector<T> x(b.size(), T(12345));
  const auto of_x = upload(q, x, n);
  const SolveReport report = solve(upload(q, a, n), upload(q, b, n), of_x);
  of_x.buffer.read(q, x.data(), 0, std::ssize(x));
  return outcome_of<T>(report, view(Layout::column, Op::none, a.data(), n, n, n), b, x);
}
template <class T>
BoundOutcome certified(std::vector<T> a, const std::vector<T>& b, const SolveOptions& options, Queue& q = queue()) {
  return certified_by(q, a, b, [&](const auto& of_a, const auto& of_b, const auto& of_x) {
    return solve(q, of_a, of_b, of_x, {}, options);
  });
}

class OpenclCertificate : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
  template <class T>
  void hold(std::int64_t systems, double most, std::uint64_t seed, double least_share) {
    expect_bounds<T>(systems, most, seed, least_share,
                     [](const MatrixView<const T>& a, const std::vector<T>& b, const SolveOptions& options) {
                       return certified<T>({a.data, a.data + a.rows * a.columns}, b, options);
                     });
  }
};

TEST_F(OpenclCertificate, HoldsOnRandomSystems) { hold<dd_real>(is_long() ? 3000 : 60, 16.0, 11, 0.95); }
TEST_F(OpenclCertificate, HoldsOnRandomSystemsThatDoubleCannotSolve) {
  hold<dd_real>(is_long() ? 1000 : 30, 29.0, 12, 0.9);
}
TEST_F(OpenclCertificate, HoldsOnRandomComplexSystems) { hold<dd_complex>(is_long() ? 1000 : 25, 20.0, 13, 0.95); }

TEST_F(OpenclCertificate, SaysLittleMoreThanThereIs) {
  const std::int64_t n = 40;
  for (const double condition : {1e2, 1e6, 1e10, 1e13, 1e15, 1e20, 1e26, 1e29}) {
    const BoundOutcome outcome = certified<dd_real>(matrix_with_condition<dd_real>(n, condition, 7),
                                                    right_hand_side<dd_real>(2 * n, 1), {.certify = true});
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
    EXPECT_LE(outcome.bound_to_error, 1.1) << condition;
    EXPECT_LE(outcome.relative_bound, 0.75) << condition;
    EXPECT_LE(outcome.report.error_bound, 0x1p-106) << condition;
    EXPECT_EQ(outcome.report.bounds.size(), static_cast<std::size_t>(2 * n));
  }
}

// Whatever was asked for, x is what it is without a proof.
TEST_F(OpenclCertificate, IsGivenWhateverTheOptionsAre) {
  const std::int64_t n = 30;
  Queue& q = queue();
  for (const double condition : {1e4, 1e18}) {
    const auto a = matrix_with_condition<dd_real>(n, condition, 7);
    const auto b = right_hand_side<dd_real>(n, 1);
    std::vector<SolveOptions> all(8);
    all[1].accuracy = SolveAccuracy::backward;
    all[2].factors = SolveFactors::in_double_double;
    all[3].products.engine = Engine::direct;
    all[4].products.engine = Engine::modular;
    all[5].products.engine = Engine::reproducible;
    all[6].products.accuracy = Accuracy::normwise;
    all[7].products.accuracy = Accuracy::fast;
    for (std::size_t k = 0; k < all.size(); ++k) {
      std::vector<dd_real> without(b.size()), with(b.size());
      const auto of_x = upload(q, without, n);
      ASSERT_TRUE(solve(q, upload(q, a, n), upload(q, b, n), of_x, {}, all[k]).is_solved);
      of_x.buffer.read(q, without.data(), 0, n);
      all[k].certify = true;
      const SolveReport report = solve(q, upload(q, a, n), upload(q, b, n), of_x, {}, all[k]);
      of_x.buffer.read(q, with.data(), 0, n);
      EXPECT_EQ(first_difference(with, without), -1) << k;
      ASSERT_TRUE(report.is_certified) << condition << ' ' << k;
      const BoundOutcome outcome =
          outcome_of<dd_real>(report, view(Layout::column, Op::none, a.data(), n, n, n), b, with);
      EXPECT_LE(outcome.error_to_bound, 1.0) << condition << ' ' << k;
      EXPECT_LE(outcome.bound_to_error, 1.2) << condition << ' ' << k;
    }
  }
}

template <class T>
class OpenclCertificateOf : public OpenclCertificate {};
TYPED_TEST_SUITE(OpenclCertificateOf, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclCertificateOf, CountsRoundingToThePrecision) {
  using T = TypeParam;
  Queue& q = queue();
  for (const std::int64_t n : {1, 5, 30}) {
    for (const Layout layout : both_layouts) {
      const StoredMatrix<T> a(layout, n, n, 3);
      const OnDevice<T> of_a(q, a);
      const std::vector<T> b = right_hand_side<T>(2 * n, 4);
      std::vector<T> x(b.size());
      const auto of_x = upload(q, x, n);
      const SolveReport report =
          solve(q, of_a.view.turned(Op::conjugate_transpose), upload(q, b, n), of_x, {}, {.certify = true});
      of_x.buffer.read(q, x.data(), 0, std::ssize(x));
      ASSERT_TRUE(report.is_certified) << n;
      const BoundOutcome outcome = outcome_of<T>(report, a.read().turned(Op::conjugate_transpose), b, x);
      EXPECT_LE(outcome.error_to_bound, 1.0) << n;
      EXPECT_LE(outcome.relative_bound, 1.5) << n;
    }
  }
}

// Of A x = 0, x = 0 is exact; beside a column that is not 0.
TYPED_TEST(OpenclCertificateOf, SaysThatZeroIsExact) {
  using T = TypeParam;
  const std::int64_t n = 5;
  const StoredMatrix<T> a(Layout::column, n, n, 3);
  std::vector<T> entries, b(2 * n);
  for (std::int64_t e = 0; e < n * n; ++e) entries.push_back(a(e % n, e / n));
  b[n + 2] = T(1);
  const BoundOutcome outcome = certified<T>(entries, b, {.certify = true});
  ASSERT_TRUE(outcome.report.is_certified);
  for (std::size_t i = 0; i < 2 * n; ++i) EXPECT_EQ(outcome.report.bounds[i] > 0.0, i >= n) << i;
}

template <class T>
class OpenclCertificateExact : public OpenclCertificate {};
TYPED_TEST_SUITE(OpenclCertificateExact, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclCertificateExact, IsGivenOfPositiveDefiniteMatrices) {
  using T = TypeParam;
  const std::int64_t n = 30;
  Queue& q = queue();
  for (const double condition : {1e3, 1e12, 1e20}) {
    for (const Uplo uplo : both_triangles) {
      std::vector<T> a = hermitian_with_condition<T>(n, condition, 7, true);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
          T& e = a[static_cast<std::size_t>(i + j * n)];
          if (i == j) e = T(real(e));
          e = with_exponent(e, static_cast<int>(i % 7 + j % 7));
          a[static_cast<std::size_t>(j + i * n)] = conjugate_of(e);
        }
      }
      const BoundOutcome outcome = certified_by(q, a, right_hand_side<T>(2 * n, 5), [&](auto of_a, auto b, auto x) {
        return solve_positive(q, uplo, of_a, b, x, {}, {.certify = true});
      });
      ASSERT_TRUE(outcome.report.is_certified) << condition;
      EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
      EXPECT_LE(outcome.bound_to_error, 1.1) << condition;
    }
  }
}

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
TYPED_TEST(OpenclCertificateExact, BoundsWhatProductsLeave) {
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

// Products by parts, and inverses by strips of columns.
TEST_F(OpenclCertificate, BoundsWhatProductsByPartsLeave) {
  const std::int64_t n = solver::proof_depth + 60;
  std::vector<double> a(static_cast<std::size_t>(n * n));
  Random random(3);
  for (double& e : a) e = random.uniform() - 0.5;
  Prover<double> prover(n, a);
  ASSERT_TRUE(prover.system.factor(SolvePath::double_lu));
  const solver::DeviceSquare inverse = prover.system.inverse_in_double();
  expect_excess<double, double>(prover, inverse, n / 3, "by parts");
  const solver::Certificate certificate(prover.system, inverse);
  EXPECT_TRUE(solver::contracts(certificate, n));
}

// An inverse that is none proves nothing.
TYPED_TEST(OpenclCertificateExact, KnowsNothingOfWhatOverflows) {
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

TYPED_TEST(OpenclCertificateExact, ProvesNothingOfSingularMatrices) {
  using T = TypeParam;
  Random random(7);
  int have_factors = 0;
  for (int round = 0; round < (is_long() ? 2000 : 30); ++round) {
    const std::int64_t n = random.between(2, 20);
    const std::vector<T> a = singular_matrix<T>(random, n);
    const std::vector<T> b = right_hand_side<T>(n, random.bits());
    EXPECT_FALSE(certified<T>(a, b, {.certify = true}).report.is_certified) << round;
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

// Pivots grow to 2^119, so that x comes from QR, and the inverse too.
TEST_F(OpenclCertificate, IsGivenByQrWherePivotsGrow) {
  const std::int64_t n = 120;
  std::vector<dd_real> a;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) a.push_back(i == j || j == n - 1 ? 1.0 : i > j ? -1.0 : 0.0);
  }
  const BoundOutcome outcome = certified<dd_real>(a, right_hand_side<dd_real>(n, 99), {.certify = true});
  EXPECT_EQ(outcome.report.path, SolvePath::double_double_qr);
  ASSERT_TRUE(outcome.report.is_certified);
  EXPECT_LE(outcome.error_to_bound, 1.0);
  EXPECT_LE(outcome.bound_to_error, 1.1);
}

TEST_F(OpenclCertificate, RunsOnQueuesOfAnyOrder) {
  const Context context = test_context();
  cl::CommandQueue native(cl::Context(context.native(), true), cl::Device(context.native_device(), true),
                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue any_order(native());
  for (const double condition : {1e6, 1e14, 1e22}) {
    const BoundOutcome outcome = certified<dd_real>(matrix_with_condition<dd_real>(50, condition, 1),
                                                    right_hand_side<dd_real>(100, 1), {.certify = true}, any_order);
    ASSERT_TRUE(outcome.report.is_certified) << condition;
    EXPECT_LE(outcome.error_to_bound, 1.0) << condition;
  }
}

}  // namespace
}  // namespace hilo::test
