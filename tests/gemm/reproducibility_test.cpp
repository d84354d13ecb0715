// The contract on bits: a fixed set of products has the same checksums on every machine, by either engine.
// HILO_PRINT_CHECKSUMS=1 prints the table of them.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "contracts.hpp"

namespace hilo::test {
namespace {

// In the same order; what HILO_PRINT_CHECKSUMS=1 prints.
constexpr std::uint64_t checksums[] = {
    0xe3c64fa257200f8c,  // dd, direct classic, FMA
    0x4af597c1c2688b8d,  // dd, direct classic, no FMA
    0x3307a7a7dfdbbbb3,  // dd, direct fast, FMA
    0xca34ebc56c09299b,  // dd, direct fast, no FMA
    0x727b5f7fa7f58eaa,  // zdd, direct classic, FMA
    0x8c34771714067189,  // zdd, direct classic, no FMA
    0xe7682ee85d8d36d6,  // zdd, direct fast, FMA
    0x44589b0c1bff9669,  // zdd, direct fast, no FMA
    0xd4a53be702935ce8,  // dd, modular classic
    0xbc37cc1ce7205a78,  // dd, modular fast
    0x6413ecba27bf674a,  // dd, modular tight
    0x2e0c6adc5f5eb1ad,  // dd, modular normwise
    0x596b3c09bce7ac7d,  // dd, modular bits
    0x3696cd6c0cb322d4,  // dd, modular exact
    0xbc5258fcf3f70003,  // zdd, modular classic
    0x218baf479454539d,  // zdd, modular fast
    0x2bd755e692854759,  // zdd, modular tight
    0x8290ae426b9dc1fb,  // zdd, modular normwise
    0x84d1a805a92ba3e4,  // zdd, modular bits
    0xaa62edcdb23e8138,  // zdd, modular exact
    0xfaa62c8c5a7b2544,  // d, modular classic
    0xae37697406fc1c0a,  // d, modular fast
    0x19d1e72fc6ea01ef,  // d, modular tight
    0x94b6eed5b25cdd92,  // d, modular normwise
    0xf6fe2eeecb98231a,  // d, modular bits
    0xa762e63bfa376700,  // d, modular exact
    0xb2ad405cb3174253,  // z, modular classic
    0xee1f5de18c55ad77,  // z, modular fast
    0xa4497cda36fbfb46,  // z, modular tight
    0x640c383ca0792a76,  // z, modular normwise
    0xa8ced39e8b530c0e,  // z, modular bits
    0xbd5b2cafaa6449e0,  // z, modular exact
};
static_assert(std::size(checksums) == std::size(contracts));

template <class T>
std::uint64_t checksum(const GemmOptions& options) {
  Checksum sum;
  if (options.accuracy == Accuracy::exact) {
    sum.add(generated<T>(uniform_kind, 9, 8, 33, 21).multiply(options));
    sum.add(generated<T>(range_kind(1), 12, 7, 100, 22).multiply(options));
    return sum.value();
  }
  std::vector<Problem<T>> problems = {generated<T>(uniform_kind, 7, 5, 63, 21),
                                      generated<T>(range_kind(2), 33, 21, 130, 22),
                                      generated<T>(range_kind(4), 20, 24, 64, 23),
                                      generated<T>(kinds[8], 5, 3, 4200, 24), generated<T>(kinds[7], 1, 9, 33, 25)};
  if (options.accuracy != Accuracy::tight) {
    problems.push_back(balanced_problem<T>(18, 17, 45, 26));
    problems.push_back(guarded_problem<T>(64, 66, 40, 27));
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i % 2) set_scalars(problems[i]);
    GemmReport report;
    sum.add(problems[i].multiply(options, &report));
    EXPECT_EQ(is_modular(report), options.engine == Engine::modular);
  }
  return sum.value();
}

std::uint64_t checksum(const Contract& x) {
  return for_precision(x.precision, [&]<class T>() { return checksum<T>(x.options); });
}

TEST(ReproducibilityContract, BitsAreTheSameOnEveryMachine) {
  bool print = std::getenv("HILO_PRINT_CHECKSUMS") != nullptr;
  for (std::size_t i = 0; i < std::size(contracts); ++i) {
    const Contract& x = contracts[i];
    std::uint64_t found = checksum(x);
    if (print) {
      std::printf("    0x%016llx,  // %s, %s\n", static_cast<unsigned long long>(found), name(x.precision).data(),
                  x.name);
    } else {
      EXPECT_EQ(found, checksums[i]) << name(x.precision) << ", " << x.name;
    }
  }
}

}  // namespace
}  // namespace hilo::test
