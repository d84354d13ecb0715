// Eigenproblems in device memory, in DD, for calls to fail in.
#pragma once

#include <algorithm>
#include <hilo/eigenvalues.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// One whose vectors are corrected one by one, with a proof, and one with a cluster.
class Eigensystems : public Scenario {
 public:
  explicit Eigensystems(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.products.engine = Engine::direct;
    options_.products.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    for (const std::int64_t n : {5, 20}) {
      const std::vector<dd_real> none(static_cast<std::size_t>(n));
      Problem p{n, {}, none, none};
      for (std::int64_t e = 0; e < n * n; ++e) {
        const std::int64_t i = e % n, j = e / n;
        // Of the second all but a few parts in 1e20 is the unit matrix.
        const dd_real x = dd_real(1.0) / static_cast<double>(i + j + 1);
        p.a.push_back(n == 5 ? x : dd_real(i == j ? 1.0 : 0.0) + x * 1e-13);
      }
      hermitian_eigenvalues(Uplo::lower, view(Layout::column, Op::none, p.a.data(), n, n, n),
                            VectorView<dd_real>{p.exact.data(), n});
      problems_.push_back(std::move(p));
    }
  }

  void run(Findings& f) override {
    for (Problem& p : problems_) {
      options_.certify = p.n == 5;
      Buffer<dd_real> in_a(queue_.context(), p.n * p.n), in_x(queue_.context(), p.n * p.n);
      in_a.write(queue_, p.a.data(), 0, in_a.size());
      const auto a = view(Layout::column, Op::none, in_a, p.n, p.n, p.n);
      const auto x = view(Layout::column, Op::none, in_x, p.n, p.n, p.n);
      std::fill(p.values.begin(), p.values.end(), dd_real(7.0));
      try {
        const auto report = symmetric_eigensystem(queue_, Uplo::upper, a, {p.values.data(), p.n}, x, {}, options_);
        std::vector<dd_real> got(p.a.size());
        in_x.read(queue_, got.data(), 0, in_x.size());
        if (!report || report.is_certified != options_.certify || !is_right(p, got)) f.wrong += "other eigenvectors; ";
        for (std::size_t j = 0; j < p.exact.size(); ++j) {
          if (!(std::fabs((p.values[j] - p.exact[j]).hi) <= 20.0 * 0x1p-106 * p.exact.back().hi)) {
            f.wrong += "another eigenvalue; ";
          }
        }
      } catch (...) {
        // Reading what was found may fail, too.
        const bool is_written = p.values.front().hi != 7.0;
        const bool is_whole =
            std::none_of(p.values.begin(), p.values.end(), [](const dd_real& v) { return v.hi == 7.0; });
        if (is_written && !is_whole) f.c_changed = true;
        throw;
      }
    }
    f.ran = "eigensystems";
  }

 private:
  struct Problem {
    std::int64_t n;
    std::vector<dd_real> a, values, exact;
  };

  // A x = x λ for each.
  static bool is_right(const Problem& p, const std::vector<dd_real>& x) {
    const auto at = [&](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i + j * p.n); };
    bool is_right = true;
    for (std::int64_t j = 0; j < p.n; ++j) {
      dd_real square = 0.0;
      for (std::int64_t i = 0; i < p.n; ++i) {
        dd_real w = x[at(i, j)] * p.values[static_cast<std::size_t>(j)];
        for (std::int64_t k = 0; k < p.n; ++k) w -= p.a[at(i, k)] * x[at(k, j)];
        is_right = is_right && std::fabs(w.hi) <= 100.0 * 0x1p-106 * p.exact.back().hi;
        square += x[at(i, j)] * x[at(i, j)];
      }
      is_right = is_right && std::fabs((square - 1.0).hi) <= 100.0 * 0x1p-106;
    }
    return is_right;
  }

  Queue queue_;
  EigenvalueOptions options_;
  std::vector<Problem> problems_;
};

}  // namespace hilo::test::faults
