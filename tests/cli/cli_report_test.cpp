// hilo report: the page has what its commands print and draw, and is there complete or not at all.
#include "cli/report/page.hpp"
#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class Report : public Program {
 protected:
  static std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) ++found;
    return found;
  }
};

TEST_F(Report, HasWhatItsCommandsPrintAndDraw) {
  const json r =
      hilo_json("report page.html --sizes 16 --orders 12 --parts d,machine,routines --threads 1 --title 'A & B'");
  const std::string page = folder.read("page.html");
  EXPECT_EQ(r["bytes"], page.size());
  EXPECT_EQ(r["file"], "page.html");
  ASSERT_EQ(r["parts"].size(), 3u);
  EXPECT_EQ(r["parts"][0]["command"], "hilo info");
  EXPECT_EQ(r["parts"][1]["command"], "hilo bench --precision d --sizes 16 --threads 1");
  EXPECT_EQ(r["parts"][2]["command"], "hilo bench --routine getrf,potrf,geqrf,solve --sizes 12 --threads 1");
  for (const json& part : r["parts"]) {
    EXPECT_TRUE(part["failure"].is_null());
    EXPECT_GT(part["seconds"], 0.0);
    EXPECT_NE(page.find("$ " + part["command"].get<std::string>() + "</pre>"), page.npos);
    EXPECT_EQ(part["has_picture"], part["command"] != "hilo info");
  }
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  EXPECT_NE(page.find("<title>A &amp; B</title>"), page.npos);
  EXPECT_NE(page.find("dgemm NN"), page.npos);
  EXPECT_NE(page.find("geqrf"), page.npos);
  EXPECT_EQ(count(page, "<section"), 3u);
  EXPECT_EQ(count(page, "</section>"), 3u);
  EXPECT_EQ(count(page, "<img "), 2u);
  // "<?xml" in base64: a picture is SVG, and nothing is loaded from elsewhere.
  EXPECT_EQ(count(page, "data:image/svg+xml;base64,PD94bWwg"), 2u);
  EXPECT_EQ(count(page, "src=\"http"), 0u);
  EXPECT_EQ(page.find("page.html"), page.npos);
  EXPECT_EQ(page.find("picture1.svg"), page.npos) << "where a picture was is nobody's affair";
}

// Names of files are bytes, those of JSON are UTF-8.
TEST_F(Report, TellsOfAFileWithAnyName) {
  EXPECT_EQ(hilo_json("report 'p\xff.html' --parts machine")["file"], "p\ufffd.html");
  EXPECT_TRUE(std::filesystem::exists(folder.file("p\xff.html")));
}

TEST_F(Report, SaysWhichPartFailed) {
  const Outcome run = hilo("report page.html --parts machine,routines,Machine --orders 100000000");
  EXPECT_EQ(run.code, 4);
  EXPECT_TRUE(run.err.starts_with("hilo: report: hilo bench --routine getrf,potrf,geqrf,solve --sizes 100000000: "))
      << run.err;
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  const std::string page = folder.read("page.html");
  EXPECT_NE(page.find("<p class=\"failure\">exit code"), page.npos);
  EXPECT_NE(page.find("SIMD"), page.npos) << "the other part is there";
  EXPECT_EQ(count(page, "<section"), 2u) << "what --parts has twice counts once";
}

// Asked for a picture's format before anything is measured, it fails, or not before it draws.
TEST_F(Report, SaysWhatGnuplotSaid) {
  std::filesystem::create_directory(folder.file("bin"));
  const std::string path = "PATH='" + folder.file("bin") + "':$PATH";
  script("bin/gnuplot", "echo 'no terminal svg' >&2\nexit 1\n");
  expect_error("report page.html --parts machine,d --sizes 8", 4, "gnuplot failed: no terminal svg", path);
  EXPECT_FALSE(std::filesystem::exists(folder.file("page.html")));
  script("bin/gnuplot", "if grep -q multiplot; then echo 'out of ink' >&2; exit 1; fi\n");
  const Outcome run = hilo("report page.html --parts machine,d --sizes 8", path);
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.err,
            "hilo: report: hilo bench --precision d --sizes 8: exit code 4: hilo: gnuplot failed: out of ink\n");
  const std::string page = folder.read("page.html");
  EXPECT_NE(page.find("<p class=\"failure\">exit code 4: hilo: gnuplot failed: out of ink</p>"), page.npos);
  EXPECT_EQ(count(page, "<section"), 2u);
  EXPECT_EQ(count(page, "<img "), 0u);
  EXPECT_NE(page.find("dgemm NN"), page.npos) << "the figures are there";
}

// LU of 5000 rows is not timed in five seconds, and small products are by then.
TEST_F(Report, AnInterruptLeavesAPageOfWhatWasDone) {
  const Outcome run = hilo("report page.html --parts d,routines --sizes 8 --orders 5000 --threads 1",
                           "TMPDIR='" + folder.file(".") + "' timeout --foreground --preserve-status -s INT 5");
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(run.err, "");
  const std::string page = folder.read("page.html");
  EXPECT_NE(page.find("Interrupted: 1 of 2 parts."), page.npos);
  EXPECT_EQ(count(page, "<section"), 1u);
  EXPECT_NE(run.out.find(" bytes, 1 part, interrupted\n"), run.out.npos) << run.out;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("."))) {
    EXPECT_EQ(entry.path().filename().string().find("hilo-report"), std::string::npos) << "a folder is left";
  }
}

TEST_F(Report, RefusesBeforeItMeasures) {
  expect_error("report", 2, "report needs the name of the page: hilo report FILE.html");
  expect_error("report page.txt", 2, "'page.txt' does not end in .html");
  expect_error("report nowhere/page.html", 2, "nowhere/page.html");
  expect_error("report page.html --parts machine,speed", 2,
               "--parts 'speed' is none of machine, dd, d, routines, accuracy, conditions, model");
  expect_error("report page.html --parts machine,routines --sizes 5", 2,
               "--sizes 5 has no effect on --parts machine,routines");
  expect_error("report page.html --parts machine --threads 1", 2, "--threads 1 has no effect on --parts machine");
  if (has_device()) {
    expect_error("report page.html --parts dd --backend opencl --threads 2", 2,
                 "--threads 2 has no effect on --parts dd");
  }
  expect_error("report page.html --parts machine,accuracy --backend cpu", 2,
               "--backend cpu has no effect on --parts machine,accuracy");
  expect_error("report page.html --parts dd --orders 5", 2, "--orders 5 has no effect on --parts dd");
  expect_error("report page.html --sizes 3:2:1", 2, "--sizes 3:2:1");
  expect_error("report page.html --orders 1,,2", 2, "--orders '1,,2': a size is missing");
  expect_error("report page.html --threads -1", 2, "--threads -1");
  expect_error("report page.html --parts dd", 4, "gnuplot", "PATH=/nowhere");
  EXPECT_FALSE(std::filesystem::exists(folder.file("page.html")));
}

TEST(ReportPage, ShowsTextAsItIs) {
  const std::string page = cli::report_page(
      "<T>", "\"made\"", {{"a & b", "x < y", {"hilo", "gemm", "it's a.mtx", ""}, "1 > 0\n", "", "no <tag>"}});
  EXPECT_NE(page.find("<h1>&lt;T&gt;</h1>"), page.npos);
  EXPECT_NE(page.find("&quot;made&quot;"), page.npos);
  EXPECT_NE(page.find("<h2>a &amp; b</h2>\n<p>x &lt; y</p>"), page.npos);
  EXPECT_NE(page.find("$ hilo gemm 'it'\\''s a.mtx' ''</pre>"), page.npos);
  EXPECT_NE(page.find("<pre>1 &gt; 0\n</pre>"), page.npos);
  EXPECT_NE(page.find("no &lt;tag&gt;"), page.npos);
  // RFC 4648's own examples.
  for (const auto& [bytes, text] : {std::pair{"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}}) {
    EXPECT_NE(cli::report_page("", "", {{"", "", {}, "", bytes, ""}}).find(std::string("base64,") + text + '"'),
              page.npos)
        << bytes;
  }
}

}  // namespace
}  // namespace hilo
