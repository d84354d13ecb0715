// What products cost on an OpenCL device, by which `automatic` chooses its engine there.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "gemm/modular/opencl/bytes.hpp"
#include "matrix/arguments.hpp"

namespace hilo {

/// Expected seconds of a product in D, Z, DD or ZDD, for entries whose exponents do not spread.
struct DeviceExpectation {
  double seconds_direct, seconds_modular;
  Engine faster() const { return seconds_modular < seconds_direct ? Engine::modular : Engine::direct; }
};
DeviceExpectation expected_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                     const GemmShape& shape, const GemmOptions& options);

/// The same without the margin that leaves small products to the direct engine: what the model predicts.
DeviceExpectation predicted_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                      const GemmShape& shape, const GemmOptions& options);

/// The same of a product inside a factorisation (plan_inner_product), in DD or ZDD.
DeviceExpectation expected_inside(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                  const GemmShape& shape);

/// The same of panels in D, Z, DD or ZDD by the modular engine, with levels of Strassen's algorithm: to prepare a row
/// of A with k terms, and to multiply two panels, whose products of bytes take `stretch` times as long as their rate
/// says.
struct PanelSeconds {
  double prepare_row, pair;
};
PanelSeconds expected_of_panels(const DeviceInfo& device, modular::ByteUnit unit, Precision precision, int moduli,
                                std::int64_t rows, std::int64_t columns, std::int64_t k, int levels, double stretch);

/// And of a product by the device's own arithmetic.
double expected_directly(const DeviceInfo& device, Precision precision, std::int64_t m, std::int64_t n, std::int64_t k);

/// The most moduli with which the modular engine is still expected to be as fast as the direct one.
int most_moduli_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision, const GemmShape& shape,
                          const GemmOptions& options);

}  // namespace hilo
