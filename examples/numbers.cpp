// A first program with double-double numbers: nothing to link.
#include <hilo/dd_real.hpp>
#include <hilo/text.hpp>
#include <iostream>
#include <vector>

int main() {
  std::cout.precision(32);
  hilo::dd_real third = hilo::dd_real(1) / 3;
  std::cout << "1/3   = " << third << '\n';

  // The harmonic sum of a million terms, to 30 digits.
  std::vector<hilo::dd_real> terms;
  for (int i = 1; i <= 1000000; ++i) terms.push_back(hilo::dd_real(1) / i);
  hilo::dd_real sum(0);
  for (hilo::dd_real x : terms) sum += x;
  std::cout << "H(1e6) = " << sum << '\n';

  // What double loses: (1 + 2^-80) − 1.
  hilo::dd_real x = hilo::dd_real(1) + 0x1p-80;
  std::cout << "(1 + 2^-80) - 1 = " << x - 1 << ", in double " << (1.0 + 0x1p-80) - 1.0 << '\n';
}
