// What singular vectors in device memory are refined by: with a named engine each step has the host's bits, but where a
// product in double or a sum over a column stands in it.
#include "on_both_places.hpp"
#include "opencl/native.hpp"
#include "singular_matrices.hpp"
#include "spectral/opencl/singular_device.hpp"

namespace hilo::test {
namespace {

using spectral::Dense;

template <class T>
class OpenclSingularVectorSteps : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclSingularVectorSteps, DoubleDoubles, NameOfPrecision);

TYPED_TEST(OpenclSingularVectorSteps, HaveTheHostsBits) {
  using T = TypeParam;
  using D = spectral::Leading<T>;
  Queue& q = queue();
  const BlockedOptions options{.engine = Engine::direct, .fma = Fma::on};
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {17, 17}, {50, 44}}) {
    for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
      if (n == 1 && spectrum.name != "random") continue;
      const std::vector<T> a = spectrum.matrix(m, n);
      const Buffer<T> buffer = uploaded(q, a);
      spectral::SingularHost<T> host(dense_of(m, n, a), options);
      spectral::SingularDevice<T> device(*q.state(), {cl::Buffer(buffer.native(), true), 0, m, n, 1, m}, options, {});
      // So far from right that corrections are by a product in double-double.
      spectral::Decomposition<D> x = spectral::native_decomposition<D>(
          1, Dense<D>(host.matrix(), [](const T& t) { return solver::leading(t); }), spectral::LeftVectors::whole);
      Random random(7);
      for (Dense<D>* vectors : {&x.u, &x.v}) {
        for (std::int64_t j = 0; j < vectors->columns(); ++j) {
          for (std::int64_t i = 0; i < vectors->rows(); ++i) (*vectors)(i, j) += 1e-10 * random_element<D>(random);
        }
      }
      host.start_with(x.u, x.v);
      device.start_with(reinterpret_cast<const double*>(x.u.view().data),
                        reinterpret_cast<const double*>(x.v.view().data));
      const auto of_host = host.evaluate(), of_device = device.evaluate();
      ASSERT_EQ(of_host.of_t, of_device.of_t) << spectrum.name;
      ASSERT_EQ(of_host.of_r, of_device.of_r) << spectrum.name;
      ASSERT_EQ(of_host.of_s, of_device.of_s) << spectrum.name;
      std::vector<dd_real> values = of_host.of_t;
      double size = 0.0;
      for (const dd_real& value : values) size = std::max(size, std::fabs(value.hi));
      const spectral::NoiseGate gate(m, size, 0x1p-46), of_differences(m, size);
      const auto rest = host.couple(values, gate, of_differences), there = device.couple(values, gate, of_differences);
      EXPECT_NEAR(there.couplings, rest.couplings, 1e-12 * rest.couplings) << spectrum.name;
      EXPECT_NEAR(there.defect, rest.defect, 1e-12 * rest.defect) << spectrum.name;
      EXPECT_EQ(host.is_all_noise(), device.is_all_noise()) << spectrum.name;
      const double error = host.largest_error(1e300), error_there = device.largest_error(1e300);
      EXPECT_TRUE(error == error_there || std::fabs(error - error_there) <= 1e-12 * error) << spectrum.name;
      const auto norms = host.norms(values), norms_there = device.norms(values);
      EXPECT_NEAR(norms_there.residual, norms.residual, 1e-12 * norms.residual) << spectrum.name;
      EXPECT_NEAR(norms_there.left, norms.left, 1e-12 * norms.left) << spectrum.name;
      EXPECT_NEAR(norms_there.right, norms.right, 1e-12 * norms.right) << spectrum.name;
      spectral::Components components = host.components(), components_there = device.components();
      ASSERT_EQ(components.labels(), components_there.labels()) << spectrum.name;
      std::vector<spectral::Cluster> clusters;
      for (const auto& members : components.clusters()) {
        if (members.back() < n) clusters.push_back({members, values[size_t(members[0])]});
      }
      host.find_corrections(components.labels());
      device.find_corrections(components.labels());
      auto blocks = host.blocks(clusters);
      const auto blocks_there = device.blocks(clusters);
      for (std::size_t c = 0; c < blocks.size(); ++c) expect_same(blocks[c], blocks_there[c], "a block");
      const std::vector<std::int64_t> left{m - 1, 0}, right{n - 1};
      expect_same(host.block(left, right), device.block(left, right), "rows and columns of T");
      host.correct();
      device.correct();
      expect_same(host.u(), device.u(), "U of " + spectrum.name);
      expect_same(host.v(), device.v(), "V of " + spectrum.name);
      for (auto& block : blocks) block = spectral::eigenvectors_in_double(1, block);
      host.rotate(clusters, blocks);
      device.rotate(clusters, blocks);
      expect_same(host.u(), device.u(), "U rotated of " + spectrum.name);
      expect_same(host.v(), device.v(), "V rotated of " + spectrum.name);
      device.finish().wait();
    }
  }
}

// What follows where refinement gives up.
TYPED_TEST(OpenclSingularVectorSteps, JacobisRotationsTakeOver) {
  using T = TypeParam;
  const std::int64_t m = 14, n = 12;
  for (const SingularSpectrum<T>& spectrum : every_singular_spectrum<T>()) {
    const std::vector<T> a = spectrum.matrix(m, n);
    const Buffer<T> buffer = uploaded(queue(), a);
    spectral::SingularDevice<T> place(*queue().state(), {cl::Buffer(buffer.native(), true), 0, m, n, 1, m}, {}, {});
    spectral::SingularRefinement<spectral::SingularDevice<T>> refinement(place);
    EXPECT_LE(refinement.rotate(), 20) << spectrum.name;
    const auto norms = refinement.norms_u2();
    EXPECT_LE(norms.residual, 10.0 * double(m)) << spectrum.name;
    EXPECT_LE(norms.left, 2.0 * double(m)) << spectrum.name;
    EXPECT_LE(norms.right, 2.0 * double(m)) << spectrum.name;
    place.finish().wait();
  }
}

}  // namespace
}  // namespace hilo::test
