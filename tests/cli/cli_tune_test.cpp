// `hilo tune`: what it prints and keeps, what it refuses.
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>

#include "cli_program.hpp"
#include "environment_variable.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;

class Tune : public test::Program {
 protected:
  void SetUp() override {
    if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  }
  json kept() { return json::parse(folder.read("tuning.json")); }

  test::EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
};

TEST_F(Tune, KeepsWhatItFindsAndTellsIt) {
  Outcome run = hilo("tune --precision s --transpose nt --size small --time 1 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  nlohmann::ordered_json r = nlohmann::ordered_json::parse(run.out);
  auto keys = [](const nlohmann::ordered_json& j) {
    std::string all;
    for (const auto& item : j.items()) all += item.key() + ' ';
    return all;
  };
  EXPECT_EQ(keys(r), "device driver version file seconds interrupted results ignored ");
  EXPECT_EQ(r["file"], folder.file("tuning.json"));
  EXPECT_EQ(r["interrupted"], false);
  ASSERT_EQ(r["results"].size(), 1u);
  const auto& result = r["results"][0];
  EXPECT_EQ(keys(result),
            "precision left right size n known tried failed tile gflops tile_before gflops_before failures ");
  EXPECT_EQ(result["precision"], "s");
  EXPECT_EQ(result["left"], "together");
  EXPECT_EQ(result["right"], "together");
  EXPECT_EQ(result["size"], "small");
  EXPECT_EQ(keys(result["tile"]),
            "lanes item group depth stages copies ahead runs raster unit_depth in_place packs_all groups_per_unit "
            "local_chunks by_operation unroll ");
  EXPECT_GE(result["tried"].get<int>(), 1);
  EXPECT_GE(result["gflops"].get<double>(), result["gflops_before"].get<double>());
  ASSERT_EQ(kept()["entries"].size(), 1u);
  json kept_tile = kept()["entries"][0]["tile"];
  kept_tile.emplace("unroll", 0);  // which files leave out, for earlier libraries
  EXPECT_EQ(kept_tile, json(result["tile"]));
  EXPECT_EQ(kept()["entries"][0]["device"], r["device"]);
  // The next run goes on from there, whatever else there is.
  folder.write("tuning.json", folder.read("tuning.json").replace(0, 26, R"({"format": 1, "entries": [{"device": 5},)"));
  Outcome again = hilo("tune --precision s --transpose nt --size small --time 1");
  ASSERT_EQ(again.code, 0) << again.err;
  for (const char* words : {"product", "sgemm NT small", "GFlop/s", "before", "device     ", "tuning.json",
                            "ignored    ", "entry 0: \"device\" is no text"}) {
    EXPECT_NE(again.out.find(words), std::string::npos) << words << '\n' << again.out;
  }
  EXPECT_EQ(kept()["entries"].size(), 2u);
  const json info = hilo_json("info");
  int told = 0;
  for (const json& platform : info["platforms"]) {
    for (const json& device : platform["devices"]) {
      told += device["tiles"]["user"].get<int>();
      EXPECT_EQ(keys(device["tiles"]), "architecture file ignored of_architecture shipped user ");
      EXPECT_EQ(device["tiles"]["file"], folder.file("tuning.json"));
      EXPECT_EQ(device["tiles"]["ignored"].size(), 1u);
    }
  }
  EXPECT_EQ(told, 1);
}

TEST_F(Tune, KeepsWhatWasFoundBeforeAnInterrupt) {
  // The interrupt comes while the first tiles are tried; the time would last for many.
  Outcome run = hilo("tune --precision s --transpose nn --size small --time 300 --json",
                     "timeout --foreground --preserve-status -s INT 2");
  ASSERT_EQ(run.code, 0) << run.err;
  json r = json::parse(run.out);
  EXPECT_EQ(r["interrupted"], true);
  EXPECT_LT(r["seconds"].get<double>(), 120.0);
  const bool found = !r["results"][0]["tile"].is_null();
  EXPECT_EQ(kept()["entries"].size(), found ? 1u : 0u);
  if (found) {
    json kept_tile = kept()["entries"][0]["tile"];
    kept_tile.emplace("unroll", 0);
    EXPECT_EQ(kept_tile, r["results"][0]["tile"]);
  }
}

TEST_F(Tune, NoTileThatIsRightIsAFailedVerification) {
  // A kernel that leaves all steps out.
  std::ifstream file(HILO_KERNEL_FOLDER "/product/multiply.cl");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string line = "const int tiles = (steps_in_all + DEPTH - 1) / DEPTH;";
  ASSERT_NE(text.find(line), std::string::npos);
  folder.write("product/multiply.cl", text.replace(text.find(line), line.size(), "const int tiles = 0;"));
  Outcome run = hilo("tune --precision s --transpose nn --size small --time 1 --json", "HILO_KERNEL_PATH=.");
  EXPECT_EQ(run.code, 1) << run.err;
  json r = json::parse(run.out);
  EXPECT_TRUE(r["results"][0]["tile"].is_null());
  EXPECT_GE(r["results"][0]["failed"].get<int>(), 1);
  EXPECT_TRUE(kept()["entries"].empty());
}

// Needs no device.
class TuneCpu : public Tune {
 protected:
  void SetUp() override {}
};

TEST_F(TuneCpu, KeepsRatesBesideTiles) {
  folder.write("tuning.json", R"({"format": 1, "entries": [{"device": "A GPU"}, {"cpu": 5}]})");
  Outcome run = hilo("tune --backend cpu --time 1 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json r = json::parse(run.out);
  EXPECT_EQ(r["file"], folder.file("tuning.json"));
  EXPECT_EQ(r["interrupted"], false);
  EXPECT_EQ(r["ignored"].size(), 1u);
  const json& first = r["results"][0];
  EXPECT_GE(first["rounds"], 1);
  EXPECT_GT(first["rates"]["direct_step"], 0.0);
  EXPECT_GT(first["rates_before"]["direct_step"], 0.0);
  EXPECT_TRUE(r["results"].back()["rates"].is_null()) << "the time was over";
  const json entry = kept()["entries"][2];
  for (const char* key : {"target", "lanes", "int8", "fma"}) EXPECT_EQ(entry[key], first[key]) << key;
  EXPECT_EQ(entry["direct_step"], first["rates"]["direct_step"]);
  const json products = hilo_json("info")["products"];
  EXPECT_EQ(products["rates"], "user");
  EXPECT_EQ(products["modular_from_dd"], first["rates"]["modular_from_dd"]);
  EXPECT_EQ(products["rates_ignored"].size(), 1u);
  run = hilo("tune --backend cpu --time 1");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* words : {"CPU        ", "tuning.json", "bytes by", "ignored    ", "\"lanes\" is missing"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << '\n' << run.out;
  }
  EXPECT_EQ(kept()["entries"][0]["device"], "A GPU");
}

TEST_F(TuneCpu, AnInterruptEndsIt) {
  Outcome run = hilo("tune --backend cpu --json", "timeout --foreground --preserve-status -s INT 1");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["interrupted"], true);
}

TEST_F(TuneCpu, RefusesWhatItCannotDo) {
  expect_error("tune --backend gpu", 2, "--backend 'gpu' is none of cpu, opencl");
  expect_error("tune --backend cpu --size small", 2, "--size small has no effect: it is for OpenCL devices");
  expect_error("tune --backend cpu -d 0", 2, "-d 0 has no effect");
  expect_error("tune --backend cpu --device gpu", 2, "--device gpu has no effect: it is for OpenCL devices");
  expect_error("tune --backend cpu --time 0", 2, "--time 0 is less than 1");
  expect_error("tune --backend cpu", 2, "no folder for the tuning file", "HILO_TUNING=");
  folder.write("tuning.json", "{\"format\": 9}");
  expect_error("tune --backend cpu", 2, "has format 9, expected 1");
}

TEST_F(Tune, RefusesWhatItCannotDo) {
  expect_error("tune --precision s,x", 2, "--precision 'x' is none of s, d, c, z, dd, zdd");
  expect_error("tune --transpose nc", 2, "--transpose 'nc' is none of nn, nt, tn, tt");
  expect_error("tune --size huge", 2, "--size 'huge' is none of small, medium, large");
  expect_error("tune --time 0", 2, "--time 0 is less than 1");
  expect_error("tune --time 1.5", 2, "--time '1.5' is not an integer");
  expect_error("tune --time ''", 2, "--time");
  expect_error("tune -p 99", 3, "no OpenCL platform number 99");
  expect_error("tune --time 1", 2, "no folder for the tuning file", "HILO_TUNING=");
  folder.write("tuning.json", "{\"format\": 9}");
  expect_error("tune", 2, "has format 9, expected 1");
  EXPECT_EQ(folder.read("tuning.json"), "{\"format\": 9}");
}

}  // namespace
}  // namespace hilo
