// Routines on matrices of host memory for calls to fail in: pieces that a device has room for, and products in panels.
#pragma once

#include <hilo/streaming.hpp>
#include <vector>

#include "same_bits.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

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
    guarded(f, lu, [&] { getrf(queue_, view_of(lu), pivots, options_); });
    if (!same_bytes(lu, expected_) || pivots != pivots_) f.wrong += "other factors; ";
    guarded(f, b,
            [&] { trsm(queue_, Side::left, Uplo::lower, Diag::unit, dd_real(2), view_of(lu), view_of(b), options_); });
    if (!same_bytes(b, expected_solution_)) f.wrong += "another solution; ";
    f.ran = "streamed routines";
  }

 private:
  // Where it fails the matrix is as it was, or the message says that it is not.
  template <class Call>
  void guarded(Findings& f, const std::vector<dd_real>& x, Call call) const {
    try {
      call();
    } catch (const std::exception& failure) {
      const bool says = std::string(failure.what()).find("is undefined") != std::string::npos;
      f.c_changed = !same_bytes(x, a_) && !says;
      throw;
    }
  }
  static MatrixView<dd_real> view_of(std::vector<dd_real>& x) {
    return view(Layout::column, Op::none, x.data(), n, n, n);
  }

  static constexpr std::int64_t n = 70;
  Queue queue_;
  BlockedOptions options_;
  std::vector<dd_real> a_, expected_, expected_solution_;
  std::vector<std::int64_t> pivots_;
};

}  // namespace hilo::test::faults
