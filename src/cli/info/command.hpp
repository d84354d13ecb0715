// `hilo info`: what this build and this machine offer.
#pragma once

namespace hilo::cli {

/// Prints a table, or with `json` one JSON object.
void run_info(bool json);

}  // namespace hilo::cli
