// What docs promise of bits: the ways to ask for a product whose bits are the same on every machine, and a number that
// stands for the bits of several.
#pragma once

#include "modular_problems.hpp"

namespace hilo::test {

/// The bits of a set of products in one number. NaNs have no bits of their own.
class Checksum {
 public:
  template <class T>
  void add(const std::vector<T>& x) {
    for (const T& e : x) {
      for (double word : words(e)) {
        value_ = (value_ ^ (word == word ? std::bit_cast<std::uint64_t>(word) : 0x7ff8000000000000u)) * 0x100000001b3u;
        value_ ^= value_ >> 29;
      }
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// A way to ask for a product.
struct Contract {
  const char* name;
  Precision precision;
  GemmOptions options;
};

constexpr GemmOptions direct_with(Accuracy accuracy, Fma fma) {
  return {.engine = Engine::direct, .accuracy = accuracy, .fma = fma};
}
constexpr GemmOptions modular_with(Accuracy accuracy, int bits = 0) {
  return {.engine = Engine::modular, .accuracy = accuracy, .fma = Fma::on, .bits = bits};
}

/// What docs promise for every machine. D and Z have no fixed bits in the direct engine: those are BLAS's.
inline constexpr Contract contracts[] = {
    {"direct classic, FMA", Precision::dd, direct_with(Accuracy::classic, Fma::on)},
    {"direct classic, no FMA", Precision::dd, direct_with(Accuracy::classic, Fma::off)},
    {"direct fast, FMA", Precision::dd, direct_with(Accuracy::fast, Fma::on)},
    {"direct fast, no FMA", Precision::dd, direct_with(Accuracy::fast, Fma::off)},
    {"direct classic, FMA", Precision::zdd, direct_with(Accuracy::classic, Fma::on)},
    {"direct classic, no FMA", Precision::zdd, direct_with(Accuracy::classic, Fma::off)},
    {"direct fast, FMA", Precision::zdd, direct_with(Accuracy::fast, Fma::on)},
    {"direct fast, no FMA", Precision::zdd, direct_with(Accuracy::fast, Fma::off)},
    {"modular classic", Precision::dd, modular_with(Accuracy::classic)},
    {"modular fast", Precision::dd, modular_with(Accuracy::fast)},
    {"modular tight", Precision::dd, modular_with(Accuracy::tight)},
    {"modular normwise", Precision::dd, modular_with(Accuracy::normwise)},
    {"modular bits", Precision::dd, modular_with(Accuracy::bits, 71)},
    {"modular exact", Precision::dd, modular_with(Accuracy::exact)},
    {"modular classic", Precision::zdd, modular_with(Accuracy::classic)},
    {"modular fast", Precision::zdd, modular_with(Accuracy::fast)},
    {"modular tight", Precision::zdd, modular_with(Accuracy::tight)},
    {"modular normwise", Precision::zdd, modular_with(Accuracy::normwise)},
    {"modular bits", Precision::zdd, modular_with(Accuracy::bits, 71)},
    {"modular exact", Precision::zdd, modular_with(Accuracy::exact)},
    {"modular classic", Precision::d, modular_with(Accuracy::classic)},
    {"modular fast", Precision::d, modular_with(Accuracy::fast)},
    {"modular tight", Precision::d, modular_with(Accuracy::tight)},
    {"modular normwise", Precision::d, modular_with(Accuracy::normwise)},
    {"modular bits", Precision::d, modular_with(Accuracy::bits, 71)},
    {"modular exact", Precision::d, modular_with(Accuracy::exact)},
    {"modular classic", Precision::z, modular_with(Accuracy::classic)},
    {"modular fast", Precision::z, modular_with(Accuracy::fast)},
    {"modular tight", Precision::z, modular_with(Accuracy::tight)},
    {"modular normwise", Precision::z, modular_with(Accuracy::normwise)},
    {"modular bits", Precision::z, modular_with(Accuracy::bits, 71)},
    {"modular exact", Precision::z, modular_with(Accuracy::exact)},
};

/// f.template operator()<T>() for the contract's precision.
template <class F>
auto for_precision(Precision precision, F f) {
  switch (precision) {
    case Precision::d:
      return f.template operator()<double>();
    case Precision::z:
      return f.template operator()<std::complex<double>>();
    case Precision::zdd:
      return f.template operator()<dd_complex>();
    default:
      return f.template operator()<dd_real>();
  }
}

}  // namespace hilo::test
