// `hilo gemm` on several devices and with little of a device's memory: the same C, and how it went.
#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Program;

class Devices : public Program {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  }
  std::string c_of(const std::string& options) {
    const auto outcome = hilo("gemm --seed 3 --engine modular --fma on --warmup 0 -o C.npy " + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return folder.read("C.npy");
  }
};

TEST_F(Devices, ShareAProduct) {
  const std::string sizes = "-m 400 -n 300 -k 70 --repeat 1 ", want = c_of(sizes);
  // One device may be there twice, in a group of the library; of the program's list it is once.
  for (const char* devices : {"all", "0", "0,00"}) {
    EXPECT_EQ(c_of(sizes + "--devices " + devices), want) << devices;
  }
  const json r = hilo_json("gemm " + sizes + "--engine modular --devices all");
  ASSERT_TRUE(r["panels"].is_array());
  EXPECT_EQ(r["backend"], "opencl");
  for (const json& device : r["panels"]) {
    EXPECT_GT(device["bytes_in"], 0);
    EXPECT_GE(device["seconds"].get<double>() * 1.001, device["seconds_kernel"].get<double>());
  }
}

TEST_F(Devices, TakeOptionsOfKernels) {
  EXPECT_EQ(c_of("-n 40 --repeat 1 --devices 0 --build-options -DNOTHING"), c_of("-n 40 --repeat 1"));
  expect_error("gemm -n 20 --build-options -DNOTHING", 2, "it is for kernels on a device, and --backend is cpu");
}

TEST_F(Devices, TakeSoMuchMemory) {
  const std::string sizes = "-m 600 -n 500 -k 70 --repeat 1 --backend opencl ";
  EXPECT_EQ(c_of(sizes + "--device-memory 1500K"), c_of(sizes));
  const json r = hilo_json("gemm " + sizes + "--engine modular --device-memory 1500K"),
             whole = hilo_json("gemm " + sizes + "--engine modular");
  EXPECT_TRUE(whole["panels"].is_null());
  ASSERT_EQ(r["panels"].size(), 1u);
  const json& panels = r["panels"][0];
  EXPECT_GT(panels["row_panels"].get<int>() * panels["column_panels"].get<int>(), 1);
  EXPECT_EQ(panels["bytes_out"], 600 * 500 * 16);
  const std::string table = hilo("gemm " + sizes + "--engine modular --device-memory 1500K").out;
  for (const char* words : {"\npanels     ", " expected, ", "\n  there    ", " % hidden\n"}) {
    EXPECT_NE(table.find(words), table.npos) << words << table;
  }
}

TEST_F(Devices, RefuseWhatMakesNoSense) {
  expect_error("gemm -n 20 --devices 0 -d 0", 2, "--devices 0 and -d both say which devices compute");
  expect_error("gemm -n 20 --devices all --device cpu", 2, "--devices all and --device both say");
  expect_error("gemm -n 20 --devices all --backend cpu", 2, "--devices all are OpenCL devices; --backend is cpu");
  expect_error("gemm -n 20 --devices 0,x", 2, "--devices");
  expect_error("gemm -n 20 --devices -1", 2, "--devices");
  expect_error("gemm -n 20 --devices 77", 3, "--devices: no OpenCL device number 77");
  for (const char* devices : {"0", "all"}) {
    expect_error(std::string("gemm -n 20 -p 99 --devices ") + devices, 3, "hilo: -p: no OpenCL platform number 99");
  }
  expect_error("gemm -n 20 --device-memory 1M", 2, "--device-memory 1M has no effect: --backend is cpu");
  expect_error("gemm -n 20 --backend opencl --device-memory x", 2, "--device-memory");
  expect_error("gemm -n 20 --devices 0 --timing", 2, "--timing tells of one device");
  expect_error("gemm -n 20 --backend opencl --device-memory 1M --dump k.bin", 2, "--dump takes the kernels of one");
  expect_error("gemm -n 900 -k 70 --engine modular --backend opencl --device-memory 10K", 4,
               "panels of 70 terms take at least");
}

}  // namespace
}  // namespace hilo
