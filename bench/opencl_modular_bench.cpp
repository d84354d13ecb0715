// The modular engine on an OpenCL device, step by step, with operands that stay on the device.
//
//   opencl_modular_bench [--platform P --device D] [--n N,N,…] [--phi PHI,PHI,…] [--precision d|z|dd|zdd] [--repeats R]
//   [--transa --transb] [--update] [--workspace BYTES] [--levels L,L,…] [--prepared none|a|b|both,…] [--steps]
//   [--warm-up SECONDS] [--constant]
//
// For each size (N or MxNxK) and spread of exponents, entries (rand − ½)·exp(PHI·normal): GFlop/s by event times from
// the first command to the last (the host's wait for the first look included), median and best; sampled entries are
// compared with the sum in __float128. --update computes C = C − AB, as factorisations do. --levels takes levels
// of Strassen's algorithm, one after the other, and says whether C has the bits of the first; otherwise the plan
// chooses. --prepared does the same with operands that are prepared (hilo/prepared.hpp), and says what they keep of the
// device's memory. --steps adds what each kernel took in the median run. --warm-up multiplies for so long before times
// count, not once only: a card that was idle takes some 20 ms to raise its clock, and one that is busy for some 0.1 s
// lowers it to what its power limit allows. --constant has ones for entries, whose products take so little power that
// the device keeps its clock: what kernels wait for shows. With $HILO_KERNEL_PATH, parts of a kernel can be left out
// beside it, where self-tests, which have few terms, do not see it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <hilo/prepared.hpp>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "errors.hpp"
#include "gemm/modular/moduli.hpp"
#include "opencl/native.hpp"
#include "random.hpp"

namespace {

using namespace hilo;

struct Size {
  std::int64_t m, n, k;
};

struct Settings {
  std::optional<int> platform, device;
  std::vector<Size> sizes = {{1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192}};
  std::vector<double> phi = {0.0, 1.0};
  std::string precision = "dd";
  int repeats = 5;
  double warm_up = 0.0;  // seconds
  std::vector<int> levels = {-1};
  std::vector<std::string> prepared = {"none"};
  std::int64_t workspace = 0;
  bool transposes_a = false, transposes_b = false, updates = false, has_steps = false, is_constant = false;
};

// N or MxNxK.
Size size_of(const std::string& text) {
  std::vector<std::int64_t> sides;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, 'x');) {
    std::int64_t side = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), side);
    if (failure != std::errc() || end != word.data() + word.size() || side < 1 || side > 1 << 20) {
      throw CLI::ValidationError("--n", "a side of " + text + " is not between 1 and 1048576");
    }
    sides.push_back(side);
  }
  if (sides.size() == 1) return {sides[0], sides[0], sides[0]};
  if (sides.size() != 3) throw CLI::ValidationError("--n", text + " is neither N nor MxNxK");
  return {sides[0], sides[1], sides[2]};
}

void parse(CLI::App& app, Settings& s, int argc, char** argv) {
  std::vector<std::string> sizes;
  app.add_option("--platform", s.platform)->check(CLI::NonNegativeNumber);
  app.add_option("--device", s.device)->check(CLI::NonNegativeNumber);
  app.add_option("--n", sizes)->delimiter(',');
  app.add_option("--phi", s.phi)->delimiter(',')->check(CLI::NonNegativeNumber);
  app.add_option("--precision", s.precision)->check(CLI::IsMember({"d", "z", "dd", "zdd"}));
  app.add_option("--repeats", s.repeats)->check(CLI::Range(1, 1 << 20));
  app.add_flag("--transa", s.transposes_a);
  app.add_flag("--transb", s.transposes_b);
  app.add_flag("--update", s.updates);
  app.add_option("--workspace", s.workspace)->check(CLI::NonNegativeNumber);
  app.add_option("--levels", s.levels)->delimiter(',')->check(CLI::Range(-1, 2));
  app.add_option("--prepared", s.prepared)->delimiter(',')->check(CLI::IsMember({"none", "a", "b", "both"}));
  app.add_flag("--steps", s.has_steps);
  app.add_option("--warm-up", s.warm_up)->check(CLI::NonNegativeNumber);
  app.add_flag("--constant", s.is_constant);
  app.parse(argc, argv);
  if (sizes.empty()) return;
  s.sizes.clear();
  for (const std::string& size : sizes) s.sizes.push_back(size_of(size));
}

using Random = hilo::bench::SplitMix64;

double word(Random& engine, double phi) {
  const double uniform = static_cast<double>(engine() >> 11) * 0x1p-53 - 0.5;
  return phi == 0.0 ? uniform : uniform * std::exp(phi * std::normal_distribution<double>()(engine));
}

template <class T>
T number(Random& engine, double phi) {
  if constexpr (std::same_as<T, double>) {
    return word(engine, phi);
  } else if constexpr (std::same_as<T, dd_real>) {
    double hi = word(engine, phi);
    return dd_real::sum(hi, hi * 0x1p-53 * word(engine, 0.0));
  } else {
    using Part = std::conditional_t<std::same_as<T, dd_complex>, dd_real, double>;
    Part re = number<Part>(engine, phi);
    return {re, number<Part>(engine, phi)};
  }
}

// All columns differ, by threads of their own.
template <class T>
std::vector<T> matrix(std::int64_t count, double phi, unsigned seed) {
  std::vector<T> x(static_cast<std::size_t>(count));
  const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      Random engine((seed * 1000 + t) * 0x9E3779B97F4A7C15);
      const std::size_t first = x.size() * t / threads, last = x.size() * (t + 1) / threads;
      for (std::size_t i = first; i < last; ++i) x[i] = number<T>(engine, phi);
    });
  }
  for (std::thread& t : team) t.join();
  return x;
}

__float128 value(double x) { return x; }
__float128 value(const dd_real& x) { return static_cast<__float128>(x.hi) + x.lo; }
template <class T>
auto real_part(const T& x) {
  if constexpr (std::same_as<T, double> || std::same_as<T, dd_real>) {
    return value(x);
  } else if constexpr (std::same_as<T, dd_complex>) {
    return value(x.re);
  } else {
    return value(x.real());
  }
}
template <class T>
__float128 imaginary_part(const T& x) {
  if constexpr (std::same_as<T, double> || std::same_as<T, dd_real>) {
    return 0;
  } else if constexpr (std::same_as<T, dd_complex>) {
    return value(x.im);
  } else {
    return value(x.imag());
  }
}

template <class T>
class Bench {
 public:
  explicit Bench(const Settings& s)
      : s_(s),
        context_(s.platform || s.device ? Context(s.platform.value_or(0), s.device.value_or(0)) : Context()),
        queue_(context_, Profiling::on) {}

  int run() {
    const DeviceInfo& d = context_.device();
    std::printf("device %s, driver %s, %s\n", d.name.c_str(), d.driver.c_str(), s_.precision.c_str());
    std::printf("%20s %5s %8s %4s %6s %5s %9s %9s %9s %10s  %s\n", "m x n x k", "phi", "moduli", "bits", "levels",
                "esc", "direct", "median ms", "best ms", "GFlop/s", "error, units of |A||B|");
    bool is_right = true;
    for (const Size& size : s_.sizes) {
      for (double phi : s_.phi) is_right = measure(size, phi) && is_right;
    }
    return is_right ? 0 : 1;
  }

 private:
  static constexpr bool is_complex = !std::same_as<T, double> && !std::same_as<T, dd_real>;

  bool measure(const Size& size, double phi) {
    const auto [m, n, k] = size;
    std::vector<T> a = matrix<T>(m * k, phi, 1), b = matrix<T>(k * n, phi, 2), c(static_cast<std::size_t>(m * n));
    if (s_.is_constant) {
      std::fill(a.begin(), a.end(), T(1));
      std::fill(b.begin(), b.end(), T(1));
    }
    Buffer<T> da(context_, m * k), db(context_, k * n), dc(context_, m * n);
    da.write(queue_, a.data(), 0, m * k);
    db.write(queue_, b.data(), 0, k * n);
    bool is_right = true;
    std::vector<T> first, before;
    if (s_.updates) before = matrix<T>(m * n, phi, 3);
    for (int levels : s_.levels) {
      for (const std::string& prepared : s_.prepared) {
        is_right = measure(size, phi, levels, prepared, a, b, before, c, da, db, dc) && is_right;
        if (s_.levels.size() * s_.prepared.size() == 1) continue;
        if (first.empty()) first = c;
        const bool is_same = std::memcmp(first.data(), c.data(), sizeof(T) * c.size()) == 0;
        std::printf("%28s %s\n", "", is_same ? "the same bits" : "OTHER BITS");
        is_right = is_right && is_same;
      }
    }
    return is_right;
  }

  bool measure(const Size& size, double phi, int levels, const std::string& prepared, const std::vector<T>& a,
               const std::vector<T>& b, const std::vector<T>& before, std::vector<T>& c, const Buffer<T>& da,
               const Buffer<T>& db, Buffer<T>& dc) {
    const auto [m, n, k] = size;
    const Op opa = s_.transposes_a ? Op::transpose : Op::none, opb = s_.transposes_b ? Op::transpose : Op::none;
    const std::int64_t lda = s_.transposes_a ? k : m, ldb = s_.transposes_b ? n : k;
    const BufferView<T> va = view(Layout::column, opa, da, m, k, lda), vb = view(Layout::column, opb, db, k, n, ldb),
                        vc = view(Layout::column, Op::none, dc, m, n, m);
    const PreparedMatrix<T> pa = prepare(queue_, va), pb = prepare(queue_, vb);
    const T alpha(s_.updates ? -1 : 1), beta(s_.updates ? 1 : 0);
    const GemmOptions options{.engine = Engine::modular, .workspace_bytes = s_.workspace, .levels = levels};
    const auto multiply = [&] {
      if (prepared == "a") return gemm(queue_, alpha, pa, vb, beta, vc, {}, options);
      if (prepared == "b") return gemm(queue_, alpha, va, pb, beta, vc, {}, options);
      if (prepared == "both") return gemm(queue_, alpha, pa, pb, beta, vc, {}, options);
      return gemm(queue_, alpha, va, vb, beta, vc, {}, options);
    };
    GemmReport report{};
    opencl::Trace trace;
    struct Sample {
      double seconds;
      std::vector<opencl::Trace::Launch> launches;
    };
    std::vector<Sample> samples;
    const std::vector<T> unknown(s_.updates ? 0 : c.size(), T(std::numeric_limits<double>::quiet_NaN()));
    if (s_.updates) dc.write(queue_, before.data(), 0, m * n);
    const auto start = std::chrono::steady_clock::now();
    do multiply().seconds();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < s_.warm_up);
    for (int r = 1; r <= s_.repeats; ++r) {
      trace.launches.clear();
      // Nothing of a product before is left; what comes between only has to be finite.
      if (r == s_.repeats) dc.write(queue_, s_.updates ? before.data() : unknown.data(), 0, m * n);
      if (s_.has_steps) queue_.state()->trace = &trace;
      const GemmEvent event = multiply();
      report = event.report;
      queue_.state()->trace = nullptr;
      const double seconds = event.seconds();
      samples.push_back({seconds, trace.launches});
    }
    dc.read(queue_, c.data(), 0, m * n);
    std::sort(samples.begin(), samples.end(), [](const Sample& x, const Sample& y) { return x.seconds < y.seconds; });
    const Sample& median = samples[samples.size() / 2];
    double error = 0.0;
    std::mt19937_64 engine(7);
    for (int t = 0; t < 12; ++t) {
      auto i = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(m));
      auto j = static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n));
      error = hilo::bench::worse(error, error_of(size, a, lda, b, ldb, before, c, i, j));
    }
    const double flops =
        (is_complex ? 8.0 : 2.0) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const GemmPlan& p = report.plan;
    std::string shape = std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
    std::printf("%20s %5.1f %8d %4d %6d %5d %9lld %9.3f %9.3f %10.0f  %.3f of %.0f\n", shape.c_str(), phi, p.moduli,
                p.bits, p.levels, p.esc, static_cast<long long>(report.entries_direct), 1e3 * median.seconds,
                1e3 * samples[0].seconds, 1e-9 * flops / median.seconds, error, p.error_bound_u2);
    if (prepared != "none") {
      std::printf("%28s prepared: %s, %.3f GB\n", "", prepared.c_str(),
                  1e-9 * static_cast<double>(pa.bytes() + pb.bytes()));
    }
    if (s_.has_steps) print_steps(size, p, median.seconds, median.launches);
    std::fflush(stdout);
    return error <= p.error_bound_u2;
  }

  static double seconds(const cl::Event& e) {
    return 1e-9 * static_cast<double>(e.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                      e.getProfilingInfo<CL_PROFILING_COMMAND_START>());
  }

  void print_steps(const Size& size, const GemmPlan& plan, double all,
                   const std::vector<opencl::Trace::Launch>& launches) const {
    std::vector<std::string> order;
    std::map<std::string, std::pair<int, double>> steps;
    double sum = 0.0;
    for (const auto& launch : launches) {
      if (!steps.count(launch.kernel)) order.push_back(launch.kernel);
      auto& step = steps[launch.kernel];
      ++step.first;
      step.second += seconds(launch.event);
      sum += seconds(launch.event);
    }
    for (const std::string& kernel : order) {
      const auto& [count, time] = steps[kernel];
      std::printf("%28s %9.3f ms %5.1f %%  %d launches", kernel.c_str(), 1e3 * time, 100 * time / all, count);
      if (kernel == "multiply_bytes") {
        const double operations = 2.0 * modular::planes_of(plan.moduli, is_complex) * static_cast<double>(size.m) *
                                  static_cast<double>(size.n) * static_cast<double>(size.k);
        std::printf("  %.0f TOPS", 1e-12 * operations / time);
      }
      std::printf("\n");
    }
    std::printf("%28s %9.3f ms %5.1f %%\n", "between kernels", 1e3 * (all - sum), 100 * (all - sum) / all);
  }

  // In 2^-106 or 2^-53 of |A||B|, of the larger part.
  double error_of(const Size& size, const std::vector<T>& a, std::int64_t lda, const std::vector<T>& b,
                  std::int64_t ldb, const std::vector<T>& before, const std::vector<T>& c, std::int64_t i,
                  std::int64_t j) const {
    __float128 re = 0, im = 0, magnitude = 0;
    auto absolute = [](__float128 x) { return x < 0 ? -x : x; };
    for (std::int64_t h = 0; h < size.k; ++h) {
      const T& x = a[static_cast<std::size_t>(s_.transposes_a ? h + i * lda : i + h * lda)];
      const T& y = b[static_cast<std::size_t>(s_.transposes_b ? j + h * ldb : h + j * ldb)];
      __float128 xr = real_part(x), xi = imaginary_part(x), yr = real_part(y), yi = imaginary_part(y);
      re += xr * yr - xi * yi;
      im += xr * yi + xi * yr;
      magnitude += (absolute(xr) + absolute(xi)) * (absolute(yr) + absolute(yi));
    }
    if (s_.updates) {
      const T& old = before[static_cast<std::size_t>(i + j * size.m)];
      __float128 old_re = real_part(old), old_im = imaginary_part(old);
      re = old_re - re;
      im = old_im - im;
      magnitude += absolute(old_re) + absolute(old_im);
    }
    const T& z = c[static_cast<std::size_t>(i + j * size.m)];
    __float128 error = std::max(absolute(real_part(z) - re), absolute(imaginary_part(z) - im));
    const double unit = double_double<T> ? 0x1p106 : 0x1p53;
    return static_cast<double>(error / magnitude) * unit;
  }

  const Settings& s_;
  Context context_;
  Queue queue_;
};

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("The modular engine on an OpenCL device, step by step");
  Settings s;
  try {
    parse(app, s, argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) ? 2 : 0;
  }
  if (s.precision == "d") return Bench<double>(s).run();
  if (s.precision == "z") return Bench<std::complex<double>>(s).run();
  if (s.precision == "dd") return Bench<dd_real>(s).run();
  return Bench<dd_complex>(s).run();
} catch (const std::exception& e) {
  std::fprintf(stderr, "opencl_modular_bench: %s\n", e.what());
  return 1;
}
