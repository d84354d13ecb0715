// Where QR runs on the host.
#pragma once

#include <limits>
#include <span>

#include "blas/host_place.hpp"
#include "lapack/cpu/qr_panel.hpp"
#include "lapack/qr.hpp"

namespace hilo::lapack {

template <gemm_scalar T>
class QrPlace : public blas::HostPlace<T> {
 public:
  using Matrix = MatrixView<T>;
  using Operand = MatrixView<const T>;

  /// The factors tau of the whole matrix, which are made.
  QrPlace(const BlockedOptions& options, std::span<T> tau) : QrPlace(options, std::span<const T>(tau)) { made_ = tau; }
  /// The same, which are read.
  QrPlace(const BlockedOptions& options, std::span<const T> tau) : blas::HostPlace<T>(options), tau_(tau) {
    this->accept_normwise_products();
  }

  std::int64_t written_reflectors() const { return many_reflectors; }
  std::int64_t written_triangles() const { return std::numeric_limits<std::int64_t>::max(); }

  void qr_panel(const Matrix& a, std::int64_t first, const Matrix& t) {
    const auto tau = made_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(a.columns));
    lapack::qr_panel<T>(this->arithmetic(), this->threads(), a, tau, t);
  }
  void reflector_triangle(const Operand& v, std::int64_t first, const Matrix& t) {
    const auto tau = tau_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(v.columns));
    lapack::reflector_triangle<T>(this->arithmetic(), this->threads(), v, tau, t);
  }

  void copy(const Operand& from, const Matrix& to) {
    for_entries(to, [&](std::int64_t i, std::int64_t j) { to(i, j) = blas::element(from, i, j); });
  }
  /// A trapezoid, with ones on the diagonal if it is a unit one, and zeros beside it.
  void copy_trapezoid(Uplo uplo, Diag diag, const Operand& from, const Matrix& to) {
    for_entries(to, [&](std::int64_t i, std::int64_t j) {
      const bool is_inside = i == j || (i < j) == (uplo == Uplo::upper);
      to(i, j) = i == j && diag == Diag::unit ? T(1) : is_inside ? blas::element(from, i, j) : T(0);
    });
  }
  /// B −= A
  void subtract(const Operand& a, const Matrix& b) {
    for_entries(b, [&](std::int64_t i, std::int64_t j) { b(i, j) = b(i, j) - a(i, j); });
  }
  /// Column 0 has its 1 in row `first`.
  void set_identity(const Matrix& a, std::int64_t first) {
    for_entries(a, [&](std::int64_t i, std::int64_t j) { a(i, j) = T(i == first + j ? 1 : 0); });
  }
  /// The first column, counted from 1, whose entry on the diagonal is 0; 0 if none.
  std::int64_t first_zero(const Operand& a) const {
    for (std::int64_t j = 0; j < a.columns; ++j) {
      if (a(j, j) == T(0)) return j + 1;
    }
    return 0;
  }

 private:
  // Along whichever lines of A are contiguous.
  template <class F>
  void for_entries(const Matrix& a, F f) {
    const bool by_columns = a.row_stride == 1;
    const std::int64_t lines = by_columns ? a.columns : a.rows, length = by_columns ? a.rows : a.columns;
    host::for_parts(lines * length < 65536 ? 1 : this->threads(), lines, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        for (std::int64_t l = 0; l < length; ++l) by_columns ? f(l, k) : f(k, l);
      }
    });
  }

  std::span<const T> tau_;
  std::span<T> made_;
};

}  // namespace hilo::lapack
