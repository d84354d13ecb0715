// Products whose matrices are small and yet travel as large ones do: the sizes of pinned memory, and what was sent
// through it.
#pragma once

#include "gemm/device_product.hpp"
#include "opencl/native.hpp"
#include "opencl_modular.hpp"

namespace hilo::test {

inline constexpr GemmOptions modular = {.engine = Engine::modular};

// Everything is staged, in pieces that neither lines nor parts are multiples of.
inline constexpr opencl::StagingSizes tiny = {.slot_bytes = 1000, .least_piece = 1, .least_bytes = 1, .parts_bytes = 1};

inline opencl::StagingPool& staging_of(const Queue& q) { return q.context().state()->staging; }

// The sizes of the common queue's context, for a while.
class Sizes {
 public:
  explicit Sizes(const opencl::StagingSizes& sizes) { staging_of(queue()).set_sizes(sizes); }
  ~Sizes() { staging_of(queue()).set_sizes({}); }
};

template <class T>
Problem<T> random_problem(std::int64_t m, std::int64_t n, std::int64_t k, bool has_scalars, std::uint64_t seed = 1) {
  Random random(seed);
  Problem<T> p(m, n, k);
  auto fill = [&](std::vector<T>& elements) {
    for (T& e : elements) {
      for (double& word : words(e)) word = static_cast<double>(random.between(-1000, 1000)) / 1024.0;
      if constexpr (double_double<T>) {
        auto w = words(e);
        for (std::size_t i = 1; i < w.size(); i += 2) w[i] *= 0x1p-60 * (w[i - 1] != 0.0);
      }
    }
  };
  fill(p.a);
  fill(p.b);
  if (has_scalars) {
    fill(p.c0);
    p.alpha = number<T>(1.25, -0.5);
    p.beta = number<T>(-0.75, 0.25);
  }
  return p;
}

template <class T>
std::int64_t bytes_of(const Problem<T>& p) {
  std::int64_t elements = std::ssize(p.a) + std::ssize(p.b) + std::ssize(p.c0) * (p.beta == T(0) ? 1 : 2);
  return elements * static_cast<std::int64_t>(sizeof(T));
}

// Bytes that `call` sends through pinned memory.
template <class Call>
std::int64_t staged_by(const Queue& q, Call call) {
  const std::int64_t before = staging_of(q).staged_bytes();
  call();
  return staging_of(q).staged_bytes() - before;
}

template <class T>
class OpenclTransfer : public testing::Test {};

}  // namespace hilo::test
