// Which rates this CPU takes: the user's file, the shipped table; and that they alone choose the engine.
#include "gemm/rate_table.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <hilo/error.hpp>
#include <string>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "gemm/cost.hpp"
#include "host/cpu_name.hpp"
#include "temporary_folder.hpp"
#include "tune/rates.hpp"

namespace {

using namespace hilo;
using model::CpuRates;
using model::KnownRates;

class RateTable : public ::testing::Test {
 protected:
  RateTable() { forget_rates(); }
  ~RateTable() override { forget_rates(); }

  void write(const std::string& text) {
    folder.write("tuning.json", text);
    forget_rates();
  }
  std::string read() { return folder.read("tuning.json"); }
  static KnownRates known(const CpuRates& rates) {
    return {cpu_kind({}), rates, host::cpu_name(), "2026-01-31", "0.1"};
  }

  test::TemporaryFolder folder;
  test::EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
  const CpuRates rates{1e-10, 2e-10, 3e-10, 4e-10, 5e-10, 6e-12, 0.0, 7e-10, 8e-10, 9e-10, 1e-6};
};

GemmPlan plan(std::int64_t n, const GemmOptions& options = {}) {
  return plan_gemm<dd_real>(Layout::column, Op::none, Op::none, n, n, n, options);
}

TEST_F(RateTable, TheUsersFileComesBeforeTheShippedTable) {
  const ChosenRates shipped = rates_for({});
  EXPECT_NE(shipped.from, RatesFrom::user);
  store_rates(known(rates));
  EXPECT_EQ(rates_for({}).rates, rates) << "at once";
  forget_rates();
  EXPECT_EQ(rates_for({}).rates, rates) << "from disk";
  EXPECT_EQ(rates_for({}).from, RatesFrom::user);
  EXPECT_EQ(rates_for({}).kind, cpu_kind({}));
  EXPECT_TRUE(ignored_rates().empty());
  GemmOptions other;
  other.fma = cpu_kind({}).fma == model::StepFma::native ? Fma::off : Fma::on;
  EXPECT_NE(rates_for(other).from, RatesFrom::user) << "of another kind";
  CpuRates later = rates;
  later.scan = 2e-9;
  store_rates(known(later));
  EXPECT_EQ(rates_for({}).rates, later) << "replaced";
  EXPECT_EQ(read().find("scan"), read().rfind("scan"));
  std::filesystem::remove(folder.file("tuning.json"));
  forget_rates();
  EXPECT_EQ(rates_for({}).rates, shipped.rates);
}

TEST_F(RateTable, EntriesOfOtherCpusAndOfDevicesStay) {
  KnownRates other = known(rates);
  other.cpu += " of another machine";
  store_rates(other);
  EXPECT_NE(rates_for({}).from, RatesFrom::user);
  const std::string device = R"({"device":"A GPU","tile":{"item":[8,8]}})";
  std::string text = read();
  write(text.replace(text.find("[") + 1, 0, device + ", 5, "));
  store_rates(known(rates));
  EXPECT_EQ(rates_for({}).rates, rates);
  EXPECT_NE(read().find(other.cpu), std::string::npos);
  EXPECT_NE(read().find(device), std::string::npos);
}

// Rates that make one engine ten thousand times as slow. Nothing is measured that could say otherwise.
TEST_F(RateTable, ChoosesTheEngine) {
  CpuRates slow_direct = rates, slow_bytes = rates;
  slow_direct.direct_step = 1e-6;
  slow_bytes.byte_product = 6e-8;
  std::vector<dd_real> a(256 * 256, dd_real(1)), c(256 * 256);
  auto engine = [&](const CpuRates& r) {
    store_rates(known(r));
    const Engine ran =
        gemm(Layout::column, Op::none, Op::none, 256, 256, 256, 1, a.data(), 256, a.data(), 256, 0, c.data(), 256)
            .plan.engine;
    EXPECT_EQ(plan(256).engine, ran);
    return ran;
  };
  EXPECT_EQ(engine(slow_direct), Engine::modular);
  EXPECT_EQ(engine(slow_bytes), Engine::direct);
  EXPECT_EQ(plan(100).engine, Engine::direct) << "too small to ask";
  EXPECT_EQ(plan(100).seconds_direct, 0.0);
  // `fast` has a step of its own.
  CpuRates slow_fast = slow_bytes;
  slow_fast.direct_step_fast = 1e-2;
  store_rates(known(slow_fast));
  EXPECT_EQ(plan(256, {.accuracy = Accuracy::fast}).engine, Engine::modular);
  EXPECT_EQ(plan(256).engine, Engine::direct);
}

// What a plan expects is what the table says, to the last bit, in every run.
TEST_F(RateTable, PlansExpectWhatItSays) {
  store_rates(known(rates));
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    const model::ProductSize size{Precision::dd, 300, 300, 300};
    const GemmPlan p = plan(300, {.accuracy = accuracy});
    EXPECT_EQ(p.seconds_direct, model::direct_seconds(rates, size, accuracy));
    EXPECT_EQ(p.seconds_modular, model::modular_seconds(rates, size, expected_moduli(Precision::dd, accuracy, 300)));
  }
}

TEST_F(RateTable, ABrokenFileFailsNoProduct) {
  const CpuRates shipped = rates_for({}).rates;
  for (const char* broken : {"", "{", "null", R"({"format": 2, "entries": []})", R"({"format": 1})",
                             R"({"format": 1, "entries": [{"cpu": 5}]})"}) {
    SCOPED_TRACE(broken);
    write(broken);
    EXPECT_NO_THROW(plan(300));
    EXPECT_EQ(rates_for({}).rates, shipped);
    ASSERT_EQ(ignored_rates().size(), 1u);
    expect_contains(ignored_rates()[0], {folder.file("tuning.json")});
  }
  std::filesystem::remove(folder.file("tuning.json"));
  std::filesystem::create_directory(folder.file("tuning.json"));
  forget_rates();
  EXPECT_EQ(rates_for({}).rates, shipped);
  expect_contains(ignored_rates().at(0), {"cannot be read"});
  expect_contains(message_of(errc::io, [&] { store_rates(known(rates)); }), {folder.file("tuning.json")});
}

TEST_F(RateTable, AFileOfAnotherFormatIsNotTouched) {
  write(R"({"format": 9})");
  expect_contains(message_of(errc::io, [&] { store_rates(known(rates)); }), {"has format 9, expected 1"});
  EXPECT_EQ(read(), R"({"format": 9})");
  const test::EnvironmentVariable none("HILO_TUNING", "");
  expect_contains(message_of(errc::io, [] { check_rates_can_be_stored(); }), {"no folder for the tuning file"});
}

TEST(MeasureRates, GivesRatesThatTheFilesTake) {
  const std::vector<GemmOptions> all = tune::kinds_of_options();
  EXPECT_EQ(cpu_kind(all.front()), cpu_kind({})) << "first what products take by default";
  const CpuRates found = tune::measure_rates(all.front());
  for (const model::RateName& r : model::rate_names()) {
    EXPECT_GE(found.*r.rate, 0.0) << r.name;
    EXPECT_LT(found.*r.rate, 1e-3) << r.name;
  }
  for (double x : {found.direct_step, found.direct_step_fast, found.byte_product}) EXPECT_GT(x, 0.0);
}

TEST(MeasureRates, TheMedianOfEachRateIsTakenAndRounded) {
  std::vector<CpuRates> rounds(3);
  rounds[0].scan = 1.23456e-9, rounds[1].scan = 1e-3, rounds[2].scan = 1e-12;
  rounds[0].call = 5e-6, rounds[1].call = 4e-6, rounds[2].call = 9e-6;
  EXPECT_EQ(tune::median(rounds).scan, 1.235e-9);
  EXPECT_EQ(tune::median(rounds).call, 5e-6);
  EXPECT_EQ(tune::median(rounds).entry, 0.0);
}

}  // namespace
