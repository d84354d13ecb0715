#include "solve/opencl/device_factors.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "blas/opencl/matrix_vector_place.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "lapack/opencl/qr_place.hpp"
#include "lapack/qr.hpp"
#include "opencl/program.hpp"

namespace hilo::solver {
namespace {

using opencl::narrow;
using opencl::set_arguments;

// Rows of a block whose inverse is taken, and of a matrix with which that pays.
constexpr std::int64_t block = 256, least_rows = 4 * block;
// Columns that are solved for one by one.
constexpr std::int64_t few_columns = 8;
// Rows of an inverse of a triangle that is solved for as if it were none.
constexpr std::int64_t solved_as_whole = 1024;
// As the kernel has them.
constexpr std::int64_t rows_of_group = 32, items_of_group = 256;
constexpr const char* product_text = "solve/block_product.cl";

}  // namespace

DeviceFactorsOfAny::DeviceFactorsOfAny(DeviceMatrix& matrix, Precision precision, const BlockedOptions& options)
    : matrix_(matrix),
      precision_(precision),
      options_(options),
      n_(matrix.order()),
      memory_(matrix.queue(), matrix.pending()),
      pivots_(static_cast<std::size_t>(n_)) {
  data_ = memory_.borrow(n_ * n_ * element_bytes(precision), "factors");
  // The matrix's commands are the first to write them, and another queue may still use what they were.
  matrix_.wait_also(memory_.pending());
}

DeviceView DeviceFactorsOfAny::whole() const { return {data_, 0, n_, n_, 1, n_}; }

bool DeviceFactorsOfAny::factor(SolvePath path) {
  matrix_.copy_to(precision_, data_);
  const DeviceView a = whole();
  if (path == SolvePath::double_double_qr) {
    method_ = Method::qr;
    tau_.resize(static_cast<std::size_t>(n_ * element_bytes(precision_)));
    lapack::QrDevicePlace place(matrix_.queue(), precision_, options_, matrix_.pending());
    place.accept_normwise_products();
    place.make_tau(n_);
    lapack::factor_orthogonal(place, a);
    place.read_tau(tau_.data(), n_);
    const bool is_regular = place.first_zero(a) == 0;
    place.finish().wait();
    return is_regular;
  }
  const double of_matrix = matrix_.largest(precision_, a, Part::all);
  lapack::DevicePlace place(matrix_.queue(), precision_, options_, matrix_.pending());
  place.accept_normwise_products();
  if (path == SolvePath::double_cholesky || path == SolvePath::double_double_cholesky) {
    method_ = Method::cholesky;
    lapack::factor_positive(place, a);
    if (place.result({}) != 0) return false;
  } else {
    method_ = Method::lu;
    place.make_pivots(n_);
    lapack::factor(place, a);
    if (place.result(pivots_) != 0) return false;
    growth_ = matrix_.largest(precision_, a, Part::upper) / of_matrix;
    if (!(growth_ < std::numeric_limits<double>::infinity())) return false;
  }
  // Named engines have the host's bits in double-double.
  const bool is_open = !is_double_double(precision_) || options_.engine == Engine::automatic;
  if (is_open && n_ >= least_rows) invert_blocks();
  return true;
}

double DeviceFactorsOfAny::norm_of_factored(double norm) {
  return method_ == Method::qr ? matrix_.norm_of_upper_triangle(precision_, data_) : norm;
}

// Of op(L), or op(U): of Cholesky's factor Lᴴ is U.
DeviceFactorsOfAny::Triangle DeviceFactorsOfAny::triangle(bool is_lower_factor, Op op) const {
  const bool is_positive = method_ == Method::cholesky;
  if (is_positive && !is_lower_factor) op = op == Op::none ? Op::conjugate_transpose : Op::none;
  const bool lies_lower = is_positive || is_lower_factor, is_lower = lies_lower == (op == Op::none);
  const std::int64_t first = lies_lower ? 0 : n_ * block;
  return {is_lower ? Uplo::lower : Uplo::upper,
          lies_lower && !is_positive ? Diag::unit : Diag::non_unit,
          whole().turned(op),
          {inverses_, first, block, n_, 1, block},
          op};
}

void DeviceFactorsOfAny::invert_blocks() {
  const std::int64_t triangles = method_ == Method::lu ? 2 : 1;
  inverses_ = memory_.borrow(triangles * n_ * block * element_bytes(precision_), "inverses of blocks");
  invert_blocks_of(triangle(true, Op::none));
  if (method_ == Method::lu) invert_blocks_of(triangle(false, Op::none));
}

void DeviceFactorsOfAny::invert_blocks_of(const Triangle& t) {
  {
    opencl::BorrowedKernel k = matrix_.kernel(product_text, "set_identities", precision_);
    set_arguments(k, t.inverses.buffer,
                  opencl::block_product_arguments{.a = view_of(t.a),
                                                  .first_of_x = 0,
                                                  .first_of_y = t.inverses.offset,
                                                  .rows = narrow(block),
                                                  .columns = narrow(n_),
                                                  .subtracts = 0,
                                                  .spare = 0});
    memory_.launch_over(*k, block, n_);
  }
  blas::DevicePlace place(matrix_.queue(), precision_, options_, memory_.pending());
  place.solve_diagonal(t.uplo, t.diag, t.a, block, t.inverses);
  memory_.include(cl::Event(place.finish().native(), true));
}

void DeviceFactorsOfAny::put(const void* x, std::int64_t count) {
  const std::int64_t bytes = n_ * element_bytes(precision_);
  if (count > room_) {
    columns_ = memory_.borrow(count * bytes, "columns of a system");
    room_ = count;
  }
  memory_.write(columns_, static_cast<std::size_t>(count * bytes), x);
}
void DeviceFactorsOfAny::get(void* x, std::int64_t count) {
  memory_.read(columns_, static_cast<std::size_t>(count * n_ * element_bytes(precision_)), x);
}

void DeviceFactorsOfAny::solve(void* x, std::int64_t count) {
  if (method_ == Method::lu) exchange(x, count, false);
  put(x, count);
  if (method_ == Method::qr) {
    solve_orthogonal(count);
  } else {
    solve_triangle(triangle(true, Op::none), count);
    solve_triangle(triangle(false, Op::none), count);
  }
  get(x, count);
}

void DeviceFactorsOfAny::solve_for_condition(Op op, void* x) {
  const bool is_lu = method_ == Method::lu, is_turned = op != Op::none;
  if (is_lu && !is_turned) exchange(x, 1, false);
  put(x, 1);
  const bool has_lower = method_ != Method::qr;
  // op(L · U) is op(U) · op(L) where it is a transpose.
  if (has_lower) solve_triangle(triangle(!is_turned, op), 1);
  solve_triangle(triangle(has_lower && is_turned, op), 1);
  get(x, 1);
  if (is_lu && is_turned) exchange(x, 1, true);
}

void DeviceFactorsOfAny::solve_triangle(const Triangle& t, std::int64_t count) {
  if (has_inverses() && count <= few_columns) {
    for (std::int64_t j = 0; j < count; ++j) solve_by_blocks(t, j);
    return;
  }
  blas::MatrixVectorPlace place(matrix_.queue(), precision_, options_, memory_.pending());
  if (!is_double_double(precision_) && count <= few_columns) {
    for (std::int64_t j = 0; j < count; ++j) place.solve(t.uplo, t.diag, t.a, {columns_, j * n_, n_, 1});
  } else {
    blas::solve_triangle<blas::DevicePlace>(place, t.uplo, t.diag, t.a, DeviceView{columns_, 0, n_, count, 1, n_});
  }
  memory_.include(cl::Event(place.finish().native(), true));
}

// X = T⁻¹ · X, T being the rows and columns of a triangle from `first` on; by inverses of blocks where there are some.
void DeviceFactorsOfAny::solve_matrix(blas::DevicePlace& place, const Triangle& t, std::int64_t first,
                                      const DeviceView& x) {
  const std::int64_t rows = x.rows, m = x.columns;
  if (!has_inverses()) {
    return blas::solve_triangle(place, t.uplo, t.diag, t.a.sub(first, first, rows, rows), x);
  }
  if (rows <= block) {
    const blas::DevicePlace::Lent old = place.lend(rows, m);
    place.copy(x, old.matrix());
    return place.multiply(1.0, t.inverses.sub(0, first, rows, rows).turned(t.op), old.matrix(), 0.0, x);
  }
  const std::int64_t h = blas::half(rows, block);
  const DeviceView top = x.sub(0, 0, h, m), bottom = x.sub(h, 0, rows - h, m);
  if (t.uplo == Uplo::lower) {
    solve_matrix(place, t, first, top);
    place.multiply(-1.0, t.a.sub(first + h, first, rows - h, h), top, 1.0, bottom);
    solve_matrix(place, t, first + h, bottom);
  } else {
    solve_matrix(place, t, first + h, bottom);
    place.multiply(-1.0, t.a.sub(first, first + h, h, rows - h), bottom, 1.0, top);
    solve_matrix(place, t, first, top);
  }
}

// The same of a lower triangle and the identity, which X is.
void DeviceFactorsOfAny::invert_triangle(blas::DevicePlace& place, const Triangle& t, std::int64_t first,
                                         const DeviceView& x) {
  const std::int64_t rows = x.rows;
  if (rows <= solved_as_whole) return solve_matrix(place, t, first, x);
  const std::int64_t h = blas::half(rows, block);
  const DeviceView top = x.sub(0, 0, h, h), below = x.sub(h, 0, rows - h, h);
  invert_triangle(place, t, first, top);
  place.multiply(-1.0, t.a.sub(first + h, first, rows - h, h), top, 0.0, below);
  solve_matrix(place, t, first + h, below);
  invert_triangle(place, t, first + h, x.sub(h, h, rows - h, rows - h));
}

// A⁻¹ = U⁻¹ L⁻¹ P, or L⁻ᴴ L⁻¹, or R⁻¹ Qᴴ.
DeviceSquare DeviceFactorsOfAny::inverse() {
  DeviceSquare square(matrix_, precision_, "an inverse");
  opencl::Call call(matrix_.queue(), matrix_.pending());
  set_identity(matrix_, call, square);
  const DeviceView x = square.view();
  const auto run = [&](auto place, auto solve) {
    place.accept_normwise_products();
    solve(place);
    call.include(cl::Event(place.finish().native(), true));
  };
  if (method_ == Method::qr) {
    run(lapack::QrDevicePlace(matrix_.queue(), precision_, options_, call.pending()), [&](auto& place) {
      place.set_tau(tau_.data(), n_);
      lapack::multiply_by_orthogonal(place, Side::left, Op::conjugate_transpose, whole(), x);
      blas::solve_triangle(place, Uplo::upper, Diag::non_unit, whole(), x);
    });
  } else {
    run(lapack::DevicePlace(matrix_.queue(), precision_, options_, call.pending()), [&](auto& place) {
      invert_triangle(place, triangle(true, Op::none), 0, x);
      solve_matrix(place, triangle(false, Op::none), 0, x);
      if (method_ == Method::lu) {
        place.set_pivots(pivots_);
        place.move_rows_back(x.turned(Op::transpose), 0, n_);
      }
    });
  }
  call.finish().wait();
  return square;
}

void DeviceFactorsOfAny::solve_orthogonal(std::int64_t count) {
  lapack::QrDevicePlace place(matrix_.queue(), precision_, options_, memory_.pending());
  const DeviceView x{columns_, 0, n_, count, 1, n_};
  place.set_tau(tau_.data(), n_);
  lapack::multiply_by_orthogonal(place, Side::left, Op::conjugate_transpose, whole(), x);
  blas::solve_triangle(place, Uplo::upper, Diag::non_unit, whole(), x);
  memory_.include(cl::Event(place.finish().native(), true));
}

// What comes out of a block takes its place once nothing waits for what was there.
void DeviceFactorsOfAny::solve_by_blocks(const Triangle& t, std::int64_t column) {
  const std::int64_t count = blocks(n_, block), at = column * n_;
  if (!other_()) other_ = memory_.borrow(n_ * element_bytes(precision_), "a column of a system");
  opencl::BorrowedKernel product = matrix_.kernel(product_text, "block_product", precision_);
  for (std::int64_t s = 0; s < count; ++s) {
    const bool is_lower = t.uplo == Uplo::lower;
    const std::int64_t k = (is_lower ? s : count - 1 - s) * block, rows = std::min(block, n_ - k), end = k + rows;
    multiply(product, t.inverses.sub(0, k, rows, rows).turned(t.op), columns_, at + k, other_, k, false);
    if (is_lower) {
      multiply(product, t.a.sub(end, k, n_ - end, rows), other_, k, columns_, at + end, true);
    } else {
      multiply(product, t.a.sub(0, k, k, rows), other_, k, columns_, at, true);
    }
  }
  const opencl::copy_arguments arguments{.from = {0, 1, n_, 0},
                                         .to = {at, 1, n_, 0},
                                         .rows = narrow(n_),
                                         .columns = 1,
                                         .first = 0,
                                         .is_upper = 0,
                                         .is_hermitian = 0,
                                         .fills = 0};
  opencl::BorrowedKernel k = matrix_.kernel("blas/copies.cl", "copy_matrix", precision_);
  set_arguments(k, other_, columns_, arguments);
  memory_.launch_over(*k, n_, std::int64_t{1});
}

void DeviceFactorsOfAny::multiply(opencl::BorrowedKernel& k, const DeviceView& a, const cl::Buffer& x,
                                  std::int64_t first_of_x, const cl::Buffer& y, std::int64_t first_of_y,
                                  bool subtracts) {
  if (a.rows == 0) return;
  set_arguments(k, a.buffer, x, y,
                opencl::block_product_arguments{.a = view_of(a),
                                                .first_of_x = first_of_x,
                                                .first_of_y = first_of_y,
                                                .rows = narrow(a.rows),
                                                .columns = narrow(a.columns),
                                                .subtracts = subtracts,
                                                .spare = 0});
  memory_.launch(*k, cl::NDRange(static_cast<std::size_t>(blocks(a.rows, rows_of_group) * items_of_group)),
                 cl::NDRange(static_cast<std::size_t>(items_of_group)), true);
}

// Rows by pivots, as getrf's exchanges.
void DeviceFactorsOfAny::exchange(void* x, std::int64_t count, bool is_back) const {
  const auto size = static_cast<std::size_t>(element_bytes(precision_));
  auto* const bytes = static_cast<std::byte*>(x);
  for (std::int64_t j = 0; j < count; ++j) {
    std::byte* const column = bytes + static_cast<std::size_t>(j * n_) * size;
    for (std::int64_t s = 0; s < n_; ++s) {
      const auto i = static_cast<std::size_t>(is_back ? n_ - 1 - s : s);
      const auto k = static_cast<std::size_t>(pivots_[i] - 1);
      if (k == i) continue;
      std::array<std::byte, 32> held;
      std::memcpy(held.data(), column + i * size, size);
      std::memcpy(column + i * size, column + k * size, size);
      std::memcpy(column + k * size, held.data(), size);
    }
  }
}

}  // namespace hilo::solver
