// `hilo accuracy`: products beside plain double and another library.
#include <cmath>
#include <map>
#include <regex>
#include <vector>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class Accuracy : public Program {};

TEST_F(Accuracy, OfProducts) {
  json r = hilo_json("accuracy -n 12 --phi 0,2.5 --k 3,40,9 --seed 7 --threads 1");
  EXPECT_EQ(r["precision"], "dd");
  EXPECT_EQ(r["n"], 12);
  EXPECT_EQ(r["seed"], 7);
  EXPECT_EQ(r["verified"], true);
  EXPECT_TRUE(r["plot"].is_null());
  EXPECT_EQ(r["interrupted"], false);
  ASSERT_EQ(r["over_phi"].size(), 2u);
  ASSERT_EQ(r["over_k"].size(), 3u);
  EXPECT_EQ(r["over_phi"][1]["phi"], 2.5);
  EXPECT_EQ(r["over_phi"][1]["k"], 512);
  EXPECT_EQ(r["over_k"][1]["phi"], 1.0);
  EXPECT_EQ(r["over_k"][1]["k"], 40);
  for (const char* rows : {"over_phi", "over_k"}) {
    for (const json& row : r[rows]) {
      EXPECT_EQ(row["entries_checked"], 144);
      for (const char* method : {"direct_classic", "direct_fast", "modular_classic", "modular_fast", "modular_tight"}) {
        const json& o = row[method];
        EXPECT_TRUE(o["refusal"].is_null()) << o;
        EXPECT_LE(o["max_error_u2"].get<double>(), o["error_bound_u2"].get<double>());
        EXPECT_EQ(o["path"].get<std::string>().substr(0, 6), std::string(method).substr(0, 6));
        EXPECT_EQ(o["bits"].is_null(), std::string(method).starts_with("direct"));
        EXPECT_EQ(o["moduli"].is_null(), std::string(method).starts_with("direct"));
      }
    }
  }
  for (const char* precision : {"d", "z", "zdd"}) {
    EXPECT_EQ(hilo_json(std::string("accuracy -n 5 --phi 0 --k 6 --precision ") + precision)["verified"], true);
  }
  json wide = hilo_json("accuracy -n 5 --phi 60 --k 6")["over_phi"][0];
  EXPECT_NE(wide["modular_tight"]["refusal"].get<std::string>().find("tight"), std::string::npos) << wide;
  EXPECT_TRUE(wide["modular_tight"]["max_error_u2"].is_null());
  EXPECT_EQ(wide["modular_classic"]["path"].get<std::string>().substr(0, 8), "direct, ");
  EXPECT_TRUE(wide["modular_classic"]["bits"].is_null());
  Outcome run = hilo("accuracy -n 5 --phi 0,60 --k 6");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("\n* some or all entries by the direct engine\n- refused"), std::string::npos) << run.out;
  for (const char* words : {"observed", "guaranteed", "classic       fast      tight", "25 entries against MPFR"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << run.out;
  }
}

TEST_F(Accuracy, ComputesOnceWhatListsHaveTwice) {
  const json r =
      hilo_json("accuracy -n 2 --phi 1,0,1.0,-0,1 --k 3,03,2,3 --routine potrf,gemm,POTRF --conditions 10,1e1,3,10");
  EXPECT_EQ(r["routines"], (json{"potrf", "gemm"}));
  const auto of = [&](const char* rows, const char* key) {
    std::vector<double> found;
    for (const json& row : r[rows]) {
      if (row.value("precision", "") != "d") found.push_back(row[key]);
    }
    return found;
  };
  EXPECT_EQ(of("over_phi", "phi"), (std::vector<double>{1, 0}));
  EXPECT_EQ(of("over_k", "k"), (std::vector<double>{3, 2}));
  EXPECT_EQ(of("over_condition", "condition"), (std::vector<double>{10, 3}));
}

TEST_F(Accuracy, Plot) {
  const std::string sweep = "accuracy -n 4 --phi 1,0 --k 8,2,4 --plot p.svg ";
  // Before anything is computed, and the old picture stays.
  folder.write("p.svg", "as it was");
  expect_error(sweep, 4, "a plot needs gnuplot, which does not start: No such file or directory", "PATH=/nonexistent");
  script("gnuplot", "if grep -q multiplot; then echo first line >&2; echo second line >&2; exit 3; fi\n");
  const std::string path = "PATH='" + folder.file(".") + "':$PATH";
  // What was measured is not lost.
  Outcome run = hilo(sweep + "--json --csv rows.csv", path);
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.err, "hilo: gnuplot failed: first line second line\n");
  EXPECT_TRUE(json::parse(run.out)["plot"].is_null());
  EXPECT_NE(folder.read("rows.csv").find("modular"), std::string::npos);
  script("gnuplot", "exit 0\n");
  run = hilo(sweep + "--json", path);
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.err, "hilo: gnuplot has drawn nothing\n");
  EXPECT_EQ(folder.read("p.svg"), "as it was");
  if (std::system("gnuplot --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  std::ptrdiff_t files = folder.count();
  json r = hilo_json(sweep);
  EXPECT_EQ(r["plot"], "p.svg");
  std::string svg = folder.read("p.svg");
  EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 100);
  for (const char* words : {"<svg", "</svg>", "direct classic", "modular tight", "k = 512"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(folder.count(), files);  // no temporary files
  EXPECT_NE(hilo("accuracy -n 1 --phi 1 --k 1 --plot p.svg").out.find("plot       p.svg"), std::string::npos);
}

// Which an axis of powers has no place for.
TEST_F(Accuracy, PlotsPanelsOfZeros) {
  const Outcome run = hilo("accuracy -n 1 --routine getrf,solve --conditions 1 --plot zeros.svg");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(folder.read("zeros.svg").find("no value above 0"), std::string::npos);
}

// Fields by the names in the first line; those with commas stand in quotes.
std::vector<std::map<std::string, std::string>> values(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  bool is_quoted = false, begins = true;
  for (const char c : csv) {
    if (std::exchange(begins, false)) lines.push_back({""});
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      lines.back().emplace_back();
    } else if (c == '\n') {
      begins = true;
    } else {
      lines.back().back() += c;
    }
  }
  std::vector<std::map<std::string, std::string>> all;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), lines[0].size()) << csv;
    auto& row = all.emplace_back();
    for (std::size_t j = 0; j < lines[i].size(); ++j) row[lines[0].at(j)] = lines[i][j];
  }
  return all;
}

std::string value(const json& x) { return x.is_null() ? "" : x.is_string() ? x.get<std::string>() : x.dump(); }

// Those of products and of others in one file, each figure of the JSON object once.
TEST_F(Accuracy, CsvHasWhatJsonHas) {
  script("zeros.sh", "head -c $((16 * $2 * $3)) /dev/zero\n");
  const std::string accuracy =
      "accuracy -n 4 --phi 0,60 --k 3 --seed 5 --routine gemm,potrf,geqrf,solve --conditions 1e2,1e30 "
      "--reference ./zeros.sh ";
  const Outcome run = hilo(accuracy + "--json --csv values.csv");
  EXPECT_EQ(run.code, 0) << run.err;
  const json r = json::parse(run.out);
  const auto csv = values(folder.read("values.csv"));
  std::size_t line = 0;
  const auto expect = [&](const std::string& over, const std::string& routine, const std::string& method,
                          const json& figures) {
    ASSERT_LT(line, csv.size());
    auto found = csv[line++];
    EXPECT_EQ(found["precision"] + found["n"] + found["seed"], "dd45");
    EXPECT_EQ(found["over"], over);
    EXPECT_EQ(found["routine"], routine);
    EXPECT_EQ(found["method"], method);
    for (const auto& [key, x] : figures.items()) EXPECT_EQ(found.at(key), value(x)) << key;
  };
  for (const char* over : {"phi", "k"}) {
    for (json row : r[std::string("over_") + over]) {
      const json place = {{"phi", row["phi"]}, {"k", row["k"]}, {"entries_checked", row["entries_checked"]}};
      for (const char* method : {"direct_classic", "direct_fast", "modular_classic", "modular_fast", "modular_tight"}) {
        row[method].update(place);
        expect(over, "gemm", method, row[method]);
      }
      for (const char* method : {"double", "reference"}) {
        json figures = place;
        figures["max_error_u2"] = row[method + std::string("_error_u2")];
        expect(over, "gemm", method, figures);
      }
    }
  }
  for (json f : r["over_condition"]) {
    const std::string routine = f["routine"];
    const std::string asked = f["accuracy"].is_null() ? routine : f["accuracy"].get<std::string>(),
                      method = f["precision"] == "d" ? "double" : asked;
    f.erase("precision");
    f.erase("accuracy");
    expect("condition", routine, method, f);
  }
  EXPECT_EQ(line, csv.size());
  EXPECT_EQ(csv.size(), 3u * 7 + 2 * 4 + 2 * 4);
}

TEST_F(Accuracy, CsvInsteadOfTheTableOrBesideIt) {
  const std::string accuracy = "accuracy -n 2 --routine potrf --conditions 10 ";
  const Outcome printed = hilo(accuracy + "--csv");
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(values(printed.out).size(), 2u) << printed.out;
  const Outcome table = hilo(accuracy + "--csv values.csv");
  EXPECT_NE(table.out.find("\nvalues     values.csv\n"), std::string::npos) << table.out;
  EXPECT_EQ(folder.read("values.csv"), printed.out);
  expect_error(accuracy + "--csv --json", 2, "--csv and --json both take standard output: give --csv a FILE");
  expect_error(accuracy + "--csv none/values.csv", 2, "none/values.csv");
  expect_error(accuracy + "--csv a.svg --plot ./a.svg", 2, "--csv a.svg and --plot ./a.svg are the same file");
  // All or nothing: the reference fails behind the first row.
  script("once.sh", "if [ -e once ]; then exit 1; fi\ntouch once\nhead -c $((16 * $2 * $3)) /dev/zero\n");
  const Outcome failed = hilo("accuracy -n 2 --phi 0,1 --k 3 --reference ./once.sh --csv values.csv");
  EXPECT_EQ(failed.code, 4) << failed.err;
  EXPECT_EQ(folder.read("values.csv"), printed.out);
}

TEST_F(Accuracy, Refuses) {
  expect_error("accuracy --precision s", 2, "--precision 's' is none of dd, zdd, d, z");
  expect_error("accuracy -n 0", 2, "-n 0 is less than 1");
  expect_error("accuracy --phi 1,,2", 2, "--phi: a number is missing");
  expect_error("accuracy --phi 1,x", 2, "--phi: 'x' is not a number");
  expect_error("accuracy --phi 101", 2, "--phi 101 is not within 0 and 100");
  expect_error("accuracy --phi=-1", 2, "--phi -1 is not within 0 and 100");
  expect_error("accuracy --k 5,0", 2, "--k 0 is less than 1");
  expect_error("accuracy --k 5,", 2, "hilo: --k '5,': a number is missing");
  expect_error("accuracy --seed x", 2, "--seed 'x' is not an integer of at least 0");
  expect_error("accuracy --plot ''", 2, "--plot: found nothing");
  expect_error("accuracy --routine gemm,syrk", 2, "--routine 'syrk' is none of gemm, getrf, potrf, geqrf, solve");
  const std::string solve = "accuracy --routine solve ";
  expect_error(solve + "--conditions 1e4,", 2, "--conditions: a number is missing");
  expect_error(solve + "--conditions 1e4,x", 2, "--conditions: 'x' is not a number");
  expect_error(solve + "--conditions inf", 2, "--conditions: 'inf' is not a finite number");
  expect_error(solve + "--conditions 0.5", 2, "--conditions 0.5 is less than 1, and no condition is");
  expect_error(solve + "--conditions=-3", 2, "--conditions -3 is less than 1");
  expect_error(solve + "--conditions 1,1e31", 2, "--conditions 1e31 is more than 1e30, beyond which rounding");
  expect_error(solve + "--conditions 1e16 --precision z", 2, "--conditions 1e16 is more than 1e15, beyond which");
  expect_error(solve + "--conditions 1,2 -n 1", 2, "--conditions 2: with -n 1 there is no condition but 1");
  expect_error("accuracy --conditions 10", 2,
               "--conditions 10 has no effect: it is for getrf, potrf, geqrf and solve, and --routine is gemm");
  for (const char* option : {"--phi", "--k", "--reference"}) {
    expect_error(solve + option + " 1", 2,
                 std::string(option) + " 1 has no effect: it is for gemm, and --routine is solve");
  }
  expect_error("accuracy --reference-time 5", 2, "--reference-time 5 has no effect without --reference");
  expect_error("accuracy --reference true --reference-time 0", 2, "--reference-time 0 is less than 1");
  expect_error("accuracy --reference ./qd_product", 2,
               "--reference ./qd_product: ./qd_product is no program that can be run");
  expect_error("accuracy --plot picture.png", 2, "picture.png: the name of a picture ends in .svg");
  expect_error("accuracy --plot none/p.svg", 2, "none/p.svg: cannot be written: there is no folder none");
}

TEST_F(Accuracy, OfProductsInDouble) {
  for (const char* precision : {"dd", "zdd"}) {
    const json row = hilo_json(std::string("accuracy -n 9 --phi 0 --k 40 --precision ") + precision)["over_k"][0];
    const double ratio = row["double_error_u2"].get<double>() / row["direct_classic"]["max_error_u2"].get<double>();
    EXPECT_NEAR(std::log2(ratio), 53.0, 5.0) << row;
  }
  const json row = hilo_json("accuracy -n 3 --phi 0 --k 4 --precision d")["over_k"][0];
  EXPECT_TRUE(row["double_error_u2"].is_null());
}

// Zeros, of the size that is asked for: in each entry all is wrong.
TEST_F(Accuracy, OfAnotherLibrary) {
  script("zeros.sh", "echo \"$@\" $(wc -c) >>calls.txt\nhead -c $((16 * $3 * $4)) /dev/zero\n");
  const std::string accuracy = "accuracy -n 1 --phi 0 --k 1,3 ";
  const json r = hilo_json(accuracy + "--reference './zeros.sh quick'");
  EXPECT_EQ(r["reference"], "./zeros.sh quick");
  EXPECT_DOUBLE_EQ(r["over_k"][0]["reference_error_u2"].get<double>(), 0x1p106);
  EXPECT_EQ(r["verified"], true) << "hilo answers for its own products";
  EXPECT_EQ(folder.read("calls.txt"), "quick dd 1 1 512 16384\nquick dd 1 1 1 32\nquick dd 1 1 3 96\n");
  const std::string with = hilo(accuracy + "--reference './zeros.sh quick'").out, without = hilo(accuracy).out;
  EXPECT_NE(with.find("\nreference  ./zeros.sh quick\n"), with.npos) << with;
  EXPECT_NE(with.find("   double reference\n"), with.npos) << with;
  EXPECT_NE(without.find("\nreference  none: --reference COMMAND adds another library's product"), without.npos);
  EXPECT_EQ(without.find(" reference\n"), without.npos) << without;
  EXPECT_TRUE(hilo_json(accuracy)["over_k"][0]["reference_error_u2"].is_null());
}

TEST_F(Accuracy, AnotherLibraryThatFails) {
  const std::string accuracy = "accuracy -n 2 --phi 0 --k 3 --reference ";
  script("short.sh", "echo 1\n");
  expect_error(accuracy + "./short.sh", 4,
               "--reference ./short.sh dd 2 2 512 wrote 2 bytes, expected the 64 of a product");
  script("fails.sh", "echo no zdd >&2\nexit 2\n");
  expect_error(accuracy + "./fails.sh --precision zdd", 4,
               "--reference ./fails.sh zdd 2 2 512 failed with exit code 2: no zdd");
  script("slow.sh", "sleep 60\n");
  expect_error(accuracy + "./slow.sh --reference-time 1", 4, "./slow.sh dd 2 2 512 failed with no end in 1 s");
}

// No number stands for a product with a NaN, whichever entry that is in, and the table says which products those are.
TEST_F(Accuracy, AnotherLibraryWithNaN) {
  // In C(2, 2) of k = 3, in the low word alone and negative of k = 4; k = 5 has an Inf.
  script("nan.sh",
         "head -c 48 /dev/zero\n"
         "case $4 in\n"
         "3) printf '\\0\\0\\0\\0\\0\\0\\370\\177\\0\\0\\0\\0\\0\\0\\0\\0';;\n"
         "4) printf '\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\370\\377';;\n"
         "5) printf '\\0\\0\\0\\0\\0\\0\\360\\177\\0\\0\\0\\0\\0\\0\\0\\0';;\n"
         "*) head -c 16 /dev/zero;;\nesac\n");
  const std::string accuracy = "accuracy -n 2 --phi 0 --k 3,4,5,6 --reference ./nan.sh --csv values.csv ";
  const json r = hilo_json(accuracy);
  EXPECT_EQ(r["verified"], true) << "hilo answers for its own products";
  EXPECT_TRUE(r["over_phi"][0]["reference_failure"].is_null());
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_TRUE(r["over_k"][i]["reference_error_u2"].is_null());
    EXPECT_EQ(r["over_k"][i]["reference_failure"], "NaN in 1 of 4 entries, the first C(2, 2)");
  }
  EXPECT_TRUE(r["over_k"][2]["reference_error_u2"].is_null());
  EXPECT_TRUE(r["over_k"][2]["reference_failure"].is_null());
  EXPECT_TRUE(r["over_k"][3]["reference_error_u2"].is_number());
  auto csv = values(folder.read("values.csv"));
  EXPECT_EQ(csv.at(13)["max_error_u2"] + csv[13]["failure"], "NaN in 1 of 4 entries, the first C(2, 2)");
  const std::string table = hilo(accuracy).out;
  for (const char* line : {"\n     1       3 [^\n]* nan\n", "\n     1       4 [^\n]* nan\n",
                           "\n     1       5 [^\n]* inf\n", "\n     1       6 [^\n]* [0-9.]+e\\+[0-9]+\n",
                           "\n\nnan the reference's product of phi = 1, k = 3 has NaN in 1 of 4 entries, the\n"
                           "    first C\\(2, 2\\)\nnan the reference's product of phi = 1, k = 4 has NaN"}) {
    EXPECT_TRUE(std::regex_search(table, std::regex(line))) << line << " in\n" << table;
  }
  EXPECT_EQ(table.find("k = 5 has"), std::string::npos) << table;
}

// By the second product's reference; what would come after the products counts among the rows.
TEST_F(Accuracy, InterruptedKeepsWhatItHas) {
  script("interrupt.sh",
         "if [ -e once ]; then kill -INT $PPID; exec sleep 60; fi\ntouch once\nhead -c $((16 * $2 * $3)) /dev/zero\n");
  const Outcome run = hilo(
      "accuracy -n 2 --phi 0,1 --k 3 --routine gemm,getrf,solve --conditions 1,10 --reference ./interrupt.sh "
      "--csv values.csv");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* words : {"\n     0     512 ", "\nguaranteed ", "\ninterrupted after 1 of 7 rows\n"}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  EXPECT_EQ(run.out.find("factors"), std::string::npos) << run.out;
  EXPECT_EQ(values(folder.read("values.csv")).size(), 7u) << "of one row";
}

}  // namespace
}  // namespace hilo
