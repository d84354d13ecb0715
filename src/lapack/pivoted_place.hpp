// Where QR with column pivoting runs on the host.
#pragma once

#include <algorithm>
#include <span>

#include "blas/host_place.hpp"
#include "lapack/cpu/pivoted_panel.hpp"

namespace hilo::lapack {

template <gemm_scalar T>
class PivotedPlace : public blas::HostPlace<T> {
 public:
  using Matrix = MatrixView<T>;

  PivotedPlace(const BlockedOptions& options, const Matrix& a, std::span<std::int64_t> pivots, std::span<T> tau)
      : blas::HostPlace<T>(options),
        panels_(this->arithmetic(), this->threads(), a, pivots, tau,
                std::min({a.rows, a.columns, blas::HostPlace<T>::block()})) {}

  std::int64_t pivoted_panel(std::int64_t first, std::int64_t width, const Matrix& w) {
    return panels_.factor(first, width, w);
  }
  void renew_norms(std::int64_t first) { panels_.renew_norms(first); }

 private:
  PivotedPanels<T> panels_;
};

}  // namespace hilo::lapack
