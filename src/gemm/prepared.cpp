// Handles of prepared matrices.
#include <algorithm>
#include <functional>
#include <hilo/prepared.hpp>
#include <mutex>

#include "gemm/device_call.hpp"
#include "opencl/native.hpp"

namespace hilo {

struct detail::Prepared {
  // What is kept goes back to the context's memory.
  std::shared_ptr<opencl::ContextState> context;
  std::mutex mutex;
  modular::PreparedOperand as[2];  // A and B
};

namespace {

// The calls with handles that are there, one after the other; those of one with two in any order of theirs.
class Turn {
 public:
  Turn(detail::Prepared* a, detail::Prepared* b) {
    detail::Prepared* both[2] = {a, b != a ? b : nullptr};
    if (std::less<>()(both[1], both[0])) std::swap(both[0], both[1]);
    for (int i = 0; i < 2; ++i) {
      if (both[i]) locks_[i] = std::unique_lock(both[i]->mutex);
    }
  }

 private:
  std::unique_lock<std::mutex> locks_[2];
};

template <class T>
GemmEvent multiply(Queue& queue, T alpha, const BufferView<T>& a, detail::Prepared* prepared_a, const BufferView<T>& b,
                   detail::Prepared* prepared_b, T beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
                   const GemmOptions& options) {
  return opencl::guarded("computing a product", [&] {
    // What is kept is in the memory of the handle's context: for others, which may be made of the same native one, it
    // is a view.
    for (detail::Prepared** prepared : {&prepared_a, &prepared_b}) {
      if (*prepared && (*prepared)->context != queue.state()->context) *prepared = nullptr;
    }
    const Turn turn(prepared_a, prepared_b);
    return multiply_views<T>(queue, alpha, a, b, beta, c, wait_list, options,
                             {{prepared_a ? &prepared_a->as[0] : nullptr, prepared_b ? &prepared_b->as[1] : nullptr}});
  });
}

}  // namespace

template <gemm_scalar T>
const BufferView<T>& PreparedMatrix<T>::view() const {
  if (!state_) throw error(errc::invalid_argument, "a handle of a prepared matrix is of none");
  return *view_;
}

template <gemm_scalar T>
std::int64_t PreparedMatrix<T>::bytes() const {
  if (!state_) return 0;
  return opencl::guarded("asking what is kept of a prepared matrix", [&] {
    const Turn turn(state_.get(), nullptr);
    return state_->as[0].bytes() + state_->as[1].bytes();
  });
}

template <gemm_scalar T>
void PreparedMatrix<T>::reset() {
  if (!state_) return;
  opencl::guarded("giving back what is kept of a prepared matrix", [&] {
    const Turn turn(state_.get(), nullptr);
    for (modular::PreparedOperand& operand : state_->as) operand.reset();
  });
}

template <gemm_scalar T>
PreparedMatrix<T> prepare(const Queue& queue, const BufferView<T>& a) {
  return opencl::guarded("preparing a matrix", [&] {
    check_operand("prepare", queue, a);
    PreparedMatrix<T> prepared;
    prepared.view_ = a;
    prepared.state_ = std::make_shared<detail::Prepared>();
    prepared.state_->context = queue.state()->context;
    return prepared;
  });
}

template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const PreparedMatrix<T>& a, const BufferView<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
               const GemmOptions& options) {
  return multiply<T>(queue, alpha, a.view(), a.state().get(), b, nullptr, beta, c, wait_list, options);
}

template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const BufferView<T>& a, const PreparedMatrix<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
               const GemmOptions& options) {
  return multiply<T>(queue, alpha, a, nullptr, b.view(), b.state().get(), beta, c, wait_list, options);
}

template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const PreparedMatrix<T>& a, const PreparedMatrix<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list,
               const GemmOptions& options) {
  return multiply<T>(queue, alpha, a.view(), a.state().get(), b.view(), b.state().get(), beta, c, wait_list, options);
}

#define HILO_INSTANTIATE(T)                                                                                          \
  template class PreparedMatrix<T>;                                                                                  \
  template PreparedMatrix<T> prepare<T>(const Queue&, const BufferView<T>&);                                         \
  template GemmEvent gemm<T>(Queue&, T, const PreparedMatrix<T>&, const BufferView<T>&, T, const BufferView<T>&,     \
                             const std::vector<Event>&, const GemmOptions&);                                         \
  template GemmEvent gemm<T>(Queue&, T, const BufferView<T>&, const PreparedMatrix<T>&, T, const BufferView<T>&,     \
                             const std::vector<Event>&, const GemmOptions&);                                         \
  template GemmEvent gemm<T>(Queue&, T, const PreparedMatrix<T>&, const PreparedMatrix<T>&, T, const BufferView<T>&, \
                             const std::vector<Event>&, const GemmOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
