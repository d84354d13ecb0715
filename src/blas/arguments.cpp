#include "blas/arguments.hpp"

#include <algorithm>
#include <cstdlib>

#include "gemm/cpu_product.hpp"
#include "gemm/plan.hpp"

namespace hilo::blas {
namespace {

using std::to_string;

std::string sizes(const Argument& x) {
  return std::string(x.name) + ", " + to_string(x.lines.rows) + " x " + to_string(x.lines.columns);
}

bool are_columns_contiguous(const ViewLines& x) {
  return (x.row_stride == 1 || x.rows == 1) && (x.column_stride >= x.rows || x.columns == 1);
}
bool are_rows_contiguous(const ViewLines& x) {
  return (x.column_stride == 1 || x.columns == 1) && (x.row_stride >= x.columns || x.rows == 1);
}

}  // namespace

void Arguments::reject(errc code, const std::string& message) const {
  throw error(code, std::string(routine_) + ": " + message);
}

void Arguments::check(const Argument& x) const {
  const ViewLines& v = x.lines;
  if (v.rows < 0) reject(errc::invalid_argument, std::string(x.name) + " has " + to_string(v.rows) + " rows");
  if (v.columns < 0) reject(errc::invalid_argument, std::string(x.name) + " has " + to_string(v.columns) + " columns");
  if (v.rows == 0 || v.columns == 0) return;
  const bool by_columns = are_columns_contiguous(v);
  if (!by_columns && !are_rows_contiguous(v)) {
    reject(errc::invalid_argument, sizes(x) + ", with strides " + to_string(v.row_stride) + " and " +
                                       to_string(v.column_stride) +
                                       " has neither rows nor columns that are contiguous and apart");
  }
  const std::int64_t lines = by_columns ? v.columns : v.rows, line = by_columns ? v.rows : v.columns;
  std::int64_t extent;
  if (__builtin_mul_overflow(lines, by_columns ? v.column_stride : v.row_stride, &extent) ||
      __builtin_add_overflow(extent, line, &extent) || __builtin_mul_overflow(extent, element_bytes_, &extent)) {
    reject(errc::overflow, "the extent of " + sizes(x) + ", does not fit 64 bits");
  }
  if (x.is_read && !x.data && !x.memory) reject(errc::invalid_argument, sizes(x) + ", is null");
}

void Arguments::check(const VectorArgument& x) const {
  if (x.size < 0) reject(errc::invalid_argument, std::string(x.name) + " has " + to_string(x.size) + " elements");
  if (x.size == 0) return;
  const auto size = [&] { return std::string(x.name) + ", of " + to_string(x.size) + " elements"; };
  std::int64_t extent;
  if (x.size > 1 && x.stride == 0) reject(errc::invalid_argument, size() + ", has stride 0");
  if (__builtin_mul_overflow(x.size, x.stride, &extent) || __builtin_mul_overflow(extent, element_bytes_, &extent)) {
    reject(errc::overflow,
           "the extent of " + size() + " with stride " + to_string(x.stride) + ", does not fit 64 bits");
  }
  if (!x.data && !x.memory) reject(errc::invalid_argument, size() + ", is null");
}

void Arguments::check_result(const Argument& x) const {
  check(x);
  if (x.lines.conjugate) {
    reject(errc::invalid_argument, std::string(x.name) + " is conjugated, which a result cannot be");
  }
}

void Arguments::check_square(const Argument& x) const {
  if (x.lines.rows != x.lines.columns) reject(errc::invalid_argument, sizes(x) + ", is not square");
}

void Arguments::check_counted(const char* name, std::int64_t rows, std::int64_t columns) const {
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 4096;
  for (const auto& [size, lines] : {std::pair{rows, " rows"}, {columns, " columns"}}) {
    if (size > most) {
      reject(errc::unsupported, std::string(name) + " has " + to_string(size) + lines +
                                    ", more than are taken on a device, which is " + to_string(most));
    }
  }
}

void Arguments::check_equal(const std::string& what, std::int64_t x, const std::string& of_what, std::int64_t y) const {
  if (x == y) return;
  reject(errc::invalid_argument, what + " = " + to_string(x) + " is not " + of_what + " = " + to_string(y));
}

void Arguments::check_system(const Argument& a, const Argument& b) const {
  check(a);
  check_square(a);
  check_result(b);
  check_equal(std::string("rows of ") + b.name, b.lines.rows, std::string("rows of ") + a.name, a.lines.rows);
  check_apart(b, a);
}

Footprint Arguments::footprint(const Argument& x) const {
  const ViewLines& v = x.lines;
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data));
  if (v.rows == 0 || v.columns == 0) return {begin, 0, 0, 0};
  const bool by_columns = are_columns_contiguous(v);
  const std::int64_t line = by_columns ? v.rows : v.columns, lines = by_columns ? v.columns : v.rows;
  const std::int64_t leading = lines == 1 ? line : by_columns ? v.column_stride : v.row_stride;
  return {begin, line * element_bytes_, lines, leading * element_bytes_};
}

Footprint Arguments::footprint(const VectorArgument& x) const {
  const auto first = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x.data));
  const std::int64_t apart = x.stride * element_bytes_, last = first + (x.size - 1) * apart;
  if (x.size == 0) return {first, 0, 0, 0};
  // Side by side, or one.
  if (x.size == 1 || std::abs(x.stride) == 1) return {std::min(first, last), x.size * element_bytes_, 1, 0};
  return {std::min(first, last), element_bytes_, x.size, std::abs(apart)};
}

void Arguments::check_enum(int value, int last, const char* what) const {
  if (value < 0 || value > last) {
    reject(errc::invalid_argument, std::string(what) + " = " + to_string(value) + " is none of its enumerators");
  }
}

template <class Check>
void Arguments::in_own_name(Check check) const {
  try {
    check();
  } catch (const error& e) {
    std::string_view message = e.what();
    constexpr std::string_view by_gemm = "gemm: ";
    if (message.starts_with(by_gemm)) message.remove_prefix(by_gemm.size());
    reject(e.code(), std::string(message));
  }
}

void Arguments::check_common_options(Precision precision, Backend backend, const BlockedOptions& options) const {
  in_own_name([&] { hilo::check_options(options); });
  if (options.block < 0 || options.block > most_block) {
    reject(errc::invalid_argument,
           "options.block = " + to_string(options.block) + " is not between 0 and " + to_string(most_block));
  }
  // Both are refused for what entries they meet, which here would be half-way.
  if (options.accuracy == Accuracy::tight || options.accuracy == Accuracy::exact) {
    reject(errc::unsupported, "accuracy " + std::string(name(options.accuracy)) + " is one of gemm alone");
  }
  // What this engine does not have in this precision.
  in_own_name([&] { engine_asked_for(precision, backend, {}, options); });
}

void Arguments::check_options(Precision precision, Backend backend, const BlockedOptions& options) const {
  check_common_options(precision, backend, options);
  if (backend == Backend::cpu) in_own_name([&] { check_cpu_kernels(precision, options); });
}

void Arguments::check_options_of_ranks(Precision precision, const BlockedOptions& options) const {
  check_common_options(precision, Backend::cpu, options);
}

}  // namespace hilo::blas
