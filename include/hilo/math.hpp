// Functions of dd_real: everything of <cmath> and a little more, found by argument-dependent lookup, constexpr,
// nothing to link. Errors and ranges: docs/functions.md.
#pragma once

#include <hilo/math/basic.hpp>
