#include "spectral/opencl/hermitian_device.hpp"

#include <algorithm>
#include <limits>

#include "opencl/program.hpp"

namespace hilo::spectral {
namespace {

using opencl::define;
using opencl::set_arguments;

constexpr const char* pairs_text = "spectral/pairs.cl";
constexpr const char* vectors_text = "spectral/vectors.cl";
// As the kernels have them.
constexpr std::int64_t items = 256, tile = 16, sums_of_pairs = 6;
// Of marks that are read at a time.
constexpr std::int64_t most_marks = std::int64_t{1} << 26;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

}  // namespace

HermitianDeviceOfAny::HermitianDeviceOfAny(solver::DeviceMatrix& matrix, Precision precision,
                                           const BlockedOptions& options)
    : DevicePlace(matrix.queue(), precision, classic(options), matrix.pending()),
      n_(matrix.order()),
      options_(classic(options)),
      a_(matrix.entries()) {
  const std::int64_t bytes = n_ * n_ * element_bytes(precision);
  for (cl::Buffer* buffer : {&x_, &y_, &r_, &s_}) *buffer = call().borrow(bytes, "matrices of an eigenproblem");
  e_ = call().borrow(bytes / 2, "corrections of eigenvectors");
  values_ = call().borrow(16 * n_, "eigenvalues");
  sums_ = call().borrow(8 * sums_of_pairs * n_, "sums of columns");
}

void HermitianDeviceOfAny::read(const cl::Buffer& from, std::int64_t bytes_of_element, void* to) {
  call().read(from, size(n_ * n_ * bytes_of_element), to);
}
std::vector<double> HermitianDeviceOfAny::read_sums(std::int64_t count) {
  std::vector<double> sums(size(count * n_));
  call().read(sums_, 8 * sums.size(), sums.data());
  return sums;
}
void HermitianDeviceOfAny::write_values(const Values& values) {
  call().write(values_, 16 * values.size(), values.data());
}
void HermitianDeviceOfAny::write_vectors(const void* x) {
  call().write(x_, size(n_ * n_ * element_bytes(precision())), x);
}
cl::Buffer HermitianDeviceOfAny::written(const std::vector<std::int64_t>& numbers, const char* what) {
  const std::vector<cl_int> narrow(numbers.begin(), numbers.end());
  cl::Buffer buffer = call().borrow(std::max<std::int64_t>(4 * std::ssize(narrow), 4), what);
  if (!narrow.empty()) call().write(buffer, 4 * narrow.size(), narrow.data());
  return buffer;
}

void HermitianDeviceOfAny::convert(const cl::Buffer& from, const cl::Buffer& to, int to_words, std::int64_t elements) {
  const std::int64_t count = elements * precisions::parts(precision());
  opencl::BorrowedKernel k =
      kernel("solve/convert.cl", "convert", define("FROM_WORDS", 3 - to_words) + define("TO_WORDS", to_words));
  set_arguments(k, from, to, cl_long{count});
  call().launch_over(*k, count);
}

void HermitianDeviceOfAny::read_leading_words(double* a) {
  convert(a_, y_, 1, n_ * n_);
  read(y_, bytes_of_double(), a);
}
void HermitianDeviceOfAny::start_with(const double* x) {
  call().write(y_, size(n_ * n_ * bytes_of_double()), x);
  convert(y_, x_, 2, n_ * n_);
}

void HermitianDeviceOfAny::multiply_hermitian(const DeviceView& x, const DeviceView& y, const DeviceView& c,
                                              int defect) {
  blas::multiply_to_triangle(*this, Uplo::lower, blas::Symmetry::hermitian, 1, x.turned(Op::conjugate_transpose), y, 0,
                             c);
  opencl::BorrowedKernel k = kernel(vectors_text, "complete");
  set_arguments(k, c.buffer, cl_long{c.rows}, cl_int{defect});
  const std::size_t padded = size(round_up(c.rows, tile));
  call().launch(*k, cl::NDRange(padded, padded), cl::NDRange(size(tile), size(tile)));
}

std::pair<HermitianDeviceOfAny::Values, HermitianDeviceOfAny::Values> HermitianDeviceOfAny::evaluate() {
  const DeviceView a = matrix_of(a_, n_), x = matrix_of(x_, n_), y = matrix_of(y_, n_);
  multiply_hermitian(x, x, matrix_of(r_, n_), 1);
  multiply(1, a, x, 0, y);
  multiply_hermitian(x, y, matrix_of(s_, n_), 0);
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

void HermitianDeviceOfAny::add(const char* name, const cl::Buffer& change) {
  const std::int64_t count = n_ * n_ * precisions::parts(precision());
  opencl::BorrowedKernel k = kernel(vectors_text, name);
  set_arguments(k, x_, change, cl_long{count});
  call().launch_over(*k, count);
}

// In the memory of Y and S, which the next step computes anew.
void HermitianDeviceOfAny::correct() {
  const std::vector<double> largest = read_sums(1);
  const DeviceView x = matrix_of(x_, n_), y = matrix_of(y_, n_), s = matrix_of(s_, n_);
  if (*std::max_element(largest.begin(), largest.end()) <= largest_by_doubles) {
    convert(x_, y_, 1, n_ * n_);
    DevicePlace in_double(call().queue(), is_complex(precision()) ? Precision::z : Precision::d,
                          solver::options_of_double(options_), call().pending());
    in_double.multiply(1, y, matrix_of(e_, n_), 0, s);
    call().include(cl::Event(in_double.finish().native(), true));
    add("add_doubles", s_);
  } else {
    convert(e_, s_, 2, n_ * n_);
    multiply(1, x, s, 0, y);
    add("add_numbers", y_);
  }
}

void HermitianDeviceOfAny::read_blocks(const std::vector<Cluster>& clusters, double* blocks) {
  std::vector<opencl::cluster_member> members;
  std::int64_t offset = 0, most = 0;
  for (const Cluster& cluster : clusters) {
    const std::int64_t first = std::ssize(members), count = std::ssize(cluster.members);
    most = std::max(most, count);
    for (const std::int64_t column : cluster.members) {
      members.push_back({.hi = cluster.middle.hi,
                         .lo = cluster.middle.lo,
                         .offset = offset,
                         .column = opencl::narrow(column),
                         .first = opencl::narrow(first),
                         .count = opencl::narrow(count),
                         .spare = 0});
      offset += count;
    }
  }
  const cl::Buffer list =
      call().borrow(static_cast<std::int64_t>(sizeof(members[0])) * std::ssize(members), "members of clusters");
  call().write(list, sizeof(members[0]) * members.size(), members.data());
  opencl::pair_arguments arguments = pairs();
  arguments.count = std::ssize(members);
  opencl::BorrowedKernel k = kernel(pairs_text, "take_blocks");
  set_arguments(k, s_, r_, list, y_, arguments);
  call().launch_over(*k, most, std::ssize(members));
  call().read(y_, size(offset * bytes_of_double()), blocks);
}

void HermitianDeviceOfAny::rotate_few(const std::vector<const Cluster*>& clusters, const void* z) {
  std::vector<opencl::cluster_member> members;
  std::vector<std::int64_t> starts;
  std::int64_t offset = 0;
  for (const Cluster* cluster : clusters) {
    const std::int64_t first = std::ssize(members), count = std::ssize(cluster->members);
    starts.push_back(first);
    for (const std::int64_t column : cluster->members) {
      members.push_back({.hi = 0.0,
                         .lo = 0.0,
                         .offset = offset,
                         .column = opencl::narrow(column),
                         .first = opencl::narrow(first),
                         .count = opencl::narrow(count),
                         .spare = 0});
      offset += count;
    }
  }
  const cl::Buffer list =
      call().borrow(static_cast<std::int64_t>(sizeof(members[0])) * std::ssize(members), "members of clusters");
  call().write(list, sizeof(members[0]) * members.size(), members.data());
  const cl::Buffer of_clusters = written(starts, "clusters");
  const std::int64_t bytes = offset * element_bytes(precision());
  const cl::Buffer rotations = call().borrow(bytes, "rotations of clusters");
  call().write(rotations, size(bytes), z);
  opencl::BorrowedKernel k = kernel(vectors_text, "rotate_few");
  set_arguments(k, x_, list, of_clusters, rotations, cl_long{n_}, cl_long{std::ssize(clusters)});
  call().launch_over(*k, n_, std::ssize(clusters));
}

// In the memory of R, S and Y. Z += Z (I − Zᴴ Z) / 2.
void HermitianDeviceOfAny::rotate_many(const Cluster& cluster, const double* z) {
  const std::int64_t count = std::ssize(cluster.members), elements = count * count;
  const cl::Buffer chosen = written(cluster.members, "members of a cluster");
  call().write(e_, size(elements * bytes_of_double()), z);
  convert(e_, r_, 2, elements);
  convert(e_, y_, 2, elements);
  const DeviceView of_z = square_of(r_, count), half = square_of(s_, count), before = square_of(y_, count);
  multiply_hermitian(of_z, of_z, half, 2);
  multiply(1, before, half, 1, of_z);
  move_columns("gather_columns", x_, chosen, s_, count);
  multiply(1, matrix_of(s_, count), of_z, 0, matrix_of(y_, count));
  move_columns("scatter_columns", y_, chosen, x_, count);
}

void HermitianDeviceOfAny::move_columns(const char* name, const cl::Buffer& from, const cl::Buffer& chosen,
                                        const cl::Buffer& to, std::int64_t count) {
  opencl::BorrowedKernel k = kernel(vectors_text, name);
  set_arguments(k, from, chosen, to, cl_long{n_}, cl_long{count});
  call().launch_over(*k, n_, count);
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

void HermitianDeviceOfAny::put_vectors(const std::vector<std::int64_t>& order, const DeviceView& to) {
  const cl::Buffer chosen = written(order, "the order of eigenvalues");
  const DeviceView x = matrix_of(x_, n_);
  opencl::BorrowedKernel k = kernel(vectors_text, "put_columns");
  set_arguments(k, x_, chosen, to.buffer, copy_of(x, to, 0));
  call().launch_over(*k, n_, n_);
}

}  // namespace hilo::spectral
