// Matrices of a given condition have it, and the same bits with any number of threads.
#include "cli/accuracy/conditioned.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <hilo/singular_values.hpp>

#include "cli/operands.hpp"
#include "data/scalar.hpp"

namespace hilo {
namespace {

template <class T>
class Conditioned : public ::testing::Test {};
using Types = ::testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(Conditioned, Types);

TYPED_TEST(Conditioned, MatricesHaveTheirSingularValues) {
  constexpr std::int64_t n = 9;
  const cli::Conditioned<TypeParam> matrices(n, 1, 2), alone(n, 1, 1);
  for (const double condition : {1.0, 1e8, 1e30}) {
    for (const bool is_positive : {false, true}) {
      const auto of = [&](const auto& x) { return is_positive ? x.positive(condition) : x.general(condition); };
      data::Matrix<TypeParam> a = of(matrices);
      EXPECT_EQ(a.entries, of(alone).entries);
      for (std::int64_t j = 0; j < n && is_positive; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          EXPECT_EQ(data::real_part(a(i, j)), data::real_part(a(j, i)));
          EXPECT_EQ(data::imaginary_part(a(i, j)), -data::imaginary_part(a(j, i)));
        }
      }
      std::vector<dd_real> values(n);
      ASSERT_TRUE(singular_values<TypeParam>(cli::view_of(a), VectorView<dd_real>{values.data(), n}));
      EXPECT_NEAR(static_cast<double>(values.front()), 1.0, 1e-25);
      EXPECT_NEAR(static_cast<double>(values.back()) * condition, 1.0, 0.1);
      EXPECT_NEAR(static_cast<double>(values[n / 2]) * std::sqrt(condition), 1.0, 1e-10);
    }
  }
}

}  // namespace
}  // namespace hilo
