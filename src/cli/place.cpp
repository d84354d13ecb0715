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

// "NAME (cpu, -p 0 -d 0)" of all there are.
std::string list_of_devices(const std::vector<PlatformInfo>& platforms) {
  std::string list;
  for (std::size_t p = 0; p < platforms.size(); ++p) {
    for (std::size_t d = 0; d < platforms[p].devices.size(); ++d) {
      const DeviceInfo& device = platforms[p].devices[d];
      list += (list.empty() ? "" : ", ") + device.name + " (" + std::string(name(device.type)) + ", -p " +
              std::to_string(p) + " -d " + std::to_string(d) + ")";
    }
  }
  return list;
}

// The first device of the type, of the platform that is named or of any; or the one that is named.
Context context_of_type(const Place& place) {
  const std::vector<PlatformInfo> all = platforms();
  const std::string list = list_of_devices(all);
  if (list.empty()) return Context();  // which tells why
  const std::optional<int> platform = place.device ? place.platform.value_or(0) : place.platform;
  if (platform) Context(*platform, place.device.value_or(0));  // an error where there is none
  for (int p = 0; p < std::ssize(all); ++p) {
    const std::vector<DeviceInfo>& devices = all[static_cast<std::size_t>(p)].devices;
    for (int d = 0; d < std::ssize(devices); ++d) {
      const bool is_asked_for = p == platform.value_or(p) && d == place.device.value_or(d);
      if (is_asked_for && devices[static_cast<std::size_t>(d)].type == *place.type) return Context(p, d);
    }
  }
  throw error(errc::no_device, "--device " + std::string(name(*place.type)) + ": " +
                                   (place.device     ? "the device that -d names is no such device"
                                    : place.platform ? "the platform that -p names has no such device"
                                                     : "there is no such device") +
                                   "; there is " + list);
}

}  // namespace

void add_place_options(CLI::App& command, PlaceWords& words) {
  takes_word(command.add_option("--backend", words.backend), backend_words(), "",
             " (default: cpu, or opencl with a device)");
  add_device_options(command, words);
}

void add_device_options(CLI::App& command, PlaceWords& words) {
  takes_word(command.add_option("--device", words.type), {"cpu", "gpu"}, "", ": the first OpenCL device of that type");
  command.add_option("-p,--platformId", words.platform, "OpenCL platform, counted from 0")->type_name("PLATFORM");
  command.add_option("-d,--deviceId", words.device, "OpenCL device of that platform, counted from 0")
      ->type_name("DEVICE");
}

Place read_place(const PlaceWords& words) {
  Place place{Backend::cpu, device_number("-p", words.platform), device_number("-d", words.device), {}};
  if (!words.type.empty()) {
    place.type = choice<DeviceType>("--device", words.type, {{"cpu", DeviceType::cpu}, {"gpu", DeviceType::gpu}});
  }
  const bool names_device = place.platform || place.device || place.type;
  if (!words.backend.empty()) {
    place.backend = read_backend(words.backend);
  } else if (names_device) {
    place.backend = Backend::opencl;
  }
  if (names_device && place.backend == Backend::cpu)
    reject("-p, -d and --device choose an OpenCL device; --backend is cpu");
  return place;
}

namespace {

// The platform of the first GPU, else the first one with a device.
int default_platform(const std::vector<PlatformInfo>& all) {
  for (bool wants_gpu : {true, false}) {
    for (int p = 0; p < std::ssize(all); ++p) {
      for (const DeviceInfo& device : all[static_cast<std::size_t>(p)].devices) {
        if (!wants_gpu || device.type == DeviceType::gpu) return p;
      }
    }
  }
  return 0;
}

}  // namespace

DeviceGroup open_devices(const Place& place, const std::vector<int>& devices) {
  if (!place.platform && devices.empty()) return DeviceGroup();
  const std::vector<PlatformInfo> all = platforms();
  const int platform = place.platform.value_or(default_platform(all));
  std::vector<Context> contexts;
  const bool is_there = platform >= 0 && platform < std::ssize(all);
  if (place.platform && !is_there) Context(platform, 0);  // an error of -p
  if (devices.empty()) {
    contexts.emplace_back(platform, 0);  // an error where there is none
    const auto count = std::ssize(all[static_cast<std::size_t>(platform)].devices);
    for (int d = 1; d < count; ++d) contexts.emplace_back(platform, d);
  }
  named("--devices", [&] {
    for (int device : devices) contexts.emplace_back(platform, device);
  });
  return DeviceGroup(contexts);
}

std::optional<Queue> open_queue(const Place& place, Profiling profiling) {
  if (place.backend == Backend::cpu) return {};
  if (place.type) return Queue(context_of_type(place), profiling);
  // Where there is none at all, the error of the default device, which names no option that was not given.
  const bool is_named = place.platform || (place.device && !platforms().empty());
  return Queue(is_named ? Context(place.platform.value_or(0), place.device.value_or(0)) : Context(), profiling);
}

}  // namespace hilo::cli
