#include "blas/cpu/line_arithmetic.hpp"

namespace hilo::blas {

template <gemm_scalar T>
void LineArithmetic<T>::add_products(const Lines<T>& x, const Sum& s, const Word<T>* scalars, Factor scalar) const {
  const std::int64_t count = s.last - s.first;
  if (count <= 0 || s.begin >= s.end) return;
  const auto scalar_at = [&](std::int64_t k) { return from_words<T>(scalars + k * word_count<T>); };
  if constexpr (double_double<T>) {
    const auto& kernels = fma_ ? set_->fma : set_->split;
    const auto kernel = kernels[scalar == Factor::left][std::same_as<T, dd_complex>];
    const auto one = [&](std::int64_t i) {
      const auto line_at = [&](std::int64_t k) { return x.get(i, s.first + k); };
      x.put(i, s.to,
            scalar == Factor::left ? with_products(x.get(i, s.to), count, scalar_at, line_at, fma_)
                                   : with_products(x.get(i, s.to), count, line_at, scalar_at, fma_));
    };
    for (std::int64_t i = s.begin; i < s.end;) {
      if (kernel) {
        i += kernel({s.end - i, count, x.line(s.first) + i, scalars, x.line(s.to) + i, x.pitch()});
        if (i >= s.end) return;
      }
      // What the kernel leaves, or one by one where the CPU lacks the sequence that was asked for.
      one(i++);
    }
  } else {
    const std::int64_t pitch = x.pitch();
    Word<T>* to = x.line(s.to);
    std::int64_t begin = s.begin;
    if constexpr (!is_complex(precision_of<T>)) {
      // As many sums as registers hold.
      constexpr std::int64_t width = 16;
      const Word<T>* const first = x.line(s.first);
      for (; begin + width <= s.end; begin += width) {
        Word<T> sums[width];
        for (std::int64_t i = 0; i < width; ++i) sums[i] = to[begin + i];
        for (std::int64_t k = 0; k < count; ++k) {
          const Word<T>* const line = first + k * pitch + begin;
          for (std::int64_t i = 0; i < width; ++i) sums[i] += line[i] * scalars[k];
        }
        for (std::int64_t i = 0; i < width; ++i) to[begin + i] = sums[i];
      }
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const Word<T>* line = x.line(s.first + k);
      if constexpr (is_complex(precision_of<T>)) {
        const T y = scalar_at(k);
        const Word<T> re = y.real(), im = y.imag();
        for (std::int64_t i = begin; i < s.end; ++i) {
          to[i] += line[i] * re - line[pitch + i] * im;
          to[pitch + i] += line[i] * im + line[pitch + i] * re;
        }
      } else {
        const T y = scalars[k];
        for (std::int64_t i = begin; i < s.end; ++i) to[i] += line[i] * y;
      }
    }
  }
}

template <gemm_scalar T>
void LineArithmetic<T>::divide(const Lines<T>& x, std::int64_t k, const Divisor<T>& d, std::int64_t begin,
                               std::int64_t end) const {
  if (begin >= end) return;
  if constexpr (std::same_as<T, dd_real>) {
    set_->divide(end - begin, x.line(k) + begin, x.pitch(), d);
  } else if constexpr (std::same_as<T, dd_complex>) {
    set_->divide_complex(end - begin, x.line(k) + begin, x.pitch(), d);
  } else {
    for (std::int64_t i = begin; i < end; ++i) x.put(i, k, quotient(x.get(i, k), d));
  }
}

template class LineArithmetic<float>;
template class LineArithmetic<double>;
template class LineArithmetic<std::complex<float>>;
template class LineArithmetic<std::complex<double>>;
template class LineArithmetic<dd_real>;
template class LineArithmetic<dd_complex>;

}  // namespace hilo::blas
