// Products of bytes on a device with random operands, and what they should leave.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/line_order.hpp"

namespace hilo::modular::test {

inline std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

inline Queue& queue() {
  // Never destroyed: a runtime's own statics may be gone by then.
  static Queue& q = *new Queue(Context());
  return q;
}

inline opencl::ContextState& state() { return *queue().state()->context; }

inline ByteFeatures features() { return byte_features(state()); }

// The units that a program can be built of here; dot_product also where it is emulated.
inline std::vector<ByteUnit> buildable() {
  std::vector<ByteUnit> units;
  for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product, ByteUnit::plain}) {
    if (obstacle_of(unit, features()).empty()) units.push_back(unit);
  }
  return units;
}

// Operands of a product, and what it leaves of them.
struct ByteProblem {
  ByteUnit unit;
  ByteTile tile;
  int first_plane, planes, row_panels, column_panels;
  std::int64_t depth;
  bool accumulates;
  BytePart part = BytePart::whole;
  ByteTriangle triangle = {};
  int run_tiles = 0;                                     // as ByteProduct::run
  std::int64_t skipped[2] = {0, 0}, beyond[2] = {0, 0};  // terms of panels of A and B, before and behind the product's
  std::vector<cl_int> modulus;                           // of each plane, those before first_plane too
  std::vector<int> factors;                              // of what products leave modulo these
  std::vector<unsigned char> a, b;
  std::vector<unsigned char> c;

  ByteProblem(ByteUnit u, const ByteTile& t, int first, int p, int rows, int columns, std::int64_t d, bool adds)
      : unit(u),
        tile(t),
        first_plane(first),
        planes(p),
        row_panels(rows),
        column_panels(columns),
        depth(d),
        accumulates(adds),
        c(size((first_plane + planes) * entries())) {
    take_memory();
    for (int plane = 0; plane < first_plane + planes; ++plane) modulus.push_back(moduli[size(plane % max_moduli)]);
    set_factors();
  }

  void set_factors() {
    factors.clear();
    for (const int m : modulus) factors.push_back(residue_factor(tile.is_montgomery, m));
  }

  void take_memory() {
    a.resize(size(planes * rows() * depth_of(0)));
    b.resize(size(planes * columns() * depth_of(1)));
  }

  std::int64_t depth_of(int operand) const { return skipped[operand] + depth + beyond[operand]; }
  std::int64_t rows() const { return std::int64_t{row_panels} * tile.rows; }
  std::int64_t columns() const { return std::int64_t{column_panels} * tile.columns; }
  std::int64_t entries() const { return rows() * columns(); }

  void fill(std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    for (auto* x : {&a, &b}) std::generate(x->begin(), x->end(), [&] { return static_cast<unsigned char>(engine()); });
    for (std::size_t at = 0; at < c.size(); ++at) {
      c[at] = static_cast<unsigned char>(engine() % size(modulus[at / size(entries())]));
    }
  }

  unsigned char& a_at(std::int64_t p, std::int64_t row, std::int64_t h) {
    h += skipped[0];
    return a[size((((p * row_panels + row / tile.rows) * depth_of(0) + h / 16 * 16) * tile.rows) +
                  place_of_line(static_cast<int>(row % tile.rows), tile.in_quads) * 16 + h % 16)];
  }
  unsigned char& b_at(std::int64_t p, std::int64_t column, std::int64_t h) {
    h += skipped[1];
    return b[size((((p * column_panels + column / tile.columns) * depth_of(1) + h / 16 * 16) * tile.columns) +
                  place_of_line(static_cast<int>(column % tile.columns), tile.in_quads) * 16 + h % 16)];
  }

  // Whether an entry of the tile is of the triangle.
  bool has_tile_of(std::int64_t row, std::int64_t column) const {
    const std::int64_t i = row / tile.rows * tile.rows, j = column / tile.columns * tile.columns;
    return part == BytePart::whole || (triangle.is_upper ? j + tile.columns - 1 >= i + triangle.diagonal
                                                         : j <= i + tile.rows - 1 + triangle.diagonal);
  }

  unsigned char want(int plane, std::int64_t row, std::int64_t column) {
    const unsigned char old = c[size((plane * rows() + row) * columns() + column)];
    if (plane < first_plane || !has_tile_of(row, column)) return old;
    std::int64_t sum = 0;
    for (std::int64_t h = 0; h < depth; ++h) {
      sum += a_at(plane - first_plane, row, h) * b_at(plane - first_plane, column, h);
    }
    const std::int64_t m = modulus[size(plane)];
    return static_cast<unsigned char>(((accumulates ? old : 0) + sum % m * factors[size(plane)]) % m);
  }

  std::vector<unsigned char> run(opencl::ContextState& context = state()) const {
    cl::CommandQueue q(context.context, context.device);
    auto upload = [&](const auto& x) {
      cl::Buffer buffer(context.context, CL_MEM_READ_WRITE, sizeof x[0] * x.size());
      q.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof x[0] * x.size(), x.data());
      return buffer;
    };
    ByteProduct product{upload(a), upload(b),  upload(c),     upload(modulus), first_plane,
                        planes,    row_panels, column_panels, depth,           accumulates};
    product.triangle = triangle;
    product.first_of_a = skipped[0] * tile.rows;
    product.first_of_b = skipped[1] * tile.columns;
    product.depth_of_a = depth_of(0);
    product.depth_of_b = depth_of(1);
    product.run = run_tiles;
    const auto launch = byte_multiplier(context, unit, tile, ByteResult::residue, part).launch(product);
    q.enqueueNDRangeKernel(*launch.kernel, cl::NullRange, launch.global, launch.local);
    std::vector<unsigned char> out(c.size());
    q.enqueueReadBuffer(product.c, CL_TRUE, 0, out.size(), out.data());
    return out;
  }

  std::string text() const {
    return std::string(name(unit)) + " " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " x " +
           std::to_string(tile.depth) + ", planes " + std::to_string(first_plane) + " + " + std::to_string(planes) +
           ", panels " + std::to_string(row_panels) + " x " + std::to_string(column_panels) + ", depth " +
           std::to_string(depth) + (accumulates ? ", accumulates" : "") +
           (run_tiles > 0 ? ", runs of " + std::to_string(run_tiles) : "") +
           (part == BytePart::whole
                ? ""
                : (triangle.is_upper ? ", upper from " : ", lower from ") + std::to_string(triangle.diagonal));
  }

  // Of larger products every stride-th entry.
  void check(std::int64_t stride = 1, opencl::ContextState& context = state()) {
    const std::vector<unsigned char> got = run(context);
    for (std::int64_t e = 0; e < (first_plane + planes) * entries(); e += stride) {
      const int plane = static_cast<int>(e / entries());
      const std::int64_t row = e % entries() / columns(), column = e % columns();
      ASSERT_EQ(int{got[size(e)]}, int{want(plane, row, column)})
          << text() << ": plane " << plane << ", entry (" << row << ", " << column << ")";
    }
  }
};

template <class Check>
void for_each_tile(Check check) {
  for (ByteUnit unit : buildable()) {
    for (const ByteTile& tile : byte_tiles(unit)) check(unit, tile);
  }
}

}  // namespace hilo::modular::test
