// What proofs are made of on the host: sizes of inverses, products in double and in double-double, triangles.
#pragma once

#include <algorithm>
#include <vector>

#include "solve/certificate.hpp"
#include "solve/factor_certificate.hpp"
#include "solve/host_system.hpp"
#include "solve/magnitude_sums.hpp"

namespace hilo::solver {

/// Sizes of an n × n matrix's entries.
class HostSizes {
 public:
  /// Of a matrix by columns.
  template <class E>
  HostSizes(int threads, std::int64_t n, const std::vector<E>& a) : threads_(threads), n_(n), sizes_(a.size()) {
    std::transform(a.begin(), a.end(), sizes_.begin(), [](const E& e) { return magnitude_above(e); });
  }

  std::vector<double> times(const std::vector<double>& y) const {
    return multiply_magnitudes(threads_, solver::Part::whole, sizes_.data(), n_, y);
  }

 private:
  int threads_;
  std::int64_t n_;
  std::vector<double> sizes_;
};

template <gemm_scalar T, class E>
HostSizes sizes_of(const HostSystem<T>& system, const std::vector<E>& inverse) {
  return {system.threads(), system.rows(), inverse};
}

/// In the precision of the inverse, by columns.
template <gemm_scalar T, class E>
Rest<HostSizes> rest_of(const HostSystem<T>& system, const std::vector<E>& inverse) {
  const std::int64_t n = system.rows();
  const auto of = [n](auto& x) { return view(Layout::column, Op::none, x.data(), n, n, n); };
  std::vector<E> rest(inverse.size());
  double unit = 0.0;
  if constexpr (double_double<E>) {
    std::vector<E> a = system.dense();
    for (std::int64_t i = 0; i < n; ++i) rest[static_cast<std::size_t>(i * (n + 1))] = E(1);
    const GemmReport report = gemm(E(-1), of(inverse), of(a), E(1), of(rest), for_entries(system.options()));
    unit = report.plan.error_bound_u2 * 0x1p-106;
  } else {
    unit = unit_of_parts<E>(n);
    ProofPlace<E> place(system.options_of_double(), n, product_strip);
    for (std::int64_t first = 0; first < n; first += product_strip) {
      const std::int64_t width = std::min(product_strip, n - first);
      const MatrixView<E> of_a = place.columns(n, width);
      const auto product = of(rest).sub(0, first, n, width);
      system.write_leading(first, of_a);
      place.add_product(is_by_parts(n), of(inverse), of_a, product);
      for (std::int64_t j = 0; j < width; ++j) product(first + j, j) -= E(1);
    }
  }
  return {{system.threads(), n, rest}, unit};
}

template <gemm_scalar T>
FactorCertificate<T> certificate_of(const HostSystem<T>& system, const Factors<Leading<T>>& triangles) {
  return {system, triangles};
}
template <gemm_scalar T>
std::vector<Solution<T>> in_double_double(const HostSystem<T>&, const std::vector<Leading<T>>& inverse) {
  return {inverse.begin(), inverse.end()};
}

}  // namespace hilo::solver
