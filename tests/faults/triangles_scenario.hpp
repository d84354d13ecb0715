// Triangles in device memory for calls to fail in: of many rows in S, and by the modular engine.
#pragma once

#include <hilo/blas.hpp>

#include "blas/level3.hpp"
#include "blas/opencl/place.hpp"
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

// A matrix times its transpose, of which one look serves both, and blocks of a triangle as one product. Of small
// integers, whose products are exact.
class ModularTriangles : public Scenario {
 public:
  explicit ModularTriangles(const std::optional<Context>& context)
      : queue_(context ? *context : Context()), a_(n * n), b_(n * columns), expected_c_(n * n) {
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = static_cast<double>(1 + i % 3);
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = static_cast<double>(1 + i % 5);
    expected_ = b_;
    const auto a = view(Layout::column, Op::none, a_.data(), n, n, n);
    trmm(Side::left, Uplo::lower, Diag::non_unit, 2, a,
         view(Layout::column, Op::none, expected_.data(), n, columns, n));
    syrk(Uplo::lower, 1, a, 0, view(Layout::column, Op::none, expected_c_.data(), n, n, n));
  }

  void run(Findings& f) override {
    Buffer<dd_real> in_a(queue_.context(), n * n), in_b(queue_.context(), n * columns), in_c(queue_.context(), n * n);
    in_a.write(queue_, a_.data(), 0, in_a.size());
    in_b.write(queue_, b_.data(), 0, in_b.size());
    in_c.write(queue_, std::vector<dd_real>(n * n).data(), 0, in_c.size());
    const auto a = view(Layout::column, Op::none, in_a, n, n, n);
    syrk(queue_, Uplo::lower, 1, a, 0, view(Layout::column, Op::none, in_c, n, n, n), {},
         {.engine = Engine::modular, .accuracy = Accuracy::normwise})
        .wait();
    // As the library's own calls are.
    const bool is_done = opencl::guarded("multiplying by a triangle", [&] {
      Place place(*queue_.state(), Precision::dd, {.engine = Engine::modular}, {});
      const DeviceView left{cl::Buffer(in_a.native(), true), 0, n, n, 1, n};
      const DeviceView right{cl::Buffer(in_b.native(), true), 0, n, columns, 1, n};
      const bool is_taken = blas::multiply_blocks_at_once(place, Uplo::lower, Diag::non_unit, 2, left, right);
      place.finish().wait();
      return is_taken;
    });
    if (!is_done) f.wrong += "by halves; ";
    std::vector<dd_real> got(b_.size()), got_c(a_.size());
    in_b.read(queue_, got.data(), 0, in_b.size());
    in_c.read(queue_, got_c.data(), 0, in_c.size());
    if (!same_bytes(got, expected_)) f.wrong += "another product; ";
    if (!same_bytes(got_c, expected_c_)) f.wrong += "another update; ";
    f.ran = "triangles by the modular engine";
  }

 private:
  struct Place : blas::DevicePlace {
    using DevicePlace::DevicePlace;
    std::int64_t rows_beside_one_product(std::int64_t order, std::int64_t) { return order > 64 ? 64 : 0; }
  };
  static constexpr std::int64_t n = 140, columns = 3;
  Queue queue_;
  std::vector<dd_real> a_, b_, expected_, expected_c_;
};

}  // namespace hilo::test::faults
