// The loops that users of a number type write, compiled with -O3 -march=native.
#pragma once

#include <cstdint>
#include <hilo/dd_real.hpp>

namespace hilo::bench {

/// C = A · B, n × n in column order, loops j, h, i, on libqd's dd_real. The arrays hold 2 n² doubles.
void qd_triple_loop(std::int64_t n, const double* a, const double* b, double* c);

/// The same on hilo's dd_real.
void dd_triple_loop(std::int64_t n, const dd_real* a, const dd_real* b, dd_real* c);

/// The same with the innermost loop over h, a sum in a register.
void dd_dot_loop(std::int64_t n, const dd_real* a, const dd_real* b, dd_real* c);

}  // namespace hilo::bench
