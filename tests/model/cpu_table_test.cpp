// Tables of rates of kinds of CPU: what is read, what counts as absent, and which entry is the nearest.
#include "model/cpu_table.hpp"

#include <gtest/gtest.h>

#include <string>

#include "error_message.hpp"

namespace {

using namespace hilo;
using model::CpuKind;
using model::CpuTable;
using model::KnownRates;
using model::StepFma;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string entry =
    R"({"cpu": "A CPU", "target": "AVX9", "lanes": 16, "int8": "plain", "fma": "native", "direct_step": 1e-10,
        "direct_step_fast": 2e-10, "direct_entry": 3e-10, "scan": 4e-10, "residue": 5e-10, "byte_product": 6e-12,
        "byte_pack": 0, "reduction": 7e-10, "rebuild": 8e-10, "entry": 9e-10, "call": 1e-6, "date": "2026-01-31",
        "library": "0.1"})";
std::string table(const std::string& entries) { return R"({"format": 1, "entries": [)" + entries + "]}"; }

TEST(CpuTable, IsRead) {
  const CpuTable found = model::parse_cpu_table(table(entry), "file");
  EXPECT_TRUE(found.ignored.empty());
  ASSERT_EQ(found.entries.size(), 1u);
  const KnownRates& e = found.entries[0];
  EXPECT_EQ(e.kind, (CpuKind{"AVX9", 16, "plain", StepFma::native}));
  EXPECT_EQ(e.rates, (model::CpuRates{1e-10, 2e-10, 3e-10, 4e-10, 5e-10, 6e-12, 0.0, 7e-10, 8e-10, 9e-10, 1e-6}));
  EXPECT_EQ(e.cpu + e.date + e.library, "A CPU2026-01-310.1");
}

TEST(CpuTable, MembersThatItDoesNotKnowAndEntriesForDevicesArePassedOver) {
  const std::string device = R"({"device": "A GPU", "tile": {"cpu": "no", "item": [8, {"target": 1}]}})";
  const std::string more =
      replaced(entry, "{", R"({"gflops": {"call": 5}, "list": [1, "x", null, true, {"fma": 1}], )");
  const CpuTable found = model::parse_cpu_table(
      R"({"author": {"entries": [{"cpu": 1}]}, "entries": [)" + device + ", 5, [], " + more + "], \"format\": 1}",
      "file");
  EXPECT_TRUE(found.ignored.empty()) << found.ignored[0];
  ASSERT_EQ(found.entries.size(), 1u);
  EXPECT_EQ(found.entries[0].rates.call, 1e-6);
}

TEST(CpuTable, ABrokenFileCountsAsNone) {
  const std::string good = table(entry);
  for (const std::string& broken :
       {std::string(), std::string("{"), std::string("null"), std::string("[1, 2]"), good.substr(0, good.size() - 2),
        good + "x", replaced(good, "1,", "2,"), replaced(good, "1,", "1.5,"), replaced(good, "1,", "\"1\","),
        std::string(R"({"format": 1})"), std::string(R"({"format": 1, "entries": {}})"),
        replaced(good, "1e-10", "1e999"), std::string("\xff\xfe\0\x01", 4), std::string(1 << 20, '['),
        "[" + good + "]"}) {
    const CpuTable found = model::parse_cpu_table(broken, "file");
    EXPECT_TRUE(found.entries.empty()) << broken.substr(0, 100);
    ASSERT_EQ(found.ignored.size(), 1u) << broken.substr(0, 100);
    EXPECT_TRUE(found.ignored[0].starts_with("file: ")) << found.ignored[0];
  }
  EXPECT_EQ(model::parse_cpu_table(R"({"format": 9})", "f").ignored[0], "f: has format 9, expected 1");
}

TEST(CpuTable, ABrokenEntryCountsAsNoneAndTheOthersStay) {
  const struct {
    const char *from, *to, *says;
  } cases[] = {{"\"AVX9\"", "9", "entry 1: \"target\" is no text"},
               {"\"target\"", "\"aim\"", "entry 1: \"target\" is missing"},
               {"16", "0", "\"lanes\""},
               {"16", "2.5", "\"lanes\""},
               {"16", "1e30", "\"lanes\""},
               {"native", "both", "\"fma\": \"both\" is none of none, native and emulated"},
               {"native", "a\\u0000b", "\"fma\": \"a\\x00b\" is none of none, native and emulated"},
               {"1e-10", "-1e-10", "\"direct_step\" is no number of seconds from 0 to 1"},
               {"1e-10", "1e10", "\"direct_step\""},
               {"1e-10", "null", "\"direct_step\" is no number"},
               {"1e-10", "0", "0 seconds"},
               {"6e-12", "0.0", "0 seconds"},
               {"6e-12", "[6e-12]", "\"byte_product\" is no number"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.says);
    const CpuTable found =
        model::parse_cpu_table(table(entry + "," + replaced(entry, c.from, c.to) + "," + entry), "file");
    EXPECT_EQ(found.entries.size(), 2u);
    ASSERT_EQ(found.ignored.size(), 1u);
    expect_contains(found.ignored[0], {"file: ", c.says});
  }
}

TEST(CpuTable, TheNearestIsByBytesThenInstructionSetThenFmaThenLanes) {
  auto known = [](const CpuKind& kind) { return KnownRates{kind, {}, "", "", ""}; };
  const std::vector<KnownRates> all = {known({"AVX3", 8, "onednn-avx512-vnni", StepFma::native}),
                                       known({"AVX3", 8, "plain", StepFma::native}),
                                       known({"AVX3", 8, "plain", StepFma::none}),
                                       known({"AVX2", 4, "plain", StepFma::native}),
                                       known({"SSE4", 2, "plain", StepFma::none}),
                                       known({"SSE4", 2, "plain", StepFma::emulated})};
  auto index = [&](const CpuKind& kind) { return &model::nearest(all, kind) - all.data(); };
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(index(all[i].kind), static_cast<std::ptrdiff_t>(i));
  EXPECT_EQ(index({"AVX3_SPR", 8, "onednn-amx", StepFma::native}), 0) << "another of oneDNN's paths";
  EXPECT_EQ(index({"AVX3_SPR", 8, "amx", StepFma::native}), 0) << "any but plain loops";
  EXPECT_EQ(index({"SSE4", 2, "onednn-avx512-vnni", StepFma::none}), 0) << "the path for bytes comes first";
  EXPECT_EQ(index({"AVX3_ZEN4", 8, "plain", StepFma::native}), 1);
  EXPECT_EQ(index({"AVX2", 4, "plain", StepFma::none}), 3) << "the instruction set comes before FMA";
  EXPECT_EQ(index({"NEON", 2, "plain", StepFma::native}), 3) << "FMA comes before lanes";
  EXPECT_EQ(index({"SSE2", 2, "plain", StepFma::none}), 4);
  EXPECT_EQ(index({"SVE", 16, "plain", StepFma::native}), 1);
}

// Of the same order as what others have, so that no digit went astray; all kinds that are common on x86-64.
TEST(CpuTable, TheShippedOneIsWhole) {
  const CpuTable shipped = model::shipped_cpu_table();
  EXPECT_TRUE(shipped.ignored.empty()) << shipped.ignored[0];
  ASSERT_FALSE(shipped.entries.empty());
  const model::CpuRates& first = shipped.entries[0].rates;
  for (const KnownRates& e : shipped.entries) {
    SCOPED_TRACE(to_string(e.kind));
    EXPECT_FALSE(e.cpu.empty());
    EXPECT_EQ(&model::nearest(shipped.entries, e.kind), &e) << "no other entry is for this kind";
    EXPECT_LT(e.rates.direct_step / first.direct_step, 50.0);
    EXPECT_GT(e.rates.direct_step / first.direct_step, 0.5);
    // AMX multiplies bytes three times as fast as the first entry's path.
    const double like_first = e.kind.int8 == "amx" ? 3.0 : 1.0;
    EXPECT_LT(like_first * e.rates.byte_product / first.byte_product, 50.0);
    EXPECT_GT(like_first * e.rates.byte_product / first.byte_product, 0.5);
  }
  for (const CpuKind& kind : {CpuKind{"AVX3", 8, "amx", StepFma::native},
                              {"AVX3", 8, "onednn-avx512-vnni", StepFma::native},
                              {"AVX3", 8, "plain", StepFma::native},
                              {"AVX2", 4, "onednn-avx2-vnni", StepFma::native},
                              {"AVX2", 4, "plain", StepFma::native},
                              {"SSE4", 2, "plain", StepFma::none}}) {
    EXPECT_EQ(model::nearest(shipped.entries, kind).kind, kind) << to_string(kind);
  }
}

}  // namespace
