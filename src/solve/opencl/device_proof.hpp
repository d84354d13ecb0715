// What proofs are made of on a device: inverses and products stay there, vectors are the host's.
#pragma once

#include <vector>

#include "solve/certificate.hpp"
#include "solve/opencl/device_system.hpp"

namespace hilo::solver {

/// Sizes of a matrix's entries.
class DeviceSizes {
 public:
  DeviceSizes(DeviceMatrix& system, const DeviceSquare& a)
      : system_(&system), precision_(a.precision()), buffer_(a.buffer()) {}

  std::vector<double> times(const std::vector<double>& y) const {
    std::vector<double> sums = system_->product_of_sizes(precision_, buffer_, y);
    // Moduli are up to √2 times the larger part.
    if (is_complex(precision_)) {
      for (double& e : sums) e *= 1.5;
    }
    return sums;
  }

 private:
  DeviceMatrix* system_;
  Precision precision_;
  cl::Buffer buffer_;
};

template <gemm_scalar T>
DeviceSizes sizes_of(DeviceSystem<T>& system, const DeviceSquare& inverse) {
  return {system.matrix(), inverse};
}
template <gemm_scalar T>
Rest<DeviceSizes> rest_of(DeviceSystem<T>& system, const DeviceSquare& inverse) {
  const DeviceRest found = rest_of_product(system.matrix(), inverse, system.options());
  return {{system.matrix(), found.rest}, found.unit};
}
template <gemm_scalar T>
DeviceSquare in_double_double(DeviceSystem<T>& system, const DeviceSquare& inverse) {
  return in_double_double(system.matrix(), inverse);
}

}  // namespace hilo::solver
