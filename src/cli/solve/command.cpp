#include "cli/solve/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/option.hpp"
#include "cli/problem/run.hpp"
#include "cli/problem/structure.hpp"
#include "cli/ranks/solve.hpp"
#include "cli/solve/request.hpp"
#include "cli/solve/result.hpp"
#include "cli/solve/verify.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

template <class T>
struct System {
  Matrix<T> a, b, x;
};

// The least of the host's memory that solve takes beside A, b and x: the matrix apart in its words and its factors, and
// six matrices of double-double numbers for a proof.
template <class T>
std::int64_t workspace_bytes(std::int64_t m, std::int64_t n, const SolveRequest& r) {
  if (r.place.backend == Backend::opencl) return 0;
  const std::int64_t word = 8 * precisions::parts(precision_of<T>);
  const std::int64_t words = precisions::words(precision_of<T>) +
                             (r.options.factors == SolveFactors::in_double_double ? 2 : 1) +
                             (r.options.certify ? 12 : 0);
  return m * n * word * words;
}

// The least of a device's memory that solve takes there: A scaled and its factors, and for a proof R and G, these in
// double (docs/solve.md).
template <class T>
DeviceWorkspace device_workspace(std::int64_t n, const SolveRequest& r) {
  const std::int64_t in_double = n * n * 8 * precisions::parts(precision_of<T>);
  const std::int64_t scaled = in_double * precisions::words(precision_of<T>);
  const std::int64_t factors = in_double * (r.options.factors == SolveFactors::in_double_double ? 2 : 1);
  return {scaled + factors + (r.options.certify ? 2 * in_double : 0), std::max(scaled, factors)};
}

template <class T>
System<T> system_from_files(const SolveArguments& arguments, const SolveRequest& r, ProblemRun& run) {
  Progress& progress = run.progress();
  const std::string &name_a = arguments.files[0], &name_b = arguments.files[1];
  System<T> s{matrix_from_file<T>(name_a, r.layout, progress), matrix_from_file<T>(name_b, r.layout, progress), {}};
  const std::int64_t m = s.a.rows, n = s.a.columns;
  if (m != n && r.kind != SystemKind::least_squares) {
    reject(size_of(name_a, s.a) + "; the matrix of a system is square (--least-squares takes others)");
  }
  if (m == 0 || n == 0) reject(size_of(name_a, s.a) + "; there is nothing to solve");
  if (s.b.rows != m) {
    reject(size_of(name_b, s.b) + ", " + size_of(name_a, s.a) + ": b must have " + std::to_string(m) +
           (m == 1 ? " row" : " rows"));
  }
  if (s.b.columns == 0) reject(size_of(name_b, s.b) + "; there is nothing to solve");
  check_finite(name_a, s.a);
  check_finite(name_b, s.b);
  if (is_structured(r.kind)) {
    const std::string flaw = flaw_of_structure(s.a, r.kind);
    if (!flaw.empty()) reject(name_a + " is not " + flaw);
  }
  run.check_memory<T>(
      {{{"A", m, n}, {"b", m, s.b.columns}}, {{"x", n, s.b.columns}}, {}}, [&] { return workspace_bytes<T>(m, n, r); },
      [&] { return device_workspace<T>(n, r); });
  return s;
}

template <class T>
System<T> generated_system(const SolveRequest& r, ProblemRun& run) {
  run.check_memory<T>(
      {{}, {{"A", r.m, r.n}, {"b", r.m, r.nrhs}, {"x", r.n, r.nrhs}}, {}},
      [&] { return workspace_bytes<T>(r.m, r.n, r); }, [&] { return device_workspace<T>(r.n, r); });
  const data::Recipe of_a{r.generator, r.seed, data::Terms::along_columns}, of_b{{}, r.seed, data::Terms::none};
  System<T> s{generated_matrix<T>(of_a, 'A', r.m, r.n, r.layout, run.progress(), ""),
              generated_matrix<T>(of_b, 'B', r.m, r.nrhs, r.layout, run.progress(), ""),
              {}};
  if (is_structured(r.kind)) give_structure(s.a, r.kind, r.generator.init);
  return s;
}

template <class T>
SolveReport solution_on_host(System<T>& s, const SolveRequest& r) {
  const auto a = view_of(s.a), b = view_of(s.b), x = view_of(s.x);
  switch (r.kind) {
    case SystemKind::positive:
      return solve_positive<T>(Uplo::lower, a, b, x, r.options);
    case SystemKind::symmetric:
      return solve_symmetric<T>(Uplo::lower, a, b, x, r.options);
    case SystemKind::hermitian:
      return solve_hermitian<T>(Uplo::lower, a, b, x, r.options);
    case SystemKind::least_squares:
      return solve_least_squares<T>(a, b, x, r.options);
    case SystemKind::general:
      break;
  }
  return solve<T>(a, b, x, r.options);
}

// Of a general system or a positive definite one; a request has no others there.
template <class T>
SolveReport solution_on_device(System<T>& s, const SolveRequest& r, ProblemRun& run) {
  Queue& queue = *run.queue();
  const BufferView<T> a = run.copied("A", s.a), b = run.copied("b", s.b), x = run.room("x", s.x);
  const SolveReport report = run.timed([&] {
    return r.kind == SystemKind::positive ? solve_positive(queue, Uplo::lower, a, b, x, {}, r.options)
                                          : solve(queue, a, b, x, {}, r.options);
  });
  if (report) run.read(x, s.x);
  return report;
}

// Why x is not what was asked for; empty where it is.
std::string failure(const SolveReport& report, const SolveOptions& options) {
  if (!report.is_solved) return "the system was not solved: " + report.reason;
  if (report.accuracy < options.accuracy) {
    return "the system was solved to backward accuracy alone, for which --accuracy backward asks";
  }
  if (options.certify && !report.is_certified) {
    return "no bound of the error was proved, as --certify asks for";
  }
  return "";
}

template <class T>
int run(const SolveArguments& arguments, const SolveRequest& r) {
#if HILO_HAS_DISTRIBUTED
  if constexpr (!std::same_as<data::real_of<T>, float>) {
    if (r.ranks) return solve_on_ranks<T>(arguments, r);
  }
#endif
  ProblemRun run(arguments, r, threads_of(r.options.products));
  System<T> s = arguments.files.empty() ? generated_system<T>(r, run) : system_from_files<T>(arguments, r, run);
  s.x = data::zero_matrix<T>(s.a.columns, s.b.columns, r.layout, "x");
  if (r.verify != Verify::none) check_verifiable(r.verify, r.kind, s.a.rows, s.a.columns);
  run.progress().at("solving");
  SolveResult result{{r.precision, r.layout}, r.kind, s.a.rows, s.a.columns, s.b.columns, r.options};
  result.report = run.queue() ? solution_on_device(s, r, run) : run.timed([&] { return solution_on_host(s, r); });
  result.failure = failure(result.report, r.options);
  if (result.failure.empty() && r.verify != Verify::none) {
    result.verification = verify_solution(r.verify, r.kind, s.a, s.b, s.x, result.report, run.progress());
    if (!result.verification->verified) result.failure = "the verification failed";
  }
  return run.finish(result, [&](OutputFiles& files) { files.write(arguments.output, s.x, run.progress()); });
}

}  // namespace

void add_solve_options(CLI::App& command, SolveArguments& a) {
  command.add_option("files", a.files, "A and b: .mtx (Matrix Market) or .npy (NumPy) files")->type_name("A b");
  command.add_option("-o,--output", a.output, "Write x to a .mtx or .npy file")->type_name("FILE");
  takes_word(command.add_option("--accuracy", a.accuracy),
             {{"full", "each entry right to the last digit"}, {"backward", "a system next to the one given"}},
             " (default: full)");
  command.add_flag("--spd", a.positive, "A is positive definite, symmetric or Hermitian: Cholesky");
  command.add_flag("--symmetric", a.symmetric, "A is symmetric: L D L^T, on the CPU alone");
  command.add_flag("--hermitian", a.hermitian, "A is Hermitian: L D L^H, on the CPU alone");
  command.add_flag(
      "--least-squares", a.least_squares,
      "x makes b - A x least, and is the smallest where A has fewer rows than columns: QR, on the CPU alone");
  command.add_flag("--certify", a.certify, "Prove a bound of each entry's error, and that A is not singular");
  takes_word(command.add_option("--factors", a.factors), {"auto", "double", "dd"}, "",
             ": what A is factored in (default: auto, double where that converges)");
  command.add_option("-n", a.n, "Rows of a generated system, or columns of least squares")->type_name("SIZE");
  command.add_option("-m", a.m, "Rows of A of generated least squares (default: -n)")->type_name("SIZE");
  command.add_option("--nrhs", a.nrhs, "Right-hand sides of a generated system (default: 1)")->type_name("NUMBER");
  add_problem_options(command, a, "generated matrices");
  takes_value_of_flag(
      command.add_flag("--verify{sample}", a.verify,
                       "Compare with MPFR: --verify, or --verify=full for the errors of more than 256 unknowns"),
      {"sample", "full"});
  add_ranks_options(command, a.ranks, true);
  add_json_option(command, a);
  command.footer("Example: hilo solve A.mtx b.mtx --certify -o x.mtx");
  reject_empty_words(command);
}

int run_solve(const SolveArguments& arguments) {
  const SolveRequest request = check_solve(arguments);
#if HILO_HAS_DISTRIBUTED
  if (request.ranks) check_solve_on_ranks(arguments, request);
#endif
  return with_type_of(request.precision, [&]<class T>(std::type_identity<T>) { return run<T>(arguments, request); });
}

}  // namespace hilo::cli
