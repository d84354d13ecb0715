// Hermitian matrices whose eigenvalues are hard in some way: clusters, multiple ones, graded ones.
#pragma once

#include <cmath>
#include <functional>
#include <hilo/lapack.hpp>
#include <string>
#include <vector>

#include "matrices.hpp"
#include "random.hpp"

namespace hilo::test {

/// n × n, by columns.
template <double_double T>
std::vector<T> random_hermitian(std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> a(static_cast<std::size_t>(n * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      const T x = random_element<T>(random);
      a[static_cast<std::size_t>(i + j * n)] = i == j ? T(real(x)) : x;
      a[static_cast<std::size_t>(j + i * n)] = i == j ? T(real(x)) : conjugate_of(x);
    }
  }
  return a;
}

/// m × n, by columns, which are orthonormal to double-double.
template <double_double T>
std::vector<T> random_orthonormal(std::int64_t m, std::int64_t n, Random& random) {
  std::vector<T> q(static_cast<std::size_t>(m * n)), tau(static_cast<std::size_t>(n));
  for (T& e : q) e = random_element<T>(random);
  const MatrixView<T> of_q = view(Layout::column, Op::none, q.data(), m, n, m);
  geqrf(of_q, std::span(tau));
  ungqr(of_q, std::span<const T>(tau));
  return q;
}

/// Q · Λ · Qᴴ, Q orthonormal to double-double.
template <double_double T, class Value>
std::vector<T> hermitian_with_values(std::int64_t n, std::uint64_t seed, Value value) {
  Random random(seed);
  std::vector<T> q = random_orthonormal<T>(n, n, random), a(q.size());
  const auto of = [n](std::vector<T>& x) { return view(Layout::column, Op::none, x.data(), n, n, n); };
  std::vector<T> scaled = q;
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real of_column = value(j);
    for (std::int64_t i = 0; i < n; ++i) {
      T& e = scaled[static_cast<std::size_t>(i + j * n)];
      e = e * T(of_column);
    }
  }
  gemm(T(1), of(scaled), of(q).turned(Op::conjugate_transpose), T(0), of(a));
  for (std::int64_t j = 0; j < n; ++j) {
    a[static_cast<std::size_t>(j * (n + 1))] = T(real(a[static_cast<std::size_t>(j * (n + 1))]));
    for (std::int64_t i = j + 1; i < n; ++i) {
      a[static_cast<std::size_t>(j + i * n)] = conjugate_of(a[static_cast<std::size_t>(i + j * n)]);
    }
  }
  return a;
}

template <double_double T>
struct Spectrum {
  std::string name;
  std::function<std::vector<T>(std::int64_t)> matrix;
};

template <double_double T>
std::vector<Spectrum<T>> every_spectrum() {
  using Matrix = std::vector<T>;
  const auto with_values = [](std::string name, std::function<dd_real(std::int64_t, std::int64_t)> value) {
    return Spectrum<T>{std::move(name), [value](std::int64_t n) {
                         return hermitian_with_values<T>(n, 5, [&](std::int64_t j) { return value(j, n); });
                       }};
  };
  const auto geometric = [=](std::string name, double smallest) {
    return with_values(std::move(name), [smallest](std::int64_t j, std::int64_t n) {
      return dd_real(std::pow(smallest, static_cast<double>(j) / static_cast<double>(n - 1)));
    });
  };
  const auto clusters = [=](std::string name, std::int64_t count, double width) {
    return with_values(std::move(name), [=](std::int64_t j, std::int64_t n) {
      Random random(static_cast<std::uint64_t>(100 + j));
      return dd_real(static_cast<double>(1 + j * count / n)) + dd_real(width) * random.uniform();
    });
  };
  const auto near_identity = [](std::string name, double size) {
    return Spectrum<T>{std::move(name), [size](std::int64_t n) {
                         Matrix a = random_hermitian<T>(n, 8);
                         for (T& e : a) e = e * T(size);
                         for (std::int64_t i = 0; i < n; ++i) {
                           T& e = a[static_cast<std::size_t>(i * (n + 1))];
                           e = e + T(1);
                         }
                         return a;
                       }};
  };
  return {
      with_values("uniform gaps", [](std::int64_t j, std::int64_t n) { return dd_real(double(j + 1)) / double(n); }),
      {"random", [](std::int64_t n) { return random_hermitian<T>(n, 7); }},
      geometric("geometric to 1e-10", 1e-10),
      clusters("one cluster, width 1e-10", 1, 1e-10),
      clusters("5 clusters, width 1e-14", 5, 1e-14),
      clusters("5 clusters, width 1e-18", 5, 1e-18),
      clusters("5 clusters, width 1e-25", 5, 1e-25),
      clusters("5 values, each n/5 times", 5, 0.0),
      geometric("geometric to 1e-25", 1e-25),
      with_values("half zero", [](std::int64_t j, std::int64_t n) { return dd_real(2 * j < n ? 0.0 : double(j)); }),
      with_values("all but one equal", [](std::int64_t j, std::int64_t) { return dd_real(j == 0 ? 3.0 : 1.0); }),
      {"Wilkinson's W+",
       [](std::int64_t n) {
         Matrix a(static_cast<std::size_t>(n * n), T(0));
         for (std::int64_t i = 0; i < n; ++i) {
           a[static_cast<std::size_t>(i * (n + 1))] = T(std::fabs(double(2 * i - n + 1)) / 2.0);
           if (i + 1 == n) continue;
           a[static_cast<std::size_t>(i * (n + 1) + 1)] = a[static_cast<std::size_t>(i * (n + 1) + n)] = T(1);
         }
         return a;
       }},
      near_identity("I + 1e-20 G", 1e-20),
      near_identity("I + 1e-12 G", 1e-12),
      {"D (G + nI) D, graded by 2^80",
       [](std::int64_t n) {
         Matrix a = random_hermitian<T>(n, 9);
         for (std::int64_t j = 0; j < n; ++j) {
           for (std::int64_t i = 0; i < n; ++i) {
             T& e = a[static_cast<std::size_t>(i + j * n)];
             if (i == j) e = e + T(double(n));
             const auto exponent = [n](std::int64_t k) { return -static_cast<int>(80 * k / std::max(n - 1, k + 1)); };
             e = e * T(std::ldexp(1.0, exponent(i) + exponent(j)));
           }
         }
         return a;
       }},
  };
}

}  // namespace hilo::test
