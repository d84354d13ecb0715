// A batch of products and what is expected of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gemm/batch/opencl/product.hpp"
#include "gemm/direct/reference.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "random.hpp"
#include "same_bits.hpp"

namespace hilo::test::batched {

using std::int64_t;

inline std::size_t size(int64_t x) { return static_cast<std::size_t>(x); }

template <class T>
T number(double re, double im, double lo = 0.0) {
  if constexpr (std::same_as<T, dd_real>) {
    return dd_real::sum(re, lo);
  } else if constexpr (std::same_as<T, dd_complex>) {
    return {dd_real::sum(re, lo), dd_real::sum(im, -lo)};
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    return static_cast<T>(re);
  } else {
    using Word = typename T::value_type;
    return {static_cast<Word>(re), static_cast<Word>(im)};
  }
}

/// Where nothing but a reader or writer that errs would look.
template <class T>
T marker() {
  return number<T>(std::numeric_limits<double>::quiet_NaN(), 1.0);
}

struct Shape {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  int64_t m, n, k, count;
  int64_t pad = 0;  ///< elements between lines
  bool shares_a = false, shares_b = false;
  bool is_shuffled = false;  ///< matrices lie in no order
};

/// In S, D, C and Z integers, whose sums are exact in any order.
template <class T>
struct Batch {
  Shape s;
  int64_t lda, ldb, ldc, stride_a, stride_b, stride_c;
  std::vector<int64_t> at_a, at_b, at_c;  ///< where matrices begin
  T alpha = number<T>(3, -2, 0x1p-60), beta = number<T>(-2, 1, -0x1p-61);
  Accuracy accuracy = Accuracy::classic;
  bool fma = true;
  std::vector<T> a, b, c;

  Batch(const Shape& shape, std::uint64_t seed) : s(shape) {
    Random random(seed);
    auto fill = [&](Op op, int64_t rows, int64_t columns, bool is_shared, int64_t& leading, int64_t& stride,
                    std::vector<T>& x, std::vector<int64_t>& offsets) {
      const bool by_columns = columns_contiguous(s.layout, op);
      const int64_t line = by_columns ? rows : columns, lines = by_columns ? columns : rows;
      leading = std::max<int64_t>(line, 1) + s.pad;
      stride = is_shared ? 0 : leading * lines + s.pad;
      const int64_t matrices = is_shared ? 1 : s.count;
      x.assign(size(matrices * leading * lines + matrices * s.pad), marker<T>());
      for (int64_t i = 0; i < matrices; ++i) {
        for (int64_t j = 0; j < lines; ++j) {
          for (int64_t h = 0; h < line; ++h) x[size(i * stride + j * leading + h)] = element(random);
        }
      }
      for (int64_t i = 0; i < s.count; ++i) offsets.push_back(i * stride);
      for (int64_t i = s.count - 1; i > 0 && s.is_shuffled; --i) {
        std::swap(offsets[size(i)], offsets[size(random.below(i + 1))]);
      }
    };
    fill(s.opa, s.m, s.k, s.shares_a, lda, stride_a, a, at_a);
    fill(s.opb, s.k, s.n, s.shares_b, ldb, stride_b, b, at_b);
    fill(Op::none, s.m, s.n, false, ldc, stride_c, c, at_c);
  }

  static T element(Random& random) {
    if constexpr (double_double<T>) {
      const double re = random.uniform(), im = random.uniform();
      return number<T>(std::ldexp(re, static_cast<int>(random.below(9)) - 4), im, 0x1p-58 * random.uniform());
    } else {
      const double re = static_cast<double>(random.below(9)) - 4.0;
      return number<T>(re, static_cast<double>(random.below(9)) - 4.0);
    }
  }

  GemmOptions options() const {
    return {.engine = Engine::direct, .accuracy = accuracy, .fma = fma ? Fma::on : Fma::off};
  }

  /// One product after the other, on the CPU.
  std::vector<T> expected(int64_t* recomputed = nullptr) const {
    std::vector<T> out = c;
    if (recomputed) *recomputed = 0;
    for (std::size_t i = 0; i < size(s.count); ++i) {
      const T *one_a = a.data() + at_a[i], *one_b = b.data() + at_b[i];
      T* one_c = out.data() + at_c[i];
      const GemmReport report =
          gemm(s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, one_a, lda, one_b, ldb, beta, one_c, ldc, options());
      if (recomputed) *recomputed += report.entries_recomputed;
    }
    return out;
  }

  /// On the device, by the kernels that `launched` names.
  std::vector<T> on_device(std::vector<std::string>& launched, const std::optional<tile::BatchTile>& tile = {}) const {
    Queue& q = queue();
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> buffer(q.context(), std::ssize(x));
      buffer.write(q, x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> of_a = upload(a), of_b = upload(b), of_c = upload(c);
    opencl::Trace trace;
    q.state()->trace = &trace;
    GemmReport report{};
    Event done =
        tile ? by_tile(*tile, of_a, of_b, of_c)
        : s.is_shuffled
            ? gemm_batch(q, s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, of_a, at_a.data(), lda, of_b, at_b.data(),
                         ldb, beta, of_c, at_c.data(), ldc, s.count, {}, options(), &report)
            : gemm_strided_batch(q, s.layout, s.opa, s.opb, s.m, s.n, s.k, alpha, of_a, 0, lda, stride_a, of_b, 0, ldb,
                                 stride_b, beta, of_c, 0, ldc, stride_c, s.count, {}, options(), &report);
    q.state()->trace = nullptr;
    done.wait();
    for (const auto& launch : trace.launches) launched.push_back(launch.kernel);
    std::vector<T> out(c.size());
    of_c.read(q, out.data(), 0, of_c.size());
    return out;
  }

  /// By the internal call, which takes a tile.
  Event by_tile(const tile::BatchTile& tile, const Buffer<T>& of_a, const Buffer<T>& of_b,
                const Buffer<T>& of_c) const {
    const GemmShape shape{s.layout, s.opa, s.opb, s.m, s.n, s.k, lda, ldb, ldc, sizeof(T)};
    DeviceProduct p = device_product(shape, {s.count, stride_a, stride_b, stride_c}, alpha, beta);
    p.a.buffer = cl::Buffer(of_a.native(), true);
    p.b.buffer = cl::Buffer(of_b.native(), true);
    p.c.buffer = cl::Buffer(of_c.native(), true);
    if (s.is_shuffled) p.offsets = BatchOffsets{at_a.data(), at_b.data(), at_c.data()};
    return batch::execute(tile, {direct::renormalisation_interval(accuracy), fma}, p, *queue().state(), {}).event;
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::string(name(s.layout)) + " " + std::string(name(s.opa)) +
           std::string(name(s.opb)) + " " + std::to_string(s.m) + " x " + std::to_string(s.n) + " x " +
           std::to_string(s.k) + ", " + std::to_string(s.count) + " products, pad " + std::to_string(s.pad) + ", " +
           std::string(name(accuracy)) + (fma ? "" : ", no fma");
  }
};

/// The same bits in DD and ZDD, the same numbers otherwise: zeros have either sign there.
template <class T>
bool is_same(const T& x, const T& y) {
  if constexpr (!double_double<T>) {
    if (x == y) return true;
  }
  return test::same_bits(x, y);
}

}  // namespace hilo::test::batched
