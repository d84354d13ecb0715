// Where routines run on matrices of host memory that devices compute. Parts of a recursion that a device has room for
// are done there as a whole; the products above them go in panels, through all devices.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "host/team.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/host_place.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "stream/dealt_factor.hpp"
#include "stream/device_bytes.hpp"
#include "stream/multiply.hpp"
#include "stream/visit.hpp"

namespace hilo::stream {

/// Of the recursion on a device it has the same products, and so the same bits. What stands between them and only moves
/// entries, the host does.
template <gemm_scalar T>
class StreamPlace : public lapack::HostPlace<T> {
 public:
  using Scalar = T;
  using Operand = MatrixView<const T>;
  using Matrix = MatrixView<T>;

  StreamPlace(Devices devices, const BlockedOptions& options)
      : lapack::HostPlace<T>(options),
        devices_(std::move(devices)),
        options_(options),
        context_(*devices_.front()->context),
        lanes_(devices_.front()->context),
        plans_(lanes_.compute, precision_of<T>, options, {}),
        bytes_(device_bytes(context_.info, options)) {
    lanes_.compute.trace = devices_.front()->trace;
  }

  std::int64_t solved_rows() { return plans_.solved_rows(); }
  std::int64_t diagonal_rows() const { return plans_.diagonal_rows(); }
  void accept_normwise_products(bool accepts = true) {
    is_normwise_ = accepts;
    plans_.accept_normwise_products(accepts);
  }

  /// Whether something was written, or may have been.
  bool has_written() const { return has_written_; }
  StreamReport report() const { return report_; }

  void multiply(T alpha, const Operand& a, const Operand& b, T beta, const Matrix& c) {
    if (c.rows == 0 || c.columns == 0) return;
    const std::int64_t elements = a.rows * a.columns + b.rows * b.columns + c.rows * c.columns;
    const auto panels_bytes = static_cast<std::int64_t>(context_.staging.sizes().panels_bytes);
    const bool reads_operands = a.columns > 0 && !(alpha == T(0)), is_alone = devices_.size() == 1;
    const bool is_small = elements * element_size < panels_bytes && fits(elements, c.rows, c.columns, a.columns);
    if (reads_operands &&
        (plans_.multiplies_in_parts(a.columns, c.rows, c.columns, as_dd_complex(beta)) || (is_small && is_alone))) {
      const bool is_done = visit(false, [&](Visit& v) {
        const DeviceView x = v.bring(host(a)), y = v.bring(host(b)), z = v.bring(host(c));
        on_device(v, [&](auto& place) { place.multiply(as_dd_complex(alpha), x, y, as_dd_complex(beta), z); });
        v.take_back(z, host(c));
      });
      if (is_done) return;
    }
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    std::vector<StreamReport> streams;
    let_go();
    stream::multiply<T>(devices_, planner(), shape, {alpha, a, b, beta, c}, options_, streams);
    add(streams);
  }

  bool multiply_triangle_at_once(Uplo uplo, blas::Symmetry symmetry, T alpha, const Operand& a, const Operand& b,
                                 T beta, const Matrix& c) {
    const std::int64_t n = c.rows, k = a.columns;
    if (n != c.columns || n == 0) return false;
    const bool is_one = is_turned(a, b);
    const std::int64_t elements = n * n + (is_one ? 1 : 2) * n * k + 2 * square(std::min(n, diagonal_rows()));
    if (fits(elements, n, n, k) && visit(false, [&](Visit& v) {
          const DeviceView x = v.bring(host(a));
          const DeviceView y = is_one ? turned_like(x, a, b) : v.bring(host(b));
          const DeviceView z = v.bring(host(c));
          on_device(v, [&](auto& place) {
            blas::multiply_to_triangle(place, uplo, symmetry, as_dd_complex(alpha), x, y, as_dd_complex(beta), z);
          });
          v.take_back(z, host(c));
        })) {
      return true;
    }
    if (alpha == T(0) || k == 0) return false;
    const GemmShape shape = shape_of_views(lines_of(a), lines_of(b), lines_of(c), sizeof(T));
    DeviceProduct product = device_product(shape, {}, alpha, beta);
    product.triangle = uplo;
    if (!plans_.takes_triangle_at_once(symmetry, product)) return false;
    std::vector<StreamReport> streams;
    let_go();
    const bool is_done = multiply_triangle<T>(devices_, planner(), {alpha, a, b, beta, c, {}, uplo}, options_, streams);
    add(streams);
    return is_done;
  }

  void scale(T alpha, const Matrix& b) {
    if (alpha == T(1) || b.rows == 0) return;
    multiply(T(0), {nullptr, b.rows, 0, 1, b.rows}, {nullptr, 0, b.columns, 1, 1}, alpha, b);
  }

  bool solve_triangle_at_once(Uplo uplo, Diag diag, const Operand& a, const Matrix& b) {
    const std::int64_t n = a.rows, m = b.columns;
    if (m == 0) return true;
    const std::int64_t h = n > this->block() ? blas::half(n, this->block()) : 0;
    return fits(n * n + n * m, n - h, m, h) && visit(false, [&](Visit& v) {
             const DeviceView x = v.bring(host(a));
             solve_on_device(v, uplo, diag, x, b);
           });
  }

  /// Columns are solved for alone.
  void solve_block(Uplo uplo, Diag diag, const Operand& a, const Matrix& b) {
    const std::int64_t n = a.rows;
    const std::int64_t width = (bytes_ / element_size - n * n) / std::max<std::int64_t>(n, 1);
    if (width < 1) lack_room(n * (n + 1));
    for (std::int64_t j = 0; j < b.columns; j += width) {
      visit(true, [&](Visit& v) {
        const DeviceView x = v.bring(host(a));
        solve_on_device(v, uplo, diag, x, b.sub(0, j, n, std::min(width, b.columns - j)));
      });
    }
  }

  /// LU of columns on a device.
  bool factor_columns_at_once(const Matrix& a, std::int64_t first) {
    const std::int64_t m = a.rows, n = a.columns, h = n > this->block() ? blas::half(n, this->block()) : 0;
    if (factor_by_group(a, first, false)) return true;
    if (!fits(m * n + moves_room(n), m - h, n - h, h)) return false;
    return visit(false, [&](Visit& v) { factor_on_device(v, a, first); });
  }
  void lu_panel(const Matrix& a, std::int64_t first) {
    const std::int64_t elements = a.rows * a.columns + moves_room(a.columns);
    if (elements * element_size > bytes_) lack_room(elements);
    visit(true, [&](Visit& v) { factor_on_device(v, a, first); });
  }

  bool factor_positive_columns_at_once(const Matrix& a, std::int64_t first) {
    const std::int64_t m = a.rows, n = a.columns, h = n > this->block() ? blas::half(n, this->block()) : 0;
    if (factor_by_group(a, first, true)) return true;
    if (!fits(m * n + 2 * square(std::min(n, diagonal_rows())), m - h, n - h, h)) return false;
    return visit(false, [&](Visit& v) {
      const DeviceView x = v.bring(host(a));
      finish_factor(v, a, x, first, [&](auto& place) { lapack::factor_positive_columns(place, x, 0); });
    });
  }
  void cholesky_block(const Matrix& a, std::int64_t first) {
    visit(true, [&](Visit& v) {
      const DeviceView x = v.bring(host(a));
      finish_factor(v, a, x, first, [&](auto& place) { place.cholesky_block(x, 0); });
    });
  }

  void move_rows(const Matrix& b, std::int64_t first, std::int64_t count) {
    has_written_ = true;
    lapack::HostPlace<T>::move_rows(b, first, count);
  }
  void move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count) {
    has_written_ = true;
    lapack::HostPlace<T>::move_rows_back(b, first, count);
  }

 private:
  static constexpr std::int64_t element_size = sizeof(T);
  static std::int64_t square(std::int64_t n) { return n * n; }

  template <class X>
  static HostMatrix host(const MatrixView<X>& x) {
    return host_matrix(x.data, lines_of(x), sizeof(T));
  }

  // Whether B is op(A).
  static bool is_turned(const Operand& a, const Operand& b) {
    return a.data == b.data && a.rows == b.columns && a.columns == b.rows && a.row_stride == b.column_stride &&
           a.column_stride == b.row_stride;
  }
  static DeviceView turned_like(const DeviceView& x, const Operand& a, const Operand& b) {
    return x.turned(a.conjugate == b.conjugate ? Op::transpose : Op::conjugate_transpose);
  }

  Planner* planner() const {
    if (is_normwise_) return plan_inner_product;
    return plan_routine_product;
  }

  // Whether a device has room for so many elements beside what the largest product among them takes, of which there
  // may be blocks of several sizes.
  bool fits(std::int64_t elements, std::int64_t m, std::int64_t n, std::int64_t k) const {
    return fits(elements, m, n, k, bytes_);
  }
  bool fits(std::int64_t elements, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t room) const {
    const std::int64_t bytes = elements * element_size;
    if (bytes > room) return false;
    if (m == 0 || n == 0 || k == 0) return true;
    const GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, m, n, k, sizeof(T));
    const GemmPlan told = planner()(context_, shape, device_product(shape, {}, T(-1), T(1)), options_).told;
    const std::int64_t workspace = needed_workspace(told, context_.info, options_);
    return bytes + 2 * workspace <= room;
  }
  // Of rows on their way where a device moves many, in elements.
  std::int64_t moves_room(std::int64_t n) const { return n > 256 ? 2 * n * context_.info.compute_units : 0; }

  [[noreturn]] void lack_room(std::int64_t elements) const {
    throw error(errc::out_of_memory,
                "the least piece of the matrices takes " + std::to_string(elements * element_size) +
                    " bytes of device memory, and there are " + std::to_string(bytes_) + " of " + context_.info.name);
  }

  // What a device is lent matrices for. False where there was less memory than it seemed; nothing was written then, and
  // smaller pieces are taken from here on. Where it has to be, it throws then.
  template <class Work>
  bool visit(bool has_to_be, Work work) {
    let_go();
    Visit v(lanes_, this->threads());
    try {
      opencl::guarded("computing on a device", [&] { work(v); });
    } catch (const error& failure) {
      has_written_ = has_written_ || v.has_written();
      if (has_to_be || v.has_written() || failure.code() != errc::out_of_memory) throw;
      bytes_ -= bytes_ / 4;
      return false;
    }
    has_written_ = true;
    stream::add(report_, v.traffic());
    return true;
  }

  // What others left counts where the caller does.
  void let_go() {
    if (options_.device_bytes > 0) context_.workspaces.let_go();
  }

  template <class Run>
  void on_device(Visit& v, Run run) {
    lapack::DevicePlace place(lanes_.compute, precision_of<T>, options_, v.arrivals());
    place.accept_normwise_products(is_normwise_);
    run(place);
    note_kernels(place.finish());
  }

  // By all devices, where the matrix is pinned, each has room, and entries have no say in how they compute.
  bool factor_by_group(const Matrix& a, std::int64_t first, bool is_positive) {
    const HostMatrix all = host(a);
    if (!all.is_pinned || !plans_.has_products_by_shape()) return false;
    const auto columns = deal(a.columns, this->block(), devices_.size());
    if (!columns) return false;
    BlockedOptions options = options_;
    // Others may have no fused multiply-add of their own.
    if (options.fma == Fma::automatic) options.fma = context_.info.fma ? Fma::on : Fma::off;
    const DealtProblem problem{all, *columns, precision_of<T>, options, is_positive, plans_};
    const std::int64_t h = blas::half(a.columns, this->block());
    std::int64_t elements = 0, bytes = bytes_;
    const std::int64_t moves = is_positive ? 0 : moves_room(a.columns);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      elements = std::max(elements, DealtPlace::elements(problem, static_cast<int>(i)));
      bytes = std::min(bytes, device_bytes(devices_.all[i]->context->info, options));
    }
    if (!fits(elements + moves, a.rows - h, a.columns - h, h, bytes)) return false;
    let_go();
    const std::optional<DealtFactors> found = factor_dealt(devices_, problem, has_written_);
    if (!found) return false;
    const auto pivots = this->made_pivots(first, a.columns);
    for (std::size_t i = 0; i < pivots.size(); ++i) pivots[i] = found->pivots[i] + first;
    this->note(found->info, first);
    stream::add(report_, found->traffic);
    return true;
  }

  void solve_on_device(Visit& v, Uplo uplo, Diag diag, const DeviceView& a, const Matrix& b) {
    const DeviceView x = v.bring(host(b));
    on_device(v, [&](auto& place) { blas::solve_triangle(place, uplo, diag, a, x); });
    v.take_back(x, host(b));
  }

  void factor_on_device(Visit& v, const Matrix& a, std::int64_t first) {
    const DeviceView x = v.bring(host(a));
    finish_factor(v, a, x, first, [&](auto& place) {
      place.make_pivots(a.columns);
      lapack::factor_columns(place, x, 0);
    });
  }

  // run(place) on the device's copy of A, whose first column is number `first` of the whole: what it found, and A back.
  template <class Run>
  void finish_factor(Visit& v, const Matrix& a, const DeviceView& x, std::int64_t first, Run run) {
    lapack::DevicePlace place(lanes_.compute, precision_of<T>, options_, v.arrivals());
    place.accept_normwise_products(is_normwise_);
    const auto begin = std::chrono::steady_clock::now();
    run(place);
    const auto pivots = this->made_pivots(first, a.columns);
    const std::int64_t info = place.result(pivots);
    report_.seconds_kernel += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    v.take_back(x, host(a));
    for (std::int64_t& p : pivots) p += first;
    this->note(info, first);
  }

  void note_kernels(const Event& done) { report_.seconds_kernel += seconds_of(done); }
  void add(const std::vector<StreamReport>& streams) {
    has_written_ = true;
    for (const StreamReport& x : streams) stream::add(report_, traffic_of(x));
  }

  const Devices devices_;
  const BlockedOptions options_;
  opencl::ContextState& context_;
  Lanes lanes_;
  lapack::DevicePlace plans_;  // what products on the device would be
  std::int64_t bytes_;
  bool is_normwise_ = false, has_written_ = false;
  StreamReport report_;
};

}  // namespace hilo::stream
