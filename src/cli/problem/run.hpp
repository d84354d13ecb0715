// A command on the problem of one matrix (solve, eig, svd) on its way: where it computes, how long that takes, and how
// it ends.
#pragma once

#include <algorithm>
#include <limits>

#include "cli/machine.hpp"
#include "cli/operands.hpp"
#include "cli/outputs.hpp"
#include "cli/problem/options.hpp"
#include "cli/progress.hpp"
#include "cli/stopwatch.hpp"

namespace hilo::cli {

/// Matrices of a problem.
struct ProblemSizes {
  std::vector<MatrixSize> read;     ///< in the host's memory already
  std::vector<MatrixSize> made;     ///< that there are going to be, on a device, too
  std::vector<MatrixSize> of_host;  ///< the same, but on no device
};

class ProblemRun {
 public:
  /// With so many CPU threads. Throws hilo::error where an output cannot be written, or there is no such device.
  ProblemRun(const ProblemArguments& arguments, const ProblemRequest& request, int threads);

  Progress& progress() { return progress_; }
  /// Null for the CPU.
  Queue* queue() { return queue_ ? &*queue_ : nullptr; }

  /// Throws hilo::error (out_of_memory, overflow) where what is going to be made does not fit the host's memory with a
  /// workspace of bytes(), or all but what stays with the host a device's with device_workspace(). Neither function
  /// overflows where matrices fit.
  template <class T, class Bytes, class OfDevice>
  void check_memory(const ProblemSizes& sizes, Bytes bytes, OfDevice device_workspace) {
    std::vector<MatrixSize> on_host = sizes.made, on_device = sizes.read;
    on_host.insert(on_host.end(), sizes.of_host.begin(), sizes.of_host.end());
    check_matrices_and_workspace<T>(on_host, bytes);
    if (!queue_) return;
    on_device.insert(on_device.end(), sizes.made.begin(), sizes.made.end());
    const DeviceWorkspace workspace = device_workspace();
    check_device_memory<T>(on_device, workspace, queue_->context().device());
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
