// Sums of products of double-double numbers in K words: residuals that keep digits where b and A · x cancel.
//
// The definition of their bits, which SIMD code equals. With 3 words and more: terms one after the other, each down a
// chain of two_sums through the words, into the last of which it is added; in the end K passes of vector summation from
// the last word up (Ogita, Rump, Oishi, SIAM J. Sci. Comput. 26, 2005, SumK). With 2 a sum is a double-double number
// throughout, which takes a quarter of the operations and errs less.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>

namespace hilo::solver {

/// Words of a sum, 2 … 6.
inline constexpr int most_words = 6;

/// A sum in `words` words, word w at data[w · pitch].
class WordSum {
 public:
  WordSum(int words, double* data, std::int64_t pitch) : words_(words), data_(data), pitch_(pitch) {}

  void add(double t) const {
    for (int w = 0; w + 1 < words_; ++w) {
      const Ops::dd s = Ops::two_sum(word(w), t);
      word(w) = s.hi;
      t = s.lo;
    }
    word(words_ - 1) += t;
  }
  void add(const dd_real& x) const {
    add(x.hi);
    add(x.lo);
  }
  /// + x · y, exactly but for what the last word loses.
  void add_product(const dd_real& x, const dd_real& y) const {
    if (words_ == 2) {
      return add_rounded(x.hi, y.hi, detail::rounded_product(x.hi, y.lo) + detail::rounded_product(x.lo, y.hi));
    }
    add_product(x.hi, y.hi);
    add_product(x.hi, y.lo);
    add_product(x.lo, y.hi);
    add_product(x.lo, y.lo);
  }
  /// + x · y of a double and a double-double number.
  void add_product(double x, const dd_real& y) const {
    if (words_ == 2) return add_rounded(x, y.hi, detail::rounded_product(x, y.lo));
    add_product(x, y.hi);
    add_product(x, y.lo);
  }

  /// The sum rounded once, and its end. Of n products, N = 8n + 2, whose absolute values and those of the other terms
  /// sum to S: |error| <= 2u²|sum| + (2Nu)^K · S with K >= 3 words, (3n + 16) u² S with 2: a
  /// step rounds at most 3u² of the sum so far and 14u² of its term.
  dd_real close() const {
    for (int pass = 0; pass < words_; ++pass) {
      for (int w = words_ - 2; w >= 0; --w) {
        const Ops::dd s = Ops::two_sum(word(w), word(w + 1));
        word(w) = s.hi;
        word(w + 1) = s.lo;
      }
    }
    double rest = 0.0;
    for (int w = words_ - 1; w >= 1; --w) rest += word(w);
    return dd_real::sum(word(0), rest);
  }

 private:
  using Ops = hilo::detail::scalar_ops;

  void add_product(double x, double y) const {
    const Ops::dd p = Ops::two_prod(x, y);
    add(p.hi);
    add(p.lo);
  }
  // + x · y + rest.
  void add_rounded(double x, double y, double rest) const {
    const Ops::dd p = Ops::two_prod(x, y), s = Ops::two_sum(word(0), p.hi);
    const Ops::dd r = Ops::fast_two_sum(s.hi, word(1) + (s.lo + (p.lo + rest)));
    word(0) = r.hi;
    word(1) = r.lo;
  }
  double& word(int w) const { return data_[w * pitch_]; }

  int words_;
  double* data_;
  std::int64_t pitch_;
};

}  // namespace hilo::solver
