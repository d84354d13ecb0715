#include "gemm/direct/opencl/product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gemm/batch/opencl/product.hpp"
#include "gemm/direct/reference.hpp"
#include "matrix/sizes.hpp"
#include "opencl/call.hpp"
#include "opencl/self_test.hpp"
#include "tile/run.hpp"

namespace hilo::direct {
namespace {

using opencl::ContextState;
using opencl::define;
using opencl::narrow;
using opencl::QueueState;
using opencl::set_arguments;

cl::Program edge_program(ContextState& context, const tile::Tile& tile, Precision precision) {
  const std::string options = number_options(tile::NumberKind{precision}, 1, context.info.fma) +
                              define("PANEL_LANES", tile.lanes) + define("PANEL_ROWS", tile.panel_rows()) +
                              define("PANEL_COLUMNS", tile.panel_columns());
  return context.programs.get(context, opencl::ProgramRecipe{"pack and finish", "direct/pack_and_finish.cl", options});
}

cl::Program multiply_program(ContextState& context, const tile::Tile& tile, Accuracy accuracy, bool fma) {
  const tile::NumberKind kind{Precision::dd};
  const std::string options = number_options(kind, tile.lanes, fma) + tile_options(tile, kind) +
                              define("LEFT_TOGETHER", 1) + define("RIGHT_TOGETHER", 1) + define("LEFT_PACKED", 1) +
                              define("RIGHT_PACKED", 1) + define("LEFT_COPY", 1) + define("RIGHT_COPY", 1) +
                              define("RENORMALISE_EVERY", renormalisation_interval(accuracy)) +
                              define("SKIPS", context.info.type != DeviceType::cpu);
  return context.programs.get(
      context, opencl::ProgramRecipe{"multiply", tile::multiply_text, options, {}, tile.groups_per_unit});
}

// What a chunk takes of local memory in a small product, in ZDD; DD takes less.
constexpr std::int64_t small_chunk_bytes = 10752;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

// All in one launch.
tile::Run execute_small(QueueState& queue, const DevicePlan& p, const DeviceProduct& x,
                        const std::vector<cl::Event>& wait_list) {
  ContextState& context = *queue.context;
  const std::int64_t steps = p.k * parts(p.precision);
  const int interval = renormalisation_interval(p.accuracy);
  int chunks = steps > 128 ? 4 : steps > 64 ? 2 : 1;
  // With a little for the driver.
  while (chunks > 1 && chunks * small_chunk_bytes + 1024 > context.info.local_memory) chunks /= 2;
  const std::array<int, 5> key = {-1, is_complex(p.precision), p.fma, interval, chunks};
  const cl::Program program = context.programs.get(context, key, [&] {
    return opencl::ProgramRecipe{"small product", "direct/small_product.cl",
                                 number_options(tile::NumberKind{p.precision}, 1, p.fma) +
                                     define("RENORMALISE_EVERY", interval) + define("CHUNKS", chunks)};
  });
  opencl::Call call(queue, wait_list);
  opencl::BorrowedKernel kernel = call.kernel(program, "multiply_small");
  const std::int64_t row_groups = small_groups(p.m), column_groups = small_groups(p.n);
  tile::Run run;
  run.counters = row_groups * column_groups;
  run.recomputed = call.lend(p.form().workspace_bytes, "counters");
  const opencl::small_arguments arguments{.a = view_of(x.a),
                                          .b = view_of(x.b),
                                          .c = view_of(x.c),
                                          .triangle = triangle_of(x),
                                          .rows = narrow(p.m),
                                          .columns = narrow(p.n),
                                          .terms = narrow(p.k),
                                          .interval = p.fma ? 0 : interval};
  set_arguments(kernel, x.a.buffer, x.b.buffer, x.c.buffer, arguments, factors_of(x.alpha, x.beta),
                run.recomputed.buffer());
  call.launch(*kernel, cl::NDRange(size(row_groups * small_side), size(column_groups * small_side), size(chunks)),
              cl::NDRange(size(small_side), size(small_side), size(chunks)));
  run.event = call.finish();
  return run;
}

void check_device(const DeviceInfo& device) {
  if (!device.fp64) {
    throw error(errc::unsupported, "device " + device.name +
                                       " has no double precision (cl_khr_fp64), which DD and "
                                       "ZDD products by the direct engine need");
  }
}

// A product block by block of C, and slice by slice of k.
class BlockedProduct {
 public:
  BlockedProduct(QueueState& queue, const DevicePlan& plan, const DeviceProduct& product,
                 const std::vector<cl::Event>& wait_list)
      : plan_(plan),
        p_(product),
        tile_(plan.tile),
        blocks_(plan.blocks),
        parts_(parts(plan.precision)),
        call_(queue, wait_list) {
    const cl::Program edges = edge_program(call_.context(), tile_, plan.precision);
    const cl::Program product_program = multiply_program(call_.context(), tile_, plan.accuracy, plan.fma);
    left_ = call_.borrow(blocks_.left_bytes, "the packed panels of A");
    right_ = call_.borrow(blocks_.right_bytes, "the packed panels of B");
    partial_ = call_.borrow(blocks_.partial_bytes, "the sums of a block of C");
    totals_ = call_.borrow(blocks_.total_bytes, "the totals of a block of C");
    recomputed_ = call_.lend(sizeof(cl_uint), "a counter");
    pack_left_ = call_.kernel(edges, "pack_left");
    pack_right_ = call_.kernel(edges, "pack_right");
    multiply_ = tile::first_launch([&] { return call_.kernel(product_program, "multiply_panels"); });
    finish_ = call_.kernel(edges, "finish");
  }

  tile::Run run() {
    call_.fill_zero(recomputed_.buffer(), sizeof(cl_uint));
    for (std::int64_t j = 0; j < plan_.n; j += blocks_.columns / parts_) {
      for (std::int64_t i = 0; i < plan_.m; i += blocks_.rows) multiply_block(i, j);
    }
    return {call_.finish(), std::move(recomputed_)};
  }

 private:
  // The block of C whose first entry is (i, j).
  void multiply_block(std::int64_t i, std::int64_t j) {
    const std::int64_t steps = plan_.k * parts_;
    const std::int64_t rows = std::min(plan_.m - i, blocks_.rows);
    const std::int64_t columns = std::min(plan_.n - j, blocks_.columns / parts_);
    if (!p_.wants_block(i, j, rows, columns)) return;
    for (std::int64_t slice = 0; slice < blocks_.slices; ++slice) {
      const std::int64_t start = slice * blocks_.planes * superchunk_steps;
      const std::int64_t count = std::min(steps - start, blocks_.planes * superchunk_steps);
      pack(pack_left_, p_.a, view_at(p_.a, i, start / parts_), p_.a.row_stride == 1, {rows, tile_.panel_rows()}, count,
           left_);
      pack(pack_right_, p_.b, view_at(p_.b, start / parts_, j), p_.b.column_stride == 1,
           {columns * parts_, tile_.panel_columns()}, count, right_);
      multiply(i, j, rows, columns, count);
      finish(i, j, rows, columns, count, slice);
    }
  }

  // Lines of an operand, and of its panels.
  struct Lines {
    std::int64_t count, panel;
    std::int64_t panels() const { return hilo::blocks(count, panel); }
    std::int64_t padded() const { return panels() * panel; }
  };

  void pack(opencl::BorrowedKernel& kernel, const DeviceView& x, const opencl::matrix_view& view, bool is_together,
            Lines lines, std::int64_t steps, const cl::Buffer& panels) {
    set_arguments(kernel, x.buffer, view, narrow(lines.count), narrow(steps), cl_int{is_together}, panels,
                  narrow(lines.panels()), narrow(blocks_.depth));
    call_.launch(*kernel, cl::NDRange(size(round_up(lines.padded(), 32) * hilo::blocks(blocks_.depth, 32)), 8),
                 cl::NDRange(32, 8));
  }

  void multiply(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns, std::int64_t steps) {
    const Lines left{rows, tile_.panel_rows()}, right{columns * parts_, tile_.panel_columns()};
    opencl::shape s{};
    s.left_panel = blocks_.depth * tile_.panel_rows();
    s.right_panel = blocks_.depth * tile_.panel_columns();
    s.left_stride = tile_.panel_rows();
    s.right_stride = tile_.panel_columns();
    s.c_stride = left.padded();
    s.left_batch = superchunk_steps * s.left_stride;
    s.right_batch = superchunk_steps * s.right_stride;
    s.c_batch = left.padded() * right.padded();
    s.rows = narrow(left.padded());
    s.columns = narrow(right.padded());
    s.steps = narrow(steps);
    s.triangle = triangle_of(p_);
    s.row0 = narrow(i);
    s.column0 = narrow(j * parts_);
    s.parts = narrow(parts_);
    set_arguments(multiply_, left_, right_, partial_, s, cl_double2{}, cl_double2{});
    auto launch = [&] {
      call_.launch(*multiply_,
                   cl::NDRange(size(left.panels() * right.panels() * tile_.group_items()), size(planes_of(steps))),
                   cl::NDRange(size(tile_.group_items()), 1));
    };
    if (std::exchange(is_launched_, true)) {
      launch();
    } else {
      tile::first_launch(launch);
    }
  }

  // Adds the sums of a slice of k to the totals, and after the last slice writes C.
  void finish(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns, std::int64_t count,
              std::int64_t slice) {
    const Lines left{rows, tile_.panel_rows()}, right{columns * parts_, tile_.panel_columns()};
    const opencl::finish_arguments arguments{.c = view_at(p_.c, i, j),
                                             .a = view_at(p_.a, i, 0),
                                             .b = view_at(p_.b, 0, j),
                                             .steps = plan_.k * parts_,
                                             .planes = narrow(planes_of(count)),
                                             .padded_rows = narrow(left.padded()),
                                             .padded_columns = narrow(right.padded()),
                                             .is_first_slice = slice == 0,
                                             .is_last_slice = slice == blocks_.slices - 1,
                                             .rows = narrow(rows),
                                             .columns = narrow(columns),
                                             .interval = plan_.fma ? 0 : renormalisation_interval(plan_.accuracy),
                                             .triangle = triangle_of(p_),
                                             .diagonal = narrow(i - j)};
    set_arguments(finish_, partial_, totals_, p_.c.buffer, p_.a.buffer, p_.b.buffer, arguments,
                  factors_of(p_.alpha, p_.beta), recomputed_.buffer());
    call_.launch_over(*finish_, rows, columns);
  }

  static std::int64_t planes_of(std::int64_t steps) { return hilo::blocks(steps, superchunk_steps); }

  const DevicePlan& plan_;
  const DeviceProduct& p_;
  const tile::Tile& tile_;
  const Blocks& blocks_;
  const std::int64_t parts_;
  opencl::Call call_;
  cl::Buffer left_, right_, partial_, totals_;
  opencl::Workspace recomputed_;
  opencl::BorrowedKernel pack_left_, pack_right_, multiply_, finish_;
  bool is_launched_ = false;
};

// C = beta · C.
tile::Run execute_scale(QueueState& queue, const DevicePlan& p, const DeviceProduct& x,
                        const std::vector<cl::Event>& wait_list) {
  opencl::Call call(queue, wait_list);
  opencl::BorrowedKernel kernel = call.kernel(edge_program(*queue.context, p.tile, p.precision), "scale");
  constexpr std::int64_t block = std::int64_t{1} << 19;
  for (std::int64_t j = 0; j < p.n; j += block) {
    for (std::int64_t i = 0; i < p.m; i += block) {
      std::int64_t rows = std::min(p.m - i, block), columns = std::min(p.n - j, block);
      set_arguments(kernel, x.c.buffer, view_at(x.c, i, j), narrow(rows), narrow(columns), words_of(x.beta));
      call.launch_over(*kernel, rows, columns);
    }
  }
  return {call.finish(), {}};
}

}  // namespace

tile::Run execute(DevicePlan& plan, const DeviceProduct& x, QueueState& queue,
                  const std::vector<cl::Event>& wait_list) {
  const DeviceInfo& device = queue.context->info;
  check_device(device);
  auto run = [&](const tile::Tile& t) -> tile::Run {
    if (!x.is_empty()) {
      opencl::require_self_test(*queue.context, t.lanes);
      if (x.reads_operands() && plan.is_small) return execute_small(queue, plan, x, wait_list);
      if (!(t == plan.tile)) plan.set_tile(t);
      if (x.reads_operands()) return BlockedProduct(queue, plan, x, wait_list).run();
      if (!(x.beta == dd_complex(1))) return execute_scale(queue, plan, x, wait_list);
    }
    // Nothing to do, but not before the wait list.
    return {opencl::marker_after(queue, wait_list), {}};
  };
  return opencl::guarded("computing a product", [&]() -> tile::Run {
    if (plan.batch && !x.is_empty()) {
      opencl::require_self_test(*queue.context, 1);
      return batch::execute(*plan.batch, {renormalisation_interval(plan.accuracy), plan.fma}, x, queue, wait_list);
    }
    return plan.is_chosen ? run(plan.tile) : tile::run_with_tile(device, plan.key, plan.tile, run);
  });
}

}  // namespace hilo::direct
