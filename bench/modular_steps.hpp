// The steps of the modular engine, each alone: where a product's time goes.
#pragma once

#include <cstdint>

namespace hilo::bench {

/// Prints the milliseconds of each step of C = A · B in DD, n × n in column order on one thread, and of the product.
void print_steps(std::int64_t n, int rounds);

}  // namespace hilo::bench
