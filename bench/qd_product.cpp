// A product of matrices of QD's dd_real numbers, as `hilo accuracy --reference` runs it.
//
//   qd_product dd M N K <A and B >C
//
// A, M × K, B and C are by columns, each entry hi and lo as doubles of this machine. Builds with the benchmarks where
// CMake finds QD, or alone:
//   g++ -O3 -ffp-contract=off -std=c++20 -o qd_product bench/qd_product.cpp -lqd
// QD's products are wrong where the compiler contracts them.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "qd_matrix.hpp"

namespace {

[[noreturn]] void fail(const std::string& reason) {
  std::fprintf(stderr, "qd_product: %s\n", reason.c_str());
  std::exit(2);
}

hilo::bench::QdMatrix read(std::int64_t rows, std::int64_t columns, const char* name) {
  hilo::bench::QdMatrix x(static_cast<std::size_t>(rows * columns));
  if (std::fread(x.data(), sizeof(dd_real), x.size(), stdin) != x.size()) fail(std::string(name) + " is cut short");
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("expected dd M N K");
  if (argv[1] != std::string("dd")) fail(argv[1] + std::string(" is not known: QD has dd"));
  const std::int64_t m = std::atoll(argv[2]), n = std::atoll(argv[3]), k = std::atoll(argv[4]);
  if (m < 1 || n < 1 || k < 1) fail("M, N and K are at least 1");
  const hilo::bench::QdMatrix a = read(m, k, "A"), b = read(k, n, "B");
  hilo::bench::QdMatrix c(static_cast<std::size_t>(m * n));
  hilo::bench::multiply(m, n, k, a.data(), b.data(), c.data());
  const bool is_written = std::fwrite(c.data(), sizeof(dd_real), c.size(), stdout) == c.size();
  if (!is_written || std::fflush(stdout) != 0) fail("C cannot be written");
}
