// The format specification of a dd_real, what stands between : and } of a replacement field, and the text it asks for:
// what fmt.hpp and format.hpp share. It is that of a double in std::format,
//
//   [[fill] <|>|^] [+|-|space] [#] [0] [width] [.precision] [a|A|e|E|f|F|g|G|l|la|lA]
//
// without L, since no locale has a say, and with l for hi+lo.
//
// Library says what differs between {fmt} and the standard library:
//   hex_has_prefix                  whether a double is written as 0x1p+0 or as 1p+0;
//   argument                        how a width or precision given as {}, {1} or {name} is remembered;
//   next(context), at(context, index), named(context, first, last)   find it while parsing;
//   visit(context, argument, visitor)   calls the visitor with its value;
//   fail(message)                   throws; not constexpr, so that mistakes in constant format strings do not compile.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <hilo/complex.hpp>
#include <hilo/dd_real.hpp>
#include <hilo/detail/decimal_writer.hpp>
#include <limits>

namespace hilo::detail {

template <class Library>
struct format_spec {
  // A width or precision: none, a value, or the nested argument that has it.
  struct number {
    bool is_given = false, is_nested = false;
    int value = 0;
    typename Library::argument argument{};
  };

  char fill[4] = {' '};  // one character of UTF-8
  int fill_size = 1;
  char alignment = '\0';  // or one of < > ^
  char plus = '\0';       // or the sign of numbers without one
  bool pads_with_zeros = false;
  number width, precision;
  number_format format;
};

template <class Library, class Context>
class spec_parser {
 public:
  using spec = format_spec<Library>;

  constexpr explicit spec_parser(Context& context)
      : context_(context), position_(context.begin()), last_(context.end()) {}

  /// The specification, up to the } behind it.
  constexpr spec parse() {
    spec s;
    if (next() == '}') return s;
    parse_alignment(s);
    if (next() == '+' || next() == ' ') {
      s.plus = take();
    } else if (next() == '-') {
      take();
    }
    s.format.keeps_point = take_if('#');
    s.pads_with_zeros = take_if('0') && s.alignment == '\0';
    if (next() != '0') parse_number(s.width);
    if (take_if('.')) {
      parse_number(s.precision);
      if (!s.precision.is_given) Library::fail("dd_real: a number or {} must follow the point of a precision");
    }
    if (next() != '}') parse_type(s);
    if (next() != '}')
      Library::fail("dd_real: not a format; that is [[fill]align][sign][#][0][width][.precision][type]");
    if (s.format.is_limbs && (s.format.keeps_point || s.precision.is_given))
      Library::fail("dd_real: l writes both words whole and takes neither # nor a precision");
    return s;
  }
  constexpr auto position() const { return position_; }

 private:
  constexpr char next() const { return position_ == last_ ? '}' : *position_; }
  constexpr char take() { return *position_++; }
  constexpr bool take_if(char c) {
    if (next() != c) return false;
    ++position_;
    return true;
  }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static constexpr bool is_alignment(char c) { return c == '<' || c == '>' || c == '^'; }

  constexpr void parse_alignment(spec& s) {
    const auto lead = static_cast<unsigned char>(next());
    const int size = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (last_ - position_ > size && is_alignment(position_[size])) {
      bool is_utf8 = lead < 0x80 || size > 1;
      for (int i = 0; i < size; ++i) {
        s.fill[i] = take();
        if (i > 0) is_utf8 &= (static_cast<unsigned char>(s.fill[i]) & 0xc0) == 0x80;
      }
      s.fill_size = size;
      if (!is_utf8) Library::fail("dd_real: the fill is not a character of UTF-8");
      if (s.fill[0] == '{') Library::fail("dd_real: { cannot be the fill");
    }
    if (is_alignment(next())) s.alignment = take();
  }

  constexpr int parse_digits() {
    constexpr int most = std::numeric_limits<int>::max();
    int value = 0;
    while (is_digit(next())) {
      const int digit = take() - '0';
      if (value > (most - digit) / 10) Library::fail("dd_real: a width or precision above 2147483647");
      value = 10 * value + digit;
    }
    return value;
  }

  constexpr void parse_number(typename spec::number& n) {
    if (is_digit(next())) {
      n.is_given = true;
      n.value = parse_digits();
    } else if (take_if('{')) {
      n.is_given = n.is_nested = true;
      n.argument = parse_argument();
    }
  }
  constexpr typename Library::argument parse_argument() {
    typename Library::argument argument{};
    if (position_ == last_ || next() == '}') {
      argument = Library::next(context_);
    } else if (is_digit(next())) {
      argument = Library::at(context_, take_if('0') ? 0 : parse_digits());
    } else if (is_letter(next())) {
      const auto first = position_;
      while (is_letter(next()) || is_digit(next())) take();
      argument = Library::named(context_, first, position_);
    }
    if (position_ == last_ || take() != '}') Library::fail("dd_real: a nested width or precision is {} or {number}");
    return argument;
  }

  constexpr void parse_type(spec& s) {
    s.format.is_limbs = take_if('l');
    if (s.format.is_limbs && next() == '}') return;
    const char type = next(), lower_case = type >= 'A' && type <= 'Z' ? static_cast<char>(type - 'A' + 'a') : type;
    s.format.is_uppercase = lower_case != type;
    if (lower_case == 'a') {
      s.format.notation = std::chars_format::hex;
    } else if (s.format.is_limbs) {
      Library::fail("dd_real: l is followed by a, A or nothing");
    } else if (lower_case == 'e' || lower_case == 'f' || lower_case == 'g') {
      s.format.notation = lower_case == 'e'   ? std::chars_format::scientific
                          : lower_case == 'f' ? std::chars_format::fixed
                                              : std::chars_format::general;
      s.format.precision = 6;
      s.format.keeps_zeros = s.format.keeps_point;
    } else if (type == 'L') {
      Library::fail("dd_real: L is not supported; no locale changes the text of a dd_real");
    } else {
      Library::fail("dd_real: not a type; the types are a A e E f F g G l la lA");
    }
    take();
  }

  Context& context_;
  decltype(context_.begin()) position_, last_;
};

// Text goes to an output iterator.
template <class Iterator>
class iterator_writer {
 public:
  explicit iterator_writer(Iterator position) : position_(static_cast<Iterator&&>(position)) {}
  void put(char c) { *position_++ = c; }
  void fill(std::int64_t count, char c) {
    for (; count > 0; --count) put(c);
  }
  Iterator position() { return static_cast<Iterator&&>(position_); }

 private:
  Iterator position_;
};

// A formatter of dd_real.
template <class Library>
class number_formatter {
 public:
  template <class Context>
  constexpr auto parse(Context& context) {
    spec_parser<Library, Context> parser(context);
    spec_ = parser.parse();
    return parser.position();
  }

  template <class Context>
  auto format(const dd_real& x, Context& context) const {
    const std::int64_t width = value_of(spec_.width, context, 0);
    number_format format = spec_.format;
    format.precision = value_of(spec_.precision, context, format.precision);
    if (format.precision >= 0 && format.notation == std::chars_format()) format.notation = std::chars_format::general;

    const number_text text(x, format);
    const char sign = text.is_negative() ? '-' : spec_.plus;
    const bool has_prefix = text.is_hex() && (Library::hex_has_prefix || format.is_limbs);
    const std::int64_t room = width - (sign != '\0') - 2 * has_prefix - text.size();
    const std::int64_t padding = room > 0 ? room : 0;
    const std::int64_t zeros = spec_.pads_with_zeros && text.is_finite() ? padding : 0;
    const std::int64_t before = spec_.alignment == '<' ? 0 : spec_.alignment == '^' ? padding / 2 : padding - zeros;

    iterator_writer out(context.out());
    pad(out, before);
    if (sign != '\0') out.put(sign);
    if (has_prefix) text.write_hex_prefix(out);
    out.fill(zeros, '0');
    text.write_to(out);
    pad(out, padding - zeros - before);
    return out.position();
  }

 private:
  template <class Context>
  static std::int64_t value_of(const typename format_spec<Library>::number& n, Context& context, std::int64_t none) {
    if (!n.is_nested) return n.is_given ? n.value : none;
    return Library::visit(context, n.argument, [](auto value) -> std::int64_t {
      using type = decltype(value);
      if constexpr (std::integral<type> && !std::same_as<type, bool> && !std::same_as<type, char>) {
        if (value < 0) Library::fail("dd_real: a nested width or precision is negative");
        if (static_cast<unsigned long long>(value) > std::numeric_limits<int>::max())
          Library::fail("dd_real: a width or precision above 2147483647");
        return static_cast<std::int64_t>(value);
      } else {
        Library::fail("dd_real: a nested width or precision is not an integer");
        return 0;
      }
    });
  }
  void pad(auto& out, std::int64_t count) const {
    for (; count > 0; --count)
      for (int i = 0; i < spec_.fill_size; ++i) out.put(spec_.fill[i]);
  }

  format_spec<Library> spec_;
};

// A formatter of dd_complex: (re,im), both parts as the specification says.
template <class Library>
class complex_formatter : number_formatter<Library> {
  using part = number_formatter<Library>;

 public:
  using part::parse;

  template <class Context>
  auto format(const dd_complex& z, Context& context) const {
    write(context, '(');
    context.advance_to(part::format(z.re, context));
    write(context, ',');
    context.advance_to(part::format(z.im, context));
    write(context, ')');
    return context.out();
  }

 private:
  static void write(auto& context, char c) {
    auto out = context.out();
    *out++ = c;
    context.advance_to(static_cast<decltype(out)&&>(out));
  }
};

}  // namespace hilo::detail
