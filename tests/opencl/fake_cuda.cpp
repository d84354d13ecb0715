// What hilo asks of NVIDIA's libcuda.so.1, for one device, whose memory is the host's. Linked as that library, which
// imported_memory_test.cpp puts in the other's place.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace {

int calls_before_failure = -1, live = 0;

bool fails() { return calls_before_failure >= 0 && calls_before_failure-- == 0; }

}  // namespace

extern "C" {

void fake_cuda_fail_after(int calls) { calls_before_failure = calls; }
int fake_cuda_live() { return live; }

int cuInit(unsigned) { return 0; }
int cuDeviceGetCount(int* count) { return *count = 1, fails(); }
int cuDeviceGet(int* device, int) { return *device = 0, fails(); }
int cuDeviceGetUuid(unsigned char* id, int) { return std::memset(id, 7, 16), fails(); }
int cuDeviceCanAccessPeer(int* can, int, int) { return *can = 1, fails(); }
int cuMemGetAllocationGranularity(std::size_t* unit, const void*, int) { return *unit = 65536, fails(); }

int cuMemCreate(unsigned long long* handle, std::size_t bytes, const void*, unsigned long long) {
  if (fails()) return 2;
  const int memory = memfd_create("fake device memory", MFD_CLOEXEC);
  if (memory < 0 || ftruncate(memory, static_cast<off_t>(bytes)) != 0) return 2;
  *handle = static_cast<unsigned long long>(memory) + 1;
  ++live;
  return 0;
}
int cuMemRelease(unsigned long long handle) { return --live, close(static_cast<int>(handle) - 1); }
int cuMemExportToShareableHandle(void* to, unsigned long long handle, int, unsigned long long) {
  if (fails()) return 1;
  const int descriptor = dup(static_cast<int>(handle) - 1);
  std::memcpy(to, &descriptor, sizeof descriptor);
  return descriptor < 0;
}
}
