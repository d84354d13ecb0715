#include "lapack/opencl/place.hpp"

#include <algorithm>

#include "opencl/program.hpp"

namespace hilo::lapack {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

constexpr std::int64_t most_moves = 64;  // of a launch
constexpr const char* moves_text = "lapack/moves.cl";

}  // namespace

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
  opencl::BorrowedKernel k = kernel("lapack/cholesky_block.cl", "cholesky_block");
  set_arguments(k, a.buffer, info(),
                opencl::block_arguments{.a = view_of(a), .order = narrow(a.rows), .first = narrow(first)});
  call().launch(*k, cl::NDRange(256), cl::NDRange(256));
}

const DevicePlace::Moves& DevicePlace::moves_of(std::int64_t first, std::int64_t count) {
  auto [at, is_new] = moves_.try_emplace({first, count});
  if (is_new) {
    at->second.from = call().borrow(2 * most_moves * 4, "moves of rows");
    at->second.to = call().borrow(2 * most_moves * 4, "moves of rows");
    opencl::BorrowedKernel k = kernel(moves_text, "list_moves");
    set_arguments(k, pivots_, at->second.from, at->second.to,
                  opencl::move_arguments{.a = {}, .first_pivot = first, .columns = 0, .count = narrow(count)});
    call().launch(*k, cl::NDRange(2 * most_moves), cl::NDRange(2 * most_moves));
  }
  return at->second;
}

void DevicePlace::move(const Matrix& b, std::int64_t first, std::int64_t count, bool back) {
  const Moves moves = moves_of(first, count);
  opencl::BorrowedKernel k = kernel(moves_text, "move_rows");
  set_arguments(k, b.buffer, back ? moves.to : moves.from, back ? moves.from : moves.to,
                opencl::move_arguments{
                    .a = view_of(b), .first_pivot = first, .columns = narrow(b.columns), .count = narrow(count)});
  const std::int64_t groups = std::min<std::int64_t>(blocks(b.columns, 4), 2048);
  call().launch(*k, cl::NDRange(static_cast<std::size_t>(groups * 2 * most_moves)), cl::NDRange(2 * most_moves));
}

void DevicePlace::move_rows(const Matrix& b, std::int64_t first, std::int64_t count) {
  if (b.columns == 0) return;
  for (std::int64_t i = 0; i < count; i += most_moves) {
    move(b.sub(i, 0, b.rows - i, b.columns), first + i, std::min(most_moves, count - i), false);
  }
}

void DevicePlace::move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
  if (b.columns == 0) return;
  for (std::int64_t i = blocks(count, most_moves) * most_moves - most_moves; i >= 0; i -= most_moves) {
    move(b.sub(i, 0, b.rows - i, b.columns), first + i, std::min(most_moves, count - i), true);
  }
}

std::int64_t DevicePlace::result(std::span<std::int64_t> pivots) {
  cl_int failed = 0;
  call().read(info(), 4, &failed);
  if (!pivots.empty()) {
    std::vector<cl_int> numbers(pivots.size());
    call().read(pivots_, 4 * numbers.size(), numbers.data());
    std::copy(numbers.begin(), numbers.end(), pivots.begin());
  }
  finish();
  return failed;
}

}  // namespace hilo::lapack
