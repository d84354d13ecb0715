// Programs: built, kept in memory and on disk, and what happens where that fails.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <hilo/gemm.hpp>
#include <iterator>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "failing_call.hpp"
#include "opencl/disk_cache.hpp"
#include "opencl/embedded.hpp"
#include "opencl/native.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace hilo;
using Folder = test::TemporaryFolder;
using Variable = test::EnvironmentVariable;
namespace fs = std::filesystem;

const char* const tiny_kernel = "__kernel void tiny(__global int* x) { x[0] = 41 + 1; }\n";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int run_tiny(const Context& context) {
  // A new state each time: nothing from memory.
  auto fresh = std::make_shared<opencl::ContextState>(context.state()->context, context.state()->device);
  opencl::ProgramText text{"tiny", tiny_kernel, "-cl-std=CL1.2"};
  cl::Kernel kernel(fresh->programs.get(*fresh, text), "tiny");
  cl::Buffer out(fresh->context, CL_MEM_READ_WRITE, sizeof(cl_int));
  kernel.setArg(0, out);
  cl::CommandQueue queue(fresh->context, fresh->device);
  queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
  cl_int result = 0;
  queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof result, &result);
  return result;
}

std::vector<fs::path> files_in(const Folder& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder.file(""))) files.push_back(entry.path());
  return files;
}

TEST(OpenclProgram, IsWrittenToDiskAndReadAgain) {
  Folder cache;
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", cache.file("").c_str());
  Context context;
  EXPECT_EQ(run_tiny(context), 42);
  auto files = files_in(cache);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].extension(), ".bin");
  auto written = fs::last_write_time(files[0]);
  EXPECT_EQ(run_tiny(context), 42);
  EXPECT_EQ(fs::last_write_time(files[0]), written) << "built a second time";
}

TEST(OpenclProgram, IsBuiltAgainWhereItsCacheEntryIsBroken) {
  Folder cache;
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", cache.file("").c_str());
  Context context;
  EXPECT_EQ(run_tiny(context), 42);
  fs::path file = files_in(cache).at(0);
  const std::string good = content(file);
  std::string flipped = good, header = good;
  flipped[good.size() - 3] = static_cast<char>(flipped[good.size() - 3] ^ 4);
  header[3] = 'x';
  for (const std::string& broken : {std::string(), good.substr(0, 20), good.substr(0, good.size() / 2), flipped, header,
                                    std::string("\n\n\n\n"), good + "more"}) {
    cache.write(file.filename().string(), broken);
    EXPECT_EQ(run_tiny(context), 42);
    EXPECT_EQ(content(file).size(), good.size()) << "the broken entry was not replaced";
  }
  // Whole, but no program: the driver is the one to refuse it.
  std::string key = file.stem().string();
  opencl::store_binary(key, std::vector<unsigned char>(100, 'j'));
  EXPECT_EQ(run_tiny(context), 42);
  EXPECT_EQ(content(file).size(), good.size());
}

// Whole files, of the right key, that a driver takes.
TEST(OpenclProgram, IsBuiltAgainWhereTheCacheHoldsAnother) {
  Folder cache;
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", cache.file("").c_str());
  Context context;
  EXPECT_EQ(run_tiny(context), 42);
  const std::string key = files_in(cache).at(0).stem().string();
  const auto right = opencl::load_binary(key);
  opencl::ContextState& state = *context.state();
  const opencl::ProgramText other{"other", "__kernel void other(__global int* x) { x[0] = 1; }\n", "-cl-std=CL1.2"};
  const cl::Program program = state.programs.get(state, other);
  std::vector<unsigned char> of_other;
  for (const fs::path& file : files_in(cache)) {
    if (file.stem() != key) of_other = opencl::load_binary(file.stem().string());
  }
  const auto alone = program.getInfo<CL_PROGRAM_BINARIES>().at(0);
  std::vector<unsigned char> as_if_right(right.begin(), std::find(right.begin(), right.end(), '\n') + 1);
  as_if_right.insert(as_if_right.end(), alone.begin(), alone.end());
  for (const auto& wrong : {of_other, alone, as_if_right}) {
    ASSERT_FALSE(wrong.empty());
    opencl::store_binary(key, wrong);
    EXPECT_EQ(run_tiny(context), 42);
    EXPECT_EQ(opencl::load_binary(key), right) << "the wrong entry was not replaced";
  }
}

TEST(OpenclProgram, IsNotReadFromWhatIsNoFileOfTheUsers) {
  Folder cache;
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", cache.file("").c_str());
  Context context;
  EXPECT_EQ(run_tiny(context), 42);
  const fs::path file = files_in(cache).at(0);
  const std::string good = content(file);
  auto replace_by = [&](auto make) {
    fs::remove(file);
    make();
    EXPECT_EQ(opencl::load_binary(file.stem().string()).size(), 0u);
    EXPECT_EQ(run_tiny(context), 42);
    EXPECT_EQ(content(file).size(), good.size()) << "not replaced";
  };
  replace_by([&] { ASSERT_EQ(mkfifo(file.c_str(), 0600), 0); });
  replace_by([&] { fs::create_symlink("/dev/zero", file); });
  replace_by([&] {
    std::ofstream(file, std::ios::binary) << good;
    ASSERT_EQ(truncate(file.c_str(), off_t{1} << 40), 0);
  });
  if (geteuid() != 0) GTEST_SKIP() << "another user's files need root";
  constexpr uid_t another = 12345;
  replace_by([&] {
    std::ofstream(file, std::ios::binary) << good;
    ASSERT_EQ(chown(file.c_str(), another, another), 0);
  });
  EXPECT_NE(opencl::load_binary(file.stem().string()).size(), 0u);
  ASSERT_EQ(chown(cache.file("").c_str(), another, another), 0);
  EXPECT_EQ(opencl::load_binary(file.stem().string()).size(), 0u);
  EXPECT_EQ(run_tiny(context), 42);
}

TEST(OpenclProgram, IsKeptWhereOnlyTheUserReads) {
  Folder home;
  const std::string folder = home.file("a/b");
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", folder.c_str());
  EXPECT_EQ(run_tiny(Context()), 42);
  struct stat found;
  for (const std::string& made : {home.file("a"), folder}) {
    ASSERT_EQ(stat(made.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0700u) << made;
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    ASSERT_EQ(stat(entry.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0600u) << entry.path();
  }
}

// A build that fails once is no text that fails always.
TEST(OpenclProgram, SaysWhatItsBuildFailedForAndIsBuiltTheNextTime) {
  Variable off("HILO_CACHE", "0");
  Context context;
  opencl::ContextState& state = *context.state();
  const opencl::ProgramText text{"tiny", tiny_kernel, "-cl-std=CL1.2"};
  for (cl_int status : {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_BUILD_PROGRAM_FAILURE, -9999}) {
    test::FailingCall<&cl_icd_dispatch::clBuildProgram> failing(context.native_device(), status);
    const errc code = status == CL_OUT_OF_HOST_MEMORY ? errc::out_of_memory : errc::device_failure;
    const std::string message = message_of(code, [&] { state.programs.get(state, text); });
    expect_contains(message, {"program tiny", state.info.name, "clBuildProgram", std::to_string(status)});
  }
  EXPECT_NE(state.programs.get(state, text)(), nullptr);
}

TEST(OpenclProgram, IsBuiltWhereTheCacheCannotBeWritten) {
  Folder folder;
  folder.write("file", "not a folder");
  std::string inside = folder.file("file/cache");
  Variable on("HILO_CACHE", "1"), at("HILO_CACHE_DIR", inside.c_str());
  EXPECT_EQ(run_tiny(Context()), 42);
}

TEST(OpenclProgram, IsNotKeptOnDiskWhereTheCacheIsOff) {
  Folder cache;
  Variable at("HILO_CACHE_DIR", cache.file("").c_str());
  {
    Variable off("HILO_CACHE", "0");
    EXPECT_EQ(run_tiny(Context()), 42);
    EXPECT_TRUE(files_in(cache).empty());
  }
  Variable none("HILO_CACHE_DIR", "");
  EXPECT_FALSE(opencl::cache_folder());
}

// PoCL has a cache of its own.
TEST(OpenclProgram, IsKeptOnDiskUnlessTheDriverDoesSo) {
  Folder cache;
  Variable by_default("HILO_CACHE", nullptr), at("HILO_CACHE_DIR", cache.file("").c_str());
  const Context context;
  EXPECT_EQ(run_tiny(context), 42);
  const bool is_pocl = context.device().version.find("PoCL") != std::string::npos;
  EXPECT_EQ(files_in(cache).size(), is_pocl ? 0u : 1u);
}

TEST(OpenclProgram, FindsTheCacheFolder) {
  Variable on("HILO_CACHE", nullptr), none("HILO_CACHE_DIR", nullptr), home("HOME", "/h");
  {
    Variable xdg("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(opencl::cache_folder(), fs::path("/x/hilo"));
  }
  {
    Variable relative("XDG_CACHE_HOME", "x");
    EXPECT_EQ(opencl::cache_folder(), fs::path("/h/.cache/hilo"));
    Variable relative_home("HOME", "h");
    EXPECT_FALSE(opencl::cache_folder());
  }
  Variable xdg("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(opencl::cache_folder(), fs::path("/h/.cache/hilo"));
}

TEST(OpenclProgram, RefusesOptionsThatBreakIeeeArithmetic) {
  for (const char* option : {"-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"}) {
    try {
      opencl::program_text("p", "number/prelude.cl", option);
      ADD_FAILURE() << option;
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::invalid_argument);
      EXPECT_NE(std::string(e.what()).find(option), std::string::npos) << e.what();
    }
  }
}

TEST(OpenclProgram, CannotBeBuiltWithRelaxedMath) {
  Context context;
  auto text = opencl::program_text("p", "number/prelude.cl", "-DHILO_LANES=1 -DHILO_FMA=1");
  text.options += " -cl-fast-relaxed-math";
  try {
    context.state()->programs.get(*context.state(), text);
    ADD_FAILURE() << "built";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::build_failure);
    EXPECT_NE(std::string(e.what()).find("IEEE semantics"), std::string::npos) << e.what();
  }
}

void multiply_once(Queue& queue) {
  std::vector<dd_real> a(9, dd_real(2)), c(9, dd_real(-1));
  gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, c.data(), 3);
  EXPECT_EQ(c[4], dd_real(12));
}

TEST(OpenclProgram, NamesDeviceAndLogWhereAKernelDoesNotBuildAndTheNextCallWorks) {
  Queue queue{Context()};
  {
    Folder broken;
    // Which of the two computes a product of this size depends on the device.
    for (const char* file : {"product/multiply.cl", "direct/small_product.cl"}) {
      broken.write(file, "__kernel void multiply_panels() { nonsense = 1; }\n");
    }
    Variable path("HILO_KERNEL_PATH", broken.file("").c_str());
    std::vector<dd_real> a(9, dd_real(2)), c(9, dd_real(-1));
    try {
      gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 3, 3, 3, 1.0, a.data(), 3, a.data(), 3, 0.0, c.data(),
                    3);
      ADD_FAILURE() << "built";
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::build_failure);
      std::string message = e.what();
      EXPECT_NE(message.find(queue.context().device().name), std::string::npos) << message;
      EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
      EXPECT_TRUE(message.find("program multiply") != std::string::npos ||
                  message.find("program small product") != std::string::npos)
          << message;
    }
    for (dd_real x : c) EXPECT_EQ(x, dd_real(-1));
  }
  multiply_once(queue);
}

TEST(OpenclProgram, ReadsKernelsFromAFolderForDevelopment) {
  Folder folder;
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
  folder.write("number/lanes.cl", "// only this\n");
  EXPECT_NE(opencl::program_text("p", "number/lanes.cl", "").source.find("only this"), std::string::npos);
  EXPECT_NE(opencl::program_text("p", "number/prelude.cl", "").source.find("FP_CONTRACT"), std::string::npos);
  Variable nowhere("HILO_KERNEL_PATH", folder.file("missing").c_str());
  try {
    opencl::program_text("p", "number/prelude.cl", "");
    ADD_FAILURE() << "no error";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::io);
  }
}

TEST(OpenclProgram, EmbedsTheFilesByteByByte) {
  std::string all;
  for (std::size_t i = 0; i < opencl::embedded_file_count; ++i)
    all += std::string(opencl::embedded_files[i].name) + " ";
  for (const char* name : {"number/prelude.cl", "product/multiply.cl", "direct/finish.cl", "hilo/detail/eft.clh",
                           "hilo/detail/core.clh", "hilo/detail/step.clh"}) {
    EXPECT_NE(all.find(name), std::string::npos) << all;
  }
  for (const char* name : {"hilo/detail/eft.clh", "hilo/detail/core.clh"}) {
    for (const char& c : opencl::program_text("p", name, "").source) ASSERT_EQ(c & 0x80, 0);
  }
}

}  // namespace
