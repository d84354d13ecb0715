// The library's bits under every rounding mode, and with subnormal numbers flushed to zero: those of the default, and
// the caller's mode as it was afterwards.
#include "host/floating_point.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <map>

#include "cpu_calls.hpp"
#include "rounding_modes.hpp"

namespace hilo::test {
namespace {

using testing::rounding_modes;
using testing::RoundingMode;

// Flush to zero and, where it is apart from that, denormals are zeros.
#if defined(__x86_64__)
constexpr unsigned flush_bits = 0x8040;
void set_flush(bool on) { _mm_setcsr((_mm_getcsr() & ~flush_bits) | (on ? flush_bits : 0)); }
bool flushes() { return (_mm_getcsr() & flush_bits) == flush_bits; }
#else
void set_flush(bool on) {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  fpcr = on ? fpcr | 1u << 24 : fpcr & ~std::uint64_t{1u << 24};
  asm volatile("msr fpcr, %0" : : "r"(fpcr));
}
bool flushes() {
  std::uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr >> 24 & 1;
}
#endif

class Mode {
 public:
  Mode(int rounding, bool flush) {
    std::fesetround(rounding);
    set_flush(flush);
  }
  ~Mode() {
    set_flush(false);
    std::fesetround(FE_TONEAREST);
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

// Not evaluated in advance.
double sum(double x, double y) {
  volatile double first = x, second = y;
  return first + second;
}

TEST(FloatingPointTest, IsNearestWithinAndTheCallersAfterwards) {
  for (const auto& [rounding, name] : rounding_modes) {
    for (bool flush : {false, true}) {
      Mode mode(rounding, flush);
      {
        host::IeeeArithmetic arithmetic;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
        EXPECT_FALSE(flushes());
        EXPECT_EQ(sum(1.0, 0x1p-60), 1.0);
        EXPECT_EQ(sum(-1.0, -0x1p-60), -1.0);
        EXPECT_GT(sum(0x1p-1022, -0x1.8p-1022), -0x1p-1022);
        EXPECT_NE(sum(0x1p-1022, -0x1.8p-1022), 0.0);
        host::IeeeArithmetic again;
      }
      EXPECT_EQ(std::fegetround(), rounding);
      EXPECT_EQ(flushes(), flush);
      EXPECT_EQ(sum(1.0, 0x1p-60) > 1.0, rounding == FE_UPWARD);
    }
  }
}

TEST(FloatingPointTest, KeepsExceptionFlags) {
  Mode mode(FE_UPWARD, false);
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    host::IeeeArithmetic arithmetic;
    std::feraiseexcept(FE_DIVBYZERO);
  }
  EXPECT_TRUE(std::fetestexcept(FE_DIVBYZERO));
  std::feclearexcept(FE_ALL_EXCEPT);
}

// OpenMP's threads keep the mode in which they are when a region of the library's begins.
void set_modes_of_team(int threads, int rounding, bool flush) {
#pragma omp parallel num_threads(threads)
  {
    std::fesetround(rounding);
    set_flush(flush);
  }
}

int threads_with_modes(int threads, int rounding, bool flush) {
  int count = 0;
#pragma omp parallel num_threads(threads) reduction(+ : count)
  count += std::fegetround() == rounding && flushes() == flush;
  return count;
}

TEST(FloatingPointTest, CallsHaveTheBitsOfTheDefaultMode) {
  constexpr int team = 3;
  const std::vector<CpuCall> calls = cpu_calls();
  // A BLAS library's bits depend on the number of threads.
  std::map<std::pair<std::string, int>, std::string> expected;
  for (const CpuCall& call : calls) {
    for (int threads : {1, team}) {
      call.reset();
      call.run(threads);
      expected[{call.name, threads}] = call.results();
    }
  }
  for (const auto& [rounding, name] : rounding_modes) {
    for (bool flush : {false, true}) {
      for (int threads : {1, team}) {
        for (const CpuCall& call : calls) {
          call.reset();
          set_modes_of_team(team, rounding, flush);
          call.run(threads);
          const int found = std::fegetround();
          const bool found_flush = flushes();
          const int kept = threads_with_modes(team, rounding, flush);
          set_modes_of_team(team, FE_TONEAREST, false);
          EXPECT_TRUE(call.results() == (expected[{call.name, threads}]))
              << call.name << ", " << threads << " threads, rounding " << name << ", flush " << flush;
          EXPECT_EQ(found, rounding) << call.name;
          EXPECT_EQ(found_flush, flush) << call.name;
          EXPECT_EQ(kept, team) << call.name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo::test
