// Compiled kernels in a file: that they run without being compiled, and which files are refused.
#include "opencl/program_archive.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/gemm.hpp>
#include <hilo/programs.hpp>
#include <iterator>
#include <map>
#include <utility>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "failing_call.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "opencl/disk_cache.hpp"
#include "opencl/native.hpp"

namespace {

using namespace hilo;
using opencl::ArchiveHeader;
using opencl::ProgramArchive;

const ArchiveHeader header = {"0.1.0", "abc", "a device", "a vendor", "OpenCL 3.0", "7.1", "4", "-g", "a product"};

std::string two_programs() {
  ProgramArchive archive;
  archive.put("key1", {'x', '\n', 'y'});
  archive.put("key2", std::vector<unsigned char>(1000, '\0'));
  return archive.text(header);
}

TEST(ProgramArchive, HoldsWhatWasPutIntoIt) {
  const ProgramArchive read(two_programs(), "k.bin");
  EXPECT_EQ(read.size(), 2u);
  EXPECT_EQ(read.find("key1"), (std::vector<unsigned char>{'x', '\n', 'y'}));
  EXPECT_EQ(read.find("key2")->size(), 1000u);
  EXPECT_FALSE(read.find("key3"));
  EXPECT_EQ(read.header().driver, "7.1");
  EXPECT_EQ(read.header().purpose, "a product");
  EXPECT_EQ(ProgramArchive(ProgramArchive().text(header), "none.bin").size(), 0u);
}

TEST(ProgramArchive, RefusesEveryDamage) {
  const std::string good = two_programs();
  const auto refusal = [](const std::string& bytes) {
    return message_of(errc::parse, [&] { ProgramArchive(bytes, "k.bin"); });
  };
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_NE(refusal(good.substr(0, size)).find("k.bin "), std::string::npos) << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    ASSERT_NE(refusal(bad).find("k.bin "), std::string::npos) << i;
  }
  EXPECT_NE(refusal(good + "x").find("is damaged"), std::string::npos);
  EXPECT_NE(refusal("no programs").find("holds no programs of this format"), std::string::npos);
}

TEST(ProgramArchive, IsForOneDeviceDriverAndHilo) {
  const ProgramArchive archive(two_programs(), "k.bin");
  check_archive(archive, header);
  ArchiveHeader here = header;
  here.purpose = "another product";
  check_archive(archive, here);
  for (const auto& [member, words] : {std::pair{&ArchiveHeader::version, "for other hilo: it has '0.1.0', here is 'Q'"},
                                      {&ArchiveHeader::kernels, "for other kernels"},
                                      {&ArchiveHeader::device, "for other device: it has 'a device'"},
                                      {&ArchiveHeader::vendor, "for other vendor"},
                                      {&ArchiveHeader::opencl, "for other OpenCL version"},
                                      {&ArchiveHeader::driver, "for other driver: it has '7.1', here is 'Q'"},
                                      {&ArchiveHeader::compute_units, "for other number of compute units"},
                                      {&ArchiveHeader::build_options, "for other build options: it has '-g'"}}) {
    here = header;
    here.*member = "Q";
    expect_contains(message_of(errc::invalid_argument, [&] { check_archive(archive, here); }), {"k.bin is ", words});
  }
}

std::vector<dd_real> product(const Context& context) {
  Queue queue(context);
  std::vector<dd_real> a(12), c(9);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = dd_real(1) / static_cast<double>(i + 3);
  gemm<dd_real>(queue, Layout::column, Op::none, Op::none, 3, 3, 4, 1.0, a.data(), 3, a.data(), 4, 0.0, c.data(), 3,
                {.engine = Engine::direct});
  return c;
}

// `use` of a context that compiles and of one that has what the first kept, where every call that takes a text fails,
// and nothing is on disk. Returns what both gave.
template <class Use>
auto twice(Use use) {
  const test::EnvironmentVariable off("HILO_CACHE", "0");
  const Context first;
  keep_programs(first);
  auto compiled = use(first);
  EXPECT_GT(program_tally(first).built, 0);
  EXPECT_EQ(program_tally(first).loaded, 0);
  const std::string bytes = kept_programs(first, "a test");
  const Context second;
  use_programs(second, bytes, "k.bin");
  test::FailingCall<&cl_icd_dispatch::clCreateProgramWithSource> failing(second.native_device(), CL_OUT_OF_RESOURCES, 0,
                                                                         1 << 20);
  auto loaded = use(second);
  EXPECT_EQ(program_tally(second).built, 0);
  EXPECT_EQ(program_tally(second).from_disk, 0);
  EXPECT_EQ(program_tally(second).loaded, program_tally(first).built);
  expect_contains(message_of(errc::invalid_argument, [&] { keep_programs(first); }),
                  {"keep_programs", "has compiled programs already"});
  return std::pair(compiled, loaded);
}

TEST(Programs, RunWithoutBeingCompiled) {
  if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  const auto [compiled, loaded] = twice(product);
  EXPECT_TRUE(compiled == loaded);
}

// In contexts of their own.
TEST(Programs, OfUnitsOfBytesAreTriedWithoutBeingCompiled) {
  if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  const auto [compiled, loaded] = twice([](const Context& context) {
    const std::vector<modular::UnitFinding> all = modular::find_units(*context.state());
    EXPECT_EQ(all.back().obstacle, "");
    return std::pair(all.size(), all.back().unit);
  });
  EXPECT_TRUE(compiled == loaded);
}

TEST(Programs, ThatAreMissingAreNotCompiled) {
  if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  const Context first;
  keep_programs(first);
  const std::string none = kept_programs(first, "no product at all");
  const Context second;
  use_programs(second, none, "empty.bin");
  expect_contains(message_of(errc::build_failure, [&] { product(second); }),
                  {"is not in empty.bin, from which all are to come", "no product at all"});
  EXPECT_EQ(program_tally(second).built, 0);
  const Context other;
  set_build_options(other, "-g");
  expect_contains(message_of(errc::invalid_argument, [&] { use_programs(other, none, "empty.bin"); }),
                  {"empty.bin is for other build options: it has none, here is '-g'"});
  expect_contains(message_of(errc::invalid_argument, [&] { kept_programs(second, ""); }), {"keep_programs was not"});
}

// A whole file for the right device, with bytes that are no binary of the driver's, or those of another program.
TEST(Programs, ThatTheDriverDoesNotTakeAreErrors) {
  if (platforms().empty()) GTEST_SKIP() << "no OpenCL device";
  const Context first;
  keep_programs(first);
  product(first);
  const std::string bytes = kept_programs(first, "a product");
  const ProgramArchive good(bytes, "good.bin");
  constexpr int lines_before_programs = 11;
  std::size_t start = 0;
  for (int line = 0; line < lines_before_programs; ++line) start = bytes.find('\n', start) + 1;
  std::map<std::string, std::vector<unsigned char>> programs;
  for (std::string_view rest = std::string_view(bytes).substr(start); !rest.empty();) {
    const auto entry = opencl::take_entry(rest);
    ASSERT_TRUE(entry);
    programs[entry->key] = {entry->binary.begin(), entry->binary.end()};
  }
  ASSERT_GE(programs.size(), 2u);
  const auto refusal = [&](const auto& altered) {
    ProgramArchive bad;
    for (const auto& [key, program] : programs) bad.put(key, altered(key));
    const Context context;
    use_programs(context, bad.text(good.header()), "bad.bin");
    return message_of(errc::build_failure, [&] { product(context); });
  };
  expect_contains(refusal([&](const std::string& key) {
                    const auto& program = programs[key];
                    std::vector<unsigned char> junk(program.begin(), std::find(program.begin(), program.end(), '\n'));
                    junk.push_back('\n');
                    junk.insert(junk.end(), 100, 'j');
                    return junk;
                  }),
                  {"its binary in bad.bin, CL_"});
  expect_contains(refusal([&](const std::string& key) {
                    auto next = std::next(programs.find(key));
                    return next == programs.end() ? programs.begin()->second : next->second;
                  }),
                  {"bad.bin holds another under its name"});
}

}  // namespace
