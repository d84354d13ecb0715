#include "gemm/native/error_bound.hpp"

namespace hilo::native {

double error_bound(Precision precision, std::int64_t k, ComplexProduct complex_product) {
  const auto terms = static_cast<double>(k);
  if (is_complex(precision)) {
    return (complex_product == ComplexProduct::three ? 4.0 : 3.0) * (terms + 4.0);
  }
  // What roundings of roundings add to so many terms.
  const bool is_long = precision == Precision::s && terms > 0x1p23;
  return terms + 4.0 + (is_long ? 0x1p-22 * terms : 0.0);
}

}  // namespace hilo::native
