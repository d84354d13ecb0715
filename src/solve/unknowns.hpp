// What corrections are made of: right-hand sides b, solutions x, residuals r and corrections d, a line each.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "solve/exact_matrix.hpp"

namespace hilo::solver {

/// `wanted` entries of x from `first` on are the solution; others come with it.
template <gemm_scalar X>
class Unknowns {
 public:
  Vectors<X> b, x, r, d;

  Unknowns(std::int64_t count, std::int64_t length, std::int64_t first, std::int64_t wanted)
      : b(count, length),
        x(count, length),
        r(count, length),
        d(count, length),
        rest_(count, length),
        first_(first),
        wanted_(wanted),
        has_rest_(static_cast<std::size_t>(count)) {}

  std::int64_t count() const { return x.count(); }
  std::int64_t length() const { return x.length(); }

  /// x = 0 and r = b.
  void start(std::int64_t line) {
    drop_rest(line);
    for (std::int64_t i = 0; i < length(); ++i) {
      x.put(i, line, X(0));
      r.put(i, line, b.get(i, line));
    }
  }
  /// r = b − A x, or b − A (x + rest), rounded once, of some lines: subtract(y, sums) takes A times y's line off each
  /// sum in K words.
  template <class Subtract>
  void find_residuals(const std::vector<std::int64_t>& lines, int words, Subtract subtract) {
    // As many as A is read for at once.
    constexpr std::size_t most_lines = 16;
    for (std::size_t begin = 0; begin < lines.size(); begin += most_lines) {
      const std::span some = std::span(lines).subspan(begin, std::min(most_lines, lines.size() - begin));
      std::vector<VectorOfSums<X>> sums(some.size(), VectorOfSums<X>(words, length()));
      std::vector<LineSum<X>> of_x, of_rest;
      for (std::size_t k = 0; k < some.size(); ++k) {
        for (std::int64_t i = 0; i < length(); ++i) sums[k].add(i, b.get(i, some[k]));
        of_x.push_back({some[k], &sums[k]});
        if (has_rest_[static_cast<std::size_t>(some[k])]) of_rest.push_back({some[k], &sums[k]});
      }
      subtract(x, of_x);
      if (!of_rest.empty()) subtract(rest_, of_rest);
      for (std::size_t k = 0; k < some.size(); ++k) {
        for (std::int64_t i = 0; i < length(); ++i) r.put(i, some[k], sums[k].close(i));
      }
    }
  }

  /// What x cannot hold; null where residuals do not count it.
  const Vectors<X>* rest(std::int64_t line) const {
    return has_rest_[static_cast<std::size_t>(line)] ? &rest_ : nullptr;
  }

  /// x += d.
  void correct(std::int64_t line) {
    for (std::int64_t i = 0; i < length(); ++i) x.put(i, line, x.get(i, line) + d.get(i, line));
  }
  /// The same, what x cannot hold going to the rest, which residuals then count.
  void correct_with_rest(std::int64_t line) {
    has_rest_[static_cast<std::size_t>(line)] = true;
    for (std::int64_t i = 0; i < length(); ++i) {
      const X old = x.get(i, line), change = rest_.get(i, line) + d.get(i, line), sum = old + change;
      x.put(i, line, sum);
      rest_.put(i, line, (old - sum) + change);
    }
  }
  /// What x lacks is corrected, not x.
  void correct_rest(std::int64_t line) {
    has_rest_[static_cast<std::size_t>(line)] = true;
    for (std::int64_t i = 0; i < length(); ++i) rest_.put(i, line, rest_.get(i, line) + d.get(i, line));
  }
  X rest(std::int64_t i, std::int64_t line) const { return rest_.get(i, line); }
  /// Residuals are x's alone again.
  void drop_rest(std::int64_t line) {
    has_rest_[static_cast<std::size_t>(line)] = false;
    for (std::int64_t i = 0; i < length(); ++i) rest_.put(i, line, X(0));
  }

  /// Whether b is 0, and with it x.
  bool are_zero(std::int64_t line) const { return largest(b, line, 0, length()) == 0.0 && size(line) == 0.0; }
  double size(std::int64_t line) const { return largest(x, line, 0, length()); }
  double size_of_correction(std::int64_t line) const { return largest(d, line, 0, length()); }
  /// max (|d_i| + noise) / |x_i| in the solution, where |x_i| is less than 2^-53 of the largest to that.
  double relative_correction(std::int64_t line, double noise) const {
    const double least = 0x1p-53 * largest(x, line, first_, wanted_);
    double ratio = 0.0;
    for (std::int64_t i = first_; i < first_ + wanted_; ++i) {
      const double change = size_of(d.get(i, line)) + noise, whole = size_of(x.get(i, line));
      if (change > 0.0) ratio = std::max(ratio, change / std::max(whole, least));
    }
    return ratio;
  }

  /// The smallest entry that counts in the solution, by the largest of all: zeros apart, no less than 2^-53 of the
  /// solution's largest; 1 where all are 0.
  double smallest_share(std::int64_t line) const {
    const double all = size(line), least = 0x1p-53 * largest(x, line, first_, wanted_);
    double smallest = all;
    for (std::int64_t i = first_; i < first_ + wanted_; ++i) {
      if (const double e = std::max(size_of(x.get(i, line)), least); e > 0.0) smallest = std::min(smallest, e);
    }
    return all > 0.0 ? smallest / all : 1.0;
  }

 private:
  // NaN if one is.
  static double largest(const Vectors<X>& v, std::int64_t line, std::int64_t first, std::int64_t count) {
    double most = 0.0;
    for (std::int64_t i = first; i < first + count; ++i) {
      const double size = size_of(v.get(i, line));
      if (!(size <= most)) most = size;
    }
    return most;
  }

  Vectors<X> rest_;
  std::int64_t first_, wanted_;
  std::vector<char> has_rest_;
};

/// Exponents e of right-hand sides: b(i, j) · 2^(of_row(i) − e_j) is at most near 1.
template <class T, class OfRow>
std::vector<int> exponents_of(const MatrixView<const T>& b, OfRow of_row) {
  std::vector<int> exponents(static_cast<std::size_t>(b.columns));
  for (std::int64_t j = 0; j < b.columns; ++j) {
    int& e = exponents[static_cast<std::size_t>(j)];
    bool is_first = true;
    for (std::int64_t i = 0; i < b.rows; ++i) {
      const double size = size_of(b(i, j));
      if (size == 0.0) continue;
      const int of_entry = std::ilogb(size) + of_row(i);
      e = is_first ? of_entry : std::max(e, of_entry);
      is_first = false;
    }
  }
  return exponents;
}

}  // namespace hilo::solver
