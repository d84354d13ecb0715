#include "cli/eig_request.hpp"

#include <filesystem>

#include "cli/option.hpp"

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

// The vectors would take the values' place.
void check_outputs(const EigArguments& arguments) {
  if (arguments.output.empty() || arguments.vectors.empty()) return;
  std::error_code failure;
  const auto values = std::filesystem::weakly_canonical(arguments.output, failure);
  if (failure) return;  // what is wrong with it is told where it is written
  const auto vectors = std::filesystem::weakly_canonical(arguments.vectors, failure);
  if (!failure && values == vectors) {
    reject("-o " + shown(arguments.output) + " and --vectors " + shown(arguments.vectors) + " are the same file");
  }
}

}  // namespace

EigRequest check_eig(const EigArguments& arguments) {
  EigRequest r;
  r.precision = read_precision(arguments.precision);
  r.layout = read_layout(arguments.layout);
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
  options.products.engine = read_engine(arguments.engine);
  options.products.fma = read_fma(arguments.fma);
  options.products.threads = integer<int>("--threads", arguments.threads, 0);
  if (read_backend(arguments.backend) == Backend::opencl) {
    throw error(errc::unsupported,
                "--backend opencl: there are no eigenvalues on devices yet; eig takes --backend cpu");
  }
  check_operand(arguments, r);
  check_outputs(arguments);
  return r;
}

}  // namespace hilo::cli
