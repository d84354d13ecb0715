// The texts of devices/*.json, embedded when building.
#pragma once

#include <vector>

namespace hilo::model {

const std::vector<const char*>& shipped_device_texts();

}  // namespace hilo::model
