// What the refinement of singular vectors does with matrices, on a device, where all of them stay. singular_host.hpp
// has the same verbs.
#pragma once

#include <utility>
#include <vector>

#include "spectral/opencl/column_place.hpp"
#include "spectral/singular_host.hpp"

namespace hilo::spectral {

/// In DD or ZDD.
class SingularDeviceOfAny : public ColumnPlace {
 public:
  /// Of A with its columns side by side, m >= n >= 1, its largest entry near 1, or 0; after the events of wait_list.
  SingularDeviceOfAny(opencl::QueueState& queue, Precision precision, const DeviceView& a,
                      const BlockedOptions& options, std::vector<cl::Event> wait_list);

  std::int64_t rows() const { return m_; }
  std::int64_t columns() const { return n_; }
  SingularDiagonals evaluate();
  Rest couple(const Values& values, const NoiseGate& gate, const NoiseGate& of_differences);
  bool is_all_noise() const { return is_all_noise_; }
  double largest_error(double) const { return largest_error_; }
  Components components();
  void take_halves_of_defects() { find_corrections({}, true); }
  void find_corrections(const std::vector<std::int64_t>& label) { find_corrections(label, false); }
  void correct();
  SingularNorms norms(const Values& values);

  /// U and V from columns side by side of doubles.
  void start_with(const double* u, const double* v);
  /// Columns of U and V by their orders (ColumnPlace::put) become those of matrices on the queue.
  void put_vectors(const std::vector<std::int64_t>& of_u, const DeviceView& u, const std::vector<std::int64_t>& of_v,
                   const DeviceView& v);

 protected:
  void read_leading_words(double* a);
  void read_matrix(void* a);
  void read_vectors(void* u, void* v);
  void write_vectors(const void* u, const void* v);
  void read_blocks(const std::vector<Cluster>& clusters, double* blocks);
  void read_block(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right, double* block);
  void rotate_few(const std::vector<Cluster>& clusters, const void* z) {
    ColumnPlace::rotate_few(of_u(), clusters, z);
    ColumnPlace::rotate_few(of_v(), clusters, z);
  }
  void rotate_left(const std::vector<std::int64_t>& columns, const double* z) {
    rotate_many(of_u(), columns, z, {r_, t_, turned_, f_});
  }
  void rotate_right(const std::vector<std::int64_t>& columns, const double* z) {
    rotate_many(of_v(), columns, z, {r_, t_, turned_, f_});
  }

 private:
  DeviceView of_u() const { return matrix_of(u_, m_, m_); }
  DeviceView of_v() const { return matrix_of(v_, n_, n_); }
  void write_values(const Values& values);
  opencl::side_arguments sides() const;
  void find_corrections(const std::vector<std::int64_t>& label, bool only_halves);

  std::int64_t m_, n_;
  DeviceView a_;
  cl::Buffer u_, v_, y_, r_, s_, t_, turned_, f_, g_, values_, sums_;
  NoiseGate gate_{0, 0.0}, of_differences_{0, 0.0};
  std::vector<std::int64_t> columns_with_close_pairs_;
  // A column j of V that couples with U's beyond: a number for Components' `is_unresolved`.
  std::vector<std::pair<std::int64_t, bool>> close_beyond_;
  double to_rotate_ = 0.0, largest_error_ = 0.0;
  bool is_all_noise_ = false;
};

/// With the host's types.
template <double_double T>
class SingularDevice : public SingularDeviceOfAny {
 public:
  using D = Leading<T>;

  SingularDevice(opencl::QueueState& queue, const DeviceView& a, const BlockedOptions& options,
                 std::vector<cl::Event> wait_list)
      : SingularDeviceOfAny(queue, precision_of<T>, a, options, std::move(wait_list)) {}

  /// U and V from LAPACK's singular vectors of A's leading words, which the host finds.
  void start() {
    Dense<D> a(rows(), columns());
    read_leading_words(words(a));
    Decomposition<D> start = native_decomposition<D>(lapack_threads, a, LeftVectors::whole);
    start_with(words(start.u), words(start.v));
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
  Dense<D> block(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) {
    Dense<D> t(std::ssize(left), std::ssize(right));
    read_block(left, right, words(t));
    return t;
  }

  void rotate(const std::vector<Cluster>& clusters, std::vector<Dense<D>>& all) {
    std::vector<Cluster> few;
    std::vector<T> z_of_few;
    blas::HostPlace<T> host(options());
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      if (std::ssize(clusters[c].members) > few_columns) {
        rotate_left(clusters[c].members, words(all[c]));
        rotate_right(clusters[c].members, words(all[c]));
        continue;
      }
      Dense<T> z(all[c], [](const D& d) { return T(d); });
      orthonormalise(host, z);
      z_of_few.insert(z_of_few.end(), z.view().data, z.view().data + z.rows() * z.columns());
      few.push_back(clusters[c]);
    }
    if (!few.empty()) rotate_few(few, z_of_few.data());
  }
  void rotate_sides(const std::vector<std::int64_t>& left, Dense<D> of_left, const std::vector<std::int64_t>& right,
                    Dense<D> of_right) {
    rotate_left(left, words(of_left));
    rotate_right(right, words(of_right));
  }

  /// On the host.
  int rotate_all() {
    Dense<T> a(rows(), columns());
    read_matrix(a.view().data);
    SingularHost<T> host(std::move(a), options());
    const int sweeps = host.rotate_all();
    write_vectors(host.u().view().data, host.v().view().data);
    return sweeps;
  }

  Dense<T> u() { return vectors().first; }
  Dense<T> v() { return vectors().second; }

 private:
  static double* words(Dense<D>& x) { return reinterpret_cast<double*>(x.view().data); }
  std::pair<Dense<T>, Dense<T>> vectors() {
    std::pair<Dense<T>, Dense<T>> both{Dense<T>(rows(), rows()), Dense<T>(columns(), columns())};
    read_vectors(both.first.view().data, both.second.view().data);
    return both;
  }
};

}  // namespace hilo::spectral
