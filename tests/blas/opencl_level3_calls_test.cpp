// Calls of level 3 in device memory: events, what is refused, and what there is nothing or little to do of.
#include <cmath>
#include <hilo/blas.hpp>
#include <limits>

#include "blas/opencl/arguments.hpp"
#include "error_message.hpp"
#include "on_device.hpp"
#include "opencl/native.hpp"

namespace hilo::test {
namespace {

const BlockedOptions direct{.engine = Engine::direct, .fma = Fma::on};

// Of S, some ε of the largest entry.
void expect_alike(const OnDevice<float>& found, const StoredMatrix<float>& expected, const std::string& what) {
  StoredMatrix<float> x = expected;
  x.elements = found.read(queue());
  x.view.data = x.elements.data() + (expected.view.data - expected.elements.data());
  const Wide left(x.view), right(expected.view);
  EXPECT_LE(norm_of(difference(left, right)), 1000 * epsilon_of<float> * norm_of(right)) << what;
}

// What they wait for writes B, whether their first command is a product or a block.
TEST(OpenclLevel3Calls, WaitForEvents) {
  const Context context = queue().context();
  cl::CommandQueue out_of_order(context.state()->context, context.state()->device,
                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue queues[] = {Queue(context), Queue(out_of_order())};
  for (Queue& q : queues) {
    for (const float alpha : {1.0F, 0.5F}) {
      const StoredMatrix<float> a(Layout::column, 70, 70, 3), zeros(Layout::column, 70, 3);
      StoredMatrix<float> b(Layout::column, 70, 3, 5);
      const OnDevice<float> x(q, a), y(q, zeros);
      cl::UserEvent written(context.state()->context);
      const Event solved =
          trsm(q, Side::left, Uplo::lower, Diag::unit, alpha, x.view, y.view, {Event(written())}, direct);
      Buffer<float> late = y.buffer;
      late.write(queue(), b.elements.data(), 0, late.size());
      written.setStatus(CL_COMPLETE);
      solved.wait();
      trsm(Side::left, Uplo::lower, Diag::unit, alpha, a.read(), b.view, direct);
      expect_alike(y, b, std::to_string(alpha));
    }
  }
}

// Read through another queue, which knows of the event alone. The last command of symm is a product, of syrk a copy.
TEST(OpenclLevel3Calls, EndWithTheirEvent) {
  const Context context = queue().context();
  cl::CommandQueue out_of_order(context.state()->context, context.state()->device,
                                CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Queue queues[] = {Queue(context), Queue(out_of_order())};
  constexpr std::int64_t n = 400;
  const StoredMatrix<float> a(Layout::column, n, n, 3), b(Layout::column, n, n, 5);
  StoredMatrix<float> c(Layout::column, n, n, 7), d(Layout::column, n, n, 7);
  const StoredMatrix<float> before = c;
  symm(Side::left, Uplo::lower, 1, a.read(), b.read(), 1, c.view, direct);
  syrk(Uplo::lower, 1, a.read(), 1, d.view, direct);
  for (Queue& q : queues) {
    const OnDevice<float> x(q, a), y(q, b), z(q, before), w(q, before);
    symm(q, Side::left, Uplo::lower, 1, x.view, y.view, 1, z.view, {}, direct).wait();
    expect_alike(z, c, "symm");
    syrk(q, Uplo::lower, 1, x.view, 1, w.view, {}, direct).wait();
    expect_alike(w, d, "syrk");
  }
}

TEST(OpenclLevel3Calls, RefuseWhatCannotBeRight) {
  Queue& q = queue();
  const StoredMatrix<float> a(Layout::column, 4, 4, 3), b(Layout::column, 4, 3, 3);
  const OnDevice<float> x(q, a), y(q, b);
  const auto refuses = [&](auto call, std::initializer_list<std::string> parts) {
    expect_contains(message_of(errc::invalid_argument, call), parts);
    EXPECT_EQ(first_difference(x.read(q), a.elements), -1);
    EXPECT_EQ(first_difference(y.read(q), b.elements), -1);
  };
  const auto solve = [&](const BufferView<float>& of, const BufferView<float>& with) {
    trsm(q, Side::left, Uplo::lower, Diag::unit, 1, of, with);
  };
  refuses([&] { solve(x.view.sub(0, 0, 4, 3), y.view); }, {"trsm: A, 4 x 3, is not square"});
  refuses([&] { solve(x.view.sub(0, 0, 3, 3), y.view); }, {"trsm: rows of A = 3 is not rows of B = 4"});
  refuses([&] { solve(x.view, x.view.sub(0, 1, 4, 2)); }, {"trsm: B overlaps A"});
  refuses([&] { syrk(q, Uplo::lower, 1, y.view, 0, y.view.sub(0, 0, 3, 3)); },
          {"syrk: rows of A = 4 is not rows of C = 3"});
  BufferView<float> bad = y.view;
  bad.offset = std::numeric_limits<std::int64_t>::max() - 2;
  refuses([&] { solve(x.view, bad); }, {"trsm: B covers", "but its buffer has"});
  bad = y.view;
  bad.conjugate = true;
  refuses([&] { solve(x.view, bad); }, {"trsm: B is conjugated, which a result cannot be"});
  EXPECT_NO_THROW(solve(x.view.sub(0, 0, 2, 2), x.view.sub(2, 2, 2, 2)));
}

// Their event is one after what they wait for, which others may wait for in turn.
TEST(OpenclLevel3Calls, WithNothingToDoEndAfterTheirEvents) {
  Queue& q = queue();
  const Context context = q.context();
  const StoredMatrix<float> a(Layout::column, 4, 4, 3);
  const OnDevice<float> x(q, a), y(q, a);
  const BufferView<float> none = x.view.sub(0, 0, 4, 0);
  cl::UserEvent before(context.state()->context);
  const std::vector<Event> wait_list = {Event(before())};
  const Event ends[] = {syrk(q, Uplo::lower, 0, x.view, 1, y.view, wait_list, direct),
                        syrk(q, Uplo::lower, 1, none, 1, y.view, wait_list, direct),
                        syr2k(q, Uplo::lower, 1, none, none, 1, y.view, wait_list, direct),
                        symm(q, Side::left, Uplo::lower, 0, x.view, x.view, 1, y.view, wait_list, direct)};
  for (const Event& end : ends) EXPECT_NE(end.status(), EventStatus::complete);
  before.setStatus(CL_COMPLETE);
  for (const Event& end : ends) EXPECT_NO_THROW(end.wait());
  EXPECT_EQ(first_difference(y.read(q), a.elements), -1);
}

// A row, and a column by way of the same matrix turned: what is between its elements stays.
TEST(OpenclLevel3Calls, TakeALineOfElementsApart) {
  Queue& q = queue();
  StoredMatrix<float> two(Layout::column, 1, 1), line(Layout::column, 40, 1), other(Layout::column, 40, 1);
  two.fill([](auto, auto) { return 2.0F; });
  line.fill([](auto i, auto) { return static_cast<float>(i); });
  other.fill([](auto, auto) { return 7.0F; });
  const auto line_of = [](const OnDevice<float>& x, bool is_row) {
    BufferView<float> row = x.view;
    row.rows = 1;
    row.columns = 8;
    row.row_stride = 7;
    row.column_stride = 5;
    return is_row ? row : row.turned(Op::transpose);
  };
  for (const bool is_row : {true, false}) {
    const OnDevice<float> a(q, two), b(q, line), c(q, other);
    symm(q, is_row ? Side::left : Side::right, Uplo::lower, 1, a.view, line_of(b, is_row), 0, line_of(c, is_row), {},
         direct)
        .wait();
    const std::vector<float> found = c.read(q);
    for (std::int64_t i = 0; i < 40; ++i) {
      EXPECT_EQ(c.view.offset >= 0 ? found[static_cast<std::size_t>(c.view.offset + i)] : 0.0F,
                i % 5 == 0 ? 2.0F * static_cast<float>(i) : 7.0F)
          << is_row << ' ' << i;
    }
    // A kernel may read either way as if its lines were contiguous.
    const DeviceView seen = blas::device_view(line_of(b, is_row));
    EXPECT_EQ(std::pair(seen.row_stride, seen.column_stride), is_row ? std::pair(1L, 5L) : std::pair(5L, 1L));
  }
  // As a factor of a product, and solved for.
  StoredMatrix<float> square(Layout::column, 8, 8, 3), once(Layout::column, 8, 1), twice(Layout::column, 8, 1);
  for (std::int64_t i = 0; i < 8; ++i) once.view(i, 0) = twice.view(i, 0) = line(5 * i, 0);
  const OnDevice<float> a(q, square), b(q, line), c(q, other), d(q, line);
  symm(q, Side::left, Uplo::lower, 1, a.view, line_of(b, false), 0, line_of(c, false), {}, direct).wait();
  StoredMatrix<float> product(Layout::column, 8, 1);
  symm(Side::left, Uplo::lower, 1, square.read(), once.read(), 0, product.view, direct);
  trsm(q, Side::left, Uplo::lower, Diag::unit, 1, a.view, line_of(d, false), {}, direct).wait();
  trsm(Side::left, Uplo::lower, Diag::unit, 1, square.read(), twice.view, direct);
  const std::vector<float> multiplied = c.read(q), solved = d.read(q);
  for (std::int64_t i = 0; i < 8; ++i) {
    const auto at = static_cast<std::size_t>(c.view.offset + 5 * i);
    EXPECT_NEAR(multiplied[at], product(i, 0), 1e-4F) << i;
    EXPECT_NEAR(solved[at], twice(i, 0), 1e-4F * (1 + std::abs(twice(i, 0)))) << i;
  }
}

// More than 65535 groups of columns, which a launch may not have on every device.
TEST(OpenclLevel3Calls, TakeAMillionColumns) {
  Queue& q = queue();
  constexpr std::int64_t n = 65535 * 16 + 40;
  StoredMatrix<float> two(Layout::column, 2, 2), wide(Layout::column, 2, n, 5);
  two.fill([](auto i, auto j) { return i >= j ? 2.0F : 0.0F; });
  const OnDevice<float> a(q, two), b(q, wide);
  {
    blas::DevicePlace place(*q.state(), Precision::s, direct, {});
    const auto copy = place.lend(2, n);
    place.copy(blas::device_view(b.view), copy.matrix());
    place.multiply(dd_complex(2), blas::device_view(a.view), copy.matrix(), dd_complex(0), blas::device_view(b.view));
    place.finish().wait();
  }
  const std::vector<float> found = b.read(q);
  for (const std::int64_t j : {std::int64_t{0}, n - 41, n - 40, n - 1}) {
    EXPECT_EQ(found[static_cast<std::size_t>(b.view.offset + j * b.view.column_stride)], 4.0F * wide(0, j)) << j;
  }
}

TEST(OpenclLevel3Calls, RefuseMoreThanTheyCount) {
  Queue& q = queue();
  const StoredMatrix<float> a(Layout::column, 4, 4, 3);
  const OnDevice<float> x(q, a);
  BufferView<float> large = x.view;
  large.columns = std::int64_t{1} << 31;
  large.column_stride = 4;
  expect_contains(
      message_of(errc::unsupported, [&] { trsm(q, Side::left, Uplo::lower, Diag::unit, 1, x.view, large); }),
      {"trsm: B has 2147483648 columns, more than are taken on a device, which is 2147479552"});
}

TEST(OpenclLevel3Calls, OverflowToInfinity) {
  Queue& q = queue();
  if (!q.context().device().fp64) GTEST_SKIP() << "no double precision";
  StoredMatrix<dd_complex> d(Layout::column, 1, 1), b(Layout::column, 1, 1);
  d.fill([](auto, auto) { return dd_complex(ldexp(dd_real(1), -100)); });
  b.fill([](auto, auto) { return dd_complex(dd_real(0x1p1000, -0x1p940)); });
  const OnDevice<dd_complex> x(q, d), y(q, b);
  trsm<dd_complex>(q, Side::left, Uplo::lower, Diag::non_unit, 1, x.view, y.view, {}, direct).wait();
  const dd_complex found = y.read(q)[static_cast<std::size_t>(y.view.offset)];
  EXPECT_EQ(found.re.hi, std::numeric_limits<double>::infinity());
  EXPECT_EQ(found.re.lo, 0.0);
}

}  // namespace
}  // namespace hilo::test
