// Systems solved in device memory, in DD, for calls to fail in.
#pragma once

#include <hilo/solve.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// By factors in double-double with the host's bits, and in double of small integers, of which X is one.
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
    f.ran = "systems solved";
  }

 private:
  static constexpr std::int64_t n = 5;
  Queue queue_;
  SolveOptions options_;
  std::vector<dd_real> a_, b_, x_, integers_, exact_, products_;
};

}  // namespace hilo::test::faults
