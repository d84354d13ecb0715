// Errors of products of one size over ranges of entries and lengths of sums, in all engines.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "cli/progress.hpp"

namespace hilo::cli {

/// An engine with an accuracy, as `hilo accuracy` compares them.
struct Method {
  const char* key;    ///< in the JSON object
  const char* title;  ///< for a person
  const char* colour;
  Engine engine;
  Accuracy accuracy;
};
inline constexpr std::array<Method, 5> methods = {{
    {"direct_classic", "direct classic", "#e69f00", Engine::direct, Accuracy::classic},
    {"direct_fast", "direct fast", "#d55e00", Engine::direct, Accuracy::fast},
    {"modular_classic", "modular classic", "#0072b2", Engine::modular, Accuracy::classic},
    {"modular_fast", "modular fast", "#56b4e9", Engine::modular, Accuracy::fast},
    {"modular_tight", "modular tight", "#009e73", Engine::modular, Accuracy::tight},
}};

/// What one method made of one problem.
struct Observation {
  std::string refusal;  ///< why the method does not compute it; empty where it does, and only then the rest counts
  GemmReport report;
  double max_error_u2;

  /// Whether the error is within what the plan guarantees, where it guarantees anything.
  bool holds() const;
};

struct SweepRow {
  double phi;
  std::int64_t k, entries_checked;
  std::array<Observation, methods.size()> observations;
};

struct SweepRequest {
  Precision precision;
  std::int64_t n;
  std::vector<double> phi;
  std::vector<std::int64_t> k;
  std::uint64_t seed;
  int threads;
};

/// The k of the rows over phi, and the phi of those over k.
inline constexpr std::int64_t k_over_phi = 512;
inline constexpr double phi_over_k = 1.0;

struct Sweep {
  std::vector<SweepRow> over_phi, over_k;  ///< in the request's order, the latter after the former
  bool is_interrupted = false;

  /// Whether every error is within its bound.
  bool holds() const;
};

/// n × n products of generated matrices (data::Init::range), their entries against MPFR. `tell` has what is done after
/// every row. Throws hilo::error.
void sweep(const SweepRequest& request, Progress& progress, const std::function<void(const Sweep&)>& tell);

}  // namespace hilo::cli
