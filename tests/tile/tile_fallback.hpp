// Devices that do not build or cannot launch a tile of a table, as planted kernels make any device.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "gemm/device_product.hpp"
#include "opencl_queue.hpp"
#include "planted_kernel.hpp"
#include "temporary_folder.hpp"
#include "tile/run.hpp"

namespace hilo::tile_fallback {

using std::int64_t;
using test::EnvironmentVariable;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;

inline constexpr int not_built = 3, not_launched = 5;

template <class T>
inline constexpr tile::NumberKind kind_of{precision_of<T>};

inline const DeviceInfo& device() {
  static const DeviceInfo& info = *new DeviceInfo(queue().context().device());
  return info;
}

// A right tile for any device and precision but for its raster.
inline Tile planted(int raster_rows, bool in_place = false) {
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
    folder.write("product/multiply.cl", test::kernel_of_bad_tiles());
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

}  // namespace hilo::tile_fallback
