#include "gemm/modular/opencl/sums.hpp"

#include <algorithm>
#include <cmath>

#include "gemm/modular/opencl/bytes.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

// As kernels/modular/sums.cl has them.
constexpr std::int64_t chunk_terms = 16, sum_entries = 16, group_columns = 16, group_rows = 4;
constexpr std::int64_t line_items = 64;
// Items that keep a large device busy, and the most chunks of one.
constexpr std::int64_t busy_items = std::int64_t{1} << 16, most_chunks = 8;
// What no tile exceeds.
constexpr std::int64_t most_tile_lines = 256, most_tile_depth = 64;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

}  // namespace

std::int64_t norm_words(std::int64_t m, std::int64_t n) { return 3 * (m + n); }

std::int64_t sum_test_bytes(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t rows = round_up(m, most_tile_lines), columns = round_up(n, most_tile_lines);
  return (rows + columns) * (round_up(std::min(k, most_summed_terms), most_tile_depth) + 12) + rows * columns;
}

void enqueue_sum_test(opencl::Call& call, const cl::Program& program, ByteUnit unit, const ScannedOperands& operands,
                      const cl::Buffer& norms, const cl::Buffer& scaled, const cl::Buffer& figures) {
  opencl::ContextState& context = call.context();
  const std::int64_t m = operands.lines[0], n = operands.lines[1], k = operands.terms;
  const ByteTile tile = byte_tile(unit, m, n);
  const std::int64_t rows = round_up(m, tile.rows), columns = round_up(n, tile.columns);
  const std::int64_t depth = round_up(std::min(k, most_summed_terms), tile.depth);
  Workspace bytes = call.lend((rows + columns) * depth, "magnitudes of operands");
  Workspace sums = call.lend(rows * columns, "sums of magnitudes");
  const std::int64_t chunks = depth / chunk_terms;
  // Few for each item where there are few lines.
  const std::int64_t at_once = std::clamp<std::int64_t>((m + n) * chunks / busy_items, 1, most_chunks);
  auto over_lines = [&](const cl::Kernel& launched, std::int64_t lines, std::int64_t terms) {
    const std::int64_t groups = blocks(terms, chunk_terms * at_once);
    call.launch(launched, cl::NDRange(size(round_up(lines, line_items)), size(groups), 2),
                cl::NDRange(line_items, 1, 1), true);
  };

  auto add = call.kernel(program, "sum_squares");
  set_arguments(add, operands.codes[0], operands.codes[1], operands.exponents, norms, figures,
                opencl::square_arguments{narrow(m), narrow(n), narrow(k), narrow(at_once)});
  over_lines(*add, std::max(m, n), k);

  auto make = call.kernel(program, "magnitudes");
  const opencl::magnitude_arguments arguments{.lines_of_a = narrow(m),
                                              .tile_of_a = tile.rows,
                                              .padded_a = narrow(rows),
                                              .lines_of_b = narrow(n),
                                              .tile_of_b = tile.columns,
                                              .padded_b = narrow(columns),
                                              .terms = narrow(k),
                                              .chunks = narrow(chunks),
                                              .chunks_at_once = narrow(at_once),
                                              .log2_of_norms = log2_of_norms(k)};
  set_arguments(make, operands.codes[0], operands.codes[1], operands.exponents, bytes.buffer(), scaled, norms, figures,
                arguments);
  over_lines(*make, std::max(rows, columns), depth);

  // The modulus is of no use here.
  const auto product =
      byte_multiplier(context, unit, tile, ByteResult::leading_bits)
          .launch({bytes.buffer(), bytes.buffer(), sums.buffer(), figures, 0, 1, narrow(rows / tile.rows),
                   narrow(columns / tile.columns), depth, false, rows * depth});
  call.launch(*product.kernel, product.global, product.local, true);

  auto ask = call.kernel(program, "most_asked");
  set_arguments(ask, sums.buffer(), cl_long{columns}, norms, narrow(m), narrow(n), figures);
  call.launch(*ask,
              cl::NDRange(size(round_up(blocks(n, sum_entries), group_columns)),
                          size(round_up(blocks(m, sum_entries), group_rows))),
              cl::NDRange(group_columns, group_rows));
  for (Workspace* w : {&bytes, &sums}) call.give_back(*w);
}

SumTestFigures sum_test_figures(const Figures& figures) {
  return {figures[figure::asked],
          {figures[figure::norm], figures[figure::norm + 1]},
          {figures[figure::shift], figures[figure::shift + 1]}};
}

}  // namespace hilo::modular
