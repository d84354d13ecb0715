// Eigen with hilo's engines: every kind of product that they take, against sums in Eigen's order, and factorisations.
#include "eigen_products_test.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <atomic>
#include <cstdlib>
#include <hilo/interop/eigen_products.hpp>
#include <new>

#include "eigen_matrices.hpp"
#include "error_message.hpp"
#include "same_bits.hpp"

// hilo's memory for packed panels, and nothing of Eigen's, comes by this operator.
static std::atomic<bool> memory_ends = false;
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* memory = memory_ends ? nullptr : std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace hilo::testing;
using Eigen::Index;
using hilo::dd_complex;
using hilo::dd_real;

template <class Scalar, int Order = Eigen::ColMajor>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Order>;

// A · B by sums in increasing order, whose terms no engine has seen; entries of A and B are below 2.
template <class Scalar>
MatrixOf<Scalar> plain_product(const MatrixOf<Scalar>& a, const MatrixOf<Scalar>& b) {
  MatrixOf<Scalar> c = MatrixOf<Scalar>::Zero(a.rows(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index k = 0; k < a.cols(); ++k) {
      for (Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

template <class Scalar>
void expect_near(const MatrixOf<Scalar>& got, const MatrixOf<Scalar>& want, Index k) {
  ASSERT_EQ(got.rows(), want.rows());
  ASSERT_EQ(got.cols(), want.cols());
  const double error = static_cast<double>((got - want).cwiseAbs().maxCoeff());
  EXPECT_LE(error, 64.0 * static_cast<double>(k + 4) * static_cast<double>(k + 4) * 0x1p-106) << want.rows();
}

// Small ones are left to Eigen, 12 is taken by the engines, 70 has more than one block.
constexpr Index orders[] = {3, 12, 70};

template <class Scalar>
class EigenProducts : public ::testing::Test {};
using Scalars = ::testing::Types<dd_real, Complex>;
TYPED_TEST_SUITE(EigenProducts, Scalars);

TYPED_TEST(EigenProducts, OfMatrices) {
  using M = MatrixOf<TypeParam>;
  const TypeParam alpha(dd_real(2) / 3);
  for (Index n : orders) {
    const Index m = n + 5, k = n + 1;
    const M a = M::Random(m, k), b = M::Random(k, n), c = M::Random(m, n);
    const M want = plain_product<TypeParam>(a, b);
    const MatrixOf<TypeParam, Eigen::RowMajor> by_rows = a, b_by_rows = b;
    expect_near<TypeParam>(M(a * b), want, k);
    expect_near<TypeParam>(M(b.adjoint() * by_rows.adjoint()), want.adjoint(), k);
    expect_near<TypeParam>(M(a.conjugate() * b_by_rows.conjugate()), want.conjugate(), k);
    MatrixOf<TypeParam, Eigen::RowMajor> sum = c;
    sum.noalias() += alpha * a * b;
    expect_near<TypeParam>(sum, c + alpha * want, k);
    // A part of a larger matrix, of which its neighbours are operands.
    M large = M::Random(m + k, k + n);
    large.topLeftCorner(m, k) = a;
    large.bottomRightCorner(k, n) = b;
    large.topRightCorner(m, n) = c;
    large.topRightCorner(m, n).noalias() -= large.topLeftCorner(m, k) * large.bottomRightCorner(k, n);
    expect_near<TypeParam>(large.topRightCorner(m, n), c - want, k);
    EXPECT_EQ(large.topLeftCorner(m, k), a);
    // A result whose elements lie apart, which Eigen keeps.
    M apart = M::Zero(2 * m, n);
    Eigen::Map<M, 0, Eigen::Stride<Eigen::Dynamic, 2>> every_other(apart.data(), m, n, {2 * m, 2});
    every_other.noalias() += a * b;
    expect_near<TypeParam>(every_other, want, k);
  }
}

TEST(EigenProductsOfComplex, OfVectors) {
  using M = ComplexMatrix;
  using V = ComplexVector;
  for (Index n : {Index(3), Index(20), Index(70)}) {
    const Index m = n + 3;
    const M a = M::Random(m, n), x = M::Random(n, 1), row = M::Random(2, m);
    V y = a.conjugate() * x.col(0).conjugate();
    expect_near<Complex>(y, plain_product<Complex>(a, x).conjugate(), n);
    y = a.adjoint() * row.row(1).adjoint();  // whose elements lie apart
    expect_near<Complex>(y, plain_product<Complex>(row.row(1), a).adjoint(), m);
    M outer = a;
    outer.noalias() -= Complex(2) * row.row(1).adjoint() * x.col(0).adjoint();
    expect_near<Complex>(outer, a - Complex(2) * plain_product<Complex>(row.row(1).adjoint(), x.adjoint()), 1);
  }
}

// What lies beside a trapezoid's triangle, and vectors that are such at run time alone.
TYPED_TEST(EigenProducts, OfTrapezoidsAndBlocksOfOneRow) {
  using M = MatrixOf<TypeParam>;
  using V = Eigen::Matrix<TypeParam, Eigen::Dynamic, 1>;
  const Index n = 40, m = 23;
  const M tall = M::Random(n, m), wide = M::Random(m, n);
  const V x = V::Random(m), y = V::Random(n);
  const M upper = tall.template triangularView<Eigen::Upper>(), lower = wide.template triangularView<Eigen::Lower>();
  expect_near<TypeParam>(V(tall.template triangularView<Eigen::Upper>() * x), plain_product<TypeParam>(upper, x), m);
  expect_near<TypeParam>(V(wide.template triangularView<Eigen::Lower>() * y), plain_product<TypeParam>(lower, y), n);
  const MatrixOf<TypeParam, Eigen::RowMajor> by_rows = wide;
  M row = M::Zero(n, n), column = M::Zero(m, m);
  row.noalias() += y * wide.topRows(1);
  expect_near<TypeParam>(row, plain_product<TypeParam>(y, wide.topRows(1)), 1);
  column.noalias() += by_rows.block(0, 3, m, 1) * x.transpose();
  expect_near<TypeParam>(column, plain_product<TypeParam>(wide.col(3), x.transpose()), 1);
}

TEST(EigenProductsOfComplex, OfTriangles) {
  using M = ComplexMatrix;
  using V = ComplexVector;
  for (Index n : orders) {
    // Squares and trapezia, from both sides, transposed and with ones on the diagonal.
    for (Index more : {Index(0), Index(9)}) {
      const M a = M::Random(n + more, n), b = M::Random(n, n + 2);
      const M c = M::Random(n + 4, n + more), d = M::Random(n + more, n + 2);
      const M lower = a.triangularView<Eigen::Lower>();
      const M unit = a.triangularView<Eigen::UnitLower>();
      const M upper = lower.adjoint();
      M x = a.triangularView<Eigen::UnitLower>() * b;
      expect_near<Complex>(x, plain_product<Complex>(unit, b), n);
      x = c * a.triangularView<Eigen::Lower>();
      expect_near<Complex>(x, plain_product<Complex>(c, lower), n + more);
      x = a.adjoint().triangularView<Eigen::Upper>() * d;
      expect_near<Complex>(x, plain_product<Complex>(upper, d), n + more);
      V y = a.triangularView<Eigen::UnitLower>() * b.col(0);
      expect_near<Complex>(y, plain_product<Complex>(unit, b.col(0)), n);
      y = a.adjoint().triangularView<Eigen::Upper>() * d.col(0);
      expect_near<Complex>(y, plain_product<Complex>(upper, d.col(0)), n + more);
    }
  }
}

TEST(EigenProductsOfComplex, OfHermitianMatrices) {
  using M = ComplexMatrix;
  using V = ComplexVector;
  for (Index n : orders) {
    const M a = M::Random(n, n), b = M::Random(n, n + 2), u = M::Random(n, 7);
    const M whole = a + a.adjoint(), lower = whole.triangularView<Eigen::Lower>();
    const M upper = whole.triangularView<Eigen::Upper>();
    expect_near<Complex>(M(lower.selfadjointView<Eigen::Lower>() * b), plain_product<Complex>(whole, b), n);
    expect_near<Complex>(M(b.adjoint() * upper.selfadjointView<Eigen::Upper>()),
                         plain_product<Complex>(b.adjoint(), whole), n);
    expect_near<Complex>(V(upper.selfadjointView<Eigen::Upper>() * b.col(1)), plain_product<Complex>(whole, b.col(1)),
                         n);
    // Of both triangles the other one stays, and of complex numbers the diagonal's imaginary part.
    M updated = a;
    updated.selfadjointView<Eigen::Lower>().rankUpdate(u, dd_real(-2));
    const M uu = plain_product<Complex>(u, u.adjoint());
    M want = a - Complex(2) * uu;
    want.triangularView<Eigen::StrictlyUpper>() = a;
    expect_near<Complex>(updated, want, 7);
    updated = a;
    updated.triangularView<Eigen::Upper>() += u * u.adjoint();
    want = a + uu;
    want.triangularView<Eigen::StrictlyLower>() = a;
    expect_near<Complex>(updated, want, 7);
  }
}

TEST(EigenProductsOfComplex, AreSolvedWith) {
  using M = ComplexMatrix;
  for (Index n : orders) {
    const M a = M::Identity(n, n) + M::Random(n, n) / Complex(2 * n), b = M::Random(n, n + 1);
    M x = b;
    a.triangularView<Eigen::Upper>().solveInPlace(x);
    expect_near<Complex>(M(M(a.triangularView<Eigen::Upper>()) * x), b, n);
    x = b;
    a.adjoint().triangularView<Eigen::UnitLower>().solveInPlace(x);
    expect_near<Complex>(M(M(a.adjoint().triangularView<Eigen::UnitLower>()) * x), b, n);
    MatrixOf<Complex, Eigen::RowMajor> y = b.adjoint();
    a.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(y);
    expect_near<Complex>(M(y * M(a.triangularView<Eigen::Lower>())), b.adjoint(), n);
  }
}

TEST(EigenProductsOfDdComplex, AreThoseOfStdComplex) {
  const ComplexMatrix a = ComplexMatrix::Random(30, 30), c = a * a.adjoint();
  const auto to_own = [](const Complex& z) { return dd_complex(z); };
  const MatrixOf<dd_complex> own = a.unaryExpr(to_own), product = own * own.adjoint();
  EXPECT_EQ(product, c.unaryExpr(to_own));
}

template <class M>
void expect_qr(const M& a) {
  const Eigen::HouseholderQR<M> qr(a);
  const M q = qr.householderQ(), r = qr.matrixQR().template triangularView<Eigen::Upper>();
  EXPECT_LT(departure_from_unitary(q), 30);
  EXPECT_LT(ratio(q * r - a, a.norm()), 30);
}

TEST(EigenFactorisationsOnEngines, HaveTheResidualsOfEigensLoops) {
  const Index n = 150;  // Eigen's blocks are 16 rows here and, of QR, 48 columns
  const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, 3);
  const Matrix definite = positive_definite<Matrix>(n);
  for (bool use : {true, false}) {
    hilo::use_engines_in_eigen(use);
    const Matrix x = Eigen::PartialPivLU<Matrix>(a).solve(b);
    EXPECT_LT(ratio(a * x - b, a.norm() * x.norm()), 30) << use;
    const Eigen::LLT<Matrix> cholesky(definite);
    ASSERT_EQ(cholesky.info(), Eigen::Success);
    const Matrix l = cholesky.matrixL();
    EXPECT_LT(ratio(l * l.transpose() - definite, definite.norm()), 30) << use;
    expect_qr(a);
  }
  hilo::use_engines_in_eigen();
  expect_near<dd_real>(definite.selfadjointView<Eigen::Upper>() * a, plain_product<dd_real>(definite, a), n);
  expect_qr<ComplexMatrix>(ComplexMatrix::Random(n, n));
}

bool same_bits(const Matrix& x, const Matrix& y) {
  return std::equal(x.data(), x.data() + x.size(), y.data(), hilo::test::same_bits<dd_real>);
}

// What gemm makes of the same product.
Matrix by_gemm(const Matrix& a, const Matrix& b, const hilo::GemmOptions& options) {
  const Index m = a.rows(), n = b.cols(), k = a.cols();
  Matrix c = Matrix::Zero(m, n);
  hilo::ddgemm(hilo::Layout::column, hilo::Op::none, hilo::Op::none, m, n, k, 1, a.data(), m, b.data(), k, 1, c.data(),
               m, options);
  return c;
}

TEST(EigenEngines, AreThoseOfGemmInEveryUnit) {
  const Matrix a = Matrix::Random(60, 90), b = Matrix::Random(90, 50);
  for (const hilo::GemmOptions& options :
       {hilo::GemmOptions{}, hilo::GemmOptions{.engine = hilo::Engine::modular},
        hilo::GemmOptions{.engine = hilo::Engine::direct, .accuracy = hilo::Accuracy::fast}}) {
    hilo::set_eigen_options(options);
    EXPECT_EQ(hilo::eigen_options().engine, options.engine);
    EXPECT_TRUE(same_bits(a * b, by_gemm(a, b, options)));
    EXPECT_TRUE(same_bits(product_of_other_unit(a, b), by_gemm(a, b, options)));
  }
  hilo::set_eigen_options({});
  hilo::use_engines_in_eigen(false);
  EXPECT_FALSE(same_bits(product_of_other_unit(a, b), by_gemm(a, b, {.engine = hilo::Engine::modular})));
  hilo::use_engines_in_eigen();
}

TEST(EigenEngines, GiveTheSameBitsWithAnyThreads) {
  const Matrix a = Matrix::Random(150, 150);
  auto factors = [&](int threads) -> Matrix {
    hilo::set_eigen_options({.engine = hilo::Engine::direct, .threads = threads});
    Eigen::setNbThreads(threads);
    return Eigen::PartialPivLU<Matrix>(a).matrixLU() + Eigen::HouseholderQR<Matrix>(a * a).matrixQR();
  };
  const Matrix one = factors(1);
  EXPECT_TRUE(same_bits(factors(2), one));
  EXPECT_TRUE(same_bits(factors(5), one));
  hilo::set_eigen_options({});
  Eigen::setNbThreads(0);
}

TEST(EigenEngines, RefuseWrongOptions) {
  const std::string message =
      hilo::message_of(hilo::errc::invalid_argument, [] { hilo::set_eigen_options({.threads = -1}); });
  hilo::expect_contains(message, {"threads", "-1"});
  const auto refused = [](hilo::errc code, const hilo::GemmOptions& options) {
    return hilo::message_of(code, [&] { hilo::set_eigen_options(options); });
  };
  hilo::expect_contains(refused(hilo::errc::unsupported, {.accuracy = hilo::Accuracy::exact}),
                        {"set_eigen_options: accuracy exact"});
  hilo::expect_contains(refused(hilo::errc::unsupported, {.accuracy = hilo::Accuracy::tight}),
                        {"set_eigen_options: accuracy tight"});
  EXPECT_EQ(hilo::eigen_options().threads, 0);
  EXPECT_EQ(hilo::eigen_options().accuracy, hilo::Accuracy::classic);
}

TEST(EigenEngines, ThrowBadAllocWhereMemoryEnds) {
  const Matrix a = Matrix::Random(500, 500);
  Matrix c = a;
  memory_ends = true;
  EXPECT_THROW(c.noalias() += a * a, std::bad_alloc);
  memory_ends = false;
  EXPECT_TRUE(same_bits(c, a));
}

}  // namespace
