// The entries of a modular product that the direct engine computes: few, in rows and columns that stand out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/direct/cpu/product.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/plain_product.hpp"
#include "gemm/modular/cpu/plan.hpp"
#include "gemm/modular/cpu/scaling.hpp"
#include "gemm/modular/guarantee.hpp"

namespace hilo::modular {

template <class T>
class DirectEntries {
 public:
  /// Computes them, alpha and beta too, without touching C.
  DirectEntries(const CpuPlan& plan, const std::vector<Position>& positions, const Product<T>& x)
      : positions_(positions), values_(positions.size()) {
    for (std::size_t first = 0; first < positions.size();) {
      std::size_t last = first;
      while (last < positions.size() && positions[last].line[0] == positions[first].line[0]) ++last;
      compute_row(plan, first, last, x);
      first = last;
    }
  }

  void write(const MatrixView<T>& c) const {
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      c(positions_[i].line[0], positions_[i].line[1]) = values_[i];
    }
  }

  std::int64_t recomputed() const { return recomputed_; }
  double error_bound_u2() const { return error_bound_u2_; }

 private:
  // Entries [first, last) are of one row: a product of that row and of their columns, gathered.
  void compute_row(const CpuPlan& plan, std::size_t first, std::size_t last, const Product<T>& x) {
    constexpr std::size_t columns_at_once = 64;
    std::int64_t row = positions_[first].line[0], k = x.k();
    std::vector<T> gathered;
    for (; first < last; first += columns_at_once) {
      auto count = static_cast<std::int64_t>(std::min(columns_at_once, last - first));
      gathered.resize(static_cast<std::size_t>(k * count));
      MatrixView<T> out{values_.data() + first, 1, count, count, 1};
      for (std::int64_t j = 0; j < count; ++j) {
        std::int64_t column = positions_[first + static_cast<std::size_t>(j)].line[1];
        for (std::int64_t h = 0; h < k; ++h) gathered[static_cast<std::size_t>(j * k + h)] = x.b(h, column);
        if (!(x.beta == T(0))) out(0, j) = x.c(row, column);
      }
      multiply(plan, {x.alpha, x.a.sub(row, 0, 1, k), {gathered.data(), k, count, 1, k, x.b.conjugate}, x.beta, out});
    }
  }

  void multiply(const CpuPlan& plan, const Product<T>& x) {
    if constexpr (double_double<T>) {
      // A row of entries, alone.
      GemmPlan told{};
      told.precision = precision_of<T>;
      told.layout = Layout::column;
      told.m = x.m();
      told.n = x.n();
      told.k = x.k();
      told.batch = 1;
      told.accuracy = plan.options.accuracy == Accuracy::fast ? Accuracy::fast : Accuracy::classic;
      GemmOptions own = plan.options;
      own.threads = plan.threads;
      recomputed_ += direct::execute(direct::plan_product(told, own), x);
      error_bound_u2_ = direct_error_bound_u2(x.k(), told.accuracy, is_complex_scalar<T>, told.fma);
    } else {
      plain_product(x, 1);
      error_bound_u2_ = plain_sum_bound(x.k(), is_complex_scalar<T>);
    }
  }

  const std::vector<Position>& positions_;
  std::vector<T> values_;
  std::int64_t recomputed_ = 0;
  double error_bound_u2_ = 0.0;
};

}  // namespace hilo::modular
