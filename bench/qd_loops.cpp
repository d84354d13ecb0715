#include <qd/dd_real.h>

#include "number_loops_of.hpp"

namespace hilo::bench {

const NumberLoops qd_loops = number_loops<::dd_real>();

}  // namespace hilo::bench
