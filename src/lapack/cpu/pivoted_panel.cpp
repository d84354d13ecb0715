#include "lapack/cpu/pivoted_panel.hpp"

#include <algorithm>
#include <utility>

#include "host/team.hpp"
#include "lapack/cpu/cutter.hpp"
#include "lapack/cpu/reflector.hpp"

namespace hilo::lapack {
namespace {

using blas::Divisor;
using blas::Factor;
using blas::Lines;

constexpr std::int64_t tile_columns = 64;

// Rows that are summed by themselves.
constexpr std::int64_t chunk_rows = 256;

// What a quotient and its moves take, in terms of a sum.
constexpr std::int64_t terms_of_quotient = 8;

// √u: of a square of a norm lowered to less of what it was, too few digits are left.
template <class Word>
constexpr Word root_of_unit(int words) {
  return words == 2 ? Word(0x1p-52) : sizeof(Word) == 4 ? Word(0x1p-12) : Word(0x1p-26);
}

template <class Real>
auto leading(const Real& x) {
  if constexpr (std::same_as<Real, dd_real>) {
    return x.hi;
  } else {
    return x;
  }
}

// Inf where not all are finite, so that such a column comes first.
template <gemm_scalar T>
real_type<T> norm_of(const MatrixView<T>& column) {
  using std::sqrt;
  using Real = real_type<T>;
  using Number = std::numeric_limits<blas::Word<T>>;
  blas::Word<T> most = 0;
  for (std::int64_t i = 0; i < column.rows; ++i) {
    for (const Real& part : {real_part<T>(column(i, 0)), imaginary_part<T>(column(i, 0))}) {
      const auto size = std::fabs(leading(part));
      if (!(size <= Number::max())) return Real(Number::infinity());
      most = std::max(most, size);
    }
  }
  const auto scale = scale_to_one(most);
  Real sum(0);
  for (std::int64_t i = 0; i < column.rows; ++i) {
    const T x = scaled<T>(column(i, 0), scale);
    const Real re = real_part<T>(x), im = imaginary_part<T>(x);
    sum = sum + (re * re + im * im);
  }
  return scaled<Real>(sqrt(sum), 1 / scale);
}

}  // namespace

template <gemm_scalar T>
PivotedPanels<T>::PivotedPanels(const blas::LineArithmetic<T>& arithmetic, int threads, const MatrixView<T>& a,
                                std::span<std::int64_t> pivots, std::span<T> tau, std::int64_t width)
    : arithmetic_(arithmetic),
      threads_(threads),
      a_(a),
      pivots_(pivots),
      tau_(tau),
      width_(width),
      memory_(Lines<T>::bytes(width, a.rows) +
              blocks(a.columns, tile_columns) *
                  (Lines<T>::bytes(a.rows + blocks(a.rows, chunk_rows) + width, tile_columns) + 64) +
              (a.rows + 2 * width + 1 + blocks(a.rows, chunk_rows)) * static_cast<std::int64_t>(sizeof(T)) + 5 * 64),
      norms_(static_cast<std::size_t>(a.columns)),
      exact_norms_(static_cast<std::size_t>(a.columns), Real(-1)),
      tiles_(static_cast<std::size_t>(blocks(a.columns, tile_columns))) {
  for (std::int64_t j = 0; j < a.columns; ++j) pivots_[static_cast<std::size_t>(j)] = j + 1;
  renew_norms(0);
}

template <gemm_scalar T>
void PivotedPanels<T>::renew_norms(std::int64_t first) {
  const std::int64_t m = a_.rows - first, n = a_.columns - first;
  host::for_each(team(m * n), n, [&](std::int64_t j, int) {
    const auto column = static_cast<std::size_t>(first + j);
    if (exact_norms_[column] < Real(0)) {
      norms_[column] = exact_norms_[column] = norm_of<T>(a_.sub(first, first + j, m, 1));
    }
  });
}

template <gemm_scalar T>
std::int64_t PivotedPanels<T>::factor(std::int64_t first, std::int64_t width, const MatrixView<T>& w) {
  load(first);
  std::int64_t k = 0;
  bool are_known = true;
  for (; are_known && k < width; ++k) {
    exchange(k);
    update_column(k);
    reflect(k);
    are_known = std::all_of(exact_norms_.begin() + first + k + 1, exact_norms_.end(),
                            [](const Real& norm) { return !(norm < Real(0)); });
  }
  store(k, w);
  return k;
}

template <gemm_scalar T>
void PivotedPanels<T>::load(std::int64_t first) {
  first_ = first;
  m_ = a_.rows - first;
  n_ = a_.columns - first;
  chunks_ = blocks(m_, chunk_rows);
  joined_ = 0;
  Cutter cutter(memory_.data());
  columns_ = cutter.lines<T>(width_, m_);
  row_scalars_ = cutter.words<T>(m_);
  scalars_ = cutter.words<T>(width_);
  row_of_v_ = cutter.words<T>(width_ + 1);
  ones_ = cutter.words<T>(chunks_);
  for (std::int64_t c = 0; c < chunks_; ++c) put(ones_, c, T(1));
  tiles_.resize(static_cast<std::size_t>(blocks(n_, tile_columns)));
  for (Lines<T>& tile : tiles_) tile = cutter.lines<T>(m_ + chunks_ + width_, tile_columns);
  host::for_each(team(m_ * n_), std::ssize(tiles_), [&](std::int64_t t, int) {
    // By few rows at a time, which stay in a cache whichever way they lie.
    constexpr std::int64_t few = 8;
    for (std::int64_t begin = 0; begin < m_; begin += few) {
      for (std::int64_t c = 0; c < tile_width(t); ++c) {
        for (std::int64_t i = begin; i < std::min(begin + few, m_); ++i) {
          tiles_[static_cast<std::size_t>(t)].put(c, i, a_(first + i, first + t * tile_columns + c));
        }
      }
    }
  });
}

template <gemm_scalar T>
std::int64_t PivotedPanels<T>::tile_width(std::int64_t tile) const {
  return std::min(tile_columns, n_ - tile * tile_columns);
}

template <gemm_scalar T>
T PivotedPanels<T>::product(std::int64_t l, std::int64_t c) const {
  return tiles_[static_cast<std::size_t>(c / tile_columns)].get(c % tile_columns, products() + l);
}

// Column k and the one of largest norm, the first of equals.
template <gemm_scalar T>
void PivotedPanels<T>::exchange(std::int64_t k) {
  const auto from = norms_.begin() + first_ + k;
  const std::int64_t p = k + (std::max_element(from, norms_.end()) - from);
  if (p == k) return;
  const auto number = [&](std::int64_t c) { return static_cast<std::size_t>(first_ + c); };
  std::swap(pivots_[number(k)], pivots_[number(p)]);
  std::swap(norms_[number(k)], norms_[number(p)]);
  std::swap(exact_norms_[number(k)], exact_norms_[number(p)]);
  for (std::int64_t i = 0; i < a_.rows; ++i) std::swap(a_(i, first_ + k), a_(i, first_ + p));
  // Of column k tiles are to have V.
  const Lines<T>& of_k = tiles_[static_cast<std::size_t>(k / tile_columns)];
  const Lines<T>& of_p = tiles_[static_cast<std::size_t>(p / tile_columns)];
  for (std::int64_t i = k; i < m_; ++i) of_p.put(p % tile_columns, i, a_(first_ + i, first_ + p));
  for (std::int64_t l = products(); l < products() + k; ++l) {
    const T x = of_k.get(k % tile_columns, l);
    of_k.put(k % tile_columns, l, of_p.get(p % tile_columns, l));
    of_p.put(p % tile_columns, l, x);
  }
}

// Column k − V · W's.
template <gemm_scalar T>
void PivotedPanels<T>::update_column(std::int64_t k) {
  for (std::int64_t l = 0; l < k; ++l) put(scalars_, l, -product(l, k));
  host::for_parts(team((m_ - k) * k), m_ - k, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = k + begin; i < k + end; ++i) columns_.put(i, k, a_(first_ + i, first_ + k));
    arithmetic_.add_products(columns_, {k, 0, k, k + begin, k + end}, scalars_, Factor::right);
  });
}

// Makes column k R's and V's, and rows k of R and W.
template <gemm_scalar T>
void PivotedPanels<T>::reflect(std::int64_t k) {
  const ColumnScale<T> scale(columns_, k, k, m_);
  for (std::int64_t l = 0; l < k; ++l) put(row_of_v_, l, -columns_.get(k, l));
  put(row_of_v_, k, T(-1));
  const auto make_rows = [&](const Divisor<T>* divisor, const T& factor) {
    host::for_each(team((m_ - k) * (n_ - k)), std::ssize(tiles_), [&](std::int64_t t, int) {
      if ((t + 1) * tile_columns > k + 1) make_row(t, k, divisor, factor);
    });
  };
  T& tau = tau_[static_cast<std::size_t>(first_ + k)];
  T& diagonal = a_(first_ + k, first_ + k);
  if (scale.is_done) {
    tau = T(0);
    diagonal = columns_.get(k, k);
    return make_rows(nullptr, T(0));
  }
  const std::int64_t below = m_ - k - 1;
  const T alpha = scaled<T>(columns_.get(k, k), scale.scale);
  host::for_parts(team(below * terms_of_quotient), below, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = k + 1 + begin; i < k + 1 + end; ++i) {
      const T x = scaled<T>(columns_.get(i, k), scale.scale);
      columns_.put(i, k, x);
      put(row_scalars_, i, conjugate(x));
    }
  });
  sum_rows(k);
  for (std::int64_t t = 0; t <= k / tile_columns; ++t) add_sums(t, k);
  const Reflector<T> h(alpha, product(k, k));
  const Divisor<T> divisor(h.divisor), conjugate_divisor(conjugate(h.divisor));
  for (std::int64_t l = 0; l < k; ++l) {
    put(scalars_, l, -(columns_.get(k, l) + blas::quotient(product(k, l), conjugate_divisor)));
  }
  host::for_parts(team(below * terms_of_quotient), below, [&](std::int64_t begin, std::int64_t end) {
    arithmetic_.divide(columns_, k, divisor, k + 1 + begin, k + 1 + end);
  });
  tau = h.tau;
  diagonal = scaled<T>(T(h.beta), Word(1) / scale.scale);
  make_rows(&conjugate_divisor, conjugate(h.tau));
}

// With x below the diagonal, scaled: of each chunk xᴴ · A, and xᴴ · V in V's columns, of which tiles get column k too.
template <gemm_scalar T>
void PivotedPanels<T>::sum_rows(std::int64_t k) {
  const std::int64_t from = (k + 1) / chunk_rows, chunks = chunks_ - from;
  if (chunks == 0) return;
  host::for_each(team((m_ - k) * n_), std::ssize(tiles_) * chunks, [&](std::int64_t task, int) {
    const std::int64_t t = task / chunks, c = from + task % chunks, width = tile_width(t);
    const std::int64_t begin = std::max(k + 1, c * chunk_rows), end = std::min(m_, (c + 1) * chunk_rows);
    const Lines<T>& tile = tiles_[static_cast<std::size_t>(t)];
    for (std::int64_t j = std::max(joined_, t * tile_columns); j <= std::min(k, (t + 1) * tile_columns - 1); ++j) {
      for (std::int64_t i = begin; i < end; ++i) tile.put(j % tile_columns, i, columns_.get(i, j));
    }
    for (std::int64_t i = 0; i < width; ++i) tile.put(i, m_ + c, T(0));
    arithmetic_.add_products(tile, {m_ + c, begin, end, 0, width}, row_scalars_ + begin * blas::word_count<T>,
                             Factor::right);
  });
  joined_ = k;
}

// Those of chunks in W's row.
template <gemm_scalar T>
void PivotedPanels<T>::add_sums(std::int64_t t, std::int64_t k) {
  const Lines<T>& tile = tiles_[static_cast<std::size_t>(t)];
  for (std::int64_t i = 0; i < tile_width(t); ++i) tile.put(i, products() + k, T(0));
  arithmetic_.add_products(tile, {products() + k, m_ + (k + 1) / chunk_rows, m_ + chunks_, 0, tile_width(t)}, ones_,
                           Factor::right);
}

// Rows k of W and R right of column k: W's is conj(tau) · (vᴴ · A − vᴴ · V · W), and 0 where there is no divisor.
template <gemm_scalar T>
void PivotedPanels<T>::make_row(std::int64_t t, std::int64_t k, const Divisor<T>* divisor, const T& factor) {
  const Lines<T>& tile = tiles_[static_cast<std::size_t>(t)];
  const std::int64_t begin = std::max<std::int64_t>(0, k + 1 - t * tile_columns), end = tile_width(t);
  const std::int64_t row = products() + k;
  if (divisor) {
    if (t > k / tile_columns) add_sums(t, k);
    arithmetic_.divide(tile, row, *divisor, begin, end);
    arithmetic_.add_products(tile, {row, k, k + 1, begin, end}, ones_, Factor::right);
    arithmetic_.add_products(tile, {row, products(), row, begin, end}, scalars_, Factor::right);
    arithmetic_.scale(tile, row, factor, end);
  } else {
    for (std::int64_t i = begin; i < end; ++i) tile.put(i, row, T(0));
  }
  arithmetic_.add_products(tile, {k, products(), row + 1, begin, end}, row_of_v_, Factor::right);
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t column = first_ + t * tile_columns + i;
    const T x = tile.get(i, k);
    a_(first_ + k, column) = x;
    lower_norm(column, x);
  }
}

// Of a column without its first entry, x. One that is not finite stays.
template <gemm_scalar T>
void PivotedPanels<T>::lower_norm(std::int64_t column, const T& x) {
  using std::sqrt;
  Real &norm = norms_[static_cast<std::size_t>(column)], &exact = exact_norms_[static_cast<std::size_t>(column)];
  if (norm == Real(0) || !(leading(norm) <= std::numeric_limits<Word>::max())) return;
  const Real re = real_part<T>(x) / norm, im = imaginary_part<T>(x) / norm, of_exact = norm / exact;
  const Real left = Real(1) - (re * re + im * im);
  if (left * of_exact * of_exact > Real(root_of_unit<Word>(precisions::words(precision_of<T>)))) {
    norm = norm * sqrt(left);
  } else {
    exact = Real(-1);
  }
}

template <gemm_scalar T>
void PivotedPanels<T>::store(std::int64_t k, const MatrixView<T>& w) {
  for (std::int64_t j = 0; j < k; ++j) {
    for (std::int64_t i = j + 1; i < m_; ++i) a_(first_ + i, first_ + j) = columns_.get(i, j);
  }
  for (std::int64_t c = k; c < n_; ++c) {
    for (std::int64_t l = 0; l < k; ++l) w(l, first_ + c) = product(l, c);
  }
}

template class PivotedPanels<float>;
template class PivotedPanels<double>;
template class PivotedPanels<std::complex<float>>;
template class PivotedPanels<std::complex<double>>;
template class PivotedPanels<dd_real>;
template class PivotedPanels<dd_complex>;

}  // namespace hilo::lapack
