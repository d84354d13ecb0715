// Matrices in the memories of a group's devices, beside those in one device's.
#pragma once

#include <hilo/group_matrix.hpp>
#include <vector>

#include "on_device.hpp"
#include "same_bits.hpp"

namespace hilo::test {

/// Devices that are one.
inline DeviceGroup group_of(int devices) {
  return DeviceGroup(std::vector<Context>(static_cast<std::size_t>(devices), queue().context()));
}

template <class T>
GroupMatrix<T> dealt(const DeviceGroup& devices, const StoredMatrix<T>& x, std::int64_t block = 0) {
  GroupMatrix<T> matrix(devices, x.view.rows, x.view.columns, block);
  matrix.write(x.read());
  return matrix;
}

template <class T>
StoredMatrix<T> read(const GroupMatrix<T>& x) {
  StoredMatrix<T> all(Layout::column, x.rows(), x.columns(), 99);
  x.read(all.view);
  return all;
}

/// Entries of the lower triangle that are not those of a matrix in one device's memory; above it they are of no
/// particular value.
template <class T>
std::int64_t lower_differences(const GroupMatrix<T>& x, const OnDevice<T>& one) {
  const StoredMatrix<T> found = read(x);
  const std::vector<T> entries = one.read(queue());
  std::int64_t different = 0;
  for (std::int64_t j = 0; j < x.columns(); ++j) {
    for (std::int64_t i = j; i < x.rows(); ++i) {
      const auto at = one.view.offset + i * one.view.row_stride + j * one.view.column_stride;
      const std::vector<T> w{entries[static_cast<std::size_t>(at)]};
      different += first_difference(std::vector<T>{found(i, j)}, w) != -1;
    }
  }
  return different;
}

}  // namespace hilo::test
