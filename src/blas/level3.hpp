// Level 3: what is checked of its arguments, and the routines, for every place.
#pragma once

#include "blas/arguments.hpp"
#include "blas/symmetric.hpp"
#include "blas/triangular.hpp"
#include "blas/words.hpp"

namespace hilo::blas {

inline void check_triangular(const Arguments& check, Side side, Uplo uplo, Diag diag, const Argument& a,
                             const Argument& b) {
  check.check_enum(static_cast<int>(side), 1, "side");
  check.check_enum(static_cast<int>(uplo), 1, "uplo");
  check.check_enum(static_cast<int>(diag), 1, "diag");
  check.check(a);
  check.check_square(a);
  check.check_result(b);
  const bool is_left = side == Side::left;
  check.check_equal("rows of A", a.lines.rows, is_left ? "rows of B" : "columns of B",
                    is_left ? b.lines.rows : b.lines.columns);
  check.check_apart(b, a);
}

/// B = alpha · A⁻¹ · B or alpha · B · A⁻¹.
template <class Place>
void solve_sided(Place& place, Side side, Uplo uplo, Diag diag, typename Place::Scalar alpha,
                 const typename Place::Operand& a, const typename Place::Matrix& b) {
  place.scale(alpha, b);
  if (alpha == typename Place::Scalar(0)) return;
  if (side == Side::left) {
    solve_triangle(place, uplo, diag, a, b);
  } else {
    solve_triangle_right(place, uplo, diag, a, b);
  }
}

/// B = alpha · A · B or alpha · B · A.
template <class Place>
void multiply_sided(Place& place, Side side, Uplo uplo, Diag diag, typename Place::Scalar alpha,
                    const typename Place::Operand& a, const typename Place::Matrix& b) {
  const bool is_left = side == Side::left;
  if constexpr (Place::has_large_products_at_once) {
    constexpr Op t = Op::transpose;
    const bool is_zero = alpha == typename Place::Scalar(0);
    if (!is_zero && place.multiplies_triangles_at_once(a.rows, is_left ? b.columns : b.rows)) {
      return is_left ? multiply_triangle_at_once(place, uplo, diag, alpha, a, b)
                     : multiply_triangle_at_once(place, other(uplo), diag, alpha, a.turned(t), b.turned(t));
    }
    if (!is_zero && (is_left ? multiply_blocks_at_once(place, uplo, diag, alpha, a, b)
                             : multiply_blocks_at_once(place, other(uplo), diag, alpha, a.turned(t), b.turned(t)))) {
      return;
    }
  }
  place.scale(alpha, b);
  if (alpha == typename Place::Scalar(0)) return;
  if (is_left) {
    multiply_triangle(place, uplo, diag, a, b);
  } else {
    multiply_triangle_right(place, uplo, diag, a, b);
  }
}

/// Where a symmetric or Hermitian factor stands, and which triangle of it is there.
struct SymmetricFactor {
  Symmetry symmetry;
  Side side;
  Uplo uplo;
};

inline void check_symmetric(const Arguments& check, const SymmetricFactor& factor, const Argument& a, const Argument& b,
                            const Argument& c) {
  check.check_enum(static_cast<int>(factor.side), 1, "side");
  check.check_enum(static_cast<int>(factor.uplo), 1, "uplo");
  check.check(a);
  check.check_square(a);
  check.check(b);
  check.check_result(c);
  check.check_equal("rows of B", b.lines.rows, "rows of C", c.lines.rows);
  check.check_equal("columns of B", b.lines.columns, "columns of C", c.lines.columns);
  const bool is_left = factor.side == Side::left;
  check.check_equal("rows of A", a.lines.rows, is_left ? "rows of C" : "columns of C",
                    is_left ? c.lines.rows : c.lines.columns);
  check.check_apart(c, a);
  check.check_apart(c, b);
}

/// C = alpha · A · B + beta · C or alpha · B · A + beta · C.
template <class Place>
void multiply_sided(Place& place, const SymmetricFactor& factor, typename Place::Scalar alpha,
                    const typename Place::Operand& a, const typename Place::Operand& b, typename Place::Scalar beta,
                    const typename Place::Matrix& c) {
  if (alpha == typename Place::Scalar(0)) return place.scale(beta, c);
  if (factor.side == Side::left) {
    return multiply_symmetric(place, factor.uplo, factor.symmetry, alpha, a, b, beta, c);
  }
  // C = B · A is Cᵀ = Aᵀ · Bᵀ.
  constexpr Op t = Op::transpose;
  multiply_symmetric(place, other(factor.uplo), factor.symmetry, alpha, a.turned(t), b.turned(t), beta, c.turned(t));
}

/// What an update makes, and which triangle of it.
struct SymmetricResult {
  Symmetry symmetry;
  Uplo uplo;
};

/// b: null where there is none.
inline void check_update(const Arguments& check, const SymmetricResult& result, const Argument& a, const Argument* b,
                         const Argument& c) {
  check.check_enum(static_cast<int>(result.uplo), 1, "uplo");
  check.check(a);
  check.check_result(c);
  check.check_square(c);
  check.check_equal("rows of A", a.lines.rows, "rows of C", c.lines.rows);
  check.check_apart(c, a);
  if (!b) return;
  check.check(*b);
  check.check_equal("rows of B", b->lines.rows, "rows of C", c.lines.rows);
  check.check_equal("columns of B", b->lines.columns, "columns of A", a.lines.columns);
  check.check_apart(c, *b);
}

/// C = alpha · A · op(A) + beta · C, or alpha · A · op(B) + (its transpose or conjugate transpose) + beta · C where
/// there is B.
template <class Place>
void update(Place& place, const SymmetricResult& result, typename Place::Scalar alpha, const typename Place::Operand& a,
            const typename Place::Operand* b, typename Place::Scalar beta, const typename Place::Matrix& c) {
  using Scalar = typename Place::Scalar;
  const bool is_idle = alpha == Scalar(0) || a.columns == 0;
  if (is_idle && beta == Scalar(1)) return;
  const bool is_hermitian = result.symmetry == Symmetry::hermitian;
  const Op op = is_hermitian ? Op::conjugate_transpose : Op::transpose;
  const typename Place::Operand& second = b ? *b : a;
  if constexpr (Place::has_large_products_at_once) {
    if (b && !is_idle &&
        place.multiply_both_at_once(result.uplo, result.symmetry, alpha, a, second.turned(op), beta, c)) {
      return;
    }
  }
  multiply_to_triangle(place, result.uplo, result.symmetry, alpha, a, second.turned(op), beta, c);
  if (!b || is_idle) return;
  const Scalar turned = is_hermitian ? conjugated<Scalar>(alpha, true) : alpha;
  multiply_to_triangle(place, result.uplo, result.symmetry, turned, second, a.turned(op), Scalar(1), c);
}

}  // namespace hilo::blas
