// Runs: numbers of C side by side that are read and written at a time.
//
//   ROW_RUN     1 2 4 ...   as many as a vector has
//   ROW_CHUNK   a type of as many bytes
#pragma once

#include "number/number.cl"

#ifndef ROW_RUN
#define ROW_RUN HILO_LANES
#endif
#if ROW_RUN < 1 || ROW_RUN > 16
#error "hilo: ROW_RUN is not in 1 ... 16"
#endif
#ifndef ROW_CHUNK
#define ROW_CHUNK number
#endif
