// Bounds as asked for: model's arguments with every word checked.
#pragma once

#include <hilo/model.hpp>
#include <optional>
#include <vector>

#include "cli/model/command.hpp"
#include "cli/routine.hpp"
#include "cli/words.hpp"

namespace hilo::cli {

/// gemm, getrf and potrf, of which the latter two are factorisations by products.
const std::vector<Routine>& model_routines();

/// What bounds are told of.
struct ModelProduct {
  Routine routine;
  Precision precision;
  Engine engine;  ///< direct or modular; of the products in a factorisation direct or automatic

  bool operator==(const ModelProduct&) const = default;
};

/// What run_model does.
struct ModelRequest {
  std::optional<model::Device> described;  ///< else the device at hand
  Place place;
  std::vector<ModelProduct> products;
  std::vector<std::int64_t> sizes;
  GemmOptions options;           ///< accuracy, threads
  std::vector<double> buses;     ///< 10^9 bytes a second
  std::optional<double> gflops;  ///< of kernels that transfers are added to
  int repeat = 3;
};

/// Throws hilo::error (invalid_argument, parse, io) that names the option, its value and what was expected.
ModelRequest check_model(const ModelArguments& arguments);

}  // namespace hilo::cli
