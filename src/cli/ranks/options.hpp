// Options of commands that compute over the ranks of an MPI job.
#pragma once

#include <hilo/distributed.hpp>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace hilo::cli {

/// What the command line says, word for word; empty where it says nothing.
struct RanksWords {
  bool distributed = false;
  std::string tile, grid, time_limit, checkpoint, checkpoint_every;
};

/// The same with every word checked.
struct RanksRequest {
  std::int64_t tile = 512;
  distributed::Grid grid = {};  ///< zeros: the command's choice
  double time_limit = 0.0;
  std::optional<distributed::Checkpoint> checkpoint = {};
};

/// Gives a subcommand --distributed, --tile, --grid and --time-limit, and where it factors a matrix --checkpoint and
/// --checkpoint-every.
void add_ranks_options(CLI::App& command, RanksWords& words, bool factors);

/// Nothing where one process computes by itself. Throws hilo::error: invalid_argument, also for an option that has no
/// effect then; unsupported where there are several processes or --distributed, and this build has no
/// hilo::distributed.
std::optional<RanksRequest> read_ranks(const RanksWords& words);

/// Throws hilo::error (unsupported) where the option is given, as over ranks it has no meaning, and says what there is.
void refuse_on_ranks(bool is_given, const std::string& option, const std::string& instead);

}  // namespace hilo::cli
