// Products that take more device memory than they are given go in panels: the same bits and reports as in one piece,
// with memory for a tenth of the operands.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "../gemm/opencl_transfer.hpp"
#include "full_problem.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "stream/product.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

template <class T>
class OpenclStream : public testing::Test {};
TYPED_TEST_SUITE(OpenclStream, Precisions, PrecisionName);

template <class T>
int64_t operand_bytes(const Problem<T>& p) {
  return (p.m * p.k + p.k * p.n + p.m * p.n) * static_cast<int64_t>(sizeof(T));
}

// Another value for as long as it lives.
template <class T>
class Restored {
 public:
  Restored(T& x, T value) : x_(x), before_(std::exchange(x, value)) {}
  ~Restored() { x_ = before_; }
  Restored(const Restored&) = delete;

 private:
  T& x_;
  T before_;
};

// So many bytes of a device, or where its tiles are larger the least that panels take, and some for more moduli.
template <class T>
int64_t bytes_for_panels(const Problem<T>& p, GemmOptions options, int64_t wanted) {
  options.device_bytes = 1;
  const std::string message = message_of(errc::out_of_memory, [&] { multiply_from_host(queue(), p, options); });
  const std::string before = "take at least ";
  const std::size_t at = message.find(before);
  if (at == std::string::npos) return wanted;
  const int64_t least = std::stoll(message.substr(at + before.size()));
  return std::max(wanted, least + least / 4);
}

// As the CPU has it, with so much device memory, in panels.
template <class T>
GemmReport expect_in_panels(const Problem<T>& p, GemmOptions options, int64_t bytes, const std::string& what,
                            const Storage& s = {}) {
  options.device_bytes = bytes_for_panels(p, options, bytes);
  const GemmReport got = expect_as_on_cpu(p, options, what, s);
  EXPECT_GT(got.stream.row_panels * got.stream.column_panels, 1) << what;
  return got;
}

TYPED_TEST(OpenclStream, ATenthOfTheOperands) {
  using T = TypeParam;
  for (bool has_scalars : {false, true}) {
    // A tile's lines of both, and so few terms that they are less than a tenth.
    const auto p = full_problem<T>(is_long() ? 1030 : 800, is_long() ? 900 : 760, 100, has_scalars);
    expect_in_panels(p, modular, operand_bytes(p) / 10, "a tenth");
    // Once more, without a first look.
    GemmOptions options = modular;
    options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 10);
    GemmReport again;
    multiply_from_host(queue(), p, options, &again);
    const StreamReport& x = again.stream;
    const int64_t element = sizeof(T);
    EXPECT_EQ(x.passes, has_scalars ? 2 : 1);
    EXPECT_GE(x.bytes_in, (p.m + p.n) * p.k * element);
    EXPECT_EQ(x.bytes_out, p.m * p.n * element);
    EXPECT_GT(x.seconds, 0.0);
    EXPECT_GT(x.seconds_kernel, 0.0);
    EXPECT_GE(x.overlap(), 0.0);
    EXPECT_LE(x.overlap(), 1.0);
  }
}

TYPED_TEST(OpenclStream, AllStorages) {
  using T = TypeParam;
  const auto p = full_problem<T>(300, 280, 66, true);
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : {Op::none, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose}) {
        expect_in_panels(p, modular, operand_bytes(p), "storage", {layout, opa, opb, 3});
      }
    }
  }
}

// Products of panels by Strassen's algorithm, the last ones with few lines, and of C that is read.
TYPED_TEST(OpenclStream, Levels) {
  using T = TypeParam;
  for (int levels : {1, 2}) {
    // Every block of a level has lines of a tile.
    const modular::ByteUnit unit = modular::byte_unit(*queue().context().state());
    const int64_t more = modular::byte_tiles(unit).front().columns > 128 ? 400 : 0;
    const auto p = full_problem<T>(590 + more, 549 + more, 250, levels == 1);
    GemmOptions options = modular;
    options.levels = levels;
    const Storage storage{levels == 1 ? Layout::column : Layout::row, Op::none, Op::transpose, 3};
    GemmReport whole;
    multiply_from_host(queue(), p, options, &whole, storage);
    // A little less than it takes in one piece.
    const int64_t bytes = operand_bytes(p) + whole.plan.workspace_bytes * 7 / 8;
    const GemmReport got = expect_in_panels(p, options, bytes, std::to_string(levels) + " levels", storage);
    EXPECT_EQ(got.plan.levels, levels);
  }
}

TYPED_TEST(OpenclStream, EveryAccuracy) {
  using T = TypeParam;
  const auto p = full_problem<T>(200, 180, 70, false);
  for (Accuracy accuracy : {Accuracy::fast, Accuracy::tight, Accuracy::normwise}) {
    GemmOptions options = modular;
    options.accuracy = accuracy;
    expect_in_panels(p, options, operand_bytes(p), std::string(name(accuracy)));
  }
}

// The largest element of one row, which its sums are measured by, meets next to nothing in one column, and the others
// 2^-bits of it.
template <class T>
void let_one_entry_ask(Problem<T>& p, int bits) {
  for (int64_t h = 0; h < p.k; ++h) {
    p.a[static_cast<std::size_t>(390 + h * p.m)] = h == 0 ? T(1) : scaled(T(1), -bits);
    p.b[static_cast<std::size_t>(h + 350 * p.k)] = h == 0 ? scaled(T(1), -bits) : T(1);
  }
}

// All lines ask for more moduli than a like product before let expect: C is computed again. Or for so many that panels
// cannot tell, when C has been written.
TYPED_TEST(OpenclStream, LaterLinesAskForMore) {
  using T = TypeParam;
  auto p = full_problem<T>(400, 360, 70, false);
  GemmOptions options = modular;
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 2);
  GemmReport alike, more, most;
  multiply_from_host(queue(), p, options, &alike);
  let_one_entry_ask(p, 7);
  EXPECT_EQ(first_difference(multiply_from_host(queue(), p, options, &more), p.multiply(on_cpu<T>(modular))), -1);
  EXPECT_GT(more.plan.moduli, alike.plan.moduli);
  EXPECT_EQ(more.stream.passes, 2);
  let_one_entry_ask(p, 12);
  EXPECT_EQ(first_difference(multiply_from_host(queue(), p, options, &most), p.multiply(on_cpu<T>(modular))), -1);
  EXPECT_EQ(most.stream.passes, 0);
  EXPECT_EQ(name(most.plan.backend), "cpu");
}

// Inf, NaN, results that may overflow and exponents that spread: what panels cannot tell is the CPU's.
TYPED_TEST(OpenclStream, WhatPanelsCannotTell) {
  using T = TypeParam;
  auto p = full_problem<T>(300, 280, 70, false);
  GemmOptions options = modular;
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 2);
  auto expect_cpu = [&](const char* what) {
    GemmReport report;
    const auto got = multiply_from_host(queue(), p, options, &report);
    GemmOptions on = on_cpu<T>(modular);
    on.engine = Engine::modular;
    EXPECT_EQ(first_difference(got, p.multiply(on)), -1) << what;
    EXPECT_EQ(name(report.plan.backend), "cpu") << what;
  };
  const T kept = p.a[299];
  p.a[299] = number<T>(std::numeric_limits<double>::infinity());
  expect_cpu("Inf in the last row");
  p.a[299] = kept;
  for (int64_t i = 0; i < 200; ++i) {
    for (int64_t h = 0; h < p.k; ++h) {
      T& e = p.a[static_cast<std::size_t>(i + h * p.m)];
      e = scaled(e, static_cast<int>(h % 2 == 0 ? 0 : -60));
    }
  }
  for (int64_t j = 0; j < p.n; ++j) {
    for (int64_t h = 0; h < p.k; h += 2) p.b[static_cast<std::size_t>(h + j * p.k)] = T(0);
  }
  expect_cpu("exponents that spread");
}

// The engine that it takes has fused multiply-adds, whatever options say.
TEST(OpenclStreamChoice, ReproducibleInPanels) {
  const auto p = full_problem<dd_real>(300, 280, 65, true);
  for (Fma fma : {Fma::off, Fma::on, Fma::automatic}) {
    GemmOptions options{.engine = Engine::reproducible, .fma = fma};
    const auto want = p.multiply(on_cpu<dd_real>(options));
    options.device_bytes = bytes_for_panels(p, options, 1500000);
    GemmReport report;
    EXPECT_EQ(first_difference(multiply_from_host(queue(), p, options, &report), want), -1);
    EXPECT_GT(report.stream.row_panels * report.stream.column_panels, 1);
  }
}

// What a product before it took says nothing to one that would not take so many moduli.
TEST(OpenclStreamChoice, DoesNotDependOnTheOneBefore) {
  const auto p = full_problem<dd_real>(300, 280, 70, false);
  std::vector<dd_real> c(static_cast<std::size_t>(p.m * p.n));
  opencl::ContextState& context = *queue().context().state();
  const GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, p.m, p.n, p.k, sizeof(dd_real));
  const DeviceProduct product = device_product(shape, {}, p.alpha, p.beta);
  const auto host = [&](const dd_real* x, int64_t rows, int64_t columns) {
    return stream::host_matrix(x, {rows, columns, 1, rows, false}, sizeof(dd_real));
  };
  const stream::HostProduct whole{
      {host(p.a.data(), p.m, p.k), host(p.b.data(), p.k, p.n)}, host(c.data(), p.m, p.n), product, shape};
  auto outcome = [&](int most_moduli) {
    std::vector<stream::Way> ways;
    ways.push_back({queue().state().get(), plan_product(context, shape, product, modular)});
    std::get<modular::DevicePlan>(ways[0].plan.engine).most_moduli = most_moduli;
    GemmReport report{ways[0].plan.told};
    std::vector<StreamReport> streams;
    const bool is_done = multiply_in_panels(ways, whole, modular, nullptr, report, streams) == stream::Outcome::done;
    return is_done ? report.plan.moduli : 0;
  };
  const int usual = outcome(modular::max_moduli);
  EXPECT_GT(usual, 0);
  modular::note_choice(context, modular::ElementKind(Precision::dd), Accuracy::classic, p.k,
                       modular::ScalingChoice{Path::modular, {110, 110}, {0, 0}, usual + 1, true});
  EXPECT_EQ(outcome(usual), usual);
  EXPECT_EQ(first_difference(c, p.multiply(on_cpu<dd_real>(modular))), -1);
  EXPECT_EQ(outcome(usual - 1), 0);
}

TEST(OpenclStreamChoice, AutomaticTakesTheDirectEngineForThem) {
  auto p = full_problem<dd_real>(300, 280, 70, true);
  p.a[299] = dd_real(std::numeric_limits<double>::infinity());
  GemmOptions options;
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 2);
  GemmReport report;
  const auto got = multiply_from_host(queue(), p, options, &report);
  EXPECT_EQ(name(report.plan.engine), "direct");
  EXPECT_EQ(name(report.plan.backend), "opencl");
  EXPECT_GT(report.entries_recomputed, 0);
  EXPECT_EQ(first_difference(got, p.multiply(on_cpu<dd_real>({.engine = Engine::direct}))), -1);
}

// Sums of few bits are exact in any order.
template <class T>
void expect_by_own_arithmetic() {
  const auto p = random_problem<T>(800, 760, 40, true);
  GemmOptions options{.engine = Engine::direct};
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 10);
  GemmReport report;
  const auto got = multiply_from_host(queue(), p, options, &report);
  EXPECT_GT(report.stream.row_panels * report.stream.column_panels, 1);
  GemmOptions on = on_cpu<T>({.engine = Engine::direct});
  if (!double_double<T>) on.engine = Engine::direct;
  EXPECT_EQ(first_difference(got, p.multiply(on)), -1) << name(precision_of<T>);
}

TEST(OpenclStreamDirect, ATenthOfTheOperands) {
  expect_by_own_arithmetic<dd_real>();
  expect_by_own_arithmetic<dd_complex>();
  expect_by_own_arithmetic<double>();
  expect_by_own_arithmetic<std::complex<double>>();
}

TEST(OpenclStreamMemory, TooLittleIsNamed) {
  const auto p = full_problem<dd_real>(300, 280, 70, true);
  for (Engine engine : {Engine::modular, Engine::direct}) {
    GemmOptions options{.engine = engine};
    options.device_bytes = 1000;
    const std::string message = message_of(errc::out_of_memory, [&] { multiply_from_host(queue(), p, options); });
    expect_contains(message, {"panels of 70 terms take at least", "and there are 1000"});
  }
  GemmOptions options;
  options.device_bytes = -1;
  expect_contains(message_of(errc::invalid_argument, [&] { multiply_from_host(queue(), p, options); }),
                  {"options.device_bytes = -1"});
}

// C = beta · C goes by some of C's lines at a time: no buffer has room for half of it.
TYPED_TEST(OpenclStream, ScalesMoreThanTheDeviceHas) {
  using T = TypeParam;
  opencl::ContextState& context = *queue().context().state();
  const Restored<std::int64_t> most(context.info.max_allocation, 210 * 130 * int64_t{sizeof(T)} / 2);
  for (const int64_t k : {0, 70}) {
    context.workspaces.let_go();
    auto p = full_problem<T>(210, 130, k, true);
    p.alpha = T(0);
    const auto want = p.multiply(on_cpu<T>({}));
    for (const Layout layout : {Layout::column, Layout::row}) {
      std::vector<T> elements(p.c0.size());
      const auto c = view(layout, Op::none, elements.data(), 210, 130, layout == Layout::column ? 210 : 130);
      for (int64_t j = 0; j < 130; ++j) {
        for (int64_t i = 0; i < 210; ++i) c(i, j) = p.c0[static_cast<std::size_t>(i + 210 * j)];
      }
      GemmOptions options;
      options.device_bytes = 210 * 130 * int64_t{sizeof(T)} / 10;
      gemm<T>(queue(), p.alpha, view(Layout::column, Op::none, p.a.data(), 210, k, 210),
              view(Layout::column, Op::none, p.b.data(), k, 130, std::max<int64_t>(k, 1)), p.beta, c, options);
      for (int64_t j = 0; j < 130; ++j) {
        for (int64_t i = 0; i < 210; ++i) {
          ASSERT_EQ(c(i, j), want[static_cast<std::size_t>(i + 210 * j)]) << k << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(OpenclStreamMemory, NoneIsLeftForPanels) {
  const auto p = full_problem<dd_real>(700, 650, 70, true);
  GemmOptions options = modular;
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p) / 2);
  const auto want = multiply_from_host(queue(), p, options);
  opencl::WorkspacePool& pool = queue().context().state()->workspaces;
  // Fewer and smaller panels do, until there is nothing more to give up.
  for (int64_t count : {0, 3, 10, 30}) {
    pool.fail_after(count);
    std::vector<dd_real> got;
    try {
      got = multiply_from_host(queue(), p, options);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::out_of_memory) << e.what();
    }
    pool.fail_after(-1);
    if (!got.empty()) {
      EXPECT_EQ(first_difference(got, want), -1) << count;
    }
    EXPECT_EQ(first_difference(multiply_from_host(queue(), p, options), want), -1) << count;
  }
}

// From pinned memory nothing is copied on the way.
TYPED_TEST(OpenclStream, PinnedMemory) {
  using T = TypeParam;
  const auto p = full_problem<T>(330, 300, 70, true);
  GemmOptions options = modular;
  options.device_bytes = bytes_for_panels(p, options, operand_bytes(p));
  const auto want = multiply_from_host(queue(), p, options);
  const Context context = queue().context();
  HostBuffer<T> a(context, p.m * p.k), b(context, p.k * p.n), c(context, p.m * p.n);
  std::copy(p.a.begin(), p.a.end(), a.begin());
  std::copy(p.b.begin(), p.b.end(), b.begin());
  std::copy(p.c0.begin(), p.c0.end(), c.begin());
  const int64_t staged = staged_by(queue(), [&] {
    gemm<T>(queue(), Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a.data(), p.m, b.data(), p.k, p.beta,
            c.data(), p.m, options);
  });
  EXPECT_EQ(staged, 0);
  EXPECT_EQ(first_difference(std::vector<T>(c.begin(), c.end()), want), -1);
}

}  // namespace
}  // namespace hilo::test
