#include "gemm/modular/cpu/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gemm/modular/cpu/exact_bits.hpp"
#include "gemm/modular/cpu/spread.hpp"
#include "gemm/modular/cpu/sums.hpp"
#include "host/team.hpp"

namespace hilo::modular {
namespace {

int exponent_of(double x) { return 1 + std::ilogb(x); }

// 2^shift scales an operand's lines or its terms, none where it is empty.
using Shifts = std::vector<std::int64_t>;

// What a kernel takes together, along a run and across runs.
struct Kind {
  double (*along)(const Run&, Exponents);
  void (*across)(const Run&, Exponents, double*);
};

// The largest |x · 2^(shift of its line or of its term)| of each line, or of each term where `of_terms`; or their sum.
std::vector<double> all_of(Kind kind, const Operand& x, bool of_terms, const Shifts& of_line, const Shifts& of_term,
                           int threads) {
  bool along = x.runs_along_lines();
  std::int64_t runs = along ? x.terms : x.lines, length = along ? x.lines : x.terms;
  const Shifts &of_run = along ? of_term : of_line, &of_place = along ? of_line : of_term;
  auto shifts = [&](std::int64_t run, std::int64_t first) {
    return Exponents{of_place.empty() ? nullptr : of_place.data() + first,
                     of_run.empty() ? 0 : of_run[static_cast<std::size_t>(run)]};
  };
  if (along == of_terms) {
    std::vector<double> largest(static_cast<std::size_t>(runs));
    host::for_parts(threads, runs, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t r = first; r < last; ++r) {
        largest[static_cast<std::size_t>(r)] = kind.along(x.run(r, 0, length), shifts(r, 0));
      }
    });
    return largest;
  }
  std::vector<double> largest(static_cast<std::size_t>(length + block_bytes), 0.0);
  // Different places for each thread.
  constexpr std::int64_t part = 512;
  host::for_each(threads, (length + part - 1) / part, [&](std::int64_t p, int) {
    const std::int64_t i = p * part;
    for (std::int64_t r = 0; r < runs; ++r) {
      kind.across(x.run(r, i, std::min(part, length - i)), shifts(r, i), largest.data() + i);
    }
  });
  largest.resize(static_cast<std::size_t>(length));
  return largest;
}

// Lines that hold an Inf or a NaN, or words whose sum overflows.
std::vector<std::uint8_t> bad_lines(const std::vector<double>& magnitude) {
  std::vector<std::uint8_t> bad(magnitude.size());
  std::transform(magnitude.begin(), magnitude.end(), bad.begin(), [](double x) { return std::isinf(x) ? 1 : 0; });
  return bad;
}

std::vector<std::int64_t> line_exponents(const std::vector<double>& magnitude) {
  std::vector<std::int64_t> e(magnitude.size());
  std::transform(magnitude.begin(), magnitude.end(), e.begin(),
                 [](double x) { return x == 0.0 || std::isinf(x) ? 0 : exponent_of(x); });
  return e;
}

// The powers of two that bring A's terms and B's to the same size, from how near each term comes to the largest of its
// lines; empty where that would change next to nothing.
Shifts balance_of(const std::vector<double>& a, const std::vector<double>& b) {
  Shifts balance(a.size(), 0);
  for (std::size_t h = 0; h < balance.size(); ++h) {
    if (std::min(a[h], b[h]) >= least_magnitude) balance[h] = (exponent_of(b[h]) - exponent_of(a[h])) >> 1;
  }
  auto [least, most] = std::minmax_element(balance.begin(), balance.end());
  if (*most - *least < worthwhile_balance) balance.clear();
  return balance;
}

Shifts negated(Shifts x) {
  for (std::int64_t& s : x) s = -s;
  return x;
}

// The guardrail for one pair of operands.
class Guardrail {
 public:
  Guardrail(const Operand (&operand)[2], const ScalingRequest& request, const KernelSet& kernels)
      : operand_(operand),
        request_(request),
        kernels_(kernels),
        m_(operand[0].lines),
        n_(operand[1].lines),
        k_(operand[0].terms),
        words_(operand[0].words),
        is_complex_(operand[0].parts == 2),
        guarantee_(guarantee(request.accuracy, k_, words_, is_complex_)) {
    for (int i = 0; i < 2; ++i) {
      if (has_sum_test(request.accuracy, k_)) {
        sums_[i] = line_sums(i, operand[i], kernels, sum_test_request());
        largest_[i] = std::move(sums_[i].largest);
      } else {
        largest_[i] = all_of(largest(), operand[i], false, {}, {}, request.threads);
      }
      bad_[i] = bad_lines(largest_[i]);
      idle_[i] = bad_[i];
      for (std::size_t l = 0; l < idle_[i].size(); ++l) idle_[i][l] |= largest_[i][l] == 0.0;
      scaling_.exponent[i] = line_exponents(largest_[i]);
    }
  }

  Scaling run() {
    unscalable_ = bad_entries();
    if (unscalable_ > most_unscalable(request_.accuracy, m_ * n_)) return give_up(Path::direct_for_operands);
    switch (request_.accuracy) {
      case Accuracy::classic:
      case Accuracy::fast:
      case Accuracy::tight:
        if (!choose_by_sums()) choose_by_spread();
        break;
      case Accuracy::normwise:
        scaling_.moduli = moduli_without_spread(guarantee_, k_, is_complex_);
        use_all_bits();
        break;
      case Accuracy::bits:
        choose_given_bits();
        break;
      case Accuracy::exact:
        choose_exact();
        break;
    }
    if (scaling_.path == Path::modular || scaling_.path == Path::modular_balanced) list_direct_entries();
    for (int i = 0; i < 2; ++i) scaling_.is_bad[i] = std::move(bad_[i]);
    return std::move(scaling_);
  }

 private:
  static std::int64_t count(const std::vector<std::uint8_t>& flags) {
    return std::count(flags.begin(), flags.end(), std::uint8_t{1});
  }

  // |sum| < 2^(e + f + this): where that may leave the range, the direct engine decides for the accuracies it has.
  std::int64_t sum_bits() const { return ceil_log2(k_) + (is_complex_ ? 1 : 0); }
  bool may_overflow(std::int64_t e, std::int64_t f) const {
    return !is_modular_only(request_.accuracy) && e + f + sum_bits() > 1022;
  }

  // By the unbalanced exponents: balancing enlarges neither operand's.
  bool is_unscalable(std::int64_t i, std::int64_t j) const {
    auto r = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
    if (bad_[0][r] || bad_[1][c]) return true;
    if (idle_[0][r] || idle_[1][c]) return false;
    return may_overflow(original_[0][r], original_[1][c]);
  }

  std::int64_t bad_entries() {
    for (int i = 0; i < 2; ++i) original_[i] = scaling_.exponent[i];
    std::int64_t rows = count(bad_[0]), columns = count(bad_[1]);
    auto largest = [&](int i) { return *std::max_element(original_[i].begin(), original_[i].end()); };
    if (!may_overflow(largest(0), largest(1))) return rows * n_ + columns * m_ - rows * columns;
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < m_; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) total += is_unscalable(i, j) ? 1 : 0;
    }
    return total;
  }

  Scaling give_up(Path path) {
    scaling_.path = path;
    return std::move(scaling_);
  }

  void use_all_bits() {
    scaling_.bits[0] = scaling_.bits[1] = largest_bits(scaling_.moduli, k_, is_complex_);
    scaling_.error_bound_u2 = error_bound(guarantee_, k_, words_, is_complex_);
    if (request_.accuracy != Accuracy::normwise) scaling_.esc = scaling_.bits[0] - guarantee_.bits;
  }

  // Whether the sum test says how many moduli it takes.
  bool choose_by_sums() {
    if (!has_sum_test(request_.accuracy, k_)) return false;
    const SumTestFigures figures = sum_test(operand_, sums_, kernels_, sum_test_request());
    for (LineSums& lines : sums_) lines.all = {};
    const ModuliAndBits found = settle_by_sums(guarantee_, figures, k_, is_complex_);
    if (found.moduli == 0) return false;
    scaling_.moduli = found.moduli;
    // As if all lines had the bits of the longest.
    for (int i = 0; i < 2; ++i) {
      const int most = figures.shift[i];
      scaling_.bits[i] = found.bits + most;
      for (std::size_t l = 0; l < idle_[i].size(); ++l) {
        if (!bad_[i][l]) scaling_.exponent[i][l] += most - sums_[i].shift[l];
      }
    }
    scaling_.esc = std::max(std::max(scaling_.bits[0], scaling_.bits[1]) - guarantee_.bits, 0);
    scaling_.error_bound_u2 = sum_test_bound(guarantee_, k_, words_, is_complex_);
    if (scaling_.moduli > request_.most_moduli) scaling_.path = Path::direct_for_speed;
    return true;
  }

  SumTestRequest sum_test_request() const { return {request_.library, request_.threads, request_.bytes}; }

  Kind largest() const { return {kernels_.largest, kernels_.largest_each}; }

  Spread spread() {
    for (int i = 0; i < 2; ++i) uneven_[i] = uneven_lines(i);
    return Spread(operand_, {&scaling_.exponent[0], &scaling_.exponent[1]}, scaling_.balance, {&idle_[0], &idle_[1]},
                  {{&uneven_[0], &uneven_[1]}, uneven_bits(k_)}, kernels_, request_.threads, request_.tile);
  }

  // Lines whose sum of |x| is below a few times their largest: fewer than √k / 4 terms, or 2, make it.
  std::vector<std::uint8_t> uneven_lines(int i) const {
    if (request_.accuracy != Accuracy::classic) return {};
    constexpr std::int64_t terms_at_once = 256;
    Operand part = operand_[i];
    Shifts of_line = negated(scaling_.exponent[i]);
    for (std::size_t l = 0; l < of_line.size(); ++l) of_line[l] = bad_[i][l] ? leave_out : of_line[l] + sum_unit;
    double least = std::ldexp(even_sum(k_), sum_unit);
    std::vector<double> sums(of_line.size(), 0.0);
    std::vector<std::uint8_t> uneven(of_line.size(), 1);
    // Most lines show in their first terms that they are not.
    for (std::int64_t h = 0; h < k_ && count(uneven) > 0; h += terms_at_once) {
      part.data = operand_[i].element(0, h);
      part.terms = std::min(terms_at_once, k_ - h);
      Shifts of_term;
      if (!scaling_.balance.empty()) {
        of_term.assign(scaling_.balance.begin() + h, scaling_.balance.begin() + h + part.terms);
        if (i == 1) of_term = negated(of_term);
      }
      auto more = all_of({kernels_.sum, kernels_.sum_each}, part, false, of_line, of_term, request_.threads);
      for (std::size_t l = 0; l < sums.size(); ++l) {
        sums[l] += more[l];
        uneven[l] = sums[l] < least && !idle_[i][l];
      }
    }
    return uneven;
  }

  // The least count of moduli within which few enough entries spread further than their bits cover; 0 if none.
  int moduli_for(const Spread::Histogram& histogram, int least) {
    for (int count = least; count <= max_moduli; ++count) {
      int covered = largest_bits(count, k_, is_complex_) - guarantee_.bits;
      std::int64_t beyond = 0;
      for (int e = covered + 1; e < Spread::of_zero; ++e) beyond += histogram[static_cast<std::size_t>(e)];
      has_wide_entries_ = beyond > 0;
      if (beyond <= most_wide(request_.accuracy, m_ * n_)) return count;
    }
    return 0;
  }

  void choose_by_spread() {
    int least = moduli_without_spread(guarantee_, k_, is_complex_);
    if (least == 0) return range_too_wide();
    int covered = largest_bits(least, k_, is_complex_) - guarantee_.bits;
    Spread found = spread();
    int count = moduli_for(found.histogram(covered, request_.bytes), least);
    if (count != least) {
      Scaling unbalanced = scaling_;
      bool had_wide_entries = has_wide_entries_;
      if (balance()) {
        Spread of_balanced = spread();
        int balanced = moduli_for(of_balanced.histogram(covered, request_.bytes), least);
        if (balanced == 0 || (count != 0 && balanced >= count)) {
          scaling_ = std::move(unbalanced);
          has_wide_entries_ = had_wide_entries;
        } else {
          count = balanced;
          found = std::move(of_balanced);
        }
      }
    }
    if (count == 0) return range_too_wide();
    scaling_.moduli = count;
    use_all_bits();
    if (has_wide_entries_) wide_ = found.has_map() ? found.beyond(scaling_.esc) : spread().beyond(scaling_.esc);
    if (count > request_.most_moduli) scaling_.path = Path::direct_for_speed;
  }

  // Scales terms where that may help: by how large they are beside the largest of their lines, so that scaling a row or
  // a column of the matrices makes no difference.
  bool balance() {
    std::vector<double> of_terms[2];
    for (int i = 0; i < 2; ++i) {
      of_terms[i] = all_of(largest(), operand_[i], true, line_shifts(i), {}, request_.threads);
    }
    scaling_.balance = balance_of(of_terms[0], of_terms[1]);
    if (scaling_.balance.empty()) return false;
    scaling_.path = Path::modular_balanced;
    for (int i = 0; i < 2; ++i) {
      // Relative to the line's largest, which no scaled term exceeds.
      auto relative = all_of(largest(), operand_[i], false, line_shifts(i),
                             i == 0 ? scaling_.balance : negated(scaling_.balance), request_.threads);
      for (std::size_t l = 0; l < relative.size(); ++l) {
        if (idle_[i][l]) continue;
        // Terms that balancing makes vanish beside all others leave the scaling as it was.
        if (relative[l] < std::ldexp(1.0, -most_narrowing)) {
          scaling_.exponent[0] = original_[0];
          scaling_.exponent[1] = original_[1];
          scaling_.balance.clear();
          scaling_.path = Path::modular;
          return false;
        }
        scaling_.exponent[i][l] += exponent_of(relative[l]);
      }
    }
    return true;
  }

  // What brings each line to magnitudes below 1, and lines that are idle to 0.
  Shifts line_shifts(int i) const {
    Shifts shifts = negated(original_[i]);
    for (std::size_t l = 0; l < shifts.size(); ++l) {
      if (bad_[i][l]) shifts[l] = leave_out;
    }
    return shifts;
  }

  void range_too_wide() {
    if (request_.accuracy != Accuracy::tight) {
      scaling_.path = Path::direct_for_range;
      return;
    }
    reject_spread(k_, is_complex_);
  }

  void choose_given_bits() {
    scaling_.bits[0] = scaling_.bits[1] = request_.bits;
    scaling_.moduli = least_moduli(k_, is_complex_, 2 * request_.bits);
    int covered = request_.bits - guarantee_.bits;
    Spread::Histogram histogram = spread().histogram(std::max(covered, 0), 0);
    int widest = 0;
    for (int e = 0; e < Spread::of_zero; ++e) {
      if (histogram[static_cast<std::size_t>(e)]) widest = std::min(e, Spread::most);
    }
    scaling_.esc = std::max(widest, covered);
    scaling_.error_bound_u2 = widest >= Spread::most
                                  ? std::numeric_limits<double>::infinity()
                                  : bound_of_bits(guarantee_, request_.bits, widest, k_, words_, is_complex_);
  }

  void choose_exact() {
    std::int64_t bits[2];
    for (int i = 0; i < 2; ++i) bits[i] = exact_bits(operand_[i], scaling_.exponent[i], idle_[i], request_.threads);
    scaling_.moduli = moduli_for_exact(bits[0], bits[1], k_, is_complex_);
    for (int i = 0; i < 2; ++i) scaling_.bits[i] = static_cast<int>(bits[i]);
    scaling_.error_bound_u2 = 1.0;
  }

  void list_direct_entries() {
    for (std::int64_t i = 0; i < m_ && unscalable_ > 0; ++i) {
      for (std::int64_t j = 0; j < n_; ++j) {
        if (is_unscalable(i, j)) scaling_.direct.push_back({{i, j}});
      }
    }
    for (Position p : wide_) {
      if (!is_unscalable(p.line[0], p.line[1])) scaling_.direct.push_back(p);
    }
    std::sort(scaling_.direct.begin(), scaling_.direct.end(), [](const Position& x, const Position& y) {
      return x.line[0] != y.line[0] ? x.line[0] < y.line[0] : x.line[1] < y.line[1];
    });
  }

  const Operand (&operand_)[2];
  const ScalingRequest& request_;
  const KernelSet& kernels_;
  std::int64_t m_, n_, k_;
  int words_;
  bool is_complex_;
  Guarantee guarantee_;
  LineSums sums_[2];
  std::vector<double> largest_[2];
  // Lines the direct engine takes; those and the zero ones, which have no sums to protect.
  std::vector<std::uint8_t> bad_[2], idle_[2], uneven_[2];
  std::vector<std::int64_t> original_[2];
  bool has_wide_entries_ = false;
  std::vector<Position> wide_;
  std::int64_t unscalable_ = 0;
  Scaling scaling_;
};

}  // namespace

Scaling scale(const Operand (&operand)[2], const ScalingRequest& request, const KernelSet& kernels) {
  return Guardrail(operand, request, kernels).run();
}

}  // namespace hilo::modular
