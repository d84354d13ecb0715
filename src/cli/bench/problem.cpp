#include "cli/bench/problem.hpp"

#include <hilo/solve.hpp>
#include <stdexcept>

#include "cli/bench/residual.hpp"
#include "cli/problem/structure.hpp"

namespace hilo::cli {
namespace {

// What a routine works on in place of a copy of A or B, which it finds as that was.
bool overwrites_a(Routine routine) {
  return routine == Routine::getrf || routine == Routine::potrf || routine == Routine::geqrf;
}

template <class View>
View of_batch(const View& all, Layout layout, std::int64_t i, std::int64_t count) {
  if (layout == Layout::column) return all.sub(0, i * (all.columns / count), all.rows, all.columns / count);
  return all.sub(i * (all.rows / count), 0, all.rows / count, all.columns);
}

void check_info(const BenchCase& what, std::int64_t info) {
  if (info == 0) return;
  throw std::runtime_error(std::string(name(what.routine)) + " of the generated matrix of " + std::to_string(what.m) +
                           " rows failed with info = " + std::to_string(info));
}

void check_solved(const BenchCase& what, const SolveReport& report) {
  if (report) return;
  throw std::runtime_error("solve of the generated system of " + std::to_string(what.m) + " rows: " + report.reason);
}

template <class T>
BufferView<T> room(Queue& queue, const data::Matrix<T>& x) {
  return view(x.layout, Op::none, Buffer<T>(queue.context(), std::ssize(x.entries)), x.rows, x.columns, x.leading());
}

template <class T>
void write(Queue& queue, const data::Matrix<T>& x, BufferView<T>& to) {
  to.buffer.write(queue, x.entries.data(), 0, std::ssize(x.entries));
}

}  // namespace

template <class T>
Problem<T>::Problem(const BenchCase& what, Progress& progress, const std::string& text) : what_(what) {
  const std::vector<MatrixSize> sizes = matrix_sizes(what);
  const data::Recipe recipe{what.generator, what.seed, data::Terms::along_columns};
  const auto made = [&](const MatrixSize& size, char which) {
    return generated_matrix<T>(recipe, which, size.rows, size.columns, what.layout, progress, text);
  };
  a_ = made(sizes[0], 'A');
  if (sizes.size() == 3) b_ = made(sizes[1], 'B');
  result_ = data::zero_matrix<T>(sizes.back().rows, sizes.back().columns, what.layout, sizes.back().name);
  if (what.routine == Routine::potrf || what.routine == Routine::trsm) {
    give_structure(a_, SystemKind::positive, data::Init::uniform);
  }
  if (what.routine == Routine::trsm) {
    for (std::int64_t j = 0; j < a_.columns; ++j) {
      for (std::int64_t i = 0; i < j; ++i) a_(i, j) = T(0);
    }
  }
  pivots_.resize(static_cast<std::size_t>(what.routine == Routine::getrf ? what.k : 0));
  tau_.resize(static_cast<std::size_t>(what.routine == Routine::geqrf ? what.k : 0));
}

template <class T>
void Problem<T>::run_batch(Queue* queue, const BenchCase& what) {
  const auto stride = [&](const data::Matrix<T>& x) { return std::ssize(x.entries) / what.count; };
  const auto multiply = [&](auto&... where) {
    gemm_strided_batch(where..., what.layout, what.opa, what.opb, what.m, what.n, what.k, T(1), a_.entries.data(),
                       a_.leading(), stride(a_), b_.entries.data(), b_.leading(), stride(b_), T(0),
                       result_.entries.data(), result_.leading(), stride(result_), what.count, what.options);
  };
  queue ? multiply(*queue) : multiply();
}

template <class T>
double Problem<T>::run_on_host(const BenchCase& what) {
  const Host a = view_of(a_), b = view_of(b_), result = view_of(result_);
  const GemmOptions& options = what.options;
  if (overwrites_a(what.routine)) result_.entries = a_.entries;
  if (what.routine == Routine::trsm) result_.entries = b_.entries;
  const Stopwatch watch;
  switch (what.routine) {
    case Routine::syrk:
      syrk(Uplo::lower, T(1), a.turned(what.opa), T(0), result, options);
      break;
    case Routine::trsm:
      trsm(Side::left, is_transposed(what.opa) ? Uplo::upper : Uplo::lower, Diag::non_unit, T(1), a.turned(what.opa),
           result, options);
      break;
    case Routine::getrf:
      check_info(what, getrf(result, std::span(pivots_), options));
      break;
    case Routine::potrf:
      check_info(what, potrf(Uplo::lower, result, options));
      break;
    case Routine::geqrf:
      geqrf(result, std::span(tau_), options);
      break;
    case Routine::solve:
      check_solved(what, solve(a, b, result, SolveOptions{.products = options}));
      break;
    default:
      run_batch(nullptr, what);
  }
  return watch.seconds();
}

template <class T>
void Problem<T>::make_room(Queue& queue) {
  device_a_.emplace(room(queue, a_));
  device_result_.emplace(room(queue, result_));
  device_b_.reset();
  if (!b_.entries.empty() && what_.routine != Routine::trsm) device_b_.emplace(room(queue, b_));
}

// Matrices are on the device.
template <class T>
Event Problem<T>::enqueue(Queue& queue, const BenchCase& what) {
  BufferView<T>&a = *device_a_, &result = *device_result_;
  const GemmOptions& options = what.options;
  switch (what.routine) {
    case Routine::syrk:
      return syrk(queue, Uplo::lower, T(1), a.turned(what.opa), T(0), result, {}, options);
    case Routine::trsm:
      return trsm(queue, Side::left, is_transposed(what.opa) ? Uplo::upper : Uplo::lower, Diag::non_unit, T(1),
                  a.turned(what.opa), result, {}, options);
    case Routine::getrf:
      check_info(what, getrf(queue, result, std::span(pivots_), {}, options));
      return {};
    case Routine::potrf:
      check_info(what, potrf(queue, Uplo::lower, result, {}, options));
      return {};
    case Routine::geqrf:
      geqrf(queue, result, std::span(tau_), {}, options);
      return {};
    case Routine::solve:
      check_solved(what, solve(queue, a, *device_b_, result, {}, SolveOptions{.products = options}));
      return {};
    default: {
      const auto stride = [&](const data::Matrix<T>& x) { return std::ssize(x.entries) / what.count; };
      return gemm_strided_batch(queue, what.layout, what.opa, what.opb, what.m, what.n, what.k, T(1), a.buffer, 0,
                                a_.leading(), stride(a_), device_b_->buffer, 0, b_.leading(), stride(b_), T(0),
                                result.buffer, 0, result_.leading(), stride(result_), what.count, {}, options);
    }
  }
}

// The routine's seconds, and those with copies.
template <class T>
std::pair<double, double> Problem<T>::run_on_device(Queue& queue, const BenchCase& what) {
  const Stopwatch with_copies;
  const bool starts_as_a = overwrites_a(what.routine);
  if (!starts_as_a) write(queue, a_, *device_a_);
  if (device_b_) write(queue, b_, *device_b_);
  if (starts_as_a) write(queue, a_, *device_result_);
  if (what.routine == Routine::trsm) write(queue, b_, *device_result_);
  const Stopwatch watch;
  enqueue(queue, what).wait();
  const double seconds = watch.seconds();
  device_result_->buffer.read(queue, result_.entries.data(), 0, std::ssize(result_.entries));
  return {seconds, with_copies.seconds()};
}

template <class T>
RoutineTiming Problem<T>::time(std::optional<Queue>& queue, const BenchCase& what, const RunWatch& watch) {
  Runs runs{watch, runs_of(what)};
  what_ = what;
  if (!queue) {
    const std::vector<double> seconds = repeated(what, runs, [&] { return run_on_host(what); });
    return {seconds, seconds};
  }
  make_room(*queue);
  RoutineTiming timing;
  for (const auto& [kernel, total] : repeated(what, runs, [&] { return run_on_device(*queue, what); })) {
    timing.kernel.push_back(kernel);
    timing.total.push_back(total);
  }
  device_a_.reset();
  device_b_.reset();
  device_result_.reset();
  return timing;
}

template <class T>
double Problem<T>::residual_ratio() {
  const Host a = view_of(a_), b = view_of(b_), result = view_of(result_);
  switch (what_.routine) {
    case Routine::syrk:
      return syrk_ratio(a.turned(what_.opa), result);
    case Routine::trsm:
      return solution_ratio(a.turned(what_.opa), result, b);
    case Routine::getrf:
      return lu_ratio(a, result, std::span<const std::int64_t>(pivots_));
    case Routine::potrf:
      return cholesky_ratio(a, result);
    case Routine::geqrf:
      return qr_ratio(a, result, std::span<const T>(tau_));
    case Routine::solve:
      return solution_ratio(a, result, b);
    default: {
      const std::int64_t last = what_.count - 1;
      const auto one = [&](const Host& x) { return of_batch(x, what_.layout, last, what_.count); };
      return product_ratio(one(a).turned(what_.opa), one(b).turned(what_.opb), one(result));
    }
  }
}

template class Problem<float>;
template class Problem<double>;
template class Problem<std::complex<float>>;
template class Problem<std::complex<double>>;
template class Problem<dd_real>;
template class Problem<dd_complex>;

}  // namespace hilo::cli
