// Formatters of dd_real and dd_complex for std::format, where the standard library has it (__cpp_lib_format):
// std::format("{:.31g}", x). docs/text.md tells the rules.
#pragma once

#include <version>

#ifdef __cpp_lib_format

#include <format>
#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/detail/format_spec.hpp>
#include <string_view>

namespace hilo::detail {

struct std_library {
  static constexpr bool hex_has_prefix = false;

  using argument = std::size_t;
  static constexpr argument next(auto& context) { return checked(context, context.next_arg_id()); }
  static constexpr argument at(auto& context, int index) {
    context.check_arg_id(static_cast<argument>(index));
    return checked(context, static_cast<argument>(index));
  }
  static constexpr argument named(auto&, auto, auto) {
    fail("dd_real: a nested width or precision is {} or {number}");
    return 0;
  }

  template <class Visitor>
  static std::int64_t visit(auto& context, argument index, Visitor visitor) {
    auto value = context.arg(index);
    if (!value) fail("dd_real: there is no argument for a nested width or precision");
    if constexpr (requires { value.visit(visitor); }) {
      return value.visit(visitor);
    } else {
      return std::visit_format_arg(visitor, value);
    }
  }

  [[noreturn]] static void fail(const char* message) { throw std::format_error(message); }

 private:
  static constexpr argument checked(auto& context, argument index) {
    if constexpr (requires { context.check_dynamic_spec_integral(index); }) context.check_dynamic_spec_integral(index);
    return index;
  }
};

}  // namespace hilo::detail

/// [[fill]align][sign][#][0][width][.precision][type], as for double: none writes the fewest digits that read back, as
/// to_string; l writes hi+lo, as to_limb_string, and la does so in hexadecimal.
template <>
struct std::formatter<hilo::dd_real> : hilo::detail::number_formatter<hilo::detail::std_library> {};

/// (re,im): both parts as the specification says, the width being that of each.
template <>
struct std::formatter<hilo::dd_complex> : hilo::detail::complex_formatter<hilo::detail::std_library> {};

#endif
