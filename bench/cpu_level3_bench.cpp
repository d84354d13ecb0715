// Level 3 of the BLAS in DD on the CPU against products of the same run.
//
//   cpu_level3_bench [n [threads]]     4096 and 1 unless given
//
// Of matrices near the identity, so that nothing grows, each side left, each triangle lower. Candidates take turns;
// figures are medians over three rounds, ratios those within a round. Rates count the routine's operations: 2n³ of
// gemm, symm and syr2k, n³ of syrk, trsm and trmm.
#include <cstdio>
#include <cstdlib>
#include <hilo/blas.hpp>
#include <string>

#include "random.hpp"
#include "rounds.hpp"

namespace {

using namespace hilo;

void level3(std::int64_t n, const BlockedOptions& options) {
  const std::vector<dd_real> a = bench::near_identity<dd_real>(n, 1), b = bench::near_identity<dd_real>(n, 2);
  std::vector<dd_real> c = b;
  const auto matrix = [n](auto& x) { return view(Layout::column, Op::none, x.data(), n, n, n); };
  const auto x = matrix(a), y = matrix(b);
  const MatrixView<dd_real> z = matrix(c);
  const char* names[] = {"gemm", "symm", "syrk", "syr2k", "trsm", "trmm"};
  const double operations[] = {2, 2, 1, 2, 1, 1};
  const bench::Rounds rounds(
      {[&] { gemm(1, x, y, 1, z, options); }, [&] { symm(Side::left, Uplo::lower, 1, x, y, 1, z, options); },
       [&] { syrk(Uplo::lower, 1, x, 1, z, options); }, [&] { syr2k(Uplo::lower, 1, x, y, 1, z, options); },
       [&] {
         c = b;
         trsm(Side::left, Uplo::lower, Diag::unit, 1, x, z, options);
       },
       [&] {
         c = b;
         trmm(Side::left, Uplo::lower, Diag::unit, 1, x, z, options);
       }},
      options.threads, 3);
  const double size = static_cast<double>(n), cube = size * size * size * 1e-9;
  std::printf("n = %ld, engine %s, threads %d\n", static_cast<long>(n), std::string(name(options.engine)).c_str(),
              options.threads);
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const double ratio = rounds.over_rounds([&](const auto& t) { return operations[i] / operations[0] * t[0] / t[i]; });
    std::printf("  %-5s %6.2f GFlop/s, %.2f of gemm\n", names[i], operations[i] * cube / rounds.time(i), ratio);
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoll(argv[1]) : 4096;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  for (const Engine engine : {Engine::direct, Engine::automatic}) level3(n, {.engine = engine, .threads = threads});
}
