// Proofs by triangular factors in double and their inverses.
//
// P A ≈ L M, M being U or Lᴴ, X ≈ L⁻¹, and M Y = I + D with |D| <= g |M| |Y|. Where |X| |P r| + G v <= v for some v > 0
// and G >= |I − X P A Y|, G's spectral radius is below 1, so that X P A Y = B is not singular, nor are X, A and Y, and
// |A⁻¹ r| = |Y B⁻¹ X P r| <= |Y| v. G is applied to vectors by what it is made of, in one of two ways:
//   by factors   P A = L M + H with |H| <= g |L| |M|, X L = I + C with |C| <= g |X| |L|:
//                |I − B| <= |D| + |C| (I + |D|) + |X| |H| |Y|, without a product of matrices;
//   by product   T = X P A, found in double with an error of at most g' |X| |P A|:
//                |I − B| <= |D| + (|T − M| + g' |X| |P A|) |Y|, for larger conditions.
// The bounds g hold whatever the order of sums in gemm; docs/solve.md counts them. Sources: Higham, Accuracy and
// Stability of Numerical Algorithms (2002), theorems 9.3 and 10.3, lemma 8.4; Oishi, Rump, Numer. Math. 90 (2002).
#pragma once

#include <numeric>
#include <vector>

#include "lapack/host_place.hpp"
#include "solve/host_system.hpp"
#include "solve/magnitude_sums.hpp"
#include "solve/proof_units.hpp"
#include "solve/triangle_inverse.hpp"

namespace hilo::solver {

/// Columns of a product that are made at a time.
inline constexpr std::int64_t product_strip = 1024;

template <gemm_scalar T>
class FactorCertificate {
 public:
  using F = Leading<T>;

  /// By LU or Cholesky of the system's leading words. By factors, until there is the product.
  FactorCertificate(const HostSystem<T>& system, const Factors<F>& factors)
      : system_(system),
        factors_(factors),
        n_(system.rows()),
        is_positive_(factors.is_positive()),
        above_(above_sums(n_)),
        inverses_(bytes()) {
    ProofPlace<F> place(system.options_of_double(), n_, proof_strip);
    const MatrixView<const F> lu = factors.matrix();
    const MatrixView<F> x = inverses();
    invert_lower<F>(place, of_lower(), lu, x);
    if (!is_positive_) {
      invert_lower<F>(place, Diag::non_unit, lu.turned(Op::transpose), x.turned(Op::transpose));
    }
  }

  /// From now on by product, T − M counting as 0 until it is made.
  void take_product() { by_product_ = true; }
  void make_product() {
    difference_ = std::make_unique<host::AlignedMemory>(bytes());
    ProofPlace<F> place(system_.options_of_double(), n_, product_strip);
    const MatrixView<const F> m = is_positive_ ? factors_.matrix().turned(Op::conjugate_transpose) : factors_.matrix();
    for (std::int64_t first = 0; first < n_; first += product_strip) {
      const std::int64_t width = std::min(product_strip, n_ - first);
      const MatrixView<F> of_a = place.columns(n_, width);
      const auto product = matrix(*difference_).sub(0, first, n_, width);
      system_.write_leading(first, of_a);
      move_rows(of_a);
      multiply_by_lower<F>(place, is_by_parts(n_), of_lower(), inverses(), of_a, product);
      for (std::int64_t j = 0; j < width; ++j) {
        for (std::int64_t i = 0; i <= first + j; ++i) product(i, j) -= blas::element(m, i, first + j);
      }
    }
  }

  /// |X| |P| t.
  std::vector<double> start(std::vector<double> t) const {
    move_rows(view(Layout::column, Op::none, t.data(), n_, 1, n_));
    return by_x(t);
  }
  /// G · v.
  std::vector<double> excess(const std::vector<double>& v) const {
    const std::vector<double> y = finish(v);
    std::vector<double> of_d = by_m(y);
    const double unit = unit_of_sums<F>(n_), of_v = underflow * sum(v);
    if (by_product_) {
      std::vector<double> q = system_.product_with_magnitudes(y);
      move_rows(view(Layout::column, Op::none, q.data(), n_, 1, n_));
      const double of_y = underflow * sum(y), of_parts = unit_of_parts<F>(n_);
      for (double& e : q) e = (of_parts * e + of_y) * above_;
      q = by_x(q);
      if (difference_) add(q, multiply_magnitudes(system_.threads(), Part::whole, data(*difference_), n_, y));
      for (std::size_t i = 0; i < q.size(); ++i) q[i] = (q[i] + unit * of_d[i] + of_v) * above_;
      return q;
    }
    std::vector<double> all(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      all[i] = v[i] + of_d[i];
      of_d[i] = (unit * of_d[i] + of_v) * above_;
      all[i] += of_d[i];
    }
    const double of_both = underflow * (sum(v) + sum(of_d)), of_y = underflow * sum(y);
    std::vector<double> q = by_l(all);
    for (double& e : q) e = (unit * e + of_y) * above_;
    q = by_x(q);
    for (std::size_t i = 0; i < v.size(); ++i) q[i] = (q[i] + of_d[i] + of_both) * above_;
    return q;
  }
  /// |Y| · v.
  std::vector<double> finish(const std::vector<double>& v) const {
    const F* const x = data(inverses_);
    return raised(is_positive_ ? multiply_turned_magnitudes(system_.threads(), x, n_, v)
                               : multiply_magnitudes(system_.threads(), Part::upper, x, n_, v));
  }

  /// Near A⁻¹: Y X P.
  std::vector<F> inverse() const {
    std::vector<F> r(static_cast<std::size_t>(n_ * n_));
    const MatrixView<F> to = view(Layout::column, Op::none, r.data(), n_, n_, n_);
    ProofPlace<F> place(system_.options_of_double(), n_, proof_strip);
    const MatrixView<const F> x = inverses();
    multiply_triangles<F>(place, of_lower(), is_positive_ ? x.turned(Op::conjugate_transpose) : x, x, to);
    if (!is_positive_) {
      lapack::HostPlace<F> mover(system_.options_of_double());
      mover.set_pivots(factors_.pivots());
      mover.move_rows_back(to.turned(Op::transpose), 0, n_);
    }
    return r;
  }

  /// X below the diagonal, which is a unit one of LU, and Y above it; of a positive definite matrix X alone.
  MatrixView<F> inverses() const { return matrix(inverses_); }

 private:
  static F* data(const host::AlignedMemory& memory) { return reinterpret_cast<F*>(memory.data()); }
  std::int64_t bytes() const { return n_ * n_ * static_cast<std::int64_t>(sizeof(F)); }
  MatrixView<F> matrix(const host::AlignedMemory& memory) const {
    return view(Layout::column, Op::none, data(memory), n_, n_, n_);
  }
  Diag of_lower() const { return is_positive_ ? Diag::non_unit : Diag::unit; }
  Part lower() const { return is_positive_ ? Part::lower : Part::unit_lower; }

  template <class E>
  void move_rows(const MatrixView<E>& x) const {
    if (is_positive_) return;
    lapack::HostPlace<E> mover(system_.options_of_double());
    mover.set_pivots(factors_.pivots());
    mover.move_rows(x, 0, n_);
  }
  std::vector<double> by_x(const std::vector<double>& y) const {
    return raised(multiply_magnitudes(system_.threads(), lower(), data(inverses_), n_, y));
  }
  std::vector<double> by_l(const std::vector<double>& y) const {
    return raised(multiply_magnitudes(system_.threads(), lower(), factors_.matrix().data, n_, y));
  }
  std::vector<double> by_m(const std::vector<double>& y) const {
    const F* const m = factors_.matrix().data;
    return raised(is_positive_ ? multiply_turned_magnitudes(system_.threads(), m, n_, y)
                               : multiply_magnitudes(system_.threads(), Part::upper, m, n_, y));
  }
  std::vector<double> raised(std::vector<double> x) const {
    for (double& e : x) e = e * above_ + underflow;
    return x;
  }
  void add(std::vector<double>& x, const std::vector<double>& y) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i] * above_ + underflow;
  }
  double sum(const std::vector<double>& x) const { return std::accumulate(x.begin(), x.end(), 1.0) * above_; }

  const HostSystem<T>& system_;
  const Factors<F>& factors_;
  std::int64_t n_;
  bool is_positive_, by_product_ = false;
  double above_;
  host::AlignedMemory inverses_;
  std::unique_ptr<host::AlignedMemory> difference_;  // T − M
};

}  // namespace hilo::solver
