// What eigenvectors in device memory are refined by: with a named engine each step has the host's bits, but where a
// product in double or a sum over a column stands in it.
#include "blas/opencl/arguments.hpp"
#include "on_both_places.hpp"
#include "opencl/native.hpp"
#include "spectra.hpp"
#include "spectral/hermitian_refinement.hpp"
#include "spectral/opencl/hermitian_device.hpp"
#include "wide_eigenvalues.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;
using spectral::HermitianDevice;
using spectral::HermitianHost;
using spectral::HermitianRefinement;

template <class T>
class OpenclEigenvectorSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclEigenvectorSteps, DoubleDoubles, NameOfPrecision);

// A in both places, as it is.
template <class T>
struct Both {
  Buffer<T> buffer;
  solver::DeviceMatrix matrix;
  HermitianHost<T> host;
  HermitianDevice<T> device;

  Both(Queue& q, std::int64_t n, const std::vector<T>& a, const BlockedOptions& options)
      : buffer(uploaded(q, a)),
        matrix(*q.state(), precision_of<T>, {cl::Buffer(buffer.native(), true), 0, n, n, 1, n}, solver::Part::lower,
               options, {}),
        host(dense_of(n, n, a), options),
        device(taken(matrix), options) {}
  ~Both() {
    matrix.include(device.finish());
    matrix.finish();
  }

 private:
  static solver::DeviceMatrix& taken(solver::DeviceMatrix& matrix) {
    const std::vector<int> zeros(static_cast<std::size_t>(matrix.order()));
    matrix.take({zeros, zeros});
    return matrix;
  }
};

TYPED_TEST(OpenclEigenvectorSteps, HaveTheHostsBits) {
  using T = TypeParam;
  using D = spectral::Leading<T>;
  const BlockedOptions options{.engine = Engine::direct, .fma = Fma::on};
  for (const std::int64_t n : {1, 17, 90}) {
    for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
      if (n == 1 && spectrum.name != "random") continue;
      Both<T> both(queue(), n, spectrum.matrix(n), options);
      // So far from right that corrections are by a product in double-double.
      Dense<D> x = spectral::eigenvectors_in_double(
          1, Dense<D>(both.host.matrix(), [](const T& t) { return solver::leading(t); }));
      Random random(7);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < n; ++i) x(i, j) += 1e-10 * random_element<D>(random);
      }
      both.host.start_with(x);
      both.device.start_with(reinterpret_cast<const double*>(x.view().data));
      expect_same(both.host.matrix(), both.device.matrix(), "A");
      const auto of_host = both.host.evaluate(), of_device = both.device.evaluate();
      ASSERT_EQ(of_host, of_device) << spectrum.name;
      std::vector<dd_real> values = of_host.first;
      double size = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] / (1.0 - of_host.second[i]);
        size = std::max(size, std::fabs(values[i].hi));
      }
      const spectral::NoiseGate gate(n, size);
      const auto rest = both.host.couple(values, gate), rest_there = both.device.couple(values, gate);
      EXPECT_NEAR(rest_there.couplings, rest.couplings, 1e-12 * rest.couplings) << spectrum.name;
      EXPECT_NEAR(rest_there.defect, rest.defect, 1e-12 * rest.defect) << spectrum.name;
      const auto norms = both.host.norms(values), norms_there = both.device.norms(values);
      EXPECT_NEAR(norms_there.first, norms.first, 1e-12 * norms.first) << spectrum.name;
      EXPECT_NEAR(norms_there.second, norms.second, 1e-12 * norms.second) << spectrum.name;
      EXPECT_EQ(both.host.is_all_noise(), both.device.is_all_noise()) << spectrum.name;
      const double error = both.host.largest_error(1e300), error_there = both.device.largest_error(1e300);
      EXPECT_TRUE(error == error_there || std::fabs(error - error_there) <= 1e-12 * error) << spectrum.name;
      spectral::Components components = both.host.components(), there = both.device.components();
      ASSERT_EQ(components.labels(), there.labels()) << spectrum.name;
      std::vector<spectral::Cluster> clusters;
      for (const auto& members : components.clusters()) clusters.push_back({members, values[size_t(members[0])]});
      both.host.find_corrections(components.labels());
      both.device.find_corrections(components.labels());
      auto blocks = both.host.blocks(clusters);
      const auto blocks_there = both.device.blocks(clusters);
      for (std::size_t c = 0; c < blocks.size(); ++c) expect_same(blocks[c], blocks_there[c], "a block");
      both.host.correct();
      both.device.correct();
      expect_same(both.host.vectors(), both.device.vectors(), "X of " + spectrum.name);
      for (auto& block : blocks) block = spectral::eigenvectors_in_double(1, block);
      both.host.rotate(clusters, blocks);
      both.device.rotate(clusters, blocks);
      expect_same(both.host.vectors(), both.device.vectors(), "X rotated of " + spectrum.name);
    }
  }
}

// By the same factors but for numbers near 2^-117.
TYPED_TEST(OpenclEigenvectorSteps, ProveTheHostsBounds) {
  using T = TypeParam;
  using D = spectral::Leading<T>;
  const std::int64_t n = 40;
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    Both<T> both(queue(), n, spectrum.matrix(n), {});
    both.device.start();
    HermitianRefinement<HermitianDevice<T>> refinement(both.device);
    ASSERT_TRUE(refinement.refine(true)) << spectrum.name;
    const std::vector<std::int64_t> order = refinement.order();
    std::vector<dd_real> values;
    Dense<T> x(n, n);
    const Dense<T> found = both.device.vectors();
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t j = order[static_cast<std::size_t>(k)];
      values.push_back(refinement.value(j));
      for (std::int64_t i = 0; i < n; ++i) x(i, k) = found(i, j);
    }
    const auto bounds = both.device.bounds(order, values);
    const auto of_host = spectral::eigenvalue_bounds(both.host.matrix(), x, values, {});
    ASSERT_TRUE(bounds && of_host) << spectrum.name;
    EXPECT_NEAR(bounds->of_order / of_host->of_order, 1.0, 0.01) << spectrum.name;
    EXPECT_NEAR(bounds->residual / of_host->residual, 1.0, 0.01) << spectrum.name;
    EXPECT_NEAR(bounds->orthogonality / of_host->orthogonality, 1.0, 0.5) << spectrum.name;
    for (std::size_t j = 0; j < values.size(); ++j) {
      EXPECT_NEAR(bounds->of_each[j] / of_host->of_each[j], 1.0, 0.05) << spectrum.name << ' ' << j;
    }
    Dense<D> far(n, n);
    both.device.start_with(reinterpret_cast<const double*>(far.view().data));
    EXPECT_FALSE(both.device.bounds(order, values)) << spectrum.name;
  }
}

// What follows where refinement gives up.
TYPED_TEST(OpenclEigenvectorSteps, JacobisRotationsTakeOver) {
  using T = TypeParam;
  const std::int64_t n = 20;
  for (const Spectrum<T>& spectrum : every_spectrum<T>()) {
    Both<T> both(queue(), n, spectrum.matrix(n), {});
    HermitianRefinement<HermitianDevice<T>> refinement(both.device);
    EXPECT_LE(refinement.rotate(), 12) << spectrum.name;
    const auto norms = refinement.norms();
    EXPECT_LE(norms.residual_u2, 10.0 * double(n)) << spectrum.name;
    EXPECT_LE(norms.orthogonality_u2, double(n)) << spectrum.name;
  }
}

}  // namespace
}  // namespace hilo::test
