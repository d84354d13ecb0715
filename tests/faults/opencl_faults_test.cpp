// Every OpenCL call of a product, and of what else a program does with a device, fails once, or from there on, or with
// the device: hilo::error says which call, C is as promised, nothing stays alive, and the next product is right. The
// faults happen in children, so that one that ends a process, or stops it, is a finding like others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "environment_variable.hpp"
#include "faults/child.hpp"
#include "faults/scenarios.hpp"
#include "faults/sweep.hpp"
#include "temporary_folder.hpp"
#include "test_size.hpp"

namespace hilo::test::faults {
namespace {

struct Tally {
  std::int64_t calls = 0, tried = 0, answered = 0, absorbed = 0;
  std::map<std::string, std::int64_t> wrong;  // by kind
  std::vector<std::string> lines;             // of what is wrong

  void add_wrong(const std::string& kind, const std::string& line) {
    ++wrong[kind];
    if (lines.size() < 60) lines.push_back(line);
  }
  Tally& operator+=(const Tally& t) {
    calls = std::max(calls, t.calls);
    tried += t.tried;
    answered += t.answered;
    absorbed += t.absorbed;
    for (const auto& [kind, count] : t.wrong) wrong[kind] += count;
    lines.insert(lines.end(), t.lines.begin(), t.lines.end());
    return *this;
  }
};

// By scenario, for the table at the end.
std::map<std::string, Tally>& table() {
  static std::map<std::string, Tally> t;
  return t;
}

struct Outcome {
  std::int64_t stride = 0, begun = 0;  // from one call that is to fail to the next; the last of them
  bool is_done = false;
  std::string ran, ending;
};

Outcome read_lines(const std::vector<std::string>& arguments, Tally& tally) {
  Child child(arguments);
  Outcome outcome;
  bool is_open = false;
  while (auto line = child.line()) {
    std::istringstream in(*line);
    std::string word, name, status, verdict;
    in >> word;
    if (word == "stride") {
      in >> outcome.stride;
    } else if (word == "begin") {
      in >> outcome.begun;
      is_open = true;
    } else if (word == "end") {
      std::int64_t call = 0;
      in >> call >> name >> status >> verdict;
      is_open = false;
      tally.tried += call > 0 && name != "-";
      tally.answered += verdict == "answered";
      tally.absorbed += verdict == "absorbed" && name != "-";
      if (verdict != "answered" && verdict != "absorbed") tally.add_wrong(verdict, *line);
    } else if (word == "done") {
      in >> tally.calls;
      outcome.is_done = true;
      is_open = false;
    } else if (word == "ran") {
      std::getline(in, outcome.ran);
    }
  }
  outcome.ending = child.end();
  if (!outcome.ending.empty() && is_open) ++tally.tried;
  return outcome;
}

// `s.stride` becomes what it was.
Tally sweep(Sweep& s) {
  Tally tally;
  for (std::int64_t first = s.first;;) {
    const Outcome outcome = read_lines(
        {"--sweep", s.scenario, std::string(when_names[static_cast<std::size_t>(s.when)]), std::to_string(first),
         std::to_string(s.stride), std::to_string(s.samples), std::to_string(s.status)},
        tally);
    if (outcome.stride) s.stride = outcome.stride;
    if (outcome.ending.empty() && outcome.is_done) break;
    tally.add_wrong("crash", s.scenario + ": call " + std::to_string(outcome.begun) + " " + outcome.ending);
    if (outcome.begun < std::max(first, std::int64_t{1})) break;
    first = outcome.begun + s.stride;
  }
  return tally;
}

void expect_nothing_wrong(const std::string& row, const Tally& tally) {
  table()[row] += tally;
  std::string all;
  for (const std::string& line : tally.lines) all += "\n  " + line;
  EXPECT_TRUE(tally.wrong.empty()) << row << all;
  EXPECT_GT(tally.tried, 0) << row << ": no call was made to fail";
}

class Table : public testing::Environment {
 public:
  void TearDown() override {
    std::printf("| scenario | calls | tried | answered | absorbed | wrong |\n|---|---|---|---|---|---|\n");
    for (const auto& [row, t] : table()) {
      std::string wrong;
      for (const auto& [kind, count] : t.wrong) wrong += " " + kind + " " + std::to_string(count);
      std::printf("| %s | %ld | %ld | %ld | %ld |%s |\n", row.c_str(), t.calls, t.tried, t.answered, t.absorbed,
                  wrong.c_str());
    }
  }
};

class OpenclFaults : public testing::TestWithParam<std::string> {};

bool is_cold(const std::string& name) { return name.starts_with("cold"); }

TEST_P(OpenclFaults, OneCall) {
  Sweep s{.scenario = GetParam(), .stride = is_long() ? 1 : 0, .samples = is_cold(GetParam()) ? 12 : 40};
  for (cl_int status :
       is_long() ? std::vector<cl_int>(usual_statuses.begin(), usual_statuses.end()) : std::vector<cl_int>{0}) {
    s.status = status;
    expect_nothing_wrong(GetParam(), sweep(s));
  }
}

TEST_P(OpenclFaults, AllCallsFromOne) {
  static const std::set<std::string> few = {"direct_dd",         "modular_dd",           "c_three_products", "batch_dd",
                                            "staged_modular_dd", "wait_lists_direct_dd", "cold_modular_dd"};
  if (!is_long() && !few.contains(GetParam())) GTEST_SKIP() << "HILO_LONG_TESTS";
  const std::int64_t samples = is_long() ? 60 : is_cold(GetParam()) ? 4 : 8;
  Sweep s{.scenario = GetParam(), .first = 0, .stride = 0, .samples = samples, .status = -9999};
  for (When when : {When::from_then_on, When::lost}) {
    s.when = when;
    expect_nothing_wrong(GetParam(), sweep(s));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ScenarioMaker& s : scenarios()) all.push_back(s.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OpenclFaults, testing::ValuesIn(names()),
                         [](const auto& parameter) { return parameter.param; });

// What a process found under a fault is not what the next one finds on disk.
class OpenclColdFaults : public testing::TestWithParam<std::string> {};

TEST_P(OpenclColdFaults, NothingPassingIsRemembered) {
  auto run = [&](const TemporaryFolder& cache, std::int64_t call, cl_int status, Tally& tally) {
    const EnvironmentVariable folder("HILO_CACHE_DIR", cache.file("").c_str()), kept("HILO_CACHE", "1");
    Outcome outcome = read_lines({"--cold", GetParam(), std::to_string(call), std::to_string(status)}, tally);
    if (!outcome.ending.empty()) {
      tally.add_wrong("crash", GetParam() + ": call " + std::to_string(call) + " " + outcome.ending);
    }
    return outcome.ran;
  };
  Tally all;
  std::string right;
  std::int64_t calls = 0;  // of the first process, whose cache is empty
  {
    TemporaryFolder cache;
    right = run(cache, 0, 0, all);
    calls = all.calls;
    ASSERT_NE(right, "");
    ASSERT_EQ(run(cache, 0, 0, all), right);
    ASSERT_TRUE(all.wrong.empty()) << all.lines.front();
  }
  const std::int64_t stride = (calls / (is_long() ? 60 : 3)) | 1;
  for (std::int64_t n = 1 + stride / 2; n <= calls; n += stride) {
    const cl_int status = usual_statuses[static_cast<std::size_t>(n / stride) % usual_statuses.size()];
    TemporaryFolder cache;
    const std::string ran = run(cache, n, status, all);
    Tally clean;
    const std::string next = run(cache, 0, 0, clean);
    if (ran != right) all.add_wrong("stuck", "call " + std::to_string(n) + ": the same process ran" + ran);
    if (next != right || !clean.wrong.empty()) {
      all.add_wrong("poisoned", "call " + std::to_string(n) + ": the next process ran" + next +
                                    (clean.lines.empty() ? "" : clean.lines.front()));
    }
  }
  all.calls = calls;
  expect_nothing_wrong(GetParam() + ", cold process", all);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OpenclColdFaults,
                         testing::Values("cold_direct_dd", "cold_modular_dd", "cold_automatic_dd"),
                         [](const auto& parameter) { return parameter.param; });

TEST(OpenclFaults, FourThreadsAtRandom) {
  Tally tally;
  for (int seed = 1; seed <= (is_long() ? 20 : 2); ++seed) {
    const Outcome outcome = read_lines({"--threads", "4", is_long() ? "100" : "40", std::to_string(seed)}, tally);
    if (!outcome.ending.empty()) tally.add_wrong("crash", "seed " + std::to_string(seed) + " " + outcome.ending);
  }
  expect_nothing_wrong("four threads", tally);
}

int run_child(int count, char** arguments) {
  const std::vector<std::string> a(arguments, arguments + count);
  auto number = [&](std::size_t i) { return std::stoll(a.at(i)); };
  if (a[1] == "--sweep") {
    const auto when = std::find(when_names.begin(), when_names.end(), a.at(3)) - when_names.begin();
    run({a[2], static_cast<When>(when), number(4), number(5), number(6), static_cast<cl_int>(number(7))});
  } else if (a[1] == "--cold") {
    run_cold(a.at(2), number(3), static_cast<cl_int>(number(4)));
  } else {
    run_threads(static_cast<int>(number(2)), static_cast<int>(number(3)), static_cast<std::uint64_t>(number(4)));
  }
  return 0;
}

}  // namespace
}  // namespace hilo::test::faults

int main(int count, char** arguments) {
  using namespace hilo::test::faults;
  const std::string_view first = count > 1 ? arguments[1] : "";
  if (first == "--sweep" || first == "--cold" || first == "--threads") {
    try {
      return run_child(count, arguments);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      return 3;
    }
  }
  testing::InitGoogleTest(&count, arguments);
  testing::AddGlobalTestEnvironment(new Table);
  return RUN_ALL_TESTS();
}
