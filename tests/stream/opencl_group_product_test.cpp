// Products of matrices in the memories of several devices: the bits of one device's memory.
#include <limits>

#include "group_matrices.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
struct Operands {
  StoredMatrix<T> a, b, c;
  T alpha, beta;

  Operands(int64_t m, int64_t n, int64_t k, bool has_scalars = true)
      : a(Layout::column, m, k, 1),
        b(Layout::column, k, n, 2),
        c(Layout::column, m, n, 3),
        alpha(T(has_scalars ? 1.25 : 1.0)),
        beta(T(has_scalars ? -0.75 : 0.0)) {}
};

// The product on one device and on so many; A in blocks of its own.
template <class T>
GroupReport expect_product(const Operands<T>& x, int devices, const GemmOptions& options) {
  const OnDevice<T> a(queue(), x.a), b(queue(), x.b), c(queue(), x.c);
  const GroupMatrix<T> dealt_a = dealt(group_of(devices), x.a, 1), dealt_b = dealt(group_of(devices), x.b, 2);
  GroupMatrix<T> dealt_c = dealt(group_of(devices), x.c, 2);
  gemm(queue(), x.alpha, a.view, b.view, x.beta, c.view, {}, options).wait();
  const GroupReport report = gemm(x.alpha, dealt_a, dealt_b, x.beta, dealt_c, options);
  EXPECT_EQ(first_difference(read(dealt_c).elements, c.read(queue())), -1)
      << x.c.view.rows << " x " << x.c.view.columns << " x " << x.a.view.columns << ", " << devices << " devices";
  return report;
}

int64_t bytes_in(const GroupReport& report) {
  int64_t bytes = 0;
  for (const StreamReport& r : report.devices) bytes += r.bytes_in;
  return bytes;
}

// Factors of blocks from panels where they lie, C's panels beside one another.
TEST(OpenclGroupProductLevels, HaveTheBitsOfOneDevice) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  GemmOptions options = options_of(Engine::modular);
  options.levels = 1;
  EXPECT_EQ(expect_product<dd_real>({151, 330, 130}, 2, options).plan.levels, 1);
  EXPECT_EQ(expect_product<std::complex<double>>({151, 270, 130, false}, 2, options).plan.levels, 1);
}

template <class T>
class OpenclGroupProduct : public testing::Test {
 protected:
  void SetUp() override {
    if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  }
};
TYPED_TEST_SUITE(OpenclGroupProduct, AllPrecisions, NameOfPrecision);

TYPED_TEST(OpenclGroupProduct, IsThatOfOneDevice) {
  using T = TypeParam;
  const GemmOptions direct = options_of(Engine::direct);
  constexpr int64_t element = sizeof(T);
  for (int devices : {1, 2, 3}) {
    const GroupReport report = expect_product<T>({67, 83, 41}, devices, direct);
    EXPECT_EQ(std::ssize(report.devices), devices);
    EXPECT_EQ(bytes_in(report), (devices - 1) * 67 * 41 * element);
  }
  // One row; fewer columns of C, or of A, than devices; no terms; nothing to read.
  expect_product<T>({1, 50, 40}, 2, direct);
  EXPECT_EQ(std::ssize(expect_product<T>({50, 3, 40}, 3, direct).devices), 1);
  expect_product<T>({50, 40, 3}, 3, direct);
  expect_product<T>({20, 30, 0}, 2, direct);
  Operands<T> unread(20, 30, 10);
  unread.alpha = T(0);
  expect_product<T>(unread, 2, direct);
  expect_product<T>({67, 83, 41, false}, 2, {});
}

template <class T>
class OpenclGroupModularProduct : public OpenclGroupProduct<T> {};
using Modular = testing::Types<double, std::complex<double>, dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclGroupModularProduct, Modular, NameOfPrecision);

// How many moduli there are all entries decide, those of other devices' columns too.
TYPED_TEST(OpenclGroupModularProduct, ByResiduesIsThatOfOneDevice) {
  using T = TypeParam;
  const GemmOptions modular = options_of(Engine::modular);
  for (bool has_scalars : {true, false}) {
    for (int devices : {1, 2}) {
      Operands<T> x(90, 70, 80, has_scalars);
      const auto wide = [](int64_t i, bool is_turned) { return T((i % 2 == 0) == is_turned ? 1e-3 : 1e3); };
      x.a.fill([&](int64_t i, int64_t j) { return x.a(i, j) * wide(j, false); });
      const GroupReport even = expect_product(x, devices, modular);
      EXPECT_EQ(std::ssize(even.devices), devices);
      // Of a column, which the second of two devices has, sums are small beside the largest entries.
      for (int64_t i = 0; i < 80; ++i) x.b.view(i, 20) = x.b(i, 20) * wide(i, true);
      EXPECT_GT(expect_product(x, devices, modular).plan.moduli, even.plan.moduli);
    }
  }
}

// By way of host memory.
TYPED_TEST(OpenclGroupModularProduct, OfWhatPartsCannotTellIsThatOfOneDevice) {
  using T = TypeParam;
  const GemmOptions modular = options_of(Engine::modular);
  for (bool has_scalars : {true, false}) {
    Operands<T> x(40, 50, 70, has_scalars);
    x.a.view(3, 30) = T(std::numeric_limits<double>::infinity());
    x.b.view(60, 20) = T(std::numeric_limits<double>::quiet_NaN());
    expect_product(x, 2, modular);
  }
  // Few terms.
  EXPECT_EQ(std::ssize(expect_product<T>({40, 50, 20}, 2, modular).devices), 1);
}

}  // namespace
}  // namespace hilo::test
