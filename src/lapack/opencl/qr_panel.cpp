// Panels of QR: in one launch where work-groups may meet, else two launches a column, with the same bits.
#include <algorithm>
#include <bit>

#include "lapack/opencl/qr_place.hpp"
#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t chunk = 256;        // rows of a work-group that sums
constexpr std::int64_t fold = 8;           // sums that are added by themselves
constexpr std::int64_t group_rows = 128;   // of a work-group of end_column
constexpr std::int64_t most_split = 64;    // work-groups of a chunk
constexpr std::int64_t enough_split = 8;   // no faster with more
constexpr std::int64_t most_columns = 64;  // of a work-group of a panel in one launch
constexpr std::int64_t columns_ahead = 9;  // slots more than a chunk has work-groups: who makes T may stay behind
constexpr const char* column_text = "lapack/qr_column.cl";

cl::NDRange items(std::int64_t groups, std::int64_t of_group) {
  return cl::NDRange(static_cast<std::size_t>(groups * of_group));
}

// Columns of a work-group of sum_column, whose entries it has in local memory.
std::int64_t tile_columns(std::int64_t element_bytes, std::int64_t local_memory) {
  std::int64_t tile = 32;
  while (tile > 1 && ((tile + 1) * (chunk + fold) + tile * (fold + 1)) * element_bytes >
                         std::min<std::int64_t>(local_memory, 48 << 10)) {
    tile /= 2;
  }
  return tile;
}

// What texts take for the columns of a panel: few programs, whatever the block.
std::int64_t width_of(std::int64_t block) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(block)));
}

}  // namespace

void QrDevicePlace::make_work(std::int64_t elements) {
  if (elements <= work_room_) return;
  work_ = call().borrow(elements * element_bytes(precision()), "sums of a panel");
  work_room_ = elements;
}

// As few columns a work-group as there are groups that may meet; local memory holds no more than so many.
std::optional<QrDevicePlace::Split> QrDevicePlace::split_of(std::int64_t rows) {
  opencl::ContextState& context = call().context();
  const JointPanels::Limits& limits = panels_.limits(context, most_columns);
  const std::int64_t width = width_of(block()), bytes = element_bytes(precision());
  const auto fits = [&](std::int64_t columns) {
    const std::int64_t side = std::clamp<std::int64_t>(512 / width, 1, fold);
    const std::int64_t elements = (columns + 1) * (chunk + fold) + columns * (fold + 1) + (side + 2) * (width + 1);
    return elements * bytes + 64 <= opencl::local_memory(context.info);
  };
  std::int64_t columns = std::min(limits.columns, width);
  while (columns > 1 && !fits(columns)) columns /= 2;
  const std::int64_t chunks = blocks(rows, chunk);
  Split split{blocks(width, columns), columns};
  const auto may_meet = [&](std::int64_t groups) { return chunks * groups < limits.groups; };
  if (!fits(columns) || split.groups > most_split || !may_meet(split.groups)) return {};
  while (2 * split.groups <= std::min(width, enough_split) && may_meet(2 * split.groups)) split.groups *= 2;
  return split;
}

void QrDevicePlace::qr_panel(const Matrix& a, std::int64_t first, const Matrix& t) {
  const std::optional<Split> split = split_of(a.rows);
  if (!split || !panel_at_once(*split, a, first, t)) panel_by_columns(a, first, t);
}

bool QrDevicePlace::panel_at_once(const Split& split, const Matrix& a, std::int64_t first, const Matrix& t) {
  const cl::Buffer& state = panels_.state(call(), 2 * count_ + 2);
  const std::int64_t m = a.rows, n = a.columns, chunks = blocks(m, chunk), groups = chunks * split.groups + 1;
  const std::int64_t slots = split.groups + columns_ahead;
  make_work(n + chunks * n);
  make_room_for_tagged(slots * (m + n + 2 * chunks * n) * tagged_words(precision()));
  const bool is_nvidia = opencl::has_warps(call().context().info);
  const std::string of_width = define("WIDTH", narrow(width_of(block())));
  const std::string options = define("COLUMNS", narrow(split.columns)) + of_width + define("NVIDIA", is_nvidia) +
                              define("HAS_REDUX", call().context().info.compute_capability >= 80);
  std::optional<opencl::BorrowedKernel> together = panels_.kernel(call().context(), [&](const std::string& more) {
    return kernel("lapack/qr_panel.cl", "qr_panel", options + more);
  });
  if (!together) return false;
  opencl::BorrowedKernel alone = kernel("lapack/qr_panel_alone.cl", "qr_panel_alone", of_width);
  const opencl::qr_arguments arguments{.a = view_of(a),
                                       .t = view_of(t),
                                       .first = first,
                                       .column = 0,
                                       .rows = narrow(m),
                                       .columns = narrow(n),
                                       .groups = narrow(groups),
                                       .looks = panels_.looks(),
                                       .split = narrow(split.groups),
                                       .slots = narrow(slots)};
  set_arguments(*together, a.buffer, t.buffer, tau_, shown_, state, arguments);
  set_arguments(alone, a.buffer, t.buffer, tau_, work_, state, arguments);
  panels_.launch(call(), *together, groups, alone, chunk);
  return true;
}

// Words with tags, of which no tag is that of a column yet.
void QrDevicePlace::make_room_for_tagged(std::int64_t words) {
  if (shown_() && words <= shown_room_) return;
  shown_room_ = words;
  shown_ = call().borrow(words * 16, "columns and sums of a panel");
  call().fill_zero(shown_, static_cast<std::size_t>(words * 16));
}

void QrDevicePlace::panel_by_columns(const Matrix& a, std::int64_t first, const Matrix& t) {
  const std::int64_t n = a.columns, chunks = blocks(a.rows, chunk), groups = blocks(a.rows, group_rows) + 1;
  make_work(n + chunks * n);
  const cl::Buffer keys = call().borrow(n * 4, "the scales of columns");
  call().fill_zero(keys, static_cast<std::size_t>(n * 4));
  const std::int64_t tile = tile_columns(element_bytes(precision()), opencl::local_memory(call().context().info));
  const std::string options = define("ROWS", narrow(group_rows)) +
                              define("WIDTH", narrow(std::max<std::int64_t>(width_of(block()), 64))) +
                              define("TILE", narrow(tile));
  opencl::BorrowedKernel sum = kernel(column_text, "sum_column", options),
                         end = kernel(column_text, "end_column", options);
  opencl::qr_arguments arguments{.a = view_of(a),
                                 .t = view_of(t),
                                 .first = first,
                                 .column = 0,
                                 .rows = narrow(a.rows),
                                 .columns = narrow(n),
                                 .groups = narrow(groups),
                                 .looks = 0,
                                 .split = 0,
                                 .slots = 0};
  set_arguments(end, a.buffer, t.buffer, tau_, work_, keys, arguments);
  set_arguments(sum, a.buffer, work_, keys, arguments);
  for (std::int64_t j = 0;; ++j) {
    arguments.column = j;
    (*end).setArg(5, arguments);
    call().launch(*end, items(groups, group_rows), items(1, group_rows));
    if (j == n) return;
    (*sum).setArg(3, arguments);
    call().launch(*sum,
                  cl::NDRange(static_cast<std::size_t>(chunks * chunk), static_cast<std::size_t>(blocks(n, tile))),
                  cl::NDRange(chunk, 1));
  }
}

}  // namespace hilo::lapack
