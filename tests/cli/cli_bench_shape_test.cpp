// `hilo bench`: shapes, and lists of precisions, transposes and threads.
#include <array>
#include <sstream>
#include <vector>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

TEST_F(Program, BenchShapes) {
  json r = hilo_json("bench --shapes '5,6,7 9X4x3' 2 --sizes 8 --engine direct --repeat 1 --min-time 0");
  std::vector<std::array<int, 3>> shapes;
  for (const json& row : r["results"]) {
    shapes.push_back({row["m"], row["n"], row["k"]});
    const double operations = 2e-9 * shapes.back()[0] * shapes.back()[1] * shapes.back()[2];
    EXPECT_NEAR(row["gflops_kernel"].get<double>() * row["seconds_kernel"].get<double>(), operations, 1e-14);
  }
  EXPECT_EQ(shapes, (std::vector<std::array<int, 3>>{{8, 8, 8}, {5, 6, 7}, {9, 4, 3}, {2, 2, 2}}));
  const Outcome run = hilo("bench --shapes 5,6,7 --engine direct --repeat 1 --min-time 0");
  for (const char* words : {"ddgemm NN, m x n x k, ", "\nm x n x k  engine ", "\n    5x6x7  direct "}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  expect_error("bench --shapes 4,5", 2, "--shapes 4x5: gemm takes m,n,k, or n for all three");
  expect_error("bench --shapes 4,5,6,7", 2, "--shapes '4,5,6,7' has more than three numbers");
  expect_error("bench --shapes 4 ' '", 2, "--shapes ' ': a size is missing");
  expect_error("bench --shapes 4,,6", 2, "--shapes '4,,6': a size is missing");
  expect_error("bench --shapes 4x0x6", 2, "--shapes 0 is less than 1");
  expect_error("bench --shapes 4xnx6", 2, "--shapes 'n' is not an integer");
}

TEST_F(Program, BenchTakesListsOfPrecisionsTransposesAndThreads) {
  const std::string bench = "bench --sizes 8 --repeat 1 --min-time 0 --engine direct ";
  json r = hilo_json(bench + "--precision s,ZDD --transa n,T --transb C --threads 1,2");
  std::string found;
  for (const json& row : r["results"]) {
    found += row["precision"].get<std::string>() + row["transa"].get<std::string>() + row["transb"].get<std::string>() +
             std::to_string(row["threads_asked"].get<int>()) + ' ';
  }
  EXPECT_EQ(found, "sNC1 sNC2 sTC1 sTC2 zddNC1 zddNC2 zddTC1 zddTC2 ");
  const Outcome run = hilo(bench + "--precision s,zdd --transa N,T --threads 1,2");
  for (const char* words :
       {"products   gemm in s, zdd, n x n x n, ", "\nn  in   op  threads  engine ", "\n8  zdd  TN "}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  std::string engines;  // each precision has those that compute it
  const json both = hilo_json("bench --sizes 8 --repeat 1 --min-time 0 --precision d,s");
  for (const json& row : both["results"]) {
    engines += row["precision"].get<std::string>() + ' ' + row["engine"].get<std::string>() + ' ';
  }
  EXPECT_EQ(engines, "d direct d modular s direct ");
  expect_error(bench + "--precision dd,q", 2, "--precision 'q' is none of");
  expect_error(bench + "--threads 1,x", 2, "--threads 'x' is not an integer");
}

// However a word or a number is written; a shape is the same where all routines have the same sizes of it.
TEST_F(Program, BenchMeasuresOnceWhatListsHaveTwice) {
  const auto shapes = [&](const std::string& lists) {
    std::string found;
    const json r = hilo_json("bench --repeat 1 --min-time 0 " + lists);
    for (const json& row : r["results"]) {
      found += row["routine"].get<std::string>() + ' ' + row["m"].dump() + 'x' + row["n"].dump() + 'x' +
               row["k"].dump() + ' ' + row["engine"].get<std::string>() + ' ' + row["precision"].get<std::string>() +
               ' ' + row["threads_asked"].dump() + "; ";
    }
    return found;
  };
  EXPECT_EQ(shapes("--sizes 8,8,4:12:4,08 --engine direct"),
            "gemm 8x8x8 direct dd 0; gemm 4x4x4 direct dd 0; gemm 12x12x12 direct dd 0; ");
  EXPECT_EQ(shapes("--sizes 5 --shapes 5,5,5 5x6x7 5,6,7 --engine direct,Auto,DIRECT,auto --precision D,d "
                   "--transa n,N --transb T,t --threads 1,01,1 --routine gemm,GEMM --backend cpu,CPU"),
            "gemm 5x5x5 direct d 1; gemm 5x5x5 auto d 1; gemm 5x6x7 direct d 1; gemm 5x6x7 auto d 1; ");
  EXPECT_EQ(shapes("--routine solve --shapes 5 5,1 5,2"), "solve 5x1x5 auto dd 0; solve 5x2x5 auto dd 0; ");
}

// Fields of lines of which none has quotes.
std::vector<std::vector<std::string>> fields(const std::string& csv) {
  std::vector<std::vector<std::string>> all;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    all.emplace_back();
    std::istringstream cells(line + ',');
    for (std::string cell; std::getline(cells, cell, ',');) all.back().push_back(cell);
  }
  return all;
}

TEST_F(Program, BenchCsvHasWhatJsonHas) {
  const std::string bench = "bench --shapes 5,6,7 8 --engine direct --repeat 1 --min-time 0 --precision d,dd ";
  const Outcome run = hilo(bench + "--json --csv values.csv");
  EXPECT_EQ(run.code, 0) << run.err;
  const auto r = nlohmann::ordered_json::parse(run.out);
  const auto csv = fields(folder.read("values.csv"));
  ASSERT_EQ(csv.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    auto row = r;
    for (const char* key : {"reference", "results", "plot", "left_out", "interrupted"}) row.erase(key);
    for (const auto& item : r["results"][i].items()) row[item.key()] = item.value();
    ASSERT_EQ(csv[0].size(), row.size());
    ASSERT_EQ(csv[i + 1].size(), row.size());
    std::size_t column = 0;
    for (const auto& [key, value] : row.items()) {
      EXPECT_EQ(csv[0][column], key);
      EXPECT_EQ(csv[i + 1][column++], value.is_null()     ? ""
                                      : value.is_string() ? value.get<std::string>()
                                                          : value.dump());
    }
  }
  const Outcome printed = hilo(bench + "--csv");
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(fields(printed.out).size(), 5u);
  EXPECT_TRUE(printed.out.starts_with("version,compiler,cpu,")) << printed.out;
  const Outcome table = hilo(bench + "--csv values.csv");
  EXPECT_NE(table.out.find("\nvalues     values.csv\n"), std::string::npos) << table.out;
  expect_error(bench + "--csv --json", 2, "--csv and --json both take standard output");
  expect_error(bench + "--csv none/values.csv", 2, "none/values.csv");
}

TEST_F(Program, BenchTablesHave80Columns) {
  const std::string bench =
      "bench --repeat 1 --min-time 0 --shapes 24,24,24 1x2x100000 --precision dd,zdd --transa N,T --threads 1,2 ";
  for (const char* engines : {"", "--engine reproducible,modular,auto "}) {
    const Outcome run = hilo(bench + engines);
    EXPECT_EQ(run.code, 0) << run.err;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
}  // namespace hilo
