// n × n products on an OpenCL device: random operands, and the error of what the device makes of them.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <limits>
#include <type_traits>
#include <vector>

#include "errors.hpp"
#include "opencl/native.hpp"
#include "random.hpp"

namespace hilo::bench {

// n × n matrices on the device, and A and B on the host.
template <class T>
struct Operands {
  std::int64_t n;
  std::vector<T> a, b;
  Buffer<T> device_a, device_b, device_c;

  Operands(Queue& queue, std::int64_t size)
      : n(size),
        a(random<T>(n * n, 1)),
        b(random<T>(n * n, 2)),
        device_a(queue.context(), n * n),
        device_b(queue.context(), n * n),
        device_c(queue.context(), n * n) {
    device_a.write(queue, a.data(), 0, n * n);
    device_b.write(queue, b.data(), 0, n * n);
  }

  Event multiply(Queue& queue, Op opa, Op opb, const GemmOptions& options, GemmReport* report = nullptr) {
    return gemm<T>(queue, Layout::column, opa, opb, n, n, n, T(1), device_a, 0, n, device_b, 0, n, T(0), device_c, 0, n,
                   {}, options, report);
  }

  // Nothing of a product before is left: all words become NaN.
  void forget_product(const Queue& queue) {
    cl::CommandQueue(queue.native(), true)
        .enqueueFillBuffer(cl::Buffer(device_c.native(), true), cl_uint{0xffffffff}, 0,
                           sizeof(T) * static_cast<std::size_t>(n * n));
    queue.finish();
  }
};

// The terms of a word of C.
template <class T>
std::int64_t terms(std::int64_t k) {
  return std::is_floating_point_v<T> ? k : 2 * k;
}

// The largest error of entries across C, corners among them, in units of u · |A||B|, word by word; infinite for NaN.
template <class T>
double largest_error(Queue& queue, const Operands<T>& x, Op opa, Op opb) {
  using Word = typename Words<T>::type;
  const std::int64_t n = x.n;
  const auto a = view(Layout::column, opa, x.a.data(), n, n, n), b = view(Layout::column, opb, x.b.data(), n, n, n);
  auto element = [](const auto& v, std::int64_t i, std::int64_t j) {
    std::complex<long double> e(v.data[i * v.row_stride + j * v.column_stride]);
    return v.conjugate ? std::conj(e) : e;
  };
  double largest = 0.0;
  auto measure = [&](Word got, long double want, long double magnitudes) {
    long double unit = magnitudes * (std::numeric_limits<Word>::epsilon() / 2);
    largest = worse(largest, static_cast<double>(std::abs(static_cast<long double>(got) - want) / unit));
  };
  auto check = [&](std::int64_t i, std::int64_t j) {
    long double re = 0, im = 0, re_magnitudes = 0, im_magnitudes = 0;
    for (std::int64_t p = 0; p < n; ++p) {
      const auto s = element(a, i, p), t = element(b, p, j);
      const long double rr = s.real() * t.real(), ii = s.imag() * t.imag();
      const long double ri = s.real() * t.imag(), ir = s.imag() * t.real();
      re += rr - ii;
      im += ri + ir;
      re_magnitudes += std::abs(rr) + std::abs(ii);
      im_magnitudes += std::abs(ri) + std::abs(ir);
    }
    T got;
    x.device_c.read(queue, &got, i + j * n, 1);
    measure(std::real(got), re, re_magnitudes);
    if constexpr (!std::is_floating_point_v<T>) measure(std::imag(got), im, im_magnitudes);
  };
  for (std::int64_t i : {std::int64_t{0}, n / 2, n - 1}) {
    for (std::int64_t j : {std::int64_t{0}, n / 2, n - 1}) check(i, j);
  }
  for (std::int64_t t = 1; t <= 91; ++t) check(t * 7919 % n, t * 104729 % n);
  return largest;
}

}  // namespace hilo::bench
