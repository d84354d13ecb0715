#include "spectral/opencl/singular_device.hpp"

#include <algorithm>
#include <limits>

namespace hilo::spectral {
namespace {

using opencl::set_arguments;

constexpr const char* text = "spectral/sides.cl";
// As the kernels have them.
constexpr std::int64_t items = 128, tile = 16;
enum Line {
  of_alpha,
  of_beta,
  of_left,
  of_right,
  error,
  beyond_noise,
  far_beyond_noise,
  unresolved,
  close_pairs,
  to_rotate,
  close_beyond,
  to_rotate_beyond,
  lines
};
// Of marks that are read at a time.
constexpr std::int64_t most_marks = std::int64_t{1} << 26;

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

}  // namespace

SingularDeviceOfAny::SingularDeviceOfAny(opencl::QueueState& queue, Precision precision, const DeviceView& a,
                                         const BlockedOptions& options, std::vector<cl::Event> wait_list)
    : ColumnPlace(queue, precision, options, std::move(wait_list)), m_(a.rows), n_(a.columns), a_(a) {
  for (cl::Buffer* buffer : {&u_, &y_, &r_, &t_, &turned_}) *buffer = room(m_ * m_, "matrices of a decomposition");
  for (cl::Buffer* buffer : {&v_, &s_}) *buffer = room(n_ * n_, "matrices of a decomposition");
  f_ = call().borrow(m_ * m_ * bytes_of_double(), "corrections of singular vectors");
  g_ = call().borrow(n_ * n_ * bytes_of_double(), "corrections of singular vectors");
  values_ = call().borrow(16 * n_, "singular values");
  sums_ = call().borrow(8 * lines * m_, "sums of columns");
}

void SingularDeviceOfAny::write_values(const Values& values) {
  call().write(values_, 16 * values.size(), values.data());
}
void SingularDeviceOfAny::read_leading_words(double* a) {
  convert(a_.buffer, y_, 1, m_ * n_);
  call().read(y_, size(m_ * n_ * bytes_of_double()), a);
}
void SingularDeviceOfAny::read_matrix(void* a) {
  call().read(a_.buffer, size(m_ * n_ * element_bytes(precision())), a);
}
void SingularDeviceOfAny::read_vectors(void* u, void* v) {
  call().read(u_, size(m_ * m_ * element_bytes(precision())), u);
  call().read(v_, size(n_ * n_ * element_bytes(precision())), v);
}
void SingularDeviceOfAny::write_vectors(const void* u, const void* v) {
  call().write(u_, size(m_ * m_ * element_bytes(precision())), u);
  call().write(v_, size(n_ * n_ * element_bytes(precision())), v);
}
void SingularDeviceOfAny::start_with(const double* u, const double* v) {
  call().write(y_, size(m_ * m_ * bytes_of_double()), u);
  convert(y_, u_, 2, m_ * m_);
  call().write(t_, size(n_ * n_ * bytes_of_double()), v);
  convert(t_, v_, 2, n_ * n_);
}
void SingularDeviceOfAny::put_vectors(const std::vector<std::int64_t>& of_left, const DeviceView& u,
                                      const std::vector<std::int64_t>& of_right, const DeviceView& v) {
  put(of_u(), of_left, u);
  put(of_v(), of_right, v);
}

opencl::side_arguments SingularDeviceOfAny::sides() const {
  const auto limits = gate_.limits();
  return {.noise = limits.noise,
          .rotation = limits.rotation,
          .rotation_by_noise = limits.rotation_by_noise,
          .rotation_of_differences = of_differences_.limits().rotation_by_noise,
          .rows = m_,
          .columns = n_,
          .count = 0,
          .only_halves = 0,
          .has_labels = 0};
}

SingularDiagonals SingularDeviceOfAny::evaluate() {
  const DeviceView y = matrix_of(y_, m_, n_), t = matrix_of(t_, m_, n_);
  multiply_hermitian(of_u(), of_u(), matrix_of(r_, m_, m_), 1);
  multiply_hermitian(of_v(), of_v(), matrix_of(s_, n_, n_), 1);
  multiply(1, a_, of_v(), 0, y);
  multiply(1, of_u().turned(Op::conjugate_transpose), y, 0, t);
  {
    opencl::BorrowedKernel k = kernel("spectral/vectors.cl", "turn");
    set_arguments(k, t_, turned_, cl_long{m_}, cl_long{n_});
    call().launch(*k, cl::NDRange(size(round_up(m_, tile)), size(round_up(n_, tile))),
                  cl::NDRange(size(tile), size(tile)));
  }
  opencl::BorrowedKernel k = kernel(text, "take_diagonals");
  set_arguments(k, t_, r_, s_, sums_, sides());
  call().launch_over(*k, n_);
  Values all(size(3 * n_));
  call().read(sums_, 16 * all.size(), all.data());
  const auto at = [&](std::int64_t line) { return all.begin() + line * n_; };
  return {Values(at(0), at(1)), Values(at(1), at(2)), Values(at(2), at(3))};
}

Rest SingularDeviceOfAny::couple(const Values& values, const NoiseGate& gate, const NoiseGate& of_differences) {
  gate_ = gate;
  of_differences_ = of_differences;
  write_values(values);
  opencl::BorrowedKernel k = kernel(text, "sum_sides");
  set_arguments(k, t_, turned_, r_, s_, values_, sums_, sides());
  call().launch_groups(*k, m_, items);
  const std::vector<double> sums = read_sums(sums_, lines * m_);
  const auto at = [&](std::int64_t line) { return sums.begin() + line * m_; };
  const auto largest = [&](std::int64_t line) { return *std::max_element(at(line), at(line + 1)); };
  const auto sum = [&](std::int64_t line) { return std::accumulate(at(line), at(line + 1), 0.0); };
  is_all_noise_ = sum(far_beyond_noise) == 0.0 && sum(beyond_noise) <= static_cast<double>(n_ / 16);
  largest_error_ = sum(unresolved) > 0.0 ? std::numeric_limits<double>::infinity() : largest(error);
  to_rotate_ = sum(to_rotate) + sum(to_rotate_beyond);
  columns_with_close_pairs_.clear();
  close_beyond_.clear();
  for (std::int64_t j = 0; j < n_; ++j) {
    if (at(close_pairs)[j] > 0.0) columns_with_close_pairs_.push_back(j);
    if (at(close_beyond)[j] > 0.0) close_beyond_.emplace_back(j, at(to_rotate_beyond)[j] > 0.0);
  }
  return {std::max(largest(of_alpha), largest(of_beta)), std::max(largest(of_left), largest(of_right)), false};
}

// Close pairs matter where some of them are to be rotated.
Components SingularDeviceOfAny::components() {
  Components components(n_ + 1);
  if (!(to_rotate_ > 0.0)) return components;
  const std::int64_t all = std::ssize(columns_with_close_pairs_), at_once = std::max<std::int64_t>(most_marks / n_, 1);
  for (std::int64_t begin = 0; begin < all; begin += at_once) {
    const std::int64_t count = std::min(at_once, all - begin);
    const auto first = columns_with_close_pairs_.begin() + begin;
    const cl::Buffer chosen = written({first, first + count}, "columns with close pairs");
    opencl::Workspace marks = call().lend(count * n_, "marks of close pairs");
    opencl::side_arguments arguments = sides();
    arguments.count = count;
    opencl::BorrowedKernel k = kernel(text, "mark_sides");
    set_arguments(k, t_, turned_, r_, s_, values_, chosen, marks.buffer(), arguments);
    call().launch_over(*k, n_, count);
    std::vector<std::uint8_t> read(size(count * n_));
    call().read(marks.buffer(), read.size(), read.data());
    call().give_back(marks);
    for (std::int64_t c = 0; c < count; ++c) {
      const std::int64_t j = first[c];
      for (std::int64_t i = 0; i <= j; ++i) {
        const int mark = read[size(i + c * n_)];
        if (mark & 1) components.join(i, j, mark & 2);
        if (!(mark & 4)) continue;
        for (const std::int64_t l : {i, j}) components.join(l, n_, mark & 8);
      }
    }
  }
  for (const auto& [j, is_unresolved] : close_beyond_) components.join(j, n_, is_unresolved);
  return components;
}

void SingularDeviceOfAny::find_corrections(const std::vector<std::int64_t>& label, bool only_halves) {
  bool has_labels = false;
  for (std::int64_t i = 0; i < std::ssize(label); ++i) has_labels = has_labels || label[size(i)] != i;
  const cl::Buffer labels = has_labels ? written(label, "labels of clusters") : values_;
  opencl::side_arguments arguments = sides();
  arguments.only_halves = only_halves;
  arguments.has_labels = has_labels;
  opencl::BorrowedKernel k = kernel(text, "find_corrections");
  set_arguments(k, t_, turned_, r_, s_, values_, labels, f_, g_, sums_, arguments);
  call().launch_groups(*k, m_, items);
}

void SingularDeviceOfAny::correct() {
  const std::vector<double> largest = read_sums(sums_, 2 * m_);
  ColumnPlace::correct(of_u(), f_, *std::max_element(largest.begin(), largest.begin() + m_), t_, turned_);
  ColumnPlace::correct(of_v(), g_, *std::max_element(largest.begin() + m_, largest.end()), t_, turned_);
}

void SingularDeviceOfAny::read_blocks(const std::vector<Cluster>& clusters, double* blocks) {
  const std::vector<opencl::cluster_member> members = members_of(clusters);
  const cl::Buffer list = written(members);
  std::int64_t most = 0;
  for (const opencl::cluster_member& member : members) most = std::max<std::int64_t>(most, member.count);
  opencl::side_arguments arguments = sides();
  arguments.count = std::ssize(members);
  opencl::BorrowedKernel k = kernel(text, "take_blocks");
  set_arguments(k, t_, turned_, r_, s_, list, y_, arguments);
  call().launch_over(*k, most, std::ssize(members));
  call().read(y_, size((members.back().offset + members.back().count) * bytes_of_double()), blocks);
}

void SingularDeviceOfAny::read_block(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right,
                                     double* block) {
  const std::int64_t rows = std::ssize(left), columns = std::ssize(right);
  opencl::side_arguments arguments = sides();
  arguments.count = columns;
  opencl::BorrowedKernel k = kernel(text, "take_block");
  set_arguments(k, t_, written(left, "rows of a block"), written(right, "columns of a block"), y_, cl_long{rows},
                arguments);
  call().launch_over(*k, rows, columns);
  call().read(y_, size(rows * columns * bytes_of_double()), block);
}

SingularNorms SingularDeviceOfAny::norms(const Values& values) {
  write_values(values);
  opencl::BorrowedKernel k = kernel(text, "sum_squares");
  set_arguments(k, y_, u_, r_, s_, values_, sums_, sides());
  call().launch_groups(*k, n_, items);
  const std::vector<double> sums = read_sums(sums_, 3 * n_);
  const auto norm = [&](std::int64_t line) {
    return std::sqrt(std::accumulate(sums.begin() + line * n_, sums.begin() + (line + 1) * n_, 0.0));
  };
  return {norm(0), norm(1), norm(2)};
}

}  // namespace hilo::spectral
