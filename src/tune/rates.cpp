#include "tune/rates.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <concepts>
#include <initializer_list>

#include "gemm/cost.hpp"
#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/direct/cpu/product.hpp"
#include "gemm/modular/cpu/byte_residues.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "gemm/modular/cpu/kernels.hpp"
#include "gemm/modular/cpu/operand.hpp"
#include "gemm/modular/cpu/panels.hpp"
#include "gemm/modular/cpu/product.hpp"
#include "gemm/plan.hpp"
#include "host/door.hpp"
#include "model/cpu_table.hpp"

namespace hilo::tune {
namespace {

using model::CpuRates;

// This thread's time, in seconds: what others do to the machine takes no part in it where the system can tell.
double thread_time() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  timespec t{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) {
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The shortest of a few runs, in seconds, after one that makes caches, memory and generated code ready.
template <class F>
double seconds(F run) {
  constexpr double enough = 8e-3;
  run();
  double best = 1e9, total = 0.0;
  for (int i = 0; i < 3 || (i < 30 && total < enough); ++i) {
    double start = thread_time();
    run();
    double time = thread_time() - start;
    best = std::min(best, time);
    total += time;
  }
  return best;
}

// Two numbers of moduli, between which what another one costs is measured: ordinary products in T, double or dd_real,
// have about as many as the larger.
template <class T>
constexpr int few_moduli = 8 * modular::words_of<T>;
template <class T>
constexpr int many_moduli = 16 * modular::words_of<T>;

template <class T>
std::vector<T> numbers(std::int64_t count) {
  std::vector<T> x(static_cast<std::size_t>(count));
  std::uint64_t state = 1;
  auto uniform = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  };
  for (T& e : x) {
    if constexpr (std::same_as<T, dd_real>) {
      e = dd_real::sum(uniform(), uniform() * 0x1p-53);
    } else {
      e = uniform();
    }
  }
  return x;
}

// Seconds of an m × n × k product by either engine alone, on one core.
template <class T>
double product_seconds(const GemmOptions& options, Engine engine, std::int64_t m, std::int64_t n, std::int64_t k) {
  auto a = numbers<T>(m * k), b = numbers<T>(k * n), c = numbers<T>(m * n);
  GemmShape shape = packed_shape(Layout::column, Op::none, Op::none, m, n, k, sizeof(T));
  GemmPlan plan = plan_of(precision_of<T>, shape, 1, Backend::cpu, options.accuracy);
  GemmOptions own = options;
  own.threads = 1;
  own.workspace_bytes = own.depth = own.tile_rows = own.tile_columns = 0;
  const auto product = product_of<T>(shape, {}, T(1), a.data(), b.data(), T(0), c.data());
  if constexpr (std::same_as<T, dd_real>) {
    if (engine == Engine::direct) {
      const direct::CpuPlan executed = direct::plan_product(plan, own);
      return seconds([&] { direct::execute(executed, product); });
    }
  }
  const modular::CpuPlan planned = modular::plan_product(plan, own, modular::max_moduli);
  return seconds([&] { modular::execute(planned, product); });
}

// Two points of a line.
struct Line {
  double slope, start;

  static Line through(double x1, double y1, double x2, double y2) {
    double slope = std::max((y2 - y1) / (x2 - x1), 0.0);
    return {slope, std::max(y1 - slope * x1, 0.0)};
  }
};

template <class T>
void measure_residues(CpuRates& rates, const modular::KernelSet& kernels) {
  constexpr std::int64_t lines = 32, terms = 1024, count = lines * terms;
  constexpr int bits = 53 * modular::words_of<T>, few = few_moduli<T>, many = many_moduli<T>;
  auto x = numbers<T>(count);
  modular::Operand operand = modular::Operand::left(MatrixView<const T>{x.data(), lines, terms, terms, 1});
  std::int64_t plane = modular::plane_bytes(lines, terms);
  struct alignas(64) CacheLine {
    std::uint8_t bytes[64];
  };
  std::vector<CacheLine> planes(static_cast<std::size_t>(many * plane) / sizeof(CacheLine));
  const modular::ResidueConstants* constants = modular::basis(many, false).first;
  const bool takes_bytes = modular::takes_byte_residues(kernels.target, bits);
  std::vector<modular::ByteResidue> from_bytes;
  for (int l = 0; l < many; ++l) from_bytes.push_back(modular::byte_residue(constants[l], bits, false));
  auto residues = [&](int moduli) {
    return seconds([&] {
      for (std::int64_t i = 0; i < lines; ++i) {
        std::uint8_t* const to = planes.front().bytes + i * modular::leading_bytes(terms);
        if (!takes_bytes) {
          kernels.residues(operand.run(i, 0, terms), {nullptr, bits}, bits, constants, moduli, to, plane);
          continue;
        }
        using modular::IntegerTile;
        static_assert(terms == IntegerTile::runs * IntegerTile::elements);
        alignas(64) double limb[IntegerTile::elements * IntegerTile::most_limbs];
        IntegerTile tile(bits, false);
        for (std::int64_t r = 0; r < IntegerTile::runs; ++r) {
          kernels.limbs(operand.run(i, r * IntegerTile::elements, IntegerTile::elements), {nullptr, bits}, bits, limb);
          tile.set(r, limb);
        }
        for (int l = 0; l < moduli; ++l) {
          tile.residues(from_bytes[static_cast<std::size_t>(l)], IntegerTile::runs, to + l * plane, false);
        }
      }
    });
  };
  rates.residue = std::max(residues(many) - residues(few), 0.0) / static_cast<double>((many - few) * count);
}

void measure_products(CpuRates& rates, Int8Library library) {
  constexpr std::int64_t n = 512;
  // A modulus after the other, as products take them: operands that one core's own caches hold are some 7 % faster.
  constexpr int planes = 8;
  std::vector<std::uint8_t> a(planes * n * n, 77);
  std::vector<std::int8_t> b(planes * n * n, -77);
  std::vector<std::int32_t> c(n * n);
  auto product = [&](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
    const double all = seconds([&] {
      for (int p = 0; p < planes; ++p) {
        modular::multiply_bytes(library, rows, columns, depth, {a.data() + p * n * n, depth, false},
                                {b.data() + p * n * n, columns, false}, c.data(), columns);
      }
    });
    return all / planes;
  };
  // Products of bytes and bytes packed are in other proportions where the matrices are smaller.
  double large = product(n, n, n), small = product(64, 64, n), least = product(16, 16, 16);
  double large_products = n * n * n, small_products = 64 * 64 * n, large_bytes = 2 * n * n, small_bytes = 2 * 64 * n;
  double determinant = large_products * small_bytes - small_products * large_bytes;
  rates.call = least;
  large = std::max(large - least, 0.0);
  small = std::max(small - least, 0.0);
  rates.byte_product = (large * small_bytes - small * large_bytes) / determinant;
  rates.byte_pack = std::max((small * large_products - large * small_products) / determinant, 0.0);
  // Noise: all of it products.
  if (rates.byte_product <= 0.0) rates.byte_product = large / large_products;
}

template <class T>
void measure_results(CpuRates& rates, const modular::KernelSet& kernels) {
  constexpr std::int64_t count = 4096;
  constexpr int few = few_moduli<T>, many = many_moduli<T>;
  std::vector<std::int32_t> sums(count, 123456789);
  std::int64_t plane = modular::plane_bytes(1, count);
  std::vector<std::int8_t> residues(static_cast<std::size_t>(many * plane));
  modular::ReductionConstants constants = modular::reduction_constants(modular::moduli[1], false);
  rates.reduction =
      seconds([&] { kernels.reduce(count, constants, sums.data(), {}, residues.data()); }) / static_cast<double>(count);
  std::vector<double> hi(count), lo(count);
  auto rebuild = [&](int moduli) {
    return seconds([&] {
      kernels.rebuild(count, modular::basis(moduli, false), residues.data(), plane, {nullptr, 0}, hi.data(),
                      modular::words_of<T> == 2 ? lo.data() : nullptr);
    });
  };
  rates.rebuild = std::max(rebuild(many) - rebuild(few), 0.0) / static_cast<double>((many - few) * count);
}

// What is left of whole products, of many entries and of many numbers, is by the entry and by the number.
template <class T>
void measure_rest(CpuRates& rates, const GemmOptions& options) {
  auto rest = [&](std::int64_t n, std::int64_t k) {
    const int moduli = expected_moduli(precision_of<T>, options.accuracy, k);
    const double known = model::modular_seconds(rates, {precision_of<T>, n, n, k}, moduli);
    return std::max(product_seconds<T>(options, Engine::modular, n, n, k) - known, 0.0);
  };
  constexpr std::int64_t wide = 512, thin = 48, shallow = 64, deep = 4096;
  rates.entry = rest(wide, shallow) / static_cast<double>(wide * wide);
  rates.scan = rest(thin, deep) / static_cast<double>(2 * thin * deep);
}

void measure_direct(CpuRates& rates, GemmOptions options) {
  constexpr std::int64_t n = 192, shallow = 8, entries = n * n;
  const double of_entries = product_seconds<dd_real>(options, Engine::direct, n, n, shallow);
  const double of_steps = product_seconds<dd_real>(options, Engine::direct, n, n, n);
  options.accuracy = Accuracy::fast;
  const double of_fast_steps = product_seconds<dd_real>(options, Engine::direct, n, n, n);
  const Line line = Line::through(shallow, of_entries, n, of_steps);
  rates.direct_step = line.slope / static_cast<double>(entries);
  rates.direct_entry = line.start / static_cast<double>(entries);
  rates.direct_step_fast = std::max(of_fast_steps - line.start, 0.0) / static_cast<double>(entries * n);
}

// What the numbers' size decides; products of bytes are known.
template <class T>
void measure_modular(CpuRates& rates, const GemmOptions& options) {
  const modular::KernelSet& kernels = modular::kernel_set(options.target);
  measure_residues<T>(rates, kernels);
  measure_results<T>(rates, kernels);
  measure_rest<T>(rates, options);
}

// To four digits, so that its text is short and is all of it.
double rounded(double x) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, 3);
  std::from_chars(text, end.ptr, x);
  return x;
}

}  // namespace

CpuRates measure_rates(const GemmOptions& options) {
  return host::door("no memory to measure the CPU's rates", [&] {
    GemmOptions own = options;
    own.accuracy = Accuracy::classic;
    CpuRates rates{};
    measure_direct(rates, own);
    measure_products(rates, modular::int8_library(own.int8_library));
    measure_modular<dd_real>(rates, own);
    return rates;
  });
}

CpuRates measure_rates_in_double(const GemmOptions& options, const CpuRates& in_double_double) {
  return host::door("no memory to measure the CPU's rates", [&] {
    GemmOptions own = options;
    own.accuracy = Accuracy::classic;
    CpuRates rates = in_double_double;
    rates.scan = rates.entry = 0.0;  // measured as what is left
    measure_modular<double>(rates, own);
    return rates;
  });
}

CpuRates median(const std::vector<CpuRates>& rounds) {
  CpuRates middle{};
  std::vector<double> all(rounds.size());
  for (const model::RateName& r : model::rate_names()) {
    std::transform(rounds.begin(), rounds.end(), all.begin(), [&](const CpuRates& x) { return x.*r.rate; });
    const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), half, all.end());
    middle.*r.rate = rounded(*half);
  }
  return middle;
}

std::vector<GemmOptions> kinds_of_options() {
  std::vector<Int8Library> libraries = {modular::int8_library(Int8Library::automatic)};
  if (libraries.front() != Int8Library::plain) libraries.push_back(Int8Library::plain);
  std::vector<GemmOptions> all;
  for (const direct::KernelSet* set : direct::kernel_sets()) {
    for (Int8Library library : libraries) {
      for (bool native : {true, false}) {
        const Fma fma = native == set->has_fma ? Fma::on : Fma::off;
        all.push_back({.fma = fma, .target = set->target, .int8_library = library});
      }
    }
  }
  return all;
}

}  // namespace hilo::tune
