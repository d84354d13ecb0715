// A product in DD or ZDD on an OpenCL device: a Problem draws its operands and computes it from host memory (run), by
// given tiles (run_on_device) and by the definition (reference); expect_same compares the bits.
#pragma once

#include <gtest/gtest.h>

#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "gemm/direct/reference.hpp"
#include "opencl_queue.hpp"
#include "random.hpp"
#include "same_bits.hpp"
#include "test_size.hpp"

namespace hilo {

/// Of magnitudes that differ, so that sums round everywhere.
template <class T>
T spread_element(test::Random& random) {
  auto word = [&] {
    double hi = random.uniform();
    hi = std::ldexp(hi, static_cast<int>(random.below(9)) - 4);
    return dd_real::sum(hi, hi * 0x1p-53 * random.uniform());
  };
  const dd_real re = word();
  if constexpr (std::same_as<T, dd_complex>) {
    return {re, word()};
  } else {
    return re;
  }
}

template <class T>
T scalar(double re, double im) {
  dd_real x(re, re * 0x1p-55), y(im, -im * 0x1p-56);
  if constexpr (std::same_as<T, dd_complex>) {
    return {x, y};
  } else {
    return x;
  }
}

template <class T>
struct Problem {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  T alpha = scalar<T>(1.25, -0.5), beta = scalar<T>(-0.75, 0.3);
  GemmOptions options;
  std::vector<T> a, b, c;

  Problem(Layout l, Op oa, Op ob, std::int64_t m_, std::int64_t n_, std::int64_t k_, std::uint64_t seed,
          std::int64_t pad = 3)
      : layout(l), opa(oa), opb(ob), m(m_), n(n_), k(k_) {
    auto lines = [&](Op op, std::int64_t rows, std::int64_t columns, std::int64_t& leading) {
      bool contiguous = (layout == Layout::column) == (op == Op::none);
      leading = std::max<std::int64_t>(contiguous ? rows : columns, 1) + pad;
      return leading * (contiguous ? columns : rows);
    };
    test::Random random(seed);
    a.resize(static_cast<std::size_t>(lines(opa, m, k, lda)));
    b.resize(static_cast<std::size_t>(lines(opb, k, n, ldb)));
    c.resize(static_cast<std::size_t>(lines(Op::none, m, n, ldc)));
    for (auto* x : {&a, &b, &c}) {
      for (T& e : *x) e = spread_element<T>(random);
    }
  }

  // What the definition makes of C, padding included.
  std::vector<T> reference(std::int64_t* recomputed = nullptr) const {
    std::vector<T> out = c;
    bool fma = options.fma != Fma::off;
    std::int64_t count =
        direct::reference_gemm<T>(alpha, view(layout, opa, a.data(), m, k, lda), view(layout, opb, b.data(), k, n, ldb),
                                  beta, view(layout, Op::none, out.data(), m, n, ldc), options.accuracy, fma);
    if (recomputed) *recomputed = count;
    return out;
  }

  GemmReport run(std::vector<T>& out, Queue& q = queue()) const {
    return gemm(q, layout, opa, opb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, out.data(), ldc, to_run());
  }

  // Where a checker interprets kernels the engine is named: to choose one, units of the other would be tested first.
  GemmOptions to_run() const {
    GemmOptions its = options;
    if (test::is_small() && !test::is_long()) its.engine = Engine::direct;
    return its;
  }

  // On device buffers, by the internal call, which takes tiles and a workspace.
  std::vector<T> run_on_device(const tile::Choice& choice) const {
    Context context = queue().context();
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> buffer(context, static_cast<std::int64_t>(x.size()));
      buffer.write(queue(), x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> da = upload(a), db = upload(b), dc = upload(c);
    DeviceProduct p = device_product<T>({layout, opa, opb, m, n, k, lda, ldb, ldc, sizeof(T)}, {}, alpha, beta);
    p.a.buffer = cl::Buffer(da.native(), true);
    p.b.buffer = cl::Buffer(db.native(), true);
    p.c.buffer = cl::Buffer(dc.native(), true);
    direct::DevicePlan plan =
        direct::plan_product(queue().context().device(), p, options.accuracy, options.fma != Fma::off, choice);
    execute(plan, p, *queue().state(), {}).event.wait();
    std::vector<T> out(c.size());
    dc.read(queue(), out.data(), 0, dc.size());
    return out;
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::string(name(layout)) + " " + std::string(name(opa)) +
           std::string(name(opb)) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           " " + std::string(name(options.accuracy)) + (options.fma == Fma::off ? " no fma" : " fma");
  }
};

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = got.size(); i-- > 0;) {
    if (!test::same_bits(got[i], want[i])) ++wrong, first = i;
  }
  EXPECT_EQ(wrong, 0u) << what << ": element " << first << " is the first of them";
}

}  // namespace hilo
