#include "cli/ranks/job.hpp"

#include <cstdlib>
#include <ostream>

#include "cli/option.hpp"
#include "cli/ranks/launch.hpp"
#include "cli/ranks/messages.hpp"
#include "cli/text.hpp"
#include "data/memory.hpp"

namespace hilo::cli {

namespace {

// Of n rows or columns, those in tiles that are number `index` of `count` places of the grid.
std::int64_t part_of(std::int64_t n, std::int64_t tile, std::int64_t index, std::int64_t count) {
  const std::int64_t tiles = (n + tile - 1) / tile;
  if (index >= tiles) return 0;
  const std::int64_t own = (tiles - index + count - 1) / count;
  return own * tile - ((tiles - 1) % count == index ? tiles * tile - n : 0);
}

}  // namespace

void check_memory_of_ranks(const distributed::Cluster& cluster, const std::vector<MatrixSize>& matrices,
                           std::int64_t element_bytes, std::int64_t tile, const distributed::Grid& grid) {
  cluster.agree([&] {
    const int row = cluster.rank() / grid.columns, column = cluster.rank() % grid.columns;
    double bytes = 0.0;
    std::string names;
    for (const MatrixSize& x : matrices) {
      bytes += static_cast<double>(part_of(x.rows, tile, row, grid.rows)) *
               static_cast<double>(part_of(x.columns, tile, column, grid.columns)) * static_cast<double>(element_bytes);
      names +=
          (names.empty() ? "" : ", ") + x.name + " of " + std::to_string(x.rows) + " x " + std::to_string(x.columns);
    }
    const double left = static_cast<double>(data::free_bytes()) / launch().ranks_of_machine;
    if (bytes <= left) return;
    throw error(errc::out_of_memory, "no memory for its tiles of " + names + ": they take " + digits(bytes) +
                                         " bytes, of which " + digits(left) + " are its part of what is free");
  });
}

distributed::Grid grid_of(const RanksRequest& request, int ranks, bool one_row) {
  if (request.grid.rows > 0) return request.grid;
  int rows = 1;
  for (int p = 1; !one_row && p * p <= ranks; ++p) {
    if (ranks % p == 0) rows = p;
  }
  return {rows, ranks / rows};
}

distributed::Cluster start_ranks(const RanksRequest& request, int threads, const PlaceWords& place) {
  setenv("STARPU_SILENT", "1", 0);  // its notes are not the program's
  distributed::ClusterOptions options;
  if (threads > 0) options.cpu_workers = threads;
  if (lower_case(place.backend) == "cpu") options.opencl_devices = 0;
  options.time_limit = request.time_limit;
  const distributed::Cluster cluster(options);
  set_ranks(cluster.rank(), cluster.ranks());
  const distributed::Grid& grid = request.grid;
  if (grid.rows > 0 && std::int64_t{grid.rows} * grid.columns != cluster.ranks()) {
    reject("--grid " + std::to_string(grid.rows) + ',' + std::to_string(grid.columns) + " is not one of " +
           count(cluster.ranks(), "rank", "ranks"));
  }
  return cluster;
}

void refuse_place_on_ranks(const PlaceWords& place) {
  constexpr const char* instead = "STARPU_NCPU and STARPU_NOPENCL say what computes, or --threads and --backend cpu";
  refuse_on_ranks(lower_case(place.backend) == "opencl", "--backend opencl", instead);
  refuse_on_ranks(!place.platform.empty(), "-p", instead);
  refuse_on_ranks(!place.device.empty(), "-d", instead);
  refuse_on_ranks(!place.type.empty(), "--device", instead);
}

RanksReport report_of(const distributed::Cluster& cluster, const RanksRequest& request, bool one_row,
                      const distributed::Traffic& before) {
  const distributed::Traffic after = cluster.traffic();
  return {cluster.ranks(),
          grid_of(request, cluster.ranks(), one_row),
          request.tile,
          sum_of_ranks(cluster.cpu_workers()),
          sum_of_ranks(cluster.opencl_devices()),
          sum_of_ranks(after.bytes_out - before.bytes_out),
          sum_of_ranks(after.messages_out - before.messages_out)};
}

void print_ranks(std::ostream& out, const RanksReport& r) {
  out << "ranks      " << r.ranks << " in a grid of " << r.grid.rows << " x " << r.grid.columns << ", tiles of "
      << r.tile << '\n'
      << "workers    " << count(r.cpu_workers, "CPU thread", "CPU threads") << ", "
      << count(r.opencl_devices, "OpenCL device", "OpenCL devices") << '\n'
      << "moved      " << count(r.bytes_moved, "byte", "bytes") << " in " << count(r.messages, "message", "messages")
      << '\n';
}

void add_ranks(nlohmann::ordered_json& j, const RanksReport& r) {
  j["ranks"] = r.ranks;
  j["grid"] = {r.grid.rows, r.grid.columns};
  j["tile"] = r.tile;
  j["cpu_workers"] = r.cpu_workers;
  j["opencl_devices"] = r.opencl_devices;
  j["bytes_moved"] = r.bytes_moved;
  j["messages"] = r.messages;
}

}  // namespace hilo::cli
