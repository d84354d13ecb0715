// What every public function of the library does besides its work.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "host/floating_point.hpp"

namespace hilo::host {

/// Throws hilo::error (out_of_memory), with a message that is always there where memory does not suffice for this one.
[[noreturn]] void throw_out_of_memory(std::string (*describe)(const void*), const void* x);

/// f() in IEEE arithmetic; std::bad_alloc becomes hilo::error (out_of_memory) with describe()'s words.
template <class Describe, class F>
auto door(const Describe& describe, F&& f) {
  IeeeArithmetic arithmetic;
  try {
    return f();
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw_out_of_memory([](const void* x) -> std::string { return (*static_cast<const Describe*>(x))(); }, &describe);
}
template <class F>
auto door(const char* message, F&& f) {
  return door([message] { return std::string(message); }, f);
}

}  // namespace hilo::host
