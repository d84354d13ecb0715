// Whole matrices of a device in host memory, and back.
#pragma once

#include "blas/opencl/place.hpp"
#include "spectral/dense.hpp"

namespace hilo::spectral {

class HostCopies : public blas::DevicePlace {
 public:
  using blas::DevicePlace::DevicePlace;

  template <class T>
  Dense<T> read(const DeviceView& from) {
    Dense<T> to(from.rows, from.columns);
    if (bytes(from, 1) == 0) return to;
    const Lent between = lend(from.rows, from.columns);
    copy(from, between.matrix());
    call().read(between.matrix().buffer, bytes(from, sizeof(T)), to.view().data);
    return to;
  }
  template <class T>
  void write(Dense<T> from, const DeviceView& to) {
    if (bytes(to, 1) == 0) return;
    const Lent between = lend(to.rows, to.columns);
    call().write(between.matrix().buffer, bytes(to, sizeof(T)), from.view().data);
    copy(between.matrix(), to);
  }

 private:
  static std::size_t bytes(const DeviceView& x, std::size_t element) {
    return static_cast<std::size_t>(x.rows * x.columns) * element;
  }
};

}  // namespace hilo::spectral
