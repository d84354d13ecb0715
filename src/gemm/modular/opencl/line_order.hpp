// Where a panel of what multiplies bytes has its lines, by the text that kernels read.
#pragma once

namespace hilo::modular {

#include "../../../../kernels/bytes/line_order.clh"

}  // namespace hilo::modular
