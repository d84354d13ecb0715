#include "cli/solve_request.hpp"

#include "cli/option.hpp"

namespace hilo::cli {
namespace {

// Generated matrices; or files, and then nothing that generates.
void check_operands(const SolveArguments& arguments, SolveRequest& request) {
  if (arguments.files.empty()) {
    if (arguments.n.empty()) reject("nothing to solve: give two matrix files, or -n for a generated system");
    request.n = integer<std::int64_t>("-n", arguments.n, 1);
    if (!arguments.nrhs.empty()) request.nrhs = integer<std::int64_t>("--nrhs", arguments.nrhs, 1);
    request.generator = read_generator(arguments.init, request.precision);
    if (!arguments.seed.empty()) request.seed = integer<std::uint64_t>("--seed", arguments.seed, 0);
    return;
  }
  reject_values_of_verify(arguments.verify, arguments.files);
  if (arguments.files.size() != 2) {
    reject("found " + std::to_string(arguments.files.size()) +
           (arguments.files.size() == 1 ? " matrix file, '" : " matrix files, the last '") +
           shown(arguments.files.back()) + "'; a system takes two, A and b");
  }
  if (!(arguments.n.empty() && arguments.nrhs.empty())) {
    reject("-n and --nrhs are for generated systems; the sizes of files are their own");
  }
  if (!(arguments.init.empty() && arguments.seed.empty())) {
    reject("--init and --seed are for generated systems; the entries of files are their own");
  }
}

}  // namespace

SolveRequest check_solve(const SolveArguments& arguments) {
  SolveRequest r;
  r.precision = read_precision(arguments.precision);
  r.layout = read_layout(arguments.layout);
  SolveOptions& options = r.options;
  options.accuracy = choice<SolveAccuracy>("--accuracy", arguments.accuracy,
                                           {{"backward", SolveAccuracy::backward}, {"full", SolveAccuracy::full}});
  options.factors = choice<SolveFactors>(
      "--factors", arguments.factors,
      {{"auto", SolveFactors::automatic}, {"double", SolveFactors::in_double}, {"dd", SolveFactors::in_double_double}});
  options.certify = arguments.certify;
  options.products.engine = read_engine(arguments.engine);
  options.products.fma = read_fma(arguments.fma);
  options.products.threads = integer<int>("--threads", arguments.threads, 0);
  if (read_backend(arguments.backend) == Backend::opencl) {
    throw error(errc::unsupported,
                "--backend opencl: hilo::solve does not run on devices yet, which lack its residuals in several words "
                "(getrf, potrf and gels do); solve takes --backend cpu");
  }
  check_operands(arguments, r);
  r.verify = read_verify(arguments.verify);
  return r;
}

}  // namespace hilo::cli
