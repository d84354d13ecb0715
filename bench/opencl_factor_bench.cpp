// LU and Cholesky of a matrix in host memory by a device, and of one in the memories of all GPUs, beside the same in
// one device's memory.
//
//   opencl_factor_bench getrf|potrf d|dd|zdd N [GIGABYTES ...]     n = N; with at most so much device memory, 0: all
//
// With several GPUs from host memory also by all together. From pinned memory; medians of rounds after one that counts
// for nothing.
#include <cstdio>
#include <cstdlib>
#include <hilo/group_matrix.hpp>
#include <hilo/streaming.hpp>
#include <string>

#include "large_matrices.hpp"

namespace hilo::bench {
namespace {

template <class T>
bool measure(bool is_lu, std::int64_t n, const std::vector<double>& gigabytes) {
  const Context context;
  Queue queue(context);
  const double operations = (is_lu ? 2.0 : 1.0) / 3e12 * static_cast<double>(n) * static_cast<double>(n) *
                            static_cast<double>(n) * (is_complex(precision_of<T>) ? 4 : 1);
  std::printf("%s, %s of %s, n = %lld\n", context.device().name.c_str(), is_lu ? "LU" : "Cholesky",
              std::string(name(precision_of<T>)).c_str(), static_cast<long long>(n));
  HostBuffer<T> original(context, n * n), a(context, n * n);
  fill(original.data(), n * n, 1);
  // Positive definite by its diagonal: of a Cholesky only the lower triangle counts.
  if (!is_lu) {
    for (std::int64_t i = 0; i < n; ++i) original.data()[i * n + i] = T(static_cast<double>(n));
  }
  auto restore = [&] {
    by_parts(n * n, [&](int, std::int64_t first, std::int64_t last) {
      std::copy(original.data() + first, original.data() + last, a.data() + first);
    });
  };
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  double resident = 0.0;
  std::uint64_t wanted = 0;
  auto tell = [&](const std::string& how, double seconds) {
    std::printf("  %-24s %8.4f s  %6.2f TFlop/s", how.c_str(), seconds, operations / seconds);
    if (resident > 0.0) std::printf("  %.3f of resident", resident / seconds);
  };
  try {
    Buffer<T> there(context, n * n);
    const BufferView<T> x = view(Layout::column, Op::none, there, n, n, n);
    const double seconds = median(
        [&] {
          if (is_lu) {
            getrf(queue, x, pivots);
          } else {
            potrf(queue, Uplo::lower, x);
          }
        },
        [&] { there.write(queue, original.data(), 0, n * n); });
    tell("resident", seconds);
    std::printf("\n");
    resident = seconds;
    there.read(queue, a.data(), 0, n * n);
    wanted = checksum(a.data(), n * n);
  } catch (const error& e) {
    std::printf("  resident: %s\n", e.what());
  }
  std::fflush(stdout);
  bool are_same = true;
  const auto bits_of = [&](bool is_same) {
    are_same = are_same && is_same;
    return wanted == 0 ? "" : is_same ? "the same bits" : "DIFFERENT";
  };
  auto from_host = [&](const DeviceGroup& devices, double limit) {
    BlockedOptions options;
    options.device_bytes = static_cast<std::int64_t>(limit * 1e9);
    StreamReport report;
    const MatrixView<T> x = view(Layout::column, Op::none, a.data(), n, n, n);
    const double seconds = median(
        [&] {
          if (is_lu) {
            getrf(devices, x, pivots, options, &report);
          } else {
            potrf(devices, Uplo::lower, x, options, &report);
          }
        },
        restore);
    char how[64];
    std::snprintf(how, sizeof how, "pinned, %d, %.1f GB", devices.size(), limit);
    tell(how, seconds);
    std::printf("; %.1f GB in %.3f s, %.1f GB out %.3f s, kernels %.3f s; %s\n",
                1e-9 * static_cast<double>(report.bytes_in), report.seconds_in,
                1e-9 * static_cast<double>(report.bytes_out), report.seconds_out, report.seconds_kernel,
                bits_of(wanted == 0 || checksum(a.data(), n * n) == wanted));
    std::fflush(stdout);
  };
  const DeviceGroup all;
  auto in_group = [&] {
    GroupMatrix<T> matrix(all, n, n);
    const MatrixView<T> x = view(Layout::column, Op::none, a.data(), n, n, n),
                        from = view(Layout::column, Op::none, original.data(), n, n, n);
    StreamReport report;
    const double seconds = median(
        [&] {
          if (is_lu) {
            getrf(matrix, pivots, {}, &report);
          } else {
            potrf(matrix, {}, &report);
          }
        },
        [&] { matrix.write(from); });
    const double reading = median([&] { matrix.read(x); });
    bool is_same = true;
    if (wanted != 0) {
      // What is above the diagonal of a Cholesky is of no particular value.
      if (!is_lu) {
        by_parts(n, [&](int, std::int64_t first, std::int64_t last) {
          for (std::int64_t j = first; j < last; ++j) {
            std::copy(original.data() + j * n, original.data() + j * n + j, a.data() + j * n);
          }
        });
      }
      is_same = checksum(a.data(), n * n) == wanted;
    }
    const double writing = median([&] { matrix.write(from); });
    tell("group, " + std::to_string(all.size()), seconds);
    std::printf("; %.1f GB told, %.1f GB heard; write %.4f s, read %.4f s; %s\n",
                1e-9 * static_cast<double>(report.bytes_out), 1e-9 * static_cast<double>(report.bytes_in), writing,
                reading, bits_of(is_same));
    std::fflush(stdout);
  };
  try {
    in_group();
  } catch (const error& e) {
    std::printf("  group, %d: %s\n", all.size(), e.what());
  }
  for (double limit : gigabytes) {
    from_host(queue, limit);
    if (all.size() > 1) from_host(all, limit);
  }
  return are_same;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) {
  using namespace hilo;
  const std::string routine = argc > 1 ? argv[1] : "", precision = argc > 2 ? argv[2] : "";
  const bool is_known = precision == "d" || precision == "dd" || precision == "zdd";
  if (argc < 4 || !is_known || (routine != "getrf" && routine != "potrf")) {
    std::fprintf(stderr, "usage: opencl_factor_bench getrf|potrf d|dd|zdd N [GIGABYTES ...]\n");
    return 2;
  }
  std::vector<double> gigabytes;
  for (int i = 4; i < argc; ++i) gigabytes.push_back(std::atof(argv[i]));
  if (gigabytes.empty()) gigabytes.push_back(0.0);
  const std::int64_t n = std::atoll(argv[3]);
  try {
    const bool is_lu = routine == "getrf";
    const bool are_same = precision == "d"    ? bench::measure<double>(is_lu, n, gigabytes)
                          : precision == "dd" ? bench::measure<dd_real>(is_lu, n, gigabytes)
                                              : bench::measure<dd_complex>(is_lu, n, gigabytes);
    return are_same ? 0 : 1;
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
