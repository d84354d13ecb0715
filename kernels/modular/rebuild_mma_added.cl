// rebuild_mma.cl where C gets the product added.

#define ADDS 1
#include "modular/rebuild_mma_scaled.cl"
