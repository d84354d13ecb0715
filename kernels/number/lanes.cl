// Double-double numbers in memory. A `pair` holds HILO_LANES of them; in a double2, x is hi and y is lo.
#pragma once

#include "number/prelude.cl"

HILO_FN dd from_pair(pair x) {
  dd r = {x.lo, x.hi};
  return r;
}

HILO_FN pair to_pair(dd x) { return (pair)(x.hi, x.lo); }

// One number, in every lane.
HILO_FN dd broadcast(double2 x) {
  dd r = {literal(x.x), literal(x.y)};
  return r;
}
