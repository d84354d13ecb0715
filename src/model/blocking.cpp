// Nakasato's bounds: what blocks in registers ask of memory, and what transfers leave of a kernel's speed.
#include <algorithm>
#include <cmath>
#include <hilo/model.hpp>
#include <limits>

namespace hilo::model {

double block_bandwidth(double flops, double word_bytes, double block) { return flops * word_bytes / block; }

int least_block(double flops, double word_bytes, double bandwidth) {
  // What rounding adds to a quotient that is an integer makes no larger block.
  constexpr double rounding = 1.0 - 1e-12;
  constexpr double most = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(std::ceil(flops / bandwidth * word_bytes * rounding), 1.0, most));
}

double operation_peak(double instructions, double additions, double multiplications) {
  return instructions / (0.5 * (additions + multiplications));
}

std::int64_t running_threads(const RegisterFile& file, int registers_of_thread) {
  return std::int64_t{file.registers / registers_of_thread} * file.width;
}

double seconds_with_transfers(double n, double flops, double word_bytes, double bandwidth) {
  return 2.0 * n * n * n / flops + 4.0 * word_bytes * n * n / bandwidth;
}

double seconds_streamed(double kernel, double in, double out) {
  const double least = in <= 2.0 * kernel && kernel > 0.0 ? kernel + in * in / (4.0 * kernel) : in;
  return std::max(least, out);
}

}  // namespace hilo::model
