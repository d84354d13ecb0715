// Exchanges of rows in device memory for calls to fail in: of more than work-groups take at once, most of which move.
#pragma once

#include <algorithm>

#include "faults.hpp"
#include "lapack/opencl/place.hpp"
#include "product.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

class Exchanges : public Scenario {
 public:
  explicit Exchanges(const std::optional<Context>& context)
      : queue_(context ? *context : Context()), a_(rows * columns), pivots_(rows / 5 + 1) {
    for (std::size_t i = 0; i < a_.size(); ++i) a_[i] = dd_complex(static_cast<double>(i), 1);
    expected_ = a_;
    for (std::int64_t i = 0; i < std::ssize(pivots_); ++i) {
      const std::int64_t other = rows - 1 - i;
      pivots_[static_cast<std::size_t>(i)] = other + 1;
      for (std::int64_t j = 0; j < columns; ++j) {
        std::swap(expected_[static_cast<std::size_t>(i + j * rows)],
                  expected_[static_cast<std::size_t>(other + j * rows)]);
      }
    }
  }

  void run(Findings& f) override {
    Buffer<dd_complex> a(queue_.context(), std::ssize(a_));
    a.write(queue_, a_.data(), 0, a.size());
    // As the library's own calls are.
    opencl::guarded("exchanging rows", [&] {
      lapack::DevicePlace place(*queue_.state(), Precision::zdd, {}, {});
      place.set_pivots(pivots_);
      place.move_rows({cl::Buffer(a.native(), true), 0, rows, columns, 1, rows}, 0, std::ssize(pivots_));
      place.finish().wait();
    });
    std::vector<dd_complex> got(a_.size());
    a.read(queue_, got.data(), 0, a.size());
    if (!same_bytes(got, expected_)) f.wrong += "another matrix; ";
    f.ran = "exchanges of rows";
  }

 private:
  // More moves than the kernel takes that has columns in local memory, and than registers do. Lists of moves take time
  // by the square of their number, which shall be no larger.
  static constexpr std::int64_t rows = 10400;
  static constexpr std::int64_t columns = 3;
  Queue queue_;
  std::vector<dd_complex> a_, expected_;
  std::vector<std::int64_t> pivots_;
};

}  // namespace hilo::test::faults
