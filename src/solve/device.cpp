// Systems on a queue's device: arguments -> system -> ladder.
#include <hilo/solve.hpp>

#include "blas/opencl/arguments.hpp"
#include "solve/answer.hpp"
#include "solve/certify.hpp"
#include "solve/opencl/device_proof.hpp"
#include "solve/opencl/device_system.hpp"
#include "solve/opencl/finite.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using solver::DeviceMatrix;
using solver::Part;

template <class T>
struct DeviceArguments {
  Queue& queue;
  const BufferView<T>&a, &b, &x;
  const std::vector<Event>& wait_list;
  const SolveOptions& options;
};

// All but whether entries are finite.
template <class T>
void check_system(const Arguments& check, const DeviceArguments<T>& of) {
  check.check_options(precision_of<solver::Solution<T>>, Backend::opencl, of.options.products);
  check.check_enum(static_cast<int>(of.options.accuracy), 1, "options.accuracy");
  check.check_enum(static_cast<int>(of.options.factors), 2, "options.factors");
  const Argument a = counted_argument(check, of.queue, "A", of.a), x = counted_argument(check, of.queue, "X", of.x);
  check.check_square(a);
  counted_argument(check, of.queue, "B", of.b);
  check.check_result(x);
  check.check_equal("rows of B", of.b.rows, "rows of A", of.a.rows);
  check.check_equal("rows of X", of.x.rows, "columns of A", of.a.columns);
  check.check_equal("columns of X", of.x.columns, "columns of B", of.b.columns);
  check.check_apart(x, a);
}

// That of rows and columns, where all entries are finite.
solver::Scaling scaling_of(const Arguments& check, DeviceMatrix& matrix, solver::Structure structure) {
  const std::vector<double> rows = matrix.largest_of_rows();
  solver::check_finite(check, matrix, rows);
  if (structure == solver::Structure::positive) {
    const std::vector<double> diagonal = matrix.diagonal();
    return solver::positive_scaling_of(
        matrix.order(), [&](std::int64_t i, std::int64_t) { return diagonal[static_cast<std::size_t>(i)]; });
  }
  solver::Scaling scaling = solver::scaling_of(rows, matrix.order());
  const std::vector<double> columns = matrix.largest_of_columns(&scaling.rows);
  std::transform(columns.begin(), columns.end(), scaling.columns.begin(), solver::exponent_to_one);
  return scaling;
}

template <class T>
SolveReport solved(const Arguments& check, solver::Structure structure, Part part, const DeviceArguments<T>& of) {
  check_system(check, of);
  const std::int64_t n = of.b.rows, count = of.b.columns;
  if (n == 0 || count == 0) return solver::nothing_to_solve(of.options);
  DeviceMatrix matrix(*of.queue.state(), precision_of<T>, device_view(of.a), part, of.options.products,
                      opencl::native_events(of.wait_list, of.queue));
  std::vector<T> columns(static_cast<std::size_t>(n * count));
  const MatrixView<T> whole = view(Layout::column, Op::none, columns.data(), n, count, n);
  matrix.read_columns(device_view(of.b), columns.data());
  solver::check_finite(check, "B", n, count, whole);
  solver::DeviceSystem<T> system(structure, matrix, scaling_of(check, matrix, structure), whole, of.options.products);
  SolveReport report = solver::climb<T>(system, of.options);
  if (report.is_solved && of.options.certify) solver::certify<T>(system, report);
  if (report.is_solved) report = solver::written(system, std::move(report), whole);
  if (report.is_solved) matrix.write_columns(columns.data(), device_view(of.x));
  matrix.finish();
  return report;
}

}  // namespace

template <gemm_scalar T>
SolveReport solve(Queue& queue, const BufferView<T>& a, const BufferView<T>& b, const BufferView<T>& x,
                  const std::vector<Event>& wait_list, const SolveOptions& options) {
  return opencl::guarded("solving a system", [&] {
    return solved<T>({"solve", sizeof(T)}, solver::Structure::general, Part::all, {queue, a, b, x, wait_list, options});
  });
}

template <gemm_scalar T>
SolveReport solve_positive(Queue& queue, Uplo uplo, const BufferView<T>& a, const BufferView<T>& b,
                           const BufferView<T>& x, const std::vector<Event>& wait_list, const SolveOptions& options) {
  return opencl::guarded("solving a system", [&] {
    const Arguments check("solve_positive", sizeof(T));
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    return solved<T>(check, solver::Structure::positive, uplo == Uplo::lower ? Part::lower : Part::upper,
                     {queue, a, b, x, wait_list, options});
  });
}

#define HILO_INSTANTIATE(T)                                                                               \
  template SolveReport solve<T>(Queue&, const BufferView<T>&, const BufferView<T>&, const BufferView<T>&, \
                                const std::vector<Event>&, const SolveOptions&);                          \
  template SolveReport solve_positive<T>(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&,        \
                                         const BufferView<T>&, const std::vector<Event>&, const SolveOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
