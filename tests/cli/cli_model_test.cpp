// `hilo model`: the papers' figures, what each option changes, devices of files and at hand, what it refuses.
#include <algorithm>
#include <filesystem>
#include <hilo/device.hpp>
#include <sstream>
#include <thread>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;

class Model : public test::Program {
 protected:
  // The only row of a precision, engine and size.
  json row(const json& result, const std::string& precision, const std::string& engine, int n) {
    json found;
    for (const json& r : result["bounds"]) {
      if (r["precision"] == precision && r["engine"] == engine && r["n"] == n) {
        EXPECT_TRUE(found.is_null());
        found = r;
      }
    }
    EXPECT_FALSE(found.is_null()) << precision << ' ' << engine << ' ' << n;
    return found;
  }

  void expect_narrow(const std::string& arguments) {
    const Outcome run = hilo(arguments);
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
};

const std::string mine = R"({"device": "mine", "name": "My device", "source": "a guess", "units": 4, "gflops_s": 80,
  "gflops_d": 40, "double_gops": 20, "has_fma": false, "byte_gops": 290, "memory_gbytes": 10, "bus_gbytes": [2],
  "kernels": [{"name": "DGEMM", "precision": "d", "engine": "direct", "n": 1024, "gflops": 30}]})";

TEST_F(Model, ListsItsDevices) {
  const json all = hilo_json("model --list")["devices"];
  std::string keys;
  for (const json& d : all) keys += d["device"].get<std::string>() + ' ';
  EXPECT_EQ(keys, "c1060 cypress gtx580 h100 h200 ");
  const Outcome run = hilo("model --list");
  for (const char* words : {"cypress", "AMD Radeon HD 5870 (Cypress)", "h200"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words;
  }
}

TEST_F(Model, TellsNakasatosFigures) {
  const json r = hilo_json("model --device Cypress --blocking --precision d,dd --gflops 450 --sizes 1024,8192");
  EXPECT_EQ(r["device"], "cypress");
  const json& blocks = r["blocks"];
  EXPECT_EQ(blocks["registers"][0]["precision"], "s");
  EXPECT_EQ(blocks["registers"][0]["least_for_cache"], 10);
  EXPECT_NEAR(blocks["registers"][1]["gbytes_of_1"].get<double>(), 4352, 0.5);
  EXPECT_EQ(blocks["registers"][1]["least_for_cache"], 4);
  EXPECT_EQ(blocks["threads"], json::parse(R"([{"registers": 25, "threads": 40}, {"registers": 37, "threads": 24}])"));
  EXPECT_NEAR(blocks["double_double"][0]["gflops"].get<double>(), 23.7, 0.05);
  EXPECT_NEAR(blocks["double_double"][1]["gflops"].get<double>(), 37.5, 0.05);
  // Of D by 3 GB/s, of its own buses.
  const json& t = r["transfers"][0];
  EXPECT_EQ(t["precision"], "d");
  EXPECT_EQ(t["n"], 1024);
  EXPECT_EQ(t["bus_gbytes"], 3);
  EXPECT_EQ(t["kernel_gflops"], 450);
  EXPECT_NEAR(t["total_gflops"].get<double>(), 450 / (1 + 450e9 * 16 / (1024 * 3e9)), 1e-9);
  EXPECT_EQ(r["transfers"].size(), 8u);
  EXPECT_EQ(row(r, "d", "direct", 8192)["bound_gflops"], 544);
  const Outcome run = hilo("model --device cypress --blocking --precision d");
  for (const char* words : {"figures    Nakasato 2010", "memory     153.6 GB/s", "4352  2176  1088",
                            "25 registers a thread: 40 threads at once", "products with FMA: 37.52 GFlop/s"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << '\n' << run.out;
  }
}

TEST_F(Model, TellsLaiAndSeznecsAndChiensFigures) {
  const json tiles = hilo_json("model --device gtx580 --blocking")["blocks"]["tiles"];
  ASSERT_EQ(tiles.size(), 3u);
  EXPECT_EQ(tiles[1]["block"], 6);
  EXPECT_EQ(tiles[1]["registers"], 63);
  EXPECT_NEAR(tiles[0]["attainable"].get<double>(), 0.75, 5e-4);
  EXPECT_NEAR(tiles[1]["attainable"].get<double>(), 0.857, 5e-4);
  EXPECT_NEAR(tiles[2]["attainable"].get<double>(), 0.825, 5e-4);
  const json patterns = hilo_json("model --device c1060 --blocking")["blocks"]["patterns"];
  ASSERT_EQ(patterns.size(), 6u);
  EXPECT_NEAR(patterns[1]["gflops"].get<double>(), 499.2, 0.05);
  EXPECT_NEAR(patterns[2]["gflops"].get<double>(), 453.82, 0.005);
  EXPECT_NEAR(patterns[5]["gflops"].get<double>(), 356.57, 0.005);
  EXPECT_EQ(patterns[1]["issue"], "dual");
  const Outcome tables = hilo("model --device gtx580 --blocking");
  EXPECT_NE(tables.out.find("attainable 85.7 %, 1355 GFlop/s"), std::string::npos) << tables.out;
  EXPECT_NE(hilo("model --device c1060 --blocking").out.find("  453.82  3 loads for 4 multiply-adds, two at once"),
            std::string::npos);
}

TEST_F(Model, ReadsADeviceOfAFile) {
  folder.write("mine.json", mine);
  const json r = hilo_json("model --device-file mine.json --sizes 512,1024");
  std::string keys;
  const auto in_order = nlohmann::ordered_json::parse(hilo("model --device-file mine.json --json").out);
  for (const auto& item : in_order.items()) keys += item.key() + ' ';
  EXPECT_EQ(keys, "device name source threads accuracy rates bounds transfers blocks plot ");
  EXPECT_EQ(r["name"], "My device");
  EXPECT_EQ(r["rates"]["gflops_d"], 40);
  EXPECT_TRUE(r["rates"]["cache_gbytes"].is_null());
  EXPECT_EQ(row(r, "d", "direct", 1024)["measured_gflops"], 30);
  EXPECT_EQ(row(r, "d", "direct", 1024)["measured_over_predicted"], 0.75);
  EXPECT_TRUE(row(r, "d", "direct", 512)["measured_gflops"].is_null());
  EXPECT_EQ(row(r, "dd", "modular", 512)["issue_gflops"], 10) << "29 moduli";
  EXPECT_EQ(row(r, "dd", "modular", 512)["moduli"], 29);
  EXPECT_TRUE(row(r, "dd", "modular", 512)["predicted_gflops"].is_null());
  EXPECT_EQ(r["transfers"][0]["bus_gbytes"], 2);
  EXPECT_TRUE(r["blocks"].is_null());
  EXPECT_TRUE(r["plot"].is_null());
  // 30 instructions a step without FMA, 23/64 of what joins sums: 40 over that.
  EXPECT_NEAR(row(r, "dd", "direct", 512)["issue_gflops"].get<double>(), 40 / (30 + 23.0 / 64), 1e-9);
}

// U+009B begins an escape sequence by itself.
TEST_F(Model, ADevicesNameDoesNotReachTheTerminalAsCommands) {
  std::string text = mine;
  const std::string name = "My device";
  folder.write("mine.json", text.replace(text.find(name), name.size(), "My\\u009b31m\u00a0größe"));
  const Outcome run = hilo("model --device-file mine.json --sizes 512");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("device     My 31m\u00a0größe\n")) << run.out;
}

TEST_F(Model, ItsOptionsChooseAndChange) {
  folder.write("mine.json", mine);
  const std::string model = "model --device-file mine.json ";
  json r = hilo_json(model + "--precision dd,d --engine modular --sizes 100:300:100");
  ASSERT_EQ(r["bounds"].size(), 6u);
  EXPECT_EQ(r["bounds"][0]["precision"], "dd");
  EXPECT_EQ(r["bounds"][5]["precision"], "d");
  EXPECT_EQ(r["bounds"][5]["n"], 300);
  for (const json& b : r["bounds"]) EXPECT_EQ(b["engine"], "modular");
  r = hilo_json(model + "--precision dd --accuracy fast --sizes 2048,4096");
  EXPECT_EQ(r["accuracy"], "fast");
  EXPECT_NEAR(row(r, "dd", "direct", 4096)["issue_gflops"].get<double>(), 40 / (27.75 + 23.0 / 64), 1e-9);
  EXPECT_LT(row(r, "dd", "modular", 2048)["moduli"],
            row(hilo_json(model + "--precision dd --sizes 2048"), "dd", "modular", 2048)["moduli"]);
  // Descriptions have what was measured of classic products.
  const json classic = row(hilo_json("model --device h200 --precision dd --sizes 4096"), "dd", "direct", 4096),
             fast = row(hilo_json("model --device h200 --precision dd --accuracy fast --sizes 4096"), "dd", "direct",
                        4096);
  EXPECT_FALSE(classic["measured_gflops"].is_null());
  EXPECT_TRUE(fast["measured_gflops"].is_null());
  EXPECT_GT(fast["predicted_gflops"].get<double>(), 1.15 * classic["predicted_gflops"].get<double>());
  r = hilo_json(model + "--precision d --engine direct --sizes 1024 --bus 5,1");
  ASSERT_EQ(r["transfers"].size(), 2u);
  EXPECT_EQ(r["transfers"][0]["bus_gbytes"], 5);
  EXPECT_EQ(r["transfers"][0]["kernel_gflops"], 40) << "as predicted";
  EXPECT_LT(r["transfers"][1]["total_gflops"], r["transfers"][0]["total_gflops"]);
}

TEST_F(Model, PredictsOfDevicesWhoseUnitsItsFormulasKnow) {
  const json r = hilo_json("model --device h200");
  EXPECT_EQ(r["bounds"].size(), 4u * 10);
  const json b = row(r, "dd", "modular", 8192);
  EXPECT_GT(b["predicted_gflops"], 0.5 * b["bound_gflops"].get<double>());
  EXPECT_LT(b["predicted_gflops"], b["bound_gflops"]);
  EXPECT_EQ(b["measured_gflops"], 41000);
  EXPECT_FALSE(row(r, "d", "modular", 8192)["measured_gflops"].is_null());
  // Descriptions have what classic products take.
  const json fast = hilo_json("model --device h200 --accuracy fast");
  for (const char* precision : {"d", "dd"}) {
    EXPECT_TRUE(row(fast, precision, "modular", 8192)["measured_gflops"].is_null()) << precision;
  }
  EXPECT_FALSE(row(fast, "d", "direct", 8192)["measured_gflops"].is_null());
  EXPECT_TRUE(b["runs"].is_null());
  expect_narrow("model --device h200 --blocking --sizes 1024,16384");
  expect_narrow("model --device cypress --blocking");
  expect_narrow("model --device gtx580 --blocking");
  expect_narrow("model --device c1060 --blocking");
  folder.write("fast.json", R"({"device": "fast", "name": "b", "source": "c", "gflops_s": 123456789012,
    "gflops_d": 12345678901, "byte_gops": 1.5e12, "memory_gbytes": 12345678, "cache_gbytes": 99,
    "kernels": [{"name": "DGEMM", "precision": "d", "engine": "direct", "n": 16384, "gflops": 12345678900}]})");
  expect_narrow("model --device-file fast.json --blocking --sizes 16384");
  const std::string blocks = hilo("model --device-file fast.json --blocking").out;
  for (const char* words : {"s  1.23e11         4.94e11  2.47e11  1.23e11  6.17e10  3.09e10\n",
                            "  s: caches feed b >= 2147483647, memory b >= 40001\n"}) {
    EXPECT_NE(blocks.find(words), std::string::npos) << words << '\n' << blocks;
  }
}

TEST_F(Model, ReadsADeviceOfAPipe) {
  folder.write("mine.json", mine);
  const Outcome run = hilo("model --device-file pipe --json", "mkfifo pipe; cat mine.json >pipe &");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["name"], "My device");
}

// A bound by the direct engine would be none of what the modular one is expected to do.
TEST_F(Model, TellsNoBoundOfProductsOfBytesWhoseRateIsUnknown) {
  folder.write("mine.json", R"({"device": "a", "name": "b", "source": "c", "units": 132, "double_gops": 16650,
                                "has_fma": true, "byte_unit": "wgmma"})");
  const json r = hilo_json("model --device-file mine.json --routine getrf --precision dd --sizes 8192");
  EXPECT_EQ(r["bounds"].size(), 2u);
  for (const json& b : r["bounds"]) {
    EXPECT_EQ(b["bound_gflops"].is_null(), b["engine"] == "auto") << b;
    EXPECT_EQ(b["predicted_gflops"].is_null(), b["engine"] != "auto") << b;
  }
}

TEST_F(Model, DrawsRoofs) {
  const json r = hilo_json("model --device h200 --plot roofs.svg --precision d,dd");
  EXPECT_EQ(r["plot"], "roofs.svg");
  const std::string svg = folder.read("roofs.svg");
  for (const char* words : {"NVIDIA H200", "memory, 4800 GB/s", "dd modular", "d direct", "flops a byte of memory"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(svg.find("zdd"), std::string::npos);
  folder.write("no-memory.json", R"({"device": "a", "name": "b", "source": "c", "gflops_s": 1})");
  expect_error("model --device-file no-memory.json --plot roofs2.svg", 2, "memory_gbytes is not known");
  EXPECT_FALSE(std::filesystem::exists(folder.file("roofs2.svg")));
  expect_error("model --device h200 --plot roofs.png", 2, "roofs.png: the name of a picture ends in .svg");
}

TEST_F(Model, MeasuresThisCpu) {
  const json r = hilo_json("model --measure --threads 1 --precision d,dd --sizes 64,96 --repeat 2 --plot roofs.svg");
  EXPECT_EQ(r["device"], "cpu");
  EXPECT_EQ(r["threads"], 1);
  for (const char* rate : {"gflops_s", "gflops_d", "dd_gflops", "dd_gflops_fast", "byte_gops", "memory_gbytes"}) {
    EXPECT_GT(r["rates"][rate], 0.0) << rate;
  }
  EXPECT_EQ(r["bounds"].size(), 8u);
  for (const json& b : r["bounds"]) {
    EXPECT_GT(b["measured_gflops"], 0.0);
    EXPECT_EQ(b["runs"], 2);
    EXPECT_EQ(b["bound_gflops"], std::min(b["issue_gflops"].get<double>(), b["memory_gflops"].get<double>()));
  }
  const json b = row(r, "dd", "direct", 96);
  EXPECT_EQ(b["measured_over_predicted"], b["measured_gflops"].get<double>() / b["predicted_gflops"].get<double>());
  EXPECT_GT(row(r, "d", "modular", 96)["predicted_gflops"], 0.0);
  EXPECT_LT(row(r, "d", "modular", 96)["predicted_gflops"], row(r, "d", "modular", 96)["bound_gflops"]);
  EXPECT_TRUE(r["transfers"].is_null());
  EXPECT_NE(folder.read("roofs.svg").find("dd direct"), std::string::npos);
  const Outcome run = hilo("model --threads 2 --precision s");
  EXPECT_NE(run.out.find(", 2 threads\nfigures    measured by probes now\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("measured  ratio"), std::string::npos);
}

// Threads that take turns on one processor add nothing.
TEST_F(Model, CountsNoMoreThreadsThanRunAtOnce) {
  const auto peak = [&](unsigned threads) {
    const json r = hilo_json("model --precision s --sizes 64 --threads " + std::to_string(threads));
    EXPECT_EQ(r["threads"], threads);
    return r["rates"]["gflops_s"].get<double>();
  };
  const unsigned processors = std::max(std::thread::hardware_concurrency(), 1u);
  EXPECT_LT(peak(std::min(8 * processors, 1024u)), 3 * peak(processors));
}

TEST_F(Model, PredictsAndMeasuresFactorisations) {
  const json r = hilo_json("model --routine gemm,getrf,potrf --precision dd,s --sizes 80 --measure --repeat 1");
  ASSERT_EQ(r["bounds"].size(), 9u);
  std::string kinds;
  for (const json& b : r["bounds"]) {
    kinds += b["routine"].get<std::string>() + ' ' + b["precision"].get<std::string>() + ' ' +
             b["engine"].get<std::string>() + ", ";
    EXPECT_GT(b["measured_gflops"], 0.0);
    EXPECT_GT(b["bound_gflops"], 0.0);
    const bool is_factorisation = b["routine"] != "gemm";
    EXPECT_EQ(b["memory_gflops"].is_null(), is_factorisation);
    EXPECT_EQ(b["predicted_gflops"].is_null(), is_factorisation && b["precision"] == "s");
  }
  EXPECT_EQ(kinds,
            "gemm dd direct, gemm dd modular, gemm s direct, getrf dd direct, getrf dd auto, getrf s direct, "
            "potrf dd direct, potrf dd auto, potrf s direct, ");
  const Outcome run = hilo("model --routine getrf --precision zdd --engine direct --sizes 64");
  EXPECT_NE(run.out.find("GFlop/s, getrf\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("GFlop/s\n     "), std::string::npos) << "no products";
  expect_narrow("model --device h200 --routine gemm,getrf,potrf");
  expect_error("model --routine lu", 2, "--routine 'lu' is none of gemm, getrf, potrf");
  expect_error("model --routine getrf --device h200 --plot roofs.svg", 2, "--plot has nothing to draw");
}

TEST_F(Model, MeasuresAnOpenclDevice) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  const json device = json::parse(hilo("info --json").out)["platforms"][0]["devices"][0];
  const json r = hilo_json("model -p 0 -d 0 --measure --precision s --sizes 64 --bus 12 --routine gemm,potrf");
  EXPECT_EQ(r["device"], "opencl");
  EXPECT_EQ(r["name"], device["name"]);
  EXPECT_EQ(r["threads"], 0);
  EXPECT_GT(r["rates"]["gflops_s"], 0.0);
  EXPECT_GT(r["rates"]["memory_gbytes"], 0.0);
  ASSERT_EQ(r["bounds"].size(), 2u);
  for (const json& b : r["bounds"]) {
    EXPECT_GT(b["measured_gflops"], 0.0);
    EXPECT_GE(b["runs"], 3);
  }
  ASSERT_EQ(r["transfers"].size(), 1u) << "of the product";
  EXPECT_EQ(r["transfers"][0]["bus_gbytes"], 12);
}

TEST_F(Model, TellsOnceWhatListsHaveTwice) {
  const json r = hilo_json(
      "model --device h200 --routine gemm,GEMM --precision d,D --engine direct,Direct --sizes 64,64,64:128:64 "
      "--bus 5,5.0,7,5");
  ASSERT_EQ(r["bounds"].size(), 2u);
  EXPECT_EQ(r["bounds"][0]["n"], 64);
  EXPECT_EQ(r["bounds"][1]["n"], 128);
  ASSERT_EQ(r["transfers"].size(), 4u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(r["transfers"][i]["bus_gbytes"], 5) << r["transfers"];
    EXPECT_EQ(r["transfers"][i + 2]["bus_gbytes"], 7) << r["transfers"];
  }
}

TEST_F(Model, RefusesWhatItCannotTell) {
  expect_error("model --device h300", 2, "--device 'h300' is none of cpu, gpu, c1060, cypress, gtx580, h100, h200");
  expect_error("model --device h200 --device-file a.json", 2, "--device and --device-file name a device each");
  expect_error("model --device cpu --device-file a.json", 2, "--device and --device-file name a device each");
  expect_error("model --device h200 --measure", 2, "--measure is for the device at hand, and --device takes a descr");
  expect_error("model --device h200 --threads 2", 2, "--threads is for the device at hand");
  expect_error("model --device h200 --backend cpu", 2, "--backend is for the device at hand");
  expect_error("model --device h200 -p 0", 2, "-p is for the device at hand");
  expect_error("model --device h200 -d 0", 2, "-d is for the device at hand");
  expect_error("model --device-file none.json", 2, "hilo: --device-file: none.json: cannot be opened");
  folder.write("bad.json", R"({"device": "a", "name": "b", "source": "c", "gflops_s": "fast"})");
  expect_error("model --device-file bad.json", 2,
               "--device-file bad.json: has \"gflops_s\": \"fast\", expected a positive number");
  folder.write("twice.json", R"({"device": "a", "name": "b", "source": "c", "gflops_s": 1, "gflops_s": 2})");
  expect_error("model --device-file twice.json", 2,
               "--device-file twice.json: has the key \"gflops_s\" twice in one object");
  folder.write("empty.json", R"({"device": "a", "name": "b", "source": "c"})");
  expect_error("model --device-file empty.json", 2, "the description of a has no rate of the products asked for");
  expect_error("model --list --sizes 5", 2, "--list tells all devices that are described; --sizes has no effect");
  expect_error("model --backend opencl --threads 2", 2, "--threads is for the CPU; --backend is opencl");
  expect_error("model --bus 3", 2, "--bus is for devices, and on this CPU nothing is moved");
  expect_error("model --device h200 --bus 3,x", 2, "--bus: ");
  expect_error("model --device h200 --bus 0", 2, "--bus 0 is not above 0");
  expect_error("model --device c1060 --gflops 5", 2, "--gflops is what transfers are added to: give --bus, too");
  expect_error("model --device h200 --gflops nan", 2, "--gflops");
  expect_error("model --device h200 --routine getrf --bus 5", 2,
               "--bus 5 has no effect: transfers are of gemm, and --routine is getrf");
  expect_error("model --repeat 5", 2, "--repeat is for --measure");
  expect_error("model --measure --repeat 0", 2, "--repeat 0 is less than 1");
  expect_error("model --precision q", 2, "--precision 'q' is none of s, d, c, z, dd, zdd");
  expect_error("model --engine auto", 2, "--engine 'auto' is none of direct, modular");
  expect_error("model --engine modular --precision s", 2, "--engine modular is for d, z, dd and zdd");
  expect_error("model --accuracy tight", 2, "--accuracy 'tight' is none of classic, fast");
  expect_error("model --device h200 --sizes 5:1:1", 2, "--sizes 5:1:1: the range FROM:TO:STEP falls");
  expect_error("model --routine getrf --sizes 1048577", 2,
               "--sizes 1048577 is more than 1048576, the most of getrf and");
  expect_error("model --threads -1", 2, "--threads -1 is less than 0");
  expect_error("model --threads 1025", 2, "--threads 1025 is more than 1024");
  expect_error("model --measure --precision d --sizes 3000000", 4, "memory");
}

}  // namespace
}  // namespace hilo
