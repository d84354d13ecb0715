// rebuild_mma.cl where alpha is not 1 or beta not 0.

#define SCALES 1
#include "modular/update_words.cl"

#include "modular/rebuild_mma.cl"
