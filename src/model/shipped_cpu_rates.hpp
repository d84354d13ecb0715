// The text of cpu_rates.json, embedded when building.
#pragma once

namespace hilo::model {

extern const char* const shipped_cpu_rates;

}  // namespace hilo::model
