// alpha and beta, as the host passes them.
#pragma once

#include "number/doubles.cl"

#include "number/factors.clh"

static inline double4 alpha_of(factors f) { return (double4)(f.alpha[0], f.alpha[1], f.alpha[2], f.alpha[3]); }
static inline double4 beta_of(factors f) { return (double4)(f.beta[0], f.beta[1], f.beta[2], f.beta[3]); }
