// Level 3 on the host: arguments -> place -> routine.
#include <hilo/blas.hpp>

#include "blas/arguments.hpp"
#include "blas/host_place.hpp"
#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"
#include "host/door.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using blas::HostPlace;
using blas::Symmetry;

template <class F>
void door(const char* routine, F f) {
  host::door([routine] { return std::string(routine) + ": no memory; its results are of no particular value"; }, f);
}

template <class T>
void check_triangular(const Arguments& check, Side side, Uplo uplo, Diag diag, const MatrixView<const T>& a,
                      const MatrixView<T>& b) {
  check.check_enum(static_cast<int>(side), 1, "side");
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  check.check_enum(static_cast<int>(diag), 1, "diag");
  const Argument x = argument("A", a), y = argument("B", b);
  check.check(x);
  check.check_square(x);
  check.check_result(y);
  const bool is_left = side == Side::left;
  check.check_equal("rows of A", a.rows, is_left ? "rows of B" : "columns of B", is_left ? b.rows : b.columns);
  check.check_apart(y, x);
}

template <class T>
void multiply_symmetric(const char* routine, Symmetry symmetry, Side side, Uplo uplo, T alpha,
                        const MatrixView<const T>& a, const MatrixView<const T>& b, T beta, const MatrixView<T>& c,
                        const BlockedOptions& options) {
  door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(side), 1, "side");
    check.check_enum(static_cast<int>(uplo), 1, "uplo");
    const Argument x = argument("A", a), y = argument("B", b), z = argument("C", c);
    check.check(x);
    check.check_square(x);
    check.check(y);
    check.check_result(z);
    check.check_equal("rows of B", b.rows, "rows of C", c.rows);
    check.check_equal("columns of B", b.columns, "columns of C", c.columns);
    const bool is_left = side == Side::left;
    check.check_equal("rows of A", a.rows, is_left ? "rows of C" : "columns of C", is_left ? c.rows : c.columns);
    check.check_apart(z, x);
    check.check_apart(z, y);
    if (c.rows == 0 || c.columns == 0) return;
    HostPlace<T> place(options);
    if (alpha == T(0)) return place.scale(beta, c);
    if (is_left) return blas::multiply_symmetric(place, uplo, symmetry, alpha, a, b, beta, c);
    // C = B · A is Cᵀ = Aᵀ · Bᵀ.
    constexpr Op t = Op::transpose;
    blas::multiply_symmetric(place, blas::other(uplo), symmetry, alpha, a.turned(t), b.turned(t), beta, c.turned(t));
  });
}

// C = alpha · A · op(A) + beta · C, or alpha · A · op(B) + (its transpose or conjugate transpose) + beta · C where
// there is B.
template <class T>
struct RankUpdate {
  const char* routine;
  Symmetry symmetry;
  Uplo uplo;
  T alpha, beta;
  MatrixView<const T> a;
  const MatrixView<const T>* b;
  MatrixView<T> c;
};

template <class T>
void update(const RankUpdate<T>& x, const BlockedOptions& options) {
  door(x.routine, [&] {
    const Arguments check(x.routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check.check_enum(static_cast<int>(x.uplo), 1, "uplo");
    const Argument a = argument("A", x.a), c = argument("C", x.c);
    check.check(a);
    check.check_result(c);
    check.check_square(c);
    check.check_equal("rows of A", x.a.rows, "rows of C", x.c.rows);
    check.check_apart(c, a);
    if (x.b) {
      const Argument b = argument("B", *x.b);
      check.check(b);
      check.check_equal("rows of B", x.b->rows, "rows of C", x.c.rows);
      check.check_equal("columns of B", x.b->columns, "columns of A", x.a.columns);
      check.check_apart(c, b);
    }
    const bool is_idle = x.alpha == T(0) || x.a.columns == 0;
    if (x.c.rows == 0 || (is_idle && x.beta == T(1))) return;
    HostPlace<T> place(options);
    const bool is_hermitian = x.symmetry == Symmetry::hermitian;
    const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;
    const MatrixView<const T>& other = x.b ? *x.b : x.a;
    blas::multiply_to_triangle(place, x.uplo, x.symmetry, x.alpha, x.a, other.turned(op), x.beta, x.c);
    if (!x.b || is_idle) return;
    const T alpha = is_hermitian ? blas::conjugated(x.alpha, true) : x.alpha;
    blas::multiply_to_triangle(place, x.uplo, x.symmetry, alpha, other, x.a.turned(op), T(1), x.c);
  });
}

}  // namespace

template <gemm_scalar T>
void trsm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options) {
  door("trsm", [&] {
    const Arguments check("trsm", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check_triangular<T>(check, side, uplo, diag, a, b);
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    place.scale(alpha, b);
    if (alpha == T(0)) return;
    const auto solve =
        side == Side::left ? blas::solve_triangle<HostPlace<T>> : blas::solve_triangle_right<HostPlace<T>>;
    solve(place, uplo, diag, a, b);
  });
}

template <gemm_scalar T>
void trmm(Side side, Uplo uplo, Diag diag, detail::Scalar<T> alpha, const detail::Operand<T>& a, const MatrixView<T>& b,
          const BlockedOptions& options) {
  door("trmm", [&] {
    const Arguments check("trmm", sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    check_triangular<T>(check, side, uplo, diag, a, b);
    if (b.rows == 0 || b.columns == 0) return;
    HostPlace<T> place(options);
    place.scale(alpha, b);
    if (alpha == T(0)) return;
    const auto multiply =
        side == Side::left ? blas::multiply_triangle<HostPlace<T>> : blas::multiply_triangle_right<HostPlace<T>>;
    multiply(place, uplo, diag, a, b);
  });
}

template <gemm_scalar T>
void symm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  multiply_symmetric<T>("symm", Symmetry::symmetric, side, uplo, alpha, a, b, beta, c, options);
}

template <gemm_scalar T>
void hemm(Side side, Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
          detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  multiply_symmetric<T>("hemm", Symmetry::hermitian, side, uplo, alpha, a, b, beta, c, options);
}

template <gemm_scalar T>
void syrk(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, detail::Scalar<T> beta,
          const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>({"syrk", Symmetry::symmetric, uplo, alpha, beta, a, nullptr, c}, options);
}

template <gemm_scalar T>
void herk(Uplo uplo, real_type<T> alpha, const detail::Operand<T>& a, real_type<T> beta, const MatrixView<T>& c,
          const BlockedOptions& options) {
  update<T>({"herk", Symmetry::hermitian, uplo, T(alpha), T(beta), a, nullptr, c}, options);
}

template <gemm_scalar T>
void syr2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           detail::Scalar<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>({"syr2k", Symmetry::symmetric, uplo, alpha, beta, a, &b, c}, options);
}

template <gemm_scalar T>
void her2k(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::Operand<T>& b,
           real_type<T> beta, const MatrixView<T>& c, const BlockedOptions& options) {
  update<T>({"her2k", Symmetry::hermitian, uplo, alpha, T(beta), a, &b, c}, options);
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
