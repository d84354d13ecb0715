// Descriptions of devices: those of the papers give their figures, a file is read whole, and what is wrong is named.
#include <gtest/gtest.h>

#include <hilo/model.hpp>

#include "error_message.hpp"

namespace {

using namespace hilo;
using model::Device;
using model::Issue;

TEST(ShippedDevice, AllAreRead) {
  std::string keys;
  for (const Device& d : model::shipped_devices()) {
    keys += d.key + ' ';
    EXPECT_FALSE(d.name.empty() || d.source.empty()) << d.key;
    EXPECT_GT(d.units, 0) << d.key;
  }
  EXPECT_EQ(keys, "c1060 cypress gtx580 h100 h200 ");
  EXPECT_EQ(&model::shipped_device("H200"), &model::shipped_device("h200"));
  EXPECT_EQ(message_of(errc::invalid_argument, [] { model::shipped_device("h300"); }),
            "'h300' is none of c1060, cypress, gtx580, h100, h200");
}

TEST(ShippedDevice, CypressGivesNakasatosFigures) {
  const Device& d = model::shipped_device("cypress");
  EXPECT_NEAR(model::block_bandwidth(1e9 * d.gflops_d, 8, 4), 1.088e12, 5e8);
  EXPECT_EQ(model::least_block(1e9 * d.gflops_s, 4, 1e9 * d.cache_gbytes), 10);
  ASSERT_EQ(d.double_double.size(), 2u);
  const auto peak = [&](const model::OperationCount& c) {
    return model::operation_peak(d.double_gops, c.additions, c.multiplications);
  };
  EXPECT_NEAR(peak(d.double_double[0]), 23.7, 0.05);
  EXPECT_NEAR(peak(d.double_double[1]), 37.5, 0.05);
  EXPECT_EQ(d.kernel_registers, (std::vector<int>{25, 37}));
  EXPECT_EQ(model::running_threads(d.file, 25), 40);
  EXPECT_EQ(model::running_threads(d.file, 37), 24);
  EXPECT_EQ(d.bus_gbytes, (std::vector<double>{3, 10}));
}

TEST(ShippedDevice, Gtx580GivesLaiAndSeznecsFigures) {
  const Device& d = model::shipped_device("gtx580");
  std::vector<double> percent;
  for (const model::LoadMix& load : d.loads) {
    const model::TiledKernel kernel{d.group_threads, d.group_depth, 1, load.words, d.address_registers};
    const int block = model::largest_block(kernel, {d.file, d.shared_bytes, d.most_threads}, 4);
    EXPECT_EQ(block, 6) << load.name;
    percent.push_back(100 * model::attainable_part(block, load.words, load.throughput));
  }
  ASSERT_EQ(percent.size(), 3u);
  EXPECT_NEAR(percent[0], 75.0, 0.05);
  EXPECT_NEAR(percent[1], 85.7, 0.05);
  EXPECT_NEAR(percent[2], 82.5, 0.05);
}

TEST(ShippedDevice, C1060GivesChiensFigures) {
  const Device& d = model::shipped_device("c1060");
  std::vector<double> peaks;
  for (const model::Pattern& p : d.patterns) {
    peaks.push_back(model::pattern_peak(d.gflops_s, d.multiply_add_cycles, p.steps, p.issue));
  }
  const std::vector<double> expected = {624, 499.2, 453.82, 416, 416, 356.57};
  ASSERT_EQ(peaks.size(), expected.size());
  for (std::size_t i = 0; i < peaks.size(); ++i) EXPECT_NEAR(peaks[i], expected[i], 0.005) << d.patterns[i].name;
}

const std::string whole = R"({
  "device": "mine", "name": "My device", "source": "a test", "units": 3, "gflops_s": 1.5, "gflops_d": 2,
  "matrix_gflops_d": 3, "double_gops": 4, "has_fma": true, "byte_gops": 5, "sustained_byte_gops": 6,
  "byte_unit": "plain", "memory_gbytes": 7, "cache_gbytes": 8, "bus_gbytes": [9, 10], "dd_gflops": 11,
  "dd_gflops_fast": 12, "registers": {"file": 13, "width": 14, "most": 15, "bytes": 16}, "kernel_registers": [17],
  "shared_bytes": 18, "most_threads": 19, "group": {"threads": 49, "depth": 21, "address_registers": 22},
  "loads": [{"name": "a load", "words": 2, "throughput": 0.5}],
  "double_double": [{"name": "counted", "additions": 23, "multiplications": 24}], "multiply_add_cycles": 25,
  "patterns": [{"name": "a pattern", "issue": "dual",
                "steps": [{"name": "one", "count": 26, "cycles": 27, "paired_cycles": 28, "multiplies_adds": true}]}],
  "kernels": [{"name": "a kernel", "precision": "zdd", "engine": "modular", "n": 29, "gflops": 30}]})";

TEST(DeviceFile, EveryKeyIsRead) {
  const Device d = model::parse_device(whole, "file");
  EXPECT_EQ(d.key + '|' + d.name + '|' + d.source + '|' + d.byte_unit, "mine|My device|a test|plain");
  EXPECT_EQ((std::vector<double>{d.gflops_s, d.gflops_d, d.matrix_gflops_d, d.double_gops, d.byte_gops,
                                 d.sustained_byte_gops, d.memory_gbytes, d.cache_gbytes, d.bus_gbytes.at(0),
                                 d.bus_gbytes.at(1), d.dd_gflops, d.dd_gflops_fast}),
            (std::vector<double>{1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_TRUE(d.has_fma);
  EXPECT_EQ((std::vector<int>{d.units, d.file.registers, d.file.width, d.file.most, d.register_bytes,
                              d.kernel_registers.at(0), d.shared_bytes, d.most_threads, d.group_threads, d.group_depth,
                              d.address_registers}),
            (std::vector<int>{3, 13, 14, 15, 16, 17, 18, 19, 49, 21, 22}));
  EXPECT_EQ(d.loads.at(0).words, 2);
  EXPECT_EQ(d.loads.at(0).throughput, 0.5);
  EXPECT_EQ(d.double_double.at(0).additions + d.double_double.at(0).multiplications, 47);
  EXPECT_EQ(d.multiply_add_cycles, 25);
  const model::Pattern& p = d.patterns.at(0);
  EXPECT_EQ(p.issue, Issue::dual);
  EXPECT_EQ(p.steps.at(0).count, 26);
  EXPECT_EQ(p.steps.at(0).cycles + p.steps.at(0).paired_cycles, 55);
  EXPECT_TRUE(p.steps.at(0).multiplies_adds);
  const model::KernelRate& k = d.kernels.at(0);
  EXPECT_EQ(k.precision, Precision::zdd);
  EXPECT_TRUE(k.is_modular);
  EXPECT_EQ(k.n, 29);
  EXPECT_EQ(k.gflops, 30);
}

TEST(DeviceFile, OnlyNamesAreNeeded) {
  const Device d = model::parse_device(R"({"device": "a", "name": "b", "source": "c"})", "file");
  EXPECT_EQ(d.gflops_d, 0);
  EXPECT_TRUE(d.kernels.empty());
}

TEST(DeviceFile, WhatIsWrongIsNamed) {
  auto changed = [](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return message_of(errc::parse, [&] { model::parse_device(text, "my.json"); });
  };
  EXPECT_EQ(message_of(errc::parse, [] { model::parse_device("{", "my.json"); }), "my.json: is no JSON");
  EXPECT_EQ(message_of(errc::parse, [] { model::parse_device("[]", "my.json"); }), "my.json: is no object");
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_EQ(changed("\"mine\"", deep), "my.json: is nested too deeply to be a description");
  EXPECT_EQ(changed(R"("device": "mine", )", ""), "my.json: has no \"device\", expected a text");
  EXPECT_EQ(changed("\"My device\"", "5"), "my.json: has \"name\": 5, expected a text that is not empty");
  EXPECT_EQ(changed("\"units\": 3", "\"units\": 2.5"),
            "my.json: has \"units\": 2.5, expected an integer from 1 to 2147483647");
  EXPECT_EQ(changed("\"gflops_s\": 1.5", "\"gflops_s\": -1"),
            "my.json: has \"gflops_s\": -1, expected a positive number");
  EXPECT_EQ(changed("\"gflops_d\": 2", "\"gflops_d\": \"2\""),
            "my.json: has \"gflops_d\": \"2\", expected a positive number");
  EXPECT_EQ(changed("\"has_fma\": true", "\"has_fma\": 1"), "my.json: has \"has_fma\": 1, expected true or false");
  EXPECT_EQ(changed("[9, 10]", "9"), "my.json: has \"bus_gbytes\": 9, expected a list");
  EXPECT_EQ(changed("[9, 10]", "[0]"), "my.json: has \"bus_gbytes\": [0], expected a list of positive numbers");
  EXPECT_EQ(changed("\"file\": 13, ", ""), "my.json: \"registers\" has no \"file\", expected an integer from 1");
  EXPECT_EQ(changed("\"threads\": 49", "\"threads\": 50"), "my.json: \"group\" has \"threads\": 50, expected a square");
  EXPECT_EQ(changed("\"throughput\": 0.5", "\"throughput\": 2"),
            "my.json: \"loads\", element 0 has \"throughput\": 2, expected a number in (0, 1]");
  EXPECT_EQ(changed("\"dual\"", "\"triple\""),
            "my.json: \"patterns\", element 0 has \"issue\": \"triple\", expected \"single\" or \"dual\"");
  EXPECT_EQ(changed("\"zdd\"", "\"q\""),
            "my.json: \"kernels\", element 0 has \"precision\": \"q\", expected s, d, c, z, dd or zdd");
  EXPECT_EQ(changed(", \"multiply_add_cycles\": 25", ""),
            "my.json: has no \"multiply_add_cycles\", expected a positive number");
  expect_contains(changed("gflops_s", "gflop_s"),
                  {"my.json: has the unknown key \"gflop_s\", expected some of device, name, "});
  expect_contains(changed("gflops_s", "a\\u0000b"),
                  {"has the unknown key \"a\\x00b\", expected some of device, name, "});
}

// Of which the last would count without a word; in different objects the same keys may stand.
TEST(DeviceFile, KeysThatComeTwice) {
  auto refused = [](const std::string& more) {
    const std::string text = R"({"device": "a", "name": "b", "source": "c", )" + more + '}';
    return message_of(errc::parse, [&] { model::parse_device(text, "my.json"); });
  };
  EXPECT_EQ(refused(R"("gflops_s": 1, "gflops_s": 1)"), "my.json: has the key \"gflops_s\" twice in one object");
  EXPECT_EQ(refused(R"("n\u0061me": "d")"), "my.json: has the key \"name\" twice in one object");
  EXPECT_EQ(refused(R"("loads": [{"name": "x", "words": 1}, {"name": "y", "words": 2, "words": 3}])"),
            "my.json: has the key \"words\" twice in one object");
  EXPECT_EQ(model::parse_device(R"({"device": "a", "name": "b", "source": "c", "loads": [{"name": "x", "words": 1},
                                    {"name": "y", "words": 2}]})",
                                "my.json")
                .loads.size(),
            2u);
}

}  // namespace
