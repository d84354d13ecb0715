#include "stream/dealt_factor.hpp"

#include <chrono>
#include <memory>
#include <utility>

#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "stream/team.hpp"

namespace hilo::stream {
std::optional<DealtFactors> factor_dealt(const Devices& devices, const DealtProblem& problem, bool& has_begun) {
  const auto begin = std::chrono::steady_clock::now();
  Board board(static_cast<int>(devices.size()));
  std::vector<std::unique_ptr<DealtPlace>> places;
  try {
    for (opencl::QueueState* device : devices) {
      places.push_back(std::make_unique<DealtPlace>(*device, static_cast<int>(places.size()), problem, board));
    }
  } catch (const error& failure) {
    if (failure.code() == errc::out_of_memory && !problem.resident) return std::nullopt;
    throw;
  }
  has_begun = true;
  Team<DealtPlace>(places, "factoring columns on several devices", [&] { board.stop(); }).run([&](DealtPlace& place) {
    const Area all{0, 0, problem.a.rows, problem.a.columns};
    if (problem.is_positive) {
      lapack::factor_positive_columns(place, all, 0);
    } else {
      lapack::factor_columns(place, all, 0);
    }
    place.finish();
  });
  DealtFactors found{places.front()->info(), places.front()->pivots(), {}};
  for (const auto& place : places) found.traffic.add(place->traffic());
  // Between its products a device waits for others, beside them it moves matrices: all of it counts.
  found.traffic.seconds_kernel = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

}  // namespace hilo::stream
