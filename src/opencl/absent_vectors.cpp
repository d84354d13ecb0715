// Levels 1 and 2 on a device in a library built without OpenCL: there is no queue to call them with.
#include <hilo/blas.hpp>

namespace hilo {
namespace {

[[noreturn]] void absent() { throw error(errc::no_device, "this hilo was built without OpenCL (HILO_OPENCL=OFF)"); }

}  // namespace

template <gemm_scalar T>
Event axpy(Queue&, detail::Scalar<T>, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,
           const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event scal(Queue&, detail::Scalar<T>, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event copy(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event swap(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event rot(Queue&, const BufferVector<T>&, const BufferVector<T>&, real_type<T>, detail::Scalar<T>,
          const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
T dot(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
T dotu(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
real_type<T> nrm2(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
real_type<T> asum(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
std::int64_t iamax(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event gemv(Queue&, detail::Scalar<T>, const BufferView<T>&, const BufferVector<T>&, detail::Scalar<T>,
           const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event symv(Queue&, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferVector<T>&, detail::Scalar<T>,
           const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event hemv(Queue&, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferVector<T>&, detail::Scalar<T>,
           const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event trmv(Queue&, Uplo, Diag, const BufferView<T>&, const BufferVector<T>&, const std::vector<Event>&,
           const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event trsv(Queue&, Uplo, Diag, const BufferView<T>&, const BufferVector<T>&, const std::vector<Event>&,
           const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event ger(Queue&, detail::Scalar<T>, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,
          const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event geru(Queue&, detail::Scalar<T>, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event syr(Queue&, Uplo, detail::Scalar<T>, const BufferVector<T>&, const BufferView<T>&, const std::vector<Event>&,
          const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event her(Queue&, Uplo, real_type<T>, const BufferVector<T>&, const BufferView<T>&, const std::vector<Event>&,
          const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event syr2(Queue&, Uplo, detail::Scalar<T>, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event her2(Queue&, Uplo, detail::Scalar<T>, const BufferVector<T>&, const BufferVector<T>&, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

#define HILO_INSTANTIATE(T)                                                                                           \
  template Event axpy<T>(Queue&, T, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,        \
                         const BlockedOptions&);                                                                      \
  template Event scal<T>(Queue&, T, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);        \
  template Event copy<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,           \
                         const BlockedOptions&);                                                                      \
  template Event swap<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,           \
                         const BlockedOptions&);                                                                      \
  template Event rot<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, real_type<T>, T,                      \
                        const std::vector<Event>&, const BlockedOptions&);                                            \
  template T dot<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,                \
                    const BlockedOptions&);                                                                           \
  template T dotu<T>(Queue&, const BufferVector<T>&, const BufferVector<T>&, const std::vector<Event>&,               \
                     const BlockedOptions&);                                                                          \
  template real_type<T> nrm2<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);    \
  template real_type<T> asum<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);    \
  template std::int64_t iamax<T>(Queue&, const BufferVector<T>&, const std::vector<Event>&, const BlockedOptions&);   \
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
