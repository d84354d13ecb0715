// A matrix in a device's memory, columns contiguous, as the device's products in panels take it.
#pragma once

#include "stream/carrier.hpp"

namespace hilo::stream {

class DeviceColumns : public Elsewhere {
 public:
  /// `matrix` from the beginning of its buffer on.
  DeviceColumns(const DeviceView& matrix, std::int64_t element_bytes)
      : matrix_(matrix), element_bytes_(element_bytes) {}

  /// All of it, as a product takes it.
  HostMatrix all();

  cl::Event send(Lanes& lanes, const HostMatrix& from, const cl::Buffer& to, const cl::Event& ready) override;
  cl::Event fetch(Lanes& lanes, const cl::Buffer& from, const HostMatrix& to, const cl::Event& ready) override;

 private:
  struct Window;
  Window window(const HostMatrix& block) const;

  const DeviceView matrix_;
  const std::int64_t element_bytes_;
};

}  // namespace hilo::stream
