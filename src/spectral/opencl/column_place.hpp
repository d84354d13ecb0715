// What refinements of vectors on a device have in common: columns of matrices that are corrected and rotated there.
#pragma once

#include <vector>

#include "blas/opencl/place.hpp"
#include "solve/factors.hpp"
#include "spectral/cluster.hpp"
#include "spectral/refinement.hpp"

namespace hilo::spectral {

/// In DD or ZDD. Numbers are in host memory as words. Matrices lie with their columns side by side.
class ColumnPlace : public blas::DevicePlace {
 public:
  using Values = std::vector<dd_real>;

  ColumnPlace(opencl::QueueState& queue, Precision precision, const BlockedOptions& options,
              std::vector<cl::Event> wait_list);

 protected:
  // As the kernel has them.
  static constexpr std::int64_t few_columns = 16;

  static DeviceView matrix_of(const cl::Buffer& buffer, std::int64_t rows, std::int64_t columns) {
    return {buffer, 0, rows, columns, 1, rows};
  }
  const BlockedOptions& options() const { return options_; }
  std::int64_t bytes_of_double() const { return element_bytes(precision()) / 2; }
  /// Room for so many elements.
  cl::Buffer room(std::int64_t elements, const char* what) {
    return call().borrow(elements * element_bytes(precision()), what);
  }

  std::vector<double> read_sums(const cl::Buffer& sums, std::int64_t count);
  cl::Buffer written(const std::vector<std::int64_t>& numbers, const char* what);
  cl::Buffer written(const std::vector<opencl::cluster_member>& members);
  /// Columns of clusters, one after the other, whose blocks begin one after the other.
  static std::vector<opencl::cluster_member> members_of(const std::vector<Cluster>& clusters);

  void convert(const cl::Buffer& from, const cl::Buffer& to, int to_words, std::int64_t elements);
  /// C = Xᴴ · Y, Hermitian, whole; defect 1: I less it, 2: half of that.
  void multiply_hermitian(const DeviceView& x, const DeviceView& y, const DeviceView& c, int defect);
  /// X + X · E, |E| at most `largest`; others of X's size are overwritten.
  void correct(const DeviceView& x, const cl::Buffer& e, double largest, const cl::Buffer& one,
               const cl::Buffer& other);
  /// Columns of X in clusters of few_columns at most with the Z of each, one after the other.
  void rotate_few(const DeviceView& x, const std::vector<Cluster>& clusters, const void* z);
  /// Some columns of X with Z of doubles, which is made orthonormal to double-double. Others of X's size, and of Z's,
  /// are overwritten.
  struct Scratch {
    cl::Buffer one, other, third, doubles;
  };
  void rotate_many(const DeviceView& x, const std::vector<std::int64_t>& columns, const double* z,
                   const Scratch& scratch);
  /// Columns of X by an order, numbers −1 − j for −x_j, become those of a matrix on the queue.
  void put(const DeviceView& x, const std::vector<std::int64_t>& order, const DeviceView& to);

 private:
  void add(const char* name, const cl::Buffer& x, const cl::Buffer& change, std::int64_t elements);
  void move_columns(const char* name, const cl::Buffer& from, const cl::Buffer& chosen, const cl::Buffer& to,
                    std::int64_t rows, std::int64_t count);

  BlockedOptions options_;
};

}  // namespace hilo::spectral
