#include "gemm/modular/opencl/spread.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::narrow;
using opencl::set_arguments;

// As kernels/modular/spread.cl has them.
constexpr std::int64_t count_items = 256, quad_lines = 128, most_quads = 32;

int word_pitch_of(std::int64_t columns) { return narrow(4 * blocks(columns, quad_lines)); }

// One plane for each deficit that may be within a threshold, and one of elements that are not zero; then bits of
// columns.
std::int64_t mask_bytes(std::int64_t n, std::int64_t k, int widest) {
  return ((widest + 2) * k + 2) * std::int64_t{4} * word_pitch_of(n);
}
std::int64_t beyond_bytes(std::int64_t m, std::int64_t n) { return m * std::int64_t{4} * word_pitch_of(n); }

}  // namespace

std::int64_t DeviceSpread::bytes(std::int64_t m, std::int64_t n, std::int64_t k, int widest) {
  return mask_bytes(n, k, widest) + beyond_bytes(m, n);
}

DeviceSpread::DeviceSpread(opencl::Call& call, const cl::Program& program, const ScannedOperands& operands, int widest)
    : call_(call),
      program_(program),
      operands_(operands),
      widest_(widest),
      word_pitch_(word_pitch_of(operands.lines[1])) {
  const std::int64_t m = operands.lines[0], n = operands.lines[1], k = operands.terms;
  masks_ = call.lend(mask_bytes(n, k, widest), "bit planes of exponents");
  beyond_ = call.lend(beyond_bytes(m, n), "bits of entries");
  const bool has_uneven = operands.uneven[1]() != nullptr, is_balanced = operands.balance() != nullptr;
  // Buffers that are not read stand in for those that are absent.
  const cl::Buffer& some = operands.exponents;
  opencl::BorrowedKernel make = call.kernel(program, "make_masks");
  set_arguments(make, operands.codes[1], operands.exponents, has_uneven ? operands.uneven[1] : some,
                is_balanced ? operands.balance : some, masks_.buffer(),
                opencl::mask_arguments{narrow(m), narrow(n), narrow(k), has_uneven, is_balanced, narrow(widest + 1),
                                       word_pitch_});
  call_.launch_over(*make, word_pitch_, k);
}

void DeviceSpread::count(const cl::Buffer& figures, const std::vector<int>& thresholds, std::uint32_t limit) {
  const std::int64_t m = operands_.lines[0], k = operands_.terms;
  const bool has_uneven = operands_.uneven[0]() != nullptr, is_balanced = operands_.balance() != nullptr;
  const cl::Buffer& some = operands_.exponents;
  const std::int64_t pitch = word_pitch_ / 4;
  const auto quads = std::min(most_quads, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(pitch))));
  opencl::count_arguments arguments{.test = {.thresholds = {},
                                             .levels = narrow(std::ssize(thresholds)),
                                             .surcharge = operands_.surcharge,
                                             .planes = widest_ + 1,
                                             .sample_step = narrow(sample_step(m)),
                                             .limit = static_cast<cl_int>(limit)},
                                    .terms = narrow(k),
                                    .has_uneven = has_uneven,
                                    .is_balanced = is_balanced,
                                    .quad_pitch = narrow(pitch),
                                    .quads = narrow(quads),
                                    .is_sample = false};
  std::copy(thresholds.begin(), thresholds.end(), arguments.test.thresholds);
  opencl::BorrowedKernel count = call_.kernel(program_, "count_beyond");
  for (bool is_sample : {true, false}) {
    arguments.is_sample = is_sample;
    set_arguments(count, operands_.codes[0], operands_.exponents, has_uneven ? operands_.uneven[0] : some,
                  is_balanced ? operands_.balance : some, masks_.buffer(), beyond_.buffer(), figures, arguments);
    const std::int64_t rows = is_sample ? blocks(m, sample_step(m)) : m;
    call_.launch(*count,
                 cl::NDRange(static_cast<std::size_t>(rows * count_items),
                             static_cast<std::size_t>(blocks(pitch, quads)), is_sample ? thresholds.size() : 2),
                 cl::NDRange(count_items, 1, 1));
  }
}

CountedLevels DeviceSpread::counted(const Figures& figures, int levels, std::uint32_t limit) const {
  using Answer = CountedLevels::Answer;
  auto figure_of = [&](int i) { return static_cast<std::uint32_t>(figures[static_cast<std::size_t>(i)]); };
  const auto step = static_cast<std::uint64_t>(sample_step(operands_.lines[0]));
  int expected = 0;
  while (expected < levels && figure_of(expected) * step > limit) ++expected;
  // More entries spread beyond lower levels: refusing one refuses those before it.
  const std::uint32_t before = figure_of(figure_beyond + 1);
  if (expected > 0 && figure_of(expected - 1) <= limit && before <= limit) {
    const bool is_only = levels == 1;
    return {is_only ? Answer::found : Answer::not_later, expected - 1, before};
  }
  if (expected == levels) return {Answer::later, levels, 0};
  const std::uint32_t beyond = figure_of(figure_beyond);
  return {beyond <= limit ? Answer::found : Answer::later, beyond <= limit ? expected : expected + 1, beyond};
}

void DeviceSpread::release() {
  for (opencl::Workspace* w : {&masks_, &beyond_}) call_.give_back(*w);
}

}  // namespace hilo::modular
