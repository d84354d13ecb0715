// rebuild_mma.cl where C becomes C + AB, or C − AB with the integers negated.

#define ADDS 1
#include "modular/rebuild_mma_scaled.cl"
