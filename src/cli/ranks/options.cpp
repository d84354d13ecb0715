#include "cli/ranks/options.hpp"

#include <CLI/CLI.hpp>

#include "cli/option.hpp"
#include "cli/ranks/launch.hpp"

namespace hilo::cli {

#if HILO_HAS_DISTRIBUTED
namespace {

distributed::Grid read_grid(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos) reject("--grid '" + shown(text) + "': rows and columns of ranks were expected, such as 2,4");
  return {integer<int>("--grid", text.substr(0, comma), 1), integer<int>("--grid", text.substr(comma + 1), 1)};
}

}  // namespace
#endif

void add_ranks_options(CLI::App& command, RanksWords& words, bool factors) {
  command.add_flag("--distributed", words.distributed,
                   "Compute over the ranks of an MPI job, in tiles; several processes of mpirun do so anyway");
  command.add_option("--tile", words.tile, "Rows and columns of a tile, over ranks (default: 512)")->type_name("SIZE");
  command.add_option("--grid", words.grid, "Rows and columns of ranks that share out tiles, as 2,4")->type_name("P,Q");
  command
      .add_option("--time-limit", words.time_limit,
                  "Seconds after which a step over ranks ends the job, as where one does not come (default: 0, none)")
      ->type_name("SECONDS");
  if (!factors) return;
  command
      .add_option("--checkpoint", words.checkpoint,
                  "A folder, seen by all ranks, from whose checkpoint a factorisation goes on, and where it keeps more")
      ->type_name("FOLDER");
  command.add_option("--checkpoint-every", words.checkpoint_every, "Columns of tiles between two (default: 16)")
      ->type_name("NUMBER");
}

std::optional<RanksRequest> read_ranks(const RanksWords& words) {
  const int ranks = launch().ranks;
  if (ranks <= 1 && !words.distributed) {
    for (const auto& [option, value] : {std::pair{"--tile ", words.tile},
                                        {"--grid ", words.grid},
                                        {"--time-limit ", words.time_limit},
                                        {"--checkpoint ", words.checkpoint},
                                        {"--checkpoint-every ", words.checkpoint_every}}) {
      if (value.empty()) continue;
      reject(option + shown(value) + " has no effect: it is for ranks of an MPI job (mpirun, or --distributed)");
    }
    return {};
  }
#if !HILO_HAS_DISTRIBUTED
  throw error(errc::unsupported,
              (words.distributed ? "--distributed: " : "mpirun has started " + std::to_string(ranks) + " processes: ") +
                  "this build of hilo has no hilo::distributed (StarPU, MPI)");
#else
  RanksRequest r;
  if (!words.tile.empty()) r.tile = integer<std::int64_t>("--tile", words.tile, 1, distributed::most_tile);
  if (!words.grid.empty()) r.grid = read_grid(words.grid);
  if (!words.time_limit.empty()) r.time_limit = number("--time-limit", words.time_limit);
  if (!words.checkpoint.empty()) r.checkpoint = {words.checkpoint, 16};
  if (!words.checkpoint_every.empty()) {
    const auto every = integer<std::int64_t>("--checkpoint-every", words.checkpoint_every, 1);
    if (!r.checkpoint) reject("--checkpoint-every " + shown(words.checkpoint_every) + " needs --checkpoint");
    r.checkpoint->every = every;
  }
  return r;
#endif
}

void refuse_on_ranks(bool is_given, const std::string& option, const std::string& instead) {
  if (is_given) throw error(errc::unsupported, option + ": not over ranks of an MPI job; " + instead);
}

}  // namespace hilo::cli
