#include "cli/place.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "cli/option.hpp"
#include "cli/words.hpp"

namespace hilo::cli {
namespace {

// Numbers that there are not are told by Context, with what there is.
std::optional<int> device_number(const char* option, const std::string& text) {
  if (text.empty()) return {};
  return integer<int>(option, text, std::numeric_limits<int>::min());
}

}  // namespace

void add_place_options(CLI::App& command, PlaceWords& words) {
  command.add_option("--backend", words.backend, "cpu or opencl (default: cpu, or opencl with -p or -d)");
  add_device_options(command, words);
}

void add_device_options(CLI::App& command, PlaceWords& words) {
  command.add_option("-p", words.platform, "OpenCL platform, counted from 0")->type_name("PLATFORM");
  command.add_option("-d", words.device, "OpenCL device of that platform, counted from 0")->type_name("DEVICE");
}

Place read_place(const PlaceWords& words) {
  Place place{Backend::cpu, device_number("-p", words.platform), device_number("-d", words.device)};
  const bool names_device = place.platform || place.device;
  if (!words.backend.empty()) {
    place.backend = read_backend(words.backend);
  } else if (names_device) {
    place.backend = Backend::opencl;
  }
  if (names_device && place.backend == Backend::cpu) reject("-p and -d choose an OpenCL device; --backend is cpu");
  return place;
}

std::optional<Queue> open_queue(const Place& place, Profiling profiling) {
  if (place.backend == Backend::cpu) return {};
  // Where there is none at all, the error of the default device, which names no option that was not given.
  const bool is_named = place.platform || (place.device && !platforms().empty());
  return Queue(is_named ? Context(place.platform.value_or(0), place.device.value_or(0)) : Context(), profiling);
}

}  // namespace hilo::cli
