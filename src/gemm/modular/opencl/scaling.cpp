#include "gemm/modular/opencl/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/spread.hpp"
#include "gemm/modular/opencl/sums.hpp"

namespace hilo::modular {
namespace {

using opencl::copied;
using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

// As kernels/modular/scan.cl has them.
constexpr int line_of_zeros = -0x40000000, line_is_bad = 0x40000000;
constexpr std::int64_t tile_lines = 32, tile_terms = 64, scan_items = 256, uneven_lines = 8, plane_lines = 32,
                       lines_at_once = 64;
// Groups that keep a large device busy.
constexpr std::int64_t busy_groups = 2048;

// Levels that are counted before the host is asked: ordinary matrices are within them.
constexpr int first_levels = 6;
// Balancing that gains less than a modulus, and what makes terms vanish beside the others of their line.
constexpr int worthwhile_balance = 4, most_narrowing = 900;

std::int64_t ceil_div(std::int64_t x, std::int64_t of) { return (x + of - 1) / of; }

// Of kernels/modular/scan.cl: A's lines take whole groups of eight.
std::int64_t code_pitch(std::int64_t terms) { return ceil_div(terms, 8) * 8; }
std::int64_t code_bytes(int operand, std::int64_t lines, std::int64_t terms) {
  return 2 * lines * (operand == 0 ? code_pitch(terms) : terms);
}

bool asks_for_spread(Accuracy a) {
  return a == Accuracy::classic || a == Accuracy::fast || a == Accuracy::tight || a == Accuracy::bits;
}

cl::Program scan_program(opencl::ContextState& context, ElementKind kind) {
  std::string options = "-DWORDS=" + std::to_string(kind.words) + " -DPARTS=" + std::to_string(kind.parts);
  return context.programs.get(context, opencl::ProgramRecipe{"modular scan", "modular/scaling.cl", options});
}

// What each count of moduli from the least on covers beyond p₀.
std::vector<int> thresholds_of(const Guarantee& g, std::int64_t k, bool is_complex) {
  std::vector<int> thresholds;
  int least = moduli_without_spread(g, k, is_complex);
  for (int count = least; least && count <= max_moduli; ++count) {
    thresholds.push_back(largest_bits(count, k, is_complex) - g.bits);
  }
  return thresholds;
}

}  // namespace

class Scaler {
 public:
  Scaler(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2], const DeviceScalingRequest& request)
      : queue_(call.queue()),
        call_(call),
        kind_(kind),
        operand_(operand),
        request_(request),
        program_(scan_program(call.context(), kind)),
        m_(operand[0].lines),
        n_(operand[1].lines),
        k_(operand[0].terms),
        guarantee_(guarantee(request.accuracy, k_, kind.words, kind.is_complex())),
        thresholds_(thresholds_of(guarantee_, k_, kind.is_complex())),
        budget_(most_unscalable(request.accuracy, m_ * n_)),
        limit_(static_cast<std::uint32_t>(std::min<std::int64_t>(most_wide(request.accuracy, m_ * n_), 0x7fffffff))) {}

  // Reads both operands, and asks for the figures.
  void start() {
    scan();
    if (has_sum_test(request_.accuracy, k_)) {
      for (int o = 0; o < 2; ++o) scaled_[o] = borrow(operand_[o].lines * 4, "scaled exponents of lines");
      enqueue_sum_test(call_, program_, scanned_, squares_, scaled_, figures_.buffer());
      has_summary_ = true;
    } else if (request_.accuracy == Accuracy::bits) {
      count_within({std::max(request_.bits - guarantee_.bits, 0)});
      finish_scan();
    } else if (asks_for_spread(request_.accuracy)) {
      begin_spread_test();
    } else {
      if (request_.accuracy == Accuracy::exact) count_bits();
      finish_scan();
    }
    pinned_ = queue_.context->pinned.borrow(queue_.context->context, queue_.context->device);
    call_.begin_read(figures_.buffer(), sizeof figure_, pinned_);
  }

  // What the last product of this kind took, where its figures came of the sum test.
  std::optional<ScaledOperands> expected() const {
    if (!has_sum_test(request_.accuracy, k_)) return std::nullopt;
    const auto note = queue_.context->notes.find(note_name());
    if (!note || (*note)[4] == 0 || (*note)[4] > request_.most_moduli) return std::nullopt;
    const ScalingChoice choice{Path::modular, {(*note)[0], (*note)[1]}, {(*note)[2], (*note)[3]}, (*note)[4], true};
    return ScaledOperands{choice, {scaled_[0].buffer(), scaled_[1].buffer()}, {}};
  }

  DeviceScaling settle() {
    pinned_.wait();
    std::memcpy(figure_.data(), pinned_.data(), sizeof figure_);
    decide();
    give_back();
    return std::move(scaling_);
  }

 private:
  Workspace borrow(std::int64_t bytes, const char* what) { return call_.lend(bytes, what); }

  // Products alike but for m and n.
  opencl::Notes::Name note_name() const {
    return {kind_.words + 2 * kind_.parts, static_cast<int>(request_.accuracy), k_, 0};
  }

  opencl::BorrowedKernel kernel(const char* name) { return queue_.context->kernels.borrow(program_, name); }

  // Whether terms may be balanced.
  bool may_balance() const {
    return request_.accuracy != Accuracy::bits && asks_for_spread(request_.accuracy) && thresholds_.size() > 1;
  }

  // Exponents of lines, and magnitudes of elements where they will be asked for.
  void scan() {
    const bool keeps_codes = asks_for_spread(request_.accuracy);
    figures_ = borrow(figure::count * 4, "figures of a scan");
    scanned_ = {{m_, n_}, k_, {}, {}, {}, {}, uneven_bits(k_)};
    for (int o = 0; o < 2; ++o) {
      scaling_.exponents[o] = borrow(operand_[o].lines * 4, "exponents of lines");
      scanned_.exponents[o] = copied(scaling_.exponents[o].buffer());
      if (may_balance()) of_terms_[o] = borrow(k_ * 4, "the largest elements of terms");
      if (!keeps_codes) continue;
      codes_[o] = borrow(code_bytes(o, operand_[o].lines, k_), "magnitudes of elements");
      scanned_.codes[o] = copied(codes_[o].buffer());
    }
    const std::int64_t terms = may_balance() ? k_ : 0;
    const std::int64_t squares = has_sum_test(request_.accuracy, k_) ? square_words(m_, n_) : 0;
    if (squares) squares_ = borrow(4 * squares, "sums of squares");
    auto initialise = kernel("initialise");
    set_arguments(initialise, figures_.buffer(), scanned_.exponents[0], narrow(m_), scanned_.exponents[1], narrow(n_),
                  terms ? of_terms_[0].buffer() : figures_.buffer(), terms ? of_terms_[1].buffer() : figures_.buffer(),
                  narrow(terms), squares ? squares_.buffer() : figures_.buffer(), narrow(squares));
    call_.launch_over(*initialise, std::max<std::int64_t>({m_, n_, terms, squares, figure::count}), true);
    const std::int64_t groups = ceil_div(std::max(m_, n_), tile_lines), tiles = ceil_div(k_, tile_terms);
    const std::int64_t at_once =
        std::clamp<std::int64_t>(groups * tiles / busy_groups, 1, std::min<std::int64_t>(tiles, 8));
    auto codes = [&](int o) { return keeps_codes ? scanned_.codes[o] : scanned_.exponents[o]; };
    auto scan = kernel("scan");
    set_arguments(scan, operand_[0].buffer, operand_[0].view, narrow(m_), codes(0), scanned_.exponents[0],
                  operand_[1].buffer, operand_[1].view, narrow(n_), codes(1), scanned_.exponents[1], narrow(k_),
                  narrow(at_once), narrow(keeps_codes));
    call_.launch(*scan, range(groups * scan_items, ceil_div(tiles, at_once), 2), range(scan_items, 1, 1), true);
  }

  static cl::NDRange range(std::int64_t x, std::int64_t y, std::int64_t z) {
    return cl::NDRange(static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z));
  }

  // What the sum test does not need: the first levels of the spread test, and the balance of terms.
  void begin_spread_test() {
    if (!thresholds_.empty()) count_within(levels(0, first_levels));
    finish_scan();
  }

  // The figures of lines, unless they are there, and how far terms differ from what would balance them.
  void finish_scan() {
    const std::int64_t terms = may_balance() ? k_ : 0, m = has_summary_ ? 0 : m_, n = has_summary_ ? 0 : n_;
    if (terms) {
      scaling_.balance = borrow(k_ * 4, "the balance of terms");
      auto largest = kernel("largest_of_terms");
      set_arguments(largest, scanned_.codes[0], narrow(m_), scanned_.exponents[0], of_terms_[0].buffer(),
                    scanned_.codes[1], narrow(n_), scanned_.exponents[1], of_terms_[1].buffer(), narrow(k_),
                    figures_.buffer(), cl_uint{limit_}, narrow(sample_step(m_)));
      const std::int64_t groups = ceil_div(k_, lines_at_once) * ceil_div(m_, lines_at_once) + k_;
      call_.launch(*largest, range(groups * lines_at_once, 1, 1), range(lines_at_once, 1, 1));
    }
    const cl::Buffer& some = figures_.buffer();
    auto finish = kernel("finish_scan");
    set_arguments(finish, scanned_.exponents[0], narrow(m), scanned_.exponents[1], narrow(n),
                  terms ? of_terms_[0].buffer() : some, terms ? of_terms_[1].buffer() : some, narrow(terms),
                  cl_uint{limit_}, narrow(sample_step(m_)), terms ? scaling_.balance.buffer() : some,
                  figures_.buffer());
    has_summary_ = true;
    if (std::max({m, n, terms}) > 0) call_.launch_over(*finish, std::max({m, n, terms}));
  }

  std::vector<int> levels(int first, int count) const {
    std::vector<int> t;
    for (int l = first; l < first + count && l < std::ssize(thresholds_); ++l) {
      t.push_back(thresholds_[static_cast<std::size_t>(l)]);
    }
    return t;
  }

  // Lines whose sum few terms make, which are charged more bits.
  void find_uneven() {
    if (request_.accuracy != Accuracy::classic) return;
    const auto least = static_cast<cl_ulong>(std::ceil(std::ldexp(even_sum(k_), sum_unit)));
    const bool is_balanced = scanned_.balance() != nullptr;
    for (int o = 0; o < 2; ++o) {
      if (scanned_.uneven[o]()) continue;
      uneven_[o] = borrow(operand_[o].lines * 4, "flags of lines");
      scanned_.uneven[o] = copied(uneven_[o].buffer());
    }
    const cl::Buffer& balance = is_balanced ? scanned_.balance : figures_.buffer();
    const cl::NDRange all = range(ceil_div(std::max(m_, n_), uneven_lines) * scan_items, 1, 2);
    // A launch of its own pays where elements are many.
    const bool has_guess = k_ * (m_ + n_) > std::int64_t{1} << 24;
    auto guess = kernel("guess_uneven"), find = kernel("find_uneven");
    set_arguments(guess, scanned_.codes[0], narrow(m_), scanned_.exponents[0], scanned_.uneven[0], scanned_.codes[1],
                  narrow(n_), scanned_.exponents[1], scanned_.uneven[1], narrow(k_), balance, narrow(is_balanced),
                  least);
    if (has_guess) call_.launch(*guess, all, range(scan_items, 1, 1));
    set_arguments(find, operand_[0].buffer, operand_[0].view, narrow(m_), scanned_.exponents[0], scanned_.uneven[0],
                  operand_[1].buffer, operand_[1].view, narrow(n_), scanned_.exponents[1], scanned_.uneven[1],
                  narrow(k_), balance, narrow(is_balanced), narrow(has_guess), least);
    call_.launch(*find, all, range(scan_items, 1, 1));
  }

  // Counts entries beyond thresholds that rise, on new bit planes where there are none so wide.
  void count_within(const std::vector<int>& thresholds) {
    if (!spread_ || spread_->widest() < thresholds.back()) {
      if (spread_) {
        spread_->release();
      } else {
        find_uneven();
      }
      spread_ = std::make_unique<DeviceSpread>(call_, program_, scanned_, thresholds.back());
    }
    spread_->count(figures_.buffer(), thresholds, limit_);
  }

  // Of levels [first, last) the first that has few enough entries beyond it, and how many; last if none has. Where
  // is_counted, figures of the first `counted` of them are there.
  int find_level(int first, int last, int counted = 0) {
    while (first < last) {
      if (counted == 0) {
        counted = std::min(last - first, figure::levels);
        clear_counts();
        count_within(levels(first, counted));
        read_figures();
      }
      const CountedLevels found = spread_->counted(figure_, counted, limit_);
      beyond_ = found.entries;
      if (found.answer == CountedLevels::Answer::found) return first + found.level;
      if (found.answer == CountedLevels::Answer::not_later) return lowest_level(first, first + found.level);
      first += found.level;
      counted = 0;
    }
    return last;
  }

  // The first level from `first` on that holds, `level` being one.
  int lowest_level(int first, int level) {
    while (level > first && holds(thresholds_[static_cast<std::size_t>(level - 1)])) --level;
    holds(thresholds_[static_cast<std::size_t>(level)]);
    return level;
  }

  // Whether few enough entries spread beyond a threshold, and how many.
  bool holds(int threshold) {
    clear_counts();
    count_within({threshold});
    read_figures();
    return has_held();
  }
  bool has_held() {
    const CountedLevels found = spread_->counted(figure_, 1, limit_);
    beyond_ = found.entries;
    return found.answer == CountedLevels::Answer::found;
  }

  void clear_counts() {
    call_.fill_zero(figures_.buffer(), figure::levels * 4);
    call_.fill_zero_at(figures_.buffer(), figure::beyond * 4, 8);
  }

  void count_bits() {
    auto count = kernel("count_bits");
    for (int o = 0; o < 2; ++o) {
      const opencl::matrix_view& v = operand_[o].view;
      set_arguments(count, operand_[o].buffer, v, narrow(operand_[o].lines), narrow(k_), scanned_.exponents[o], o,
                    figures_.buffer());
      const bool along_lines = v.row_stride < v.column_stride;
      const std::int64_t along = along_lines ? operand_[o].lines : k_, across = along_lines ? k_ : operand_[o].lines;
      const std::int64_t items = ceil_div(std::min<std::int64_t>(along, along_lines ? along : 256), 16) * 16;
      call_.launch_over(*count, items, along_lines ? std::min<std::int64_t>(across, 64) : across);
    }
  }

  void read_figures() { call_.read(figures_.buffer(), sizeof figure_, figure_.data()); }
  std::int64_t figure_of(int i) const { return figure_[static_cast<std::size_t>(i)]; }

  void decide() {
    count_unscalable();
    if (unscalable_ > budget_) {
      scaling_.path = Path::direct_for_operands;
      return;
    }
    switch (request_.accuracy) {
      case Accuracy::classic:
      case Accuracy::fast:
      case Accuracy::tight:
        if (!choose_by_sums()) choose_by_spread();
        break;
      case Accuracy::normwise:
        scaling_.moduli = moduli_without_spread(guarantee_, k_, kind_.is_complex());
        use_all_bits();
        break;
      case Accuracy::bits:
        choose_given_bits();
        break;
      case Accuracy::exact:
        scaling_.moduli =
            moduli_for_exact(figure_of(figure::bits), figure_of(figure::bits + 1), k_, kind_.is_complex());
        for (int o = 0; o < 2; ++o) scaling_.bits[o] = narrow(figure_of(figure::bits + o));
        scaling_.error_bound_u2 = 1.0;
        break;
    }
    if (scaling_.path == Path::modular || scaling_.path == Path::modular_balanced) list_direct_entries();
  }

  // The largest e + f of an entry that the direct engine does not have to look at: |sum| < 2^1022 there.
  std::int64_t most_exponent() const {
    if (is_needed(request_.accuracy)) return 0x7fffffff;
    return 1022 - ceil_log2(k_) - (kind_.is_complex() ? 1 : 0);
  }

  void count_unscalable() {
    const std::int64_t rows = figure_of(figure::bad), columns = figure_of(figure::bad + 1);
    unscalable_ = rows * n_ + columns * m_ - rows * columns;
    has_overflow_ = figure_of(figure::largest) + figure_of(figure::largest + 1) > most_exponent();
    if (!has_overflow_) return;
    std::vector<cl_int> exponents[2];
    for (int o = 0; o < 2; ++o) {
      std::vector<cl_int> all(static_cast<std::size_t>(operand_[o].lines));
      call_.read(scanned_.exponents[o], 4 * all.size(), all.data());
      std::copy_if(all.begin(), all.end(), std::back_inserter(exponents[o]),
                   [](cl_int e) { return e != line_of_zeros && e != line_is_bad; });
    }
    std::sort(exponents[1].begin(), exponents[1].end());
    for (cl_int e : exponents[0]) {
      unscalable_ +=
          exponents[1].end() - std::upper_bound(exponents[1].begin(), exponents[1].end(), most_exponent() - e);
    }
  }

  void use_all_bits() {
    scaling_.bits[0] = scaling_.bits[1] = largest_bits(scaling_.moduli, k_, kind_.is_complex());
    scaling_.error_bound_u2 = error_bound(guarantee_, k_, kind_.words, kind_.is_complex());
    if (request_.accuracy != Accuracy::normwise) scaling_.esc = scaling_.bits[0] - guarantee_.bits;
  }

  // Whether the sum test says how many moduli it takes.
  bool choose_by_sums() {
    if (!has_sum_test(request_.accuracy, k_)) return false;
    const SumTestFigures figures = sum_test_figures(figure_);
    const ModuliAndBits found = settle_by_sums(guarantee_, figures, k_, kind_.is_complex());
    if (found.moduli == 0) {
      // Nothing is expected of the next one either.
      queue_.context->notes.put(note_name(), {});
      begin_spread_test();
      read_figures();
      return false;
    }
    scaling_.moduli = found.moduli;
    scaling_.is_by_sums = true;
    for (int o = 0; o < 2; ++o) {
      scaling_.bits[o] = found.bits;
      scaling_.extra[o] = figures.shift[o];
      original_[o] = std::exchange(scaling_.exponents[o], std::move(scaled_[o]));
    }
    scaling_.esc = std::max(found.bits + std::max(figures.shift[0], figures.shift[1]) - guarantee_.bits, 0);
    scaling_.error_bound_u2 = sum_test_bound(guarantee_, k_, kind_.words, kind_.is_complex());
    queue_.context->notes.put(
        note_name(), {scaling_.bits[0], scaling_.bits[1], scaling_.extra[0], scaling_.extra[1], scaling_.moduli, 0});
    if (scaling_.moduli > request_.most_moduli) scaling_.path = Path::direct_for_speed;
    return true;
  }

  void choose_by_spread() {
    const int all = static_cast<int>(thresholds_.size());
    int level = all;
    if (all > 0) {
      level = find_level(0, all, std::min(first_levels, all));
      if (level > 0 && all > 1 && is_worth_balancing()) level = balance(level);
    }
    if (level == all) {
      if (request_.accuracy == Accuracy::tight) reject_spread(k_, kind_.is_complex());
      scaling_.path = Path::direct_for_range;
      return;
    }
    scaling_.moduli = moduli_without_spread(guarantee_, k_, kind_.is_complex()) + level;
    use_all_bits();
    if (scaling_.moduli > request_.most_moduli) scaling_.path = Path::direct_for_speed;
  }

  bool is_worth_balancing() const {
    return figure_of(figure::balance + 1) - figure_of(figure::balance) >= worthwhile_balance;
  }

  // The level with balanced terms, if it is lower.
  int balance(int level) {
    Workspace balanced[2];
    for (int o = 0; o < 2; ++o) {
      balanced[o] = borrow(operand_[o].lines * 4, "balanced exponents of lines");
      auto find = kernel("balance_lines");
      const cl_long line_pitch = o == 0 ? code_pitch(k_) : 1, term_pitch = o == 0 ? 1 : n_;
      set_arguments(find, scanned_.codes[o], line_pitch, term_pitch, narrow(operand_[o].lines), narrow(k_),
                    scanned_.exponents[o], scaling_.balance.buffer(), narrow(o == 0 ? 1 : -1), balanced[o].buffer(),
                    figures_.buffer());
      call_.launch_over(*find, operand_[o].lines);
    }
    read_figures();
    bool is_better = false;
    if (figure_of(figure::narrowed) < most_narrowing) {
      ScannedOperands unbalanced = scanned_;
      const std::int64_t beyond = beyond_;
      auto of_unbalanced = std::move(spread_);
      Workspace of_uneven[2] = {std::move(uneven_[0]), std::move(uneven_[1])};
      scanned_.balance = copied(scaling_.balance.buffer());
      for (int o = 0; o < 2; ++o) {
        scanned_.exponents[o] = copied(balanced[o].buffer());
        scanned_.uneven[o] = {};
      }
      const int found = find_level(0, level);
      is_better = found < level;
      if (is_better) {
        level = found;
      } else {
        std::swap(of_unbalanced, spread_);
        std::swap(of_uneven, uneven_);
        scanned_ = std::move(unbalanced);
        beyond_ = beyond;
      }
      if (of_unbalanced) of_unbalanced->release();
      for (Workspace& w : of_uneven) w.release(queue_.queue, call_.last());
    }
    if (is_better) {
      scaling_.path = Path::modular_balanced;
      for (int o = 0; o < 2; ++o) std::swap(scaling_.exponents[o], balanced[o]);
      for (int o = 0; o < 2; ++o) original_[o] = std::move(balanced[o]);
    } else {
      for (Workspace& w : balanced) w.release(queue_.queue, call_.last());
    }
    return level;
  }

  // The widest spread, as far as spreads are told apart.
  void choose_given_bits() {
    scaling_.bits[0] = scaling_.bits[1] = request_.bits;
    scaling_.moduli = least_moduli(k_, kind_.is_complex(), 2 * request_.bits);
    const int covered = request_.bits - guarantee_.bits;
    int low = std::max(covered, 0), widest = low;
    bool is_within = has_held();
    while (!is_within) {
      low = widest + 1;
      widest = std::min(2 * widest + 8, max_deficit);
      is_within = widest == max_deficit || holds(widest);
    }
    while (low < widest) {
      const int middle = (low + widest) / 2;
      if (holds(middle)) {
        widest = middle;
      } else {
        low = middle + 1;
      }
    }
    beyond_ = 0;
    scaling_.esc = std::max(widest, covered);
    scaling_.error_bound_u2 =
        widest >= max_deficit ? std::numeric_limits<double>::infinity()
                              : bound_of_bits(guarantee_, request_.bits, widest, k_, kind_.words, kind_.is_complex());
  }

  void list_direct_entries() {
    const std::int64_t most = unscalable_ + beyond_;
    if (most == 0) return;
    if (most > 0x7fffffff) {
      throw error(errc::unsupported, "gemm: " + std::to_string(most) +
                                         " entries would go to the direct engine, more than backend opencl lists");
    }
    scaling_.direct = borrow(most * 8, "the entries for the direct engine");
    auto exponents = [&](int o) {
      const Workspace& original = original_[o];
      return original.buffer()() ? original.buffer() : scaling_.exponents[o].buffer();
    };
    auto list = kernel("list_direct");
    // The counter is a figure of its own.
    Workspace counter = borrow(4, "a counter");
    call_.fill_zero(counter.buffer(), 4);
    set_arguments(list, exponents(0), exponents(1), narrow(m_), narrow(n_), narrow(most_exponent()),
                  narrow(unscalable_ > 0), beyond_ ? spread_->beyond() : exponents(0),
                  beyond_ ? spread_->word_pitch() : 0, scaling_.direct.buffer(), narrow(most), counter.buffer());
    call_.launch_over(*list, ceil_div(n_, plane_lines), m_);
    scaling_.entries_direct = most;
    if (has_overflow_ && beyond_) {
      cl_int count = 0;
      call_.read(counter.buffer(), sizeof count, &count);
      scaling_.entries_direct = count;
    }
    counter.release(queue_.queue, call_.last());
  }

  void give_back() {
    const cl::Event& last = call_.last();
    if (spread_) spread_->release();
    for (int o = 0; o < 2; ++o) {
      for (Workspace* w : {&codes_[o], &uneven_[o], &of_terms_[o], &original_[o], &scaled_[o]}) {
        w->release(queue_.queue, last);
      }
    }
    figures_.release(queue_.queue, last);
    squares_.release(queue_.queue, last);
    if (scaling_.path != Path::modular_balanced) scaling_.balance.release(queue_.queue, last);
  }

  opencl::QueueState& queue_;
  opencl::Call& call_;
  ElementKind kind_;
  const DeviceOperand (&operand_)[2];
  const DeviceScalingRequest request_;
  cl::Program program_;
  std::int64_t m_, n_, k_;
  Guarantee guarantee_;
  std::vector<int> thresholds_;
  std::int64_t budget_;
  std::uint32_t limit_;

  ScannedOperands scanned_{};
  // By operand; original_ has the lines' own exponents where scaling_ has others.
  Workspace figures_, squares_, codes_[2], uneven_[2], of_terms_[2], original_[2], scaled_[2];
  std::unique_ptr<DeviceSpread> spread_;
  std::array<cl_int, figure::count> figure_{};
  std::int64_t unscalable_ = 0, beyond_ = 0;
  bool has_overflow_ = false, has_summary_ = false;
  opencl::Pinned pinned_;
  DeviceScaling scaling_;
};

std::int64_t scaling_bytes(Accuracy accuracy, ElementKind kind, std::int64_t m, std::int64_t n, std::int64_t k) {
  std::int64_t bytes = 4 * (m + n);
  if (!asks_for_spread(accuracy)) return bytes;
  std::vector<int> thresholds =
      thresholds_of(guarantee(accuracy, k, kind.words, kind.is_complex()), k, kind.is_complex());
  if (thresholds.empty()) return bytes;
  const int widest = thresholds[std::min<std::size_t>(first_levels, thresholds.size()) - 1];
  return bytes + 4 * (2 * m + 2 * n + 3 * k) + code_bytes(0, m, k) + code_bytes(1, n, k) +
         std::max(DeviceSpread::bytes(m, n, k, widest), sum_test_bytes(m, n, k));
}

Guardrail::Guardrail(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2],
                     const DeviceScalingRequest& request)
    : scaler_(std::make_unique<Scaler>(call, kind, operand, request)) {
  scaler_->start();
}
Guardrail::~Guardrail() = default;

std::optional<ScaledOperands> Guardrail::expected() const { return scaler_->expected(); }
DeviceScaling Guardrail::settle() { return scaler_->settle(); }

}  // namespace hilo::modular
