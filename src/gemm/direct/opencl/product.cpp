#include "gemm/direct/opencl/product.hpp"

#include <algorithm>
#include <array>

#include "gemm/direct/opencl/blocks.hpp"
#include "gemm/direct/reference.hpp"
#include "opencl/self_test.hpp"
#include "opencl/sequence.hpp"
#include "tile/arguments.hpp"
#include "tile/fallback.hpp"
#include "tile/table.hpp"

namespace hilo::direct {
namespace {

using opencl::ContextState;
using opencl::narrow;
using opencl::QueueState;
using opencl::Sequence;
using opencl::set_arguments;
using opencl::Workspace;

cl_double4 words(const dd_complex& z) { return {{z.re.hi, z.re.lo, z.im.hi, z.im.lo}}; }

tile::NumberKind kind_of(bool is_complex) { return {is_complex ? Precision::zdd : Precision::dd}; }

cl::Program edge_program(ContextState& context, const tile::Tile& tile, bool is_complex) {
  auto define = [](const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); };
  const std::string options = number_options(kind_of(is_complex), 1, context.info.fma) +
                              define("PANEL_LANES", tile.lanes) + define("PANEL_ROWS", tile.panel_rows()) +
                              define("PANEL_COLUMNS", tile.panel_columns());
  return context.programs.get(
      context, opencl::ProgramRecipe{"pack and finish",
                                     {"prelude.cl", "eft.clh", "core.clh", "step.clh", "lanes.cl", "number_dd.cl",
                                      "operands.cl", "turn.cl", "pack.cl", "sums.cl", "update.cl", "finish.cl"},
                                     options});
}

cl::Program multiply_program(ContextState& context, const tile::Tile& tile, Accuracy accuracy, bool fma) {
  const tile::NumberKind kind{Precision::dd};
  auto define = [](const char* name, int value) { return std::string(" -D") + name + "=" + std::to_string(value); };
  const std::string options = number_options(kind, tile.lanes, fma) + tile_options(tile, kind) +
                              define("LEFT_TOGETHER", 1) + define("RIGHT_TOGETHER", 1) + define("LEFT_PACKED", 1) +
                              define("RIGHT_PACKED", 1) + define("LEFT_COPY", 1) + define("RIGHT_COPY", 1) +
                              define("RENORMALISE_EVERY", renormalisation_interval(accuracy));
  return context.programs.get(
      context, opencl::ProgramRecipe{"multiply", multiply_files(tile, kind), options, {}, tile.groups_per_unit});
}

// A launch's time is a small product's; on a CPU it is nothing beside that of an entry by itself.
constexpr std::int64_t most_small_steps = std::int64_t{1} << 24;
constexpr std::int64_t small_side = 8;
// What a chunk takes of local memory there, in ZDD; DD takes less.
constexpr std::int64_t small_chunk_bytes = 10752;
// Work-groups of a launch are not everywhere more than 65535 beside its first dimension.
constexpr std::int64_t most_small_columns = std::int64_t{1} << 17;

bool is_small(const DeviceInfo& device, const OpenclProduct& p) {
  const std::int64_t parts = p.is_complex ? 2 : 1;
  if (device.type == DeviceType::cpu || p.k * parts > superchunk_steps) return false;
  return p.m <= most_small_steps && p.n <= std::min(most_small_columns, most_small_steps / p.m) &&
         p.k * parts * parts <= most_small_steps / (p.m * p.n);
}

std::int64_t small_groups(std::int64_t lines) { return (lines + small_side - 1) / small_side; }

tile::Form small_form(const OpenclProduct& p) {
  const std::int64_t counters = small_groups(p.m) * small_groups(p.n);
  return {1, 1, small_side, small_side, p.k, counters * static_cast<std::int64_t>(sizeof(cl_int))};
}

tile::Form tiled_form(const OpenclProduct& p, const tile::Tile& tile, const Blocks& blocks) {
  const std::int64_t parts = p.is_complex ? 2 : 1;
  return {tile.item_rows,       tile.item_columns, tile.panel_rows(), tile.panel_columns() / parts,
          blocks.depth / parts, blocks.bytes()};
}

Blocks blocks_of(const OpenclProduct& p, const tile::Tile& tile, std::int64_t workspace) {
  const std::int64_t parts = p.is_complex ? 2 : 1;
  return block_product(tile, p.m, p.n * parts, p.k * parts, workspace);
}

// All in one launch.
tile::Run enqueue_small(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list) {
  ContextState& context = *queue.context;
  const std::int64_t steps = p.k * (p.is_complex ? 2 : 1);
  const int interval = renormalisation_interval(p.accuracy);
  int chunks = steps > 128 ? 4 : steps > 64 ? 2 : 1;
  // With a little for the driver.
  while (chunks > 1 && chunks * small_chunk_bytes + 1024 > context.info.local_memory) chunks /= 2;
  const std::array<int, 5> key = {-1, p.is_complex, p.fma, interval, chunks};
  const cl::Program program = context.programs.get(context, key, [&] {
    return opencl::ProgramRecipe{"small product",
                                 {"prelude.cl", "eft.clh", "core.clh", "step.clh", "lanes.cl", "operands.cl", "sums.cl",
                                  "update.cl", "small_product.cl"},
                                 number_options(kind_of(p.is_complex), 1, p.fma) + " -DRENORMALISE_EVERY=" +
                                     std::to_string(interval) + " -DCHUNKS=" + std::to_string(chunks)};
  });
  opencl::BorrowedKernel kernel = context.kernels.borrow(program, "multiply_small");
  const std::int64_t row_groups = small_groups(p.m), column_groups = small_groups(p.n);
  tile::Run run;
  run.form = small_form(p);
  run.counters = row_groups * column_groups;
  run.recomputed =
      context.workspaces.borrow(context, queue.queue, queue.in_order, run.form->workspace_bytes, "counters");
  Sequence sequence(queue, wait_list);
  sequence.wait_also(run.recomputed.busy());
  set_arguments(kernel, p.a.buffer, view_at(p.a, 0, 0), p.b.buffer, view_at(p.b, 0, 0), p.c.buffer, view_at(p.c, 0, 0),
                narrow(p.m), narrow(p.n), narrow(p.k), words(p.alpha), words(p.beta), p.fma ? 0 : interval,
                run.recomputed.buffer());
  auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  sequence.launch(*kernel, cl::NDRange(size(row_groups * small_side), size(column_groups * small_side), size(chunks)),
                  cl::NDRange(size(small_side), size(small_side), size(chunks)));
  run.event = sequence.finish();
  return run;
}

tile::TileKey key_of(const OpenclProduct& p) {
  return {p.is_complex ? Precision::zdd : Precision::dd, true, true, tile::size_class(p.m, p.n)};
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
  const tile::Tile& tile;
  const Blocks& blocks;
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
    auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
    for (std::int64_t slice = 0; slice < blocks.slices; ++slice) {
      const std::int64_t start = slice * blocks.planes * superchunk_steps;
      const std::int64_t count = std::min(steps - start, blocks.planes * superchunk_steps);
      const std::int64_t planes = (count + superchunk_steps - 1) / superchunk_steps;
      auto pack = [&](cl::Kernel& kernel, const tile::OpenclMatrix& x, const tile::KernelView& view, std::int64_t lines,
                      std::int64_t line_stride, const cl::Buffer& panels, std::int64_t panel_count,
                      std::int64_t padded) {
        set_arguments(kernel, x.buffer, view, narrow(lines), narrow(count), cl_int{line_stride == 1}, panels,
                      narrow(panel_count), narrow(blocks.depth));
        sequence.launch(kernel, cl::NDRange(size((padded + 31) / 32 * 32 * ((blocks.depth + 31) / 32)), 8),
                        cl::NDRange(32, 8));
      };
      pack(pack_left, p.a, view_at(p.a, i0, start / parts), rows, p.a.row_stride, left, row_panels, padded_rows);
      pack(pack_right, p.b, view_at(p.b, start / parts, j0), columns * parts, p.b.column_stride, right, column_panels,
           padded_columns);
      tile::KernelShape s{};
      s.left_panel = blocks.depth * tile.panel_rows();
      s.right_panel = blocks.depth * tile.panel_columns();
      s.left_stride = tile.panel_rows();
      s.right_stride = tile.panel_columns();
      s.c_stride = padded_rows;
      s.left_batch = superchunk_steps * s.left_stride;
      s.right_batch = superchunk_steps * s.right_stride;
      s.c_batch = padded_rows * padded_columns;
      s.rows = narrow(padded_rows);
      s.columns = narrow(padded_columns);
      s.steps = narrow(count);
      set_arguments(multiply, left, right, partial, s, cl_double2{}, cl_double2{});
      auto launch = [&] {
        sequence.launch(multiply, cl::NDRange(size(row_panels * column_panels * tile.group_items()), size(planes)),
                        cl::NDRange(size(tile.group_items()), 1));
      };
      if (i0 == 0 && j0 == 0 && slice == 0) {
        tile::first_launch(launch);
      } else {
        launch();
      }
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
tile::Run enqueue_scale(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                        const tile::Tile& tile) {
  Sequence sequence(queue, wait_list);
  cl::Kernel kernel(edge_program(*queue.context, tile, p.is_complex), "scale");
  constexpr std::int64_t block = std::int64_t{1} << 19;
  for (std::int64_t j = 0; j < p.n; j += block) {
    for (std::int64_t i = 0; i < p.m; i += block) {
      std::int64_t rows = std::min(p.m - i, block), columns = std::min(p.n - j, block);
      set_arguments(kernel, p.c.buffer, view_at(p.c, i, j), narrow(rows), narrow(columns), words(p.beta));
      sequence.launch_over(kernel, rows, columns);
    }
  }
  return {sequence.finish(), {}, {}};
}

tile::Run enqueue_product(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                          const tile::Tile& tile, std::int64_t workspace) {
  ContextState& context = *queue.context;
  const std::int64_t parts = p.is_complex ? 2 : 1;
  const Blocks blocks = blocks_of(p, tile, workspace);
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
                 tile::first_launch([&] { return cl::Kernel(product, "multiply_panels"); }),
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
  return {event, tiled_form(p, tile, blocks), std::move(recomputed)};
}

}  // namespace

tile::Form planned_form(const DeviceInfo& device, const OpenclProduct& p) {
  if (is_small(device, p)) return small_form(p);
  const tile::Tile tile = tile_for(device, key_of(p));
  return tiled_form(p, tile, blocks_of(p, tile, tile::default_workspace(device)));
}

tile::Run enqueue(QueueState& queue, const OpenclProduct& p, const std::vector<cl::Event>& wait_list,
                  const tile::Choice& choice) {
  check_device(queue.context->info);
  const std::int64_t workspace = choice.workspace.value_or(tile::default_workspace(queue.context->info));
  auto run = [&](const tile::Tile& tile) -> tile::Run {
    bool is_empty = p.m == 0 || p.n == 0, is_scaling = p.k == 0 || p.alpha == dd_complex(0);
    if (!is_empty) {
      opencl::require_self_test(*queue.context, tile.lanes);
      if (!is_scaling && (choice.is_small ? *choice.is_small : !choice.tile && is_small(queue.context->info, p))) {
        return enqueue_small(queue, p, wait_list);
      }
      if (!is_scaling) return enqueue_product(queue, p, wait_list, tile, workspace);
      if (!(p.beta == dd_complex(1))) return enqueue_scale(queue, p, wait_list, tile);
    }
    // Nothing to do, but not before the wait list.
    return {opencl::marker_after(queue, wait_list), {}, {}};
  };
  return opencl::guarded("computing a product", [&]() -> tile::Run {
    return choice.tile ? run(*choice.tile) : tile::run_with_tile(queue.context->info, key_of(p), run);
  });
}

}  // namespace hilo::direct
