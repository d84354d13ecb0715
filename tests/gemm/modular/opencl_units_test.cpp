// The ladder of units that multiply bytes: the best one that a device has and that passes its self-test is found, once,
// and where one fails the next takes its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <thread>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "failing_call.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "opencl/disk_cache.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace hilo;
using namespace hilo::modular;
using test::embedded_kernel;
using test::replaced;
using Folder = test::TemporaryFolder;
using Variable = test::EnvironmentVariable;

opencl::ContextState& state() {
  // Never destroyed: a runtime's own statics may be gone by then.
  static Context& context = *new Context();
  return *context.state();
}

ByteFeatures features() { return byte_features(state()); }

std::string kernel_of(ByteUnit unit) {
  return std::array{"bytes/wgmma.cl", "bytes/mma.cl", "bytes/dot.cl", "bytes/plain.cl"}[static_cast<std::size_t>(unit)];
}

// What find_units says with the file replaced.
std::vector<UnitFinding> findings_with(const std::string& file, const std::string& text) {
  Folder folder;
  folder.write(file, text);
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
  return find_units(state());
}

class OpenclUnits : public testing::Test {
 protected:
  Folder cache_;
  Variable on_{"HILO_CACHE", nullptr}, at_{"HILO_CACHE_DIR", cache_.file("").c_str()}, any_{"HILO_INT8_UNIT", nullptr};
};

TEST_F(OpenclUnits, AreFoundDownToTheFirstThatCanBeUsed) {
  auto findings = find_units(state());
  ASSERT_FALSE(findings.empty());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(findings[i].unit, static_cast<ByteUnit>(i));
    EXPECT_EQ(findings[i].obstacle.empty(), i + 1 == findings.size()) << findings[i].obstacle;
  }
  EXPECT_EQ(byte_unit(state()), findings.back().unit);
}

TEST_F(OpenclUnits, AreNotUsedWhereTheirBytesAreWrong) {
  const ByteUnit best = byte_unit(state());
  const std::string file = kernel_of(best), good = embedded_kernel(file);
  for (const std::string& bad :
       {replaced(good, "modulus[", "2 + modulus["), replaced(good, "if (p.accumulates)", "if (false)"),
        std::string("nonsense;\n"), replaced(good, "multiply_bytes", "multiply_others")}) {
    const auto findings = findings_with(file, bad);
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const auto& f) { return f.unit == best; });
    ASSERT_NE(at, findings.end());
    EXPECT_NE(at->obstacle, "") << bad.substr(0, 60);
    EXPECT_EQ(findings.back().obstacle.empty(), best != ByteUnit::plain);
  }
  EXPECT_EQ(byte_unit(state()), best) << "the good kernel is back";
  EXPECT_EQ(byte_self_test(state(), best), "");
}

TEST_F(OpenclUnits, ShowWrongReductionsInTheSelfTest) {
  struct Fault {
    const char* unit;
    const char* file;
    const char* from;
    const char* to;
  };
  const Fault faults[] = {
      {"plain", "bytes/reduction.cl", "r.inverse = fma(", "r.inverse = 1.0001f * fma("},
      {"plain", "bytes/reduction.cl", "(float)((m - 1) / 2)", "(float)(m / 2 - 1)"},
      {"plain", "bytes/reduction.cl", "65536 - m *", "65535 - m *"},
      {"mma_sync", "bytes/nvidia.cl", "i < 4; ++i) k.inverse", "i < 3; ++i) k.inverse"},
      {"mma_sync", "bytes/nvidia.cl", "k.first = n;", "k.first = 0;"},
      {"mma_sync", "bytes/nvidia.cl", "0x5410", "0x1054"},
      {"wgmma", "bytes/wgmma.cl", "2 * part * TILE_ROWS", "part * TILE_ROWS"},
      {"wgmma", "bytes/wgmma.cl", "plane == kept_plane && panel == kept_panel", "plane == kept_plane"},
  };
  for (const Fault& fault : faults) {
    const std::string planted = replaced(embedded_kernel(fault.file), fault.from, fault.to);  // on any device
    Variable forced("HILO_INT8_UNIT", fault.unit);
    if (!find_units(state()).back().obstacle.empty()) continue;  // not on this device
    for (const UnitFinding& finding : findings_with(fault.file, planted)) {
      EXPECT_NE(finding.obstacle, "") << fault.unit << ": " << fault.to;
    }
  }
}

TEST_F(OpenclUnits, SayWhyNoneCanBeUsed) {
  Folder folder;
  folder.write("bytes/reduction.cl", "nonsense;\n");
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
  const std::string message = message_of(errc::self_test_failure, [] { byte_unit(state()); });
  expect_contains(message, {state().info.name, "wgmma: ", "mma_sync: ", "dot_product: ", "plain: ", "does not build"});
}

TEST_F(OpenclUnits, CanBeAskedForByName) {
  for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product, ByteUnit::plain}) {
    Variable forced("HILO_INT8_UNIT", std::string(name(unit)).c_str());
    const auto findings = find_units(state());
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].unit, unit);
    if (obstacle_of(unit, features()).empty()) {
      EXPECT_EQ(findings[0].obstacle, "");
      EXPECT_EQ(byte_unit(state()), unit);
      EXPECT_EQ(find_part(state(), unit, BytePart::triangle).obstacle, "");
      EXPECT_EQ(find_part(state(), unit, BytePart::blocks).obstacle, "");
    } else {
      expect_contains(message_of(errc::self_test_failure, [] { byte_unit(state()); }),
                      {std::string(name(unit)), "compute capability"});
    }
  }
  Variable forced("HILO_INT8_UNIT", "tensor");
  expect_contains(message_of(errc::invalid_argument, [] { byte_unit(state()); }),
                  {"HILO_INT8_UNIT = tensor", "wgmma, mma_sync, dot_product, plain"});
}

// Runs in a process of its own, below, and then says what it found.
TEST(OpenclUnitsProcess, FindsUnits) {
  const auto findings = find_units(state());
  if (const char* report = std::getenv("HILO_TEST_REPORT")) {
    std::ofstream out(report);
    out << state().info.name << '\n';
    for (const UnitFinding& finding : findings) {
      out << name(finding.unit) << ": " << (finding.obstacle.empty() ? "usable" : finding.obstacle) << '\n';
    }
  } else {
    EXPECT_EQ(findings.back().obstacle, "");
  }
}

// On some machines a child of a process that uses the device does not get it.
constexpr const char* another_device = "another device";

std::string found_by_a_process() {
  Folder folder;
  const std::string report = folder.file("report");
  Variable to("HILO_TEST_REPORT", report.c_str());
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_EQ(std::system((program + " --gtest_filter=OpenclUnitsProcess.FindsUnits > /dev/null").c_str()), 0);
  const std::string found = folder.read("report"), device = state().info.name + '\n';
  return found.starts_with(device) ? found.substr(device.size()) : another_device;
}

TEST_F(OpenclUnits, AreKeptOnDisk) {
  Folder folder;
  const ByteUnit best = byte_unit(state());
  const std::string best_name(name(best));
  // A text of its own, so that this process has not seen it either.
  folder.write(kernel_of(best), "// kept on disk\n" + embedded_kernel(kernel_of(best)));
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str()), forced("HILO_INT8_UNIT", best_name.c_str());
  const std::string found = found_by_a_process();
  if (found == another_device) GTEST_SKIP() << "another process gets " << another_device;
  EXPECT_EQ(found, best_name + ": usable\n");
  std::string key;
  for (const auto& entry : std::filesystem::directory_iterator(cache_.file(""))) {
    const std::string stem = entry.path().stem().string();
    const auto bytes = opencl::load_binary(stem);
    if (std::string(bytes.begin(), bytes.end()) == "usable") key = stem;
  }
  ASSERT_NE(key, "") << "no finding on disk";
  auto store = [&](const std::string& text) { opencl::store_binary(key, {text.begin(), text.end()}); };
  store("obstacle: planted");
  const std::string file = opencl::binary_file(key)->string();
  EXPECT_EQ(found_by_a_process(), best_name + ": planted (kept in " + file + ")\n")
      << "the finding on disk was not used";
  for (const char* broken : {"obstacle", "rubbish", "obstacle: "}) {
    store(broken);
    EXPECT_EQ(found_by_a_process(), best_name + ": usable\n") << "believed: " << broken;
  }
  cache_.write(key + ".bin", "hilo program 1\ncut");
  EXPECT_EQ(found_by_a_process(), best_name + ": usable\n");
  const auto bytes = opencl::load_binary(key);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "usable") << "the broken entry was not replaced";
}

// Kernels that no test has seen yet, of one unit.
class FreshUnit {
 public:
  explicit FreshUnit(ByteUnit unit) : forced_("HILO_INT8_UNIT", std::string(name(unit)).c_str()) {
    static int serial = 0;
    folder_.write(kernel_of(unit), "// fresh " + std::to_string(serial++) + '\n' + embedded_kernel(kernel_of(unit)));
  }

 private:
  Folder folder_;
  Variable path_{"HILO_KERNEL_PATH", folder_.file("").c_str()}, forced_;
};

std::string kept_on_disk(const Folder& cache) {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(cache.file(""))) {
    const auto bytes = opencl::load_binary(entry.path().stem().string());
    const std::string text(bytes.begin(), bytes.end());
    if (text == "usable" || text.starts_with("obstacle: ") || text.starts_with("fault: ")) all += text + '\n';
  }
  return all;
}

template <auto Entry>
void expect_passing(cl_int status, errc code, const Folder& cache) {
  SCOPED_TRACE(status);
  const ByteUnit unit = byte_unit(state());
  FreshUnit fresh(unit);
  const std::string before = kept_on_disk(cache);
  {
    test::FailingCall<Entry> failing(state().device(), status, 0, 1 << 30);
    const UnitFinding finding = find_units(state()).back();
    EXPECT_EQ(finding.passing, code) << finding.obstacle;
    expect_contains(message_of(code, [] { byte_unit(state()); }), {std::to_string(status), "OpenCL failed while"});
  }
  EXPECT_EQ(kept_on_disk(cache), before);
  // It is the only one asked for, so that the next call tries again; where one call fails, in another context.
  test::FailingCall<Entry> failing(state().device(), status);
  EXPECT_EQ(find_units(state()).back().obstacle, "");
  EXPECT_GT(failing.calls(), 1);
  EXPECT_EQ(byte_unit(state()), unit);
}

TEST_F(OpenclUnits, AreNotRefusedForWhatPasses) {
  expect_passing<&cl_icd_dispatch::clEnqueueNDRangeKernel>(-5, errc::device_failure, cache_);
  expect_passing<&cl_icd_dispatch::clWaitForEvents>(-9999, errc::device_failure, cache_);
  expect_passing<&cl_icd_dispatch::clCreateBuffer>(-4, errc::out_of_memory, cache_);
  expect_passing<&cl_icd_dispatch::clCreateContext>(-6, errc::out_of_memory, cache_);
}

// A better unit that could not be tried is tried again for a later product: here one whose bytes are wrong then.
TEST_F(OpenclUnits, GiveWayForAWhileOnly) {
  Folder folder;
  folder.write(kernel_of(ByteUnit::dot_product),
               "#include \"number/arguments.cl\"\n"
               "__kernel void multiply_bytes(__global const char* a, __global const char* b, __global uchar* c,\n"
               "                             __global const int* moduli, byte_product_arguments p) {}\n");
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
  auto device = std::make_shared<opencl::ContextState>(state().context, state().device);
  device->findings.put("integer dot product", 0);
  device->findings.put("compute capability", 61);
  {
    test::FailingCall<&cl_icd_dispatch::clEnqueueNDRangeKernel> failing(state().device(), -5, 0, 2);
    const auto findings = find_units(*device);
    ASSERT_EQ(findings.size(), 4u);
    EXPECT_EQ(findings[2].passing, errc::device_failure) << findings[2].obstacle;
    EXPECT_EQ(findings[3].obstacle, "");
    EXPECT_EQ(byte_unit(*device), ByteUnit::plain);
  }
  auto found_now = [&] { return find_units(*device)[2]; };
  for (int wait = 0; wait < 1200 && found_now().passing; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(found_now().passing) << "not tried again";
  expect_contains(found_now().obstacle, {"instead of"});
}

TEST_F(OpenclUnits, FeaturesThatCannotBeAskedForAreAskedForAgain) {
  auto device = std::make_shared<opencl::ContextState>(state().context, state().device);
  const ByteFeatures right = features();
  for (int passed = 0; passed < 2; ++passed) {
    test::FailingCall<&cl_icd_dispatch::clGetDeviceInfo> failing(state().device(), -6, passed);
    expect_contains(message_of(errc::out_of_memory, [&] { byte_features(*device); }), {"clGetDeviceInfo", "-6"});
  }
  const ByteFeatures found = byte_features(*device);
  EXPECT_EQ(found.compute_capability, right.compute_capability);
  EXPECT_EQ(found.integer_dot, right.integer_dot);
}

// Kernels of triangles with stairs.clh changed, and its text is good again after this.
class PlantedStairs {
 public:
  explicit PlantedStairs(const std::string& text) { folder_.write("bytes/stairs.clh", text); }

 private:
  Folder folder_;
  Variable path_{"HILO_KERNEL_PATH", folder_.file("").c_str()};
};

// Tiles that are left out, taken twice, of the wrong side or beside the product, and what does not build.
TEST_F(OpenclUnits, StayWhereTheirTrianglesAreWrong) {
  const ByteUnit best = byte_unit(state());
  EXPECT_TRUE(multiplies(state(), best, BytePart::triangle));
  const std::string good = embedded_kernel("bytes/stairs.clh");
  for (const std::string& bad : {replaced(good, "s.tile_columns - 1;", "s.tile_columns - 2;"),
                                 replaced(good, "within / rows", "within / rows + 1000000"),
                                 replaced(good, "place.row += within", "place.row -= 1000000"),
                                 replaced(good, "s.rows - 1 - place.row", "1000000 + place.row"),
                                 replaced(good, "++place.column", "--place.column"), std::string("nonsense;\n")}) {
    PlantedStairs planted(bad);
    EXPECT_EQ(byte_unit(state()), best);
    const UnitFinding finding = find_part(state(), best, BytePart::triangle);
    EXPECT_NE(finding.obstacle, "") << bad.substr(0, 60);
    EXPECT_FALSE(finding.passing) << finding.obstacle;
    EXPECT_FALSE(multiplies(state(), best, BytePart::triangle));
  }
  EXPECT_TRUE(multiplies(state(), best, BytePart::triangle)) << "the good text is back";
}

// No answer that passes is kept, and one that is right is, under a name of its own.
TEST_F(OpenclUnits, AskForTrianglesAgainAfterWhatPasses) {
  const ByteUnit best = byte_unit(state());
  PlantedStairs fresh("// fresh stairs\n" + embedded_kernel("bytes/stairs.clh"));
  EXPECT_EQ(byte_unit(state()), best);
  const std::string before = kept_on_disk(cache_);
  {
    test::FailingCall<&cl_icd_dispatch::clEnqueueNDRangeKernel> failing(state().device(), -5, 0, 1 << 30);
    const UnitFinding finding = find_part(state(), best, BytePart::triangle);
    EXPECT_EQ(finding.passing, errc::device_failure) << finding.obstacle;
    EXPECT_FALSE(multiplies(state(), best, BytePart::triangle));
    EXPECT_EQ(byte_unit(state()), best);
  }
  EXPECT_EQ(kept_on_disk(cache_), before);
  for (int wait = 0; wait < 1200 && !multiplies(state(), best, BytePart::triangle); ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(multiplies(state(), best, BytePart::triangle)) << "not tried again";
  EXPECT_EQ(kept_on_disk(cache_), before + "usable\n");
}

// A fault takes the device from the processes that probe, two of them, but not from later ones.
TEST_F(OpenclUnits, GiveWayToTheNextAfterAFault) {
  const auto with_trap = [](ByteUnit unit) {
    const std::string trap = "asm volatile(\"trap;\");\n", place = "const int item =";
    return replaced(embedded_kernel(kernel_of(unit)), place, trap + place);
  };
  for (ByteUnit unit : {ByteUnit::wgmma, ByteUnit::mma_sync}) EXPECT_NO_THROW(with_trap(unit));  // on any device
  const ByteUnit best = byte_unit(state());
  if (best != ByteUnit::wgmma && best != ByteUnit::mma_sync) GTEST_SKIP() << "a kernel cannot be made to fault here";
  Folder folder;
  folder.write(kernel_of(best), with_trap(best));
  Variable path("HILO_KERNEL_PATH", folder.file("").c_str());
  const std::string faulted = found_by_a_process(), again = found_by_a_process(), after = found_by_a_process();
  if (after == another_device) GTEST_SKIP() << "another process gets " << another_device;
  EXPECT_EQ(faulted.find(std::string(name(best)) + ": usable"), std::string::npos) << faulted;
  EXPECT_EQ(again.find(std::string(name(best)) + ": usable"), std::string::npos) << again;
  EXPECT_EQ(after.find(std::string(name(best)) + ": usable"), std::string::npos) << after;
  EXPECT_TRUE(after.ends_with(": usable\n")) << after;
}

}  // namespace
