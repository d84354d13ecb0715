// Prints a hash of the bits of sums in K words, and of what else solve's kernels make of a matrix, after comparing each
// with its definition. As gemm_bits.cpp: the output must be the same on every machine.
#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "solve/cpu/kernels.hpp"
#include "solve/word_sums.hpp"

namespace {

using namespace hilo::solver;
using hilo::dd_real;
using std::int64_t;
using Doubles = std::vector<double>;

bool all_equal = true;
std::uint64_t hash = 14695981039346656037u;

Doubles numbers(int64_t n, std::uint64_t seed, double size) {
  Doubles x(static_cast<std::size_t>(n));
  for (double& e : x) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    e = size * static_cast<double>(static_cast<int64_t>(seed) >> 11) * 0x1p-52;
  }
  return x;
}
Doubles powers(int64_t n, int step) {
  Doubles x;
  for (int64_t i = 0; i < n; ++i) x.push_back(std::ldexp(1.0, step * static_cast<int>(i % 7)));
  return x;
}
void compare(const char* what, double got, double expected) {
  if (std::bit_cast<std::uint64_t>(got) != std::bit_cast<std::uint64_t>(expected)) {
    if (all_equal) std::fprintf(stderr, "%s: %a, not %a\n", what, got, expected);
    all_equal = false;
  }
  hash = (hash ^ std::bit_cast<std::uint64_t>(expected)) * 1099511628211u;
}
void print(const char* name, int number) {
  std::printf("%-10s %d %016llx\n", name, number, static_cast<unsigned long long>(hash));
}

// Where words of a matrix lie: in planes, in pairs, or by rows.
struct Storage {
  const char* name;
  int64_t row_stride, column_stride, low;
};
constexpr int64_t rows = 133, columns = 7, count = 3, pitch = 160 + 16;
constexpr Storage every_storage[] = {
    {"planes", 1, rows, rows* columns}, {"pairs", 2, 2 * rows, 1}, {"rows", 2 * columns, 2, 1}};

// Low words are far below high ones.
Doubles matrix(const Storage& s) {
  Doubles a = numbers(2 * rows * columns, 5, 1.0);
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      a[static_cast<std::size_t>(i * s.row_stride + j * s.column_stride + s.low)] *= 0x1p-54;
    }
  }
  return a;
}

void report_products(const Storage& s, bool has_low, bool has_scales) {
  const Doubles a = matrix(s), of_rows = powers(rows, 3), of_columns = powers(columns, -5);
  const Doubles x_hi = numbers(columns * count, 7, 1.0), x_lo = numbers(columns * count, 8, 0x1p-54);
  const auto entry = [&](int64_t i, int64_t j) {
    const double scale = has_scales ? of_rows[std::size_t(i)] * of_columns[std::size_t(j)] : 1.0;
    const double* const e = a.data() + i * s.row_stride + j * s.column_stride;
    return dd_real(e[0] * scale, has_low ? e[s.low] * scale : 0.0);
  };
  for (const int words : {2, 3, 4, 6}) {
    Doubles sums = numbers(count * words * pitch, 9, 0x1p-200), expected = sums;
    std::vector<WordLine> lines;
    for (int64_t l = 0; l < count; ++l) {
      lines.push_back({x_hi.data() + l * columns, x_lo.data() + l * columns, sums.data() + l * words * pitch});
      for (int64_t i = 0; i < rows; ++i) {
        const WordSum sum(words, expected.data() + l * words * pitch + i, pitch);
        for (int64_t j = 0; j < columns; ++j) {
          const dd_real e = entry(i, j), x(lines.back().x_hi[j], lines.back().x_lo[j]);
          has_low ? sum.add_product(e, x) : sum.add_product(e.hi, x);
        }
      }
    }
    const WordProducts p{rows,
                         columns,
                         a.data(),
                         has_low ? a.data() + s.low : nullptr,
                         s.row_stride,
                         s.column_stride,
                         has_scales ? of_rows.data() : nullptr,
                         has_scales ? of_columns.data() : nullptr,
                         lines.data(),
                         count,
                         pitch};
    kernel_set("").add_products[words](p);
    for (int64_t k = 0; k < count * words; ++k) {
      for (int64_t i = 0; i < rows; ++i) {
        compare(s.name, sums[std::size_t(k * pitch + i)], expected[std::size_t(k * pitch + i)]);
      }
    }
    print(s.name, words);
  }
}

void report_magnitudes(const Storage& s) {
  const Doubles a = matrix(s), y = numbers(columns, 3, 1.0);
  Doubles sums(pitch), expected(pitch);
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      const double size = std::fabs(a[std::size_t(i * s.row_stride + j * s.column_stride)]);
      expected[std::size_t(i)] += hilo::detail::rounded_product(size, y[std::size_t(j)]);
    }
  }
  const WordLine line{y.data(), nullptr, sums.data()};
  kernel_set("").add_magnitudes(
      {rows, columns, a.data(), nullptr, s.row_stride, s.column_stride, nullptr, nullptr, &line, 1, 0});
  for (int64_t i = 0; i < rows; ++i) compare("magnitudes", sums[std::size_t(i)], expected[std::size_t(i)]);
  print("magnitudes", 1);
}

void report_in_place(int64_t words) {
  const Doubles a = matrix(every_storage[words - 1]), scales = powers(rows, 3);
  const MatrixInPlace place{a.data(), rows, columns, words, words * rows};
  const KernelSet& kernels = kernel_set("");
  Doubles largest(rows), expected(rows), leading(rows);
  const Entries entries = kernels.find_largest(place, 0, columns, largest.data());
  compare("are finite", entries.are_finite, 1.0);
  compare("have low words", entries.have_low_words, words == 2);
  for (int64_t j = 0; j < columns; ++j) {
    double most = 0.0;
    kernels.put_leading(place, j, scales.data(), 0x1p-9, leading.data());
    for (int64_t i = 0; i < rows; ++i) {
      const double e = place.column(j)[i * words], scale = scales[std::size_t(i)];
      expected[std::size_t(i)] = std::fmax(expected[std::size_t(i)], std::fabs(e));
      most = std::fmax(most, std::fabs(e) * scale);
      compare("leading words", leading[std::size_t(i)], e * scale * 0x1p-9);
    }
    compare("largest of column", kernels.largest_of_column(place, j, scales.data()), most);
  }
  for (int64_t i = 0; i < rows; ++i) compare("largest", largest[std::size_t(i)], expected[std::size_t(i)]);
  print("in place", static_cast<int>(words));
}

}  // namespace

int main() {
  std::fprintf(stderr, "%s\n", kernel_set("").target.data());
  for (const Storage& s : every_storage) {
    for (const bool has_low : {true, false}) {
      for (const bool has_scales : {false, true}) report_products(s, has_low, has_scales);
    }
    report_magnitudes(s);
  }
  for (const int64_t words : {1, 2}) report_in_place(words);
  return all_equal ? 0 : 1;
}
