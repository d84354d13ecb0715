// Levels 1 and 2 of the BLAS in host memory, against copies there.
//
//   cpu_vector_bench [n [order [filter]]]     vectors of 4000000 elements of DD and as many bytes of others, matrices of
//                                             order 3000; lines that contain the filter, as "zdd gemv"
//
// A copy reads and writes as many bytes as the routine, together, by as many threads. Medians of rounds in which both
// take turns, of one thread by the processor's time and of all by the clock. With vectors of 20000 elements and
// matrices of order 200, which a core's own cache holds, the rates are those of arithmetic.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <hilo/blas.hpp>
#include <string>

#include "random.hpp"
#include "rounds.hpp"
#include "vector_routines.hpp"

namespace hilo::bench {
namespace {

constexpr int rounds = 9;

struct Size {
  std::int64_t bytes, order;
  std::string filter;
};

// Prints bytes a second of a routine and a copy, and their ratio.
void print(const std::string& name, double bytes, const std::function<void()>& call) {
  const auto words = static_cast<std::size_t>(bytes / 2 / sizeof(double));
  std::vector<double> from(words, 1.0), to(words);
  const auto copy_half = [&] {
    copy(VectorView<const double>{from.data(), std::ssize(from)}, VectorView<double>{to.data(), std::ssize(to)});
  };
  std::printf("%-15s", name.c_str());
  const int all = omp_get_max_threads();
  for (const int threads : {1, all}) {
    omp_set_num_threads(threads);
    const Rounds times({call, copy_half}, threads, rounds, 0.02);
    std::printf("  %3d threads: %6.2f GB/s, a copy %6.2f, ratio %4.2f", threads, bytes / times.time(0) * 1e-9,
                bytes / times.time(1) * 1e-9, times.ratio(1, 0));
    if (threads == all) break;
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Of S, D, C and Z only sums: the rest is a CBLAS's.
template <class T>
void measure(const Size& size) {
  const std::int64_t n = size.bytes / static_cast<std::int64_t>(sizeof(T));
  std::vector<T> first, second;
  VectorView<T> x, y;
  const auto restore = [&](std::int64_t elements) {
    first = random<T>(elements, 1), second = random<T>(elements, 2);
    x = {first.data(), elements}, y = {second.data(), elements};
  };
  const std::string precision(hilo::name(precision_of<T>));
  const auto run = [&](const std::string& routine, double bytes, const auto& call) {
    const std::string name = precision + " " + routine;
    if (name.find(size.filter) == std::string::npos) return;
    restore(x.size);
    print(name, bytes, [&] { call(); });
  };
  restore(n);
  if constexpr (double_double<T>) {
    for_vectors<T>(x, y, run);
    restore(size.order);
    std::vector<T> elements = near_identity<T>(size.order, 3);
    for (const Layout layout : {Layout::column, Layout::row}) {
      for_matrix<T>(layout, view(layout, Op::none, elements.data(), size.order, size.order, size.order), x, y, run);
    }
  } else {
    for_sums<T>(x, y, run);
  }
}

int run(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4000000, order = argc > 2 ? std::atoll(argv[2]) : 3000;
  if (n < 1 || order < 1) {
    std::fprintf(stderr, "cpu_vector_bench [n [order [filter]]]\n");
    return 2;
  }
  const Size size{n * static_cast<std::int64_t>(sizeof(dd_real)), order, argc > 3 ? argv[3] : ""};
  measure<dd_real>(size);
  measure<dd_complex>(size);
  measure<double>(size);
  measure<std::complex<double>>(size);
  measure<float>(size);
  measure<std::complex<float>>(size);
  return 0;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) {
  try {
    return hilo::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
