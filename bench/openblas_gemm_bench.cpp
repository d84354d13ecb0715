// SGEMM, DGEMM, CGEMM and ZGEMM by OpenBLAS, as `hilo bench --reference` runs them.
//
//   openblas_gemm_bench [--precision s|d|c|z] [--opa n|t|c] [--opb n|t|c] N [REPEATS]     d unless given
//
// Builds with the other benchmarks where CMake finds OpenBLAS, or alone:
//   g++ -O2 -std=c++20 -o openblas_gemm_bench bench/openblas_gemm_bench.cpp -lopenblas
// OPENBLAS_NUM_THREADS says how many threads.
#include <cblas.h>

#include "reference_program.hpp"

namespace {

using hilo::bench::ReferenceRequest;

CBLAS_TRANSPOSE letter(char op) { return op == 'n' ? CblasNoTrans : op == 't' ? CblasTrans : CblasConjTrans; }

#define MULTIPLY(type, function, one, zero)                                                      \
  void multiply(const ReferenceRequest& r, const type* a, const type* b, type* c) {              \
    const auto n = static_cast<blasint>(r.n);                                                    \
    function(CblasColMajor, letter(r.opa), letter(r.opb), n, n, n, one, a, n, b, n, zero, c, n); \
  }
const std::complex<float> one_c = 1, zero_c = 0;
const std::complex<double> one_z = 1, zero_z = 0;
MULTIPLY(float, cblas_sgemm, 1.0f, 0.0f)
MULTIPLY(double, cblas_dgemm, 1.0, 0.0)
MULTIPLY(std::complex<float>, cblas_cgemm, &one_c, &zero_c)
MULTIPLY(std::complex<double>, cblas_zgemm, &one_z, &zero_z)
#undef MULTIPLY

template <class T>
std::complex<long double> entry(const ReferenceRequest& r, const std::vector<T>& x, char op, std::int64_t i,
                                std::int64_t j) {
  const std::complex<long double> e(x[static_cast<std::size_t>(op == 'n' ? i + j * r.n : j + i * r.n)]);
  return op == 'c' ? std::conj(e) : e;
}

template <class T, class Word>
void run(const ReferenceRequest& r, char routine) {
  constexpr bool is_complex = sizeof(T) > sizeof(Word);
  std::vector<T> a(static_cast<std::size_t>(r.n * r.n)), b(a.size()), c(a.size());
  hilo::bench::Uniform uniform(1);
  for (std::vector<T>* x : {&a, &b}) {
    for (T& e : *x) {
      for (std::size_t part = 0; part < sizeof(T) / sizeof(Word); ++part) {
        reinterpret_cast<Word*>(&e)[part] = static_cast<Word>(uniform());
      }
    }
  }
  const double seconds = hilo::bench::median_seconds(r, [&] { multiply(r, a.data(), b.data(), c.data()); });
  check_product(
      r, [&](auto i, auto k) { return entry(r, a, r.opa, i, k); },
      [&](auto k, auto j) { return entry(r, b, r.opb, k, j); }, [&](auto i, auto j) { return entry(r, c, 'n', i, j); },
      std::numeric_limits<Word>::epsilon());
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 …"
  std::string name = config.substr(0, config.find(' ', config.find(' ') + 1)) + ' ' + routine + "GEMM ";
  for (char op : {r.opa, r.opb}) name += static_cast<char>(op - 'a' + 'A');
  hilo::bench::print_reference(r, name + ", threads " + std::to_string(openblas_get_num_threads()), is_complex,
                               seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const ReferenceRequest r =
      hilo::bench::read_reference_request(argc, argv, "openblas_gemm_bench", " s d c z ", "d", true);
  switch (r.precision[0]) {
    case 's':
      run<float, float>(r, 'S');
      break;
    case 'd':
      run<double, double>(r, 'D');
      break;
    case 'c':
      run<std::complex<float>, float>(r, 'C');
      break;
    default:
      run<std::complex<double>, double>(r, 'Z');
  }
}
