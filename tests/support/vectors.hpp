// Vectors for the tests of level 1 and 2: StoredVector has one, of any stride, inside of memory that must not change.
#pragma once

#include <cstdlib>
#include <hilo/blas.hpp>

#include "matrices.hpp"

namespace hilo::test {

/// n elements `stride` apart, forwards or backwards, between others that are 12345.
template <class T>
struct StoredVector {
  std::vector<T> elements;
  VectorView<T> view;

  StoredVector(std::int64_t n, std::int64_t stride)
      : elements(static_cast<std::size_t>(n * std::abs(stride) + 3), T(12345)),
        view{elements.data() + (stride < 0 && n > 0 ? 2 - (n - 1) * stride : 2), n, stride} {}
  StoredVector(std::int64_t n, std::int64_t stride, std::uint64_t seed) : StoredVector(n, stride) {
    Random random(seed);
    fill([&](std::int64_t) { return random_element<T>(random); });
  }
  StoredVector(const StoredVector& x) : elements(x.elements), view(x.view) {
    view.data = elements.data() + (x.view.data - x.elements.data());
  }
  StoredVector& operator=(const StoredVector&) = delete;

  template <class F>
  void fill(F f) {
    for (std::int64_t i = 0; i < view.size; ++i) view(i) = f(i);
  }
  VectorView<const T> read() const { return view; }
  T operator()(std::int64_t i) const { return view(i); }
  /// As a matrix of one column.
  Wide wide_column() const {
    Wide w(view.size, 1);
    for (std::int64_t i = 0; i < view.size; ++i) w(i, 0) = wide(view(i));
    return w;
  }
  std::vector<T> in_order() const {
    std::vector<T> all;
    for (std::int64_t i = 0; i < view.size; ++i) all.push_back(view(i));
    return all;
  }
  /// Whether nothing but the vector is other than in `before`.
  bool keeps_what_is_between(const StoredVector& before) const {
    StoredVector masked = *this;
    masked.fill([&](std::int64_t i) { return before(i); });
    return first_difference(masked.elements, before.elements) == -1;
  }
};

}  // namespace hilo::test
