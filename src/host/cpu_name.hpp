// What the CPU is called.
#pragma once

#include <string>

namespace hilo::host {

/// As the system tells it, in one line: "AMD EPYC 9575F 64-Core Processor"; empty where it does not.
std::string cpu_name();

}  // namespace hilo::host
