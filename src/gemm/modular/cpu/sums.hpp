// The sum test: how many bits the entries of a product ask for, by lower bounds of (|A||B|)_ij that a product of bytes
// gives. docs/modular.md, 1.3.
#pragma once

#include <cstdint>
#include <hilo/gemm.hpp>
#include <vector>

#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/guarantee.hpp"

namespace hilo::modular {

/// The lines of an operand: e, the sum of squares of its elements as KernelSet::squares has them in units of 2^(e −
/// norm_unit), and whether it is left out.
struct SummedLines {
  const std::vector<std::int64_t>& exponent;
  const std::vector<double>& squares;
  const std::vector<std::uint8_t>& idle;
};

struct SumTestRequest {
  Int8Library library;
  int threads;
  std::int64_t bytes;  ///< of magnitudes that are held at a time, about
};

struct SumTestResult {
  SumTestFigures figures;
  std::vector<std::int64_t> shift[2];  ///< v of A's rows and w of B's columns
};

SumTestResult sum_test(const Operand (&operand)[2], const SummedLines (&lines)[2], const KernelSet& kernels,
                       const SumTestRequest& request);

}  // namespace hilo::modular
