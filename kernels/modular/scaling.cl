// All looks at the operands of a modular product: how its lines are scaled, and whether few moduli will do.

#include "modular/scan.cl"
#include "modular/spread.cl"
#include "modular/sums.cl"
