// Where a command computes: the CPU, or an OpenCL device that options name.
#pragma once

#include <hilo/device_group.hpp>
#include <hilo/gemm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing.
struct PlaceWords {
  std::string backend, platform, device, type;
};

/// The same with every word checked.
struct Place {
  Backend backend = Backend::cpu;
  std::optional<int> platform = {}, device = {};
  std::optional<DeviceType> type = {};  ///< of the device: cpu or gpu

  bool operator==(const Place&) const = default;
};

/// Gives a subcommand --backend, -p, -d and --device.
void add_place_options(CLI::App& command, PlaceWords& words);

/// Of them all but --backend.
void add_device_options(CLI::App& command, PlaceWords& words);

/// The CPU where nothing is said; a device that is named is of OpenCL. Throws hilo::error (invalid_argument).
Place read_place(const PlaceWords& words);

/// A queue on the device that is named, or the default one; none for the CPU. Throws no_device.
std::optional<Queue> open_queue(const Place& place, Profiling profiling);

/// Devices of the platform that is named, or of the default device's, by their numbers; all of it where there are none.
/// Throws no_device.
DeviceGroup open_devices(const Place& place, const std::vector<int>& devices);

}  // namespace hilo::cli
