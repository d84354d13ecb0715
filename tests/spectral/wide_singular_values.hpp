// Singular values in 420 bits, and how far computed decompositions are from what they are to be.
#pragma once

#include "wide_eigenvalues.hpp"

namespace hilo::test {

/// In descending order, of an m × n matrix of WideNumbers by columns, m >= n: roots of eigenvalues of Aᴴ A. Of those
/// below 2^-120 of the largest 420 bits leave less than a double-double has.
inline std::vector<Bits> wide_singular_values(std::int64_t m, std::int64_t n, bool is_complex,
                                              const std::vector<WideNumber>& a) {
  std::vector<WideNumber> gram(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      WideNumber sum;
      for (std::int64_t k = 0; k < m; ++k) {
        WideNumber minus_turned = a[static_cast<std::size_t>(k + i * m)];
        minus_turned.re *= -1.0;
        sum -= minus_turned * a[static_cast<std::size_t>(k + j * m)];
      }
      gram[static_cast<std::size_t>(i + j * n)] = sum;
    }
  }
  std::vector<Bits> values = wide_eigenvalues(
      n, is_complex, [&](std::int64_t i, std::int64_t j) { return gram[static_cast<std::size_t>(i + j * n)]; });
  std::reverse(values.begin(), values.end());
  for (Bits& value : values) value = value.value() > 0.0 ? value.root() : Bits(0.0);
  return values;
}

/// √Σ|AV − UΣ|², √Σ|AᴴU − VΣ|², √Σ|I − UᴴU|², √Σ|I − VᴴV|².
struct WideSingularNorms {
  double residual = 0.0, turned_residual = 0.0, left = 0.0, right = 0.0;
};

/// I − XᴴX of an m × n matrix by columns.
inline double wide_defect(std::int64_t m, std::int64_t n, const std::vector<WideNumber>& x) {
  double sum = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      WideNumber r(dd_complex(i == j ? 1.0 : 0.0));
      for (std::int64_t k = 0; k < m; ++k) {
        WideNumber turned = x[static_cast<std::size_t>(k + i * m)];
        turned.im *= -1.0;
        r -= turned * x[static_cast<std::size_t>(k + j * m)];
      }
      sum += r.magnitude() * r.magnitude();
    }
  }
  return std::sqrt(sum);
}

/// A is m × n, U has at least and V exactly as many columns as there are values, min(m, n).
template <class Value>
WideSingularNorms wide_singular_norms(std::int64_t m, std::int64_t n, const std::vector<WideNumber>& a,
                                      const std::vector<WideNumber>& u, const std::vector<WideNumber>& v, Value value) {
  const std::int64_t count = std::min(m, n);
  WideSingularNorms norms;
  norms.left = wide_defect(m, static_cast<std::int64_t>(u.size()) / m, u);
  norms.right = wide_defect(n, static_cast<std::int64_t>(v.size()) / n, v);
  for (std::int64_t j = 0; j < count; ++j) {
    const WideNumber of_column(dd_complex(value(j)));
    for (std::int64_t i = 0; i < m; ++i) {
      WideNumber w = u[static_cast<std::size_t>(i + j * m)] * of_column;
      for (std::int64_t k = 0; k < n; ++k) {
        w -= a[static_cast<std::size_t>(i + k * m)] * v[static_cast<std::size_t>(k + j * n)];
      }
      norms.residual += w.magnitude() * w.magnitude();
    }
    for (std::int64_t i = 0; i < n; ++i) {
      WideNumber w = v[static_cast<std::size_t>(i + j * n)] * of_column;
      for (std::int64_t k = 0; k < m; ++k) {
        WideNumber turned = a[static_cast<std::size_t>(k + i * m)];
        turned.im *= -1.0;
        w -= turned * u[static_cast<std::size_t>(k + j * m)];
      }
      norms.turned_residual += w.magnitude() * w.magnitude();
    }
  }
  norms.residual = std::sqrt(norms.residual);
  norms.turned_residual = std::sqrt(norms.turned_residual);
  return norms;
}

}  // namespace hilo::test
