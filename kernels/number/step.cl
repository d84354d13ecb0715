// A step of a sum in DD, by fused multiply-adds or without them.
#pragma once

#include "number/prelude.cl"

#include "hilo/detail/step.clh"

#if HILO_FMA
#define STEP step_fma
#else
#define STEP step_split
#endif
