#include "cli/eig/command.hpp"

#include <CLI/CLI.hpp>

#include "cli/eig/request.hpp"
#include "cli/eig/result.hpp"
#include "cli/option.hpp"
#include "cli/problem/run.hpp"
#include "cli/problem/structure.hpp"
#include "data/scalar.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

template <class T>
struct Problem {
  Matrix<T> a;
  Matrix<real_type<T>> values;  ///< one column
  Matrix<T> vectors;            ///< empty where they are not asked for
};

// The least of the host's memory that eig takes beside A, values and vectors (docs of hermitian_eigenvalues), and six
// matrices of double-double numbers for a proof. What is refined on a device begins with three in double here.
template <class T>
std::int64_t workspace_bytes(std::int64_t n, const EigRequest& r) {
  const std::int64_t parts = precisions::parts(precision_of<T>);
  if (double_double<T> && r.place.backend == Backend::opencl) return n * n * 24 * parts;
  const std::int64_t entry = static_cast<std::int64_t>(sizeof(T)) * (double_double<T> ? 10 : 2);
  return n * n * (entry + (r.options.certify ? 96 * parts : 0));
}

// The same of a device's memory, where that refines: A scaled, X, Y, R, S and, in double, E; for a proof two factors of
// twice as many entries (docs/eigenvalues.md).
template <class T>
DeviceWorkspace device_workspace(std::int64_t n, const EigRequest& r) {
  if (!double_double<T>) return {};
  const std::int64_t bytes = n * n * static_cast<std::int64_t>(sizeof(T));
  return r.options.certify ? DeviceWorkspace{bytes / 2 * 19, 2 * bytes} : DeviceWorkspace{bytes / 2 * 11, bytes};
}

template <class T>
Matrix<T> matrix_of_file(const std::string& name, const EigRequest& r, Progress& progress) {
  Matrix<T> a = matrix_from_file<T>(name, r.layout, progress);
  if (a.rows != a.columns) reject(size_of(name, a) + "; a matrix with eigenvalues is square");
  if (a.rows == 0) reject(size_of(name, a) + "; it has no eigenvalues");
  if (r.by_upper) mirror_upper(a, r.kind);
  check_finite(name, a);
  if (const std::string flaw = flaw_of_structure(a, r.kind); !flaw.empty()) reject(name + " is not " + flaw);
  return a;
}

template <class T>
Matrix<T> generated(const EigRequest& r, Progress& progress) {
  const data::Recipe recipe{r.generator, r.seed, data::Terms::along_columns};
  Matrix<T> a = generated_matrix<T>(recipe, 'A', r.n, r.n, r.layout, progress, "");
  give_structure(a, r.kind, r.generator.init);
  return a;
}

template <class T>
Problem<T> problem(const EigArguments& arguments, const EigRequest& r, ProblemRun& run) {
  const bool is_generated = arguments.files.empty();
  Problem<T> p;
  if (!is_generated) p.a = matrix_of_file<T>(arguments.files[0], r, run.progress());
  const std::int64_t n = is_generated ? r.n : p.a.rows;
  ProblemSizes sizes{{}, {}, {{"the eigenvalues", n, 1}}};
  (is_generated ? sizes.made : sizes.read).push_back({"A", n, n});
  if (r.wants_vectors) sizes.made.push_back({"the eigenvectors", n, n});
  run.check_memory<T>(
      sizes, [&] { return workspace_bytes<T>(n, r); }, [&] { return device_workspace<T>(n, r); });
  if (is_generated) p.a = generated<T>(r, run.progress());
  p.values = data::zero_matrix<real_type<T>>(n, 1, r.layout, "the eigenvalues");
  if (r.wants_vectors) p.vectors = data::zero_matrix<T>(n, n, r.layout, "the eigenvectors");
  return p;
}

template <class T>
EigenvalueReport solution_on_host(Problem<T>& p, const EigRequest& r, ProblemRun& run) {
  const auto a = view_of(p.a);
  const VectorView<real_type<T>> values{p.values.entries.data(), p.a.rows};
  return run.timed([&] {
    return r.wants_vectors ? hermitian_eigensystem<T>(Uplo::lower, a, values, view_of(p.vectors), r.options)
                           : hermitian_eigenvalues(Uplo::lower, a, values, r.options);
  });
}

template <class T>
EigenvalueReport solution_on_device(Problem<T>& p, const EigRequest& r, ProblemRun& run) {
  if (!double_double<T>) run.leave_to_host();
  Queue& queue = *run.queue();
  const BufferView<T> a = run.copied("A", p.a);
  const VectorView<real_type<T>> values{p.values.entries.data(), p.a.rows};
  if (!r.wants_vectors) {
    return run.timed([&] { return hermitian_eigenvalues(queue, Uplo::lower, a, values, {}, r.options); });
  }
  const BufferView<T> vectors = run.room("the matrix of eigenvectors", p.vectors);
  const EigenvalueReport report =
      run.timed([&] { return hermitian_eigensystem(queue, Uplo::lower, a, values, vectors, {}, r.options); });
  if (report) run.read(vectors, p.vectors);
  return report;
}

// Why what was asked for is not there; empty where it is.
std::string failure(const EigenvalueReport& report, const EigenvalueOptions& options) {
  if (!report.is_solved) return "the eigenvalues were not computed: " + report.reason;
  if (options.certify && !report.is_certified) return "no bound of the errors was proved, as --certify asks for";
  return "";
}

template <class T>
int run(const EigArguments& arguments, const EigRequest& r) {
  ProblemRun run(arguments, r, threads_of(r.options.products));
  Problem<T> p = problem<T>(arguments, r, run);
  run.progress().at("computing eigenvalues");
  EigResult result{{r.precision, r.layout}, r.kind, p.a.rows, r.wants_vectors, r.options};
  result.report = run.queue() ? solution_on_device(p, r, run) : solution_on_host(p, r, run);
  result.failure = failure(result.report, r.options);
  result.smallest = static_cast<double>(p.values.entries.front());
  result.largest = static_cast<double>(p.values.entries.back());
  return run.finish(result, [&](OutputFiles& files) {
    files.write(arguments.output, p.values, run.progress());
    files.write(arguments.vectors, p.vectors, run.progress());
  });
}

}  // namespace

void add_eig_options(CLI::App& command, EigArguments& a) {
  command.add_option("files", a.files, "A: a .mtx (Matrix Market) or .npy (NumPy) file")->type_name("A");
  command.add_option("-o,--output", a.output, "Write the eigenvalues, one column, ascending, to a .mtx or .npy file")
      ->type_name("FILE");
  command.add_option("--vectors", a.vectors, "Write the eigenvectors, in the order of the values, to such a file")
      ->type_name("FILE");
  command.add_flag("--hermitian", a.hermitian, "A is Hermitian; c, z and zdd take no others");
  command.add_flag("--upper", a.upper, "A by its upper triangle alone, whatever is below it");
  command.add_flag("--certify", a.certify, "Prove a bound of the eigenvalues' errors");
  command.add_option("-n", a.n, "Rows of a generated A")->type_name("SIZE");
  add_problem_options(command, a, "a generated A");
  add_json_option(command, a);
  command.footer("Example: hilo eig A.mtx --certify -o values.mtx --vectors V.mtx");
  reject_empty_words(command);
}

int run_eig(const EigArguments& arguments) {
  const EigRequest request = check_eig(arguments);
  return with_type_of(request.precision, [&]<class T>(std::type_identity<T>) { return run<T>(arguments, request); });
}

}  // namespace hilo::cli
