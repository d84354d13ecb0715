// Functions of dd_complex: everything of <complex>, found by argument-dependent lookup, constexpr, nothing to link.
// Those of dd_real, its parts, come along.
#pragma once

#include <hilo/math.hpp>
#include <hilo/math/complex_exponential.hpp>
#include <hilo/math/complex_hyperbolic.hpp>
#include <hilo/math/complex_inverse.hpp>
#include <hilo/math/complex_polar.hpp>
#include <hilo/math/complex_power.hpp>
