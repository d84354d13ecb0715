#include "cli/accuracy/conditioned.hpp"

#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "cli/operands.hpp"
#include "cli/problem/structure.hpp"

namespace hilo::cli {
namespace {

// The Q of a generated matrix.
template <class T>
data::Matrix<T> orthogonal(std::int64_t n, std::uint64_t seed, char which, const GemmOptions& options) {
  data::Matrix<T> q = data::zero_matrix<T>(n, n, Layout::column, std::string(1, which));
  data::generate({{}, data::seed_of_matrix(seed, which)}, Layout::column, n, n, q.entries.data(), q.leading());
  std::vector<T> tau(static_cast<std::size_t>(n));
  geqrf(view_of(q), std::span(tau), options);
  ungqr(view_of(q), std::span<const T>(tau), options);
  return q;
}

// Singular value j of n.
dd_real value(std::int64_t j, std::int64_t n, double condition) {
  return n == 1 ? dd_real(1) : pow(dd_real(condition), -dd_real(j) / dd_real(n - 1));
}

}  // namespace

template <double_double T>
Conditioned<T>::Conditioned(std::int64_t n, std::uint64_t seed, int threads)
    : options_{.engine = Engine::direct, .fma = Fma::off, .threads = threads},
      left_(orthogonal<T>(n, seed, 'U', options_)),
      right_(orthogonal<T>(n, seed, 'V', options_)) {}

template <double_double T>
data::Matrix<T> Conditioned<T>::product(const data::Matrix<T>& right, double condition) const {
  data::Matrix<T> scaled = left_, a = data::zero_matrix<T>(left_.rows, left_.rows, Layout::column, "A");
  for (std::int64_t j = 0; j < scaled.columns; ++j) {
    const T size = T(value(j, scaled.columns, condition));
    for (std::int64_t i = 0; i < scaled.rows; ++i) scaled(i, j) = scaled(i, j) * size;
  }
  gemm(T(1), view_of(scaled), view_of(right).turned(Op::conjugate_transpose), T(0), view_of(a), options_);
  return a;
}

template <double_double T>
data::Matrix<T> Conditioned<T>::general(double condition) const {
  return product(right_, condition);
}

template <double_double T>
data::Matrix<T> Conditioned<T>::positive(double condition) const {
  data::Matrix<T> a = product(left_, condition);
  give_structure(a, SystemKind::hermitian, data::Init::uniform);
  return a;
}

template class Conditioned<dd_real>;
template class Conditioned<dd_complex>;

}  // namespace hilo::cli
