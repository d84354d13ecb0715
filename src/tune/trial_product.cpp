#include "tune/trial_product.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gemm/direct/reference.hpp"
#include "tune/trial_numbers.hpp"

namespace hilo::tune {
namespace {

template <class T>
std::string text_of(const Product<T>& p) {
  return std::to_string(p.m()) + " x " + std::to_string(p.n()) + " x " + std::to_string(p.k());
}

// What an entry of C should be, and how far from it one may be.
template <class T>
struct Expected {
  T value;
  double bound;
};

template <class T>
Expected<T> expected_entry(const TrialProduct<T>& trial, std::int64_t i, std::int64_t j, bool fma) {
  const Product<T>& p = trial.product;
  const auto &a = p.a, &b = p.b;
  if constexpr (is_double_double<T>) {
    return {direct::scale_and_add(p.alpha, direct::entry(a, b, i, j, trial.accuracy, fma).value, p.beta, p.c(i, j)),
            0.0};
  } else {
    // long double for double, double for float: their own errors do not count.
    using Word = std::conditional_t<sizeof(T) / (1 + is_complex<T>) == 4, double, long double>;
    using Sum = std::conditional_t<is_complex<T>, std::complex<Word>, Word>;
    auto wide = [](const T& x, bool conjugate) {
      if constexpr (is_complex<T>) {
        const auto im = static_cast<Word>(x.imag());
        return Sum(static_cast<Word>(x.real()), conjugate ? -im : im);
      } else {
        static_cast<void>(conjugate);
        return static_cast<Sum>(x);
      }
    };
    auto size = [](const Sum& x) {
      if constexpr (is_complex<T>) {
        return std::fabs(x.real()) + std::fabs(x.imag());
      } else {
        return std::fabs(x);
      }
    };
    Sum sum{};
    Word magnitude = 0;
    for (std::int64_t h = 0; h < a.columns; ++h) {
      const Sum x = wide(a(i, h), a.conjugate), y = wide(b(h, j), b.conjugate);
      if constexpr (is_complex<T>) {
        sum += Sum(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
      } else {
        sum += x * y;
      }
      magnitude += size(x) * size(y);
    }
    Sum value = wide(p.alpha, false) * sum;
    magnitude *= size(wide(p.alpha, false));
    if (p.beta != T(0)) {
      const Sum added = wide(p.beta, false) * wide(p.c(i, j), false);
      value += added;
      magnitude += size(wide(p.beta, false)) * size(wide(p.c(i, j), false));
    }
    using Narrow = decltype(std::real(T()));
    const double unit = 0.5 * static_cast<double>(std::numeric_limits<Narrow>::epsilon());
    const double steps = static_cast<double>(a.columns * (1 + is_complex<T>)) + 6.0;
    T rounded;
    if constexpr (is_complex<T>) {
      rounded = T(static_cast<Narrow>(value.real()), static_cast<Narrow>(value.imag()));
    } else {
      rounded = static_cast<T>(value);
    }
    return {rounded, steps * unit * static_cast<double>(magnitude)};
  }
}

template <class T>
bool is_as_expected(const T& found, const Expected<T>& expected) {
  if constexpr (is_double_double<T>) {
    return same(found, expected.value);
  } else {
    const std::complex<double> x = as_complex(found), y = as_complex(expected.value);
    // Not where x is NaN.
    return std::fabs(x.real() - y.real()) <= expected.bound && std::fabs(x.imag() - y.imag()) <= expected.bound;
  }
}

template <class T>
std::string compare(const TrialProduct<T>& p, const std::vector<T>& found, bool fma) {
  const MatrixView<T>& c = p.product.c;
  if (found.size() != p.c.size()) return "wrong: C has " + std::to_string(found.size()) + " elements";
  std::vector<char> is_entry(found.size());
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      const auto at = static_cast<std::size_t>(&c(i, j) - p.c.data());
      is_entry[at] = 1;
      const Expected<T> expected = expected_entry(p, i, j, fma);
      if (!is_as_expected(found[at], expected)) return difference(i, j, found[at], expected.value, text_of(p.product));
    }
  }
  for (std::size_t at = 0; at < found.size(); ++at) {
    if (!is_entry[at] && !same(found[at], p.c[at])) {
      return "wrong: writes beside C, at " + std::to_string(at) + ", in " + text_of(p.product);
    }
  }
  return "";
}

struct Shape {
  std::int64_t m, n, k;
  std::int64_t offset, pad;
  bool is_added;  // alpha and beta are neither 0 nor 1; else C is NaN, and not read
  Accuracy accuracy;
};

template <class T>
TrialProduct<T> trial_product(const Shape& s, const tile::TileKey& key) {
  Numbers numbers(static_cast<std::uint64_t>(s.m + 1000 * s.n + 1000000 * s.k));
  TrialProduct<T> p;
  p.product = {s.is_added ? scalar<T>(1.25, -0.5) : T(1), place(p.a, s.m, s.k, key.left_together, s.offset, s.pad),
               place(p.b, s.k, s.n, !key.right_together, s.offset, s.pad), s.is_added ? scalar<T>(-0.75, 0.3) : T(0),
               place(p.c, s.m, s.n, true, s.offset, s.pad)};
  p.accuracy = s.accuracy;
  for (std::vector<T>* x : {&p.a, &p.b, &p.c}) {
    for (T& e : *x) e = numbers.entry<T>();
  }
  if (s.offset > 0) p.product.a.conjugate = p.product.b.conjugate = is_complex<T>;  // a program of its own, in place
  if (!s.is_added) std::fill(p.c.begin(), p.c.end(), not_a_number<T>());
  return p;
}

// Sizes with whole panels and parts of them, and tiles with steps that are missing.
std::vector<Shape> shapes_of(const tile::Tile& t, const tile::TileKey& key) {
  auto lines = [](std::int64_t panel) { return std::max<std::int64_t>(panel + panel / 2, 37) | 1; };
  const std::int64_t m = lines(t.panel_rows()), n = lines(t.panel_columns());
  const std::int64_t k = t.depth * (t.stages + 2) + 3;
  const bool is_dd = tile::NumberKind{key.precision}.is_double_double();
  std::vector<Shape> shapes = {{m, n, is_dd ? k + 64 : k, 1, 3, true, Accuracy::classic},
                               {m + 2, n + 2, k, 0, 0, false, is_dd ? Accuracy::fast : Accuracy::classic},
                               {3, 5, 2, 0, 13, true, Accuracy::classic}};
  if (is_dd) shapes.push_back({2, 3, direct::superchunk_steps + 70, 0, 1, false, Accuracy::classic});
  return shapes;
}

}  // namespace

template <class T>
std::string find_error(const tile::Tile& tile, const tile::TileKey& key, bool fma, const RunTile<T>& run) {
  for (const Shape& shape : shapes_of(tile, key)) {
    const TrialProduct<T> p = trial_product<T>(shape, key);
    std::string wrong = compare(p, run(tile, p), fma);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<float>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<double>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<std::complex<float>>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<std::complex<double>>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<dd_real>&);
template std::string find_error(const tile::Tile&, const tile::TileKey&, bool, const RunTile<dd_complex>&);

}  // namespace hilo::tune
