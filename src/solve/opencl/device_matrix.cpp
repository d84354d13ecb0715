#include "solve/opencl/device_matrix.hpp"

#include <algorithm>

#include "opencl/program.hpp"
#include "opencl/self_test.hpp"

namespace hilo::solver {
namespace {

using opencl::define;
using opencl::narrow;
using opencl::set_arguments;

// As the kernels have them.
constexpr std::int64_t lines_of_group = 128, rows_of_group = 32;
constexpr std::int64_t terms_of_chunk = 256;

cl::NDRange items(std::int64_t groups, std::int64_t of_group, std::int64_t others = 1) {
  return {static_cast<std::size_t>(groups * of_group), static_cast<std::size_t>(others)};
}

constexpr std::size_t doubles(std::int64_t count) { return 8 * static_cast<std::size_t>(count); }

Part turned(Part part) { return part == Part::lower ? Part::upper : part == Part::upper ? Part::lower : part; }

}  // namespace

DeviceMatrix::DeviceMatrix(opencl::QueueState& queue, Precision given, DeviceView a, Part part,
                           const BlockedOptions& options, std::vector<cl::Event> wait_list)
    : call_(queue, std::move(wait_list)), given_(given), a_(std::move(a)), part_(part) {
  const DeviceInfo& device = queue.context->info;
  if (!device.fp64) {
    throw error(errc::unsupported,
                "device " + device.name + " has no double precision (cl_khr_fp64), which refinement needs");
  }
  const Fma fma = options.engine == Engine::reproducible ? Fma::on : options.fma;
  fma_ = fma == Fma::automatic ? device.fma : fma == Fma::on;
  opencl::require_self_test(*queue.context, 1);
}

Precision DeviceMatrix::exact() const {
  return is_single(given_) ? is_complex(given_) ? Precision::z : Precision::d : given_;
}

opencl::BorrowedKernel DeviceMatrix::kernel(const char* text, const char* name, Precision precision,
                                            const std::string& options) {
  const std::string all = define("IS_DOUBLE_DOUBLE", is_double_double(precision)) +
                          define("IS_COMPLEX", is_complex(precision)) + define("WORD_BYTES", word_bytes(precision)) +
                          define("HILO_FMA", fma_) + options;
  return call_.kernel(call_.context().programs.get(call_.context(), opencl::ProgramRecipe{text, text, all}), name);
}

std::vector<double> DeviceMatrix::read(const cl::Buffer& buffer, std::int64_t count) {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  if (count > 0) call_.read(buffer, doubles(count), numbers.data());
  return numbers;
}

cl::Buffer DeviceMatrix::written(const std::vector<int>& numbers, const char* what) {
  const std::size_t bytes = 4 * numbers.size();
  cl::Buffer buffer = call_.borrow(std::max<std::int64_t>(static_cast<std::int64_t>(bytes), 4), what);
  if (bytes > 0) call_.write(buffer, bytes, numbers.data());
  return buffer;
}

std::vector<double> DeviceMatrix::largest_of_lines(Precision precision, const DeviceView& a, Part part,
                                                   bool has_real_diagonal, const std::vector<int>* exponents) {
  constexpr const char* text = "solve/largest.cl";
  const std::int64_t lines = a.rows, terms = a.columns;
  if (lines == 0 || terms == 0) return std::vector<double>(static_cast<std::size_t>(lines));
  const opencl::largest_arguments arguments{.a = view_of(a),
                                            .lines = lines,
                                            .terms = terms,
                                            .chunk = terms_of_chunk,
                                            .part = static_cast<cl_int>(part),
                                            .has_real_diagonal = has_real_diagonal,
                                            .has_exponents = exponents != nullptr,
                                            .spare = 0};
  const std::int64_t chunks = blocks(terms, terms_of_chunk);
  const bool has_lines_side_by_side = a.row_stride <= a.column_stride;
  opencl::Workspace memory =
      call_.lend(static_cast<std::int64_t>(doubles(lines * (has_lines_side_by_side ? chunks : 1))), "largest entries");
  opencl::Workspace all = call_.lend(static_cast<std::int64_t>(doubles(lines)), "largest entries of lines");
  const cl::Buffer powers = exponents ? written(*exponents, "exponents") : memory.buffer();
  if (has_lines_side_by_side) {
    opencl::BorrowedKernel k = kernel(text, "largest_of_chunks", precision);
    set_arguments(k, a.buffer, powers, memory.buffer(), arguments);
    call_.launch(*k, items(blocks(lines, lines_of_group), lines_of_group, chunks), items(1, lines_of_group));
    opencl::BorrowedKernel last = kernel(text, "largest_of_all", precision);
    set_arguments(last, memory.buffer(), all.buffer(), arguments);
    call_.launch_groups(*last, blocks(lines, lines_of_group), lines_of_group);
  } else {
    opencl::BorrowedKernel k = kernel(text, "largest_of_lines", precision);
    set_arguments(k, a.buffer, powers, all.buffer(), arguments);
    call_.launch_groups(*k, lines, lines_of_group);
  }
  std::vector<double> largest = read(all.buffer(), lines);
  call_.give_back(memory);
  call_.give_back(all);
  return largest;
}

std::vector<double> DeviceMatrix::largest_of_rows() {
  return largest_of_lines(given_, a_, part_, part_ != Part::all, nullptr);
}
std::vector<double> DeviceMatrix::largest_of_columns(const std::vector<int>* exponents) {
  return largest_of_lines(given_, a_.turned(Op::transpose), turned(part_), part_ != Part::all, exponents);
}
std::vector<double> DeviceMatrix::column(std::int64_t j) {
  std::vector<double> sizes = largest_of_lines(given_, a_.sub(0, j, a_.rows, 1), Part::all, false, nullptr);
  if (part_ == Part::all) return sizes;
  // What is beside the triangle, and imaginary parts of the diagonal, may be anything.
  for (std::int64_t i = 0; i < a_.rows; ++i) {
    if (part_ == Part::lower ? i < j : i > j) sizes[static_cast<std::size_t>(i)] = 0.0;
  }
  sizes[static_cast<std::size_t>(j)] = diagonal()[static_cast<std::size_t>(j)];
  return sizes;
}
std::vector<double> DeviceMatrix::diagonal() {
  // As rows of one entry each.
  DeviceView entries = a_;
  entries.columns = 1;
  entries.row_stride += a_.column_stride;
  if (!is_complex(given_)) return largest_of_lines(given_, entries, Part::all, false, nullptr);
  // The real parts of Hermitian matrices alone: entries of a matrix of parts.
  entries.offset *= 2;
  entries.row_stride *= 2;
  return largest_of_lines(real_precision(given_), entries, Part::all, false, nullptr);
}

void DeviceMatrix::copy(const DeviceView& from, const DeviceView& to) {
  opencl::BorrowedKernel k = kernel("blas/copies.cl", "copy_matrix", given_);
  set_arguments(k, from.buffer, to.buffer,
                opencl::copy_arguments{.from = view_of(from),
                                       .to = view_of(to),
                                       .rows = narrow(to.rows),
                                       .columns = narrow(to.columns),
                                       .first = 0,
                                       .is_upper = 0,
                                       .is_hermitian = 0,
                                       .fills = 0});
  call_.launch_over(*k, to.rows, to.columns);
}

void DeviceMatrix::read_columns(const DeviceView& from, void* to) {
  const std::int64_t bytes = from.rows * from.columns * element_bytes(given_);
  opencl::Workspace between = call_.lend(bytes, "right-hand sides");
  copy(from, {between.buffer(), 0, from.rows, from.columns, 1, from.rows});
  call_.read(between.buffer(), static_cast<std::size_t>(bytes), to);
  call_.give_back(between);
}
void DeviceMatrix::write_columns(const void* from, const DeviceView& to) {
  const std::int64_t bytes = to.rows * to.columns * element_bytes(given_);
  const cl::Buffer between = call_.borrow(bytes, "solutions");
  call_.write(between, static_cast<std::size_t>(bytes), from);
  copy({between, 0, to.rows, to.columns, 1, to.rows}, to);
}

void DeviceMatrix::take(const Scaling& scaling) {
  const std::int64_t n = order();
  entries_ = call_.borrow(n * n * element_bytes(exact()), "a scaled matrix");
  opencl::BorrowedKernel k = kernel("solve/take.cl", "take_matrix", given_);
  set_arguments(k, a_.buffer, written(scaling.rows, "exponents"), written(scaling.columns, "exponents"), entries_,
                opencl::take_arguments{.a = view_of(a_), .order = n, .part = static_cast<cl_long>(part_)});
  call_.launch_over(*k, n, n);
}

double DeviceMatrix::norm_of_upper_triangle(Precision precision, const cl::Buffer& a) {
  const std::vector<double> ones(static_cast<std::size_t>(order()), 1.0);
  const std::vector<double> sums = sums_of_sizes(precision, a, ones, true);
  return *std::max_element(sums.begin(), sums.end());
}

std::vector<double> DeviceMatrix::sums_of_sizes(Precision precision, const cl::Buffer& a, const std::vector<double>& y,
                                                bool is_upper) {
  const std::int64_t n = order();
  if (!sizes_()) sizes_ = call_.borrow(static_cast<std::int64_t>(doubles(n)), "sizes");
  if (!sums_()) sums_ = call_.borrow(static_cast<std::int64_t>(doubles(n)), "sums of sizes");
  call_.write(sizes_, doubles(n), y.data());
  opencl::BorrowedKernel k = kernel("solve/residual.cl", "sum_sizes", precision, define("WORDS", 2));
  set_arguments(k, a, sizes_, sums_,
                opencl::residual_arguments{.order = n, .pitch = 0, .has_rest = 0, .is_upper = is_upper});
  call_.launch_groups(*k, blocks(n, rows_of_group), rows_of_group);
  return read(sums_, n);
}

std::vector<double> DeviceMatrix::residuals(int words, const std::vector<double>& vectors, std::int64_t pitch,
                                            bool has_rest) {
  const std::int64_t n = order(), parts = precisions::parts(exact()), line = 2 * parts * pitch;
  const std::int64_t count = std::ssize(vectors) / (line * (has_rest ? 3 : 2));
  opencl::Workspace given =
      call_.lend(static_cast<std::int64_t>(doubles(std::ssize(vectors))), "vectors of a residual");
  opencl::Workspace found = call_.lend(static_cast<std::int64_t>(doubles(count * line)), "residuals");
  call_.write(given.buffer(), doubles(std::ssize(vectors)), vectors.data());
  opencl::BorrowedKernel k = kernel("solve/residual.cl", "residual", exact(), define("WORDS", words));
  set_arguments(k, entries_, given.buffer(), found.buffer(),
                opencl::residual_arguments{.order = n, .pitch = pitch, .has_rest = has_rest, .is_upper = 0});
  const auto size = [](std::int64_t x) { return static_cast<std::size_t>(x); };
  call_.launch(*k, cl::NDRange(size(round_up(n, rows_of_group)), size(parts), size(count)),
               cl::NDRange(size(rows_of_group), 1, 1));
  std::vector<double> r = read(found.buffer(), count * line);
  call_.give_back(given);
  call_.give_back(found);
  return r;
}

void DeviceMatrix::convert(Precision from_precision, const cl::Buffer& from, Precision precision,
                           const cl::Buffer& to) {
  const std::int64_t count = order() * order() * precisions::parts(precision);
  opencl::BorrowedKernel k = kernel(
      "solve/convert.cl", "convert", Precision::d,
      define("FROM_WORDS", precisions::words(from_precision)) + define("TO_WORDS", precisions::words(precision)));
  set_arguments(k, from, to, cl_long{count});
  call_.launch_over(*k, count);
}

double DeviceMatrix::largest(Precision precision, const DeviceView& a, Part part) {
  const std::vector<double> rows = largest_of_lines(precision, a, part, false, nullptr);
  return rows.empty() ? 0.0 : *std::max_element(rows.begin(), rows.end());
}

}  // namespace hilo::solver
