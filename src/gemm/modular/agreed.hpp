// What kernels and host have to agree on, by the text that kernels read.
#pragma once

namespace hilo::modular {

#include "../../../kernels/modular/agreed.clh"

}  // namespace hilo::modular
