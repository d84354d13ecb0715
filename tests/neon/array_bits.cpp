// Prints a hash of the bits of each operation on arrays and packs, after comparing every kernel with the scalars. As
// gemm_bits.cpp: the output must be the same on every machine.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <hilo/array.hpp>
#include <hilo/math.hpp>
#include <hilo/pack.hpp>
#include <vector>

#include "dd/kernels.hpp"
#include "dd/reduction.hpp"

namespace {

using namespace hilo;
using std::int64_t;
using Numbers = std::vector<dd_real>;

// Most numbers near 1, some anywhere, some special.
Numbers numbers(int64_t n, std::uint64_t seed) {
  auto word = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(seed) >> 11) * 0x1p-52;
  };
  const double special[] = {0.0,      -0.0,      0x1.fffffffffffffp1023, 0x1p-1074,
                            HUGE_VAL, -HUGE_VAL, HUGE_VAL - HUGE_VAL,    1e5};
  Numbers x(static_cast<std::size_t>(n));
  for (dd_real& e : x) {
    double hi = word();
    e = dd_real::sum(hi, word() * 0x1p-53);
    int kind = static_cast<int>(seed >> 40 & 31);
    if (kind == 0) e = special[seed >> 50 & 7];
    if (kind == 1) e = ldexp(e, static_cast<int>(seed >> 50 & 2047) - 1024);
  }
  return x;
}

std::uint64_t bits(double a) { return a == a ? std::bit_cast<std::uint64_t>(a) : 0x7ff8000000000000u; }
bool same(dd_real x, dd_real y) { return bits(x.hi) == bits(y.hi) && bits(x.lo) == bits(y.lo); }

const int64_t n = 4099;
const Numbers x = numbers(n, 1), y = numbers(n, 2);
bool all_equal = true;

void compare(const char* name, const char* by, const Numbers& got, const Numbers& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (same(got[i], expected[i])) continue;
    std::fprintf(stderr, "%s by %s differs from the scalar at %zu\n", name, by, i);
    all_equal = false;
    return;
  }
}

void print(const char* name, const Numbers& values) {
  std::uint64_t hash = 14695981039346656037u;
  for (dd_real e : values) hash = ((hash ^ bits(e.hi)) * 1099511628211u ^ bits(e.lo)) * 1099511628211u;
  std::printf("%-8s %016llx\n", name, static_cast<unsigned long long>(hash));
}

// `operation` on a number, on packs, and by a kernel.
template <class Operation, class Kernel>
void report(const char* name, Operation operation, Kernel kernel) {
  Numbers expected(x.size()), got(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = operation(x[i], y[i]);
  print(name, expected);
  using Pack = dd_pack<4>;
  for (std::size_t i = 0; i < x.size(); i += 4) {
    std::size_t left = x.size() - i;
    operation(Pack::load(&x[i], left), Pack::load(&y[i], left)).store(&got[i], left);
  }
  compare(name, "packs", got, expected);
  for (const array::KernelSet* set : array::kernel_sets()) {
    kernel(*set, got.data());
    compare(name, set->target.data(), got, expected);
  }
}

template <class Terms, class Kernel>
void report_sum(const char* name, Terms terms, Kernel kernel) {
  Numbers sums;
  for (int64_t size : {1, 63, 64, 65, 4000}) sums.push_back(array::reference_sum(size, terms));
  print(name, sums);
  for (const array::KernelSet* set : array::kernel_sets()) {
    Numbers got;
    for (int64_t size : {1, 63, 64, 65, 4000}) got.push_back(kernel(*set, size));
    compare(name, set->target.data(), got, sums);
  }
}

#define HILO_BINARY(name, op)                     \
  report(                                         \
      #op, [](auto a, auto b) { return a op b; }, \
      [](const array::KernelSet& set, dd_real* out) { set.name(n, x.data(), y.data(), out); })
#define HILO_UNARY(name, f)                  \
  report(                                    \
      #f, [](auto a, auto) { return f(a); }, \
      [](const array::KernelSet& set, dd_real* out) { set.name(n, x.data(), out); })

}  // namespace

int main() {
  for (const array::KernelSet* set : array::kernel_sets()) std::fprintf(stderr, "%s\n", set->target.data());
  HILO_BINARY(add, +);
  HILO_BINARY(subtract, -);
  HILO_BINARY(multiply, *);
  HILO_BINARY(divide, /);
  HILO_UNARY(square_root, sqrt);
  HILO_UNARY(exponential, exp);
  HILO_UNARY(logarithm, log);
  HILO_UNARY(sine, sin);
  HILO_UNARY(cosine, cos);
  // Finite terms: what is not finite is added up by the callers of kernels.
  Numbers a, b;
  for (std::size_t i = 0; i < x.size(); ++i) {
    bool is_moderate = std::fabs(x[i].hi) < 1e6 && std::fabs(y[i].hi) < 1e6;
    a.push_back(is_moderate ? x[i] : dd_real(1));
    b.push_back(is_moderate ? y[i] : dd_real(1));
  }
  report_sum("dot", array::ScalarDotTerms{a.data(), b.data()},
             [&](const array::KernelSet& set, int64_t size) { return set.dot(size, a.data(), b.data()); });
  report_sum("sum", array::ScalarSumTerms{a.data()},
             [&](const array::KernelSet& set, int64_t size) { return set.sum(size, a.data()); });
  return all_equal ? 0 : 1;
}
