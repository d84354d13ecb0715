// Factorisations, the systems that they solve and level 3 in device memory, small, for calls to fail in.
#pragma once

#include <hilo/lapack.hpp>
#include <vector>

#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// LU, Cholesky, and systems solved by them, whose bits are the host's.
class Systems : public Scenario {
 public:
  explicit Systems(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.engine = Engine::direct;
    options_.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    options_.block = 4;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i + 3));
    }
    for (std::int64_t i = 0; i < n * 2; ++i) b_.push_back(dd_real(1) / static_cast<double>(i + 2));
    std::vector<std::int64_t> pivots(n);
    std::vector<dd_real> a = a_;
    lu_x_ = positive_x_ = b_;
    const auto view_of = [](std::vector<dd_real>& x) {
      return view(Layout::column, Op::none, x.data(), n, std::ssize(x) / n, n);
    };
    getrf(view_of(a), pivots, options_);
    getrs<dd_real>(Op::none, view_of(a), pivots, view_of(lu_x_), options_);
    // Of the diagonal alone.
    a.assign(n * n, dd_real(0));
    for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = dd_real(static_cast<double>(i + 2));
    positive_ = a;
    potrf(Uplo::lower, view_of(a), options_);
    potrs<dd_real>(Uplo::lower, view_of(a), view_of(positive_x_), options_);
  }

  void run(Findings& f) override {
    const auto upload = [&](const std::vector<dd_real>& x) {
      Buffer<dd_real> buffer(queue_.context(), std::ssize(x));
      buffer.write(queue_, x.data(), 0, buffer.size());
      return view(Layout::column, Op::none, buffer, n, std::ssize(x) / n, n);
    };
    const auto expect = [&](const BufferView<dd_real>& x, const std::vector<dd_real>& expected) {
      std::vector<dd_real> got(expected.size());
      x.buffer.read(queue_, got.data(), 0, x.buffer.size());
      if (!same_bytes(got, expected)) f.wrong += "another solution; ";
    };
    const auto lu = upload(a_), x = upload(b_), factor = upload(positive_), y = upload(b_);
    std::vector<std::int64_t> pivots(n);
    if (getrf(queue_, lu, pivots, {}, options_) != 0) f.wrong += "info; ";
    getrs(queue_, Op::none, lu, pivots, x, {}, options_);
    expect(x, lu_x_);
    if (potrf(queue_, Uplo::lower, factor, {}, options_) != 0) f.wrong += "info; ";
    potrs(queue_, Uplo::lower, factor, y, {}, options_);
    expect(y, positive_x_);
    f.ran = "systems";
  }

 private:
  static constexpr std::int64_t n = 9;
  Queue queue_;
  BlockedOptions options_;
  std::vector<dd_real> a_, b_, positive_, lu_x_, positive_x_;
};

// Level 3 beside products, whose bits are the host's.
class Level3 : public Scenario {
 public:
  explicit Level3(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.engine = Engine::direct;
    options_.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    options_.block = 4;
    by_moduli_.engine = Engine::modular;
    by_moduli_.accuracy = Accuracy::normwise;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i + 3));
      b_.push_back(dd_real(1) / static_cast<double>(i + 2));
    }
    expected_ = b_;
    const auto view_of = [](auto& x) { return view(Layout::column, Op::none, x.data(), n, n, n); };
    run(view_of(a_), view_of(expected_),
        [&](const auto& options, auto routine, const auto&... x) { routine(x..., options); });
  }

  void run(Findings& f) override {
    const auto upload = [&](const std::vector<dd_real>& x) {
      Buffer<dd_real> buffer(queue_.context(), std::ssize(x));
      buffer.write(queue_, x.data(), 0, buffer.size());
      return view(Layout::column, Op::none, buffer, n, n, n);
    };
    const auto a = upload(a_), b = upload(b_);
    Event last;
    run(a, b, [&](const auto& options, auto routine, const auto&... x) {
      last = routine(queue_, x..., std::vector<Event>{last}, options);
    });
    last.wait();
    std::vector<dd_real> got(expected_.size());
    b.buffer.read(queue_, got.data(), 0, b.buffer.size());
    if (!same_bytes(got, expected_)) f.wrong += "another matrix; ";
    f.ran = "level 3";
  }

 private:
  // By a call on the host, or on the queue.
  template <class View, class Call>
  void run(const View& a, const View& b, Call call_with) const {
    const View left = b.sub(0, 0, n, 4), right = b.sub(0, 4, n, 5);
    const auto call = [&](auto routine, const auto&... x) { call_with(options_, routine, x...); };
    call([](auto&&... x) { return trsm(x...); }, Side::left, Uplo::lower, Diag::non_unit, dd_real(2), a, left);
    call([](auto&&... x) { return trmm(x...); }, Side::left, Uplo::upper, Diag::unit, dd_real(1), a, left);
    call([](auto&&... x) { return symm(x...); }, Side::right, Uplo::lower, dd_real(1), a.sub(0, 0, 4, 4), left,
         dd_real(1), right.sub(0, 0, n, 4));
    call([](auto&&... x) { return syr2k(x...); }, Uplo::lower, dd_real(1), a.sub(0, 0, 5, 3), a.sub(2, 3, 5, 3),
         dd_real(1), right.sub(0, 0, 5, 5));
    // A triangle as one product.
    call_with(
        by_moduli_, [](auto&&... x) { return syrk(x...); }, Uplo::upper, dd_real(1), a.sub(0, 0, 5, n), dd_real(1),
        right.sub(0, 0, 5, 5));
  }

  static constexpr std::int64_t n = 9;
  Queue queue_;
  BlockedOptions options_, by_moduli_;
  std::vector<dd_real> a_, b_, expected_;
};

}  // namespace hilo::test::faults
