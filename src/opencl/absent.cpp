// device.hpp in a library built without OpenCL: no platforms, and constructors that say so.
#include <hilo/device_group.hpp>
#include <hilo/eigenvalues.hpp>
#include <hilo/lapack.hpp>
#include <hilo/prepared.hpp>
#include <hilo/programs.hpp>
#include <hilo/singular_values.hpp>
#include <hilo/solve.hpp>

namespace hilo {
namespace {

[[noreturn]] void absent() { throw error(errc::no_device, "this hilo was built without OpenCL (HILO_OPENCL=OFF)"); }

}  // namespace

std::vector<PlatformInfo> platforms() { return {}; }

Context::Context() { absent(); }
Context::Context(int, int) { absent(); }
Context::Context(_cl_context*, _cl_device_id*) { absent(); }
const DeviceInfo& Context::device() const { absent(); }
_cl_context* Context::native() const { absent(); }
_cl_device_id* Context::native_device() const { absent(); }

void set_build_options(const Context&, const std::string&) { absent(); }
std::string build_options(const Context&) { absent(); }
void keep_programs(const Context&) { absent(); }
std::string kept_programs(const Context&, const std::string&) { absent(); }
void use_programs(const Context&, std::string_view, const std::string&) { absent(); }
ProgramTally program_tally(const Context&) { absent(); }

Event::Event(_cl_event*) { absent(); }
void Event::wait() const {}
EventStatus Event::status() const { return EventStatus::complete; }
double Event::seconds() const { return 0.0; }
_cl_event* Event::native() const { return nullptr; }

Queue::Queue(const Context&, Profiling) { absent(); }
Queue::Queue(_cl_command_queue*) { absent(); }
Context Queue::context() const { absent(); }
void Queue::finish() const {}
_cl_command_queue* Queue::native() const { absent(); }

DeviceGroup::DeviceGroup() { absent(); }
DeviceGroup::DeviceGroup(const std::vector<Context>&) { absent(); }
const Queue& DeviceGroup::queue(int) const { absent(); }
std::ostream& operator<<(std::ostream& out, const GroupReport&) { return out; }

template <gemm_scalar T>
GroupReport gemm(const DeviceGroup&, std::type_identity_t<T>, const std::type_identity_t<MatrixView<const T>>&,
                 const std::type_identity_t<MatrixView<const T>>&, std::type_identity_t<T>, const MatrixView<T>&,
                 const GemmOptions&) {
  absent();
}

namespace detail {

Memory::Memory(const Context&, std::int64_t, std::int64_t) { absent(); }
Memory::Memory(_cl_mem*) { absent(); }
std::int64_t Memory::bytes() const { absent(); }
_cl_mem* Memory::native() const { absent(); }
void Memory::read(const Queue&, std::int64_t, std::int64_t, std::int64_t, void*, const std::vector<Event>&) const {
  absent();
}
void Memory::write(const Queue&, std::int64_t, std::int64_t, std::int64_t, const void*,
                   const std::vector<Event>&) const {
  absent();
}

HostMemory::HostMemory(const Context&, void*, std::int64_t, std::int64_t, bool) { absent(); }
std::int64_t HostMemory::bytes() const { return 0; }
void* HostMemory::data() const { return nullptr; }

}  // namespace detail

template <gemm_scalar T>
GemmPlan plan_gemm(const Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, const GemmOptions&,
                   std::int64_t) {
  absent();
}

template <gemm_scalar T>
GemmReport gemm(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, std::type_identity_t<T>, const T*,
                std::int64_t, const T*, std::int64_t, std::type_identity_t<T>, T*, std::int64_t, const GemmOptions&) {
  absent();
}

template <gemm_scalar T>
GemmReport gemm_strided_batch(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, std::type_identity_t<T>,
                              const T*, std::int64_t, std::int64_t, const T*, std::int64_t, std::int64_t,
                              std::type_identity_t<T>, T*, std::int64_t, std::int64_t, std::int64_t,
                              const GemmOptions&) {
  absent();
}

template <gemm_scalar T>
Event gemm(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, std::type_identity_t<T>, const Buffer<T>&,
           std::int64_t, std::int64_t, const Buffer<T>&, std::int64_t, std::int64_t, std::type_identity_t<T>,
           Buffer<T>&, std::int64_t, std::int64_t, const std::vector<Event>&, const GemmOptions&, GemmReport*) {
  absent();
}

template <gemm_scalar T>
Event gemm_strided_batch(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, std::type_identity_t<T>,
                         const Buffer<T>&, std::int64_t, std::int64_t, std::int64_t, const Buffer<T>&, std::int64_t,
                         std::int64_t, std::int64_t, std::type_identity_t<T>, Buffer<T>&, std::int64_t, std::int64_t,
                         std::int64_t, std::int64_t, const std::vector<Event>&, const GemmOptions&, GemmReport*) {
  absent();
}

template <gemm_scalar T>
Event gemm_batch(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, std::type_identity_t<T>,
                 const Buffer<T>&, const std::int64_t*, std::int64_t, const Buffer<T>&, const std::int64_t*,
                 std::int64_t, std::type_identity_t<T>, Buffer<T>&, const std::int64_t*, std::int64_t, std::int64_t,
                 const std::vector<Event>&, const GemmOptions&, GemmReport*) {
  absent();
}

template <gemm_scalar T>
GemmReport gemm(Queue&, std::type_identity_t<T>, const std::type_identity_t<MatrixView<const T>>&,
                const std::type_identity_t<MatrixView<const T>>&, std::type_identity_t<T>, const MatrixView<T>&,
                const GemmOptions&) {
  absent();
}

template <gemm_scalar T>
GemmEvent gemm(Queue&, std::type_identity_t<T>, const BufferView<T>&, const BufferView<T>&, std::type_identity_t<T>,
               const BufferView<T>&, const std::vector<Event>&, const GemmOptions&) {
  absent();
}

template <gemm_scalar T>
const BufferView<T>& PreparedMatrix<T>::view() const {
  absent();
}
template <gemm_scalar T>
std::int64_t PreparedMatrix<T>::bytes() const {
  return 0;
}
template <gemm_scalar T>
void PreparedMatrix<T>::reset() {}
template <gemm_scalar T>
PreparedMatrix<T> prepare(const Queue&, const BufferView<T>&) {
  absent();
}
template <gemm_scalar T>
GemmEvent gemm(Queue&, std::type_identity_t<T>, const PreparedMatrix<T>&, const BufferView<T>&, std::type_identity_t<T>,
               const BufferView<T>&, const std::vector<Event>&, const GemmOptions&) {
  absent();
}
template <gemm_scalar T>
GemmEvent gemm(Queue&, std::type_identity_t<T>, const BufferView<T>&, const PreparedMatrix<T>&, std::type_identity_t<T>,
               const BufferView<T>&, const std::vector<Event>&, const GemmOptions&) {
  absent();
}
template <gemm_scalar T>
GemmEvent gemm(Queue&, std::type_identity_t<T>, const PreparedMatrix<T>&, const PreparedMatrix<T>&,
               std::type_identity_t<T>, const BufferView<T>&, const std::vector<Event>&, const GemmOptions&) {
  absent();
}

template <gemm_scalar T>
Event trsm(Queue&, Side, Uplo, Diag, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event trmm(Queue&, Side, Uplo, Diag, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event symm(Queue&, Side, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&, detail::Scalar<T>,
           const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event hemm(Queue&, Side, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&, detail::Scalar<T>,
           const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event syrk(Queue&, Uplo, detail::Scalar<T>, const BufferView<T>&, detail::Scalar<T>, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event herk(Queue&, Uplo, real_type<T>, const BufferView<T>&, real_type<T>, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event syr2k(Queue&, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&, detail::Scalar<T>,
            const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
Event her2k(Queue&, Uplo, detail::Scalar<T>, const BufferView<T>&, const BufferView<T>&, real_type<T>,
            const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
std::int64_t getrf(Queue&, const BufferView<T>&, std::span<std::int64_t>, const std::vector<Event>&,
                   const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
void getrs(Queue&, Op, const BufferView<T>&, std::span<const std::int64_t>, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
std::int64_t potrf(Queue&, Uplo, const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
void potrs(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
SolveReport solve(Queue&, const BufferView<T>&, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&,
                  const SolveOptions&) {
  absent();
}

template <gemm_scalar T>
SolveReport solve_positive(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&, const BufferView<T>&,
                           const std::vector<Event>&, const SolveOptions&) {
  absent();
}

template <gemm_scalar T>
EigenvalueReport hermitian_eigenvalues(Queue&, Uplo, const BufferView<T>&, const VectorView<real_type<T>>&,
                                       const std::vector<Event>&, const EigenvalueOptions&) {
  absent();
}
template <gemm_scalar T>
EigenvalueReport hermitian_eigensystem(Queue&, Uplo, const BufferView<T>&, const VectorView<real_type<T>>&,
                                       const BufferView<T>&, const std::vector<Event>&, const EigenvalueOptions&) {
  absent();
}

template <gemm_scalar T>
SingularValueReport singular_values(Queue&, const BufferView<T>&, const VectorView<real_type<T>>&,
                                    const std::vector<Event>&, const SingularValueOptions&) {
  absent();
}
template <gemm_scalar T>
SingularValueReport singular_value_decomposition(Queue&, const BufferView<T>&, const VectorView<real_type<T>>&,
                                                 const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&,
                                                 const SingularValueOptions&) {
  absent();
}

template <gemm_scalar T>
void geqrf(Queue&, const BufferView<T>&, std::span<detail::Scalar<T>>, const std::vector<Event>&,
           const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
void unmqr(Queue&, Side, Op, const BufferView<T>&, std::span<const detail::Scalar<T>>, const BufferView<T>&,
           const std::vector<Event>&, const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
void ungqr(Queue&, const BufferView<T>&, std::span<const detail::Scalar<T>>, const std::vector<Event>&,
           const BlockedOptions&) {
  absent();
}

template <gemm_scalar T>
std::int64_t gels(Queue&, Op, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&,
                  const BlockedOptions&) {
  absent();
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template GemmPlan plan_gemm<T>(const Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t,               \
                                 const GemmOptions&, std::int64_t);                                                    \
  template GemmReport gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*,           \
                              std::int64_t, const T*, std::int64_t, T, T*, std::int64_t, const GemmOptions&);          \
  template GemmReport gemm_strided_batch<T>(                                                                           \
      Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, std::int64_t, std::int64_t,       \
      const T*, std::int64_t, std::int64_t, T, T*, std::int64_t, std::int64_t, std::int64_t, const GemmOptions&);      \
  template GemmReport gemm<T>(Queue&, T, const MatrixView<const T>&, const MatrixView<const T>&, T,                    \
                              const MatrixView<T>&, const GemmOptions&);                                               \
  template GroupReport gemm<T>(const DeviceGroup&, T, const MatrixView<const T>&, const MatrixView<const T>&, T,       \
                               const MatrixView<T>&, const GemmOptions&);                                              \
  template GemmEvent gemm<T>(Queue&, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&,           \
                             const std::vector<Event>&, const GemmOptions&);                                           \
  template class PreparedMatrix<T>;                                                                                    \
  template PreparedMatrix<T> prepare<T>(const Queue&, const BufferView<T>&);                                           \
  template GemmEvent gemm<T>(Queue&, T, const PreparedMatrix<T>&, const BufferView<T>&, T, const BufferView<T>&,       \
                             const std::vector<Event>&, const GemmOptions&);                                           \
  template GemmEvent gemm<T>(Queue&, T, const BufferView<T>&, const PreparedMatrix<T>&, T, const BufferView<T>&,       \
                             const std::vector<Event>&, const GemmOptions&);                                           \
  template GemmEvent gemm<T>(Queue&, T, const PreparedMatrix<T>&, const PreparedMatrix<T>&, T, const BufferView<T>&,   \
                             const std::vector<Event>&, const GemmOptions&);                                           \
  template Event gemm<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const Buffer<T>&,        \
                         std::int64_t, std::int64_t, const Buffer<T>&, std::int64_t, std::int64_t, T, Buffer<T>&,      \
                         std::int64_t, std::int64_t, const std::vector<Event>&, const GemmOptions&, GemmReport*);      \
  template Event gemm_strided_batch<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T,            \
                                       const Buffer<T>&, std::int64_t, std::int64_t, std::int64_t, const Buffer<T>&,   \
                                       std::int64_t, std::int64_t, std::int64_t, T, Buffer<T>&, std::int64_t,          \
                                       std::int64_t, std::int64_t, std::int64_t, const std::vector<Event>&,            \
                                       const GemmOptions&, GemmReport*);                                               \
  template Event gemm_batch<T>(Queue&, Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const Buffer<T>&,  \
                               const std::int64_t*, std::int64_t, const Buffer<T>&, const std::int64_t*, std::int64_t, \
                               T, Buffer<T>&, const std::int64_t*, std::int64_t, std::int64_t,                         \
                               const std::vector<Event>&, const GemmOptions&, GemmReport*);
#define HILO_INSTANTIATE_LEVEL3(T)                                                                                   \
  template Event trsm<T>(Queue&, Side, Uplo, Diag, T, const BufferView<T>&, const BufferView<T>&,                    \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event trmm<T>(Queue&, Side, Uplo, Diag, T, const BufferView<T>&, const BufferView<T>&,                    \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event symm<T>(Queue&, Side, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&, \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event hemm<T>(Queue&, Side, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&, \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event syrk<T>(Queue&, Uplo, T, const BufferView<T>&, T, const BufferView<T>&, const std::vector<Event>&,  \
                         const BlockedOptions&);                                                                     \
  template Event herk<T>(Queue&, Uplo, real_type<T>, const BufferView<T>&, real_type<T>, const BufferView<T>&,       \
                         const std::vector<Event>&, const BlockedOptions&);                                          \
  template Event syr2k<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferView<T>&, T, const BufferView<T>&,      \
                          const std::vector<Event>&, const BlockedOptions&);                                         \
  template Event her2k<T>(Queue&, Uplo, T, const BufferView<T>&, const BufferView<T>&, real_type<T>,                 \
                          const BufferView<T>&, const std::vector<Event>&, const BlockedOptions&);
HILO_INSTANTIATE_LEVEL3(float)
HILO_INSTANTIATE_LEVEL3(double)
HILO_INSTANTIATE_LEVEL3(std::complex<float>)
HILO_INSTANTIATE_LEVEL3(std::complex<double>)
HILO_INSTANTIATE_LEVEL3(dd_real)
HILO_INSTANTIATE_LEVEL3(dd_complex)
#undef HILO_INSTANTIATE_LEVEL3
#define HILO_INSTANTIATE_LAPACK(T)                                                                                 \
  template std::int64_t getrf<T>(Queue&, const BufferView<T>&, std::span<std::int64_t>, const std::vector<Event>&, \
                                 const BlockedOptions&);                                                           \
  template void getrs<T>(Queue&, Op, const BufferView<T>&, std::span<const std::int64_t>, const BufferView<T>&,    \
                         const std::vector<Event>&, const BlockedOptions&);                                        \
  template std::int64_t potrf<T>(Queue&, Uplo, const BufferView<T>&, const std::vector<Event>&,                    \
                                 const BlockedOptions&);                                                           \
  template void potrs<T>(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&,      \
                         const BlockedOptions&);                                                                   \
  template SolveReport solve<T>(Queue&, const BufferView<T>&, const BufferView<T>&, const BufferView<T>&,          \
                                const std::vector<Event>&, const SolveOptions&);                                   \
  template SolveReport solve_positive<T>(Queue&, Uplo, const BufferView<T>&, const BufferView<T>&,                 \
                                         const BufferView<T>&, const std::vector<Event>&, const SolveOptions&);    \
  template EigenvalueReport hermitian_eigenvalues<T>(Queue&, Uplo, const BufferView<T>&,                           \
                                                     const VectorView<real_type<T>>&, const std::vector<Event>&,   \
                                                     const EigenvalueOptions&);                                    \
  template EigenvalueReport hermitian_eigensystem<T>(Queue&, Uplo, const BufferView<T>&,                           \
                                                     const VectorView<real_type<T>>&, const BufferView<T>&,        \
                                                     const std::vector<Event>&, const EigenvalueOptions&);         \
  template SingularValueReport singular_values<T>(Queue&, const BufferView<T>&, const VectorView<real_type<T>>&,   \
                                                  const std::vector<Event>&, const SingularValueOptions&);         \
  template SingularValueReport singular_value_decomposition<T>(                                                    \
      Queue&, const BufferView<T>&, const VectorView<real_type<T>>&, const BufferView<T>&, const BufferView<T>&,   \
      const std::vector<Event>&, const SingularValueOptions&);                                                     \
  template void geqrf<T>(Queue&, const BufferView<T>&, std::span<T>, const std::vector<Event>&,                    \
                         const BlockedOptions&);                                                                   \
  template void unmqr<T>(Queue&, Side, Op, const BufferView<T>&, std::span<const T>, const BufferView<T>&,         \
                         const std::vector<Event>&, const BlockedOptions&);                                        \
  template void ungqr<T>(Queue&, const BufferView<T>&, std::span<const T>, const std::vector<Event>&,              \
                         const BlockedOptions&);                                                                   \
  template std::int64_t gels<T>(Queue&, Op, const BufferView<T>&, const BufferView<T>&, const std::vector<Event>&, \
                                const BlockedOptions&);
HILO_INSTANTIATE_LAPACK(float)
HILO_INSTANTIATE_LAPACK(double)
HILO_INSTANTIATE_LAPACK(std::complex<float>)
HILO_INSTANTIATE_LAPACK(std::complex<double>)
HILO_INSTANTIATE_LAPACK(dd_real)
HILO_INSTANTIATE_LAPACK(dd_complex)
#undef HILO_INSTANTIATE_LAPACK
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
