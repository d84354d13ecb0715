// Products of bytes modulo small numbers on an OpenCL device: the rate of every unit that the device has and of each of
// its tiles, by event times, with sampled entries compared with sums on the host.
//
//   opencl_bytes_bench [--platform P --device D] [--unit U] [--n N,N,...] [--terms K] [--planes P] [--repeats R]
//   [--run T]
//
// The products are n x n x n, or n x n x K, sizes rounded up to whole tiles; the rate counts what is computed. Of
// tiles that keep panels one stays in local memory for T tiles, 1: none stays; without --run for as many as pay.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/line_order.hpp"

namespace {

using namespace hilo;
using namespace hilo::modular;

struct Settings {
  std::optional<int> platform, device;
  std::string unit;
  std::vector<int> sizes = {256, 512, 1024, 2048, 4096, 8192};
  int terms = 0, planes = 31, repeats = 5, run = 0;  // terms 0: n; run 0: as pays
};

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(stderr,
               "opencl_bytes_bench: %s\nusage: opencl_bytes_bench [--platform P --device D] [--unit U] [--n N,N,...] "
               "[--terms K] [--planes P] [--repeats R] [--run T]\n",
               problem.c_str());
  std::exit(2);
}

int number(const std::string& option, const std::string& text, int least, int largest) {
  char* end = nullptr;
  const long x = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end || x < least || x > largest) usage(option + " " + text + " is out of range");
  return static_cast<int>(x);
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i + 1 < argc + 1; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) usage(option + " needs a value");
    const std::string value = argv[i + 1];
    if (option == "--platform") {
      s.platform = number(option, value, 0, 99);
    } else if (option == "--device") {
      s.device = number(option, value, 0, 99);
    } else if (option == "--unit") {
      s.unit = value;
    } else if (option == "--n") {
      s.sizes.clear();
      std::istringstream list(value);
      for (std::string entry; std::getline(list, entry, ',');) {
        s.sizes.push_back(number(option, entry, 1, static_cast<int>(max_device_depth)));
      }
    } else if (option == "--terms") {
      s.terms = number(option, value, 1, static_cast<int>(max_device_depth));
    } else if (option == "--planes") {
      s.planes = number(option, value, 1, max_moduli);
    } else if (option == "--run") {
      s.run = number(option, value, 1, 1000);
    } else if (option == "--repeats") {
      s.repeats = number(option, value, 1, 1000);
    } else {
      usage("unknown option " + option);
    }
  }
  return s;
}

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

std::int64_t whole(std::int64_t x, std::int64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

double seconds_of(const cl::Event& event) {
  event.wait();
  return 1e-9 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                    event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
}

std::vector<unsigned char> random_bytes(std::int64_t count, std::uint64_t state) {
  std::vector<unsigned char> x(size(count));
  for (unsigned char& byte : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<unsigned char>(state >> 56);
  }
  return x;
}

class Bench {
 public:
  explicit Bench(const Settings& s)
      : s_(s),
        context_(s.platform || s.device ? Context(s.platform.value_or(0), s.device.value_or(0)) : Context()),
        queue_(context_, Profiling::on) {}

  int run() {
    const DeviceInfo& d = context_.device();
    std::printf("device %s, driver %s, %d compute units; %d planes\n\n", d.name.c_str(), d.driver.c_str(),
                d.compute_units, s_.planes);
    std::printf("%-12s %-16s %6s %12s %12s %10s  entries\n", "unit", "tile", "n", "best s", "median s", "TOPS");
    bool is_right = true, is_known = false;
    for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product, ByteUnit::plain}) {
      if (!s_.unit.empty() && s_.unit != name(unit)) continue;
      is_known = true;
      const ByteFeatures features = byte_features(state());
      std::string obstacle = obstacle_of(unit, features);
      if (unit == ByteUnit::dot_product && s_.unit.empty() && !has_dot(features)) obstacle = "no instruction for it";
      if (!obstacle.empty()) {
        std::printf("%-12s %s\n", std::string(name(unit)).c_str(), obstacle.c_str());
        continue;
      }
      for (const ByteTile& tile : byte_tiles(unit)) {
        for (int n : s_.sizes) is_right = measure(unit, tile, n) && is_right;
      }
    }
    if (!is_known) usage("--unit " + s_.unit + " is no unit");
    return is_right ? 0 : 1;
  }

 private:
  opencl::ContextState& state() { return *context_.state(); }

  // All planes alike: one is random, the others are copies.
  cl::Buffer operand(const std::vector<unsigned char>& plane) {
    cl::Buffer buffer(state().context, CL_MEM_READ_WRITE, plane.size() * size(s_.planes));
    native().enqueueWriteBuffer(buffer, CL_TRUE, 0, plane.size(), plane.data());
    for (std::size_t p = 1; p < size(s_.planes); ++p) {
      native().enqueueCopyBuffer(buffer, buffer, 0, p * plane.size(), plane.size());
    }
    return buffer;
  }

  bool measure(ByteUnit unit, const ByteTile& tile, int n) try {
    return opencl::guarded("measuring", [&] {
      const std::int64_t rows = whole(n, tile.rows), columns = whole(n, tile.columns),
                         depth = whole(s_.terms ? s_.terms : n, tile.depth);
      const auto a = random_bytes(rows * depth, 1), b = random_bytes(columns * depth, 2);
      cl::Buffer c(state().context, CL_MEM_READ_WRITE, size(rows * columns * s_.planes));
      cl::Buffer moduli_of_planes(state().context, CL_MEM_READ_WRITE, sizeof(cl_int) * size(s_.planes));
      native().enqueueWriteBuffer(moduli_of_planes, CL_TRUE, 0, sizeof(cl_int) * size(s_.planes), moduli.data());
      ByteProduct product{operand(a),
                          operand(b),
                          c,
                          moduli_of_planes,
                          0,
                          s_.planes,
                          static_cast<int>(rows / tile.rows),
                          static_cast<int>(columns / tile.columns),
                          depth,
                          false};
      product.run = s_.run;
      const auto launch = byte_multiplier(state(), unit, tile).launch(product);
      std::vector<double> times;
      for (int repeat = 0; repeat <= s_.repeats; ++repeat) {
        cl::Event event;
        native().enqueueNDRangeKernel(*launch.kernel, cl::NullRange, launch.global, launch.local, nullptr, &event);
        const double time = seconds_of(event);
        // The first warms up.
        if (repeat) times.push_back(time);
      }
      std::sort(times.begin(), times.end());
      const bool right = samples_are_right(product, tile, a, b);
      const double operations =
          2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth) * s_.planes;
      std::printf("%-12s %-16s %6d %12.6f %12.6f %10.2f  %s\n", std::string(name(unit)).c_str(), text(tile).c_str(), n,
                  times.front(), times[times.size() / 2], 1e-12 * operations / times.front(),
                  right ? "right" : "WRONG");
      std::fflush(stdout);
      return right;
    });
  } catch (const error& failure) {
    std::printf("%-12s %-16s %6d %s\n", std::string(name(unit)).c_str(), text(tile).c_str(), n, failure.what());
    return false;
  }

  bool samples_are_right(const ByteProduct& product, const ByteTile& tile, const std::vector<unsigned char>& a,
                         const std::vector<unsigned char>& b) {
    const std::int64_t rows = std::int64_t{product.row_panels} * tile.rows;
    const std::int64_t columns = std::int64_t{product.column_panels} * tile.columns, depth = product.depth;
    bool right = true;
    for (std::int64_t t = 0; t < 256; ++t) {
      const std::int64_t plane = t % s_.planes, i = (t * 7919 + t / 8) % rows, j = (t * 104729 + t / 5) % columns;
      std::int64_t sum = 0;
      const int row = place_of_line(static_cast<int>(i % tile.rows), tile.in_quads),
                column = place_of_line(static_cast<int>(j % tile.columns), tile.in_quads);
      for (std::int64_t h = 0; h < depth; ++h) {
        sum += a[size((i / tile.rows * depth + h / 16 * 16) * tile.rows + row * 16 + h % 16)] *
               b[size((j / tile.columns * depth + h / 16 * 16) * tile.columns + column * 16 + h % 16)];
      }
      unsigned char got = 0;
      native().enqueueReadBuffer(product.c, CL_TRUE, size((plane * rows + i) * columns + j), 1, &got);
      const int m = moduli[size(plane)];
      right = right && got == sum % m * residue_factor(tile.is_montgomery, m) % m;
    }
    return right;
  }

  static std::string text(const ByteTile& tile) {
    return std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " x " + std::to_string(tile.depth);
  }

  cl::CommandQueue& native() { return queue_.state()->queue; }

  Settings s_;
  Context context_;
  Queue queue_;
};

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = parse(argc, argv);
  try {
    return Bench(settings).run();
  } catch (const error& failure) {
    std::fprintf(stderr, "opencl_bytes_bench: %s\n", failure.what());
    return 4;
  }
}
