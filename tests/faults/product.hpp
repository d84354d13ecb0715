// A small product with the CPU's answer, its C between elements that nobody may touch.
#pragma once

#include <cmath>
#include <cstring>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <limits>
#include <string>
#include <vector>

#include "same_bits.hpp"
#include "scenarios.hpp"

namespace hilo::test::faults {

template <class T>
T entry(std::int64_t re, std::int64_t im) {
  const auto x = static_cast<double>(re % 17 - 8), y = static_cast<double>(im % 13 - 6);
  if constexpr (std::same_as<T, dd_real>) {
    return dd_real(x, x * 0x1p-60);
  } else if constexpr (std::same_as<T, dd_complex>) {
    return {dd_real(x, x * 0x1p-60), dd_real(y, y * 0x1p-58)};
  } else if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
    return static_cast<T>(x);
  } else {
    using Part = typename T::value_type;
    return {static_cast<Part>(x), static_cast<Part>(y)};
  }
}

template <class T>
bool same_bytes(const std::vector<T>& x, const std::vector<T>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), sizeof(T) * x.size()) == 0;
}

/// Column layout. S, D, C and Z hold small integers, whose sums are exact in any order.
template <class T>
struct SmallProduct {
  std::int64_t m, n, k, batch;
  GemmOptions options;
  T alpha = entry<T>(10, 6), beta = entry<T>(11, 6);
  std::vector<T> a, b, c, expected;

  SmallProduct(std::int64_t rows, std::int64_t columns, std::int64_t terms, const GemmOptions& o, bool has_c = true,
               std::int64_t products = 1, bool has_infinity = false)
      : m(rows), n(columns), k(terms), batch(products), options(o) {
    if (!has_c) alpha = T(1), beta = T(0);
    auto fill = [](std::vector<T>& x, std::int64_t count, std::int64_t step) {
      for (std::int64_t i = 0; i < count; ++i) x.push_back(entry<T>(step * i + i / 7, i * i + step));
    };
    fill(a, batch * m * k, 5);
    fill(b, batch * k * n, 3);
    fill(c, edge + batch * stride_c() + edge, 7);
    if (has_infinity) a[3] = a[3] * T(std::numeric_limits<double>::infinity());
    expected = c;
    GemmOptions cpu = options;
    cpu.threads = 1;
    cpu.workspace_bytes = 0;
    if constexpr (double_double<T>) {
      if (cpu.fma == Fma::automatic) cpu.fma = Fma::on;
    }
    gemm_strided_batch(Layout::column, Op::none, Op::none, m, n, k, alpha, a.data(), m, m * k, b.data(), k, k * n, beta,
                       expected.data() + edge, ldc(), stride_c(), batch, cpu);
  }

  static constexpr std::int64_t edge = 3;
  std::int64_t ldc() const { return m + 2; }
  std::int64_t stride_c() const { return ldc() * n; }

  /// What a call left of C: right where it returned. After an error as it was, but for products of a batch that came
  /// before, which are right, and for one that the message calls undefined; nothing beside C in any case.
  void check(const std::vector<T>& got, const std::string& message, Findings& f) const {
    std::int64_t outside = 0;
    std::vector<std::int64_t> wrong(size(batch)), changed(size(batch));
    for (std::size_t at = 0; at < got.size(); ++at) {
      const std::int64_t i = static_cast<std::int64_t>(at) - edge;
      const bool is_inside = i >= 0 && i < batch * stride_c() && i % ldc() < m;
      const bool is_as_before = std::memcmp(&got[at], &c[at], sizeof(T)) == 0;
      if (!is_inside) {
        outside += !is_as_before;
        continue;
      }
      wrong[size(i / stride_c())] += !same_bits(got[at], expected[at]);
      changed[size(i / stride_c())] += !is_as_before;
    }
    if (outside) f.wrong += std::to_string(outside) + " elements beside C written; ";
    bool is_before = true;  // the one that failed
    for (std::int64_t p = 0; p < batch; ++p) {
      if (message.empty() && wrong[size(p)]) f.wrong += std::to_string(wrong[size(p)]) + " elements of C wrong; ";
      if (message.empty()) continue;
      const bool is_undefined =
          message.find(batch == 1 ? std::string("; C is undefined")
                                  : "; C of product " + std::to_string(p) + " is undefined") != message.npos;
      is_before = is_before && batch > 1 && !is_undefined && wrong[size(p)] == 0;
      if (changed[size(p)] && !is_undefined && !is_before) f.c_changed = true;
    }
  }

 private:
  static std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }
};

inline std::string text_of(const GemmReport& r) {
  return "engine=" + std::string(name(r.plan.engine)) + " path=" + std::string(name(r.plan.path)) +
         " unit=" + r.plan.unit + " direct=" + std::to_string(r.entries_direct);
}

/// Of host memory, through staging; A and B stay as they are.
template <class T>
void multiply_from_host(Queue& q, const SmallProduct<T>& p, Findings& f) {
  std::vector<T> a = p.a, b = p.b, c = p.c;
  auto check = [&](const std::string& message) {
    p.check(c, message, f);
    if (!same_bytes(a, p.a) || !same_bytes(b, p.b)) f.wrong += "A or B written; ";
  };
  try {
    f.ran = text_of(gemm_strided_batch(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a.data(), p.m,
                                       p.m * p.k, b.data(), p.k, p.k * p.n, p.beta, c.data() + p.edge, p.ldc(),
                                       p.stride_c(), p.batch, p.options));
  } catch (const std::exception& failure) {
    check(failure.what());
    throw;
  }
  check("");
}

}  // namespace hilo::test::faults
