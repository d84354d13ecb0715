#include "cli/report/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <hilo/error.hpp>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "cli/distinct.hpp"
#include "cli/json.hpp"
#include "cli/measurement.hpp"
#include "cli/option.hpp"
#include "cli/plot.hpp"
#include "cli/process.hpp"
#include "cli/progress.hpp"
#include "cli/report/page.hpp"
#include "cli/stopwatch.hpp"
#include "cli/words.hpp"
#include "data/file.hpp"
#include "host/escaped.hpp"

namespace hilo::cli {
namespace {

constexpr const char* default_sizes = "256,512,1024,2048";
constexpr const char* default_orders = "250,500,1000";
constexpr std::chrono::hours longest_part{2};
constexpr int failed = 4;

// A folder that is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "hilo-report-XXXXXX").string();
    if (!mkdtemp(name.data())) throw error(errc::io, "report: no temporary folder " + name + " can be made");
    path_ = name;
  }
  ~Folder() { remove(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::filesystem::path path_;
};

// This program, to be run again.
std::string own_file() {
  std::error_code failure;
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) throw error(errc::io, "report: /proc/self/exe, which names this program, cannot be read");
  return file.string();
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct PlannedPart {
  std::string name;  ///< by which --parts asks for it
  ReportPart part;
  bool draws;
};

// What the page has, with the words that choose a device or threads.
std::vector<PlannedPart> planned(const ReportArguments& a, bool is_on_device) {
  std::vector<std::string> where;
  const auto add = [&](const char* option, const std::string& word) {
    if (!word.empty()) where.insert(where.end(), {option, word});
  };
  add("--backend", a.place.backend);
  add("--device", a.place.type);
  add("-p", a.place.platform);
  add("-d", a.place.device);
  std::vector<std::string> threads;
  if (!a.threads.empty()) threads = {"--threads", a.threads};
  const std::vector<std::string> here = is_on_device ? where : with(where, threads);
  const std::string sizes = a.sizes.empty() ? default_sizes : a.sizes,
                    orders = a.orders.empty() ? default_orders : a.orders;
  std::vector<PlannedPart> all;
  const auto plan = [&](const char* name, std::string title, std::string text, std::vector<std::string> words,
                        bool draws) {
    words.insert(words.begin(), "hilo");
    all.push_back({name, {std::move(title), std::move(text), std::move(words), "", "", ""}, draws});
  };
  plan("machine", "The machine", "What this build and this machine offer.", {"info"}, false);
  plan("dd", "Products in double-double",
       "The speed of both engines over the size of the matrices, and the largest error found among sampled entries.",
       with({"bench", "--sizes", sizes}, here), true);
  plan("d", "Products in double", "The same in double, by the BLAS or the device's kernels, and by exact integers.",
       with({"bench", "--precision", "d", "--sizes", sizes}, here), true);
  plan("routines", "Factorisations and solves",
       "LU, Cholesky, QR, and systems solved to full accuracy, with LAPACK's residual ratios: below 30 is right.",
       with({"bench", "--routine", "getrf,potrf,geqrf,solve", "--sizes", orders}, here), true);
#if HILO_HAS_ACCURACY
  plan("accuracy", "Accuracy",
       "The largest errors against MPFR, over the range of exponents and over the number of terms, with what is "
       "guaranteed.",
       with({"accuracy"}, threads), true);
  plan("conditions", "Accuracy over the condition",
       "Residual ratios of factors, of which below 30 is right, and errors of solutions against MPFR, beside those in "
       "double.",
       with({"accuracy", "--routine", "getrf,potrf,geqrf,solve"}, threads), true);
#endif
  plan("model", "Model and measurement",
       "What bounds products here, what is predicted from rates that small probes measure, and what they take.",
       with({"model", "--measure", "--sizes", sizes}, here), true);
  return all;
}

// Those that --parts names, in the order of the page.
std::vector<PlannedPart> chosen(const ReportArguments& a, bool is_on_device) {
  std::vector<PlannedPart> all = planned(a, is_on_device);
  if (a.parts.empty()) return all;
  const std::vector<std::string> words = distinct_words(lower_case(a.parts));
  std::string names;
  for (const PlannedPart& p : all) names += (names.empty() ? "" : ", ") + p.name;
  for (const std::string& word : words) {
    if (std::ranges::none_of(all, [&](const PlannedPart& p) { return p.name == word; })) {
      reject("--parts '" + shown(word) + "' is none of " + names);
    }
  }
  std::erase_if(all, [&](const PlannedPart& p) { return std::ranges::find(words, p.name) == words.end(); });
  const auto check = [&](const char* option, const std::string& value, const std::vector<std::string>& users) {
    const auto is_user = [&](const PlannedPart& p) { return std::ranges::find(users, p.name) != users.end(); };
    if (value.empty() || std::ranges::any_of(all, is_user)) return;
    reject(std::string(option) + ' ' + shown(value) + " has no effect on --parts " + shown(a.parts));
  };
  check("--sizes", a.sizes, {"dd", "d", "model"});
  check("--orders", a.orders, {"routines"});
  std::vector<std::string> of_threads = {"accuracy", "conditions"};
  const std::vector<std::string> of_place = {"dd", "d", "routines", "model"};
  if (!is_on_device) of_threads.insert(of_threads.end(), of_place.begin(), of_place.end());
  check("--threads", a.threads, of_threads);
  check("--backend", a.place.backend, of_place);
  check("--device", a.place.type, of_place);
  check("-p", a.place.platform, of_place);
  check("-d", a.place.device, of_place);
  return all;
}

// Runs it. A part that fails says why; nothing else does.
void fill(ReportPart& part, const std::string& program, const std::string& picture) {
  std::vector<std::string> words = part.command;
  words[0] = program;
  if (!picture.empty()) words.insert(words.end(), {"--plot", picture});
  Stopwatch watch;
  const ProcessOutcome outcome = run_process(words, "", longest_part);
  part.seconds = watch.seconds();
  part.printed = outcome.out;
  if (!outcome.failure.empty()) {
    const std::string said = outcome.err.substr(0, outcome.err.find_last_not_of('\n') + 1);
    part.failure = outcome.failure + (said.empty() ? "" : ": " + said);
  }
  std::error_code ignored;
  if (!picture.empty() && std::filesystem::exists(picture, ignored)) part.picture = data::read_file(picture);
  // The table says where the picture is, which is here.
  if (const std::size_t at = part.printed.find(picture); !picture.empty() && at != std::string::npos) {
    const std::size_t begin = part.printed.rfind('\n', at) + 1,
                      end = std::min(part.printed.find('\n', at), part.printed.size());
    part.printed.erase(begin, end - begin + 1);
  }
}

// The page of what is done, and what is said of it; of an interrupted report there were to be so many parts. Returns
// the exit code.
int write_page(const ReportArguments& arguments, const std::vector<ReportPart>& done, std::size_t interrupted_of) {
  std::string made = "Made by hilo " HILO_VERSION " (" HILO_COMPILER "), " + today() +
                     ". Each part has the command that makes it again.";
  if (interrupted_of > 0) {
    made += " Interrupted: " + std::to_string(done.size()) + " of " + std::to_string(interrupted_of) + " parts.";
  }
  const std::string page = report_page(arguments.title.empty() ? "hilo on this machine" : arguments.title, made, done);
  data::OutputFile file(arguments.file);
  file.write(page);
  file.commit();
  bool has_failed = false;
  nlohmann::ordered_json object = {
      {"file", arguments.file}, {"bytes", page.size()}, {"parts", nlohmann::json::array()}};
  for (const ReportPart& part : done) {
    has_failed = has_failed || !part.failure.empty();
    object["parts"].push_back({{"title", part.title},
                               {"command", shell_line(part.command)},
                               {"seconds", part.seconds},
                               {"has_picture", !part.picture.empty()},
                               {"failure", part.failure.empty() ? nlohmann::json() : nlohmann::json(part.failure)}});
    if (part.failure.empty()) continue;
    std::cerr << "hilo: report: " << shell_line(part.command) << ": " << host::escaped(part.failure, 300) << '\n';
  }
  if (arguments.json) {
    print_object(std::cout, object);
  } else {
    std::cout << "page       " << arguments.file << "\n           " << page.size() << " bytes, " << done.size()
              << (done.size() == 1 ? " part" : " parts") << (interrupted_of > 0 ? ", interrupted" : "") << '\n';
  }
  std::cout.flush();
  return has_failed ? failed : 0;
}

}  // namespace

void add_report_options(CLI::App& command, ReportArguments& a) {
  command.add_option("file", a.file, "The page, a .html file")->type_name("FILE.html");
  command
      .add_option("--sizes", a.sizes,
                  "n, or FROM:TO:STEP, of n x n x n products (default: " + std::string(default_sizes) + ")")
      ->type_name("LIST");
  command
      .add_option("--orders", a.orders,
                  "The same of factorisations and systems (default: " + std::string(default_orders) + ")")
      ->type_name("LIST");
  takes_list(command.add_option("--parts", a.parts),
             {"machine", "dd", "d", "routines", "accuracy", "conditions", "model"}, "Of ", " (default: all)");
  add_place_options(command, a.place);
  command.add_option("--threads", a.threads, "CPU threads (default: 0, all)")->type_name("NUMBER");
  command.add_option("--title", a.title, "The page's heading (default: hilo on this machine)");
  command.add_flag("--json", a.json, "One JSON object instead of lines");
  command.footer("Example: hilo report machine.html --backend opencl");
  reject_empty_words(command);
}

int run_report(const ReportArguments& arguments) {
  Measurement measurement;
  if (arguments.file.empty()) reject("report needs the name of the page: hilo report FILE.html");
  if (!arguments.file.ends_with(".html")) reject("'" + shown(arguments.file) + "' does not end in .html");
  if (!arguments.sizes.empty()) read_sizes(arguments.sizes);
  if (!arguments.orders.empty()) read_sizes(arguments.orders, "--orders");
  if (!arguments.threads.empty()) integer<int>("--threads", arguments.threads, 0);
  const Place place = read_place(arguments.place);
  std::vector<PlannedPart> parts = chosen(arguments, place.backend == Backend::opencl);
  data::check_target(arguments.file);
  const Folder folder;
  if (std::ranges::any_of(parts, &PlannedPart::draws)) check_drawable(folder.file("picture.svg"));
  const std::string program = own_file();
  Progress progress(arguments.json);
  std::vector<ReportPart> done;
  int code = 0;
  const auto measure = [&] {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      ReportPart part = parts[i].part;
      progress.at(static_cast<double>(i) / static_cast<double>(parts.size()), shell_line(part.command));
      fill(part, program, parts[i].draws ? folder.file("picture" + std::to_string(i) + ".svg") : "");
      measurement.tell([&] { done.push_back(std::move(part)); });
    }
  };
  measurement.run(progress, measure, [&](bool is_interrupted) {
    folder.remove();
    progress.end();
    if (!done.empty()) code = write_page(arguments, done, is_interrupted ? parts.size() : 0);
  });
  return code;
}

}  // namespace hilo::cli
