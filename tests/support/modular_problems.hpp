// Products for the tests of the modular engine: a Problem of any double precision, from a seed (generated and its
// like), multiplied as any Storage has it; words, number, conjugate and scaled of a number of any of those precisions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <data/generate.hpp>
#include <hilo/accuracy.hpp>
#include <hilo/gemm.hpp>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "random.hpp"
#include "same_bits.hpp"

namespace hilo::test {

template <class T>
inline constexpr bool is_complex = std::same_as<T, dd_complex> || std::same_as<T, std::complex<double>>;

using Precisions = testing::Types<dd_real, dd_complex, double, std::complex<double>>;

struct PrecisionName {
  template <class T>
  static std::string GetName(int) {
    return std::string(name(precision_of<T>));
  }
};

/// The doubles of a number: hi and lo of each part.
template <class T>
auto words(T& x) {
  using Word = std::conditional_t<std::is_const_v<T>, const double, double>;
  return std::span<Word, sizeof(T) / sizeof(double)>(reinterpret_cast<Word*>(&x), sizeof(T) / sizeof(double));
}

/// A number of the precision nearest to re + i·im, or to re.
template <class T>
T number(dd_real re, [[maybe_unused]] dd_real im = 0) {
  if constexpr (std::same_as<T, dd_real>) {
    return re;
  } else if constexpr (std::same_as<T, double>) {
    return re.hi;
  } else if constexpr (std::same_as<T, dd_complex>) {
    return {re, im};
  } else {
    return {re.hi, im.hi};
  }
}

template <class T>
T conjugate(T x) {
  if constexpr (is_complex<T>) {
    using std::conj;
    return conj(x);
  } else {
    return x;
  }
}

/// x · 2^power, exact where nothing underflows.
template <class T>
T scaled(T x, int power) {
  for (double& word : words(x)) word = std::ldexp(word, power);
  return x;
}

/// How the matrices of a product lie in memory.
struct Storage {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  std::int64_t pad = 0;  // leading dimensions beyond the least

  std::string text() const {
    return std::string(name(layout)) + " layout, " + std::string(name(opa)) + std::string(name(opb)) + ", padded by " +
           std::to_string(pad);
  }
};

/// X stored so that op(X) is a given matrix; the padding is NaN.
template <class T>
struct Stored {
  std::vector<T> elements;
  std::int64_t leading;

  Stored(const Storage& storage, Op op, const std::vector<T>& x, std::int64_t rows, std::int64_t columns) {
    bool by_columns = (storage.layout == Layout::column) == (op == Op::none);
    leading = std::max<std::int64_t>(by_columns ? rows : columns, 1) + storage.pad;
    elements.assign(static_cast<std::size_t>(leading * (by_columns ? columns : rows)), number<T>(nan, nan));
    auto v = view(storage.layout, op, elements.data(), rows, columns, leading);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        T e = x[static_cast<std::size_t>(i + j * rows)];
        v(i, j) = v.conjugate ? conjugate(e) : e;
      }
    }
  }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
};

/// C = alpha · A · B + beta · C0, all by columns without padding.
template <class T>
struct Problem {
  std::int64_t m, n, k;
  std::vector<T> a, b, c0;
  T alpha = T(1), beta = T(0);

  /// Zeros, and a C0 of NaN.
  Problem(std::int64_t rows, std::int64_t columns, std::int64_t terms)
      : m(rows),
        n(columns),
        k(terms),
        a(static_cast<std::size_t>(m * k), T(0)),
        b(static_cast<std::size_t>(k * n), T(0)),
        c0(static_cast<std::size_t>(m * n), number<T>(std::numeric_limits<double>::quiet_NaN())) {}

  T& left(std::int64_t i, std::int64_t h) { return a[static_cast<std::size_t>(i + h * m)]; }
  T& right(std::int64_t h, std::int64_t j) { return b[static_cast<std::size_t>(h + j * k)]; }
  const T& left(std::int64_t i, std::int64_t h) const { return a[static_cast<std::size_t>(i + h * m)]; }
  const T& right(std::int64_t h, std::int64_t j) const { return b[static_cast<std::size_t>(h + j * k)]; }
  std::size_t index(std::int64_t i, std::int64_t j) const { return static_cast<std::size_t>(i + j * m); }

  /// The C that `call` makes of op(A), op(B) and C0 as they are stored.
  template <class Call>
  std::vector<T> computed_by(Call call, const Storage& s = {}) const {
    Stored<T> sa(s, s.opa, a, m, k), sb(s, s.opb, b, k, n), sc(s, Op::none, c0, m, n);
    call(sa, sb, sc);
    std::vector<T> c(c0.size());
    auto result = view(s.layout, Op::none, sc.elements.data(), m, n, sc.leading);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) c[index(i, j)] = result(i, j);
    }
    // What lies between the columns (or rows) of C is not written.
    if (s.pad) {
      EXPECT_EQ(first_difference(sc.elements, Stored<T>(s, Op::none, c, m, n).elements), -1) << s.text();
    }
    return c;
  }

  std::vector<T> multiply(const GemmOptions& options, GemmReport* report = nullptr, const Storage& s = {}) const {
    auto call = [&](const Stored<T>& sa, const Stored<T>& sb, Stored<T>& sc) {
      GemmReport got = gemm(s.layout, s.opa, s.opb, m, n, k, alpha, sa.elements.data(), sa.leading, sb.elements.data(),
                            sb.leading, beta, sc.elements.data(), sc.leading, options);
      if (report) *report = got;
    };
    return computed_by(call, s);
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " +
           std::to_string(k);
  }
};

/// The error of every entry of a computed C.
template <class T>
accuracy::ErrorReport error_of(const Problem<T>& p, const std::vector<T>& c, Measure measure = Measure::componentwise) {
  auto leading = [](std::int64_t rows) { return std::max<std::int64_t>(rows, 1); };
  return accuracy::gemm_error(Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, p.a.data(), leading(p.m),
                              p.b.data(), leading(p.k), p.beta, p.c0.data(), c.data(), leading(p.m),
                              accuracy::Sample::full, measure);
}

/// Whether the modular engine computed at least some of it.
inline bool is_modular(const GemmReport& report) {
  return report.plan.path == Path::modular || report.plan.path == Path::modular_balanced;
}

/// What the operands of a product look like.
struct Kind {
  const char* name;
  data::Init init;
  double phi = 0.0;
  bool cancels = false;  // the second half of each sum takes back nearly all of the first
};

inline constexpr Kind kinds[] = {{"phi 0", data::Init::range, 0.0},
                                 {"phi 1", data::Init::range, 1.0},
                                 {"phi 2", data::Init::range, 2.0},
                                 {"phi 3", data::Init::range, 3.0},
                                 {"phi 4", data::Init::range, 4.0},
                                 {"uniform", data::Init::uniform},
                                 {"positive", data::Init::positive},
                                 {"dominant", data::Init::dominant},
                                 {"cancelling", data::Init::uniform, 0.0, true}};
inline constexpr Kind uniform_kind = kinds[5];

inline Kind range_kind(double phi) { return {"range", data::Init::range, phi}; }

/// A and B of one kind, and a uniform C0 for the use of a beta.
template <class T>
Problem<T> generated(const Kind& kind, std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  Problem<T> p(m, n, k);
  auto fill = [&](data::Init init, char matrix, std::int64_t rows, std::int64_t columns, std::vector<T>& x,
                  data::Terms terms) {
    data::generate({{init, kind.phi}, data::seed_of_matrix(seed, matrix), terms}, Layout::column, rows, columns,
                   x.data(), std::max<std::int64_t>(rows, 1));
  };
  fill(kind.init, 'A', m, k, p.a, data::Terms::along_columns);
  fill(kind.init, 'B', k, n, p.b, data::Terms::along_rows);
  fill(data::Init::uniform, 'C', m, n, p.c0, data::Terms::none);
  if (kind.cancels) {
    // All but 2^-60 of it in double-double, all but 2^-30 in double.
    auto remainder = number<T>(double_double<T> ? 0x1p-60 : 0x1p-30);
    std::int64_t half = k / 2;
    for (std::int64_t h = 0; h < half; ++h) {
      for (std::int64_t i = 0; i < m; ++i) p.left(i, half + h) = p.left(i, h);
      for (std::int64_t j = 0; j < n; ++j) p.right(half + h, j) = p.right(h, j) * remainder - p.right(h, j);
    }
  }
  return p;
}

/// A and B whose parts all lie between 1/2 and 1 in magnitude: their exponents do not spread at all.
template <class T>
Problem<T> flat(std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  auto p = generated<T>(uniform_kind, m, n, k, seed);
  auto flatten = [](auto x) {
    auto half = decltype(x)(0.5);
    return x < decltype(x)(0) ? half * x - half : half * x + half;
  };
  for (std::vector<T>* matrix : {&p.a, &p.b}) {
    for (T& x : *matrix) {
      if constexpr (std::same_as<T, dd_complex>) {
        x = {flatten(x.re), flatten(x.im)};
      } else if constexpr (is_complex<T>) {
        x = {flatten(x.real()), flatten(x.imag())};
      } else {
        x = flatten(x);
      }
    }
  }
  return p;
}

/// A · D and D⁻¹ · B.
template <class T>
Problem<T> balanced_problem(std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  auto p = generated<T>(uniform_kind, m, n, k, seed);
  Random random(seed);
  for (std::int64_t h = 0; h < k; ++h) {
    int power = static_cast<int>(random.between(-300, 300));
    for (std::int64_t i = 0; i < m; ++i) p.left(i, h) = scaled(p.left(i, h), power);
    for (std::int64_t j = 0; j < n; ++j) p.right(h, j) = scaled(p.right(h, j), -power);
  }
  return p;
}

/// Some entries that the direct engine computes.
template <class T>
Problem<T> guarded_problem(std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t seed) {
  auto p = generated<T>(range_kind(3), m, n, k, seed);
  p.left(m - 1, 1) = scaled(p.left(m - 1, 1), 300);
  p.right(1, n - 1) = p.right(1, 0) = T(0);
  p.right(k - 1, n / 2) = scaled(p.right(k - 1, n / 2), 400);
  p.left(m / 2, k - 1) = scaled(p.left(m / 2, k - 1), 700);
  return p;
}

/// An entry of A that is 2^range times the others of its row meets a zero in the first `count` columns: there the range
/// is that, and no scaling along the terms helps the other rows.
template <class T>
Problem<T> wide_entries(std::int64_t count, int range = 300) {
  auto p = flat<T>(64, 66, 20, 11);
  p.left(9, 4) = scaled(number<T>(1, 1), range - 1);
  for (std::int64_t j = 0; j < count; ++j) p.right(4, j) = T(0);
  return p;
}

/// An alpha and a beta that are neither 0 nor 1.
template <class T>
void set_scalars(Problem<T>& p) {
  p.alpha = number<T>(dd_real(5) / 3, dd_real(-1) / 7);
  p.beta = number<T>(dd_real(-2) / 9, 1);
}

template <class T>
struct NamedProduct {
  std::string name;
  Problem<T> problem;
  GemmOptions options;
};

/// All paths and accuracies; several panels of rows, columns and terms where the workspace and the depth are small.
template <class T>
std::vector<NamedProduct<T>> modular_products() {
  auto with = [](Accuracy accuracy, int bits = 0) {
    return GemmOptions{.engine = Engine::modular, .accuracy = accuracy, .threads = 1, .bits = bits};
  };
  std::vector<NamedProduct<T>> all = {
      {"classic", generated<T>(uniform_kind, 37, 29, 131, 1), with(Accuracy::classic)},
      {"classic, wide range", generated<T>(range_kind(3), 41, 30, 150, 2), with(Accuracy::classic)},
      {"classic, balanced", balanced_problem<T>(24, 26, 90, 3), with(Accuracy::classic)},
      {"classic, with direct entries", guarded_problem<T>(64, 66, 60, 4), with(Accuracy::classic)},
      {"fast", generated<T>(range_kind(1), 30, 31, 100, 5), with(Accuracy::fast)},
      {"tight", generated<T>(range_kind(2), 33, 20, 77, 6), with(Accuracy::tight)},
      {"normwise", generated<T>(range_kind(4), 20, 35, 129, 7), with(Accuracy::normwise)},
      {"bits", generated<T>(range_kind(2), 19, 18, 200, 8), with(Accuracy::bits, 71)},
      {"thin", generated<T>(uniform_kind, 1, 50, 700, 9), with(Accuracy::classic)},
  };
  for (NamedProduct<T>& x : all) set_scalars(x.problem);
  all.push_back({"exact", generated<T>(range_kind(1), 17, 16, 70, 10), with(Accuracy::exact)});
  return all;
}

}  // namespace hilo::test
