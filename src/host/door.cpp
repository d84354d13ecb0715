#include "host/door.hpp"

#include <hilo/error.hpp>

namespace hilo::host {
namespace {

// Made while there is memory; a copy takes none.
const error& spare() {
  static const error e(errc::out_of_memory, "no memory, not even to say what for");
  return e;
}
[[maybe_unused]] const error& made_at_start = spare();

}  // namespace

void throw_out_of_memory(std::string (*describe)(const void*), const void* x) {
  try {
    throw error(errc::out_of_memory, describe(x));
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw spare();
}

}  // namespace hilo::host
