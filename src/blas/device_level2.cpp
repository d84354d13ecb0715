// Level 2 on a queue's device: arguments -> place -> routine.
#include "blas/opencl/arguments.hpp"
#include "blas/opencl/matrix_vector_place.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using blas::device_vector;
using blas::device_view;
using blas::DeviceVector;
using blas::MatrixVectorPlace;
using blas::Symmetry;
using blas::VectorArgument;
using Shape = MatrixVectorPlace::Shape;
using Update = MatrixVectorPlace::Update;

// What every routine is given beside its matrix and vectors.
struct Request {
  const char* routine;
  Queue& queue;
  const std::vector<Event>& wait_list;
  const BlockedOptions& options;
};

class Checks : public Arguments {
 public:
  Checks(const Request& request, std::int64_t element_bytes)
      : Arguments(request.routine, element_bytes), queue_(request.queue) {}
  void check_uplo(Uplo uplo) const { check_enum(static_cast<int>(uplo), 1, "uplo"); }
  template <class T>
  Argument matrix(const BufferView<T>& a) const {
    return argument(*this, queue_, "A", a);
  }
  template <class T>
  VectorArgument vector(const char* name, const BufferVector<T>& x, const char* of_a, std::int64_t n) const {
    const VectorArgument v = argument(*this, queue_, name, x);
    check_equal(std::string("elements of ") + name, x.size, of_a, n);
    return v;
  }

 private:
  const Queue& queue_;
};

// check(checks), whether there is something to be done; run(place) does it.
template <class T, class Check, class Run>
Event door(const Request& request, Check check, Run run) {
  const std::string doing = std::string("running ") + request.routine;
  return opencl::guarded(doing.c_str(), [&] {
    const Checks checks(request, sizeof(T));
    checks.check_options(precision_of<T>, Backend::opencl, request.options);
    const bool has_work = check(checks);
    opencl::QueueState& queue = *request.queue.state();
    std::vector<cl::Event> wait_list = opencl::native_events(request.wait_list, request.queue);
    if (!has_work) return opencl::marker_after(queue, wait_list);
    MatrixVectorPlace place(queue, precision_of<T>, request.options, std::move(wait_list));
    run(place);
    return place.finish();
  });
}

// y = alpha · A · x + beta · y, by a call of the place where alpha is not 0.
template <class T, class Multiply>
void combine(MatrixVectorPlace& place, T alpha, T beta, const BufferVector<T>& y, Multiply multiply) {
  if (alpha == T(0)) {
    place.scale(as_dd_complex(beta), device_vector(y));
  } else {
    multiply(as_dd_complex(alpha), as_dd_complex(beta), device_vector(y));
  }
}

// A symmetric or Hermitian matrix, and the triangle of it that is there.
struct Half {
  Symmetry symmetry;
  Uplo uplo;
};

template <class T>
Event multiply_symmetric(const Request& request, const Half& half, T alpha, const BufferView<T>& a,
                         const BufferVector<T>& x, T beta, const BufferVector<T>& y) {
  return door<T>(
      request,
      [&](const Checks& check) {
        check.check_uplo(half.uplo);
        const Argument matrix = check.matrix(a);
        check.check_square(matrix);
        const VectorArgument factor = check.vector("x", x, "rows of A", a.rows);
        const VectorArgument result = check.vector("y", y, "rows of A", a.rows);
        check.check_apart(result, matrix);
        check.check_apart(result, factor);
        return y.size > 0 && !(alpha == T(0) && beta == T(1));
      },
      [&](MatrixVectorPlace& place) {
        const bool is_hermitian = half.symmetry == Symmetry::hermitian;
        const Op mirror = is_hermitian ? Op::conjugate_transpose : Op::transpose;
        const BufferView<T> lower = half.uplo == Uplo::lower ? a : a.turned(mirror);
        combine(place, alpha, beta, y, [&](const dd_complex& p, const dd_complex& q, const DeviceVector& to) {
          place.multiply(is_hermitian ? Shape::hermitian_lower : Shape::symmetric_lower, Diag::non_unit, p,
                         device_view(lower), device_vector(x), q, to);
        });
      });
}

template <class T, class Run>
Event with_triangle(const Request& request, Uplo uplo, Diag diag, const BufferView<T>& a, const BufferVector<T>& x,
                    Run run) {
  return door<T>(
      request,
      [&](const Checks& check) {
        check.check_uplo(uplo);
        check.check_enum(static_cast<int>(diag), 1, "diag");
        const Argument matrix = check.matrix(a);
        check.check_square(matrix);
        check.check_apart(check.vector("x", x, "rows of A", a.rows), matrix);
        return x.size > 0;
      },
      run);
}

template <class T>
Event update_all(const Request& request, bool conjugates, T alpha, const BufferVector<T>& x, const BufferVector<T>& y,
                 const BufferView<T>& a) {
  return door<T>(
      request,
      [&](const Checks& check) {
        const Argument result = check.matrix(a);
        check.check_result(result);
        const VectorArgument left = check.vector("x", x, "rows of A", a.rows);
        const VectorArgument right = check.vector("y", y, "columns of A", a.columns);
        check.check_apart(result, left);
        check.check_apart(result, right);
        return !(alpha == T(0)) && a.rows > 0 && a.columns > 0;
      },
      [&](MatrixVectorPlace& place) {
        place.update({Update::Part::all, conjugates, false, false}, as_dd_complex(alpha), device_vector(x),
                     device_vector(y), device_view(a));
      });
}

template <class T>
Event update_half(const Request& request, const Half& half, T alpha, const BufferVector<T>& x, const BufferVector<T>* y,
                  const BufferView<T>& a) {
  return door<T>(
      request,
      [&](const Checks& check) {
        check.check_uplo(half.uplo);
        const Argument result = check.matrix(a);
        check.check_result(result);
        check.check_square(result);
        check.check_apart(result, check.vector("x", x, "rows of A", a.rows));
        if (y) check.check_apart(result, check.vector("y", *y, "rows of A", a.rows));
        return !(alpha == T(0)) && a.rows > 0;
      },
      [&](MatrixVectorPlace& place) {
        const bool is_hermitian = half.symmetry == Symmetry::hermitian;
        const auto part = half.uplo == Uplo::lower ? Update::Part::lower : Update::Part::upper;
        place.update({part, is_hermitian, y != nullptr, is_hermitian}, as_dd_complex(alpha), device_vector(x),
                     device_vector(y ? *y : x), device_view(a));
      });
}

}  // namespace

template <gemm_scalar T>
Event gemv(Queue& queue, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  const T factor_of_sums = a.columns == 0 ? T(0) : alpha;
  return door<T>(
      {"gemv", queue, wait_list, options},
      [&](const Checks& check) {
        const Argument matrix = check.matrix(a);
        const VectorArgument factor = check.vector("x", x, "columns of A", a.columns);
        const VectorArgument result = check.vector("y", y, "rows of A", a.rows);
        check.check_apart(result, matrix);
        check.check_apart(result, factor);
        return y.size > 0 && !(factor_of_sums == T(0) && beta == T(1));
      },
      [&](MatrixVectorPlace& place) {
        combine<T>(place, factor_of_sums, beta, y,
                   [&](const dd_complex& p, const dd_complex& q, const DeviceVector& to) {
                     place.multiply(Shape::general, Diag::non_unit, p, device_view(a), device_vector(x), q, to);
                   });
      });
}

template <gemm_scalar T>
Event symv(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return multiply_symmetric<T>({"symv", queue, wait_list, options}, {Symmetry::symmetric, uplo}, alpha, a, x, beta, y);
}

template <gemm_scalar T>
Event hemv(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list,
           const BlockedOptions& options) {
  return multiply_symmetric<T>({"hemv", queue, wait_list, options}, {Symmetry::hermitian, uplo}, alpha, a, x, beta, y);
}

template <gemm_scalar T>
Event trmv(Queue& queue, Uplo uplo, Diag diag, const BufferView<T>& a, const BufferVector<T>& x,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return with_triangle({"trmv", queue, wait_list, options}, uplo, diag, a, x, [&](MatrixVectorPlace& place) {
    place.multiply_triangle(uplo, diag, device_view(a), device_vector(x));
  });
}

template <gemm_scalar T>
Event trsv(Queue& queue, Uplo uplo, Diag diag, const BufferView<T>& a, const BufferVector<T>& x,
           const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return with_triangle({"trsv", queue, wait_list, options}, uplo, diag, a, x,
                       [&](MatrixVectorPlace& place) { place.solve(uplo, diag, device_view(a), device_vector(x)); });
}

template <gemm_scalar T>
Event ger(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
          const BufferView<T>& a, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_all<T>({"ger", queue, wait_list, options}, true, alpha, x, y, a);
}

template <gemm_scalar T>
Event geru(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_all<T>({"geru", queue, wait_list, options}, false, alpha, x, y, a);
}

template <gemm_scalar T>
Event syr(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferView<T>& a,
          const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_half<T>({"syr", queue, wait_list, options}, {Symmetry::symmetric, uplo}, alpha, x, nullptr, a);
}

template <gemm_scalar T>
Event her(Queue& queue, Uplo uplo, real_type<T> alpha, const BufferVector<T>& x, const BufferView<T>& a,
          const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_half<T>({"her", queue, wait_list, options}, {Symmetry::hermitian, uplo}, T(alpha), x, nullptr, a);
}

template <gemm_scalar T>
Event syr2(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_half<T>({"syr2", queue, wait_list, options}, {Symmetry::symmetric, uplo}, alpha, x, &y, a);
}

template <gemm_scalar T>
Event her2(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list, const BlockedOptions& options) {
  return update_half<T>({"her2", queue, wait_list, options}, {Symmetry::hermitian, uplo}, alpha, x, &y, a);
}

#define HILO_INSTANTIATE(T)                                                                                           \
  template Event gemv<T>(Queue&, T, const BufferView<T>&, const BufferVector<T>&, T, const BufferVector<T>&,          \
                         const std::vector<Event>&, const BlockedOptions&);                                           \
  template Event symv<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferVector<T>&, T, const BufferVector<T>&,    \
                         const std::vector<Event>&, const BlockedOptions&);                                           \
  template Event hemv<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferVector<T>&, T, const BufferVector<T>&,    \
                         const std::vector<Event>&, const BlockedOptions&);                                           \
  template Event trmv<T>(Queue&, Uplo, Diag, const BufferView<T>&, const BufferVector<T>&, const std::vector<Event>&, \
                         const BlockedOptions&);                                                                      \
  template Event trsv<T>(Queue&, Uplo, Diag, const BufferView<T>&, const BufferVector<T>&, const std::vector<Event>&, \
                         const BlockedOptions&);                                                                      \
  template Event ger<T>(Queue&, T, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,              \
                        const std::vector<Event>&, const BlockedOptions&);                                            \
  template Event geru<T>(Queue&, T, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,             \
                         const std::vector<Event>&, const BlockedOptions&);                                           \
  template Event syr<T>(Queue&, Uplo, T, const BufferVector<T>&, const BufferView<T>&, const std::vector<Event>&,     \
                        const BlockedOptions&);                                                                       \
  template Event her<T>(Queue&, Uplo, real_type<T>, const BufferVector<T>&, const BufferView<T>&,                     \
                        const std::vector<Event>&, const BlockedOptions&);                                            \
  template Event syr2<T>(Queue&, Uplo, T, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,       \
                         const std::vector<Event>&, const BlockedOptions&);                                           \
  template Event her2<T>(Queue&, Uplo, T, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,       \
                         const std::vector<Event>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
