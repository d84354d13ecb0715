// Pivots, reflectors, inverses, norms, conditions and determinants with arguments that cannot be right.
#include <limits>

#include "misuse.hpp"

namespace hilo::test {
namespace {

using LapackMisuse = Misuse;

TEST_F(LapackMisuse, OfPivotsAndFactorsInAMatrix) {
  const auto pivots_in = [](const MatrixView<dd_real>& m) {
    return std::span(reinterpret_cast<std::int64_t*>(m.data), 3);
  };
  const auto tau_in = [](const MatrixView<dd_real>& m) { return std::span(m.data, 3); };
  const MatrixView<dd_real> square = matrix(x.data() + 60, 3, 3);
  refuses([&] { getrf(a, pivots_in(a)); }, {"getrf: pivots overlap A in memory"});
  refuses([&] { gesv(a, pivots_in(b), b); }, {"gesv: pivots overlap B in memory"});
  refuses([&] { sytrf(Uplo::lower, a, pivots_in(a)); }, {"sytrf: pivots overlap A in memory"});
  refuses([&] { hesv(Uplo::lower, a, pivots_in(b), b); }, {"hesv: pivots overlap B in memory"});
  refuses([&] { geqp3(a, pivots_in(a), tau); }, {"geqp3: pivots overlap A in memory"});
  refuses([&] { geqrf(a, tau_in(a)); }, {"geqrf: tau overlaps A in memory"});
  refuses([&] { ungqr<dd_real>(a, tau_in(a)); }, {"ungqr: tau overlaps A in memory"});
  refuses([&] { unmqr<dd_real>(Side::left, Op::none, a, tau_in(square), square); },
          {"unmqr: tau overlaps C in memory"});
}

TEST_F(LapackMisuse, OfPivots) {
  std::vector<std::int64_t> bad = {1, 2, 4};
  refuses([&] { getrs(Op::none, a, bad, b); }, {"getrs: pivots[2] = 4 is not between 3 and 3"});
  bad = {0, 2, 3};
  refuses([&] { getrs(Op::none, a, bad, b); }, {"getrs: pivots[0] = 0 is not between 1 and 3"});
}

TEST_F(LapackMisuse, OfInverses) {
  refuses([&] { trtri(Uplo::lower, Diag::unit, b); }, {"trtri: A, 3 x 4, is not square"});
  refuses([&] { trtri(static_cast<Uplo>(2), Diag::unit, a); }, {"trtri: uplo = 2"});
  refuses([&] { trtri(Uplo::lower, static_cast<Diag>(2), a); }, {"trtri: diag = 2"});
  refuses([&] { getri(b, pivots); }, {"getri: A, 3 x 4, is not square"});
  refuses([&] { getri(a, std::span(pivots).first(2)); }, {"getri: pivots has room for 2, of 3 rows"});
  refuses([&] { getri(a, pivots); }, {"getri: pivots[1] = 1 is not between 2 and 3"});
  refuses([&] { potri(Uplo::lower, b); }, {"potri: A, 3 x 4, is not square"});
  refuses([&] { potri(static_cast<Uplo>(2), a); }, {"potri: uplo = 2"});
  MatrixView<dd_real> bad = a;
  bad.conjugate = true;
  refuses([&] { trtri(Uplo::lower, Diag::unit, bad); }, {"trtri: A is conjugated, which a result cannot be"});
  refuses([&] { potri(Uplo::lower, bad); }, {"potri: A is conjugated"});
  refuses([&] { getri(bad, pivots); }, {"getri: A is conjugated"});
  BlockedOptions o;
  o.block = 1025;
  refuses([&] { trtri(Uplo::lower, Diag::unit, a, o); }, {"trtri: options.block = 1025"});
  refuses([&] { getri(a, pivots, o); }, {"getri: options.block = 1025"});
  refuses([&] { potri(Uplo::lower, a, o); }, {"potri: options.block = 1025"});
}

TEST_F(LapackMisuse, OfNormsAndConditions) {
  refuses([&] { lange(static_cast<Norm>(4), a); }, {"lange: norm = 4"});
  refuses([&] { lanhe(Norm::one, Uplo::lower, b); }, {"lanhe: A, 3 x 4, is not square"});
  refuses([&] { lanhe(Norm::one, static_cast<Uplo>(2), a); }, {"lanhe: uplo = 2"});
  refuses([&] { lantr(Norm::one, Uplo::lower, static_cast<Diag>(2), a); }, {"lantr: diag = 2"});
  refuses([&] { gecon(Norm::one, b, 1); }, {"gecon: A, 3 x 4, is not square"});
  refuses([&] { gecon(Norm::frobenius, a, 1); }, {"gecon: norm is neither one nor infinity"});
  refuses([&] { gecon(Norm::one, a, -1); }, {"gecon: anorm is negative"});
  refuses([&] { pocon(Uplo::lower, b, 1); }, {"pocon: A, 3 x 4, is not square"});
  refuses([&] { pocon(static_cast<Uplo>(2), a, 1); }, {"pocon: uplo = 2"});
  refuses([&] { pocon(Uplo::lower, a, -1); }, {"pocon: anorm is negative"});
  refuses([&] { trcon(Norm::max, Uplo::lower, Diag::unit, a); }, {"trcon: norm is neither one nor infinity"});
  refuses([&] { trcon(Norm::one, Uplo::lower, static_cast<Diag>(2), a); }, {"trcon: diag = 2"});
  MatrixView<dd_real> bad = a;
  bad.data = nullptr;
  refuses([&] { lange(Norm::one, bad); }, {"lange: A, 3 x 3, is null"});
  refuses([&] { trcon(Norm::one, Uplo::lower, Diag::unit, bad); }, {"trcon: A, 3 x 3, is null"});
  BlockedOptions o;
  o.block = 1025;
  refuses([&] { gecon(Norm::one, a, 1, o); }, {"gecon: options.block = 1025"});
}

TEST_F(LapackMisuse, OfDeterminants) {
  refuses([&] { determinant(b); }, {"determinant: A, 3 x 4, is not square"});
  refuses([&] { determinant(b, pivots); }, {"determinant: A, 3 x 4, is not square"});
  refuses([&] { determinant(a, pivots); }, {"determinant: pivots[1] = 1 is not between 2 and 3"});
  refuses([&] { determinant(a, std::span(pivots).first(2)); }, {"determinant: pivots has room for 2, of 3 rows"});
}

TEST_F(LapackMisuse, OfIndefiniteMatrices) {
  refuses([&] { sytrf(Uplo::lower, b, pivots); }, {"sytrf: A, 3 x 4, is not square"});
  refuses([&] { hetrf(static_cast<Uplo>(2), a, pivots); }, {"hetrf: uplo = 2"});
  refuses([&] { hetrf(Uplo::lower, a, std::span(pivots).first(2)); }, {"hetrf: pivots has room for 2, of 3 rows"});
  refuses([&] { sysv(Uplo::lower, a, pivots, matrix(x.data() + 40, 2, 1)); },
          {"sysv: rows of B = 2 is not rows of A = 3"});
  refuses([&] { hesv(Uplo::lower, a, pivots, matrix(x.data() + 1, 3, 1)); }, {"hesv: B overlaps A in memory"});
  refuses([&] { sytrs(Uplo::lower, b, pivots, c); }, {"sytrs: A, 3 x 4, is not square"});
  using Pivots = std::vector<std::int64_t>;
  const auto refused = [&](Uplo uplo, const Pivots& bad, const char* which) {
    refuses([&] { hetrs(uplo, a, bad, b); }, {"hetrs: pivots[", which, " is no pivot of a matrix of 3 rows"});
  };
  refused(Uplo::lower, {1, 1, 3}, "[1] = 1");
  refused(Uplo::lower, {1, 4, 3}, "[1] = 4");
  refused(Uplo::lower, {0, 2, 3}, "[0] = 0");
  refused(Uplo::lower, {-2, -3, 3}, "[0] = -2");
  refused(Uplo::lower, {1, 2, -3}, "[2] = -3");
  refused(Uplo::lower, {1, -2, -2}, "[1] = -2");
  refused(Uplo::upper, {2, 2, 3}, "[0] = 2");
  refused(Uplo::upper, {-1, 2, 3}, "[0] = -1");
  refused(Uplo::upper, {1, -3, -3}, "[2] = -3");
  refuses([&] { sytri(Uplo::lower, b, pivots); }, {"sytri: A, 3 x 4, is not square"});
  refuses([&] { hetri(static_cast<Uplo>(2), a, pivots); }, {"hetri: uplo = 2"});
  refuses([&] { sytri(Uplo::lower, a, std::span(pivots).first(2)); }, {"sytri: pivots has room for 2, of 3 rows"});
  refuses([&] { hetri(Uplo::upper, a, Pivots{2, 2, 3}); }, {"hetri: pivots[0] = 2 is no pivot of a matrix of 3 rows"});
  refuses([&] { sycon(Uplo::lower, b, pivots, 1); }, {"sycon: A, 3 x 4, is not square"});
  refuses([&] { hecon(static_cast<Uplo>(2), a, pivots, 1); }, {"hecon: uplo = 2"});
  refuses([&] { hecon(Uplo::lower, a, Pivots{1, 2, -3}, 1); }, {"hecon: pivots[2] = -3 is no pivot of a matrix of 3"});
  refuses([&] { sycon(Uplo::lower, a, Pivots{1, 2, 3}, -1); }, {"sycon: anorm is negative"});
  refuses([&] { lansy(Norm::one, Uplo::lower, b); }, {"lansy: A, 3 x 4, is not square"});
  refuses([&] { lansy(Norm::one, static_cast<Uplo>(2), a); }, {"lansy: uplo = 2"});
  refuses([&] { symmetric_determinant(Uplo::lower, b, pivots); }, {"symmetric_determinant: A, 3 x 4, is not square"});
  refuses([&] { hermitian_determinant(static_cast<Uplo>(2), a, pivots); }, {"hermitian_determinant: uplo = 2"});
  refuses(
      [&] {
        hermitian_determinant(Uplo::lower, a, Pivots{1, 1, 3});
      },
      {"hermitian_determinant: pivots[1] = 1 is no pivot of a matrix of 3 rows"});
  MatrixView<dd_real> bad = a;
  bad.conjugate = true;
  refuses([&] { sytrf(Uplo::lower, bad, pivots); }, {"sytrf: A is conjugated"});
  refuses([&] { hetri(Uplo::lower, bad, Pivots{1, 2, 3}); }, {"hetri: A is conjugated"});
  BlockedOptions o;
  o.block = 1025;
  refuses([&] { hetrf(Uplo::lower, a, pivots, o); }, {"hetrf: options.block = 1025"});
  refuses([&] { sysv(Uplo::lower, a, pivots, b, o); }, {"sysv: options.block = 1025"});
  refuses([&] { sytri(Uplo::lower, a, Pivots{1, 2, 3}, o); }, {"sytri: options.block = 1025"});
  refuses([&] { sycon(Uplo::lower, a, Pivots{1, 2, 3}, 1, o); }, {"sycon: options.block = 1025"});
}

TEST_F(LapackMisuse, OfReflectors) {
  const std::span<dd_real> two = std::span(tau).first(2), three = std::span(tau).first(3);
  refuses([&] { geqrf(b, two); }, {"geqrf: tau has room for 2, of 3 reflectors"});
  std::vector<std::int64_t> columns(4, 7);
  refuses([&] { geqp3(b, columns, two); }, {"geqp3: tau has room for 2, of 3 reflectors"});
  refuses([&] { geqp3(b, std::span(columns).first(3), three); }, {"geqp3: pivots has room for 3, of 4 columns"});
  refuses([&] { unmqr(Side::left, Op::none, a, tau, b); },
          {"unmqr: tau has 10 numbers, more than A, 3 x 3, has reflectors"});
  refuses([&] { unmqr(Side::right, Op::none, a, three, b); }, {"unmqr: rows of A = 3 is not columns of C = 4"});
  refuses([&] { unmqr(Side::left, Op::none, matrix(x.data(), 2, 2), two, b); },
          {"unmqr: rows of A = 2 is not rows of C = 3"});
  refuses([&] { unmqr(Side::left, Op::none, a, three, matrix(x.data() + 8, 3, 1)); },
          {"unmqr: C overlaps A in memory"});
  refuses([&] { unmqr(static_cast<Side>(2), Op::none, a, three, b); }, {"unmqr: side = 2"});
  refuses([&] { unmqr(Side::left, static_cast<Op>(4), a, three, b); }, {"unmqr: op = 4"});
  refuses([&] { ungqr(b, three); }, {"ungqr: columns of A = 4 is more than rows of A = 3"});
  refuses([&] { ungqr(matrix(x.data(), 3, 2), three); }, {"ungqr: tau has 3 numbers, more than A, 3 x 2"});
  refuses([&] { gels(Op::none, b, a); }, {"gels: rows of B = 3 is not the larger size of A = 4"});
  refuses([&] { gels(Op::none, a, matrix(x.data() + 8, 3, 1)); }, {"gels: B overlaps A in memory"});
  refuses([&] { gels(static_cast<Op>(4), a, b); }, {"gels: op = 4"});
  const std::span<dd_real> none(static_cast<dd_real*>(nullptr), 3);
  refuses([&] { geqrf(a, none); }, {"geqrf: tau is null"});
  refuses([&] { ungqr(a, none); }, {"ungqr: tau is null"});
  MatrixView<dd_real> bad = a;
  bad.conjugate = true;
  refuses([&] { geqrf(bad, three); }, {"geqrf: A is conjugated, which a result cannot be"});
  refuses([&] { ungqr(bad, three); }, {"ungqr: A is conjugated"});
  refuses([&] { gels(Op::none, bad, b); }, {"gels: A is conjugated"});
  bad = b;
  bad.data = nullptr;
  refuses([&] { geqrf(bad, three); }, {"geqrf: A, 3 x 4, is null"});
  BlockedOptions o;
  o.block = 1025;
  refuses([&] { geqrf(a, three, o); }, {"geqrf: options.block = 1025"});
  refuses([&] { gels(Op::none, a, b, o); }, {"gels: options.block = 1025"});
}

}  // namespace
}  // namespace hilo::test
