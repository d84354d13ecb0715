#include "cli/model/sweep.hpp"

#include <algorithm>
#include <hilo/error.hpp>
#include <hilo/lapack.hpp>
#include <span>
#include <stdexcept>

#include "blas/triangular.hpp"
#include "cli/operands.hpp"
#include "cli/problem/structure.hpp"
#include "cli/statistics.hpp"
#include "cli/stopwatch.hpp"
#include "cli/timed_product.hpp"
#include "gemm/cost.hpp"
#include "lapack/cost.hpp"
#include "tune/blas_rate.hpp"
#include "tune/cpu_probe.hpp"
#if HILO_HAS_OPENCL
#include "gemm/device_cost.hpp"
#include "lapack/device_cost.hpp"
#include "tune/device_probe.hpp"
#endif

namespace hilo::cli {
namespace {

constexpr double giga = 1e9;
// What large products in S, D, C and Z come to of the peak of NVIDIA's devices with matrix units, cuBLAS's too
// (bench/results), and the seconds of a call.
constexpr double native_part = 0.8, native_call = 2e-5;

double flops(ModelProduct product, std::int64_t n) {
  const auto x = static_cast<double>(n);
  const double parts = product.routine == Routine::gemm ? 1.0 : product.routine == Routine::getrf ? 3.0 : 6.0;
  return (is_complex(product.precision) ? 8.0 : 2.0) / parts * x * x * x;
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
  // A GPU's clock falls in the first tenths of a second of such work, and predictions are of what it sustains.
  if (request.place.backend == Backend::opencl) r.least_seconds = 0.3;
  r.m = r.n = r.k = row.n;
  return r;
}

// By the formulas that choose an engine, which are of one core and shared by all of them alike, or the BLAS's rate; 0
// where there is neither of such a product.
double seconds_on_cpu(const ModelRequest& request, const ModelDevice& device, const ModelRow& row) {
  const bool is_modular = row.product.engine == Engine::modular;
  if (!is_double_double(row.product.precision) && !is_modular) {
    const auto rate = device.blas_gflops.find(row.product.precision);
    const bool is_known = row.product.routine == Routine::gemm && rate != device.blas_gflops.end();
    return is_known ? flops(row.product, row.n) / (rate->second * giga) : 0.0;
  }
  if (is_modular && row.moduli == 0) return 0.0;
  if (row.product.routine != Routine::gemm) {
    GemmOptions options = request.options;
    options.engine = row.product.engine;
    const auto expected = row.product.routine == Routine::getrf ? lapack::lu_seconds : lapack::cholesky_seconds;
    return expected(*device.cpu_rates, row.product.precision, row.n, options) / device.figures.units;
  }
  const model::ProductSize size{row.product.precision, row.n, row.n, row.n};
  const model::CpuRates& rates =
      is_double_double(row.product.precision) ? *device.cpu_rates : *device.cpu_rates_in_double;
  const double seconds = is_modular ? model::modular_seconds(rates, size, row.moduli)
                                    : model::direct_seconds(rates, size, request.options.accuracy);
  return seconds / device.figures.units;
}

// The same for devices whose way to multiply bytes those formulas know; S, D, C and Z as a part of what bounds them,
// and factorisations in DD by what an H200's take.
double seconds_on_device(const ModelRequest& request, const ModelDevice& device, const ModelRow& row) {
#if HILO_HAS_OPENCL
  const Precision p = row.product.precision;
  const bool is_modular = row.product.engine == Engine::modular, is_native = !is_modular && !is_double_double(p);
  for (const auto unit : {modular::ByteUnit::wgmma, modular::ByteUnit::mma_sync, modular::ByteUnit::dot_product}) {
    if (device.figures.byte_unit != modular::name(unit)) continue;
    const bool is_nvidia = unit != modular::ByteUnit::dot_product, is_product = row.product.routine == Routine::gemm;
    if (is_native) {
      return is_product && is_nvidia && row.bound > 0.0
                 ? native_call + flops(row.product, row.n) / (native_part * row.bound * giga)
                 : 0.0;
    }
    DeviceInfo info{};
    info.compute_units = device.figures.units;
    info.fp64 = true;
    if (!is_product) {
      if (p != Precision::dd || row.product.engine == Engine::direct || !is_nvidia) return 0.0;
      return row.product.routine == Routine::getrf ? lapack::lu_seconds_on_device(info, unit, row.n)
                                                   : lapack::cholesky_seconds_on_device(info, unit, row.n);
    }
    const GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, row.n, row.n, row.n, element_bytes(p));
    const DeviceExpectation e = predicted_on_device(info, unit, p, shape, request.options);
    return is_modular ? e.seconds_modular : e.seconds_direct;
  }
#else
  static_cast<void>(request), static_cast<void>(device), static_cast<void>(row);
#endif
  return 0.0;
}

// What its large products are bound by, of a factorisation: they are most of it.
model::Bound bound_of(const ModelRequest& request, const ModelDevice& device, const ModelRow& row) {
  const auto n = static_cast<double>(row.n);
  const Precision p = row.product.precision;
  const model::Bound direct = model::direct_bound(device.figures, p, n, request.options.accuracy == Accuracy::fast);
  if (row.product.engine == Engine::modular) {
    // No number of moduli keeps the guarantee of sums that are too long.
    return row.moduli ? model::modular_bound(device.figures, p, n, row.moduli) : model::Bound{};
  }
  if (row.product.routine == Routine::gemm) return direct;
  if (row.product.engine == Engine::direct) return {direct.issue, 0.0};
  // The smallest products have the fewest moduli.
  const int moduli = inner_moduli(p, blas::default_block);
  const double modular = model::modular_bound(device.figures, p, n, moduli).issue;
  // Products of bytes at a rate that nobody knows.
  if (modular == 0.0 && !device.figures.byte_unit.empty()) return {};
  return {std::max(direct.issue, modular), 0.0};
}

ModelRow row_of(const ModelRequest& request, const ModelDevice& device, ModelProduct product, std::int64_t n) {
  ModelRow row{product, n, 0, 0.0, 0.0, 0.0, 0.0};
  const bool is_modular = product.engine == Engine::modular;
  if (is_modular) row.moduli = expected_moduli(product.precision, request.options.accuracy, n);
  const model::Bound bound = bound_of(request, device, row);
  row.issue = bound.issue / giga;
  row.memory = bound.memory / giga;
  row.bound = row.issue > 0.0 ? bound.least() / giga : 0.0;
  const double seconds =
      device.cpu_rates ? seconds_on_cpu(request, device, row) : seconds_on_device(request, device, row);
  const bool may_reach_bound = !is_modular && product.routine == Routine::gemm;
  row.predicted = seconds > 0.0 ? flops(product, n) / seconds / giga : may_reach_bound ? row.bound : 0.0;
  return row;
}

// Seconds of each run after one to warm up, with the matrix where the routine runs.
template <class T>
std::vector<double> time_factorisation(const ModelRequest& request, std::optional<Queue>& queue, const ModelRow& row,
                                       Progress& progress) {
  const data::Recipe recipe{{}, 1};
  const bool is_lu = row.product.routine == Routine::getrf;
  data::Matrix<T> a = generated_matrix<T>(recipe, 'A', row.n, row.n, Layout::column, progress, "");
  if (!is_lu) give_structure(a, SystemKind::positive, recipe.generator.init);
  const GemmOptions options = product_request(request, row).options;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(row.n));
  data::Matrix<T> factors = a;
  std::optional<Buffer<T>> buffer;
  if (queue) buffer.emplace(queue->context(), std::ssize(a.entries));
  std::vector<double> seconds;
  for (int run = 0; run <= request.repeat; ++run) {
    if (queue) {
      buffer->write(*queue, a.entries.data(), 0, std::ssize(a.entries));
    } else {
      factors.entries = a.entries;
    }
    const Stopwatch watch;
    std::int64_t info;
    if (queue) {
      const auto there = view(Layout::column, Op::none, *buffer, row.n, row.n, row.n);
      info =
          is_lu ? getrf(*queue, there, std::span(pivots), {}, options) : potrf(*queue, Uplo::lower, there, {}, options);
    } else {
      const auto here = view_of(factors);
      info = is_lu ? getrf(here, std::span(pivots), options) : potrf(Uplo::lower, here, options);
    }
    if (run > 0) seconds.push_back(watch.seconds());
    if (info != 0) throw std::runtime_error("a generated matrix has no factors: pivot " + std::to_string(info));
  }
  return seconds;
}

template <class T>
void measure(const ModelRequest& request, std::optional<Queue>& queue, ModelRow& row, Progress& progress, double done,
             double all) {
  const GemmRequest product = product_request(request, row);
  const std::string what = "n = " + std::to_string(row.n) + ": " + std::string(name(row.product.precision)) + ' ' +
                           std::string(name(row.product.engine));
  if (row.product.routine != Routine::gemm) {
    progress.at(done / all, what);
    const std::vector<double> seconds = time_factorisation<T>(request, queue, row, progress);
    row.measured = flops(row.product, row.n) / median(seconds) / giga;
    row.runs = static_cast<int>(seconds.size());
    return;
  }
  Operands<T> operands = generated_operands<T>(product, false, progress, what + ": ");
  const Timing timing = time_product(queue, product, T(1), operands, T(0), [&](std::int64_t run, std::int64_t runs) {
    progress.at((done + flops(row.product, row.n) * static_cast<double>(run) / static_cast<double>(runs)) / all, what);
  });
  row.measured = flops(row.product, row.n) / median(timing.kernel) / giga;
  row.runs = static_cast<int>(timing.kernel.size());
}

template <class T>
void check_sizes(const ModelRequest& request, const std::optional<Queue>& queue, const ModelRow& row) {
  const std::vector<MatrixSize> sizes = generated_sizes(product_request(request, row), false);
  check_memory<T>(sizes, 0);
  if (queue) check_device_memory<T>(sizes, {}, queue->context().device());
}

}  // namespace

ModelDevice model_device(const ModelRequest& request, [[maybe_unused]] std::optional<Queue>& queue,
                         Progress& progress) {
  if (request.described) return {*request.described, {}, {}, {}, 0};
  progress.at("measuring rates");
#if HILO_HAS_OPENCL
  if (queue) return {tune::probe_device(*queue), {}, {}, {}, 0};
#endif
  const tune::CpuFigures cpu = tune::probe_cpu(request.options);
  ModelDevice device{cpu.device, cpu.rates, cpu.rates_in_double, {}, cpu.threads};
  for (const ModelProduct& product : request.products) {
    const bool is_native = !is_double_double(product.precision) && product.engine == Engine::direct;
    if (!is_native || product.routine != Routine::gemm || device.blas_gflops.contains(product.precision)) continue;
    device.blas_gflops[product.precision] = tune::blas_rate(product.precision, request.options);
  }
  return device;
}

bool is_rate_of(const model::KernelRate& k, ModelProduct product, Accuracy accuracy) {
  const bool is_modular = product.engine == Engine::modular;
  const bool has_accuracies = is_modular || is_double_double(k.precision);
  return k.precision == product.precision && k.is_modular == is_modular &&
         (accuracy == Accuracy::classic || !has_accuracies);
}

std::vector<ModelRow> model_rows(const ModelRequest& request, const ModelDevice& device) {
  std::vector<ModelRow> rows;
  for (const ModelProduct& product : request.products) {
    for (const std::int64_t n : request.sizes) {
      ModelRow row = row_of(request, device, product, n);
      // Nothing is told of a product that a description says nothing of.
      if (request.described && row.bound == 0.0 && row.predicted == 0.0) continue;
      for (const model::KernelRate& k : device.figures.kernels) {
        const bool is_of_row = product.routine == Routine::gemm && k.n == n;
        if (is_of_row && is_rate_of(k, product, request.options.accuracy)) row.measured = k.gflops;
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
    all += flops(row.product, row.n);
  }
  for (ModelRow& row : rows) {
    with_type_of(row.product.precision,
                 [&]<class T>(std::type_identity<T>) { measure<T>(request, queue, row, progress, done, all); });
    done += flops(row.product, row.n);
  }
}

std::vector<TransferRow> transfer_rows(const ModelRequest& request, const std::vector<ModelRow>& rows) {
  std::vector<TransferRow> all;
  for (const double bus : request.buses) {
    for (const ModelRow& row : rows) {
      const double kernel = request.gflops.value_or(row.predicted > 0.0 ? row.predicted : row.bound);
      if (kernel == 0.0 || row.product.routine != Routine::gemm) continue;
      const Precision p = row.product.precision;
      const auto n = static_cast<double>(row.n);
      // Four times the flops of a real product are as one at a quarter of the speed.
      const double seconds =
          model::seconds_with_transfers(n, kernel * giga / (is_complex(p) ? 4.0 : 1.0), element_bytes(p), bus * giga);
      all.push_back({row.product, row.n, bus, kernel, flops(row.product, row.n) / seconds / giga});
    }
  }
  return all;
}

}  // namespace hilo::cli
