// `hilo gemm --timing`: what the time goes to.
#include <algorithm>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Program;

TEST_F(Program, TimingOnTheCpuTellsRunsAlone) {
  EXPECT_TRUE(hilo_json("-n 4 --backend cpu")["timing"].is_null());
  const json r = hilo_json("-n 4 --backend cpu -t -i 4");
  const json& timing = r["timing"];
  EXPECT_GT(timing["seconds_operands"].get<double>(), 0.0);
  for (const char* key :
       {"programs", "bytes_in", "seconds_in", "kernels", "seconds_other", "bytes_out", "seconds_out"}) {
    EXPECT_TRUE(timing[key].is_null()) << key;
  }
  ASSERT_EQ(timing["runs_total"].size(), 4u);
  EXPECT_EQ(timing["runs_total"], timing["runs_kernel"]);
  EXPECT_EQ(*std::min_element(timing["runs_total"].begin(), timing["runs_total"].end()), r["seconds_total"]);
  const std::string table = hilo("-n 4 --backend cpu --timing").out;
  EXPECT_NE(table.find("\ntiming\n  operands "), table.npos) << table;
  EXPECT_NE(table.find(" at worst, of 3 runs\n"), table.npos) << table;
  EXPECT_EQ(table.find("  programs "), table.npos) << table;
}

TEST_F(Program, TimingOnADeviceTellsKernelsAndTransfers) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  const std::string product = "-m 50 -n 40 -k 30 --backend opencl --engine direct -i 2 ";
  const json r = hilo_json(product + "--beta 2 -t");
  const json& timing = r["timing"];
  constexpr int number_bytes = 16;
  EXPECT_EQ(timing["bytes_in"], number_bytes * (50 * 30 + 30 * 40 + 50 * 40));
  EXPECT_EQ(timing["bytes_out"], number_bytes * 50 * 40);
  EXPECT_EQ(hilo_json(product + "--timing")["timing"]["bytes_in"], number_bytes * (50 * 30 + 30 * 40));
  EXPECT_GT(timing["seconds_in"].get<double>(), 0.0);
  EXPECT_GT(timing["seconds_out"].get<double>(), 0.0);
  EXPECT_GT(timing["programs"]["seconds"].get<double>(), 0.0);
  EXPECT_GT(timing["programs"]["built"].get<int>() + timing["programs"]["from_disk"].get<int>(), 1);
  EXPECT_EQ(timing["programs"]["loaded"], 0);
  std::string names;
  for (const json& kernel : timing["kernels"]) {
    names += kernel["kernel"].get<std::string>() + ' ';
    EXPECT_GE(kernel["launches"].get<int>(), 1);
    EXPECT_GE(kernel["seconds"].get<double>(), 0.0);
  }
  EXPECT_TRUE(names == "pack_left pack_right multiply_panels finish " || names == "multiply_small ") << names;
  EXPECT_EQ(timing["runs_kernel"].size(), 2u);
  EXPECT_EQ(timing["runs_total"].size(), 2u);
  EXPECT_EQ(*std::min_element(timing["runs_kernel"].begin(), timing["runs_kernel"].end()), r["seconds_kernel"]);
  EXPECT_EQ(*std::min_element(timing["runs_total"].begin(), timing["runs_total"].end()), r["seconds_total"]);
  const std::string table = hilo(product + "-t").out;
  for (const char* words : {"\n  programs ", " compiled, ", "\n  in       ", " bytes, ", "\n           multiply_",
                            " 1 launch\n", "\n           between them ", "\n  out      "}) {
    EXPECT_NE(table.find(words), table.npos) << words << " in\n" << table;
  }
}

}  // namespace
}  // namespace hilo
