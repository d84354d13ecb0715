#include "cli/svd/request.hpp"

#include "cli/option.hpp"
#include "cli/outputs.hpp"

namespace hilo::cli {
namespace {

// A generated matrix; or a file, and then nothing that generates.
void check_operand(const SvdArguments& arguments, SvdRequest& request) {
  const std::string no_verification;
  const auto recipe = read_operands(
      {arguments.files, arguments.n, arguments.init, arguments.seed, no_verification,
       !(arguments.m.empty() && arguments.n.empty()), "no matrix: give a matrix file, or -n for a generated matrix",
       "svd takes one, A", arguments.m.empty() ? "-n" : "-m and -n", "matrices", 1},
      request.precision);
  if (!recipe) return;
  request.n = integer<std::int64_t>("-n", arguments.n, 1);
  request.m = arguments.m.empty() ? request.n : integer<std::int64_t>("-m", arguments.m, 1);
  request.generator = recipe->generator;
  request.seed = recipe->seed;
}

}  // namespace

SvdRequest check_svd(const SvdArguments& arguments) {
  SvdRequest r{read_problem(arguments)};
  r.wants_left = !arguments.left.empty();
  r.wants_right = !arguments.right.empty();
  r.is_full = arguments.full;
  if (r.is_full && !r.wants_left && !r.wants_right) reject("--full is for singular vectors: give --left or --right");
  r.options.certify = arguments.certify;
  r.options.relative = arguments.relative;
  r.options.products = read_products(arguments);
  check_operand(arguments, r);
  r.outputs = output_paths({{"-o", arguments.output}, {"--left", arguments.left}, {"--right", arguments.right}});
  return r;
}

}  // namespace hilo::cli
