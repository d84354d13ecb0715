// The direct DD product on an OpenCL device against the ceiling that the device's own FP64 issue rate allows.
//
//   opencl_gemm_bench [--platform P --device D] [--n N] [--repeats R] [--no-fma] [--complex] [--json FILE]
//
// Measures the product of matrices that stay on the device, for each transpose and accuracy, by event times, and before
// and after each the rate of fused multiply-adds in registers, which follows the device's clock; the fraction is the
// median's of the mean of the two. Checks sampled entries of each against the definition, bit by bit.
// Classic takes 13 + 23/64 instructions a multiply-add, fast 10.75 + 23/64: the step, and an accurate addition every
// 64 steps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>

#include "gemm/direct/opencl/product.hpp"
#include "gemm/direct/reference.hpp"
#include "random.hpp"
#include "tile/table.hpp"
#include "tune/issue_rate.hpp"

namespace {

using namespace hilo;

struct Settings {
  std::optional<int> platform, device;
  std::int64_t n = 4096;
  int repeats = 5;
  bool fma = true, is_complex = false;
  std::string json;
};

struct Result {
  std::string what, accuracy, tile;
  double best, median;  // seconds
  double gflops;        // of the median
  double rate;          // multiply-adds a second in registers, the mean of before and after
  double fraction;      // of the ceiling
  bool right;
};

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(stderr,
               "opencl_gemm_bench: %s\nusage: opencl_gemm_bench [--platform P --device D] [--n N] [--repeats R] "
               "[--no-fma] [--complex] [--json FILE]\n",
               problem.c_str());
  std::exit(2);
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    auto text = [&]() -> std::string {
      if (++i >= argc) usage(option + " needs a value");
      return argv[i];
    };
    auto number = [&](int least) {
      std::string value = text();
      char* end = nullptr;
      long x = std::strtol(value.c_str(), &end, 10);
      if (value.empty() || *end || x < least || x > 1 << 20) usage(option + " " + value + " is out of range");
      return static_cast<int>(x);
    };
    if (option == "--platform") {
      s.platform = number(0);
    } else if (option == "--device") {
      s.device = number(0);
    } else if (option == "--n") {
      s.n = number(1);
    } else if (option == "--repeats") {
      s.repeats = number(1);
    } else if (option == "--json") {
      s.json = text();
    } else if (option == "--no-fma") {
      s.fma = false;
    } else if (option == "--complex") {
      s.is_complex = true;
    } else {
      usage("unknown option " + option);
    }
  }
  return s;
}

double operations(Accuracy accuracy, bool fma) {
  double step = fma ? 10.0 : 27.0, renormalisation = 3.0 / direct::renormalisation_interval(accuracy);
  return step + renormalisation + 23.0 / 64.0;
}

class Bench {
 public:
  explicit Bench(const Settings& s)
      : s_(s),
        context_(s.platform || s.device ? Context(s.platform.value_or(0), s.device.value_or(0)) : Context()),
        queue_(context_, Profiling::on),
        words_(s.is_complex ? 2 : 1),
        a_(bench::random<dd_real>(s.n * s.n * words_, 1)),
        b_(bench::random<dd_real>(s.n * s.n * words_, 2)),
        c_(a_.size()),
        device_a_(upload(a_)),
        device_b_(upload(b_)),
        device_c_(context_, static_cast<std::int64_t>(c_.size())) {}

  int run() {
    const DeviceInfo& d = context_.device();
    std::printf("device %s, driver %s, %d compute units\n", d.name.c_str(), d.driver.c_str(), d.compute_units);
    std::printf("%s, n = %lld, %s\n", s_.is_complex ? "zdd" : "dd", static_cast<long long>(s_.n),
                s_.fma ? "FMA sequence" : "sequence without FMA");
    const tile::Tile tile =
        tile::tile_for(d, {s_.is_complex ? Precision::zdd : Precision::dd, true, true, tile::size_class(s_.n, s_.n)});
    std::printf("tile: %s\n\n", to_string(tile).c_str());
    std::printf("%-4s %-8s %10s %10s %10s %10s %9s  bits\n", "", "", "best s", "median s", "GFlop/s", "T FMA/s",
                "ceiling");
    for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
      for (Op opa : {Op::none, Op::transpose}) {
        for (Op opb : {Op::none, Op::transpose})
          measure(tile, opa, opb, accuracy, [&] { return samples_are_right(opa, opb, accuracy); });
      }
    }
    for (const Result& r : results_) {
      if (!r.right) return 1;
    }
    return 0;
  }

  void set_command(int argc, char** argv) {
    for (int i = 0; i < argc; ++i) command_ += (i ? " " : "") + std::string(argv[i]);
  }

 private:
  Buffer<dd_real> upload(const std::vector<dd_real>& x) {
    Buffer<dd_real> buffer(context_, static_cast<std::int64_t>(x.size()));
    buffer.write(queue_, x.data(), 0, buffer.size());
    return buffer;
  }

  DeviceProduct product(Op opa, Op opb) {
    auto matrix = [&](Op op, const Buffer<dd_real>& buffer) {
      return device_view(Layout::column, op, cl::Buffer(buffer.native(), true), s_.n, s_.n, s_.n);
    };
    return {s_.is_complex ? Precision::zdd : Precision::dd,
            dd_complex(1),
            matrix(opa, device_a_),
            matrix(opb, device_b_),
            dd_complex(0),
            matrix(Op::none, device_c_)};
  }

  // Whether entries across C, corners and tile edges among them, are the definition's.
  bool samples_are_right(Op opa, Op opb, Accuracy accuracy) {
    device_c_.read(queue_, c_.data(), 0, device_c_.size());
    const std::int64_t n = s_.n;
    bool right = true;
    auto check = [&](std::int64_t i, std::int64_t j) {
      auto at = static_cast<std::size_t>((i + j * n) * words_);
      if (s_.is_complex) {
        auto a = reinterpret_cast<const dd_complex*>(a_.data()), b = reinterpret_cast<const dd_complex*>(b_.data());
        auto want = direct::entry(view(Layout::column, opa, a, n, n, n), view(Layout::column, opb, b, n, n, n), i, j,
                                  accuracy, s_.fma);
        right = right && want.value == dd_complex(c_[at], c_[at + 1]);
      } else {
        auto want = direct::entry(view<const dd_real>(Layout::column, opa, a_.data(), n, n, n),
                                  view<const dd_real>(Layout::column, opb, b_.data(), n, n, n), i, j, accuracy, s_.fma);
        right = right && want.value == c_[at];
      }
    };
    for (std::int64_t i : {std::int64_t{0}, n / 2, n - 1}) {
      for (std::int64_t j : {std::int64_t{0}, n / 2, n - 1}) check(i, j);
    }
    for (std::int64_t t = 1; t <= 91; ++t) check(t * 7919 % n, t * 104729 % n);
    return right;
  }

  template <class Check>
  void measure(const tile::Tile& tile, Op opa, Op opb, Accuracy accuracy, Check check) {
    Result r{std::string(name(opa)) + std::string(name(opb)),
             std::string(name(accuracy)),
             to_string(tile),
             0,
             0,
             0,
             0,
             0,
             false};
    const DeviceProduct p = product(opa, opb);
    direct::DevicePlan plan = direct::plan_product(context_.device(), p, accuracy, s_.fma, {.tile = tile});
    const double rate_before = tune::issue_rate<double>(queue_);
    std::vector<double> times;
    for (int repeat = 0; repeat <= s_.repeats; ++repeat) {
      double time = direct::execute(plan, p, *queue_.state(), {}).event.seconds();
      // The first warms up.
      if (repeat) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    r.best = times.front();
    r.median = times[times.size() / 2];
    double steps = std::pow(static_cast<double>(s_.n), 3) * (s_.is_complex ? 4 : 1);
    r.rate = 0.5 * (rate_before + tune::issue_rate<double>(queue_));
    r.gflops = 2e-9 * steps / r.median;
    r.fraction = steps * operations(accuracy, s_.fma) / r.rate / r.median;
    r.right = check();
    std::printf("%-4s %-8s %10.5f %10.5f %10.1f %10.3f %9.3f  %s\n", r.what.c_str(), r.accuracy.c_str(), r.best,
                r.median, r.gflops, 1e-12 * r.rate, r.fraction, r.right ? "right" : "WRONG");
    std::fflush(stdout);
    results_.push_back(r);
    write_json();
  }

  void write_json() const {
    if (s_.json.empty()) return;
    auto quoted = [](const std::string& text) {
      std::string out = "\"";
      for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
      }
      return out + "\"";
    };
    std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    const DeviceInfo& d = context_.device();
    std::ofstream out(s_.json);
    out.precision(6);
    out << "{\"device\": " << quoted(d.name) << ", \"driver\": " << quoted(d.driver)
        << ", \"version\": " << quoted(d.version) << ", \"date\": " << quoted(date)
        << ", \"command\": " << quoted(command_) << ",\n \"precision\": " << (s_.is_complex ? "\"zdd\"" : "\"dd\"")
        << ", \"n\": " << s_.n << ", \"fma\": " << (s_.fma ? "true" : "false") << ",\n \"results\": [";
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Result& r = results_[i];
      out << (i ? ",\n" : "\n") << "  {\"transposes\": " << quoted(r.what) << ", \"accuracy\": " << quoted(r.accuracy)
          << ", \"tile\": " << quoted(r.tile) << ", \"seconds_best\": " << r.best
          << ", \"seconds_median\": " << r.median << ", \"gflops\": " << r.gflops << ", \"issue_rate\": " << r.rate
          << ", \"fraction_of_ceiling\": " << r.fraction << ", \"right\": " << (r.right ? "true" : "false") << "}";
    }
    out << "\n]}\n";
    if (!out.flush()) std::fprintf(stderr, "cannot write %s\n", s_.json.c_str());
  }

  Settings s_;
  Context context_;
  Queue queue_;
  std::int64_t words_;
  std::vector<dd_real> a_, b_, c_;
  Buffer<dd_real> device_a_, device_b_, device_c_;
  std::string command_;
  std::vector<Result> results_;
};

}  // namespace

int main(int argc, char** argv) {
  Settings settings = parse(argc, argv);
  try {
    Bench bench(settings);
    bench.set_command(argc, argv);
    return bench.run();
  } catch (const hilo::error& e) {
    std::fprintf(stderr, "opencl_gemm_bench: %s\n", e.what());
    return 4;
  }
}
