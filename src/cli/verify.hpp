// A product held against MPFR.
#pragma once

#include "cli/gemm/result.hpp"
#include "cli/operands.hpp"
#include "cli/progress.hpp"

namespace hilo::cli {

/// What --verify asks for of operands.c = alpha · op(A) · op(B) + beta · c0. Throws as hilo::accuracy does; unsupported
/// in a build without it.
template <class T>
Verification verify(const GemmRequest& request, T alpha, const Operands<T>& operands, T beta, const GemmPlan& plan,
                    Progress& progress);

}  // namespace hilo::cli
