// A product as asked for: gemm's arguments with every word checked.
#pragma once

#include <hilo/gemm.hpp>
#include <vector>

#include "cli/gemm/command.hpp"
#include "cli/words.hpp"

namespace hilo::cli {

/// What run_gemm does, apart from the numbers of one precision (alpha and beta).
struct GemmRequest {
  Precision precision;
  Layout layout;
  Op opa, opb;
  Place place;
  /// Where several devices share the product: those of place's platform by their numbers, or all where it is empty.
  std::optional<std::vector<int>> devices = {};
  GemmOptions options;
  Verify verify;
  int repeat;      ///< timed runs, at least
  int warmup = 1;  ///< runs before them
  bool wants_device_time = false;
  double least_seconds = 0.0;  ///< and as many more as it takes to fill this time
  data::Generator generator;
  std::uint64_t seed = 1;
  std::int64_t m = 0, n = 0, k = 0;  ///< of generated matrices
  /// Where it is one over the ranks of an MPI job.
  std::optional<RanksRequest> ranks = {};
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported
/// for what this build lacks.
GemmRequest check_gemm(const GemmArguments& arguments);

/// Throws hilo::error (invalid_argument) for an option that none of these products has a use for, which differ in their
/// engines alone: the engine, precision or backend asked for leaves it without effect. The library may still find that
/// it has none, where it chooses the engine.
void check_effects(const GemmArguments& arguments, const std::vector<GemmRequest>& products);

/// The accuracy as --accuracy takes it.
std::string accuracy_name(const GemmOptions& options);

}  // namespace hilo::cli
