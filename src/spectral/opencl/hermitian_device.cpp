#include "spectral/opencl/hermitian_device.hpp"

#include <algorithm>
#include <limits>

namespace hilo::spectral {
namespace {

using opencl::set_arguments;

constexpr const char* pairs_text = "spectral/pairs.cl";
constexpr const char* vectors_text = "spectral/vectors.cl";
// As the kernels have them.
constexpr std::int64_t items = 256, sums_of_pairs = 6;
// Of marks that are read at a time.
constexpr std::int64_t most_marks = std::int64_t{1} << 26;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

}  // namespace

HermitianDeviceOfAny::HermitianDeviceOfAny(solver::DeviceMatrix& matrix, Precision precision,
                                           const BlockedOptions& options)
    : ColumnPlace(matrix.queue(), precision, options, matrix.pending()), n_(matrix.order()), a_(matrix.entries()) {
  const std::int64_t bytes = n_ * n_ * element_bytes(precision);
  for (cl::Buffer* buffer : {&x_, &y_, &r_, &s_}) *buffer = call().borrow(bytes, "matrices of an eigenproblem");
  e_ = call().borrow(bytes / 2, "corrections of eigenvectors");
  values_ = call().borrow(16 * n_, "eigenvalues");
  sums_ = call().borrow(8 * sums_of_pairs * n_, "sums of columns");
}

void HermitianDeviceOfAny::read(const cl::Buffer& from, std::int64_t bytes_of_element, void* to) {
  call().read(from, size(n_ * n_ * bytes_of_element), to);
}
void HermitianDeviceOfAny::write_values(const Values& values) {
  call().write(values_, 16 * values.size(), values.data());
}
void HermitianDeviceOfAny::write_vectors(const void* x) {
  call().write(x_, size(n_ * n_ * element_bytes(precision())), x);
}
void HermitianDeviceOfAny::read_leading_words(double* a) {
  convert(a_, y_, 1, n_ * n_);
  read(y_, bytes_of_double(), a);
}
void HermitianDeviceOfAny::start_with(const double* x) {
  call().write(y_, size(n_ * n_ * bytes_of_double()), x);
  convert(y_, x_, 2, n_ * n_);
}

std::pair<HermitianDeviceOfAny::Values, HermitianDeviceOfAny::Values> HermitianDeviceOfAny::evaluate() {
  const DeviceView a = square_of(a_), x = square_of(x_), y = square_of(y_);
  multiply_hermitian(x, x, square_of(r_), 1);
  multiply(1, a, x, 0, y);
  multiply_hermitian(x, y, square_of(s_), 0);
  opencl::BorrowedKernel k = kernel(vectors_text, "take_diagonals");
  set_arguments(k, s_, r_, sums_, cl_long{n_});
  call().launch_over(*k, n_);
  Values both(size(2 * n_));
  call().read(sums_, 16 * both.size(), both.data());
  return {Values(both.begin(), both.begin() + n_), Values(both.begin() + n_, both.end())};
}

opencl::pair_arguments HermitianDeviceOfAny::pairs() const {
  const auto limits = gate_.limits();
  return {.noise = limits.noise,
          .rotation = limits.rotation,
          .rotation_by_noise = limits.rotation_by_noise,
          .harmless_rotation = limits.harmless_rotation,
          .order = n_,
          .count = 0,
          .only_halves = 0,
          .has_labels = 0};
}

Rest HermitianDeviceOfAny::couple(const Values& values, const NoiseGate& gate) {
  gate_ = gate;
  write_values(values);
  opencl::BorrowedKernel k = kernel(pairs_text, "sum_couplings");
  set_arguments(k, s_, r_, values_, sums_, pairs());
  call().launch_groups(*k, n_, items);
  const std::vector<double> sums = read_sums(sums_of_pairs);
  const auto largest = [&](std::int64_t line) {
    return *std::max_element(sums.begin() + line * n_, sums.begin() + (line + 1) * n_);
  };
  pairs_beyond_noise_ = largest(3);
  unresolved_pairs_ = largest(4);
  largest_error_ = unresolved_pairs_ > 0.0 ? std::numeric_limits<double>::infinity() : largest(2);
  columns_with_close_pairs_.clear();
  for (std::int64_t j = 0; j < n_; ++j) {
    if (sums[size(5 * n_ + j)] > 0.0) columns_with_close_pairs_.push_back(j);
  }
  return {largest(0), largest(1), false};
}

// Close pairs matter where some of them are unresolved.
Components HermitianDeviceOfAny::components() {
  Components components(n_);
  if (!(unresolved_pairs_ > 0.0)) return components;
  const std::int64_t all = std::ssize(columns_with_close_pairs_), at_once = std::max<std::int64_t>(most_marks / n_, 1);
  for (std::int64_t begin = 0; begin < all; begin += at_once) {
    const std::int64_t count = std::min(at_once, all - begin);
    const auto first = columns_with_close_pairs_.begin() + begin;
    const cl::Buffer chosen = written({first, first + count}, "columns with close pairs");
    opencl::Workspace marks = call().lend(count * n_, "marks of close pairs");
    opencl::pair_arguments arguments = pairs();
    arguments.count = count;
    opencl::BorrowedKernel k = kernel(pairs_text, "mark_pairs");
    set_arguments(k, s_, r_, values_, chosen, marks.buffer(), arguments);
    call().launch_over(*k, n_, count);
    std::vector<std::uint8_t> read(size(count * n_));
    call().read(marks.buffer(), read.size(), read.data());
    call().give_back(marks);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t j = first[c];
      for (std::int64_t i = 0; i < j; ++i) {
        if (const std::uint8_t mark = read[size(i + c * n_)]) components.join(i, j, mark == 2);
      }
    }
  }
  return components;
}

void HermitianDeviceOfAny::find_corrections(const std::vector<std::int64_t>& label, bool only_halves) {
  bool has_labels = false;
  for (std::int64_t i = 0; i < std::ssize(label); ++i) has_labels = has_labels || label[size(i)] != i;
  const cl::Buffer labels = has_labels ? written(label, "labels of clusters") : sums_;
  opencl::pair_arguments arguments = pairs();
  arguments.only_halves = only_halves;
  arguments.has_labels = has_labels;
  opencl::BorrowedKernel k = kernel(pairs_text, "find_corrections");
  set_arguments(k, s_, r_, values_, labels, e_, sums_, arguments);
  call().launch_groups(*k, n_, items);
}

// In the memory of Y and S, which the next step computes anew.
void HermitianDeviceOfAny::correct() {
  const std::vector<double> largest = read_sums(1);
  ColumnPlace::correct(square_of(x_), e_, *std::max_element(largest.begin(), largest.end()), y_, s_);
}

void HermitianDeviceOfAny::read_blocks(const std::vector<Cluster>& clusters, double* blocks) {
  const std::vector<opencl::cluster_member> members = members_of(clusters);
  const cl::Buffer list = written(members);
  std::int64_t most = 0;
  for (const opencl::cluster_member& member : members) most = std::max<std::int64_t>(most, member.count);
  opencl::pair_arguments arguments = pairs();
  arguments.count = std::ssize(members);
  opencl::BorrowedKernel k = kernel(pairs_text, "take_blocks");
  set_arguments(k, s_, r_, list, y_, arguments);
  call().launch_over(*k, most, std::ssize(members));
  call().read(y_, size((members.back().offset + members.back().count) * bytes_of_double()), blocks);
}

std::pair<double, double> HermitianDeviceOfAny::norms(const Values& values) {
  write_values(values);
  opencl::BorrowedKernel k = kernel(vectors_text, "sum_squares");
  set_arguments(k, y_, x_, r_, values_, sums_, cl_long{n_});
  call().launch_groups(*k, n_, items);
  const std::vector<double> sums = read_sums(2);
  double residual = 0.0, defect = 0.0;
  for (std::int64_t j = 0; j < n_; ++j) {
    residual += sums[size(j)];
    defect += sums[size(n_ + j)];
  }
  return {std::sqrt(residual), std::sqrt(defect)};
}

}  // namespace hilo::spectral
