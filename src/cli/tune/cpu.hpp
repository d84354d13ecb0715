// `hilo tune --backend cpu`: measures the rates by which products on the CPU choose their engine, and keeps them.
#pragma once

namespace hilo::cli {

struct TuneArguments;

/// Prints a table or a JSON object. Throws hilo::error: io, invalid_argument, out_of_memory.
void run_tune_cpu(const TuneArguments& arguments);

}  // namespace hilo::cli
