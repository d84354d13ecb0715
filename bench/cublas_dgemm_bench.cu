// DGEMM by cuBLAS on the first CUDA device, as `hilo bench --reference` runs it.
//
//   cublas_dgemm_bench N [REPEATS]
//
// Builds with the other benchmarks where CMake finds nvcc, or alone:
//   nvcc -O2 -o cublas_dgemm_bench bench/cublas_dgemm_bench.cu -lcublas
//
// Prints one JSON object: the medians of REPEATS runs or more (5), as many as fill 0.3 s, after one to warm up, by CUDA
// events. gflops_kernel has the operands on the device; gflops_total copies A and B there and C back, one after the
// other, from and to pinned memory.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr double least_seconds = 0.3;

[[noreturn]] void fail(const char* call, const char* reason) {
  std::fprintf(stderr, "cublas_dgemm_bench: %s: %s\n", call, reason);
  std::exit(1);
}

void check(const char* call, cudaError_t status) {
  if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}

void check(const char* call, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(call, cublasGetStatusString(status));
}

#define CHECKED(call) check(#call, call)

struct Matrix {
  double *host, *device;
};

std::size_t bytes(int n) { return sizeof(double) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

Matrix make_matrix(int n) {
  Matrix x{};
  CHECKED(cudaMallocHost(&x.host, bytes(n)));
  CHECKED(cudaMalloc(&x.device, bytes(n)));
  return x;
}

// Uniform in (-1, 1), by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
void fill(Matrix& x, int n, std::uint64_t state) {
  for (std::size_t i = 0; i < bytes(n) / sizeof(double); ++i) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    x.host[i] = static_cast<double>(static_cast<std::int64_t>(z)) * 0x1p-63;
  }
}

// The median of the seconds that `work` takes on the stream.
template <class Work>
double median_seconds(cudaStream_t stream, int repeats, Work work) {
  cudaEvent_t start, stop;
  CHECKED(cudaEventCreate(&start));
  CHECKED(cudaEventCreate(&stop));
  auto run = [&] {
    CHECKED(cudaEventRecord(start, stream));
    work();
    CHECKED(cudaEventRecord(stop, stream));
    CHECKED(cudaEventSynchronize(stop));
    float milliseconds = 0.0f;
    CHECKED(cudaEventElapsedTime(&milliseconds, start, stop));
    return 1e-3 * milliseconds;
  };
  run();
  using clock = std::chrono::steady_clock;
  auto begin = clock::now();
  std::vector<double> seconds;
  while (seconds.size() < static_cast<std::size_t>(repeats) ||
         std::chrono::duration<double>(clock::now() - begin).count() < least_seconds) {
    seconds.push_back(run());
  }
  CHECKED(cudaEventDestroy(start));
  CHECKED(cudaEventDestroy(stop));
  std::sort(seconds.begin(), seconds.end());
  std::size_t half = seconds.size() / 2;
  return seconds.size() % 2 ? seconds[half] : 0.5 * (seconds[half - 1] + seconds[half]);
}

int number(const char* what, const char* text, long most) {
  char* end = nullptr;
  errno = 0;
  long value = std::strtol(text, &end, 10);
  if (end == text || *end || errno || value < 1 || value > most) {
    std::fprintf(stderr, "cublas_dgemm_bench: %s '%s' is not an integer from 1 to %ld\n", what, text, most);
    std::exit(2);
  }
  return static_cast<int>(value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: cublas_dgemm_bench N [REPEATS]\n");
    return 2;
  }
  const int n = number("N", argv[1], 1L << 20), repeats = argc == 3 ? number("REPEATS", argv[2], 1000000) : 5;
  cudaDeviceProp device;
  CHECKED(cudaGetDeviceProperties(&device, 0));
  cudaStream_t stream;
  CHECKED(cudaStreamCreate(&stream));
  cublasHandle_t handle;
  CHECKED(cublasCreate(&handle));
  CHECKED(cublasSetStream(handle, stream));

  Matrix a = make_matrix(n), b = make_matrix(n), c = make_matrix(n);
  fill(a, n, 1);
  fill(b, n, 2);
  auto to_device = [&](const Matrix& x) {
    CHECKED(cudaMemcpyAsync(x.device, x.host, bytes(n), cudaMemcpyHostToDevice, stream));
  };
  auto multiply = [&] {
    const double one = 1.0, zero = 0.0;
    CHECKED(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, b.device, n, &zero, c.device, n));
  };
  auto move_and_multiply = [&] {
    to_device(a);
    to_device(b);
    multiply();
    CHECKED(cudaMemcpyAsync(c.host, c.device, bytes(n), cudaMemcpyDeviceToHost, stream));
  };
  const double total = median_seconds(stream, repeats, move_and_multiply);
  const double kernel = median_seconds(stream, repeats, multiply);
  const double gflop = 2e-9 * n * n * n;
  std::printf(
      "{\"name\": \"cuBLAS DGEMM\", \"device\": \"%s\", \"n\": %d, \"gflops_kernel\": %.6g, \"gflops_total\": %.6g}\n",
      device.name, n, gflop / kernel, gflop / total);

  for (const Matrix& x : {a, b, c}) {
    CHECKED(cudaFree(x.device));
    CHECKED(cudaFreeHost(x.host));
  }
  CHECKED(cublasDestroy(handle));
  CHECKED(cudaStreamDestroy(stream));
}
