// Which rates the cost model takes on this CPU: what `hilo tune --backend cpu` found here, else what this library was
// shipped with for its kind, or the nearest. The files and their format: docs/tuning.md.
#pragma once

#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "model/cpu_table.hpp"

namespace hilo {

/// What these options make of this CPU. Throws unsupported, std::bad_alloc.
model::CpuKind cpu_kind(const GemmOptions& options);

enum class RatesFrom : std::uint8_t {
  user,     ///< the user's tuning file
  shipped,  ///< the shipped table, for this kind of CPU
  nearest   ///< the same, for another kind
};

struct ChosenRates {
  model::CpuRates rates;
  RatesFrom from;
  model::CpuKind kind;  ///< that they are for
};

/// The first call reads the tables, others take a fraction of a microsecond. The same on one machine with one file.
/// Thread-safe. Throws as cpu_kind does, and never for what is in the user's file.
ChosenRates rates_for(const GemmOptions& options);

/// What of the user's file counts as absent, and why, a line each.
std::vector<std::string> ignored_rates();

/// Puts an entry into the user's file in place of what it has for its CPU and kind, and into effect. What other
/// machines and processes have there stays. Throws io.
void store_rates(const model::KnownRates& known);

/// Whether store_rates can write. Throws io.
void check_rates_can_be_stored();

/// Reads the tables again at the next call.
void forget_rates();

}  // namespace hilo
