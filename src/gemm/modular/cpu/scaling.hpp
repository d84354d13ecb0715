// How a product's operands are scaled to integers, and how many moduli that takes: the guardrail of the modular engine.
// Definitions and proofs: docs/modular.md.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/guarantee.hpp"

namespace hilo::modular {

struct Position {
  std::int64_t line[2];  ///< row, column
};

struct Scaling {
  Path path = Path::modular;
  /// By operand, A and B: e of each line, |x| < 2^e, and the bits p of its integers |x · 2^(p − e)|.
  std::vector<std::int64_t> exponent[2];
  int bits[2] = {0, 0};
  /// Lines with Inf or NaN, whose entries are all the direct engine's.
  std::vector<std::uint8_t> is_bad[2];
  /// A's term h is scaled by 2^balance[h], B's by its inverse; empty where none is.
  std::vector<std::int64_t> balance;
  int moduli = 0;
  int esc = 0;
  double error_bound_u2 = 0.0;
  /// What the direct engine has to compute, by rows and then columns.
  std::vector<Position> direct;
};

struct ScalingRequest {
  Accuracy accuracy;
  int bits;         ///< for Accuracy::bits
  int most_moduli;  ///< more are slower than the direct engine; max_moduli where that does not matter
  int threads;
  std::int64_t bytes;  ///< that may be taken for bytes of magnitudes, and to remember the spread of every entry
  std::int64_t tile;   ///< lines of both operands whose spread is found at a time
  Int8Library library;
};

/// Reads both operands (k >= 1). Throws unsupported where `tight` or `exact` cannot be met, saying what it would take.
Scaling scale(const Operand (&operand)[2], const ScalingRequest& request, const KernelSet& kernels);

}  // namespace hilo::modular
