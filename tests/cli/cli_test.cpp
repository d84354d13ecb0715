// The hilo program as a person or a script runs it: what it prints, its exit codes, the products it makes.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

const char* const two_by_two = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
const char* const two_by_three = "%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n1\n1\n1\n";

TEST_F(Program, JsonHasItsKeysInOrder) {
  json plain = hilo_json("-n 20 -m 10 -k 30 --seed 5 --engine direct");
  std::vector<std::string> keys;
  nlohmann::ordered_json ordered = nlohmann::ordered_json::parse(hilo("-n 3 --json").out);
  for (const auto& item : ordered.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"precision",
                                            "m",
                                            "n",
                                            "k",
                                            "transa",
                                            "transb",
                                            "layout",
                                            "engine",
                                            "accuracy",
                                            "path",
                                            "bits",
                                            "moduli",
                                            "esc",
                                            "entries_direct",
                                            "levels",
                                            "backend",
                                            "device",
                                            "threads",
                                            "workspace_bytes",
                                            "build_options",
                                            "loaded",
                                            "repeat",
                                            "warmup",
                                            "seconds_kernel",
                                            "seconds_total",
                                            "gflops_kernel",
                                            "gflops_total",
                                            "gflops",
                                            "panels",
                                            "timing",
                                            "verified",
                                            "entries_checked",
                                            "mismatches",
                                            "max_error_u2",
                                            "error_bound_u2",
                                            "measure"}));
  EXPECT_EQ(plain["precision"], "dd");
  EXPECT_EQ(plain["m"], 10);
  EXPECT_EQ(plain["n"], 20);
  EXPECT_EQ(plain["k"], 30);
  EXPECT_EQ(plain["engine"], "direct");
  EXPECT_EQ(plain["backend"], "cpu");
  EXPECT_EQ(plain["path"], "direct");
  EXPECT_EQ(plain["measure"], "componentwise");
  for (const char* key : {"bits", "moduli", "esc", "entries_direct", "levels", "verified", "entries_checked",
                          "mismatches", "max_error_u2"}) {
    EXPECT_TRUE(plain[key].is_null()) << key;
  }
  EXPECT_GT(plain["error_bound_u2"].get<double>(), 0.0);
  double seconds = plain["seconds_kernel"];
  EXPECT_GT(seconds, 0.0);
  EXPECT_NEAR(plain["gflops_kernel"].get<double>(), 2e-9 * 10 * 20 * 30 / seconds, 1e-9);
  json complex = hilo_json("-n 8 --precision zdd --transa c --transb T --layout row --accuracy fast --threads 1");
  EXPECT_EQ(complex["transa"], "C");
  EXPECT_EQ(complex["layout"], "row");
  EXPECT_EQ(complex["accuracy"], "fast");
  EXPECT_EQ(complex["threads"], 1);
  EXPECT_NEAR(complex["gflops_kernel"].get<double>(), 8e-9 * 512 / complex["seconds_kernel"].get<double>(), 1e-9);
}

TEST_F(Program, VerifiesInEveryPrecision) {
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* options : {"-m 33 -n 17 -k 50", "-n 20 --init range:2 --transa T --transb C --layout row"}) {
      json r = hilo_json(std::string(options) + " --verify=full --alpha 0.3 --beta -1.25 --precision " + precision);
      EXPECT_EQ(r["verified"], true) << r;
      EXPECT_EQ(r["entries_checked"], r["m"].get<int>() * r["n"].get<int>());
      EXPECT_LE(r["max_error_u2"].get<double>(), r["error_bound_u2"].get<double>());
    }
  }
  json sample = hilo_json("-n 100 --verify");
  EXPECT_GE(sample["entries_checked"].get<int>(), 256);
  EXPECT_LT(sample["entries_checked"].get<int>(), 10000);
  for (const char* init : {"positive", "dominant", "hilbert"}) {
    EXPECT_EQ(hilo_json(std::string("-n 70 --transb T --verify=sample --init ") + init)["verified"], true);
  }
}

TEST_F(Program, ModularProducts) {
  for (const char* precision : {"d", "z", "dd", "zdd"}) {
    for (const char* accuracy : {"classic", "fast", "tight", "normwise", "exact", "bits:99"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + accuracy);
      json r = hilo_json(std::string("-m 33 -n 17 -k 50 --engine modular --verify=full --alpha=-2 --precision ") +
                         precision + " --accuracy " + accuracy);
      EXPECT_EQ(r["verified"], true) << r;
      EXPECT_EQ(r["engine"], "modular");
      EXPECT_EQ(r["accuracy"], accuracy);
      EXPECT_EQ(r["path"], "modular");
      EXPECT_EQ(r["entries_checked"], 33 * 17);
      EXPECT_LE(r["entries_direct"].get<int>(), 33 * 17 / 256);
      EXPECT_GT(r["bits"].get<int>(), 40);
      EXPECT_GT(r["moduli"].get<int>(), 10);
      EXPECT_TRUE(r["esc"].is_number_integer());
      EXPECT_GT(r["workspace_bytes"].get<std::int64_t>(), 0);
      EXPECT_LE(r["max_error_u2"].get<double>(), r["error_bound_u2"].get<double>());
      EXPECT_EQ(r["measure"], r["accuracy"] == "normwise" ? "normwise" : "componentwise");
      EXPECT_EQ(r["mismatches"], r["accuracy"] == "exact" ? json(0) : json());
      EXPECT_TRUE(r["accuracy"] != "bits:99" || r["bits"] == 99) << r;
    }
  }
  Outcome run = hilo("-n 40 --engine modular --accuracy exact --verify");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* words : {"engine     modular, exact\n", " moduli, ",
                            "verified   yes: ", "0 entries differ from the exact product rounded once"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << run.out;
  }
  run = hilo("-n 40 --accuracy normwise --verify");
  EXPECT_NE(run.out.find("|row of A|_2 |column of B|_2"), std::string::npos) << run.out;
  EXPECT_EQ(hilo_json("-n 40 --engine reproducible --verify")["verified"], true);
  expect_error("-n 3 --engine modular --precision s", 2, "modular engine");
  expect_error("-n 3 --engine direct --accuracy tight", 2, "accuracy tight");
  expect_error("-n 3 --accuracy exact --alpha 0.3", 2, "alpha");
}

// As the help tells: what --fma asks for counts with the other engines.
TEST_F(Program, ReproducibleProductsHaveFmaWhateverIsAskedFor) {
  const auto product = [&](const std::string& options) {
    const Outcome run = hilo("-n 40 --repeat 1 -o c.npy " + options);
    EXPECT_NE(run.out.find(options == "--engine direct --fma off" ? ", no FMA\n" : ", FMA\n"), std::string::npos)
        << run.out;
    return folder.read("c.npy");
  };
  const std::string fused = product("--engine direct --fma on");
  EXPECT_NE(product("--engine direct --fma off"), fused);
  for (const char* fma : {"on", "off"}) {
    EXPECT_EQ(product(std::string("--engine reproducible --fma ") + fma), fused) << fma;
  }
}

TEST_F(Program, OptionsThatDoNotChangeTheBits) {
  std::string product = "-m 70 -n 60 -k 300 --engine modular --init range:1 -o ";
  ASSERT_EQ(hilo(product + "c.npy").code, 0);
  for (const char* options : {"--workspace 100K", "--workspace 1G", "--depth 64", "--int8 plain", "--threads 1"}) {
    Outcome run = hilo(product + "d.npy " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_TRUE(folder.read("c.npy") == folder.read("d.npy")) << options;
  }
}

TEST_F(Program, Helps) {
  Outcome run = hilo("--help");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("gemm"), std::string::npos);
  run = hilo("gemm --help");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("--precision"), std::string::npos);
  EXPECT_EQ(hilo("--version").code, 0);
  run = hilo("info");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("SIMD"), std::string::npos);
  EXPECT_NE(run.out.find("products    bytes by "), std::string::npos);
  EXPECT_NE(run.out.find("            rates "), std::string::npos);
  EXPECT_NE(run.out.find("            engine auto: modular in dd "), std::string::npos);
  run = hilo("accuracy --help");
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("--phi"), std::string::npos);
  json info = json::parse(hilo("info --json").out);
  for (const char* key : {"version", "compiler", "cpu", "simd_targets", "threads", "blas", "products", "mpfr", "opencl",
                          "cache", "platforms"}) {
    EXPECT_TRUE(info.contains(key)) << key;
  }
  EXPECT_NE(info["products"]["int8"], "");
  EXPECT_EQ(info["products"]["int8_obstacle"].is_null(), info["products"]["int8"] != "plain loops");
  EXPECT_NE(info["products"]["rates_for"], "");
}

// With one space between words, wherever lines end.
std::string in_words(const std::string& text) {
  std::istringstream all(text);
  std::string words;
  for (std::string word; all >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

TEST_F(Program, InfoNamesWhatMultipliesBytes) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  const std::vector<std::string> ladder = {"wgmma", "mma_sync", "dot_product", "plain"};
  auto devices = [&](const std::string& environment) {
    std::vector<json> all;
    json info = json::parse(hilo("info --json", environment).out);
    for (const json& platform : info["platforms"])
      all.insert(all.end(), platform["devices"].begin(), platform["devices"].end());
    return all;
  };
  for (const json& device : devices("")) {
    // The obstacles are those of all that would be better.
    for (const std::string& unit : ladder) {
      if (device["int8_unit"] == unit) break;
      EXPECT_FALSE(device["int8_obstacles"].at(unit).get<std::string>().empty());
    }
    EXPECT_FALSE(device["int8_obstacles"].contains(device["int8_unit"]));
    EXPECT_EQ(device["int8_triangles"], "passed");
  }
  EXPECT_NE(hilo("info").out.find(", self-test of triangles passed\n"), std::string::npos);
  for (const json& device : devices("HILO_INT8_UNIT=plain")) {
    EXPECT_EQ(device["int8_unit"], "plain");
    EXPECT_TRUE(device["int8_obstacles"].empty());
  }
  folder.write("triangles/bytes/stairs.clh", "this is no kernel\n");
  for (const json& device : devices("HILO_INT8_UNIT=plain HILO_KERNEL_PATH='" + folder.file("triangles") + "'")) {
    EXPECT_EQ(device["int8_unit"], "plain");
    EXPECT_EQ(device["int8_triangles"].get<std::string>().find("failed: "), 0u);
  }
  expect_error("info", 2, "HILO_INT8_UNIT = x is none of", "HILO_INT8_UNIT=x");
  folder.write("bytes/plain.cl", "this is no kernel\n");
  const std::string broken = "HILO_INT8_UNIT=plain HILO_KERNEL_PATH='" + folder.file(".") + "'";
  for (const json& device : devices(broken)) {
    EXPECT_TRUE(device["int8_unit"].is_null() && device["int8_triangles"].is_null());
    EXPECT_NE(device["int8_obstacles"].at("plain").get<std::string>().find("does not build"), std::string::npos);
  }
  Outcome run = hilo("info", broken);
  EXPECT_EQ(run.code, 0) << run.err;
  std::string obstacle = devices(broken)[0]["int8_obstacles"]["plain"];
  const std::string words = in_words("bytes by nothing not by plain: " + obstacle);
  EXPECT_NE(in_words(run.out).find(words), std::string::npos) << run.out;
}

// Each of them would fit.
#ifndef __SANITIZE_ADDRESS__
TEST_F(Program, MatricesAndWorkspaceThatDoNotFitTogether) {
  const std::string limit = "prlimit --as=2000000000";
  const std::string x = " of 6000 x 6000";
  expect_error("--engine direct --threads 1 -n 6000", 4,
               "no memory for A" + x + ", B" + x + " and C" + x + " entries of 16 bytes each and a workspace of ",
               limit);
  expect_error("-m 10000 -n 5 -k 10000 --beta 1", 4,
               "C of 10000 x 5 and the C that --beta scales of 10000 x 5 entries of 16 bytes each: they take "
               "1602400000 bytes, of which ",
               "prlimit --as=1600000000");
  std::string ones;
  for (int i = 0; i < 11000; ++i) ones += "1\n";
  folder.write("a.mtx", "%%MatrixMarket matrix array real general\n11000 1\n" + ones);
  expect_error("a.mtx a.mtx --transb T --engine direct --threads 1", 4,
               "no memory for C (a.mtx times a.mtx) of 11000 x 11000 entries", limit);
}
#endif

TEST_F(Program, OpenclDevices) {
  expect_error("-n 3 --backend opencl", 3, "", "OCL_ICD_VENDORS=/nonexistent");
  expect_error("-n 3 -p 99", 3, "");
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  expect_error("-n 3 -d 99", 3, "no OpenCL device number 99 on platform 0");
  expect_error("-n 3 -d -1", 3, "-1");
  // The sequence is named: `auto` may choose differently for the CPU and the device.
  for (const char* engine : {"--precision dd --engine direct --fma off", "--precision zdd --engine direct --fma off",
                             "--precision d --engine modular", "--precision z --engine modular",
                             "--precision dd --engine modular", "--precision zdd --engine modular"}) {
    SCOPED_TRACE(engine);
    std::string options = std::string("-m 33 -n 50 -k 70 --transa T --alpha 0.3 --beta 2 --init range:2 ") + engine;
    json r = hilo_json(options + " --backend opencl --verify=full -o d.npy");
    EXPECT_EQ(r["backend"], "opencl");
    EXPECT_EQ(r["verified"], true) << r;
    EXPECT_GT(r["seconds_kernel"].get<double>(), 0.0);
    EXPECT_GT(r["seconds_total"].get<double>(), 0.0);
    json cpu = hilo_json(options + " -o c.npy");
    EXPECT_TRUE(folder.read("c.npy") == folder.read("d.npy"));
    for (const char* key : {"engine", "path", "bits", "moduli", "esc", "entries_direct"})
      EXPECT_EQ(r[key], cpu[key]) << key;
  }
  EXPECT_EQ(hilo_json("-n 130 --precision d --engine modular --backend opencl --levels 1")["levels"], 1);
  for (const char* precision : {"s", "d", "c", "z"}) {
    json r = hilo_json(std::string("-n 9 --backend opencl --engine direct --verify --precision ") + precision);
    EXPECT_EQ(r["engine"], "direct");
    EXPECT_EQ(r["verified"], true);
  }
  expect_error("-n 3 --backend opencl --precision s --accuracy tight", 2, "precision s");
  EXPECT_EQ(hilo("-n 0 --backend opencl --verify").code, 0);
}

// A kernel that is changed by hand: one that does not build, and one that multiplies wrongly and is caught.
TEST_F(Program, WrongKernels) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  std::string environment = "HILO_KERNEL_PATH='" + folder.file(".") + "'";
  folder.write("direct/finish.cl", "this is no kernel\n");
  Outcome broken = hilo("-n 3 --backend opencl -o c.mtx", environment);
  EXPECT_EQ(broken.code, 4);
  EXPECT_NE(broken.err.find("hilo: the OpenCL program pack and finish does not build"), std::string::npos)
      << broken.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("c.mtx")));
  std::filesystem::remove(folder.file("direct/finish.cl"));
  std::ifstream source(HILO_KERNEL_FOLDER "/direct/update.cl");
  std::string text{std::istreambuf_iterator<char>(source), {}};
  std::string scalar = "factor = {alpha.x, alpha.y}";
  std::size_t at = text.find(scalar);
  ASSERT_NE(at, std::string::npos) << "kernels/direct/update.cl has changed; so must the error planted here";
  text.replace(at, scalar.size(), "factor = {alpha.x * 1.0000001, alpha.y}");
  folder.write("direct/update.cl", text);
  Outcome run = hilo("-n 40 --alpha 3 --backend opencl --verify --json -o c.mtx", environment);
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_EQ(run.err, "hilo: the verification failed; c.mtx was not written\n");
  EXPECT_EQ(json::parse(run.out)["verified"], false);
  EXPECT_EQ(hilo("-n 40 --alpha 3 --backend opencl --verify -o 'c\nd.mtx'", environment).err,
            "hilo: the verification failed; c\\nd.mtx was not written\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("c.mtx")));
  EXPECT_EQ(hilo("-n 40 --alpha 3 --backend opencl --verify").code, 0);
}

}  // namespace
}  // namespace hilo
