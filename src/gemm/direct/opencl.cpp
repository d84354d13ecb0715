#include "gemm/direct/opencl.hpp"

#include <algorithm>

#include "gemm/direct/reference.hpp"
#include "opencl/self_test.hpp"
#include "opencl/sequence.hpp"

namespace hilo::direct {
namespace {

using opencl::ContextState;
using opencl::narrow;
using opencl::QueueState;
using opencl::Sequence;
using opencl::set_arguments;
using opencl::Workspace;

/// matrix_view of kernels/operands.cl.
struct KernelView {
  cl_long offset, row_stride, column_stride, conjugate;
};

KernelView view_at(const OpenclMatrix& x, std::int64_t row, std::int64_t column) {
  return {x.offset + row * x.row_stride + column * x.column_stride, x.row_stride, x.column_stride, x.conjugate};
}

cl_double4 words(const dd_complex& z) { return {{z.re.hi, z.re.lo, z.im.hi, z.im.lo}}; }

cl::Program edge_program(ContextState& context, const OpenclTile& tile, bool is_complex) {
  auto define = [](const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); };
  std::string options = "-DHILO_LANES=1" + define("HILO_FMA", context.info.fma) + define("IS_COMPLEX", is_complex) +
                        define("PANEL_LANES", tile.lanes) + define("PANEL_ROWS", tile.panel_rows()) +
                        define("PANEL_COLUMNS", tile.panel_columns());
  auto text = opencl::program_text("pack and finish",
                                   {"prelude.cl", "eft.clh", "core.clh", "step.clh", "lanes.cl", "operands.cl",
                                    "pack.cl", "sums.cl", "update.cl", "finish.cl"},
                                   options);
  return context.programs.get(context, text);
}

cl::Program multiply_program(ContextState& context, const OpenclTile& tile, Accuracy accuracy, bool fma) {
  auto text =
      opencl::program_text("multiply", {"prelude.cl", "eft.clh", "core.clh", "step.clh", "lanes.cl", "multiply.cl"},
                           multiply_options(tile, accuracy, fma));
  return context.programs.get(context, text);
}

void check_device(const DeviceInfo& device) {
  if (!device.fp64) {
    throw error(errc::unsupported, "device " + device.name +
                                       " has no double precision (cl_khr_fp64), which DD and "
                                       "ZDD products by the direct engine need");
  }
}

/// The product of one block of C, all slices of k.
struct BlockRun {
  const OpenclProduct& p;
  const OpenclTile& tile;
  const OpenclBlocks& blocks;
  Sequence& sequence;
  cl::Kernel pack_left, pack_right, multiply, finish;
  cl::Buffer left, right, partial, totals, recomputed;

  void run(std::int64_t i0, std::int64_t j0) {
    const std::int64_t parts = p.is_complex ? 2 : 1, steps = p.k * parts;
    const std::int64_t rows = std::min(p.m - i0, blocks.rows);
    const std::int64_t columns = std::min(p.n - j0, blocks.columns / parts);
    const std::int64_t row_panels = (rows + tile.panel_rows() - 1) / tile.panel_rows();
    const std::int64_t column_panels = (columns * parts + tile.panel_columns() - 1) / tile.panel_columns();
    const std::int64_t padded_rows = row_panels * tile.panel_rows();
    const std::int64_t padded_columns = column_panels * tile.panel_columns();
    for (std::int64_t slice = 0; slice < blocks.slices; ++slice) {
      const std::int64_t start = slice * blocks.planes * superchunk_steps;
      const std::int64_t count = std::min(steps - start, blocks.planes * superchunk_steps);
      const std::int64_t planes = (count + superchunk_steps - 1) / superchunk_steps;
      set_arguments(pack_left, p.a.buffer, view_at(p.a, i0, start / parts), narrow(rows), narrow(count), left,
                    narrow(row_panels), narrow(blocks.depth));
      sequence.launch_over(pack_left, padded_rows, blocks.depth);
      set_arguments(pack_right, p.b.buffer, view_at(p.b, start / parts, j0), narrow(columns * parts), narrow(count),
                    right, narrow(column_panels), narrow(blocks.depth));
      sequence.launch_over(pack_right, padded_columns, blocks.depth);
      set_arguments(multiply, left, right, partial, narrow(blocks.depth), narrow(count));
      auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
      sequence.launch(
          multiply,
          cl::NDRange(size(column_panels * tile.group_rows), size(row_panels * tile.group_columns), size(planes)),
          cl::NDRange(size(tile.group_rows), size(tile.group_columns), 1));
      const cl_int slice_flags = (slice == 0 ? 1 : 0) + (slice == blocks.slices - 1 ? 2 : 0);
      const cl_int interval = p.fma ? 0 : renormalisation_interval(p.accuracy);
      set_arguments(finish, partial, narrow(planes), narrow(padded_rows), narrow(padded_columns), totals, slice_flags,
                    p.c.buffer, view_at(p.c, i0, j0), narrow(rows), narrow(columns), words(p.alpha), words(p.beta),
                    p.a.buffer, view_at(p.a, i0, 0), p.b.buffer, view_at(p.b, 0, j0), cl_long{steps}, interval,
                    recomputed);
      sequence.launch_over(finish, rows, columns);
    }
  }
};

/// C = beta · C.
OpenclRun enqueue_scale(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                        const OpenclTile& tile) {
  Sequence sequence(queue, wait_list);
  cl::Kernel kernel(edge_program(*queue.context, tile, p.is_complex), "scale");
  constexpr std::int64_t block = std::int64_t{1} << 24;
  for (std::int64_t j = 0; j < p.n; j += block) {
    for (std::int64_t i = 0; i < p.m; i += block) {
      std::int64_t rows = std::min(p.m - i, block), columns = std::min(p.n - j, block);
      set_arguments(kernel, p.c.buffer, view_at(p.c, i, j), narrow(rows), narrow(columns), words(p.beta));
      sequence.launch_over(kernel, rows, columns);
    }
  }
  return {sequence.finish(), {}};
}

OpenclRun enqueue_product(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                          const OpenclTile& tile, std::int64_t workspace) {
  ContextState& context = *queue.context;
  const std::int64_t parts = p.is_complex ? 2 : 1;
  const OpenclBlocks blocks = block_product(tile, p.m, p.n * parts, p.k * parts, workspace);
  cl::Program edges = edge_program(context, tile, p.is_complex);
  cl::Program product = multiply_program(context, tile, p.accuracy, p.fma);

  auto borrow = [&](std::int64_t bytes, const char* what) {
    return context.workspaces.borrow(context, queue.queue, queue.in_order, bytes, what);
  };
  Workspace left = borrow(blocks.left_bytes, "the packed panels of A");
  Workspace right = borrow(blocks.right_bytes, "the packed panels of B");
  Workspace partial = borrow(blocks.partial_bytes, "the sums of a block of C");
  Workspace totals = borrow(blocks.total_bytes, "the totals of a block of C");
  Workspace recomputed = borrow(sizeof(cl_uint), "a counter");

  Sequence sequence(queue, wait_list);
  for (const Workspace* w : {&left, &right, &partial, &totals, &recomputed}) sequence.wait_also(w->busy());
  sequence.fill_zero(recomputed.buffer(), sizeof(cl_uint));
  BlockRun block{p,
                 tile,
                 blocks,
                 sequence,
                 cl::Kernel(edges, "pack_left"),
                 cl::Kernel(edges, "pack_right"),
                 cl::Kernel(product, "multiply_panels"),
                 cl::Kernel(edges, "finish"),
                 left.buffer(),
                 right.buffer(),
                 partial.buffer(),
                 totals.buffer(),
                 recomputed.buffer()};
  for (std::int64_t j = 0; j < p.n; j += blocks.columns / parts) {
    for (std::int64_t i = 0; i < p.m; i += blocks.rows) block.run(i, j);
  }
  Event event = sequence.finish();
  for (Workspace* w : {&left, &right, &partial, &totals}) w->release(queue.queue, sequence.last());
  return {event, std::move(recomputed)};
}

}  // namespace

void prepare(ContextState& context, bool is_complex, Accuracy accuracy, bool fma, const OpenclTile& tile) {
  check_device(context.info);
  require_self_test(context, tile.lanes);
  edge_program(context, tile, is_complex);
  multiply_program(context, tile, accuracy, fma);
}

OpenclRun enqueue(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                  const OpenclChoice& choice) {
  check_device(queue.context->info);
  const OpenclTile tile = choice.tile.value_or(tile_for(queue.context->info));
  const std::int64_t workspace = choice.workspace.value_or(default_workspace(queue.context->info));
  return opencl::guarded("computing a product", [&]() -> OpenclRun {
    bool is_empty = p.m == 0 || p.n == 0, is_scaling = p.k == 0 || p.alpha == dd_complex(0);
    if (!is_empty) {
      opencl::require_self_test(*queue.context, tile.lanes);
      if (!is_scaling) return enqueue_product(queue, p, wait_list, tile, workspace);
      if (!(p.beta == dd_complex(1))) return enqueue_scale(queue, p, wait_list, tile);
    }
    // Nothing to do, but not before the wait list.
    return {opencl::marker_after(queue, wait_list), {}};
  });
}

}  // namespace hilo::direct
