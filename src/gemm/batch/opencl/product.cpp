#include "gemm/batch/opencl/product.hpp"

#include <algorithm>
#include <array>

#include "dd/canonical_order.hpp"
#include "matrix/sizes.hpp"
#include "opencl/call.hpp"

namespace hilo::batch {
namespace {

using opencl::ContextState;
using opencl::define;
using opencl::narrow;

// What a program is built for besides the tile.
struct Variant {
  bool is_staged, is_chunked, has_offsets;
};

Variant variant_of(const BatchTile& t, const DeviceProduct& x) {
  const bool is_chunked = is_double_double(x.precision) && x.k() * parts(x.precision) > canonical::chunk_steps;
  return {x.k() > t.depth, is_chunked, x.offsets.has_value()};
}

cl::Program program_of(ContextState& context, const BatchTile& t, const Arithmetic& arithmetic,
                       const DeviceProduct& x) {
  const tile::NumberKind kind{x.precision};
  const Variant variant = variant_of(t, x);
  const std::array<int, 13> key = {-3,
                                   static_cast<int>(x.precision),
                                   arithmetic.renormalise_every,
                                   arithmetic.fma,
                                   t.products,
                                   t.item_rows,
                                   t.item_columns,
                                   t.group_rows,
                                   t.group_columns,
                                   t.depth,
                                   variant.is_staged,
                                   variant.is_chunked,
                                   variant.has_offsets};
  return context.programs.get(context, key, [&] {
    std::string options = number_options(kind, 1, arithmetic.fma) + define("PRODUCTS", t.products) +
                          define("ITEM_ROWS", t.item_rows) + define("ITEM_COLUMNS", t.item_columns) +
                          define("GROUP_ROWS", t.group_rows) + define("GROUP_COLUMNS", t.group_columns) +
                          define("DEPTH", t.depth) + define("IS_STAGED", variant.is_staged) +
                          define("HAS_OFFSETS", variant.has_offsets) + opencl::unrolled(context.info);
    if (kind.is_double_double()) {
      options += define("RENORMALISE_EVERY", arithmetic.renormalise_every) + define("IS_CHUNKED", variant.is_chunked);
    }
    return opencl::ProgramRecipe{"batch", "batch/multiply.cl", options};
  });
}

// The least integer above 2^31 / x: what kernels/batch/multiply.cl divides by x with.
cl_int reciprocal(std::int64_t x) { return static_cast<cl_int>(static_cast<cl_uint>((std::int64_t{1} << 31) / x + 1)); }

// Of `all_lines` of an operand `lines` are read at a time, and so of its terms.
opencl::batch_operand operand_of(const DeviceView& x, std::int64_t line_stride, std::int64_t term_stride,
                                 std::int64_t batch_stride, std::int64_t all_lines, std::int64_t most_lines,
                                 std::int64_t all_terms, std::int64_t most_terms) {
  const std::int64_t lines = std::min(all_lines, most_lines), terms = std::min(all_terms, most_terms);
  const bool by_lines = line_stride <= term_stride;
  const std::int64_t inner = by_lines ? lines : terms, both = lines * terms;
  const std::int64_t inner_stride = by_lines ? line_stride : term_stride;
  const std::int64_t outer_stride = by_lines ? term_stride : line_stride;
  opencl::batch_operand o{};
  o.offset = x.offset;
  o.batch_stride = batch_stride;
  o.line_stride = narrow(line_stride);
  o.term_stride = narrow(term_stride);
  o.inner = narrow(inner);
  o.inner_reciprocal = reciprocal(inner);
  o.both = narrow(both);
  o.both_reciprocal = reciprocal(both);
  o.by_lines = by_lines;
  o.conjugates = x.conjugate;
  o.is_dense = lines == all_lines && terms == all_terms && inner_stride == 1 &&
               (both == inner || outer_stride == inner) && batch_stride == both;
  return o;
}

opencl::batch_arguments arguments_of(const BatchTile& t, const DeviceProduct& x) {
  opencl::batch_arguments p{};
  if (x.reads_operands()) {
    p.a = operand_of(x.a, x.a.row_stride, x.a.column_stride, x.batch.stride_a, x.m(), t.rows(), x.k(), t.depth);
    p.b = operand_of(x.b, x.b.column_stride, x.b.row_stride, x.batch.stride_b, x.n(), t.columns(), x.k(), t.depth);
  }
  p.offset_of_c = x.c.offset;
  p.stride_of_c = x.batch.stride_c;
  p.row_stride = narrow(x.c.row_stride);
  p.column_stride = narrow(x.c.column_stride);
  p.count = x.batch.count;
  p.rows = narrow(x.m());
  p.columns = narrow(x.n());
  p.terms = narrow(x.k());
  p.row_tiles = narrow(groups_of(t, x).row_tiles);
  p.by_columns = x.c.column_stride < x.c.row_stride;
  return p;
}

void set_factor(cl::Kernel& kernel, cl_uint index, Precision precision, const dd_complex& x) {
  if (is_double_double(precision)) {
    kernel.setArg(index, words_of(x));
  } else {
    const tile::NumberArgument number({precision}, x);
    kernel.setArg(index, number.size, number.bytes.data());
  }
}

// Where matrices begin, on the device. They were copied when this returns, whatever the queue has to do.
cl::Buffer sent(ContextState& context, const DeviceProduct& x) {
  if (!x.offsets) return {};
  std::vector<cl_long> all;
  all.reserve(static_cast<std::size_t>(3 * x.batch.count));
  for (const std::int64_t* of : {x.offsets->a, x.offsets->b, x.offsets->c}) {
    all.insert(all.end(), of, of + x.batch.count);
  }
  return cl::Buffer(context.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, all.size() * sizeof(cl_long), all.data());
}

}  // namespace

tile::Run execute(const BatchTile& t, const Arithmetic& arithmetic, const DeviceProduct& x, opencl::QueueState& queue,
                  const std::vector<cl::Event>& wait_list) {
  if (!x.reads_operands() && x.beta == dd_complex(1)) return {opencl::marker_after(queue, wait_list), {}};
  ContextState& context = *queue.context;
  const cl::Program program = program_of(context, t, arithmetic, x);
  const opencl::batch_arguments arguments = arguments_of(t, x);
  const cl::Buffer offsets = sent(context, x);
  opencl::Call call(queue, wait_list);
  auto size = [](std::int64_t of) { return static_cast<std::size_t>(of); };
  if (!x.reads_operands()) {
    opencl::BorrowedKernel kernel = call.kernel(program, "scale_batch");
    (*kernel).setArg(0, x.c.buffer);
    (*kernel).setArg(1, arguments);
    set_factor(*kernel, 2, x.precision, x.beta);
    (*kernel).setArg(3, offsets);
    const std::int64_t items = round_up(x.batch.count * x.m() * x.n(), 64);
    call.launch(*kernel, cl::NDRange(size(items)), cl::NDRange(64));
    return {call.finish(), {}};
  }
  opencl::BorrowedKernel kernel = call.kernel(program, "multiply_batch");
  const Groups groups = groups_of(t, x);
  tile::Run run;
  if (is_double_double(x.precision)) {
    run.counters = groups.count();
    run.recomputed = call.lend(form_of(t, x).workspace_bytes, "counters");
  }
  opencl::set_arguments(kernel, x.a.buffer, x.b.buffer, x.c.buffer, arguments);
  set_factor(*kernel, 4, x.precision, x.alpha);
  set_factor(*kernel, 5, x.precision, x.beta);
  (*kernel).setArg(6, offsets);
  (*kernel).setArg(7, run.recomputed.buffer());
  call.launch(*kernel, cl::NDRange(size(groups.products * t.items()), size(groups.tiles())),
              cl::NDRange(size(t.items()), 1));
  run.event = call.finish();
  return run;
}

}  // namespace hilo::batch
