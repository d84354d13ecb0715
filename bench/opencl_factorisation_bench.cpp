// LU, QR, Cholesky and level 3 of matrices that stay in a device's memory.
//
//   opencl_factorisation_bench [precision [n …]]     dd and 4096 8192 16384 unless given
//
// The best of three after a warm-up; of level 3 in parts of gemm's rate, operations counted as the routine's; of
// factorisations with the residual of a vector: ‖PAx − LUx‖, ‖Ax − QRx‖ and ‖Ax − LLᵀx‖, in n‖A‖‖x‖ε.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <hilo/lapack.hpp>
#include <hilo/math.hpp>

#include "errors.hpp"
#include "square_product.hpp"

namespace hilo::bench {
namespace {

template <class T>
constexpr double epsilon = double_double<T> ? 0x1p-105 : static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
struct System {
  Queue& queue;
  std::int64_t n;
  std::vector<T> a, factors, x, y;
  std::vector<std::int64_t> pivots;
  Buffer<T> buffer;

  System(Queue& q, std::int64_t size)
      : queue(q),
        n(size),
        a(random<T>(n * n, 1)),
        factors(a),
        x(random<T>(n, 2)),
        y(x),
        pivots(static_cast<std::size_t>(n)),
        buffer(q.context(), n * n) {}

  MatrixView<T> host(std::vector<T>& of) const { return view(Layout::column, Op::none, of.data(), n, n, n); }
  BufferView<T> device() const { return view(Layout::column, Op::none, buffer, n, n, n); }

  template <class Routine>
  double best(Routine routine) {
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < 4; ++r) {
      buffer.write(queue, a.data(), 0, n * n);
      const auto start = std::chrono::steady_clock::now();
      routine();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (r > 0) least = std::min(least, time.count());
    }
    buffer.read(queue, factors.data(), 0, n * n);
    return least;
  }

  // Of y, which is what A · x should be.
  double residual(const std::vector<T>& product) const {
    double error = 0.0, norm = 0.0, length = 0.0;
    std::vector<double> rows(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < a.size(); ++i)
      rows[i % static_cast<std::size_t>(n)] += std::fabs(static_cast<double>(a[i]));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      error = worse(error, std::fabs(static_cast<double>(y[i] - product[i])));
      norm = std::max(norm, rows[i]);
      length = std::max(length, std::fabs(static_cast<double>(x[i])));
    }
    return error / (static_cast<double>(n) * norm * length * epsilon<T>);
  }

  void report(const char* name, double share, double seconds, double ratio) const {
    const double size = static_cast<double>(n);
    std::printf("%-8s n = %6ld  %9.2f ms  %6.2f TFlop/s  residual %.3f\n", name, static_cast<long>(n), seconds * 1e3,
                share * size * size * size / seconds * 1e-12, ratio);
    std::fflush(stdout);
  }

  void lu() {
    const double seconds = best([&] { getrf(queue, device(), pivots); });
    std::vector<T> product = x;
    const VectorView<T> v{product.data(), n}, of_a{y.data(), n};
    trmv(Uplo::upper, Diag::non_unit, host(factors), v);
    trmv(Uplo::lower, Diag::unit, host(factors), v);
    gemv(T(1), host(a), VectorView<T>{x.data(), n}, T(0), of_a);
    for (std::int64_t i = 0; i < n; ++i) {
      std::swap(y[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(pivots[static_cast<std::size_t>(i)] - 1)]);
    }
    report("LU", 2.0 / 3.0, seconds, residual(product));
  }

  void qr() {
    std::vector<T> tau(static_cast<std::size_t>(n));
    const double seconds = best([&] { geqrf(queue, device(), std::span<T>(tau)); });
    std::vector<T> product = x;
    trmv(Uplo::upper, Diag::non_unit, host(factors), VectorView<T>{product.data(), n});
    gemv(T(1), host(a), VectorView<T>{x.data(), n}, T(0), VectorView<T>{y.data(), n});
    // H1 · H2 … of it, the last first.
    for (std::int64_t j = n - 1; j >= 0; --j) {
      T* const v = factors.data() + j * (n + 1);
      *v = T(1);
      const VectorView<T> reflector{v, n - j}, rest{product.data() + j, n - j};
      axpy(-tau[static_cast<std::size_t>(j)] * dot(reflector, rest), reflector, rest);
    }
    report("QR", 4.0 / 3.0, seconds, residual(product));
  }

  void cholesky() {
    for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (n + 1))] = T(static_cast<double>(n));
    const double seconds = best([&] {
      if (potrf(queue, Uplo::lower, device()) != 0) throw error(errc::invalid_argument, "not positive definite");
    });
    std::vector<T> product = x;
    const VectorView<T> v{product.data(), n}, of_a{y.data(), n};
    trmv(Uplo::upper, Diag::non_unit, host(factors).turned(Op::transpose), v);
    trmv(Uplo::lower, Diag::non_unit, host(factors), v);
    symv(Uplo::lower, T(1), host(a), VectorView<T>{x.data(), n}, T(0), of_a);
    report("Cholesky", 1.0 / 3.0, seconds, residual(product));
  }
};

// With a unit triangle near the identity, so that nothing grows.
template <class T>
void level3(Queue& queue, std::int64_t n, Engine engine) {
  std::vector<T> a = random<T>(n * n, 1);
  for (T& x : a) x = x / T(static_cast<double>(n));
  Buffer<T> buffers[3] = {{queue.context(), n * n}, {queue.context(), n * n}, {queue.context(), n * n}};
  for (Buffer<T>& buffer : buffers) buffer.write(queue, a.data(), 0, n * n);
  const auto matrix = [&](int i) { return view(Layout::column, Op::none, buffers[i], n, n, n); };
  const BufferView<T> x = matrix(0), y = matrix(1), z = matrix(2);
  const BlockedOptions o{.engine = engine};
  double of_gemm = 0.0;
  const auto measure = [&](const char* name, double operations, auto routine) {
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r < 4; ++r) {
      buffers[2].write(queue, a.data(), 0, n * n);
      const auto start = std::chrono::steady_clock::now();
      routine().wait();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      if (r > 0) least = std::min(least, time.count());
    }
    const double size = static_cast<double>(n), rate = operations * size * size * size / least * 1e-12;
    if (of_gemm == 0.0) of_gemm = rate;
    std::printf("%-8s n = %6ld  %9.2f ms  %6.2f TFlop/s  %.2f of gemm, engine %s\n", name, static_cast<long>(n),
                least * 1e3, rate, rate / of_gemm, std::string(hilo::name(engine)).c_str());
    std::fflush(stdout);
  };
  measure("gemm", 2, [&] { return gemm(queue, T(1), x, y, T(1), z, {}, o); });
  measure("symm", 2, [&] { return symm(queue, Side::left, Uplo::lower, T(1), x, y, T(1), z, {}, o); });
  measure("syrk", 1, [&] { return syrk(queue, Uplo::lower, T(1), x, T(1), z, {}, o); });
  measure("syr2k", 2, [&] { return syr2k(queue, Uplo::lower, T(1), x, y, T(1), z, {}, o); });
  measure("trsm", 1, [&] { return trsm(queue, Side::left, Uplo::lower, Diag::unit, T(1), x, z, {}, o); });
  measure("trmm", 1, [&] { return trmm(queue, Side::left, Uplo::lower, Diag::unit, T(1), x, z, {}, o); });
}

template <class T>
void measure(Queue& queue, std::int64_t n) {
  for (const Engine engine : {Engine::automatic, Engine::direct}) {
    if (n <= 4096) level3<T>(queue, n, engine);
  }
  System<T> system(queue, n);
  system.lu();
  system.qr();
  system.cholesky();
}

int run(int argc, char** argv) {
  const std::string precision = argc > 1 ? argv[1] : "dd";
  if (precision != "dd" && precision != "d") {
    std::fprintf(stderr, "precision %s is none of dd, d\n", precision.c_str());
    return 2;
  }
  Queue queue{Context()};
  std::printf("%s, driver %s, %s\n", queue.context().device().name.c_str(), queue.context().device().driver.c_str(),
              precision.c_str());
  std::vector<std::int64_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {4096, 8192, 16384};
  for (const std::int64_t n : sizes) precision == "d" ? measure<double>(queue, n) : measure<dd_real>(queue, n);
  return 0;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) {
  try {
    return hilo::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
