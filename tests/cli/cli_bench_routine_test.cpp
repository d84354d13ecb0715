// `hilo bench --routine`: what is counted, that results are right, on the CPU and a device.
#include <sched.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

const std::string quick = " --repeat 1 --min-time 0 ";

int processors() {
  cpu_set_t all;
  return sched_getaffinity(0, sizeof all, &all) == 0 ? CPU_COUNT(&all) : 1;
}

TEST_F(Program, BenchRoutinesCountTheirOperations) {
  const std::map<std::string, double> expected = {{"gemm", 2.0 * 7 * 5 * 3},
                                                  {"batch", 4 * 2.0 * 7 * 5 * 3},
                                                  {"syrk", 7.0 * 7 * 5},
                                                  {"trsm", 7.0 * 7 * 5},
                                                  {"getrf", 7.0 * 25 - 125.0 / 3.0},
                                                  {"potrf", 343.0 / 3.0},
                                                  {"geqrf", 2.0 * 7 * 25 - 250.0 / 3.0},
                                                  {"solve", 2.0 * 343.0 / 3.0 + 2.0 * 49 * 5}};
  for (const auto& [routine, operations] : expected) {
    const bool is_product = routine == "gemm" || routine == "batch";
    const std::string shape = is_product ? "7,5,3" : routine == "potrf" ? "7" : "7,5";
    for (const char* precision : {"d", "z"}) {
      const json r = hilo_json("bench --engine direct --routine " + routine + " --shapes " + shape + " --precision " +
                               precision + (routine == "batch" ? " --batch 4" : "") + quick);
      const json& row = r["results"][0];
      EXPECT_EQ(row["routine"], routine);
      EXPECT_NEAR(row["operations"].get<double>(), operations * (*precision == 'z' ? 4 : 1), 1e-9) << routine;
      EXPECT_NEAR(row["gflops_kernel"].get<double>() * row["seconds_kernel"].get<double>() * 1e9,
                  row["operations"].get<double>(), 1e-6);
    }
  }
  // Of wide matrices as of tall ones.
  const json r = hilo_json("bench --routine getrf,geqrf --shapes 5,7 7,5" + quick);
  EXPECT_EQ(r["results"][0]["operations"], r["results"][2]["operations"]);
  EXPECT_EQ(r["results"][1]["operations"], r["results"][3]["operations"]);
}

// A wrong factor, transpose or stride would make ratios of 2^53 and more.
TEST_F(Program, BenchRoutinesLeaveWhatTheyShould) {
  const std::set<std::string> factorisations = {"getrf", "potrf", "geqrf", "solve"};
  const std::string all = "gemm,batch,syrk,trsm,getrf,potrf,geqrf,solve";
  const auto check = [&](const json& r, std::size_t rows) {
    EXPECT_EQ(r["results"].size(), rows);
    for (const json& row : r["results"]) {
      SCOPED_TRACE(row.dump());
      const bool is_gemm = row["routine"] == "gemm";
      EXPECT_EQ(row["residual_ratio"].is_null(), is_gemm);
      if (is_gemm) {
        EXPECT_TRUE(row["max_error_u2"].is_null() || row["max_error_u2"] < 100.0);
      } else {
        EXPECT_LT(row["residual_ratio"].get<double>(), 10.0);
      }
      EXPECT_EQ(row["transa"].is_null(), factorisations.count(row["routine"]) == 1);
      EXPECT_EQ(row["transb"].is_null(), !is_gemm && row["routine"] != "batch");
    }
  };
  check(hilo_json("bench --sizes 40,70 --engine direct --precision s,d,c,z,dd,zdd --routine " + all + quick), 96);
  check(hilo_json("bench --sizes 30 --layout row --engine auto --transa T,C --transb T --precision dd,zdd --routine " +
                  all + quick),
        2 * (4 * 2 + 4));
  check(hilo_json("bench --shapes 70,30 30,70 --precision dd,z --routine syrk,trsm,getrf" + quick), 12);
  check(hilo_json("bench --shapes 70,30 --precision dd,z --routine geqrf,solve" + quick), 4);
  check(hilo_json("bench --sizes 40 --engine direct,modular,auto,reproducible --routine potrf" + quick), 4);
}

TEST_F(Program, BenchRoutinesTable) {
  const Outcome run = hilo("bench --routine gemm,getrf --sizes 40 --engine direct" + quick);
  for (const char* words :
       {"routines   gemm, getrf in dd NN, column layout, ", "\n n  routine  engine ", "\n40  gemm     direct ",
        "\n40  getrf    direct ", "error      of gemm the largest of some entries, in 2^-106 |A||B|; LAPACK",
        "LAPACK's\n           ratio, "}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  const json sizes = hilo_json("bench --routine batch --batch 1 --engine direct --precision s --threads 1" + quick);
  EXPECT_EQ(sizes["results"].front()["n"], 16);
  EXPECT_EQ(sizes["results"].back()["n"], 512);
  const Outcome batch = hilo("bench --routine batch --sizes 8 --engine direct --batch 3" + quick);
  EXPECT_NE(batch.out.find("products   ddbatch NN, n x n x n, 3 products a batch, "), std::string::npos) << batch.out;
}

// What a row's ceiling says of the rate of products of bytes: it takes as many as there are moduli; for a complex
// multiply-add, of eight operations, two for each of the first 16 and three for others.
double byte_products(const json& row) {
  const double moduli = row["moduli"].get<double>();
  const double planes = row["precision"] == "zdd" ? 2 * moduli + std::max(moduli - 16, 0.0) : moduli;
  return row["ceiling_gflops"].get<double>() * planes / (row["precision"] == "zdd" ? 8 : 2);
}

TEST_F(Program, BenchCeilings) {
  const json r = hilo_json("bench --ceiling --sizes 64 --precision dd,zdd,d,z,s,c --threads 1,2" + quick);
  std::map<std::string, json> rows;
  for (const json& row : r["results"]) {
    rows[row["precision"].get<std::string>() + ' ' + row["engine"].get<std::string>() +
         std::to_string(row["threads_asked"].get<int>())] = row;
    EXPECT_DOUBLE_EQ(row["percent_of_ceiling"].get<double>(),
                     100 * row["gflops_kernel"].get<double>() / row["ceiling_gflops"].get<double>());
  }
  const auto ceiling = [&](const char* name) { return rows[name]["ceiling_gflops"].get<double>(); };
  EXPECT_EQ(rows["dd direct1"]["ceiling"], "steps of the direct engine");
  EXPECT_EQ(rows["dd modular1"]["ceiling"], "products of bytes");
  // Of the threads that a product is worth, as many as run at once.
  for (const std::string engine : {"dd direct", "zdd direct", "dd modular", "d modular", "d direct", "s direct"}) {
    const int threads = std::min(processors(), rows[engine + '2']["threads"].get<int>());
    EXPECT_DOUBLE_EQ(ceiling((engine + '2').c_str()), threads * ceiling((engine + '1').c_str())) << engine;
  }
  for (const char* native : {"s direct1", "d direct1", "c direct1", "z direct1"}) {
    EXPECT_EQ(rows[native]["ceiling"], "multiply-adds") << native;
  }
  EXPECT_EQ(ceiling("c direct1"), ceiling("s direct1"));
  EXPECT_EQ(ceiling("z direct1"), ceiling("d direct1"));
  // Vectors hold twice as many, and a step consists of ten and more.
  EXPECT_GT(ceiling("s direct1"), 1.5 * ceiling("d direct1"));
  EXPECT_GT(ceiling("d direct1"), 3 * ceiling("dd direct1"));
  EXPECT_DOUBLE_EQ(ceiling("zdd direct1"), ceiling("dd direct1"));
  const auto bytes = [&](const char* name) { return byte_products(rows[name]); };
  EXPECT_NEAR(bytes("d modular1") / bytes("dd modular1"), 1.0, 1e-12);
  EXPECT_NEAR(bytes("zdd modular1") / bytes("dd modular1"), 1.0, 1e-12);
}

// A product is worth two threads from some size on, and reproducible ones have fused multiply-adds whatever is asked
// for.
TEST_F(Program, BenchCeilingsAreOfWhatRuns) {
  json r = hilo_json("bench --ceiling --sizes 8,300 --engine direct --threads 2" + quick)["results"];
  EXPECT_EQ(r[0]["threads"], 1);
  EXPECT_EQ(r[1]["threads"], 2);
  EXPECT_DOUBLE_EQ(r[1]["ceiling_gflops"].get<double>(),
                   std::min(processors(), 2) * r[0]["ceiling_gflops"].get<double>());
  r = hilo_json("bench --ceiling --sizes 8 --engine direct,reproducible --fma off" + quick)["results"];
  EXPECT_GT(r[1]["ceiling_gflops"].get<double>(), 1.2 * r[0]["ceiling_gflops"].get<double>());
}

// Threads that take turns on one processor add nothing: neither all there are nor those that an affinity leaves.
TEST_F(Program, BenchCeilingsCountThreadsThatRunAtOnce) {
  const auto ceilings = [&](int few, int many) {
    const json r = hilo_json("bench --ceiling --sizes 24 --engine direct --precision d,dd --threads " +
                             std::to_string(few) + ',' + std::to_string(many) + quick)["results"];
    for (int i : {0, 2}) EXPECT_EQ(r[i]["ceiling_gflops"], r[i + 1]["ceiling_gflops"]) << few << ' ' << many;
  };
  ceilings(processors(), processors() + 3);
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  ceilings(1, 2);
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST_F(Program, BenchCeilingsOfRoutinesAreProducts) {
  const std::string bench = "bench --ceiling --shapes 40,30 --routine getrf,geqrf,solve --precision d" + quick;
  const json r = hilo_json(bench);
  for (const json& row : r["results"]) {
    EXPECT_EQ(row["ceiling"], "gemm in this run");
    EXPECT_GT(row["percent_of_ceiling"].get<double>(), 0.0);
  }
  EXPECT_EQ(r["results"][0]["ceiling_gflops"], r["results"][1]["ceiling_gflops"]);  // measured once
  EXPECT_NE(r["results"][0]["ceiling_gflops"], r["results"][2]["ceiling_gflops"]);  // of other sizes
  const Outcome run = hilo(bench);
  const char* words = "%          of gemm in this run (getrf, geqrf, solve)\n";
  EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  // As wide as the figures, which a machine under load makes wider.
  EXPECT_TRUE(std::regex_search(run.out, std::regex("  seconds +% +error\n"))) << run.out;
  expect_error("bench --ceiling --sizes 3000000 --routine potrf", 4, "C of gemm of 3000000 x 3000000");
}

TEST_F(Program, BenchRoutinesRefuse) {
  expect_error("bench --routine gesv", 2, "--routine 'gesv' is none of gemm, batch, syrk, trsm, getrf");
  for (const char* routine : {"getrf", "geqrf", "trsm"}) {
    expect_error(std::string("bench --shapes 4,5,6 --routine gemm,") + routine, 2,
                 std::string("--shapes 4x5x6: ") + routine + " takes m,n, or n for both");
  }
  expect_error("bench --shapes 4,5 --routine potrf", 2, "--shapes 4x5: potrf takes n");
  expect_error("bench --shapes 4,5 --routine batch", 2, "--shapes 4x5: batch takes m,n,k");
  expect_error("bench --sizes 4 --routine getrf --transa T", 2,
               "--transa T has no effect: it is for gemm, batch, syrk");
  expect_error("bench --sizes 4 --routine syrk --transb T", 2, "--transb T has no effect: it is for gemm and batch");
  expect_error("bench --sizes 4 --csv a.svg --plot ./a.svg", 2, "--csv a.svg and --plot ./a.svg are the same file");
  expect_error("bench --sizes 4 --batch 4", 2, "--batch 4 has no effect: it is for batch, and --routine is gemm");
  expect_error("bench --sizes 4 --routine batch --batch 0", 2, "--batch 0 is less than 1");
  expect_error("bench --sizes 4 --routine getrf --accuracy exact", 2,
               "--accuracy exact is for products, not for getrf");
  expect_error("bench --sizes 4 --routine getrf --engine modular --precision s", 2,
               "precision s has no modular engine");
  expect_error("bench --sizes 4 --routine getrf --reference true", 2, "is of n x n x n products alone");
  expect_error("bench --sizes 4,3000000 --routine potrf", 4, "no memory for A of 3000000 x 3000000 and the factors of");
}

// Ceilings of one run are of one measurement, so that their ratios are those of operations.
TEST_F(Program, BenchCeilingsOfADevice) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  const std::string bench = "bench --ceiling --backend opencl --sizes 24 --engine direct" + quick;
  const json r = hilo_json(bench + "--precision s,d,dd,zdd --fma on");
  const auto ceiling = [&](int i) { return r["results"][i]["ceiling_gflops"].get<double>(); };
  EXPECT_EQ(r["results"][0]["ceiling"], "multiply-adds");
  EXPECT_EQ(r["results"][1]["ceiling"], "multiply-adds");
  EXPECT_EQ(r["results"][2]["ceiling"], "steps of the direct engine");
  EXPECT_GT(ceiling(0), 0.0);
  EXPECT_DOUBLE_EQ(ceiling(1) / ceiling(2), 10.0 + 3.0 + 23.0 / 64.0);
  EXPECT_EQ(ceiling(2), ceiling(3));
  const json none = hilo_json(bench + "--precision d,dd --fma off --accuracy fast")["results"];
  EXPECT_DOUBLE_EQ(none[0]["ceiling_gflops"].get<double>() / none[1]["ceiling_gflops"].get<double>(),
                   27.0 + 0.75 + 23.0 / 64.0);
  const json modular =
      hilo_json("bench --ceiling --backend opencl --sizes 24 --engine modular --precision d,dd,zdd" + quick)["results"];
  const auto bytes = [&](int i) {
    EXPECT_EQ(modular[i]["ceiling"], "products of bytes");
    return byte_products(modular[i]);
  };
  EXPECT_GT(bytes(0), 0.0);
  EXPECT_NEAR(bytes(1) / bytes(0), 1.0, 1e-12);
  EXPECT_NEAR(bytes(2) / bytes(0), 1.0, 1e-12);
}

TEST_F(Program, BenchRoutinesOnADevice) {
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  const json r = hilo_json(
      "bench --backend opencl --sizes 24 --engine direct --routine "
      "batch,syrk,trsm,getrf,potrf,geqrf,solve" +
      quick);
  EXPECT_EQ(r["results"].size(), 7u);
  for (const json& row : r["results"]) {
    SCOPED_TRACE(row.dump());
    EXPECT_EQ(row["backend"], "opencl");
    EXPECT_EQ(row["threads"], 0);
    EXPECT_LT(row["residual_ratio"].get<double>(), 10.0);
    EXPECT_GT(row["seconds_total"].get<double>(), row["seconds_kernel"].get<double>());
  }
}

}  // namespace
}  // namespace hilo
