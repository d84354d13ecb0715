#include "lapack/opencl/place.hpp"

#include <algorithm>

#include "opencl/local_memory.hpp"
#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

// Entries of a column that a work-group moves at once where they are few, and what entries on their way take: a cache's
// size.
constexpr std::int64_t few_moves = 128, bytes_between = std::int64_t{32} << 20;
constexpr int few_together = 4, many_together = 8;
// Of a group that moves rows in turns, and of each of its items; of columns that one launch reads.
constexpr std::int64_t turn_items = 256, turn_rows = 8, turn_bytes = std::int64_t{24} << 20;
constexpr std::int64_t short_block = 64;  // rows of a block whose columns items have in registers (cholesky_block.cl)
constexpr std::int64_t column_items = 1024;  // of a group that moves rows of whole columns
constexpr std::int64_t listed_moves = 256;   // work-items of a group that lists moves (kernels/lapack/moves.cl)

}  // namespace

std::int64_t DevicePlace::large_group() { return call().context().info.compute_capability > 0 ? 512 : 256; }

void DevicePlace::make_pivots(std::int64_t count) {
  pivot_count_ = std::max<std::int64_t>(count, 1);
  pivots_ = call().borrow(pivot_count_ * 4, "pivots");
}

void DevicePlace::set_pivots(std::span<const std::int64_t> pivots) {
  make_pivots(std::ssize(pivots));
  const std::vector<cl_int> numbers(pivots.begin(), pivots.end());
  if (!numbers.empty()) call().write(pivots_, 4 * numbers.size(), numbers.data());
}

cl::Buffer DevicePlace::info() {
  if (!info_()) {
    info_ = call().borrow(4, "info");
    call().fill_zero(info_, 4);
  }
  return info_;
}

void DevicePlace::cholesky_block(const Matrix& a, std::int64_t first) {
  const bool is_short = a.rows <= short_block;
  const std::int64_t items = is_short ? large_group() : 256;
  opencl::BorrowedKernel k = kernel("lapack/cholesky_block.cl", is_short ? "cholesky_short_block" : "cholesky_block",
                                    define("ITEMS", narrow(items)) + opencl::unrolled(call().context().info));
  set_arguments(k, a.buffer, info(),
                opencl::block_arguments{.a = view_of(a), .order = narrow(a.rows), .first = narrow(first)});
  call().launch_groups(*k, 1, items);
}

void DevicePlace::multiply_below(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                                 const Matrix& c) {
  if (!chooser_) return multiply(alpha, a, b, beta, c);
  take_as_parts_of({{chooser_, c.rows + rows_elsewhere_, c.columns}});
  multiply(alpha, a, b, beta, c);
  take_as_parts_of({});
}

void DevicePlace::move(const Matrix& b, std::int64_t first, std::int64_t count, bool back) {
  if (b.columns == 0 || count == 0) return;
  const opencl::move_arguments arguments{.a = view_of(b),
                                         .first_pivot = first,
                                         .rows = narrow(b.rows),
                                         .columns = narrow(b.columns),
                                         .count = narrow(count),
                                         .back = back};
  const std::int64_t many_moves = large_group();
  const bool is_few = count <= few_moves / 2, is_many = count > many_moves / 2;
  if (is_many) return move_listed(b, arguments);
  const std::int64_t items = is_few ? few_moves : many_moves;
  opencl::BorrowedKernel k = moves_kernel("move_rows", items, few_together);
  set_arguments(k, b.buffer, pivots_, arguments);
  const std::int64_t units = call().context().info.compute_units;
  call().launch_groups(*k, std::min(blocks(b.columns, few_together), 16 * units), items);
}

// Where most rows move through local memory, or some columns at a time where that does not hold one; else through
// registers where these hold what moves, or through memory.
void DevicePlace::move_listed(const Matrix& b, const opencl::move_arguments& arguments) {
  opencl::ContextState& context = call().context();
  const DeviceInfo& device = context.info;
  const std::int64_t count = 2 * std::int64_t{arguments.count}, units = device.compute_units, items = large_group();
  const std::int64_t bytes = element_bytes(precision()), together = std::clamp<std::int64_t>(128 / bytes, 4, 16);
  opencl::Workspace lists = call().lend(2 * count * 4, "moves of rows");
  {
    opencl::BorrowedKernel k = moves_kernel("list_moves", items, together);
    set_arguments(k, pivots_, lists.buffer(), arguments);
    call().launch_groups(*k, blocks(count, listed_moves), listed_moves);
  }
  const std::int64_t column_rows = std::min<std::int64_t>((opencl::local_memory(device) - 1024) / bytes, 65535);
  const auto most_items = static_cast<std::int64_t>(context.device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
  const bool are_most = 5 * count >= 2 * b.rows;
  if (are_most && b.rows <= column_rows && count <= column_items * together && column_items <= most_items) {
    opencl::BorrowedKernel k = moves_kernel("move_in_columns", column_items, together, column_rows);
    set_arguments(k, b.buffer, lists.buffer(), arguments);
    call().launch_groups(*k, std::min(b.columns, units), column_items);
  } else if (count <= items * together) {
    opencl::BorrowedKernel k = moves_kernel("move_listed_rows", items, together);
    set_arguments(k, b.buffer, lists.buffer(), arguments);
    call().launch_groups(*k, std::min(b.columns, 4 * units), items);
  } else if (are_most) {
    move_in_turns(b, lists, count);
  } else {
    const std::int64_t groups = std::min(b.columns, std::clamp(bytes_between / (count * bytes), units, 8 * units));
    opencl::Workspace between = call().lend(groups * count * bytes, "rows that move");
    opencl::BorrowedKernel k = moves_kernel("move_many_rows", items, many_together);
    set_arguments(k, b.buffer, lists.buffer(), between.buffer(), arguments);
    call().launch_groups(*k, groups, items);
    call().give_back(between);
  }
  call().give_back(lists);
}

// By `count` moves that are listed.
void DevicePlace::move_in_turns(const Matrix& b, const opencl::Workspace& moves, std::int64_t count) {
  const std::int64_t bytes = element_bytes(precision());
  const std::int64_t width = std::clamp<std::int64_t>(turn_bytes / (b.rows * bytes), 1, b.columns);
  opencl::Workspace sources = call().lend(b.rows * 4, "where rows come from");
  opencl::Workspace between = call().lend(2 * width * b.rows * bytes, "rows that move");
  {
    opencl::BorrowedKernel k = moves_kernel("number_rows", turn_items, turn_rows);
    set_arguments(k, sources.buffer(), narrow(b.rows));
    call().launch_over(*k, b.rows);
  }
  {
    opencl::BorrowedKernel k = moves_kernel("list_sources", turn_items, turn_rows);
    set_arguments(k, moves.buffer(), narrow(count), sources.buffer());
    call().launch_over(*k, count);
  }
  opencl::BorrowedKernel k = moves_kernel("move_in_turns", turn_items, turn_rows);
  const auto groups = static_cast<std::size_t>(blocks(b.rows, turn_items * turn_rows));
  for (std::int64_t first = 0; first < b.columns + width; first += width) {
    set_arguments(k, b.buffer, sources.buffer(), between.buffer(),
                  opencl::turn_arguments{.a = view_of(b),
                                         .rows = narrow(b.rows),
                                         .columns = narrow(b.columns),
                                         .first = narrow(first),
                                         .width = narrow(width)});
    call().launch(*k, cl::NDRange(groups * turn_items, static_cast<std::size_t>(2 * width)),
                  cl::NDRange(turn_items, 1));
  }
  call().give_back(between);
  call().give_back(sources);
}

opencl::BorrowedKernel DevicePlace::moves_kernel(const char* name, std::int64_t items, std::int64_t together,
                                                 std::int64_t rows) {
  return kernel("lapack/moves.cl", name,
                define("ITEMS", narrow(items)) + define("TOGETHER", narrow(together)) + define("ROWS", narrow(rows)));
}

void DevicePlace::move_rows(const Matrix& b, std::int64_t first, std::int64_t count) { move(b, first, count, false); }
void DevicePlace::move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
  move(b, first, count, true);
}

void DevicePlace::put_pivots(const cl::CommandQueue& queue, std::int64_t first, std::span<const std::int64_t> pivots) {
  const std::vector<cl_int> numbers(pivots.begin(), pivots.end());
  if (numbers.empty()) return;
  queue.enqueueWriteBuffer(pivots_, CL_TRUE, 4 * static_cast<std::size_t>(first), 4 * numbers.size(), numbers.data());
}

void DevicePlace::ask_for_result(const cl::Event& done, std::int64_t pivots) {
  constexpr std::size_t word = sizeof(cl_int);
  opencl::ContextState& context = call().context();
  const auto borrow = [&] { return context.pinned.borrow(context.context, context.device); };
  const std::size_t all = static_cast<std::size_t>(pivots) * word;
  Asked asked;
  // All memory first: to make some waits for the reads that have begun.
  if (panels_.has_unseen()) asked.given_up = borrow();
  asked.info = borrow();
  for (std::size_t at = 0; at < all; at += opencl::Pinned::bytes) asked.pivots.push_back(borrow());
  if (asked.given_up) asked.given_up->begin_read(panels_.state(), word, done);
  asked.info.begin_read(info(), word, done);
  std::size_t at = 0;
  for (opencl::Pinned& some : asked.pivots) {
    some.begin_read(pivots_, std::min(all - at, opencl::Pinned::bytes), done, at);
    at += opencl::Pinned::bytes;
  }
  asked_ = std::move(asked);
}

std::int64_t DevicePlace::hear_result(std::span<std::int64_t> pivots) {
  const auto heard = [](opencl::Pinned& asked) {
    asked.wait();
    return static_cast<const cl_int*>(asked.data());
  };
  if (asked_.given_up) panels_.hear(call().context(), *heard(*asked_.given_up) != 0);
  const std::int64_t failed = *heard(asked_.info);
  panels_.end();
  constexpr std::size_t most = opencl::Pinned::bytes / sizeof(cl_int);
  for (std::size_t i = 0; i < asked_.pivots.size(); ++i) {
    const std::size_t first = i * most, count = std::min(pivots.size() - first, most);
    std::copy_n(heard(asked_.pivots[i]), count, pivots.begin() + static_cast<std::ptrdiff_t>(first));
  }
  asked_ = {};
  return failed;
}

std::int64_t DevicePlace::result(std::span<std::int64_t> pivots) {
  panels_.look_at_all(call());
  cl_int failed = 0;
  call().read(info(), 4, &failed);
  if (!pivots.empty()) {
    std::vector<cl_int> numbers(pivots.size());
    call().read(pivots_, 4 * numbers.size(), numbers.data());
    std::copy(numbers.begin(), numbers.end(), pivots.begin());
  }
  finish();
  panels_.end();
  return failed;
}

}  // namespace hilo::lapack
