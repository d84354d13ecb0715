#include "cli/eig/request.hpp"

#include "cli/option.hpp"
#include "cli/outputs.hpp"

namespace hilo::cli {
namespace {

// A generated matrix; or a file, and then nothing that generates.
void check_operand(const EigArguments& arguments, EigRequest& request) {
  const std::string no_verification;
  const auto recipe = read_operands(
      {arguments.files, arguments.n, arguments.init, arguments.seed, no_verification, !arguments.n.empty(),
       "no matrix: give a matrix file, or -n for a generated matrix", "eig takes one, A", "-n", "matrices", 1},
      request.precision);
  if (!recipe) return;
  if (arguments.upper) reject("--upper is for files; generated matrices have both triangles");
  request.n = integer<std::int64_t>("-n", arguments.n, 1);
  request.generator = recipe->generator;
  request.seed = recipe->seed;
}

}  // namespace

EigRequest check_eig(const EigArguments& arguments) {
  EigRequest r{read_problem(arguments)};
  r.kind = arguments.hermitian ? SystemKind::hermitian : SystemKind::symmetric;
  if (is_complex(r.precision) && !arguments.hermitian) {
    throw error(errc::unsupported, "--precision " + std::string(name(r.precision)) +
                                       " takes --hermitian: eig is for matrices whose eigenvalues are real, and "
                                       "those of complex symmetric ones are not");
  }
  r.by_upper = arguments.upper;
  r.wants_vectors = !arguments.vectors.empty();
  EigenvalueOptions& options = r.options;
  options.certify = arguments.certify;
  options.products = read_products(arguments);
  check_operand(arguments, r);
  r.outputs = output_paths({{"-o", arguments.output}, {"--vectors", arguments.vectors}});
  return r;
}

}  // namespace hilo::cli
