// Eigenvalues and eigenvectors of DD matrices that stay in a device's memory: what refines them beside the products
// that the refinement consists of.
//
//   opencl_spectral_bench [--lapack] [--whole] [--clusters] [--kernels] [--singular] [n …]
//
// n is 4096 and 8192 unless given. A is Q D Qᵀ, Q a product of three reflectors, so that its eigenvectors are known,
// and the refinement begins with them, rounded to double, plus noise of 1e-13 an entry. D is uniform in (−1, 1).
//   --lapack     begins with LAPACK's eigenvectors, as a call does, and tells their time (minutes for n = 8192)
//   --whole      also the time of symmetric_eigensystem, LAPACK and all
//   --clusters   D has 64 clusters of width 1e-14
//   --kernels    times of kernels, by a queue that has them
//   --singular   singular vectors instead, of a matrix made likewise
// Times are wall-clock, best and median of rounds after one that counts for nothing. A step's products are 4 n³ DD
// operations (R and S half of 2 n³, A X whole), of singular vectors 6 n³; `rate` is theirs by the time of all of the
// refinement, relative to that of a product.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <hilo/eigenvalues.hpp>
#include <map>

#include "opencl/native.hpp"
#include "random.hpp"
#include "spectral/eigensystem.hpp"
#include "spectral/opencl/hermitian_device.hpp"
#include "spectral/opencl/singular_device.hpp"

namespace hilo::bench {
namespace {

struct Settings {
  bool begins_with_lapack = false, is_whole = false, has_clusters = false, tells_kernels = false, is_singular = false;
  std::vector<std::int64_t> sizes = {};
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Times {
  double best, median;
};
Times times_of(int rounds, const std::function<double()>& run) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const double time = run();
    if (round > 0) times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

// H Q, H = I − 2 v vᵀ / vᵀv.
void reflect(const std::vector<double>& v, double square, spectral::Dense<double>& q) {
  for (std::int64_t j = 0; j < q.columns(); ++j) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < q.rows(); ++i) sum += v[static_cast<std::size_t>(i)] * q(i, j);
    sum *= 2.0 / square;
    for (std::int64_t i = 0; i < q.rows(); ++i) q(i, j) -= sum * v[static_cast<std::size_t>(i)];
  }
}
void add_noise(spectral::Dense<double>& q, std::uint64_t seed) {
  const std::vector<double> noise = random<double>(q.rows() * q.columns(), seed);
  for (std::size_t e = 0; e < noise.size(); ++e) q.view().data[e] += 1e-13 * noise[e];
}

// A, whole, and Q in double.
struct Known {
  std::vector<dd_real> a;
  spectral::Dense<double> q;
};

Known known_matrix(std::int64_t n, bool has_clusters) {
  const auto order = static_cast<std::size_t>(n);
  Known known{std::vector<dd_real>(order * order), spectral::identity<double>(n)};
  const MatrixView<dd_real> a = view(Layout::column, Op::none, known.a.data(), n, n, n);
  const std::vector<double> values = random<double>(n, 3);
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = values[static_cast<std::size_t>(i)];
    a(i, i) = has_clusters ? dd_real(static_cast<double>(i * 64 / n) / 64.0) + dd_real(1e-14) * value : dd_real(value);
  }
  std::vector<dd_real> p(order);
  for (std::uint64_t seed = 11; seed < 14; ++seed) {
    // H A H, H = I − 2 v vᵀ / vᵀv: A − v wᵀ − w vᵀ with p = 2 A v / vᵀv, w = p − (pᵀv / vᵀv) v.
    std::vector<dd_real> v(order);
    const std::vector<double> of_v = random<double>(n, seed);
    dd_real square = 0.0;
    for (std::size_t i = 0; i < order; ++i) {
      v[i] = of_v[i];
      square += v[i] * v[i];
    }
    const VectorView<dd_real> to_p{p.data(), n};
    const VectorView<const dd_real> from_v{v.data(), n}, from_p{p.data(), n};
    symv(Uplo::lower, dd_real(2.0) / square, a, from_v, dd_real(0.0), to_p);
    dd_real product = 0.0;
    for (std::size_t i = 0; i < order; ++i) product += p[i] * v[i];
    product /= square;
    for (std::size_t i = 0; i < order; ++i) p[i] -= product * v[i];
    syr2(Uplo::lower, dd_real(-1.0), from_v, from_p, a);
    reflect(of_v, square.hi, known.q);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < j; ++i) a(i, j) = a(j, i);
  }
  add_noise(known.q, 5);
  return known;
}

// U Σ Vᵀ, U and V products of three reflectors each.
struct KnownSides {
  std::vector<dd_real> a;
  spectral::Dense<double> u, v;
};

KnownSides known_sides(std::int64_t n) {
  const auto order = static_cast<std::size_t>(n);
  KnownSides known{std::vector<dd_real>(order * order), spectral::identity<double>(n), spectral::identity<double>(n)};
  const MatrixView<dd_real> a = view(Layout::column, Op::none, known.a.data(), n, n, n);
  const std::vector<double> values = random<double>(n, 3);
  for (std::int64_t i = 0; i < n; ++i) a(i, i) = std::fabs(values[static_cast<std::size_t>(i)]);
  std::vector<dd_real> v(order), p(order);
  const VectorView<dd_real> to_p{p.data(), n};
  const VectorView<const dd_real> from_v{v.data(), n}, from_p{p.data(), n};
  for (std::uint64_t seed = 11; seed < 17; ++seed) {
    const bool is_left = seed % 2 == 0;
    const std::vector<double> of_v = random<double>(n, seed);
    dd_real square = 0.0;
    for (std::size_t i = 0; i < order; ++i) {
      v[i] = of_v[i];
      square += v[i] * v[i];
    }
    // H A, or A H by its transpose.
    const MatrixView<dd_real> side = is_left ? a : a.turned(Op::transpose);
    gemv(dd_real(2.0) / square, side.turned(Op::transpose), from_v, dd_real(0.0), to_p);
    ger(dd_real(-1.0), from_v, from_p, side);
    reflect(of_v, square.hi, is_left ? known.u : known.v);
  }
  add_noise(known.u, 5);
  add_noise(known.v, 6);
  return known;
}

// What the device's commands took, by kernels.
void tell_kernels(const opencl::Trace& trace) {
  std::map<std::string, std::pair<double, int>> of;
  double all = 0.0;
  for (const auto& launch : trace.launches) {
    const double time =
        1e-6 * static_cast<double>(launch.event.template getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                   launch.event.template getProfilingInfo<CL_PROFILING_COMMAND_START>());
    of[launch.kernel].first += time;
    ++of[launch.kernel].second;
    all += time;
  }
  std::vector<std::pair<std::string, std::pair<double, int>>> sorted(of.begin(), of.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) { return x.second.first > y.second.first; });
  std::printf("  kernels of a refinement, %.3f ms:\n", all);
  for (const auto& [name, time] : sorted) {
    std::printf("    %-28s %9.3f ms in %3d\n", name.c_str(), time.first, time.second);
  }
}

class SpectralBench {
 public:
  SpectralBench(const Settings& settings, std::int64_t n)
      : s_(settings), n_(n), known_(known_matrix(n, settings.has_clusters)), buffer_(queue_.context(), n * n) {
    buffer_.write(queue_, known_.a.data(), 0, n * n);
    std::printf("n = %ld\n", static_cast<long>(n));
  }

  void run() {
    Buffer<dd_real> x(queue_.context(), n_ * n_), y(queue_.context(), n_ * n_);
    const double cube = static_cast<double>(n_) * static_cast<double>(n_) * static_cast<double>(n_);
    {
      const auto a = view(Layout::column, Op::none, buffer_, n_, n_, n_), of_x = matrix_in(x), of_y = matrix_in(y);
      gemm(queue_, dd_real(1.0), a, a, dd_real(0.0), of_x).wait();
      const Times time = times_of(rounds, [&] {
        const auto start = Clock::now();
        gemm(queue_, dd_real(1.0), a, of_x, dd_real(0.0), of_y).wait();
        return seconds_since(start);
      });
      product_rate_ = 2.0 * cube / time.best;
      std::printf("  a product in DD: %.4f s, median %.4f, %.3f TFlop/s\n", time.best, time.median,
                  product_rate_ * 1e-12);
    }
    if (s_.is_singular) return refine_sides(cube);
    refine(cube, matrix_in(x));
    if (s_.tells_kernels) trace_kernels();
    if (!s_.is_whole) return;
    std::vector<dd_real> values(static_cast<std::size_t>(n_));
    const auto start = Clock::now();
    const auto report =
        symmetric_eigensystem(queue_, Uplo::lower, matrix_in(buffer_), {values.data(), n_}, matrix_in(x));
    std::printf("  symmetric_eigensystem: %.3f s, updates %d, residual %.1f, orthogonality %.1f u^2\n",
                seconds_since(start), report.updates, report.residual_u2, report.orthogonality_u2);
  }

 private:
  BufferView<dd_real> matrix_in(const Buffer<dd_real>& buffer) const {
    return view(Layout::column, Op::none, buffer, n_, n_, n_);
  }
  static std::unique_ptr<solver::DeviceMatrix> taken(Queue& queue, const Buffer<dd_real>& a, std::int64_t n) {
    auto matrix = std::make_unique<solver::DeviceMatrix>(
        *queue.state(), Precision::dd, DeviceView{cl::Buffer(a.native(), true), 0, n, n, 1, n}, solver::Part::lower,
        BlockedOptions{}, std::vector<cl::Event>{});
    const std::vector<int> zeros(static_cast<std::size_t>(n));
    matrix->take({zeros, zeros});
    return matrix;
  }

  void refine(double cube, const BufferView<dd_real>& x) {
    const auto matrix = taken(queue_, buffer_, n_);
    spectral::HermitianDevice<dd_real> place(*matrix, {});
    if (s_.begins_with_lapack) {
      const auto start = Clock::now();
      spectral::Dense<double> a(n_, n_);
      for (std::int64_t e = 0; e < n_ * n_; ++e) a.view().data[e] = known_.a[static_cast<std::size_t>(e)].hi;
      known_.q = spectral::eigenvectors_in_double(spectral::lapack_threads, a);
      std::printf("  LAPACK's start: %.3f s\n", seconds_since(start));
    }
    int updates = 0;
    double of_upload = 0.0, of_end = 0.0;
    spectral::HermitianRefinement<spectral::HermitianDevice<dd_real>>::Norms norms{};
    const Times time = times_of(rounds, [&] {
      spectral::HermitianRefinement<spectral::HermitianDevice<dd_real>> refinement(place);
      auto start = Clock::now();
      place.start_with(known_.q.view().data);
      queue_.finish();
      of_upload = seconds_since(start);
      start = Clock::now();
      if (!refinement.refine(true)) std::printf("  does not converge\n");
      const double seconds = seconds_since(start);
      start = Clock::now();
      norms = refinement.norms();
      place.put_vectors(refinement.order(), blas_view(x));
      queue_.finish();
      of_end = seconds_since(start);
      updates = refinement.updates();
      return seconds;
    });
    const double flops = 4.0 * cube * (updates + 1);
    std::printf("  refinement: %.4f s, median %.4f, updates %d, rate %.2f, median %.2f\n", time.best, time.median,
                updates, flops / time.best / product_rate_, flops / time.median / product_rate_);
    std::printf("  start in device memory %.4f s, norms and vectors in order %.4f s\n", of_upload, of_end);
    std::printf("  residual %.1f, orthogonality %.1f u^2\n", norms.residual_u2, norms.orthogonality_u2);
    matrix->include(place.finish());
    matrix->finish();
  }

  void refine_sides(double cube) {
    const KnownSides known = known_sides(n_);
    buffer_.write(queue_, known.a.data(), 0, n_ * n_);
    spectral::SingularDevice<dd_real> place(*queue_.state(),
                                            DeviceView{cl::Buffer(buffer_.native(), true), 0, n_, n_, 1, n_}, {}, {});
    int updates = 0;
    spectral::SingularNorms norms{};
    const Times time = times_of(rounds, [&] {
      spectral::SingularRefinement<spectral::SingularDevice<dd_real>> refinement(place);
      place.start_with(known.u.view().data, known.v.view().data);
      queue_.finish();
      const auto start = Clock::now();
      if (!refinement.refine(true)) std::printf("  does not converge\n");
      const double seconds = seconds_since(start);
      norms = refinement.norms_u2();
      updates = refinement.updates();
      return seconds;
    });
    const double flops = 6.0 * cube * (updates + 1);
    std::printf("  singular vectors: %.4f s, median %.4f, updates %d, rate %.2f, median %.2f\n", time.best, time.median,
                updates, flops / time.best / product_rate_, flops / time.median / product_rate_);
    std::printf("  residual %.1f, orthogonality %.1f and %.1f u^2\n", norms.residual, norms.left, norms.right);
    place.finish().wait();
  }

  void trace_kernels() {
    Queue timed(queue_.context(), Profiling::on);
    const auto matrix = taken(timed, buffer_, n_);
    spectral::HermitianDevice<dd_real> place(*matrix, {});
    place.start_with(known_.q.view().data);
    opencl::Trace trace;
    timed.state()->trace = &trace;
    spectral::HermitianRefinement<spectral::HermitianDevice<dd_real>> refinement(place);
    refinement.refine(true);
    refinement.norms();
    timed.finish();
    timed.state()->trace = nullptr;
    tell_kernels(trace);
    matrix->include(place.finish());
    matrix->finish();
  }

  static DeviceView blas_view(const BufferView<dd_real>& x) {
    return {cl::Buffer(x.buffer.native(), true), x.offset, x.rows, x.columns, x.row_stride, x.column_stride};
  }

  static constexpr int rounds = 3;
  const Settings& s_;
  std::int64_t n_;
  Queue queue_{Context()};
  Known known_;
  Buffer<dd_real> buffer_;
  double product_rate_ = 0.0;
};

}  // namespace
}  // namespace hilo::bench

int main(int count, char** arguments) {
  hilo::bench::Settings settings;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(arguments[i], name) == 0; };
    if (is("--lapack")) {
      settings.begins_with_lapack = true;
    } else if (is("--whole")) {
      settings.is_whole = true;
    } else if (is("--clusters")) {
      settings.has_clusters = true;
    } else if (is("--singular")) {
      settings.is_singular = true;
    } else if (is("--kernels")) {
      settings.tells_kernels = true;
    } else if (const long n = std::atol(arguments[i]); n > 0) {
      settings.sizes.push_back(n);
    } else {
      std::fprintf(stderr,
                   "opencl_spectral_bench [--lapack] [--whole] [--clusters] [--kernels] [--singular] [n ...]\n");
      return 2;
    }
  }
  if (settings.sizes.empty()) settings.sizes = {4096, 8192};
  try {
    const hilo::DeviceInfo device = hilo::Context().device();
    std::printf("%s, driver %s\n", device.name.c_str(), device.driver.c_str());
    for (const std::int64_t n : settings.sizes) {
      hilo::bench::SpectralBench(settings, n).run();
      std::fflush(stdout);
    }
  } catch (const hilo::error& e) {
    std::fprintf(stderr, "opencl_spectral_bench: %s\n", e.what());
    return 1;
  }
}
