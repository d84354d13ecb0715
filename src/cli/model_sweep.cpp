#include "cli/model_sweep.hpp"

#include <algorithm>
#include <hilo/error.hpp>

#include "cli/operands.hpp"
#include "cli/statistics.hpp"
#include "cli/timed_product.hpp"
#include "gemm/cost.hpp"
#include "tune/cpu_probe.hpp"
#if HILO_HAS_OPENCL
#include "gemm/device_cost.hpp"
#include "tune/device_probe.hpp"
#endif

namespace hilo::cli {
namespace {

constexpr double giga = 1e9;

double flops(Precision precision, std::int64_t n) {
  const auto x = static_cast<double>(n);
  return (is_complex(precision) ? 8.0 : 2.0) * x * x * x;
}

GemmRequest product_request(const ModelRequest& request, const ModelRow& row) {
  GemmRequest r{};
  r.precision = row.product.precision;
  r.layout = Layout::column;
  r.opa = r.opb = Op::none;
  r.place = request.place;
  r.options = request.options;
  r.options.engine = row.product.engine;
  // Accuracies are the double-double engines' and the modular one's.
  if (!is_double_double(r.precision) && r.options.engine == Engine::direct) r.options.accuracy = Accuracy::classic;
  r.repeat = request.repeat;
  r.m = r.n = r.k = row.n;
  return r;
}

// By the formulas that choose an engine, which are of one core and shared by all of them alike; 0 where they are of
// other precisions.
double seconds_on_cpu(const ModelRequest& request, const ModelDevice& device, const ModelRow& row) {
  if (!device.cpu_rates || !is_double_double(row.product.precision)) return 0.0;
  const model::ProductSize size{row.product.precision, row.n, row.n, row.n};
  const double seconds = row.product.engine == Engine::modular
                             ? model::modular_seconds(*device.cpu_rates, size, row.moduli)
                             : model::direct_seconds(*device.cpu_rates, size, request.options.accuracy);
  return seconds / device.threads;
}

// The same for devices whose way to multiply bytes those formulas know; direct products of others than double-double
// numbers have none.
double seconds_on_device(const ModelRequest& request, const ModelDevice& device, const ModelRow& row) {
#if HILO_HAS_OPENCL
  const Precision p = row.product.precision;
  const bool is_modular = row.product.engine == Engine::modular;
  if (!is_modular && !is_double_double(p)) return 0.0;
  for (const auto unit : {modular::ByteUnit::wgmma, modular::ByteUnit::mma_sync, modular::ByteUnit::dot_product}) {
    if (device.figures.byte_unit != modular::name(unit)) continue;
    DeviceInfo info{};
    info.compute_units = device.figures.units;
    info.fp64 = true;
    const GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, row.n, row.n, row.n, element_bytes(p));
    const DeviceExpectation e = expected_on_device(info, unit, p, shape, request.options);
    return is_modular ? e.seconds_modular : e.seconds_direct;
  }
#else
  static_cast<void>(request), static_cast<void>(device), static_cast<void>(row);
#endif
  return 0.0;
}

ModelRow row_of(const ModelRequest& request, const ModelDevice& device, ModelProduct product, std::int64_t n) {
  const auto x = static_cast<double>(n);
  const bool is_modular = product.engine == Engine::modular;
  ModelRow row{product, n,  is_modular ? expected_moduli(product.precision, request.options.accuracy, n) : 0, 0.0, 0.0,
               0.0,     0.0};
  const model::Bound bound = is_modular ? model::modular_bound(device.figures, product.precision, x, row.moduli)
                                        : model::direct_bound(device.figures, product.precision, x,
                                                              request.options.accuracy == Accuracy::fast);
  row.issue = bound.issue / giga;
  row.memory = bound.memory / giga;
  row.bound = row.issue > 0.0 ? bound.least() / giga : 0.0;
  const double seconds =
      device.cpu_rates ? seconds_on_cpu(request, device, row) : seconds_on_device(request, device, row);
  row.predicted = seconds > 0.0 ? flops(product.precision, n) / seconds / giga : is_modular ? 0.0 : row.bound;
  return row;
}

template <class T>
void measure(const ModelRequest& request, std::optional<Queue>& queue, ModelRow& row, Progress& progress, double done,
             double all) {
  const GemmRequest product = product_request(request, row);
  const std::string what = "n = " + std::to_string(row.n) + ": " + std::string(name(row.product.precision)) + ' ' +
                           std::string(name(row.product.engine));
  Operands<T> operands = generated_operands<T>(product, false, progress, what + ": ");
  const Timing timing = time_product(queue, product, T(1), operands, T(0), [&](int run, int runs) {
    progress.at((done + flops(row.product.precision, row.n) * run / runs) / all, what);
  });
  row.measured = flops(row.product.precision, row.n) / median(timing.kernel) / giga;
  row.runs = static_cast<int>(timing.kernel.size());
}

template <class T>
void check_sizes(const ModelRequest& request, const std::optional<Queue>& queue, const ModelRow& row) {
  const std::vector<MatrixSize> sizes = generated_sizes(product_request(request, row), false);
  check_memory<T>(sizes, 0);
  if (queue) check_device_memory<T>(sizes, {}, queue->context().device());
}

}  // namespace

ModelDevice model_device(const ModelRequest& request, std::optional<Queue>& queue, Progress& progress) {
  if (request.described) return {*request.described, {}, 0};
  progress.at("measuring rates");
#if HILO_HAS_OPENCL
  if (queue) return {tune::probe_device(*queue), {}, 0};
#endif
  const tune::CpuFigures cpu = tune::probe_cpu(request.options);
  return {cpu.device, cpu.rates, cpu.device.units};
}

std::vector<ModelRow> model_rows(const ModelRequest& request, const ModelDevice& device) {
  std::vector<ModelRow> rows;
  for (const ModelProduct& product : request.products) {
    for (const std::int64_t n : request.sizes) {
      ModelRow row = row_of(request, device, product, n);
      // Nothing is told of a product that a description says nothing of.
      if (request.described && row.bound == 0.0) continue;
      for (const model::KernelRate& k : device.figures.kernels) {
        const bool is_modular = product.engine == Engine::modular;
        if (k.precision == product.precision && k.is_modular == is_modular && k.n == n) row.measured = k.gflops;
      }
      rows.push_back(row);
    }
  }
  if (rows.empty()) {
    throw error(errc::invalid_argument,
                "the description of " + device.figures.key + " has no rate of the products asked for");
  }
  return rows;
}

void measure_rows(const ModelRequest& request, std::optional<Queue>& queue, std::vector<ModelRow>& rows,
                  Progress& progress) {
  double all = 0.0, done = 0.0;
  for (const ModelRow& row : rows) {
    with_type_of(row.product.precision, [&]<class T>(std::type_identity<T>) { check_sizes<T>(request, queue, row); });
    all += flops(row.product.precision, row.n);
  }
  for (ModelRow& row : rows) {
    with_type_of(row.product.precision,
                 [&]<class T>(std::type_identity<T>) { measure<T>(request, queue, row, progress, done, all); });
    done += flops(row.product.precision, row.n);
  }
}

std::vector<TransferRow> transfer_rows(const ModelRequest& request, const std::vector<ModelRow>& rows) {
  std::vector<TransferRow> all;
  for (const double bus : request.buses) {
    for (const ModelRow& row : rows) {
      const double kernel = request.gflops.value_or(row.predicted > 0.0 ? row.predicted : row.bound);
      if (kernel == 0.0) continue;
      const Precision p = row.product.precision;
      const auto n = static_cast<double>(row.n);
      // Four times the flops of a real product are as one at a quarter of the speed.
      const double seconds =
          model::seconds_with_transfers(n, kernel * giga / (is_complex(p) ? 4.0 : 1.0), element_bytes(p), bus * giga);
      all.push_back({row.product, row.n, bus, kernel, flops(p, row.n) / seconds / giga});
    }
  }
  return all;
}

}  // namespace hilo::cli
