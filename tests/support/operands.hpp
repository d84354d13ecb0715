// Operands for the tests of calls in the BLAS's words: same_calls runs one on views, and one on pointers to a copy of
// all that the first was given, and compares every bit that they leave and return.
#pragma once

#include <hilo/lapack.hpp>
#include <type_traits>

#include "vectors.hpp"

namespace hilo::test {

/// What a call may take, each with elements around it.
template <class T>
struct Operands {
  StoredMatrix<T> a, b, c;
  StoredVector<T> x, y;
  std::vector<std::int64_t> pivots = {};
  std::vector<T> tau = {};
};

/// A pointer as the BLAS takes it, and what follows it.
template <class T>
T* at(const StoredMatrix<T>& a) {
  return a.view.data;
}
template <class T>
T* at(const StoredVector<T>& x) {
  return x.view.stride < 0 && x.view.size > 0 ? &x.view(x.view.size - 1) : x.view.data;
}
template <class T>
std::int64_t ld(const StoredMatrix<T>& a) {
  return a.layout == Layout::column ? a.view.column_stride : a.view.row_stride;
}
template <class T>
std::int64_t inc(const StoredVector<T>& x) {
  return x.view.stride;
}

/// by_views(operands) and by_pointers(operands) do and give the same.
template <class T, class ByViews, class ByPointers>
void same_calls(const Operands<T>& given, ByViews by_views, ByPointers by_pointers) {
  Operands<T> x = given, y = given;
  if constexpr (std::is_void_v<decltype(by_views(x))>) {
    by_views(x);
    by_pointers(y);
  } else {
    const auto value = by_views(x);
    if constexpr (std::is_integral_v<decltype(by_views(x))>) {
      EXPECT_EQ(value, by_pointers(y));
    } else {
      EXPECT_TRUE(same_bits(value, by_pointers(y)));
    }
  }
  EXPECT_EQ(first_difference(x.a.elements, y.a.elements), -1);
  EXPECT_EQ(first_difference(x.b.elements, y.b.elements), -1);
  EXPECT_EQ(first_difference(x.c.elements, y.c.elements), -1);
  EXPECT_EQ(first_difference(x.x.elements, y.x.elements), -1);
  EXPECT_EQ(first_difference(x.y.elements, y.y.elements), -1);
  EXPECT_EQ(first_difference(x.tau, y.tau), -1);
  EXPECT_EQ(x.pivots, y.pivots);
}

}  // namespace hilo::test
