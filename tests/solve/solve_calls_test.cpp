// Calls with pointers and leading dimensions are those on views.
#include <hilo/solve.hpp>

#include "error_message.hpp"
#include "matrices.hpp"

namespace hilo::test {
namespace {

TEST(SolveCalls, AreThoseOnViews) {
  for (const Layout layout : both_layouts) {
    const std::int64_t m = 7, n = 5, count = 2;
    const auto leading = [layout](std::int64_t rows, std::int64_t columns) {
      return layout == Layout::column ? rows + 3 : columns + 2;
    };
    const auto at = [](const auto& x) { return &x.view(0, 0); };
    StoredMatrix<dd_real> a(layout, m, n, 1);
    const StoredMatrix<dd_real> b(layout, m, count, 2);
    StoredMatrix<dd_real> x(layout, n, count), y(layout, n, count);
    for (std::int64_t i = 0; i < n; ++i) a.view(i, i) = 40;
    const auto same = [&](const SolveReport& first, const SolveReport& second) {
      EXPECT_TRUE(first.is_solved) << first.reason;
      EXPECT_EQ(first.path, second.path);
      EXPECT_EQ(first_difference(x.elements, y.elements), -1);
    };
    const auto square = a.read().sub(0, 0, n, n);
    const auto sides = b.read().sub(0, 0, n, count);
    const std::int64_t lda = leading(m, n), ldb = leading(m, count), ldx = leading(n, count);
    const SolveOptions options{.certify = true};
    same(solve(square, sides, x.view, options), solve(layout, n, count, at(a), lda, at(b), ldb, at(y), ldx, options));
    same(solve_positive(Uplo::lower, square, sides, x.view, options),
         solve_positive(layout, Uplo::lower, n, count, at(a), lda, at(b), ldb, at(y), ldx, options));
    same(solve_symmetric(Uplo::upper, square, sides, x.view),
         solve_symmetric(layout, Uplo::upper, n, count, at(a), lda, at(b), ldb, at(y), ldx));
    same(solve_hermitian(Uplo::lower, square, sides, x.view),
         solve_hermitian(layout, Uplo::lower, n, count, at(a), lda, at(b), ldb, at(y), ldx));
    same(solve_least_squares(a.read(), b.read(), x.view),
         solve_least_squares(layout, m, n, count, at(a), lda, at(b), ldb, at(y), ldx));
  }
}

TEST(SolveCalls, NameWhatCannotBeRight) {
  std::vector<dd_real> a(9, dd_real(1)), x(3);
  const auto refuses = [](const std::string& message, const std::function<void()>& call) {
    expect_contains(message_of(errc::invalid_argument, call), {message});
  };
  refuses("solve: nrhs = -1 is negative", [&] { solve(Layout::column, 3, -1, a.data(), 3, a.data(), 3, x.data(), 3); });
  refuses("solve: lda = 2", [&] { solve(Layout::column, 3, 1, a.data(), 2, a.data(), 3, x.data(), 3); });
  refuses("solve_least_squares: ldx = 1",
          [&] { solve_least_squares(Layout::column, 3, 2, 1, a.data(), 3, a.data(), 3, x.data(), 1); });
}

}  // namespace
}  // namespace hilo::test
