// Matrices in device memory.
#pragma once

#include "matrices.hpp"
#include "opencl_queue.hpp"

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

}  // namespace hilo::test
