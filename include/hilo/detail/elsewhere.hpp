// Names that stand in for functions of headers that are not included: a call that finds nothing better stops at a
// deleted function whose type says which header to include, instead of at a list of std's candidates.
#pragma once

#include <concepts>
#include <type_traits>

namespace hilo {

struct dd_real;
struct dd_complex;

namespace detail {

struct include_hilo_math_hpp {};
struct include_hilo_complex_math_hpp {};
struct include_hilo_text_hpp {};

// Conversions to these make the deleted functions the worst choice beside any real one.
template <class Number>
struct argument_of {
  template <std::same_as<Number> T>
  argument_of(const T&);
};
struct second_argument {
  template <class T>
  requires(std::same_as<T, dd_real> || std::integral<T> || std::floating_point<T>) second_argument(const T&);
};
struct stream_of_char {
  template <class Stream>
  requires std::same_as<typename Stream::char_type, char> stream_of_char(Stream&);
};

// What a deleted constructor and a deleted assignment of dd_real take: a number in words becomes one otherwise. The
// constructor is explicit, so that f("...") still chooses between f(dd_real) and f(std::string).
struct use_parse_or_dd_of_hilo_text_hpp {
  template <class T>
  requires(std::same_as<std::decay_t<T>, char*> || std::same_as<std::decay_t<T>, const char*> ||
           requires(const T& text) {
             typename T::traits_type;
             { text.data() } -> std::same_as<const char*>;
           }) use_parse_or_dd_of_hilo_text_hpp(const T&);
};

// Where hilo::to_string is looked for when hilo itself has none. A real one that is found beside it, through using
// namespace hilo, is no template and so the better choice.
namespace elsewhere {
template <std::same_as<dd_real> T>
include_hilo_text_hpp to_string(T, ...) = delete;
}  // namespace elsewhere

}  // namespace detail

using namespace detail::elsewhere;

inline namespace literals {
consteval dd_real operator""_dd(const char*);  // its definition is in <hilo/text.hpp>
}

}  // namespace hilo

#define HILO_IN_MATH(name) friend detail::include_hilo_math_hpp name(detail::argument_of<dd_real>) = delete;
#define HILO_IN_MATH_2(name) \
  friend detail::include_hilo_math_hpp name(detail::argument_of<dd_real>, detail::second_argument) = delete;
#define HILO_IN_COMPLEX_MATH(name) \
  friend detail::include_hilo_complex_math_hpp name(detail::argument_of<dd_complex>) = delete;
#define HILO_STREAMS_IN_TEXT(number)                                                                             \
  friend detail::include_hilo_text_hpp operator<<(detail::stream_of_char, detail::argument_of<number>) = delete; \
  friend detail::include_hilo_text_hpp operator>>(detail::stream_of_char, detail::argument_of<number>) = delete
#define HILO_IN_TEXT(name) friend detail::include_hilo_text_hpp name(detail::argument_of<dd_real>, ...) = delete;
