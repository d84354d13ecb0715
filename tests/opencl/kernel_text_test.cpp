// Texts of kernels: what they include is found, each of them compiles alone, by its parameters' defaults.
#include "opencl/kernel_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "opencl/embedded.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "temporary_folder.hpp"

namespace hilo::test {
namespace {

std::vector<std::string> embedded_paths(std::string_view ending) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < opencl::embedded_file_count; ++i) {
    const std::string path = opencl::embedded_files[i].name;
    if (path.ends_with(ending)) paths.push_back(path);
  }
  return paths;
}

// Texts of NVIDIA's instructions, with those that include them.
bool is_for_nvidia(std::string_view path) {
  for (std::string_view text :
       {"product/bulk_copy.cl", "product/matrix_unit.cl", "bytes/nvidia.cl", "bytes/mma.cl", "bytes/wgmma.cl",
        "modular/warp_nvidia.cl", "modular/chunks.cl", "modular/residues_mma.cl", "modular/factors_mma.cl",
        "modular/factors_mma_twice.cl", "modular/rebuild_mma.cl", "modular/rebuild_mma_added.cl",
        "modular/rebuild_mma_scaled.cl", "probe/issue_rate_mma.cl"}) {
    if (path == text) return true;
  }
  return false;
}

// What the device's compiler says of a text that it does not take.
std::string complaint(const cl::Context& context, const cl::Device& device, const std::string& source,
                      const char* options) {
  cl::Program program(context, source);
  if (clBuildProgram(program(), 1, &device(), options, nullptr, nullptr) == CL_SUCCESS) return "";
  return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device) + "does not build";
}

std::string complaint_of_clang(const std::string& source, const std::string& options) {
  const TemporaryFolder folder;
  const std::string in = folder.write("text.cl", source), log = folder.file("log");
  const std::string command = std::string(HILO_CLANG) + " -x cl -cl-std=CL1.2 -target nvptx64 -fgnu-keywords -Xclang " +
                              "-finclude-default-header -fsyntax-only -Werror " + options + ' ' + in + " 2> " + log;
  return std::system(command.c_str()) == 0 ? "" : folder.read("log") + "does not compile";
}

class KernelText : public testing::Test {
 protected:
  KernelText() : path_("HILO_KERNEL_PATH", folder.file("").c_str()) {}

  TemporaryFolder folder;

 private:
  EnvironmentVariable path_;
};

TEST_F(KernelText, FindsAllThatAnyTextIncludes) {
  for (const char* ending : {".cl", ".clh"}) {
    ASSERT_FALSE(embedded_paths(ending).empty());
    for (const std::string& path : embedded_paths(ending)) {
      const std::string text = opencl::kernel_text(path);
      EXPECT_EQ(text.find("\n#include"), std::string::npos) << path;
      EXPECT_EQ(text.find("#pragma once"), std::string::npos) << path;
    }
  }
}

TEST_F(KernelText, OfEachRoomCompilesAlone) {
  const auto context = queue().context().state();
  if (!context->info.fp64) GTEST_SKIP() << "defaults take double precision";
  for (const std::string& path : embedded_paths(".cl")) {
    if (is_for_nvidia(path)) continue;
    EXPECT_EQ(complaint(context->context, context->device, opencl::kernel_text(path), "-cl-std=CL1.2"), "") << path;
  }
}

// All texts, also those of NVIDIA's instructions, which only NVIDIA's devices have. A compiler's warnings reach the
// terminal of who runs a program.
TEST_F(KernelText, WarnsOfNothing) {
  // The programs may be on another machine than the one that built them.
  if (!std::filesystem::exists(HILO_CLANG)) GTEST_SKIP() << "no clang";
  for (const std::string& path : embedded_paths(".cl")) {
    const std::string text = opencl::kernel_text(path);
    // Products of which all or only a triangle is wanted, of two matrices or of one, products of blocks, and sum tests.
    std::set<std::string> all_options = {""};
    for (const auto& macros : {std::vector{"FOR_BOTH"},
                               {"STEPPED"},
                               {"SUM_TEST"},
                               {"STAIRS", "TRIANGLE", "FOR_BOTH"},
                               {"STAIRS", "SUM_TEST"}}) {
      if (macros.size() > 1 && !is_for_nvidia(path)) continue;
      std::string options;
      for (const std::string macro : macros) {
        if (text.find(macro) != text.npos) options += "-D" + macro + "=1 ";
      }
      all_options.insert(options);
    }
    if (path == "bytes/wgmma.cl") {  // panels that stay
      for (const char* more : {"", " -DSTAIRS=1"})
        all_options.insert(std::string("-DTILE_COLUMNS=256 -DKEEPS=1") + more);
    }
    for (const std::string& options : all_options) {
      EXPECT_EQ(complaint_of_clang(text, options), "") << path << ' ' << options;
    }
  }
}

TEST_F(KernelText, RefusesParametersOutOfRange) {
  const auto context = queue().context().state();
  for (const char* option : {"-DDEPTH=0", "-DDEPTH=129", "-DSTAGES=9", "-DROW_RUN=3", "-DIS_COMPLEX=2"}) {
    const std::string text = opencl::kernel_text("product/multiply.cl");
    EXPECT_NE(complaint(context->context, context->device, text, option).find("hilo: "), std::string::npos) << option;
  }
}

TEST_F(KernelText, NamesAnUnknownIncludeAndWhoWantsIt) {
  folder.write("direct/finish.cl", "\n#include \"number/nothing.cl\"\n");
  const std::string message = message_of(errc::io, [] { opencl::kernel_text("direct/pack_and_finish.cl"); });
  expect_contains(message, {"number/nothing.cl", "direct/finish.cl includes"});
  EXPECT_NE(message_of(errc::io, [] { opencl::kernel_text("nowhere.cl"); }).find("nowhere.cl"), std::string::npos);
}

// An include in a condition that does not hold is none, one that is repeated is one, and one of itself is none.
TEST_F(KernelText, IncludesOnceWhatTheCompilerComesTo) {
  folder.write("once.cl", "#pragma once\n#include \"once.cl\"\n__kernel void once(__global int* x) { *x = 1; }\n");
  folder.write("other.cl", "#if NEVER\n#include \"once.cl\"\n#endif\n#include \"twice.cl\"\n#include \"once.cl\"\n");
  folder.write("twice.cl", "#ifndef NEVER\n#include \"once.cl\"\n#endif\n");
  for (const char* root : {"other.cl", "twice.cl"}) {
    const auto context = queue().context().state();
    cl::Program program(context->context, opencl::kernel_text(root));
    ASSERT_EQ(clBuildProgram(program(), 1, &context->device(), "", nullptr, nullptr), CL_SUCCESS) << root;
    EXPECT_EQ(program.getInfo<CL_PROGRAM_KERNEL_NAMES>(), "once") << root;
  }
}

}  // namespace
}  // namespace hilo::test
