// A step of a sum in DD, by fused multiply-adds or without them.
//
//   RENORMALISE_EVERY   1 4   steps between two renormalisations; fixes the bits
#pragma once

#include "number/prelude.cl"

#include "hilo/detail/step.clh"

#ifndef RENORMALISE_EVERY
#define RENORMALISE_EVERY 4
#endif
#if RENORMALISE_EVERY != 1 && RENORMALISE_EVERY != 4
#error "hilo: RENORMALISE_EVERY is none of 1 4"
#endif

#if HILO_FMA
#define STEP step_fma
#else
#define STEP step_split
#endif
