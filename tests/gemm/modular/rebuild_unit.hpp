// Units that put residues together, for tests: NVIDIA's warps, where there are none, are emulated.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "environment_variable.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "opencl_queue.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"

namespace hilo::modular {

// kernels/modular/warp_nvidia.cl in plain OpenCL, for groups of one warp: lanes show each other what they have in
// `exchange`.
inline constexpr const char* emulated_warp = R"(
static inline void wait_for_warp(void) { barrier(CLK_LOCAL_MEM_FENCE); }
static inline void bring_to_cache(__global const void* at) {}

static inline uint permuted(uint x, uint y, uint selector) {
  ulong bytes = (ulong)y << 32 | x;
  uint z = 0;
  for (int i = 0; i < 4; ++i) z |= (uint)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return z;
}

static inline uint dot(uint x, uint y) {
  uint sum = 0;
  for (int i = 0; i < 32; i += 8) sum += (x >> i & 0xff) * (y >> i & 0xff);
  return sum;
}

static void add_products(uint (*sum)[BLOCKS][4], const uint (*x)[4], const uint (*weights)[BLOCKS],
                         int first, __local uint* shown) {
  int lane = (int)get_local_id(0);
  for (int unit = first; unit < UNITS; ++unit) {
    wait_for_warp();
    for (int i = 0; i < 4; ++i) shown[32 * i + lane] = x[unit][i];
    for (int block = 0; block < BLOCKS; ++block) shown[128 + 32 * block + lane] = weights[unit][block];
    wait_for_warp();
    for (int block = 0; block < BLOCKS; ++block) {
      for (int i = 0; i < 8; ++i) {
        uint total = 0;
        for (int t = 0; t < 4; ++t) {
          int row = lane / 4 * 4 + t, column = (lane % 4 * 2 + i % 2) * 4 + t;
          total += dot(shown[32 * (i / 2) + row], shown[128 + 32 * block + column]);
        }
        sum[i / 4][block][i % 4] += total;
      }
    }
  }
  wait_for_warp();
}
#define ADD_PRODUCTS(sum, x, weights, first, exchange) add_products(sum, x, weights, first, exchange[0])

static inline void add_limbs(uint* x, const uint* y, int first, int count) {
  ulong carry = 0;
  for (int i = first; i < count; ++i) {
    carry += (ulong)x[i] + y[i];
    x[i] = (uint)carry;
    carry >>= 32;
  }
}

static inline void add_product(uint* x, uint factor, const uint* y, int count) {
  ulong carry = 0;
  for (int i = 0; i < count; ++i) {
    carry += (ulong)factor * y[i] + x[i];
    x[i] = (uint)carry;
    carry >>= 32;
  }
}
)";

// Loops that hold barriers take a CPU's compiler long where they are unrolled.
inline std::string rolled(std::string text) {
  const std::string_view pragma = "#pragma unroll";
  for (std::size_t at; (at = text.find(pragma)) != std::string::npos;) text.erase(at, pragma.size());
  return text;
}

// A unit that can be built here, and for as long as it lives what emulates it.
class Unit {
 public:
  explicit Unit(RebuildUnit unit) : unit_(unit) {
    if (unit == RebuildUnit::integers || rebuild_unit(context()) == unit) return;
    warps_ = 1;
    folder_.emplace().write("modular/warp_nvidia.cl", emulated_warp);
    folder_->write("modular/rebuild_mma.cl", rolled(test::embedded_kernel("modular/rebuild_mma.cl")));
    path_.emplace("HILO_KERNEL_PATH", folder_->file("").c_str());
  }

  static opencl::ContextState& context() { return *queue().state()->context; }
  static bool is_possible(RebuildUnit unit) { return unit == RebuildUnit::integers || context().info.fp64; }

  Rebuilder rebuilder(ElementKind kind, int count, const Update& update, bool is_triangle) const {
    return Rebuilder(context(), unit_, kind, count, update, is_triangle, warps_);
  }
  std::string name() const {
    return std::string(unit_ == RebuildUnit::mma ? "mma" : "integers") + (folder_ ? ", emulated" : "");
  }

 private:
  RebuildUnit unit_;
  int warps_ = Rebuilder::default_warps;
  std::optional<test::TemporaryFolder> folder_;
  std::optional<test::EnvironmentVariable> path_;
};

}  // namespace hilo::modular
