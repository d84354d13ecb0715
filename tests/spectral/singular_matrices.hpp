// Matrices whose singular values are hard in some way: clusters, multiple ones, values near zero, graded ones.
#pragma once

#include "spectra.hpp"

namespace hilo::test {

/// m × n, by columns.
template <double_double T>
std::vector<T> random_matrix(std::int64_t m, std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> a(static_cast<std::size_t>(m * n));
  for (T& e : a) e = random_element<T>(random);
  return a;
}

/// U · Σ · Vᴴ, m >= n, U and V orthonormal to double-double.
template <double_double T, class Value>
std::vector<T> matrix_with_values(std::int64_t m, std::int64_t n, std::uint64_t seed, Value value) {
  Random random(seed);
  std::vector<T> u = random_orthonormal<T>(m, n, random), v = random_orthonormal<T>(n, n, random), a(u.size());
  for (std::int64_t j = 0; j < n; ++j) {
    const dd_real of_column = value(j);
    for (std::int64_t i = 0; i < m; ++i) {
      T& e = u[static_cast<std::size_t>(i + j * m)];
      e = e * T(of_column);
    }
  }
  gemm(T(1), view(Layout::column, Op::none, u.data(), m, n, m),
       view(Layout::column, Op::none, v.data(), n, n, n).turned(Op::conjugate_transpose), T(0),
       view(Layout::column, Op::none, a.data(), m, n, m));
  return a;
}

template <double_double T>
struct SingularSpectrum {
  std::string name;
  std::function<std::vector<T>(std::int64_t, std::int64_t)> matrix;  ///< m × n, m >= n
};

template <double_double T>
std::vector<SingularSpectrum<T>> every_singular_spectrum() {
  using Matrix = std::vector<T>;
  const auto with_values = [](std::string name, std::function<dd_real(std::int64_t, std::int64_t)> value) {
    return SingularSpectrum<T>{std::move(name), [value](std::int64_t m, std::int64_t n) {
                                 return matrix_with_values<T>(m, n, 5, [&](std::int64_t j) { return value(j, n); });
                               }};
  };
  const auto geometric = [=](std::string name, double smallest) {
    return with_values(std::move(name), [smallest](std::int64_t j, std::int64_t n) {
      return dd_real(
          std::pow(smallest, static_cast<double>(j) / static_cast<double>(std::max<std::int64_t>(n - 1, 1))));
    });
  };
  const auto clusters = [=](std::string name, std::int64_t count, double width, double size = 1.0) {
    return with_values(std::move(name), [=](std::int64_t j, std::int64_t n) {
      Random random(static_cast<std::uint64_t>(100 + j));
      const dd_real value = dd_real(static_cast<double>(1 + j * count / n)) + dd_real(width) * random.uniform();
      return j * count / n == 0 ? value * size : value;
    });
  };
  const auto graded = [](std::string name, int of_rows, int of_columns) {
    return SingularSpectrum<T>{std::move(name), [=](std::int64_t m, std::int64_t n) {
                                 Matrix a = random_matrix<T>(m, n, 9);
                                 for (std::int64_t k = 0; k < m * n; ++k) {
                                   T& e = a[static_cast<std::size_t>(k)];
                                   const auto exponent = of_rows * (k % m) / m + of_columns * (k / m) / n;
                                   e = e * T(std::ldexp(1.0, -static_cast<int>(exponent)));
                                 }
                                 return a;
                               }};
  };
  return {
      with_values("uniform gaps", [](std::int64_t j, std::int64_t n) { return dd_real(double(j + 1)) / double(n); }),
      {"random", [](std::int64_t m, std::int64_t n) { return random_matrix<T>(m, n, 7); }},
      geometric("geometric to 1e-8", 1e-8),
      geometric("geometric to 1e-25", 1e-25),
      clusters("one cluster, width 1e-10", 1, 1e-10),
      clusters("5 clusters, width 1e-14", 5, 1e-14),
      clusters("5 clusters, width 1e-18", 5, 1e-18),
      clusters("5 clusters, width 1e-25", 5, 1e-25),
      clusters("5 values, each n/5 times", 5, 0.0),
      clusters("5 clusters, one of 1e-9", 5, 1e-14, 1e-9),
      clusters("5 clusters, one of 1e-18", 5, 1e-14, 1e-18),
      with_values("rank n/2", [](std::int64_t j, std::int64_t n) { return dd_real(2 * j < n ? 0.0 : double(j)); }),
      with_values("rank 1", [](std::int64_t j, std::int64_t) { return dd_real(j == 0 ? 3.0 : 0.0); }),
      with_values("all but one equal", [](std::int64_t j, std::int64_t) { return dd_real(j == 0 ? 3.0 : 1.0); }),
      with_values("one of 1e-20", [](std::int64_t j, std::int64_t) { return dd_real(j == 0 ? 1e-20 : double(j)); }),
      {"I + 1e-20 G",
       [](std::int64_t m, std::int64_t n) {
         Matrix a = random_matrix<T>(m, n, 8);
         for (std::int64_t k = 0; k < m * n; ++k) {
           T& e = a[static_cast<std::size_t>(k)];
           e = e * T(1e-20) + T(k % m == k / m ? 1 : 0);
         }
         return a;
       }},
      graded("rows graded by 2^80", 80, 0),
      graded("columns graded by 2^80", 0, 80),
      graded("both graded by 2^40", 40, 40),
  };
}

}  // namespace hilo::test
