// Eigenvalues in 420 bits, and how far computed ones are from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "wide_system.hpp"

namespace hilo::test {

/// In ascending order, of a real symmetric matrix by columns: Jacobi's rotations, up to 2^40 roundings.
inline std::vector<Bits> wide_values_of_symmetric(std::int64_t n, std::vector<Bits> a) {
  const auto at = [&](std::int64_t i, std::int64_t j) -> Bits& { return a[static_cast<std::size_t>(i + j * n)]; };
  const auto times = [](Bits x, const Bits& y) { return x *= y; };
  const int bits = static_cast<int>(Bits::precision);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double most = 0.0, all = 0.0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i <= j; ++i) {
        (i == j ? all : most) = std::max(i == j ? all : most, at(i, j).magnitude());
      }
    }
    if (most <= std::ldexp(all, 40 - bits)) break;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const Bits apq = at(p, q);
        if (apq.magnitude() <= std::ldexp(all, 20 - bits)) continue;
        Bits theta = at(q, q);
        theta -= at(p, p);
        theta /= times(apq, 2.0);
        const bool is_negative = theta.value() < 0.0;
        Bits away = times(theta, theta);
        away += 1.0;
        away = away.root();
        away += is_negative ? times(theta, -1.0) : theta;
        Bits t = is_negative ? -1.0 : 1.0;
        t /= away;
        Bits c = times(t, t);
        c += 1.0;
        Bits cosine = 1.0;
        cosine /= c.root();
        const Bits sine = times(t, cosine), change = times(t, apq);
        for (std::int64_t i = 0; i < n; ++i) {
          if (i == p || i == q) continue;
          Bits x = times(at(i, p), cosine), y = times(at(i, p), sine);
          x -= times(at(i, q), sine);
          y += times(at(i, q), cosine);
          at(i, p) = at(p, i) = x;
          at(i, q) = at(q, i) = y;
        }
        at(p, p) -= change;
        at(q, q) += change;
        at(p, q) = at(q, p) = 0.0;
      }
    }
  }
  std::vector<Bits> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(at(i, i));
  std::sort(values.begin(), values.end(), [](Bits x, const Bits& y) { return (x -= y).value() < 0.0; });
  return values;
}

/// Of a Hermitian one, entries of which are wide(entry(i, j)): twice those of [re −im; im re].
template <class Entry>
std::vector<Bits> wide_eigenvalues(std::int64_t n, bool is_complex, Entry entry) {
  const std::int64_t m = is_complex ? 2 * n : n;
  std::vector<Bits> a(static_cast<std::size_t>(m * m));
  for (std::int64_t j = 0; j < m; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const WideNumber x(entry(i % n, j % n));
      Bits e = (i < n) == (j < n) ? x.re : x.im;
      if (i < n && j >= n) e *= -1.0;
      a[static_cast<std::size_t>(i + j * m)] = e;
    }
  }
  std::vector<Bits> values = wide_values_of_symmetric(m, std::move(a)), every;
  for (std::size_t i = 0; i < values.size(); i += is_complex ? 2 : 1) every.push_back(values[i]);
  return every;
}

/// The largest |value − exact|.
template <class Value>
double largest_error(const std::vector<Bits>& exact, Value value) {
  double most = 0.0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    Bits error = exact[j];
    error -= Bits(value(static_cast<std::int64_t>(j)));
    most = std::max(most, error.magnitude());
  }
  return most;
}

/// Σ|AX − XΛ|² and Σ|I − XᴴX|², roots of them; entries are wide(…).
struct WideNorms {
  double residual = 0.0, orthogonality = 0.0;
};
template <class A, class X, class Value>
WideNorms wide_norms(std::int64_t n, A a, X x, Value value) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<WideNumber> matrix(size * size), vectors(size * size);
  for (std::size_t e = 0; e < matrix.size(); ++e) {
    const auto i = static_cast<std::int64_t>(e % size), j = static_cast<std::int64_t>(e / size);
    matrix[e] = WideNumber(a(i, j));
    vectors[e] = WideNumber(x(i, j));
  }
  WideNorms norms;
  const WideNumber minus_one(dd_complex(-1.0));
  for (std::size_t j = 0; j < size; ++j) {
    const WideNumber of_column(dd_complex(value(static_cast<std::int64_t>(j))));
    for (std::size_t i = 0; i < size; ++i) {
      WideNumber w = vectors[i + j * size] * of_column, r(dd_complex(i == j ? 1.0 : 0.0));
      for (std::size_t k = 0; k < size; ++k) {
        WideNumber turned = vectors[k + i * size];
        turned.im *= -1.0;
        w -= matrix[i + k * size] * vectors[k + j * size];
        r -= turned * vectors[k + j * size];
      }
      norms.residual += w.magnitude() * w.magnitude();
      norms.orthogonality += r.magnitude() * r.magnitude();
    }
  }
  return {std::sqrt(norms.residual), std::sqrt(norms.orthogonality)};
}

}  // namespace hilo::test
