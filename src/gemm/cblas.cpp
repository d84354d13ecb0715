#include "gemm/cblas.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <string>

#include "gemm/plan.hpp"
#include "host/mutex.hpp"
#include "host/team.hpp"
#include "host/thread_probe.hpp"

#if HILO_HAS_CBLAS
#include <cblas.h>
#endif

namespace hilo {
namespace {

#if HILO_HAS_CBLAS

// CBLAS takes 32-bit sizes: longer dimensions go in blocks of this many.
constexpr std::int64_t block = std::int64_t{1} << 30;

// OpenBLAS keeps one number of threads for the process: calls that set it take turns.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : lock_(host::mutex_over_forks<ThreadCount>()) {
#if HILO_HAS_OPENBLAS
    before_ = openblas_get_num_threads();
    // OpenBLAS keeps the threads it has started, and ends the process where it cannot start more.
    static int started = before_;
    if (threads > started) started += host::startable_threads(threads - started);
    threads = std::min(threads, started);
    if (threads != before_) openblas_set_num_threads(threads);
#else
    (void)threads;
#endif
  }
  ~ThreadCount() {
#if HILO_HAS_OPENBLAS
    if (openblas_get_num_threads() != before_) openblas_set_num_threads(before_);
#endif
  }

 private:
  std::lock_guard<std::mutex> lock_;
  [[maybe_unused]] int before_ = 0;
};

CBLAS_TRANSPOSE transpose(Op op) {
  return op == Op::none ? CblasNoTrans : op == Op::transpose ? CblasTrans : CblasConjTrans;
}

template <class T>
void call(const GemmShape& s, int m, int n, int k, T alpha, const T* a, const T* b, T beta, T* c) {
  auto layout = s.layout == Layout::column ? CblasColMajor : CblasRowMajor;
  auto ta = transpose(s.opa), tb = transpose(s.opb);
  int lda = static_cast<int>(s.lda), ldb = static_cast<int>(s.ldb), ldc = static_cast<int>(s.ldc);
  if constexpr (std::same_as<T, float>) {
    cblas_sgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    cblas_cgemm(layout, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  } else {
    cblas_zgemm(layout, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc);
  }
}

#else

template <class T>
T element(const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    return x.conjugate ? std::conj(x(i, j)) : x(i, j);
  } else {
    return x(i, j);
  }
}

#endif

}  // namespace

const char* blas_name() {
#if HILO_HAS_OPENBLAS
  static const std::string name = [] {
    std::string config = openblas_get_config();
    return config.substr(0, config.find(' ', config.find(' ') + 1));
  }();
  return name.c_str();
#elif HILO_HAS_CBLAS
  return "CBLAS";
#else
  return "plain loops";
#endif
}

void plan_blas(GemmPlan& plan, const GemmOptions& options) {
  std::snprintf(plan.unit, sizeof plan.unit, "%s", blas_name());
  plan.threads = options.threads ? options.threads : host::default_threads();
  plan.depth = plan.k;
  plan.fma = true;
  plan.error_bound_u2 = native_error_bound(plan.precision, plan.k, ComplexProduct::four);
}

void check_blas(const GemmShape& shape) {
#if HILO_HAS_CBLAS
  auto check = [](const char* name, std::int64_t leading) {
    if (leading > std::numeric_limits<int>::max()) {
      throw error(errc::unsupported, std::string("gemm: ") + name + " = " + std::to_string(leading) +
                                         " is more than this build's CBLAS takes (2147483647)");
    }
  };
  check("lda", shape.lda);
  check("ldb", shape.ldb);
  check("ldc", shape.ldc);
#else
  (void)shape;
#endif
}

template <class T>
void run_blas(const GemmShape& s, int threads, T alpha, const T* a, const T* b, T beta, T* c) {
  auto av = view(s.layout, s.opa, a, s.m, s.k, s.lda);
  auto bv = view(s.layout, s.opb, b, s.k, s.n, s.ldb);
  auto cv = view(s.layout, Op::none, c, s.m, s.n, s.ldc);
#if HILO_HAS_CBLAS
  ThreadCount guard(threads);
  auto multiply = [&] {
    for (std::int64_t j = 0; j < s.n; j += block) {
      for (std::int64_t i = 0; i < s.m; i += block) {
        for (std::int64_t h = 0; h < s.k; h += block) {
          auto size = [](std::int64_t whole, std::int64_t from) {
            return static_cast<int>(std::min(block, whole - from));
          };
          call(s, size(s.m, i), size(s.n, j), size(s.k, h), alpha, &av(i, h), &bv(h, j), h == 0 ? beta : T(1),
               &cv(i, j));
        }
      }
    }
  };
  // Its threads may be OpenMP's.
  if (threads > 1) {
    host::on_leader(multiply);
  } else {
    multiply();
  }
#else
  host::for_each(threads, s.n, [&](std::int64_t j, int) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      T sum(0);
      for (std::int64_t h = 0; h < s.k; ++h) sum += element(av, i, h) * element(bv, h, j);
      cv(i, j) = beta == T(0) ? alpha * sum : alpha * sum + beta * cv(i, j);
    }
  });
#endif
}

template void run_blas(const GemmShape&, int, float, const float*, const float*, float, float*);
template void run_blas(const GemmShape&, int, double, const double*, const double*, double, double*);
template void run_blas(const GemmShape&, int, std::complex<float>, const std::complex<float>*,
                       const std::complex<float>*, std::complex<float>, std::complex<float>*);
template void run_blas(const GemmShape&, int, std::complex<double>, const std::complex<double>*,
                       const std::complex<double>*, std::complex<double>, std::complex<double>*);

}  // namespace hilo
