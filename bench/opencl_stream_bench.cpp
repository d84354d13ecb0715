// Products of matrices in host memory through a device, beside the same with operands that stay in its memory.
//
//   opencl_stream_bench d|dd|zdd N [GIGABYTES …] [pageable]     n = N; with at most so much device memory, 0: all
//
// Of matrices in the memories of all GPUs, too; with several GPUs also from host memory all together, and resident
// products on all of them at a time.
//
// A, B and C = A · B from pinned memory, and if asked for from pageable memory too. Medians of rounds after one
// that counts for nothing; the best rate of the resident product is of the same run, where its matrices fit.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <hilo/group_matrix.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "large_matrices.hpp"

namespace hilo::bench {
namespace {

// Resident products on each device for itself, and one product host to host on all.
template <class T>
bool measure_group(const DeviceGroup& all, const HostBuffer<T>& a, const HostBuffer<T>& b, const HostBuffer<T>& c,
                   std::int64_t n, double operations, double resident) {
  const auto count = static_cast<std::int64_t>(all.size());
  const auto of = [n](auto* x) { return view(Layout::column, Op::none, x, n, n, n); };
  GroupReport report;
  const std::uint64_t alone = checksum(c.data(), n * n);
  const double seconds = median([&] {
    report = gemm<T>(all, T(1), of(static_cast<const T*>(a.data())), of(static_cast<const T*>(b.data())), T(0),
                     of(c.data()));
  });
  const bool is_same = checksum(c.data(), n * n) == alone;
  std::ostringstream text;
  text << report;
  std::printf("  pinned, %d devices        %8.4f s  %6.2f TFlop/s, %s\n%s", all.size(), seconds, operations / seconds,
              is_same ? "the same bits" : "DIFFERENT", text.str().c_str());
  std::fflush(stdout);
  if (resident == 0.0) return is_same;
  // Blocks of C in a grid over it, whose devices need the fewest lines of the operands.
  std::int64_t grid_rows = 1;
  for (std::int64_t i = 2; i * i <= count; ++i) grid_rows = count % i == 0 ? i : grid_rows;
  const std::int64_t grid_columns = count / grid_rows;
  struct Own {
    Queue queue;
    std::int64_t first_row, rows, columns;
    Buffer<T> a, b, c;  // all of A, of which the block's rows are read
  };
  std::vector<Own> owns;
  for (std::int64_t i = 0; i < count; ++i) {
    Queue queue = all.queue(static_cast<int>(i));
    const std::int64_t row = i % grid_rows, column = i / grid_rows, first_row = row * n / grid_rows,
                       first_column = column * n / grid_columns, rows = (row + 1) * n / grid_rows - first_row,
                       columns = (column + 1) * n / grid_columns - first_column;
    owns.push_back({queue,
                    first_row,
                    rows,
                    columns,
                    {queue.context(), n * n},
                    {queue.context(), n * columns},
                    {queue.context(), rows * columns}});
    owns.back().a.write(queue, a.data(), 0, n * n);
    owns.back().b.write(queue, b.data() + n * first_column, 0, n * columns);
  }
  const double together = median([&] {
    std::vector<std::thread> threads;
    for (Own& x : owns) {
      threads.emplace_back([&] {
        gemm<T>(x.queue, Layout::column, Op::none, Op::none, x.rows, x.columns, n, T(1), x.a, x.first_row, n, x.b, 0, n,
                T(0), x.c, 0, x.rows)
            .wait();
      });
    }
    for (std::thread& t : threads) t.join();
  });
  std::printf("  resident, %d devices      %8.4f s  %6.2f TFlop/s, efficiency %.3f\n", all.size(), together,
              operations / together, resident / together / all.size());
  std::fflush(stdout);
  return is_same;
}

// The product of matrices in the memories of all devices. C as it was computed before.
template <class T>
bool measure_resident(const DeviceGroup& all, const HostBuffer<T>& a, const HostBuffer<T>& b, const HostBuffer<T>& c,
                      std::int64_t n, double operations) {
  const auto of = [n](auto* x) { return view(Layout::column, Op::none, x, n, n, n); };
  GroupMatrix<T> x(all, n, n), y(all, n, n), z(all, n, n);
  x.write(of(a.data()));
  y.write(of(b.data()));
  GroupReport report;
  const double seconds = median([&] { report = gemm<T>(T(1), x, y, T(0), z); });
  const std::uint64_t wanted = checksum(c.data(), n * n);
  z.read(of(c.data()));
  const bool is_same = checksum(c.data(), n * n) == wanted;
  std::ostringstream text;
  text << report;
  std::printf("  group, %d devices         %8.4f s  %6.2f TFlop/s, %s\n%s", all.size(), seconds, operations / seconds,
              is_same ? "the same bits" : "DIFFERENT", text.str().c_str());
  std::fflush(stdout);
  return is_same;
}

template <class T>
bool measure(std::int64_t n, const std::vector<double>& gigabytes, bool is_pageable_too) {
  Context context;
  Queue queue(context);
  const double operations = 2e-12 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) *
                            (is_complex(precision_of<T>) ? 4 : 1);
  std::printf("%s, %s, n = %lld\n", context.device().name.c_str(), std::string(name(precision_of<T>)).c_str(),
              static_cast<long long>(n));
  HostBuffer<T> a(context, n * n), b(context, n * n), c(context, n * n);
  fill(a.data(), n * n, 1);
  fill(b.data(), n * n, 2);
  auto multiply = [&](const T* from_a, const T* from_b, T* to, double limit) {
    GemmOptions options;
    options.device_bytes = static_cast<std::int64_t>(limit * 1e9);
    return gemm<T>(queue, Layout::column, Op::none, Op::none, n, n, n, T(1), from_a, n, from_b, n, T(0), to, n,
                   options);
  };
  double resident = 0.0;
  try {
    Buffer<T> da(context, n * n), db(context, n * n), dc(context, n * n);
    da.write(queue, a.data(), 0, n * n);
    db.write(queue, b.data(), 0, n * n);
    resident = median([&] {
      gemm<T>(queue, Layout::column, Op::none, Op::none, n, n, n, T(1), da, 0, n, db, 0, n, T(0), dc, 0, n).wait();
    });
    std::printf("  resident                 %8.4f s  %6.2f TFlop/s\n", resident, operations / resident);
  } catch (const error& e) {
    std::printf("  resident: %s\n", e.what());
  }
  std::fflush(stdout);
  auto tell = [&](const char* how, double limit, double seconds, const GemmReport& report) {
    std::ostringstream stream;
    stream << report.stream;
    std::printf("  %-10s %6.1f GB     %8.4f s  %6.2f TFlop/s  %.3f of resident\n  %s", how, limit, seconds,
                operations / seconds, resident > 0.0 ? resident / seconds : 0.0, stream.str().c_str());
    std::fflush(stdout);
  };
  for (double limit : gigabytes) {
    GemmReport report;
    const double seconds = median([&] { report = multiply(a.data(), b.data(), c.data(), limit); });
    tell("pinned", limit, seconds, report);
  }
  const DeviceGroup all;
  bool are_same = true;
  try {
    are_same = measure_resident<T>(all, a, b, c, n, operations);
  } catch (const error& e) {
    std::printf("  group, %d devices: %s\n", all.size(), e.what());
  }
  if (all.size() > 1) are_same = measure_group<T>(all, a, b, c, n, operations, resident) && are_same;
  if (!is_pageable_too) return are_same;
  const auto count = static_cast<std::size_t>(n * n);
  // Not touched before they are filled, which threads do.
  std::unique_ptr<T[]> pa(new T[count]), pb(new T[count]), pc(new T[count]);
  for (auto [to, from] : {std::pair{pa.get(), a.data()}, {pb.get(), b.data()}, {pc.get(), b.data()}}) {
    by_parts(n * n, [to, from](int, std::int64_t first, std::int64_t last) {
      std::copy(from + first, from + last, to + first);
    });
  }
  GemmReport report;
  const double seconds = median([&] { report = multiply(pa.get(), pb.get(), pc.get(), 0.0); });
  tell("pageable", 0.0, seconds, report);
  const bool is_same = checksum(pc.get(), n * n) == checksum(c.data(), n * n);
  std::printf("  pageable and pinned: %s\n", is_same ? "the same bits" : "DIFFERENT");
  return are_same && is_same;
}

}  // namespace
}  // namespace hilo::bench

int main(int argc, char** argv) {
  using namespace hilo;
  const std::string precision = argc > 1 ? argv[1] : "";
  if (argc < 3 || (precision != "d" && precision != "dd" && precision != "zdd")) {
    std::fprintf(stderr, "usage: opencl_stream_bench d|dd|zdd N [GIGABYTES ...] [pageable]\n");
    return 2;
  }
  const std::int64_t n = std::atoll(argv[2]);
  std::vector<double> gigabytes;
  bool is_pageable_too = false;
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string("pageable")) {
      is_pageable_too = true;
    } else {
      gigabytes.push_back(std::atof(argv[i]));
    }
  }
  if (gigabytes.empty()) gigabytes.push_back(0.0);
  try {
    const bool are_same = precision == "d"    ? bench::measure<double>(n, gigabytes, is_pageable_too)
                          : precision == "dd" ? bench::measure<dd_real>(n, gigabytes, is_pageable_too)
                                              : bench::measure<dd_complex>(n, gigabytes, is_pageable_too);
    return are_same ? 0 : 1;
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
