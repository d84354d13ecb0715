// The numbers of a product.
//
//   IS_DOUBLE_DOUBLE   0 1   S, D, C and Z, or DD
#pragma once

#if IS_DOUBLE_DOUBLE
#include "number/double_double.cl"
#else
#include "number/plain.cl"
#endif
