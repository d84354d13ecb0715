// The routines that commands time or tell of, by BLAS's and LAPACK's names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::cli {

enum class Routine : std::uint8_t { gemm, batch, syrk, trsm, getrf, potrf, geqrf, solve };

std::string_view name(Routine);

/// Their names, in that order.
std::vector<std::string> names_of(const std::vector<Routine>& routines);

/// What --routine says, of one word, where a command takes these routines. Throws hilo::error (invalid_argument).
Routine read_routine(const std::string& text, const std::vector<Routine>& taken);

}  // namespace hilo::cli
