// What computes, in words that people know.
#pragma once

#include <iosfwd>
#include <string>

#include "host/cpu_name.hpp"

namespace hilo::cli {

using host::cpu_name;

/// A plan's unit or a SIMD instruction set: Highway's "AVX3" is AVX-512.
std::string for_people(const std::string& unit);

/// The same with the CPU's model before it, of a plan's unit on the CPU.
std::string with_cpu(const std::string& unit);

/// Lines of a table: the CPU with so many threads, and what they took.
void print_run(std::ostream& out, int threads, double seconds);

}  // namespace hilo::cli
