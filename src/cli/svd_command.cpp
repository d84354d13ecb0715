#include "cli/svd_command.hpp"

#include <algorithm>

#include "cli/operands.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"
#include "cli/structure.hpp"
#include "cli/svd_request.hpp"
#include "cli/svd_result.hpp"
#include "data/scalar.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

template <class T>
struct Problem {
  Matrix<T> a;
  Matrix<real_type<T>> values;  ///< one column
  Matrix<T> u, v;               ///< empty where neither is asked for
};

// The least that svd takes beside A, values and vectors (docs of singular_values), and twelve matrices of double-double
// numbers for a proof.
template <class T>
std::int64_t workspace_bytes(std::int64_t m, std::int64_t n, const SingularValueOptions& options) {
  const bool is_refined = precisions::words(precision_of<T>) == 2;
  const std::int64_t entry = static_cast<std::int64_t>(sizeof(T)) * (is_refined ? 15 : 3);
  return m * n * (entry + (options.certify ? 192 * precisions::parts(precision_of<T>) : 0));
}

template <class T>
Matrix<T> matrix_of_file(const std::string& name, const SvdRequest& r, Progress& progress) {
  Matrix<T> a = matrix_from_file<T>(name, r.layout, progress);
  if (a.rows == 0 || a.columns == 0) reject(size_of(name, a) + "; it has no singular values");
  check_finite(name, a);
  return a;
}

template <class T>
Problem<T> problem(const SvdArguments& arguments, const SvdRequest& r, Progress& progress) {
  const bool is_generated = arguments.files.empty();
  Problem<T> p;
  if (!is_generated) p.a = matrix_of_file<T>(arguments.files[0], r, progress);
  const std::int64_t m = is_generated ? r.m : p.a.rows, n = is_generated ? r.n : p.a.columns, least = std::min(m, n);
  const bool wants_vectors = r.wants_left || r.wants_right;
  const std::int64_t left = r.is_full && r.wants_left ? m : least, right = r.is_full && r.wants_right ? n : least;
  std::vector<MatrixSize> sizes = {{"the singular values", least, 1}};
  if (is_generated) sizes.insert(sizes.begin(), {"A", m, n});
  if (wants_vectors) sizes.insert(sizes.end(), {{"U", m, left}, {"V", n, right}});
  check_matrices_and_workspace<T>(sizes, [&] { return workspace_bytes<T>(m, n, r.options); });
  if (is_generated) {
    const data::Recipe recipe{r.generator, r.seed, data::Terms::along_columns};
    p.a = generated_matrix<T>(recipe, 'A', m, n, r.layout, progress, "");
  }
  p.values = data::zero_matrix<real_type<T>>(least, 1, r.layout, "the singular values");
  if (!wants_vectors) return p;
  p.u = data::zero_matrix<T>(m, left, r.layout, "U");
  p.v = data::zero_matrix<T>(n, right, r.layout, "V");
  return p;
}

template <class T>
SingularValueReport solution(Problem<T>& p, const SvdRequest& r) {
  const auto a = view_of(p.a);
  const VectorView<real_type<T>> values{p.values.entries.data(), p.values.rows};
  if (r.wants_left || r.wants_right) {
    return singular_value_decomposition<T>(a, values, view_of(p.u), view_of(p.v), r.options);
  }
  return singular_values(a, values, r.options);
}

// Why what was asked for is not there; empty where it is.
std::string failure(const SingularValueReport& report, const SingularValueOptions& options) {
  if (!report.is_solved) return "the singular values were not computed: " + report.reason;
  if (options.certify && !report.is_certified) return "no bound of the errors was proved, as --certify asks for";
  return "";
}

template <class T>
int run(const SvdArguments& arguments, const SvdRequest& r) {
  for (const std::string& path : r.outputs) data::check_writable(path);
  Progress progress(arguments.json);
  Problem<T> p = problem<T>(arguments, r, progress);
  progress.at("computing singular values");
  const Stopwatch watch;
  SvdResult result{r.precision,  r.layout,
                   p.a.rows,     p.a.columns,
                   r.wants_left, r.wants_right,
                   r.options,    threads_of(r.options.products),
                   {},           0.0,
                   0.0,          {},
                   0.0,          {}};
  result.report = solution(p, r);
  result.seconds = watch.seconds();
  result.failure = failure(result.report, r.options);
  result.largest = static_cast<double>(p.values.entries.front());
  result.smallest = static_cast<double>(p.values.entries.back());
  if (result.failure.empty()) {
    OutputFiles files;
    files.write(arguments.output, p.values, progress);
    files.write(arguments.left, p.u, progress);
    files.write(arguments.right, p.v, progress);
    files.commit();
    result.written = r.outputs;
  }
  progress.at("");
  return finish(result, r.outputs, arguments.json);
}

}  // namespace

void add_svd_options(CLI::App& command, SvdArguments& a) {
  command.add_option("files", a.files, "A: a .mtx (Matrix Market) or .npy (NumPy) file, of any shape")->type_name("A");
  command
      .add_option("-o,--output", a.output, "Write the singular values, one column, descending, to a .mtx or .npy file")
      ->type_name("FILE");
  command.add_option("--left", a.left, "Write U of A = U S V^H, in the order of the values, to such a file")
      ->type_name("FILE");
  command.add_option("--right", a.right, "Write V, not V^H, to such a file")->type_name("FILE");
  command.add_flag("--full", a.full, "U and V square, not with as many columns as there are values");
  command.add_flag("--relative", a.relative,
                   "Small errors relative to each value, where scaled columns or rows are well-conditioned: Jacobi");
  command.add_flag("--certify", a.certify, "Prove a bound of the singular values' errors");
  command.add_option("-n", a.n, "Columns of a generated A")->type_name("SIZE");
  command.add_option("-m", a.m, "Rows of a generated A (default: -n)")->type_name("SIZE");
  add_problem_options(command, a, "a generated A");
  add_json_option(command, a);
  command.footer("Example: hilo svd A.mtx --certify -o values.mtx --left U.mtx --right V.mtx");
  reject_empty_words(command);
}

int run_svd(const SvdArguments& arguments) {
  const SvdRequest request = check_svd(arguments);
  return with_type_of(request.precision, [&]<class T>(std::type_identity<T>) { return run<T>(arguments, request); });
}

}  // namespace hilo::cli
