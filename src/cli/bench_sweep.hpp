// The speed of products over their size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/gemm_request.hpp"
#include "cli/progress.hpp"
#include "cli/reference.hpp"
#include "cli/timed_product.hpp"

namespace hilo::cli {

struct BenchRequest {
  std::vector<GemmRequest> products;  ///< the same product for each engine; their sizes are those below
  bool chooses_engines;               ///< engines that do not compute the product are left out
  std::vector<std::int64_t> sizes;
  std::optional<Reference> reference;
};

struct BenchProduct {
  Engine engine;  ///< as asked for
  Timing timing;
};

struct BenchSize {
  std::int64_t n;
  std::vector<BenchProduct> products;
  std::optional<ReferenceSpeed> reference;
};

/// Times n x n x n products of generated matrices, each after a run to warm up, and the reference between them. Throws
/// hilo::error before anything runs where matrices of some size do not fit host or device (out_of_memory), or an engine
/// does not compute the product (unsupported); otherwise as gemm and Reference do.
std::vector<BenchSize> bench(const BenchRequest& request, Progress& progress);

}  // namespace hilo::cli
