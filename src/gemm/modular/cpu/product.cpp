#include "gemm/modular/cpu/product.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/direct_entries.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/cpu/result.hpp"
#include "gemm/modular/cpu/scaling.hpp"
#include "gemm/modular/rounding.hpp"
#include "host/team.hpp"
#include "host/workspace.hpp"
#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

// The operand whose lines are the rows of products of bytes: neighbours in C are columns of theirs.
int first_operand(bool rows_are_neighbours) { return rows_are_neighbours ? 1 : 0; }

// Lines of a tile of the scan, so that its bytes stay below the bound.
std::int64_t scan_tile(std::int64_t bytes) {
  std::int64_t tile = 2048;
  while (tile > 64 && tile * tile + 512 * tile > bytes) tile /= 2;
  return tile;
}

// One product, cut to panels.
template <class T>
class Multiplication {
 public:
  Multiplication(const CpuPlan& plan, const Operand (&operand)[2], const Scaling& scaling, const Product<T>& x)
      : kernels_(*plan.kernels),
        library_(plan.int8_library),
        scaling_(scaling),
        basis_(basis(scaling.moduli, operand[0].parts == 2)),
        result_(x.alpha, x.beta, x.c, plan.options.accuracy == Accuracy::exact,
                direct::kernel_set(plan.options.target)),
        triangle_(x.triangle),
        threads_(plan.threads),
        first_(first_operand(x.c.row_stride < x.c.column_stride)),
        operand_{&operand[first_], &operand[1 - first_]},
        problem_{{operand_[0]->lines, operand_[1]->lines},
                 {operand_[0]->runs_along_lines(), operand_[1]->runs_along_lines()},
                 operand_[0]->terms,
                 scaling.moduli,
                 operand_[0]->parts,
                 plan.threads,
                 packs_bytes(plan.int8_library)},
        panels_(plan.panels_of(problem_)),
        workspace_(panels_.bytes(problem_)) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(workspace_.data());
    // First what has to begin a cache line.
    for (int i = 0; i < 2; ++i) {
      packed_[i] = bytes;
      bytes += panels_.packed_operand_bytes(problem_, i);
    }
    for (int i = 0; i < 2; ++i) {
      residues_[i] = bytes;
      bytes += panels_.operand_bytes(problem_, i);
    }
    result_residues_ = reinterpret_cast<std::int8_t*>(bytes);
    sums_ = reinterpret_cast<std::int32_t*>(bytes + panels_.result_bytes(problem_));
    set_shifts();
  }

  void describe(Outcome& outcome) const {
    outcome.tile_rows = panels_.lines[first_ == 0 ? 0 : 1];
    outcome.tile_columns = panels_.lines[first_ == 0 ? 1 : 0];
    outcome.depth = panels_.depth;
    outcome.workspace_bytes = panels_.bytes(problem_);
  }

  void run() {
    for (std::int64_t j = 0; j < problem_.lines[1]; j += panels_.lines[1]) {
      for (std::int64_t i = 0; i < problem_.lines[0]; i += panels_.lines[0]) {
        panel_[0] = {i, std::min(panels_.lines[0], problem_.lines[0] - i)};
        panel_[1] = {j, std::min(panels_.lines[1], problem_.lines[1] - j)};
        if (!wants(panel_[0], panel_[1])) continue;
        multiply_panel();
        for_each(panel_[0].count, [&](std::int64_t r, int) { write_row(r); });
      }
    }
  }

 private:
  struct Range {
    std::int64_t first, count;
    bool operator==(const Range&) const = default;
  };

  // Rows that are multiplied at a time where a triangle alone is wanted.
  static constexpr std::int64_t triangle_rows = 128;

  template <class F>
  void for_each(std::int64_t count, F f) {
    host::for_each(threads_, count, f);
  }

  // Whether entries are wanted of rows and columns of the products of bytes.
  bool wants(Range rows, Range columns) const {
    const Range& i = first_ == 0 ? rows : columns;
    const Range& j = first_ == 0 ? columns : rows;
    return !triangle_ || wants_block(*triangle_, i.first, j.first, i.count, j.count);
  }

  // The columns of the panel that are wanted in a row, from its first one.
  Range wanted_columns(std::int64_t row) const {
    const Range& all = panel_[1];
    if (!triangle_) return {0, all.count};
    // Up to the diagonal, or from there on.
    const bool is_up_to = (*triangle_ == Uplo::lower) == (first_ == 0);
    const std::int64_t diagonal = std::clamp<std::int64_t>(row - all.first + (is_up_to ? 1 : 0), 0, all.count);
    return is_up_to ? Range{0, diagonal} : Range{diagonal, all.count - diagonal};
  }

  // Of these columns, in whole blocks, those that are wanted in any of the rows; both count from the panel's first.
  Range wanted_columns(Range rows, Range columns) const {
    if (!triangle_) return columns;
    const std::int64_t row = panel_[0].first + rows.first;
    const Range first = wanted_columns(row), last = wanted_columns(row + rows.count - 1);
    std::int64_t begin = std::clamp<std::int64_t>(std::min(first.first, last.first) - columns.first, 0, columns.count);
    std::int64_t end = std::max(first.first + first.count, last.first + last.count) - columns.first;
    begin -= begin % block_bytes;
    end = std::clamp(end, begin, columns.count);
    return {columns.first + begin, end - begin};
  }

  // What scales each line and each term to integers, and the product's lines back.
  void set_shifts() {
    for (int i = 0; i < 2; ++i) {
      int o = i == 0 ? first_ : 1 - first_;
      const auto& exponent = scaling_.exponent[o];
      up_[i].resize(exponent.size());
      down_[i].resize(exponent.size() + static_cast<std::size_t>(block_bytes));
      for (std::size_t l = 0; l < exponent.size(); ++l) {
        bool is_bad = scaling_.is_bad[o][l];
        up_[i][l] = is_bad ? leave_out : scaling_.bits[o] - exponent[l];
        down_[i][l] = is_bad ? 0 : -up_[i][l];
      }
      bits_[i] = scaling_.bits[o];
      balance_[i] = scaling_.balance;
      if (o == 1) {
        for (std::int64_t& b : balance_[i]) b = -b;
      }
    }
    auto [least, most] = std::minmax_element(down_[1].begin(), down_[1].end() - block_bytes);
    least_down_ = *least;
    most_down_ = *most;
    auto terms = static_cast<double>(problem_.terms) * problem_.parts;
    result_bits_ = bits_[0] + bits_[1] + static_cast<std::int64_t>(std::ceil(std::log2(terms)));
  }

  void multiply_panel() {
    for (std::int64_t l = 0; l < problem_.moduli; l += panels_.chunk) {
      Range chunk{l, std::min<std::int64_t>(panels_.chunk, problem_.moduli - l)};
      for (std::int64_t h = 0; h < problem_.terms; h += panels_.depth) {
        Range terms{h, std::min(panels_.depth, problem_.terms - h)};
        for (int i = 0; i < 2; ++i) load(i, chunk, terms);
        multiply(chunk, terms);
      }
    }
  }

  // The residues of an operand's panel, unless they are there from before.
  void load(int i, Range chunk, Range terms) {
    Loaded wanted{panel_[i], chunk, terms};
    if (loaded_[i] == wanted) return;
    loaded_[i] = wanted;
    const Operand& x = *operand_[i];
    const ResidueConstants* constants = (i == 0 ? basis_.first : basis_.second) + chunk.first;
    bool along = problem_.runs_along_lines[i];
    const Range &runs = along ? terms : panel_[i], &length = along ? panel_[i] : terms;
    std::int64_t leading = leading_bytes(length.count), plane = panels_.operand_plane(problem_, i);
    const auto &up = up_[i], &balance = balance_[i];
    constexpr std::int64_t runs_at_once = 8;
    for_each(blocks(runs.count, runs_at_once), [&](std::int64_t group, int) {
      std::int64_t last = std::min(runs.count, (group + 1) * runs_at_once);
      for (std::int64_t r = group * runs_at_once; r < last; ++r) {
        auto run = static_cast<std::size_t>(runs.first + r);
        Exponents shifts = along ? Exponents{up.data() + length.first, balance.empty() ? 0 : balance[run]}
                                 : Exponents{balance.empty() ? nullptr : balance.data() + length.first, up[run]};
        kernels_.residues(x.run(runs.first + r, length.first, length.count), shifts, bits_[i], constants,
                          static_cast<int>(chunk.count), residues_[i] + r * leading, plane);
      }
    });
  }

  template <class Byte>
  ByteMatrix<Byte> bytes_of(int i, std::int64_t plane, Range terms, std::int64_t first_line) const {
    bool along = problem_.runs_along_lines[i];
    std::int64_t leading = leading_bytes(along ? panel_[i].count : terms.count);
    const auto* data = reinterpret_cast<const Byte*>(residues_[i] + plane * panels_.operand_plane(problem_, i));
    // The first operand's rows are its lines, the second's columns are.
    return {data + first_line * (along ? 1 : leading), leading, along == (i == 0)};
  }

  void multiply(Range chunk, Range terms) {
    const std::int64_t at_once = panels_.packed ? panels_.packed : chunk.count;
    for (std::int64_t l = 0; l < chunk.count; l += at_once) {
      const Range moduli{chunk.first + l, std::min(at_once, chunk.count - l)};
      if (panels_.packed) pack(moduli, chunk, terms);
      multiply(moduli, chunk, terms);
    }
  }

  // The residues modulo these numbers, of the chunk's, in the library's own order.
  void pack(Range moduli, Range chunk, Range terms) {
    const int first_plane = planes_before(moduli.first), before = first_plane - planes_before(chunk.first),
              planes = planes_before(moduli.first + moduli.count) - first_plane;
    const std::int64_t strips[2] = {blocks(panel_[0].count, packed_lines), blocks(panel_[1].count, packed_lines)};
    for_each(planes * (strips[0] + strips[1]), [&](std::int64_t task, int) {
      const std::int64_t plane = task / (strips[0] + strips[1]), strip = task % (strips[0] + strips[1]);
      const int i = strip < strips[0] ? 0 : 1;
      const std::int64_t line = (i == 0 ? strip : strip - strips[0]) * packed_lines;
      const std::int64_t lines = std::min(packed_lines, panel_[i].count - line);
      std::uint8_t* to = packed_at(i, plane, line, terms);
      if (i == 0) {
        pack_bytes(bytes_of<std::uint8_t>(i, before + plane, terms, line), lines, terms.count, to);
      } else {
        pack_bytes(bytes_of<std::int8_t>(i, before + plane, terms, line), lines, terms.count, to);
      }
    });
  }

  // Of the planes that are packed at a time.
  std::uint8_t* packed_at(int i, std::int64_t plane, std::int64_t line, Range terms) const {
    return packed_[i] + plane * panels_.packed_plane(i) + line / packed_lines * packed_bytes(packed_lines, terms.count);
  }

  // Modulo some of the chunk's numbers.
  void multiply(Range moduli, Range chunk, Range terms) {
    std::int64_t tiles[2] = {blocks(panel_[0].count, panels_.tile[0]), blocks(panel_[1].count, panels_.tile[1])};
    const int sums_of_tile = panels_.sums(problem_), first_of_chunk = planes_before(chunk.first),
              first_of_all = planes_before(moduli.first);
    for_each(moduli.count * tiles[0] * tiles[1], [&](std::int64_t task, int thread) {
      const std::int64_t modulus = moduli.first + task / (tiles[0] * tiles[1]);
      Range tile[2];
      for (int i = 0; i < 2; ++i) {
        std::int64_t at = i == 0 ? task / tiles[1] % tiles[0] : task % tiles[1];
        tile[i] = {at * panels_.tile[i], std::min(panels_.tile[i], panel_[i].count - at * panels_.tile[i])};
      }
      if (!wants({panel_[0].first + tile[0].first, tile[0].count}, {panel_[1].first + tile[1].first, tile[1].count})) {
        return;
      }
      std::int64_t leading = panels_.leading_sums(), size = panels_.tile[0] * leading;
      std::int32_t* sums = sums_ + thread * sums_of_tile * size;
      const std::int64_t strip = triangle_ ? triangle_rows : tile[0].count;
      for (std::int64_t r = 0; r < tile[0].count; r += strip) {
        const Range rows{tile[0].first + r, std::min(strip, tile[0].count - r)},
            columns = wanted_columns(rows, tile[1]);
        if (columns.count == 0) continue;
        const int first_plane = planes_before(modulus), planes = planes_before(modulus + 1) - first_plane;
        for (int p = 0; p < planes; ++p) {
          const std::int64_t plane = first_plane + p;
          if (panels_.packed) {
            multiply_packed_bytes(rows.count, columns.count, terms.count,
                                  packed_at(0, plane - first_of_all, rows.first, terms),
                                  packed_at(1, plane - first_of_all, columns.first, terms), sums + p * size, leading);
          } else {
            multiply_bytes(library_, rows.count, columns.count, terms.count,
                           bytes_of<std::uint8_t>(0, plane - first_of_chunk, terms, rows.first),
                           bytes_of<std::int8_t>(1, plane - first_of_chunk, terms, columns.first), sums + p * size,
                           leading);
          }
        }
        reduce(static_cast<int>(modulus), rows, columns, sums, size, leading, terms.first > 0);
      }
    });
  }

  // Planes of the moduli before one.
  int planes_before(std::int64_t modulus) const { return planes_of(static_cast<int>(modulus), problem_.parts == 2); }

  void reduce(int modulus, Range rows, Range columns, const std::int32_t* sums, std::int64_t size, std::int64_t leading,
              bool accumulates) {
    const bool is_complex = problem_.parts == 2;
    const bool is_split = splits(modulus, is_complex);
    const ReductionConstants constants = reduction_constants(modulus_at(modulus, is_complex), is_split);
    std::int8_t* re = result_residues_ + modulus * problem_.parts * panels_.result_plane();
    for (std::int64_t r = 0; r < rows.count; ++r, sums += leading) {
      std::int8_t* out = re + (rows.first + r) * leading_bytes(panels_.lines[1]) + columns.first;
      if (!is_complex) {
        kernels_.reduce(columns.count, constants, sums, accumulates, out);
      } else if (is_split) {
        kernels_.reduce_split(columns.count, constants, {sums, sums + size}, accumulates, out,
                              out + panels_.result_plane());
      } else {
        kernels_.reduce_complex(columns.count, constants, {sums, sums + size, sums + 2 * size}, accumulates, out,
                                out + panels_.result_plane());
      }
    }
  }

  // A row of the panel's product from its residues to C.
  void write_row(std::int64_t r) {
    std::int64_t row = panel_[0].first + r;
    std::int64_t shift = down_[0][static_cast<std::size_t>(row)] + result_.shift();
    const Range wanted = wanted_columns(row);
    for (std::int64_t j = wanted.first; j < wanted.first + wanted.count; j += Result<T>::width) {
      std::int64_t count = std::min(Result<T>::width, wanted.first + wanted.count - j);
      typename Result<T>::Line line;
      for (int part = 0; part < problem_.parts; ++part) {
        const std::int8_t* residues =
            result_residues_ + part * panels_.result_plane() + r * leading_bytes(panels_.lines[1]) + j;
        rebuild(residues, panel_[1].first + j, count, shift, line.hi[part], words_of<T> == 2 ? line.lo[part] : nullptr);
      }
      std::int64_t at[2];
      at[first_] = row;
      at[1 - first_] = panel_[1].first + j;
      result_.write(at[0], at[1], first_ == 0, count, line);
    }
  }

  void rebuild(const std::int8_t* residues, std::int64_t column, std::int64_t count, std::int64_t shift, double* hi,
               double* lo) {
    std::int64_t stride = problem_.parts * panels_.result_plane();
    const std::int64_t* down = down_[1].data() + column;
    kernels_.rebuild(count, basis_, residues, stride, {down, shift}, hi, lo);
    auto is_safe = [&](std::int64_t s) { return s >= -1074 && s + result_bits_ <= 1022; };
    if (is_safe(least_down_ + shift) && is_safe(most_down_ + shift)) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_safe(down[i] + shift)) continue;
      dd_real x = rebuild_entry(basis_, residues + i, stride, down[i] + shift, words_of<T>);
      hi[i] = x.hi;
      if (lo) lo[i] = x.lo;
    }
  }

  const KernelSet& kernels_;
  Int8Library library_;
  const Scaling& scaling_;
  const Basis& basis_;
  Result<T> result_;
  std::optional<Uplo> triangle_;
  int threads_;
  int first_;  // A's place or B's: which one is the first operand of products of bytes
  const Operand* operand_[2];
  PanelProblem problem_;
  Panels panels_;
  host::Workspace workspace_;
  std::uint8_t *packed_[2], *residues_[2];
  std::int8_t* result_residues_;
  std::int32_t* sums_;
  // By place: 2^up scales a line, and 2^down the product back.
  std::vector<std::int64_t> up_[2], down_[2], balance_[2];
  int bits_[2];
  std::int64_t least_down_, most_down_, result_bits_;
  Range panel_[2];
  struct Loaded {
    Range panel{-1, 0}, chunk{-1, 0}, terms{-1, 0};
    bool operator==(const Loaded&) const = default;
  };
  Loaded loaded_[2];
};

}  // namespace

template <class T>
Outcome execute(const CpuPlan& plan, const Product<T>& x) {
  Operand operand[2] = {Operand::left(x.a), Operand::right(x.b)};
  check_exact_scalars(plan.options.accuracy, x.alpha, x.beta);
  Scaling scaling = scale(operand,
                          {.accuracy = plan.options.accuracy,
                           .bits = plan.options.bits,
                           .most_moduli = plan.most_moduli,
                           .threads = plan.threads,
                           .map_bytes = plan.workspace / 4,
                           .tile = scan_tile(plan.workspace),
                           .library = plan.int8_library},
                          *plan.kernels);
  Outcome outcome{};
  outcome.path = scaling.path;
  if (!outcome.is_modular()) return outcome;
  outcome.bits = std::max(scaling.bits[0], scaling.bits[1]);
  outcome.moduli = scaling.moduli;
  outcome.esc = scaling.esc;
  outcome.error_bound_u2 = scaling.error_bound_u2;
  if (x.triangle)
    std::erase_if(scaling.direct, [&](const Position& p) { return !x.wants_block(p.line[0], p.line[1], 1, 1); });
  outcome.entries_direct = std::ssize(scaling.direct);
  // First, while C is as it was and memory may still be lacking.
  DirectEntries<T> direct(plan, scaling.direct, x);
  Multiplication<T> multiplication(plan, operand, scaling, x);
  multiplication.describe(outcome);
  multiplication.run();
  direct.write(x.c);
  outcome.entries_recomputed = direct.recomputed();
  // Those of the accuracies that only this engine has are never finite.
  if (outcome.entries_direct && !is_needed(plan.options.accuracy)) {
    outcome.error_bound_u2 = std::max(outcome.error_bound_u2, direct.error_bound_u2());
  }
  return outcome;
}

template Outcome execute(const CpuPlan&, const Product<double>&);
template Outcome execute(const CpuPlan&, const Product<std::complex<double>>&);
template Outcome execute(const CpuPlan&, const Product<dd_real>&);
template Outcome execute(const CpuPlan&, const Product<dd_complex>&);

}  // namespace hilo::modular
