// Matrices of a system's order that proofs are made of, which stay on the system's device.
#pragma once

#include "solve/opencl/device_matrix.hpp"

namespace hilo::solver {

/// In D, Z, DD or ZDD, columns side by side. Commands on it are complete before the next ones are given.
class DeviceSquare {
 public:
  DeviceSquare(DeviceMatrix& system, Precision precision, const char* what)
      : memory_(system.lend(system.order() * system.order() * element_bytes(precision), what)),
        precision_(precision),
        order_(system.order()) {}

  Precision precision() const { return precision_; }
  const cl::Buffer& buffer() const { return memory_.buffer(); }
  DeviceView view() const { return {buffer(), 0, order_, order_, 1, order_}; }

 private:
  opencl::Workspace memory_;
  Precision precision_;
  std::int64_t order_;
};

/// 1 on the diagonal of a square, 0 elsewhere.
void set_identity(DeviceMatrix& system, opencl::Call& call, const DeviceSquare& square);

/// I − R A of the system's scaled matrix A, and u' with |error| <= u' (|R| |A| + I) for whatever order of the device's
/// sums, low words of A that a product in double leaves out counted; infinite where nothing is known.
struct DeviceRest {
  DeviceSquare rest;
  double unit;
};
/// In the precision of R; `options` are of products in double-double.
DeviceRest rest_of_product(DeviceMatrix& system, const DeviceSquare& inverse, const BlockedOptions& options);
/// The same numbers in double-double.
DeviceSquare in_double_double(DeviceMatrix& system, const DeviceSquare& of_doubles);

}  // namespace hilo::solver
