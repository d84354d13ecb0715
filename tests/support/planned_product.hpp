// Products in device memory whose plans are executed.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/device_product.hpp"
#include "opencl_queue.hpp"

namespace hilo::test {

template <class T>
T entry(std::int64_t i) {
  const double x = 1.0 / static_cast<double>(3 * i + 7);
  if constexpr (double_double<T>) {
    return T(dd_real(x) / dd_real(3));
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    return T(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

// A product of a shape in buffers, with entries of its own.
template <class T>
struct PlannedProblem {
  GemmShape shape;
  std::vector<T> a, b, c;
  Buffer<T> da, db, dc;

  PlannedProblem(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t seed, Op opa = Op::none,
                 Op opb = Op::transpose)
      : shape(packed_shape(Layout::column, opa, opb, m, n, k, sizeof(T))),
        a(fill(m * k, seed)),
        b(fill(k * n, seed + 1000)),
        c(fill(m * n, seed + 2000)),
        da(upload(a)),
        db(upload(b)),
        dc(upload(c)) {}

  static std::vector<T> fill(std::int64_t count, std::int64_t seed) {
    std::vector<T> x(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = entry<T>(i * 37 % 101 + seed);
    return x;
  }
  static Buffer<T> upload(const std::vector<T>& x) {
    Buffer<T> buffer(queue().context(), static_cast<std::int64_t>(x.size()));
    buffer.write(queue(), x.data(), 0, buffer.size());
    return buffer;
  }

  DeviceProduct product(T alpha, T beta) const {
    DeviceProduct p = device_product(shape, {}, alpha, beta);
    p.a.buffer = cl::Buffer(da.native(), true);
    p.b.buffer = cl::Buffer(db.native(), true);
    p.c.buffer = cl::Buffer(dc.native(), true);
    return p;
  }

  std::vector<T> by_plan(DevicePlan& plan, T alpha, T beta) {
    DeviceRun run = execute(plan, product(alpha, beta), *queue().state(), {});
    run.event.wait();
    if (run.recomputed.buffer()()) run.recomputed.release(queue().state()->queue, {});
    return read();
  }
  std::vector<T> by_call(T alpha, T beta, const GemmOptions& options) {
    dc.write(queue(), c.data(), 0, dc.size());
    gemm(queue(), shape.layout, shape.opa, shape.opb, shape.m, shape.n, shape.k, alpha, da, 0, shape.lda, db, 0,
         shape.ldb, beta, dc, 0, shape.ldc, {}, options)
        .wait();
    return read();
  }
  std::vector<T> read() {
    std::vector<T> out(c.size());
    dc.read(queue(), out.data(), 0, dc.size());
    return out;
  }
};

}  // namespace hilo::test
