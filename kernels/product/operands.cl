// The operands of a product, number by number.
#pragma once

#include "number/number.cl"
#if IS_DOUBLE_DOUBLE
#include "product/operands_dd.cl"
#else
#include "product/operands_plain.cl"
#endif
