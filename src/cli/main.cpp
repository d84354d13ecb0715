// The hilo program: reads the command line, runs a subcommand, turns errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <hilo/error.hpp>
#include <iostream>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

#include "cli/accuracy/command.hpp"
#include "cli/bench/command.hpp"
#include "cli/eig/command.hpp"
#include "cli/gemm/command.hpp"
#include "cli/info/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/model/command.hpp"
#include "cli/option.hpp"
#include "cli/ranks/launch.hpp"
#include "cli/report/command.hpp"
#include "cli/shell/completion.hpp"
#include "cli/shell/help.hpp"
#include "cli/shell/manual.hpp"
#include "cli/solve/command.hpp"
#include "cli/svd/command.hpp"
#include "cli/tune/command.hpp"
#include "host/escaped.hpp"

namespace {

enum ExitCode { ok = 0, verification_failed = 1, bad_input = 2, no_device = 3, run_failure = 4 };

int exit_code(hilo::errc code) {
  switch (code) {
    case hilo::errc::no_device:
      return no_device;
    case hilo::errc::out_of_memory:
    case hilo::errc::build_failure:
    case hilo::errc::self_test_failure:
    case hilo::errc::device_failure:
      return run_failure;
    default:
      return bad_input;
  }
}

// One line on standard error; a message of several lines becomes one. What was wrong with the input is not repeated at
// any length.
int complain(const std::string& message, int code) {
  if (!hilo::cli::launch().is_first()) {
    // Rank 0 tells, before mpirun ends it for the first rank that ends with a code.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    return code;
  }
  std::istringstream words(message);
  std::string line;
  for (std::string word; words >> word;) line += ' ' + word;
  const std::size_t most = code == bad_input ? 1000 : line.npos;
  std::cerr << "hilo:" << hilo::host::escaped(line, most) << '\n';
  return code;
}

constexpr std::array<std::string_view, 12> commands = {"gemm",  "solve",  "eig",  "svd",  "bench",      "accuracy",
                                                       "model", "report", "info", "tune", "completion", "man"};

bool is_command(const std::string& word) { return std::find(commands.begin(), commands.end(), word) != commands.end(); }

bool may_be_matrix(const std::string& word) {
  std::error_code ignored;
  return word.ends_with(".mtx") || word.ends_with(".npy") || std::filesystem::exists(word, ignored);
}

// gemm is the default: its name may be left out. Without any word, help.
std::vector<std::string> words(int argc, char** argv) {
  constexpr std::array<std::string_view, 4> options = {"-h", "--help", "-v", "--version"};
  std::vector<std::string> w(argv + 1, argv + argc);
  if (w.empty()) w.emplace_back("--help");
  if (w[0] == "help") {  // "help bench" is "bench --help"
    w.erase(w.begin());
    w.emplace_back("--help");
  }
  if (!is_command(w[0]) && std::find(options.begin(), options.end(), w[0]) == options.end()) {
    if (!w[0].empty() && w[0][0] != '-' && !may_be_matrix(w[0])) {
      hilo::cli::reject(
          "'" + hilo::cli::shown(w[0]) +
          "' is no command (gemm, solve, eig, svd, bench, accuracy, model, report, tune, info, completion, man, help) "
          "and no matrix file");
    }
    w.insert(w.begin(), "gemm");
  }
  std::reverse(w.begin(), w.end());  // the order in which CLI11 takes them
  return w;
}

// What is wrong with the words, and whose help tells more.
std::string of_usage(const CLI::App& app, const CLI::ParseError& e) {
  const std::vector<CLI::App*> found = app.get_subcommands();
  if (found.empty()) return std::string(e.what()) + " (see hilo --help)";
  const CLI::App& command = *found.front();
  const std::string name = command.get_name(), see = " (see hilo " + name + " --help)";
  const std::vector<std::string> unknown = command.remaining();
  if (dynamic_cast<const CLI::ExtrasError*>(&e) == nullptr || unknown.empty()) return e.what() + see;
  const bool is_size = unknown[0] == "-m" || unknown[0] == "-n" || unknown[0] == "-k";
  return name + " does not take '" + hilo::cli::shown(unknown[0]) + "'" +
         (is_size && name == "bench" ? "; its sizes are those of --sizes and --shapes" : "") + see;
}

int run(int argc, char** argv) {
  CLI::App app("Double-double linear algebra. hilo A.mtx B.mtx is hilo gemm A.mtx B.mtx.", "hilo");
  app.set_help_flag("-h,--help", "Print this text");
  app.footer("hilo COMMAND --help tells the options of a command.");
  app.set_version_flag("-v,--version", "hilo " HILO_VERSION, "Print the version");
  app.formatter(hilo::cli::help_format());
  app.require_subcommand(1);
  hilo::cli::GemmArguments gemm;
  CLI::App* gemm_command = app.add_subcommand("gemm", "C = alpha op(A) op(B) + beta C, of files or generated matrices");
  hilo::cli::add_gemm_options(*gemm_command, gemm);
  hilo::cli::SolveArguments solve;
  CLI::App* solve_command = app.add_subcommand("solve", "x of A x = b, every digit right, of files or generated");
  hilo::cli::add_solve_options(*solve_command, solve);
  hilo::cli::EigArguments eig;
  CLI::App* eig_command = app.add_subcommand(
      "eig", "Eigenvalues and eigenvectors of a symmetric or Hermitian matrix, of a file or generated");
  hilo::cli::add_eig_options(*eig_command, eig);
  hilo::cli::SvdArguments svd;
  CLI::App* svd_command =
      app.add_subcommand("svd", "Singular values and vectors of a matrix of any shape, of a file or generated");
  hilo::cli::add_svd_options(*svd_command, svd);
  hilo::cli::BenchArguments bench;
  CLI::App* bench_command = app.add_subcommand("bench", "The speed of the engines over the shape of the matrices");
  hilo::cli::add_bench_options(*bench_command, bench);
  hilo::cli::AccuracyArguments accuracy;
  CLI::App* accuracy_command =
      app.add_subcommand("accuracy", "The errors of products, factors and solutions, beside plain double's");
  hilo::cli::add_accuracy_options(*accuracy_command, accuracy);
  hilo::cli::ModelArguments model;
  CLI::App* model_command =
      app.add_subcommand("model", "How fast products, LU and Cholesky can be on a device, described or at hand");
  hilo::cli::add_model_options(*model_command, model);
  hilo::cli::ReportArguments report;
  CLI::App* report_command =
      app.add_subcommand("report", "One page of this machine: speed, accuracy, and the model beside what is measured");
  hilo::cli::add_report_options(*report_command, report);
  hilo::cli::TuneArguments tune;
  CLI::App* tune_command = app.add_subcommand(
      "tune", "Finds the fastest tiles of an OpenCL device, or the rates of the CPU, and keeps them");
  hilo::cli::add_tune_options(*tune_command, tune);
  bool json = false;
  CLI::App* info_command = app.add_subcommand("info", "What this build and this machine offer");
  info_command->add_flag("--json", json, "One JSON object");
  info_command->footer("Example: hilo info");
  std::string shell;
  CLI::App* completion_command = app.add_subcommand("completion", "Prints a script that completes command lines");
  hilo::cli::takes_word(completion_command->add_option("shell", shell), {"bash", "zsh", "fish"}, "", "")
      ->type_name("SHELL");
  completion_command->footer("Example: source <(hilo completion bash)");
  CLI::App* man_command = app.add_subcommand("man", "Prints the manual page");
  man_command->footer("Example: hilo man > ~/.local/share/man/man1/hilo.1");
  try {
    app.parse(words(argc, argv));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);
    return complain(of_usage(app, e), bad_input);
  }
  if (const int ranks = hilo::cli::launch().ranks; ranks > 1) {
    for (const CLI::App* command : app.get_subcommands()) {
      if (command != gemm_command && command != solve_command) {
        hilo::cli::reject("mpirun has started " + std::to_string(ranks) + " processes, and hilo " +
                          command->get_name() + " is one process; hilo gemm and hilo solve compute over several");
      }
    }
  }
  if (completion_command->parsed()) std::cout << hilo::cli::completion_script(app, shell);
  if (man_command->parsed()) std::cout << hilo::cli::manual_page(app);
  if (completion_command->parsed() || man_command->parsed()) return ok;
  if (!bench_command->parsed() && !accuracy_command->parsed() && !tune_command->parsed() && !report_command->parsed()) {
    hilo::cli::release_interrupts();
  }
  if (gemm_command->parsed()) return hilo::cli::run_gemm(gemm);
  if (solve_command->parsed()) return hilo::cli::run_solve(solve);
  if (eig_command->parsed()) return hilo::cli::run_eig(eig);
  if (svd_command->parsed()) return hilo::cli::run_svd(svd);
  if (accuracy_command->parsed()) return hilo::cli::run_accuracy(accuracy);
  if (report_command->parsed()) return hilo::cli::run_report(report);
  if (tune_command->parsed()) return hilo::cli::run_tune(tune);
  if (bench_command->parsed()) return hilo::cli::run_bench(bench);
  if (model_command->parsed()) {
    hilo::cli::run_model(*model_command, model);
  } else {
    hilo::cli::run_info(json);
  }
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with its name
  std::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, it would hide how a child ends
  try {
    int code = run(argc, argv);
    std::cout.flush();
    if (!std::cout) return complain("standard output cannot be written", bad_input);
    return code;
  } catch (const hilo::error& e) {
    return complain(hilo::cli::in_options(e.what()), exit_code(e.code()));
  } catch (const std::bad_alloc&) {
    return complain("out of memory", run_failure);
  } catch (const std::exception& e) {
    return complain(e.what(), run_failure);
  }
}
