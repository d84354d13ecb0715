// A matrix in a device's memory, columns contiguous, whose panels the device's products take and write where they are.
#pragma once

#include "stream/host_matrix.hpp"

namespace hilo::stream {

class DeviceColumns {
 public:
  DeviceColumns(const DeviceView& matrix, std::int64_t element_bytes)
      : matrix_(matrix), element_bytes_(element_bytes) {}
  virtual ~DeviceColumns() = default;

  /// All of it, as a product takes it.
  HostMatrix all();

  /// Where a block of it is.
  DeviceView view(const HostMatrix& block) const;
  /// Returns when a block of it is there.
  virtual void wait_for(const HostMatrix& /*block*/) {}
  /// What it is still to come by; 0 where it is there.
  virtual double bytes_per_second() const { return 0.0; }

 private:
  const DeviceView matrix_;
  const std::int64_t element_bytes_;
};

}  // namespace hilo::stream
