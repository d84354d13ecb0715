// Panels of matrices in pinned memory that several devices need come from the host once: bits and reports as where each
// has them from there, on devices of one context and of several. Also in imported_memory_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <hilo/device_group.hpp>
#include <hilo/streaming.hpp>
#include <vector>

#include "../gemm/opencl_transfer.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "opencl/peer_memory.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

// Pieces so small that their places are used again and again.
constexpr opencl::StagingSizes shared = {.shared_bytes = 1, .passed_bytes = 20000},
                               not_shared = {.shared_bytes = std::size_t{1} << 40};

// One device so many times; the last one with a context of its own, where there are ways between contexts.
DeviceGroup group_of(int count, bool have_contexts = false) {
  std::vector<Context> contexts(static_cast<std::size_t>(count), queue().context());
  if (have_contexts) contexts.back() = test_context();
  return DeviceGroup(contexts);
}

// A problem's matrices in pinned memory, in lines with elements between them.
template <class T>
class Pinned {
 public:
  Pinned(const Problem<T>& p, Layout layout)
      : p_(p), layout_(layout), a_(of(p.a, p.m, p.k)), b_(of(p.b, p.k, p.n)), c_(of(p.c0, p.m, p.n)) {}

  GroupReport multiply(const DeviceGroup& devices, const GemmOptions& options) {
    fill(c_, p_.c0, p_.m, p_.n);
    return gemm<T>(devices, p_.alpha, view_of<const T>(a_, p_.m, p_.k), view_of<const T>(b_, p_.k, p_.n), p_.beta,
                   view_of<T>(c_, p_.m, p_.n), options);
  }
  std::vector<T> c() const {
    std::vector<T> x(p_.c0.size());
    for (int64_t j = 0; j < p_.n; ++j) {
      for (int64_t i = 0; i < p_.m; ++i) x[static_cast<std::size_t>(i + j * p_.m)] = c_.data()[at(i, j, p_.m, p_.n)];
    }
    return x;
  }

 private:
  static constexpr int64_t pad = 3;
  int64_t pitch(int64_t rows, int64_t columns) const { return (layout_ == Layout::column ? rows : columns) + pad; }
  int64_t at(int64_t i, int64_t j, int64_t rows, int64_t columns) const {
    return layout_ == Layout::column ? i + j * pitch(rows, columns) : i * pitch(rows, columns) + j;
  }
  void fill(const HostBuffer<T>& to, const std::vector<T>& from, int64_t rows, int64_t columns) const {
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i) {
        to.data()[at(i, j, rows, columns)] = from[static_cast<std::size_t>(i + j * rows)];
      }
    }
  }
  HostBuffer<T> of(const std::vector<T>& x, int64_t rows, int64_t columns) const {
    HostBuffer<T> buffer(queue().context(), pitch(rows, columns) * (layout_ == Layout::column ? columns : rows));
    fill(buffer, x, rows, columns);
    return buffer;
  }
  template <class Element>
  MatrixView<Element> view_of(const HostBuffer<T>& x, int64_t rows, int64_t columns) const {
    return view(layout_, Op::none, static_cast<Element*>(x.data()), rows, columns, pitch(rows, columns));
  }

  const Problem<T>& p_;
  const Layout layout_;
  HostBuffer<T> a_, b_, c_;
};

struct Bytes {
  int64_t in = 0, passed = 0;
};
Bytes bytes_of(const GroupReport& report) {
  Bytes all;
  for (const StreamReport& device : report.devices) {
    all.in += device.bytes_in;
    all.passed += device.bytes_passed;
  }
  return all;
}

template <class T>
class OpenclSharedPanels : public testing::Test {};
TYPED_TEST_SUITE(OpenclSharedPanels, Precisions, PrecisionName);

// Parts with as many lines, with fewer, with more than the first, and in a row.
TYPED_TEST(OpenclSharedPanels, ComeOnceWithTheBitsOfOneDevice) {
  using T = TypeParam;
  if (is_complex<T> && !is_long()) GTEST_SKIP() << "HILO_LONG_TESTS";
  const int64_t element = sizeof(T);
  for (const auto& [m, n, k] :
       {std::array<int64_t, 3>{320, 320, 70}, {331, 287, 64}, {40, 700, 97}, {321, 321, 65}, {257, 609, 66}}) {
    for (const bool has_scalars : {false, true}) {
      const auto p = random_problem<T>(m, n, k, has_scalars);
      const auto want = p.multiply(on_cpu<T>(modular));
      for (const Layout layout : {Layout::column, Layout::row}) {
        Pinned<T> x(p, layout);
        for (const int devices : {2, 3, 4, 6}) {
          const std::string what = std::to_string(devices) + " devices, m = " + std::to_string(m) +
                                   (layout == Layout::row ? ", rows" : ", columns");
          const DeviceGroup group = group_of(devices);
          GroupReport apart, together;
          {
            const Sizes sizes(not_shared);
            apart = x.multiply(group, modular);
          }
          const Sizes sizes(shared);
          // With places that are there already, too.
          for (int round = 0; round < 2; ++round) {
            together = x.multiply(group, modular);
            EXPECT_EQ(first_difference(x.c(), want), -1) << what;
          }
          EXPECT_EQ(together.plan.moduli, apart.plan.moduli);
          EXPECT_EQ(bytes_of(apart).passed, 0) << what;
          if (together.devices.front().passes != apart.devices.front().passes) continue;
          // Each byte comes by the host or by another device.
          const Bytes one = bytes_of(apart), other = bytes_of(together);
          EXPECT_EQ(other.in + other.passed, one.in) << what;
          if (together.devices.front().passes == 1) {
            const int64_t of_c = has_scalars ? m * n : 0;
            EXPECT_EQ(other.in, (m * k + k * n + of_c) * element) << what;
          }
        }
      }
    }
  }
}

// Whose products read the panels themselves, in places of their own.
TEST(OpenclSharedPanelsDirect, ComeOnceWithTheBitsOfOneDevice) {
  const Sizes sizes(shared);
  const auto p = random_problem<dd_real>(300, 280, 40, true);
  GemmOptions options;
  options.engine = Engine::direct;
  Pinned<dd_real> x(p, Layout::column);
  x.multiply(DeviceGroup(queue()), options);
  const auto want = x.c();
  const GroupReport report = x.multiply(group_of(4), options);
  EXPECT_EQ(first_difference(x.c(), want), -1);
  EXPECT_EQ(bytes_of(report).in, (300 * 40 + 40 * 280 + 300 * 280) * 16);
}

// Of Strassen's algorithm: those of the largest part, in parts that can have them. Of two devices with 208 and 182
// rows only the first can have two, in tiles of 64 lines at most.
TEST(OpenclSharedPanelsLevels, HaveTheBitsOfOneDevice) {
  const Sizes sizes(shared);
  GemmOptions options = modular;
  const bool has_small_tiles = modular::byte_tiles(modular::byte_unit(*queue().state()->context)).back().columns <= 64;
  for (const auto& [m, n, levels] : {std::array<int64_t, 3>{531, 300, 1}, {300, 529, 1}, {390, 256, 2}}) {
    options.levels = static_cast<int>(levels);
    const auto p = random_problem<dd_real>(m, n, 200, false);
    const auto want = p.multiply(on_cpu<dd_real>(modular));
    Pinned<dd_real> x(p, Layout::column);
    for (const int devices : {2, 4}) {
      const GroupReport report = x.multiply(group_of(devices), options);
      EXPECT_EQ(first_difference(x.c(), want), -1) << m << ", " << devices;
      if (devices > 2) continue;
      EXPECT_GT(bytes_of(report).passed, 0) << m;
      EXPECT_EQ(report.plan.levels, has_small_tiles ? levels : 1) << m;
    }
  }
}

TEST(OpenclSharedPanelsMemory, IsOfTheCallersBytes) {
  const auto p = random_problem<dd_real>(640, 610, 70, false);
  Pinned<dd_real> x(p, Layout::column);
  GemmOptions options = modular;
  options.device_bytes = 3000000;
  // Larger pieces have no place beside the panels.
  for (const std::size_t piece : {20000, 200000}) {
    const Sizes sizes({.shared_bytes = 1, .passed_bytes = piece});
    const GroupReport report = x.multiply(group_of(4), options);
    EXPECT_EQ(first_difference(x.c(), p.multiply(on_cpu<dd_real>(modular))), -1) << piece;
    EXPECT_EQ(bytes_of(report).passed > 0, piece == 20000);
  }
}

// What routines do with products is in their reports.
TEST(OpenclSharedPanelsRoutines, TellOfThem) {
  const Sizes sizes(shared);
  constexpr int64_t n = 320;
  const auto p = random_problem<dd_real>(n, n, n, false);
  const HostBuffer<dd_real> a(queue().context(), n * n), b(queue().context(), n * n);
  std::copy(p.a.begin(), p.a.end(), a.begin());
  std::copy(p.b.begin(), p.b.end(), b.begin());
  BlockedOptions options;
  options.engine = Engine::modular;
  options.device_bytes = n * n * 16;
  StreamReport report;
  trsm<dd_real>(group_of(2), Side::left, Uplo::lower, Diag::unit, 1, {a.data(), n, n, 1, n}, {b.data(), n, n, 1, n},
                options, &report);
  EXPECT_GT(report.bytes_passed, 0);
}

TEST(OpenclSharedPanelsContexts, HaveTheBitsOfOneDevice) {
  const Sizes sizes(shared);
  const auto p = random_problem<dd_real>(331, 287, 64, true);
  Pinned<dd_real> x(p, Layout::column);
  for (const int devices : {2, 4}) {
    const DeviceGroup group = group_of(devices, true);
    const std::vector<opencl::ContextState*> contexts = {group.queue(0).context().state().get(),
                                                         group.queue(devices - 1).context().state().get()};
    const bool reach_each_other = opencl::PeerMemory::make(contexts, 0, 1).has_value();
    const GroupReport report = x.multiply(group, modular);
    EXPECT_EQ(first_difference(x.c(), p.multiply(on_cpu<dd_real>(modular))), -1) << devices;
    // Two of four that are of one context reach each other's.
    if (devices == 2) {
      EXPECT_EQ(bytes_of(report).passed > 0, reach_each_other);
    }
  }
}

}  // namespace
}  // namespace hilo::test
