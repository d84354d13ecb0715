// Prints a hash of the bits of a set of products, one line each, after comparing them with the scalar reference.
// Run on different machines, or under an emulator of one, the output must be the same. No test framework, so that it
// cross-compiles alone (tests/neon/neon_test.sh).
#include <cstdio>
#include <cstring>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/reference.hpp"

namespace {

using namespace hilo;
using std::int64_t;

struct Random {
  std::uint64_t state;
  double uniform() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-52;
  }
  void fill(dd_real& x) {
    // One after the other: arguments of a call are evaluated in an order of the compiler's choice.
    double hi = uniform();
    x = dd_real::sum(hi, uniform() * 0x1p-53);
  }
  void fill(dd_complex& z) {
    fill(z.re);
    fill(z.im);
  }
  void fill(double& x) { x = uniform(); }
};

template <class T>
std::vector<T> matrix(int64_t count, std::uint64_t seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  Random random{seed};
  for (T& e : x) random.fill(e);
  return x;
}

template <class T>
std::uint64_t hash_of(const std::vector<T>& x) {
  std::uint64_t hash = 14695981039346656037u;
  std::vector<std::uint64_t> words(x.size() * sizeof(T) / 8);
  std::memcpy(words.data(), x.data(), x.size() * sizeof(T));
  for (std::uint64_t w : words) hash = (hash ^ w) * 1099511628211u;
  return hash;
}

template <class T>
bool report(const char* type, int64_t m, int64_t n, int64_t k, T alpha, T beta) {
  const auto a = matrix<T>(m * k, 1), b = matrix<T>(k * n, 2), c = matrix<T>(m * n, 3);
  auto av = view(Layout::column, Op::conjugate_transpose, a.data(), m, k, k);
  auto bv = view(Layout::column, Op::none, b.data(), k, n, k);
  bool all_equal = true;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    for (bool fma : {true, false}) {
      auto expected = c;
      direct::reference_gemm<T>(alpha, av, bv, beta, view(Layout::column, Op::none, expected.data(), m, n, m), accuracy,
                                fma);
      std::uint64_t hash = hash_of(expected);
      std::printf("%s %ld x %ld x %ld %s %s %016lx\n", type, static_cast<long>(m), static_cast<long>(n),
                  static_cast<long>(k), name(accuracy).data(), fma ? "fma" : "split", static_cast<unsigned long>(hash));
      for (const direct::KernelSet* set : direct::kernel_sets()) {
        auto got = c;
        gemm(Layout::column, Op::conjugate_transpose, Op::none, m, n, k, alpha, a.data(), k, b.data(), k, beta,
             got.data(), m, {.accuracy = accuracy, .fma = fma ? Fma::on : Fma::off, .target = set->target});
        if (std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) != 0) {
          std::fprintf(stderr, "%s differs from the reference\n", set->target.data());
          all_equal = false;
        }
      }
    }
  }
  return all_equal;
}

// The modular engine, whose instruction sets must agree with one another.
template <class T>
bool report_modular(const char* type, int64_t m, int64_t n, int64_t k, T alpha, T beta) {
  const auto a = matrix<T>(m * k, 4), b = matrix<T>(k * n, 5), c = matrix<T>(m * n, 6);
  bool all_equal = true;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::tight, Accuracy::normwise}) {
    std::vector<T> first;
    for (const direct::KernelSet* set : direct::kernel_sets()) {
      auto got = c;
      gemm(Layout::column, Op::conjugate_transpose, Op::none, m, n, k, alpha, a.data(), k, b.data(), k, beta,
           got.data(), m, {.engine = Engine::modular, .accuracy = accuracy, .target = set->target});
      if (first.empty()) first = got;
      all_equal &= std::memcmp(got.data(), first.data(), got.size() * sizeof(T)) == 0;
    }
    std::printf("%s %ld x %ld x %ld modular %s %016lx\n", type, static_cast<long>(m), static_cast<long>(n),
                static_cast<long>(k), name(accuracy).data(), static_cast<unsigned long>(hash_of(first)));
  }
  return all_equal;
}

}  // namespace

int main() {
  for (const direct::KernelSet* set : direct::kernel_sets()) std::fprintf(stderr, "%s\n", set->target.data());
  bool equal = true;
  const int64_t sizes[][3] = {{1, 1, 1}, {7, 5, 63}, {33, 21, 130}, {5, 3, 4200}};
  for (const auto& [m, n, k] : sizes) {
    equal &= report("dd", m, n, k, dd_real(2) / 3, dd_real(-5) / 7);
    equal &= report("zdd", m, n, k, dd_complex(dd_real(2) / 3, 1), dd_complex(dd_real(1) / 7, dd_real(1) / 9));
    equal &= report_modular("dd", m, n, k, dd_real(2) / 3, dd_real(-5) / 7);
    equal &= report_modular("zdd", m, n, k, dd_complex(dd_real(2) / 3, 1), dd_complex(dd_real(1) / 7, dd_real(1) / 9));
    equal &= report_modular("d", m, n, k, 1.25, -0.75);
  }
  return equal ? 0 : 1;
}
