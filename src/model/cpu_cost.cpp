#include "model/cpu_cost.hpp"

#include <algorithm>
#include <cmath>

#include "model/byte_planes.hpp"

namespace hilo::model {
namespace {

// Entries that the direct engine computes, with those of its register tiles that lie outside.
double padded_entries(std::int64_t m, std::int64_t n) {
  auto up = [](std::int64_t x, double to) { return std::ceil(static_cast<double>(x) / to) * to; };
  return std::min(up(m, 16.0) * up(n, 2.0), up(m, 2.0) * up(n, 16.0));
}

}  // namespace

double direct_seconds(const CpuRates& rates, const ProductSize& size, Accuracy accuracy) {
  const double step = accuracy == Accuracy::fast ? rates.direct_step_fast : rates.direct_step;
  const double parts = is_complex(size.precision) ? 2.0 : 1.0;
  return size.wanted * parts * padded_entries(size.m, size.n) *
         (parts * static_cast<double>(size.k) * step + rates.direct_entry);
}

double modular_seconds(const CpuRates& rates, const ProductSize& size, int moduli) {
  const bool complex = is_complex(size.precision);
  // Residues of a modulus that splits take both parts, and are counted as others.
  const double parts = complex ? 2.0 : 1.0, planes = byte_planes(complex, moduli);
  const auto rows = static_cast<double>(size.m), columns = static_cast<double>(size.n),
             terms = static_cast<double>(size.k);
  const double elements = (rows + columns) * terms, entries = size.wanted * rows * columns, count = moduli;
  const double panels = std::max(1.0, terms / static_cast<double>(most_byte_depth));
  return elements * (parts * rates.scan + planes * (rates.residue + rates.byte_pack)) +
         planes * (entries * terms * rates.byte_product + panels * (entries * rates.reduction + rates.call)) +
         entries * parts * (count * rates.rebuild + rates.entry);
}

}  // namespace hilo::model
