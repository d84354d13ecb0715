// Matrices for the tests of routines on views: StoredMatrix has one inside of memory that must not change, Layout and
// all, and AllPrecisions the six of them; wide turns an element of any precision into a dd_complex, magnitude gives
// |re| + |im|.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <hilo/gemm.hpp>
#include <limits>
#include <string>
#include <vector>

#include "random.hpp"
#include "same_bits.hpp"
#include "test_size.hpp"

namespace hilo::test {

using AllPrecisions = testing::Types<float, double, std::complex<float>, std::complex<double>, dd_real, dd_complex>;
using DoubleDoubles = testing::Types<dd_real, dd_complex>;
struct NameOfPrecision {
  template <class T>
  static std::string GetName(int) {
    return std::string(name(precision_of<T>));
  }
};

constexpr Op every_op[] = {Op::none, Op::transpose, Op::conjugate_transpose, Op::conjugate};
constexpr Uplo both_triangles[] = {Uplo::lower, Uplo::upper};
constexpr Side both_sides[] = {Side::left, Side::right};
constexpr Diag both_diagonals[] = {Diag::non_unit, Diag::unit};
constexpr Layout both_layouts[] = {Layout::column, Layout::row};
/// GemmOptions::block.
constexpr std::int64_t every_block[] = {1, 2, 7, 10, 0};

template <class T>
dd_complex wide(const T& x) {
  if constexpr (std::floating_point<T>) {
    return dd_complex(dd_real(static_cast<double>(x)));
  } else if constexpr (double_double<T>) {
    return dd_complex(x);
  } else {
    return dd_complex(dd_real(static_cast<double>(x.real())), dd_real(static_cast<double>(x.imag())));
  }
}

/// |re| + |im|, which is between |x| and 1.5 |x|.
template <class T>
double magnitude(const T& x) {
  const dd_complex y = wide(x);
  return std::fabs(y.re.hi) + std::fabs(y.im.hi);
}

/// LAPACK's ε: the distance from 1 to the next number.
template <class T>
constexpr double epsilon_of = double_double<T>             ? 0x1p-105
                              : is_single(precision_of<T>) ? 0x1p-23
                                                           : 0x1p-52;

template <class T>
T element_of(double re, double im) {
  if constexpr (is_complex(precision_of<T>)) {
    using Part = decltype(T().real());
    return T(static_cast<Part>(re), static_cast<Part>(im));
  } else {
    return static_cast<T>(re);
  }
}

template <class T>
T conjugate_of(const T& x) {
  if constexpr (is_complex(precision_of<T>)) {
    return conj(x);
  } else {
    return x;
  }
}

/// Uniform in [-1, 1), all bits of it.
template <class T>
T random_element(Random& random) {
  if constexpr (double_double<T>) {
    return random.element<T>();
  } else {
    const double re = random.uniform();
    return element_of<T>(re, random.uniform());
  }
}

template <class T>
T not_a_number() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return element_of<T>(nan, nan);
}

/// A rows × columns matrix inside of a larger one, whose other elements are 12345.
template <class T>
struct StoredMatrix {
  Layout layout;
  std::vector<T> elements;
  MatrixView<T> view;

  StoredMatrix(Layout its_layout, std::int64_t rows, std::int64_t columns)
      : layout(its_layout),
        elements(static_cast<std::size_t>((rows + 3) * (columns + 2)), T(12345)),
        view(hilo::view(layout, Op::none, elements.data(), rows + 3, columns + 2,
                        layout == Layout::column ? rows + 3 : columns + 2)
                 .sub(2, 1, rows, columns)) {}
  StoredMatrix(Layout its_layout, std::int64_t rows, std::int64_t columns, std::uint64_t seed)
      : StoredMatrix(its_layout, rows, columns) {
    Random random(seed);
    // By columns, whatever the layout.
    fill([&](std::int64_t, std::int64_t) { return random_element<T>(random); });
  }
  StoredMatrix(const StoredMatrix& x) : layout(x.layout), elements(x.elements), view(x.view) {
    view.data = elements.data() + (x.view.data - x.elements.data());
  }
  StoredMatrix& operator=(const StoredMatrix&) = delete;

  template <class F>
  void fill(F f) {
    for (std::int64_t j = 0; j < view.columns; ++j) {
      for (std::int64_t i = 0; i < view.rows; ++i) view(i, j) = f(i, j);
    }
  }
  MatrixView<const T> read() const { return view; }
  T operator()(std::int64_t i, std::int64_t j) const { return view(i, j); }

  /// The first element outside of the matrix, or inside where kept(i, j), that is not as in `before`; -1 if none.
  std::int64_t first_changed(const StoredMatrix& before,
                             const std::function<bool(std::int64_t, std::int64_t)>& kept) const {
    StoredMatrix masked = *this;
    masked.fill([&](std::int64_t i, std::int64_t j) { return kept(i, j) ? view(i, j) : before(i, j); });
    return first_difference(masked.elements, before.elements);
  }
};

/// The elements by columns.
template <class T>
std::vector<T> by_columns(const MatrixView<T>& x) {
  std::vector<T> all;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) all.push_back(x(i, j));
  }
  return all;
}

/// A dense matrix of wide elements, for references.
struct Wide {
  std::int64_t rows, columns;
  std::vector<dd_complex> elements;

  Wide(std::int64_t its_rows, std::int64_t its_columns)
      : rows(its_rows), columns(its_columns), elements(static_cast<std::size_t>(rows * columns), dd_complex(0)) {}
  /// What a view shows.
  template <class T>
  explicit Wide(const MatrixView<T>& x) : Wide(x.rows, x.columns) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) (*this)(i, j) = x.conjugate ? conj(wide(x(i, j))) : wide(x(i, j));
    }
  }
  dd_complex& operator()(std::int64_t i, std::int64_t j) { return elements[static_cast<std::size_t>(i + j * rows)]; }
  const dd_complex& operator()(std::int64_t i, std::int64_t j) const {
    return elements[static_cast<std::size_t>(i + j * rows)];
  }

  Wide turned(Op op) const {
    Wide r(is_transposed(op) ? columns : rows, is_transposed(op) ? rows : columns);
    for (std::int64_t j = 0; j < r.columns; ++j) {
      for (std::int64_t i = 0; i < r.rows; ++i) {
        const dd_complex x = is_transposed(op) ? (*this)(j, i) : (*this)(i, j);
        r(i, j) = is_conjugated(op) ? conj(x) : x;
      }
    }
    return r;
  }
  /// |A| B of two is what errors are measured by.
  Wide magnitudes() const {
    Wide r(rows, columns);
    for (std::size_t i = 0; i < elements.size(); ++i) r.elements[i] = dd_complex(dd_real(magnitude(elements[i])));
    return r;
  }
};

template <class T>
Wide product_by_gemm(const Wide& a, const Wide& b) {
  const auto narrow = [](const Wide& x) {
    if constexpr (is_complex(precision_of<T>)) {
      return x.elements;
    } else {
      std::vector<T> y;
      for (const dd_complex& e : x.elements) y.push_back(e.re);
      return y;
    }
  };
  Wide c(a.rows, b.columns);
  std::vector<T> z(c.elements.size());
  gemm<T>(Layout::column, Op::none, Op::none, c.rows, c.columns, a.columns, T(1), narrow(a).data(), c.rows,
          narrow(b).data(), a.columns, T(0), z.data(), c.rows, {.engine = Engine::direct, .threads = 1});
  std::copy(z.begin(), z.end(), c.elements.begin());
  return c;
}

/// Term by term; in long forms large ones by gemm, whose own tests know better.
inline Wide operator*(const Wide& a, const Wide& b) {
  Wide c(a.rows, b.columns);
  const auto has_imaginary = [](const Wide& x) {
    for (const dd_complex& e : x.elements) {
      if (!(e.im == dd_real(0))) return true;
    }
    return false;
  };
  const bool is_real = !has_imaginary(a) && !has_imaginary(b);
  if (is_long() && a.rows * a.columns * b.columns > 32 * 32 * 32) {
    return is_real ? product_by_gemm<dd_real>(a, b) : product_by_gemm<dd_complex>(a, b);
  }
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const dd_complex y = b(k, j);
      if (y == dd_complex(0)) continue;
      for (std::int64_t i = 0; i < c.rows; ++i) {
        if (is_real) {
          c(i, j).re += a(i, k).re * y.re;
        } else {
          c(i, j) = c(i, j) + dd_complex::multiply_finite(a(i, k), y);
        }
      }
    }
  }
  return c;
}

/// The triangle of a matrix, ones on the diagonal if it is unit.
inline Wide triangle(const Wide& a, Uplo uplo, Diag diag) {
  Wide t(a.rows, a.columns);
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (i == j) {
        t(i, j) = diag == Diag::unit ? dd_complex(1) : a(i, j);
      } else if ((i > j) == (uplo == Uplo::lower)) {
        t(i, j) = a(i, j);
      }
    }
  }
  return t;
}

/// The largest row sum of magnitudes.
inline double norm_of(const Wide& a) {
  double most = 0.0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (std::int64_t j = 0; j < a.columns; ++j) sum += magnitude(a(i, j));
    most = sum > most || sum != sum ? sum : most;
  }
  return most;
}

inline Wide difference(const Wide& a, const Wide& b) {
  Wide c = a;
  for (std::size_t i = 0; i < c.elements.size(); ++i) c.elements[i] = a.elements[i] - b.elements[i];
  return c;
}

}  // namespace hilo::test
