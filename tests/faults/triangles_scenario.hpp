// Triangles of many rows in device memory, in S, for calls to fail in.
#pragma once

#include <hilo/blas.hpp>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// Of small integers, so that the host's sums are the same in any order: ones on the diagonal and beside it.
class Triangles : public Scenario {
 public:
  explicit Triangles(const std::optional<Context>& context)
      : queue_(context ? *context : Context()), a_(n * n), b_(n * columns) {
    for (std::int64_t i = 0; i < n; ++i) a_[static_cast<std::size_t>(i * (n + 1))] = 1;
    for (std::int64_t i = 1; i < n; ++i) a_[static_cast<std::size_t>(i + (i - 1) * n)] = 1;
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = static_cast<float>(i % 5);
    expected_ = b_;
    const auto a = view(Layout::column, Op::none, a_.data(), n, n, n);
    const auto b = view(Layout::column, Op::none, expected_.data(), n, columns, n);
    trsm(Side::left, Uplo::lower, Diag::unit, 2.0F, a, b);
    trmm(Side::left, Uplo::lower, Diag::non_unit, 1.0F, a, b);
    trmm(Side::left, Uplo::upper, Diag::non_unit, 2.0F, a.turned(Op::transpose), b);
  }

  void run(Findings& f) override {
    Buffer<float> in_a(queue_.context(), n * n), in_b(queue_.context(), n * columns);
    in_a.write(queue_, a_.data(), 0, in_a.size());
    in_b.write(queue_, b_.data(), 0, in_b.size());
    const auto a = view(Layout::column, Op::none, in_a, n, n, n);
    const auto b = view(Layout::column, Op::none, in_b, n, columns, n);
    Event last = trsm(queue_, Side::left, Uplo::lower, Diag::unit, 2.0F, a, b);
    last = trmm(queue_, Side::left, Uplo::lower, Diag::non_unit, 1.0F, a, b, {last});
    trmm(queue_, Side::left, Uplo::upper, Diag::non_unit, 2.0F, a.turned(Op::transpose), b, {last}).wait();
    std::vector<float> got(expected_.size());
    in_b.read(queue_, got.data(), 0, in_b.size());
    if (!same_bytes(got, expected_)) f.wrong += "another matrix; ";
    f.ran = "triangles";
  }

 private:
  // From 512 rows on a triangle is multiplied by as one product.
  static constexpr std::int64_t n = 520, columns = 3;
  Queue queue_;
  std::vector<float> a_, b_, expected_;
};

}  // namespace hilo::test::faults
