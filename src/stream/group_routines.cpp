// Matrices of a group as callers have them: arguments -> state -> what all devices do.
#include <algorithm>
#include <chrono>
#include <hilo/group_matrix.hpp>
#include <hilo/streaming.hpp>
#include <string>

#include "blas/arguments.hpp"
#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "lapack/opencl/place.hpp"
#include "lapack/pivots.hpp"
#include "stream/dealt_factor.hpp"
#include "stream/group_product.hpp"
#include "stream/group_solve.hpp"
#include "stream/told.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using stream::GroupMatrixState;

// run(has_begun), whose failure is told in the routine's name.
template <class Run>
auto named(const char* routine, const char* results, Run run) {
  bool has_begun = false;
  try {
    return opencl::guarded((std::string("running ") + routine).c_str(), [&] { return run(has_begun); });
  } catch (const error& failure) {
    throw stream::told(failure, routine, results, has_begun);
  }
}

template <class A>
void check_sizes(const Arguments& check, const GroupMatrixState& matrix, const MatrixView<A>& x) {
  check.check_equal("rows of the view", x.rows, "rows of the matrix", matrix.shape.rows);
  check.check_equal("columns of the view", x.columns, "columns of the matrix", matrix.shape.columns);
}

std::int64_t block_or_default(std::int64_t block) { return block > 0 ? block : blas::default_block; }

// Those of one device that does the same, for all; products that depend on all entries are refused.
BlockedOptions options_for(const Arguments& check, const GroupMatrixState& a, const BlockedOptions& given) {
  BlockedOptions options = given;
  if (options.engine == Engine::automatic && !is_double_double(a.precision)) options.engine = Engine::direct;
  check.check_options(a.precision, Backend::opencl, options);
  if (block_or_default(options.block) != block_or_default(a.block)) {
    check.reject(errc::invalid_argument, "options.block = " + std::to_string(options.block) +
                                             " is not that of A's columns, " +
                                             std::to_string(block_or_default(a.block)));
  }
  // Others may have no fused multiply-add of their own.
  const DeviceInfo& first = a.devices.queue(0).context().device();
  if (options.fma == Fma::automatic) options.fma = first.fma ? Fma::on : Fma::off;
  return options;
}

// Of one routine, whose steps may be several.
class Reporter {
 public:
  explicit Reporter(StreamReport* report) : report_(report), begin_(std::chrono::steady_clock::now()) {
    if (report_) *report_ = {};
  }

  void add(const stream::Traffic& traffic) {
    if (!report_) return;
    stream::add(*report_, traffic);
    report_->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  StreamReport* report_;
  std::chrono::steady_clock::time_point begin_;
};

// LU, or Cholesky of a lower triangle, of a matrix that is not empty.
std::int64_t factor(GroupMatrixState& a, bool is_positive, std::span<std::int64_t> pivots,
                    const BlockedOptions& options, Reporter& reporter, bool& has_begun) {
  stream::Lanes lanes(a.devices.queue(0).context().state());
  lapack::DevicePlace plans(lanes.compute, a.precision, options, {});
  plans.accept_normwise_products();
  if (!plans.has_products_by_shape()) {
    throw error(errc::unsupported, "engine " + std::string(name(options.engine)) + " with accuracy " +
                                       std::string(name(options.accuracy)) +
                                       " is not one of a group's matrices, as its products depend on all entries");
  }
  const stream::DealtProblem problem{
      a.shape, a.deal, a.precision, options, is_positive, plans, stream::DealtProblem::Resident{a.own, a.passed()}};
  const auto found = stream::factor_dealt(a.queues(), problem, has_begun);
  std::copy(found->pivots.begin(), found->pivots.end(), pivots.begin());
  reporter.add(found->traffic);
  return found->info;
}

// All of a matrix in pinned memory; none of one that is neither read nor written.
template <class T>
struct HostCopy {
  HostBuffer<T> memory;
  MatrixView<T> view;

  HostCopy(const GroupMatrixState& x, bool is_read, bool is_written = false)
      : memory(x.devices.queue(0).context(), is_read || is_written ? x.shape.rows * x.shape.columns : 0) {
    view = hilo::view(Layout::column, Op::none, memory.data(), x.shape.rows, x.shape.columns, x.shape.column_stride);
    bool has_begun = false;
    if (is_read && !x.is_empty()) x.read(host(), has_begun);
  }
  stream::HostMatrix host() const { return stream::host_matrix(view.data, lines_of(view), sizeof(T)); }
};

// X by factors of a matrix that is not empty: run(place, factors, X) where the first device has room for all of them,
// else from_host(factors in host memory, report).
template <class T, class FromHost>
void solve(GroupMatrixState& factors, const MatrixView<T>& b, const BlockedOptions& options, Reporter& reporter,
           bool& has_begun, const stream::SolveOnDevice& run, FromHost from_host) {
  if (b.columns == 0) return;
  bool has_written = false;
  try {
    reporter.add(stream::solve_on_first(factors, stream::host_matrix(b.data, lines_of(b), sizeof(T)), options,
                                        has_written, run));
    return;
  } catch (const error& failure) {
    has_begun = has_begun || has_written;
    if (has_written || failure.code() != errc::out_of_memory) throw;
  } catch (...) {
    // OpenCL's own.
    has_begun = has_begun || has_written;
    throw;
  }
  const HostCopy<T> copy(factors, true);
  StreamReport report;
  from_host(copy.view, report);
  reporter.add(stream::traffic_of(report));
}
template <class T>
void solve_general(GroupMatrixState& lu, Op op, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
                   const BlockedOptions& options, Reporter& reporter, bool& has_begun) {
  solve<T>(
      lu, b, options, reporter, has_begun,
      [&](lapack::DevicePlace& place, const DeviceView& factors, const DeviceView& x) {
        place.set_pivots(pivots);
        lapack::solve_with_factors(place, op, factors, x);
      },
      [&](const MatrixView<T>& factors, StreamReport& report) {
        getrs<T>(lu.devices, op, factors, pivots, b, options, &report);
      });
}
template <class T>
void solve_positive(GroupMatrixState& factor, const MatrixView<T>& b, const BlockedOptions& options, Reporter& reporter,
                    bool& has_begun) {
  solve<T>(
      factor, b, options, reporter, has_begun,
      [](lapack::DevicePlace& place, const DeviceView& l, const DeviceView& x) {
        lapack::solve_positive(place, Uplo::lower, l, x);
      },
      [&](const MatrixView<T>& l, StreamReport& report) {
        potrs<T>(factor.devices, Uplo::lower, l, b, options, &report);
      });
}

template <class T>
void check_system(const Arguments& check, const GroupMatrixState& a, const MatrixView<T>& b) {
  check.check_equal("rows of A", a.shape.rows, "columns of A", a.shape.columns);
  check.check_result(argument("B", b));
  check.check_equal("rows of B", b.rows, "rows of A", a.shape.rows);
}

void check_one_group(const Arguments& check, const GroupMatrixState& x, const GroupMatrixState& c, const char* name) {
  bool is_one = x.devices.size() == c.devices.size();
  for (int i = 0; is_one && i < c.devices.size(); ++i) {
    is_one = x.devices.queue(i).context().state() == c.devices.queue(i).context().state();
  }
  if (!is_one) check.reject(errc::invalid_argument, std::string(name) + " is on other devices than C");
}

// By the first device.
template <class T>
GroupReport multiply_by_way_of_host(T alpha, const GroupMatrix<T>& a, const GroupMatrix<T>& b, T beta,
                                    GroupMatrixState& c, const GemmOptions& options, bool& has_begun) {
  Queue queue = c.devices.queue(0);
  const bool reads_operands = !(alpha == T(0)) && !c.is_empty();
  const HostCopy<T> x(a.state(), reads_operands), y(b.state(), reads_operands), z(c, !(beta == T(0)), true);
  GroupReport report;
  static_cast<GemmReport&>(report) = gemm<T>(queue, alpha, x.view, y.view, beta, z.view, options);
  report.devices.push_back(report.stream);
  if (!c.is_empty()) c.write(z.host(), has_begun);
  return report;
}

}  // namespace

template <gemm_scalar T>
GroupMatrix<T>::GroupMatrix(const DeviceGroup& devices, std::int64_t rows, std::int64_t columns, std::int64_t block) {
  named("GroupMatrix", "it is",
        [&](bool&) { state_ = std::make_unique<GroupMatrixState>(devices, precision_of<T>, rows, columns, block); });
}

template <gemm_scalar T>
GroupMatrix<T>::~GroupMatrix() = default;
template <gemm_scalar T>
GroupMatrix<T>::GroupMatrix(GroupMatrix&&) noexcept = default;
template <gemm_scalar T>
GroupMatrix<T>& GroupMatrix<T>::operator=(GroupMatrix&&) noexcept = default;

template <gemm_scalar T>
std::int64_t GroupMatrix<T>::rows() const {
  return state_->shape.rows;
}
template <gemm_scalar T>
std::int64_t GroupMatrix<T>::columns() const {
  return state_->shape.columns;
}
template <gemm_scalar T>
std::int64_t GroupMatrix<T>::block() const {
  return block_or_default(state_->block);
}
template <gemm_scalar T>
const DeviceGroup& GroupMatrix<T>::devices() const {
  return state_->devices;
}

template <gemm_scalar T>
std::vector<typename GroupMatrix<T>::Columns> GroupMatrix<T>::distribution() const {
  std::vector<Columns> all;
  for (const stream::DealtColumns::Block& b : state_->deal.blocks()) {
    if (b.columns > 0) all.push_back({b.first, b.columns, b.device});
  }
  return all;
}

template <gemm_scalar T>
void GroupMatrix<T>::write(const detail::Operand<T>& from) {
  constexpr const char* routine = "GroupMatrix::write";
  const Arguments check(routine, sizeof(T));
  check.check(argument("the view", from));
  check_sizes(check, *state_, from);
  if (state_->is_empty()) return;
  named(routine, "the matrix is",
        [&](bool& has_begun) { state_->write(stream::host_matrix(from.data, lines_of(from), sizeof(T)), has_begun); });
}

template <gemm_scalar T>
void GroupMatrix<T>::read(const MatrixView<T>& to) const {
  constexpr const char* routine = "GroupMatrix::read";
  const Arguments check(routine, sizeof(T));
  check.check_result(argument("the view", to));
  check_sizes(check, *state_, to);
  if (state_->is_empty()) return;
  named(routine, "the view is",
        [&](bool& has_begun) { state_->read(stream::host_matrix(to.data, lines_of(to), sizeof(T)), has_begun); });
}

template <gemm_scalar T>
GroupReport gemm(std::type_identity_t<T> alpha, const GroupMatrix<T>& a, const GroupMatrix<T>& b,
                 std::type_identity_t<T> beta, GroupMatrix<T>& c, const GemmOptions& options) {
  const Arguments check("gemm", sizeof(T));
  check_options(options);
  GroupMatrixState& result = c.state();
  check_one_group(check, a.state(), result, "A");
  check_one_group(check, b.state(), result, "B");
  check.check_equal("rows of A", a.rows(), "rows of C", c.rows());
  check.check_equal("columns of A", a.columns(), "rows of B", b.rows());
  check.check_equal("columns of B", b.columns(), "columns of C", c.columns());
  check.check_equal("block of B", b.block(), "block of C", c.block());
  if (&a == &c || &b == &c) {
    check.reject(errc::invalid_argument, std::string("C is ") + (&a == &c ? "A" : "B") + ", which is read");
  }
  return named("gemm", "C is", [&](bool& has_begun) {
    if (result.is_empty()) return multiply_by_way_of_host<T>(alpha, a, b, beta, result, options, has_begun);
    GroupReport report;
    using stream::Outcome;
    const Outcome outcome = stream::multiply(as_dd_complex(alpha), a.state(), b.state(), as_dd_complex(beta), result,
                                             options, report, has_begun);
    if (outcome == Outcome::done) return report;
    has_begun = outcome == Outcome::undone_and_undefined;
    return multiply_by_way_of_host<T>(alpha, a, b, beta, result, options, has_begun);
  });
}

template <gemm_scalar T>
std::int64_t getrf(GroupMatrix<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options,
                   StreamReport* report) {
  GroupMatrixState& matrix = a.state();
  const Arguments check("getrf", sizeof(T));
  const BlockedOptions taken = options_for(check, matrix, options);
  if (a.rows() < a.columns()) {
    check.reject(errc::unsupported, "A, " + std::to_string(a.rows()) + " x " + std::to_string(a.columns()) +
                                        ", has more columns than rows, which a group's matrix may not have here");
  }
  lapack::check_pivot_count(check, pivots, a.columns(), "columns");
  Reporter reporter(report);
  if (matrix.is_empty()) return 0;
  return named("getrf", "A is",
               [&](bool& has_begun) { return factor(matrix, false, pivots, taken, reporter, has_begun); });
}

template <gemm_scalar T>
void getrs(Op op, const GroupMatrix<T>& lu, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options, StreamReport* report) {
  GroupMatrixState& matrix = lu.state();
  const Arguments check("getrs", sizeof(T));
  check.check_options(matrix.precision, Backend::opencl, options);
  check.check_enum(static_cast<int>(op), 3, "op");
  check_system(check, matrix, b);
  lapack::check_pivots(check, pivots, lu.rows());
  Reporter reporter(report);
  if (matrix.is_empty()) return;
  named("getrs", "B is", [&](bool& has_begun) { solve_general(matrix, op, pivots, b, options, reporter, has_begun); });
}

template <gemm_scalar T>
std::int64_t gesv(GroupMatrix<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options, StreamReport* report) {
  GroupMatrixState& matrix = a.state();
  const Arguments check("gesv", sizeof(T));
  const BlockedOptions taken = options_for(check, matrix, options);
  check_system(check, matrix, b);
  lapack::check_pivot_count(check, pivots, a.rows());
  Reporter reporter(report);
  if (matrix.is_empty()) return 0;
  return named("gesv", "A and B are", [&](bool& has_begun) {
    const std::int64_t info = factor(matrix, false, pivots, taken, reporter, has_begun);
    if (info == 0) solve_general<T>(matrix, Op::none, pivots, b, options, reporter, has_begun);
    return info;
  });
}

template <gemm_scalar T>
std::int64_t potrf(GroupMatrix<T>& a, const BlockedOptions& options, StreamReport* report) {
  GroupMatrixState& matrix = a.state();
  const Arguments check("potrf", sizeof(T));
  const BlockedOptions taken = options_for(check, matrix, options);
  check.check_equal("rows of A", a.rows(), "columns of A", a.columns());
  Reporter reporter(report);
  if (matrix.is_empty()) return 0;
  return named("potrf", "A is", [&](bool& has_begun) { return factor(matrix, true, {}, taken, reporter, has_begun); });
}

template <gemm_scalar T>
void potrs(const GroupMatrix<T>& factor, const MatrixView<T>& b, const BlockedOptions& options, StreamReport* report) {
  GroupMatrixState& matrix = factor.state();
  const Arguments check("potrs", sizeof(T));
  check.check_options(matrix.precision, Backend::opencl, options);
  check_system(check, matrix, b);
  Reporter reporter(report);
  if (matrix.is_empty()) return;
  named("potrs", "B is", [&](bool& has_begun) { solve_positive(matrix, b, options, reporter, has_begun); });
}

template <gemm_scalar T>
std::int64_t posv(GroupMatrix<T>& a, const MatrixView<T>& b, const BlockedOptions& options, StreamReport* report) {
  GroupMatrixState& matrix = a.state();
  const Arguments check("posv", sizeof(T));
  const BlockedOptions taken = options_for(check, matrix, options);
  check_system(check, matrix, b);
  Reporter reporter(report);
  if (matrix.is_empty()) return 0;
  return named("posv", "A and B are", [&](bool& has_begun) {
    const std::int64_t info = factor(matrix, true, {}, taken, reporter, has_begun);
    if (info == 0) solve_positive(matrix, b, options, reporter, has_begun);
    return info;
  });
}

#define HILO_INSTANTIATE(T)                                                                                            \
  template GroupReport gemm<T>(T, const GroupMatrix<T>&, const GroupMatrix<T>&, T, GroupMatrix<T>&,                    \
                               const GemmOptions&);                                                                    \
  template class GroupMatrix<T>;                                                                                       \
  template std::int64_t getrf<T>(GroupMatrix<T>&, std::span<std::int64_t>, const BlockedOptions&, StreamReport*);      \
  template void getrs<T>(Op, const GroupMatrix<T>&, std::span<const std::int64_t>, const MatrixView<T>&,               \
                         const BlockedOptions&, StreamReport*);                                                        \
  template std::int64_t gesv<T>(GroupMatrix<T>&, std::span<std::int64_t>, const MatrixView<T>&, const BlockedOptions&, \
                                StreamReport*);                                                                        \
  template std::int64_t potrf<T>(GroupMatrix<T>&, const BlockedOptions&, StreamReport*);                               \
  template void potrs<T>(const GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*);           \
  template std::int64_t posv<T>(GroupMatrix<T>&, const MatrixView<T>&, const BlockedOptions&, StreamReport*);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
