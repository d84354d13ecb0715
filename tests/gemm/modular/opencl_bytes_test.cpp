// Products of bytes modulo small numbers on a device: every unit that it can build, against sums on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/line_order.hpp"
#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/tables.hpp"

namespace {

using namespace hilo;
using namespace hilo::modular;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

Queue& queue() {
  // Never destroyed: a runtime's own statics may be gone by then.
  static Queue& q = *new Queue(Context());
  return q;
}

opencl::ContextState& state() { return *queue().state()->context; }

ByteFeatures features() { return byte_features(state()); }

// The units that a program can be built of here; dot_product also where it is emulated.
std::vector<ByteUnit> buildable() {
  std::vector<ByteUnit> units;
  for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product, ByteUnit::plain}) {
    if (obstacle_of(unit, features()).empty()) units.push_back(unit);
  }
  return units;
}

struct Problem {
  ByteUnit unit;
  ByteTile tile;
  int first_plane, planes, row_panels, column_panels;
  std::int64_t depth;
  bool accumulates;
  BytePart part = BytePart::whole;
  ByteTriangle triangle = {};
  std::int64_t skipped[2] = {0, 0}, beyond[2] = {0, 0};  // terms of panels of A and B, before and behind the product's
  std::vector<cl_int> modulus;                           // of each plane, those before first_plane too
  std::vector<int> factors;                              // of what products leave modulo these
  std::vector<unsigned char> a, b;
  std::vector<unsigned char> c;

  Problem(ByteUnit u, const ByteTile& t, int first, int p, int rows, int columns, std::int64_t d, bool adds)
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

// Tiles with an entry of a triangle, and no others: bands that are whole and cut, and diagonals that meet corners.
TEST(OpenclBytes, OfATriangle) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const bool is_upper : {false, true}) {
      for (auto [rows, columns] : {std::array{1, 1}, std::array{5, 3}, std::array{19, 4}}) {
        const std::int64_t corner = std::int64_t{columns} * tile.columns - std::int64_t{rows} * tile.rows;
        for (const std::int64_t diagonal : {std::int64_t{0}, std::int64_t{-1}, corner, corner / 2 + 3}) {
          Problem p(unit, tile, 1, 2, rows, columns, tile.depth, is_upper);
          p.part = BytePart::triangle;
          p.triangle = {is_upper, diagonal};
          p.fill(static_cast<std::uint64_t>(rows + diagonal + 100));
          p.check(7);
        }
      }
    }
  });
}

TEST(OpenclBytes, AreTheSumsModuloEachNumber) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (bool accumulates : {false, true}) {
      for (auto [first, planes, rows, columns] :
           {std::array{0, 1, 1, 1}, std::array{2, 3, 2, 1}, std::array{1, 2, 1, 3}}) {
        for (std::int64_t chunks : {1, 2, 3, 7}) {
          Problem p(unit, tile, first, planes, rows, columns, chunks * tile.depth, accumulates);
          p.fill(static_cast<std::uint64_t>(chunks));
          p.check(7);
        }
      }
    }
    Problem p(unit, tile, 0, 1, 1, 1, 2 * tile.depth, false);
    p.fill(5);
    p.check();
  });
}

// Of panels with more terms than the product takes, those from one of them on.
TEST(OpenclBytes, OfSomeTerms) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const auto& [skipped, beyond] : {std::array{0, 2}, std::array{2, 0}, std::array{1, 3}}) {
      for (const bool is_of_a : {false, true}) {
        Problem p(unit, tile, 1, 2, 2, 3, 3 * tile.depth, false);
        p.skipped[is_of_a ? 0 : 1] = skipped * tile.depth;
        p.beyond[is_of_a ? 0 : 1] = beyond * tile.depth;
        p.take_memory();
        p.fill(static_cast<std::uint64_t>(skipped + 20));
        p.check(7);
      }
    }
  });
}

TEST(OpenclBytes, HaveAllModuli) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const bool is_complex : {false, true}) {
      Problem p(unit, tile, 0, max_moduli, 2, 1, tile.depth, true);
      for (int l = 0; l < max_moduli; ++l) p.modulus[size(l)] = modulus_at(l, is_complex);
      p.set_factors();
      p.fill(9);
      p.check(31);
    }
  });
}

TEST(OpenclBytes, FillADeviceSeveralTimesOver) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    const int panels = std::max(3, static_cast<int>(std::sqrt(3.0 * state().info.compute_units)));
    // About as many slabs as a ring has stages, of which wgmma has 8 or 12.
    for (const int slabs : {1, 3, 8, 9, 12, 13}) {
      Problem p(unit, tile, 0, 2, panels, panels + 1, slabs * tile.depth, false);
      p.fill(10);
      p.check(997);
    }
  });
}

TEST(OpenclBytes, AreExactForTheLargestSums) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    const std::int64_t depth = max_device_depth;
    for (bool accumulates : {false, true}) {
      Problem p(unit, tile, 0, 2, 1, 1, depth, accumulates);
      p.modulus = {moduli[max_moduli - 1], moduli[1]};
      p.set_factors();
      // Row i ends with zeros, from its own term on: sums of all magnitudes up to 2^32.
      auto last = [&](std::int64_t row) { return row < 4 ? depth : depth - row * row; };
      for (int plane = 0; plane < 2; ++plane) {
        for (std::int64_t row = 0; row < tile.rows; ++row) {
          for (std::int64_t h = 0; h < last(row); ++h) {
            p.a_at(plane, row, h) = static_cast<unsigned char>(row % 2 ? 254 : 255);
          }
        }
        for (std::int64_t column = 0; column < tile.columns; ++column) {
          const auto value = static_cast<unsigned char>(plane ? column : 255 - column % 2);
          for (std::int64_t h = 0; h < depth; ++h) p.b_at(plane, column, h) = value;
        }
        std::fill_n(&p.c[size(plane * p.entries())], size(p.entries()),
                    static_cast<unsigned char>(p.modulus[size(plane)] - 1));
      }
      const auto got = p.run();
      for (std::int64_t e = 0; e < 2 * p.entries(); ++e) {
        const int plane = static_cast<int>(e / p.entries());
        const std::int64_t row = e % p.entries() / tile.columns, column = e % tile.columns;
        const std::int64_t m = p.modulus[size(plane)], added = accumulates ? p.c[size(e)] : 0;
        const std::int64_t sum = last(row) * p.a_at(plane, row, 0) * p.b_at(plane, column, 0);
        ASSERT_EQ(int{got[size(e)]}, (sum % m * p.factors[size(plane)] + added) % m)
            << p.text() << ": sum " << sum << " modulo " << m;
      }
    }
  });
}

// Sum tests of operands with one row and one column that are not idle. Lines beyond the operands would ask for more.
class TestOfOneEntry {
 public:
  TestOfOneEntry(const Problem& problem, int rows, int columns) : problem_(problem), rows_(rows), columns_(columns) {
    for (auto* x : {&problem_.a, &problem_.b}) {
      const std::int64_t line = x == &problem_.a ? problem_.tile.rows : problem_.tile.columns;
      for (std::size_t at = 0; at < x->size(); ++at) {
        (*x)[at] = static_cast<unsigned char>((*x)[at] >> (1 + at / 16 % size(line) % 5));
      }
    }
    product_.a = buffer_of(problem_.a);
    product_.b = buffer_of(problem_.b);
    product_.planes = 1;
    product_.row_panels = problem_.row_panels;
    product_.column_panels = problem_.column_panels;
    product_.depth = problem_.depth;
    product_.triangle = problem_.triangle;
    product_.test = {{}, {}, 7, rows, columns, {}, 2};
  }

  void check(int row, int column) {
    std::vector<cl_float> of_rows(size(problem_.rows()), 0x1p60f), of_columns(size(7 + problem_.columns()), 0x1p60f);
    std::fill_n(of_rows.begin(), rows_, idle);
    of_rows[size(row)] = 0x1.8p29f;
    std::fill_n(of_columns.begin() + 7, columns_, idle);
    of_columns[size(7 + column)] = 0x1p31f;
    product_.test.norms_of_a = buffer_of(of_rows);
    product_.test.norms_of_b = buffer_of(of_columns);
    product_.test.figures = buffer_of(std::vector<cl_int>(4, nothing));
    const auto launch =
        byte_multiplier(state(), problem_.unit, problem_.tile, ByteResult::sum_test, problem_.part).launch(product_);
    queue_.enqueueNDRangeKernel(*launch.kernel, cl::NullRange, launch.global, launch.local);
    std::vector<cl_int> got(4);
    queue_.enqueueReadBuffer(product_.test.figures, CL_TRUE, 0, sizeof(cl_int) * got.size(), got.data());
    // The norms' sum is 1.375 2^31, and T is rounded down to four bits.
    std::int64_t leading = sum(row, column);
    int exponent = 0;
    for (; leading >= 16; leading /= 2) ++exponent;
    const double ratio = 0x1.6p31 / (4.0 * std::ldexp(static_cast<double>(leading), exponent));
    EXPECT_EQ(got, (std::vector<cl_int>{nothing, nothing, static_cast<cl_int>(std::ceil(std::log2(ratio))), nothing}))
        << problem_.text() << ": row " << row << ", column " << column << ", sum " << sum(row, column);
  }

 private:
  static constexpr cl_int nothing = -1000;
  static constexpr cl_float idle = -1e30f;

  std::int64_t sum(std::int64_t row, std::int64_t column) {
    std::int64_t result = 0;
    for (std::int64_t h = 0; h < problem_.depth; ++h) {
      result += problem_.a_at(0, row, h) * problem_.b_at(0, column, h);
    }
    return result;
  }

  template <class T>
  cl::Buffer buffer_of(const std::vector<T>& x) const {
    cl::Buffer buffer(state().context, CL_MEM_READ_WRITE, sizeof(T) * x.size());
    queue_.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof(T) * x.size(), x.data());
    return buffer;
  }

  Problem problem_;
  int rows_, columns_;
  cl::CommandQueue queue_{state().context, state().device};
  ByteProduct product_{};
};

TEST(OpenclBytes, TestSumsOfEveryLine) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const bool is_triangle : {false, true}) {
      Problem p(unit, tile, 0, 1, 3, 2, 9 * tile.depth, false);
      if (is_triangle) p.part = BytePart::triangle;
      p.fill(13);
      const auto rows = static_cast<int>(p.rows()) - 3, columns = static_cast<int>(p.columns()) - 5;
      TestOfOneEntry test(p, rows, columns);
      for (int line = 0; line < std::max(rows, columns); ++line) {
        const int row = line < rows ? line : line * 7 % rows, column = line < columns ? line : line * 11 % columns;
        // Of entries above the diagonal only those of its tiles are there.
        if (p.has_tile_of(row, column)) test.check(row, column);
      }
    }
  });
}

// The reduction alone, of all that can be hard for it: where 2^16 divides a sum or nearly so, and the largest.
TEST(OpenclBytes, ReduceEverySum) {
  std::vector<cl_uint> sums;
  for (cl_uint high : {0u, 1u, 255u, 8192u, 32767u, 32768u, 65279u, 65535u}) {
    for (cl_uint low = 0; low < 65536; ++low) sums.push_back(high * 65536 + low);
  }
  std::mt19937_64 engine(1);
  while (sums.size() % 64 || sums.size() < 1000000) sums.push_back(static_cast<cl_uint>(engine()));
  struct Way {
    const char* root;
    std::string expression;
    bool is_montgomery;
  };
  std::vector<Way> ways = {{"bytes/reduction.cl", "reduced(x[get_global_id(0)], reduction_for(m))", false}};
  if (features().compute_capability >= 80) {
    ways.push_back({"bytes/nvidia.cl", "reduced_sum((int)x[get_global_id(0)], constants_for(m)) >> 16", true});
  }
  cl::CommandQueue q(state().context, state().device);
  cl::Buffer in(state().context, CL_MEM_READ_WRITE, sizeof(cl_uint) * sums.size());
  cl::Buffer out(state().context, CL_MEM_READ_WRITE, sums.size());
  q.enqueueWriteBuffer(in, CL_TRUE, 0, sizeof(cl_uint) * sums.size(), sums.data());
  std::vector<unsigned char> got(sums.size());
  for (const auto& [root, expression, is_montgomery] : ways) {
    opencl::ProgramText text = opencl::program_text("reduction of bytes", root, "-DRASTER_ROWS=1");
    text.source +=
        "__kernel void reduce(__global const uint* x, __global uchar* out, int m) {\n  out[get_global_id(0)] = " +
        expression + ";\n}\n";
    cl::Kernel kernel(state().programs.get(state(), text), "reduce");
    for (int m : moduli) {
      kernel.setArg(0, in);
      kernel.setArg(1, out);
      kernel.setArg(2, m);
      q.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(sums.size()), cl::NDRange(64));
      q.enqueueReadBuffer(out, CL_TRUE, 0, got.size(), got.data());
      const auto modulus = static_cast<cl_uint>(m), factor = static_cast<cl_uint>(residue_factor(is_montgomery, m));
      for (std::size_t i = 0; i < sums.size(); ++i) {
        // Sums of products are smaller.
        if (is_montgomery && sums[i] >= 0xFF000000u) continue;
        ASSERT_EQ(cl_uint{got[i]}, sums[i] % modulus * factor % modulus)
            << expression << ": " << sums[i] << " modulo " << m;
      }
    }
  }
}

// What products leave times this is a sum again, and weights of columns take it back.
TEST(OpenclBytes, HaveFactorsThatWeightsTakeBack) {
  for (int l = 0; l < max_moduli; ++l) {
    for (const bool is_complex : {false, true}) {
      const int m = modulus_at(l, is_complex);
      EXPECT_EQ(residue_factor(false, m), 1);
      const std::int64_t back = m == 256 ? 1 : (std::int64_t{1} << 32) % m * -1;
      EXPECT_EQ((residue_factor(true, m) * back % m + m) % m, 1) << m;
    }
  }
  for (const bool is_complex : {false, true}) {
    constexpr int count = 20, limbs = 4;
    const auto rows = residue_table(count, limbs, OperandWeight::of_rows, is_complex),
               plain = residue_table(count, limbs, OperandWeight::of_columns, is_complex),
               montgomery = residue_table(count, limbs, OperandWeight::of_montgomery_columns, is_complex);
    for (int l = 0; l < count; ++l) {
      const int m = modulus_at(l, is_complex);
      const auto at = size(residue_table_word(l, limbs, is_complex));
      // The weight of the lowest byte.
      const auto weight = [&](const std::vector<std::uint32_t>& table) { return static_cast<int>(table[at] & 255); };
      EXPECT_EQ(weight(rows), 1) << m;
      EXPECT_EQ(weight(montgomery) * residue_factor(true, m) % m, weight(plain)) << m;
    }
  }
}

// A lane's pairs of columns of eight, as NVIDIA's matrix units leave them, are 16 neighbours.
TEST(OpenclBytes, HaveLinesInQuads) {
  for (int place = 0; place < 256; ++place) {
    const int block = place / 64, eight = place % 64 / 8, lane = place % 8 / 2;
    EXPECT_EQ(line_of_place(place, true), 64 * block + 16 * lane + 2 * eight + place % 2) << place;
    EXPECT_EQ(place_of_line(line_of_place(place, true), true), place);
    EXPECT_EQ(line_of_place(place, false), place);
    EXPECT_EQ(place_of_line(place, false), place);
  }
  for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product, ByteUnit::plain}) {
    for (const ByteTile& tile : byte_tiles(unit)) {
      if (!tile.in_quads) continue;
      EXPECT_EQ(tile.rows % 64, 0);
      EXPECT_EQ(tile.columns % 64, 0);
    }
  }
}

TEST(OpenclBytes, TakeSmallTilesForSmallProducts) {
  for (ByteUnit unit : buildable()) {
    const ByteTile large = byte_tile(unit, 8192, 8192), small = byte_tile(unit, 64, 64);
    EXPECT_EQ(large.rows * large.columns, byte_tiles(unit).front().rows * byte_tiles(unit).front().columns);
    EXPECT_EQ(small.rows * small.columns, byte_tiles(unit).back().rows * byte_tiles(unit).back().columns);
  }
}

TEST(OpenclBytes, TakeNarrowTilesForTheLastColumns) {
  auto edge_of = [](ByteUnit unit, std::int64_t columns) {
    return edge_tile(unit, byte_tiles(unit).front(), columns).columns;
  };
  for (auto [columns, edge] : {std::pair{8192, 256}, {8193, 128}, {8320, 128}, {8321, 256}, {8447, 256}, {100, 256}}) {
    EXPECT_EQ(edge_of(ByteUnit::wgmma, columns), edge) << columns;
  }
  for (auto [columns, edge] : {std::pair{640, 64}, {641, 16}, {688, 16}, {689, 64}, {63, 64}}) {
    EXPECT_EQ(edge_of(ByteUnit::plain, columns), edge) << columns;
  }
  EXPECT_EQ(edge_of(ByteUnit::mma_sync, 8193), 128);
  EXPECT_EQ(edge_of(ByteUnit::dot_product, 8193), 128) << "rows of the small tile are others";
  EXPECT_EQ(edge_tile(ByteUnit::wgmma, byte_tiles(ByteUnit::wgmma).back(), 8193).columns, 128);
}

TEST(OpenclPanels, FitWithTheirEdge) {
  const ByteTile tile = byte_tiles(ByteUnit::wgmma).front();
  const std::int64_t rows = 8193, columns = 8209, terms = 8177, all = std::int64_t{1} << 40;
  const DevicePanelProblem p{rows, columns, terms, 30, false, tile, edge_tile(ByteUnit::wgmma, tile, columns)};
  EXPECT_EQ(p.main_columns(), 8192);
  EXPECT_EQ(p.edge_columns(), 17);
  const DevicePanels whole = choose_device_panels(p, all, all, max_device_depth);
  EXPECT_EQ(whole.columns, 8192);
  EXPECT_EQ(whole.edge, 128);
  EXPECT_EQ(whole.bytes(p), 30 * (std::int64_t{8320 + 8320} * 8192 + std::int64_t{8320} * 8320));
  const std::int64_t least = choose_device_panels(p, 0, 0, max_device_depth).bytes(p);
  EXPECT_EQ(least, (128 + 256 + 128) * 64 + 30 * 128 * (256 + 128));
  for (std::int64_t bytes = least; bytes < all; bytes += bytes / 3) {
    for (std::int64_t buffer_bytes : {std::max(bytes / 8, least), all}) {
      const DevicePanels x = choose_device_panels(p, bytes, buffer_bytes, max_device_depth);
      EXPECT_LE(x.bytes(p), bytes);
      EXPECT_LE(std::max(x.operand_bytes(p, x.rows), x.operand_bytes(p, x.columns)), buffer_bytes);
      EXPECT_LE(x.result_bytes(p, x.columns), buffer_bytes);
      EXPECT_EQ(x.edge, 128) << bytes;
    }
  }
}

// A level pays where there are many terms, not where C is large: factorisations' updates have few.
TEST(OpenclPanels, TakeLevelsWhereTheyPay) {
  const ByteTile tile = byte_tiles(ByteUnit::wgmma).front();
  auto levels_of = [&](ByteUnit unit, std::int64_t rows, std::int64_t columns, std::int64_t terms) {
    DevicePlan plan{};
    plan.workspace = plan.buffer = std::int64_t{1} << 40;
    plan.depth = max_device_depth;
    plan.unit = unit;
    plan.levels = -1;
    plan.problem = {rows, columns, terms, 29, false, tile, tile};
    return plan.panels_of(29, true).levels;
  };
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 32768, 32768, 32768), 2);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 16384, 16384, 16384), 1);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 8192, 8192, 8192), 1);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 7168, 7168, 7168), 0);
  EXPECT_EQ(levels_of(ByteUnit::plain, 16384, 16384, 16384), 0) << "not measured";
  for (std::int64_t terms : {256, 512, 1024, 2048}) EXPECT_EQ(levels_of(ByteUnit::wgmma, 16384, 16384, terms), 0);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 1024, 16384, 16384), 0);
}

}  // namespace
