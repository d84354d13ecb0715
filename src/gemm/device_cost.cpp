#include "gemm/device_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <hilo/model.hpp>
#include <limits>

#include "gemm/cost.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/plan.hpp"

namespace hilo {
namespace {

// Rates of an H200 (132 compute units), in operations a second, which others are taken to share by their number of
// compute units. Which engine is faster does not depend much on them: the units' rates differ by factors.
constexpr double units = 132.0;
constexpr double double_double_rate = 2.2e12, double_rate = 45e12;
// By ByteUnit; where bytes are multiplied by plain integers the direct engine is faster.
constexpr std::array<double, modular::byte_units> byte_rate = {1.4e15, 0.9e15, 0.1e15, 0.0};
// Bytes a second of residues written and read, and what a call takes however small.
constexpr double memory_rate = 2e12;
constexpr double direct_call = 2e-5, modular_call = 1e-4;
// Inside a factorisation, where nobody waits, and what a direct product takes for an entry however few its terms.
constexpr double inner_modular_call = 5.5e-5, direct_entry = 4e-11;
// Entries and terms that a multiprocessor takes at once, where terms are not few.
constexpr double direct_task = 4096, direct_terms = 4096;
constexpr std::int64_t few_terms = 512;
// Bytes of an element that are read and written beside its residues: by the scans of a product, and by one scan.
constexpr double scanned_bytes = 64.0, inner_bytes = 16.0;
// What all those come to on an H200 for each word of an element, without the margin that keeps small products with the
// direct engine.
constexpr double moved_bytes = 7.0;

// What is moved beside residues was measured in units of an element's planes, of three for complex ones.
double planes_of_element(Precision precision) { return is_complex(precision) ? 3.0 : 1.0; }

double modular_seconds(const DeviceInfo& device, modular::ByteUnit unit, Precision precision, const GemmShape& s,
                       int moduli, double call = modular_call, double beside = scanned_bytes) {
  const double share = device.compute_units / units, rate = byte_rate[static_cast<std::size_t>(unit)] * share;
  if (rate == 0.0) return std::numeric_limits<double>::infinity();
  const double m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
  const double planes = modular::planes_of(moduli, is_complex(precision));
  const double bytes = (m * k + k * n + m * n) * (planes + beside * planes_of_element(precision));
  return call + planes * 2.0 * m * n * k / rate + bytes / (memory_rate * share);
}

double direct_seconds(const DeviceInfo& device, Precision precision, const GemmShape& s) {
  const double steps =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) * (is_complex(precision) ? 4 : 1);
  const double rate = is_double_double(precision) ? double_double_rate : double_rate;
  return direct_call + 2.0 * steps / (rate * device.compute_units / units);
}

// Beside residues a modular product moves so many bytes of an element.
DeviceExpectation expectation(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                              const GemmShape& shape, const GemmOptions& options, double beside) {
  const int moduli = expected_moduli(precision, options.accuracy, std::max<std::int64_t>(shape.k, 1));
  DeviceExpectation e{direct_seconds(device, precision, shape), std::numeric_limits<double>::infinity()};
  if (moduli) e.seconds_modular = modular_seconds(device, unit, precision, shape, moduli, modular_call, beside);
  // Without double precision there is no direct engine, and any other is faster.
  if (!device.fp64) return {std::numeric_limits<double>::infinity(), 0.0};
  return e;
}

}  // namespace

DeviceExpectation expected_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                     const GemmShape& shape, const GemmOptions& options) {
  return expectation(device, unit, precision, shape, options, scanned_bytes);
}

DeviceExpectation predicted_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                      const GemmShape& shape, const GemmOptions& options) {
  // An element's planes share what it is made of.
  const int elements = words(precision) * (is_complex(precision) ? 2 : 1);
  DeviceExpectation e =
      expectation(device, unit, precision, shape, options, moved_bytes * elements / planes_of_element(precision));
  if (is_double_double(precision) && options.accuracy == Accuracy::fast) {
    e.seconds_direct *= model::step_instructions(true, true) / model::step_instructions(true, false);
  }
  return e;
}

DeviceExpectation expected_inside(const DeviceInfo& device, modular::ByteUnit unit, Precision precision,
                                  const GemmShape& shape) {
  const bool complex = is_complex(precision);
  const std::int64_t k = shape.k > 0 ? shape.k : 1;
  const int moduli = inner_moduli(precision, k);
  const double share = device.compute_units / units;
  const double entries = static_cast<double>(shape.m) * static_cast<double>(shape.n) * (complex ? 4 : 1);
  // Of few entries with many terms most of a device has nothing to do.
  const double tasks = std::ceil(entries / direct_task) * std::ceil(static_cast<double>(k) / direct_terms);
  const double idle = k > few_terms ? std::max(device.compute_units / tasks, 1.0) : 1.0;
  DeviceExpectation e{direct_seconds(device, precision, shape) * idle + direct_entry * entries / share,
                      std::numeric_limits<double>::infinity()};
  if (moduli) {
    e.seconds_modular = modular_seconds(device, unit, precision, shape, moduli, inner_modular_call, inner_bytes);
  }
  return e;
}

PanelSeconds expected_of_panels(const DeviceInfo& device, modular::ByteUnit unit, Precision precision, int moduli,
                                std::int64_t rows, std::int64_t columns, std::int64_t k, int levels, double stretch) {
  const double share = device.compute_units / units;
  const modular::BlockCosts blocks = modular::block_costs(levels, is_complex(precision));
  // Where bytes are multiplied by plain integers nothing is known but the proportion.
  const double rate = std::max(byte_rate[static_cast<std::size_t>(unit)], 1e12) * share;
  const double planes = modular::planes_of(moduli, is_complex(precision));
  const double element = 8.0 * words(precision) * (is_complex(precision) ? 2 : 1);
  // An element is read twice, its magnitude kept; residues are written, and of the product written and read.
  const double of_terms = static_cast<double>(k) * (planes * (1.0 + blocks.moved) + 2.0 * element + 4.0);
  const double entries = static_cast<double>(rows) * static_cast<double>(columns);
  const double steps = static_cast<double>(k) * std::pow(7.0 / 8.0, levels);
  return {of_terms / (memory_rate * share), stretch * planes * entries * (2.0 * steps + blocks.stored) / rate +
                                                entries * (2.0 * planes + element) / (memory_rate * share)};
}

double expected_directly(const DeviceInfo& device, Precision precision, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
  GemmShape shape{};
  shape.m = m;
  shape.n = n;
  shape.k = k;
  return direct_seconds(device, precision, shape);
}

int most_moduli_on_device(const DeviceInfo& device, modular::ByteUnit unit, Precision precision, const GemmShape& shape,
                          const GemmOptions& options) {
  const double direct = expected_on_device(device, unit, precision, shape, options).seconds_direct;
  int moduli = modular::max_moduli;
  while (moduli > 0 && modular_seconds(device, unit, precision, shape, moduli) > direct) --moduli;
  return moduli;
}

}  // namespace hilo
