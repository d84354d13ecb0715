#include "gemm/modular/opencl/direct_list.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "matrix/sizes.hpp"

namespace hilo::modular {

using opencl::narrow;

UnscalableEntries count_unscalable(const Scan& scan, std::int64_t most_exponent) {
  const ScannedOperands& found = scan.found();
  const std::int64_t rows = scan.figure_of(figure::bad), columns = scan.figure_of(figure::bad + 1);
  const std::int64_t m = found.lines[0], n = found.lines[1];
  const std::int64_t largest = scan.figure_of(figure::largest) + scan.figure_of(figure::largest + 1);
  UnscalableEntries entries{rows * n + columns * m - rows * columns, largest > most_exponent, most_exponent};
  if (!entries.has_overflow) return entries;
  std::vector<cl_int> exponents[2];
  for (int o = 0; o < 2; ++o) {
    std::vector<cl_int> all(static_cast<std::size_t>(found.lines[o]));
    scan.call().read(found.exponents[o], 4 * all.size(), all.data());
    std::copy_if(all.begin(), all.end(), std::back_inserter(exponents[o]),
                 [](cl_int e) { return e != line_of_zeros && e != line_is_bad; });
  }
  std::sort(exponents[1].begin(), exponents[1].end());
  for (cl_int e : exponents[0]) {
    entries.count += exponents[1].end() - std::upper_bound(exponents[1].begin(), exponents[1].end(), most_exponent - e);
  }
  return entries;
}

DirectList list_direct(const Scan& scan, const UnscalableEntries& unscalable, const SpreadTest& spread) {
  // As kernels/modular/spread.cl has them.
  constexpr std::int64_t plane_lines = 32;
  opencl::Call& call = scan.call();
  const ScannedOperands& found = scan.found();
  const std::int64_t beyond = spread.entries_beyond(), most = unscalable.count + beyond;
  if (most == 0) return {};
  if (most > 0x7fffffff) {
    throw error(errc::unsupported, "gemm: " + std::to_string(most) +
                                       " entries would go to the direct engine, more than backend opencl lists");
  }
  DirectList list{call.borrow(most * 8, "the entries for the direct engine"), most};
  auto kernel = call.kernel(scan.program(), "list_direct");
  // The counter is a figure of its own.
  const cl::Buffer counter = call.borrow(4, "a counter");
  call.fill_zero(counter, 4);
  const opencl::list_arguments arguments{.rows = narrow(found.lines[0]),
                                         .columns = narrow(found.lines[1]),
                                         .most_exponent = narrow(unscalable.most_exponent),
                                         .has_unscalable = unscalable.count > 0,
                                         .word_pitch = beyond ? spread.word_pitch() : 0,
                                         .most = narrow(most)};
  opencl::set_arguments(kernel, found.exponents[0], found.exponents[1], beyond ? spread.beyond() : found.exponents[0],
                        list.positions, counter, arguments);
  call.launch_over(*kernel, blocks(found.lines[1], plane_lines), found.lines[0]);
  if (unscalable.has_overflow && beyond) {
    cl_int count = 0;
    call.read(counter, sizeof count, &count);
    list.count = count;
  }
  return list;
}

}  // namespace hilo::modular
