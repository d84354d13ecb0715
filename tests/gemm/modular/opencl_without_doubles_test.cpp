// Devices without double precision: what modular products run there holds no arithmetic in double, in no program, and
// their bits are the CPU's. The device is the one at hand, disguised.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "opencl/native.hpp"
#include "opencl_modular.hpp"
#include "temporary_folder.hpp"

namespace hilo::test {
namespace {

// A queue on a context of its own that says that its device has no double precision.
class WithoutDoubles {
 public:
  WithoutDoubles() {
    const auto context = hilo::queue().context().state();
    state_ = std::make_shared<opencl::ContextState>(cl::Context(context->device), context->device);
    state_->info.fp64 = false;
    queue_ = std::make_unique<Queue>(Context(state_));
  }

  Queue& queue() { return *queue_; }
  std::vector<opencl::ProgramStore::Made> programs() const { return state_->programs.made(); }

 private:
  std::shared_ptr<opencl::ContextState> state_;
  std::unique_ptr<Queue> queue_;
};

// What clang makes of a program for a device without double precision: LLVM's text, or its complaint and a `double`.
std::string compiled(const std::string& source, const std::string& options) {
  const TemporaryFolder folder;
  const std::string in = folder.write("program.cl", source), out = folder.file("program.ll"), log = folder.file("log");
  const std::string command = std::string(HILO_CLANG) + " -x cl -target spir64 -Xclang -finclude-default-header " +
                              "-Xclang -cl-ext=-cl_khr_fp64 -Werror -O1 -S -emit-llvm " + options + " -o " + out + ' ' +
                              in + " 2> " + log;
  if (std::system(command.c_str()) != 0) return "no double is compiled:\n" + folder.read("log");
  return folder.read("program.ll");
}

// No word of the text is of 64-bit floating point.
void expect_no_doubles(const std::string& text, const char* word, const std::string& what) {
  const std::size_t at = text.find(word);
  EXPECT_EQ(at, std::string::npos) << what << ":\n" << text.substr(at == std::string::npos ? 0 : at, 400);
}

// Where the driver's binaries are NVIDIA's assembler, they are the programs that run; elsewhere clang compiles their
// text as for a device that lacks the extension.
void expect_no_doubles(const std::vector<opencl::ProgramStore::Made>& programs) {
  ASSERT_FALSE(programs.empty());
  for (const auto& [text, program] : programs) {
    const std::string what = text.name + " with " + text.options;
    const std::vector<std::vector<unsigned char>> binaries = program.getInfo<CL_PROGRAM_BINARIES>();
    const std::string binary(binaries.at(0).begin(), binaries.at(0).end());
    if (binary.find(".target sm_") != std::string::npos) {
      expect_no_doubles(binary, ".f64", what);
    } else if (!*HILO_CLANG) {
      GTEST_SKIP() << "no clang to compile without double precision";
    } else {
      expect_no_doubles(compiled(text.source, text.options), "double", what);
    }
    expect_no_doubles(text.source, "cl_khr_fp64", what);
  }
}

// HILO_LONG_TESTS=1 takes every path and accuracy in every precision.
template <class T>
bool is_taken(const std::string& product) {
  if (is_long() || product == "classic") return true;
  return std::same_as<T, dd_real> && (product == "classic, balanced" || product == "exact");
}

template <class T>
class OpenclWithoutDoubles : public testing::Test {};
TYPED_TEST_SUITE(OpenclWithoutDoubles, Precisions, PrecisionName);

TYPED_TEST(OpenclWithoutDoubles, AreServedByIntegersAlone) {
  using T = TypeParam;
  WithoutDoubles device;
  for (const NamedProduct<T>& x : modular_products<T>()) {
    if (!is_taken<T>(x.name)) continue;
    Problem<T> p = x.problem;
    p.alpha = T(1), p.beta = T(0);
    GemmReport want{}, got{};
    const std::vector<T> expected = p.multiply(on_cpu<T>(x.options), &want);
    if (want.entries_direct) continue;
    EXPECT_EQ(first_difference(multiply_from_host(device.queue(), p, x.options, &got), expected), -1) << x.name;
    expect_same_report(got, want, x.name);
  }
  expect_no_doubles(device.programs());
}

// What cannot be done in integers says so, before C is touched.
TYPED_TEST(OpenclWithoutDoubles, RefuseWhatNeedsThem) {
  using T = TypeParam;
  WithoutDoubles device;
  auto scaled_problem = generated<T>(uniform_kind, 5, 6, 7, 1);
  set_scalars(scaled_problem);
  for (const Problem<T>& p : {scaled_problem, guarded_problem<T>(64, 66, 60, 4)}) {
    const std::string message =
        message_of(errc::unsupported, [&] { multiply_from_host(device.queue(), p, {.engine = Engine::modular}); });
    EXPECT_NE(message.find("has no double precision (cl_khr_fp64), which"), std::string::npos) << message;
  }
  expect_no_doubles(device.programs());
}

}  // namespace
}  // namespace hilo::test
