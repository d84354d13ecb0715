// Eigenvalues and eigenvectors of DD matrices that stay in a device's memory: what refines them beside the products
// that the refinement consists of.
//
//   opencl_spectral_bench [--lapack] [--whole] [--clusters] [--kernels] [n …], or --singular [n …]
//
// n is 4096 and 8192 unless given. A is Q D Qᵀ, Q the first factor of QR of a random matrix, so that its eigenvectors
// are known, and the refinement begins with them, rounded to double, plus noise of 1e-13 an entry. D is uniform in
// (−1, 1).
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
#include <hilo/lapack.hpp>
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

constexpr double noise = 1e-13;  // of an entry of what a refinement begins with

// The first factor of QR of a random matrix, and the same near it, in double.
class Orthogonal {
 public:
  Orthogonal(Queue& queue, std::int64_t n, std::uint64_t seed)
      : entries_(random<dd_real>(n * n, seed)), buffer_(queue.context(), n * n) {
    std::vector<dd_real> tau(static_cast<std::size_t>(n));
    const auto q = view(Layout::column, Op::none, buffer_, n, n, n);
    buffer_.write(queue, entries_.data(), 0, n * n);
    geqrf(queue, q, std::span(tau));
    ungqr<dd_real>(queue, q, tau);
    buffer_.read(queue, entries_.data(), 0, n * n);
    const std::vector<double> errors = random<double>(n * n, seed + 1);
    near_ = spectral::Dense<double>(n, n);
    for (std::size_t e = 0; e < errors.size(); ++e) near_.view().data[e] = entries_[e].hi + noise * errors[e];
  }
  const std::vector<dd_real>& entries() const { return entries_; }
  const Buffer<dd_real>& buffer() const { return buffer_; }
  spectral::Dense<double>& near() { return near_; }

 private:
  std::vector<dd_real> entries_;
  Buffer<dd_real> buffer_;
  spectral::Dense<double> near_;
};

// Q D Pᵀ in `a`, D diagonal.
void multiply_diagonal(Queue& queue, const Orthogonal& q, const std::vector<dd_real>& d, const Orthogonal& p,
                       const Buffer<dd_real>& a) {
  const auto n = static_cast<std::int64_t>(d.size());
  std::vector<dd_real> scaled = q.entries();
  for (std::size_t e = 0; e < scaled.size(); ++e) scaled[e] *= d[e / d.size()];
  Buffer<dd_real> left(queue.context(), n * n);
  left.write(queue, scaled.data(), 0, n * n);
  const auto matrix = [n](const Buffer<dd_real>& of) { return view(Layout::column, Op::none, of, n, n, n); };
  gemm(queue, dd_real(1.0), matrix(left), matrix(p.buffer()).turned(Op::transpose), dd_real(0.0), matrix(a)).wait();
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
      : s_(settings), n_(n), q_(queue_, n, 11), buffer_(queue_.context(), n * n) {
    const std::vector<double> values = random<double>(n, 3);
    std::vector<dd_real> d(values.begin(), values.end());
    for (std::int64_t i = 0; i < n && s_.has_clusters; ++i) {
      dd_real& x = d[static_cast<std::size_t>(i)];
      x = dd_real(static_cast<double>(i * 64 / n) / 64.0) + dd_real(1e-14) * x;
    }
    multiply_diagonal(queue_, q_, d, q_, buffer_);
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
      std::vector<dd_real> entries(static_cast<std::size_t>(n_ * n_));
      buffer_.read(queue_, entries.data(), 0, n_ * n_);
      for (std::size_t e = 0; e < entries.size(); ++e) a.view().data[e] = entries[e].hi;
      q_.near() = spectral::eigenvectors_in_double(spectral::lapack_threads, a);
      std::printf("  LAPACK's start: %.3f s\n", seconds_since(start));
    }
    int updates = 0;
    double of_upload = 0.0, of_end = 0.0;
    spectral::HermitianRefinement<spectral::HermitianDevice<dd_real>>::Norms norms{};
    const Times time = times_of(rounds, [&] {
      spectral::HermitianRefinement<spectral::HermitianDevice<dd_real>> refinement(place);
      auto start = Clock::now();
      place.start_with(q_.near().view().data);
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
    Orthogonal p(queue_, n_, 13);
    std::vector<dd_real> d;
    for (const double x : random<double>(n_, 3)) d.push_back(std::fabs(x));
    multiply_diagonal(queue_, q_, d, p, buffer_);
    spectral::SingularDevice<dd_real> place(*queue_.state(),
                                            DeviceView{cl::Buffer(buffer_.native(), true), 0, n_, n_, 1, n_}, {}, {});
    int updates = 0;
    spectral::SingularNorms norms{};
    const Times time = times_of(rounds, [&] {
      spectral::SingularRefinement<spectral::SingularDevice<dd_real>> refinement(place);
      place.start_with(q_.near().view().data, p.near().view().data);
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
    place.start_with(q_.near().view().data);
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
  Orthogonal q_;
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
      std::fprintf(
          stderr,
          "opencl_spectral_bench [--lapack] [--whole] [--clusters] [--kernels] [n ...], or --singular [n ...]\n");
      return 2;
    }
  }
  if (settings.is_singular &&
      (settings.begins_with_lapack || settings.is_whole || settings.has_clusters || settings.tells_kernels)) {
    std::fprintf(stderr, "opencl_spectral_bench: --singular goes alone\n");
    return 2;
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
