// Panels of LU: in one launch where work-groups may meet, in slices as wide as their local memory holds; else a launch
// a column. All have the same bits.
#include <algorithm>
#include <optional>

#include "lapack/opencl/place.hpp"
#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t items = 256;        // of a work-group that meets others
constexpr std::int64_t column_rows = 128;  // of a work-group that does not

}  // namespace

// The fewest rows a work-group with which there are no more groups than may meet.
std::optional<DevicePlace::Slice> DevicePlace::slice_of(std::int64_t rows) {
  opencl::ContextState& context = call().context();
  const JointPanels::Limits& limits = panels_.limits(context, items / 2);
  const std::int64_t most = std::min<std::int64_t>(limits.groups, items - 1);
  Slice slice{.group_rows = 32, .groups = 0, .width = std::min(block(), limits.columns)};
  while (slice.group_rows < items && blocks(rows, slice.group_rows) > most) slice.group_rows *= 2;
  slice.groups = blocks(rows, slice.group_rows);
  const std::int64_t bytes = element_bytes(precision());
  const std::int64_t picks = opencl::has_warps(context.info) ? items / 32 : items;
  const auto fits = [&] {
    return ((slice.group_rows + 1) * (slice.width + 1) + 2 * items) * bytes + picks * 64 + 64 <=
           opencl::local_memory(context.info);
  };
  while (slice.width > 8 && !fits()) slice.width = blocks(slice.width, 2);
  return slice.groups <= most && fits() ? std::optional(slice) : std::nullopt;
}

void DevicePlace::lu_panel(const Matrix& a, std::int64_t first) {
  const std::int64_t n = a.columns;
  for (std::int64_t i = 0; i < n;) {
    const Matrix rest = a.sub(i, i, a.rows - i, n - i);
    const std::optional<Slice> slice = slice_of(rest.rows);
    const std::int64_t w = slice ? std::min(slice->width, rest.columns) : rest.columns, m = rest.rows - w;
    const Matrix left = rest.sub(0, 0, rest.rows, w);
    if (!slice || !panel_at_once(*slice, left, first + i, i > 0)) panel_by_columns(left, first + i, i > 0);
    move_rows(a.sub(i, 0, rest.rows, i), first + i, w);
    if (w < rest.columns) {
      const Matrix right = rest.sub(0, w, rest.rows, rest.columns - w);
      move_rows(right, first + i, w);
      const Matrix top = right.sub(0, 0, w, right.columns);
      solve_block(Uplo::lower, Diag::unit, left.sub(0, 0, w, w), top, i > 0);
      subtract_open(left.sub(w, 0, m, w), top, right.sub(w, 0, m, right.columns));
    }
    i += w;
  }
}

bool DevicePlace::panel_at_once(const Slice& slice, const Matrix& a, std::int64_t first, bool is_open) {
  const cl::Buffer& state = panels_.state(call(), 2 * pivot_count_ + 1);
  make_room_for_tagged(slice.groups);
  const std::string of_items = define("ITEMS", narrow(items)) +
                               define("NVIDIA", opencl::has_warps(call().context().info)) +
                               define("HAS_REDUX", call().context().info.compute_capability >= 80);
  const std::string options =
      of_items + define("ROWS", narrow(slice.group_rows)) + define("WIDTH", narrow(slice.width));
  std::optional<opencl::BorrowedKernel> together = panels_.kernel(call().context(), [&](const std::string& more) {
    return kernel("lapack/lu_panel.cl", "lu_panel", options + more);
  });
  if (!together) return false;
  opencl::BorrowedKernel alone = kernel("lapack/lu_panel_alone.cl", "lu_panel_alone", of_items);
  const opencl::panel_arguments arguments{.a = view_of(a),
                                          .first_pivot = first,
                                          .rows = narrow(a.rows),
                                          .columns = narrow(a.columns),
                                          .groups = narrow(slice.groups),
                                          .is_open = is_open,
                                          .looks = panels_.looks(),
                                          .column = 0};
  set_arguments(*together, a.buffer, shown_, heads_, pivots_, info(), state, arguments);
  set_arguments(alone, a.buffer, pivots_, info(), state, arguments);
  panels_.launch(call(), *together, slice.groups, alone, items);
  return true;
}

void DevicePlace::panel_by_columns(const Matrix& a, std::int64_t first, bool is_open) {
  const std::int64_t groups = blocks(a.rows, column_rows);
  make_room(groups);
  opencl::BorrowedKernel k = kernel("lapack/lu_column.cl", "lu_column",
                                    define("ROWS", narrow(column_rows)) + define("WIDTH", narrow(block())));
  opencl::panel_arguments arguments{.a = view_of(a),
                                    .first_pivot = first,
                                    .rows = narrow(a.rows),
                                    .columns = narrow(a.columns),
                                    .groups = narrow(groups),
                                    .is_open = is_open,
                                    .looks = 0,
                                    .column = -1};
  for (std::int64_t j = -1; j < a.columns; ++j) {
    arguments.column = narrow(j);
    set_arguments(k, a.buffer, published_, keys_, pivots_, info(), arguments);
    call().launch(*k, cl::NDRange(static_cast<std::size_t>(groups * column_rows * 2)),
                  cl::NDRange(static_cast<std::size_t>(column_rows * 2)));
  }
}

// What groups publish of rows of a panel, and their picks; of both twice.
void DevicePlace::make_room(std::int64_t groups) {
  if (published_() && groups <= room_) return;
  room_ = groups;
  published_ = call().borrow(2 * (groups + 1) * block() * element_bytes(precision()), "rows of a panel");
  keys_ = call().borrow(2 * groups * 32, "the largest entries of a column");
}

// The same as words with tags, of which no tag is that of a column yet.
void DevicePlace::make_room_for_tagged(std::int64_t groups) {
  if (shown_() && groups <= shown_room_) return;
  shown_room_ = groups;
  const auto zeros = [&](std::int64_t words, const char* name) {
    cl::Buffer buffer = call().borrow(words * 16, name);
    call().fill_zero(buffer, static_cast<std::size_t>(words * 16));
    return buffer;
  };
  const std::int64_t words = tagged_words(precision());
  shown_ = zeros(2 * (groups + 1) * block() * words, "rows of a panel");
  heads_ = zeros(4 * (groups + 1) * words, "the largest entries of a column");
}

void DevicePlace::subtract_open(const Matrix& a, const Matrix& b, const Matrix& c) {
  if (c.rows == 0 || c.columns == 0) return;
  opencl::BorrowedKernel k = kernel("lapack/open_product.cl", "subtract_open_product");
  set_arguments(k, a.buffer, b.buffer, c.buffer,
                opencl::open_arguments{.a = view_of(a),
                                       .b = view_of(b),
                                       .c = view_of(c),
                                       .rows = narrow(c.rows),
                                       .columns = narrow(c.columns),
                                       .terms = narrow(a.columns)});
  // As the kernel has them.
  constexpr std::int64_t group_rows = 64;
  const std::int64_t group_columns = is_complex(precision()) ? 4 : 8;
  const cl::NDRange all(static_cast<std::size_t>(blocks(c.rows, group_rows) * group_rows),
                        static_cast<std::size_t>(blocks(c.columns, group_columns)));
  call().launch(*k, all, cl::NDRange(group_rows, 1));
}

}  // namespace hilo::lapack
