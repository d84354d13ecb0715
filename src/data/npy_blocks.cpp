#include "data/npy_blocks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "data/npy_entry.hpp"

namespace hilo::data {
namespace {

// More than any header that NumPy writes, whose length has 16 bits, but for version 2 and 3.
constexpr std::size_t first_bytes = 1 << 17;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw error(errc::io, path + ": " + what + ": " + std::strerror(errno));
}

// All of those bytes, or fewer where the file ends.
std::size_t read_at(const std::string& path, int descriptor, std::int64_t offset, char* to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(descriptor, to + done, bytes - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// f(where it begins, its first entry in the block, how many): the block's entries that lie side by side in the file.
template <class F>
void for_runs(bool by_columns, std::int64_t rows, std::int64_t columns, std::int64_t i, std::int64_t j,
              std::int64_t block_rows, std::int64_t block_columns, F f) {
  const std::int64_t runs = by_columns ? block_columns : block_rows;
  for (std::int64_t r = 0; r < runs; ++r) f(by_columns ? (j + r) * rows + i : (i + r) * columns + j, r);
}

}  // namespace

NpyBlocks::NpyBlocks(const std::string& path, Precision as)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path, "cannot be opened");
  try {
    struct stat status;
    if (fstat(descriptor_, &status) != 0) fail(path, "cannot be read");
    if (!S_ISREG(status.st_mode)) throw error(errc::io, path + ": ranks read files alone, and this is none");
    std::string bytes(std::min(first_bytes, static_cast<std::size_t>(status.st_size)), '\0');
    bytes.resize(read_at(path, descriptor_, 0, bytes.data(), bytes.size()));
    header_ = read_npy_header(path, bytes);
    check_npy(path, header_, status.st_size - static_cast<std::int64_t>(header_.bytes), as);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

NpyBlocks::~NpyBlocks() { close(descriptor_); }

template <gemm_scalar T>
void NpyBlocks::read(std::int64_t i, std::int64_t j, const MatrixView<T>& block) const {
  const bool by_columns = header_.fortran_order;
  const std::int64_t size = element_bytes(header_.precision), length = by_columns ? block.rows : block.columns;
  std::vector<char> run(static_cast<std::size_t>(length * size));
  for_runs(by_columns, rows(), columns(), i, j, block.rows, block.columns, [&](std::int64_t at, std::int64_t r) {
    const std::int64_t offset = static_cast<std::int64_t>(header_.bytes) + at * size;
    if (read_at(path_, descriptor_, offset, run.data(), run.size()) != run.size()) {
      throw error(errc::io, path_ + ": cannot be read: it has become shorter");
    }
    for (std::int64_t n = 0; n < length; ++n) {
      block(by_columns ? n : r, by_columns ? r : n) = load_entry<T>(run.data() + n * size, header_.precision);
    }
  });
}

NpyBlockWriter::NpyBlockWriter(const std::string& path, const std::string& temporary, const NpyShape& shape)
    : path_(path),
      shape_(shape),
      header_bytes_(std::ssize(shape.header())),
      descriptor_(open(temporary.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(path, "cannot be opened as " + temporary);
}

NpyBlockWriter::~NpyBlockWriter() { close(descriptor_); }

template <gemm_scalar T>
void NpyBlockWriter::write(std::int64_t i, std::int64_t j, const MatrixView<const T>& block) const {
  const bool by_columns = shape_.layout == Layout::column;
  const std::int64_t length = by_columns ? block.rows : block.columns;
  std::vector<T> run(static_cast<std::size_t>(length));
  for_runs(by_columns, shape_.rows, shape_.columns, i, j, block.rows, block.columns,
           [&](std::int64_t at, std::int64_t r) {
             for (std::int64_t n = 0; n < length; ++n) {
               run[static_cast<std::size_t>(n)] = block(by_columns ? n : r, by_columns ? r : n);
             }
             const char* bytes = reinterpret_cast<const char*>(run.data());
             std::size_t left = run.size() * sizeof(T);
             std::int64_t offset = header_bytes_ + at * static_cast<std::int64_t>(sizeof(T));
             while (left > 0) {
               const ssize_t put = pwrite(descriptor_, bytes, left, offset);
               if (put < 0 && errno == EINTR) continue;
               if (put < 0) fail(path_, "cannot be written");
               bytes += put, offset += put, left -= static_cast<std::size_t>(put);
             }
           });
}

void NpyBlockWriter::finish() const {
  if (fsync(descriptor_) != 0) fail(path_, "cannot be written");
}

#define HILO_INSTANTIATE(T)                                                                 \
  template void NpyBlocks::read<T>(std::int64_t, std::int64_t, const MatrixView<T>&) const; \
  template void NpyBlockWriter::write<T>(std::int64_t, std::int64_t, const MatrixView<const T>&) const;
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::data
