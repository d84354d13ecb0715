// What limits products on a described device, by engine and precision.
#include <algorithm>
#include <hilo/model.hpp>

#include "model/byte_planes.hpp"

namespace hilo::model {
namespace {

constexpr double giga = 1e9;

double flops_of(Precision precision, double n) { return (is_complex(precision) ? 8.0 : 2.0) * n * n * n; }

// Flops a second of so many flops, where so many bytes move.
double memory_roof(const Device& device, double flops, double bytes) {
  return flops / bytes * device.memory_gbytes * giga;
}

double direct_issue(const Device& device, Precision precision, bool is_fast) {
  if (is_single(precision)) return device.gflops_s * giga;
  if (!is_double_double(precision)) return std::max(device.gflops_d, device.matrix_gflops_d) * giga;
  // Where the step itself was timed, how its instructions share the ports is in that.
  if (const double measured = is_fast ? device.dd_gflops_fast : device.dd_gflops; measured > 0.0) {
    return measured * giga;
  }
  return 2.0 * device.double_gops * giga / step_instructions(device.has_fma, is_fast);
}

}  // namespace

double step_instructions(bool has_fma, bool is_fast) {
  // step.clh, fast_two_sum, and what a sum of 64 steps takes to join the others.
  constexpr double fused = 10.0, split = 27.0, renormalisation = 3.0, joined = 23.0 / 64.0;
  return (has_fma ? fused : split) + renormalisation / (is_fast ? 4.0 : 1.0) + joined;
}

Bound direct_bound(const Device& device, Precision precision, double n, bool is_fast) {
  constexpr double matrices = 4.0;  // A, B and C, and C again
  return {direct_issue(device, precision, is_fast),
          memory_roof(device, flops_of(precision, n), matrices * n * n * element_bytes(precision))};
}

Bound modular_bound(const Device& device, Precision precision, double n, int moduli) {
  const double rate = device.sustained_byte_gops > 0.0 ? device.sustained_byte_gops : device.byte_gops;
  const double planes = byte_planes(is_complex(precision), moduli);
  const double flops = flops_of(precision, n), operations = planes * 2.0 * n * n * n;
  const double bytes = n * n * (4.0 * element_bytes(precision) + 3.0 * 2.0 * planes);
  return {rate * giga * flops / operations, memory_roof(device, flops, bytes)};
}

}  // namespace hilo::model
