// The arguments of routines on views, and what is wrong with them.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <string>

#include "matrix/arguments.hpp"

namespace hilo::blas {

/// What options.block may be at most.
inline constexpr std::int64_t most_block = 1024;

/// A matrix as an argument. In device memory `data` counts bytes from the beginning of `memory`.
struct Argument {
  const char* name;
  ViewLines lines;
  const void* data;
  const void* memory = nullptr;  ///< null: the host's
  bool is_read = true;           ///< or written, so that it may not be null
};
template <class T>
Argument argument(const char* name, const MatrixView<T>& x, bool is_read = true) {
  return {name, lines_of(x), x.data, nullptr, is_read};
}

/// A vector as one.
struct VectorArgument {
  const char* name;
  std::int64_t size, stride;
  const void* data;
  const void* memory = nullptr;
};
template <class T>
VectorArgument argument(const char* name, const VectorView<T>& x) {
  return {name, x.size, x.stride, x.data, nullptr};
}

/// Checks that throw hilo::error with a message that begins with the routine's name.
class Arguments {
 public:
  Arguments(const char* routine, std::int64_t element_bytes) : routine_(routine), element_bytes_(element_bytes) {}

  /// Sizes, strides, null pointers; of options what no product of the routine may be asked for.
  void check(const Argument& x) const;
  void check(const VectorArgument& x) const;
  void check_result(const Argument& x) const;
  void check_square(const Argument& x) const;
  void check_equal(const std::string& what, std::int64_t x, const std::string& of_what, std::int64_t y) const;
  /// A system's matrix and its right-hand sides, which become the solutions.
  void check_system(const Argument& a, const Argument& b) const;
  template <class Result, class X>
  void check_apart(const Result& result, const X& x) const {
    if (x.memory == result.memory && overlap(footprint(x), footprint(result))) {
      reject(errc::invalid_argument,
             std::string(result.name) + " overlaps " + x.name + " in memory, or lies between its lines");
    }
  }
  void check_options(Precision precision, Backend backend, const BlockedOptions& options) const;
  /// The same but for what this CPU has: ranks, whose CPUs may differ, find that in their tasks.
  void check_options_of_ranks(Precision precision, const BlockedOptions& options) const;
  void check_enum(int value, int last, const char* what) const;
  /// That kernels, which count rows and columns and pad them to whole groups by 32-bit integers, can have so many.
  void check_counted(const char* name, std::int64_t rows, std::int64_t columns) const;

  [[noreturn]] void reject(errc code, const std::string& message) const;

  /// Bytes from x.data on.
  Footprint footprint(const Argument& x) const;
  Footprint footprint(const VectorArgument& x) const;

 private:
  /// What gemm refuses is refused in the routine's name.
  template <class Check>
  void in_own_name(Check check) const;
  void check_common_options(Precision precision, Backend backend, const BlockedOptions& options) const;

  const char* routine_;
  std::int64_t element_bytes_;
};

}  // namespace hilo::blas
