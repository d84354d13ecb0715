#include "array_ceilings.hpp"

#define HWY_COMPILE_ONLY_STATIC
#define HWY_WANT_AVX3_DL
#include <hwy/highway.h>

#include "dd/lanes.hpp"

namespace hilo::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hilo::HWY_NAMESPACE::Lanes;
using dd = Lanes::dd;
using real = Lanes::real;
constexpr Lanes::Tag tag;
constexpr std::int64_t lanes = HWY_LANES(double);

// Operands that the compiler must take for new: it would compute with them once for all.
HWY_INLINE void renew(real& a) { asm volatile("" : "+v"(a.raw)); }

// Two vectors of pairs in memory to words and back.
HWY_INLINE dd unpack(dd x) { return {hn::InterleaveLower(tag, x.hi, x.lo), hn::InterleaveUpper(tag, x.hi, x.lo)}; }

struct DotStep {
  template <bool unpacks>
  static HWY_INLINE dd apply(dd sum, dd a, dd b) {
    if (unpacks) a = unpack(a), b = unpack(b);
    sum = Lanes::gather(sum, Lanes::two_prod(a.hi, b.hi), a, b);
    return Lanes::fast_two_sum(sum.hi, sum.lo);
  }
};
struct AxpyStep {
  template <bool unpacks>
  static HWY_INLINE dd apply(dd y, dd alpha, dd x) {
    if (unpacks) x = unpack(x), y = unpack(y);
    dd p = Lanes::two_prod(alpha.hi, x.hi);
    real cross = Lanes::mul(alpha.hi, x.lo) + Lanes::mul(alpha.lo, x.hi);
    dd z = Lanes::add_finite(Lanes::fast_two_sum(p.hi, p.lo + cross), y);
    return unpacks ? unpack(z) : z;
  }
};

template <class Step, int vectors, bool unpacks>
HWY_NOINLINE double pass(std::int64_t n) {
  dd sum[vectors], a = {hn::Set(tag, 0.7), hn::Set(tag, 0x1p-55)}, b = {hn::Set(tag, 0.3), hn::Set(tag, 0x1p-56)};
  HWY_UNROLL(16)
  for (int v = 0; v < vectors; ++v) sum[v] = {hn::Set(tag, v), hn::Zero(tag)};
  for (std::int64_t i = 0; i < n; i += vectors * lanes) {
    HWY_UNROLL(16)
    for (int v = 0; v < vectors; ++v) {
      renew(a.hi);
      renew(b.hi);
      renew(b.lo);
      sum[v] = Step::template apply<unpacks>(sum[v], a, b);
    }
  }
  double r = 0.0;
  HWY_UNROLL(16)
  for (int v = 0; v < vectors; ++v) r += hn::GetLane(sum[v].hi + sum[v].lo);
  return r;
}

template <class Step>
double in_registers(std::int64_t n, int vectors, bool unpacks) {
  if (unpacks)
    return vectors == 4 ? pass<Step, 4, true>(n) : vectors == 8 ? pass<Step, 8, true>(n) : pass<Step, 12, true>(n);
  return vectors == 4 ? pass<Step, 4, false>(n) : vectors == 8 ? pass<Step, 8, false>(n) : pass<Step, 12, false>(n);
}

}  // namespace

double read_two(std::int64_t n, const double* x, const double* y) {
  real a = hn::Zero(tag), b = a, c = a, d = a;
  std::int64_t i = 0;
  for (; i + 2 * lanes <= 2 * n; i += 2 * lanes) {
    a = hn::Xor(a, hn::LoadU(tag, x + i));
    b = hn::Xor(b, hn::LoadU(tag, y + i));
    c = hn::Xor(c, hn::LoadU(tag, x + i + lanes));
    d = hn::Xor(d, hn::LoadU(tag, y + i + lanes));
  }
  return hn::GetLane(hn::Xor(hn::Xor(a, b), hn::Xor(c, d)));
}

void read_two_write_one(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i + lanes <= 2 * n; i += lanes) {
    hn::StoreU(hn::Xor(hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
  }
}

double dot_in_registers(std::int64_t n, int vectors, bool unpacks) {
  return in_registers<DotStep>(n, vectors, unpacks);
}
double axpy_in_registers(std::int64_t n, int vectors, bool unpacks) {
  return in_registers<AxpyStep>(n, vectors, unpacks);
}

}  // namespace hilo::bench
