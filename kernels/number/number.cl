// The numbers of a product.
//
//   IS_DOUBLE_DOUBLE   0 1   S, D, C and Z, or DD
#pragma once

#ifndef IS_DOUBLE_DOUBLE
#define IS_DOUBLE_DOUBLE 0
#endif
#if IS_DOUBLE_DOUBLE != 0 && IS_DOUBLE_DOUBLE != 1
#error "hilo: IS_DOUBLE_DOUBLE is none of 0 1"
#endif

#if IS_DOUBLE_DOUBLE
#include "number/double_double.cl"
#else
#include "number/plain.cl"
#endif
