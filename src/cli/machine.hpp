// What computes, in words that people know.
#pragma once

#include <string>

#include "host/cpu_name.hpp"

namespace hilo::cli {

using host::cpu_name;

/// A plan's unit or a SIMD instruction set: Highway's "AVX3" is AVX-512.
std::string for_people(const std::string& unit);

/// The same with the CPU's model before it, of a plan's unit on the CPU.
std::string with_cpu(const std::string& unit);

}  // namespace hilo::cli
