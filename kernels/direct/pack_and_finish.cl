// What comes before a product in DD or ZDD, and what comes after it.

#include "product/pack.cl"

#include "direct/finish.cl"
