// Systems solved in device memory, in DD, for calls to fail in.
#pragma once

#include <hilo/solve.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// By factors in double-double with the host's bits, and in double of small integers, of which X is one; with proofs.
class SolvedSystems : public Scenario {
 public:
  explicit SolvedSystems(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.factors = SolveFactors::in_double_double;
    options_.products.engine = Engine::direct;
    options_.products.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i + 3));
      integers_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0));
    }
    for (std::int64_t i = 0; i < n; ++i) {
      b_.push_back(dd_real(1) / static_cast<double>(i + 2));
      exact_.push_back(dd_real(static_cast<double>(i + 1)));
      products_.push_back(dd_real(static_cast<double>(19 * (i + 1) + n * (n + 1) / 2)));
    }
    // Beside ones on the diagonal, two rows that differ little: too little for a proof in double.
    near_.resize(n * n);
    for (std::int64_t i = 0; i < n; ++i) near_[static_cast<std::size_t>(i * (n + 1))] = dd_real(1);
    near_[0] = dd_real(0x1p23 + 1);
    near_[1] = near_[n] = dd_real(0x1p23);
    near_[n + 1] = dd_real(0x1p23 - 1);
    for (std::int64_t i = 0; i < n; ++i) {
      dd_real sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        sum += near_[static_cast<std::size_t>(i + j * n)] * exact_[static_cast<std::size_t>(j)];
      }
      near_products_.push_back(sum);
    }
    x_ = b_;
    const auto view_of = [](std::vector<dd_real>& x) {
      return view(Layout::column, Op::none, x.data(), n, std::ssize(x) / n, n);
    };
    solve(view_of(a_), view_of(b_), view_of(x_), options_);
  }

  void run(Findings& f) override {
    const auto upload = [&](const std::vector<dd_real>& x) {
      Buffer<dd_real> buffer(queue_.context(), std::ssize(x));
      buffer.write(queue_, x.data(), 0, buffer.size());
      return view(Layout::column, Op::none, buffer, n, std::ssize(x) / n, n);
    };
    const auto expect = [&](const SolveReport& report, const BufferView<dd_real>& x,
                            const std::vector<dd_real>& expected) {
      std::vector<dd_real> got(expected.size());
      x.buffer.read(queue_, got.data(), 0, x.buffer.size());
      // By factors in double, to the last bit or so.
      bool is_right = report.is_solved;
      for (std::size_t i = 0; i < got.size(); ++i) {
        is_right = is_right && std::fabs((got[i] - expected[i]).hi) <= 0x1p-106 * expected[i].hi;
      }
      if (!is_right || (report.path == SolvePath::double_double_lu && !same_bytes(got, expected)))
        f.wrong += "another solution; ";
    };
    const auto x = upload(b_), y = upload(products_), z = upload(products_), integers = upload(integers_);
    expect(solve(queue_, upload(a_), x, x, {}, options_), x, x_);
    expect(solve(queue_, integers, y, y), y, exact_);
    expect(solve_positive(queue_, Uplo::upper, integers, z, z), z, exact_);
    // By inverses in double-double, in double, and by products in double-double with inverses in double.
    const auto expect_proved = [&](const SolveReport& report, const BufferView<dd_real>& found,
                                   const std::vector<dd_real>& expected) {
      expect(report, found, expected);
      if (!report.is_certified) f.wrong += "no proof; ";
    };
    SolveOptions with_proof = options_;
    with_proof.certify = true;
    const auto v = upload(b_), w = upload(products_), near = upload(near_products_);
    expect_proved(solve(queue_, upload(a_), v, v, {}, with_proof), v, x_);
    expect_proved(solve(queue_, integers, w, w, {}, {.certify = true}), w, exact_);
    expect_proved(solve(queue_, upload(near_), near, near, {}, {.factors = SolveFactors::in_double, .certify = true}),
                  near, exact_);
    f.ran = "systems solved";
  }

 private:
  static constexpr std::int64_t n = 10;
  Queue queue_;
  SolveOptions options_;
  std::vector<dd_real> a_, b_, x_, integers_, exact_, products_, near_, near_products_;
};

}  // namespace hilo::test::faults
