// A factorisation with checkpoints that restart_test.sh interrupts: ROUTINE FOLDER OUTPUT [NAME=VALUE …].
//   kill=STEP   the last rank ends itself once that step has a checkpoint
//   seed=NUMBER of the elements     block=ROWS of the option     limit=SECONDS of the call
//   absent=1    the last rank does not take part
//   workers=NUMBER of threads       devices=NUMBER
// Rank 0 writes factors, info and pivots to OUTPUT, and prints how many tasks it computed, and with what.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <hilo/distributed.hpp>
#include <iostream>
#include <map>
#include <thread>

namespace {

using namespace hilo;

constexpr std::int64_t n = 120, tile = 9;

int run(const std::string& routine, const std::string& folder, const std::string& output,
        std::map<std::string, std::string> values) {
  const auto number = [&](const char* name) { return std::atoll(values[name].c_str()); };
  distributed::ClusterOptions workers{.time_limit = std::atof(values["limit"].c_str())};
  if (values.count("workers")) workers.cpu_workers = std::atoi(values["workers"].c_str());
  if (values.count("devices")) workers.opencl_devices = std::atoi(values["devices"].c_str());
  distributed::Cluster cluster(workers);
  const bool is_last = cluster.rank() == cluster.ranks() - 1;
  if (is_last && number("kill")) {
    std::thread([commit = folder + "/step-" + values["kill"] + "/COMMIT"] {
      while (!std::filesystem::exists(commit)) std::this_thread::yield();
      raise(SIGKILL);
    }).detach();
  }
  distributed::Matrix<dd_real> a(cluster, n, n, tile);
  const std::int64_t seed = number("seed");
  a.fill([&](std::int64_t i, std::int64_t j) {
    // Symmetric, and positive definite for its diagonal.
    const std::int64_t low = std::min(i, j), high = std::max(i, j);
    const dd_real x = dd_real(static_cast<double>((7 * low * low + 13 * high + seed) % 101)) / 101.0;
    return i == j && routine == "potrf" ? x + static_cast<double>(n) : x;
  });
  if (is_last && number("absent")) std::this_thread::sleep_for(std::chrono::seconds(60));
  const distributed::Checkpoint checkpoint{folder, 2};
  const BlockedOptions options{.block = number("block")};
  std::vector<std::int64_t> numbers(n);
  const std::int64_t info =
      routine == "potrf" ? potrf(Uplo::upper, a, checkpoint, options) : getrf(a, numbers, checkpoint, options);
  numbers.push_back(info);
  std::vector<dd_real> all(n * n);
  a.gather(view(Layout::column, Op::none, all.data(), n, n, n));
  if (cluster.rank() != 0) return 0;
  std::ofstream out(output, std::ios::binary);
  out.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(dd_real)));
  out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * 8));
  std::cout << "tasks " << cluster.task_tally().cpu << "\nworkers " << cluster.cpu_workers() << "\ndevices "
            << cluster.opencl_devices() << std::endl;
  return out ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> values;
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    values[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  try {
    return run(argv[1], argv[2], argv[3], values);
  } catch (const hilo::error& e) {
    std::cerr << e.what() << std::endl;
    // Others have thrown it, too.
    return 2;
  }
}
