// Sources: NVIDIA, CUDA Driver API, "Virtual Memory Management"; cuda.h of CUDA 10.2 and later, whose names and layouts
// these are.
#include "opencl/exported_memory.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace hilo::opencl {
namespace {

using Result = int;  // 0: success
using Device = int;
using Handle = unsigned long long;

constexpr int pinned = 1, on_device = 1, as_file_descriptor = 1, minimum = 0;

struct Properties {
  int type = pinned, handle_types = as_file_descriptor, location_type = on_device, location = 0;
  void* of_windows = nullptr;
  unsigned char flags[8] = {};
};

class Driver {
 public:
  /// Null where it is not there, or too old.
  static const Driver* find() {
    static const Driver driver;
    return driver.is_complete_ ? &driver : nullptr;
  }

  std::optional<Device> device(const DeviceId& id) const {
    int count = 0;
    if (count_devices(&count) != 0) return std::nullopt;
    for (int i = 0; i < count; ++i) {
      Device found;
      DeviceId its;
      if (get_device(&found, i) == 0 && get_id(its.data(), found) == 0 && its == id) return found;
    }
    return std::nullopt;
  }

  Result (*initialize)(unsigned);
  Result (*count_devices)(int*);
  Result (*get_device)(Device*, int);
  Result (*get_id)(unsigned char*, Device);
  Result (*can_reach)(int*, Device, Device);
  Result (*granularity)(std::size_t*, const Properties*, int);
  Result (*create)(Handle*, std::size_t, const Properties*, unsigned long long);
  Result (*release)(Handle);
  Result (*export_handle)(void*, Handle, int, unsigned long long);

 private:
  Driver() {
    // Stays loaded: memory may be given back when the process ends.
    library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library_) return;
    is_complete_ = load(initialize, "cuInit") && load(count_devices, "cuDeviceGetCount") &&
                   load(get_device, "cuDeviceGet") && load(get_id, "cuDeviceGetUuid") &&
                   load(can_reach, "cuDeviceCanAccessPeer") && load(granularity, "cuMemGetAllocationGranularity") &&
                   load(create, "cuMemCreate") && load(release, "cuMemRelease") &&
                   load(export_handle, "cuMemExportToShareableHandle") && initialize(0) == 0;
  }

  template <class Function>
  bool load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }

  void* library_;
  bool is_complete_ = false;
};

}  // namespace

std::optional<ExportedMemory> ExportedMemory::make(const DeviceId& owner, const std::vector<DeviceId>& readers,
                                                   std::size_t bytes) {
  const Driver* driver = Driver::find();
  if (!driver) return std::nullopt;
  const auto its = driver->device(owner);
  if (!its) return std::nullopt;
  for (const DeviceId& reader : readers) {
    if (reader == owner) continue;
    const auto other = driver->device(reader);
    int reaches = 0;
    if (!other || driver->can_reach(&reaches, *other, *its) != 0 || !reaches) return std::nullopt;
  }
  Properties wanted;
  wanted.location = *its;
  std::size_t unit = 0;
  if (driver->granularity(&unit, &wanted, minimum) != 0 || unit == 0) return std::nullopt;
  bytes = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
  Handle handle = 0;
  if (driver->create(&handle, bytes, &wanted, 0) != 0) return std::nullopt;
  return ExportedMemory(handle, bytes);
}

ExportedMemory::ExportedMemory(ExportedMemory&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)), bytes_(other.bytes_) {}

ExportedMemory::~ExportedMemory() {
  if (handle_ != 0) Driver::find()->release(handle_);
}

int ExportedMemory::descriptor() const {
  int descriptor = -1;
  return Driver::find()->export_handle(&descriptor, handle_, as_file_descriptor, 0) == 0 ? descriptor : -1;
}

}  // namespace hilo::opencl
