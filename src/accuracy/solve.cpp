// The residual of a solve, and the errors of single numbers.
#include <cmath>
#include <hilo/accuracy.hpp>
#include <mutex>
#include <string>

#include "accuracy/number.hpp"
#include "host/door.hpp"
#include "host/team.hpp"

namespace hilo::accuracy {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw error(errc::invalid_argument, message);
}

long double magnitude(dd_real x) { return std::fabs(static_cast<long double>(x.hi) + x.lo); }

// Unlike std::max, keeps a NaN.
long double larger(long double x, long double y) { return x > y || x != x ? x : y; }

}  // namespace

double solve_residual(Layout layout, std::int64_t n, const dd_real* a, std::int64_t lda, const dd_real* x,
                      const dd_real* b) {
  return host::door("solve_residual: no memory", [&] {
    require(n >= 0, "solve_residual: n = " + std::to_string(n) + " is negative");
    require(lda >= n && lda >= 1,
            "solve_residual: lda = " + std::to_string(lda) + " is less than max(1, n), n = " + std::to_string(n));
    if (n == 0) return 0.0;
    require(a && x && b, std::string("solve_residual: ") + (!a ? "A" : !x ? "x" : "b") + " is null");
    auto matrix = view(layout, Op::none, a, n, n, lda);
    long double norm_x = 0, norm_a = 0, residual = 0;
    for (std::int64_t j = 0; j < n; ++j) norm_x = larger(norm_x, magnitude(x[j]));
    if (!std::isfinite(norm_x)) return HUGE_VAL;
    std::mutex mutex;
    host::for_parts(n > 100 ? host::default_threads() : 1, n, [&](std::int64_t first, std::int64_t last) {
      ThreadCache cache;
      std::unique_lock lock(mutex);
      ask_for_numbers(3, Number::precision);
      Number sum, left, right;
      lock.unlock();
      for (std::int64_t i = first; i < last; ++i) {
        long double row = 0;
        sum.set(0.0);
        for (std::int64_t j = 0; j < n; ++j) {
          left.set(matrix(i, j));
          right.set(x[j]);
          sum.add_product(left, right);
          row += magnitude(matrix(i, j));
        }
        sum.subtract(b[i]);
        long double r = std::fabs(sum.to_long_double());
        lock.lock();
        norm_a = larger(norm_a, row);
        residual = larger(residual, r);
        lock.unlock();
      }
    });
    if (!std::isfinite(norm_a) || !std::isfinite(residual)) return HUGE_VAL;
    return quotient(residual, norm_a * norm_x * 0x1p-105L);
  });
}

double max_relative_error_u2(std::int64_t n, const dd_real* computed, const dd_real* high, const dd_real* low) {
  return host::door("max_relative_error_u2: no memory", [&] {
    require(n >= 0, "max_relative_error_u2: n = " + std::to_string(n) + " is negative");
    if (n == 0) return 0.0;
    require(computed && high && low, std::string("max_relative_error_u2: ") +
                                         (!computed ? "computed"
                                          : !high   ? "high"
                                                    : "low") +
                                         " is null");
    double worst = 0.0;
    ThreadCache cache;
    ask_for_numbers(2, Number::precision);
    {
      Number exact, difference;
      for (std::int64_t i = 0; i < n; ++i) {
        exact.set(high[i]);
        exact.add(low[i].hi);
        exact.add(low[i].lo);
        mpfr_set(difference.get(), exact.get(), MPFR_RNDN);
        difference.subtract(computed[i]);
        long double error = std::fabs(difference.to_long_double());
        double in_units = quotient(error, 0x1p-106L * std::fabs(exact.to_long_double()));
        if (in_units > worst || in_units != in_units) worst = in_units != in_units ? HUGE_VAL : in_units;
      }
    }
    return worst;
  });
}

}  // namespace hilo::accuracy
