// Words of the command line that several commands take, each checked: errors name the option, its value and what was
// expected.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/generate.hpp"

namespace hilo::cli {

enum class Verify : std::uint8_t { none, sample, full };

/// What --precision, --layout, --engine and --fma say. Throw hilo::error (invalid_argument).
Precision read_precision(const std::string& text);
Layout read_layout(const std::string& text);
Engine read_engine(const std::string& text);
Fma read_fma(const std::string& text);
Backend read_backend(const std::string& text);

/// What --verify says, nothing where it is empty. Throws hilo::error: invalid_argument; unsupported where this build
/// has nothing to verify with.
Verify read_verify(const std::string& text);

/// What --init says, which is uniform where it is empty. Throws hilo::error (parse, invalid_argument).
data::Generator read_generator(const std::string& text, Precision precision);

/// Throws hilo::error (invalid_argument) for a value of --verify among the names of files: it stands behind '='.
void reject_values_of_verify(const std::string& verify, const std::vector<std::string>& files);

/// f(std::type_identity<T>()) with the element type T of a precision.
template <class F>
auto with_type_of(Precision precision, F f) {
  switch (precision) {
    case Precision::s:
      return f(std::type_identity<float>());
    case Precision::d:
      return f(std::type_identity<double>());
    case Precision::c:
      return f(std::type_identity<std::complex<float>>());
    case Precision::z:
      return f(std::type_identity<std::complex<double>>());
    case Precision::dd:
      return f(std::type_identity<dd_real>());
    case Precision::zdd:
      break;
  }
  return f(std::type_identity<dd_complex>());
}

}  // namespace hilo::cli
