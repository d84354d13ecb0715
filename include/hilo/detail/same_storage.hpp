// One array seen as one of another type with the same layout.
#pragma once

namespace hilo::detail {

// The same address as an array of other objects. To the compiler the barrier reads and writes all memory and makes a
// pointer of unknown origin, as std::start_lifetime_as does in C++23, so that no access on one side of it moves to the
// other for having another type.
template <class To, class From>
To* same_storage(From* p) {
  void* q = const_cast<void*>(static_cast<const void*>(p));
  asm volatile("" : "+r"(q) : : "memory");
  return static_cast<To*>(q);
}

}  // namespace hilo::detail
