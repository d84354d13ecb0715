// SGEMM, DGEMM, CGEMM and ZGEMM by cuBLAS on the first CUDA device, as `hilo bench --reference` runs them.
//
//   cublas_gemm_bench [--precision s|d|c|z] [--opa n|t|c] [--opb n|t|c] [--batch COUNT] N [REPEATS]
//
// Builds with the other benchmarks where CMake finds nvcc, or alone:
//   nvcc -O2 -o cublas_gemm_bench bench/cublas_gemm_bench.cu -lcublas
//
// Prints one JSON object: the medians of REPEATS runs or more (5), as many as fill 0.3 s, after one to warm up, by CUDA
// events; 2n³ operations, 8n³ of complex numbers. gflops_kernel has the operands on the device; gflops_total copies A
// and B there and C back, one after the other, from and to pinned memory. --batch is for so many products, packed one
// after the other, by the strided batch, beside opencl_batch_bench.
//
// In the precision's own arithmetic: no TF32, no emulation, no 3M. Of cuBLAS's default and pedantic math the faster one
// that passes a test of this, named on standard error: pedantic math may be slower, and default math may use 3M.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr double least_seconds = 0.3;

[[noreturn]] void fail(const char* call, const char* reason) {
  std::fprintf(stderr, "cublas_gemm_bench: %s: %s\n", call, reason);
  std::exit(1);
}

void check(const char* call, cudaError_t status) {
  if (status != cudaSuccess) fail(call, cudaGetErrorString(status));
}

void check(const char* call, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(call, cublasGetStatusString(status));
}

#define CHECKED(call) check(#call, call)

// What is asked for, in cuBLAS's letters.
struct Request {
  char precision = 'D', opa = 'N', opb = 'N';
  int n = 0, repeats = 5;
  int batch = 0;  // 0: a single product
};

// Words are the real numbers of an element.
template <class T>
struct Element;

#define ELEMENT(type, word, function)                                                                            \
  template <>                                                                                                    \
  struct Element<type> {                                                                                         \
    using Word = word;                                                                                           \
    static cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int n,   \
                                   const type* alpha, const type* a, const type* b, const type* beta, type* c) { \
      return function(handle, opa, opb, n, n, n, alpha, a, n, b, n, beta, c, n);                                 \
    }                                                                                                            \
    static cublasStatus_t multiply(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int n,   \
                                   const type* alpha, const type* a, const type* b, const type* beta, type* c,   \
                                   int batch) {                                                                  \
      const long long stride = static_cast<long long>(n) * n;                                                    \
      return function##StridedBatched(handle, opa, opb, n, n, n, alpha, a, n, stride, b, n, stride, beta, c, n,  \
                                      stride, batch);                                                            \
    }                                                                                                            \
  }
ELEMENT(float, float, cublasSgemm);
ELEMENT(double, double, cublasDgemm);
ELEMENT(cuComplex, float, cublasCgemm);
ELEMENT(cuDoubleComplex, double, cublasZgemm);
#undef ELEMENT

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

template <class T>
class Bench {
 public:
  explicit Bench(const Request& request) : request_(request) {
    CHECKED(cudaGetDeviceProperties(&device_, 0));
    CHECKED(cudaStreamCreate(&stream_));
    CHECKED(cublasCreate(&handle_));
    CHECKED(cublasSetStream(handle_, stream_));
    for (Matrix* x : {&a_, &b_, &c_}) {
      CHECKED(cudaMallocHost(&x->host, bytes()));
      CHECKED(cudaMalloc(&x->device, bytes()));
    }
    fill(a_, 1);
    fill(b_, 2);
  }
  Bench(const Bench&) = delete;

  ~Bench() {
    for (const Matrix& x : {a_, b_, c_}) {
      CHECKED(cudaFree(x.device));
      CHECKED(cudaFreeHost(x.host));
    }
    CHECKED(cublasDestroy(handle_));
    CHECKED(cudaStreamDestroy(stream_));
  }

  void run() {
    const double kernel = best_kernel_seconds();
    const double total = median_seconds(stream_, request_.repeats, [&] {
      upload();
      multiply();
      CHECKED(cudaMemcpyAsync(c_.host, c_.device, bytes(), cudaMemcpyDeviceToHost, stream_));
    });
    const double n = request_.n, gflop = (words == 2 ? 8e-9 : 2e-9) * n * n * n * matrices();
    const std::string batch = request_.batch ? ", batch of " + std::to_string(request_.batch) : "";
    std::printf(
        "{\"name\": \"cuBLAS %cGEMM %c%c%s\", \"device\": \"%s\", \"n\": %d, \"gflops_kernel\": %.6g, "
        "\"gflops_total\": %.6g}\n",
        request_.precision, request_.opa, request_.opb, batch.c_str(), device_.name, request_.n, gflop / kernel,
        gflop / total);
  }

 private:
  using Word = typename Element<T>::Word;
  static constexpr std::size_t words = sizeof(T) / sizeof(Word);

  struct Matrix {
    Word *host, *device;
  };

  int matrices() const { return std::max(request_.batch, 1); }
  std::size_t bytes() const { return sizeof(T) * static_cast<std::size_t>(request_.n) * request_.n * matrices(); }

  // Uniform in (-1, 1), by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  void fill(Matrix& x, std::uint64_t state) {
    for (std::size_t i = 0; i < bytes() / sizeof(Word); ++i) {
      std::uint64_t z = state += 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      z ^= z >> 31;
      x.host[i] = static_cast<Word>(static_cast<std::int64_t>(z)) * static_cast<Word>(0x1p-63);
    }
  }

  void upload() {
    for (const Matrix& x : {a_, b_}) {
      CHECKED(cudaMemcpyAsync(x.device, x.host, bytes(), cudaMemcpyHostToDevice, stream_));
    }
  }

  void multiply() {
    auto op = [](char letter) { return letter == 'N' ? CUBLAS_OP_N : letter == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C; };
    const Word one[2] = {1, 0}, zero[2] = {0, 0};
    auto call = [&](auto... batch) {
      return Element<T>::multiply(handle_, op(request_.opa), op(request_.opb), request_.n,
                                  reinterpret_cast<const T*>(one), reinterpret_cast<const T*>(a_.device),
                                  reinterpret_cast<const T*>(b_.device), reinterpret_cast<const T*>(zero),
                                  reinterpret_cast<T*>(c_.device), batch...);
    };
    CHECKED(request_.batch ? call(request_.batch) : call());
  }

  // Whether (1 + ε + ε²i) · 1 keeps all its bits, ε being the last place of 1: TF32 loses ε, and 3M ε²i.
  bool is_native() {
    const Word last = std::numeric_limits<Word>::epsilon();
    const Word a[2] = {1 + last, last * last}, b[2] = {1, 0};
    Word c[2] = {};
    CHECKED(cudaMemsetAsync(a_.device, 0, bytes(), stream_));
    CHECKED(cudaMemsetAsync(b_.device, 0, bytes(), stream_));
    CHECKED(cudaMemcpyAsync(a_.device, a, sizeof(T), cudaMemcpyHostToDevice, stream_));
    CHECKED(cudaMemcpyAsync(b_.device, b, sizeof(T), cudaMemcpyHostToDevice, stream_));
    multiply();
    CHECKED(cudaMemcpyAsync(c, c_.device, sizeof(T), cudaMemcpyDeviceToHost, stream_));
    CHECKED(cudaStreamSynchronize(stream_));
    return c[0] == a[0] && (words == 1 || c[1] == (request_.opa == 'C' ? -a[1] : a[1]));
  }

  // Leaves the handle in the math mode that they are of.
  double best_kernel_seconds() {
    double best = 0.0;
    cublasMath_t mode = CUBLAS_DEFAULT_MATH;
    for (cublasMath_t candidate : {CUBLAS_DEFAULT_MATH, CUBLAS_PEDANTIC_MATH}) {
      CHECKED(cublasSetMathMode(handle_, candidate));
      if (!is_native()) continue;
      upload();
      double seconds = median_seconds(stream_, request_.repeats, [&] { multiply(); });
      if (best > 0.0 && seconds >= best) continue;
      best = seconds;
      mode = candidate;
    }
    if (best == 0.0) fail("cublasSetMathMode", "neither default nor pedantic math is the precision's own arithmetic");
    CHECKED(cublasSetMathMode(handle_, mode));
    std::fprintf(stderr, "cublas_gemm_bench: %s math\n", mode == CUBLAS_DEFAULT_MATH ? "default" : "pedantic");
    return best;
  }

  Request request_;
  cudaDeviceProp device_;
  cudaStream_t stream_;
  cublasHandle_t handle_;
  Matrix a_{}, b_{}, c_{};
};

[[noreturn]] void reject(const std::string& message) {
  std::fprintf(stderr,
               "cublas_gemm_bench: %s\nusage: cublas_gemm_bench [--precision s|d|c|z] [--opa n|t|c] [--opb n|t|c] "
               "[--batch COUNT] N [REPEATS]\n",
               message.c_str());
  std::exit(2);
}

int number(const char* what, const char* text, long most) {
  char* end = nullptr;
  errno = 0;
  long value = std::strtol(text, &end, 10);
  if (end == text || *end || errno || value < 1 || value > most) {
    reject(std::string(what) + " '" + text + "' is not an integer from 1 to " + std::to_string(most));
  }
  return static_cast<int>(value);
}

// In upper case.
char letter(const std::string& option, const char* text, const char* all) {
  if (!text) reject(option + " needs a value");
  if (std::strlen(text) != 1 || !std::strchr(all, *text)) {
    reject(option + " '" + text + "' is none of " + all[0] + ", " + all[1] + ", " + all[2] +
           (all[3] ? std::string(", ") + all[3] : ""));
  }
  return static_cast<char>(std::toupper(*text));
}

Request parse(int argc, char** argv) {
  Request request;
  std::vector<const char*> numbers;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--precision") {
      request.precision = letter(word, argv[++i], "sdcz");
    } else if (word == "--opa") {
      request.opa = letter(word, argv[++i], "ntc");
    } else if (word == "--opb") {
      request.opb = letter(word, argv[++i], "ntc");
    } else if (word == "--batch") {
      const char* count = argv[++i];
      if (!count) reject("--batch needs a value");
      request.batch = number("--batch", count, 10000000);
    } else if (word.rfind("--", 0) == 0) {
      reject("unknown option " + word);
    } else {
      numbers.push_back(argv[i]);
    }
  }
  if (numbers.empty()) reject("N is missing");
  if (numbers.size() > 2) reject(std::string("'") + numbers[2] + "' is one argument too many");
  request.n = number("N", numbers[0], 1L << 20);
  if (numbers.size() == 2) request.repeats = number("REPEATS", numbers[1], 1000000);
  return request;
}

}  // namespace

int main(int argc, char** argv) {
  const Request request = parse(argc, argv);
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  unsetenv("CUBLAS_EMULATE_SINGLE_PRECISION");
  unsetenv("CUBLAS_EMULATE_DOUBLE_PRECISION");
  switch (request.precision) {
    case 'S':
      Bench<float>(request).run();
      break;
    case 'D':
      Bench<double>(request).run();
      break;
    case 'C':
      Bench<cuComplex>(request).run();
      break;
    default:
      Bench<cuDoubleComplex>(request).run();
  }
}
