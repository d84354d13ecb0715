// Bounds and predictions of products by precision, engine and size, and what they are measured to be.
#pragma once

#include <hilo/model.hpp>
#include <map>
#include <optional>
#include <vector>

#include "cli/model/request.hpp"
#include "cli/progress.hpp"
#include "model/cpu_cost.hpp"

namespace hilo::cli {

/// A device with what else is known of the CPU at hand.
struct ModelDevice {
  model::Device figures;
  std::optional<model::CpuRates> cpu_rates, cpu_rates_in_double;
  std::map<Precision, double> blas_gflops;  ///< on the CPU, of the precisions that are asked for
  int threads = 0;                          ///< 0 where a device computes
};

/// The device that is described, else the one at hand, measured. Throws hilo::error.
ModelDevice model_device(const ModelRequest& request, std::optional<Queue>& queue, Progress& progress);

/// An n × n × n product, or a factorisation of an n × n matrix. Rates in GFlop/s; 0: not known.
struct ModelRow {
  ModelProduct product;
  std::int64_t n;
  int moduli;  ///< 0 of the direct engine and of factorisations
  double issue, memory, bound;
  double predicted;  ///< by the formulas that choose an engine, or the BLAS's rate; where there is neither the bound of
                     ///< direct products
  double measured = 0.0;
  int runs = 0;  ///< of which `measured` is the median; 0: none here
};

/// Whether a description's kernel is this product: descriptions have what classic products take.
bool is_rate_of(const model::KernelRate& k, ModelProduct product, Accuracy accuracy);

/// The rows of all products and sizes; of a description those that it has a rate for, and what was measured where it
/// says so. Throws hilo::error (invalid_argument) where there is none.
std::vector<ModelRow> model_rows(const ModelRequest& request, const ModelDevice& device);

/// The speed of each row's product, of generated matrices on the device at hand. Throws hilo::error before
/// anything runs where matrices do not fit (out_of_memory); otherwise as gemm does.
void measure_rows(const ModelRequest& request, std::optional<Queue>& queue, std::vector<ModelRow>& rows,
                  Progress& progress);

/// A product whose matrices come from the host and go back to it, one after the other.
struct TransferRow {
  ModelProduct product;
  std::int64_t n;
  double bus;     ///< 10^9 bytes a second
  double kernel;  ///< GFlop/s without transfers: --gflops, else as predicted
  double total;   ///< with them
};
std::vector<TransferRow> transfer_rows(const ModelRequest& request, const std::vector<ModelRow>& rows);

}  // namespace hilo::cli
