// The known-answer test of a unit that multiplies bytes.
#include <cmath>
#include <cstring>

#include "gemm/modular/block_products.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/line_order.hpp"
#include "gemm/modular/opencl/runs.hpp"

namespace hilo::modular {
namespace {

struct Shape {
  const char* what;
  int first_plane, planes, row_panels, column_panels;
  std::int64_t depth;
  bool is_extreme;  // large bytes, a line's all alike
  bool accumulates;
  int stride;  // of the rows that are compared
  BytePart part = BytePart::whole;
  ByteTriangle triangle = {};
  int levels = 0;  // of blocks; panels and depth are a block's
  int run = 0;     // as ByteProduct::run

  std::int64_t factors() const { return block_factors(levels); }
  std::int64_t grid() const { return block_grid(levels); }

  // Whether the entry is of a tile that is multiplied.
  bool has_tile_of(std::int64_t row, std::int64_t column, const ByteTile& tile) const {
    if (part == BytePart::whole) return true;
    const std::int64_t first_row = row / tile.rows * tile.rows, first_column = column / tile.columns * tile.columns;
    return triangle.is_upper ? first_column + tile.columns > first_row + triangle.diagonal
                             : first_column < first_row + tile.rows + triangle.diagonal;
  }
};

struct Matrices {
  std::int64_t rows, columns;
  std::vector<unsigned char> a, b;  // as the kernels take them
  std::vector<unsigned char> c;
  std::vector<cl_int> moduli;
};

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

// Any bytes, and always the same.
class Bytes {
 public:
  int next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>(state_ >> 56);
  }

 private:
  std::uint64_t state_ = 20240229;
};

std::vector<unsigned char> operand(std::int64_t panels, int lines, const Shape& shape, Bytes& bytes) {
  std::vector<unsigned char> x(size(panels * lines * shape.depth));
  if (!shape.is_extreme) {
    for (unsigned char& byte : x) byte = static_cast<unsigned char>(bytes.next());
    return x;
  }
  constexpr int extremes[] = {255, 254, 255, 128, 253};
  for (std::size_t chunk = 0; chunk < x.size() / 16; ++chunk) {
    std::memset(&x[16 * chunk], extremes[chunk % size(lines) % std::size(extremes)], 16);
  }
  return x;
}

Matrices matrices(const Shape& shape, const ByteTile& tile) {
  Bytes bytes;
  Matrices m;
  m.rows = shape.grid() * shape.row_panels * tile.rows;
  m.columns = shape.grid() * shape.column_panels * tile.columns;
  m.a = operand(shape.planes * shape.factors() * shape.row_panels, tile.rows, shape, bytes);
  m.b = operand(shape.planes * shape.factors() * shape.column_panels, tile.columns, shape, bytes);
  for (int plane = 0; plane < shape.first_plane + shape.planes; ++plane) {
    m.moduli.push_back(moduli[size(shape.is_extreme ? (plane % 2 ? 1 : max_moduli - 1) : plane % max_moduli)]);
    for (std::int64_t entry = 0; entry < m.rows * m.columns; ++entry) {
      const int modulus = m.moduli.back();
      m.c.push_back(static_cast<unsigned char>(shape.is_extreme ? modulus - 1 : bytes.next() % modulus));
    }
  }
  return m;
}

// The first `terms` of each line of consecutive panels, line by line.
std::vector<unsigned char> lines_of(const std::vector<unsigned char>& x, std::int64_t first_panel, std::int64_t panels,
                                    int lines, bool in_quads, std::int64_t depth, std::int64_t terms) {
  std::vector<unsigned char> out(size(panels * lines * terms));
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t chunk = 0; chunk < terms / 16; ++chunk) {
      for (int line = 0; line < lines; ++line) {
        const int place = place_of_line(line, in_quads);
        std::memcpy(&out[size((panel * lines + line) * terms + 16 * chunk)],
                    &x[size((((first_panel + panel) * depth / 16 + chunk) * lines + place) * 16)], 16);
      }
    }
  }
  return out;
}

std::int64_t dot(const unsigned char* x, const unsigned char* y, std::int64_t terms) {
  std::int64_t sum = 0;
  for (std::int64_t h = 0; h < terms; ++h) sum += x[h] * y[h];
  return sum;
}

// What an entry asks for, as kernels/bytes/sum_test.cl has it: the least n with `norms` at most 4 T' 2^n. The sum is
// above 0.
int asked_by(float norms, std::int64_t sum) {
  int exponent = 0;
  while (sum >> (exponent + 1)) ++exponent;
  const double leading = std::ldexp(static_cast<double>(sum << 3 >> exponent), exponent - 3);
  int n = -64;
  while (norms > std::ldexp(4.0 * leading, n)) ++n;
  return n;
}

std::string finding(const Shape& shape, const Matrices& m, std::int64_t modulus, std::int64_t i, std::int64_t j,
                    int got, std::int64_t want) {
  return std::string(shape.what) + ", " + std::to_string(m.rows) + " x " + std::to_string(m.columns) + " x " +
         std::to_string(shape.depth) + " modulo " + std::to_string(modulus) + ": entry (" + std::to_string(i) + ", " +
         std::to_string(j) + ") is " + std::to_string(got) + " instead of " + std::to_string(want);
}

// What the steps make of an entry of each block, from the products of factors in their order.
std::vector<std::int64_t> entries_of_blocks(int levels, const std::vector<std::int64_t>& products) {
  std::vector<std::int64_t> blocks(size(block_grid(levels) * block_grid(levels) + scratch_blocks(levels)));
  std::int64_t sum = 0;
  for (const BlockStep& step : block_steps(levels)) {
    sum = (step.begins ? 0 : sum) + products[size(step.factor)];
    for (const BlockStore& store : step.store) {
      if (store.to < 0) continue;
      std::int64_t stored = sum;
      for (int added : store.add) stored += added < 0 ? 0 : blocks[size(added)];
      blocks[size(store.to)] = stored;
    }
  }
  return blocks;
}

std::string compare_blocks(const Shape& shape, const ByteTile& tile, const Matrices& m,
                           const std::vector<unsigned char>& got) {
  const std::int64_t factors = shape.factors(), grid = shape.grid(), terms = shape.depth;
  const std::int64_t rows = m.rows / grid, columns = m.columns / grid;
  for (int p = 0; p < shape.planes; ++p) {
    const std::int64_t modulus = m.moduli[size(p)], factor = residue_factor(tile.is_montgomery, m.moduli[size(p)]);
    const auto a = lines_of(m.a, p * factors * shape.row_panels, factors * shape.row_panels, tile.rows, tile.in_quads,
                            terms, terms);
    const auto b = lines_of(m.b, p * factors * shape.column_panels, factors * shape.column_panels, tile.columns,
                            tile.in_quads, terms, terms);
    for (std::int64_t i = p % shape.stride; i < rows; i += shape.stride) {
      for (std::int64_t j = 0; j < columns; ++j) {
        std::vector<std::int64_t> products;
        for (std::int64_t f = 0; f < factors; ++f) {
          products.push_back(dot(&a[size((f * rows + i) * terms)], &b[size((f * columns + j) * terms)], terms));
        }
        const auto blocks = entries_of_blocks(shape.levels, products);
        for (std::int64_t block = 0; block < grid * grid; ++block) {
          const std::int64_t row = block / grid * rows + i, column = block % grid * columns + j;
          const std::int64_t want = blocks[size(block)] % modulus * factor % modulus;
          const int is = got[size((p * m.rows + row) * m.columns + column)];
          if (is != want) return finding(shape, m, modulus, row, column, is, want);
        }
      }
    }
  }
  return "";
}

std::string compare(const Shape& shape, const ByteTile& tile, const Matrices& m,
                    const std::vector<unsigned char>& got) {
  if (shape.part == BytePart::blocks) return compare_blocks(shape, tile, m, got);
  // Chunks that are alike need one product.
  const std::int64_t terms = shape.is_extreme ? 16 : shape.depth, repeats = shape.depth / terms;
  for (int plane = 0; plane < shape.first_plane + shape.planes; ++plane) {
    const std::int64_t modulus = m.moduli[size(plane)], p = plane - shape.first_plane,
                       factor = residue_factor(tile.is_montgomery, m.moduli[size(plane)]);
    std::vector<unsigned char> a, b;
    if (p >= 0) {
      a = lines_of(m.a, p * shape.row_panels, shape.row_panels, tile.rows, tile.in_quads, shape.depth, terms);
      b = lines_of(m.b, p * shape.column_panels, shape.column_panels, tile.columns, tile.in_quads, shape.depth, terms);
    }
    for (std::int64_t i = plane % shape.stride; i < m.rows; i += shape.stride) {
      for (std::int64_t j = 0; j < m.columns; ++j) {
        const std::size_t at = size((plane * m.rows + i) * m.columns + j);
        std::int64_t want = m.c[at];
        if (p >= 0 && shape.has_tile_of(i, j, tile)) {
          const std::int64_t sum = repeats * dot(&a[size(i * terms)], &b[size(j * terms)], terms);
          want = ((shape.accumulates ? want : 0) + sum % modulus * factor) % modulus;
        }
        if (got[at] == want) continue;
        return finding(shape, m, modulus, i, j, got[at], want);
      }
    }
  }
  return "";
}

template <class T>
cl::Buffer upload(opencl::ContextState& context, const cl::CommandQueue& queue, const std::vector<T>& x) {
  cl::Buffer buffer(context.context, CL_MEM_READ_WRITE, sizeof(T) * x.size());
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof(T) * x.size(), x.data());
  return buffer;
}

std::string run(opencl::ContextState& context, ByteUnit unit, const ByteTile& tile, const Shape& shape) {
  const Matrices m = matrices(shape, tile);
  cl::CommandQueue queue(context.context, context.device);
  auto upload = [&](const auto& x) { return modular::upload(context, queue, x); };
  ByteProduct product{upload(m.a),  upload(m.b),      upload(m.c),         upload(m.moduli), shape.first_plane,
                      shape.planes, shape.row_panels, shape.column_panels, shape.depth,      shape.accumulates};
  product.triangle = shape.triangle;
  product.levels = shape.levels;
  product.run = shape.run;
  const ByteMultiplier multiplier = byte_multiplier(context, unit, tile, ByteResult::residue, shape.part);
  if (const std::int64_t bytes = multiplier.scratch_bytes(product)) {
    product.scratch = cl::Buffer(context.context, CL_MEM_READ_WRITE, size(bytes));
    queue.enqueueFillBuffer(product.scratch, cl_uint{0}, 0, sizeof(cl_uint));
  }
  auto launch = multiplier.launch(product);
  cl::Event event;
  queue.enqueueNDRangeKernel(*launch.kernel, cl::NullRange, launch.global, launch.local, nullptr, &event);
  event.wait();
  std::vector<unsigned char> got(m.c.size());
  queue.enqueueReadBuffer(product.c, CL_TRUE, 0, got.size(), got.data());
  return compare(shape, tile, m, got);
}

// Sum tests of lines that are idle but for one row and one column; of more tiles than a device has groups that share
// them.
std::string test_sums(opencl::ContextState& context, ByteUnit unit, const ByteTile& tile, BytePart part) {
  constexpr float idle = -1e30f;
  constexpr int nothing = -1000, tries = 24;
  const std::int64_t groups = groups_at_once(unit, tile, context.info.compute_units);
  int side = 2;
  while (side * side < 2 * groups) ++side;
  Shape shape{"the sum test", 0, 1, side, side + 1, std::int64_t{7} * tile.depth, false, false, 1};
  shape.part = part;
  Matrices m = matrices(shape, tile);
  for (auto* x : {&m.a, &m.b}) {
    for (std::size_t at = 0; at < x->size(); ++at) (*x)[at] = static_cast<unsigned char>((*x)[at] >> (1 + at / 16 % 7));
  }
  // Some lines of the last panels are beyond the operands.
  const auto lines_of_a = static_cast<int>(m.rows) - 3, lines_of_b = static_cast<int>(m.columns) - 5;
  const auto a = lines_of(m.a, 0, shape.row_panels, tile.rows, tile.in_quads, shape.depth, shape.depth);
  const auto b = lines_of(m.b, 0, shape.column_panels, tile.columns, tile.in_quads, shape.depth, shape.depth);
  cl::CommandQueue queue(context.context, context.device);
  ByteProduct product{};
  product.a = upload(context, queue, m.a);
  product.b = upload(context, queue, m.b);
  product.planes = 1;
  product.row_panels = shape.row_panels;
  product.column_panels = shape.column_panels;
  product.depth = shape.depth;
  product.triangle = shape.triangle;
  const ByteMultiplier multiplier = byte_multiplier(context, unit, tile, ByteResult::sum_test, part);
  Bytes bytes;
  for (int t = 0; t < tries; ++t) {
    const int row = (bytes.next() * 256 + bytes.next()) % lines_of_a;
    const int any = (bytes.next() * 256 + bytes.next()) % lines_of_b,
              column = part == BytePart::whole ? any : any % (row + 1);
    std::vector<float> norms(size(lines_of_a + lines_of_b), idle);
    for (const int line : {row, lines_of_a + column}) norms[size(line)] = static_cast<float>(1 + bytes.next());
    const cl::Buffer on_device = upload(context, queue, norms);
    product.test = {on_device,  on_device,  lines_of_a,
                    lines_of_a, lines_of_b, upload(context, queue, std::vector<cl_int>{nothing, nothing, nothing}),
                    1};
    const auto launch = multiplier.launch(product);
    queue.enqueueNDRangeKernel(*launch.kernel, cl::NullRange, launch.global, launch.local);
    std::vector<cl_int> got(3);
    queue.enqueueReadBuffer(product.test.figures, CL_TRUE, 0, sizeof(cl_int) * got.size(), got.data());
    const std::int64_t sum = dot(&a[size(row * shape.depth)], &b[size(column * shape.depth)], shape.depth);
    const int want = asked_by(norms[size(row)] + norms[size(lines_of_a + column)], sum);
    if (got == std::vector<cl_int>{nothing, want, nothing}) continue;
    return std::string(shape.what) + ": entry (" + std::to_string(row) + ", " + std::to_string(column) + ") asks for " +
           std::to_string(got[1]) + " instead of " + std::to_string(want) + ", beside it " + std::to_string(got[0]) +
           " and " + std::to_string(got[2]);
  }
  return "";
}

// Panels that stay: of columns, with room for two or for one, and of rows, as a whole or half of one. Runs go on with
// the next panel, and on a device of up to some 200 units work-groups have several of them.
std::vector<Shape> kept_shapes(const ByteTile& tile) {
  Shape two{"panels of columns that stay", 0, 29, 7, 2, std::int64_t{3} * tile.depth, false, false, 61};
  Shape one{"a panel of columns that stays", 1, 27, 5, 3, std::int64_t{KEPT_RIGHT_SLABS} * tile.depth, false, true, 97};
  Shape left{"a panel of rows that stays", 0, 27, 5, 3, std::int64_t{11} * tile.depth, false, false, 97};
  Shape half{"half a panel of rows that stays",          0,     27,    5, 3,
             std::int64_t{HALF_KEPT_SLABS} * tile.depth, false, false, 97};
  two.run = one.run = left.run = half.run = 2;
  return {two, one, left, half};
}

std::vector<Shape> whole_shapes(const ByteTile& tile) {
  std::vector<Shape> shapes = {
      {"one tile", 0, 3, 1, 1, tile.depth, false, false, 1},
      {"long sums on top of others", 1, 2, 2, 2, std::int64_t{23} * tile.depth, false, true, 3},
      {"all moduli", 0, max_moduli, 2, 3, std::int64_t{2} * tile.depth, false, false, 8},
      {"more tiles than groups", 0, 60, 3, 2, std::int64_t{13} * tile.depth, false, false, 61},
      {"the largest sums", 0, 2, 1, 1, max_device_depth, true, true, 1},
  };
  if (tile.keeps_panels) {
    for (const Shape& shape : kept_shapes(tile)) shapes.push_back(shape);
  }
  return shapes;
}

// The first has tiles of several bands, and more of them than a device has groups that share them; a band of 8 or 16
// rows of tiles, and the other triangle, ends with a tile of one entry. Of every tile some rows are compared.
std::vector<Shape> triangle_shapes(const ByteTile& tile) {
  Shape lower{"a lower triangle", 1, 4, 40, 3, tile.depth, false, false, 13};
  lower.triangle = {false, std::int64_t{tile.columns} + 1 - 16 * std::int64_t{tile.rows}};
  Shape upper{"an upper triangle", 0, 2, 3, 4, std::int64_t{2} * tile.depth, false, true, 1};
  upper.triangle = {true, std::int64_t{2} * tile.columns - 1};
  std::vector<Shape> shapes = {lower, upper};
  if (tile.keeps_panels) {
    Shape kept{"a triangle's panels that stay", 0, 20, 11, 4, std::int64_t{5} * tile.depth, false, false, 97};
    kept.triangle = {false, 0};
    kept.run = 3;
    shapes.push_back(kept);
    kept.depth = std::int64_t{3} * tile.depth;  // room for two
    kept.triangle.is_upper = true;
    shapes.push_back(kept);
  }
  for (Shape& shape : shapes) shape.part = BytePart::triangle;
  return shapes;
}

// Of few slabs and of more than a ring of them has; and of more tiles than a device has groups that share them.
std::vector<Shape> block_shapes(const ByteTile& tile) {
  Shape one{"blocks of one level", 0, 3, 2, 1, std::int64_t{3} * tile.depth, false, false, 11};
  Shape many{"tiles of blocks", 0, 150, 1, 1, tile.depth, false, false, 61};
  Shape two{"blocks of two levels", 0, 2, 1, 2, std::int64_t{13} * tile.depth, false, false, 37};
  one.levels = many.levels = 1;
  two.levels = 2;
  for (Shape* shape : {&one, &many, &two}) shape->part = BytePart::blocks;
  return {one, many, two};
}

std::vector<Shape> shapes_of(BytePart part, const ByteTile& tile) {
  return part == BytePart::whole      ? whole_shapes(tile)
         : part == BytePart::triangle ? triangle_shapes(tile)
                                      : block_shapes(tile);
}

}  // namespace

std::string byte_self_test(opencl::ContextState& context, ByteUnit unit, BytePart part) {
  for (const ByteTile& tile : byte_tiles(unit)) {
    for (const Shape& shape : shapes_of(part, tile)) {
      std::string found = run(context, unit, tile, shape);
      if (!found.empty()) return found;
    }
    if (part == BytePart::blocks) continue;
    std::string found = test_sums(context, unit, tile, part);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace hilo::modular
