// What routines on matrices of host memory are asked for: bad arguments, too little memory, nothing to do.
#include <hilo/group_matrix.hpp>
#include <hilo/streaming.hpp>

#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"
#include "opencl_queue.hpp"
#include "streamed.hpp"

namespace hilo::test {
namespace {

using std::int64_t;

TEST(OpenclStreamedArguments, AreNamed) {
  StoredMatrix<double> a(Layout::column, 40, 30, 1), b(Layout::column, 40, 5, 2);
  const StoredMatrix<double> before = a;
  std::vector<int64_t> pivots(30), few(7);
  BlockedOptions options;
  auto expect = [](const std::string& words, auto call, errc code = errc::invalid_argument) {
    expect_contains(message_of(code, call), {words});
  };
  expect("getrf: ", [&] { getrf(queue(), a.view, few, options); });
  expect("potrf: A, 40 x 30, is not square", [&] { potrf(queue(), Uplo::lower, a.view, options); });
  expect("getrs: ", [&] { getrs(queue(), Op::none, a.read(), pivots, b.view, options); });
  options.device_bytes = -1;
  expect("device_bytes", [&] { getrf(queue(), a.view, pivots, options); });
  options.device_bytes = 100;
  expect(
      "getrf: the least piece of the matrices takes ", [&] { getrf(queue(), a.view, pivots, options); },
      errc::out_of_memory);
  expect(
      "there are 100 of ", [&] { getrf(queue(), a.view, pivots, options); }, errc::out_of_memory);
  EXPECT_EQ(first_difference(a.elements, before.elements), -1);
}

// Where A has been written B may have been: a failure comes while B's pieces are solved for.
TEST(OpenclStreamedFailures, OfSystemsNameBothResults) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const StoredMatrix<double> a = positive_matrix<double>(Layout::column, Uplo::lower, 60),
                             b(Layout::column, 60, 400, 2);
  BlockedOptions options = options_of(Engine::direct, 8);
  options.device_bytes = 20000;
  opencl::WorkspacePool& pool = queue().context().state()->workspaces;
  for (bool is_lu : {true, false}) {
    int spoilt = 0;
    for (int64_t step = 60; step < 600; step += 25) {
      StoredMatrix<double> x = a, y = b;
      std::vector<int64_t> pivots(60);
      pool.fail_after(step);
      try {
        is_lu ? gesv(queue(), x.view, pivots, y.view, options) : posv(queue(), Uplo::lower, x.view, y.view, options);
      } catch (const error& failure) {
        if (first_difference(x.elements, a.elements) < 0) continue;
        spoilt += first_difference(y.elements, b.elements) >= 0;
        EXPECT_TRUE(std::string_view(failure.what()).ends_with("A and B are undefined")) << failure.what();
      }
    }
    pool.fail_after(-1);
    EXPECT_GT(spoilt, 0);
  }
}

// Of a product within a routine the message has the routine's name alone.
// With as much memory as falls short by a little: on each device another size, which fails where much is done already.
TEST(OpenclStreamedFailures, NameTheRoutine) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  BlockedOptions options = options_of(Engine::automatic, 1);
  const auto failure_with = [&](int64_t bytes) -> std::string {
    StoredMatrix<dd_real> a = positive_matrix<dd_real>(Layout::column, Uplo::lower, 71);
    options.device_bytes = bytes;
    try {
      potrf(queue(), Uplo::lower, a.view, options);
      return {};
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::out_of_memory) << failure.what();
      return failure.what();
    }
  };
  int64_t few = 1000, enough = 1 << 20;
  ASSERT_EQ(failure_with(enough), "");
  while (enough - few > 64) {
    const int64_t bytes = (few + enough) / 2;
    (failure_with(bytes).empty() ? enough : few) = bytes;
  }
  expect_contains(failure_with(few), {"potrf: panels of ", "; A is undefined"});
}

TEST(OpenclStreamedArguments, MayBeEmpty) {
  StoredMatrix<double> none(Layout::column, 0, 0), a(Layout::column, 3, 3, 1), b(Layout::column, 3, 0);
  std::vector<int64_t> pivots;
  StreamReport report;
  EXPECT_EQ(getrf(queue(), none.view, pivots, {}, &report), 0);
  EXPECT_EQ(potrf(queue(), Uplo::upper, none.view), 0);
  trsm(queue(), Side::left, Uplo::lower, Diag::unit, 1.0, a.read(), b.view);
  EXPECT_EQ(report.bytes_in, 0);
}

// C = beta · C is all there is to do.
TEST(OpenclStreamedArguments, MayHaveNoTerms) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  const StoredMatrix<dd_real> none(Layout::column, 300, 0), c(Layout::column, 300, 300, 1);
  for (const int64_t part : {0, 4}) {
    StoredMatrix<dd_real> x = c, y = c;
    BlockedOptions options;
    options.device_bytes = part > 0 ? 300 * 300 * 16 / part : 0;
    syrk(queue(), Uplo::lower, dd_real(1), none.read(), dd_real(0.5), x.view, options);
    herk(queue(), Uplo::upper, dd_real(1), none.read(), dd_real(0.5), y.view, options);
    for (int64_t j = 0; j < 300; ++j) {
      for (int64_t i = 0; i < 300; ++i) {
        const dd_real half = c.view(i, j) * dd_real(0.5);
        ASSERT_EQ(x.view(i, j), i >= j ? half : c.view(i, j)) << part << ": " << i << ", " << j;
        ASSERT_EQ(y.view(i, j), i <= j ? half : c.view(i, j)) << part << ": " << i << ", " << j;
      }
    }
  }
}

// A row whose elements are apart is a matrix whose columns are contiguous.
TEST(OpenclStreamedArguments, MayBeARowOfElementsApart) {
  if (!queue().context().device().fp64) GTEST_SKIP() << "no double precision";
  std::vector<double> row(40);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<double>(i);
  std::vector<double> wanted = row;
  for (std::size_t i = 0; i < row.size(); i += 5) wanted[i] /= 4;
  const double four = 4;
  trsm(queue(), Side::left, Uplo::lower, Diag::non_unit, 1.0, MatrixView<const double>{&four, 1, 1, 1, 1},
       MatrixView<double>{row.data(), 1, 8, 7, 5});
  EXPECT_EQ(row, wanted);
  GroupMatrix<double> there(DeviceGroup{queue()}, 1, 8);
  there.write({row.data(), 1, 8, 7, 5});
  std::vector<double> back(40, -1.0);
  there.read({back.data(), 1, 8, 7, 5});
  for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(back[i], i % 5 == 0 ? row[i] : -1.0) << i;
}

}  // namespace
}  // namespace hilo::test
