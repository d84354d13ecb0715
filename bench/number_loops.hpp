// Loops over one number type, for array_bench to compare types by. Each type has a file of its own, with compiler flags
// of its own; numbers are pairs of doubles in memory for all of them.
#pragma once

#include <cstdint>

namespace hilo::bench {

struct NumberLoops {
  using Loop = void (*)(std::int64_t n, const double* x, const double* y, double* out);
  using Chain = double (*)(std::int64_t steps);

  /// out[i] = x[i] + y[i], …, sqrt(x[i]), … as a user writes it; the compiler may vectorise.
  Loop add, multiply, divide, sqrt, exp, log, sin, cos;
  /// The same, kept from being vectorised.
  Loop scalar_add, scalar_multiply, scalar_divide;
  /// Steps that each wait for the one before.
  Chain add_chain, multiply_chain, multiply_add_chain, divide_chain, sqrt_chain, exp_chain, log_chain, sin_chain;
};

extern const NumberLoops dd_real_loops, qd_loops;

/// dd_pack<8>: no scalar loops, no chains.
extern const NumberLoops pack_loops;

}  // namespace hilo::bench
