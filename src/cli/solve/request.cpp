#include "cli/solve/request.hpp"

#include <tuple>

#include "cli/option.hpp"
#include "cli/outputs.hpp"

namespace hilo::cli {
namespace {

// What A is taken for: one of the four options, or none.
SystemKind read_kind(const SolveArguments& arguments) {
  const std::initializer_list<std::tuple<const char*, bool, SystemKind>> options = {
      {"--spd", arguments.positive, SystemKind::positive},
      {"--symmetric", arguments.symmetric, SystemKind::symmetric},
      {"--hermitian", arguments.hermitian, SystemKind::hermitian},
      {"--least-squares", arguments.least_squares, SystemKind::least_squares}};
  SystemKind kind = SystemKind::general;
  std::string first;
  for (const auto& [option, is_given, of_option] : options) {
    if (!is_given) continue;
    if (!first.empty()) reject(first + " and " + option + " are of different systems: give one of them");
    first = option;
    kind = of_option;
  }
  return kind;
}

// What devices have not.
void check_place(const SolveRequest& request) {
  if (request.place.backend == Backend::cpu) return;
  const auto refuse = [](const std::string& why) {
    throw error(errc::unsupported, why + " leave out --backend opencl, -p and -d");
  };
  switch (request.kind) {
    case SystemKind::symmetric:
      return refuse("--symmetric: there is no L D L^T on devices; leave it out for LU there, or");
    case SystemKind::hermitian:
      return refuse("--hermitian: there is no L D L^H on devices; leave it out for LU there, or");
    case SystemKind::least_squares:
      return refuse("--least-squares: there is no QR of least squares on devices;");
    case SystemKind::general:
    case SystemKind::positive:
      break;
  }
}

// What least squares have not.
void check_least_squares(const SolveArguments& arguments, const SolveRequest& request) {
  if (request.kind != SystemKind::least_squares) {
    if (!arguments.m.empty()) reject("-m is for --least-squares; the matrix of a system is square");
    return;
  }
  if (request.options.certify) throw error(errc::unsupported, "--certify: there is no proof of --least-squares");
  if (request.verify != Verify::none && request.options.accuracy == SolveAccuracy::backward) {
    throw error(errc::unsupported,
                "--verify: of --least-squares with --accuracy backward nothing is promised of x alone");
  }
}

// Generated matrices; or files, and then nothing that generates.
void check_operands(const SolveArguments& arguments, SolveRequest& request) {
  const auto recipe = read_operands(
      {arguments.files, arguments.n, arguments.init, arguments.seed, arguments.verify,
       !(arguments.m.empty() && arguments.n.empty() && arguments.nrhs.empty()),
       "nothing to solve: give two matrix files, or -n for a generated system", "a system takes two, A and b",
       arguments.m.empty() ? "-n and --nrhs" : "-m, -n and --nrhs", "systems"},
      request.precision);
  if (!recipe) return;
  request.n = integer<std::int64_t>("-n", arguments.n, 1);
  request.m = arguments.m.empty() ? request.n : integer<std::int64_t>("-m", arguments.m, 1);
  if (!arguments.nrhs.empty()) request.nrhs = integer<std::int64_t>("--nrhs", arguments.nrhs, 1);
  request.generator = recipe->generator;
  request.seed = recipe->seed;
}

}  // namespace

SolveRequest check_solve(const SolveArguments& arguments) {
  SolveRequest r{read_problem(arguments)};
  r.kind = read_kind(arguments);
  SolveOptions& options = r.options;
  options.accuracy = choice<SolveAccuracy>("--accuracy", arguments.accuracy,
                                           {{"backward", SolveAccuracy::backward}, {"full", SolveAccuracy::full}});
  options.factors = choice<SolveFactors>(
      "--factors", arguments.factors,
      {{"auto", SolveFactors::automatic}, {"double", SolveFactors::in_double}, {"dd", SolveFactors::in_double_double}});
  options.certify = arguments.certify;
  options.products = read_products(arguments);
  check_place(r);
  check_operands(arguments, r);
  r.outputs = output_paths({{"-o", arguments.output}});
  r.verify = read_verify(arguments.verify);
  check_least_squares(arguments, r);
  r.ranks = read_ranks(arguments.ranks);
  return r;
}

}  // namespace hilo::cli
