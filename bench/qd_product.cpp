// A product of matrices of QD's dd_real numbers, real or complex, as `hilo accuracy --reference` runs it.
//
//   qd_product dd|zdd M N K <A and B >C
//
// A, M × K, B and C are by columns, each entry hi and lo as doubles of this machine, in zdd of the real part and then
// of the imaginary one. Builds with the benchmarks where CMake finds QD, or alone:
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

template <class T>
std::vector<T> read(std::int64_t rows, std::int64_t columns, const char* name) {
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  if (std::fread(x.data(), sizeof(T), x.size(), stdin) != x.size()) fail(std::string(name) + " is cut short");
  return x;
}

template <class T>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::vector<T> a = read<T>(m, k, "A"), b = read<T>(k, n, "B");
  std::vector<T> c(static_cast<std::size_t>(m * n));
  hilo::bench::multiply(m, n, k, a.data(), b.data(), c.data());
  const bool is_written = std::fwrite(c.data(), sizeof(T), c.size(), stdout) == c.size();
  if (!is_written || std::fflush(stdout) != 0) fail("C cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("expected M, N and K behind dd or zdd");
  const std::string precision = argv[1];
  if (precision != "dd" && precision != "zdd") fail(precision + " is not known: QD has dd, and of two of them zdd");
  const std::int64_t m = std::atoll(argv[2]), n = std::atoll(argv[3]), k = std::atoll(argv[4]);
  if (m < 1 || n < 1 || k < 1) fail("M, N and K are at least 1");
  if (precision == "dd") {
    multiply<dd_real>(m, n, k);
  } else {
    multiply<hilo::bench::QdComplex>(m, n, k);
  }
}
