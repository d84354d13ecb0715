// Level 2 on the host: arguments -> vectors side by side -> a matrix times a vector, or lines of a matrix updated.
#include <hilo/blas.hpp>
#include <limits>

#include "blas/arguments.hpp"
#include "blas/cpu/matrix_vector.hpp"
#include "blas/door.hpp"
#include "blas/words.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Argument;
using blas::Arguments;
using blas::Symmetry;
using blas::VectorArgument;
using blas::VectorArithmetic;
using blas::VectorCall;

// What every routine begins with.
template <gemm_scalar T>
class Checks : public Arguments {
 public:
  Checks(const char* routine, const BlockedOptions& options) : Arguments(routine, sizeof(T)), options_(&options) {
    check_options(precision_of<T>, Backend::cpu, options);
  }
  void check_uplo(Uplo uplo) const { check_enum(static_cast<int>(uplo), 1, "uplo"); }
  void check_diag(Diag diag) const { check_enum(static_cast<int>(diag), 1, "diag"); }
  void check_length(const VectorArgument& x, const char* of_a, std::int64_t n) const {
    check(x);
    check_equal(std::string("elements of ") + x.name, x.size, of_a, n);
  }
  using Arguments::check;
  // The threads for a matrix, which is checked, and must be one that CBLAS takes.
  template <class View>
  VectorCall call(const View& a) const {
#if HILO_HAS_CBLAS
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    if (!double_double<T> && std::max({a.rows, a.columns, a.row_stride, a.column_stride}) > most) {
      reject(errc::unsupported, "A has sizes or strides that are more than this build's CBLAS takes (2147483647)");
    }
#endif
    return VectorCall(precision_of<T>, *options_, a.rows * a.columns * static_cast<std::int64_t>(sizeof(T)));
  }

 private:
  const BlockedOptions* options_;
};

template <gemm_scalar T, class F>
void door(const char* routine, const BlockedOptions& options, F f) {
  blas::door(routine, [&] { f(Checks<T>(routine, options)); });
}

template <class T>
T times(const T& x, const T& y) {
  if constexpr (std::same_as<T, dd_complex>) {
    return dd_complex::multiply_finite(x, y);
  } else if constexpr (is_complex(precision_of<T>)) {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  } else {
    return x * y;
  }
}

template <class T>
T real_part(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return T(x.real());
  } else {
    return x;
  }
}

// n elements side by side.
template <class T>
class Elements {
 public:
  explicit Elements(std::int64_t n) : memory_(n * static_cast<std::int64_t>(sizeof(T))) {}
  template <class F>
  Elements(std::int64_t n, F f) : Elements(n) {
    for (std::int64_t i = 0; i < n; ++i) data()[i] = f(i);
  }
  explicit Elements(const VectorView<const T>& x) : Elements(x.size, x) {}
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  void put(const VectorView<T>& x) const {
    for (std::int64_t i = 0; i < x.size; ++i) x(i) = data()[i];
  }

 private:
  host::Workspace memory_;
};

// y = alpha · product(x) + beta · y; product(x, to) is called where alpha is not 0.
template <class T, class Multiply>
void combine(T alpha, const VectorView<const T>& x, T beta, const VectorView<T>& y, Multiply multiply) {
  if (alpha == T(0)) {
    if (beta == T(1)) return;
    for (std::int64_t i = 0; i < y.size; ++i) y(i) = beta == T(0) ? T(0) : times(beta, y(i));
    return;
  }
  const Elements<T> factor(x), product(y.size);
  multiply(factor.data(), product.data());
  for (std::int64_t i = 0; i < y.size; ++i) {
    const T p = alpha == T(1) ? product.data()[i] : times(alpha, product.data()[i]);
    y(i) = beta == T(0) ? p : p + (beta == T(1) ? y(i) : times(beta, y(i)));
  }
}

template <class T>
void multiply_symmetric(const char* routine, Symmetry symmetry, Uplo uplo, T alpha, const MatrixView<const T>& a,
                        const VectorView<const T>& x, T beta, const VectorView<T>& y, const BlockedOptions& options) {
  door<T>(routine, options, [&](const Checks<T>& check) {
    const Argument matrix = argument("A", a);
    const VectorArgument factor = argument("x", x), result = argument("y", y);
    check.check_uplo(uplo);
    check.check(matrix);
    check.check_square(matrix);
    check.check_length(factor, "rows of A", a.rows);
    check.check_length(result, "rows of A", a.rows);
    check.check_apart(result, matrix);
    check.check_apart(result, factor);
    const VectorCall call = check.call(a);
    const Op mirror = symmetry == Symmetry::hermitian ? Op::conjugate_transpose : Op::transpose;
    const MatrixView<const T> lower = uplo == Uplo::lower ? a : a.turned(mirror);
    combine<T>(alpha, x, beta, y,
               [&](const T* from, T* to) { blas::multiply_symmetric<T>(call, symmetry, lower, from, to); });
  });
}

// f(call, n, x) on the elements of x, which are put back; A triangular.
template <class T, class F>
void with_triangle(const char* routine, Uplo uplo, Diag diag, const MatrixView<const T>& a, const VectorView<T>& x,
                   const BlockedOptions& options, F f) {
  door<T>(routine, options, [&](const Checks<T>& check) {
    const Argument matrix = argument("A", a);
    const VectorArgument result = argument("x", x);
    check.check_uplo(uplo);
    check.check_diag(diag);
    check.check(matrix);
    check.check_square(matrix);
    check.check_length(result, "rows of A", a.rows);
    check.check_apart(result, matrix);
    const VectorCall call = check.call(a);
    if (x.size == 0) return;
    f(call, Elements<T>(x));
  });
}

// u · vᵀ, added to a matrix.
template <class T>
struct RankOne {
  const T *u, *v;
};
enum class Part : std::uint8_t { all, lower, upper };

// a_ij = (a_ij + u_i v_j) + …, along whichever lines of A are contiguous.
template <class T>
void add_to_lines(const VectorCall& call, Part part, const MatrixView<T>& a, const RankOne<T>* terms, int count) {
  constexpr std::int64_t lines_of_a_task = 8;
  // What is asked for before its turn, and stays in the nearest cache from the first term to the second. In S, D, C and
  // Z bits may depend on where parts begin.
  constexpr std::int64_t part_length = double_double<T> ? host::ahead_bytes / sizeof(T) : blas::vector_part;
  const bool by_columns = (a.row_stride == 1 || a.rows == 1) && (a.column_stride >= a.rows || a.columns == 1);
  const std::int64_t lines = by_columns ? a.columns : a.rows, length = by_columns ? a.rows : a.columns;
  const VectorArithmetic<T> from_memory(call);
  VectorArithmetic<T> from_cache = from_memory;
  from_cache.ahead = host::Ahead::nothing;
  host::for_each(call.threads, blocks(lines, lines_of_a_task), [&](std::int64_t task, int) {
    const std::int64_t last = std::min((task + 1) * lines_of_a_task, lines);
    const bool is_to_end = (part == Part::lower) == by_columns;
    const auto begin_of = [&](std::int64_t line) { return part != Part::all && is_to_end ? line : 0; };
    const auto at = [&](std::int64_t i, std::int64_t line) { return by_columns ? &a(i, line) : &a(line, i); };
    for (std::int64_t line = task * lines_of_a_task; line < last; ++line) {
      const std::int64_t begin = begin_of(line), end = part != Part::all && !is_to_end ? line + 1 : length;
      for (std::int64_t i = begin; i < end; i += part_length) {
        const std::int64_t n = std::min(part_length, end - i);
        T* const to = at(i, line);
        // Behind a line's end comes the next one.
        const bool is_end = call.ahead == host::Ahead::lines && i + n == end;
        if (is_end && line + 1 < lines) host::expect_begin(at(begin_of(line + 1), line + 1));
        for (int t = 0; t < count; ++t) {
          const RankOne<T>& x = terms[t];
          (t == 0 && !is_end ? from_memory : from_cache)
              .axpy(n, (by_columns ? x.v : x.u)[line], (by_columns ? x.u : x.v) + i, to);
        }
      }
    }
  });
}

// alpha · x, of which x may be conjugated, and the whole.
template <class T>
Elements<T> scaled(T alpha, const VectorView<const T>& x, bool conjugate, bool conjugate_all) {
  return {x.size, [&](std::int64_t i) {
            return blas::conjugated(times(alpha, blas::conjugated(x(i), conjugate)), conjugate_all);
          }};
}

template <class T>
void update(const char* routine, bool conjugate, T alpha, const VectorView<const T>& x, const VectorView<const T>& y,
            const MatrixView<T>& a, const BlockedOptions& options) {
  door<T>(routine, options, [&](const Checks<T>& check) {
    const Argument result = argument("A", a);
    const VectorArgument left = argument("x", x), right = argument("y", y);
    check.check_result(result);
    check.check_length(left, "rows of A", a.rows);
    check.check_length(right, "columns of A", a.columns);
    check.check_apart(result, left);
    check.check_apart(result, right);
    const VectorCall call = check.call(a);
    if (alpha == T(0) || a.rows == 0 || a.columns == 0) return;
    const Elements<T> u(x), v = scaled(alpha, y, conjugate, false);
    const RankOne<T> term{u.data(), v.data()};
    add_to_lines(call, Part::all, a, &term, 1);
  });
}

// A + alpha · x · xᵀ, or with y A + alpha · x · yᵀ + alpha · y · xᵀ; Hermitian: with ᴴ, and conj(alpha) for the second.
template <class T>
void update_symmetric(const char* routine, Symmetry symmetry, Uplo uplo, T alpha, const VectorView<const T>& x,
                      const VectorView<const T>* y, const MatrixView<T>& a, const BlockedOptions& options) {
  door<T>(routine, options, [&](const Checks<T>& check) {
    const Argument result = argument("A", a);
    const VectorArgument left = argument("x", x);
    check.check_uplo(uplo);
    check.check_result(result);
    check.check_square(result);
    check.check_length(left, "rows of A", a.rows);
    check.check_apart(result, left);
    if (y) {
      const VectorArgument right = argument("y", *y);
      check.check_length(right, "rows of A", a.rows);
      check.check_apart(result, right);
    }
    const VectorCall call = check.call(a);
    if (alpha == T(0) || a.rows == 0) return;
    const bool is_hermitian = symmetry == Symmetry::hermitian;
    const Elements<T> u(x), v = scaled(alpha, y ? *y : x, is_hermitian, false);
    const Elements<T> second_u(y ? *y : VectorView<const T>{nullptr, 0}),
        second_v = scaled(alpha, y ? x : VectorView<const T>{nullptr, 0}, false, is_hermitian);
    const RankOne<T> terms[] = {{u.data(), v.data()}, {second_u.data(), second_v.data()}};
    add_to_lines(call, uplo == Uplo::lower ? Part::lower : Part::upper, a, terms, y ? 2 : 1);
    if (!is_hermitian) return;
    for (std::int64_t i = 0; i < a.rows; ++i) a(i, i) = real_part(a(i, i));
  });
}

}  // namespace

template <gemm_scalar T>
void gemv(detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options) {
  door<T>("gemv", options, [&](const Checks<T>& check) {
    const Argument matrix = argument("A", a);
    const VectorArgument factor = argument("x", x), result = argument("y", y);
    check.check(matrix);
    check.check_length(factor, "columns of A", a.columns);
    check.check_length(result, "rows of A", a.rows);
    check.check_apart(result, matrix);
    check.check_apart(result, factor);
    const VectorCall call = check.call(a);
    const T factor_of_sums = a.columns == 0 ? T(0) : alpha;
    combine<T>(factor_of_sums, x, beta, y, [&](const T* from, T* to) { blas::multiply<T>(call, a, from, to); });
  });
}

template <gemm_scalar T>
void symv(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options) {
  multiply_symmetric<T>("symv", Symmetry::symmetric, uplo, alpha, a, x, beta, y, options);
}

template <gemm_scalar T>
void hemv(Uplo uplo, detail::Scalar<T> alpha, const detail::Operand<T>& a, const detail::VectorOperand<T>& x,
          detail::Scalar<T> beta, const VectorView<T>& y, const BlockedOptions& options) {
  multiply_symmetric<T>("hemv", Symmetry::hermitian, uplo, alpha, a, x, beta, y, options);
}

template <gemm_scalar T>
void trmv(Uplo uplo, Diag diag, const detail::Operand<T>& a, const VectorView<T>& x, const BlockedOptions& options) {
  with_triangle<T>("trmv", uplo, diag, a, x, options, [&](const VectorCall& call, const Elements<T>& from) {
    const Elements<T> to(x.size);
    blas::multiply_triangle<T>(call, uplo, diag, a, from.data(), to.data());
    to.put(x);
  });
}

template <gemm_scalar T>
void trsv(Uplo uplo, Diag diag, const detail::Operand<T>& a, const VectorView<T>& x, const BlockedOptions& options) {
  with_triangle<T>("trsv", uplo, diag, a, x, options, [&](const VectorCall& call, const Elements<T>& elements) {
    blas::solve_triangle<T>(call, uplo, diag, a, elements.data());
    elements.put(x);
  });
}

template <gemm_scalar T>
void ger(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
         const MatrixView<T>& a, const BlockedOptions& options) {
  update<T>("ger", true, alpha, x, y, a, options);
}

template <gemm_scalar T>
void geru(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options) {
  update<T>("geru", false, alpha, x, y, a, options);
}

template <gemm_scalar T>
void syr(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const MatrixView<T>& a,
         const BlockedOptions& options) {
  update_symmetric<T>("syr", Symmetry::symmetric, uplo, alpha, x, nullptr, a, options);
}

template <gemm_scalar T>
void her(Uplo uplo, real_type<T> alpha, const detail::VectorOperand<T>& x, const MatrixView<T>& a,
         const BlockedOptions& options) {
  update_symmetric<T>("her", Symmetry::hermitian, uplo, T(alpha), x, nullptr, a, options);
}

template <gemm_scalar T>
void syr2(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options) {
  update_symmetric<T>("syr2", Symmetry::symmetric, uplo, alpha, x, &y, a, options);
}

template <gemm_scalar T>
void her2(Uplo uplo, detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const detail::VectorOperand<T>& y,
          const MatrixView<T>& a, const BlockedOptions& options) {
  update_symmetric<T>("her2", Symmetry::hermitian, uplo, alpha, x, &y, a, options);
}

#define HILO_INSTANTIATE(T)                                                                                          \
  template void gemv<T>(T, const MatrixView<const T>&, const VectorView<const T>&, T, const VectorView<T>&,          \
                        const BlockedOptions&);                                                                      \
  template void symv<T>(Uplo, T, const MatrixView<const T>&, const VectorView<const T>&, T, const VectorView<T>&,    \
                        const BlockedOptions&);                                                                      \
  template void hemv<T>(Uplo, T, const MatrixView<const T>&, const VectorView<const T>&, T, const VectorView<T>&,    \
                        const BlockedOptions&);                                                                      \
  template void trmv<T>(Uplo, Diag, const MatrixView<const T>&, const VectorView<T>&, const BlockedOptions&);        \
  template void trsv<T>(Uplo, Diag, const MatrixView<const T>&, const VectorView<T>&, const BlockedOptions&);        \
  template void ger<T>(T, const VectorView<const T>&, const VectorView<const T>&, const MatrixView<T>&,              \
                       const BlockedOptions&);                                                                       \
  template void geru<T>(T, const VectorView<const T>&, const VectorView<const T>&, const MatrixView<T>&,             \
                        const BlockedOptions&);                                                                      \
  template void syr<T>(Uplo, T, const VectorView<const T>&, const MatrixView<T>&, const BlockedOptions&);            \
  template void her<T>(Uplo, real_type<T>, const VectorView<const T>&, const MatrixView<T>&, const BlockedOptions&); \
  template void syr2<T>(Uplo, T, const VectorView<const T>&, const VectorView<const T>&, const MatrixView<T>&,       \
                        const BlockedOptions&);                                                                      \
  template void her2<T>(Uplo, T, const VectorView<const T>&, const VectorView<const T>&, const MatrixView<T>&,       \
                        const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
