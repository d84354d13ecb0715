#include "stream/product.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "matrix/sizes.hpp"
#include "stream/device_bytes.hpp"
#include "stream/part.hpp"
#include "stream/team.hpp"

namespace hilo::stream {
namespace {

std::int64_t matrix_bytes(const GemmShape& s) { return (s.m * s.k + s.k * s.n + s.m * s.n) * s.element_bytes; }

// Parts of C have a multiple of so many lines, but for the last: of small ones not whole tiles of any device.
constexpr std::int64_t part_lines = 256, small_part_lines = 16, few_lines = 1024;

// Devices in a grid over C, each with the operands' lines that it needs: the fewest.
struct Grid {
  std::int64_t rows, columns;
};

Grid grid_of(std::int64_t devices, std::int64_t m, std::int64_t n) {
  Grid best{1, devices};
  auto lines = [&](const Grid& g) { return m / g.rows + n / g.columns; };
  for (std::int64_t rows = 2; rows <= devices; ++rows) {
    const Grid grid{rows, devices / rows};
    if (devices % rows == 0 && lines(grid) < lines(best)) best = grid;
  }
  return best;
}

std::int64_t unit_of_parts(std::int64_t parts, std::int64_t lines) {
  return lines < few_lines * parts ? small_part_lines : part_lines;
}

std::int64_t begin_of(std::int64_t part, std::int64_t parts, std::int64_t lines) {
  if (part == parts) return lines;
  return std::min(round_up(lines * part / parts, unit_of_parts(parts, lines)), lines);
}

struct Block {
  std::int64_t first_row, rows, first_column, columns;
};

// C for so many devices; a matrix may be too small for all.
std::vector<Block> blocks_of(const HostProduct& product, std::int64_t devices) {
  const std::int64_t m = product.shape.m, n = product.shape.n;
  std::vector<Block> blocks;
  auto add = [&](std::int64_t first_row, std::int64_t end_row, std::int64_t first_column, std::int64_t end_column) {
    if (first_row == end_row || first_column == end_column) return;
    blocks.push_back({first_row, end_row - first_row, first_column, end_column - first_column});
  };
  if (product.triangle) {
    // Lines from the diagonal on, about as many entries for each.
    const bool is_lower = product.triangle == Uplo::lower;
    const std::int64_t lines = std::min(m, n), length = std::max(m, n);
    auto entries_before = [&](std::int64_t line) { return line * length - line * (line - 1) / 2; };
    std::int64_t first = 0;
    for (std::int64_t part = 1; part <= devices; ++part) {
      std::int64_t end = first;
      while (end < lines && entries_before(end) < entries_before(lines) * part / devices)
        end += unit_of_parts(devices, lines);
      end = part == devices ? lines : std::min(end, lines);
      if (is_lower) {
        add(first, m, first, end);
      } else {
        add(first, end, first, n);
      }
      first = end;
    }
    return blocks;
  }
  const Grid grid = grid_of(devices, m, n);
  for (std::int64_t i = 0; i < devices; ++i) {
    const std::int64_t row = i % grid.rows, column = i / grid.rows;
    add(begin_of(row, grid.rows, m), begin_of(row + 1, grid.rows, m), begin_of(column, grid.columns, n),
        begin_of(column + 1, grid.columns, n));
  }
  return blocks;
}

class Parts {
 public:
  Parts(const std::vector<Way>& ways, const HostProduct& product, const std::vector<HostProduct>& parts,
        const GemmOptions& options)
      : product_(product), plan_(ways.front().plan), context_(*ways.front().queue->context) {
    auto way = ways.begin();
    for (const HostProduct& part : parts) parts_.push_back(std::make_unique<Part>(*way++, part, options));
  }

  /// Panels of large operands that several parts have come to their devices together, where those reach each other's
  /// memory.
  void share(const std::vector<Way>& ways, const std::vector<HostProduct>& parts, PeerRings& rings,
             const GemmOptions& options) {
    for (int o = 0; o < 2; ++o) {
      for (const std::vector<std::size_t>& having : alike(parts, o)) share(ways, parts, having, o, rings, options);
    }
  }

  Outcome multiply(GemmReport& report, std::vector<StreamReport>& streams) {
    const auto begin = std::chrono::steady_clock::now();
    streams.reserve(streams.size() + parts_.size());
    if (const auto* own = std::get_if<modular::DevicePlan>(&plan_.engine)) {
      if (!multiply_by_residues(*own, report)) return has_written_ ? Outcome::undone_and_undefined : Outcome::undone;
    } else {
      take_room(0, [](Part& part) { part.take_room(); });
      run_parts(true);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    for (const auto& part : parts_) {
      part->add_to(report);
      streams.push_back(part->report());
      streams.back().seconds = seconds.count();
    }
    return Outcome::done;
  }

 private:
  template <class Call>
  void guard_c(Call call) const {
    if (has_written_) {
      after_writing(call);
    } else {
      call();
    }
  }

  void run_parts(bool writes) {
    has_written_ = has_written_ || writes;
    const bool are_shared = !shared_.empty() && std::ranges::all_of(parts_, &Part::has_taken_panels);
    guard_c([&] {
      std::function<void()> wake;
      if (are_shared) wake = [this] { stop_sharing(); };
      Team team(parts_, "multiplying panels", wake);
      team.run([&](Part& part) { part.run(team.is_stopped(), are_shared); });
    });
  }

  void stop_sharing() {
    for (const auto& shared : shared_) shared->stop();
  }

  // Who shares has the same panels in the same order: those of the part with the most lines, as the memory of each has
  // room for them.
  void choose_panels(int moduli) {
    if (shared_.empty()) return;
    std::int64_t most[2] = {0, 0}, bytes = parts_.front()->bytes();
    for (const auto& part : parts_) {
      for (int o = 0; o < 2; ++o) most[o] = std::max(most[o], part->lines(o));
      bytes = std::min(bytes, part->bytes());
    }
    // As parts are a grid there is one.
    const auto largest = std::ranges::find_if(
        parts_, [&](const auto& part) { return part->lines(0) == most[0] && part->lines(1) == most[1]; });
    if (largest == parts_.end()) return;
    const Plan panels = (*largest)->plan(moduli, bytes);
    for (const auto& part : parts_) part->take_panels(panels, **largest, moduli);
  }

  // What is shared takes room, which a product may need.
  template <class Take>
  void take_room(int moduli, Take take) {
    const auto take_all = [&] {
      choose_panels(moduli);
      Team(parts_, "multiplying panels").run(take);
    };
    try {
      return take_all();
    } catch (const error& failure) {
      if (failure.code() != errc::out_of_memory || shared_.empty()) throw;
    }
    for (const auto& part : parts_) part->share_nothing();
    shared_.clear();
    take_all();
  }

  // The parts that have the same lines of an operand, where several have.
  static std::vector<std::vector<std::size_t>> alike(const std::vector<HostProduct>& parts, int operand) {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto is_like = [&](const auto& x) {
        return parts[x.front()].operands[operand] == parts[i].operands[operand];
      };
      const auto found = std::ranges::find_if(all, is_like);
      if (found == all.end()) {
        all.push_back({i});
      } else {
        found->push_back(i);
      }
    }
    std::erase_if(all, [](const auto& x) { return x.size() == 1; });
    return all;
  }

  void share(const std::vector<Way>& ways, const std::vector<HostProduct>& parts,
             const std::vector<std::size_t>& having, int operand, PeerRings& rings, const GemmOptions& options) {
    const HostMatrix& x = parts[having.front()].operands[operand];
    const opencl::StagingSizes sizes = context_.staging.sizes();
    const auto place_bytes = static_cast<std::int64_t>(sizes.passed_bytes);
    const opencl::HostLines lines = x.lines();
    if (!x.is_pinned || lines.bytes() < sizes.shared_bytes || lines.line_bytes > sizes.passed_bytes) {
      return;
    }
    // Of each operand as much as an eighth of the memory.
    constexpr std::int64_t most_of_memory = 8;
    std::vector<opencl::QueueState*> devices;
    for (std::size_t i : having) {
      devices.push_back(ways[i].queue);
      if (PeerRing::bytes(place_bytes) > device_bytes(ways[i].queue->context->info, options) / most_of_memory) return;
    }
    std::unique_ptr<SharedPanels> made = SharedPanels::make(rings, devices, place_bytes);
    if (!made) return;
    const std::unique_ptr<SharedPanels>& shared = shared_.emplace_back(std::move(made));
    for (std::size_t i = 0; i < having.size(); ++i) {
      parts_[having[i]]->share(operand, shared->member(i), {std::ssize(having), PeerRing::bytes(place_bytes)});
    }
  }

  void run(const modular::ScalingChoice& choice, ModularPanels::Task task) {
    guard_c([&] { take_room(choice.moduli, [&](Part& part) { part.take_room(choice, task); }); });
    run_parts(task != ModularPanels::Task::test);
  }

  std::optional<modular::ScalingChoice> settle() const {
    modular::PanelFigures all = modular::PanelFigures::of_nothing();
    for (const auto& part : parts_) all.add(part->figures());
    return parts_.front()->settle(all);
  }

  bool multiply_by_residues(const modular::DevicePlan& own, GemmReport& report) {
    using Task = ModularPanels::Task;
    if (const auto choice = parts_.front()->choice_of_terms()) {
      run(*choice, Task::multiply);
      guard_c([&] { parts_.front()->describe(*choice, report.plan); });
      return true;
    }
    std::optional<modular::ScalingChoice> expected = expected_choice(own);
    // One that this product would not take says nothing of it.
    if (expected && expected->moduli > own.most_moduli) expected.reset();
    if (!expected) expected = parts_.front()->first_look();
    if (!expected || expected->moduli > own.most_moduli) return false;
    // C that is not read can be computed again, where all entries together ask for more than was expected.
    const bool may_try = !product_.reads_c() && !modular::is_modular_only(own.accuracy);
    run(*expected, may_try ? Task::both : Task::test);
    std::optional<modular::ScalingChoice> choice;
    guard_c([&] {
      choice = settle();
      note(own, choice);
    });
    if (!choice || choice->moduli > own.most_moduli) return false;
    if (!may_try || !modular::makes_same_residues(*expected, *choice, kind())) {
      run(*choice, Task::multiply);
    }
    guard_c([&] { parts_.front()->describe(*choice, report.plan); });
    return true;
  }

  // As products in one piece have it: what the last one of the kind took.
  std::optional<modular::ScalingChoice> expected_choice(const modular::DevicePlan& own) const {
    return modular::noted_choice(context_, kind(), own.accuracy, product_.shape.k);
  }
  void note(const modular::DevicePlan& own, const std::optional<modular::ScalingChoice>& choice) {
    modular::note_choice(context_, kind(), own.accuracy, product_.shape.k, choice);
  }

  modular::ElementKind kind() const { return modular::ElementKind(product_.product.precision); }

  const HostProduct& product_;
  const DevicePlan& plan_;
  opencl::ContextState& context_;
  std::vector<std::unique_ptr<SharedPanels>> shared_;
  std::vector<std::unique_ptr<Part>> parts_;  // which have ended what they began once they are gone
  bool has_written_ = false;                  // to C
};

}  // namespace

HostProduct HostProduct::part(std::int64_t first_row, std::int64_t rows, std::int64_t first_column,
                              std::int64_t columns) const {
  const GemmShape of_part =
      packed_shape(shape.layout, shape.opa, shape.opb, rows, columns, shape.k, shape.element_bytes);
  HostProduct x{{operands[0].sub(first_row, 0, rows, shape.k), operands[1].sub(0, first_column, shape.k, columns)},
                c.sub(first_row, first_column, rows, columns),
                product,
                of_part,
                triangle};
  x.product.a = device_view(shape.layout, shape.opa, {}, rows, shape.k, of_part.lda);
  x.product.b = device_view(shape.layout, shape.opb, {}, shape.k, columns, of_part.ldb);
  x.product.c = device_view(shape.layout, Op::none, {}, rows, columns, of_part.ldc);
  return x;
}

bool exceeds_device(const opencl::ContextState& context, const DevicePlan& plan, const GemmShape& s,
                    const GemmOptions& options) {
  return matrix_bytes(s) + needed_workspace(plan.told, context.info, options) > device_bytes(context.info, options);
}

bool takes_panels(const DevicePlan& plan, const GemmShape& s) {
  const bool is_modular = std::holds_alternative<modular::DevicePlan>(plan.engine);
  return s.k > 0 && (!is_modular || modular::PanelProduct::suits(plan.told.accuracy, s.k));
}

bool wants_panels(const opencl::ContextState& context, const DevicePlan& plan, const GemmShape& s,
                  const GemmOptions& options) {
  return takes_panels(plan, s) && (exceeds_device(context, plan, s, options) ||
                                   matrix_bytes(s) >= static_cast<std::int64_t>(context.staging.sizes().panels_bytes));
}

Outcome multiply_in_panels(const std::vector<Way>& ways, const HostProduct& product, const GemmOptions& options,
                           PeerRings* rings, GemmReport& report, std::vector<StreamReport>& streams) {
  std::vector<HostProduct> parts;
  for (const Block& b : blocks_of(product, std::ssize(ways))) {
    parts.push_back(product.part(b.first_row, b.rows, b.first_column, b.columns));
  }
  Parts all(ways, product, parts, options);
  if (rings && !product.triangle) all.share(ways, parts, *rings, options);
  return all.multiply(report, streams);
}

Outcome multiply_parts(const std::vector<Way>& ways, const HostProduct& product, const std::vector<HostProduct>& parts,
                       const GemmOptions& options, GemmReport& report, std::vector<StreamReport>& streams) {
  return Parts(ways, product, parts, options).multiply(report, streams);
}

}  // namespace hilo::stream
