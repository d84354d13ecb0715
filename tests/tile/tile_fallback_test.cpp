// Products whose tile of a table the device does not build or cannot launch: the next one takes its place.
#include "tile_fallback.hpp"

#include <thread>

#include "failing_call.hpp"
#include "gemm/direct/opencl/product.hpp"
#include "gemm/native/opencl/product.hpp"

namespace hilo::tile_fallback {
namespace {

TEST_F(TileFallback, IsForATileThatDoesNotBuild) {
  check<float>(planted(not_built), "no such tile");
  check<double>(planted(not_built, true), "no such tile");
  check<std::complex<float>>(planted(not_built), "no such tile");
  check<std::complex<double>>(planted(not_built, true), "no such tile");
  check<dd_real>(planted(not_built), "no such tile");
  check<dd_complex>(planted(not_built), "no such tile");
}

TEST_F(TileFallback, IsForATileThatCannotBeLaunched) {
  const std::string why = "CL_INVALID_WORK_GROUP_SIZE";
  check<float>(planted(not_launched), why);
  check<std::complex<double>>(planted(not_launched, true), why);
  check<dd_real>(planted(not_launched), why);
  check<dd_complex>(planted(not_launched), why);
}

TEST_F(TileFallback, GoesOnFromTheUsersTileToTheShippedOneAndToTheDefault) {
  const TileKey key = key_of<float>();
  const Problem<float> p;
  ship(key, planted(1));
  plant(key, planted(not_built));
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(p.multiply(queue()), p.expected());
    EXPECT_EQ(tile::tile_for(device(), key), planted(1)) << "the shipped one";
    const std::vector<std::string> ignored = tile::tuned_tiles(device()).ignored;
    ASSERT_EQ(ignored.size(), 1u);
    expect_contains(ignored[0], {"gives way to the next one (" + to_string(planted(1)), "no such tile"});
  }
  ship(key, planted(not_launched));
  plant(key, planted(not_built));
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(p.multiply(queue()), p.expected());
    EXPECT_EQ(tile::tile_for(device(), key), default_for(key));
    const std::vector<std::string> ignored = tile::tuned_tiles(device()).ignored;
    ASSERT_EQ(ignored.size(), 2u);
    expect_contains(ignored[0], {to_string(planted(not_built)), "no such tile"});
    expect_contains(ignored[1], {to_string(planted(not_launched)), "to the default: ", "CL_INVALID_WORK_GROUP_SIZE"});
  }
}

TEST_F(TileFallback, IsForBatchesAndThreeProductsToo) {
  for (auto [raster, why] : {std::pair(not_built, "no such tile"), {not_launched, "CL_INVALID_WORK_GROUP_SIZE"}}) {
    plant(key_of<float>(), planted(raster));
    const Problem<float> batch(3);
    EXPECT_EQ(batch.multiply(queue()), batch.expected());
    expect_refused(key_of<float>(), why);
    const TileKey real{Precision::s, true, true, SizeClass::small};
    plant(real, planted(raster));
    const Problem<std::complex<float>> p;
    EXPECT_EQ(p.multiply(queue(), ComplexProduct::three), p.expected());
    EXPECT_EQ(tile::tile_for(device(), real), default_for(real));
    tile::forget_tiles();
  }
}

TEST_F(TileFallback, IsForZddWithATileOfDd) {
  if (!device().fp64) GTEST_SKIP() << "no double precision";
  plant(key_of<dd_real>(), planted(not_built));
  const Problem<dd_complex> p;
  EXPECT_EQ(p.multiply(queue()), p.expected());
  EXPECT_EQ(tile::tile_for(device(), key_of<dd_real>()), default_for(key_of<dd_real>()));
}

TEST_F(TileFallback, IsTheSameFromThreadsAtATime) {
  plant(key_of<float>(), planted(not_built));
  const Problem<float> p;
  const std::vector<float> expected = p.expected();
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (auto& c : got) {
    threads.emplace_back([&] {
      Queue own(queue().context());
      for (int call = 0; call < 3; ++call) c = p.multiply(own);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& c : got) EXPECT_EQ(c, expected);
  expect_refused(key_of<float>(), "no such tile");
}

TEST_F(TileFallback, IsNotForACallThatFailsOnce) {
  const Tile tile = planted(1, true);  // nothing is packed before
  plant(key_of<float>(), tile);
  const Problem<float> p;
  auto multiply = [&] {
    try {
      EXPECT_EQ(p.multiply(queue()), p.expected());
    } catch (const error& e) {
      expect_contains(e.what(), {"OpenCL failed while"});
    }
    EXPECT_EQ(tile::tile_for(device(), key_of<float>()), tile);
  };
  EnvironmentVariable off("HILO_CACHE", "0");
  {
    test::FailingCall<&cl_icd_dispatch::clBuildProgram> failing(queue().context().native_device(), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(p.multiply(queue()), p.expected()) << "not computed with the default tile";
    EXPECT_GT(failing.calls(), 0);
    EXPECT_EQ(tile::tile_for(device(), key_of<float>()), tile);
  }
  multiply();
  for (cl_int status : {CL_INVALID_WORK_GROUP_SIZE, CL_OUT_OF_RESOURCES}) {
    test::FailingCall<&cl_icd_dispatch::clEnqueueNDRangeKernel> failing(queue().context().native_device(), status);
    multiply();
    EXPECT_EQ(failing.calls(), 2) << "not tried again";
  }
}

TEST_F(TileFallback, IsNotForWhatTheDefaultHasToo) {
  folder.write("product/multiply.cl", "#error no tile at all\n");
  plant(key_of<float>(), planted(1));
  const Problem<float> p;
  for (int call = 0; call < 2; ++call) {
    expect_contains(message_of(errc::build_failure, [&] { p.multiply(queue()); }), {"no tile at all"});
    EXPECT_TRUE(tile::tuned_tiles(device()).ignored.empty()) << "not the tile's fault";
  }
  tile::store_tiles(device(), {{key_of<float>(), default_for(key_of<float>()), 1.0, "", ""}});
  message_of(errc::build_failure, [&] { p.multiply(queue()); });
}

TEST_F(TileFallback, IsNotForATileThatTheCallerChose) {
  Buffer<float> x(queue().context(), 64);
  const DeviceProduct single = product(x, 8, 8, 8);
  auto multiply = [&](int raster) {
    return [&, raster] {
      auto plan = native::plan_product(device(), single, ComplexProduct::four, {.tile = planted(raster)});
      native::execute(plan, single, *queue().state(), {});
    };
  };
  plant(key_of<float>(), planted(not_built));
  expect_contains(message_of(errc::build_failure, multiply(not_built)), {"no such tile"});
  expect_contains(message_of(errc::device_failure, multiply(not_launched)), {"CL_INVALID_WORK_GROUP_SIZE"});
  EXPECT_TRUE(tile::tuned_tiles(device()).ignored.empty());
  if (!device().fp64) return;
  Buffer<dd_real> y(queue().context(), 64);
  const DeviceProduct dd = product(y, 8, 8, 8);
  auto multiply_dd = [&](int raster) {
    return [&, raster] {
      auto plan = direct::plan_product(device(), dd, Accuracy::classic, true, {.tile = planted(raster)});
      direct::execute(plan, dd, *queue().state(), {});
    };
  };
  message_of(errc::build_failure, multiply_dd(not_built));
  message_of(errc::device_failure, multiply_dd(not_launched));
}

}  // namespace
}  // namespace hilo::tile_fallback
