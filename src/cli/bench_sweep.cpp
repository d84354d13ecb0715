#include "cli/bench_sweep.hpp"

#include "data/memory.hpp"

namespace hilo::cli {
namespace {

GemmRequest of_size(GemmRequest request, std::int64_t n) {
  request.m = request.n = request.k = n;
  return request;
}

// Whether A, B and C fit memory of so many bytes, each of them in `largest`.
void check_memory(std::int64_t n, std::int64_t element_bytes, const std::string& owner, std::int64_t memory,
                  std::int64_t largest) {
  std::int64_t one, all;
  const std::string size = "n = " + std::to_string(n) + ": A, B and C of " + std::to_string(n) + " x " +
                           std::to_string(n) + " entries of " + std::to_string(element_bytes) + " bytes take ";
  if (__builtin_mul_overflow(n, n, &one) || __builtin_mul_overflow(one, element_bytes, &one) ||
      __builtin_mul_overflow(one, std::int64_t{3}, &all)) {
    throw error(errc::out_of_memory, size + "more bytes than fit 64 bits");
  }
  const std::string bytes = size + std::to_string(all) + " bytes; " + owner;
  if (all > memory) throw error(errc::out_of_memory, bytes + " has " + std::to_string(memory) + " bytes");
  if (one > largest) {
    throw error(errc::out_of_memory, bytes + " gives at most " + std::to_string(largest) + " at a time");
  }
}

template <class T>
void check_sizes(const std::optional<Queue>& queue, const std::vector<std::int64_t>& sizes) {
  for (std::int64_t n : sizes) {
    check_memory(n, sizeof(T), "this machine", data::memory_bytes(), data::memory_bytes());
    if (!queue) continue;
    const DeviceInfo& device = queue->context().device();
    check_memory(n, sizeof(T), "device " + device.name, device.global_memory, device.max_allocation);
  }
}

// The products that their engines compute at every size.
template <class T>
std::vector<GemmRequest> supported(const std::optional<Queue>& queue, const BenchRequest& request) {
  std::vector<GemmRequest> products;
  std::optional<error> refusal;
  for (const GemmRequest& product : request.products) {
    try {
      for (std::int64_t n : request.sizes) plan_product<T>(queue, of_size(product, n));
      products.push_back(product);
    } catch (const error& e) {
      const bool is_lacking = e.code() == errc::unsupported || e.code() == errc::self_test_failure;
      if (!request.chooses_engines || !is_lacking) throw;
      refusal = e;
    }
  }
  if (products.empty()) throw *refusal;
  return products;
}

template <class T>
BenchSize measure(std::optional<Queue>& queue, const std::vector<GemmRequest>& products, std::int64_t n,
                  Progress& progress) {
  const std::string size = "n = " + std::to_string(n) + ": ";
  progress.at(size + "generating");
  BenchSize row{n, {}, {}};
  Operands<T> operands = generated_operands<T>(of_size(products.front(), n), false);
  for (const GemmRequest& product : products) {
    progress.at(size + std::string(name(product.options.engine)));
    row.products.push_back({product.options.engine, time_product(queue, of_size(product, n), T(1), operands, T(0))});
  }
  return row;
}

template <class T>
std::vector<BenchSize> run(const BenchRequest& request, Progress& progress) {
  std::optional<Queue> queue = open_queue(request.products.front());
  check_sizes<T>(queue, request.sizes);
  const std::vector<GemmRequest> products = supported<T>(queue, request);
  std::vector<BenchSize> rows;
  for (std::int64_t n : request.sizes) {
    rows.push_back(measure<T>(queue, products, n, progress));
    if (!request.reference) continue;
    progress.at("n = " + std::to_string(n) + ": " + request.reference->command());
    rows.back().reference = request.reference->measure(n);
  }
  progress.at("");
  return rows;
}

}  // namespace

std::vector<BenchSize> bench(const BenchRequest& request, Progress& progress) {
  switch (request.products.front().precision) {
    case Precision::s:
      return run<float>(request, progress);
    case Precision::d:
      return run<double>(request, progress);
    case Precision::c:
      return run<std::complex<float>>(request, progress);
    case Precision::z:
      return run<std::complex<double>>(request, progress);
    case Precision::dd:
      return run<dd_real>(request, progress);
    case Precision::zdd:
      return run<dd_complex>(request, progress);
  }
  return {};
}

}  // namespace hilo::cli
