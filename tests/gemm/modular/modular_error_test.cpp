// The error of the modular engine against MPFR, on a grid of generated products: never above the bound that the report
// guarantees, and for `classic` never above 8 u² (2u in double).
// A thirteenth of the grid by default; HILO_LONG_TESTS=1 takes all 2160 products and prints the largest errors.
// HILO_PROBLEM=i takes product i alone.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "modular_problems.hpp"
#include "test_size.hpp"

namespace hilo::test {
namespace {

constexpr std::array<std::int64_t, 10> term_counts = {1, 2, 17, 64, 100, 512, 1000, 2048, 4096, 8192};
constexpr int kind_count = static_cast<int>(std::size(kinds));

// What is asked of a product. The scaled one has an alpha and a beta that are neither 0 nor 1.
enum class Request { classic, scaled, fast, tight, normwise, bits };
constexpr int request_count = 6;
constexpr int grid_size = static_cast<int>(term_counts.size()) * kind_count * request_count;

constexpr Accuracy accuracy_of(Request r) {
  switch (r) {
    case Request::fast:
      return Accuracy::fast;
    case Request::tight:
      return Accuracy::tight;
    case Request::normwise:
      return Accuracy::normwise;
    case Request::bits:
      return Accuracy::bits;
    default:
      return Accuracy::classic;
  }
}
constexpr std::array<const char*, request_count> request_names = {
    "classic", "classic, alpha and beta", "fast", "tight", "normwise", "bits"};

// Product `index` of the grid in one precision; everything that the grid leaves open comes from the index as a seed.
template <class T>
struct GridProduct {
  int index;
  std::size_t terms;
  int kind;
  Request request;
  Storage storage;
  GemmOptions options;
  Problem<T> problem;

  explicit GridProduct(int i) : GridProduct(i, Random(seed_of(i))) {}

  std::string text() const {
    return "HILO_PROBLEM=" + std::to_string(index) + ": " + problem.text() + ", " + kinds[kind].name + ", " +
           request_names[static_cast<std::size_t>(request)] +
           (options.bits ? " " + std::to_string(options.bits) : std::string()) + ", " + storage.text();
  }

 private:
  static std::uint64_t seed_of(int i) {
    return static_cast<std::uint64_t>(i) * 16 + static_cast<std::uint64_t>(precision_of<T>);
  }

  GridProduct(int i, Random random)
      : index(i),
        terms(static_cast<std::size_t>(i) % term_counts.size()),
        kind(i / static_cast<int>(term_counts.size()) % kind_count),
        request(static_cast<Request>(i / static_cast<int>(term_counts.size()) / kind_count)),
        storage{random.below(2) ? Layout::row : Layout::column, static_cast<Op>(random.below(3)),
                static_cast<Op>(random.below(3)), random.below(4)},
        problem(operands(random)) {
    options.engine = Engine::modular;
    options.threads = 1;
    options.accuracy = accuracy_of(request);
    constexpr std::array<int, 8> bits = {20, 53, 80, 100, 110, 126, 140, 155};
    if (request == Request::bits) options.bits = bits[static_cast<std::size_t>(random.below(std::size(bits)))];
    if (request == Request::scaled || (request > Request::scaled && random.below(4) == 0)) {
      problem.alpha = number<T>(dd_real(static_cast<double>(random.between(1, 1000))) / -7, dd_real(1) / 3);
      if (random.below(3)) problem.beta = number<T>(dd_real(static_cast<double>(random.between(1, 1000))) / 11, -2);
    }
  }

  // At most 24 × 24, and fewer entries of longer sums, so that MPFR takes some 50 ms at most.
  Problem<T> operands(Random& random) const {
    std::int64_t k = term_counts[terms], most = 150'000 / k;
    std::int64_t m = random.between(1, std::min<std::int64_t>(24, most));
    std::int64_t n = random.between(1, std::min<std::int64_t>(24, most / m));
    return generated<T>(kinds[kind], m, n, k, random.bits());
  }
};

// The largest errors found, by request, number of terms and kind.
class Largest {
 public:
  void add(Request request, std::size_t terms, int kind, double error, double bound) {
    double& cell = errors_[request][terms][static_cast<std::size_t>(kind)];
    cell = std::max(cell, error);
    ratio_[request] = std::max(ratio_[request], error / bound);
  }

  void print(Precision precision) const {
    for (const auto& [request, table] : errors_) {
      std::printf("\n%s, %s; at most %.3f of the bound\n\n| k |", name(precision).data(),
                  request_names[static_cast<std::size_t>(request)], ratio_.at(request));
      for (const Kind& kind : kinds) std::printf(" %s |", kind.name);
      std::printf("\n|---|");
      for (int kind = 0; kind < kind_count; ++kind) std::printf("---|");
      std::printf("\n");
      for (std::size_t t = 0; t < term_counts.size(); ++t) {
        std::printf("| %d |", static_cast<int>(term_counts[t]));
        for (double error : table[t]) std::printf(" %.2g |", error);
        std::printf("\n");
      }
    }
  }

 private:
  using Table = std::array<std::array<double, kind_count>, term_counts.size()>;
  std::map<Request, Table> errors_;
  std::map<Request, double> ratio_;
};

// What the direct engine's tests allow on such data.
template <class T>
double direct_gate(std::int64_t k) {
  double steps = static_cast<double>(k);
  return is_complex<T> ? std::sqrt(2.0) * (4.0 + std::sqrt(2.0 * steps)) : 4.0 + std::sqrt(steps);
}

// The guarantee of each accuracy, where the modular engine computed every entry.
template <class T>
double guarantee(Accuracy accuracy, std::int64_t k) {
  double kappa = double_double<T> ? 8.0 : 1.0;
  if (accuracy == Accuracy::fast) kappa *= 4.0;
  if (accuracy == Accuracy::tight) kappa /= 4.0;
  return kappa * static_cast<double>(k) + 16.0;
}

template <class T>
class ModularError : public testing::Test {
 protected:
  void check(int index) {
    GridProduct<T> x(index);
    GemmReport report;
    std::vector<T> c = x.problem.multiply(x.options, &report, x.storage);
    const GemmPlan& plan = report.plan;
    const Problem<T>& p = x.problem;
    auto found = error_of(p, c, plan.measure);
    std::string what = x.text() + ", " + std::string(name(plan.path)) + ", p = " + std::to_string(plan.bits) +
                       ", N = " + std::to_string(plan.moduli) + ", esc = " + std::to_string(plan.esc) + ", " +
                       std::to_string(report.entries_direct) + " direct";
    EXPECT_LE(found.max_error_u2, plan.error_bound_u2) << what;
    EXPECT_EQ(found.non_finite_mismatches, 0) << what;
    EXPECT_EQ(plan.measure, x.request == Request::normwise ? Measure::normwise : Measure::componentwise) << what;
    bool all_modular = is_modular(report) && report.entries_direct == 0;
    direct_products_ += !all_modular;
    if (all_modular && x.request != Request::bits) {
      EXPECT_LE(plan.error_bound_u2, guarantee<T>(x.options.accuracy, p.k)) << what;
    }
    if (x.request == Request::classic) {
      double gate = direct_gate<T>(p.k);
      double modular_gate = double_double<T> ? 8.0 : 2.0;
      EXPECT_LE(found.max_error_u2, all_modular ? modular_gate : std::max(modular_gate, gate)) << what;
    }
    largest_.add(x.request, x.terms, x.kind, found.max_error_u2, plan.error_bound_u2);
  }

  Largest largest_;
  int direct_products_ = 0;  // with entries of the direct engine
};
TYPED_TEST_SUITE(ModularError, Precisions, PrecisionName);

TYPED_TEST(ModularError, StaysBelowTheGuaranteedBound) {
  if (const char* only = std::getenv("HILO_PROBLEM")) {
    this->check(std::atoi(only));
    return;
  }
  // 13 has no factor in common with the grid's sides: each size, kind and request comes up.
  int step = is_long() ? 1 : 13;
  int first = is_long() ? 0 : static_cast<int>(precision_of<TypeParam>);
  for (int i = first; i < grid_size; i += step) this->check(i);
  if (is_long()) {
    this->largest_.print(precision_of<TypeParam>);
    std::printf("\n%d products with entries of the direct engine\n", this->direct_products_);
  }
}

// One product of 2^-2 and k − 1 whose factors lie just below 1 and just below half a unit of the last bit kept, so that
// each is lost; the factors of the first lose most of half a unit too. Together that is all of the bound.
template <class T>
Problem<T> lost_terms(std::int64_t k, int bits) {
  Problem<T> p(1, 1, k);
  double near_one = 1 - 0x1p-53, half_unit = std::ldexp(1.0, -bits - 1);
  for (std::int64_t h = 1; h < k; ++h) {
    p.left(0, h) = number<T>(near_one, near_one);
    p.right(h, 0) = number<T>(near_one * half_unit, near_one * half_unit);
  }
  p.left(0, 0) = p.right(0, 0) = number<T>(dd_real::sum(0.5, 0.75 * half_unit));
  return p;
}

TYPED_TEST(ModularError, TheBoundForAGivenNumberOfBitsIsSharp) {
  using T = TypeParam;
  for (std::int64_t k : {2, 17, 100, 4096}) {
    for (int bits : double_double<T> ? std::array{20, 61, 99} : std::array{20, 33, 50}) {
      Problem<T> p = lost_terms<T>(k, bits);
      GemmReport report;
      std::vector<T> c =
          p.multiply({.engine = Engine::modular, .accuracy = Accuracy::bits, .threads = 1, .bits = bits}, &report);
      double error = error_of(p, c).max_error_u2, bound = report.plan.error_bound_u2;
      EXPECT_EQ(report.plan.bits, bits) << k;
      EXPECT_LE(error, bound) << k << " terms, " << bits << " bits";
      double lost = static_cast<double>(k) - (is_complex<T> ? 1.0 : 0.5);
      EXPECT_GE(error, 0.95 * (bound - 16.0) * lost / static_cast<double>(k)) << k << " terms, " << bits << " bits";
    }
  }
}

}  // namespace
}  // namespace hilo::test
