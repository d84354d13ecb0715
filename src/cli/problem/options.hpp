// Options that commands on the problem of one matrix take alike (solve, eig, svd): where it is from, and the products
// inside.
#pragma once

#include <hilo/lapack.hpp>
#include <string>
#include <vector>

#include "cli/place.hpp"
#include "cli/words.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing and there is no default.
struct ProblemArguments {
  std::vector<std::string> files;
  std::string output;
  std::string n, init, seed;
  std::string precision = "dd", layout = "column";
  std::string engine = "auto", fma = "auto", threads = "0", repeat = "0";
  PlaceWords place;
  bool certify = false, json = false;
};

/// The same with every word checked, but for what the library takes as options.
struct ProblemRequest {
  Precision precision;
  Layout layout;
  Place place;
  int repeat;  ///< timed runs after one to warm up; 0: one run, not warmed up
  data::Generator generator = {};
  std::uint64_t seed = 1;
  std::int64_t n = 0;                     ///< of a generated matrix
  std::vector<std::string> outputs = {};  ///< the names of files to write
};

/// Gives a subcommand the options from --init to --repeat; the others' descriptions are its own. `generated` is what
/// --seed is for: "a generated A".
void add_problem_options(CLI::App& command, ProblemArguments& arguments, const std::string& generated);

/// The last option of a subcommand.
void add_json_option(CLI::App& command, ProblemArguments& arguments);

/// What --precision, --layout, --repeat and a device's options say, and nothing else yet. Throws hilo::error
/// (invalid_argument).
ProblemRequest read_problem(const ProblemArguments& arguments);

/// What the products inside are asked to be. Throws hilo::error (invalid_argument).
BlockedOptions read_products(const ProblemArguments& arguments);

/// The CPU threads that are going to work.
int threads_of(const BlockedOptions& products);

}  // namespace hilo::cli
