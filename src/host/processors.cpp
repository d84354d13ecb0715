#include "host/processors.hpp"

#include <omp.h>

#include <algorithm>

namespace hilo::host {

int running_threads(int threads) { return std::min(threads, omp_get_num_procs()); }

}  // namespace hilo::host
