#include "opencl/self_test.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <hilo/dd_real.hpp>
#include <map>

#include "opencl/disk_cache.hpp"
#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

// The host's words for what kernels/probe/self_test.cl computes; two_prod is fused on both sides or on neither.
template <bool HasFma>
struct Host : dd_ops<double, HasFma> {
  using base = dd_ops<double, HasFma>;
  using base::choose, base::fms, base::literal, base::magnitude, base::mul, base::fma, base::two_prod_dekker,
      base::two_prod_split, base::two_sum;
  using typename base::dd;
  using typename base::mask;
  using typename base::real;
#define HILO_FN static constexpr
  HILO_FN real spare_add(real x, real y) { return x + y; }
#include <hilo/detail/step.clh>
#undef HILO_FN
};

constexpr std::size_t answer_count = 12;
constexpr std::array<const char*, answer_count> answer_names = {"product, then sum",
                                                                "product, then fast sum",
                                                                "fused product",
                                                                "split product",
                                                                "sum",
                                                                "product of numbers, then sum",
                                                                "sum of numbers, then product",
                                                                "fused step",
                                                                "split step",
                                                                "scaled split step",
                                                                "two fused steps, then sum",
                                                                "two split steps, then sum"};

struct Words {
  double hi, lo;
};

template <bool HasFma>
std::array<Words, answer_count> expected(Words x_in, Words y_in, Words z_in) {
  using ops = Host<HasFma>;
  using dd = typename ops::dd;
  dd x = {x_in.hi, x_in.lo}, y = {y_in.hi, y_in.lo}, z = {z_in.hi, z_in.lo};
  double product = ops::mul(x.hi, y.hi);
  auto twice = [&](auto step) {
    dd sum = step(z, x, y);
    sum = step(ops::fast_two_sum(sum.hi, sum.lo), y, x);
    return ops::add_finite(y, ops::two_sum(sum.hi, sum.lo));
  };
  std::array<dd, answer_count> answers = {ops::two_sum(product, z.hi),
                                          ops::fast_two_sum(product, ops::mul(x.hi, y.lo)),
                                          ops::two_prod_fma(x.hi, y.hi),
                                          ops::two_prod_split(x.hi, y.hi),
                                          ops::add_finite(x, z),
                                          ops::add(ops::multiply(x, y), z),
                                          ops::multiply(ops::add(x, y), z),
                                          ops::step_fma(z, x, y),
                                          ops::step_split(z, x, y),
                                          ops::step_split_scaled(z, x, y),
                                          twice(ops::step_fma),
                                          twice(ops::step_split)};
  std::array<Words, answer_count> words;
  for (std::size_t i = 0; i < answer_count; ++i) words[i] = {answers[i].hi, answers[i].lo};
  return words;
}

// x, y, z: chosen hard ones first, then random canonical numbers whose sums cancel.
std::array<std::vector<Words>, 3> inputs() {
  std::array<std::vector<Words>, 3> in;
  auto put = [&](Words x, Words y, Words z) { in[0].push_back(x), in[1].push_back(y), in[2].push_back(z); };
  put({1 + 0x1p-52, 0x1p-54}, {1 - 0x1p-53, -0x1p-55}, {-1.0, 0.0});
  put({1 + 0x1p-52, 0x1p-53}, {1 + 0x1p-52, 0x1p-53}, {-(1 + 0x1p-51), 0x1p-106});
  put({0.1, 0x1p-58}, {10.0, 0.0}, {-1.0, 0x1p-60});
  put({1.0 / 3.0, 0x1p-56}, {3.0, 0.0}, {-1.0, 0.0});
  put({0x1p-1000, 0x1p-1060}, {0x1p-20, 0.0}, {0x1p-1022, 0.0});
  put({0x1.8p-1060, 0.0}, {1.5, 0x1p-54}, {0x1p-1074, 0.0});
  put({0x1p-540, 0.0}, {0x1.8p-535, 0.0}, {0x1p-1073, 0.0});
  put({0x1p1000, 0x1p940}, {0x1.000001p-3, 0x1p-60}, {0x1p950, 0.0});
  put({0x1p511, 0x1p457}, {0x1.fffffffffffffp511, 0x1p457}, {-0x1p1022, 0.0});
  put({0x1p600, 0.0}, {0x1p600, 0.0}, {1.0, 0.0});
  put({0.0, 0.0}, {-1.0, 0.0}, {-0.0, 0.0});
  put({-0.0, 0.0}, {1.0, 0.0}, {-0.0, 0.0});
  std::uint64_t state = 20240229;
  auto word = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 10) * 0x1p-53;
  };
  while (in[0].size() < 64) {
    auto number = [&] {
      double hi = word();
      dd_real x = dd_real::sum(hi, word() * hi * 0x1p-53);
      return Words{x.hi, x.lo};
    };
    Words x = number(), y = number(), z = number();
    if (in[0].size() % 2) z.hi = -detail::rounded_product(x.hi, y.hi), z.lo = 0.0;
    put(x, y, z);
  }
  return in;
}

bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
}

std::string hexadecimal(Words x) {
  char text[80];
  std::snprintf(text, sizeof text, "(%a, %a)", x.hi, x.lo);
  return text;
}

// Empty, or what is wrong.
std::string run(ContextState& context, const ProgramText& text, int lanes) {
  auto in = inputs();
  std::size_t cases = in[0].size(), width = static_cast<std::size_t>(lanes), items = cases / width;
  cl::Kernel kernel(context.programs.get(context, text), "self_test");
  cl::CommandQueue queue(context.context, context.device);
  std::vector<cl::Buffer> buffers;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> packed(2 * cases);
    for (std::size_t c = 0; c < cases; ++c) {
      packed[c / width * 2 * width + c % width] = in[i][c].hi;
      packed[c / width * 2 * width + width + c % width] = in[i][c].lo;
    }
    buffers.emplace_back(context.context, CL_MEM_READ_ONLY, sizeof(double) * packed.size());
    queue.enqueueWriteBuffer(buffers[i], CL_TRUE, 0, sizeof(double) * packed.size(), packed.data());
    kernel.setArg(static_cast<cl_uint>(i), buffers[i]);
  }
  std::vector<double> answers(2 * cases * answer_count);
  cl::Buffer out(context.context, CL_MEM_WRITE_ONLY, sizeof(double) * answers.size());
  kernel.setArg(3, out);
  // A kernel that fails leaves no answers, which are not wrong ones.
  cl::Event ran;
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NullRange, nullptr, &ran);
  ran.wait();
  queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof(double) * answers.size(), answers.data());
  for (std::size_t c = 0; c < cases; ++c) {
    auto want =
        context.info.fma ? expected<true>(in[0][c], in[1][c], in[2][c]) : expected<false>(in[0][c], in[1][c], in[2][c]);
    for (std::size_t a = 0; a < answer_count; ++a) {
      const double* group = &answers[(c / width * answer_count + a) * 2 * width + c % width];
      Words got{group[0], group[width]};
      if (same(got.hi, want[a].hi) && same(got.lo, want[a].lo)) continue;
      return std::string(answer_names[a]) + ", case " + std::to_string(c) + ": device " + hexadecimal(got) +
             ", right is " + hexadecimal(want[a]);
    }
  }
  return "";
}

// The same, asked once for each device, driver and text of the process. A context that keeps its programs is to have
// this one, too, and programs of a file are tested themselves.
std::string finding_of(ContextState& context, const ProgramText& text, int lanes) {
  // Never destroyed: destructors of static objects may still multiply.
  static auto& mutex = *new std::mutex;
  static auto& findings = *new std::map<std::string, std::string>;
  const auto find = [&] { return guarded("running the self-test", [&] { return run(context, text, lanes); }); };
  const ProgramSettings settings = context.programs.settings();
  if (settings.kept || settings.source) return find();
  const DeviceInfo& device = context.info;
  const std::string key = device.name + '\n' + device.version + '\n' + device.driver + '\n' +
                          fingerprint(text.source + text.options + ' ' + settings.options);
  std::lock_guard lock(mutex);
  auto found = findings.find(key);
  if (found == findings.end()) found = findings.emplace(key, find()).first;
  return found->second;
}

// Throws self_test_failure.
void test_once(ContextState& context, int lanes) {
  const DeviceInfo& device = context.info;
  const ProgramText text =
      program_text("self_test", "probe/self_test.cl",
                   "-DHILO_LANES=" + std::to_string(lanes) + " -DHILO_FMA=" + (device.fma ? "1" : "0"));
  const std::string finding = finding_of(context, text, lanes);
  if (!finding.empty()) {
    throw error(errc::self_test_failure, "device " + device.name + " (driver " + device.driver +
                                             ") fails the self-test of double-double arithmetic and is refused for the "
                                             "direct engine: " +
                                             finding);
  }
}

}  // namespace

void require_self_test(ContextState& context, int lanes) {
  const char* folder = std::getenv("HILO_KERNEL_PATH");
  const std::string name = "self-test " + std::to_string(lanes) + (folder ? folder : "");
  context.findings.get(name, [&] {
    test_once(context, lanes);
    return 1;
  });
}

}  // namespace hilo::opencl
