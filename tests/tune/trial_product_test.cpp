// What a trial finds wrong in a tile's products: errors planted in right ones, and none in right kernels.
#include "tune/trial_product.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "gemm/direct/reference.hpp"
#include "opencl_queue.hpp"
#include "tile/json.hpp"
#include "tune/trial.hpp"

namespace {

using namespace hilo;
using tile::Copies;
using tile::SizeClass;
using tile::Tile;
using tile::TileKey;
using tune::TrialProduct;

const Tile tile{1, 4, 4, 8, 8, 8, 2, Copies::registers, false, 1, 1, 8, 1, true};

// What a right kernel makes of a product of that memory, by plain loops.
template <class T>
std::vector<T> right_product(const TrialProduct<T>& memory, const Product<T>& p, Accuracy accuracy) {
  std::vector<T> out = memory.c;
  for (std::int64_t j = 0; j < p.n(); ++j) {
    for (std::int64_t i = 0; i < p.m(); ++i) {
      T& c = out[static_cast<std::size_t>(&p.c(i, j) - memory.c.data())];
      if constexpr (std::same_as<T, dd_real> || std::same_as<T, dd_complex>) {
        c = direct::scale_and_add(p.alpha, direct::entry(p.a, p.b, i, j, accuracy, HILO_HAS_FMA).value, p.beta, c);
      } else {
        T sum{};
        for (std::int64_t h = 0; h < p.k(); ++h) {
          T x = p.a(i, h), y = p.b(h, j);
          if constexpr (!std::floating_point<T>) {
            if (p.a.conjugate) x = std::conj(x);
            if (p.b.conjugate) y = std::conj(y);
          }
          sum += x * y;
        }
        c = p.beta == T(0) ? p.alpha * sum : p.alpha * sum + p.beta * c;
      }
    }
  }
  return out;
}

template <class T>
std::string error_of(const tune::RunTile<T>& run, const TileKey& key, const Tile& t = tile) {
  return tune::find_error<T>(t, key, HILO_HAS_FMA, run);
}

template <class T>
void check_verification(Precision precision) {
  SCOPED_TRACE(name(precision));
  const TileKey key{precision, true, precision == Precision::dd || precision == Precision::zdd, SizeClass::large};
  Tile t = tile;
  t.in_place = false;
  using Change = std::function<void(const TrialProduct<T>&, std::vector<T>&)>;
  auto with = [&](const Change& change) {
    return error_of<T>(
        [&](const Tile&, const TrialProduct<T>& p) {
          std::vector<T> c = right_product(p, p.product, p.accuracy);
          change(p, c);
          return c;
        },
        key, t);
  };
  auto at = [](const TrialProduct<T>& p, std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(&p.product.c(i, j) - p.c.data());
  };
  EXPECT_EQ(with([](const auto&, auto&) {}), "");
  EXPECT_NE(with([&](const auto& p, auto& c) { c[at(p, p.product.m() - 1, p.product.n() - 1)] = T(7); }), "") << "last";
  EXPECT_NE(with([&](const auto& p, auto& c) { c[at(p, 0, 0)] = p.c[at(p, 0, 0)]; }), "") << "not written";
  EXPECT_NE(with([&](const auto& p, auto& c) { c[at(p, 1, 1)] = T(std::numeric_limits<double>::quiet_NaN()); }), "")
      << "NaN";
  EXPECT_NE(with([&](const auto& p, auto& c) { std::swap(c[at(p, 0, 0)], c[at(p, 1, 0)]); }), "") << "elsewhere";
  EXPECT_NE(with([&](const auto& p, auto& c) {
              if (p.product.c.column_stride > p.product.m()) c[at(p, p.product.m(), 0)] = T(0);
            }),
            "")
      << "beside C";
  EXPECT_NE(with([&](const auto& p, auto& c) {
              if (p.product.beta != T(0)) c[at(p, 2, 1)] -= p.product.beta * p.c[at(p, 2, 1)];
            }),
            "")
      << "beta";
  // A step left out, the last one.
  EXPECT_NE(error_of<T>(
                [&](const Tile&, const TrialProduct<T>& p) {
                  Product<T> shorter = p.product;
                  shorter.a.columns -= 1;
                  return right_product(p, shorter, p.accuracy);
                },
                key, t),
            "");
}

TEST(TunerVerification, FindsWhatIsWrong) {
  check_verification<float>(Precision::s);
  check_verification<double>(Precision::d);
  check_verification<std::complex<float>>(Precision::c);
  check_verification<std::complex<double>>(Precision::z);
  check_verification<dd_real>(Precision::dd);
  check_verification<dd_complex>(Precision::zdd);
}

TEST(TunerVerification, AsksForTheBitsOfBothAccuracies) {
  const TileKey key{Precision::dd, true, true, SizeClass::large};
  for (Accuracy ignored : {Accuracy::classic, Accuracy::fast}) {
    EXPECT_NE(
        error_of<dd_real>(
            [&](const Tile&, const TrialProduct<dd_real>& p) { return right_product(p, p.product, ignored); }, key),
        "");
  }
}

TEST(TunerVerification, FindsNoErrorInTilesThatAreUnrolledInPart) {
  Tile t{.item_rows = 2, .item_columns = 2, .group_rows = 4, .group_columns = 4, .depth = 8};
  for (Precision p : {Precision::s, Precision::dd}) {
    const TileKey key{p, true, true, SizeClass::small};
    const auto trial = tune::make_trial(queue(), key, 48);
    for (const auto& [stages, unroll] : {std::pair(0, 1), {2, 3}}) {
      t.stages = stages;
      t.unroll = unroll;
      EXPECT_EQ(trial->find_error(t), "") << name(p) << ", " << to_string(t);
      EXPECT_EQ(trial->find_error_of_timed(t), "") << name(p) << ", " << to_string(t);
      host::Json entry;
      entry["tile"] = tile::json_of(t);
      EXPECT_EQ(entry["tile"]["unroll"], unroll);
      EXPECT_EQ(tile::tile_at(entry, {p}), t);
    }
  }
  t.unroll = 0;
  EXPECT_FALSE(tile::json_of(t).contains("unroll")) << "the default";
}

}  // namespace
