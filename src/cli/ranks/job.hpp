// The ranks of a command on their way: how they start, and what they were and moved in the end.
#pragma once

#include <hilo/distributed.hpp>
#include <iosfwd>
#include <nlohmann/json.hpp>

#include "cli/operands.hpp"
#include "cli/place.hpp"
#include "cli/ranks/options.hpp"

namespace hilo::cli {

/// Starts MPI and StarPU, with so many CPU workers (0: StarPU's choice), and without devices where --backend is cpu.
/// Throws as distributed::Cluster does; invalid_argument where --grid is not one of the ranks.
distributed::Cluster start_ranks(const RanksRequest& request, int threads, const PlaceWords& place);

/// Throws hilo::error (unsupported) for options of a place that StarPU chooses.
void refuse_place_on_ranks(const PlaceWords& place);

/// Throws hilo::error (out_of_memory) on all ranks where the tiles of these matrices that one of them has do not fit
/// the memory that is left to it, its part of the machine's.
void check_memory_of_ranks(const distributed::Cluster& cluster, const std::vector<MatrixSize>& matrices,
                           std::int64_t element_bytes, std::int64_t tile, const distributed::Grid& grid);

/// What all ranks together are, and moved among them.
struct RanksReport {
  int ranks = 1;
  distributed::Grid grid;
  std::int64_t tile = 0;
  std::int64_t cpu_workers = 0, opencl_devices = 0;
  std::int64_t bytes_moved = 0, messages = 0;
};

/// Of all ranks together, which call it. `before` is the traffic of the one that calls before what is told of.
RanksReport report_of(const distributed::Cluster& cluster, const RanksRequest& request, bool one_row,
                      const distributed::Traffic& before);

/// The grid that a request comes to: its own, one row, or as square as can be.
distributed::Grid grid_of(const RanksRequest& request, int ranks, bool one_row);

/// Lines of a table, and keys.
void print_ranks(std::ostream& out, const RanksReport& report);
void add_ranks(nlohmann::ordered_json& object, const RanksReport& report);

}  // namespace hilo::cli
