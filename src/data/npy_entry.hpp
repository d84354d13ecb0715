// Entries of .npy files in a precision that holds them.
#pragma once

#include <cstring>

#include "data/npy_header.hpp"
#include "data/scalar.hpp"

namespace hilo::data {

/// How much of a real part fits: 0 for float, 1 for double, 2 for double-double.
inline int npy_width(Precision p) { return is_single(p) ? 0 : words(p); }

template <class Word>
Word load_word(const char* bytes) {
  Word w;
  std::memcpy(&w, bytes, sizeof w);
  return w;
}

/// The real number at `bytes`, of that width, in a precision that is not narrower.
template <class Real>
Real load_real(const char* bytes, int file_width) {
  if (file_width == 0) return Real(load_word<float>(bytes));
  if constexpr (std::same_as<Real, float>) {
    return 0.0f;
  } else {
    if (file_width == 1) return Real(load_word<double>(bytes));
    if constexpr (std::same_as<Real, dd_real>) {
      const auto high = load_word<double>(bytes), low = load_word<double>(bytes + 8);
      // A sum has lost the sign of −0.
      return high == 0.0 && low == 0.0 ? dd_real(high, low) : dd_real::sum(high, low);
    } else {
      return 0.0;
    }
  }
}

/// The entry at `bytes`, of a file's precision that check_npy lets T read.
template <class T>
T load_entry(const char* bytes, Precision file) {
  using Real = real_of<T>;
  const int width = npy_width(file);
  const Real im = precisions::is_complex(file) ? load_real<Real>(bytes + element_bytes(file) / 2, width) : Real(0);
  return from_parts<T>(load_real<Real>(bytes, width), im);
}

/// Throws hilo::error where the array is no matrix, has not as many bytes behind its header as it says, or its numbers
/// are not held by a precision: unsupported, overflow, parse.
void check_npy(const std::string& path, const NpyHeader& header, std::int64_t bytes_behind, Precision as);

}  // namespace hilo::data
