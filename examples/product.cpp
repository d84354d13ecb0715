// A product of two Hilbert-like matrices in double-double, and what the library says it did.
#include <hilo/gemm.hpp>
#include <hilo/text.hpp>
#include <iostream>
#include <vector>

int main() {
  constexpr std::int64_t n = 100;
  std::vector<hilo::dd_real> a(n * n), b(n * n), c(n * n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      auto at = static_cast<std::size_t>(i + n * j);
      a[at] = hilo::dd_real(1) / (i + j + 1);
      b[at] = hilo::dd_real(1) / (i + n - j);
    }
  }
  try {
    hilo::GemmReport report = hilo::ddgemm(hilo::Layout::column, hilo::Op::none, hilo::Op::transpose, n, n, n,
                                           hilo::dd_real(1), a.data(), n, b.data(), n, hilo::dd_real(0), c.data(), n);
    std::cout << report.plan << "c(0, 0) = " << c[0] << '\n';
  } catch (const hilo::error& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
