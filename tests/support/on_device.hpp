// Matrices and vectors in device memory.
#pragma once

#include "matrices.hpp"
#include "opencl_queue.hpp"
#include "vectors.hpp"

namespace hilo::test {

// A matrix in device memory that lies as a StoredMatrix does.
template <class T>
struct OnDevice {
  Buffer<T> buffer;
  BufferView<T> view;

  OnDevice(const Queue& q, const StoredMatrix<T>& x)
      : buffer(q.context(), std::ssize(x.elements)), view{buffer,
                                                          x.view.data - x.elements.data(),
                                                          x.view.rows,
                                                          x.view.columns,
                                                          x.view.row_stride,
                                                          x.view.column_stride,
                                                          x.view.conjugate} {
    buffer.write(q, x.elements.data(), 0, buffer.size());
  }
  std::vector<T> read(const Queue& q) const {
    std::vector<T> all(static_cast<std::size_t>(buffer.size()));
    buffer.read(q, all.data(), 0, buffer.size());
    return all;
  }
};

/// A matrix of so many rows, its columns side by side, to device memory.
template <class T>
BufferView<T> upload(const Queue& q, const std::vector<T>& x, std::int64_t rows) {
  Buffer<T> buffer(q.context(), std::ssize(x));
  buffer.write(q, x.data(), 0, std::ssize(x));
  return view(Layout::column, Op::none, buffer, rows, std::ssize(x) / rows, rows);
}

// A vector in device memory that lies as a StoredVector does.
template <class T>
struct VectorOnDevice {
  Buffer<T> buffer;
  BufferVector<T> view;

  VectorOnDevice(const Queue& q, const StoredVector<T>& x)
      : buffer(q.context(), std::ssize(x.elements)),
        view{buffer, x.view.data - x.elements.data(), x.view.size, x.view.stride} {
    buffer.write(q, x.elements.data(), 0, buffer.size());
  }
  /// With what is between the elements.
  StoredVector<T> read(const Queue& q) const {
    StoredVector<T> x(view.size, view.stride);
    buffer.read(q, x.elements.data(), 0, buffer.size());
    return x;
  }
};

}  // namespace hilo::test
