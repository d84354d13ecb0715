// The matrix of a system in device memory: as it is given, scaled with every word of its entries, and products with it.
#pragma once

#include <hilo/blas.hpp>
#include <hilo/precision.hpp>
#include <string>
#include <vector>

#include "matrix/device_product.hpp"
#include "opencl/call.hpp"
#include "solve/scaling.hpp"

namespace hilo::solver {

/// What of a matrix counts; the numbers are those of kernels/solve.
enum class Part : std::uint8_t { all, lower, upper };

class DeviceMatrix {
 public:
  /// `part` is not `all` of a Hermitian matrix. After the events of wait_list. Throws unsupported where the device has
  /// no double precision, or fails its self-test.
  DeviceMatrix(opencl::QueueState& queue, Precision given, DeviceView a, Part part, const BlockedOptions& options,
               std::vector<cl::Event> wait_list);
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  std::int64_t order() const { return a_.rows; }
  opencl::QueueState& queue() { return call_.queue(); }
  /// What commands on the queue that are not of this matrix wait for.
  std::vector<cl::Event> pending() const { return call_.pending(); }
  /// The next command waits for these.
  void wait_also(const std::vector<cl::Event>& events) {
    for (const cl::Event& event : events) call_.wait_also(event);
  }
  /// Commands of others, which this matrix's wait for.
  void include(const Event& event) { call_.include(cl::Event(event.native(), true)); }

  /// Columns of a matrix of the given precision on the queue to host memory, where they lie side by side, or from
  /// there.
  void read_columns(const DeviceView& from, void* to);
  void write_columns(const void* from, const DeviceView& to);

  /// Of each row of what is given the largest entry, as size_of has it, or Inf where one is not finite; of a triangle's
  /// rows what is in them.
  std::vector<double> largest_of_rows();
  /// The same of columns, whose entries count times 2^exponents[row] where there are some.
  std::vector<double> largest_of_columns(const std::vector<int>* exponents);
  /// The sizes of entries on the diagonal, and of those of column j.
  std::vector<double> diagonal();
  std::vector<double> column(std::int64_t j);

  /// The scaled matrix, whole; all that follows is of it.
  void take(const Scaling& scaling);
  /// Of double or double-double words, which hold its entries exactly; columns side by side.
  Precision exact() const;
  const cl::Buffer& entries() const { return entries_; }
  /// |A| · y.
  std::vector<double> product_of_sizes(const std::vector<double>& y) { return product_of_sizes(exact(), entries_, y); }
  /// The same of another matrix of this one's order in D, DD, Z or ZDD, columns side by side: leading words, and of
  /// complex numbers their larger parts. NaN where an entry of the row is.
  std::vector<double> product_of_sizes(Precision precision, const cl::Buffer& a, const std::vector<double>& y) {
    return sums_of_sizes(precision, a, y, false);
  }
  /// Lines of residuals (Lines<X>, `pitch`) from those of b, x and, where there is one, a rest, which lie side by side.
  std::vector<double> residuals(int words, const std::vector<double>& vectors, std::int64_t pitch, bool has_rest);
  /// A copy in another of D, DD or Z, ZDD, columns side by side; the same of another matrix of this one's order.
  void copy_to(Precision precision, const cl::Buffer& to) { convert(exact(), entries_, precision, to); }
  void convert(Precision from_precision, const cl::Buffer& from, Precision precision, const cl::Buffer& to);
  /// The largest entry of a matrix on the queue, or of its triangle, by size_of; Inf where one is not finite.
  double largest(Precision precision, const DeviceView& a, Part part);

  /// ‖R‖∞ of the upper triangle of a matrix of this one's order, columns side by side.
  double norm_of_upper_triangle(Precision precision, const cl::Buffer& a);

  /// A kernel of a text, for the precision and with further options.
  opencl::BorrowedKernel kernel(const char* text, const char* name, Precision precision,
                                const std::string& options = {});

  /// Memory for those that go before this matrix, and after their commands.
  opencl::Workspace lend(std::int64_t bytes, const char* what) { return call_.lend(bytes, what); }

  /// Waits for all commands, and gives back what was borrowed.
  void finish() { call_.finish().wait(); }

 private:
  std::vector<double> largest_of_lines(Precision precision, const DeviceView& a, Part part, bool has_real_diagonal,
                                       const std::vector<int>* exponents);
  std::vector<double> sums_of_sizes(Precision precision, const cl::Buffer& a, const std::vector<double>& y,
                                    bool is_upper);
  void copy(const DeviceView& from, const DeviceView& to);
  std::vector<double> read(const cl::Buffer& buffer, std::int64_t count);
  cl::Buffer written(const std::vector<int>& numbers, const char* what);

  opencl::Call call_;
  Precision given_;
  DeviceView a_;
  Part part_;
  bool fma_;
  cl::Buffer entries_, sizes_, sums_;
};

}  // namespace hilo::solver
