// A benchmark as asked for: bench's arguments with every word checked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/routine.hpp"
#include "cli/reference.hpp"

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default. Of `product`,
/// precision, transposes, threads and place may be lists.
struct BenchArguments {
  GemmArguments product = [] {
    GemmArguments arguments;
    arguments.repeat = "5";
    return arguments;
  }();
  std::string routines = "gemm", batch = "16", engines, sizes, reference, reference_seconds = "600", plot,
              min_time = "0.2";
  std::string csv;  ///< a file, or "-" for standard output
  std::vector<std::string> shapes;
  std::vector<std::string> compared;  ///< two files
  std::string fail_on_slower;
  bool has_ceilings = false;
};

constexpr const char* default_bench_sizes = "256,512,1024,2048,4096,8192";
constexpr const char* default_batch_sizes = "16,32,64,128,256,512";  ///< where batches are among the routines

struct BenchRequest {
  std::vector<BenchCase> cases;  ///< of each shape, in this order; those with the same operands stand together
  bool chooses_engines;          ///< engines that do not compute a product are left out
  std::vector<Shape> shapes;
  std::optional<double> seconds;  ///< shapes that would end later are left out, but the first
  std::optional<Reference> reference;
  bool has_ceilings = false;  ///< whether they are measured, too
};

/// Throws hilo::error (invalid_argument, parse) that names the option, its value and what was expected; unsupported
/// for what this build lacks.
BenchRequest check_bench(const BenchArguments& arguments);

/// Whether two cases differ in no more than who computes.
bool have_same_operands(const BenchCase& x, const BenchCase& y);
/// Whether they are the same, but for their engines and sizes.
bool differ_in_engine(const BenchCase& x, const BenchCase& y);

}  // namespace hilo::cli
