#include "gemm/native/opencl/product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gemm/batch/opencl/product.hpp"
#include "gemm/native/opencl/three_products.hpp"
#include "matrix/sizes.hpp"
#include "opencl/call.hpp"
#include "tile/run.hpp"

namespace hilo::native {
namespace {

using opencl::ContextState;
using opencl::define;
using opencl::narrow;
using opencl::QueueState;
using opencl::set_arguments;

// Work-groups that a launch may have beside its first dimension, and columns of 16 to a work-group.
constexpr std::int64_t most_batches = 32768, most_columns = 16 * most_batches;

cl::Program multiply_program(ContextState& context, tile::NumberKind kind, const tile::Tile& tile,
                             const DeviceProduct& p, const Reading& left, const Reading& right) {
  const bool conjugates_left = kind.is_complex() && !left.is_packed && p.a.conjugate;
  const bool conjugates_right = kind.is_complex() && !right.is_packed && p.b.conjugate;
  auto make_recipe = [&] {
    const std::string options =
        number_options(kind, tile.lanes, false) + tile_options(tile, kind) + define("LEFT_TOGETHER", left.is_together) +
        define("RIGHT_TOGETHER", right.is_together) + define("LEFT_PACKED", left.is_packed) +
        define("RIGHT_PACKED", right.is_packed) + define("LEFT_COPY", left.copy) + define("RIGHT_COPY", right.copy) +
        define("CONJUGATES_LEFT", conjugates_left) + define("CONJUGATES_RIGHT", conjugates_right) +
        define("SKIPS", context.info.type != DeviceType::cpu) +
        (tile.has_matrix_unit() ? define("UNIT_ROWS", context.info.compute_capability >= 90 ? 16 : 8) : "");
    return opencl::ProgramRecipe{"multiply", tile::multiply_text, options, {}, tile.groups_per_unit};
  };
  const std::array<int, 9> key = {static_cast<int>(kind.precision),
                                  left.is_together,
                                  right.is_together,
                                  left.is_packed,
                                  right.is_packed,
                                  left.copy,
                                  right.copy,
                                  conjugates_left,
                                  conjugates_right};
  struct Key {
    std::array<int, 9> operands;
    decltype(numbers_of(std::declval<tile::Tile>())) tile;
  };
  return context.programs.get(context, Key{key, numbers_of(tile)}, make_recipe);
}

cl::Program pack_program(ContextState& context, tile::NumberKind kind, const tile::Tile& tile) {
  auto make_recipe = [&] {
    const std::string options = number_options(kind, 1, false) + define("CONJUGATES_LEFT", 0) +
                                define("CONJUGATES_RIGHT", 0) + define("PANEL_LANES", tile.lanes) +
                                define("PANEL_ROWS", tile.panel_rows()) + define("PANEL_COLUMNS", tile.panel_columns());
    return opencl::ProgramRecipe{"pack", "product/pack.cl", options};
  };
  // No precision of a multiplying program is negative.
  const std::array<int, 5> key = {-2, static_cast<int>(kind.precision), tile.lanes, tile.panel_rows(),
                                  tile.panel_columns()};
  return context.programs.get(context, key, make_recipe);
}

cl::Program scale_program(ContextState& context, tile::NumberKind kind) {
  return context.programs.get(
      context, opencl::ProgramRecipe{
                   "scale", "native/scale.cl",
                   number_options(kind, 1, false) + define("CONJUGATES_LEFT", 0) + define("CONJUGATES_RIGHT", 0)});
}

void scale(const DeviceProduct& p, opencl::Call& call) {
  const tile::NumberKind kind{p.precision};
  opencl::BorrowedKernel kernel = call.kernel(scale_program(call.context(), kind), "scale");
  const tile::NumberArgument beta(kind, p.beta);
  for (std::int64_t first = 0; first < p.batch.count; first += most_batches) {
    for (std::int64_t j = 0; j < p.n(); j += most_columns) {
      for (std::int64_t i = 0; i < p.m(); i += most_lines) {
        const std::int64_t rows = std::min(p.m() - i, most_lines), columns = std::min(p.n() - j, most_columns);
        const std::int64_t offset = p.c.at(i, j) + first * p.batch.stride_c;
        set_arguments(kernel, p.c.buffer,
                      opencl::batch_view{offset, p.c.row_stride, p.c.column_stride, p.batch.stride_c}, narrow(rows),
                      narrow(columns));
        (*kernel).setArg(4, beta.size, beta.bytes.data());
        auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
        call.launch(*kernel,
                    cl::NDRange(size(round_up(rows, 16)), size(round_up(columns, 16)),
                                size(std::min(p.batch.count - first, most_batches))),
                    cl::NDRange(16, 16, 1));
      }
    }
  }
}

// The commands of one product, batch and all.
class Multiplication {
 public:
  Multiplication(QueueState& queue, const DevicePlan& plan, const DeviceProduct& product,
                 const std::vector<cl::Event>& wait_list)
      : p_(product),
        kind_{plan.precision},
        tile_(plan.tile),
        left_(plan.left),
        right_(plan.right),
        cut_(plan.cut),
        call_(queue, wait_list) {
    ContextState& context = call_.context();
    const cl::Program program = multiply_program(context, kind_, tile_, p_, left_, right_);
    multiply_ = tile::first_launch([&] { return call_.kernel(program, "multiply_panels"); });
    if (left_.is_packed || right_.is_packed) {
      const cl::Program packs = pack_program(context, kind_, tile_);
      if (left_.is_packed) prepare_packing(packs, "pack_left", cut_.left_bytes, "the packed panels of A", left_pack_);
      if (right_.is_packed) {
        prepare_packing(packs, "pack_right", cut_.right_bytes, "the packed panels of B", right_pack_);
      }
    }
  }

  tile::Run run() {
    // A packed product has its workspace for one at a time.
    const std::int64_t most = left_.is_packed || right_.is_packed ? 1 : most_batches;
    for (std::int64_t first = 0; first < p_.batch.count; first += most) {
      for (std::int64_t j = 0; j < p_.n(); j += cut_.columns) {
        for (std::int64_t i = 0; i < p_.m(); i += cut_.rows) {
          for (std::int64_t h = 0; h < p_.k(); h += cut_.steps) {
            multiply(first, std::min(p_.batch.count - first, most), i, j, h);
          }
        }
      }
    }
    return {call_.finish(), {}};
  }

 private:
  struct Pack {
    opencl::BorrowedKernel kernel;
    cl::Buffer memory;
  };

  void prepare_packing(const cl::Program& program, const char* name, std::int64_t bytes, const char* what, Pack& pack) {
    pack.kernel = call_.kernel(program, name);
    pack.memory = call_.borrow(bytes, what);
  }

  void pack_panels(Pack& pack, const DeviceView& x, std::int64_t offset, bool is_together, std::int64_t lines,
                   std::int64_t steps, std::int64_t panel, std::int64_t depth) {
    const std::int64_t panels = blocks(lines, panel);
    set_arguments(pack.kernel, x.buffer, opencl::matrix_view{offset, x.row_stride, x.column_stride, x.conjugate},
                  narrow(lines), narrow(steps), cl_int{is_together}, pack.memory, narrow(panels), narrow(depth));
    call_.launch(*pack.kernel,
                 cl::NDRange(static_cast<std::size_t>(round_up(panels * panel, 32) * blocks(depth, 32)), 8),
                 cl::NDRange(32, 8), true);
  }

  // As kernels/product/triangle.cl numbers them.
  cl_long zeros_of_operands() const {
    if (p_.triangle_of_a) return *p_.triangle_of_a == Uplo::lower ? 1 : 2;
    if (p_.triangle_of_b) return *p_.triangle_of_b == Uplo::upper ? 3 : 4;
    return 0;
  }

  // Rows from i, columns from j and terms from h on of some of the batch.
  void multiply(std::int64_t first, std::int64_t count, std::int64_t i, std::int64_t j, std::int64_t h) {
    const std::int64_t rows = std::min(p_.m() - i, cut_.rows), columns = std::min(p_.n() - j, cut_.columns);
    if (!p_.wants_block(i, j, rows, columns)) return;
    const std::int64_t steps = std::min(p_.k() - h, cut_.steps), depth = round_up(steps, tile_.depth);
    const std::int64_t row_panels = blocks(rows, tile_.panel_rows());
    const std::int64_t column_panels = blocks(columns, tile_.panel_columns());
    opencl::shape s{};
    s.left = p_.a.at(i, h) + first * p_.batch.stride_a;
    s.right = p_.b.at(h, j) + first * p_.batch.stride_b;
    s.c = p_.c.at(i, j) + first * p_.batch.stride_c;
    if (left_.is_packed) {
      pack_panels(left_pack_, p_.a, s.left, is_left_together(p_), rows, steps, tile_.panel_rows(), depth);
      s.left = 0;
      s.left_panel = depth * tile_.panel_rows();
      s.left_stride = tile_.panel_rows();
    } else {
      s.left_panel = tile_.panel_rows() * p_.a.row_stride;
      s.left_stride = left_.is_together ? p_.a.column_stride : p_.a.row_stride;
      s.left_batch = p_.batch.stride_a;
    }
    if (right_.is_packed) {
      pack_panels(right_pack_, p_.b, s.right, is_right_together(p_), columns, steps, tile_.panel_columns(), depth);
      s.right = 0;
      s.right_panel = depth * tile_.panel_columns();
      s.right_stride = tile_.panel_columns();
    } else {
      s.right_panel = tile_.panel_columns() * p_.b.column_stride;
      s.right_stride = right_.is_together ? p_.b.row_stride : p_.b.column_stride;
      s.right_batch = p_.batch.stride_b;
    }
    s.c_stride = p_.c.column_stride;
    s.c_batch = p_.batch.stride_c;
    s.rows = narrow(rows);
    s.columns = narrow(columns);
    s.steps = narrow(steps);
    auto is_multiple = [&](std::int64_t x) { return x % tile_.row_run == 0; };
    s.triangle = triangle_of(p_);
    s.row0 = narrow(i);
    s.column0 = narrow(j);
    s.parts = 1;
    // Of a slice there may be panels without steps.
    if (steps == p_.k()) s.zeros = zeros_of_operands();
    // Vectors of a CPU are wider than what a buffer's elements are aligned to.
    s.is_c_aligned =
        tile_.lanes == 1 && is_multiple(s.c) && is_multiple(s.c_stride) && (count == 1 || is_multiple(s.c_batch));
    const cl::Buffer& left = left_.is_packed ? left_pack_.memory : p_.a.buffer;
    const cl::Buffer& right = right_.is_packed ? right_pack_.memory : p_.b.buffer;
    set_arguments(multiply_, left, right, p_.c.buffer, s);
    const tile::NumberArgument alpha(kind_, p_.alpha), beta(kind_, h == 0 ? p_.beta : dd_complex(1));
    (*multiply_).setArg(4, alpha.size, alpha.bytes.data());
    (*multiply_).setArg(5, beta.size, beta.bytes.data());
    const auto items = static_cast<std::size_t>(tile_.group_items());
    auto launch = [&] {
      call_.launch(
          *multiply_,
          cl::NDRange(static_cast<std::size_t>(row_panels * column_panels) * items, static_cast<std::size_t>(count)),
          cl::NDRange(items, 1));
    };
    if (std::exchange(writes_c_, true)) {
      launch();
    } else {
      tile::first_launch(launch);
    }
  }

  const DeviceProduct& p_;
  tile::NumberKind kind_;
  const tile::Tile& tile_;
  const Reading &left_, &right_;
  const Cut& cut_;
  opencl::Call call_;
  opencl::BorrowedKernel multiply_;
  Pack left_pack_, right_pack_;
  bool writes_c_ = false;
};

void check_device(const DeviceInfo& device, Precision precision) {
  if (!device.fp64 && tile::NumberKind{precision}.word_bytes() == 8) {
    throw error(errc::unsupported, "gemm: device " + device.name + " has no double precision (cl_khr_fp64), which " +
                                       std::string(name(precision)) + " products by engine direct need");
  }
}

}  // namespace

tile::Run execute(DevicePlan& plan, const DeviceProduct& product, QueueState& queue,
                  const std::vector<cl::Event>& wait_list) {
  const DeviceInfo& device = queue.context->info;
  check_device(device, product.precision);
  return opencl::guarded("computing a product", [&]() -> tile::Run {
    if (product.is_empty()) return {opencl::marker_after(queue, wait_list), {}};
    if (plan.batch) return batch::execute(*plan.batch, {}, product, queue, wait_list);
    const DeviceProduct p = with_rows_together(product);
    if (!p.reads_operands()) {
      if (p.beta == dd_complex(1)) return {opencl::marker_after(queue, wait_list), {}};
      opencl::Call call(queue, wait_list);
      scale(p, call);
      return {call.finish(), {}};
    }
    if (plan.is_three_products) return execute_three_products(plan, p, queue, wait_list);
    if (!plan.suits(p)) plan.set_tile(plan.listed, p);
    if (plan.is_chosen) return Multiplication(queue, plan, p, wait_list).run();
    return tile::run_with_tile(device, plan.key, plan.listed, [&](const tile::Tile& tried) {
      if (!(tried == plan.listed)) plan.set_tile(tried, p);
      return Multiplication(queue, plan, p, wait_list).run();
    });
  });
}

}  // namespace hilo::native
