// Eigenproblems on a queue's device: arguments -> refinement there, or LAPACK on the host -> what was asked for.
#include "blas/opencl/arguments.hpp"
#include "solve/opencl/finite.hpp"
#include "spectral/eigensystem.hpp"
#include "spectral/opencl/hermitian_device.hpp"
#include "spectral/opencl/host_copies.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using spectral::Dense;

template <class T>
struct DeviceRequest {
  Queue& queue;
  Uplo uplo;
  const BufferView<T>& a;
  const VectorView<real_type<T>>& values;
  const BufferView<T>* vectors;
  const std::vector<Event>& wait_list;
  const EigenvalueOptions& options;
};

// All but whether entries are finite.
template <class T>
void check_arguments(const char* routine, const DeviceRequest<T>& x) {
  const Arguments check(routine, sizeof(T)), check_values(routine, sizeof(real_type<T>));
  check.check_options(precision_of<T>, Backend::opencl, x.options.products);
  check.check_enum(static_cast<int>(x.uplo), 1, "uplo");
  const Argument a = counted_argument(check, x.queue, "A", x.a);
  check.check_square(a);
  check_values.check(blas::argument("values", x.values));
  check.check_equal("elements of values", x.values.size, "rows of A", x.a.rows);
  if (x.vectors) {
    const Argument of_vectors = counted_argument(check, x.queue, "vectors", *x.vectors);
    check.check_result(of_vectors);
    check.check_equal("rows of vectors", x.vectors->rows, "rows of A", x.a.rows);
    check.check_equal("columns of vectors", x.vectors->columns, "rows of A", x.a.rows);
    check.check_apart(of_vectors, a);
  }
  spectral::check_order(routine, x.a.rows);
}

template <double_double T>
EigenvalueReport refined_on_device(const char* routine, const DeviceRequest<T>& x) {
  const std::int64_t n = x.a.rows;
  solver::DeviceMatrix matrix(*x.queue.state(), precision_of<T>, device_view(x.a),
                              x.uplo == Uplo::lower ? solver::Part::lower : solver::Part::upper, x.options.products,
                              opencl::native_events(x.wait_list, x.queue));
  // A row of a triangle has an entry of each of its columns.
  const std::vector<double> rows = matrix.largest_of_rows();
  solver::check_finite({routine, sizeof(T)}, matrix, rows);
  spectral::Eigensystem<T> system;
  system.exponent = solver::exponent_to_one(*std::max_element(rows.begin(), rows.end()));
  matrix.take({std::vector<int>(rows.size(), system.exponent), std::vector<int>(rows.size())});

  spectral::HermitianDevice<T> place(matrix, x.options.products);
  place.start();
  spectral::HermitianRefinement<spectral::HermitianDevice<T>> refinement(place);
  const bool wants_vectors = x.vectors != nullptr;
  system.report = spectral::refined(refinement, wants_vectors || x.options.certify, wants_vectors);
  const std::vector<std::int64_t> order = refinement.order();
  for (const std::int64_t j : order) system.values.push_back(refinement.value(j));
  const std::string obstacle = system.obstacle();
  if (obstacle.empty()) {
    if (x.options.certify) spectral::certify(place.bounds(order, system.values), system, system.report);
    if (wants_vectors) place.put_vectors(order, device_view(*x.vectors));
  } else {
    system.report = spectral::refusal(obstacle);
  }
  matrix.include(place.finish());
  matrix.finish();
  if (system.report) {
    for (std::int64_t j = 0; j < n; ++j) x.values(j) = system.value_as_given(j);
  }
  return std::move(system.report);
}

template <gemm_scalar T>
EigenvalueReport solved_on_host(const DeviceRequest<T>& x) {
  using Real = real_type<T>;
  const std::int64_t n = x.a.rows;
  spectral::HostCopies place(*x.queue.state(), precision_of<T>, x.options.products,
                             opencl::native_events(x.wait_list, x.queue));
  Dense<T> a = place.read<T>(device_view(x.a)), vectors(x.vectors ? n : 0, x.vectors ? n : 0);
  std::vector<Real> values(static_cast<std::size_t>(n));
  const VectorView<Real> of_values{values.data(), n};
  const EigenvalueReport report = x.vectors
                                      ? hermitian_eigensystem<T>(x.uplo, a.view(), of_values, vectors.view(), x.options)
                                      : hermitian_eigenvalues<T>(x.uplo, a.view(), of_values, x.options);
  if (report && x.vectors) place.write(std::move(vectors), device_view(*x.vectors));
  place.finish().wait();
  if (report) {
    for (std::int64_t j = 0; j < n; ++j) x.values(j) = values[static_cast<std::size_t>(j)];
  }
  return report;
}

template <gemm_scalar T>
EigenvalueReport solved(const char* routine, const DeviceRequest<T>& x) {
  return opencl::guarded("solving an eigenproblem", [&] {
    check_arguments(routine, x);
    if (x.a.rows == 0) return spectral::report_of_nothing(x.options.certify);
    if constexpr (double_double<T>) {
      return refined_on_device(routine, x);
    } else {
      return solved_on_host(x);
    }
  });
}

}  // namespace

template <gemm_scalar T>
EigenvalueReport hermitian_eigenvalues(Queue& queue, Uplo uplo, const BufferView<T>& a,
                                       const VectorView<real_type<T>>& values, const std::vector<Event>& wait_list,
                                       const EigenvalueOptions& options) {
  return solved<T>("hermitian_eigenvalues", {queue, uplo, a, values, nullptr, wait_list, options});
}

template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Queue& queue, Uplo uplo, const BufferView<T>& a,
                                       const VectorView<real_type<T>>& values, const BufferView<T>& vectors,
                                       const std::vector<Event>& wait_list, const EigenvalueOptions& options) {
  return solved<T>("hermitian_eigensystem", {queue, uplo, a, values, &vectors, wait_list, options});
}

#define HILO_INSTANTIATE(T)                                                                                      \
  template EigenvalueReport hermitian_eigenvalues<T>(Queue&, Uplo, const BufferView<T>&,                         \
                                                     const VectorView<real_type<T>>&, const std::vector<Event>&, \
                                                     const EigenvalueOptions&);                                  \
  template EigenvalueReport hermitian_eigensystem<T>(Queue&, Uplo, const BufferView<T>&,                         \
                                                     const VectorView<real_type<T>>&, const BufferView<T>&,      \
                                                     const std::vector<Event>&, const EigenvalueOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
