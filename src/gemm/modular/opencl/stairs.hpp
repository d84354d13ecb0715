// The tiles of a product of which only a triangle is wanted, by the text that kernels read.
#pragma once

namespace hilo::modular {

#include "../../../../kernels/bytes/stairs.clh"

}  // namespace hilo::modular
