// Products whose tile of a table the device does not build or cannot launch: the next one takes its place. Kernels that
// HILO_KERNEL_PATH plants make such tiles on any device: RASTER_ROWS 3 does not build, and 5 asks for a work-group of
// another size than its own.
#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <hilo/gemm.hpp>
#include <thread>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "failing_call.hpp"
#include "gemm/direct/opencl/product.hpp"
#include "gemm/native/opencl/product.hpp"
#include "opencl/embedded.hpp"
#include "opencl_queue.hpp"
#include "temporary_folder.hpp"
#include "tile/fallback.hpp"

namespace {

using namespace hilo;
using std::int64_t;
using test::EnvironmentVariable;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;

constexpr int not_built = 3, not_launched = 5;

template <class T>
constexpr tile::NumberKind kind_of{precision_of<T>};

const DeviceInfo& device() {
  static const DeviceInfo& info = *new DeviceInfo(queue().context().device());
  return info;
}

std::string embedded(const std::string& name) {
  for (std::size_t i = 0; i < opencl::embedded_file_count; ++i) {
    const opencl::EmbeddedFile& file = opencl::embedded_files[i];
    if (name == file.name) return {reinterpret_cast<const char*>(file.bytes), file.size};
  }
  return "";
}

// A right tile for any device and precision but for its raster.
Tile planted(int raster_rows, bool in_place = false) {
  return {1, 2, 2, 4, 4, 8, 1, Copies::registers, false, 1, 1, raster_rows, 1, in_place};
}

// Of matrices in column layout, not transposed.
template <class T>
TileKey key_of(SizeClass size = SizeClass::small) {
  return {precision_of<T>, true, kind_of<T>.is_double_double(), size};
}

// C = 2 A B - 3 C of small integers: every order of summation gives the same. More terms than a product in DD may have
// that takes no tile.
template <class T>
struct Problem {
  int64_t m = 5, n = 3, k = 4100, batch = 1;
  std::vector<T> a, b, c;

  explicit Problem(int64_t batch_ = 1) : batch(batch_) {
    auto fill = [](std::vector<T>& x, int64_t size, int64_t step) {
      for (int64_t i = 0; i < size; ++i) x.push_back(T(static_cast<float>(i * step % 9 - 4)));
    };
    fill(a, batch * m * k, 5);
    fill(b, batch * k * n, 7);
    fill(c, batch * m * n, 2);
  }

  std::vector<T> expected() const {
    std::vector<T> out = c;
    for (int64_t q = 0; q < batch; ++q) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < m; ++i) {
          T sum(0);
          for (int64_t h = 0; h < k; ++h) {
            sum += a[static_cast<std::size_t>((q * k + h) * m + i)] * b[static_cast<std::size_t>((q * n + j) * k + h)];
          }
          T& x = out[static_cast<std::size_t>((q * n + j) * m + i)];
          x = T(2) * sum - T(3) * x;
        }
      }
    }
    return out;
  }

  std::vector<T> multiply(Queue& q, ComplexProduct complex_product = ComplexProduct::four) const {
    std::vector<T> out = c;
    GemmOptions options{.engine = Engine::direct};
    options.complex_product = complex_product;
    if (batch == 1) {
      gemm(q, Layout::column, Op::none, Op::none, m, n, k, T(2), a.data(), m, b.data(), k, T(-3), out.data(), m,
           options);
    } else {
      gemm_strided_batch(q, Layout::column, Op::none, Op::none, m, n, k, T(2), a.data(), m, m * k, b.data(), k, k * n,
                         T(-3), out.data(), m, m * n, batch, options);
    }
    return out;
  }
};

class TileFallback : public ::testing::Test {
 protected:
  TileFallback() {
    std::string text = embedded("product/multiply.cl");
    const std::string size = "reqd_work_group_size(ITEMS, 1, 1)";
    EXPECT_NE(text.find(size), std::string::npos);
    text.replace(text.find(size), size.size(), "reqd_work_group_size(ITEMS + (RASTER_ROWS == 5), 1, 1)");
    folder.write("product/multiply.cl", "#if RASTER_ROWS == 3\n#error no such tile\n#endif\n" + text);
    folder.write("tuned_tiles.json", R"({"format": 1, "entries": []})");
    tile::forget_tiles();
  }
  ~TileFallback() override { tile::forget_tiles(); }

  void plant(const TileKey& key, const Tile& tile) {
    tile::store_tiles(device(), {{key, tile, 1.0, "2026-01-31", "0.1"}});
    ASSERT_EQ(tile::tile_for(device(), key), tile);
  }

  // Without the tables.
  Tile default_for(const TileKey& key) const { return tile::default_tiles(device(), key).front(); }

  // As if the library had been shipped with it; the user's file is empty again.
  void ship(const TileKey& key, const Tile& tile) {
    tile::store_tiles(device(), {{key, tile, 1.0, "2026-01-31", "0.1"}});
    std::filesystem::rename(folder.file("tuning.json"), folder.file("tuned_tiles.json"));
    tile::forget_tiles();
  }

  // Of the planted tile, and no other.
  void expect_refused(const TileKey& key, const std::string& why) {
    EXPECT_EQ(tile::tile_for(device(), key), default_for(key));
    const std::vector<std::string> ignored = tile::tuned_tiles(device()).ignored;
    ASSERT_EQ(ignored.size(), 1u);
    expect_contains(ignored[0], {to_string(key), why});
    EXPECT_EQ(ignored[0].find('\n'), std::string::npos);
  }

  template <class T>
  void check(const Tile& tile, const std::string& why) {
    if (kind_of<T>.word_bytes() == 8 && !device().fp64) return;
    SCOPED_TRACE(std::string(name(precision_of<T>)) + ", " + to_string(tile));
    plant(key_of<T>(), tile);
    const Problem<T> p;
    for (int call = 0; call < 2; ++call) {
      EXPECT_EQ(p.multiply(queue()), p.expected());
      expect_refused(key_of<T>(), why);
    }
  }

  // A, B and C packed, all at the beginning of one buffer.
  template <class T>
  DeviceProduct product(const Buffer<T>& buffer, int64_t m, int64_t n, int64_t k) {
    DeviceProduct p =
        device_product(packed_shape(Layout::column, Op::none, Op::none, m, n, k, sizeof(T)), {}, T(1), T(0));
    for (DeviceView* x : {&p.a, &p.b, &p.c}) x->buffer = cl::Buffer(buffer.native(), true);
    return p;
  }

  test::TemporaryFolder folder;
  EnvironmentVariable tuning{"HILO_TUNING", folder.file("tuning.json").c_str()};
  EnvironmentVariable kernels{"HILO_KERNEL_PATH", folder.file("").c_str()};
};

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

// What a call says of how it was cut.
struct Cut {
  int64_t micro_rows, micro_columns, tile_rows, tile_columns, depth;
  bool operator==(const Cut&) const = default;

  explicit Cut(const GemmPlan& p)
      : micro_rows(p.micro_rows),
        micro_columns(p.micro_columns),
        tile_rows(p.tile_rows),
        tile_columns(p.tile_columns),
        depth(p.depth) {}
};

TEST_F(TileFallback, IsWhatTheReportNames) {
  const Tile tile = planted(not_built);
  const Tile taken = tile::default_tile(device(), key_of<float>());
  ASSERT_NE(tile.panel_rows(), taken.panel_rows());
  for (int64_t batch : {1, 3}) {
    for (bool in_buffers : {false, true}) {
      plant(key_of<float>(), tile);
      const Problem<float> p(batch);
      const int64_t m = p.m, n = p.n, k = p.k;
      const GemmPlan plan =
          plan_gemm<float>(queue(), Layout::column, Op::none, Op::none, m, n, k, {.engine = Engine::direct}, batch);
      EXPECT_EQ(plan.tile_rows, tile.panel_rows());
      GemmReport report{};
      std::vector<float> c = p.c;
      if (in_buffers) {
        auto buffer = [&](const std::vector<float>& x) {
          Buffer<float> b(queue().context(), std::ssize(x));
          b.write(queue(), x.data(), 0, std::ssize(x));
          return b;
        };
        Buffer<float> a = buffer(p.a), b = buffer(p.b), result = buffer(p.c);
        gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, 2.0f, a, 0, m, m * k, b, 0, k, k * n,
                           -3.0f, result, 0, m, m * n, batch, {}, {.engine = Engine::direct}, &report)
            .wait();
        result.read(queue(), c.data(), 0, std::ssize(c));
      } else {
        report = gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, 2.0f, p.a.data(), m, m * k,
                                    p.b.data(), k, k * n, -3.0f, c.data(), m, m * n, batch, {.engine = Engine::direct});
      }
      EXPECT_EQ(c, p.expected());
      EXPECT_EQ(report.plan.micro_rows, taken.item_rows);
      EXPECT_EQ(report.plan.micro_columns, taken.item_columns);
      EXPECT_EQ(report.plan.tile_rows, taken.panel_rows());
      EXPECT_EQ(report.plan.tile_columns, taken.panel_columns());
      tile::forget_tiles();
    }
  }
}

// Plan and report say the same where nothing gives way, also of C by rows, 3M and DD.
template <class T>
void expect_planned(Layout layout, ComplexProduct complex_product = ComplexProduct::four) {
  const int64_t m = 70, n = 30, k = 50;
  const std::vector<T> a(static_cast<std::size_t>(m * k), T(1)), b(static_cast<std::size_t>(k * n), T(1));
  std::vector<T> c(static_cast<std::size_t>(m * n));
  GemmOptions options{.engine = Engine::direct};
  options.complex_product = complex_product;
  const bool by_columns = layout == Layout::column;
  const GemmPlan plan = plan_gemm<T>(queue(), layout, Op::none, Op::none, m, n, k, options);
  const GemmReport report = gemm(queue(), layout, Op::none, Op::none, m, n, k, T(1), a.data(), by_columns ? m : k,
                                 b.data(), by_columns ? k : n, T(0), c.data(), by_columns ? m : n, options);
  EXPECT_EQ(Cut(plan), Cut(report.plan)) << to_string(plan) << to_string(report.plan);
  EXPECT_EQ(plan.workspace_bytes, report.plan.workspace_bytes);
}

TEST_F(TileFallback, IsNotInTheReportWherePlansHold) {
  for (Layout layout : {Layout::column, Layout::row}) {
    expect_planned<float>(layout);
    expect_planned<std::complex<float>>(layout);
    expect_planned<std::complex<float>>(layout, ComplexProduct::three);
    if (!device().fp64) continue;
    expect_planned<double>(layout);
    expect_planned<dd_real>(layout);
    expect_planned<dd_complex>(layout);
  }
}

// By one launch: groups of 8 by 8 entries, and no more memory than counters.
TEST_F(TileFallback, IsNotForProductsInOneLaunch) {
  if (!device().fp64) GTEST_SKIP() << "no double precision";
  Buffer<dd_real> x(queue().context(), 400);
  const DeviceProduct p = product(x, 20, 9, 11);
  direct::DevicePlan plan = direct::plan_product(device(), p, Accuracy::classic, true, {.is_small = true});
  direct::execute(plan, p, *queue().state(), {}).event.wait();
  auto expect_one_launch = [](const tile::Form& form) {
    EXPECT_EQ(form.tile_rows, 8);
    EXPECT_EQ(form.tile_columns, 8);
    EXPECT_EQ(form.micro_rows, 1);
    EXPECT_EQ(form.depth, 11);
    EXPECT_EQ(form.workspace_bytes, 6 * 4);
  };
  expect_one_launch(plan.form());
  DeviceInfo gpu = device();
  gpu.type = DeviceType::gpu;
  expect_one_launch(direct::plan_product(gpu, p, Accuracy::classic, true).form());
  const DeviceProduct longer = product(x, 20, 9, 100000);
  EXPECT_GT(direct::plan_product(gpu, longer, Accuracy::classic, true).form().workspace_bytes, 6 * 4);
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
