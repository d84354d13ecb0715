// What the elements of matrices are, and every fact about them.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <string_view>

namespace hilo {

/// A namespace of its own, whose names argument-dependent lookup finds: they are common words.
namespace precisions {

/// The element type of a matrix: S D C Z as in BLAS, DD double-double, ZDD complex double-double.
enum class Precision : std::uint8_t { s, d, c, z, dd, zdd };

std::string_view name(Precision);

/// Whether elements have an imaginary part: C, Z and ZDD.
constexpr bool is_complex(Precision p) { return p == Precision::c || p == Precision::z || p == Precision::zdd; }
/// DD and ZDD.
constexpr bool is_double_double(Precision p) { return p == Precision::dd || p == Precision::zdd; }
/// S and C.
constexpr bool is_single(Precision p) { return p == Precision::s || p == Precision::c; }

/// Parts of an element: 2 where it has an imaginary one.
constexpr int parts(Precision p) { return is_complex(p) ? 2 : 1; }
/// Words of a part: 2 in double-double.
constexpr int words(Precision p) { return is_double_double(p) ? 2 : 1; }
constexpr int word_bytes(Precision p) { return is_single(p) ? 4 : 8; }
constexpr int element_bytes(Precision p) { return parts(p) * words(p) * word_bytes(p); }
/// The precision of a part.
constexpr Precision real_precision(Precision p) {
  return is_double_double(p) ? Precision::dd : is_single(p) ? Precision::s : Precision::d;
}
/// Errors are counted in 2^error_unit: u² in double-double, u of the word otherwise.
constexpr int error_unit(Precision p) { return is_double_double(p) ? -106 : is_single(p) ? -24 : -53; }
/// Whether products have the modular engine.
constexpr bool has_modular_engine(Precision p) { return !is_single(p); }

}  // namespace precisions

using precisions::name;
using precisions::Precision;

template <class T>
concept double_double = std::same_as<T, dd_real> || std::same_as<T, dd_complex>;

template <class T>
concept gemm_scalar = double_double<T> || std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <gemm_scalar T>
inline constexpr Precision precision_of = std::same_as<T, float>                  ? Precision::s
                                          : std::same_as<T, double>               ? Precision::d
                                          : std::same_as<T, std::complex<float>>  ? Precision::c
                                          : std::same_as<T, std::complex<double>> ? Precision::z
                                          : std::same_as<T, dd_real>              ? Precision::dd
                                                                                  : Precision::zdd;

}  // namespace hilo
