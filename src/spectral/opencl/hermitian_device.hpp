// What the refinement of eigenvectors does with matrices, on a device, where all of them stay: A, X, Y = A X, R, S, and
// E in double. hermitian_host.hpp has the same verbs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solve/opencl/device_matrix.hpp"
#include "spectral/eigenvalue_bound.hpp"
#include "spectral/hermitian_host.hpp"
#include "spectral/opencl/column_place.hpp"

namespace hilo::spectral {

/// In DD or ZDD.
class HermitianDeviceOfAny : public ColumnPlace {
 public:
  /// Of what `matrix` took: A, whole, with its largest entry near 1, or 0.
  HermitianDeviceOfAny(solver::DeviceMatrix& matrix, Precision precision, const BlockedOptions& options);

  std::int64_t order() const { return n_; }
  std::pair<Values, Values> evaluate();
  Rest couple(const Values& values, const NoiseGate& gate);
  bool is_all_noise() const { return pairs_beyond_noise_ == 0.0; }
  double largest_error(double) const { return largest_error_; }
  Components components();
  void take_half_of_defect() { find_corrections({}, true); }
  void find_corrections(const std::vector<std::int64_t>& label) { find_corrections(label, false); }
  void correct();
  std::pair<double, double> norms(const Values& values);

  /// Bounds of values in ascending order, `order` that of X's columns, as eigenvalue_bounds() has them; by an exact
  /// product on the device.
  std::optional<EigenvalueBounds> bounds(const std::vector<std::int64_t>& order, const Values& values);
  /// Column order[k] of X becomes column k of a matrix on the queue.
  void put_vectors(const std::vector<std::int64_t>& order, const DeviceView& to) { put(square_of(x_), order, to); }
  /// X from columns side by side of doubles.
  void start_with(const double* x);

 protected:
  void read_leading_words(double* a);
  void read_matrix(void* a) { read(a_, element_bytes(precision()), a); }
  void read_vectors(void* x) { read(x_, element_bytes(precision()), x); }
  void write_vectors(const void* x);
  /// The block of each cluster, columns side by side, one after the other.
  void read_blocks(const std::vector<Cluster>& clusters, double* blocks);
  void rotate_few(const std::vector<Cluster>& clusters, const void* z) {
    ColumnPlace::rotate_few(square_of(x_), clusters, z);
  }
  void rotate_many(const Cluster& cluster, const double* z) {
    ColumnPlace::rotate_many(square_of(x_), cluster.members, z, {r_, s_, y_, e_});
  }

 private:
  DeviceView square_of(const cl::Buffer& buffer) const { return matrix_of(buffer, n_, n_); }
  void read(const cl::Buffer& from, std::int64_t bytes_of_element, void* to);
  std::vector<double> read_sums(std::int64_t lines) { return ColumnPlace::read_sums(sums_, lines * n_); }
  void write_values(const Values& values);
  opencl::pair_arguments pairs() const;
  void find_corrections(const std::vector<std::int64_t>& label, bool only_halves);
  // C = alpha · A · B + beta · C with the options of a proof, and what ran.
  GemmPlan multiply_for_proof(Accuracy accuracy, const dd_complex& alpha, const DeviceView& a, const DeviceView& b,
                              const dd_complex& beta, const DeviceView& c);

  std::int64_t n_;
  cl::Buffer a_, x_, y_, r_, s_, e_, values_, sums_;
  NoiseGate gate_{0, 0.0};
  std::vector<std::int64_t> columns_with_close_pairs_;
  double pairs_beyond_noise_ = 0.0, unresolved_pairs_ = 0.0, largest_error_ = 0.0;
};

/// With the host's types.
template <double_double T>
class HermitianDevice : public HermitianDeviceOfAny {
 public:
  using D = Leading<T>;

  HermitianDevice(solver::DeviceMatrix& matrix, const BlockedOptions& options)
      : HermitianDeviceOfAny(matrix, precision_of<T>, options) {}

  /// X from LAPACK's eigenvectors of A's leading words, which the host finds.
  void start() {
    Dense<D> a(order(), order());
    read_leading_words(words(a));
    Dense<D> x = eigenvectors_in_double(lapack_threads, a);
    start_with(words(x));
  }

  std::vector<Dense<D>> blocks(const std::vector<Cluster>& clusters) {
    std::vector<Dense<D>> all;
    std::size_t total = 0;
    for (const Cluster& cluster : clusters) total += cluster.members.size() * cluster.members.size();
    if (total == 0) return all;
    std::vector<D> elements(total);
    read_blocks(clusters, reinterpret_cast<double*>(elements.data()));
    const D* next = elements.data();
    for (const Cluster& cluster : clusters) {
      const std::int64_t count = std::ssize(cluster.members);
      Dense<D>& block = all.emplace_back(count, count);
      std::copy_n(next, count * count, block.view().data);
      next += count * count;
    }
    return all;
  }

  void rotate(const std::vector<Cluster>& clusters, std::vector<Dense<D>>& all) {
    std::vector<Cluster> few;
    std::vector<T> z_of_few;
    blas::HostPlace<T> host(options());
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      if (std::ssize(clusters[c].members) > few_columns) {
        rotate_many(clusters[c], words(all[c]));
        continue;
      }
      Dense<T> z(all[c], [](const D& d) { return T(d); });
      orthonormalise(host, z);
      z_of_few.insert(z_of_few.end(), z.view().data, z.view().data + z.rows() * z.columns());
      few.push_back(clusters[c]);
    }
    if (!few.empty()) rotate_few(few, z_of_few.data());
  }

  /// On the host.
  int rotate_all() {
    HermitianHost<T> host(matrix(), options());
    const int sweeps = host.rotate_all();
    write_vectors(host.vectors().view().data);
    return sweeps;
  }

  Dense<T> matrix() {
    Dense<T> a(order(), order());
    read_matrix(a.view().data);
    return a;
  }
  Dense<T> vectors() {
    Dense<T> x(order(), order());
    read_vectors(x.view().data);
    return x;
  }

 private:
  static double* words(Dense<D>& x) { return reinterpret_cast<double*>(x.view().data); }
};

}  // namespace hilo::spectral
