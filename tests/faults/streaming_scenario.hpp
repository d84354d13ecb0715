// Routines on matrices of host memory for calls to fail in: pieces that a device has room for, products in panels, and
// columns dealt to devices, for a call or to stay.
#pragma once

#include <algorithm>
#include <hilo/group_matrix.hpp>
#include <hilo/streaming.hpp>
#include <span>
#include <vector>

#include "same_bits.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

// Where it fails the matrix is as it was, or the message says that it is not.
template <class Call>
void expect_words(Findings& f, std::span<const dd_real> x, const std::vector<dd_real>& before, Call call) {
  try {
    call();
  } catch (const std::exception& failure) {
    const bool says = std::string(failure.what()).find("is undefined") != std::string::npos;
    f.c_changed = !same_bytes(std::vector<dd_real>(x.begin(), x.end()), before) && !says;
    throw;
  }
}

class StreamedRoutines : public Scenario {
 public:
  explicit StreamedRoutines(const std::optional<Context>& context) : queue_(context ? *context : Context()) {
    options_.engine = Engine::direct;
    options_.fma = queue_.context().device().fma ? Fma::on : Fma::off;
    options_.block = 8;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 20.0 : 1.0) / static_cast<double>(i % 97 + 3));
    }
    expected_ = a_;
    pivots_.resize(n);
    getrf(view_of(expected_), pivots_, options_);
    expected_solution_ = a_;
    trsm(Side::left, Uplo::lower, Diag::unit, dd_real(2), view_of(expected_), view_of(expected_solution_), options_);
    options_.device_bytes = 60000;
  }

  void run(Findings& f) override {
    std::vector<std::int64_t> pivots(n);
    std::vector<dd_real> lu = a_, b = a_;
    expect_words(f, lu, a_, [&] { getrf(queue_, view_of(lu), pivots, options_); });
    if (!same_bytes(lu, expected_) || pivots != pivots_) f.wrong += "other factors; ";
    expect_words(f, b, a_, [&] {
      trsm(queue_, Side::left, Uplo::lower, Diag::unit, dd_real(2), view_of(lu), view_of(b), options_);
    });
    if (!same_bytes(b, expected_solution_)) f.wrong += "another solution; ";
    f.ran = "streamed routines";
  }

 private:
  static MatrixView<dd_real> view_of(std::vector<dd_real>& x) {
    return view(Layout::column, Op::none, x.data(), n, n, n);
  }

  static constexpr std::int64_t n = 70;
  Queue queue_;
  BlockedOptions options_;
  std::vector<dd_real> a_, expected_, expected_solution_;
  std::vector<std::int64_t> pivots_;
};

// Columns of pinned memory dealt to two devices, and to one.
class DealtColumns : public Scenario {
 public:
  explicit DealtColumns(const std::optional<Context>& context)
      : devices_(std::vector<Context>(2, context ? *context : Context())), x_(devices_.queue(0).context(), n * n) {
    options_.engine = Engine::direct;
    options_.fma = devices_.queue(0).context().device().fma ? Fma::on : Fma::off;
    options_.block = 1;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 99.0 : 1.0) / static_cast<double>(i % 97 + 3));
    }
    lu_ = l_ = a_;
    pivots_.resize(n);
    getrf(view_of(lu_.data()), pivots_, options_);
    for (std::int64_t i = 0; i < n; ++i) l_[static_cast<std::size_t>(i * (n + 1))] = dd_real(99.0);
    positive_ = l_;
    potrf(Uplo::lower, view_of(l_.data()), options_);
  }

  void run(Findings& f) override {
    const std::span<const dd_real> x(x_.begin(), x_.end());
    for (const DeviceGroup& devices : {devices_, DeviceGroup(devices_.queue(0))}) {
      std::vector<std::int64_t> pivots(n);
      std::copy(a_.begin(), a_.end(), x_.begin());
      expect_words(f, x, a_, [&] { getrf(devices, view_of(x_.data()), pivots, options_); });
      if (!std::equal(lu_.begin(), lu_.end(), x.begin()) || pivots != pivots_) f.wrong += "other factors; ";
    }
    std::copy(positive_.begin(), positive_.end(), x_.begin());
    expect_words(f, x, positive_, [&] { potrf(devices_, Uplo::lower, view_of(x_.data()), options_); });
    if (!std::equal(l_.begin(), l_.end(), x.begin())) f.wrong += "another factor; ";
    f.ran = "dealt columns";
  }

 private:
  static MatrixView<dd_real> view_of(dd_real* x) { return view(Layout::column, Op::none, x, n, n, n); }

  static constexpr std::int64_t n = 66;
  DeviceGroup devices_;
  HostBuffer<dd_real> x_;
  BlockedOptions options_;
  std::vector<dd_real> a_, lu_, positive_, l_;
  std::vector<std::int64_t> pivots_;
};

// A matrix in the memories of two devices, of one context, or of two, between which there may be other ways.
class GroupMatrices : public Scenario {
 public:
  GroupMatrices(const std::optional<Context>& context, int contexts)
      : devices_(group_of(context ? *context : Context(), contexts)), matrix_(devices_, n, n, 1) {
    options_.engine = Engine::direct;
    options_.fma = devices_.queue(0).context().device().fma ? Fma::on : Fma::off;
    options_.block = 1;
    for (std::int64_t i = 0; i < n * n; ++i) {
      a_.push_back(dd_real(i % (n + 1) == 0 ? 99.0 : 1.0) / static_cast<double>(i % 97 + 3));
    }
    lu_ = solution_ = a_;
    pivots_.resize(n);
    getrf(view_of(lu_), pivots_, options_);
    getrs(Op::none, view_of(lu_), pivots_, view_of(solution_), options_);
  }

  void run(Findings& f) override {
    std::vector<std::int64_t> pivots(n);
    std::vector<dd_real> x = a_, b = a_;
    matrix_.write(view_of(a_));
    getrf(matrix_, pivots, options_);
    expect_words(f, x, a_, [&] { matrix_.read(view_of(x)); });
    if (!same_bytes(x, lu_) || pivots != pivots_) f.wrong += "other factors; ";
    expect_words(f, b, a_, [&] { getrs(Op::none, matrix_, pivots_, view_of(b), options_); });
    if (!same_bytes(b, solution_)) f.wrong += "another solution; ";
    f.ran = "a group's matrix";
  }

 private:
  static MatrixView<dd_real> view_of(std::vector<dd_real>& x) {
    return view(Layout::column, Op::none, x.data(), n, n, n);
  }

  static DeviceGroup group_of(const Context& first, int contexts) {
    return DeviceGroup(std::vector<Context>{first, contexts == 1 ? first : Context()});
  }

  static constexpr std::int64_t n = 36;
  DeviceGroup devices_;
  GroupMatrix<dd_real> matrix_;
  BlockedOptions options_;
  std::vector<dd_real> a_, lu_, solution_;
  std::vector<std::int64_t> pivots_;
};

// A product of such matrices.
class GroupProduct : public Scenario {
 public:
  explicit GroupProduct(const std::optional<Context>& context)
      : devices_(std::vector<Context>(2, context ? *context : Context())),
        a_(devices_, n, k, 1),
        b_(devices_, k, n, 1),
        c_(devices_, n, n, 1) {
    options_.engine = Engine::modular;
    for (std::int64_t i = 0; i < n * k; ++i) x_.push_back(dd_real(1.0) / static_cast<double>(i % 97 + 3));
    expected_.resize(n * n);
    gemm(dd_real(1), view_of(x_, n, k), view_of(x_, k, n), dd_real(0), view_of(expected_, n, n), options_);
  }

  void run(Findings& f) override {
    const std::vector<dd_real> before(n * n, dd_real(5));
    std::vector<dd_real> c = before;
    a_.write(view_of(x_, n, k));
    b_.write(view_of(x_, k, n));
    c_.write(view_of(c, n, n));
    try {
      gemm(dd_real(1), a_, b_, dd_real(0), c_, options_);
    } catch (const error& failure) {
      if (std::string(failure.what()).ends_with("; C is undefined")) throw;
      c_.read(view_of(c, n, n));
      f.c_changed = !same_bytes(c, before);
      throw;
    }
    c_.read(view_of(c, n, n));
    if (!same_bytes(c, expected_)) f.wrong += "another product; ";
    f.ran = "a group's product";
  }

 private:
  static MatrixView<dd_real> view_of(std::vector<dd_real>& x, std::int64_t rows, std::int64_t columns) {
    return view(Layout::column, Op::none, x.data(), rows, columns, rows);
  }

  // As many terms as the modular engine's panels take at least.
  static constexpr std::int64_t n = 20, k = 64;
  DeviceGroup devices_;
  GroupMatrix<dd_real> a_, b_, c_;
  GemmOptions options_;
  std::vector<dd_real> x_, expected_;
};

}  // namespace hilo::test::faults
