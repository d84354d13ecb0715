// Products of bytes modulo small numbers on a device: every unit that it can build, against sums on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/runs.hpp"
#include "gemm/modular/opencl/tables.hpp"
#include "opencl_byte_problem.hpp"

namespace hilo::modular {
namespace {

using namespace test;

// Tiles with an entry of a triangle, and no others: bands that are whole and cut, and diagonals that meet corners.
TEST(OpenclBytes, OfATriangle) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const bool is_upper : {false, true}) {
      for (auto [rows, columns] : {std::array{1, 1}, std::array{5, 3}, std::array{19, 4}}) {
        const std::int64_t corner = std::int64_t{columns} * tile.columns - std::int64_t{rows} * tile.rows;
        for (const std::int64_t diagonal : {std::int64_t{0}, std::int64_t{-1}, corner, corner / 2 + 3}) {
          ByteProblem p(unit, tile, 1, 2, rows, columns, tile.depth, is_upper);
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
          ByteProblem p(unit, tile, first, planes, rows, columns, chunks * tile.depth, accumulates);
          p.fill(static_cast<std::uint64_t>(chunks));
          p.check(7);
        }
      }
    }
    ByteProblem p(unit, tile, 0, 1, 1, 1, 2 * tile.depth, false);
    p.fill(5);
    p.check();
  });
}

// Of panels with more terms than the product takes, those from one of them on.
TEST(OpenclBytes, OfSomeTerms) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const auto& [skipped, beyond] : {std::array{0, 2}, std::array{2, 0}, std::array{1, 3}}) {
      for (const bool is_of_a : {false, true}) {
        ByteProblem p(unit, tile, 1, 2, 2, 3, 3 * tile.depth, false);
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
      ByteProblem p(unit, tile, 0, max_moduli, 2, 1, tile.depth, true);
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
    // About as many slabs as a ring has stages, of which wgmma has 9 or 12 where no panel stays.
    for (const int slabs : {1, 3, 8, 9, 10, 12, 13}) {
      ByteProblem p(unit, tile, 0, 2, panels, panels + 1, slabs * tile.depth, false);
      p.fill(10);
      p.check(997);
    }
  });
}

// Panels that stay in local memory for a run of tiles, of all numbers of slabs that there is room for and one more.
// Most work-groups have two runs.
TEST(OpenclBytes, KeepPanels) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    if (!tile.keeps_panels) return;
    const std::int64_t groups = groups_at_once(unit, tile, state().info.compute_units);
    for (int slabs = 1; slabs <= HALF_KEPT_SLABS + 1; ++slabs) {
      for (const auto& [run, rows, columns] : {std::array{2, 5, 7}, std::array{3, 13, 2}, std::array{8, 19, 4}}) {
        const auto planes = static_cast<int>(2 * groups * run / (rows * columns) + 1);
        ByteProblem p(unit, tile, 1, planes, rows, columns, slabs * tile.depth, slabs % 2 == 0);
        p.run_tiles = run;
        if (run == 8) p.part = BytePart::triangle;
        p.triangle.is_upper = slabs % 3 == 1;
        p.fill(static_cast<std::uint64_t>(slabs));
        p.check(9973);
      }
    }
  });
}

TEST(OpenclBytes, AreExactForTheLargestSums) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    const std::int64_t depth = max_device_depth;
    for (bool accumulates : {false, true}) {
      ByteProblem p(unit, tile, 0, 2, 1, 1, depth, accumulates);
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
  TestOfOneEntry(const ByteProblem& problem, int rows, int columns)
      : problem_(problem), rows_(rows), columns_(columns) {
    for (auto* x : {&problem_.a, &problem_.b}) {
      const std::int64_t line = x == &problem_.a ? problem_.tile.rows : problem_.tile.columns;
      for (std::size_t at = 0; at < x->size(); ++at) {
        (*x)[at] = static_cast<unsigned char>((*x)[at] >> (1 + at / 16 % size(line) % 5));
      }
    }
    for (std::int64_t h = 0; h < problem_.depth; ++h) problem_.a_at(0, 1, h) = 0;
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
    if (leading == 0) {
      EXPECT_GT(got[2], 100) << problem_.text() << ": row " << row << ", column " << column;
      return;
    }
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

  ByteProblem problem_;
  int rows_, columns_;
  cl::CommandQueue queue_{state().context, state().device};
  ByteProduct product_{};
};

TEST(OpenclBytes, TestSumsOfEveryLine) {
  for_each_tile([](ByteUnit unit, const ByteTile& tile) {
    for (const bool is_triangle : {false, true}) {
      // More tiles than groups share.
      const auto groups = static_cast<double>(groups_at_once(unit, tile, state().info.compute_units));
      const int panels = std::max(2, static_cast<int>(std::ceil(std::sqrt(2.0 * groups))));
      ByteProblem p(unit, tile, 0, 1, panels, panels, 3 * tile.depth, false);
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
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 6144, 6144, 6144), 1);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 4096, 4096, 4096), 0);
  EXPECT_EQ(levels_of(ByteUnit::plain, 16384, 16384, 16384), 0) << "not measured";
  for (std::int64_t terms : {256, 512, 1024, 2048}) EXPECT_EQ(levels_of(ByteUnit::wgmma, 16384, 16384, terms), 0);
  EXPECT_EQ(levels_of(ByteUnit::wgmma, 1024, 16384, 16384), 0);
}

}  // namespace
}  // namespace hilo::modular
