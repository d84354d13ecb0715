// rebuild.cl where alpha is not 1 or beta not 0, which takes double precision.

#define SCALES 1
#include "modular/update_words.cl"

#include "modular/rebuild.cl"
