// streaming.hpp in a library built without OpenCL.
#include <hilo/streaming.hpp>

namespace hilo {
namespace {

[[noreturn]] void absent() { throw error(errc::no_device, "this hilo was built without OpenCL (HILO_OPENCL=OFF)"); }

}  // namespace

template <gemm_scalar T>
void trsm(const DeviceGroup&, Side, Uplo, Diag, detail::Scalar<T>, const detail::Operand<T>&, const MatrixView<T>&,
          const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
void syrk(const DeviceGroup&, Uplo, detail::Scalar<T>, const detail::Operand<T>&, detail::Scalar<T>,
          const MatrixView<T>&, const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
void herk(const DeviceGroup&, Uplo, real_type<T>, const detail::Operand<T>&, real_type<T>, const MatrixView<T>&,
          const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t getrf(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>, const BlockedOptions&,
                   StreamReport*) {
  absent();
}
template <gemm_scalar T>
void getrs(const DeviceGroup&, Op, const detail::Operand<T>&, std::span<const std::int64_t>, const MatrixView<T>&,
           const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t gesv(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>, const MatrixView<T>&,
                  const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t potrf(const DeviceGroup&, Uplo, const MatrixView<T>&, const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
void potrs(const DeviceGroup&, Uplo, const detail::Operand<T>&, const MatrixView<T>&, const BlockedOptions&,
           StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t posv(const DeviceGroup&, Uplo, const MatrixView<T>&, const MatrixView<T>&, const BlockedOptions&,
                  StreamReport*) {
  absent();
}

#define HILO_INSTANTIATE(T)                                                                                        \
  template void trsm<T>(const DeviceGroup&, Side, Uplo, Diag, T, const MatrixView<const T>&, const MatrixView<T>&, \
                        const BlockedOptions&, StreamReport*);                                                     \
  template void syrk<T>(const DeviceGroup&, Uplo, T, const MatrixView<const T>&, T, const MatrixView<T>&,          \
                        const BlockedOptions&, StreamReport*);                                                     \
  template void herk<T>(const DeviceGroup&, Uplo, real_type<T>, const MatrixView<const T>&, real_type<T>,          \
                        const MatrixView<T>&, const BlockedOptions&, StreamReport*);                               \
  template std::int64_t getrf<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                \
                                 const BlockedOptions&, StreamReport*);                                            \
  template void getrs<T>(const DeviceGroup&, Op, const MatrixView<const T>&, std::span<const std::int64_t>,        \
                         const MatrixView<T>&, const BlockedOptions&, StreamReport*);                              \
  template std::int64_t gesv<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                 \
                                const MatrixView<T>&, const BlockedOptions&, StreamReport*);                       \
  template std::int64_t potrf<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const BlockedOptions&,            \
                                 StreamReport*);                                                                   \
  template void potrs<T>(const DeviceGroup&, Uplo, const MatrixView<const T>&, const MatrixView<T>&,               \
                         const BlockedOptions&, StreamReport*);                                                    \
  template std::int64_t posv<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const MatrixView<T>&,              \
                                const BlockedOptions&, StreamReport*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
