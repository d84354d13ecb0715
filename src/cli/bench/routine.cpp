#include "cli/bench/routine.hpp"

#include <algorithm>

#include "cli/option.hpp"

namespace hilo::cli {
namespace {

struct ShapeOf {
  std::size_t numbers;
  const char* words;
};

constexpr ShapeOf shapes[] = {{3, "m,n,k, or n for all three"},  // by Routine
                              {3, "m,n,k, or n for all three"},
                              {2, "n,k, or n for both"},
                              {2, "m,n, or n for both"},
                              {2, "m,n, or n for both"},
                              {1, "n"},
                              {2, "m,n, or n for both"},
                              {2, "n,nrhs, or n for nrhs = 1"}};

}  // namespace

const std::vector<Routine>& bench_routines() {
  static const std::vector<Routine> all = {Routine::gemm,  Routine::batch, Routine::syrk,  Routine::trsm,
                                           Routine::getrf, Routine::potrf, Routine::geqrf, Routine::solve};
  return all;
}

bool is_product(Routine routine) { return routine == Routine::gemm || routine == Routine::batch; }

bool takes_left_transpose(Routine routine) {
  return is_product(routine) || routine == Routine::syrk || routine == Routine::trsm;
}

BenchCase of_shape(BenchCase what, const Shape& shape) {
  const ShapeOf& expected = shapes[static_cast<std::size_t>(what.routine)];
  if (shape.size() != 1 && shape.size() != expected.numbers) {
    reject("--shapes " + in_words(shape) + ": " + std::string(name(what.routine)) + " takes " + expected.words);
  }
  const std::int64_t first = shape.front(), last = shape.back();
  switch (what.routine) {
    case Routine::gemm:
    case Routine::batch:
      what.m = first;
      what.n = shape.size() == 1 ? first : shape[1];
      what.k = last;
      break;
    case Routine::syrk:
      what.m = what.n = first;
      what.k = last;
      break;
    case Routine::trsm:
      what.m = what.k = first;
      what.n = last;
      break;
    case Routine::solve:
      what.m = what.k = first;
      what.n = shape.size() == 1 ? 1 : last;
      break;
    default:
      what.m = first;
      what.n = last;
      what.k = std::min(first, last);
  }
  return what;
}

double operations(const BenchCase& what) {
  const auto m = static_cast<double>(what.m), n = static_cast<double>(what.n), k = static_cast<double>(what.k);
  const double scale = is_complex(what.precision) ? 4.0 : 1.0;
  switch (what.routine) {
    case Routine::gemm:
      return scale * 2.0 * m * n * k;
    case Routine::batch:
      return scale * 2.0 * m * n * k * static_cast<double>(what.count);
    case Routine::syrk:
      return scale * n * n * k;
    case Routine::trsm:
      return scale * m * m * n;
    case Routine::getrf:
      return scale * (std::max(m, n) - k / 3.0) * k * k;
    case Routine::potrf:
      return scale * n * n * n / 3.0;
    case Routine::geqrf:
      return scale * 2.0 * (std::max(m, n) - k / 3.0) * k * k;
    case Routine::solve:
      break;
  }
  return scale * (2.0 / 3.0 * m + 2.0 * n) * m * m;
}

std::vector<MatrixSize> matrix_sizes(const BenchCase& what) {
  const bool plain_a = what.opa == Op::none, plain_b = what.opb == Op::none;
  const MatrixSize a = {"A", plain_a ? what.m : what.k, plain_a ? what.k : what.m};
  switch (what.routine) {
    case Routine::gemm:
      return {a, {"B", plain_b ? what.k : what.n, plain_b ? what.n : what.k}, {"C", what.m, what.n}};
    case Routine::batch: {
      // One beside the other, or below it, so that each is contiguous.
      std::vector<MatrixSize> all = {
          a, {"B", plain_b ? what.k : what.n, plain_b ? what.n : what.k}, {"C", what.m, what.n}};
      for (MatrixSize& size : all) {
        std::int64_t& outer = what.layout == Layout::column ? size.columns : size.rows;
        if (__builtin_mul_overflow(outer, what.count, &outer))
          reject("--batch: the sizes of its matrices are too large");
      }
      return all;
    }
    case Routine::syrk:
      return {a, {"C", what.n, what.n}};
    case Routine::trsm:
    case Routine::solve:
      return {a, {"B", what.m, what.n}, {"X", what.m, what.n}};
    default:
      return {{"A", what.m, what.n}, {"the factors", what.m, what.n}};
  }
}

}  // namespace hilo::cli
