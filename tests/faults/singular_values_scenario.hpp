// Singular value decompositions in device memory, in DD, for calls to fail in.
#pragma once

#include <algorithm>
#include <hilo/singular_values.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// A tall matrix, and a nearly square one with values near zero.
class SingularDecompositions : public Scenario {
 public:
  explicit SingularDecompositions(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.products.engine = Engine::direct;
    options_.products.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    for (const std::int64_t m : {9, 6}) {
      const std::vector<dd_real> none(static_cast<std::size_t>(n));
      Problem p{m, {}, none, none};
      for (std::int64_t e = 0; e < m * n; ++e)
        p.a.push_back(dd_real(1.0) / static_cast<double>(e % m * (m == 9) + e / m + 1));
      singular_values(view(Layout::column, Op::none, p.a.data(), m, n, m), VectorView<dd_real>{p.exact.data(), n});
      problems_.push_back(std::move(p));
    }
  }

  void run(Findings& f) override {
    for (Problem& p : problems_) {
      Buffer<dd_real> in_a(queue_.context(), p.m * n), in_u(queue_.context(), p.m * p.m), in_v(queue_.context(), n * n);
      in_a.write(queue_, p.a.data(), 0, in_a.size());
      const auto a = view(Layout::column, Op::none, in_a, p.m, n, p.m);
      const auto u = view(Layout::column, Op::none, in_u, p.m, p.m, p.m);
      const auto v = view(Layout::column, Op::none, in_v, n, n, n);
      std::fill(p.values.begin(), p.values.end(), dd_real(7.0));
      try {
        const auto report =
            singular_value_decomposition(queue_, a, VectorView<dd_real>{p.values.data(), n}, u, v, {}, options_);
        std::vector<dd_real> left(static_cast<std::size_t>(p.m * p.m)), right(static_cast<std::size_t>(n * n));
        in_u.read(queue_, left.data(), 0, in_u.size());
        in_v.read(queue_, right.data(), 0, in_v.size());
        if (!report || !is_right(p, left, right)) f.wrong += "other singular vectors; ";
        for (std::size_t j = 0; j < p.exact.size(); ++j) {
          if (!(std::fabs((p.values[j] - p.exact[j]).hi) <= 20.0 * 0x1p-106 * p.exact.front().hi)) {
            f.wrong += "another singular value; ";
          }
        }
      } catch (...) {
        // Reading what was found may fail, too.
        const auto is_old = [](const dd_real& x) { return x.hi == 7.0; };
        if (!is_old(p.values.front()) && std::any_of(p.values.begin(), p.values.end(), is_old)) f.c_changed = true;
        throw;
      }
    }
    f.ran = "decompositions";
  }

 private:
  static constexpr std::int64_t n = 5;
  struct Problem {
    std::int64_t m;
    std::vector<dd_real> a, values, exact;
  };

  // A v = u σ for each.
  static bool is_right(const Problem& p, const std::vector<dd_real>& u, const std::vector<dd_real>& v) {
    bool is_right = true;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        dd_real w = u[static_cast<std::size_t>(i + j * p.m)] * p.values[static_cast<std::size_t>(j)];
        for (std::int64_t k = 0; k < n; ++k) {
          w -= p.a[static_cast<std::size_t>(i + k * p.m)] * v[static_cast<std::size_t>(k + j * n)];
        }
        is_right = is_right && std::fabs(w.hi) <= 100.0 * 0x1p-106 * p.exact.front().hi;
      }
    }
    return is_right;
  }

  Queue queue_;
  SingularValueOptions options_;
  std::vector<Problem> problems_;
};

}  // namespace hilo::test::faults
