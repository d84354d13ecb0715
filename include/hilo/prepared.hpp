// Matrices in device memory that many products have as an operand: what one product finds of them is kept for the next.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace hilo {
namespace detail {
struct Prepared;
}

/// A handle of a matrix that gemm takes in place of its view, with the same bits and errors: copies share what is kept,
/// and the last one gives it back. Of a matrix that the modular engine multiplies this is what its look at the entries
/// finds and their residues, in DD some 30 bytes for an element, 50 with one level of Strassen's algorithm, 90 with
/// two, in ZDD some 75 without: a product with another matrix is spared both. Where it cannot be of use (other engines,
/// accuracies `exact` and `bits`, exponents that spread widely, products too large for their residues to be in the
/// device's memory at a time), products are those of the view, and so they are on queues that were not made of the
/// handle's Context or copies of it.
///
/// The elements must not change while products with the handle may read them; who has changed them calls reset() before
/// the next one. May be used from several threads and on several queues: calls with one handle, bytes() and reset()
/// among them, come one after the other, and its products do where their queues differ: a product of matrices in host
/// memory holds the handle until it is done, so nothing that it waits for may wait for such a call.
template <gemm_scalar T>
class PreparedMatrix {
 public:
  /// Of no matrix, as one that was moved from: to be assigned to.
  PreparedMatrix() = default;

  std::int64_t rows() const { return state_ ? view_->rows : 0; }
  std::int64_t columns() const { return state_ ? view_->columns : 0; }
  /// Throws invalid_argument of no matrix.
  const BufferView<T>& view() const;

  /// Device memory that is kept besides the matrix.
  std::int64_t bytes() const;
  /// Gives it back once the products that read it are done: the next one finds all of it again.
  void reset();

  const std::shared_ptr<detail::Prepared>& state() const { return state_; }

 private:
  template <gemm_scalar U>
  friend PreparedMatrix<U> prepare(const Queue& queue, const BufferView<U>& a);

  std::optional<BufferView<T>> view_;
  std::shared_ptr<detail::Prepared> state_;
};

/// For products on the queue's device, as A or B. Nothing is computed before the first product that has it as such.
/// Throws invalid_argument where the view does not lie in its buffer, the buffer is of another context, or neither rows
/// nor columns are contiguous.
template <gemm_scalar T>
PreparedMatrix<T> prepare(const Queue& queue, const BufferView<T>& a);

/// C = alpha · A · B + beta · C as gemm of views (gemm.hpp), of prepared operands.
template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const PreparedMatrix<T>& a, const BufferView<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
               const GemmOptions& options = {});
template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const BufferView<T>& a, const PreparedMatrix<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
               const GemmOptions& options = {});
template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const PreparedMatrix<T>& a, const PreparedMatrix<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
               const GemmOptions& options = {});

}  // namespace hilo
