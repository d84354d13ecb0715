// What the product's text calls double-double numbers, as plain.cl does those of S, D, C and Z.
#pragma once

#include "number/step.cl"

#include "number/lanes.cl"

typedef double2 number;
typedef pair numbers;
typedef dd value;
#define WORD double
#define WORDS 2
#define multiply_add STEP

HILO_FN dd zero_value(void) {
  dd r = {literal(0.0), literal(0.0)};
  return r;
}

HILO_FN dd value_of(pair x) { return from_pair(x); }
