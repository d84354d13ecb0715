// `hilo gemm` by the options of AMD's sample MatrixMulDouble: what each of them changes.
#include <fstream>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

// The first device of a type as `hilo info` lists them, with its numbers; null where there is none.
json device_of_type(const json& info, const std::string& type) {
  for (std::size_t p = 0; p < info["platforms"].size(); ++p) {
    for (std::size_t d = 0; d < info["platforms"][p]["devices"].size(); ++d) {
      json device = info["platforms"][p]["devices"][d];
      if (device["type"] != type) continue;
      device["numbers"] = " -p " + std::to_string(p) + " -d " + std::to_string(d);
      return device;
    }
  }
  return {};
}

// Every command of docs/matrixmuldouble.md, on a CPU's OpenCL device where there is no GPU.
TEST_F(Program, RunsTheExamplesOfItsPage) {
  const json info = json::parse(hilo("info --json").out);
  if (info["platforms"].empty()) GTEST_SKIP() << "no OpenCL device";
  const std::string type = device_of_type(info, "gpu").is_null() ? "cpu" : "gpu";
  folder.write("flags.txt", "-cl-kernel-arg-info\n");
  std::ifstream page(HILO_KERNEL_FOLDER "/../docs/matrixmuldouble.md");
  const std::string begin = "hilo gemm ", gpu = "--device gpu";
  int commands = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with(begin)) continue;
    if (const std::size_t at = line.find(gpu); at != line.npos) line.replace(at, gpu.size(), "--device " + type);
    const Outcome run = hilo(line.substr(std::string("hilo ").size()));
    EXPECT_EQ(run.code, 0) << line << '\n' << run.err;
    EXPECT_EQ(run.err, "") << line;
    EXPECT_EQ(run.out.empty(), line.find("--quiet") != line.npos) << line;
    ++commands;
  }
  EXPECT_GE(commands, 14);
}

// Dimensions are what was asked for, and the entries those that -m, -n and -k generate.
TEST_F(Program, SizesByTheirOldNames) {
  const json r = hilo_json("gemm -x 7 -y 5 -z 11 -o old.npy");
  EXPECT_EQ(r["m"], 7);
  EXPECT_EQ(r["k"], 5);
  EXPECT_EQ(r["n"], 11);
  EXPECT_EQ(hilo_json("--heightA 7 --widthA 5 --widthB 11 -o long.npy")["m"], 7);
  EXPECT_EQ(hilo("-m 7 -k 5 -n 11 -o new.npy").code, 0);
  EXPECT_TRUE(folder.read("old.npy") == folder.read("new.npy"));
  EXPECT_TRUE(folder.read("long.npy") == folder.read("new.npy"));
  const json mixed = hilo_json("-x 3 -n 4");
  EXPECT_EQ(mixed["m"], 3);
  EXPECT_EQ(mixed["k"], 4);
  expect_error("-x 3 -m 4 -n 5", 2, "hilo: -m 4 and -x 3 both say how many rows C has; give one of them");
  expect_error("-y 3 -k 3 -n 5", 2, "hilo: -k 3 and -y 3 both say how many columns op(A) has; give one of them");
  expect_error("--widthB 3 -n 5", 2, "hilo: -n 5 and -z 3 both say how many columns C has; give one of them");
  expect_error("-x 3", 2, "give two matrix files, or -z (and -x, -y)");
  expect_error("-x 3.5 -z 2", 2, "-x '3.5' is not an integer");
  expect_error("-z -2", 2, "-z -2 is less than 0");
  expect_error("a.mtx b.mtx -x 2", 2, "-x, -y and -z are for generated matrices");
  expect_error("bench -x 5", 2, "bench does not take '-x'");
}

TEST_F(Program, RunsAsOftenAsIterationsAndWarmupSay) {
  const json r = hilo_json("-n 4 -i 5 --warmup 0");
  EXPECT_EQ(r["repeat"], 5);
  EXPECT_EQ(r["warmup"], 0);
  EXPECT_EQ(hilo_json("-n 4 --iterations 2")["repeat"], 2);
  EXPECT_EQ(hilo_json("-n 4 --repeat 2")["warmup"], 1);
  expect_error("-n 4 -i 0", 2, "-i 0 is less than 1");
  expect_error("-n 4 --warmup -1", 2, "--warmup -1 is less than 0");
  expect_error("-n 4 -i 2 --repeat 2", 2, "--repeat excludes --iterations");
}

TEST_F(Program, VerifiesByOneLetter) {
  for (const char* options : {"-e", "-qe", "--verify"}) {
    const json r = hilo_json(std::string("-n 20 ") + options);
    EXPECT_EQ(r["verified"], true);
    EXPECT_EQ(r["entries_checked"], hilo_json("-n 20 --verify=sample")["entries_checked"]);
  }
  EXPECT_TRUE(hilo_json("-n 20")["verified"].is_null());
  expect_error("-n 20 -e full", 2, "a value of --verify stands behind '=': --verify=full");
}

// Nothing but what is asked for: the exit code, files, JSON, and errors.
TEST_F(Program, QuietPrintsNoTable) {
  for (const char* quiet : {"-q", "--quiet"}) {
    const Outcome run = hilo(std::string("-n 4 -e -o c.mtx ") + quiet);
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out + run.err, "");
    EXPECT_EQ(hilo("-n 4 -o loud.mtx").code, 0);
    EXPECT_EQ(folder.read("c.mtx"), folder.read("loud.mtx"));
  }
  EXPECT_EQ(hilo_json("-n 4 -q")["n"], 4);
  expect_error("-n x -q", 2, "-n 'x' is not an integer");
}

TEST_F(Program, VersionByOneLetter) {
  const Outcome version = hilo("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("hilo ")) << version.out;
  for (const char* arguments : {"-v", "gemm -v", "gemm --version", "gemm --device cpu -x 3 -v"}) {
    const Outcome run = hilo(arguments);
    EXPECT_EQ(run.code, 0) << arguments;
    EXPECT_EQ(run.out, version.out) << arguments;
  }
}

// Both rates are there; the option says which of them comes first, and which is "gflops".
TEST_F(Program, LeadsWithTheRateThatCountsTransfers) {
  const std::string product = "-n 40 --engine direct" + std::string(has_device() ? " --backend opencl" : "");
  const json kernel = hilo_json(product), total = hilo_json(product + " --eAppGflops");
  EXPECT_EQ(kernel["gflops"], kernel["gflops_kernel"]);
  EXPECT_EQ(total["gflops"], total["gflops_total"]);
  EXPECT_GT(total["gflops_kernel"].get<double>(), 0.0);
  const std::string usual = hilo(product).out, old = hilo(product + " --eAppGflops").out;
  EXPECT_LT(usual.find("\nkernel "), usual.find("\ntotal "));
  EXPECT_LT(old.find("\ntotal "), old.find("\nkernel "));
  EXPECT_NE(old.find("\nkernel "), old.npos);
}

TEST_F(Program, TakesTheFirstDeviceOfAType) {
  expect_error("-n 3 --device tpu", 2, "--device 'tpu' is none of cpu, gpu");
  expect_error("-n 3 --device cpu --backend cpu", 2, "-p, -d and --device choose an OpenCL device; --backend is cpu");
  const json info = json::parse(hilo("info --json").out);
  if (info["platforms"].empty()) {
    expect_error("-n 3 --device gpu", 3, "no OpenCL");
    return;
  }
  for (const std::string type : {"cpu", "gpu"}) {
    const json device = device_of_type(info, type);
    const json other = device_of_type(info, type == "cpu" ? "gpu" : "cpu");
    if (device.is_null()) {
      const std::string there_is = "; there is " + other["name"].get<std::string>();
      expect_error("-n 3 --device " + type, 3, "--device " + type + ": there is no such device" + there_is);
      expect_error("tune --device " + type, 3, "--device " + type + ": there is no such device" + there_is);
      expect_error("-n 3 -p 0 --device " + type, 3, "the platform that -p names has no such device");
    } else {
      const json r = hilo_json("-n 3 --device " + type);
      EXPECT_EQ(r["backend"], "opencl");
      EXPECT_EQ(r["device"], device["name"]);
      EXPECT_EQ(hilo_json("-n 3 --device " + type + device["numbers"].get<std::string>())["device"], device["name"]);
    }
    if (!other.is_null()) {
      expect_error("-n 3 --device " + type + other["numbers"].get<std::string>(), 3,
                   "--device " + type + ": the device that -d names is no such device; there is ");
    }
  }
  EXPECT_EQ(hilo_json("-n 3 --platformId 0 --deviceId 0")["device"], info["platforms"][0]["devices"][0]["name"]);
  expect_error("-n 3 --platformId 99", 3, "-p: no OpenCL platform number 99");
  expect_error("-n 3 --device cpu -p 99", 3, "-p: no OpenCL platform number 99");
}

}  // namespace
}  // namespace hilo
