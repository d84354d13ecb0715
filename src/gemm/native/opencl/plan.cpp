#include "gemm/native/opencl/plan.hpp"

#include <algorithm>
#include <utility>

#include "gemm/batch/opencl/plan.hpp"
#include "gemm/native/opencl/three_products.hpp"
#include "matrix/sizes.hpp"

namespace hilo::native {
namespace {

tile::TileKey key_of(const DeviceProduct& p) {
  return {p.precision, is_left_together(p), is_right_together(p), tile::size_class(p.m(), p.n())};
}

// One launch for a batch of small products.
tile::Tile for_batch(tile::Tile t, const DeviceProduct& p) {
  if (p.batch.count > 1 && t.stages > 0 && tile::size_class(p.m(), p.n()) == tile::SizeClass::small) {
    t.in_place = true;
    t.packs_all = false;
    // Whole tiles are of packed operands.
    if (t.copies == tile::Copies::bulk) t.copies = tile::Copies::async;
  }
  return t;
}

// The most numbers side by side that copies may take of an operand whose lines are together.
int widest_copy(tile::NumberKind kind, const DeviceView& x, std::int64_t line_stride, std::int64_t step_stride,
                std::int64_t batch_stride) {
  if (line_stride != 1) return 1;
  for (int width = 16 / kind.bytes(); width > 1; width /= 2) {
    if (x.offset % width == 0 && step_stride % width == 0 && batch_stride % width == 0) return width;
  }
  return 1;
}

Reading reading_of(tile::NumberKind kind, const tile::Tile& tile, const DeviceView& x, std::int64_t line_stride,
                   std::int64_t step_stride, std::int64_t batch_stride) {
  const int widest = 16 / kind.bytes();
  const int copy = widest_copy(kind, x, line_stride, step_stride, batch_stride);
  const bool is_async = tile.copies != tile::Copies::registers;
  const bool is_read_well = tile.stages > 0 && !tile.packs_all && line_stride == 1 && (copy == widest || !is_async);
  if (!tile.in_place && !is_read_well) return {true, true, is_async ? widest : 1};
  return {false, line_stride == 1, is_async ? copy : 1};
}

Reading left_reading(const tile::Tile& t, const DeviceProduct& p) {
  const std::int64_t stride = p.batch.count > 1 ? p.batch.stride_a : 0;
  return reading_of({p.precision}, t, p.a, p.a.row_stride, p.a.column_stride, stride);
}
Reading right_reading(const tile::Tile& t, const DeviceProduct& p) {
  const std::int64_t stride = p.batch.count > 1 ? p.batch.stride_b : 0;
  return reading_of({p.precision}, t, p.b, p.b.column_stride, p.b.row_stride, stride);
}

Cut cut_product(const DeviceProduct& p, const tile::Tile& tile, const Reading& left, const Reading& right,
                std::int64_t workspace) {
  const std::int64_t bytes = tile::NumberKind{p.precision}.bytes();
  const std::int64_t depth = round_up(tile.depth, 32);
  Cut cut{std::min(p.m(), most_lines), std::min(p.n(), most_lines), std::min(p.k(), most_lines), 0, 0};
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
    cut.steps = round_up(blocks(p.k(), blocks(p.k(), cut.steps)), depth);
  }
  cut.left_bytes = left_line() * round_up(cut.steps, tile.depth);
  cut.right_bytes = right_line() * round_up(cut.steps, tile.depth);
  return cut;
}

}  // namespace

DeviceProduct with_rows_together(const DeviceProduct& p) {
  if (p.c.row_stride == 1) return p;
  DeviceProduct t = p;
  t.a = p.b.turned(Op::transpose);
  t.b = p.a.turned(Op::transpose);
  t.c = p.c.turned(Op::transpose);
  std::swap(t.batch.stride_a, t.batch.stride_b);
  const auto turned = [](std::optional<Uplo> of) {
    return of ? std::optional(*of == Uplo::lower ? Uplo::upper : Uplo::lower) : of;
  };
  t.triangle = turned(p.triangle);
  t.triangle_of_a = turned(p.triangle_of_b);
  t.triangle_of_b = turned(p.triangle_of_a);
  return t;
}

bool DevicePlan::suits(const DeviceProduct& p) const {
  return left == left_reading(tile, p) && right == right_reading(tile, p);
}

void DevicePlan::set_tile(const tile::Tile& t, const DeviceProduct& p) {
  listed = t;
  tile = is_chosen ? t : for_batch(t, p);
  left = left_reading(tile, p);
  right = right_reading(tile, p);
  cut = cut_product(p, tile, left, right, workspace);
}

// Of C itself, where its transpose is computed.
tile::Form DevicePlan::form() const {
  if (batch) return batch_form;
  tile::Form form{tile.item_rows,       tile.item_columns, tile.panel_rows(),
                  tile.panel_columns(), tile.depth,        cut.left_bytes + cut.right_bytes + plane_bytes};
  if (is_turned) {
    std::swap(form.micro_rows, form.micro_columns);
    std::swap(form.tile_rows, form.tile_columns);
  }
  return form;
}

DevicePlan plan_product(const DeviceInfo& device, const DeviceProduct& product, ComplexProduct complex_product,
                        const tile::Choice& choice) {
  const DeviceProduct p = with_rows_together(product);
  DevicePlan plan{};
  plan.precision = p.precision;
  plan.is_turned = product.c.row_stride != 1;
  plan.is_three_products = is_complex(p.precision) && complex_product == ComplexProduct::three;
  plan.workspace = choice.workspace.value_or(tile::default_workspace(device));
  if (choice.batch) {
    plan.batch = choice.batch;
  } else if (!choice.tile && !plan.is_three_products && batch::takes(device, product)) {
    plan.batch = batch::tile_for(device, product);
  }
  if (plan.batch) plan.batch_form = batch::form_of(*plan.batch, product);
  if (p.is_empty() || p.k() == 0 || plan.batch) return plan;
  if (plan.is_three_products) {
    // The real products are cut and multiplied as themselves; in this plan they are what is told.
    const ThreeProductsCut three = cut_three_products(p, plan.workspace);
    const DevicePlan real =
        plan_product(device, three.real_product(p.precision, 1.0), ComplexProduct::four, {.workspace = plan.workspace});
    plan.key = real.key;
    plan.tile = real.tile;
    plan.cut = real.cut;
    plan.plane_bytes = three.bytes(p.precision);
    return plan;
  }
  plan.is_chosen = choice.tile.has_value();
  plan.key = key_of(p);
  plan.set_tile(choice.tile ? *choice.tile : tile_for(device, plan.key), p);
  return plan;
}

}  // namespace hilo::native
