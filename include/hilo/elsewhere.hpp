// Names that stand in for functions of headers that are not included: a call that finds nothing better stops at a
// deleted function whose type says which header to include, instead of at a list of std's candidates.
#pragma once

#include <concepts>

namespace hilo {

struct dd_real;
struct dd_complex;

namespace detail {

struct include_hilo_math_hpp;
struct include_hilo_complex_math_hpp;
struct include_hilo_text_hpp;

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

}  // namespace detail

}  // namespace hilo

#define HILO_IN_MATH(name) friend detail::include_hilo_math_hpp name(detail::argument_of<dd_real>) = delete;
#define HILO_IN_MATH_2(name) \
  friend detail::include_hilo_math_hpp name(detail::argument_of<dd_real>, detail::second_argument) = delete;
#define HILO_IN_COMPLEX_MATH(name) \
  friend detail::include_hilo_complex_math_hpp name(detail::argument_of<dd_complex>) = delete;
#define HILO_STREAMS_IN_TEXT(number)                                                                             \
  friend detail::include_hilo_text_hpp operator<<(detail::stream_of_char, detail::argument_of<number>) = delete; \
  friend detail::include_hilo_text_hpp operator>>(detail::stream_of_char, detail::argument_of<number>) = delete
