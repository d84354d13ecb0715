// Matrices in device memory as arguments of routines.
#pragma once

#include "blas/arguments.hpp"
#include "blas/opencl/place.hpp"
#include "matrix/device_extent.hpp"

namespace hilo::blas {

/// Checked for sizes and strides, and that the buffer holds it and belongs to the queue's context.
template <class T>
Argument argument(const Arguments& check, const Queue& queue, const char* name, const BufferView<T>& x) {
  const Argument whole{name, lines_of(x), nullptr, x.buffer.native()};
  check.check(whole);
  const Footprint bytes = check.footprint(whole);
  const std::int64_t element_bytes = sizeof(T), span = bytes.extent() / element_bytes;
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  if (x.offset < 0) {
    check.reject(errc::invalid_argument,
                 "the offset of " + std::string(name) + " = " + text(x.offset) + " is negative");
  }
  if (x.offset > x.buffer.size() || span > x.buffer.size() - x.offset) {
    check.reject(errc::invalid_argument, std::string(name) + " covers " + text(span) + " elements from offset " +
                                             text(x.offset) + ", but its buffer has " + text(x.buffer.size()));
  }
  if (opencl::context_of(x.buffer.native()) != queue.context().native()) {
    check.reject(errc::invalid_argument,
                 "the buffer of " + std::string(name) + " belongs to another context than the queue");
  }
  const Extent extent = extent_of(x.buffer.native(), {x.offset * element_bytes, bytes.run, bytes.runs, bytes.pitch});
  const auto begin = static_cast<std::uintptr_t>(extent.bytes.begin);
  return {name, whole.lines, reinterpret_cast<const void*>(begin), extent.memory};
}

template <class T>
DeviceView device_view(const BufferView<T>& x) {
  return {cl::Buffer(x.buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride, x.conjugate};
}

}  // namespace hilo::blas
