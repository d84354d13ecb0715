// Level 3 on the host: arguments -> place -> routine.
#include "blas/level3.hpp"

#include <hilo/blas.hpp>

#include "blas/door.hpp"
#include "blas/host_place.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using blas::door;
using blas::HostPlace;
using blas::Symmetry;

template <class T>
void multiply(const char* routine, const blas::SymmetricFactor& factor, T alpha, const MatrixView<const T>& a,
              const MatrixView<const T>& b, T beta, const MatrixView<T>& c, const BlockedOptions& options) {
  door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    const bool is_read = !(alpha == T(0));
    blas::check_symmetric(check, factor, argument("A", a, is_read), argument("B", b, is_read), argument("C", c));
    if (c.rows == 0 || c.columns == 0) return;
    HostPlace<T> place(options);
    blas::multiply_sided(place, factor, alpha, a, b, beta, c);
  });
}

template <class T>
void update(const char* routine, const blas::SymmetricResult& result, T alpha, const MatrixView<const T>& a,
            const MatrixView<const T>* b, T beta, const MatrixView<T>& c, const BlockedOptions& options) {
  door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    const bool is_read = !(alpha == T(0));
    const Argument y = b ? argument("B", *b, is_read) : Argument{};
    blas::check_update(check, result, argument("A", a, is_read), b ? &y : nullptr, argument("C", c));
    if (c.rows == 0) return;
    HostPlace<T> place(options);
    blas::update(place, result, alpha, a, b, beta, c);
  });
}

}  // namespace

template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options) {
  door("trsm", [&] {
    const Arguments check("trsm", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    blas::check_triangular(check, side, uplo, diag, argument("A", a, !(alpha == T(0))), argument("B", b));
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    blas::solve_sided(place, side, uplo, diag, alpha, a, b);
  });
}

template <gemm_scalar T>
void trmm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options) {
  door("trmm", [&] {
    const Arguments check("trmm", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    blas::check_triangular(check, side, uplo, diag, argument("A", a, !(alpha == T(0))), argument("B", b));
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    blas::multiply_sided(place, side, uplo, diag, alpha, a, b);
  });
}

template <gemm_scalar T>
void symm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  multiply<T>("symm", {Symmetry::symmetric, side, uplo}, alpha, a, b, beta, c, options);
}

template <gemm_scalar T>
void hemm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  multiply<T>("hemm", {Symmetry::hermitian, side, uplo}, alpha, a, b, beta, c, options);
}

template <gemm_scalar T>
void syrk(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, detail::Scalar<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>("syrk", {Symmetry::symmetric, uplo}, alpha, a, nullptr, beta, c, options);
}

template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta, const MatrixView<T>& c,
          const BlockedOptions& options) {
  update<T>("herk", {Symmetry::hermitian, uplo}, T(alpha), a, nullptr, T(beta), c, options);
}

template <gemm_scalar T>
void syr2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>("syr2k", {Symmetry::symmetric, uplo}, alpha, a, &b, beta, c, options);
}

template <gemm_scalar T>
void her2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           real_type<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>("her2k", {Symmetry::hermitian, uplo}, alpha, a, &b, T(beta), c, options);
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template void trsm<T>(Side, Uplo, Diag, T, const MatrixView<const T>&, const MatrixView<T>&, const BlockedOptions&); \
  template void trmm<T>(Side, Uplo, Diag, T, const MatrixView<const T>&, const MatrixView<T>&, const BlockedOptions&); \
  template void symm<T>(Side, Uplo, T, const MatrixView<const T>&, const MatrixView<const T>&, T,                      \
                        const MatrixView<T>&, const BlockedOptions&);                                                  \
  template void hemm<T>(Side, Uplo, T, const MatrixView<const T>&, const MatrixView<const T>&, T,                      \
                        const MatrixView<T>&, const BlockedOptions&);                                                  \
  template void syrk<T>(Uplo, T, const MatrixView<const T>&, T, const MatrixView<T>&, const BlockedOptions&);          \
  template void herk<T>(Uplo, real_type<T>, const MatrixView<const T>&, real_type<T>, const MatrixView<T>&,            \
                        const BlockedOptions&);                                                                        \
  template void syr2k<T>(Uplo, T, const MatrixView<const T>&, const MatrixView<const T>&, T, const MatrixView<T>&,     \
                         const BlockedOptions&);                                                                       \
  template void her2k<T>(Uplo, T, const MatrixView<const T>&, const MatrixView<const T>&, real_type<T>,                \
                         const MatrixView<T>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
