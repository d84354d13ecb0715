// Products of matrices in the memories of a group's devices.
#pragma once

#include "stream/group_matrix.hpp"
#include "stream/product.hpp"

namespace hilo::stream {

/// C = alpha · A · B + beta · C, C not empty, of matrices of one group, B's columns where C's are: each device has its
/// own of C, and takes A's others. By the plan of the first device; undone where entries or shape do not let parts tell
/// what the whole decides. has_begun: C may have been written to.
Outcome multiply(const dd_complex& alpha, GroupMatrixState& a, GroupMatrixState& b, const dd_complex& beta,
                 GroupMatrixState& c, const GemmOptions& options, GroupReport& report, bool& has_begun);

}  // namespace hilo::stream
