// The matrices of a routine that `hilo bench` times, and the routine on them, on the CPU or a device.
#pragma once

#include <optional>
#include <vector>

#include "cli/bench/routine.hpp"
#include "cli/progress.hpp"
#include "cli/repeated.hpp"

namespace hilo::cli {

/// Seconds of each timed run: the routine, and with copies of matrices to a device and back. On the CPU both are the
/// same.
struct RoutineTiming {
  std::vector<double> kernel, total;
};

/// Any routine but gemm, of which timed_product.hpp takes care. Every run has operands as they were made.
template <class T>
class Problem {
 public:
  /// Matrices that are well-conditioned where --init lets them: of potrf a symmetric one whose diagonal is twice the
  /// sum of its row's magnitudes, of trsm the lower triangle of such a one, else as --init says. `what` stands before
  /// what progress tells. Throws hilo::error (out_of_memory, invalid_argument).
  Problem(const BenchCase& what, Progress& progress, const std::string& text);

  /// Runs the case, which has the operands of the first one. Throws as the routine does; std::runtime_error where it
  /// finds a matrix singular.
  RoutineTiming time(std::optional<Queue>& queue, const BenchCase& what, const RunWatch& watch);

  /// LAPACK's ratio of what the last run left (bench_residual.hpp), of a batch that of the last product.
  double residual_ratio();

 private:
  using Host = MatrixView<T>;

  double run_on_host(const BenchCase& what);
  std::pair<double, double> run_on_device(Queue& queue, const BenchCase& what);
  void run_batch(Queue* queue, const BenchCase& what);
  Event enqueue(Queue& queue, const BenchCase& what);
  void make_room(Queue& queue);

  BenchCase what_;
  data::Matrix<T> a_, b_, result_;  // result_: C, factors or X; b_ has no entries where there is no B
  std::vector<std::int64_t> pivots_;
  std::vector<T> tau_;
  std::optional<BufferView<T>> device_a_, device_b_, device_result_;
};

}  // namespace hilo::cli
