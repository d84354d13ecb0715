// A matrix in device memory as a Storage has it, of which views are multiplied.
#pragma once

#include <hilo/matrix.hpp>
#include <vector>

#include "modular_problems.hpp"

namespace hilo::test {

template <class T>
struct StoredInBuffer {
  Buffer<T> buffer;
  BufferView<T> view;

  StoredInBuffer(const Queue& q, const std::vector<T>& x, std::int64_t rows, std::int64_t columns,
                 const Storage& s = {}, Op op = Op::none)
      : StoredInBuffer(q, Stored<T>(s, op, x, rows, columns), rows, columns, s, op) {}

  void write(const Queue& q, const std::vector<T>& x, const Storage& s = {}, Op op = Op::none) {
    const Stored<T> stored(s, op, x, view.rows, view.columns);
    buffer.write(q, stored.elements.data(), 2, std::ssize(stored.elements));
  }
  // By columns.
  std::vector<T> read(const Queue& q, const std::vector<Event>& wait_list = {}) const {
    std::vector<T> all(static_cast<std::size_t>(buffer.size()));
    buffer.read(q, all.data(), 0, buffer.size(), wait_list);
    std::vector<T> x;
    for (std::int64_t j = 0; j < view.columns; ++j) {
      for (std::int64_t i = 0; i < view.rows; ++i) {
        x.push_back(all[static_cast<std::size_t>(view.offset + i * view.row_stride + j * view.column_stride)]);
      }
    }
    return x;
  }

 private:
  StoredInBuffer(const Queue& q, const Stored<T>& stored, std::int64_t rows, std::int64_t columns, const Storage& s,
                 Op op)
      : buffer(q.context(), 2 + std::ssize(stored.elements)),
        view(hilo::view(s.layout, op, buffer, rows, columns, stored.leading, 2)) {
    buffer.write(q, stored.elements.data(), 2, std::ssize(stored.elements));
  }
};

}  // namespace hilo::test
