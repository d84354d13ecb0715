// S, D, C and Z products on an OpenCL device against another library and against the device's own peak.
//
//   opencl_blas_bench [--platform P --device D] [--precision s,d,c,z] [--transposes nn,tn,nt,tt] [--sizes 4096,8192]
//   [--repeats R] [--engine direct|modular|auto] [--reference COMMAND] [--small] [--json FILE]
//
// Operands stay on the device, times are the device's: medians of R runs or more, as many as fill 0.3 s, after one to
// warm up. Right after each product the reference measures the same one: COMMAND is run with
// --precision p --opa x --opb y n behind it, as bench/cublas_gemm_bench.cu takes them. The peak is that of
// multiply-adds in registers, measured first: in float for S and C, in double, by matrix units where they are faster,
// for D and Z. About 100 entries of each C are checked in long double; their largest error is in units of u · |A||B|,
// of which the definition's sum has at most its terms and 4.
//
// --small measures what a small product costs a caller, dd and zdd too: the wall time from the call to the end of
// queue.finish(), medians of 200, in turns with a kernel that does nothing: of one work-item, and of a work-group of
// 64, which NVIDIA's driver launches faster.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/reference.hpp"
#include "cli/statistics.hpp"
#include "square_product.hpp"
#include "tune/issue_rate.hpp"

namespace {

using namespace hilo;
using bench::Operands;
using nlohmann::ordered_json;
using clock = std::chrono::steady_clock;

constexpr double least_seconds = 0.3;
constexpr int small_warm_ups = 10, small_repeats = 200;

struct Settings {
  std::optional<int> platform, device;
  std::vector<std::string> precisions, transposes{"nn", "tn", "nt", "tt"};
  std::vector<std::int64_t> sizes;
  int repeats = 7;
  std::string engine = "direct", reference, json;
  bool small = false;
};

double since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

constexpr std::chrono::minutes reference_limit{5};

Op op_of(char letter) { return letter == 'n' ? Op::none : letter == 't' ? Op::transpose : Op::conjugate_transpose; }

Engine engine_of(const std::string& name) {
  return name == "direct" ? Engine::direct : name == "modular" ? Engine::modular : Engine::automatic;
}

class Bench {
 public:
  Bench(const Settings& s, const std::string& command)
      : s_(s),
        context_(s.platform || s.device ? Context(s.platform.value_or(0), s.device.value_or(0)) : Context()),
        queue_(context_, s.small ? Profiling::off : Profiling::on) {
    options_.engine = engine_of(s.engine);
    const DeviceInfo& d = context_.device();
    std::printf("device %s, driver %s, %d compute units\n", d.name.c_str(), d.driver.c_str(), d.compute_units);
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    json_ = {{"device", d.name},   {"driver", d.driver}, {"version", d.version}, {"date", date},
             {"command", command}, {"engine", s.engine}, {"rates", nullptr},     {"results", ordered_json::array()}};
  }

  // Whether every product that was not refused is right.
  bool run() {
    if (!s_.small) {
      // Words that name no program are found here.
      if (!s_.reference.empty()) cli::Reference(s_.reference, reference_limit);
      measure_rates();
      std::printf("\n%-4s %-3s %7s %11s %12s %12s %7s %7s %9s\n", "", "", "n", "median s", "GFlop/s", "reference",
                  "ratio", "% peak", "error");
    } else {
      std::printf("\n%-4s %7s %12s %12s %9s %12s %9s\n", "", "n", "product us", "nothing us", "ratio", "of 64 us",
                  "ratio");
    }
    for (const std::string& precision : s_.precisions) {
      if (precision == "s") run_precision<float>(precision);
      if (precision == "d") run_precision<double>(precision);
      if (precision == "c") run_precision<std::complex<float>>(precision);
      if (precision == "z") run_precision<std::complex<double>>(precision);
      if (precision == "dd") run_precision<dd_real>(precision);
      if (precision == "zdd") run_precision<dd_complex>(precision);
    }
    return is_right_;
  }

 private:
  void measure_rates() {
    const double fp32 = 2 * tune::issue_rate<float>(queue_), fp64 = 2 * tune::issue_rate<double>(queue_);
    std::printf("FP32 multiply-adds %.1f GFlop/s\nFP64 multiply-adds %.1f GFlop/s\n", 1e-9 * fp32, 1e-9 * fp64);
    ordered_json rates = {{"fp32_fma", 1e-9 * fp32}, {"fp64_fma", 1e-9 * fp64}, {"fp64_matrix", nullptr}};
    peak_single_ = 1e-9 * fp32;
    peak_double_ = 1e-9 * fp64;
    if (context_.device().vendor.find("NVIDIA") != std::string::npos) {
      if (auto rate = tune::matrix_issue_rate(queue_)) {
        const double gflops = 2e-9 * *rate;
        std::printf("FP64 matrix units  %.1f GFlop/s\n", gflops);
        rates["fp64_matrix"] = gflops;
        peak_double_ = std::max(peak_double_, gflops);
      } else {
        std::printf("FP64 matrix units: the device has none that its compiler knows\n");
      }
    }
    json_["rates"] = rates;
    write_json();
  }

  template <class T>
  void run_precision(const std::string& precision) try {
    for (std::int64_t n : s_.sizes) {
      Operands<T> operands(queue_, n);
      if (s_.small) {
        measure_small(precision, operands);
      } else if constexpr (!double_double<T>) {
        for (const std::string& ops : s_.transposes) measure(precision, ops, operands);
      }
    }
  } catch (const error& e) {
    // What the library does not have is no failure of this program.
    is_right_ = is_right_ && e.code() == errc::unsupported;
    std::printf("%-4s %s: %s\n", precision.c_str(), e.code() == errc::unsupported ? "refused" : "failed", e.what());
    add({{"precision", precision}, {"refused", e.what()}});
  }

  template <class T>
  void measure(const std::string& precision, const std::string& ops, Operands<T>& operands) {
    const Op opa = op_of(ops[0]), opb = op_of(ops[1]);
    const std::int64_t n = operands.n;
    operands.forget_product(queue_);
    GemmReport report{};
    auto seconds_of_one = [&] { return operands.multiply(queue_, opa, opb, options_, &report).seconds(); };
    seconds_of_one();
    const double error = bench::largest_error(queue_, operands, opa, opb);
    std::vector<double> seconds;
    for (auto start = clock::now();
         seconds.size() < static_cast<std::size_t>(s_.repeats) || since(start) < least_seconds;) {
      seconds.push_back(seconds_of_one());
    }
    const bool is_right = error <= static_cast<double>(bench::terms<T>(n) + 4);
    is_right_ = is_right_ && is_right;

    constexpr bool is_single = std::is_same_v<typename bench::Words<T>::type, float>;
    const double gflop = 2e-9 * std::pow(static_cast<double>(n), 3) * (std::is_floating_point_v<T> ? 1 : 4);
    const double gflops = gflop / cli::median(seconds), of_peak = gflops / (is_single ? peak_single_ : peak_double_);
    ordered_json row = {{"precision", precision},
                        {"transposes", ops},
                        {"n", n},
                        {"path", name(report.plan.path)},
                        {"runs", seconds.size()},
                        {"seconds_median", cli::median(seconds)},
                        {"seconds_best", cli::best(seconds)},
                        {"gflops", gflops},
                        {"of_peak", of_peak},
                        {"reference", nullptr},
                        {"gflops_reference", nullptr},
                        {"over_reference", nullptr},
                        {"largest_error", error},
                        {"right", is_right}};
    std::printf("%-4s %-3s %7lld %11.6f %12.1f ", precision.c_str(), ops.c_str(), static_cast<long long>(n),
                cli::median(seconds), gflops);
    std::fflush(stdout);
    std::string problem;
    if (auto reference = reference_speed(precision, ops, n, problem)) {
      row["reference"] = reference->name;
      row["gflops_reference"] = reference->gflops_kernel;
      row["over_reference"] = gflops / reference->gflops_kernel;
      std::printf("%12.1f %7.3f ", reference->gflops_kernel, gflops / reference->gflops_kernel);
    } else {
      std::printf("%12s %7s ", "-", "-");
    }
    std::printf("%7.1f %9.2f  %s\n", 100 * of_peak, error, is_right ? "right" : "WRONG");
    if (!problem.empty()) std::printf("  %s\n", problem.c_str());
    add(row);
  }

  // Where there is none, `problem` says why if one was asked for.
  std::optional<cli::ReferenceSpeed> reference_speed(const std::string& precision, const std::string& ops,
                                                     std::int64_t n, std::string& problem) {
    if (s_.reference.empty()) return std::nullopt;
    try {
      const std::string command = s_.reference + " --precision " + precision + " --opa " + ops[0] + " --opb " + ops[1];
      return cli::Reference(command, reference_limit).measure(n);
    } catch (const std::runtime_error& e) {
      problem = e.what();
      is_right_ = false;
      return std::nullopt;
    }
  }

  template <class T>
  void measure_small(const std::string& precision, Operands<T>& operands) {
    cl::Context context(context_.native(), true);
    cl::Kernel nothing(cl::Program(context, "__kernel void nothing(void) {}", true), "nothing");
    cl::CommandQueue queue(queue_.native(), true);
    std::vector<double> product_seconds, nothing_seconds, group_seconds;
    auto seconds_of_nothing = [&](const cl::NDRange& global, const cl::NDRange& local) {
      const auto start = clock::now();
      queue.enqueueNDRangeKernel(nothing, cl::NullRange, global, local);
      queue_.finish();
      return since(start);
    };
    for (int repeat = -small_warm_ups; repeat < small_repeats; ++repeat) {
      const auto start = clock::now();
      operands.multiply(queue_, Op::none, Op::none, options_);
      queue_.finish();
      const double product = since(start);
      const double one = seconds_of_nothing(cl::NDRange(1), cl::NullRange);
      const double group = seconds_of_nothing(cl::NDRange(64), cl::NDRange(64));
      if (repeat < 0) continue;
      product_seconds.push_back(product);
      nothing_seconds.push_back(one);
      group_seconds.push_back(group);
    }
    const double product = cli::median(product_seconds), empty = cli::median(nothing_seconds);
    const double group = cli::median(group_seconds);
    std::printf("%-4s %7lld %12.1f %12.1f %9.2f %12.1f %9.2f\n", precision.c_str(), static_cast<long long>(operands.n),
                1e6 * product, 1e6 * empty, product / empty, 1e6 * group, product / group);
    add({{"precision", precision},
         {"n", operands.n},
         {"runs", small_repeats},
         {"seconds_median", product},
         {"seconds_nothing", empty},
         {"over_nothing", product / empty},
         {"seconds_nothing_of_64", group},
         {"over_nothing_of_64", product / group}});
  }

  void add(const ordered_json& row) {
    json_["results"].push_back(row);
    write_json();
    std::fflush(stdout);
  }

  void write_json() const {
    if (s_.json.empty()) return;
    std::ofstream out(s_.json);
    out << json_.dump(1) << '\n';
    if (!out.flush()) std::fprintf(stderr, "opencl_blas_bench: cannot write %s\n", s_.json.c_str());
  }

  Settings s_;
  Context context_;
  Queue queue_;
  GemmOptions options_;
  double peak_single_ = 0.0, peak_double_ = 0.0;  // GFlop/s
  ordered_json json_;
  bool is_right_ = true;
};

void parse(CLI::App& app, Settings& s, int argc, char** argv) {
  app.add_option("--platform", s.platform)->check(CLI::NonNegativeNumber);
  app.add_option("--device", s.device)->check(CLI::NonNegativeNumber);
  app.add_option("--precision", s.precisions)->delimiter(',')->check(CLI::IsMember({"s", "d", "c", "z", "dd", "zdd"}));
  app.add_option("--transposes", s.transposes)
      ->delimiter(',')
      ->check(CLI::IsMember({"nn", "nt", "nc", "tn", "tt", "tc", "cn", "ct", "cc"}));
  app.add_option("--sizes", s.sizes)->delimiter(',')->check(CLI::Range(1, 1 << 17));
  app.add_option("--repeats", s.repeats)->check(CLI::Range(1, 1 << 20));
  app.add_option("--engine", s.engine)->check(CLI::IsMember({"direct", "modular", "auto"}));
  app.add_option("--reference", s.reference);
  app.add_flag("--small", s.small);
  app.add_option("--json", s.json);
  app.parse(argc, argv);
  if (s.precisions.empty()) {
    s.precisions = {"s", "d", "c", "z"};
    if (s.small) s.precisions.insert(s.precisions.end(), {"dd", "zdd"});
  }
  if (s.sizes.empty())
    s.sizes = s.small ? std::vector<std::int64_t>{16, 32, 64, 128} : std::vector<std::int64_t>{4096, 8192};
  for (const std::string& precision : s.precisions) {
    if (!s.small && precision.size() > 1) throw CLI::ValidationError("--precision", precision + " is for --small");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("S, D, C and Z products on an OpenCL device against another library and the device's peak");
  Settings settings;
  try {
    parse(app, settings, argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) ? 2 : 0;
  }
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i ? " " : "") + std::string(argv[i]);
  try {
    return Bench(settings, command).run() ? 0 : 1;
  } catch (const hilo::error& e) {
    std::fprintf(stderr, "opencl_blas_bench: %s\n", e.what());
    return e.code() == errc::invalid_argument ? 2 : 4;
  } catch (const cl::Error& e) {
    std::fprintf(stderr, "opencl_blas_bench: %s: %d\n", e.what(), e.err());
    return 4;
  }
}
