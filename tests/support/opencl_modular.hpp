// The modular engine on an OpenCL device against the CPU's: expect_as_on_cpu compares every bit, the report, and what
// is refused; multiply_from_host and multiply_in_buffers do a Problem's product, Placed holds matrices in device
// memory.
#pragma once

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <optional>

#include "error_message.hpp"
#include "modular_problems.hpp"
#include "opencl_queue.hpp"
#include "test_size.hpp"

namespace hilo::test {

/// One after another, round and round.
inline Storage storage_of(std::int64_t turn, std::int64_t pad = 3) {
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};
  turn %= 18;
  return {turn < 9 ? Layout::column : Layout::row, ops[turn % 3], ops[turn / 3 % 3], turn % 4 ? pad : 0};
}

/// What the CPU is asked for to have a device's bits: plain sums where it would take the BLAS library, and the device's
/// choice of FMA.
template <class T>
GemmOptions on_cpu(GemmOptions options) {
  if (!double_double<T>) options.engine = Engine::reproducible;
  if (options.fma == Fma::automatic) options.fma = queue().context().device().fma ? Fma::on : Fma::off;
  options.threads = 1;
  options.workspace_bytes = options.depth = 0;
  return options;
}

/// Elements in device memory, between others that no one may touch.
template <class T>
class Placed {
 public:
  Placed(const Queue& q, const std::vector<T>& elements, std::int64_t offset)
      : offset_(offset), count_(std::ssize(elements)), buffer_(q.context(), offset + count_ + beyond) {
    std::vector<T> all(static_cast<std::size_t>(buffer_.size()), marker());
    std::copy(elements.begin(), elements.end(), all.begin() + offset);
    buffer_.write(q, all.data(), 0, buffer_.size());
  }

  Buffer<T>& buffer() { return buffer_; }
  std::int64_t offset() const { return offset_; }

  std::vector<T> read(const Queue& q) const {
    std::vector<T> all(static_cast<std::size_t>(buffer_.size()));
    buffer_.read(q, all.data(), 0, buffer_.size());
    auto first = all.begin() + offset_, last = first + count_;
    auto is_marker = [](const T& x) { return same_bits(x, marker()); };
    EXPECT_TRUE(std::all_of(all.begin(), first, is_marker) && std::all_of(last, all.end(), is_marker))
        << "outside the matrix";
    return {first, last};
  }

 private:
  static constexpr std::int64_t beyond = 3;
  static T marker() { return number<T>(-7.5, 3.25); }

  std::int64_t offset_, count_;
  Buffer<T> buffer_;
};

/// The product from host memory to host memory. Where it is refused, C must be as it was.
template <class T>
std::vector<T> multiply_from_host(Queue& q, const Problem<T>& p, const GemmOptions& options,
                                  GemmReport* report = nullptr, const Storage& s = {}) {
  auto call = [&](const Stored<T>& a, const Stored<T>& b, Stored<T>& c) {
    std::vector<T> before = c.elements;
    try {
      GemmReport got = gemm(q, s.layout, s.opa, s.opb, p.m, p.n, p.k, p.alpha, a.elements.data(), a.leading,
                            b.elements.data(), b.leading, p.beta, c.elements.data(), c.leading, options);
      if (report) *report = got;
    } catch (const error&) {
      EXPECT_EQ(first_difference(c.elements, before), -1) << "C after an error";
      throw;
    }
  };
  return p.computed_by(call, s);
}

/// The same in device memory.
template <class T>
std::vector<T> multiply_in_buffers(Queue& q, const Problem<T>& p, const GemmOptions& options,
                                   GemmReport* report = nullptr, const Storage& s = {}) {
  auto call = [&](const Stored<T>& a, const Stored<T>& b, Stored<T>& c) {
    Placed<T> da(q, a.elements, 2), db(q, b.elements, 5), dc(q, c.elements, 1);
    try {
      gemm(q, s.layout, s.opa, s.opb, p.m, p.n, p.k, p.alpha, da.buffer(), da.offset(), a.leading, db.buffer(),
           db.offset(), b.leading, p.beta, dc.buffer(), dc.offset(), c.leading, {}, options, report)
          .wait();
    } catch (const error&) {
      EXPECT_EQ(first_difference(dc.read(q), c.elements), -1) << "C after an error";
      throw;
    }
    EXPECT_EQ(first_difference(da.read(q), a.elements), -1) << "A has changed";
    EXPECT_EQ(first_difference(db.read(q), b.elements), -1) << "B has changed";
    c.elements = dc.read(q);
  };
  return p.computed_by(call, s);
}

/// Everything but how the device works.
inline void expect_same_report(const GemmReport& got, const GemmReport& want, const std::string& what) {
  EXPECT_EQ(name(got.plan.backend), "opencl") << what;
  EXPECT_EQ(name(got.plan.path), name(want.plan.path)) << what;
  EXPECT_EQ(name(got.plan.engine), name(want.plan.engine)) << what;
  EXPECT_EQ(name(got.plan.accuracy), name(want.plan.accuracy)) << what;
  EXPECT_EQ(name(got.plan.measure), name(want.plan.measure)) << what;
  EXPECT_EQ(name(got.plan.precision), name(want.plan.precision)) << what;
  EXPECT_EQ(got.plan.m, want.plan.m) << what;
  EXPECT_EQ(got.plan.n, want.plan.n) << what;
  EXPECT_EQ(got.plan.k, want.plan.k) << what;
  EXPECT_EQ(got.plan.batch, want.plan.batch) << what;
  EXPECT_EQ(got.plan.bits, want.plan.bits) << what;
  EXPECT_EQ(got.plan.moduli, want.plan.moduli) << what;
  EXPECT_EQ(got.plan.esc, want.plan.esc) << what;
  EXPECT_EQ(got.plan.error_bound_u2, want.plan.error_bound_u2) << what;
  EXPECT_EQ(got.entries_direct, want.entries_direct) << what;
}

/// The device's answer is the CPU's: bits and report, or the same error. Returns the device's report.
template <class T>
GemmReport expect_as_on_cpu(const Problem<T>& p, const GemmOptions& options, const std::string& what,
                            const Storage& s = {}, bool in_buffers = false) {
  std::string text = what + ", " + p.text() + ", " + s.text() + ", " + std::string(name(options.accuracy)) +
                     (in_buffers ? ", in buffers" : "");
  GemmReport want{}, got{};
  std::vector<T> expected;
  std::optional<error> refusal;
  try {
    expected = p.multiply(on_cpu<T>(options), &want);
  } catch (const error& e) {
    refusal = e;
  }
  auto multiply = [&] {
    return in_buffers ? multiply_in_buffers(queue(), p, options, &got, s)
                      : multiply_from_host(queue(), p, options, &got, s);
  };
  if (refusal) {
    EXPECT_EQ(message_of(refusal->code(), multiply), refusal->what()) << text;
    return want;
  }
  try {
    EXPECT_EQ(first_difference(multiply(), expected), -1) << text;
    expect_same_report(got, want, text);
  } catch (const error& e) {
    ADD_FAILURE() << text << ": " << e.what();
  }
  return got;
}

}  // namespace hilo::test
