#include "cli/svd/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/option.hpp"
#include "cli/problem/run.hpp"
#include "cli/problem/structure.hpp"
#include "cli/svd/request.hpp"
#include "cli/svd/result.hpp"
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

// Whether a device's queue leaves all of it to the host.
template <class T>
bool is_of_host(const SvdRequest& r) {
  return !double_double<T> || r.options.relative;
}

// The least of the host's memory that svd takes beside A, values and vectors (docs of singular_values), and twelve
// matrices of double-double numbers for a proof, which is the host's. What is refined on a device begins with A and its
// vectors in double here.
template <class T>
std::int64_t workspace_bytes(std::int64_t m, std::int64_t n, const SvdRequest& r) {
  const std::int64_t parts = precisions::parts(precision_of<T>);
  const bool begins_here = r.place.backend == Backend::opencl && !is_of_host<T>(r);
  const std::int64_t entry =
      begins_here ? 24 * parts : static_cast<std::int64_t>(sizeof(T)) * (double_double<T> ? 15 : 3);
  return m * n * (entry + (r.options.certify ? 192 * parts : 0));
}

// The least of a device's memory that svd takes there (docs/singular-values.md), as src/spectral lays it out: A scaled,
// or Aᴴ of a wide one, U of so many columns, and V; then of what is nearly square U, AV, R, T, Tᴴ, V, S and, in double,
// F and G, and before that of what is not Q and R of QR.
template <class T>
DeviceWorkspace device_workspace(std::int64_t m, std::int64_t n, std::int64_t columns_of_u, const SvdRequest& r) {
  if (is_of_host<T>(r)) return {};
  constexpr std::int64_t entry = sizeof(T);
  const std::int64_t rows = std::max(m, n), columns = std::min(m, n), square = columns * columns;
  const std::int64_t kept = rows * columns + rows * columns_of_u + square;
  if (5 * rows > 6 * columns) {
    return {(kept + rows * columns + 9 * square) * entry, rows * std::max(columns, columns_of_u) * entry};
  }
  return {(kept + 5 * rows * rows + 2 * square) * entry + (rows * rows + square) * entry / 2, rows * rows * entry};
}

template <class T>
Matrix<T> matrix_of_file(const std::string& name, const SvdRequest& r, Progress& progress) {
  Matrix<T> a = matrix_from_file<T>(name, r.layout, progress);
  if (a.rows == 0 || a.columns == 0) reject(size_of(name, a) + "; it has no singular values");
  check_finite(name, a);
  return a;
}

template <class T>
Problem<T> problem(const SvdArguments& arguments, const SvdRequest& r, ProblemRun& run) {
  const bool is_generated = arguments.files.empty();
  Problem<T> p;
  if (!is_generated) p.a = matrix_of_file<T>(arguments.files[0], r, run.progress());
  const std::int64_t m = is_generated ? r.m : p.a.rows, n = is_generated ? r.n : p.a.columns, least = std::min(m, n);
  const bool wants_vectors = r.wants_left || r.wants_right;
  const std::int64_t left = r.is_full && r.wants_left ? m : least, right = r.is_full && r.wants_right ? n : least;
  ProblemSizes sizes{{}, {}, {{"the singular values", least, 1}}};
  (is_generated ? sizes.made : sizes.read).push_back({"A", m, n});
  if (wants_vectors) sizes.made.insert(sizes.made.end(), {{"U", m, left}, {"V", n, right}});
  run.check_memory<T>(
      sizes, [&] { return workspace_bytes<T>(m, n, r); },
      [&] { return device_workspace<T>(m, n, m < n ? right : left, r); });
  if (is_generated) {
    const data::Recipe recipe{r.generator, r.seed, data::Terms::along_columns};
    p.a = generated_matrix<T>(recipe, 'A', m, n, r.layout, run.progress(), "");
  }
  p.values = data::zero_matrix<real_type<T>>(least, 1, r.layout, "the singular values");
  if (!wants_vectors) return p;
  p.u = data::zero_matrix<T>(m, left, r.layout, "U");
  p.v = data::zero_matrix<T>(n, right, r.layout, "V");
  return p;
}

template <class T>
SingularValueReport solution_on_host(Problem<T>& p, const SvdRequest& r, ProblemRun& run) {
  const auto a = view_of(p.a);
  const VectorView<real_type<T>> values{p.values.entries.data(), p.values.rows};
  return run.timed([&] {
    return r.wants_left || r.wants_right
               ? singular_value_decomposition<T>(a, values, view_of(p.u), view_of(p.v), r.options)
               : singular_values(a, values, r.options);
  });
}

template <class T>
SingularValueReport solution_on_device(Problem<T>& p, const SvdRequest& r, ProblemRun& run) {
  if (is_of_host<T>(r)) run.leave_to_host();
  Queue& queue = *run.queue();
  const BufferView<T> a = run.copied("A", p.a);
  const VectorView<real_type<T>> values{p.values.entries.data(), p.values.rows};
  if (!r.wants_left && !r.wants_right) {
    return run.timed([&] { return singular_values(queue, a, values, {}, r.options); });
  }
  const BufferView<T> u = run.room("U", p.u), v = run.room("V", p.v);
  const SingularValueReport report =
      run.timed([&] { return singular_value_decomposition(queue, a, values, u, v, {}, r.options); });
  if (!report) return report;
  run.read(u, p.u);
  run.read(v, p.v);
  return report;
}

// Why what was asked for is not there; empty where it is.
std::string failure(const SingularValueReport& report, const SingularValueOptions& options) {
  if (!report.is_solved) return "the singular values were not computed: " + report.reason;
  if (options.certify && !report.is_certified) return "no bound of the errors was proved, as --certify asks for";
  return "";
}

template <class T>
int run(const SvdArguments& arguments, const SvdRequest& r) {
  ProblemRun run(arguments, r, threads_of(r.options.products));
  Problem<T> p = problem<T>(arguments, r, run);
  run.progress().at("computing singular values");
  SvdResult result{{r.precision, r.layout}, p.a.rows, p.a.columns, r.wants_left, r.wants_right, r.options};
  result.report = run.queue() ? solution_on_device(p, r, run) : solution_on_host(p, r, run);
  result.failure = failure(result.report, r.options);
  result.largest = static_cast<double>(p.values.entries.front());
  result.smallest = static_cast<double>(p.values.entries.back());
  return run.finish(result, [&](OutputFiles& files) {
    files.write(arguments.output, p.values, run.progress());
    files.write(arguments.left, p.u, run.progress());
    files.write(arguments.right, p.v, run.progress());
  });
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
