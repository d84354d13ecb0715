// The arguments of routines on views, and what is wrong with them.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <string>

#include "matrix/arguments.hpp"

namespace hilo::blas {

/// A matrix as an argument.
struct Argument {
  const char* name;
  ViewLines lines;
  const void* data;
};
template <class T>
Argument argument(const char* name, const MatrixView<T>& x) {
  return {name, lines_of(x), x.data};
}

/// Checks that throw hilo::error with a message that begins with the routine's name.
class Arguments {
 public:
  Arguments(const char* routine, std::int64_t element_bytes) : routine_(routine), element_bytes_(element_bytes) {}

  /// Sizes, strides, null pointers; of options what no product of the routine may be asked for.
  void check(const Argument& x) const;
  void check_result(const Argument& x) const;
  void check_square(const Argument& x) const;
  void check_equal(const std::string& what, std::int64_t x, const std::string& of_what, std::int64_t y) const;
  void check_apart(const Argument& result, const Argument& x) const;
  void check_options(Precision precision, Backend backend, const BlockedOptions& options) const;
  void check_enum(int value, int last, const char* what) const;

  [[noreturn]] void reject(errc code, const std::string& message) const;

  /// Bytes from x.data on.
  Footprint footprint(const Argument& x) const;

 private:
  const char* routine_;
  std::int64_t element_bytes_;
};

}  // namespace hilo::blas
