// Structs that the host passes to kernels.
#pragma once

#define HILO_LONG long
#define HILO_INT int
#include "number/arguments.clh"
