// streaming.hpp and group_matrix.hpp in a library built without OpenCL.
#include <hilo/group_matrix.hpp>
#include <hilo/streaming.hpp>

namespace hilo {

struct stream::GroupMatrixState {};

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

template <gemm_scalar T>
GroupMatrix<T>::GroupMatrix(const DeviceGroup&, std::int64_t, std::int64_t, std::int64_t) {
  absent();
}
template <gemm_scalar T>
GroupMatrix<T>::~GroupMatrix() = default;
template <gemm_scalar T>
GroupMatrix<T>::GroupMatrix(GroupMatrix&&) noexcept = default;
template <gemm_scalar T>
GroupMatrix<T>& GroupMatrix<T>::operator=(GroupMatrix&&) noexcept = default;
template <gemm_scalar T>
std::int64_t GroupMatrix<T>::rows() const {
  absent();
}
template <gemm_scalar T>
std::int64_t GroupMatrix<T>::columns() const {
  absent();
}
template <gemm_scalar T>
std::int64_t GroupMatrix<T>::block() const {
  absent();
}
template <gemm_scalar T>
const DeviceGroup& GroupMatrix<T>::devices() const {
  absent();
}
template <gemm_scalar T>
std::vector<typename GroupMatrix<T>::Columns> GroupMatrix<T>::distribution() const {
  absent();
}
template <gemm_scalar T>
void GroupMatrix<T>::write(const detail::Operand<T>&) {
  absent();
}
template <gemm_scalar T>
void GroupMatrix<T>::read(const MatrixView<T>&) const {
  absent();
}

template <gemm_scalar T>
GroupReport gemm(std::type_identity_t<T>, const GroupMatrix<T>&, const GroupMatrix<T>&, std::type_identity_t<T>,
                 GroupMatrix<T>&, const GemmOptions&) {
  absent();
}
template <gemm_scalar T>
std::int64_t getrf(GroupMatrix<T>&, std::span<std::int64_t>, const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t potrf(GroupMatrix<T>&, const BlockedOptions&, StreamReport*) {
  absent();
}

template <gemm_scalar T>
void getrs(Op, const GroupMatrix<T>&, std::span<const std::int64_t>, const MatrixView<T>&, const BlockedOptions&,
           StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t gesv(GroupMatrix<T>&, std::span<std::int64_t>, const MatrixView<T>&, const BlockedOptions&,
                  StreamReport*) {
  absent();
}
template <gemm_scalar T>
void potrs(const GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*) {
  absent();
}
template <gemm_scalar T>
std::int64_t posv(GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*) {
  absent();
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template void trsm<T>(const DeviceGroup&, Side, Uplo, Diag, T, const MatrixView<const T>&, const MatrixView<T>&,     \
                        const BlockedOptions&, StreamReport*);                                                         \
  template void syrk<T>(const DeviceGroup&, Uplo, T, const MatrixView<const T>&, T, const MatrixView<T>&,              \
                        const BlockedOptions&, StreamReport*);                                                         \
  template void herk<T>(const DeviceGroup&, Uplo, real_type<T>, const MatrixView<const T>&, real_type<T>,              \
                        const MatrixView<T>&, const BlockedOptions&, StreamReport*);                                   \
  template std::int64_t getrf<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                    \
                                 const BlockedOptions&, StreamReport*);                                                \
  template void getrs<T>(const DeviceGroup&, Op, const MatrixView<const T>&, std::span<const std::int64_t>,            \
                         const MatrixView<T>&, const BlockedOptions&, StreamReport*);                                  \
  template std::int64_t gesv<T>(const DeviceGroup&, const MatrixView<T>&, std::span<std::int64_t>,                     \
                                const MatrixView<T>&, const BlockedOptions&, StreamReport*);                           \
  template std::int64_t potrf<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const BlockedOptions&,                \
                                 StreamReport*);                                                                       \
  template void potrs<T>(const DeviceGroup&, Uplo, const MatrixView<const T>&, const MatrixView<T>&,                   \
                         const BlockedOptions&, StreamReport*);                                                        \
  template std::int64_t posv<T>(const DeviceGroup&, Uplo, const MatrixView<T>&, const MatrixView<T>&,                  \
                                const BlockedOptions&, StreamReport*);                                                 \
  template GroupReport gemm<T>(T, const GroupMatrix<T>&, const GroupMatrix<T>&, T, GroupMatrix<T>&,                    \
                               const GemmOptions&);                                                                    \
  template class GroupMatrix<T>;                                                                                       \
  template std::int64_t getrf<T>(GroupMatrix<T>&, std::span<std::int64_t>, const BlockedOptions&, StreamReport*);      \
  template void getrs<T>(Op, const GroupMatrix<T>&, std::span<const std::int64_t>, const MatrixView<T>&,               \
                         const BlockedOptions&, StreamReport*);                                                        \
  template std::int64_t gesv<T>(GroupMatrix<T>&, std::span<std::int64_t>, const MatrixView<T>&, const BlockedOptions&, \
                                StreamReport*);                                                                        \
  template std::int64_t potrf<T>(GroupMatrix<T>&, const BlockedOptions&, StreamReport*);                               \
  template void potrs<T>(const GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*);           \
  template std::int64_t posv<T>(GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
