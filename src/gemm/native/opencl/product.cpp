#include "gemm/native/opencl/product.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "gemm/native/opencl/three_products.hpp"
#include "matrix/sizes.hpp"
#include "opencl/sequence.hpp"
#include "tile/arguments.hpp"
#include "tile/fallback.hpp"
#include "tile/table.hpp"

namespace hilo::native {
namespace {

using opencl::ContextState;
using opencl::narrow;
using opencl::QueueState;
using opencl::Sequence;
using opencl::set_arguments;
using opencl::Workspace;

// Sizes for which no product of theirs overflows an int of the kernels.
constexpr std::int64_t most_lines = std::int64_t{1} << 24;
// Work-groups that a launch may have beside its first dimension, and columns of 16 to a work-group.
constexpr std::int64_t most_batches = 32768, most_columns = 16 * most_batches;

// batch_view of kernels/scale.cl.
struct KernelBatchView {
  cl_long offset, row_stride, column_stride, batch_stride;
};

std::string define(const char* macro, int value) { return std::string(" -D") + macro + "=" + std::to_string(value); }

// C' = B' A' where C's rows are apart.
NativeProduct with_rows_together(const NativeProduct& p) {
  if (p.c.row_stride == 1) return p;
  auto turned = [](tile::OpenclMatrix x) {
    std::swap(x.row_stride, x.column_stride);
    return x;
  };
  NativeProduct t = p;
  std::swap(t.m, t.n);
  t.a = turned(p.b);
  t.b = turned(p.a);
  t.c = turned(p.c);
  std::swap(t.stride_a, t.stride_b);
  return t;
}

bool is_left_together(const NativeProduct& p) { return p.a.row_stride == 1; }
bool is_right_together(const NativeProduct& p) { return p.b.column_stride == 1; }

tile::TileKey key_of(const NativeProduct& p) {
  return {p.precision, is_left_together(p), is_right_together(p), tile::size_class(p.m, p.n)};
}

// One launch for a batch of small products.
tile::Tile for_batch(tile::Tile tile, const NativeProduct& p) {
  if (p.batch > 1 && tile.stages > 0 && tile::size_class(p.m, p.n) == tile::SizeClass::small) {
    tile.in_place = true;
    tile.packs_all = false;
    // Whole tiles are of packed operands.
    if (tile.copies == tile::Copies::bulk) tile.copies = tile::Copies::async;
  }
  return tile;
}

// An operand as the product kernel reads it.
struct Operand {
  bool is_packed, is_together;
  int copy;  ///< numbers that one copy takes
};

// The most numbers side by side that copies may take of an operand whose lines are together.
int widest_copy(tile::NumberKind kind, const tile::OpenclMatrix& x, std::int64_t line_stride, std::int64_t step_stride,
                std::int64_t batch_stride) {
  if (line_stride != 1) return 1;
  for (int width = 16 / kind.bytes(); width > 1; width /= 2) {
    if (x.offset % width == 0 && step_stride % width == 0 && batch_stride % width == 0) return width;
  }
  return 1;
}

Operand operand_of(tile::NumberKind kind, const tile::Tile& tile, const tile::OpenclMatrix& x, std::int64_t line_stride,
                   std::int64_t step_stride, std::int64_t batch_stride) {
  const int widest = 16 / kind.bytes();
  const int copy = widest_copy(kind, x, line_stride, step_stride, batch_stride);
  const bool is_async = tile.copies != tile::Copies::registers;
  const bool is_read_well = tile.stages > 0 && !tile.packs_all && line_stride == 1 && (copy == widest || !is_async);
  if (!tile.in_place && !is_read_well) return {true, true, is_async ? widest : 1};
  return {false, line_stride == 1, is_async ? copy : 1};
}

cl::Program multiply_program(ContextState& context, tile::NumberKind kind, const tile::Tile& tile,
                             const NativeProduct& p, const Operand& left, const Operand& right) {
  const bool conjugates_left = kind.is_complex() && !left.is_packed && p.a.conjugate;
  const bool conjugates_right = kind.is_complex() && !right.is_packed && p.b.conjugate;
  auto make_recipe = [&] {
    const std::string options =
        number_options(kind, tile.lanes, false) + tile_options(tile, kind) + define("LEFT_TOGETHER", left.is_together) +
        define("RIGHT_TOGETHER", right.is_together) + define("LEFT_PACKED", left.is_packed) +
        define("RIGHT_PACKED", right.is_packed) + define("LEFT_COPY", left.copy) + define("RIGHT_COPY", right.copy) +
        define("CONJUGATES_LEFT", conjugates_left) + define("CONJUGATES_RIGHT", conjugates_right) +
        (tile.has_matrix_unit() ? define("UNIT_ROWS", context.info.compute_capability >= 90 ? 16 : 8) : "");
    return opencl::ProgramRecipe{"multiply", multiply_files(tile, kind), options, {}, tile.groups_per_unit};
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
    return opencl::ProgramRecipe{"pack", {"number.cl", "number_operands.cl", "turn.cl", "pack.cl"}, options};
  };
  // No precision of a multiplying program is negative.
  const std::array<int, 5> key = {-2, static_cast<int>(kind.precision), tile.lanes, tile.panel_rows(),
                                  tile.panel_columns()};
  return context.programs.get(context, key, make_recipe);
}

cl::Program scale_program(ContextState& context, tile::NumberKind kind) {
  return context.programs.get(
      context, opencl::ProgramRecipe{
                   "scale",
                   {"number.cl", "scale.cl"},
                   number_options(kind, 1, false) + define("CONJUGATES_LEFT", 0) + define("CONJUGATES_RIGHT", 0)});
}

void enqueue_scale(QueueState& queue, const NativeProduct& p, Sequence& sequence) {
  const tile::NumberKind kind{p.precision};
  opencl::BorrowedKernel kernel = queue.context->kernels.borrow(scale_program(*queue.context, kind), "scale");
  const tile::NumberArgument beta(kind, p.beta);
  for (std::int64_t first = 0; first < p.batch; first += most_batches) {
    for (std::int64_t j = 0; j < p.n; j += most_columns) {
      for (std::int64_t i = 0; i < p.m; i += most_lines) {
        const std::int64_t rows = std::min(p.m - i, most_lines), columns = std::min(p.n - j, most_columns);
        const std::int64_t offset = p.c.offset + i * p.c.row_stride + j * p.c.column_stride + first * p.stride_c;
        set_arguments(kernel, p.c.buffer, KernelBatchView{offset, p.c.row_stride, p.c.column_stride, p.stride_c},
                      narrow(rows), narrow(columns));
        (*kernel).setArg(4, beta.size, beta.bytes.data());
        auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
        sequence.launch(*kernel,
                        cl::NDRange(size(round_up(rows, 16)), size(round_up(columns, 16)),
                                    size(std::min(p.batch - first, most_batches))),
                        cl::NDRange(16, 16, 1));
      }
    }
  }
}

// How a product is cut so that packed operands fit the workspace: blocks of C, and slices of k. One block and one
// slice where nothing is packed, but for sizes beyond the kernels'.
struct Cut {
  std::int64_t rows, columns, steps;
  std::int64_t left_bytes, right_bytes;
};

Cut cut_product(const NativeProduct& p, const tile::Tile& tile, const Operand& left, const Operand& right,
                std::int64_t workspace) {
  const std::int64_t bytes = tile::NumberKind{p.precision}.bytes();
  const std::int64_t depth = round_up(tile.depth, 32);
  Cut cut{std::min(p.m, most_lines), std::min(p.n, most_lines), std::min(p.k, most_lines), 0, 0};
  auto left_line = [&] { return left.is_packed ? bytes * round_up(cut.rows, tile.panel_rows()) : 0; };
  auto right_line = [&] { return right.is_packed ? bytes * round_up(cut.columns, tile.panel_columns()) : 0; };
  // At least 1024 steps at a time, for which blocks of C are given up first.
  const std::int64_t few = std::min<std::int64_t>(cut.steps, 1024);
  while ((left_line() + right_line()) * few > workspace) {
    const bool splits_rows = left.is_packed && cut.rows > tile.panel_rows();
    const bool splits_columns = right.is_packed && cut.columns > tile.panel_columns();
    if (!splits_rows && !splits_columns) break;
    if (splits_rows && (!splits_columns || left_line() >= right_line())) {
      cut.rows = round_up(cut.rows / 2, tile.panel_rows());
    } else {
      cut.columns = round_up(cut.columns / 2, tile.panel_columns());
    }
  }
  const std::int64_t line = left_line() + right_line();
  if (line > 0 && line * cut.steps > workspace) {
    cut.steps = std::max(workspace / line / depth * depth, depth);
    cut.steps = round_up(blocks(p.k, blocks(p.k, cut.steps)), depth);
  }
  cut.left_bytes = left_line() * round_up(cut.steps, tile.depth);
  cut.right_bytes = right_line() * round_up(cut.steps, tile.depth);
  return cut;
}

tile::Form form_of(const tile::Tile& tile, const Cut& cut) {
  return {tile.item_rows,       tile.item_columns, tile.panel_rows(),
          tile.panel_columns(), tile.depth,        cut.left_bytes + cut.right_bytes};
}

// Of C, where its transpose is computed.
tile::Form turned_back(tile::Form form, const NativeProduct& product) {
  if (product.c.row_stride != 1) {
    std::swap(form.micro_rows, form.micro_columns);
    std::swap(form.tile_rows, form.tile_columns);
  }
  return form;
}

// The commands of one product, batch and all.
class NativeRun {
 public:
  NativeRun(QueueState& queue, const NativeProduct& product, const tile::Tile& tile, std::int64_t workspace,
            const std::vector<cl::Event>& wait_list)
      : queue_(queue),
        p_(product),
        kind_{product.precision},
        tile_(tile),
        left_(operand_of(kind_, tile, p_.a, p_.a.row_stride, p_.a.column_stride, p_.batch > 1 ? p_.stride_a : 0)),
        right_(operand_of(kind_, tile, p_.b, p_.b.column_stride, p_.b.row_stride, p_.batch > 1 ? p_.stride_b : 0)),
        cut_(cut_product(p_, tile, left_, right_, workspace)),
        sequence_(queue, wait_list) {
    ContextState& context = *queue.context;
    const cl::Program program = multiply_program(context, kind_, tile, p_, left_, right_);
    multiply_ = tile::first_launch([&] { return context.kernels.borrow(program, "multiply_panels"); });
    if (left_.is_packed || right_.is_packed) {
      const cl::Program packs = pack_program(context, kind_, tile);
      if (left_.is_packed) prepare_packing(packs, "pack_left", cut_.left_bytes, "the packed panels of A", left_pack_);
      if (right_.is_packed) {
        prepare_packing(packs, "pack_right", cut_.right_bytes, "the packed panels of B", right_pack_);
      }
    }
  }

  tile::Run run() {
    // A packed product has its workspace for one at a time.
    const std::int64_t most = left_.is_packed || right_.is_packed ? 1 : most_batches;
    for (std::int64_t first = 0; first < p_.batch; first += most) {
      for (std::int64_t j = 0; j < p_.n; j += cut_.columns) {
        for (std::int64_t i = 0; i < p_.m; i += cut_.rows) {
          for (std::int64_t h = 0; h < p_.k; h += cut_.steps) {
            multiply(first, std::min(p_.batch - first, most), i, j, h);
          }
        }
      }
    }
    Event event = sequence_.finish();
    for (Pack* pack : {&left_pack_, &right_pack_}) {
      if (pack->memory.buffer()()) pack->memory.release(queue_.queue, sequence_.last());
    }
    return {event, form_of(tile_, cut_), {}};
  }

 private:
  struct Pack {
    opencl::BorrowedKernel kernel;
    Workspace memory;
  };

  void prepare_packing(const cl::Program& program, const char* name, std::int64_t bytes, const char* what, Pack& pack) {
    ContextState& context = *queue_.context;
    pack.kernel = context.kernels.borrow(program, name);
    pack.memory = context.workspaces.borrow(context, queue_.queue, queue_.in_order, bytes, what);
    sequence_.wait_also(pack.memory.busy());
  }

  void pack_panels(Pack& pack, const tile::OpenclMatrix& x, std::int64_t offset, bool is_together, std::int64_t lines,
                   std::int64_t steps, std::int64_t panel, std::int64_t depth) {
    const std::int64_t panels = blocks(lines, panel);
    set_arguments(pack.kernel, x.buffer, tile::KernelView{offset, x.row_stride, x.column_stride, x.conjugate},
                  narrow(lines), narrow(steps), cl_int{is_together}, pack.memory.buffer(), narrow(panels),
                  narrow(depth));
    sequence_.launch(*pack.kernel,
                     cl::NDRange(static_cast<std::size_t>(round_up(panels * panel, 32) * blocks(depth, 32)), 8),
                     cl::NDRange(32, 8), true);
  }

  // Rows from i, columns from j and terms from h on of some of the batch.
  void multiply(std::int64_t first, std::int64_t count, std::int64_t i, std::int64_t j, std::int64_t h) {
    const std::int64_t rows = std::min(p_.m - i, cut_.rows), columns = std::min(p_.n - j, cut_.columns);
    const std::int64_t steps = std::min(p_.k - h, cut_.steps), depth = round_up(steps, tile_.depth);
    const std::int64_t row_panels = blocks(rows, tile_.panel_rows());
    const std::int64_t column_panels = blocks(columns, tile_.panel_columns());
    tile::KernelShape s{};
    s.left = p_.a.offset + i * p_.a.row_stride + h * p_.a.column_stride + first * p_.stride_a;
    s.right = p_.b.offset + h * p_.b.row_stride + j * p_.b.column_stride + first * p_.stride_b;
    s.c = p_.c.offset + i * p_.c.row_stride + j * p_.c.column_stride + first * p_.stride_c;
    if (left_.is_packed) {
      pack_panels(left_pack_, p_.a, s.left, is_left_together(p_), rows, steps, tile_.panel_rows(), depth);
      s.left = 0;
      s.left_panel = depth * tile_.panel_rows();
      s.left_stride = tile_.panel_rows();
    } else {
      s.left_panel = tile_.panel_rows() * p_.a.row_stride;
      s.left_stride = left_.is_together ? p_.a.column_stride : p_.a.row_stride;
      s.left_batch = p_.stride_a;
    }
    if (right_.is_packed) {
      pack_panels(right_pack_, p_.b, s.right, is_right_together(p_), columns, steps, tile_.panel_columns(), depth);
      s.right = 0;
      s.right_panel = depth * tile_.panel_columns();
      s.right_stride = tile_.panel_columns();
    } else {
      s.right_panel = tile_.panel_columns() * p_.b.column_stride;
      s.right_stride = right_.is_together ? p_.b.row_stride : p_.b.column_stride;
      s.right_batch = p_.stride_b;
    }
    s.c_stride = p_.c.column_stride;
    s.c_batch = p_.stride_c;
    s.rows = narrow(rows);
    s.columns = narrow(columns);
    s.steps = narrow(steps);
    auto is_multiple = [&](std::int64_t x) { return x % tile_.row_run == 0; };
    // Vectors of a CPU are wider than what a buffer's elements are aligned to.
    s.is_c_aligned =
        tile_.lanes == 1 && is_multiple(s.c) && is_multiple(s.c_stride) && (count == 1 || is_multiple(s.c_batch));
    const cl::Buffer& left = left_.is_packed ? left_pack_.memory.buffer() : p_.a.buffer;
    const cl::Buffer& right = right_.is_packed ? right_pack_.memory.buffer() : p_.b.buffer;
    set_arguments(multiply_, left, right, p_.c.buffer, s);
    const tile::NumberArgument alpha(kind_, p_.alpha), beta(kind_, h == 0 ? p_.beta : 1.0);
    (*multiply_).setArg(4, alpha.size, alpha.bytes.data());
    (*multiply_).setArg(5, beta.size, beta.bytes.data());
    const auto items = static_cast<std::size_t>(tile_.group_items());
    auto launch = [&] {
      sequence_.launch(
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

  QueueState& queue_;
  const NativeProduct& p_;
  tile::NumberKind kind_;
  tile::Tile tile_;
  Operand left_, right_;
  Cut cut_;
  Sequence sequence_;
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

tile::Form planned_form(const DeviceInfo& device, const NativeProduct& product) {
  const NativeProduct p = with_rows_together(product);
  if (p.is_three_products) return turned_back(planned_three_products(device, p), product);
  const tile::Tile tile = for_batch(tile_for(device, key_of(p)), p);
  const tile::NumberKind kind{p.precision};
  const Operand left = operand_of(kind, tile, p.a, p.a.row_stride, p.a.column_stride, p.batch > 1 ? p.stride_a : 0);
  const Operand right = operand_of(kind, tile, p.b, p.b.column_stride, p.b.row_stride, p.batch > 1 ? p.stride_b : 0);
  return turned_back(form_of(tile, cut_product(p, tile, left, right, tile::default_workspace(device))), product);
}

tile::Run enqueue_native(QueueState& queue, const NativeProduct& product, const std::vector<cl::Event>& wait_list,
                         const tile::Choice& choice) {
  const DeviceInfo& device = queue.context->info;
  check_device(device, product.precision);
  auto without_product = [](const Event& event) { return tile::Run{event, {}, {}}; };
  return opencl::guarded("computing a product", [&]() -> tile::Run {
    if (product.m == 0 || product.n == 0 || product.batch == 0) {
      return without_product(opencl::marker_after(queue, wait_list));
    }
    const NativeProduct p = with_rows_together(product);
    if (p.k == 0 || p.alpha == 0.0) {
      if (p.beta == 1.0) return without_product(opencl::marker_after(queue, wait_list));
      Sequence sequence(queue, wait_list);
      enqueue_scale(queue, p, sequence);
      return without_product(sequence.finish());
    }
    auto run = [&](const tile::Tile& tile) {
      return NativeRun(queue, p, tile, choice.workspace.value_or(tile::default_workspace(device)), wait_list).run();
    };
    auto run_by_itself = [&] {
      if (p.is_three_products) return enqueue_three_products(queue, p, wait_list, choice);
      if (choice.tile) return run(*choice.tile);
      return tile::run_with_tile(device, key_of(p), [&](const tile::Tile& tile) { return run(for_batch(tile, p)); });
    };
    tile::Run ran = run_by_itself();
    ran.form = turned_back(*ran.form, product);
    return ran;
  });
}

}  // namespace hilo::native
