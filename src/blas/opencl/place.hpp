// Where routines run on a device: the commands, memory and kernels of a call, and what routines are made of. The verbs
// are those of blas/host_place.hpp.
#pragma once

#include <hilo/blas.hpp>
#include <optional>
#include <vector>

#include "blas/symmetric.hpp"
#include "gemm/device_product.hpp"
#include "matrix/device_product.hpp"
#include "opencl/call.hpp"

namespace hilo::blas {

class DevicePlace {
 public:
  using Scalar = dd_complex;
  using Operand = DeviceView;
  using Matrix = DeviceView;

  /// After the events of wait_list. Throws where the device cannot compute in the precision.
  DevicePlace(opencl::QueueState& queue, Precision precision, const BlockedOptions& options,
              std::vector<cl::Event> wait_list);

  std::int64_t block() const { return block_; }
  /// Rows of a triangle that are solved with without products.
  std::int64_t solved_rows();
  /// Rows of a triangle of a product that are computed as a square: products of fewer leave most of a device idle.
  std::int64_t diagonal_rows() const { return std::max(4 * block_, common_square); }

  /// A matrix of no particular value, columns contiguous, until its end; its memory serves others of the call then.
  class Lent {
   public:
    Lent(DevicePlace& place, std::int64_t rows, std::int64_t columns);
    ~Lent() { place_.matrices_[number_].is_lent = false; }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    const Matrix& matrix() const { return matrix_; }

   private:
    DevicePlace& place_;
    std::size_t number_;
    Matrix matrix_;
  };
  Lent lend(std::int64_t rows, std::int64_t columns) { return {*this, rows, columns}; }

  /// Of a factorisation, whose errors are in proportion to the largest entries of rows and columns: what products may
  /// err by (plan_inner_product).
  void accept_normwise_products(bool accepts = true) { is_normwise_ = accepts; }

  /// Whether entries have no say in the engines of products that the place does then, nor in how they compute, in all
  /// of a factorisation.
  bool has_products_by_shape() const;
  /// What products are parts of, C of so many rows and columns on a device, which choose their engines in their place.
  struct Whole {
    opencl::ContextState* device;
    std::int64_t rows, columns;
  };
  void take_as_parts_of(const std::optional<Whole>& whole) { whole_ = whole; }

  /// Whether multiply() takes a product of so many terms, C rows × columns, as sums of some of them each.
  bool multiplies_in_parts(std::int64_t terms, std::int64_t rows, std::int64_t columns, const dd_complex& beta) const;
  /// Whether multiply_triangle_at_once() takes a product.
  bool takes_triangle_at_once(Symmetry symmetry, const DeviceProduct& product);

  /// C = alpha · A · B + beta · C. `prepared` operands are kept for later products (gemm/modular/opencl/prepared.hpp).
  void multiply(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta, const Matrix& c,
                const modular::PreparedOperands& prepared = {});
  /// Only a triangle of C, where the product's engine can; false where not, and nothing is done.
  bool multiply_triangle_at_once(Uplo uplo, Symmetry symmetry, const dd_complex& alpha, const Matrix& a,
                                 const Matrix& b, const dd_complex& beta, const Matrix& c);
  /// Has the verbs that follow.
  static constexpr bool has_large_products_at_once = true;
  /// Both products of an update of rank 2k, op(A) beside op(B), as one, and its transpose added; false where two are to
  /// be taken.
  bool multiply_both_at_once(Uplo uplo, Symmetry symmetry, const dd_complex& alpha, const Matrix& a, const Matrix& b,
                             const dd_complex& beta, const Matrix& c);
  /// Whether a triangle of so many rows is multiplied with as many columns as one product (multiply_triangle_at_once).
  bool multiplies_triangles_at_once(std::int64_t order, std::int64_t columns);
  /// Rows of blocks on the diagonal of a triangle beside which all others are one product (multiply_blocks_at_once); 0
  /// where there is to be no such product.
  std::int64_t rows_beside_one_product(std::int64_t order, std::int64_t columns);
  /// C += alpha · A · B by the modular engine, A as DeviceProduct::triangle_of_a has it; false where the entries are
  /// better taken by halves, and nothing is done.
  bool multiply_by_blocks(Uplo uplo, const dd_complex& alpha, const Matrix& a, const Matrix& b, const Matrix& c);
  /// C = alpha · A · B, A square with zeros beside a triangle.
  void multiply_by_triangle(Uplo uplo, const dd_complex& alpha, const Matrix& a, const Matrix& b, const Matrix& c);
  /// B = alpha · B, of which nothing is read where alpha = 0.
  void scale(const dd_complex& alpha, const Matrix& b);

  /// is_open: entries of B are begun sums.
  void solve_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b, bool is_open = false);
  /// Blocks of so many rows on the diagonal of a triangle, each with as many columns of B as it has: from column k on
  /// those of the block from row k on.
  void solve_diagonal(Uplo uplo, Diag diag, const Matrix& a, std::int64_t size, const Matrix& b);
  void multiply_block(Uplo uplo, Diag diag, const Matrix& a, const Matrix& b);
  /// Blocks of so many rows on the diagonal of a triangle, each with its rows of B; at most 64.
  void multiply_diagonal(Uplo uplo, Diag diag, const Matrix& a, std::int64_t size, const Matrix& b);

  void write_out(Uplo uplo, Symmetry symmetry, const Matrix& a, std::int64_t first, const Matrix& to);
  void take_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to);
  void put_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to);

  void copy(const Matrix& from, const Matrix& to);
  /// Zeros beside a triangle of blocks of so many rows.
  void copy_blocks(Uplo uplo, std::int64_t size, const Matrix& from, const Matrix& to);
  /// Zeros beside the trapezoid, and ones on its diagonal where it is a unit one.
  void copy_trapezoid(Uplo uplo, Diag diag, const Matrix& from, const Matrix& to);

  opencl::ContextState& context() { return call_.context(); }
  /// The end of all commands so far.
  cl::Event mark() { return opencl::copied(call_.last()); }
  /// All commands as one event.
  Event finish() { return call_.finish(); }

 protected:
  opencl::Call& call() { return call_; }
  Precision precision() const { return precision_; }
  /// Whether blocks are solved with by one launch whatever their rows: in S and D.
  bool solves_by_columns();
  static opencl::copy_arguments copy_of(const Matrix& from, const Matrix& to, std::int64_t first);
  /// An argument that is a number of the precision, or of its real one.
  void set_number(opencl::BorrowedKernel& k, cl_uint at, const dd_complex& x) const;
  /// A kernel of a text, for the precision and with further options.
  opencl::BorrowedKernel kernel(const char* text, const char* name, const std::string& options = {});

  DevicePlan plan_of(const DeviceProduct& product);
  DevicePlan plan_on(opencl::ContextState& device, const DeviceProduct& product) const;
  /// A triangle of C = P + op(P) + beta · C, P the product, whose own C does not count.
  void multiply_both(DevicePlan& plan, DeviceProduct product, Uplo uplo, Symmetry symmetry, const dd_complex& beta,
                     const Matrix& c);

 private:
  bool multiply_in_parts(const dd_complex& alpha, const Matrix& a, const Matrix& b, const dd_complex& beta,
                         const Matrix& c);
  // Of a product with so many rows and columns, or of the one that it is a part of.
  std::int64_t entries_of_whole(std::int64_t rows, std::int64_t columns) const {
    return whole_ ? whole_->rows * whole_->columns : rows * columns;
  }
  bool run(DevicePlan& plan, const DeviceProduct& product, const modular::PreparedOperands& prepared = {});
  // Whether options leave the engine, and with it the bits, open.
  bool is_engine_open() const;
  // Whether matrices of so many elements may be lent where a call can do without.
  bool may_lend(std::int64_t elements);
  bool prefers_one_product(const DevicePlan& plan);
  std::optional<DevicePlan> plan_of_triangle(Symmetry symmetry, const DeviceProduct& product);
  void copy_triangle(Uplo uplo, Symmetry symmetry, const Matrix& from, const Matrix& to, bool fills);
  void multiply_short_blocks(Uplo uplo, Diag diag, const Matrix& a, std::int64_t count, const Matrix& b);

  struct Memory {
    cl::Buffer buffer;
    std::int64_t bytes;
    bool is_lent;
  };
  std::size_t lend_memory(std::int64_t bytes);

  opencl::Call call_;
  std::vector<Memory> matrices_;
  Precision precision_;
  BlockedOptions options_;
  std::int64_t block_;
  bool fma_;
  bool is_normwise_ = false;
  std::optional<Whole> whole_;
};

}  // namespace hilo::blas
