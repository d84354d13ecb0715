// What dot and axpy cannot be faster than: their bytes read and written and nothing computed, and their arithmetic on
// registers and nothing read. Compiled for the building machine's CPU.
#pragma once

#include <cstdint>

namespace hilo::bench {

/// Reads n double-doubles each of x and y.
double read_two(std::int64_t n, const double* x, const double* y);
/// Reads n double-doubles each of x and y, and writes those of y.
void read_two_write_one(std::int64_t n, const double* x, double* y);

/// The arithmetic of n elements, with 4, 8 or 12 independent vectors in flight. `unpacks` adds the shuffles that take
/// pairs of words in memory apart and put them together again.
double dot_in_registers(std::int64_t n, int vectors, bool unpacks);
double axpy_in_registers(std::int64_t n, int vectors, bool unpacks);

}  // namespace hilo::bench
