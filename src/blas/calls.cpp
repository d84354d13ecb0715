// What is refused of arguments in the BLAS's words, before they are views.
#include <algorithm>
#include <cctype>
#include <hilo/blas.hpp>

#include "blas/arguments.hpp"

namespace hilo::detail {

using blas::Arguments;
using std::to_string;

Call::Call(const char* routine, Layout layout, std::initializer_list<Size> sizes, Op op)
    : routine_(routine), layout_(layout) {
  const Arguments check(routine, 1);
  check.check_enum(static_cast<int>(layout), 1, "layout");
  check.check_enum(static_cast<int>(op), 3, "op");
  for (const Size& x : sizes) {
    if (x.value < 0) {
      check.reject(errc::invalid_argument, std::string(x.name) + " = " + to_string(x.value) + " is negative");
    }
  }
}

void Call::check_positive(const char* name, std::int64_t value) const {
  if (value > 0) return;
  Arguments(routine_, 1)
      .reject(errc::invalid_argument, std::string(name) + " = " + to_string(value) + " is not positive");
}

void Call::check_at_most(const Size& x, const Size& most) const {
  if (x.value <= most.value) return;
  Arguments(routine_, 1)
      .reject(errc::invalid_argument, std::string(x.name) + " = " + to_string(x.value) + " is more than " + most.name +
                                          " = " + to_string(most.value));
}

void Call::check_side(Side side) const { Arguments(routine_, 1).check_enum(static_cast<int>(side), 1, "side"); }

void Call::check_not_null(const char* name, const void* x) const {
  if (!x) Arguments(routine_, 1).reject(errc::invalid_argument, std::string(name) + " is null");
}

void Call::check_leading(const char* name, std::int64_t rows, std::int64_t columns, std::int64_t leading) const {
  const std::int64_t line = std::max<std::int64_t>(layout_ == Layout::column ? rows : columns, 1);
  if (leading >= line) return;
  // "lda" is that of A.
  const auto matrix = static_cast<char>(std::toupper(name[2]));
  Arguments(routine_, 1)
      .reject(errc::invalid_argument, std::string(name) + " = " + to_string(leading) + " is less than " +
                                          to_string(line) + ", the contiguous dimension of " + matrix + " in " +
                                          std::string(hilo::name(layout_)) + " layout");
}

std::int64_t Call::first_element(const char* name, std::int64_t n, std::int64_t increment, std::int64_t bytes) const {
  if (increment == 0) Arguments(routine_, 1).reject(errc::invalid_argument, std::string(name) + " = 0");
  std::int64_t extent;
  if (__builtin_mul_overflow(n, increment, &extent) || __builtin_mul_overflow(extent, bytes, &extent)) {
    Arguments(routine_, 1)
        .reject(errc::overflow, std::string(name) + " = " + to_string(increment) + " gives " + to_string(n) +
                                    " elements an extent that does not fit 64 bits");
  }
  return increment < 0 && n > 0 ? (1 - n) * increment : 0;
}

}  // namespace hilo::detail
