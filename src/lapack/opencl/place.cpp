#include "lapack/opencl/place.hpp"

#include <algorithm>

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
constexpr std::int64_t listed_moves = 256;  // work-items of a group that lists moves (kernels/lapack/moves.cl)
constexpr const char* moves_text = "lapack/moves.cl";

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
  const bool is_short = is_short_block(a.rows);
  const std::int64_t items = is_short ? large_group() : 256;
  opencl::BorrowedKernel k = kernel("lapack/cholesky_block.cl", is_short ? "cholesky_short_block" : "cholesky_block",
                                    define("ITEMS", narrow(items)));
  set_arguments(k, a.buffer, info(),
                opencl::block_arguments{.a = view_of(a), .order = narrow(a.rows), .first = narrow(first)});
  call().launch_groups(*k, 1, items);
}

void DevicePlace::move(const Matrix& b, std::int64_t first, std::int64_t count, bool back) {
  if (b.columns == 0 || count == 0) return;
  const opencl::move_arguments arguments{
      .a = view_of(b), .first_pivot = first, .back = back, .columns = narrow(b.columns), .count = narrow(count)};
  const std::int64_t many_moves = large_group();
  const bool is_few = count <= few_moves / 2, is_many = count > many_moves / 2;
  const int together = is_many ? many_together : few_together;
  const std::string options = define("ITEMS", narrow(is_few ? few_moves : many_moves)) + define("TOGETHER", together);
  const std::int64_t units = call().context().info.compute_units;
  if (!is_many) {
    opencl::BorrowedKernel k = kernel(moves_text, "move_rows", options);
    set_arguments(k, b.buffer, pivots_, arguments);
    call().launch_groups(*k, std::min(blocks(b.columns, together), 16 * units), is_few ? few_moves : many_moves);
    return;
  }
  opencl::Workspace lists = call().lend(4 * count * 4, "moves of rows");
  {
    opencl::BorrowedKernel k = kernel(moves_text, "list_moves", options);
    set_arguments(k, pivots_, lists.buffer(), arguments);
    call().launch_groups(*k, blocks(2 * count, listed_moves), listed_moves);
  }
  const std::int64_t column_bytes = 2 * count * element_bytes(precision());
  const std::int64_t groups = std::min(b.columns, std::clamp(bytes_between / column_bytes, units, 8 * units));
  opencl::Workspace between = call().lend(groups * column_bytes, "rows that move");
  opencl::BorrowedKernel k = kernel(moves_text, "move_many_rows", options);
  set_arguments(k, b.buffer, lists.buffer(), between.buffer(), arguments);
  call().launch_groups(*k, groups, many_moves);
  call().give_back(between);
  call().give_back(lists);
}

void DevicePlace::move_rows(const Matrix& b, std::int64_t first, std::int64_t count) { move(b, first, count, false); }
void DevicePlace::move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
  move(b, first, count, true);
}

std::int64_t DevicePlace::result(std::span<std::int64_t> pivots) {
  if (unseen_panels_ > 0) look_at_panels();
  cl_int failed = 0;
  call().read(info(), 4, &failed);
  if (!pivots.empty()) {
    std::vector<cl_int> numbers(pivots.size());
    call().read(pivots_, 4 * numbers.size(), numbers.data());
    std::copy(numbers.begin(), numbers.end(), pivots.begin());
  }
  finish();
  if (turn_) turn_.unlock();
  return failed;
}

}  // namespace hilo::lapack
