// `hilo gemm`: one product, from files or generated, timed, verified, written.
#pragma once

#include <string>
#include <vector>

#include "cli/gemm/program_options.hpp"
#include "cli/place.hpp"
#include "cli/ranks/options.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct GemmArguments {
  std::vector<std::string> files;
  std::string output, c_file;
  std::string m, n, k, init, seed;
  std::string height_a, width_a, width_b;  ///< m, k and n by the names of AMD's sample MatrixMulDouble
  std::string precision = "dd", transa = "N", transb = "N", layout = "column", alpha = "1", beta = "0";
  std::string engine = "auto", accuracy = "classic", fma = "auto", threads = "0";
  PlaceWords place;
  RanksWords ranks;
  ProgramWords programs;
  std::string devices, device_memory = "0";
  std::string workspace = "0", depth = "0", levels = "-1", int8 = "auto", complex_product = "four";
  std::string repeat = "3", iterations, warmup = "1", verify;
  bool json = false, quiet = false, timing = false, leads_with_total = false;
};

/// Gives a subcommand gemm's options.
void add_gemm_options(CLI::App& command, GemmArguments& arguments);

/// Those of them that any product of generated matrices has.
void add_product_options(CLI::App& command, GemmArguments& arguments);

/// Runs the product. Returns the program's exit code: 0, or 1 where the verification failed. Throws hilo::error.
int run_gemm(const GemmArguments& arguments);

}  // namespace hilo::cli
