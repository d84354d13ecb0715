// The speed of products over their size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
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
  std::optional<double> seconds;  ///< sizes that would end later are left out, but the first
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
  bool is_done = false;
};

/// What is measured by now.
struct BenchFindings {
  std::set<std::string> units;  ///< what computes, by the plans
  std::vector<BenchSize> sizes;
  std::vector<std::int64_t> left_out;  ///< for want of time
};

/// Times n x n x n products of generated matrices, each after a run to warm up, and the reference between them. `tell`
/// has what is measured after every product and every size. Throws hilo::error before anything runs where matrices of
/// some size do not fit host or device (out_of_memory), or an engine does not compute the product (unsupported);
/// otherwise as gemm and Reference do.
void bench(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell);

}  // namespace hilo::cli
