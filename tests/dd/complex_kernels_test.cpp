// Kernels on arrays of complex numbers, against the operators: zeros of either sign, also as lo parts, numbers at the
// ends of the range, Inf and NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "dd/kernels.hpp"
#include "same_bits.hpp"

namespace hilo::test {
namespace {

dd_complex times(dd_real c, dd_complex z) { return {c * z.re, c * z.im}; }

class Numbers {
 public:
  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_); }

  // Any but one in 40 is finite.
  dd_real special() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double finite[] = {0.0, -0.0, 1, -1, 2, -2, 0.6, -0.6, 3, 0x1p-1074, -0x1p-1030, 0x1p-700, 0x1p990},
                     other[] = {0x1p1023, -0x1p1023, infinity, -infinity, std::nan("")};
    if (below(4) == 0) return regular();
    dd_real x = below(40) != 0 ? finite[below(std::ssize(finite))] : other[below(std::ssize(other))];
    if (std::isfinite(x.hi) && below(2) == 0)
      x.lo = below(2) == 0 || std::fabs(x.hi) < 0x1p-900 ? -0.0 : x.hi * 0x1p-54;
    return x;
  }
  dd_real regular() {
    const double hi = uniform_(random_);
    return dd_real(hi) + dd_real(hi * 0x1p-55 * uniform_(random_));
  }
  std::vector<dd_complex> some(std::int64_t n) {
    std::vector<dd_complex> x(static_cast<std::size_t>(n));
    const bool is_special = below(2) == 0;
    for (dd_complex& z : x) z = is_special ? dd_complex(special(), special()) : dd_complex(regular(), regular());
    return x;
  }

 private:
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

TEST(ComplexKernels, HaveTheBitsOfOperators) {
  for (const array::KernelSet* set : array::kernel_sets()) {
    Numbers numbers;
    for (int round = 0; round < 3000; ++round) {
      const std::int64_t n = 1 + numbers.below(20);
      const std::vector<dd_complex> x = numbers.some(n), y = numbers.some(n);
      const dd_complex alpha(numbers.special(), numbers.below(2) == 0 ? numbers.special() : dd_real(0));
      const dd_real c = numbers.special();
      const auto ahead = static_cast<host::Ahead>(round % 3);
      std::vector<dd_complex> sum = y, product = x, left = x, right = y;
      set->axpy_complex(n, alpha, x.data(), sum.data(), ahead);
      set->scale_complex(n, alpha, product.data(), ahead);
      set->rotate_complex(n, c, alpha, left.data(), right.data(), ahead);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const dd_complex z = dd_complex::multiply_finite(alpha, x[i]);
        ASSERT_TRUE(same_bits(sum[i], z + y[i])) << set->target << " axpy, round " << round;
        ASSERT_TRUE(same_bits(product[i], z)) << set->target << " scale, round " << round;
        ASSERT_TRUE(same_bits(left[i], times(c, x[i]) + dd_complex::multiply_finite(alpha, y[i])))
            << set->target << " rotate x, round " << round;
        ASSERT_TRUE(same_bits(right[i], times(c, y[i]) - dd_complex::multiply_finite(conj(alpha), x[i])))
            << set->target << " rotate y, round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
