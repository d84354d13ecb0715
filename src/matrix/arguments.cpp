#include "matrix/arguments.hpp"

#include <algorithm>
#include <string>

namespace hilo {
namespace {

using std::to_string;

[[noreturn]] void reject(errc code, const std::string& message) { throw error(code, "gemm: " + message); }

[[noreturn, gnu::cold, gnu::noinline]] void reject_extent(const char* what, std::int64_t x, const char* operation,
                                                          std::int64_t y) {
  reject(errc::overflow, std::string("the extent of ") + what + ", " + to_string(x) + operation + to_string(y) +
                             ", does not fit 64 bits");
}

// The arithmetic of sizes; `what` is the matrix or stride whose extent they give.
inline std::int64_t times(std::int64_t x, std::int64_t y, const char* what) {
  std::int64_t product;
  if (__builtin_mul_overflow(x, y, &product)) reject_extent(what, x, " * ", y);
  return product;
}

inline std::int64_t plus(std::int64_t x, std::int64_t y, const char* what) {
  std::int64_t sum;
  if (__builtin_add_overflow(x, y, &sum)) reject_extent(what, x, " + ", y);
  return sum;
}

std::int64_t span(Layout layout, Op op, std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  if (rows == 0 || columns == 0) return 0;
  bool contiguous = columns_contiguous(layout, op);
  return leading * ((contiguous ? columns : rows) - 1) + (contiguous ? rows : columns);
}

[[noreturn, gnu::cold, gnu::noinline]] void reject_value(const char* what, std::int64_t value, const char* why) {
  reject(errc::invalid_argument, std::string(what) + " = " + to_string(value) + why);
}

inline void check_enum(int value, int last, const char* what) {
  if (value < 0 || value > last) reject_value(what, value, " is none of its enumerators");
}

inline void check_size(const char* what, std::int64_t value) {
  if (value < 0) reject_value(what, value, " is negative");
}

struct Stored {
  const char* matrix;   // as in op(A)
  const char* leading;  // its leading dimension's name
  Op op;
  std::int64_t rows, columns;
  const char* row_name;
  const char* column_name;
};

[[noreturn, gnu::cold, gnu::noinline]] void reject_leading(Layout layout, const Stored& x, std::int64_t leading,
                                                           bool contiguous, std::int64_t least) {
  reject(errc::invalid_argument, std::string(x.leading) + " = " + to_string(leading) + " is less than " +
                                     (least > 1 ? std::string(contiguous ? x.row_name : x.column_name) + " = " : "") +
                                     to_string(least > 1 ? least : 1) + ", the contiguous dimension of " + x.matrix +
                                     " in " + std::string(name(layout)) + " layout");
}

inline void check_leading(const GemmShape& shape, const Stored& x, std::int64_t leading) {
  bool contiguous = columns_contiguous(shape.layout, x.op);
  std::int64_t least = contiguous ? x.rows : x.columns;
  if (leading < (least > 1 ? least : 1)) reject_leading(shape.layout, x, leading, contiguous, least);
  if (x.rows == 0 || x.columns == 0) return;
  std::int64_t elements = times(leading, (contiguous ? x.columns : x.rows) - 1, x.matrix);
  times(plus(elements, least, x.matrix), shape.element_bytes, x.matrix);
}

// The bytes that `count` matrices of `span` elements cover.
std::int64_t extent(std::int64_t span, std::int64_t count, std::int64_t stride, std::int64_t element_bytes,
                    const char* what) {
  if (span == 0 || count == 0) return 0;
  std::int64_t last = times(stride, count - 1, what);
  return times(plus(last, span, what), element_bytes, what);
}

Footprint footprint(const GemmShape& shape, Op op, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                    std::int64_t begin) {
  bool contiguous = columns_contiguous(shape.layout, op);
  return {begin, (contiguous ? rows : columns) * shape.element_bytes, contiguous ? columns : rows,
          leading * shape.element_bytes};
}

// Which lines of a view are contiguous: its columns, its rows, or, of a single line, both.
struct Contiguous {
  bool columns, rows;

  Contiguous(const char* matrix, const ViewLines& x) {
    const auto check = [&](const char* what, std::int64_t value) {
      if (value < 0) {
        reject(errc::invalid_argument, std::string(matrix) + " has " + to_string(value) + " " + what);
      }
    };
    check("rows", x.rows);
    check("columns", x.columns);
    const bool is_empty = x.rows == 0 || x.columns == 0;
    columns = is_empty || ((x.row_stride == 1 || x.rows == 1) && (x.column_stride >= x.rows || x.columns == 1));
    rows = is_empty || ((x.column_stride == 1 || x.columns == 1) && (x.row_stride >= x.columns || x.rows == 1));
    if (!columns && !rows) {
      reject(errc::invalid_argument, std::string("neither rows nor columns of ") + matrix + ", " + to_string(x.rows) +
                                         " x " + to_string(x.columns) + " with strides " + to_string(x.row_stride) +
                                         " and " + to_string(x.column_stride) + ", are contiguous");
    }
  }
};

std::int64_t leading_of(const ViewLines& x, bool by_columns) {
  const std::int64_t lines = by_columns ? x.columns : x.rows, line = by_columns ? x.rows : x.columns;
  const bool is_alone = lines <= 1 || line == 0;
  return is_alone ? std::max<std::int64_t>(line, 1) : by_columns ? x.column_stride : x.row_stride;
}

// How an operand lies beside a C of that layout; where both will do, so that CBLAS knows a word for it.
Op op_of(Layout layout, const ViewLines& x, const Contiguous& lines) {
  const bool as_c = layout == Layout::column ? lines.columns : lines.rows;
  const bool across = layout == Layout::column ? lines.rows : lines.columns;
  if (across && (!as_c || x.conjugate)) return x.conjugate ? Op::conjugate_transpose : Op::transpose;
  return x.conjugate ? Op::conjugate : Op::none;
}

void check_equal(const char* what, std::int64_t x, const char* of_what, std::int64_t y) {
  if (x == y) return;
  reject(errc::invalid_argument,
         std::string(what) + " = " + to_string(x) + " is not " + of_what + " = " + to_string(y));
}

std::int64_t address(const void* p) { return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(p)); }

}  // namespace

bool overlap(const Footprint& x, const Footprint& y) {
  std::int64_t apart = y.begin - x.begin;
  if (x.extent() == 0 || y.extent() == 0 || -apart >= y.extent() || apart >= x.extent()) return false;
  if (x.runs == 1 && y.runs == 1) return true;
  std::int64_t pitch = x.runs == 1 ? y.pitch : x.pitch;
  if (y.runs > 1 && y.pitch != pitch) return true;
  // Run i of x and run j of y overlap where −x.run < pitch · t − apart < y.run, t = i − j. The largest such t decides.
  std::int64_t bound = apart + y.run - 1;
  std::int64_t t = bound / pitch - (bound % pitch < 0 ? 1 : 0);
  t = std::min(t, x.runs - 1);
  return t > -y.runs && pitch * t > apart - x.run;
}

bool overlap(const Footprint& x, std::int64_t stride_x, const Footprint& c, std::int64_t stride_c, std::int64_t count) {
  std::int64_t last = count - 1, apart = c.begin - x.begin;
  if (-apart >= c.extent() + stride_c * last || apart >= x.extent() + stride_x * last) return false;
  if (stride_x != stride_c && stride_x != 0) return true;
  Footprint shifted = c;
  for (std::int64_t i = stride_x ? -last : 0; i <= last; ++i) {
    shifted.begin = c.begin + i * stride_c;
    if (overlap(x, shifted)) return true;
  }
  return false;
}

std::int64_t GemmShape::span_a() const { return span(layout, opa, m, k, lda); }
std::int64_t GemmShape::span_b() const { return span(layout, opb, k, n, ldb); }
std::int64_t GemmShape::span_c() const { return span(layout, Op::none, m, n, ldc); }

Footprint GemmShape::footprint_a(std::int64_t begin) const { return footprint(*this, opa, m, k, lda, begin); }
Footprint GemmShape::footprint_b(std::int64_t begin) const { return footprint(*this, opb, k, n, ldb, begin); }
Footprint GemmShape::footprint_c(std::int64_t begin) const { return footprint(*this, Op::none, m, n, ldc, begin); }

GemmShape packed_shape(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                       std::int64_t element_bytes) {
  auto leading = [&](Op op, std::int64_t rows, std::int64_t columns) {
    return std::max<std::int64_t>(columns_contiguous(layout, op) ? rows : columns, 1);
  };
  return {layout, opa, opb, m, n, k, leading(opa, m, k), leading(opb, k, n), leading(Op::none, m, n), element_bytes};
}

GemmShape shape_of_views(const ViewLines& a, const ViewLines& b, const ViewLines& c, std::int64_t element_bytes) {
  const Contiguous a_lines("A", a), b_lines("B", b), c_lines("C", c);
  check_equal("rows of C", c.rows, "rows of A", a.rows);
  check_equal("columns of C", c.columns, "columns of B", b.columns);
  check_equal("columns of A", a.columns, "rows of B", b.rows);
  if (c.conjugate) reject(errc::invalid_argument, "C is conjugated, which a result cannot be");
  const Layout layout = c_lines.columns ? Layout::column : Layout::row;
  const Op opa = op_of(layout, a, a_lines), opb = op_of(layout, b, b_lines);
  const GemmShape shape{layout,
                        opa,
                        opb,
                        c.rows,
                        c.columns,
                        a.columns,
                        leading_of(a, columns_contiguous(layout, opa)),
                        leading_of(b, columns_contiguous(layout, opb)),
                        leading_of(c, layout == Layout::column),
                        element_bytes};
  check_shape(shape);
  return shape;
}

void check_shape(const GemmShape& shape) {
  check_enum(static_cast<int>(shape.layout), 1, "layout");
  check_enum(static_cast<int>(shape.opa), 3, "opa");
  check_enum(static_cast<int>(shape.opb), 3, "opb");
  check_size("m", shape.m);
  check_size("n", shape.n);
  check_size("k", shape.k);
  check_leading(shape, {"A", "lda", shape.opa, shape.m, shape.k, "m", "k"}, shape.lda);
  check_leading(shape, {"B", "ldb", shape.opb, shape.k, shape.n, "k", "n"}, shape.ldb);
  check_leading(shape, {"C", "ldc", Op::none, shape.m, shape.n, "m", "n"}, shape.ldc);
  times(times(shape.m, shape.n, "m * n"), shape.element_bytes, "m * n");
}

void check_batch(const GemmShape& shape, const BatchShape& batch) {
  check_size("batch", batch.count);
  check_size("stride_a", batch.stride_a);
  check_size("stride_b", batch.stride_b);
  check_size("stride_c", batch.stride_c);
  if (batch.count <= 1) return;
  extent(shape.span_a(), batch.count, batch.stride_a, shape.element_bytes, "stride_a");
  extent(shape.span_b(), batch.count, batch.stride_b, shape.element_bytes, "stride_b");
  extent(shape.span_c(), batch.count, batch.stride_c, shape.element_bytes, "stride_c");
  if (shape.span_c() > batch.stride_c) {
    reject(errc::invalid_argument, "stride_c = " + to_string(batch.stride_c) + " is less than " +
                                       to_string(shape.span_c()) +
                                       ", the elements that one C covers, so results would overlap");
  }
}

void check_pointers(const GemmShape& shape, const BatchShape& batch, const void* a, const void* b, const void* c,
                    bool reads_a_and_b) {
  if (batch.count == 0 || shape.span_c() == 0) return;
  if (!c) reject(errc::invalid_argument, "C is null, but m = " + to_string(shape.m) + " and n = " + to_string(shape.n));
  if (!reads_a_and_b || shape.k == 0) return;
  if (!a) reject(errc::invalid_argument, "A is null, but m = " + to_string(shape.m) + " and k = " + to_string(shape.k));
  if (!b) reject(errc::invalid_argument, "B is null, but k = " + to_string(shape.k) + " and n = " + to_string(shape.n));
  // Of a single product they may be any.
  auto in_bytes = [&](std::int64_t stride) { return batch.count > 1 ? stride * shape.element_bytes : 0; };
  auto overlaps_c = [&](const Footprint& x, std::int64_t stride) {
    return overlap(x, in_bytes(stride), shape.footprint_c(address(c)), in_bytes(batch.stride_c), batch.count);
  };
  if (overlaps_c(shape.footprint_a(address(a)), batch.stride_a)) {
    reject(errc::invalid_argument, "C overlaps A in memory");
  }
  if (overlaps_c(shape.footprint_b(address(b)), batch.stride_b)) {
    reject(errc::invalid_argument, "C overlaps B in memory");
  }
}

void check_options(const GemmOptions& options) {
  check_enum(static_cast<int>(options.engine), 3, "options.engine");
  check_enum(static_cast<int>(options.accuracy), 5, "options.accuracy");
  check_enum(static_cast<int>(options.fma), 2, "options.fma");
  check_size("options.threads", options.threads);
  if (options.threads > 1024) {
    reject(errc::invalid_argument, "options.threads = " + to_string(options.threads) + " is more than 1024");
  }
  check_size("options.tile_rows", options.tile_rows);
  check_size("options.tile_columns", options.tile_columns);
  check_enum(static_cast<int>(options.int8_library), 3, "options.int8_library");
  check_enum(static_cast<int>(options.complex_product), 1, "options.complex_product");
  check_size("options.workspace_bytes", options.workspace_bytes);
  check_size("options.device_bytes", options.device_bytes);
  if (options.levels < -1 || options.levels > 2) {
    reject(errc::invalid_argument, "options.levels = " + to_string(options.levels) + " is not in -1 to 2");
  }
  check_size("options.depth", options.depth);
  if (options.depth > most_depth) {
    reject(errc::invalid_argument,
           "options.depth = " + to_string(options.depth) + " is more than " + to_string(most_depth));
  }
  bool takes_bits = options.accuracy == Accuracy::bits;
  if (takes_bits ? options.bits < 1 || options.bits > most_bits : options.bits != 0) {
    reject(errc::invalid_argument, "options.bits = " + to_string(options.bits) +
                                       (takes_bits ? " is not between 1 and " + to_string(most_bits)
                                                   : " is for accuracy bits, and 0 with any other"));
  }
}

}  // namespace hilo
