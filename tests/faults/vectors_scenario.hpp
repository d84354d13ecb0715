// Levels 1 and 2 of the BLAS in device memory, small, for calls to fail in.
#pragma once

#include <hilo/blas.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// Vectors and a matrix, whose bits are the host's.
class Vectors : public Scenario {
 public:
  explicit Vectors(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    for (std::int64_t i = 0; i < n; ++i) x_.push_back(dd_real(1) / static_cast<double>(i + 2));
    y_ = x_;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i + 3));
    }
    expected_a_ = a_, expected_y_ = y_;
    const VectorView<dd_real> x{x_.data(), n}, y{expected_y_.data(), n};
    const MatrixView<dd_real> a = view(Layout::column, Op::none, expected_a_.data(), n, n, n);
    axpy(2, x, y);
    trsv(Uplo::lower, Diag::non_unit, a, y);
    ger(2, x, y, a);
    symv(Uplo::upper, 1, a, x, 1, y);
    trmv(Uplo::upper, Diag::unit, a, y);
    dot_ = dot(x, y);
    place_ = iamax(y);
  }

  void run(Findings& f) override {
    Buffer<dd_real> in_a(queue_.context(), n * n), in_x(queue_.context(), n), in_y(queue_.context(), n);
    in_a.write(queue_, a_.data(), 0, n * n);
    in_x.write(queue_, x_.data(), 0, n);
    in_y.write(queue_, y_.data(), 0, n);
    const BufferVector<dd_real> x{in_x, 0, n}, y{in_y, 0, n};
    const BufferView<dd_real> a = view(Layout::column, Op::none, in_a, n, n, n);
    Event last = axpy(queue_, 2, x, y);
    last = trsv(queue_, Uplo::lower, Diag::non_unit, a, y, {last});
    last = ger(queue_, 2, x, y, a, {last});
    last = symv(queue_, Uplo::upper, 1, a, x, 1, y, {last});
    last = trmv(queue_, Uplo::upper, Diag::unit, a, y, {last});
    if (!same_bytes(std::vector{dot(queue_, x, y, {last})}, std::vector{dot_})) f.wrong += "another sum; ";
    if (iamax(queue_, y) != place_) f.wrong += "another place; ";
    std::vector<dd_real> got_a(n * n), got_y(n);
    in_a.read(queue_, got_a.data(), 0, n * n);
    in_y.read(queue_, got_y.data(), 0, n);
    if (!same_bytes(got_a, expected_a_)) f.wrong += "another matrix; ";
    if (!same_bytes(got_y, expected_y_)) f.wrong += "another vector; ";
    f.ran = "vectors";
  }

 private:
  static constexpr std::int64_t n = 9;
  Queue queue_;
  std::vector<dd_real> a_, x_, y_, expected_a_, expected_y_;
  dd_real dot_;
  std::int64_t place_ = 0;
};

}  // namespace hilo::test::faults
