// Levels 1 to 3, LU and Cholesky with arguments and options that cannot be right.
#include <gtest/gtest.h>

#include <hilo/lapack.hpp>
#include <limits>
#include <vector>

#include "gemm/modular/cpu/amx.hpp"
#include "misuse.hpp"

namespace hilo::test {
namespace {

class BlasMisuse : public Misuse {
 protected:
  void solve(const MatrixView<const dd_real>& left, const MatrixView<dd_real>& right, const BlockedOptions& o = {}) {
    trsm(Side::left, Uplo::lower, Diag::unit, 1, left, right, o);
  }
};

TEST_F(BlasMisuse, OfSizes) {
  refuses([&] { solve(matrix(x.data(), 3, 2), b); }, {"trsm: A, 3 x 2, is not square"});
  refuses([&] { solve(matrix(x.data(), 2, 2), b); }, {"trsm: rows of A = 2 is not rows of B = 3"});
  refuses([&] { trmm(Side::right, Uplo::lower, Diag::unit, 1, a, b); },
          {"trmm: rows of A = 3 is not columns of B = 4"});
  refuses([&] { symm(Side::left, Uplo::lower, 1, a, b, 0, matrix(x.data() + 40, 3, 3)); },
          {"symm: columns of B = 4 is not columns of C = 3"});
  refuses([&] { hemm(Side::right, Uplo::lower, 1, a, b, 0, c); }, {"hemm: rows of A = 3 is not columns of C = 4"});
  refuses([&] { syrk(Uplo::lower, 1, b, 0, c); }, {"syrk: C, 3 x 4, is not square"});
  refuses([&] { herk<dd_real>(Uplo::lower, 1, matrix(x.data(), 2, 2), 0, matrix(x.data() + 40, 3, 3)); },
          {"herk: rows of A = 2 is not rows of C = 3"});
  refuses([&] { syr2k(Uplo::lower, 1, a, b, 0, matrix(x.data() + 40, 3, 3)); },
          {"syr2k: columns of B = 4 is not columns of A = 3"});
  refuses([&] { her2k<dd_real>(Uplo::lower, 1, a, matrix(x.data(), 2, 3), 0, matrix(x.data() + 40, 3, 3)); },
          {"her2k: rows of B = 2 is not rows of C = 3"});
  refuses([&] { potrf(Uplo::lower, b); }, {"potrf: A, 3 x 4, is not square"});
  refuses([&] { posv(Uplo::lower, a, matrix(x.data() + 40, 2, 1)); }, {"posv: rows of B = 2 is not rows of A = 3"});
  refuses([&] { gesv(b, pivots, c); }, {"gesv: A, 3 x 4, is not square"});
  refuses([&] { getrs(Op::none, a, pivots, matrix(x.data() + 40, 2, 1)); },
          {"getrs: rows of B = 2 is not rows of A = 3"});
  refuses([&] { getrf(a, std::span(pivots).first(2)); }, {"getrf: pivots has room for 2, of 3 rows"});
}

TEST_F(BlasMisuse, OfViews) {
  MatrixView<dd_real> bad = a;
  bad.rows = -1;
  refuses([&] { solve(bad, b); }, {"trsm: A has -1 rows"});
  bad = b;
  bad.columns = -2;
  refuses([&] { solve(a, bad); }, {"trsm: B has -2 columns"});
  bad = a;
  bad.row_stride = 2;
  refuses([&] { solve(bad, b); },
          {"trsm: A, 3 x 3, with strides 2 and 3 has neither rows nor columns that are contiguous and apart"});
  bad = a;
  bad.column_stride = 2;
  refuses([&] { getrf(bad, pivots); },
          {"getrf: A, 3 x 3, with strides 1 and 2 has neither rows nor columns that are contiguous and apart"});
  bad = b;
  bad.conjugate = true;
  refuses([&] { solve(a, bad); }, {"trsm: B is conjugated, which a result cannot be"});
  bad = b;
  bad.data = nullptr;
  refuses([&] { solve(a, bad); }, {"trsm: B, 3 x 4, is null"});
  std::vector<dd_real> other(12, dd_real(1));
  trsm(Side::left, Uplo::lower, Diag::unit, 0, MatrixView<dd_real>{nullptr, 3, 3, 1, 3}, matrix(other.data(), 3, 4));
  EXPECT_EQ(other, std::vector<dd_real>(12));
  bad = a;
  bad.column_stride = std::numeric_limits<std::int64_t>::max() / 4;
  refuses([&] { potrf(Uplo::lower, bad); }, {"potrf: the extent of A, 3 x 3, does not fit 64 bits"}, errc::overflow);
}

TEST_F(BlasMisuse, OfVectors) {
  const VectorView<dd_real> v{x.data(), 10}, w{x.data() + 20, 10, 2};
  const auto bad = [&](std::int64_t size, std::int64_t stride) {
    return VectorView<dd_real>{x.data() + 60, size, stride};
  };
  refuses([&] { axpy(2, v, bad(9, 1)); }, {"axpy: elements of y = 9 is not elements of x = 10"});
  refuses([&] { dot(bad(-1, 1), v); }, {"dot: x has -1 elements"});
  refuses([&] { dotu(v, bad(10, 0)); }, {"dotu: y, of 10 elements, has stride 0"});
  refuses([&] { scal(2, VectorView<dd_real>{nullptr, 3}); }, {"scal: x, of 3 elements, is null"});
  refuses([&] { nrm2(bad(3, std::numeric_limits<std::int64_t>::min() / 2)); },
          {"nrm2: the extent of x, of 3 elements with stride -4611686018427387904, does not fit 64 bits"},
          errc::overflow);
  refuses([&] { axpy(2, v, VectorView<dd_real>{x.data() + 9, 10}); }, {"axpy: y overlaps x in memory"});
  refuses([&] { copy(v, VectorView<dd_real>{x.data() + 18, 10, -1}); }, {"copy: y overlaps x in memory"});
  refuses([&] { swap(w, VectorView<dd_real>{x.data() + 38, 10, -2}); }, {"swap: y overlaps x in memory"});
  refuses([&] { rot(v, v, 1, 2); }, {"rot: y overlaps x in memory"});
  BlockedOptions o;
  o.target = "none";
  refuses([&] { asum(v, o); }, {"options.target = \"none\""}, errc::unsupported);
  o = {};
  o.threads = -1;
  refuses([&] { iamax(v, o); }, {"iamax: options.threads = -1"});
  // Every other element, and those between.
  EXPECT_NO_THROW(axpy(2, w, VectorView<dd_real>{x.data() + 21, 10, 2}));
  EXPECT_NO_THROW(dot(v, v));
}

TEST_F(BlasMisuse, OfMatricesAndVectors) {
  const auto vector = [&](std::int64_t size) { return VectorView<dd_real>{x.data() + 60, size}; };
  const VectorView<dd_real> v{x.data() + 80, 3}, w{x.data() + 70, 4};
  refuses([&] { gemv(2, b, v, 0, vector(3)); }, {"gemv: elements of x = 3 is not columns of A = 4"});
  refuses([&] { gemv(2, b, w, 0, vector(2)); }, {"gemv: elements of y = 2 is not rows of A = 3"});
  refuses([&] { symv(Uplo::lower, 2, b, v, 0, vector(3)); }, {"symv: A, 3 x 4, is not square"});
  refuses([&] { hemv(static_cast<Uplo>(2), 2, a, v, 0, vector(3)); }, {"hemv: uplo = 2"});
  refuses([&] { trmv(Uplo::lower, Diag::unit, a, w); }, {"trmv: elements of x = 4 is not rows of A = 3"});
  refuses([&] { trsv(Uplo::lower, static_cast<Diag>(5), a, v); }, {"trsv: diag = 5"});
  refuses([&] { ger(2, v, v, b); }, {"ger: elements of y = 3 is not columns of A = 4"});
  refuses([&] { geru(2, w, w, b); }, {"geru: elements of x = 4 is not rows of A = 3"});
  refuses([&] { syr(Uplo::lower, 2, v, b); }, {"syr: A, 3 x 4, is not square"});
  refuses([&] { her<dd_real>(Uplo::lower, 2, w, a); }, {"her: elements of x = 4 is not rows of A = 3"});
  refuses([&] { syr2(Uplo::lower, 2, v, w, a); }, {"syr2: elements of y = 4 is not rows of A = 3"});
  refuses([&] { her2(static_cast<Uplo>(3), 2, v, v, a); }, {"her2: uplo = 3"});

  MatrixView<dd_real> bad = b;
  bad.conjugate = true;
  refuses([&] { ger(2, v, w, bad); }, {"ger: A is conjugated, which a result cannot be"});
  bad = b;
  bad.data = nullptr;
  refuses([&] { gemv(2, bad, w, 0, v); }, {"gemv: A, 3 x 4, is null"});
  refuses([&] { gemv(2, b, w, 0, VectorView<dd_real>{nullptr, 3}); }, {"gemv: y, of 3 elements, is null"});
  refuses([&] { gemv(2, b, w, 0, VectorView<dd_real>{x.data() + 31, 3}); }, {"gemv: y overlaps A in memory"});
  refuses([&] { gemv(2, b, w, 0, VectorView<dd_real>{x.data() + 73, 3, -1}); }, {"gemv: y overlaps x in memory"});
  refuses(
      [&] {
        trsv(Uplo::lower, Diag::unit, a, VectorView<dd_real>{x.data() + 2, 3, 3});
      },
      {"trsv: x overlaps A in memory"});
  refuses(
      [&] {
        syr2(Uplo::lower, 2, v, VectorView<dd_real>{x.data() + 8, 3, -2}, a);
      },
      {"syr2: A overlaps y in memory"});
  BlockedOptions o;
  o.target = "none";
  refuses([&] { gemv(2, b, w, 0, v, o); }, {"options.target = \"none\""}, errc::unsupported);
  o = {};
  o.accuracy = Accuracy::exact;
  refuses([&] { trmv(Uplo::lower, Diag::unit, a, v, o); }, {"trmv: accuracy exact"}, errc::unsupported);

  // A row and the other rows of one matrix.
  const auto whole = matrix(x.data(), 10, 10);
  const VectorView<dd_real> row{x.data() + 9, 9, 10};
  EXPECT_NO_THROW(gemv(1, whole.sub(0, 0, 9, 9), VectorView<dd_real>{x.data() + 90, 9}, 0, row));
}

TEST_F(BlasMisuse, OfMemoryThatIsShared) {
  refuses([&] { solve(a, matrix(x.data() + 5, 3, 4)); }, {"trsm: B overlaps A in memory"});
  refuses([&] { trmm(Side::left, Uplo::lower, Diag::unit, 1, a, matrix(x.data() + 8, 3, 4)); },
          {"trmm: B overlaps A in memory"});
  refuses([&] { symm(Side::left, Uplo::lower, 1, a, b, 0, matrix(x.data() + 22, 3, 4)); },
          {"symm: C overlaps B in memory"});
  refuses([&] { syrk(Uplo::lower, 1, a, 0, a); }, {"syrk: C overlaps A in memory"});
  refuses([&] { gesv(a, pivots, matrix(x.data() + 1, 3, 1)); }, {"gesv: B overlaps A in memory"});
  // Blocks of one matrix that share no element.
  const auto whole = matrix(x.data(), 10, 10);
  EXPECT_NO_THROW(solve(whole.sub(0, 0, 3, 3), whole.sub(3, 3, 3, 4)));
}

TEST_F(BlasMisuse, OfOptions) {
  BlockedOptions o;
  o.block = -1;
  refuses([&] { solve(a, b, o); }, {"trsm: options.block = -1 is not between 0 and 1024"});
  o.block = 1025;
  refuses([&] { getrf(a, pivots, o); }, {"getrf: options.block = 1025 is not between 0 and 1024"});
  o = {};
  o.threads = -1;
  refuses([&] { solve(a, b, o); }, {"trsm: options.threads = -1"});
  o = {};
  o.accuracy = Accuracy::exact;
  refuses([&] { solve(a, b, o); }, {"trsm: accuracy exact is one of gemm alone"}, errc::unsupported);
  o.accuracy = Accuracy::normwise;
  o.engine = Engine::direct;
  refuses([&] { solve(a, b, o); }, {"accuracy normwise"}, errc::unsupported);
  o = {};
  o.target = "none";
  refuses([&] { solve(a, b, o); }, {"options.target = \"none\""}, errc::unsupported);
  refuses([&] { trsm(static_cast<Side>(7), Uplo::lower, Diag::unit, 1, a, b); }, {"trsm: side = 7"});
  refuses([&] { trsm(Side::left, static_cast<Uplo>(2), Diag::unit, 1, a, b); }, {"trsm: uplo = 2"});
  refuses([&] { trsm(Side::left, Uplo::lower, static_cast<Diag>(2), 1, a, b); }, {"trsm: diag = 2"});
  refuses([&] { getrs(static_cast<Op>(4), a, pivots, b); }, {"getrs: op = 4"});
  refuses([&] { potrf(static_cast<Uplo>(9), a); }, {"potrf: uplo = 9"});
}

// Before anything is written, also where only products of some sizes would find it.
TEST_F(BlasMisuse, OfKernelsThatAreNotThere) {
  BlockedOptions o;
  o.target = "AVX9";
  for (Engine engine : {Engine::automatic, Engine::direct, Engine::modular}) {
    o.engine = engine;
    refuses([&] { solve(a, b, o); }, {"trsm: options.target = \"AVX9\""}, errc::unsupported);
    refuses([&] { getrf(a, pivots, o); }, {"getrf: options.target = \"AVX9\""}, errc::unsupported);
  }
  std::vector<double> d(100, 2.0);
  const MatrixView<double> square = view(Layout::column, Op::none, d.data(), 10, 10, 10);
  refuses([&] { potrf(Uplo::lower, square, o); }, {"potrf: options.target = \"AVX9\""}, errc::unsupported);
  EXPECT_EQ(d, std::vector<double>(100, 2.0));
  if (!modular::has_amx()) {
    o = {};
    o.int8_library = Int8Library::amx;
    refuses([&] { geqrf(a, tau, o); }, {"geqrf: this CPU or its system has no AMX"}, errc::unsupported);
  }
}

// Which memory is too little follows from each product, and some are behind the first result.
template <class T>
void expect_small_workspaces_to_be_raised() {
  constexpr std::int64_t n = 100;
  BlockedOptions o;
  o.engine = Engine::modular;
  o.block = 16;
  const auto factors = [&](std::int64_t workspace) {
    o.workspace_bytes = workspace;
    std::vector<T> x(n * n);
    for (std::int64_t i = 0; i < n * n; ++i) x[static_cast<std::size_t>(i)] = T(static_cast<double>(i * i % 1009 + 1));
    std::vector<std::int64_t> p(n);
    EXPECT_EQ(getrf(view(Layout::column, Op::none, x.data(), n, n, n), p, o), 0);
    return x;
  };
  EXPECT_EQ(first_difference(factors(1), factors(0)), -1);
}

TEST(BlasOptions, SmallWorkspacesAreRaisedToTheLeast) {
  expect_small_workspaces_to_be_raised<dd_real>();
  expect_small_workspaces_to_be_raised<double>();
}

}  // namespace
}  // namespace hilo::test
