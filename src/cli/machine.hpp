// What computes, in words that people know.
#pragma once

#include <hilo/gemm.hpp>
#include <iosfwd>
#include <string>

#include "host/cpu_name.hpp"

namespace hilo::cli {

using host::cpu_name;

/// A plan's unit or a SIMD instruction set: Highway's "AVX3" is AVX-512.
std::string for_people(const std::string& unit);

/// The same with the CPU's model before it, of a plan's unit on the CPU.
std::string with_cpu(const std::string& unit);

/// What computed a problem, and how long that took.
struct Run {
  Backend backend = Backend::cpu;
  std::string device = {};      ///< the CPU's model, empty where the system tells none; OpenCL's name of a device
  int threads = 0;              ///< of the CPU; 0 where a device computes
  double seconds_kernel = 0.0;  ///< with the matrices on the device; on the CPU there is no other time
  double seconds_total = 0.0;   ///< from host memory and back
  int repeat = 0;  ///< timed runs after one to warm up, the best of which counts; 0: the first one, in which a device's
                   ///< programs are built and tested, or read from disk
};

/// Lines of a table.
void print_run(std::ostream& out, const Run& run);

}  // namespace hilo::cli
