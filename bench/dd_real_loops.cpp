#include <hilo/math.hpp>

#include "number_loops_of.hpp"

namespace hilo::bench {

const NumberLoops dd_real_loops = number_loops<hilo::dd_real>();

}  // namespace hilo::bench
