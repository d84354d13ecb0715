// What the product's text calls double-double numbers, as number.cl does those of S, D, C and Z. After step.clh and
// lanes.cl.

typedef double2 number;
typedef pair numbers;
typedef dd value;
#define WORD double
#define WORDS 2
#define IS_DOUBLE_DOUBLE 1

#if HILO_FMA
#define multiply_add step_fma
#else
#define multiply_add step_split
#endif

HILO_FN dd zero_value(void) {
  dd r = {literal(0.0), literal(0.0)};
  return r;
}

HILO_FN dd value_of(pair x) { return from_pair(x); }
