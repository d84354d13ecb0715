#include "tune/byte_rate.hpp"

#include <algorithm>

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
    const cl_uchar16 some = {{3, 141, 59, 26, 253, 58, 97, 93, 238, 46, 26, 143, 38, 32, 79, 150}};
    for (const cl::Buffer& operand : {a, b}) commands.enqueueFillBuffer(operand, some, 0, matrix_bytes(n));
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
