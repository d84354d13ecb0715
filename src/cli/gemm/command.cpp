#include "cli/gemm/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hilo/programs.hpp>
#include <iostream>

#include "cli/gemm/request.hpp"
#include "cli/gemm/result.hpp"
#include "cli/operands.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/ranks/gemm.hpp"
#include "cli/statistics.hpp"
#include "cli/stopwatch.hpp"
#include "cli/timed_product.hpp"
#include "cli/verify.hpp"
#include "data/decimal.hpp"
#include "data/matrix.hpp"
#include "data/scalar.hpp"

namespace hilo::cli {
namespace {

using data::Matrix;

// "x", and in a complex precision also "re,im" or "(re,im)".
template <class T>
T scalar(const char* option, const std::string& text) {
  data::real_of<T> re(0), im(0);
  std::string_view rest = text, imaginary = "0";
  std::string form;  // where two numbers are found
  const bool is_open = rest.starts_with('('), is_closed = rest.ends_with(')');
  const std::size_t comma = rest.find(',');
  if constexpr (data::is_complex<T>) {
    if (is_open != is_closed || std::count(rest.begin(), rest.end(), ',') > 1) {
      throw error(errc::parse,
                  std::string(option) + ": '" + shown(text) + "' is not a number: expected re,im or (re,im)");
    }
    if (comma != rest.npos) {
      form = " in '" + shown(text) + "': expected re,im or (re,im)";
      imaginary = rest.substr(comma + 1, rest.size() - comma - 1 - is_closed);
      rest = rest.substr(0, comma);
      while (imaginary.starts_with(' ')) imaginary.remove_prefix(1);
    } else if (is_closed) {
      rest.remove_suffix(1);
    }
    if (is_open) rest.remove_prefix(1);
  } else if (is_open || comma != rest.npos) {
    form = "; re,im needs a complex precision (c, z or zdd)";
  }
  std::string wrong = data::read_decimal(rest, re);
  if (wrong.empty()) wrong = data::read_decimal(imaginary, im);
  if (!wrong.empty()) throw error(errc::parse, std::string(option) + ": " + wrong + form);
  return data::from_parts<T>(re, im);
}

template <class T>
std::string size_of(const std::string& name, const Matrix<T>& x, Op op) {
  return name + " is " + std::to_string(x.rows) + " x " + std::to_string(x.columns) +
         (op == Op::none ? "" : " and transposed");
}

// That matrices fit memory, alone first: a plan refuses what no memory holds in words of its own. A workspace counts
// in the memory of this machine; a device has its own.
template <class T>
void check_matrices_and_workspace(const std::vector<MatrixSize>& sizes, const std::optional<Queue>& queue,
                                  const GemmRequest& r) {
  check_memory<T>(sizes, 0);
  if (!queue) check_memory<T>(sizes, plan_product<T>(queue, r).workspace_bytes);
}

template <class T>
Operands<T> operands_from_files(const GemmArguments& arguments, GemmRequest& r, bool has_c,
                                const std::optional<Queue>& queue, Progress& progress) {
  const std::string &name_a = arguments.files[0], &name_b = arguments.files[1], &name_c = arguments.c_file;
  auto read = [&](const std::string& name) { return matrix_from_file<T>(name, r.layout, progress); };
  Operands<T> o{{}, read(name_a), read(name_b), {}};
  bool plain_a = r.opa == Op::none, plain_b = r.opb == Op::none;
  std::int64_t m = plain_a ? o.a.rows : o.a.columns, n = plain_b ? o.b.columns : o.b.rows;
  std::int64_t k_of_a = plain_a ? o.a.columns : o.a.rows, k_of_b = plain_b ? o.b.rows : o.b.columns;
  if (k_of_a != k_of_b) {
    throw error(errc::invalid_argument, size_of(name_a, o.a, r.opa) + ", " + size_of(name_b, o.b, r.opb) +
                                            ": op(A) has " + std::to_string(k_of_a) + " columns, op(B) " +
                                            std::to_string(k_of_b) + " rows; they must be equal");
  }
  r.m = m;
  r.n = n;
  r.k = k_of_a;
  std::vector<MatrixSize> sizes = {{"C (" + name_a + " times " + name_b + ")", m, n}};
  if (has_c) sizes.push_back({name_c, m, n});
  check_matrices_and_workspace<T>(sizes, queue, r);
  o.c = data::zero_matrix<T>(m, n, r.layout, "C");
  if (has_c) {
    o.c0 = read(name_c);
    if (o.c0.rows != m || o.c0.columns != n) {
      throw error(errc::invalid_argument, size_of("--c " + shown(name_c), o.c0, Op::none) + "; the product is " +
                                              std::to_string(m) + " x " + std::to_string(n));
    }
  }
  return o;
}

// Of all devices that compute; none on the CPU.
std::vector<Context> contexts_of(const std::optional<DeviceGroup>& group, const std::optional<Queue>& queue) {
  std::vector<Context> contexts;
  for (int i = 0; group && i < group->size(); ++i) contexts.push_back(group->queue(i).context());
  if (!group && queue) contexts.push_back(queue->context());
  return contexts;
}

template <class Result>
void print(const Result& result, const GemmArguments& arguments) {
  if (arguments.json) {
    print_json(std::cout, result);
  } else if (!arguments.quiet) {
    print_table(std::cout, result);
  }
}

template <class T>
int run(const GemmArguments& arguments, GemmRequest r) {
  T alpha = scalar<T>("--alpha", arguments.alpha), beta = scalar<T>("--beta", arguments.beta);
  bool has_c = !(beta == T(0)), from_files = !arguments.files.empty();
  if (from_files && has_c && arguments.c_file.empty()) {
    throw error(errc::invalid_argument, "--beta " + shown(arguments.beta) + " needs the matrix it scales: --c FILE");
  }
  if (!has_c && !arguments.c_file.empty()) {
    throw error(errc::invalid_argument, "--c " + shown(arguments.c_file) + " would not be read, as --beta is 0");
  }
  if (!arguments.output.empty()) data::check_writable(arguments.output);
#if HILO_HAS_DISTRIBUTED
  if constexpr (!std::same_as<data::real_of<T>, float>) {
    if (r.ranks) return gemm_on_ranks<T>(arguments, r, alpha, beta);
  }
#endif

  std::optional<Queue> queue;
  std::optional<DeviceGroup> group;
  if (r.devices) {
    group = open_devices(r.place, *r.devices);
    queue = group->queue(0);
  } else {
    queue = open_queue(r.place, Profiling::on);
  }
  prepare_programs(contexts_of(group, queue), arguments.programs);
  Progress progress(arguments.json || arguments.quiet);
  if (!from_files) check_matrices_and_workspace<T>(generated_sizes(r, has_c), queue, r);
  const Stopwatch making_operands;
  Operands<T> o = from_files ? operands_from_files<T>(arguments, r, has_c, queue, progress)
                             : generated_operands<T>(r, has_c, progress, "");
  const std::string& dump = arguments.programs.dump;
  if (!dump.empty()) r.repeat = 1, r.warmup = 0;  // what a product needs shows in one run
  const double seconds_operands = making_operands.seconds();
  const RunWatch watch = [&progress](std::int64_t done, std::int64_t all) {
    progress.at(static_cast<double>(done) / static_cast<double>(all),
                "multiplying: run " + std::to_string(done + 1) + " of " + std::to_string(all));
  };
  Timing timing =
      group ? time_product_on(*group, r, alpha, o, beta, watch) : time_product(queue, r, alpha, o, beta, watch);
  if (!dump.empty()) {
    const Dump written = write_programs(queue->context(), dump, timing.report.plan);
    progress.at("");
    print(written, arguments);
    return 0;
  }
  GemmResult result{timing.report, best(timing.kernel), best(timing.total), {}, {}, accuracy_name(r.options)};
  result.repeat = r.repeat;
  result.warmup = r.warmup;
  result.streams = timing.streams;
  if (queue) result.build_options = build_options(queue->context());
  result.loaded = arguments.programs.load;
  result.leads_with_total = arguments.leads_with_total;
  if (arguments.timing) {
    result.timing = TimeBreakdown{seconds_operands, timing.device, timing.kernel, timing.total};
  }
  if (r.verify != Verify::none) result.verification = verify(r, alpha, o, beta, timing.report.plan, progress);
  bool failed = result.verification && !result.verification->verified.value_or(true);
  if (!arguments.output.empty() && !failed) {
    matrix_to_file(arguments.output, o.c, progress);
    result.written = arguments.output;
  }
  progress.at("");
  print(result, arguments);
  if (failed) print_failure("the verification failed", output_paths({{"-o", arguments.output}}));
  return failed ? 1 : 0;
}

}  // namespace

void add_gemm_options(CLI::App& command, GemmArguments& a) {
  command.add_option("files", a.files, "A and B: .mtx (Matrix Market) or .npy (NumPy) files")->type_name("A B");
  command.add_option("-o", a.output, "Write C to a .mtx or .npy file")->type_name("FILE");
  command.add_option("--c", a.c_file, "The matrix that --beta scales")->type_name("FILE");
  command.add_option("-m", a.m, "Rows of op(A) and C, generated (default: n)")->type_name("SIZE");
  command.add_option("-n", a.n, "Columns of op(B) and C, generated")->type_name("SIZE");
  command.add_option("-k", a.k, "Columns of op(A), rows of op(B), generated (default: n)")->type_name("SIZE");
  command.add_option("-x,--heightA", a.height_a, "The same as -m")->type_name("SIZE");
  command.add_option("-y,--widthA", a.width_a, "The same as -k")->type_name("SIZE");
  command.add_option("-z,--widthB", a.width_b, "The same as -n")->type_name("SIZE");
  command.add_option("--alpha", a.alpha, "x, or re,im in a complex precision (default: 1)");
  command.add_option("--beta", a.beta, "x, or re,im in a complex precision (default: 0)");
  takes_word(command.add_option("--engine", a.engine), engine_words(), "", " (default: auto)");
  takes_value_of_flag(command.add_flag("-e{sample},--verify{sample}", a.verify,
                                       "Compare with MPFR: --verify, or --verify=full for all entries"),
                      {"sample", "full"});
  add_product_options(command, a);
  command.add_option("-i,--iterations", a.iterations, "The same as --repeat")
      ->type_name("NUMBER")
      ->excludes(command.get_option("--repeat"));
  command.add_option("--warmup", a.warmup, "Runs before the timed ones (default: " + a.warmup + ")")
      ->type_name("NUMBER");
  command.add_flag("-t,--timing", a.timing, "Tell what the time goes to");
  command.add_flag("--eAppGflops", a.leads_with_total, "Put the rate with transfers first");
  takes_word(command.add_option("--levels", a.levels), {"-1", "0", "1", "2"}, "",
             " levels of Strassen's algorithm in a modular product (default: -1, chosen by the plan)");
  command
      .add_option("--devices", a.devices,
                  "all, or a list of OpenCL devices of the platform, counted from 0, that share the product")
      ->type_name("LIST");
  command
      .add_option("--device-memory", a.device_memory,
                  "Most memory of a device that the product takes, as 512M or 8G (default: 0, what it has)")
      ->type_name("BYTES");
  add_program_options(command, a.programs);
  add_ranks_options(command, a.ranks, false);
  command.add_flag("-q,--quiet", a.quiet, "Print no table; --json still prints its object");
  command.set_version_flag("-v,--version", "hilo " HILO_VERSION, "Print the version");
  command.footer("Example: hilo gemm A.mtx B.mtx -o C.mtx --verify");
  reject_empty_words(command);
}

void add_product_options(CLI::App& command, GemmArguments& a) {
  takes_word(command.add_option("--init", a.init), generator_words(), "", " (default: uniform)");
  command.add_option("--seed", a.seed, "Of generated matrices: the same on every machine (default: 1)")
      ->type_name("NUMBER");
  takes_word(command.add_option("--precision", a.precision), precision_words(), "", " (default: dd)");
  takes_word(command.add_option("--transa", a.transa), {"N", "T", "C"}, "op(A): ", " (default: N)");
  takes_word(command.add_option("--transb", a.transb), {"N", "T", "C"}, "op(B): ", " (default: N)");
  takes_word(command.add_option("--layout", a.layout), layout_words(), "", " (default: column)");
  takes_word(command.add_option("--accuracy", a.accuracy), {"classic", "fast", "tight", "normwise", "exact", "bits:P"},
             "", " (default: classic)");
  takes_word(command.add_option("--fma", a.fma), fma_words(), "",
             ": fixes the bits; --engine reproducible has it on (default: auto)");
  command
      .add_option("--workspace", a.workspace,
                  "Most memory of a modular product, as 64K, 512M or 2G (default: 0, chosen by the plan)")
      ->type_name("BYTES");
  command
      .add_option("--depth", a.depth,
                  "Terms of k that a modular product multiplies at a time (default: 0, chosen by the plan)")
      ->type_name("NUMBER");
  takes_word(command.add_option("--complex", a.complex_product), {"four", "three"}, "",
             " real products (3M) for c and z on a device (default: four)");
  takes_word(command.add_option("--int8", a.int8), {"auto", "amx", "onednn", "plain"}, "",
             ": what multiplies bytes (default: auto)");
  add_place_options(command, a.place);
  command.add_option("--threads", a.threads, "CPU threads (default: 0, all)")->type_name("NUMBER");
  command.add_option("--repeat", a.repeat, "Timed runs, the best of which counts (default: " + a.repeat + ")")
      ->type_name("NUMBER");
  command.add_flag("--json", a.json, "Print one JSON object");
}

int run_gemm(const GemmArguments& arguments) {
  GemmRequest request = check_gemm(arguments);
  check_effects(arguments, {request});
#if HILO_HAS_DISTRIBUTED
  if (request.ranks) check_gemm_on_ranks(arguments, request);
#endif
  try {
    return with_type_of(request.precision, [&]<class T>(std::type_identity<T>) { return run<T>(arguments, request); });
  } catch (const error& e) {
    const std::string option = option_of_builds(arguments.programs);
    if (option.empty() || e.code() != errc::build_failure) throw;
    throw error(e.code(), option + ": " + e.what());
  }
}

}  // namespace hilo::cli
