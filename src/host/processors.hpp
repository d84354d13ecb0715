// How many threads of this process run at once.
#pragma once

namespace hilo::host {

/// Of so many threads those that do not take turns: no more than the processors of the process's affinity mask.
int running_threads(int threads);

}  // namespace hilo::host
