// What a routine throws of a failure in one of its steps.
#pragma once

#include <hilo/error.hpp>
#include <string>
#include <string_view>

namespace hilo::stream {

/// In the routine's name: before its result is written as it comes, afterwards with a word on that. `results`: what is
/// undefined then, with its verb.
inline error told(const error& failure, const char* routine, const char* results, bool has_written) {
  std::string message = failure.what();
  if (constexpr std::string_view of_product = "gemm: "; message.starts_with(of_product)) {
    message.erase(0, of_product.size());
  }
  // Of a product among those that it is made of.
  if (const std::size_t at = message.find("; C is undefined"); at != message.npos) {
    message.resize(at);
    has_written = true;
  }
  if (message.find(routine) != 0) message = std::string(routine) + ": " + message;
  return error(failure.code(), has_written ? message + "; " + results + " undefined" : message);
}

}  // namespace hilo::stream
