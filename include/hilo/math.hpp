// Functions of dd_real: everything of C's <math.h> and a little more, found by argument-dependent lookup, constexpr,
// nothing to link. Errors and ranges: docs/functions.md.
#pragma once

#include <hilo/math/basic.hpp>
#include <hilo/math/comparison.hpp>
#include <hilo/math/elementary.hpp>
#include <hilo/math/error_function.hpp>
#include <hilo/math/exponential.hpp>
#include <hilo/math/fused.hpp>
#include <hilo/math/gamma.hpp>
#include <hilo/math/hyperbolic.hpp>
#include <hilo/math/interpolation.hpp>
#include <hilo/math/inverse_trigonometric.hpp>
#include <hilo/math/next.hpp>
#include <hilo/math/power.hpp>
#include <hilo/math/remainder.hpp>
#include <hilo/math/trigonometric.hpp>
