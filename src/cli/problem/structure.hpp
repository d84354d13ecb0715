// What matrices of files must be: finite, and what --spd, --symmetric and --hermitian take them for; and generated
// ones that are.
#pragma once

#include <cmath>
#include <string>

#include "cli/option.hpp"
#include "cli/solve/result.hpp"
#include "data/generate.hpp"
#include "data/matrix.hpp"
#include "data/scalar.hpp"

namespace hilo::cli {

/// "entry (1, 2)", of the first entry that is NaN or Inf, counted from 1 as Matrix Market does; empty where there is
/// none.
template <class T>
std::string not_finite(const data::Matrix<T>& m) {
  for (std::int64_t j = 0; j < m.columns; ++j) {
    for (std::int64_t i = 0; i < m.rows; ++i) {
      const T& e = m(i, j);
      if (std::isfinite(static_cast<double>(data::real_part(e))) &&
          std::isfinite(static_cast<double>(data::imaginary_part(e)))) {
        continue;
      }
      return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")";
    }
  }
  return "";
}

/// Throws hilo::error (invalid_argument) where an entry of the file's matrix is NaN or Inf.
template <class T>
void check_finite(const std::string& name, const data::Matrix<T>& m) {
  if (const std::string entry = not_finite(m); !entry.empty()) reject(name + ": " + entry + " is NaN or Inf");
}

constexpr bool is_structured(SystemKind kind) {
  return kind != SystemKind::general && kind != SystemKind::least_squares;
}

/// Entry (j, i) where (i, j) is x.
template <class T>
T mirrored(const T& x, SystemKind kind) {
  return kind == SystemKind::symmetric ? x : data::from_parts<T>(data::real_part(x), -data::imaginary_part(x));
}

/// "symmetric: entry (1, 2) is not entry (2, 1)" of a square matrix that is not, or not Hermitian, whichever the kind
/// is, with entries counted from 1 as Matrix Market does; empty where it is.
template <class T>
std::string flaw_of_structure(const data::Matrix<T>& a, SystemKind kind) {
  const auto place = [](std::int64_t i, std::int64_t j) {
    return "entry (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ")";
  };
  const bool is_conjugated = kind != SystemKind::symmetric && data::is_complex<T>;
  const std::string what = is_conjugated ? "Hermitian: " : "symmetric: ";
  for (std::int64_t j = 0; j < a.columns; ++j) {
    if (is_conjugated && data::imaginary_part(a(j, j)) != data::real_of<T>(0))
      return what + place(j, j) + " is not real";
    for (std::int64_t i = j + 1; i < a.rows; ++i) {
      if (a(j, i) == mirrored(a(i, j), kind)) continue;
      return what + place(j, i) + " is not " + (is_conjugated ? "the conjugate of " : "") + place(i, j);
    }
  }
  return "";
}

/// Writes the mirror of the upper triangle over the lower one.
template <class T>
void mirror_upper(data::Matrix<T>& a, SystemKind kind) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = j + 1; i < a.rows; ++i) a(i, j) = mirrored(a(j, i), kind);
  }
}

/// |re| + |im|, as a double.
template <class T>
double sum_of_parts(const T& x) {
  return std::fabs(static_cast<double>(data::real_part(x))) + std::fabs(static_cast<double>(data::imaginary_part(x)));
}

/// Makes the matrix one of that kind by its lower triangle. The diagonal of a positive definite one becomes twice the
/// sum of its row's magnitudes, but Hilbert's, which is positive definite.
template <class T>
void give_structure(data::Matrix<T>& a, SystemKind kind, data::Init init) {
  for (std::int64_t j = 0; j < a.columns; ++j) {
    if (kind != SystemKind::symmetric) a(j, j) = data::from_parts<T>(data::real_part(a(j, j)), data::real_of<T>(0));
    for (std::int64_t i = j + 1; i < a.rows; ++i) a(j, i) = mirrored(a(i, j), kind);
  }
  if (kind != SystemKind::positive || init == data::Init::hilbert) return;
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for (std::int64_t j = 0; j < a.columns; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) sums[static_cast<std::size_t>(i)] += sum_of_parts(a(i, j));
  }
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const auto twice = static_cast<data::real_of<T>>(2.0 * sums[static_cast<std::size_t>(i)]);
    a(i, i) = data::from_parts<T>(twice, data::real_of<T>(0));
  }
}

}  // namespace hilo::cli
