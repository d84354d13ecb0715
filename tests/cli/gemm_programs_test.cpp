// `hilo gemm` with build options, and with kernels that are dumped and loaded.
#include <fstream>
#include <sstream>

#include "cli_program.hpp"
#include "opencl/disk_cache.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class KernelProgram : public Program {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "no OpenCL device";
  }

  // A product that the direct engine computes on the default device.
  static std::string product(const std::string& more) {
    return "-m 9 -n 7 -k 11 --engine direct --backend opencl " + more;
  }
  void dump(const std::string& name, const std::string& more = "") {
    const Outcome run = hilo(product("--dump " + name + ' ' + more));
    ASSERT_EQ(run.code, 0) << run.err;
  }
  bool exists(const std::string& name) { return std::filesystem::exists(folder.file(name)); }
};

TEST_F(KernelProgram, DumpedKernelsRunWithoutBeingCompiled) {
  const json dumped = hilo_json(product("--dump k.bin"));
  EXPECT_EQ(dumped["file"], "k.bin");
  EXPECT_EQ(dumped["bytes"], folder.read("k.bin").size());
  EXPECT_TRUE(dumped["build_options"].is_null());
  EXPECT_NE(dumped["plan"].get<std::string>().find("ddgemm NN 9 x 7 x 11, column layout engine direct"),
            std::string::npos);
  const std::string head = folder.read("k.bin").substr(0, 2000);
  for (const char* key : {"device", "driver", "version"}) {
    EXPECT_NE(head.find('\n' + std::string(key) + ' ' + dumped[key].get<std::string>() + '\n'), head.npos) << head;
  }
  // The cache of programs is off: what is not compiled comes from the file.
  const auto run = [&](const std::string& more) {
    const Outcome outcome = hilo(product(more) + " -t --json", "HILO_CACHE=0");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  };
  const json loaded = run("--load k.bin -o loaded.npy -e"), built = run("-o built.npy");
  EXPECT_EQ(loaded["loaded"], "k.bin");
  EXPECT_EQ(loaded["verified"], true);
  EXPECT_EQ(loaded["timing"]["programs"]["built"], 0);
  EXPECT_EQ(loaded["timing"]["programs"]["loaded"], built["timing"]["programs"]["built"]);
  EXPECT_GT(built["timing"]["programs"]["built"].get<int>(), 1);
  EXPECT_EQ(built["timing"]["programs"]["loaded"], 0);
  EXPECT_TRUE(built["loaded"].is_null());
  EXPECT_TRUE(built["build_options"].is_null());
  EXPECT_TRUE(folder.read("loaded.npy") == folder.read("built.npy"));
  // Others that need no more.
  const Outcome other = hilo(product("--load k.bin").replace(0, 4, "-m 12"));
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.out.find("\nloaded     k.bin\n"), other.out.npos) << other.out;
  const Outcome table = hilo(product("--dump again.bin"));
  EXPECT_TRUE(table.out.starts_with("kernels    of ddgemm NN, 9 x 7 x 11, column layout, engine direct\n"));
  EXPECT_NE(table.out.find("\nwritten    again.bin\n"), table.out.npos) << table.out;
  EXPECT_EQ(hilo(product("--dump quiet.bin -q")).out, "");
  EXPECT_EQ(folder.read("quiet.bin").size(), folder.read("k.bin").size());
}

// Nothing runs, and no file is written.
TEST_F(KernelProgram, RefusesFilesThatAreNotForThis) {
  dump("k.bin");
  const std::string good = folder.read("k.bin");
  const std::string load = product("-o c.npy --load bad.bin");
  for (const std::string& damaged : {good.substr(0, good.size() / 2), good + "x", good.substr(0, 100)}) {
    folder.write("bad.bin", damaged);
    expect_error(load, 2, "hilo: --load: bad.bin is damaged, or not all of a file of programs");
  }
  for (const char* other : {"", "%%MatrixMarket"}) {
    folder.write("bad.bin", other);
    expect_error(load, 2, "hilo: --load: bad.bin holds no programs of this format of hilo's");
  }
  expect_error(product("-o c.npy --load none.bin"), 2, "hilo: --load: none.bin: ");
  // Whole files, of another driver, hilo or device.
  const std::size_t start = good.find('\n', good.find('\n') + 1) + 1;
  for (const std::string field : {"driver", "version", "device"}) {
    std::string rest = good.substr(start);
    const std::size_t at = rest.find(field + ' '), end = rest.find('\n', at);
    rest.replace(at, end - at, field + " another");
    folder.write("bad.bin", "hilo programs 1\n" + opencl::fingerprint(rest) + '\n' + rest);
    expect_error(load, 2,
                 "hilo: --load: bad.bin is for other " + (field == "version" ? "hilo" : field) +
                     ": it has 'another', here is '");
  }
  // Other options, other kernels, and another product.
  expect_error(product("-o c.npy --load k.bin --build-options -DMY_NAME"), 2,
               "hilo: --load: k.bin is for other build options: it has none, here is '-DMY_NAME'");
  const std::string own = folder.file("own");
  std::filesystem::create_directories(own + "/direct");
  folder.write("own/direct/finish.cl", "// nothing\n");
  expect_error(product("-o c.npy --load k.bin"), 2, "hilo: --load: k.bin is for other kernels",
               "HILO_KERNEL_PATH='" + own + "'");
  expect_error(
      "-n 9 --engine direct --backend opencl --precision d -o c.npy --load k.bin", 4,
      "hilo: --load: the OpenCL program multiply is not in k.bin, from which all are to come; it holds those of: "
      "ddgemm NN, 9 x 7 x 11, column layout, engine direct\n");
  EXPECT_FALSE(exists("c.npy"));
}

TEST_F(KernelProgram, WritesAFileOfKernelsWholeOrNotAtAll) {
  expect_error(product("--dump none/k.bin"), 2, "hilo: --dump: none/k.bin: cannot be written");
  expect_error(product("--dump /dev/full"), 2, "hilo: --dump: /dev/full");
  folder.write("k.bin", "as it was");
  std::filesystem::create_directories(folder.file("own/direct"));
  folder.write("own/direct/pack_and_finish.cl", "nonsense\n");
  const Outcome broken = hilo(product("--dump k.bin"), "HILO_KERNEL_PATH='" + folder.file("own") + "'");
  EXPECT_EQ(broken.code, 4);
  EXPECT_NE(broken.err.find("program pack and finish does not build"), broken.err.npos) << broken.err;
  EXPECT_EQ(folder.read("k.bin"), "as it was");
  for (const char* option : {"-o c.npy", "-e", "-t", "--load k.bin"}) {
    expect_error(product(std::string("--dump k.bin ") + option), 2, "hilo: --dump k.bin and ");
  }
  EXPECT_EQ(hilo(product("--dump k.bin")).code, 0);
  EXPECT_TRUE(folder.read("k.bin").starts_with("hilo programs 1\n"));
}

TEST_F(KernelProgram, BuildOptionsReachTheCompiler) {
  const std::string product = "-m 9 -n 7 -k 11 --precision s --backend opencl ";  // the fewest kernels
  folder.write("flags.txt", "-cl-kernel-arg-info\n-D MY_NAME=3\n");
  const std::string options = "--flags flags.txt --build-options -DANOTHER_NAME ";
  const char* const all = "-cl-kernel-arg-info -DMY_NAME=3 -DANOTHER_NAME";
  const json r = hilo_json(product + options + "-e");
  EXPECT_EQ(r["build_options"], all);
  EXPECT_EQ(r["verified"], true);
  const Outcome table = hilo(product + options);
  EXPECT_NE(table.out.find("\noptions    " + std::string(all) + '\n'), table.out.npos) << table.out << table.err;
  // A kernel with a warning: an option makes it an error.
  std::ifstream text(HILO_KERNEL_FOLDER "/product/multiply.cl");
  std::ostringstream warned;
  warned << text.rdbuf() << "\n#warning MY_NAME is seen\n";
  std::filesystem::create_directories(folder.file("own/product"));
  folder.write("own/product/multiply.cl", warned.str());
  const std::string own = "HILO_KERNEL_PATH='" + folder.file("own") + "'";
  EXPECT_EQ(hilo(product, own).code, 0);
  const Outcome error = hilo(product + "--build-options -Werror", own);
  EXPECT_EQ(error.code, 4);
  EXPECT_NE(error.err.find("hilo: with --build-options -Werror: the OpenCL program "), error.err.npos) << error.err;
  EXPECT_NE(error.err.find("MY_NAME is seen"), error.err.npos) << error.err;
  expect_error(product + "--flags flags.txt", 2, "-DMY_NAME=3 is refused: hilo's kernels have that name", own);
}

// PoCL has as many devices as this says. What one of them compiles is in the cache afterwards.
TEST_F(KernelProgram, AreOfAllDevicesThatShareAProduct) {
  const std::string environment = "POCL_DEVICES='pthread pthread' HILO_CACHE=1 HILO_CACHE_DIR=";
  const std::string product = "-m 400 -n 300 -k 70 --engine modular --repeat 1 --warmup 0 --backend opencl ";
  const Outcome dumped = hilo(product + "--dump k.bin --json", environment + "dumped");
  ASSERT_EQ(dumped.code, 0) << dumped.err;
  const Outcome run = hilo(product + "--devices 0,1 --load k.bin --json", environment + "loaded");
  if (run.code == 3) GTEST_SKIP() << "one device";
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["panels"].size(), 2u) << run.out;
  EXPECT_FALSE(exists("loaded")) << "a device compiles for itself";
}

// One of NVIDIA's, for a driver that is not.
TEST_F(KernelProgram, NamesTheOptionThatADriverDoesNotKnow) {
  folder.write("flags.txt", "-cl-nv-verbose\n");
  for (const char* options : {"--build-options -cl-nv-verbose", "--flags flags.txt"}) {
    const Outcome run = hilo(product(options));
    if (run.code == 0) GTEST_SKIP() << "the driver knows it";
    EXPECT_EQ(run.code, 4);
    EXPECT_NE(run.err.find("hilo: with " + std::string(options) + ": the OpenCL program "), run.err.npos) << run.err;
    EXPECT_NE(run.err.find("-cl-nv-verbose", run.err.find("does not build")), run.err.npos) << run.err;
  }
}

TEST_F(KernelProgram, RefusesBuildOptionsThatChangeArithmetic) {
  expect_error(product("--build-options -cl-fast-relaxed-math"), 2,
               "hilo: --build-options: build option -cl-fast-relaxed-math is refused: it lets the compiler break IEEE");
  folder.write("flags.txt", "-g -cl-mad-enable");
  expect_error(product("--flags flags.txt"), 2, "hilo: --flags flags.txt: build option -cl-mad-enable is refused: ");
  expect_error(product("--flags none.txt"), 2, "hilo: --flags: none.txt: ");
  expect_error(product("--build-options ''"), 2, "--build-options: found nothing");
}

TEST_F(Program, KernelOptionsNeedADevice) {
  for (const char* option : {"--flags f", "--build-options -g", "--dump f", "--load f"}) {
    expect_error(
        std::string("-n 3 ") + option, 2,
        std::string("hilo: ") + option + " has no effect: it is for kernels on a device, and --backend is cpu");
  }
}

}  // namespace
}  // namespace hilo
