// The BLAS beside gemm in six precisions, levels 1, 2 and 3, on views of host memory and, but for rotg, of buffers.
//
// What fixes the bits of DD and ZDD (docs/linear-algebra.md): of levels 1 and 2, the elements; of level 3, where
// products by `gemm` do the work and diagonal blocks of `block` rows are computed by the operations of the element
// type, also the block, and what fixes those of the products (GemmOptions). Not threads, nor where the matrices lie.
//
// Of each matrix rows or columns must be contiguous. op(X) is a view's `turned(op)`; `uplo` is the triangle of the view
// as it is given, and only that one is read or written. alpha = 0 reads no matrix but C, beta = 0 reads no C; NaN and
// Inf propagate; sizes of 0 return at once. A result must not share elements with an operand. Every function throws
// hilo::error before anything is written, with a message that begins with its name, if an argument cannot be right; of
// an event of the wait list the message tells its number.
//
// On the host each routine also takes the arguments of BLAS++, pointers with sizes and strides, followed by options:
// `trsm(layout, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb)` (hilo/detail/blas_calls.hpp, for all).
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <hilo/matrix.hpp>
#include <type_traits>

namespace hilo {

/// Options of routines that are made of products and small blocks: those of their products. A workspace_bytes below the
/// least that one of these needs is raised to that.
using BlockedOptions = GemmOptions;

/// `size` elements, element i at data[i · stride]. `data` is the first element also where the stride is negative, and
/// leads to lower addresses: a vector that the BLAS has as x with incx < 0 is {x - (n - 1) * incx, n, incx} here.
template <class T>
struct VectorView {
  T* data;
  std::int64_t size;
  std::int64_t stride = 1;

  T& operator()(std::int64_t i) const { return data[i * stride]; }
  operator VectorView<const T>() const requires(!std::is_const_v<T>) { return {data, size, stride}; }
};

/// The same in device memory: element 0 is element `offset` of the buffer.
template <class T>
struct BufferVector {
  Buffer<T> buffer;
  std::int64_t offset;
  std::int64_t size;
  std::int64_t stride = 1;
};

namespace detail {
template <class T>
using VectorOperand = std::type_identity_t<VectorView<const T>>;
template <class T>
using Scalar = std::type_identity_t<T>;
template <class T>
using Operand = std::type_identity_t<MatrixView<const T>>;

template <class T>
struct RealPart {
  using type = T;
};
template <class T>
struct RealPart<std::complex<T>> {
  using type = T;
};
template <>
struct RealPart<dd_complex> {
  using type = dd_real;
};
}  // namespace detail

/// The real type of a scalar: double of std::complex<double>, dd_real of dd_complex.
template <class T>
using real_type = typename detail::RealPart<T>::type;

namespace detail {
template <class T>
using Element = std::remove_const_t<T>;

template <gemm_scalar T>
T dot(const VectorView<const T>& x, const VectorView<const T>& y, bool conjugate, const BlockedOptions& options);
template <gemm_scalar T>
real_type<T> nrm2(const VectorView<const T>& x, const BlockedOptions& options);
template <gemm_scalar T>
real_type<T> asum(const VectorView<const T>& x, const BlockedOptions& options);
template <gemm_scalar T>
std::int64_t iamax(const VectorView<const T>& x, const BlockedOptions& options);
template <gemm_scalar T>
void copy(const VectorView<const T>& x, const VectorView<T>& y, const BlockedOptions& options);
}  // namespace detail

/// y = alpha · x + y, product and sum each rounded as the operators do; alpha = 0 reads and writes nothing.
template <gemm_scalar T>
void axpy(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const VectorView<T>& y,
          const BlockedOptions& options = {});

/// x = alpha · x; alpha = 0 reads nothing.
template <gemm_scalar T>
void scal(detail::Scalar<T> alpha, const VectorView<T>& x, const BlockedOptions& options = {});

/// y = x.
template <class S, gemm_scalar T>
requires std::same_as<detail::Element<S>, T>
void copy(const VectorView<S>& x, const VectorView<T>& y, const BlockedOptions& options = {}) {
  detail::copy<T>(x, y, options);
}

/// Exchanges the elements of x and y. Views by value, or std::swap of the views would be preferred.
template <gemm_scalar T>
void swap(VectorView<T> x, VectorView<T> y, const BlockedOptions& options = {});

/// Σ conj(x_i) · y_i.
template <class T>
requires gemm_scalar<detail::Element<T>> detail::Element<T> dot(const VectorView<T>& x,
                                                                const detail::VectorOperand<T>& y,
                                                                const BlockedOptions& options = {}) {
  return detail::dot<detail::Element<T>>(x, y, true, options);
}

/// Σ x_i · y_i.
template <class T>
requires gemm_scalar<detail::Element<T>> detail::Element<T> dotu(const VectorView<T>& x,
                                                                 const detail::VectorOperand<T>& y,
                                                                 const BlockedOptions& options = {}) {
  return detail::dot<detail::Element<T>>(x, y, false, options);
}

/// √Σ|x_i|², which neither over- nor underflows on its way; NaN where an element has one, otherwise Inf where one has.
template <class T>
requires gemm_scalar<detail::Element<T>> real_type<detail::Element<T>> nrm2(const VectorView<T>& x,
                                                                            const BlockedOptions& options = {}) {
  return detail::nrm2<detail::Element<T>>(x, options);
}

/// Σ(|Re x_i| + |Im x_i|).
template <class T>
requires gemm_scalar<detail::Element<T>> real_type<detail::Element<T>> asum(const VectorView<T>& x,
                                                                            const BlockedOptions& options = {}) {
  return detail::asum<detail::Element<T>>(x, options);
}

/// The index of the first element of largest |Re x_i| + |Im x_i|, of the first NaN where there is one; -1 of none.
template <class T>
requires gemm_scalar<detail::Element<T>> std::int64_t iamax(const VectorView<T>& x,
                                                            const BlockedOptions& options = {}) {
  return detail::iamax<detail::Element<T>>(x, options);
}

/// (x_i, y_i) = (c · x_i + s · y_i, c · y_i − conj(s) · x_i).
template <gemm_scalar T>
void rot(const VectorView<T>& x, const VectorView<T>& y, real_type<T> c, detail::Scalar<T> s,
         const BlockedOptions& options = {});

/// c and s of the rotation that takes (a, b) to (r, 0), c² + |s|² = 1; r takes a's place. b becomes the one number
/// from which real c and s can be had again, as in the BLAS, and a complex b stays. Neither over- nor underflows on its
/// way.
template <gemm_scalar T>
void rotg(T& a, detail::Scalar<T>& b, real_type<T>& c, detail::Scalar<T>& s);

/// y = alpha · A · x + beta · y; A is m × n, x has n elements, y m.
template <gemm_scalar T>
void gemv(detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options = {});

/// The same, A symmetric.
template <gemm_scalar T>
void symv(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options = {});

/// The same, A Hermitian: imaginary parts of its diagonal are taken as 0.
template <gemm_scalar T>
void hemv(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options = {});

/// x = A · x, A triangular.
template <gemm_scalar T>
void trmv(Uplo uplo, Diag diag, const detail::Operand<T>& a, const VectorView<T>& x,
          const BlockedOptions& options = {});

/// x = A⁻¹ · x, A triangular, without a check for singular A, as trsm.
template <gemm_scalar T>
void trsv(Uplo uplo, Diag diag, const detail::Operand<T>& a, const VectorView<T>& x,
          const BlockedOptions& options = {});

/// A = A + alpha · x · yᴴ; A is m × n, x has m elements, y n.
template <gemm_scalar T>
void ger(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
         const MatrixView<T>& a, const BlockedOptions& options = {});

/// A = A + alpha · x · yᵀ.
template <gemm_scalar T>
void geru(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options = {});

/// A = A + alpha · x · xᵀ of a triangle of A.
template <gemm_scalar T>
void syr(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const MatrixView<T>& a,
         const BlockedOptions& options = {});

/// A = A + alpha · x · xᴴ, A Hermitian: imaginary parts of its diagonal are taken as 0, and become it.
template <gemm_scalar T>
void her(Uplo uplo, real_type<T> alpha, const detail::VectorOperand<T>& x, const MatrixView<T>& a,
         const BlockedOptions& options = {});

/// A = A + alpha · x · yᵀ + alpha · y · xᵀ of a triangle of A.
template <gemm_scalar T>
void syr2(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options = {});

/// A = A + alpha · x · yᴴ + conj(alpha) · y · xᴴ, A Hermitian as in her.
template <gemm_scalar T>
void her2(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options = {});

/// B = alpha · A⁻¹ · B (left; A is m × m, B m × n) or alpha · B · A⁻¹ (right; A is n × n), A triangular. Without a
/// check for singular A: where a diagonal entry is 0, entries of B are Inf or NaN.
template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options = {});

/// B = alpha · A · B (left) or alpha · B · A (right), A triangular.
template <gemm_scalar T>
void trmm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options = {});

/// C = alpha · A · B + beta · C (left) or alpha · B · A + beta · C (right), A symmetric.
template <gemm_scalar T>
void symm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// The same, A Hermitian: imaginary parts of its diagonal are taken as 0.
template <gemm_scalar T>
void hemm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Aᵀ + beta · C of a triangle of C; A is n × k, C n × n.
template <gemm_scalar T>
void syrk(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, detail::Scalar<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Aᴴ + beta · C, C Hermitian: imaginary parts of its diagonal are taken as 0, and
/// become it unless nothing is to be done (alpha or k is 0, and beta 1).
template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta, const MatrixView<T>& c,
          const BlockedOptions& options = {});

/// C = alpha · A · Bᵀ + alpha · B · Aᵀ + beta · C of a triangle of C; A and B are n × k, C n × n.
template <gemm_scalar T>
void syr2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// C = alpha · A · Bᴴ + conj(alpha) · B · Aᴴ + beta · C, C Hermitian as in herk.
template <gemm_scalar T>
void her2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           real_type<T> beta, const MatrixView<T>& c, const BlockedOptions& options = {});

/// Level 1 on vectors in device memory, after the events of wait_list. Those that write vectors return an event, which
/// ends with the last command; those that give a number wait for it. In DD and ZDD with the host's bits. What gemm on a
/// queue throws, they throw.
template <gemm_scalar T>
Event axpy(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event scal(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event copy(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event swap(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event rot(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, real_type<T> c, detail::Scalar<T> s,
          const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
T dot(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
      const BlockedOptions& options = {});
template <gemm_scalar T>
T dotu(Queue& queue, const BufferVector<T>& x, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
       const BlockedOptions& options = {});
template <gemm_scalar T>
real_type<T> nrm2(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list = {},
                  const BlockedOptions& options = {});
template <gemm_scalar T>
real_type<T> asum(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list = {},
                  const BlockedOptions& options = {});
template <gemm_scalar T>
std::int64_t iamax(Queue& queue, const BufferVector<T>& x, const std::vector<Event>& wait_list = {},
                   const BlockedOptions& options = {});

/// Level 2 on a matrix and vectors in device memory, in the same way.
template <gemm_scalar T>
Event gemv(Queue& queue, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event symv(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event hemv(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferVector<T>& x,
           detail::Scalar<T> beta, const BufferVector<T>& y, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event trmv(Queue& queue, Uplo uplo, Diag diag, const BufferView<T>& a, const BufferVector<T>& x,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event trsv(Queue& queue, Uplo uplo, Diag diag, const BufferView<T>& a, const BufferVector<T>& x,
           const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event ger(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
          const BufferView<T>& a, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event geru(Queue& queue, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event syr(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferView<T>& a,
          const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event her(Queue& queue, Uplo uplo, real_type<T> alpha, const BufferVector<T>& x, const BufferView<T>& a,
          const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event syr2(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event her2(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferVector<T>& x, const BufferVector<T>& y,
           const BufferView<T>& a, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});

/// Level 3 on matrices in device memory, after the events of wait_list; the event ends with the last command. In DD and
/// ZDD with the bits of the host's by the same engine and FMA, unless an entry is not finite, of a matrix or on the
/// way. What gemm on a queue throws, they throw.
template <gemm_scalar T>
Event trsm(Queue& queue, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const BufferView<T>& a,
           const BufferView<T>& b, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event trmm(Queue& queue, Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const BufferView<T>& a,
           const BufferView<T>& b, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event symm(Queue& queue, Side side, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
           detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event hemm(Queue& queue, Side side, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
           detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
           const BlockedOptions& options = {});
template <gemm_scalar T>
Event syrk(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, detail::Scalar<T> beta,
           const BufferView<T>& c, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event herk(Queue& queue, Uplo uplo, real_type<T> alpha, const BufferView<T>& a, real_type<T> beta,
           const BufferView<T>& c, const std::vector<Event>& wait_list = {}, const BlockedOptions& options = {});
template <gemm_scalar T>
Event syr2k(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
            detail::Scalar<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
            const BlockedOptions& options = {});
template <gemm_scalar T>
Event her2k(Queue& queue, Uplo uplo, detail::Scalar<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
            real_type<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
            const BlockedOptions& options = {});

}  // namespace hilo

#include <hilo/detail/blas_calls.hpp>
