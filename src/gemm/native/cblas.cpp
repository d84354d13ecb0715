#include "gemm/native/cblas.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "host/mutex.hpp"
#include "host/team.hpp"
#include "host/thread_probe.hpp"
#include "matrix/arguments.hpp"

#if HILO_HAS_CBLAS
#include <cblas.h>
#endif

namespace hilo::native {
namespace {

template <class T>
T element(const MatrixView<const T>& x, std::int64_t i, std::int64_t j) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    return x.conjugate ? std::conj(x(i, j)) : x(i, j);
  } else {
    return x(i, j);
  }
}

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

// A matrix as CBLAS has it: which of its lines are side by side, and how far the others lie apart.
template <class T>
struct BlasMatrix {
  T* data;
  bool by_columns, conjugate;
  bool is_too_wide;  // lines lie further apart than CBLAS counts
  int leading;

  explicit BlasMatrix(const MatrixView<T>& x) : data(x.data), conjugate(x.conjugate && is_complex(precision)) {
    by_columns = row_stride_of(lines_of(x)) == 1 && (x.columns <= 1 || x.column_stride >= x.rows);
    const std::int64_t lines = by_columns ? x.columns : x.rows, line = by_columns ? x.rows : x.columns;
    const std::int64_t apart = lines <= 1   ? std::max<std::int64_t>(line, 1)
                               : by_columns ? x.column_stride
                                            : x.row_stride;
    is_too_wide = apart > std::numeric_limits<int>::max();
    leading = static_cast<int>(apart);
  }
  // In a product whose C has that layout.
  CBLAS_TRANSPOSE transpose(bool c_by_columns) const {
    return by_columns == c_by_columns ? CblasNoTrans : conjugate ? CblasConjTrans : CblasTrans;
  }

  static constexpr Precision precision = precision_of<std::remove_const_t<T>>;
};

// An operand as it is; a copy of what CBLAS has no word for: a conjugated matrix that lies as C does, and lines further
// apart than it counts.
template <class T>
class BlasOperand {
 public:
  BlasOperand(const MatrixView<const T>& x, bool c_by_columns) : view_(x) {
    const BlasMatrix<const T> as_it_is(x);
    if (!as_it_is.is_too_wide && (!as_it_is.conjugate || as_it_is.by_columns != c_by_columns)) return;
    copy_.resize(static_cast<std::size_t>(x.rows * x.columns));
    auto copy = hilo::view(c_by_columns ? Layout::column : Layout::row, Op::none, copy_.data(), x.rows, x.columns,
                           c_by_columns ? x.rows : x.columns);
    for (std::int64_t j = 0; j < x.columns; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) copy(i, j) = element(x, i, j);
    }
    view_ = copy;
  }
  const MatrixView<const T>& view() const { return view_; }

 private:
  std::vector<T> copy_;
  MatrixView<const T> view_;
};

template <class T>
void call(const Product<T>& x) {
  const BlasMatrix<const T> a(x.a), b(x.b);
  const BlasMatrix<T> c(x.c);
  const auto layout = c.by_columns ? CblasColMajor : CblasRowMajor;
  const auto ta = a.transpose(c.by_columns), tb = b.transpose(c.by_columns);
  const int m = static_cast<int>(x.m()), n = static_cast<int>(x.n()), k = static_cast<int>(x.k());
  if constexpr (std::same_as<T, float>) {
    cblas_sgemm(layout, ta, tb, m, n, k, x.alpha, a.data, a.leading, b.data, b.leading, x.beta, c.data, c.leading);
  } else if constexpr (std::same_as<T, double>) {
    cblas_dgemm(layout, ta, tb, m, n, k, x.alpha, a.data, a.leading, b.data, b.leading, x.beta, c.data, c.leading);
  } else if constexpr (std::same_as<T, std::complex<float>>) {
    cblas_cgemm(layout, ta, tb, m, n, k, &x.alpha, a.data, a.leading, b.data, b.leading, &x.beta, c.data, c.leading);
  } else {
    cblas_zgemm(layout, ta, tb, m, n, k, &x.alpha, a.data, a.leading, b.data, b.leading, &x.beta, c.data, c.leading);
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

bool has_threads_of_its_own() {
#if HILO_HAS_OPENBLAS
  static const bool has = openblas_get_parallel() == 1;
  return has;
#else
  return false;
#endif
}

void plan_blas(GemmPlan& plan, const GemmOptions& options) {
  std::snprintf(plan.unit, sizeof plan.unit, "%s", blas_name());
  plan.threads = options.threads ? options.threads : host::default_threads();
  plan.depth = plan.k;
  plan.fma = true;
}

void on_blas_threads(int threads, void (*f)(void* x), void* x) {
#if HILO_HAS_CBLAS
  ThreadCount guard(threads);
  // Its threads may be OpenMP's.
  if (threads > 1) return host::on_leader([&] { f(x); });
#else
  (void)threads;
#endif
  f(x);
}

#if HILO_HAS_CBLAS
namespace {

// A product in blocks that the library takes, after what it needs copies of is copied.
template <class T>
class BlasProduct {
 public:
  explicit BlasProduct(const Product<T>& x)
      : x_(x), a_(x.a, BlasMatrix<T>(x.c).by_columns), b_(x.b, BlasMatrix<T>(x.c).by_columns), c_(x.c) {
    if (!BlasMatrix<T>(x.c).is_too_wide) return;
    copy_of_c_.resize(static_cast<std::size_t>(x.m() * x.n()));
    const bool by_columns = BlasMatrix<T>(x.c).by_columns;
    c_ = hilo::view(by_columns ? Layout::column : Layout::row, Op::none, copy_of_c_.data(), x.m(), x.n(),
                    by_columns ? x.m() : x.n());
  }

  void run() {
    if (copy_of_c_.empty()) return multiply();
    if (!(x_.beta == T(0))) copy(x_.c, c_);
    multiply();
    copy(c_, x_.c);
  }

 private:
  static void copy(const MatrixView<T>& from, const MatrixView<T>& to) {
    for (std::int64_t j = 0; j < from.columns; ++j) {
      for (std::int64_t i = 0; i < from.rows; ++i) to(i, j) = from(i, j);
    }
  }

  void multiply() const {
    auto size = [](std::int64_t whole, std::int64_t from) { return std::min(block, whole - from); };
    for (std::int64_t j = 0; j < x_.n(); j += block) {
      for (std::int64_t i = 0; i < x_.m(); i += block) {
        for (std::int64_t h = 0; h < x_.k(); h += block) {
          const std::int64_t m = size(x_.m(), i), n = size(x_.n(), j), k = size(x_.k(), h);
          call<T>({x_.alpha, a_.view().sub(i, h, m, k), b_.view().sub(h, j, k, n), h == 0 ? x_.beta : T(1),
                   c_.sub(i, j, m, n)});
        }
      }
    }
  }

  const Product<T>& x_;
  BlasOperand<T> a_, b_;
  std::vector<T> copy_of_c_;
  MatrixView<T> c_;
};

}  // namespace
#endif

template <class T>
void run_blas(int threads, const Product<T>& x) {
#if HILO_HAS_CBLAS
  BlasProduct<T> product(x);
  on_blas_threads(threads, [&] { product.run(); });
#else
  host::for_each(threads, x.n(), [&](std::int64_t j, int) {
    for (std::int64_t i = 0; i < x.m(); ++i) {
      T sum(0);
      for (std::int64_t h = 0; h < x.k(); ++h) sum += element(x.a, i, h) * element(x.b, h, j);
      x.c(i, j) = x.beta == T(0) ? x.alpha * sum : x.alpha * sum + x.beta * x.c(i, j);
    }
  });
#endif
}

template <class T>
void run_blas_batch(int threads, const Product<T>& x) {
  // Terms of a product that a library hardly shares out among threads, and of all of them for which these are not
  // woken.
  constexpr std::int64_t few = std::int64_t{1} << 18, few_in_all = std::int64_t{1} << 22;
  const bool is_small = x.m() <= few && x.n() <= few / x.m() && x.k() <= few / (x.m() * x.n());
  const bool is_worthwhile = is_small && x.batch.count >= 2 * static_cast<std::int64_t>(threads) &&
                             x.batch.count > few_in_all / (x.m() * x.n() * x.k());
  if (threads == 1 || !is_worthwhile) {
    for (std::int64_t i = 0; i < x.batch.count; ++i) run_blas(threads, x.at(i));
    return;
  }
  on_blas_threads(1, [&] {
    host::for_parts(threads, x.batch.count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        const Product<T> one = x.at(i);
#if HILO_HAS_CBLAS
        BlasProduct<T>(one).run();
#else
        run_blas(1, one);
#endif
      }
    });
  });
}

template void run_blas(int, const Product<float>&);
template void run_blas(int, const Product<double>&);
template void run_blas(int, const Product<std::complex<float>>&);
template void run_blas(int, const Product<std::complex<double>>&);
template void run_blas_batch(int, const Product<float>&);
template void run_blas_batch(int, const Product<double>&);
template void run_blas_batch(int, const Product<std::complex<float>>&);
template void run_blas_batch(int, const Product<std::complex<double>>&);

}  // namespace hilo::native
