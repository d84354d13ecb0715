// libFuzzer target for the readers of matrix files: an input is a .npy file if it starts like one, else a Matrix Market
// file. Memory is faked small, so that a file that asks for much is refused before it is slow.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "data/matrix_market.hpp"
#include "data/memory.hpp"
#include "data/npy.hpp"
#include "data/scalar.hpp"

// In the place of src/data/memory.cpp.
namespace hilo::data {

std::int64_t free_bytes() { return 1 << 20; }

}  // namespace hilo::data

namespace {

using hilo::dd_complex;
using hilo::dd_real;
using hilo::Layout;
using hilo::data::Matrix;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

template <class T>
bool same(const T& x, const T& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}

template <class T>
Matrix<T> read(bool is_npy, const std::string& path, Layout layout) {
  return is_npy ? hilo::data::read_npy<T>(path, layout) : hilo::data::read_matrix_market<T>(path, layout);
}

// The matrix, or an error that names the file and is not endless.
template <class T>
std::optional<Matrix<T>> matrix_of(bool is_npy, const std::string& path, Layout layout) {
  try {
    Matrix<T> x = read<T>(is_npy, path, layout);
    require(x.rows >= 0 && x.columns >= 0 && x.layout == layout);
    require(x.entries.size() == static_cast<std::size_t>(x.rows * x.columns));
    return x;
  } catch (const hilo::error& e) {
    require(std::string_view(e.what()).starts_with(path + ":") && std::strlen(e.what()) < 800);
    require(e.code() == hilo::errc::parse || e.code() == hilo::errc::unsupported || e.code() == hilo::errc::overflow ||
            e.code() == hilo::errc::out_of_memory);
    return {};
  }
}

// Both have entries, or neither; then expect(x(i, j), y(i, j)) holds for all of them.
template <class X, class Y, class Expect>
void compare(const Matrix<X>& x, const Matrix<Y>& y, Expect expect) {
  require(x.rows == y.rows && x.columns == y.columns);
  if (x.entries.empty()) return;
  for (std::int64_t j = 0; j < x.columns; ++j) {
    for (std::int64_t i = 0; i < x.rows; ++i) require(expect(x(i, j), y(i, j)));
  }
}

bool is_finite(dd_real x) { return std::isfinite(x.hi); }

// What is written reads back with every bit.
template <class T>
void write_and_read(const Matrix<T>& x) {
  static const std::string folder = [] {
    std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/hilo-fuzz-XXXXXX" : "/tmp/hilo-fuzz-XXXXXX";
    require(mkdtemp(name.data()) != nullptr);
    static std::string kept = name;
    std::atexit([] { std::filesystem::remove_all(kept); });
    return name;
  }();
  if (x.entries.size() > 1000) return;
  bool all_finite = true;
  for (const T& entry : x.entries) {
    all_finite = all_finite && is_finite(hilo::data::real_part(entry)) && is_finite(hilo::data::imaginary_part(entry));
  }
  for (bool is_npy : {false, true}) {
    if (!is_npy && !all_finite) continue;
    const std::string path = folder + (is_npy ? "/x.npy" : "/x.mtx");
    if (is_npy) {
      hilo::data::write_npy(path, x);
    } else {
      hilo::data::write_matrix_market(path, x);
    }
    compare(x, read<T>(is_npy, path, x.layout), [&](const T& a, const T& b) { return !all_finite || same(a, b); });
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = memfd_create("input", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  require(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == static_cast<ssize_t>(size));
  const bool is_npy = size >= 6 && std::memcmp(data, "\x93NUMPY", 6) == 0;
  const auto by_columns = matrix_of<dd_real>(is_npy, path, Layout::column);
  const auto by_rows = matrix_of<dd_real>(is_npy, path, Layout::row);
  const auto in_double = matrix_of<double>(is_npy, path, Layout::column);
  const auto in_single = matrix_of<float>(is_npy, path, Layout::column);
  const auto complex = matrix_of<dd_complex>(is_npy, path, Layout::column);
  require(by_columns.has_value() == by_rows.has_value());
  if (by_columns) {
    compare(*by_columns, *by_rows, same<dd_real>);
    write_and_read(*by_columns);
    // hi is the nearest double, or the even neighbour where lo is rounded up to half an ulp.
    if (in_double && !is_npy) {
      compare(*by_columns, *in_double, [](dd_real x, double y) { return x.hi == y || x.hi - y == -2 * x.lo; });
    }
  }
  // What fits less memory and a narrower precision fits a wider one with more of it.
  if (in_single && is_npy) require(in_double.has_value());
  if (complex) {
    write_and_read(*complex);
    if (by_columns) {
      compare(*by_columns, *complex,
              [](dd_real x, const dd_complex& z) { return same(x, z.re) && z.im == dd_real(0); });
    }
  }
  return 0;
}
