// Factors of a scaled matrix in device memory, and what is solved with them.
#pragma once

#include <hilo/lapack.hpp>
#include <vector>

#include "blas/opencl/place.hpp"
#include "lapack/condition.hpp"
#include "solve/factors.hpp"
#include "solve/opencl/device_matrix.hpp"
#include "solve/opencl/device_square.hpp"

namespace hilo::solver {

/// In any precision of D, Z, DD and ZDD. A few columns are solved for by products where the matrix is large, with
/// inverses of the triangles' blocks on the diagonal; in double-double only where options leave the engine open.
class DeviceFactorsOfAny {
 public:
  DeviceFactorsOfAny(DeviceMatrix& matrix, Precision precision, const BlockedOptions& options);

  /// Those that `path` names; false where a pivot is 0, or not positive, or U is not finite.
  bool factor(SolvePath path);
  /// The largest entry of U by the largest of A; 0 where pivots do not grow.
  double growth() const { return growth_; }
  /// X = A⁻¹ · X of `count` columns side by side in host memory.
  void solve(void* x, std::int64_t count);
  /// x = op(A)⁻¹ · x, op `none` or conjugate_transpose; or op(R)⁻¹ · x of QR, whose condition is R's.
  void solve_for_condition(Op op, void* x);
  /// Near A⁻¹, in about 3/2 n³ operations.
  DeviceSquare inverse();
  /// In which norm conditions are, and ‖A‖ in it, `norm` being that of A.
  Norm kind_of_norm() const { return method_ == Method::cholesky ? Norm::one : Norm::infinity; }
  double norm_of_factored(double norm);

  /// Inverses are faster than substitution, and less accurate where blocks of the diagonal are nearly singular.
  bool has_inverses() const { return inverses_() != nullptr; }
  void drop_inverses() { inverses_ = {}; }

  /// Gives back what was borrowed.
  void finish() { memory_.finish(); }

 private:
  enum class Method : std::uint8_t { lu, cholesky, qr };
  struct Triangle {
    Uplo uplo;
    Diag diag;
    DeviceView a, inverses;  // blocks of those beside each other, as they lie in memory
    Op op;                   // of the blocks
  };

  DeviceView whole() const;
  Triangle triangle(bool is_lower_factor, Op op) const;
  void invert_blocks();
  void invert_blocks_of(const Triangle& t);
  void put(const void* x, std::int64_t count);
  void get(void* x, std::int64_t count);
  /// What lies in columns_.
  void solve_triangle(const Triangle& t, std::int64_t count);
  void solve_by_blocks(const Triangle& t, std::int64_t column);
  void solve_matrix(blas::DevicePlace& place, const Triangle& t, std::int64_t first, const DeviceView& x);
  void invert_triangle(blas::DevicePlace& place, const Triangle& t, std::int64_t first, const DeviceView& x);
  void solve_orthogonal(std::int64_t count);
  void multiply(opencl::BorrowedKernel& k, const DeviceView& a, const cl::Buffer& x, std::int64_t first_of_x,
                const cl::Buffer& y, std::int64_t first_of_y, bool subtracts);
  void exchange(void* x, std::int64_t count, bool is_back) const;

  DeviceMatrix& matrix_;
  Precision precision_;
  BlockedOptions options_;
  std::int64_t n_;
  Method method_ = Method::lu;
  opencl::Call memory_;
  cl::Buffer data_, inverses_, columns_, other_;
  std::int64_t room_ = 0;  // columns
  std::vector<std::int64_t> pivots_;
  std::vector<std::byte> tau_;
  double growth_ = 0.0;
};

/// With the host's types.
template <gemm_scalar F>
class DeviceFactors : public DeviceFactorsOfAny {
 public:
  using Element = F;

  DeviceFactors(DeviceMatrix& matrix, const BlockedOptions& options)
      : DeviceFactorsOfAny(matrix, precision_of<F>, options), n_(matrix.order()) {}

  /// As Factors::condition, by solves on the device; with substitution where inverses of blocks would not do.
  double condition(double norm) {
    double condition = estimate(norm);
    if (has_inverses() && !(condition <= most_by_inverses)) {
      drop_inverses();
      condition = estimate(norm);
    }
    return condition;
  }

  /// X = A⁻¹ · X, columns side by side.
  void solve(const MatrixView<F>& x) { DeviceFactorsOfAny::solve(x.data, x.columns); }

 private:
  static constexpr double most_by_inverses = double_double<F> ? 0x1p83 : 0x1p30;

  double estimate(double norm) {
    using Real = real_type<F>;
    std::vector<F> x(static_cast<std::size_t>(n_));
    const MatrixView<F> column = view(Layout::column, Op::none, x.data(), n_, 1, n_);
    const Real reciprocal = lapack::reciprocal_condition<F>(kind_of_norm(), Real(norm_of_factored(norm)), column,
                                                            [&](Op op) { solve_for_condition(op, x.data()); });
    return 1.0 / static_cast<double>(reciprocal);
  }

  std::int64_t n_;
};

}  // namespace hilo::solver
