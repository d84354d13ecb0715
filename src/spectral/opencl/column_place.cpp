#include "spectral/opencl/column_place.hpp"

#include <algorithm>

#include "opencl/program.hpp"

namespace hilo::spectral {
namespace {

using opencl::define;
using opencl::set_arguments;

constexpr const char* text = "spectral/vectors.cl";
constexpr std::int64_t tile = 16;  // as the kernel has it

std::size_t size(std::int64_t x) { return static_cast<std::size_t>(x); }

}  // namespace

ColumnPlace::ColumnPlace(opencl::QueueState& queue, Precision precision, const BlockedOptions& options,
                         std::vector<cl::Event> wait_list)
    : DevicePlace(queue, precision, classic(options), std::move(wait_list)), options_(classic(options)) {}

std::vector<double> ColumnPlace::read_sums(const cl::Buffer& sums, std::int64_t count) {
  std::vector<double> read(size(count));
  call().read(sums, 8 * read.size(), read.data());
  return read;
}
cl::Buffer ColumnPlace::written(const std::vector<std::int64_t>& numbers, const char* what) {
  const std::vector<cl_int> narrow(numbers.begin(), numbers.end());
  cl::Buffer buffer = call().borrow(std::max<std::int64_t>(4 * std::ssize(narrow), 4), what);
  if (!narrow.empty()) call().write(buffer, 4 * narrow.size(), narrow.data());
  return buffer;
}
cl::Buffer ColumnPlace::written(const std::vector<opencl::cluster_member>& members) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(opencl::cluster_member));
  cl::Buffer buffer = call().borrow(bytes * std::ssize(members), "members of clusters");
  call().write(buffer, size(bytes * std::ssize(members)), members.data());
  return buffer;
}

std::vector<opencl::cluster_member> ColumnPlace::members_of(const std::vector<Cluster>& clusters) {
  std::vector<opencl::cluster_member> members;
  std::int64_t offset = 0;
  for (const Cluster& cluster : clusters) {
    const std::int64_t first = std::ssize(members), count = std::ssize(cluster.members);
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
  return members;
}

void ColumnPlace::convert(const cl::Buffer& from, const cl::Buffer& to, int to_words, std::int64_t elements) {
  const std::int64_t count = elements * precisions::parts(precision());
  opencl::BorrowedKernel k =
      kernel("solve/convert.cl", "convert", define("FROM_WORDS", 3 - to_words) + define("TO_WORDS", to_words));
  set_arguments(k, from, to, cl_long{count});
  call().launch_over(*k, count);
}

void ColumnPlace::multiply_hermitian(const DeviceView& x, const DeviceView& y, const DeviceView& c, int defect) {
  blas::multiply_to_triangle(*this, Uplo::lower, blas::Symmetry::hermitian, 1, x.turned(Op::conjugate_transpose), y, 0,
                             c);
  opencl::BorrowedKernel k = kernel(text, "complete");
  set_arguments(k, c.buffer, cl_long{c.rows}, cl_int{defect});
  const std::size_t padded = size(round_up(c.rows, tile));
  call().launch(*k, cl::NDRange(padded, padded), cl::NDRange(size(tile), size(tile)));
}

void ColumnPlace::add(const char* name, const cl::Buffer& x, const cl::Buffer& change, std::int64_t elements) {
  const std::int64_t count = elements * precisions::parts(precision());
  opencl::BorrowedKernel k = kernel(text, name);
  set_arguments(k, x, change, cl_long{count});
  call().launch_over(*k, count);
}

void ColumnPlace::correct(const DeviceView& x, const cl::Buffer& e, double largest, const cl::Buffer& one,
                          const cl::Buffer& other) {
  const std::int64_t n = x.columns, elements = x.rows * n;
  if (largest <= largest_by_doubles) {
    convert(x.buffer, one, 1, elements);
    DevicePlace in_double(call().queue(), is_complex(precision()) ? Precision::z : Precision::d,
                          solver::options_of_double(options_), call().pending());
    in_double.multiply(1, matrix_of(one, x.rows, n), matrix_of(e, n, n), 0, matrix_of(other, x.rows, n));
    call().include(cl::Event(in_double.finish().native(), true));
    add("add_doubles", x.buffer, other, elements);
  } else {
    convert(e, one, 2, n * n);
    multiply(1, x, matrix_of(one, n, n), 0, matrix_of(other, x.rows, n));
    add("add_numbers", x.buffer, other, elements);
  }
}

void ColumnPlace::rotate_few(const DeviceView& x, const std::vector<Cluster>& clusters, const void* z) {
  std::vector<std::int64_t> starts;
  const std::vector<opencl::cluster_member> members = members_of(clusters);
  for (std::int64_t first = 0; first < std::ssize(members); first += members[size(first)].count) {
    starts.push_back(first);
  }
  const std::int64_t elements = members.back().offset + members.back().count;
  const cl::Buffer list = written(members), of_clusters = written(starts, "clusters");
  const cl::Buffer rotations = room(elements, "rotations of clusters");
  call().write(rotations, size(elements * element_bytes(precision())), z);
  opencl::BorrowedKernel k = kernel(text, "rotate_few");
  set_arguments(k, x.buffer, list, of_clusters, rotations, cl_long{x.rows}, cl_long{std::ssize(clusters)});
  call().launch_over(*k, x.rows, std::ssize(clusters));
}

// Z += Z (I − Zᴴ Z) / 2.
void ColumnPlace::rotate_many(const DeviceView& x, const std::vector<std::int64_t>& columns, const double* z,
                              const Scratch& scratch) {
  const std::int64_t count = std::ssize(columns), elements = count * count;
  const cl::Buffer chosen = written(columns, "members of a cluster");
  call().write(scratch.doubles, size(elements * bytes_of_double()), z);
  convert(scratch.doubles, scratch.one, 2, elements);
  convert(scratch.doubles, scratch.third, 2, elements);
  const DeviceView of_z = matrix_of(scratch.one, count, count), half = matrix_of(scratch.other, count, count);
  multiply_hermitian(of_z, of_z, half, 2);
  multiply(1, matrix_of(scratch.third, count, count), half, 1, of_z);
  move_columns("gather_columns", x.buffer, chosen, scratch.other, x.rows, count);
  multiply(1, matrix_of(scratch.other, x.rows, count), of_z, 0, matrix_of(scratch.third, x.rows, count));
  move_columns("scatter_columns", scratch.third, chosen, x.buffer, x.rows, count);
}

void ColumnPlace::move_columns(const char* name, const cl::Buffer& from, const cl::Buffer& chosen, const cl::Buffer& to,
                               std::int64_t rows, std::int64_t count) {
  opencl::BorrowedKernel k = kernel(text, name);
  set_arguments(k, from, chosen, to, cl_long{rows}, cl_long{count});
  call().launch_over(*k, rows, count);
}

void ColumnPlace::put(const DeviceView& x, const std::vector<std::int64_t>& order, const DeviceView& to) {
  const cl::Buffer chosen = written(order, "the order of values");
  opencl::BorrowedKernel k = kernel(text, "put_columns");
  set_arguments(k, x.buffer, chosen, to.buffer, copy_of(x, to, 0));
  call().launch_over(*k, to.rows, to.columns);
}

}  // namespace hilo::spectral
