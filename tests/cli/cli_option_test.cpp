// The words of the command line: help, what is taken, and what is refused by which message.
#include <sstream>

#include "cli_program.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

const char* const two_by_two = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";

// In 80 columns, with no word broken: each line of a description continues in the same column.
TEST_F(Program, HelpFitsATerminal) {
  for (const char* command : {"", "gemm", "solve", "eig", "svd", "bench", "accuracy", "model", "report", "tune", "info",
                              "completion", "man"}) {
    const Outcome run = hilo(std::string(command) + " --help");
    EXPECT_EQ(run.code, 0);
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
  const Outcome alone = hilo("");
  EXPECT_EQ(alone.code, 0);
  EXPECT_EQ(alone.err, "");
  EXPECT_EQ(alone.out, hilo("--help").out);
  const std::string gemm = hilo("gemm --help").out;
  for (const char* words : {"\nUsage: hilo gemm [OPTIONS] [A B]\n",
                            "\n  --workspace BYTES     Most memory of a modular product, as 64K, 512M or 2G\n"
                            "                        (default: 0, chosen by the plan)\n",
                            "\n  --threads NUMBER      CPU threads (default: 0, all)\n"}) {
    EXPECT_NE(gemm.find(words), std::string::npos) << words << " in\n" << gemm;
  }
  const std::string bench = hilo("bench --help").out;
  EXPECT_NE(bench.find("\n  --repeat NUMBER       Timed runs, at least (default: 5)\n"), std::string::npos) << bench;
}

TEST_F(Program, ValuesInUpperAndLowerCase) {
  const json r = hilo_json(
      "-n 8 --precision ZDD --transa n --transb c --layout ROW --engine Modular --accuracy BITS:99 --init Range:2");
  EXPECT_EQ(r["precision"], "zdd");
  EXPECT_EQ(r["transb"], "C");
  EXPECT_EQ(r["layout"], "row");
  EXPECT_EQ(r["accuracy"], "bits:99");
  EXPECT_EQ(hilo_json("-n 3 --precision DD --backend CPU --fma OFF --int8 Plain")["precision"], "dd");
}

// A terminal is not written to by what someone gives the program.
TEST_F(Program, MessagesShowValuesEscapedAndCut) {
  expect_error("-n 3 --precision \"$(printf 'q\\033[31m\\nq\\377größe')\"", 2,
               "--precision 'q\\x1b[31m\\nq\\xffgröße' is none of");
  expect_error("\"$(printf 'a\\033b.mtx')\" c.mtx", 2, "a\\x1bb.mtx: cannot be opened");
  const std::string digits(100000, '7');
  const std::string cut = std::string(60, '7') + "… (100000 characters)";
  folder.write("long", digits);
  for (const char* option : {"-n", "--depth", "--workspace", "--seed"}) {
    expect_error("-m 3 " + std::string(option) + " $(cat long)" + (option == std::string("-n") ? "" : " -n 3"), 2,
                 std::string(option) + ' ' + cut + " does not fit");
  }
  for (const char* option : {"--precision", "--transa", "--accuracy", "--int8"}) {
    expect_error("-n 3 " + std::string(option) + " $(cat long)", 2, std::string(option) + " '" + cut + "' is none of");
  }
  for (const char* arguments : {"--$(cat long)", "bench $(cat long)", "$(cat long).mtx a.mtx", "-n 3 -o $(cat long)"}) {
    const Outcome run = hilo(arguments);
    EXPECT_EQ(run.code, 2);
    EXPECT_LT(run.err.size(), 1100u) << arguments;
  }
}

TEST_F(Program, CallsTheCpuByItsName) {
  const json info = json::parse(hilo("info --json").out);
  const std::string product = hilo("-n 4 --engine direct").out, text = hilo("info").out;
  if (!info["cpu"].is_null()) {
    EXPECT_NE(product.find("backend    cpu: " + info["cpu"].get<std::string>() + ", "), std::string::npos) << product;
    EXPECT_NE(text.find("CPU         " + info["cpu"].get<std::string>() + '\n'), std::string::npos) << text;
  }
  for (const std::string& shown : {product, text}) EXPECT_EQ(shown.find("AVX3"), std::string::npos) << shown;
}

TEST_F(Program, CommandsThatAreNone) {
  for (const char* word : {"foo", "Gemm", "benhc"}) {
    for (const char* rest : {"", " -n 3", " a.mtx"}) {
      expect_error(
          word + std::string(rest), 2,
          std::string("'") + word +
              "' is no command (gemm, solve, eig, svd, bench, accuracy, model, report, tune, info, completion, man, "
              "help) and no matrix file");
    }
  }
  folder.write("matrix", two_by_two);
  expect_error("matrix", 2, "found 1 matrix file, 'matrix'; a product takes two");
  expect_error("none.npy", 2, "found 1 matrix file, 'none.npy'; a product takes two");
  for (const char* command : {"", "gemm", "solve", "eig", "svd", "bench", "info"}) {
    const Outcome help = hilo(std::string("help ") + command);
    EXPECT_EQ(help.code, 0) << help.err;
    EXPECT_EQ(help.out, hilo(std::string(command) + " --help").out);
  }
  expect_error("help foo", 2, "'foo' is no command");
  folder.write("a.mtx", two_by_two);
  for (const char* product : {"gemm -n 3 ", "-n 3 ", "a.mtx a.mtx "}) {
    for (const std::string value : {"full", "sample"}) {
      expect_error(product + ("--verify " + value), 2,
                   "'" + value + "' is no matrix file; a value of --verify stands behind '=': --verify=" + value);
    }
  }
}

TEST_F(Program, OptionsOfOtherCommands) {
  for (const std::string command :
       {"gemm", "solve", "eig", "svd", "bench", "accuracy", "model", "report", "tune", "info", "completion", "man"}) {
    expect_error(command + " --bogus", 2,
                 "hilo: " + command + " does not take '--bogus' (see hilo " + command + " --help)");
  }
  expect_error("-n 3 --bogus", 2, "hilo: gemm does not take '--bogus' (see hilo gemm --help)");
  expect_error("-n", 2, "-n: 1 required SIZE missing (see hilo gemm --help)");
  for (const char* option : {"-m", "-n", "-k"}) {
    expect_error(std::string("bench ") + option + " 5", 2,
                 std::string("hilo: bench does not take '") + option +
                     "'; its sizes are those of --sizes and --shapes (see hilo bench --help)");
  }
}

// Also where the library finds what is wrong, which knows no options.
TEST_F(Program, OptionsByTheirNames) {
  for (const char* command : {"-n 3", "bench --sizes 3", "accuracy"}) {
    expect_error(std::string(command) + " --threads 99999999", 2, "hilo: --threads 99999999 is more than 1024");
  }
  expect_error("-n 3 --engine modular --workspace 1", 2, "hilo: --workspace 1 is less than ");
  for (const char* command : {"-n 3", "bench --sizes 3"}) {
    for (const char* accuracy : {"tight", "normwise", "exact"}) {
      expect_error(
          std::string(command) + " --engine direct --accuracy " + accuracy, 2,
          std::string("hilo: --accuracy ") + accuracy + " is not one of engine direct's, which has classic and fast");
    }
    expect_error(std::string(command) + " --engine modular --precision s", 2,
                 "hilo: --precision s has no modular engine, nor the accuracies that take it; d, z, dd and zdd have");
    expect_error(std::string(command) + " --init range:101", 2, "hilo: --init 'range:101' is none of");
  }
  if (!has_device()) return;
  for (const char* command : {"-n 3", "bench --sizes 3", "tune"}) {
    expect_error(std::string(command) + " -p 99", 3, "hilo: -p: no OpenCL platform number 99");
    expect_error(std::string(command) + " -d 99", 3, "hilo: -d: no OpenCL device number 99 on platform 0");
  }
}

TEST_F(Program, OptionsWithoutEffect) {
  for (const char* option : {"--workspace 64K", "--depth 64", "--int8 plain"}) {
    const std::string told = std::string("hilo: ") + option + " has no effect: it is for modular products";
    const std::string on_cpu = option == std::string("--int8 plain") ? " on the CPU" : "";
    expect_error(std::string("-n 3 --engine direct ") + option, 2, told + on_cpu + ", and --engine is direct");
    expect_error(std::string("-n 3 --precision c ") + option, 2, told + on_cpu + ", and --precision c has none");
    expect_error(std::string("bench --sizes 3 --engine direct ") + option, 2, told);
    expect_error(std::string("bench --sizes 3 --precision s ") + option, 2, told);
  }
  for (const char* engine : {"auto", "modular", "reproducible"}) {
    const Outcome run = hilo(std::string("-n 3 --workspace 1G --depth 64 --int8 plain --engine ") + engine);
    EXPECT_EQ(run.code, 0) << run.err;
  }
  EXPECT_EQ(hilo("bench --sizes 3 --repeat 1 --depth 64").code, 0);  // for one of its engines
  const std::string levels = "--levels 2 has no effect: it is for modular products, and --engine is direct";
  expect_error("-n 3 --engine direct --levels 2", 2, levels);
  expect_error("-n 3 --backend opencl --engine direct --levels 2", 2, levels);
  EXPECT_EQ(hilo("-n 3 --engine modular --levels 2").code, 0);
  expect_error("-n 3 --levels 3", 2, "--levels 3 is more than 2");
  EXPECT_EQ(hilo("-n 3 --engine direct --levels -1").code, 0);
  EXPECT_EQ(hilo("-n 3 --engine direct --levels 0").code, 0);
  EXPECT_EQ(hilo("-n 3 --engine direct --workspace 0 --depth 0 --int8 auto --complex four").code, 0);
  expect_error("-n 3 --backend opencl --int8 plain", 2, "modular products on the CPU, and --backend is opencl");
  const std::string three = "--complex three has no effect: it is for direct products in c and z on a device, and ";
  expect_error("-n 3 --complex three", 2, three + "--precision is dd");
  expect_error("bench --sizes 3 --complex three", 2, three + "--precision is dd");
  expect_error("-n 3 --precision z --complex three", 2, three + "--backend is cpu");
  const std::string on_device = "-n 3 --precision z --backend opencl --complex three ";
  expect_error(on_device + "--engine modular", 2, three + "--engine is modular");
  expect_error(on_device + "--accuracy tight", 2, three + "--accuracy tight takes the modular engine");
}

TEST_F(Program, ComplexScalars) {
  for (const char* value : {"1,2", "1, 2", "'(1,2)'", "-1", "'(3)'", "1e3,-.5"}) {
    const std::string alpha = std::string("--alpha=") + (value == std::string("1, 2") ? "'1, 2'" : value);
    EXPECT_EQ(hilo("-n 2 --repeat 1 --precision zdd " + alpha).code, 0) << value;
  }
  for (const std::string value : {"(1,2", "1,2)", "1,2,3", "(1,2,3)", "(1", "1)", "(", ",,"}) {
    expect_error("-n 3 --precision zdd --alpha '" + value + "'", 2,
                 "--alpha: '" + value + "' is not a number: expected re,im or (re,im)");
  }
  expect_error("-n 3 --precision c --beta '(1,x)'", 2,
               "--beta: 'x' is not a number in '(1,x)': expected re,im or (re,im)");
  expect_error("-n 3 --precision z --alpha '1,'", 2, "--alpha: a number is missing in '1,': expected re,im or (re,im)");
  expect_error("-n 3 --precision z --alpha '()'", 2, "--alpha: a number is missing");
  for (const char* precision : {"s", "d", "dd"}) {
    expect_error(std::string("-n 3 --alpha 1,2 --precision ") + precision, 2,
                 "--alpha: '1,2' is not a number: the decimal point is '.', not ','; "
                 "re,im needs a complex precision (c, z or zdd)");
    expect_error(std::string("-n 3 --beta '(1,2)' --precision ") + precision, 2,
                 "re,im needs a complex precision (c, z or zdd)");
  }
}

TEST_F(Program, WrongOptions) {
  folder.write("a.mtx", two_by_two);
  expect_error("gemm", 2, "give two matrix files, or -n");
  expect_error("gemm --bogus", 2, "--bogus");
  expect_error("-n x", 2, "-n 'x' is not an integer");
  expect_error("-n 3.5", 2, "-n '3.5' is not an integer");
  expect_error("-n 99999999999999999999", 2, "-n 99999999999999999999 does not fit 64 bits");
  expect_error("-n -3", 2, "-n -3 is less than 0");
  expect_error("-n 3 -k -1", 2, "-k -1 is less than 0");
  expect_error("-m 3", 2, "give two matrix files, or -n");
  expect_error("-n 3000000000 --precision d", 2, "do not fit 64 bits");
  expect_error("-n 10000000", 4, "no memory for A of 10000000 x 10000000, B of ");  // before they are made
  expect_error("-n 3 --init normal", 2, "hilo: --init 'normal' is none of uniform, positive, range:PHI");
  expect_error("-n 3 --init range:-1", 2, "'range:-1'");
  expect_error("-n 3 --init Range:20 --precision s", 2,
               "hilo: --init Range:20: with --precision s, PHI is from 0 to 14");
  expect_error("-n 3 --precision q", 2, "--precision 'q' is none of s, d, c, z, dd, zdd");
  expect_error("-n 3 --transa H", 2, "--transa 'H' is none of N, T, C");
  expect_error("-n 3 --layout both", 2, "--layout 'both' is none of column, row");
  expect_error("-n 3 --engine fast", 2, "--engine 'fast' is none of auto, direct, modular, reproducible");
  for (const char* accuracy : {"best", "bits"}) {
    expect_error(std::string("-n 3 --accuracy ") + accuracy, 2,
                 std::string("'") + accuracy + "' is none of classic, fast, tight, normwise, exact, bits:P");
  }
  for (const char* bits : {"", "P", "0", "166", "1000", "-1", "+5", "5x", "5.0", " 5", "99999999999999999999"}) {
    expect_error(
        std::string("-n 3 --accuracy 'bits:") + bits + "'", 2,
        std::string("--accuracy 'bits:") + bits + "': the bits of a scaled entry are an integer from 1 to 165");
  }
  for (const char* bytes : {"x", "-1", "1.5G", "64k", "64KB", "K", "5 M"}) {
    expect_error(std::string("-n 3 --workspace '") + bytes + "'", 2,
                 std::string("--workspace '") + bytes + "' is not a number of bytes, such as");
  }
  expect_error("-n 3 --workspace 9999999999G", 2, "--workspace 9999999999G does not fit 64 bits");
  expect_error("-n 3 --workspace 99999999999999999999", 2, "does not fit 64 bits");
  expect_error("-n 3 --depth -1", 2, "--depth -1 is less than 0");
  expect_error("-n 3 --depth 65537", 2, "--depth 65537 is more than 65536");
  expect_error("-n 3 --depth x", 2, "--depth 'x' is not an integer of at least 0");
  expect_error("-n 3 --int8 mkl", 2, "--int8 'mkl' is none of auto, amx, onednn, plain");
  expect_error("-n 3 --fma maybe", 2, "--fma 'maybe' is none of auto, on, off");
  expect_error("-n 3 --backend cuda", 2, "--backend 'cuda' is none of cpu, opencl");
  expect_error("-n 3 --backend cpu -d 0", 2, "--backend is cpu");
  expect_error("-n 3 --verify=all", 2, "--verify 'all' is none of sample, full");
  expect_error("-n 3 --threads -1", 2, "--threads -1 is less than 0");
  expect_error("-n 3 --seed -1", 2, "--seed '-1' is not an integer of at least 0");
  expect_error("-n 3 -d x", 2, "-d 'x' is not an integer");
  expect_error("-n 3 --repeat 0", 2, "--repeat 0 is less than 1");
  expect_error("-n 3 --alpha 1,5", 2, "--alpha: '1,5' is not a number: the decimal point is '.', not ','");
  expect_error("-n 3 --beta nan", 2, "--beta: 'nan' is not a finite number");
  expect_error("-n 3 --precision z --alpha 1,", 2, "--alpha: a number is missing");
  expect_error("a.mtx", 2, "found 1 matrix file, 'a.mtx'; a product takes two");
  expect_error("a.mtx a.mtx b.mtx", 2, "found 3 matrix files, the last 'b.mtx'; a product takes two");
  expect_error("a.mtx a.mtx -n 2", 2, "-m, -n and -k are for generated matrices");
  expect_error("a.mtx a.mtx --init hilbert", 2, "--init and --seed are for generated matrices");
  expect_error("a.mtx a.mtx --seed 2", 2, "--init and --seed are for generated matrices");
  for (const char* option : {"-o", "--c", "-m", "--seed", "--platformId", "--backend", "--alpha"}) {
    expect_error(std::string("-n 2 ") + option + " ''", 2, std::string(option) + ": found nothing");
  }
  expect_error("a.mtx a.mtx --beta 2", 2, "--beta 2 needs the matrix it scales");
  expect_error("a.mtx a.mtx --c a.mtx", 2, "--c a.mtx would not be read, as --beta is 0");
  expect_error("-n 2 --c a.mtx --beta 1", 2, "--c 'a.mtx' is for products of files");
  EXPECT_EQ(hilo("a.mtx a.mtx").code, 0);  // and the next call works
}

}  // namespace
}  // namespace hilo
