// What an interrupted `hilo` leaves behind: whole files, what was measured by then, no processes.
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "cli_program.hpp"
#include "test_size.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class Interrupt : public Program {
 protected:
  // The signal comes after so many seconds, to the program alone.
  Outcome interrupted(const std::string& arguments, const std::string& signal, double seconds) {
    return hilo(arguments, "timeout --foreground --preserve-status -s " + signal + ' ' + std::to_string(seconds));
  }

  // Names beside those that the test itself makes.
  std::string names() {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("."))) {
      const std::string name = entry.path().filename();
      if (name != "stderr.txt" && name != "cache") all += name + ' ';
    }
    return all;
  }
};

// That the program writes by OutputFile, whose test has all signals and moments.
TEST_F(Interrupt, WritingLeavesTheOldFileOrTheNewOne) {
  const std::string product = "-m 400 -n 400 -k 1 --engine direct --repeat 1 --threads 1 -o c.mtx";
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(hilo(product).code, 0);
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::string fresh = folder.read("c.mtx");
  for (const char* signal : {"INT", "TERM"}) {
    const int rounds = test::is_long() ? 100 : 3;
    for (int round = 0; round < rounds; ++round) {
      folder.write("c.mtx", "as it was");
      interrupted(product, signal, 0.02 + whole * round / rounds);
      EXPECT_EQ(names(), "c.mtx ");
      const std::string found = folder.read("c.mtx");
      EXPECT_TRUE(found == fresh || found == "as it was") << signal << ", " << found.size() << " bytes";
    }
  }
}

TEST_F(Interrupt, WritingSeveralLeavesAllOldFilesOrAllNewOnes) {
  const std::string decomposition = "svd -n 60 --threads 1 -o s.mtx --left u.mtx --right v.mtx";
  const std::vector<std::string> files = {"s.mtx", "u.mtx", "v.mtx"};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(hilo(decomposition).code, 0);
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<std::string> fresh;
  for (const std::string& file : files) fresh.push_back(folder.read(file));
  const int rounds = test::is_long() ? 200 : 6;
  for (int round = 0; round < rounds; ++round) {
    for (const std::string& file : files) folder.write(file, "as it was");
    interrupted(decomposition, "INT", 0.02 + whole * round / rounds);
    std::size_t renewed = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string found = folder.read(files[i]);
      EXPECT_TRUE(found == fresh[i] || found == "as it was") << files[i] << ", " << found.size() << " bytes";
      renewed += found == fresh[i];
    }
    EXPECT_TRUE(renewed == 0 || renewed == files.size()) << renewed;
    EXPECT_EQ(names().find(".hilo-"), std::string::npos) << names();
  }
}

TEST_F(Interrupt, AFileThatIsTooLong) {
  Outcome run = hilo("-m 400 -n 400 -k 1 --repeat 1 -o c.mtx", "prlimit --fsize=100000");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err, "hilo: c.mtx: cannot be written: File too large\n");
  EXPECT_EQ(names(), "");
}

// From the moment on at which the first library begins, of which the C library tells.
TEST_F(Interrupt, BenchTakesItFromTheStart) {
  script("run.sh",
         "rm -f told\nmkfifo told\n\"$@\" >out.txt 2>told &\n"
         "while read -r line; do\n"
         "  case $line in *'calling init'*) kill -INT $!; cat >/dev/null; break;; esac\n"
         "done <told\nwait $!\n");
  const bool has_gnuplot = std::system("gnuplot --version >/dev/null 2>&1") == 0;
  for (const char* plot : {"", " --plot p.svg"}) {
    if (*plot && !has_gnuplot) continue;
    const Outcome run = hilo(std::string("bench --engine direct --repeat 20000 --threads 1 --sizes 600 --json") + plot,
                             "timeout 60 ./run.sh env --default-signal=INT LD_DEBUG=files");
    EXPECT_EQ(run.code, 130) << run.err;
    const std::string out = folder.read("out.txt");
    ASSERT_TRUE(json::accept(out)) << out;
    EXPECT_EQ(json::parse(out)["interrupted"], true);
    EXPECT_EQ(json::parse(out)["results"].size(), 0u);
  }
}

// The third size would take for minutes.
TEST_F(Interrupt, BenchKeepsWhatItHas) {
  script("run.sh", "\"$@\" >out.txt &\nuntil grep -q '^  6 ' out.txt; do sleep 0.1; done\nkill -INT $!\nwait $!\n");
  const Outcome run =
      hilo("bench --engine direct --repeat 20000 --threads 1 --sizes 4,6,600 --csv values.csv", "timeout 60 ./run.sh");
  EXPECT_EQ(run.code, 130) << run.err;
  const std::string out = folder.read("out.txt");
  for (const char* words : {"\n  4  direct  ", "\n  6  direct  ", "\ninterrupted after 2 of 3 sizes\n"}) {
    EXPECT_NE(out.find(words), std::string::npos) << words << " in\n" << out;
  }
  const std::string csv = folder.read("values.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
}

// The last row would take much longer.
TEST_F(Interrupt, AccuracyKeepsWhatItHas) {
  const std::string sweep = "accuracy -n 8 --phi 0 --k 4,1000000 --threads 1 ";
  script("run.sh",
         "\"$@\" >out.txt &\nuntil grep -q '^     1       4 ' out.txt; do sleep 0.1; done\nkill -INT $!\nwait $!\n");
  Outcome run = hilo(sweep, "timeout 60 ./run.sh");
  EXPECT_EQ(run.code, 130) << run.err;
  const std::string out = folder.read("out.txt");
  const std::size_t bounds = out.find("\nguaranteed ");
  ASSERT_NE(bounds, std::string::npos) << out;
  for (const char* words : {"\n     0     512 ", "\n     1       4 ", "\ninterrupted after 2 of 3 rows\n"}) {
    EXPECT_NE(out.find(words, bounds), std::string::npos) << words << " in\n" << out;
  }
  script("run.sh", "\"$@\" >out.txt &\nsleep 2\nkill -INT $!\nwait $!\n");
  run = hilo(sweep + "--json", "timeout 60 ./run.sh");
  EXPECT_EQ(run.code, 130) << run.err;
  const json r = json::parse(folder.read("out.txt"));
  EXPECT_EQ(r["interrupted"], true);
  EXPECT_EQ(r["verified"], r["over_phi"].empty() ? json() : json(true));
  EXPECT_LE(r["over_k"].size(), 1u);
}

// script(1) lends a terminal.
TEST_F(Interrupt, TakesTheBarAway) {
  if (std::system("script --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no script";
  script("child.sh", "echo $$ >pid.txt\nexec \"$@\" >out.txt\n");
  for (const char* command : {"accuracy -n 8 --phi 0 --k 1000000", "bench --engine direct --sizes 4,3000"}) {
    script("run.sh",
           "rm -f tty.txt\nscript -qefc \"./child.sh $*\" tty.txt >/dev/null &\n"
           "until grep -q '[kn] = [13]0*: ' tty.txt; do sleep 0.1; done\nkill -INT $(cat pid.txt)\nwait $!\n");
    const Outcome run = hilo(std::string(command) + " --threads 1", "timeout 60 ./run.sh");
    EXPECT_EQ(run.code, 130) << run.err;
    // Behind the line that is taken away script tells that it ends.
    const std::string shown = folder.read("tty.txt"), last = shown.substr(shown.rfind('\r'));
    EXPECT_TRUE(last == "\r\x1b[K" || last.starts_with("\r\x1b[K\nScript done")) << last;
  }
}

// What it is at is told up to the last column but one: the rest would go on in a line that nothing takes away.
TEST_F(Interrupt, KeepsTheBarInOneLine) {
  if (std::system("script --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no script";
  const std::string file = std::string(90, 'a') + ".mtx";
  folder.write(file, "%%MatrixMarket matrix array real general\n1 1\n3\n");
  script("run.sh", "script -qefc \"$* >out.txt\" tty.txt >/dev/null\n");
  const Outcome run = hilo(file + ' ' + file, "timeout 60 ./run.sh");
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string shown = folder.read("tty.txt"), begin = "\r\x1b[K[";
  EXPECT_NE(shown.find("aaa"), std::string::npos) << shown;
  for (std::size_t at = 0; (at = shown.find(begin, at)) != std::string::npos;) {
    const std::size_t end = shown.find('\r', ++at);
    EXPECT_LT(std::min(end, shown.size()) - at, begin.size() - 1 + 79) << shown;
  }
}

// A reference that starts another process and writes down both.
class Reference : public Interrupt {
 protected:
  void SetUp() override { script("slow.sh", "echo $$ >pids.txt\nsleep 60 &\necho $! >>pids.txt\nwait\n"); }

  bool is_alive(const std::string& pid) {
    std::ifstream status("/proc/" + pid + "/stat");
    std::string word;
    for (int i = 0; i < 3; ++i) status >> word;
    return status && word != "Z";
  }

  void expect_dead(std::size_t least) {
    std::ifstream pids(folder.file("pids.txt"));
    std::size_t count = 0;
    for (std::string pid; pids >> pid; ++count) {
      bool alive = true;
      for (int i = 0; i < 100 && (alive = is_alive(pid)); ++i) usleep(20000);
      EXPECT_FALSE(alive) << pid;
    }
    EXPECT_GE(count, least);
  }

  const std::string bench = "bench --engine direct --repeat 1 --sizes 4,5 --reference ./slow.sh ";
};

TEST_F(Reference, HasATimeLimit) {
  expect_error(bench + "--reference-time 1", 4, "--reference ./slow.sh 4 failed with no end in 1 s: it says nothing");
  expect_dead(2);
  expect_error(bench + "--reference-time 0", 2, "--reference-time 0 is less than 1");
}

// What is measured when the reference, begun with the second size, does not end.
TEST_F(Reference, InterruptedInBetween) {
  script("slow.sh",
         "if [ $1 = 5 ]; then echo $$ >pids.txt; sleep 60; fi\n"
         "printf '{\"name\": \"r\", \"device\": \"d\", \"n\": 4, \"gflops_kernel\": 1, \"gflops_total\": 1}'\n");
  script("run.sh", "\"$@\" >out.txt &\nuntil [ -s pids.txt ]; do sleep 0.1; done\nkill -INT $!\nwait $!\n");
  const bool has_gnuplot = std::system("gnuplot --version >/dev/null 2>&1") == 0;
  const Outcome run = hilo(bench + "--json" + (has_gnuplot ? " --plot p.svg" : ""), "timeout 60 ./run.sh");
  EXPECT_EQ(run.code, 130) << run.err;
  const json r = json::parse(folder.read("out.txt"));
  EXPECT_EQ(r["interrupted"], true);
  ASSERT_EQ(r["results"].size(), 2u);
  ASSERT_EQ(r["reference"]["sizes"].size(), 1u);
  EXPECT_EQ(r["reference"]["sizes"][0]["gflops_kernel"], 1);
  EXPECT_TRUE(r["results"][1]["kernel_over_reference"].is_null());
  EXPECT_EQ(folder.read("p.svg").find("</svg>") != std::string::npos, has_gnuplot);
  expect_dead(1);
}

TEST_F(Reference, DiesWithTheProgram) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    Outcome run = interrupted(bench, signal, 1.5);
    EXPECT_NE(run.code, 0);
    expect_dead(2);
  }
  // Of what it started itself, nobody is told of this one.
  script("slow.sh", "echo $$ >pids.txt\nexec sleep 60\n");
  interrupted(bench, "KILL", 1.5);
  expect_dead(1);
}

}  // namespace
}  // namespace hilo
