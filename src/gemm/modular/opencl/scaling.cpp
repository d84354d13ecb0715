#include "gemm/modular/opencl/scaling.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gemm/modular/moduli.hpp"
#include "gemm/modular/opencl/tables.hpp"

namespace hilo::modular {
namespace {

using opencl::copied;
using opencl::narrow;

bool asks_for_spread(Accuracy a) {
  return a == Accuracy::classic || a == Accuracy::fast || a == Accuracy::tight || a == Accuracy::bits;
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

std::uint32_t most_beyond(Accuracy accuracy, std::int64_t entries) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(most_wide(accuracy, entries), 0x7fffffff));
}

// Balance is found where it may take fewer moduli.
ScanRequest scan_request(const DeviceScalingRequest& request, std::int64_t m, std::int64_t n, std::int64_t k,
                         bool has_levels) {
  const Accuracy accuracy = request.accuracy;
  const bool keeps_codes = asks_for_spread(accuracy);
  return {keeps_codes, keeps_codes && has_levels && accuracy != Accuracy::bits, has_sum_test(accuracy, k),
          most_beyond(accuracy, m * n), request.triangle != 0};
}

// Products alike but for m and n.
opencl::Notes::Name note_name(ElementKind kind, Accuracy accuracy, std::int64_t k) {
  return {kind.words + 2 * kind.parts, static_cast<int>(accuracy), k, 0};
}

}  // namespace

std::optional<ScalingChoice> noted_choice(const opencl::ContextState& context, ElementKind kind, Accuracy accuracy,
                                          std::int64_t k) {
  if (!has_sum_test(accuracy, k)) return std::nullopt;
  const auto note = context.notes.find(note_name(kind, accuracy, k));
  if (!note || (*note)[4] == 0) return std::nullopt;
  return ScalingChoice{Path::modular, {(*note)[0], (*note)[1]}, {(*note)[2], (*note)[3]}, (*note)[4], true};
}

void note_choice(opencl::ContextState& context, ElementKind kind, Accuracy accuracy, std::int64_t k,
                 const std::optional<ScalingChoice>& choice) {
  if (!has_sum_test(accuracy, k)) return;
  opencl::Notes::Note note{};
  if (choice) note = {choice->bits[0], choice->bits[1], choice->extra[0], choice->extra[1], choice->moduli, 0};
  context.notes.put(note_name(kind, accuracy, k), note);
}

bool makes_same_residues(const ScalingChoice& made, const ScalingChoice& wanted, ElementKind kind) {
  const int of_sums = kind.is_complex() ? 1 : 0;
  auto limbs = [&](const ScalingChoice& c) { return integer_limbs(c.most_bits() + of_sums); };
  return made.path == wanted.path && made.is_by_sums == wanted.is_by_sums && made.moduli == wanted.moduli &&
         made.bits[0] == wanted.bits[0] && made.bits[1] == wanted.bits[1] && limbs(made) >= limbs(wanted);
}

std::int64_t most_exponent(Accuracy accuracy, std::int64_t k, bool is_complex) {
  if (is_modular_only(accuracy)) return 0x7fffffff;
  return 1022 - ceil_log2(k) - (is_complex ? 1 : 0);
}

std::int64_t scaling_bytes(Accuracy accuracy, ElementKind kind, std::int64_t m, std::int64_t n, std::int64_t k) {
  std::int64_t bytes = 4 * (m + n);
  if (!asks_for_spread(accuracy)) return bytes;
  std::vector<int> thresholds =
      thresholds_of(guarantee(accuracy, k, kind.words, kind.is_complex()), k, kind.is_complex());
  if (thresholds.empty()) return bytes;
  const int widest = thresholds[std::min<std::size_t>(SpreadTest::first_levels, thresholds.size()) - 1];
  return bytes + 4 * (2 * m + 2 * n + 3 * k) + Scan::code_bytes(m, n, k) + Scan::line_bytes(m + n) +
         std::max(DeviceSpread::bytes(m, n, k, widest), Scan::sum_test_bytes(m, n, k));
}

Guardrail::Guardrail(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2],
                     const DeviceScalingRequest& request)
    : context_(call.context()),
      kind_(kind),
      request_(request),
      m_(operand[0].lines),
      n_(operand[1].lines),
      k_(operand[0].terms),
      guarantee_(guarantee(request.accuracy, k_, kind.words, kind.is_complex())),
      thresholds_(thresholds_of(guarantee_, k_, kind.is_complex())),
      scan_(call, kind, operand, scan_request(request, m_, n_, k_, thresholds_.size() > 1)),
      spread_(scan_, thresholds_, most_beyond(request.accuracy, m_ * n_), request.accuracy == Accuracy::classic) {
  if (has_sum_test(request.accuracy, k_)) {
    scaled_ = call.borrow((m_ + n_) * 4, "scaled exponents of lines");
    scan_.test_sums(request_.unit, scaled_);
  } else if (request.accuracy == Accuracy::bits) {
    spread_.begin(std::max(request.bits - guarantee_.bits, 0));
    scan_.finish(true);
  } else if (asks_for_spread(request.accuracy)) {
    spread_.begin();
    scan_.finish(true);
  } else {
    if (request.accuracy == Accuracy::exact) scan_.count_bits();
    scan_.finish(true);
  }
}

// What the last product of this kind took, where its figures came of the sum test.
std::optional<ScaledOperands> Guardrail::expected() const {
  if (!takes_notes()) return std::nullopt;
  const auto choice = noted_choice(context_, kind_, request_.accuracy, k_);
  if (!choice || choice->moduli > request_.most_moduli) return std::nullopt;
  return ScaledOperands{*choice, scaled_, {}};
}

DeviceScaling Guardrail::settle() {
  scan_.wait();
  scaling_.exponents = copied(scan_.found().exponents);
  decide();
  return std::move(scaling_);
}

void Guardrail::release() {
  spread_.release();
  scan_.release();
}

void Guardrail::decide() {
  ScalingChoice& choice = scaling_.choice;
  const UnscalableEntries unscalable =
      count_unscalable(scan_, most_exponent(request_.accuracy, k_, kind_.is_complex()));
  if (unscalable.count > (request_.is_tentative ? 0 : most_unscalable(request_.accuracy, m_ * n_))) {
    choice.path = Path::direct_for_operands;
    return;
  }
  switch (request_.accuracy) {
    case Accuracy::classic:
    case Accuracy::fast:
    case Accuracy::tight:
      if (!choose_by_sums()) choose_by_spread();
      break;
    case Accuracy::normwise:
      choice.moduli = moduli_without_spread(guarantee_, k_, kind_.is_complex());
      use_all_bits();
      break;
    case Accuracy::bits:
      choose_given_bits();
      break;
    case Accuracy::exact:
      choose_exact_bits();
      break;
  }
  if (choice.is_modular()) scaling_.direct = list_direct(scan_, unscalable, spread_, request_.triangle);
}

void Guardrail::use_all_bits() {
  ScalingChoice& choice = scaling_.choice;
  choice.bits[0] = choice.bits[1] = largest_bits(choice.moduli, k_, kind_.is_complex());
  scaling_.error_bound_u2 = error_bound(guarantee_, k_, kind_.words, kind_.is_complex());
  if (request_.accuracy != Accuracy::normwise) scaling_.esc = choice.bits[0] - guarantee_.bits;
}

// Whether the sum test says how many moduli it takes.
bool Guardrail::choose_by_sums() {
  if (!has_sum_test(request_.accuracy, k_)) return false;
  const SumTestFigures figures = scan_.sum_test_figures();
  const ModuliAndBits found = settle_by_sums(guarantee_, figures, k_, kind_.is_complex());
  if (found.moduli == 0) {
    // Nothing is expected of the next one either.
    if (takes_notes()) note_choice(context_, kind_, request_.accuracy, k_, std::nullopt);
    scan_.release_magnitudes();
    // What the sum test does not need: the first levels of the spread test, and the balance of terms.
    spread_.begin();
    scan_.finish(false);
    scan_.read();
    return false;
  }
  ScalingChoice& choice = scaling_.choice;
  choice.moduli = found.moduli;
  choice.is_by_sums = true;
  for (int o = 0; o < 2; ++o) {
    choice.bits[o] = found.bits;
    choice.extra[o] = figures.shift[o];
  }
  scaling_.exponents = copied(scaled_);
  scaling_.esc = std::max(found.bits + std::max(figures.shift[0], figures.shift[1]) - guarantee_.bits, 0);
  scaling_.error_bound_u2 = sum_test_bound(guarantee_, k_, kind_.words, kind_.is_complex());
  if (takes_notes()) note_choice(context_, kind_, request_.accuracy, k_, choice);
  if (choice.moduli > request_.most_moduli) choice.path = Path::direct_for_speed;
  return true;
}

void Guardrail::choose_by_spread() {
  ScalingChoice& choice = scaling_.choice;
  const int level = spread_.find();
  if (spread_.is_balanced()) {
    choice.path = Path::modular_balanced;
    scaling_.exponents = copied(spread_.found().exponents);
    scaling_.balance = copied(spread_.found().balance);
  }
  if (level == spread_.levels()) {
    if (request_.accuracy == Accuracy::tight) reject_spread(k_, kind_.is_complex());
    choice.path = Path::direct_for_range;
    return;
  }
  choice.moduli = moduli_without_spread(guarantee_, k_, kind_.is_complex()) + level;
  use_all_bits();
  if (choice.moduli > request_.most_moduli) choice.path = Path::direct_for_speed;
}

// The widest spread, as far as spreads are told apart.
void Guardrail::choose_given_bits() {
  ScalingChoice& choice = scaling_.choice;
  choice.bits[0] = choice.bits[1] = request_.bits;
  choice.moduli = least_moduli(k_, kind_.is_complex(), 2 * request_.bits);
  const int covered = request_.bits - guarantee_.bits;
  const int widest = spread_.find_widest(std::max(covered, 0));
  scaling_.esc = std::max(widest, covered);
  scaling_.error_bound_u2 = widest >= max_deficit
                                ? std::numeric_limits<double>::infinity()
                                : bound_of_bits(guarantee_, request_.bits, widest, k_, kind_.words, kind_.is_complex());
}

void Guardrail::choose_exact_bits() {
  ScalingChoice& choice = scaling_.choice;
  const std::int64_t bits[2] = {scan_.figure_of(figure_bits), scan_.figure_of(figure_bits + 1)};
  choice.moduli = moduli_for_exact(bits[0], bits[1], k_, kind_.is_complex());
  for (int o = 0; o < 2; ++o) choice.bits[o] = narrow(bits[o]);
  scaling_.error_bound_u2 = 1.0;
}

}  // namespace hilo::modular
