// Products of another library on the CPU, timed and printed as `hilo bench --reference` takes them. Without hilo, so
// that each program compiles alone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace hilo::bench {

/// program [--precision WORD] [--opa n|t|c] [--opb n|t|c] N [REPEATS]
struct ReferenceRequest {
  std::string program, precision;
  char opa = 'n', opb = 'n';
  std::int64_t n = 0;
  int repeats = 5;

  [[noreturn]] void fail(const std::string& reason) const {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), reason.c_str());
    std::exit(2);
  }
};

/// `precisions` are words with spaces around each, " s d c z ", of which the request has `precision` where none is
/// given; `has_transposes` says whether --opa and --opb are taken. Ends the program where something is wrong.
inline ReferenceRequest read_reference_request(int argc, char** argv, const char* program,
                                               const std::string& precisions, const std::string& precision,
                                               bool has_transposes) {
  ReferenceRequest r{program, precision};
  std::vector<std::string> numbers;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.size() < 2 || word[0] != '-') {
      numbers.push_back(word);
      continue;
    }
    if (++i == argc) r.fail(word + " has no value");
    const std::string value = argv[i];
    if (word == "--precision" && precisions.find(' ' + value + ' ') != precisions.npos) {
      r.precision = value;
    } else if (has_transposes && (word == "--opa" || word == "--opb") && value.size() == 1 &&
               std::strchr("ntc", value[0])) {
      (word == "--opa" ? r.opa : r.opb) = value[0];
    } else {
      r.fail(word + " " + value + " is not known; --precision is one of" + precisions);
    }
  }
  if (numbers.empty() || numbers.size() > 2) r.fail("expected N, or N and REPEATS");
  r.n = std::atoll(numbers[0].c_str());
  if (numbers.size() == 2) r.repeats = std::atoi(numbers[1].c_str());
  if (r.n < 1 || r.repeats < 1) r.fail("N and REPEATS are at least 1");
  return r;
}

/// The model by the system, or "CPU".
inline std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

/// Words uniform in (-1, 1).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) * 0x1p-52;
  }

 private:
  std::uint64_t state_;
};

/// The median of the seconds that `work` takes in as many runs as asked for, or more: as many as fill 0.3 s, after one
/// to warm up.
template <class Work>
double median_seconds(const ReferenceRequest& r, Work work) {
  constexpr double least = 0.3;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  work();
  std::vector<double> seconds;
  const Clock::time_point begin = Clock::now();
  while (seconds.size() < static_cast<std::size_t>(r.repeats) || since(begin) < least) {
    const Clock::time_point start = Clock::now();
    work();
    seconds.push_back(since(start));
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t half = seconds.size() / 2;
  return seconds.size() % 2 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
}

/// Ends the program where an entry is not the sum of products that it should be. `of_a(i, k)`, `of_b(k, j)` and
/// `of_c(i, j)` are the entries as std::complex<long double>, `epsilon` that of the precision or of long double.
template <class A, class B, class C>
void check_product(const ReferenceRequest& r, A of_a, B of_b, C of_c, double epsilon) {
  for (std::int64_t i : {std::int64_t{0}, r.n / 2, r.n - 1}) {
    const std::int64_t j = r.n - 1 - i / 2;
    std::complex<long double> sum = 0;
    long double magnitudes = 0;
    for (std::int64_t k = 0; k < r.n; ++k) {
      const std::complex<long double> term = of_a(i, k) * of_b(k, j);
      sum += term;
      magnitudes += std::abs(term);
    }
    const long double most = 4.0L * static_cast<long double>(r.n) * epsilon * magnitudes;
    if (!(std::abs(of_c(i, j) - sum) <= most)) {
      r.fail("entry (" + std::to_string(i) + ", " + std::to_string(j) + ") of the product is wrong");
    }
  }
}

/// One JSON object; `name` is the library with the routine, `seconds` those of a product of n × n matrices.
inline void print_reference(const ReferenceRequest& r, const std::string& name, bool is_complex, double seconds) {
  const double n = static_cast<double>(r.n), gflops = (is_complex ? 8e-9 : 2e-9) * n * n * n / seconds;
  std::printf("{\"name\": \"%s\", \"device\": \"%s\", \"n\": %lld, \"gflops_kernel\": %.6g, \"gflops_total\": %.6g}\n",
              name.c_str(), cpu_model().c_str(), static_cast<long long>(r.n), gflops, gflops);
}

}  // namespace hilo::bench
