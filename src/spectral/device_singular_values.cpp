// Singular values on a queue's device: arguments -> QR, refinement there, or the host's -> what was asked for.
#include <numeric>

#include "blas/opencl/arguments.hpp"
#include "solve/opencl/finite.hpp"
#include "spectral/opencl/host_copies.hpp"
#include "spectral/opencl/singular_device.hpp"
#include "spectral/singular_solution.hpp"

namespace hilo {
namespace {

using blas::Argument;
using blas::Arguments;
using blas::counted_argument;
using blas::device_view;
using opencl::set_arguments;
using spectral::Dense;

template <class T>
struct DeviceRequest {
  Queue& queue;
  const BufferView<T>& a;
  const VectorView<real_type<T>>& values;
  const BufferView<T>*u, *v;
  const std::vector<Event>& wait_list;
  const SingularValueOptions& options;

  std::int64_t count() const { return std::min(a.rows, a.columns); }
  bool is_wide() const { return a.rows < a.columns; }
  bool wants_vectors() const { return u != nullptr; }
  // A, or Aᴴ of a wide one, and the vectors on its sides.
  DeviceView tall() const { return is_wide() ? device_view(a).turned(Op::conjugate_transpose) : device_view(a); }
  DeviceView left() const { return device_view(is_wide() ? *v : *u); }
  DeviceView right() const { return device_view(is_wide() ? *u : *v); }
};

// All but whether entries are finite.
template <class T>
void check_arguments(const char* routine, const DeviceRequest<T>& x) {
  const Arguments check(routine, sizeof(T)), check_values(routine, sizeof(real_type<T>));
  check.check_options(precision_of<T>, Backend::opencl, x.options.products);
  const Argument of_a = counted_argument(check, x.queue, "A", x.a);
  check_values.check(blas::argument("values", x.values));
  check.check_equal("elements of values", x.values.size, "min(m, n)", x.count());
  if (x.wants_vectors()) {
    const Argument of_u = counted_argument(check, x.queue, "U", *x.u),
                   of_v = counted_argument(check, x.queue, "V", *x.v);
    const auto check_vectors = [&](const Argument& vectors, const char* rows_name, const char* columns_name,
                                   std::int64_t order) {
      check.check_result(vectors);
      check.check_equal(rows_name, vectors.lines.rows, vectors.name[0] == 'U' ? "rows of A" : "columns of A", order);
      const std::int64_t columns = vectors.lines.columns;
      if (columns != order) check.check_equal(columns_name, columns, "min(m, n)", x.count());
      check.check_apart(vectors, of_a);
    };
    check_vectors(of_u, "rows of U", "columns of U", x.a.rows);
    check_vectors(of_v, "rows of V", "columns of V", x.a.columns);
    check.check_apart(of_v, of_u);
  }
  spectral::check_shape(routine, x.a.rows, x.a.columns);
}

// A decomposition of a tall matrix, which lies on the device with columns side by side, as U and V do.
template <double_double T>
class DeviceDecomposition : public spectral::ColumnPlace {
 public:
  /// U is to have so many columns, n or m.
  DeviceDecomposition(Queue& queue, const DeviceView& a, int exponent, std::int64_t columns_of_u,
                      const BlockedOptions& options, std::vector<cl::Event> wait_list)
      : ColumnPlace(*queue.state(), precision_of<T>, options, std::move(wait_list)),
        queue_(queue),
        a_(made(a.rows, a.columns)),
        u_(made(a.rows, columns_of_u)),
        v_(made(a.columns, a.columns)) {
    opencl::BorrowedKernel k = kernel("spectral/vectors.cl", "take_scaled");
    set_arguments(k, a.buffer, a_.buffer, copy_of(a, a_, 0), cl_int{exponent});
    call().launch_over(*k, a.rows, a.columns);
  }

  /// Values in descending order; U and V in theirs where they are wanted.
  std::vector<dd_real> find(bool wants_vectors, SingularValueReport& report) {
    const std::int64_t m = a_.rows, n = a_.columns;
    if (5 * m <= 6 * n) return refined(a_, u_, wants_vectors, true, report);
    const DeviceView q = made(m, n), r = made(n, n);
    copy(a_, q);
    std::vector<T> tau(static_cast<std::size_t>(n));
    geqrf(queue_, buffer_view(q), std::span<T>(tau), pending(), options());
    copy_trapezoid(Uplo::upper, Diag::non_unit, q.sub(0, 0, n, n), r);
    if (!wants_vectors) return refined(r, made(n, n), false, false, report);
    call().fill_zero(u_.buffer, static_cast<std::size_t>(m * u_.columns) * sizeof(T));
    std::vector<dd_real> values = refined(r, u_.sub(0, 0, n, n), true, false, report);
    set_identity(u_.sub(n, n, m - n, u_.columns - n));
    unmqr(queue_, Side::left, Op::none, buffer_view(q), std::span<const T>(tau), buffer_view(u_), pending(), options());
    // Reflectors leave several u² each.
    const std::int64_t k = u_.columns;
    const DeviceView half = made(k, k), doubles = made(k, k), other = made(m, k);
    multiply_hermitian(u_, u_, half, 2);
    convert(half.buffer, doubles.buffer, 1, k * k);
    correct(u_, doubles.buffer, 0.0, made(m, k).buffer, other.buffer);
    return values;
  }

  /// ‖A V − U Σ‖ / σ_1 and how far U and V, n columns of each, are from orthonormal, by products.
  void measure(const std::vector<dd_real>& values, SingularValueReport& report) {
    const std::int64_t m = a_.rows, n = a_.columns;
    const DeviceView y = made(m, n), r = made(n, n), s = made(n, n);
    multiply(1, a_, v_, 0, y);
    multiply_hermitian(u_.sub(0, 0, m, n), u_.sub(0, 0, m, n), r, 1);
    multiply_hermitian(v_, v_, s, 1);
    const cl::Buffer of_values = call().borrow(16 * n, "singular values"), sums = call().borrow(24 * n, "sums");
    call().write(of_values, 16 * values.size(), values.data());
    const auto norm = [&](std::int64_t rows, const DeviceView& of_r, std::int64_t line) {
      opencl::side_arguments sides{};
      sides.rows = rows;
      sides.columns = n;
      opencl::BorrowedKernel k = kernel("spectral/sides.cl", "sum_squares");
      set_arguments(k, y.buffer, u_.buffer, of_r.buffer, s.buffer, of_values, sums, sides);
      call().launch_groups(*k, n, 128);
      const std::vector<double> all = read_sums(sums, 3 * n);
      return std::sqrt(std::accumulate(all.begin() + line * n, all.begin() + (line + 1) * n, 0.0));
    };
    // Of the first two sums R's are of no particular value, of the last one the others.
    const double size = values.front().hi;
    report.residual_u2 = size > 0.0 ? norm(m, y, 0) / size * 0x1p106 : 0.0;
    report.right_orthogonality_u2 = norm(m, y, 2) * 0x1p106;
    report.left_orthogonality_u2 = norm(n, r, 1) * 0x1p106;
  }

  spectral::SingularSolution<T> on_host(const std::vector<dd_real>& values, int exponent) {
    return {exponent, read(a_), {values, read(u_), read(v_)}};
  }
  /// U and V to where they are wanted.
  void write(const DeviceView& u, const DeviceView& v) {
    copy(u_, u);
    copy(v_, v);
  }

 private:
  DeviceView made(std::int64_t rows, std::int64_t columns) {
    return matrix_of(room(std::max<std::int64_t>(rows * columns, 1), "a matrix of a decomposition"), rows, columns);
  }
  static BufferView<T> buffer_view(const DeviceView& x) {
    return {Buffer<T>(x.buffer()), x.offset, x.rows, x.columns, x.row_stride, x.column_stride};
  }
  std::vector<Event> pending() {
    std::vector<Event> events;
    for (const cl::Event& event : call().pending()) events.emplace_back(event());
    return events;
  }
  Dense<T> read(const DeviceView& x) {
    Dense<T> to(x.rows, x.columns);
    call().read(x.buffer, static_cast<std::size_t>(x.rows * x.columns) * sizeof(T), to.view().data);
    return to;
  }
  void set_identity(const DeviceView& x) {
    if (x.rows == 0 || x.columns == 0) return;
    opencl::BorrowedKernel k = kernel("blas/copies.cl", "set_identity");
    set_arguments(k, x.buffer, copy_of(x, x, 0));
    call().launch_over(*k, x.rows, x.columns);
  }

  // Of a matrix that is nearly square; norms are for the report where `is_whole` problem is solved.
  std::vector<dd_real> refined(const DeviceView& a, const DeviceView& u, bool wants_vectors, bool is_whole,
                               SingularValueReport& report) {
    spectral::SingularDevice<T> place(call().queue(), a, options(), call().pending());
    place.start();
    spectral::SingularRefinement<spectral::SingularDevice<T>> refinement(place);
    report.path = SingularValuePath::refinement;
    if (refinement.refine(wants_vectors)) {
      report.updates = refinement.updates();
    } else {
      report.path = SingularValuePath::jacobi_in_double_double;
      report.updates = refinement.rotate();
    }
    if (is_whole && wants_vectors) {
      const spectral::SingularNorms norms = refinement.norms_u2();
      report.residual_u2 = norms.residual;
      report.left_orthogonality_u2 = norms.left;
      report.right_orthogonality_u2 = norms.right;
    }
    std::vector<dd_real> values;
    const std::vector<std::int64_t> of_v = refinement.order();
    std::vector<std::int64_t> of_u;
    for (const std::int64_t j : of_v) {
      const dd_real value = refinement.value(j);
      values.push_back(abs(value));
      of_u.push_back(value < dd_real(0.0) ? -1 - j : j);
    }
    for (std::int64_t j = a.columns; j < u.columns; ++j) of_u.push_back(j);
    if (wants_vectors) place.put_vectors(of_u, u, of_v, v_);
    call().include(cl::Event(place.finish().native(), true));
    return values;
  }

  Queue& queue_;
  DeviceView a_, u_, v_;
};

template <double_double T>
SingularValueReport refined_on_device(const char* routine, const DeviceRequest<T>& x) {
  const std::int64_t n = x.count();
  SingularValueReport report;
  spectral::SingularSolution<T> solution;
  {
    solver::DeviceMatrix matrix(*x.queue.state(), precision_of<T>, device_view(x.a), solver::Part::all,
                                x.options.products, opencl::native_events(x.wait_list, x.queue));
    const std::vector<double> rows = matrix.largest_of_rows();
    solver::check_finite({routine, sizeof(T)}, matrix, rows);
    solution.exponent = solver::exponent_to_one(*std::max_element(rows.begin(), rows.end()));
    matrix.finish();
  }
  const bool wants_vectors = x.wants_vectors() || x.options.certify;
  const std::int64_t columns_of_u = x.wants_vectors() ? x.left().columns : n;
  DeviceDecomposition<T> place(x.queue, x.tall(), solution.exponent, columns_of_u, x.options.products, {});
  const std::vector<dd_real> values = place.find(wants_vectors, report);
  const auto value = [&](std::int64_t j) {
    return solver::scaled_back(values[static_cast<std::size_t>(j)], -solution.exponent);
  };
  SingularValueReport refused;
  refused.reason = spectral::overflow_among(n, value);
  if (refused.reason.empty()) {
    if (x.options.certify) spectral::certify(place.on_host(values, solution.exponent), x.options, report);
    const bool is_measured = report.residual_u2 == report.residual_u2;
    if (wants_vectors && !is_measured) place.measure(values, report);
    if (x.wants_vectors()) place.write(x.left(), x.right());
  }
  place.finish().wait();
  if (!refused.reason.empty()) return refused;
  report.is_solved = true;
  for (std::int64_t j = 0; j < n; ++j) x.values(j) = value(j);
  if (x.is_wide()) std::swap(report.left_orthogonality_u2, report.right_orthogonality_u2);
  return report;
}

template <gemm_scalar T>
SingularValueReport solved_on_host(const DeviceRequest<T>& x) {
  using Real = real_type<T>;
  spectral::HostCopies place(*x.queue.state(), precision_of<T>, x.options.products,
                             opencl::native_events(x.wait_list, x.queue));
  const Dense<T> a = place.read<T>(device_view(x.a));
  const auto room = [](const BufferView<T>* y) { return y ? Dense<T>(y->rows, y->columns) : Dense<T>(); };
  Dense<T> u = room(x.u), v = room(x.v);
  std::vector<Real> values(static_cast<std::size_t>(x.count()));
  const VectorView<Real> of_values{values.data(), x.count()};
  const SingularValueReport report =
      x.u ? singular_value_decomposition<T>(a.view(), of_values, u.view(), v.view(), x.options)
          : singular_values(a.view(), of_values, x.options);
  if (report && x.u) place.write(std::move(u), device_view(*x.u));
  if (report && x.v) place.write(std::move(v), device_view(*x.v));
  place.finish().wait();
  if (report) {
    for (std::int64_t j = 0; j < x.count(); ++j) x.values(j) = values[static_cast<std::size_t>(j)];
  }
  return report;
}

template <gemm_scalar T>
SingularValueReport solved(const char* routine, const DeviceRequest<T>& x) {
  return opencl::guarded("decomposing a matrix", [&] {
    check_arguments(routine, x);
    if constexpr (double_double<T>) {
      // Of nothing vectors are unit matrices, which the host writes.
      if (!x.options.relative && x.count() > 0) return refined_on_device(routine, x);
    }
    return solved_on_host(x);
  });
}

}  // namespace

template <gemm_scalar T>
SingularValueReport singular_values(Queue& queue, const BufferView<T>& a, const VectorView<real_type<T>>& values,
                                    const std::vector<Event>& wait_list, const SingularValueOptions& options) {
  return solved<T>("singular_values", {queue, a, values, nullptr, nullptr, wait_list, options});
}

template <gemm_scalar T>
SingularValueReport singular_value_decomposition(Queue& queue, const BufferView<T>& a,
                                                 const VectorView<real_type<T>>& values, const BufferView<T>& u,
                                                 const BufferView<T>& v, const std::vector<Event>& wait_list,
                                                 const SingularValueOptions& options) {
  return solved<T>("singular_value_decomposition", {queue, a, values, &u, &v, wait_list, options});
}

#define HILO_INSTANTIATE(T)                                                                                      \
  template SingularValueReport singular_values<T>(Queue&, const BufferView<T>&, const VectorView<real_type<T>>&, \
                                                  const std::vector<Event>&, const SingularValueOptions&);       \
  template SingularValueReport singular_value_decomposition<T>(                                                  \
      Queue&, const BufferView<T>&, const VectorView<real_type<T>>&, const BufferView<T>&, const BufferView<T>&, \
      const std::vector<Event>&, const SingularValueOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
