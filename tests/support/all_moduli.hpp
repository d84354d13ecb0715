// The moduli of the modular engine, each once.
#pragma once

#include <algorithm>
#include <vector>

#include "gemm/modular/moduli.hpp"

namespace hilo::test {

/// Of real and of complex products.
inline std::vector<int> all_moduli() {
  std::vector<int> all(modular::moduli.begin(), modular::moduli.end());
  for (int m : modular::complex_moduli) {
    if (std::find(all.begin(), all.end(), m) == all.end()) all.push_back(m);
  }
  return all;
}

}  // namespace hilo::test
