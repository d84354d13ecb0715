#include "tune/byte_rate.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "tune/issue_rate.hpp"

namespace hilo::tune {
namespace {

constexpr int planes = 4;                         // products in one launch, as a modular product has several
constexpr std::int64_t least = 256, most = 8192;  // rows, columns and terms: whole tiles of all units
constexpr double long_enough = 1e-3;              // seconds, which leave the ends of a launch without effect
constexpr double seconds_in_all = 0.2;            // in which a device that was idle reaches its clock

std::size_t matrix_bytes(std::int64_t n) { return static_cast<std::size_t>(planes * n * n); }

// A, B and C take no more than a quarter of the device's memory.
bool fits(const DeviceInfo& d, std::int64_t n) {
  const auto bytes = static_cast<std::int64_t>(matrix_bytes(n));
  return bytes <= d.max_allocation && 3 * bytes <= d.global_memory / 4;
}

// With residues as random as those of matrices: the power that equal or few bits take, which is less, lets a device's
// clock rise. The bytes of the first block are repeated.
void fill(cl::CommandQueue& commands, const cl::Buffer& buffer, std::size_t bytes) {
  constexpr std::size_t block = 1 << 16;  // a part of the least matrix
  std::vector<std::uint8_t> random(block);
  std::mt19937 engine(1);  // whose numbers the standard fixes
  std::generate(random.begin(), random.end(), [&] { return static_cast<std::uint8_t>(engine() >> 24); });
  commands.enqueueWriteBuffer(buffer, CL_TRUE, 0, block, random.data());
  for (std::size_t done = block; done < bytes; done *= 2) {
    commands.enqueueCopyBuffer(buffer, buffer, 0, done, std::min(done, bytes - done));
    commands.finish();
  }
}

// Products of n × n matrices of bytes, ready to be launched.
class Products {
 public:
  Products(Queue& queue, modular::ByteUnit unit, std::int64_t n)
      : queue_(queue.state()->queue),
        product_(product(queue, modular::byte_tiles(unit).front(), n)),
        launch_(modular::byte_multiplier(*queue.context().state(), unit, modular::byte_tiles(unit).front())
                    .launch(product_)) {}

  double seconds() {
    cl::Event event;
    queue_.enqueueNDRangeKernel(*launch_.kernel, cl::NullRange, launch_.global, launch_.local, nullptr, &event);
    return seconds_of(event);
  }

 private:
  static modular::ByteProduct product(Queue& queue, const modular::ByteTile& tile, std::int64_t n) {
    cl::CommandQueue& commands = queue.state()->queue;
    const auto buffer = [&](std::size_t bytes) {
      return cl::Buffer(queue.context().state()->context, CL_MEM_READ_WRITE, bytes);
    };
    const cl::Buffer a = buffer(matrix_bytes(n)), b = buffer(matrix_bytes(n));
    for (const cl::Buffer& operand : {a, b}) fill(commands, operand, matrix_bytes(n));
    const cl::Buffer moduli = buffer(sizeof(cl_int) * planes);
    commands.enqueueWriteBuffer(moduli, CL_TRUE, 0, sizeof(cl_int) * planes, modular::moduli.data());
    const int row_panels = static_cast<int>(n / tile.rows), column_panels = static_cast<int>(n / tile.columns);
    return {a, b, buffer(matrix_bytes(n)), moduli, 0, planes, row_panels, column_panels, n, false};
  }

  cl::CommandQueue& queue_;
  modular::ByteProduct product_;
  modular::ByteMultiplier::Launch launch_;
};

}  // namespace

double byte_rate(Queue& queue) {
  const modular::ByteUnit unit = modular::byte_unit(*queue.context().state());
  return opencl::guarded("measuring products of bytes", [&] {
    for (std::int64_t n = least;; n *= 2) {
      Products products(queue, unit, n);
      products.seconds();  // touches memory for the first time
      double best = products.seconds(), all = best;
      if (best < long_enough && n < most && fits(queue.context().device(), 2 * n)) continue;
      for (int run = 0; run < 5 || all < seconds_in_all; ++run) {
        const double seconds = products.seconds();
        best = std::min(best, seconds);
        all += seconds;
      }
      return static_cast<double>(planes) * static_cast<double>(n * n) * static_cast<double>(n) / best;
    }
  });
}

}  // namespace hilo::tune
