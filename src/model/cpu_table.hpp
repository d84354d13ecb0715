// Tables of the rates of kinds of CPU: read from JSON, and searched. The format: docs/tuning.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cpu_cost.hpp"

namespace hilo::model {

/// How the direct engine's step multiplies and adds.
enum class StepFma : std::uint8_t {
  none,     ///< without fused multiply-adds
  native,   ///< by those of the instruction set
  emulated  ///< by functions, where it has none
};
std::string_view name(StepFma fma);

/// What rates depend on, as far as tables tell it apart.
struct CpuKind {
  std::string target;  ///< SIMD instruction set, by Highway's name
  int lanes;           ///< doubles of its vectors
  std::string int8;    ///< what multiplies bytes: modular::int8_path
  StepFma fma;

  bool operator==(const CpuKind&) const = default;
};
/// "AVX3, onednn-avx512-vnni, FMA native"
std::string to_string(const CpuKind& kind);

/// An entry of a table.
struct KnownRates {
  CpuKind kind;
  CpuRates rates;
  std::string cpu;      ///< what it was measured on, by host::cpu_name
  std::string date;     ///< of the measurement
  std::string library;  ///< this library's version then
};

struct CpuTable {
  std::vector<KnownRates> entries;
  std::vector<std::string> ignored;  ///< what counts as absent, and why, a line each
};

/// The entries for CPUs of a tuning file's text; those for devices are passed over. `where` begins the lines of
/// `ignored`. Throws std::bad_alloc alone.
CpuTable parse_cpu_table(const std::string& text, const std::string& where);

/// The table built in, cpu_rates.json.
CpuTable shipped_cpu_table();

/// The entry for the kind, else the nearest: with the same path for bytes, else another that is not `plain` for one of
/// those; of these with the same instruction set, else the same FMA, else vectors of about as many lanes; of these the
/// first. There must be one.
const KnownRates& nearest(const std::vector<KnownRates>& entries, const CpuKind& kind);

/// The members of an entry that hold rates, by the names in CpuRates.
struct RateName {
  const char* name;
  double CpuRates::*rate;
};
const std::vector<RateName>& rate_names();

}  // namespace hilo::model
