// The search for the fastest tile: what it must never choose, what it remembers, when it ends.
#include "tune/tuner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <hilo/error.hpp>

#include "environment_variable.hpp"
#include "host/tuning_file.hpp"
#include "opencl_queue.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"
#include "tune/candidates.hpp"
#include "tune/trial.hpp"

namespace {

using namespace hilo;
using test::EnvironmentVariable;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;
using tune::Measurement;
using tune::TuneOptions;
using tune::TuneResult;

const Tile tile{1, 4, 4, 8, 8, 8, 2, Copies::registers, false, 1, 1, 8, 1, true};

TEST(TunerMeasurement, TimesWhatIsRightAndNothingElse) {
  int runs = 0;
  auto seconds = [&](const Tile&) { return ++runs, 0.5; };
  Measurement m = tune::measure({[](const Tile&) { return "wrong: all of it"; }, seconds, 1e9}, tile, 0.0);
  EXPECT_EQ(m.failure, "wrong: all of it");
  EXPECT_EQ(m.gflops, 0.0);
  EXPECT_EQ(runs, 0);
  auto throws = [](const Tile&) -> std::string { throw error(errc::build_failure, "no\nlog"); };
  m = tune::measure({throws, seconds, 1e9}, tile, 0.0);
  EXPECT_EQ(m.failure, "no");
  EXPECT_EQ(runs, 0);
  EXPECT_FALSE(m.may_pass);
  for (errc code : {errc::out_of_memory, errc::device_failure}) {
    auto fails = [&](const Tile&) -> std::string { throw error(code, "no"); };
    EXPECT_TRUE(tune::measure({fails, seconds, 1e9}, tile, 0.0).may_pass);
  }
  auto right = [](const Tile&) { return ""; };
  m = tune::measure({right, seconds, 1e9}, tile, 0.0);
  EXPECT_EQ(m.failure, "");
  EXPECT_EQ(m.gflops, 2.0);
  runs = 0;
  tune::measure({right, seconds, 1e9}, tile, 100.0);
  EXPECT_EQ(runs, 2) << "one run to warm up, and one tells that it is hopeless";
}

class Tuner : public ::testing::Test {
 protected:
  Tuner() { tile::forget_tiles(); }
  ~Tuner() override { tile::forget_tiles(); }

  // Tiles of the vector units, right ones, for any device.
  std::vector<Tile> candidates() const {
    return {{1, 2, 2, 4, 4, 8, 1, Copies::registers, false, 1, 1, 1, 1, true},
            {1, 2, 4, 4, 4, 8, 1, Copies::registers, false, 1, 1, 1, 1, true}};
  }
  TuneResult tune(const TuneOptions& options) {
    tune::TuningLog log(queue().context().device());
    return tune::tune(queue(), key, options, log);
  }
  TuneOptions options(std::vector<Tile> tiles) const {
    TuneOptions o;
    o.seconds = 60.0;
    o.candidates = std::move(tiles);
    o.n = 64;
    return o;
  }

  test::TemporaryFolder folder;
  EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
  const TileKey key{Precision::s, true, false, SizeClass::small};
};

TEST_F(Tuner, ChoosesTheFastestOfWhatIsRight) {
  TuneResult r = tune(options(candidates()));
  EXPECT_EQ(r.n, 64);
  EXPECT_EQ(r.tried, 3);
  ASSERT_TRUE(r.best);
  for (const Measurement& m : r.measurements) EXPECT_EQ(m.failure, "") << to_string(m.tile);
  EXPECT_EQ(r.before.tile, tile::tile_for(queue().context().device(), key));
  EXPECT_GT(r.before.gflops, 0.0);
  EXPECT_GE(r.best->gflops, r.before.gflops);
}

TEST_F(Tuner, NeverChoosesAFasterTileThatIsWrong) {
  // Skips most of the steps where RASTER_ROWS is 3.
  const std::string line = "  const int tiles = (steps_in_all + DEPTH - 1) / DEPTH;\n";
  folder.write("product/multiply.cl", test::replaced(test::embedded_kernel("product/multiply.cl"), line,
                                                     line + "#if RASTER_ROWS == 3\n#define tiles 1\n#endif\n"));
  EnvironmentVariable kernels("HILO_KERNEL_PATH", folder.file("").c_str());
  Tile wrong = candidates()[0];
  wrong.raster_rows = 3;
  TuneOptions o = options({wrong, candidates()[0]});
  o.n = 512;
  // It is the fastest: chosen, if anything went by time alone.
  auto trial = tune::make_trial(queue(), key, o.n);
  trial->seconds(wrong), trial->seconds(candidates()[0]);
  EXPECT_LT(4.0 * trial->seconds(wrong), trial->seconds(candidates()[0]));
  EXPECT_NE(trial->find_error_of_timed(wrong), "");
  EXPECT_EQ(trial->find_error_of_timed(candidates()[0]), "");
  TuneResult r = tune(o);
  ASSERT_TRUE(r.best);
  EXPECT_FALSE(r.best->tile == wrong);
  for (const Measurement& m : r.measurements) {
    EXPECT_EQ(m.failure.starts_with("wrong: "), m.tile == wrong) << m.failure;
    EXPECT_EQ(m.gflops == 0.0, m.tile == wrong);
  }
  // Not even where an earlier run is said to have found it right.
  folder.write("tuning.json.progress", "");
  tune::TuningLog log(queue().context().device());
  log.add(key, o.n, {wrong, 1e9, ""});
  r = tune::tune(queue(), key, o, log);
  ASSERT_TRUE(r.best);
  EXPECT_FALSE(r.best->tile == wrong);
}

TEST_F(Tuner, NeverChoosesATileThatDoesNotBuild) {
  folder.write("product/multiply.cl", test::kernel_of_bad_tiles());
  EnvironmentVariable kernels("HILO_KERNEL_PATH", folder.file("").c_str());
  Tile wrong = candidates()[0];
  wrong.raster_rows = 3;
  TuneResult r = tune(options({wrong}));
  ASSERT_TRUE(r.best);
  EXPECT_EQ(r.best->tile, r.before.tile);
  ASSERT_EQ(r.measurements.size(), 2u);
  EXPECT_NE(r.measurements[1].failure.find("does not build"), std::string::npos) << r.measurements[1].failure;
}

TEST_F(Tuner, DoesNotMeasureAgainWhatIsKnown) {
  TuneOptions stopped = options(candidates());
  int asked = 0;
  stopped.stops = [&] { return ++asked > 2; };  // before the search, and before the second tile
  TuneResult first = tune(stopped);
  EXPECT_EQ(first.tried, 1);
  ASSERT_TRUE(first.best);
  // Some lines are of others, or nobody's.
  host::append_line(folder.file("tuning.json.progress"), "{\"device\": \"cut");
  TuneResult second = tune(options(candidates()));
  EXPECT_EQ(second.tried, 2) << "the rest";
  EXPECT_EQ(second.measurements.size(), 3u);
  EXPECT_EQ(second.measurements[0].gflops, first.measurements[0].gflops);
  TuneResult third = tune(options(candidates()));
  EXPECT_EQ(third.tried, 0);
  ASSERT_TRUE(third.best);
  // Other kernels, another driver: from the beginning.
  folder.write("direct/finish.cl", test::embedded_kernel("direct/finish.cl") + "\n");
  {
    EnvironmentVariable kernels("HILO_KERNEL_PATH", folder.file("").c_str());
    EXPECT_TRUE(tune::TuningLog(queue().context().device()).find(key, 64).empty());
  }
  DeviceInfo updated = queue().context().device();
  updated.driver += "x";
  EXPECT_TRUE(tune::TuningLog(updated).find(key, 64).empty());
  EXPECT_EQ(tune::TuningLog(queue().context().device()).find(key, 64).size(), 3u);
}

TEST_F(Tuner, GivesATileUpThatEndsTheProcessTwice) {
  const DeviceInfo device = queue().context().device();
  auto failures = [&] {
    int count = 0;
    for (const Measurement& m : tune::TuningLog(device).find(key, 64)) count += !m.failure.empty();
    return count;
  };
  for (int expected : {0, 1, 1}) {
    tune::TuningLog(device).begin(key, 64, candidates()[0]);
    EXPECT_EQ(failures(), expected);
  }
  tune::TuningLog(device).begin(key, 64, candidates()[1]);
  EXPECT_EQ(failures(), 1) << "once";
  tune::TuningLog(device).add(key, 64, {candidates()[0], 5.0, ""});
  EXPECT_EQ(failures(), 0) << "it did end";
}

TEST_F(Tuner, RemembersNoFailureThatMayPass) {
  const DeviceInfo device = queue().context().device();
  tune::TuningLog log(device);
  for (int run = 0; run < 3; ++run) {
    log.begin(key, 64, candidates()[0]);
    log.add(key, 64, {candidates()[0], 0.0, "no memory", true});
    EXPECT_TRUE(log.find(key, 64).empty()) << "for the next search with this log";
    EXPECT_FALSE(log.size(key));
    EXPECT_TRUE(tune::TuningLog(device).find(key, 64).empty()) << "nor does it end the process";
  }
  log.add(key, 64, {candidates()[0], 5.0, ""});
  log.add(key, 64, {candidates()[0], 0.0, "no memory", true});
  const auto found = tune::TuningLog(device).find(key, 64);
  ASSERT_EQ(found.size(), 1u) << "what was measured before stays";
  EXPECT_EQ(found[0].gflops, 5.0);
}

TEST_F(Tuner, TriesAgainWhatTheDeviceFailedAt) {
  folder.write("product/multiply.cl", test::kernel_of_bad_tiles());
  EnvironmentVariable kernels("HILO_KERNEL_PATH", folder.file("").c_str());
  Tile fails = candidates()[0], wrong = fails;
  fails.raster_rows = 5;
  wrong.raster_rows = 3;
  // It is in use, so that there is no best yet where it fails.
  tile::store_tiles(queue().context().device(), {{key, fails, 1.0, "2026-01-31", "0.1"}});
  for (int tried : {3, 1}) {
    TuneResult r = tune(options({wrong, candidates()[0]}));
    EXPECT_EQ(r.tried, tried);
    ASSERT_TRUE(r.best);
    EXPECT_EQ(r.best->tile, candidates()[0]);
    EXPECT_EQ(r.before.tile, fails);
    EXPECT_NE(r.before.failure.find("CL_INVALID_WORK_GROUP_SIZE"), std::string::npos) << r.before.failure;
    EXPECT_TRUE(r.before.may_pass);
  }
}

TEST_F(Tuner, EndsInTime) {
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  TuneOptions o;
  o.seconds = 0.0;
  TuneResult none = tune(o);
  EXPECT_EQ(none.tried, 0);
  EXPECT_FALSE(none.best);
  EXPECT_LT(seconds(), 1.0);
  o.n = 64;
  o.seconds = 1.0;
  double last = 0.0;
  o.reports = [&](const Measurement&, const Measurement&) {
    EXPECT_LT(last, 1.0) << "a trial began after the end";
    last = seconds();
  };
  start = std::chrono::steady_clock::now();
  TuneResult some = tune(o);
  EXPECT_GE(some.tried, 1);
  EXPECT_TRUE(some.best);
  EXPECT_LT(seconds() - last, 5.0) << "but for the last comparison";
}

TEST_F(Tuner, SearchesBesideTheBest) {
  TuneOptions o;
  o.seconds = 1e9;
  o.n = 16;
  int tried = 0;
  std::vector<Tile> seen;
  o.reports = [&](const Measurement& m, const Measurement& best) {
    ++tried;
    for (const Tile& t : seen) EXPECT_FALSE(t == m.tile) << "tried twice";
    seen.push_back(m.tile);
    EXPECT_GE(best.gflops, m.gflops);
  };
  const std::size_t seeds = tune::seed_tiles(queue().context().device(), key).size();
  // Known ones count as tried: a search that takes no long time.
  tune::TuningLog log(queue().context().device());
  for (const Tile& t : tune::seed_tiles(queue().context().device(), key)) {
    if (!(t == tile::tile_for(queue().context().device(), key))) log.add(key, 16, {t, 1e-3, ""});
  }
  o.stops = [&] { return tried > 1; };
  TuneResult r = tune::tune(queue(), key, o, log);
  EXPECT_EQ(r.tried, 2);
  EXPECT_EQ(r.measurements.size(), seeds + 1) << "a neighbour of the best";
}

}  // namespace
