// Memory that NVIDIA's driver exports and imports, by stand-ins for both (fake_cuda.cpp, and some of OpenCL's entry
// points here, which pass on what else they are asked): device memory is then the host's. Each of their calls fails
// once, and nothing is left. Also opencl_group_contexts_test.cpp, whose devices find such memory here.
#include <CL/cl.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <hilo/group_matrix.hpp>
#include <hilo/lapack.hpp>
#include <mutex>
#include <opencl_queue.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "group_matrices.hpp"
#include "opencl/native.hpp"
#include "opencl/peer_memory.hpp"
#include "streamed.hpp"

namespace {

std::mutex mutex;
std::set<cl_mem> acquired;
int imports = 0, calls_before_failure = -1, released_while_acquired = 0;
bool is_copied = false;  // each buffer has memory of its own, as no driver should have it
bool are_copies_late = false;

bool fails() {
  const std::lock_guard lock(mutex);
  return calls_before_failure >= 0 && calls_before_failure-- == 0;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

cl_int answer(const void* value, std::size_t bytes, std::size_t n, void* to, std::size_t* size) {
  if (size) *size = bytes;
  if (to && n < bytes) return CL_INVALID_VALUE;
  if (to) std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

struct Mapping {
  void* memory;
  std::size_t bytes;
};

void CL_CALLBACK unmap(cl_mem buffer, void* data) {
  const auto* mapping = static_cast<Mapping*>(data);
  const std::lock_guard lock(mutex);
  released_while_acquired += static_cast<int>(acquired.erase(buffer));
  munmap(mapping->memory, mapping->bytes);
  delete mapping;
}

cl_int acquire(cl_command_queue, cl_uint, const cl_mem* buffers, cl_uint, const cl_event*, cl_event*) {
  if (fails()) return CL_OUT_OF_RESOURCES;
  const std::lock_guard lock(mutex);
  acquired.insert(*buffers);
  return CL_SUCCESS;
}
cl_int give_back(cl_command_queue, cl_uint, const cl_mem* buffers, cl_uint, const cl_event*, cl_event*) {
  const std::lock_guard lock(mutex);
  return acquired.erase(*buffers) == 1 ? CL_SUCCESS : CL_INVALID_OPERATION;
}

}  // namespace

extern "C" {

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t n, void* to, size_t* size) {
  static auto* const ask = real<decltype(clGetDeviceInfo)>("clGetDeviceInfo");
  constexpr cl_device_info uuid = 0x106A;
  if (what == uuid) return answer(std::string(16, '\7').data(), 16, n, to, size);
  if (what == CL_DRIVER_VERSION) return answer("580.0", 6, n, to, size);
  if (what != CL_DEVICE_EXTENSIONS) return ask(device, what, n, to, size);
  size_t bytes = 0;
  if (const cl_int status = ask(device, what, 0, nullptr, &bytes)) return status;
  std::string all(bytes, ' ');
  ask(device, what, bytes, all.data(), nullptr);
  all = std::string(all.c_str()) + " cl_khr_external_memory_opaque_fd cl_khr_device_uuid";
  return answer(all.c_str(), all.size() + 1, n, to, size);
}

void* clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char* name) {
  if (std::strcmp(name, "clEnqueueAcquireExternalMemObjectsKHR") == 0) return reinterpret_cast<void*>(&acquire);
  if (std::strcmp(name, "clEnqueueReleaseExternalMemObjectsKHR") == 0) return reinterpret_cast<void*>(&give_back);
  return nullptr;
}

// Late: not before some milliseconds have gone.
cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t* from_origin,
                               const size_t* to_origin, const size_t* region, size_t from_row, size_t from_slice,
                               size_t to_row, size_t to_slice, cl_uint events, const cl_event* wait_list,
                               cl_event* event) {
  static auto* const copy = real<decltype(clEnqueueCopyBufferRect)>("clEnqueueCopyBufferRect");
  std::vector<cl_event> all(wait_list, wait_list + events);
  cl_event time_has_come = nullptr;
  if (are_copies_late) {
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    time_has_come = clCreateUserEvent(context, nullptr);
    all.push_back(time_has_come);
  }
  const cl_int status = copy(queue, from, to, from_origin, to_origin, region, from_row, from_slice, to_row, to_slice,
                             static_cast<cl_uint>(all.size()), all.empty() ? nullptr : all.data(), event);
  if (time_has_come) {
    std::thread([time_has_come] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      clSetUserEventStatus(time_has_come, CL_COMPLETE);
      clReleaseEvent(time_has_come);
    }).detach();
  }
  return status;
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                                    size_t bytes, void*, cl_int* status) {
  const int descriptor = static_cast<int>(properties[1]);
  if (fails()) return *status = CL_MEM_OBJECT_ALLOCATION_FAILURE, nullptr;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, is_copied ? MAP_PRIVATE : MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return *status = CL_OUT_OF_HOST_MEMORY, nullptr;
  cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, bytes, memory, status);
  if (!buffer) return munmap(memory, bytes), nullptr;
  clSetMemObjectDestructorCallback(buffer, unmap, new Mapping{memory, bytes});
  close(descriptor);
  ++imports;
  return buffer;
}
}

namespace hilo::opencl {
namespace {

constexpr std::int64_t bytes = 300000;

template <class Function>
Function* of_fake_cuda(const char* name) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

std::int64_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

class ImportedMemory : public testing::Test {
 protected:
  void SetUp() override {
    live = of_fake_cuda<int()>("fake_cuda_live");
    fail_after = of_fake_cuda<void(int)>("fake_cuda_fail_after");
    ASSERT_TRUE(live && fail_after) << "libcuda.so.1 is not the stand-in";
    if (queue().context().device().type != DeviceType::cpu) GTEST_SKIP() << "its memory is not the host's";
    for (const Context& c : contexts) states.push_back(c.state().get());
  }

  int (*live)() = nullptr;
  void (*fail_after)(int) = nullptr;
  const std::vector<Context> contexts = {queue().context(), test_context()};
  std::vector<ContextState*> states;
};

TEST_F(ImportedMemory, IsSharedAndGivenBack) {
  const std::int64_t files = open_files();
  const int imported = imports;
  {
    const auto memory = PeerMemory::make(states, 1, bytes);
    ASSERT_TRUE(memory);
    EXPECT_EQ(imports, imported + 2);
    EXPECT_EQ(acquired.size(), 2u);
    // What the driver rounds it up to.
    EXPECT_EQ(memory->bytes(), 327680);
    EXPECT_EQ(*states[1]->buffer_bytes, 327680);
    const cl::CommandQueue writing(states[0]->context, states[0]->device),
        reading(states[1]->context, states[1]->device);
    const std::vector<int> written(1000, 42);
    std::vector<int> found(1000);
    writing.enqueueWriteBuffer(memory->in(0), CL_TRUE, 4000, 4000, written.data());
    reading.enqueueReadBuffer(memory->in(1), CL_TRUE, 4000, 4000, found.data());
    EXPECT_EQ(found, written);
  }
  EXPECT_EQ(acquired.size(), 0u);
  EXPECT_EQ(released_while_acquired, 0);
  EXPECT_EQ(live(), 0);
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(*states[1]->buffer_bytes, 0);
}

TEST_F(ImportedMemory, IsNoneWhereContextsDoNotReadWhatOthersWrite) {
  is_copied = true;
  EXPECT_FALSE(PeerMemory::make(states, 0, bytes));
  is_copied = false;
  EXPECT_EQ(acquired.size(), 0u);
  EXPECT_EQ(live(), 0);
  EXPECT_TRUE(PeerMemory::make(states, 0, bytes));
}

// What is found then, opencl_group_contexts_test.cpp tells.
TEST_F(ImportedMemory, IsWhatDevicesOfAGroupTellEachOtherBy) {
  constexpr std::int64_t n = 70;
  std::vector<dd_real> x(n * n, dd_real(1));
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i * (n + 1))] = dd_real(99);
  const int imported = imports;
  {
    GroupMatrix<dd_real> matrix(DeviceGroup(contexts), n, n, 1);
    matrix.write(view(Layout::column, Op::none, x.data(), n, n, n));
    std::vector<std::int64_t> pivots(n);
    BlockedOptions options;
    options.engine = Engine::direct;
    options.block = 1;
    EXPECT_EQ(getrf(matrix, pivots, options), 0);
    EXPECT_GT(imports, imported);
  }
  EXPECT_EQ(acquired.size(), 0u);
  EXPECT_EQ(live(), 0);
}

// What is computed waits for what it reads, where L comes long after it is known to be on its way.
TEST_F(ImportedMemory, IsReadWhenItIsThere) {
  for (const auto& [n, block, devices] : {std::array<std::int64_t, 3>{150, 1, 2}, {150, 1, 5}, {403, 2, 3}}) {
    const test::StoredMatrix<dd_real> positive = test::positive_matrix<dd_real>(Layout::column, Uplo::lower, n),
                                      general(Layout::column, n, n, 3);
    const BlockedOptions options = test::options_of(Engine::automatic, block);
    const test::OnDevice<dd_real> factor(queue(), positive), lu(queue(), general);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n)), found(pivots);
    potrf(queue(), Uplo::lower, factor.view, {}, options);
    getrf(queue(), lu.view, pivots, {}, options);
    std::vector<Context> all(static_cast<std::size_t>(devices), queue().context());
    all.back() = test_context();
    GroupMatrix<dd_real> matrix = test::dealt(DeviceGroup(all), positive, block);
    are_copies_late = true;
    EXPECT_EQ(potrf(matrix, options), 0);
    are_copies_late = false;
    EXPECT_EQ(test::lower_differences(matrix, factor), 0) << n << ", " << devices << " devices";
    matrix.write(general.read());
    are_copies_late = true;
    EXPECT_EQ(getrf(matrix, found, options), 0);
    are_copies_late = false;
    EXPECT_EQ(found, pivots);
    EXPECT_EQ(test::first_difference(test::read(matrix).elements, lu.read(queue())), -1)
        << n << ", " << devices << " devices";
  }
}

TEST_F(ImportedMemory, IsNoneWhereACallFailsAndNothingIsLeft) {
  const std::int64_t files = open_files();
  for (const bool of_cuda : {false, true}) {
    int failures = 0;
    for (int call = 0; call < 30; ++call) {
      (of_cuda ? fail_after : [](int calls) { calls_before_failure = calls; })(call);
      const bool is_there = PeerMemory::make(states, 0, bytes).has_value();
      fail_after(-1);
      const bool has_failed = of_cuda ? !is_there : calls_before_failure < 0;
      calls_before_failure = -1;
      failures += has_failed;
      EXPECT_EQ(is_there, !has_failed) << "call " << call;
      EXPECT_EQ(acquired.size(), 0u) << "call " << call;
      EXPECT_EQ(live(), 0) << "call " << call;
      EXPECT_EQ(open_files(), files) << "call " << call;
    }
    EXPECT_GE(failures, 4);
    EXPECT_LT(failures, 20);
  }
  EXPECT_EQ(released_while_acquired, 0);
  EXPECT_TRUE(PeerMemory::make(states, 0, bytes));
}

}  // namespace
}  // namespace hilo::opencl
