#include "stream/group_matrix.hpp"

#include <algorithm>
#include <string>

#include "blas/arguments.hpp"
#include "blas/triangular.hpp"
#include "stream/dealt_storage.hpp"
#include "stream/devices.hpp"

namespace hilo::stream {
namespace {

std::int64_t checked(std::int64_t x, const char* what) {
  if (x >= 0) return x;
  throw error(errc::invalid_argument, "GroupMatrix: " + std::string(what) + " = " + std::to_string(x) + " is negative");
}

std::int64_t checked_block(std::int64_t block) {
  if (block >= 0 && block <= blas::most_block) return block;
  throw error(errc::invalid_argument, "GroupMatrix: block = " + std::to_string(block) + " is not between 0 and " +
                                          std::to_string(blas::most_block));
}

HostMatrix shape_of(std::int64_t rows, std::int64_t columns, std::int64_t element_bytes) {
  // With what lines are rounded up to.
  constexpr std::int64_t line = 512;
  std::int64_t bytes;
  if (__builtin_mul_overflow(rows, element_bytes, &bytes) || __builtin_add_overflow(bytes, line, &bytes) ||
      __builtin_mul_overflow(bytes, std::max<std::int64_t>(columns, 1), &bytes)) {
    throw error(errc::overflow, "GroupMatrix: " + std::to_string(rows) + " x " + std::to_string(columns) +
                                    " elements of " + std::to_string(element_bytes) + " bytes do not fit 64 bits");
  }
  blas::Arguments("GroupMatrix", element_bytes).check_counted("the matrix", rows, columns);
  return {nullptr, rows, columns, 1, std::max<std::int64_t>(rows, 1), false, element_bytes, true};
}

}  // namespace

GroupMatrixState::GroupMatrixState(const DeviceGroup& group, Precision elements, std::int64_t rows,
                                   std::int64_t columns, std::int64_t block_given)
    : devices(group),
      precision(elements),
      block(checked_block(block_given)),
      shape(shape_of(checked(rows, "rows"), checked(columns, "columns"), element_bytes(elements))),
      deal(blocks_of(columns, block > 0 ? block : blas::default_block, static_cast<std::size_t>(group.size()))) {
  for (int i = 0; i < devices.size(); ++i) {
    const std::int64_t its = deal.columns_of(i);
    memory.emplace_back(devices.queue(i).context(), DealtStorage::elements(shape, rows, its), shape.element_bytes);
    own.push_back(DealtStorage::lay(cl::Buffer(memory.back().native(), true), shape, rows, its));
  }
}

Devices GroupMatrixState::queues() const { return devices_of(devices); }

const PassedBlocks* GroupMatrixState::passed() {
  if (devices.size() == 1) return nullptr;
  if (!passed_) passed_.emplace(devices, shape, deal);
  return &*passed_;
}

}  // namespace hilo::stream
