// `hilo bench --compare`: what counts as noise, which lines belong together, and what is refused.
#include <map>
#include <sstream>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class BenchCompare : public Program {
 protected:
  // A result of one line for each n, whose runs lie within `spread` around their median.
  json result(const std::map<int, double>& seconds, double spread = 0.01, int runs = 5) const {
    json r = {{"version", "1"},        {"compiler", "c"},   {"cpu", "a CPU"}, {"cpu_threads", 2}, {"layout", "column"},
              {"accuracy", "classic"}, {"fma", "auto"},     {"workspace", 0}, {"depth", 0},       {"int8", "auto"},
              {"complex", "four"},     {"init", "uniform"}, {"seed", 1}};
    r["results"] = json::array();
    for (const auto& [n, median] : seconds) {
      json row = {{"routine", "getrf"},
                  {"precision", "dd"},
                  {"m", n},
                  {"n", n},
                  {"k", n},
                  {"engine", "auto"},
                  {"backend", "cpu"},
                  {"device", "AVX3"},
                  {"threads_asked", 0},
                  {"runs", runs}};
      for (const char* key : {"batch", "transa", "transb", "platform_number", "device_number"}) row[key] = nullptr;
      row["seconds_kernel"] = median;
      row["seconds_kernel_quartile_1"] = median * (1 - spread / 2);
      row["seconds_kernel_quartile_3"] = median * (1 + spread / 2);
      r["results"].push_back(row);
    }
    return r;
  }
  json compared(const json& before, const json& after) {
    folder.write("a.json", before.dump());
    folder.write("b.json", after.dump());
    return hilo_json("bench --compare a.json b.json");
  }
  std::string verdict(const json& before, const json& after) {
    return compared(before, after)["results"][0]["verdict"];
  }
};

TEST_F(BenchCompare, TellsChangesFromNoise) {
  EXPECT_EQ(verdict(result({{8, 1.0}}), result({{8, 1.015}})), "same");  // 2 % are always noise
  EXPECT_EQ(verdict(result({{8, 1.0}}), result({{8, 1.035}})), "slower");
  EXPECT_EQ(verdict(result({{8, 1.035}}), result({{8, 1.0}})), "faster");
  EXPECT_EQ(verdict(result({{8, 1.0}}, 0.1), result({{8, 1.08}})), "same");  // the larger spread counts
  EXPECT_EQ(verdict(result({{8, 1.0}}), result({{8, 1.08}}, 0.1)), "same");
  EXPECT_EQ(verdict(result({{8, 1.0}}, 0.1), result({{8, 1.2}})), "slower");
  EXPECT_EQ(verdict(result({{8, 1.0}}), result({{8, 2.0}}, 0.01, 2)), "unsure");
  // Medians that are far apart, with quartiles that overlap.
  json before = result({{8, 1.0}}), after = result({{8, 1.5}});
  before["results"][0]["seconds_kernel_quartile_3"] = 1.3;
  after["results"][0]["seconds_kernel_quartile_1"] = 1.25;
  EXPECT_EQ(verdict(before, after), "same");
  const json r = compared(result({{8, 3.0}}), result({{8, 1.5}}));
  EXPECT_EQ(r["results"][0]["speed"], 2.0);
  EXPECT_EQ(r["results"][0]["noise"], 0.02);
  EXPECT_EQ(r["results"][0]["seconds_before"], 3.0);
  EXPECT_EQ(r["results"][0]["seconds_after"], 1.5);
  EXPECT_EQ(r["faster"], 1);
}

TEST_F(BenchCompare, MatchesLinesByWhatIsMeasured) {
  json before = result({{8, 1.0}, {16, 1.0}, {32, 1.0}}), after = result({{16, 1.0}, {32, 1.0}, {64, 1.0}});
  after["results"][1]["threads_asked"] = 2;
  json r = compared(before, after);
  ASSERT_EQ(r["results"].size(), 1u);
  EXPECT_EQ(r["results"][0]["n"], 16);
  EXPECT_EQ(r["only_before"].size(), 2u);
  EXPECT_EQ(r["only_after"][0]["threads_asked"], 2);
  EXPECT_EQ(r["machines_differ"], false);
  after["cpu"] = "another CPU";
  after["accuracy"] = "fast";  // of all lines
  r = compared(before, after);
  EXPECT_EQ(r["results"].size(), 0u);
  EXPECT_EQ(r["machines_differ"], true);
  after["accuracy"] = "classic";
  compared(before, after);
  const Outcome run = hilo("bench --compare a.json b.json");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* words :
       {"before     a.json\n", "differ     cpu: a CPU; another CPU\n", "  same  getrf 16 threads_asked=0\n",
        "\nonly in a.json\n  getrf 8 threads_asked=0\n", "\nonly in b.json\n", "  getrf 32 threads_asked=2\n",
        "\n0 faster, 0 slower, 1 the same within noise\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
}

TEST_F(BenchCompare, MachinesAreTheSameInWhicheverOrderDevicesCome) {
  const auto on_devices = [&](const std::vector<int>& devices) {
    json r = result({{8, 1.0}});
    const json row = r["results"][0];
    r["results"].clear();
    for (const int device : devices) {
      json& added = r["results"].emplace_back(row);
      added["backend"] = "opencl";
      added["device_number"] = device;
      added["device"] = "GPU " + std::to_string(device);
    }
    return r;
  };
  EXPECT_EQ(compared(on_devices({0, 1}), on_devices({1, 0}))["machines_differ"], false);
  EXPECT_EQ(hilo("bench --compare a.json b.json").out.find("differ"), std::string::npos);
  EXPECT_EQ(compared(on_devices({0, 1}), on_devices({1, 2}))["machines_differ"], true);
  EXPECT_EQ(compared(on_devices({0, 1}), on_devices({0}))["machines_differ"], true);
}

TEST_F(BenchCompare, FitsEightyColumns) {
  json before = result({{1000, 1.0}, {1001, 1.0}}), after = before;
  for (json* bench : {&before, &after}) {
    json& row = (*bench)["results"][0];
    row["platform_number"] = row["device_number"] = 1;
    row["routine"] = "batch";
    row["precision"] = "zdd";
    row["backend"] = "opencl";
    row["transa"] = row["transb"] = "N";
    row["engine"] = "reproducible";
  }
  after["results"].push_back(after["results"][0]);
  after["results"].back()["threads_asked"] = 12;
  compared(before, after);
  const Outcome run = hilo("bench --compare a.json b.json");
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  for (const char* words :
       {"  same  batch 1000 zdd N N reproducible opencl\n                                         platform_number=1 ",
        "\n  batch 1000 zdd N N reproducible opencl platform_number=1 device_number=1\n    threads_asked=12\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
}

TEST_F(BenchCompare, FailsWhereSomethingIsSlower) {
  compared(result({{8, 1.0}, {16, 1.0}}), result({{8, 1.0}, {16, 1.08}}));
  EXPECT_EQ(hilo("bench --compare a.json b.json").code, 0);
  EXPECT_EQ(hilo("bench --compare a.json b.json --fail-on-slower 10").code, 0);
  const Outcome run = hilo("bench --compare a.json b.json --fail-on-slower 5");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("  slower  getrf 16\n"), std::string::npos) << run.out;
  EXPECT_EQ(hilo("bench --compare b.json a.json --fail-on-slower 5").code, 0);
  // Within noise nothing is slower.
  compared(result({{8, 1.0}}, 0.2), result({{8, 1.1}}));
  EXPECT_EQ(hilo("bench --compare a.json b.json --fail-on-slower 1").code, 0);
}

TEST_F(BenchCompare, ReadsWhatBenchPrints) {
  const std::string bench = "bench --routine gemm,getrf --sizes 8 --repeat 3 --min-time 0 --json >";
  ASSERT_EQ(hilo(bench + "a.json").code, 0);
  ASSERT_EQ(hilo(bench + "b.json").code, 0);
  const json r = hilo_json("bench --compare a.json b.json");
  EXPECT_EQ(r["results"].size(), 3u);
  EXPECT_EQ(r["machines_differ"], false);
  EXPECT_EQ(hilo_json("bench --compare a.json a.json")["same"], 3);
}

TEST_F(BenchCompare, RefusesWhatItCannotRead) {
  const json good = result({{8, 1.0}});
  folder.write("good.json", good.dump());
  const auto refuses = [&](const std::string& text, const std::string& words) {
    folder.write("bad.json", text);
    expect_error("bench --compare good.json bad.json", 2, "bad.json: " + words);
  };
  refuses("", "is not JSON");
  refuses(good.dump().substr(0, 100), "is not JSON");
  refuses("[]", "is not a JSON object");
  refuses("{}", "results is missing");
  refuses("{\"results\": 3}", "results is not a list");
  const auto broken = [&](const char* key, const json& value, const std::string& words) {
    json bad = good;
    bad["results"][0][key] = value;
    refuses(bad.dump(), "results[0]." + std::string(key) + words);
  };
  broken("seconds_kernel", "fast", " is not a number of seconds");
  broken("seconds_kernel", 9, " does not lie between its quartiles");
  broken("seconds_kernel_quartile_1", -1, " is not a number of seconds");
  broken("runs", 0, " is not a number of runs");
  broken("m", json::array(), " is no word and no number");
  json bad = good;
  bad["results"][0].erase("engine");
  refuses(bad.dump(), "results[0].engine is missing");
  bad = good;
  bad.erase("cpu");
  refuses(bad.dump(), "cpu is missing");
  bad = good;
  bad["results"][0] = 5;
  refuses(bad.dump(), "results[0] is not an object");
  expect_error("bench --compare good.json none.json", 2, "none.json");
  expect_error("bench --compare good.json", 2, "--compare");
  expect_error("bench --compare good.json good.json --sizes 4", 2, "--sizes excludes --compare");
  expect_error("bench --compare good.json good.json --fail-on-slower x", 2, "--fail-on-slower 'x' is not a number");
  expect_error("bench --sizes 4 --fail-on-slower 5", 2, "--fail-on-slower requires --compare");
}

}  // namespace
}  // namespace hilo
