#include "distributed/checkpoint.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "distributed/checksum.hpp"

namespace hilo::distributed {
namespace {

namespace fs = std::filesystem;

constexpr char magic[] = "hilotile";
constexpr char first_line[] = "hilo checkpoint 2";

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw error(errc::io, path + ": " + what + ": " + std::strerror(errno));
}
void make_folder(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) throw error(errc::io, path + ": cannot be made: " + failure.message());
}
[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw error(errc::parse, path + ": " + why);
}

std::string hexadecimal(std::uint64_t x) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(x));
  return text;
}

// Names in a folder last once the folder is on the disk, too.
void keep_names(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) fail(folder, "cannot be opened");
  const bool is_kept = fsync(descriptor) == 0;
  close(descriptor);
  if (!is_kept) fail(folder, "cannot be written");
}

// A file that appears under its name when it is on the disk.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), temporary_(path + ".part") {
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor_ < 0) fail(temporary_, "cannot be made");
  }
  ~NewFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const void* bytes, std::size_t count) {
    const char* at = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t done = ::write(descriptor_, at, count);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail(temporary_, "cannot be written");
      at += done;
      count -= static_cast<std::size_t>(done);
    }
  }
  void commit() {
    if (fsync(descriptor_) != 0) fail(temporary_, "cannot be written");
    if (rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "cannot be named");
    close(descriptor_);
    descriptor_ = -1;
  }

 private:
  std::string path_, temporary_;
  int descriptor_;
};

void write_piece(const std::string& path, const PieceHeader& header, const void* elements, std::int64_t bytes) {
  Checksum sum;
  sum.add(&header, 1);
  sum.add(static_cast<const unsigned char*>(elements), bytes);
  const std::uint64_t value = sum.value();
  NewFile file(path);
  file.write(&header, sizeof header);
  file.write(elements, static_cast<std::size_t>(bytes));
  file.write(&value, sizeof value);
  file.commit();
}

// Checked before the elements are taken.
void read_piece(const std::string& path, const PieceHeader& expected, void* elements, std::int64_t bytes) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be opened");
  PieceHeader header{};
  std::uint64_t value = 0;
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  in.read(static_cast<char*>(elements), bytes);
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  if (!in) refuse(path, "is shorter than a tile of this matrix");
  if (in.peek() != std::ifstream::traits_type::eof()) refuse(path, "is longer than a tile of this matrix");
  Checksum sum;
  sum.add(&header, 1);
  sum.add(static_cast<const unsigned char*>(elements), bytes);
  if (sum.value() != value) {
    refuse(path, "is damaged: its checksum is " + hexadecimal(sum.value()) + ", not " + hexadecimal(value));
  }
  if (std::memcmp(&header, &expected, sizeof header) != 0)
    refuse(path, "is another tile, or of another step or matrix");
}

std::string with_checksum(const std::string& text) {
  Checksum sum;
  sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  return text + "checksum " + hexadecimal(sum.value()) + "\n";
}

// The lines of a COMMIT.
std::string commit_text(const std::string& key, std::uint64_t fingerprint, std::int64_t steps) {
  return with_checksum(std::string(first_line) + "\n" + key + "\nelements " + hexadecimal(fingerprint) + "\nsteps " +
                       std::to_string(steps) + "\n");
}

// The steps of a folder's name, -1 of others.
std::int64_t steps_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name.rfind("step-", 0) != 0) return -1;
  const char* const end = name.data() + name.size();
  std::int64_t steps = -1;
  // Names as they are written: neither too long a number nor zeros before one.
  const auto [last, status] = std::from_chars(name.data() + 5, end, steps);
  return status == std::errc() && last == end && std::to_string(steps) == name.substr(5) ? steps : -1;
}

}  // namespace

std::string words_of(const BlockedOptions& options) {
  return "engine " + std::string(name(options.engine)) + " accuracy " + std::string(name(options.accuracy)) + " bits " +
         std::to_string(options.bits) + " fma " + (options.fma == Fma::off ? "off" : "on") + " block " +
         std::to_string(options.block) + (options.complex_product == ComplexProduct::three ? " three products" : "");
}

Checkpoints::Checkpoints(const ClusterState& cluster, const char* function, const Checkpoint& where,
                         const std::string& key)
    : cluster_(cluster), function_(function), where_(where), key_(key) {
  if (where.folder.empty()) {
    throw error(errc::invalid_argument, std::string(function) + ": the checkpoint has no folder");
  }
  if (where.every < 1) {
    throw error(errc::invalid_argument, std::string(function) + ": a checkpoint every " + std::to_string(where.every) +
                                            " steps; 1 or more were expected");
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

void FolderLock::take(const std::string& path) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path, "cannot be made");
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw error(errc::io, path + ": another job has its checkpoints there");
}

PieceHeader Checkpoints::header(std::int64_t steps, std::int64_t i, std::int64_t j, std::int64_t rows,
                                std::int64_t columns, std::int64_t element_bytes) const {
  Checksum factorisation;
  factorisation.add(key_.data(), static_cast<std::int64_t>(key_.size()));
  factorisation.add(&fingerprint_, 1);
  PieceHeader h{{}, steps, i, j, rows, columns, element_bytes, factorisation.value()};
  std::memcpy(h.magic, magic, sizeof h.magic);
  return h;
}

std::string Checkpoints::folder(std::int64_t steps) const { return where_.folder + "/step-" + std::to_string(steps); }

std::string Checkpoints::piece(std::int64_t steps, std::int64_t i, std::int64_t j) const {
  return folder(steps) + "/tile-" + std::to_string(i) + "-" + std::to_string(j);
}

std::int64_t Checkpoints::find_last(std::uint64_t fingerprint) {
  fingerprint_ = fingerprint;
  std::int64_t last = 0;
  Failure failure;
  failure.watch([&] {
    if (cluster_.rank != 0) return;
    make_folder(where_.folder);
    lock_.take(where_.folder + "/LOCK");
    for (const auto& entry : fs::directory_iterator(where_.folder)) {
      const std::int64_t steps = steps_of(entry.path());
      if (steps > last && fs::exists(entry.path() / "COMMIT")) last = steps;
    }
    if (last == 0) return;
    const std::string path = folder(last) + "/COMMIT";
    std::ifstream in(path, std::ios::binary);
    if (!in) fail(path, "cannot be opened");
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const std::string text = bytes.str();
    const std::size_t end = text.rfind("checksum ");
    if (end == std::string::npos || with_checksum(text.substr(0, end)) != text) refuse(path, "is damaged");
    std::istringstream lines(text);
    std::string first, key, elements;
    std::getline(lines, first);
    std::getline(lines, key);
    std::getline(lines, elements);
    if (first != first_line) refuse(path, "is not '" + std::string(first_line) + "'");
    if (key != key_) refuse(path, "is of '" + key + "', not of '" + key_ + "'");
    if (elements != "elements " + hexadecimal(fingerprint)) refuse(path, "is of a matrix with other elements");
    if (text != commit_text(key_, fingerprint, last)) refuse(path, "is of another step");
  });
  failure.throw_everywhere(cluster_, function_);
  check_mpi(MPI_Bcast(&last, 1, MPI_INT64_T, 0, cluster_.messages), "MPI_Bcast");
  return last;
}

void Checkpoints::begin(std::int64_t steps) const {
  Failure failure;
  failure.watch([&] {
    if (cluster_.rank == 0) make_folder(folder(steps));
  });
  failure.throw_everywhere(cluster_, function_);
}

void Checkpoints::commit(std::int64_t steps) const {
  Failure failure;
  failure.watch([&] {
    if (cluster_.rank != 0) return;
    const std::string text = commit_text(key_, fingerprint_, steps);
    NewFile file(folder(steps) + "/COMMIT");
    file.write(text.data(), text.size());
    file.commit();
    keep_names(folder(steps));
    keep_names(where_.folder);
    remove_others(steps);
  });
  failure.throw_everywhere(cluster_, function_);
}

void Checkpoints::remove_others(std::int64_t steps) const {
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(where_.folder)) {
    const std::int64_t its_steps = steps_of(entry.path());
    if (its_steps >= 0 && its_steps != steps) others.push_back(entry.path());
  }
  for (const fs::path& other : others) {
    // What is half removed is no checkpoint.
    fs::remove(other / "COMMIT");
    fs::remove_all(other);
  }
}

template <class T>
void Checkpoints::read(std::int64_t steps, const SeenMatrix<T>& x, bool is_triangle, std::span<std::int64_t> others) {
  Failure failure;
  failure.watch([&] {
    for_own_tiles(x, is_triangle, [&](std::int64_t i, std::int64_t j) {
      x.with_tile(i, j, STARPU_W, [&](const MatrixView<T>& tile) {
        read_piece(piece(steps, i, j), header(steps, i, j, tile.rows, tile.columns, sizeof(T)), tile.data,
                   tile.rows * tile.columns * static_cast<std::int64_t>(sizeof(T)));
      });
    });
    if (others.empty()) return;
    const auto count = static_cast<std::int64_t>(others.size());
    read_piece(folder(steps) + "/numbers", header(steps, 0, 0, count, 1, sizeof(std::int64_t)), others.data(),
               count * static_cast<std::int64_t>(sizeof(std::int64_t)));
  });
  failure.throw_everywhere(cluster_, function_);
}

template <class T>
void Checkpoints::write(std::int64_t steps, const SeenMatrix<T>& x, bool is_triangle,
                        std::span<const std::int64_t> others) {
  begin(steps);
  Failure failure;
  failure.watch([&] {
    for_own_tiles(x, is_triangle, [&](std::int64_t i, std::int64_t j) {
      x.with_tile(i, j, STARPU_R, [&](const MatrixView<T>& tile) {
        write_piece(piece(steps, i, j), header(steps, i, j, tile.rows, tile.columns, sizeof(T)), tile.data,
                    tile.rows * tile.columns * static_cast<std::int64_t>(sizeof(T)));
      });
    });
    if (cluster_.rank == 0 && !others.empty()) {
      const auto count = static_cast<std::int64_t>(others.size());
      write_piece(folder(steps) + "/numbers", header(steps, 0, 0, count, 1, sizeof(std::int64_t)), others.data(),
                  count * static_cast<std::int64_t>(sizeof(std::int64_t)));
    }
    keep_names(folder(steps));
  });
  failure.throw_everywhere(cluster_, function_);
  commit(steps);
}

template <class T>
std::uint64_t fingerprint_of(const SeenMatrix<T>& x, bool is_triangle) {
  std::uint64_t mine = 0, all = 0;
  for_own_tiles(x, is_triangle, [&](std::int64_t i, std::int64_t j) {
    x.with_tile(i, j, STARPU_R, [&](const MatrixView<T>& tile) {
      Checksum sum;
      const std::int64_t place[2] = {i, j};
      sum.add(place, 2);
      sum.add(tile.data, tile.rows * tile.columns);
      mine += sum.value();
    });
  });
  check_mpi(MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, x.state().cluster->messages), "MPI_Allreduce");
  return all;
}

#define HILO_INSTANTIATE(T)                                                                                     \
  template void Checkpoints::read<T>(std::int64_t, const SeenMatrix<T>&, bool, std::span<std::int64_t>);        \
  template void Checkpoints::write<T>(std::int64_t, const SeenMatrix<T>&, bool, std::span<const std::int64_t>); \
  template std::uint64_t fingerprint_of<T>(const SeenMatrix<T>&, bool);
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::distributed
