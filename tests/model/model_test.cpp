// Bounds of products: the papers' own figures, to the digits that they print.
#include <gtest/gtest.h>

#include <array>
#include <hilo/model.hpp>
#include <limits>
#include <vector>

namespace {

using namespace hilo;
using model::Issue;
using model::Multiprocessor;
using model::PatternStep;
using model::RegisterFile;
using model::TiledKernel;

constexpr double giga = 1e9, tera = 1e12;

// Nakasato 2010, of Cypress: 2.72 TFlop/s in S, 544 GFlop/s in D.
TEST(Blocking, NakasatosBandwidth) {
  EXPECT_NEAR(model::block_bandwidth(544 * giga, 8, 1), 4.352 * tera, 0.5e9);
  EXPECT_NEAR(model::block_bandwidth(544 * giga, 8, 4), 1.088 * tera, 0.5e9);
  EXPECT_EQ(model::least_block(2720 * giga, 4, 1.088 * tera), 10);
  EXPECT_EQ(model::least_block(544 * giga, 8, 1.088 * tera), 4);
  EXPECT_EQ(model::least_block(544 * giga, 8, 1.087 * tera), 5);
  EXPECT_EQ(model::least_block(1 * giga, 8, 1e15), 1);
  EXPECT_EQ(model::least_block(1e308, 8, 1e-308), std::numeric_limits<int>::max());
  EXPECT_EQ(model::least_block(1e308, 8, 1e308), 8);
}

TEST(Blocking, NakasatosPeaksInDoubleDouble) {
  EXPECT_NEAR(model::operation_peak(544, 21, 25), 23.7, 0.05);
  EXPECT_NEAR(model::operation_peak(544, 21, 8), 37.5, 0.05);
}

TEST(Blocking, NakasatosThreads) {
  constexpr RegisterFile file{256, 4, 256};
  EXPECT_EQ(model::running_threads(file, 25), 40);
  EXPECT_EQ(model::running_threads(file, 37), 24);
  EXPECT_EQ(model::running_threads(file, 256), 4);
  EXPECT_EQ(model::running_threads(file, 257), 0);
}

// 2N³/F + 32N²/bandwidth in D, F = 450 GFlop/s.
TEST(Blocking, NakasatosTransfers) {
  auto gflops = [](double n, double bandwidth) {
    return 2e-9 * n * n * n / model::seconds_with_transfers(n, 450 * giga, 8, bandwidth);
  };
  for (double n : {1024.0, 2048.0, 4096.0, 8192.0}) {
    for (double bandwidth : {3 * giga, 10 * giga}) {
      EXPECT_NEAR(gflops(n, bandwidth), 450 / (1 + 450e9 * 16 / (n * bandwidth)), 1e-6);
    }
  }
  // Half the kernel's speed where both take as long.
  EXPECT_NEAR(gflops(2400, 3 * giga), 225, 1e-9);
  EXPECT_NEAR(gflops(720, 10 * giga), 225, 1e-9);
}

// With operands that come while they are multiplied: at the worst moment, share s of both, s² of the product are done.
TEST(Model, StreamedProducts) {
  for (const double in : {0.0, 0.3, 1.0, 1.9, 2.0, 2.5, 10.0}) {
    constexpr int steps = 10000;
    double worst = 0.0;
    for (int i = 0; i <= steps; ++i) {
      const double share = static_cast<double>(i) / steps;
      worst = std::max(worst, share * in + 1.0 - share * share);
    }
    EXPECT_NEAR(model::seconds_streamed(1.0, in, 0.0), worst, 1e-6) << in;
  }
  EXPECT_EQ(model::seconds_streamed(1.0, 0.5, 3.0), 3.0);
  EXPECT_EQ(model::seconds_streamed(0.0, 0.5, 0.25), 0.5);
}

// Lai and Seznec 2013, of a GTX 580 in S: 63 registers at most, work-groups of 256 threads, 16 terms at a time.
constexpr TiledKernel fermi_kernel{256, 16, 1, 2, 7};
constexpr Multiprocessor fermi{{32768, 1, 63}, 49152, 1536};

TEST(Tiling, FermisBlocks) {
  EXPECT_EQ(model::block_registers(fermi_kernel, 6), 63);
  EXPECT_EQ(model::largest_block(fermi_kernel, fermi, 4), 6);
  EXPECT_EQ(model::tile_edge(fermi_kernel, 6), 96);
  EXPECT_EQ(model::tile_bytes(fermi_kernel, 6, 4), 12288);
  EXPECT_EQ(model::running_groups(fermi_kernel, fermi, 6, 4), 2);
  Multiprocessor other = fermi;
  other.file.most = 62;
  EXPECT_EQ(model::largest_block(fermi_kernel, other, 4), 5);
  other.file.most = 255;
  EXPECT_EQ(model::largest_block(fermi_kernel, other, 4), 9) << "128 registers of the file for each thread";
  other.shared_bytes = 8191;
  EXPECT_EQ(model::largest_block(fermi_kernel, other, 4), 3) << "shared memory";
  other.most_threads = 255;
  EXPECT_EQ(model::largest_block(fermi_kernel, other, 4), 0) << "threads";
}

TEST(Tiling, FermisMixOfInstructions) {
  EXPECT_NEAR(100 * model::multiply_add_share(6, 1), 75.0, 0.05);
  EXPECT_NEAR(100 * model::multiply_add_share(6, 2), 85.7, 0.05);
  // Issued at 30.8 of 32 a cycle.
  EXPECT_NEAR(100 * model::attainable_part(6, 2, 30.8 / 32), 82.5, 0.05);
}

TEST(Tiling, MemoryFeedsFermi) {
  // 192.4 GB/s times 24 flops a byte: more than the 1581 GFlop/s of its peak.
  EXPECT_NEAR(model::tile_memory_roof(96, 4, 192.4 * giga), 4617.6 * giga, giga);
}

// Chien 2010, of a Tesla C1060: 30 multiprocessors of 8 lanes at 1.3 GHz.
TEST(Pattern, ChiensPeaks) {
  constexpr double peak = 30 * 8 * 2 * 1.3, multiply_add = 4;
  auto loads_and_multiply_adds = [](int loads, int multiply_adds) {
    return std::array{PatternStep{"load", loads, 4, 2, false}, PatternStep{"multiply-add", multiply_adds, 4, 4, true}};
  };
  const auto half = loads_and_multiply_adds(1, 2), most = loads_and_multiply_adds(3, 4);
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, half, Issue::dual), 499.2, 0.05);
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, half, Issue::single), 416, 0.5);
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, most, Issue::dual), 453.82, 0.005);
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, most, Issue::single), 356.57, 0.005);
  // An operand in shared memory: 6 cycles.
  const std::array shared{PatternStep{"multiply-add", 1, 6, 6, true}};
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, shared, Issue::single), 416, 0.5);
  const std::array registers{PatternStep{"multiply-add", 1, 4, 4, true}};
  EXPECT_NEAR(model::pattern_peak(peak, multiply_add, registers, Issue::single), 624, 1e-9);
}

// hilo's own steps on an H200, whose 16.65e12 instructions a second were measured: the ceilings of bench/results.
TEST(ProductBound, OfTheDirectEngine) {
  EXPECT_EQ(model::step_instructions(true, false), 13 + 23.0 / 64);
  EXPECT_EQ(model::step_instructions(true, true), 10.75 + 23.0 / 64);
  EXPECT_EQ(model::step_instructions(false, false), 30 + 23.0 / 64);
  EXPECT_EQ(model::step_instructions(false, true), 27.75 + 23.0 / 64);
  model::Device device;
  device.gflops_s = 67000;
  device.gflops_d = 34000;
  device.matrix_gflops_d = 67000;
  device.double_gops = 16650;
  device.has_fma = true;
  device.memory_gbytes = 4800;
  EXPECT_NEAR(model::direct_bound(device, Precision::dd, 4096).issue, 2.4926 * tera, 5e8);
  EXPECT_NEAR(model::direct_bound(device, Precision::zdd, 4096).issue, 2.4926 * tera, 5e8);
  EXPECT_NEAR(model::direct_bound(device, Precision::dd, 4096, true).issue, 2.9975 * tera, 5e8);
  EXPECT_EQ(model::direct_bound(device, Precision::c, 4096).issue, 67 * tera);
  EXPECT_EQ(model::direct_bound(device, Precision::d, 4096).issue, 67 * tera) << "matrix units";
  // 2n³ flops for 4 n² numbers: n/2 a number, 4096/16 a byte.
  EXPECT_NEAR(model::direct_bound(device, Precision::d, 4096).memory, 256 * 4.0 / 4 * 4800 * giga, 1);
  EXPECT_NEAR(model::direct_bound(device, Precision::dd, 4096).memory, 128 * 4800 * giga, 1);
  EXPECT_NEAR(model::direct_bound(device, Precision::zdd, 4096).memory, 2 * 128 * 4800 * giga, 1);
  EXPECT_EQ(model::direct_bound(device, Precision::d, 4096).least(), 67 * tera);
  EXPECT_EQ(model::direct_bound(device, Precision::d, 16).least(), 16.0 / 16 * 4800 * giga);
  device.dd_gflops = 14.4;
  EXPECT_EQ(model::direct_bound(device, Precision::dd, 4096).issue, 14.4 * giga) << "what was measured";
  device.memory_gbytes = 0;
  EXPECT_EQ(model::direct_bound(device, Precision::dd, 4096).least(), 14.4 * giga);
}

TEST(ProductBound, OfTheModularEngine) {
  model::Device device;
  device.byte_gops = 1979000;
  device.memory_gbytes = 4800;
  EXPECT_NEAR(model::modular_bound(device, Precision::dd, 8192, 31).issue, 63.84 * tera, 5e9);
  // Four real products by two with 16 of the moduli, by three with the others.
  EXPECT_NEAR(model::modular_bound(device, Precision::zdd, 8192, 31).issue, 102.81 * tera, 5e9);
  device.sustained_byte_gops = 1440000;
  EXPECT_NEAR(model::modular_bound(device, Precision::dd, 8192, 31).issue, 46.45 * tera, 5e9);
  EXPECT_NEAR(model::modular_bound(device, Precision::dd, 8192, 31).memory, 2 * 8192.0 / (64 + 186) * 4800 * giga, 1);
}

}  // namespace
