#include "modular_steps.hpp"

#include <algorithm>
#include <cstdio>
#include <data/generate.hpp>
#include <hilo/gemm.hpp>
#include <memory>
#include <vector>

#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/panel_operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/cpu/result.hpp"
#include "gemm/modular/cpu/scaling.hpp"
#include "host/workspace.hpp"
#include "rounds.hpp"

namespace hilo::bench {
namespace {

using namespace hilo::modular;
using std::int64_t;

// The engine's loops for one product, over one step's kernel at a time; panels as the engine chooses them.
class Steps {
 public:
  explicit Steps(int64_t n)
      : n_(n),
        a_(static_cast<std::size_t>(n * n)),
        b_(a_.size()),
        c_(a_.size()),
        operand_{Operand::right(matrix(b_)), Operand::left(matrix(a_))} {
    data::generate({{data::Init::uniform, 0.0}, 1}, Layout::column, n, n, a_.data(), n);
    data::generate({{data::Init::uniform, 0.0}, 2}, Layout::column, n, n, b_.data(), n);
    scale_operands();
    for (int i = 0; i < 2; ++i) {
      const auto& exponent = scaling_.exponent[1 - i];
      for (int64_t e : exponent) up_[i].push_back(scaling_.bits[1 - i] - e);
    }
    for (int64_t up : up_[1]) down_.push_back(-up);
    down_.resize(down_.size() + static_cast<std::size_t>(block_bytes));
    problem_ = {{n, n},
                {operand_[0].runs_along_lines(), operand_[1].runs_along_lines()},
                n,
                scaling_.moduli,
                1,
                1,
                packs_bytes(library_),
                0};
    panels_ = choose_panels(problem_, default_workspace(3 * n * n * 16), max_byte_depth);
    workspace_ = std::make_unique<host::Workspace>(panels_.bytes(problem_));
    auto* bytes = reinterpret_cast<std::uint8_t*>(workspace_->data());
    staging_ = bytes;
    bytes += panels_.staging_bytes(problem_);
    for (int i = 0; i < 2; ++i) {
      residues_[i] = bytes;
      bytes += panels_.operand_bytes(problem_, i);
    }
    result_residues_ = reinterpret_cast<std::int8_t*>(bytes);
    sums_ = reinterpret_cast<std::int32_t*>(bytes + panels_.result_bytes(problem_));
  }

  int moduli() const { return scaling_.moduli; }
  const Panels& panels() const { return panels_; }

  void product() {
    ddgemm(Layout::column, Op::none, Op::none, n_, n_, n_, 1, a_.data(), n_, b_.data(), n_, 0, c_.data(), n_,
           {.engine = Engine::modular, .threads = 1});
  }

  void scale_operands() {
    Operand in_order[2] = {operand_[1], operand_[0]};
    scaling_ = scale(in_order,
                     {.accuracy = Accuracy::classic,
                      .bits = 0,
                      .most_moduli = max_moduli,
                      .threads = 1,
                      .bytes = std::int64_t{1} << 26,
                      .tile = 2048,
                      .library = int8_library(Int8Library::automatic)},
                     kernels_);
  }

  void residues() {
    for (int i = 0; i < 2; ++i) {
      held_[i] = std::make_unique<PanelOperand>(operand_[i], i, IntegerScaling{up_[i], {}, scaling_.bits[0]}, kernels_,
                                                basis(moduli(), false), problem_, panels_, residues_[i], staging_);
    }
    for_each_part([&](const Part& part) {
      for (int i = 0; i < 2; ++i) held_[i]->load(part.lines[i], part.moduli, part.terms);
    });
  }

  // Of what is held, whichever part it is.
  void products() {
    for_each_part([&](const Part& part) {
      for_each_tile(part, [&](int64_t l, Range rows, Range columns) {
        const int64_t leading = panels_.leading_sums(), all = part.terms.count, at_once = panels_.terms_at_once(all);
        for (int64_t h = 0; h < all; h += at_once) {
          const int64_t terms = std::min(at_once, all - h);
          if (panels_.packs) {
            multiply_packed_bytes(rows.count, columns.count, terms, all, held_[0]->packed_factor(l, 0, rows.first, h),
                                  held_[1]->packed_factor(l, 0, columns.first, h), sums_, leading);
          } else {
            multiply_bytes(library_, rows.count, columns.count, terms, held_[0]->factor<std::uint8_t>(l, 0, rows.first),
                           held_[1]->factor<std::int8_t>(l, 0, columns.first), sums_, leading);
          }
        }
      });
    });
  }

  void reduction() {
    for_each_part([&](const Part& part) {
      for_each_tile(part, [&](int64_t l, Range rows, Range columns) {
        int64_t modulus = part.moduli.first + l;
        ReductionConstants constants = reduction_constants(modular::moduli[static_cast<std::size_t>(modulus)], false);
        for (int64_t r = 0; r < rows.count; ++r) {
          std::int8_t* out = result_residues_ + modulus * panels_.result_plane() +
                             (rows.first + r) * leading_bytes(panels_.lines[1]) + columns.first;
          Added before;
          if (part.terms.first > 0) before.add(out, nullptr);
          kernels_.reduce(columns.count, constants, sums_ + r * panels_.leading_sums(), before, out);
        }
      });
    });
  }

  void rebuilding() {
    for_each_panel([&](Range lines, Range columns) {
      for (int64_t r = 0; r < lines.count; ++r) {
        int64_t column = lines.first + r;
        for (int64_t i = 0; i < columns.count; i += Result<dd_real>::width) {
          int64_t count = std::min(Result<dd_real>::width, columns.count - i);
          Result<dd_real>::Line line;
          kernels_.rebuild(count, basis(moduli(), false), result_residues_ + r * leading_bytes(panels_.lines[1]) + i,
                           panels_.result_plane(),
                           {down_.data() + columns.first + i, -up_[0][static_cast<std::size_t>(column)]}, line.hi[0],
                           line.lo[0]);
          result_.write(columns.first + i, column, false, count, line);
        }
      }
    });
  }

 private:
  struct Part {
    Range lines[2], moduli, terms;
  };

  MatrixView<const dd_real> matrix(const std::vector<dd_real>& x) const {
    return view(Layout::column, Op::none, x.data(), n_, n_, n_);
  }

  template <class F>
  void for_each_panel(F f) {
    for (int64_t j = 0; j < n_; j += panels_.lines[1]) {
      for (int64_t i = 0; i < n_; i += panels_.lines[0]) {
        f(Range{i, std::min(panels_.lines[0], n_ - i)}, Range{j, std::min(panels_.lines[1], n_ - j)});
      }
    }
  }

  template <class F>
  void for_each_part(F f) {
    for_each_panel([&](Range first, Range second) {
      for (int64_t l = 0; l < moduli(); l += panels_.chunk) {
        for (int64_t h = 0; h < n_; h += panels_.depth) {
          f(Part{{first, second},
                 {l, std::min<int64_t>(panels_.chunk, moduli() - l)},
                 {h, std::min(panels_.depth, n_ - h)}});
        }
      }
    });
  }

  template <class F>
  void for_each_tile(const Part& part, F f) {
    for (int64_t l = 0; l < part.moduli.count; ++l) {
      for (int64_t i = 0; i < part.lines[0].count; i += panels_.tile[0]) {
        for (int64_t j = 0; j < part.lines[1].count; j += panels_.tile[1]) {
          f(l, Range{i, std::min(panels_.tile[0], part.lines[0].count - i)},
            Range{j, std::min(panels_.tile[1], part.lines[1].count - j)});
        }
      }
    }
  }

  int64_t n_;
  std::vector<dd_real> a_, b_, c_;
  Operand operand_[2];  // B first: neighbours in a column of C are rows, which are to be columns of products of bytes
  const KernelSet& kernels_ = kernel_set("");
  Int8Library library_ = int8_library(Int8Library::automatic);
  Scaling scaling_;
  std::vector<int64_t> up_[2], down_;
  PanelProblem problem_;
  Panels panels_;
  std::unique_ptr<host::Workspace> workspace_;
  std::uint8_t *staging_, *residues_[2];
  std::unique_ptr<PanelOperand> held_[2];
  std::int8_t* result_residues_;
  std::int32_t* sums_;
  Result<dd_real> result_{1, 0, view(Layout::column, Op::none, c_.data(), n_, n_, n_), false, direct::kernel_set({})};
};

}  // namespace

void print_steps(int64_t n, int rounds) {
  Steps s(n);
  const char* const names[] = {"scan and spread", "residues", "products of bytes", "reduction", "rebuilding, writing"};
  // In order, so that each finds what those before it left.
  Rounds t({[&] { s.product(); }, [&] { s.scale_operands(); }, [&] { s.residues(); }, [&] { s.products(); },
            [&] { s.reduction(); }, [&] { s.rebuilding(); }},
           1, rounds);
  std::printf("steps of DD, n = %ld, N = %d, panels %ld x %ld of %d moduli, each step measured alone, ms\n",
              static_cast<long>(n), s.moduli(), static_cast<long>(s.panels().lines[0]),
              static_cast<long>(s.panels().lines[1]), s.panels().chunk);
  for (std::size_t i = 0; i < std::size(names); ++i) {
    std::printf("  %-20s %8.2f   %5.1f %% of the product\n", names[i], t.time(i + 1) * 1e3, t.ratio(i + 1, 0) * 100);
  }
  double sum = t.over_rounds([](const std::vector<double>& x) { return (x[1] + x[2] + x[3] + x[4] + x[5]) / x[0]; });
  std::printf("  %-20s %8.2f   the steps' sum is %.1f %% of it\n", "the product", t.time(0) * 1e3, sum * 100);
}

}  // namespace hilo::bench
