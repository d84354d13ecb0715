// Batches of small square products on an OpenCL device against what its memory and its FP64 units allow.
//
//   opencl_batch_bench [--platform P --device D] [--precision s|d|c|z|dd|zdd] [--n N] [--count C] [--repeats R]
//   [--tiles]
//                      [--offsets]
//
// Of DD and D where no precision is named, and of n = 4, 8, 16 and 32 where no n is: C = A·B for 100000 products,
// packed one after the other on the device, all in one launch. Prints the tile of a work-group (products; a work-item's
// entries; work-items of a product; terms of a stage), the median of the launch's event times, the time of a call where
// many follow each other, by the host's clock, and the limit as a fraction of the former: the larger of the time that
// memory takes by the rate of a copy, measured at the beginning, and the time that all multiply-adds take at the rate
// that they have in registers; a term in DD is 13 instructions, one in ZDD 52. --tiles tries other tiles, too, the
// device's own being the first; --offsets computes matrices that are in no order, whose places are sent along. Compares
// every C with the first tile's, and some products of that with the CPU's: bit by bit in DD and ZDD, whose entries are
// random; small integers in S, D, C and Z.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hilo/gemm.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "gemm/batch/opencl/product.hpp"
#include "tune/issue_rate.hpp"

namespace {

using namespace hilo;
using std::int64_t;

struct Settings {
  std::optional<int> platform, device;
  std::vector<std::string> precisions = {"dd", "d"};
  std::vector<int64_t> sizes = {4, 8, 16, 32};
  int64_t count = 100000;
  int repeats = 11;
  bool tries_tiles = false, has_offsets = false;
};

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(stderr,
               "opencl_batch_bench: %s\nusage: opencl_batch_bench [--platform P --device D] [--precision "
               "s|d|c|z|dd|zdd] [--n N] [--count C] [--repeats R] [--tiles] [--offsets]\n",
               problem.c_str());
  std::exit(2);
}

Settings parse(int argc, char** argv) {
  Settings s;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    auto text = [&]() -> std::string {
      if (++i >= argc) usage(option + " needs a value");
      return argv[i];
    };
    auto number = [&](long least, long most) {
      const std::string value = text();
      char* end = nullptr;
      const long x = std::strtol(value.c_str(), &end, 10);
      if (value.empty() || *end || x < least || x > most) usage(option + " " + value + " is out of range");
      return x;
    };
    if (option == "--platform") {
      s.platform = static_cast<int>(number(0, 1000));
    } else if (option == "--device") {
      s.device = static_cast<int>(number(0, 1000));
    } else if (option == "--precision") {
      s.precisions = {text()};
    } else if (option == "--n") {
      s.sizes = {number(1, 128)};
    } else if (option == "--count") {
      s.count = number(2, 10000000);
    } else if (option == "--repeats") {
      s.repeats = static_cast<int>(number(1, 1000));
    } else if (option == "--tiles") {
      s.tries_tiles = true;
    } else if (option == "--offsets") {
      s.has_offsets = true;
    } else {
      usage("unknown option " + option);
    }
  }
  return s;
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

// Bytes a second, read and written.
double copy_rate(Queue& queue) {
  constexpr std::size_t bytes = std::size_t{1} << 28;
  const cl::Context& context = queue.context().state()->context;
  cl::Buffer from(context, CL_MEM_READ_WRITE, bytes), to(context, CL_MEM_READ_WRITE, bytes);
  queue.state()->queue.enqueueFillBuffer(from, cl_uchar{1}, 0, bytes);
  double best = 0.0;
  for (int i = 0; i < 11; ++i) {
    cl::Event event;
    queue.state()->queue.enqueueCopyBuffer(from, to, 0, 0, bytes, nullptr, &event);
    best = std::max(best, 2.0 * static_cast<double>(bytes) / tune::seconds_of(event));
  }
  return best;
}

template <class T>
T number(std::uint64_t& state) {
  auto word = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-52;
  };
  auto whole = [&] { return static_cast<double>(static_cast<int>(word() * 8.0)); };
  if constexpr (std::same_as<T, dd_real>) {
    const double hi = word();
    return dd_real::sum(hi, 0x1p-54 * hi * word());
  } else if constexpr (std::same_as<T, dd_complex>) {
    const dd_real re = number<dd_real>(state);
    return {re, number<dd_real>(state)};
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    return static_cast<T>(whole());
  } else {
    using Word = typename T::value_type;
    const auto re = static_cast<Word>(whole());
    return {re, static_cast<Word>(whole())};
  }
}

template <class T>
struct Bench {
  Queue& queue;
  const Settings& s;
  double memory_rate, issue_rate;
  int64_t n;

  static constexpr bool is_exact = !double_double<T>;
  // Multiply-adds of a term.
  static constexpr double instructions() {
    switch (precision_of<T>) {
      case Precision::dd:
        return 13;
      case Precision::zdd:
        return 52;
      case Precision::c:
      case Precision::z:
        return 4;
      default:
        return 1;
    }
  }

  int64_t elements() const { return s.count * n * n; }

  std::vector<T> random(std::uint64_t state) const {
    std::vector<T> x(static_cast<std::size_t>(elements()));
    for (T& e : x) e = number<T>(state);
    return x;
  }

  std::vector<tile::BatchTile> tiles(const DeviceProduct& p) const {
    const DeviceInfo& device = queue.context().device();
    std::vector<tile::BatchTile> all = {batch::tile_for(device, p)};
    if (!s.tries_tiles) return all;
    int side = 1;
    while (side < n && side < 32) side *= 2;
    const int blocks[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
    for (const auto& [rows, columns] : blocks) {
      if (rows > side || columns > side) continue;
      const int slot = side / rows * (side / columns);
      for (int items : {64, 128, 256}) {
        if (slot > items) continue;
        for (int depth : {8, 16, 32}) {
          // Of few terms all at once.
          depth = std::min(depth, side);
          if (depth < side && 4 * depth <= side && items != 128) continue;
          const tile::BatchTile t{items / slot, rows, columns, side / rows, side / columns, depth};
          if (batch::local_bytes(t, precision_of<T>) > 47000) continue;
          if (std::find(all.begin(), all.end(), t) == all.end()) all.push_back(t);
        }
      }
    }
    return all;
  }

  bool samples_are_right(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c,
                         const std::vector<int64_t>& of_a, const std::vector<int64_t>& of_b,
                         const std::vector<int64_t>& of_c) const {
    std::vector<T> want(static_cast<std::size_t>(n * n));
    for (int64_t t = 0; t < 101; ++t) {
      const auto i = static_cast<std::size_t>(t == 100 ? s.count - 1 : t * 7919 % s.count);
      gemm(Layout::column, Op::none, Op::none, n, n, n, T(1), a.data() + of_a[i], n, b.data() + of_b[i], n, T(0),
           want.data(), n, {.engine = Engine::direct, .fma = Fma::on});
      if (std::memcmp(want.data(), c.data() + of_c[i], sizeof(T) * want.size()) != 0) return false;
    }
    return true;
  }

  bool run() {
    const std::vector<T> a = random(1), b = random(2);
    std::vector<T> first(a.size()), c(a.size());
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> buffer(queue.context(), std::ssize(x));
      buffer.write(queue, x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> on_a = upload(a), on_b = upload(b), on_c = upload(c);
    // In order, or as far from it as a multiplication by a prime makes them.
    std::vector<int64_t> of_a(static_cast<std::size_t>(s.count)), of_b = of_a, of_c = of_a;
    for (int64_t i = 0; i < s.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      auto place = [&](int64_t prime) { return n * n * (s.has_offsets ? i * prime % s.count : i); };
      of_a[at] = place(s.count % 7919 ? 7919 : 1);
      of_b[at] = place(s.count % 104729 ? 104729 : 1);
      of_c[at] = place(s.count % 15485863 ? 15485863 : 1);
    }
    DeviceProduct p = device_product<T>({Layout::column, Op::none, Op::none, n, n, n, n, n, n, sizeof(T)},
                                        {s.count, n * n, n * n, n * n}, T(1), T(0));
    p.a.buffer = cl::Buffer(on_a.native(), true);
    p.b.buffer = cl::Buffer(on_b.native(), true);
    p.c.buffer = cl::Buffer(on_c.native(), true);
    if (s.has_offsets) p.offsets = BatchOffsets{of_a.data(), of_b.data(), of_c.data()};
    const double side = static_cast<double>(n), count = static_cast<double>(s.count);
    const double bytes = 3.0 * sizeof(T) * side * side * count, terms = side * side * side * count;
    const double of_memory = bytes / memory_rate, of_units = terms * instructions() / issue_rate;
    const double limit = std::max(of_memory, of_units);
    bool is_right = true, is_first = true;
    for (const tile::BatchTile& t : tiles(p)) {
      double event_seconds = 0, call_seconds = 0;
      bool same = true;
      try {
        auto multiply = [&] {
          tile::Run run = batch::execute(t, {}, p, *queue.state(), {});
          if (run.recomputed.buffer()())
            run.recomputed.release(queue.state()->queue, cl::Event(run.event.native(), true));
          return run.event;
        };
        multiply().wait();
        std::vector<double> seconds;
        for (int i = 0; i < s.repeats; ++i) seconds.push_back(multiply().seconds());
        event_seconds = median(seconds);
        const auto begin = std::chrono::steady_clock::now();
        Event last;
        for (int i = 0; i < s.repeats; ++i) last = multiply();
        last.wait();
        call_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / s.repeats;
        std::vector<T>& out = is_first ? first : c;
        on_c.read(queue, out.data(), 0, on_c.size());
        same = is_first ? samples_are_right(a, b, out, of_a, of_b, of_c)
                        : std::memcmp(first.data(), c.data(), sizeof(T) * c.size()) == 0;
        is_first = false;
      } catch (const error& failure) {
        std::printf("%-4s %3lld  %3d  %dx%d  %2dx%-2d  %2d  %s\n", std::string(name(precision_of<T>)).c_str(),
                    static_cast<long long>(n), t.products, t.item_rows, t.item_columns, t.group_rows, t.group_columns,
                    t.depth, failure.what());
        continue;
      }
      is_right = is_right && same;
      std::printf("%-4s %3lld  %3d  %dx%d  %2dx%-2d  %2d  %9.4f %9.4f %8.1f %9.1f  %-6s %6.3f  %s\n",
                  std::string(name(precision_of<T>)).c_str(), static_cast<long long>(n), t.products, t.item_rows,
                  t.item_columns, t.group_rows, t.group_columns, t.depth, 1e3 * event_seconds, 1e3 * call_seconds,
                  1e-9 * bytes / event_seconds, 2e-9 * terms * (is_complex(precision_of<T>) ? 4 : 1) / event_seconds,
                  of_memory > of_units ? "memory" : "units", limit / event_seconds, same ? "right" : "WRONG");
      std::fflush(stdout);
    }
    return is_right && !is_first;
  }
};

template <class T>
bool run(Queue& queue, const Settings& s, double memory_rate) {
  const bool has_floats = precision_of<T> == Precision::s || precision_of<T> == Precision::c;
  const double rate = has_floats ? tune::issue_rate<float>(queue) : tune::issue_rate<double>(queue);
  bool is_right = true;
  for (int64_t n : s.sizes) is_right = Bench<T>{queue, s, memory_rate, rate, n}.run() && is_right;
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings s = parse(argc, argv);
  try {
    Queue queue(s.platform || s.device ? Context(s.platform.value_or(0), s.device.value_or(0)) : Context(),
                Profiling::on);
    const DeviceInfo& d = queue.context().device();
    const double memory_rate = copy_rate(queue);
    std::printf("device %s, driver %s, %d compute units\n", d.name.c_str(), d.driver.c_str(), d.compute_units);
    std::printf("%.0f GB/s copied, %.2f T multiply-adds/s in double; %lld products%s\n\n", 1e-9 * memory_rate,
                d.fp64 ? 1e-12 * tune::issue_rate<double>(queue) : 0.0, static_cast<long long>(s.count),
                s.has_offsets ? " in no order" : "");
    std::printf("%-4s %3s  %3s  %-3s  %-5s  %2s  %9s %9s %8s %9s  %-6s %6s\n", "", "n", "p", "own", "items", "k",
                "event ms", "call ms", "GB/s", "GFlop/s", "limit", "of it");
    bool is_right = true;
    for (const std::string& precision : s.precisions) {
      if (precision == "s") {
        is_right = run<float>(queue, s, memory_rate) && is_right;
      } else if (precision == "d") {
        is_right = run<double>(queue, s, memory_rate) && is_right;
      } else if (precision == "c") {
        is_right = run<std::complex<float>>(queue, s, memory_rate) && is_right;
      } else if (precision == "z") {
        is_right = run<std::complex<double>>(queue, s, memory_rate) && is_right;
      } else if (precision == "dd") {
        is_right = run<dd_real>(queue, s, memory_rate) && is_right;
      } else if (precision == "zdd") {
        is_right = run<dd_complex>(queue, s, memory_rate) && is_right;
      } else {
        usage("--precision " + precision + " is none of s d c z dd zdd");
      }
    }
    return is_right ? 0 : 1;
  } catch (const hilo::error& e) {
    std::fprintf(stderr, "opencl_batch_bench: %s\n", e.what());
    return 4;
  }
}
