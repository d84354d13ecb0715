// The sum test on a device: how many bits the entries of a product ask for (sums.hpp is the CPU's, docs/modular.md
// defines both).
#pragma once

#include <cstdint>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/scan.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// Words of the norms of m rows and n columns, and of the sums of squares that they are made of, which are 0 before
/// they are added to.
std::int64_t norm_words(std::int64_t m, std::int64_t n);

/// Launches the sum test of what was scanned, and the summary of lines; `program` has modular/sums.cl. The answer will
/// be in the figures, and lines' exponents less v and w in `scaled`, of A and then of B.
void enqueue_sum_test(opencl::Call& call, const cl::Program& program, ByteUnit unit, const ScannedOperands& operands,
                      const cl::Buffer& norms, const cl::Buffer& scaled, const cl::Buffer& figures);

/// What the figures say that were read.
SumTestFigures sum_test_figures(const Figures& figures);

/// Device memory for a product m × n × k.
std::int64_t sum_test_bytes(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace hilo::modular
