// What is solved exactly to find the errors of a solution: a square system, and where in its solution x stands.
#pragma once

#include <hilo/accuracy.hpp>
#include <string>
#include <utility>

#include "accuracy/problem.hpp"

namespace hilo::accuracy {

template <class T>
bool is_finite(const MatrixView<const T>& x) {
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) {
      if (!is_finite(element(x, i, j))) return false;
    }
  }
  return true;
}

/// A · X = B, or X of least ‖B − A · X‖, or the smallest of those.
template <class T>
class System {
 public:
  MatrixView<const T> a, b, x;
  bool is_augmented;

  /// Throws hilo::error for sizes that do not match, and null pointers.
  System(const char* routine, const MatrixView<const T>& of_a, const MatrixView<const T>& of_b,
         const MatrixView<const T>& of_x, bool is_of_least_squares)
      : a(of_a), b(of_b), x(of_x), is_augmented(is_of_least_squares) {
    const auto require = [routine](bool holds, const std::string& message) {
      if (!holds) throw error(errc::invalid_argument, std::string(routine) + ": " + message);
    };
    const auto size = [](const MatrixView<const T>& m) {
      return std::to_string(m.rows) + " x " + std::to_string(m.columns);
    };
    for (const auto& [name, m] : {std::pair{"A", &a}, {"B", &b}, {"X", &x}}) {
      require(m->rows >= 0 && m->columns >= 0, std::string(name) + " is " + size(*m));
      require(m->data || m->rows == 0 || m->columns == 0, std::string(name) + " is null");
    }
    require(is_augmented || a.rows == a.columns, "A is " + size(a) + ", not square");
    require(b.rows == a.rows, "B is " + size(b) + ", A " + size(a));
    if (is_augmented) {
      require(x.rows == a.columns && x.columns == b.columns, "X is " + size(x) + ", A " + size(a) + ", B " + size(b));
    } else {
      require(x.rows == b.rows && x.columns == b.columns, "X is " + size(x) + ", B " + size(b));
    }
  }

  /// Of the square system: A's, or with A, or Aᴴ where A is wide, called M, that of (I M; Mᴴ 0) · (r; z) = (b; 0) where
  /// x is z, = (0; b) where x is r.
  std::int64_t order() const { return is_augmented ? a.rows + a.columns : a.rows; }
  Element entry(std::int64_t i, std::int64_t j) const {
    if (!is_augmented) return element(a, i, j);
    if (i < upper() && j < upper()) return {dd_real(i == j ? 1.0 : 0.0), dd_real(0)};
    if (i >= upper() && j >= upper()) return {dd_real(0), dd_real(0)};
    const bool is_conjugated = (i >= upper()) != is_wide();
    const std::int64_t of_upper = std::min(i, j), of_lower = std::max(i, j) - upper();
    const Element e = is_wide() ? element(a, of_lower, of_upper) : element(a, of_upper, of_lower);
    return is_conjugated ? Element{e.re, -e.im} : e;
  }
  Element right_hand_side(std::int64_t i, std::int64_t j) const {
    if (!is_augmented) return element(b, i, j);
    if ((i < upper()) == is_wide()) return {dd_real(0), dd_real(0)};
    return element(b, is_wide() ? i - upper() : i, j);
  }
  /// Where x begins in the solution.
  std::int64_t first() const { return is_augmented && !is_wide() ? upper() : 0; }

 private:
  bool is_wide() const { return a.rows < a.columns; }
  std::int64_t upper() const { return std::max(a.rows, a.columns); }
};

}  // namespace hilo::accuracy
