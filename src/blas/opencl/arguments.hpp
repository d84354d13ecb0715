// Matrices and vectors in device memory as arguments of routines.
#pragma once

#include "blas/arguments.hpp"
#include "blas/opencl/place.hpp"
#include "blas/opencl/vector_place.hpp"
#include "matrix/device_extent.hpp"

namespace hilo::blas {

/// That the offset is not negative, and that the buffer belongs to the queue's context.
template <class T>
void check_buffer(const Arguments& check, const Queue& queue, const char* name, const Buffer<T>& buffer,
                  std::int64_t offset) {
  if (offset < 0) {
    check.reject(errc::invalid_argument,
                 "the offset of " + std::string(name) + " = " + std::to_string(offset) + " is negative");
  }
  if (opencl::context_of(buffer.native()) != queue.context().native()) {
    check.reject(errc::invalid_argument,
                 "the buffer of " + std::string(name) + " belongs to another context than the queue");
  }
}

/// Checked for sizes and strides, and that the buffer holds it and belongs to the queue's context.
template <class T>
Argument argument(const Arguments& check, const Queue& queue, const char* name, const BufferView<T>& x) {
  const Argument whole{name, lines_of(x), nullptr, x.buffer.native()};
  check.check(whole);
  const Footprint bytes = check.footprint(whole);
  const std::int64_t element_bytes = sizeof(T), span = bytes.extent() / element_bytes;
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  check_buffer(check, queue, name, x.buffer, x.offset);
  if (x.offset > x.buffer.size() || span > x.buffer.size() - x.offset) {
    check.reject(errc::invalid_argument, std::string(name) + " covers " + text(span) + " elements from offset " +
                                             text(x.offset) + ", but its buffer has " + text(x.buffer.size()));
  }
  const Extent extent = extent_of(x.buffer.native(), {x.offset * element_bytes, bytes.run, bytes.runs, bytes.pitch});
  const auto begin = static_cast<std::uintptr_t>(extent.bytes.begin);
  return {name, whole.lines, reinterpret_cast<const void*>(begin), extent.memory};
}

/// The same for kernels that count rows and columns.
template <class T>
Argument counted_argument(const Arguments& check, const Queue& queue, const char* name, const BufferView<T>& x) {
  check.check_counted(name, x.rows, x.columns);
  return argument(check, queue, name, x);
}

template <class T>
VectorArgument argument(const Arguments& check, const Queue& queue, const char* name, const BufferVector<T>& x) {
  VectorArgument whole{name, x.size, x.stride, nullptr, x.buffer.native()};
  check.check(whole);
  check_buffer(check, queue, name, x.buffer, x.offset);
  const std::int64_t element_bytes = sizeof(T), elements = x.buffer.size();
  const std::int64_t last = x.size > 0 ? (x.size - 1) * x.stride : 0;  // counted from the first
  const std::int64_t before = std::max<std::int64_t>(-last, 0);
  const std::int64_t span = x.size > 0 ? std::max<std::int64_t>(last, 0) + 1 : 0;
  if (x.offset > elements || span > elements - x.offset || before > x.offset) {
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    check.reject(errc::invalid_argument, std::string(name) + ", of " + text(x.size) + " elements with stride " +
                                             text(x.stride) + " from offset " + text(x.offset) +
                                             " on, is not within its buffer, which has " + text(elements));
  }
  const Extent extent = extent_of(x.buffer.native(), {x.offset * element_bytes, 0, 0, 0});
  whole.data = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(extent.bytes.begin));
  whole.memory = extent.memory;
  return whole;
}

template <class T>
DeviceVector device_vector(const BufferVector<T>& x) {
  return {cl::Buffer(x.buffer.native(), true), x.offset, x.size, x.stride};
}

template <class T>
DeviceView device_view(const BufferView<T>& x) {
  const ViewLines lines = lines_of(x);
  return {cl::Buffer(x.buffer.native(), true),
          x.offset,
          x.rows,
          x.columns,
          row_stride_of(lines),
          column_stride_of(lines),
          x.conjugate};
}

}  // namespace hilo::blas
