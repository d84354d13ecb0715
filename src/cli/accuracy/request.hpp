// What `hilo accuracy` is to compare: its arguments with every word checked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/accuracy/reference_product.hpp"
#include "cli/bench/routine.hpp"
#include "cli/routine.hpp"

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default, or it depends.
struct AccuracyArguments {
  std::string routines = "gemm", precision = "dd", n = "64", phi, k, conditions, reference, reference_seconds;
  std::string seed = "1", threads = "0", plot;
  std::string csv;  ///< a file, or "-" for standard output
  bool json = false;
};

constexpr const char* default_phi = "0,0.5,1,2,3,4";
constexpr const char* default_k = "64,128,256,512,1024,2048,4096,8192";
constexpr const char* default_conditions = "1,1e5,1e10,1e15,1e20,1e25,1e30";  ///< up to the largest of the precision
constexpr const char* default_reference_seconds = "600";

/// Rounding A's entries changes larger ones.
constexpr double largest_condition(Precision p) { return is_double_double(p) ? 1e30 : 1e15; }

struct AccuracyRequest {
  std::vector<Routine> routines;
  Precision precision;
  std::int64_t n;
  std::vector<double> phi;         ///< of products; empty where there are none
  std::vector<std::int64_t> k;     ///< the same
  std::vector<double> conditions;  ///< of factorisations and solves; empty where there are none
  std::uint64_t seed;
  int threads;
  std::optional<ReferenceProduct> reference;

  bool has(Routine routine) const { return std::find(routines.begin(), routines.end(), routine) != routines.end(); }
};

/// What --routine and --precision take.
std::vector<Routine> accuracy_routines();
std::vector<std::string> accuracy_precision_words();

/// Throws hilo::error (invalid_argument) that names the option, its value and what was expected.
AccuracyRequest check_accuracy(const AccuracyArguments& arguments);

}  // namespace hilo::cli
