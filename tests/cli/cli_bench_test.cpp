// `hilo bench`: what it prints, what it runs in between, what it refuses.
#include <cstdlib>
#include <vector>

#include "bench_reference.hpp"
#include "cli/statistics.hpp"
#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;
using test::reference;

TEST(Statistics, OfSeconds) {
  EXPECT_EQ(cli::best({3.0, 1.0, 8.0, 2.0}), 1.0);
  EXPECT_EQ(cli::median({3.0, 1.0, 8.0, 2.0}), 2.5);
  EXPECT_EQ(cli::median({9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(cli::median({7.0}), 7.0);
  const cli::Times all = cli::times({5.0, 1.0, 4.0, 2.0, 9.0, 3.0});
  EXPECT_EQ(all.runs, 6);
  EXPECT_EQ(all.least, 1.0);
  EXPECT_EQ(all.first_quartile, 2.25);
  EXPECT_EQ(all.median, 3.5);
  EXPECT_EQ(all.third_quartile, 4.75);
  EXPECT_EQ(all.most, 9.0);
}

TEST_F(Program, BenchHasItsKeysInOrder) {
  Outcome run = hilo("bench --sizes 6,9:13:4,5 --repeat 2 --seed 7 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  nlohmann::ordered_json r = nlohmann::ordered_json::parse(run.out);
  auto keys = [](const nlohmann::ordered_json& j) {
    std::string all;
    for (const auto& item : j.items()) all += item.key() + ' ';
    return all;
  };
  EXPECT_EQ(keys(r),
            "version compiler cpu cpu_threads layout accuracy fma workspace depth int8 complex init seed repeat "
            "reference results plot left_out "
            "interrupted ");
  EXPECT_EQ(r["interrupted"], false);
  EXPECT_TRUE(r["left_out"].empty());
  EXPECT_EQ(r["init"], "uniform");
  EXPECT_EQ(r["seed"], 7);
  EXPECT_EQ(r["repeat"], 2);
  EXPECT_TRUE(r["reference"].is_null());
  EXPECT_TRUE(r["plot"].is_null());
  std::vector<int> sizes;
  ASSERT_EQ(r["results"].size(), 8u);
  for (const auto& row : r["results"]) {
    EXPECT_EQ(keys(row),
              "routine precision m n k batch transa transb engine path bits moduli esc entries_direct backend "
              "platform_number "
              "device_number device threads_asked threads workspace_bytes operations runs seconds_kernel "
              "seconds_kernel_least "
              "seconds_kernel_quartile_1 seconds_kernel_quartile_3 seconds_kernel_most seconds_total "
              "seconds_total_least seconds_total_quartile_1 seconds_total_quartile_3 seconds_total_most "
              "gflops_kernel gflops_total best_gflops_kernel best_gflops_total max_error_u2 residual_ratio "
              "ceiling ceiling_gflops percent_of_ceiling kernel_over_reference total_over_reference ");
    EXPECT_EQ(row["precision"], "dd");
    EXPECT_EQ(row["backend"], "cpu");
    double n = row["n"], seconds = row["seconds_kernel"], gflops = row["gflops_kernel"];
    EXPECT_EQ(row["m"], n);
    EXPECT_EQ(row["k"], n);
    EXPECT_GT(seconds, 0.0);
    EXPECT_NEAR(gflops * seconds, 2e-9 * n * n * n, 1e-14);
    EXPECT_LE(gflops, row["best_gflops_kernel"].get<double>());
    EXPECT_EQ(row["gflops_total"], gflops);  // there is nothing to move
    EXPECT_EQ(row["seconds_total"], seconds);
    EXPECT_EQ(row["best_gflops_total"], row["best_gflops_kernel"]);
    EXPECT_GE(row["runs"].get<int>(), 2);
    double before = 0.0;
    for (const char* key : {"_least", "_quartile_1", "", "_quartile_3", "_most"}) {
      const double next = row[std::string("seconds_kernel") + key];
      EXPECT_LE(before, next) << key;
      before = next;
    }
    EXPECT_TRUE(row["kernel_over_reference"].is_null());
    const bool is_direct = sizes.size() % 2 == 0;
    EXPECT_EQ(row["engine"], is_direct ? "direct" : "modular");
    EXPECT_EQ(row["path"], row["engine"]);
    for (const char* key : {"bits", "moduli", "esc", "entries_direct"}) EXPECT_EQ(row[key].is_null(), is_direct) << key;
    if (!is_direct) {
      EXPECT_GT(row["moduli"].get<int>(), 10);
    }
    sizes.push_back(row["n"]);
  }
  EXPECT_EQ(sizes, (std::vector<int>{6, 6, 9, 9, 13, 13, 5, 5}));
}

TEST_F(Program, BenchTakesTheEnginesThatComputeTheProduct) {
  auto engines = [&](const std::string& options) {
    std::string all;
    json r = hilo_json("bench --sizes 8 --repeat 1 --min-time 0 " + options);
    for (const json& product : r["results"]) all += product["engine"].get<std::string>() + ' ';
    return all;
  };
  EXPECT_EQ(engines(""), "direct modular ");
  EXPECT_EQ(engines("--precision d --threads 1"), "direct modular ");
  EXPECT_EQ(engines("--precision c"), "direct ");
  EXPECT_EQ(engines("--accuracy tight"), "modular ");
  EXPECT_EQ(engines("--accuracy bits:80 --precision z"), "modular ");
  EXPECT_EQ(engines("--engine modular,auto,reproducible,direct"), "modular auto reproducible direct ");
  expect_error("bench --sizes 8 --engine direct,modular --precision s", 2, "precision s has no modular engine");
  expect_error("bench --sizes 8 --engine modular,direct --accuracy tight", 2, "hilo: --accuracy tight");
  expect_error("bench --sizes 8 --precision s --accuracy tight", 2, "precision s has no modular engine");
}

TEST_F(Program, BenchRunsForAsLongAsAskedFor) {
  const std::string bench = "bench --sizes 4 --engine direct --repeat 2 ";
  EXPECT_EQ(hilo_json(bench + "--min-time 0")["results"][0]["runs"], 2);
  const json row = hilo_json(bench + "--min-time 0.02")["results"][0];
  EXPECT_GT(row["runs"].get<int>(), 2);
  EXPECT_LT(row["runs"].get<double>() * row["seconds_kernel_least"].get<double>(), 0.1);
}

TEST_F(Program, BenchCountsAndGenerates) {
  json r = hilo_json(
      "bench --sizes 20 --repeat 1 --min-time 0 --precision zdd --transa c --transb T --layout row --accuracy fast "
      "--init range:2");
  EXPECT_EQ(r["layout"], "row");
  EXPECT_EQ(r["accuracy"], "fast");
  EXPECT_EQ(r["init"], "range:2");
  const json& product = r["results"][0];
  EXPECT_EQ(product["transa"], "C");
  EXPECT_EQ(product["transb"], "T");
  EXPECT_NEAR(product["gflops_kernel"].get<double>() * product["seconds_kernel"].get<double>(), 8e-9 * 8000, 1e-13);
  // Wide ranges need more bits, so the entries are those asked for.
  auto bits = [&](const std::string& init) {
    json narrow = hilo_json("bench --sizes 40 --repeat 1 --min-time 0 --engine modular --init " + init);
    return narrow["results"][0]["bits"].get<int>();
  };
  EXPECT_LT(bits("uniform"), bits("range:1"));
}

TEST_F(Program, BenchTable) {
  Outcome run = hilo("bench --sizes 5,12 --engine modular,auto --repeat 3");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words : {"products   ddgemm NN, n x n x n, column layout, classic, entries uniform, seed 1\n",
                            "backend    cpu: ", "median and best of 3 runs or more", " n  engine ", "seconds  moduli ",
                            "\n 5  modular ", "\n12  modular ", "\n12  auto: direct "}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  for (const char* words : {"reference", "total", "plot"}) EXPECT_EQ(run.out.find(words), std::string::npos) << run.out;
}

// The second size waits for a file that the test makes when it has seen the first.
TEST_F(Program, BenchPrintsEachSizeAsItIsDone) {
  script("reference.sh",
         "for n; do :; done\nuntil [ $n = 4 ] || [ -e go ]; do sleep 0.05; done\n"
         "printf '{\"name\": \"r\", \"device\": \"d\", \"n\": %s, \"gflops_kernel\": 1, ' \"$n\"\n"
         "printf '\"gflops_total\": 1}'\n");
  const std::string command = "cd '" + folder.file(".") +
                              "' && " HILO_PROGRAM_FILE
                              " bench --sizes 4,12 --engine direct --repeat 1 --min-time 0 --reference ./reference.sh";
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string seen;
  char line[1000];
  while (seen.find("\n 4  reference") == seen.npos && std::fgets(line, sizeof line, pipe)) seen += line;
  EXPECT_NE(seen.find("\n 4  reference"), std::string::npos) << seen;
  folder.write("go", "");
  while (std::fgets(line, sizeof line, pipe)) seen += line;
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_NE(seen.find("\n12  reference"), std::string::npos) << seen;
}

TEST_F(Program, BenchReference) {
  script("reference.sh", reference);
  json r = hilo_json("bench --sizes 6,8:10:2 --repeat 1 --min-time 0 --reference './reference.sh  --quick'");
  EXPECT_EQ(folder.read("calls.txt"), "--quick 6\n--quick 8\n--quick 10\n");
  EXPECT_EQ(r["reference"]["name"], "cu_BLAS {D}");
  EXPECT_EQ(r["reference"]["device"], "a device");
  EXPECT_EQ(r["reference"]["command"], "./reference.sh  --quick");
  ASSERT_EQ(r["reference"]["sizes"].size(), 3u);
  EXPECT_EQ(r["reference"]["sizes"][1], (json{{"n", 8}, {"gflops_kernel", 100}, {"gflops_total", 50}}));
  ASSERT_EQ(r["results"].size(), 6u);
  for (const json& product : r["results"]) {
    EXPECT_DOUBLE_EQ(product["kernel_over_reference"], product["gflops_kernel"].get<double>() / 100);
    EXPECT_DOUBLE_EQ(product["total_over_reference"], product["gflops_total"].get<double>() / 50);
  }
  // Found in $PATH too; and on a terminal's table.
  Outcome run = hilo("bench --sizes 6 --repeat 1 --min-time 0 --reference reference.sh", "PATH=\"$PWD:$PATH\"");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* words : {"reference  cu_BLAS {D} on a device\n", "/reference\n", "6  reference  "}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
}

TEST_F(Program, BenchReferenceThatFails) {
  script("fails.sh", "echo first line >&2\necho second line >&2\nexit 3\n");
  for (const char* environment : {"", "env --ignore-signal=CHLD"}) {
    expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./fails.sh", 4,
                 "--reference ./fails.sh 6 failed with exit code 3: first line second line", environment);
  }
  script("silent.sh", "kill -9 $$\n");
  expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./silent.sh", 4,
               "failed with signal 9: it says nothing");
  script("zero.sh", "printf 'a\\000b' >&2\nexit 3\n");
  expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./zero.sh", 4,
               "failed with exit code 3: a\\x00b");
  folder.write("no.program", "");
  std::filesystem::permissions(folder.file("no.program"), std::filesystem::perms::owner_all);
  expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./no.program", 4,
               "--reference ./no.program 6 does not start: Exec format error");
  const std::string good = R"({"name": "x", "device": "y", "n": 6, "gflops_kernel": 1, "gflops_total": 1})";
  script("answer.sh", "cat answer.json\n");
  folder.write("answer.json", good);
  EXPECT_EQ(hilo("bench --sizes 6 --engine direct --min-time 0 --reference ./answer.sh").code, 0);
  auto replaced = [&](const std::string& what, const std::string& with) {
    std::string text = good;
    return text.replace(text.find(what), what.size(), with);
  };
  for (const std::string& answer :
       {std::string(), std::string("6 GFlop/s"), "[" + good + "]", good + "\n" + good, replaced("\"n\": 6", "\"n\": 7"),
        replaced("\"x\"", "3"), replaced("\"y\"", "null"), replaced("kernel\": 1", "kernel\": \"1\""),
        replaced("kernel\": 1", "kernel\": 0"), replaced("total\": 1", "total\": -1"),
        replaced("total\": 1", "total\": 1e999"), replaced(", \"gflops_total\": 1", ""), replaced("}", "")}) {
    folder.write("answer.json", answer);
    SCOPED_TRACE(answer);
    expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./answer.sh", 4,
                 "--reference ./answer.sh 6 printed '" + answer.substr(0, 4));
  }
  folder.write("answer.json", std::string("a\0b", 3));
  expect_error("bench --sizes 6 --engine direct --min-time 0 --reference ./answer.sh", 4,
               "--reference ./answer.sh 6 printed 'a\\x00b', expected one JSON object");
}

TEST_F(Program, BenchOptions) {
  for (const char* size : {"0", "-3", "4,0", "0:8:2", "4:8:0", "4:8:-1"}) {
    expect_error(std::string("bench --sizes=") + size, 2, "is less than 1");
  }
  for (const char* size : {"x", "4.5", "4 5"}) {
    expect_error(std::string("bench --sizes '") + size + "'", 2, "is not an integer");
  }
  for (const char* size : {"4,", ",4", "4,,5", "1::2", ":5:1"}) {
    expect_error(std::string("bench --sizes ") + size, 2, std::string("--sizes '") + size + "': a size is missing");
  }
  for (const char* size : {"4:8", ":", "1:2:3:4"}) {
    expect_error(std::string("bench --sizes ") + size, 2,
                 std::string("--sizes '") + size + "' is neither a size nor a range FROM:TO:STEP");
  }
  expect_error("bench --sizes 4,8:4:1", 2, "--sizes 8:4:1: the range FROM:TO:STEP falls from 8 to 4");
  expect_error("bench --sizes 1:900:1,901:1001:1", 2, "--sizes 901:1001:1: there are more than 1000 sizes");
  expect_error("bench --sizes 1:9223372036854775807:1", 2, "there are more than 1000 sizes");
  expect_error("bench --sizes 99999999999999999999", 2, "--sizes 99999999999999999999 does not fit 64 bits");
  expect_error("bench --sizes ''", 2, "--sizes: found nothing");
  expect_error("bench --engine ''", 2, "--engine: found nothing");
  expect_error("bench --engine direct,fast", 2, "--engine 'fast' is none of auto, direct, modular, reproducible");
  expect_error("bench --engine direct,", 2, "--engine '' is none of auto");
  for (const char* backend : {"cpu,", "opencl,", ",cpu"}) {
    expect_error(std::string("bench --backend ") + backend, 2, "--backend '' is none of cpu, opencl");
  }
  expect_error("bench --precision q", 2, "--precision 'q' is none of s, d, c, z, dd, zdd");
  expect_error("bench --min-time -1", 2, "--min-time '-1' is not a number of at least 0");
  expect_error("bench --min-time 1s", 2, "--min-time '1s' is not a number of at least 0");
  expect_error("bench --repeat 0", 2, "--repeat 0 is less than 1");
  expect_error("bench --backend cpu -d 0", 2, "--backend is cpu");
  expect_error("bench --init normal", 2, "hilo: --init 'normal' is none of");
  expect_error("bench --accuracy bits:0", 2, "--accuracy 'bits:0'");
  expect_error("bench --bogus", 2, "--bogus");
  expect_error("bench a.mtx b.mtx", 2, "a.mtx");
  expect_error("bench -n 5", 2, "-n");
  expect_error("bench --verify", 2, "--verify");
  expect_error("bench --plot picture.png", 2, "picture.png: the name of a picture ends in .svg");
  expect_error("bench --plot none/p.svg", 2, "none/p.svg: cannot be written: there is no folder none");
  std::filesystem::create_directory(folder.file("folder"));
  folder.write("file", "");
  for (const char* command : {"none", "./none", "./folder", "./file", "none --option", "folder"}) {
    std::string word = std::string(command).substr(0, std::string(command).find(' '));
    expect_error(std::string("bench --reference '") + command + "'", 2,
                 std::string("--reference ") + command + ": " + word + " is no program that can be run");
  }
  expect_error("bench --sizes 4 --shapes 4,5,6 --reference true", 2, "is of n x n x n products alone");
  expect_error("bench --sizes 4 --precision d,dd --reference true", 2, "is of one precision, --transa and --transb");
  expect_error("bench --reference ' '", 2, "--reference ' ' names no program");
  expect_error("bench --reference ''", 2, "--reference: found nothing");
  Outcome run = hilo("bench --help");
  EXPECT_EQ(run.code, 0);
  for (const char* option : {"--sizes", "--reference", "--plot", "--engine", "--precision", "--workspace", "--json"}) {
    EXPECT_NE(run.out.find(option), std::string::npos) << option;
  }
}

TEST_F(Program, BenchRefusesWhatDoesNotFitBeforeItRuns) {
  script("reference.sh", reference);
  const std::string bench = "bench --reference ./reference.sh --repeat 1 --min-time 0 --sizes 4,",
                    x = " of 3000000 x 3000000";
  expect_error(bench + "3000000", 4,
               "no memory for A" + x + ", B" + x + " and C" + x +
                   " entries of 16 bytes each: they take 432000000000000 bytes, of which ");
  expect_error(bench + "3000000 --precision zdd", 4, "they take 864000000000000 bytes, of which ");
  expect_error(bench + "2000000000", 2, "A: the bytes of a 2000000000 x 2000000000 matrix do not fit 64 bits");
  EXPECT_EQ(folder.read("calls.txt"), "");
}

TEST_F(Program, BenchRefusesWhatDoesNotFitTheDevice) {
  // PoCL's device has as many GiB as this says.
  const std::string environment = "POCL_MEMORY_LIMIT=1";
  json info = json::parse(hilo("info --json", environment).out);
  if (info["platforms"].empty() || info["platforms"][0]["devices"][0]["global_memory"] != 1 << 30) {
    GTEST_SKIP() << "no device whose memory can be limited";
  }
  script("reference.sh", reference);
  const std::string bench = "bench --engine direct -p 0 -d 0 --reference ./reference.sh --sizes 4,";
  expect_error(bench + "4800", 4,
               " for A of 4800 x 4800, B of 4800 x 4800 and C of 4800 x 4800 entries of 16 bytes each: they take "
               "1105920000 bytes, and the device has 1073741824 bytes\n",
               environment);
  expect_error(bench + "4800", 4, "hilo: no memory on device ", environment);
  expect_error(bench + "4700", 4,
               " for A of 4700 x 4700 entries of 16 bytes each: it takes 353440000 bytes, and the device gives at a "
               "time at most ",
               environment);
  EXPECT_EQ(folder.read("calls.txt"), "");
}

TEST_F(Program, BenchOnADevice) {
  expect_error("bench --sizes 4 --backend opencl", 3, "", "OCL_ICD_VENDORS=/nonexistent");
  expect_error("bench --sizes 4 -p 99", 3, "");
  if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  script("reference.sh", reference);
  json r = hilo_json("bench --sizes 24,40 --engine direct --repeat 2 --backend opencl --reference ./reference.sh");
  ASSERT_EQ(r["results"].size(), 2u);
  for (const json& product : r["results"]) {
    double n = product["n"];
    EXPECT_EQ(product["backend"], "opencl");
    EXPECT_EQ(product["path"], "direct");
    EXPECT_EQ(product["threads"], 0);
    for (const char* what : {"kernel", "total"}) {
      double seconds = product[std::string("seconds_") + what], gflops = product[std::string("gflops_") + what];
      EXPECT_NEAR(gflops * seconds, 2e-9 * n * n * n, 1e-14);
      EXPECT_LE(gflops, product[std::string("best_gflops_") + what].get<double>());
    }
    EXPECT_NE(product["seconds_kernel"], product["seconds_total"]);
    EXPECT_DOUBLE_EQ(product["total_over_reference"], product["gflops_total"].get<double>() / 50);
  }
  for (const auto& [precision, engines] : {std::pair{"dd", "direct modular "}, {"z", "direct modular "}}) {
    std::string found;
    json both =
        hilo_json(std::string("bench --sizes 24 --repeat 1 --min-time 0 --backend opencl --precision ") + precision);
    for (const json& product : both["results"]) found += product["path"].get<std::string>() + ' ';
    EXPECT_EQ(found, engines);
  }
  std::string places;
  const json both = hilo_json(
      "bench --sizes 24 --engine direct --repeat 1 --min-time 0 --backend cpu,opencl -p 0 -d 0,00 --threads 1,2");
  for (const json& row : both["results"]) {
    places += row["backend"].get<std::string>() + (row["device_number"].is_null() ? " " : ":0 ");
  }
  EXPECT_EQ(places, "cpu cpu opencl:0 ");  // threads are the CPU's
  expect_error("bench --sizes 24 -p 0 -d 0,99", 3, "-d: no OpenCL device number 99");
  Outcome run = hilo("bench --sizes 24 --engine direct --repeat 1 --min-time 0 -p 0 -d 0 --reference ./reference.sh");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const char* words : {"with\n           the transfers of A, B and C\n", "/reference  total/reference\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  hilo_json("bench --sizes 24,32 --engine direct --repeat 1 --min-time 0 --backend opencl --plot p.svg");
  EXPECT_NE(folder.read("p.svg").find("dashed: with transfers"), std::string::npos);
}

}  // namespace
}  // namespace hilo
