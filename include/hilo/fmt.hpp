// Formatters of dd_real and dd_complex for {fmt} 9 to 12: fmt::format("{:.31g}", x). docs/text.md tells the rules.
#pragma once

#include <fmt/format.h>

#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/detail/format_spec.hpp>

namespace hilo::detail {

struct fmt_library {
  static constexpr bool hex_has_prefix = true;

  struct argument {
    int index = 0;
    fmt::string_view name{};
  };
  static constexpr argument next(auto& context) { return checked(context, context.next_arg_id()); }
  static constexpr argument at(auto& context, int index) {
    context.check_arg_id(index);
    return checked(context, index);
  }
  static constexpr argument named(auto& context, auto first, auto last) {
    const argument a{0, {&*first, static_cast<std::size_t>(last - first)}};
    context.check_arg_id(a.name);
    return a;
  }

  template <class Visitor>
  static std::int64_t visit(auto& context, const argument& a, Visitor visitor) {
    const auto value = a.name.size() == 0 ? context.arg(a.index) : context.arg(a.name);
    if (!value) fail("dd_real: there is no argument for a nested width or precision");
#if FMT_VERSION >= 110000
    return value.visit(visitor);
#else
    return fmt::visit_format_arg(visitor, value);
#endif
  }

  [[noreturn]] static void fail(const char* message) { FMT_THROW(fmt::format_error(message)); }

 private:
  static constexpr argument checked(auto& context, int index) {
    if constexpr (requires { context.check_dynamic_spec(index); }) context.check_dynamic_spec(index);
    return {index};
  }
};

}  // namespace hilo::detail

/// [[fill]align][sign][#][0][width][.precision][type], as for double: none writes the fewest digits that read back, as
/// to_string; l writes hi+lo, as to_limb_string, and la does so in hexadecimal.
template <>
struct fmt::formatter<hilo::dd_real> : hilo::detail::number_formatter<hilo::detail::fmt_library> {};

/// (re,im): both parts as the specification says, the width being that of each.
template <>
struct fmt::formatter<hilo::dd_complex> : hilo::detail::complex_formatter<hilo::detail::fmt_library> {};
