#include "gemm/modular/cpu/spread.hpp"

#include <algorithm>

#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/cpu/scaling.hpp"
#include "host/team.hpp"

namespace hilo::modular {
namespace {

// Terms whose deficits are held at a time. Sums of ordinary matrices are settled by the first of them.
constexpr std::int64_t terms_at_once = 128;
constexpr std::int64_t rows_at_once = 8;

std::int64_t groups(std::int64_t rows) { return (rows + rows_at_once - 1) / rows_at_once; }

}  // namespace

// The entries of some rows and columns, where the vector operand's lines are the columns.
class Spread::Tile {
 public:
  Tile(const Spread& spread, int vector_operand) : s_(spread), column_(vector_operand), row_(1 - vector_operand) {}

  void compute(std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns, int enough) {
    first_[row_] = first_row;
    first_[column_] = first_column;
    count_[row_] = rows;
    count_[column_] = columns;
    leading_ = padded(columns);
    smallest_.assign(static_cast<std::size_t>(rows * leading_), 0);
    settled_.assign(static_cast<std::size_t>(groups(rows)), 0);
    const auto &idle_row = *s_.idle_[static_cast<std::size_t>(row_)],
               &idle_column = *s_.idle_[static_cast<std::size_t>(column_)];
    for (std::int64_t i = 0; i < rows; ++i) {
      if (idle_row[static_cast<std::size_t>(first_row + i)]) continue;
      for (std::int64_t j = 0; j < columns; ++j) {
        smallest(i, j) = idle_column[static_cast<std::size_t>(first_column + j)] ? 0 : of_zero;
      }
    }
    has_charged_column_ = false;
    for (std::int64_t j = 0; j < columns; ++j) has_charged_column_ |= s_.is_charged(column_, first_column + j);
    std::int64_t terms = s_.operand_[0].terms;
    for (std::int64_t h = 0; h < terms; h += terms_at_once) {
      if (std::all_of(settled_.begin(), settled_.end(), [](std::uint8_t x) { return x; })) break;
      add_terms(h, std::min(terms_at_once, terms - h), enough);
    }
  }

  bool is_settled(std::int64_t row) const { return settled_[static_cast<std::size_t>(row / rows_at_once)]; }
  std::uint8_t& smallest(std::int64_t i, std::int64_t j) {
    return smallest_[static_cast<std::size_t>(i * leading_ + j)];
  }

 private:
  void add_terms(std::int64_t first_term, std::int64_t terms, int enough) {
    load(row_, first_term, terms);
    load(column_, first_term, terms);
    if (!s_.operand_[column_].runs_along_lines()) transpose();
    bool along = s_.operand_[row_].runs_along_lines();
    std::int64_t row_stride = along ? 1 : terms_at_once, term_stride = along ? padded(count_[row_]) : 1;
    host::for_each(s_.threads_, groups(count_[row_]), [&](std::int64_t g, int) {
      auto& is_settled = settled_[static_cast<std::size_t>(g)];
      if (is_settled) return;
      std::int64_t i = g * rows_at_once, rows = std::min(rows_at_once, count_[row_] - i);
      int largest =
          s_.kernels_->min_plus({rows, leading_, terms, deficits_[row_].data() + i * row_stride, row_stride,
                                 term_stride, deficits_[column_].data(), leading_, &smallest(i, 0), leading_});
      bool is_charged = has_charged_column_;
      for (std::int64_t r = i; r < i + rows; ++r) is_charged |= s_.is_charged(row_, first_[row_] + r);
      is_settled = largest <= enough - (is_charged ? s_.surcharge_.bits : 0);
    });
  }

  // The deficits of one operand's lines: a row for each term where its runs are along lines, else a row for each line.
  void load(int o, std::int64_t first_term, std::int64_t terms) {
    const Operand& x = s_.operand_[o];
    const auto& exponent = *s_.exponent_[static_cast<std::size_t>(o)];
    const auto& shift = s_.shift_[static_cast<std::size_t>(o)];
    bool along = x.runs_along_lines();
    std::int64_t leading = along ? padded(count_[o]) : terms_at_once, runs = along ? terms : count_[o];
    deficits_[o].resize(static_cast<std::size_t>(leading * (along ? terms_at_once : count_[o])));
    host::for_parts(s_.threads_, runs, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t r = from; r < to; ++r) {
        std::uint8_t* out = deficits_[o].data() + r * leading;
        if (along) {
          auto h = static_cast<std::size_t>(first_term + r);
          s_.kernels_->deficits(x.run(first_term + r, first_[o], count_[o]),
                                {exponent.data() + first_[o], shift.empty() ? 0 : shift[h]}, out);
        } else {
          auto line = static_cast<std::size_t>(first_[o] + r);
          s_.kernels_->deficits(x.run(first_[o] + r, first_term, terms),
                                {shift.empty() ? nullptr : shift.data() + first_term, exponent[line]}, out);
        }
      }
    });
  }

  // The vector operand's deficits from a row for each line to a row for each term.
  void transpose() {
    auto& x = deficits_[column_];
    transposed_.resize(static_cast<std::size_t>(leading_ * terms_at_once));
    constexpr std::int64_t block = 16;
    for (std::int64_t j = 0; j < count_[column_]; j += block) {
      std::int64_t columns = std::min(block, count_[column_] - j);
      for (std::int64_t h = 0; h < terms_at_once; ++h) {
        for (std::int64_t c = 0; c < columns; ++c) {
          transposed_[static_cast<std::size_t>(h * leading_ + j + c)] =
              x[static_cast<std::size_t>((j + c) * terms_at_once + h)];
        }
      }
    }
    x.swap(transposed_);
  }

  const Spread& s_;
  int column_, row_;
  std::int64_t first_[2] = {}, count_[2] = {};
  std::int64_t leading_ = 0;
  bool has_charged_column_ = false;
  std::vector<std::uint8_t> smallest_, settled_, transposed_;
  std::vector<std::uint8_t> deficits_[2];
};

Spread::Spread(const Operand (&operand)[2], std::array<const std::vector<std::int64_t>*, 2> exponent,
               const std::vector<std::int64_t>& balance, std::array<const std::vector<std::uint8_t>*, 2> idle,
               Surcharge surcharge, const KernelSet& kernels, int threads, std::int64_t tile)
    : operand_(operand),
      exponent_(exponent),
      idle_(idle),
      surcharge_(surcharge),
      kernels_(&kernels),
      threads_(threads),
      tile_(tile) {
  shift_[1] = balance;
  shift_[0] = balance;
  for (std::int64_t& s : shift_[0]) s = -s;
}

template <class Visit>
void Spread::visit(int enough, Visit visit) const {
  int column = operand_[1].runs_along_lines() || !operand_[0].runs_along_lines() ? 1 : 0, row = 1 - column;
  Tile tile(*this, column);
  for (std::int64_t i = 0; i < operand_[row].lines; i += tile_) {
    for (std::int64_t j = 0; j < operand_[column].lines; j += tile_) {
      std::int64_t rows = std::min(tile_, operand_[row].lines - i),
                   columns = std::min(tile_, operand_[column].lines - j);
      tile.compute(i, rows, j, columns, enough);
      for (std::int64_t r = 0; r < rows; ++r) {
        // Entries, a whole row of them, that are settled.
        if (tile.is_settled(r)) {
          visit(columns, Position{{0, 0}}, 0);
          continue;
        }
        for (std::int64_t c = 0; c < columns; ++c) {
          std::int64_t at[2];
          at[row] = i + r;
          at[column] = j + c;
          int e = tile.smallest(r, c);
          if (e != of_zero && !is_idle(0, at[0]) && !is_idle(1, at[1]) &&
              (is_charged(0, at[0]) || is_charged(1, at[1]))) {
            e = std::min(e + surcharge_.bits, of_zero - 1);
          }
          visit(1, Position{{at[0], at[1]}}, e);
        }
      }
    }
  }
}

Spread::Histogram Spread::histogram(int enough, std::int64_t map_bytes) {
  std::int64_t columns = operand_[1].lines;
  bool keeps_map = operand_[0].lines <= map_bytes / columns;
  map_.assign(keeps_map ? static_cast<std::size_t>(operand_[0].lines * columns) : 0, 0);
  Histogram h{};
  visit(enough, [&](std::int64_t count, Position p, int e) {
    h[static_cast<std::size_t>(e)] += count;
    // Rows that are settled stay 0.
    if (keeps_map && e > enough) {
      map_[static_cast<std::size_t>(p.line[0] * columns + p.line[1])] = static_cast<std::uint8_t>(e);
    }
  });
  return h;
}

std::vector<Position> Spread::beyond(int enough) const {
  std::vector<Position> found;
  auto add = [&](Position p, int e) {
    if (e > enough && e < of_zero) found.push_back(p);
  };
  if (map_.empty()) {
    visit(enough, [&](std::int64_t, Position p, int e) { add(p, e); });
    return found;
  }
  std::int64_t columns = operand_[1].lines;
  for (std::int64_t i = 0; i < operand_[0].lines; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) add({{i, j}}, map_[static_cast<std::size_t>(i * columns + j)]);
  }
  return found;
}

}  // namespace hilo::modular
