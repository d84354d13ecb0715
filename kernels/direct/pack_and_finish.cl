// What comes before a product in DD or ZDD, and what comes after it.

#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 1
#endif
#include "product/pack.cl"

#include "direct/finish.cl"
