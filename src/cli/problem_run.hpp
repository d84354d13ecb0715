// A command on the problem of one matrix (solve, eig, svd) on its way: where it computes, how long that takes, and how
// it ends.
#pragma once

#include <algorithm>
#include <limits>

#include "cli/machine.hpp"
#include "cli/operands.hpp"
#include "cli/outputs.hpp"
#include "cli/problem_options.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"

namespace hilo::cli {

class ProblemRun {
 public:
  /// With so many CPU threads. Throws hilo::error where an output cannot be written, or there is no such device.
  ProblemRun(const ProblemArguments& arguments, const ProblemRequest& request, int threads);

  Progress& progress() { return progress_; }
  /// Null for the CPU.
  Queue* queue() { return queue_ ? &*queue_ : nullptr; }

  /// Of matrices that there are going to be: in both memories, where there is a device, and in the host's alone. Throws
  /// hilo::error (out_of_memory, overflow) where these, with a workspace of bytes() on the host, do not fit.
  template <class T, class Bytes>
  void check_memory(const std::vector<MatrixSize>& matrices, const std::vector<MatrixSize>& on_host, Bytes bytes) {
    std::vector<MatrixSize> all = matrices;
    all.insert(all.end(), on_host.begin(), on_host.end());
    check_matrices_and_workspace<T>(all, bytes);
    if (queue_) check_device_memory<T>(matrices, queue_->context().device());
  }

  /// Where a device's queue takes a problem to the host as a whole.
  void leave_to_host() { run_.threads = threads_; }

  /// The report that compute() returns the last time; it is called and timed as --repeat says, or until it is false.
  template <class Function>
  auto timed(Function compute) {
    run_.seconds_kernel = std::numeric_limits<double>::infinity();
    for (int i = repeat_ > 0 ? 0 : 1;; ++i) {
      const Stopwatch watch;
      auto report = compute();
      const double seconds = watch.seconds();
      if (i > 0 || !report) run_.seconds_kernel = std::min(run_.seconds_kernel, seconds);
      if (repeat_ > 0) run_.repeat = i;
      if (report && i < repeat_) continue;
      return report;
    }
  }

  /// Memory for the matrix on the device, laid out as on the host. Throws hilo::error with `name`.
  template <class T>
  BufferView<T> room(const std::string& name, const data::Matrix<T>& x) {
    const Stopwatch watch;
    try {
      BufferView<T> there =
          view(x.layout, Op::none, Buffer<T>(queue_->context(), std::ssize(x.entries)), x.rows, x.columns, x.leading());
      seconds_of_transfers_ += watch.seconds();
      return there;
    } catch (const error& e) {
      throw named(e, size_of(name, x));
    }
  }
  /// The same with its entries.
  template <class T>
  BufferView<T> copied(const std::string& name, const data::Matrix<T>& x) {
    BufferView<T> there = room(name, x);
    const Stopwatch watch;
    there.buffer.write(*queue_, x.entries.data(), 0, std::ssize(x.entries));
    seconds_of_transfers_ += watch.seconds();
    return there;
  }
  /// A matrix of room().
  template <class T>
  void read(const BufferView<T>& from, data::Matrix<T>& x) {
    const Stopwatch watch;
    from.buffer.read(*queue_, x.entries.data(), 0, std::ssize(x.entries));
    seconds_of_transfers_ += watch.seconds();
  }

  /// Puts what ran into the result, lets write(files) write the outputs where nothing failed, all or none, and prints
  /// the result. Returns the exit code.
  template <class Result, class Function>
  int finish(Result& result, Function write) {
    run_.seconds_total = run_.seconds_kernel + seconds_of_transfers_;
    result.run = run_;
    if (result.failure.empty()) {
      OutputFiles files;
      write(files);
      files.commit();
      result.written = outputs_;
    }
    progress_.at("");
    return cli::finish(result, outputs_, is_json_);
  }

 private:
  // The error of a matrix's memory, which the library calls a buffer.
  static error named(const error& e, const std::string& matrix);

  const std::vector<std::string>& outputs_;
  bool is_json_;
  int repeat_, threads_;
  std::optional<Queue> queue_;
  Progress progress_;
  Run run_;
  double seconds_of_transfers_ = 0.0;
};

}  // namespace hilo::cli
