#include "tune/tuner.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <hilo/error.hpp>

#include "opencl/native.hpp"
#include "tune/candidates.hpp"
#include "tune/trial.hpp"

namespace hilo::tune {
namespace {

constexpr double run_seconds = 0.1;  // a product that takes longer is timed at a smaller size
constexpr double enough_seconds = 0.05;
constexpr int least_runs = 3, most_runs = 30;
constexpr double hopeless = 0.5;  // of the best speed: one run tells
constexpr double close = 0.9;     // of the best speed: timed again at the end
constexpr std::size_t most_finalists = 4;
constexpr int final_rounds = 5;

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

double median(std::vector<double> x) {
  auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

double gflops(double operations, double seconds) { return seconds > 0.0 ? 1e-9 * operations / seconds : 0.0; }

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Measurement failed(const tile::Tile& tile, const error& e) {
  return {tile, 0.0, first_line(e.what()), e.code() == errc::out_of_memory || e.code() == errc::device_failure};
}

TrialFunctions functions_of(Trial& trial) {
  return {[&](const tile::Tile& tile) {
            std::string wrong = trial.find_error(tile);
            return wrong.empty() ? trial.find_error_of_timed(tile) : wrong;
          },
          [&](const tile::Tile& tile) { return trial.seconds(tile); }, trial.operations()};
}

// n for a size class, such that three matrices fit and a run does not take long.
std::int64_t size_of(Queue& queue, const tile::TileKey& key, const tile::Tile& tile) {
  const tile::NumberKind kind{key.precision};
  const bool is_dd = kind.is_double_double();
  // By size class.
  std::int64_t n = std::array<std::int64_t, 3>{256, 1024, is_dd ? 2048 : 4096}[static_cast<std::size_t>(key.size)];
  const DeviceInfo& device = queue.context().device();
  const std::int64_t bytes = kind.bytes() * (key.precision == Precision::zdd ? 2 : 1);
  auto is_too_large = [&] {
    return 16 * bytes * n * n > device.global_memory || bytes * n * n > device.max_allocation;
  };
  while (n > 64 && is_too_large()) n /= 2;
  auto seconds = [&](std::int64_t size) {
    auto trial = make_trial(queue, key, size);
    trial->seconds(tile);
    return trial->seconds(tile);
  };
  auto cube = [](std::int64_t x) { return static_cast<double>(x) * static_cast<double>(x) * static_cast<double>(x); };
  std::int64_t size = std::min<std::int64_t>(n, 256);
  try {
    // By the speed at a smaller size, which is lower.
    for (; size < n; size *= 2) {
      const double time = seconds(size);
      if (time * cube(n) / cube(size) <= run_seconds) return n;
      if (8.0 * time > run_seconds) return size;
    }
  } catch (const error&) {
    // The tile in use does not run: another will.
  }
  return size;
}

class Search {
 public:
  Search(Queue& queue, const tile::TileKey& key, const TuneOptions& options, TuningLog& log)
      : queue_(queue), device_(queue.context().device()), options_(options), log_(log), result_{key, 0, {}, {}, {}, 0} {
    if (!device_.fp64 && !(key.precision == Precision::s || key.precision == Precision::c)) {
      throw error(errc::unsupported, "device " + device_.name + " has no double precision (cl_khr_fp64), which " +
                                         std::string(name(key.precision)) + " products need");
    }
    result_.before.tile = tile_for(device_, key);
    if (is_over()) return;
    result_.n = options.n ? options.n : log.size(key) ? *log.size(key) : size_of(queue, key, result_.before.tile);
    result_.measurements = log.find(key, result_.n);
    trial_ = make_trial(queue, key, result_.n);
    functions_ = functions_of(*trial_);
  }

  TuneResult run() {
    if (trial_) {
      try_all(first_candidates());
      if (options_.candidates.empty()) {
        while (!is_over() && improve()) {
        }
      }
      choose();
    }
    return std::move(result_);
  }

 private:
  bool is_over() const { return watch_.seconds() >= options_.seconds || options_.stops(); }

  const Measurement* known(const tile::Tile& tile) const {
    for (const Measurement& m : result_.measurements) {
      if (m.tile == tile) return &m;
    }
    return nullptr;
  }

  const Measurement* best() const {
    const Measurement* best = nullptr;
    for (const Measurement& m : result_.measurements) {
      if (m.failure.empty() && (!best || m.gflops > best->gflops)) best = &m;
    }
    return best;
  }

  // What is in use, what was found for other keys of the precision, seeds.
  std::vector<tile::Tile> first_candidates() const {
    std::vector<tile::Tile> all = {result_.before.tile};
    if (!options_.candidates.empty()) {
      all.insert(all.end(), options_.candidates.begin(), options_.candidates.end());
      return all;
    }
    const tile::TunedTiles tuned = tile::tuned_tiles(device_);
    for (const auto* table : {&tuned.user, &tuned.shipped, &tuned.of_architecture}) {
      for (const tile::TunedTile& t : *table) {
        if (t.key.precision == result_.key.precision) all.push_back(t.tile);
      }
    }
    for (const tile::Tile& t : seed_tiles(device_, result_.key)) all.push_back(t);
    return all;
  }

  // Whether one of them is better than what was the best.
  bool try_all(const std::vector<tile::Tile>& tiles) {
    const double had = best() ? best()->gflops : 0.0;
    for (const tile::Tile& tile : tiles) {
      if (is_over()) return false;
      if (!known(tile)) try_one(tile);
    }
    return best() && best()->gflops > had;
  }

  // The neighbours of the best, as far as to one that is better: its neighbours are next.
  bool improve() {
    if (!best()) return false;
    const Measurement from = *best();
    for (const tile::Tile& tile : neighbours(from.tile, device_, result_.key)) {
      if (is_over()) return false;
      if (!known(tile)) try_one(tile);
      if (best()->gflops > from.gflops) return true;
    }
    return false;
  }

  void try_one(const tile::Tile& tile) {
    log_.begin(result_.key, result_.n, tile);
    const Measurement m = measure(functions_, tile, best() ? best()->gflops : 0.0);
    if (m.may_pass) check_device();
    result_.measurements.push_back(m);
    ++result_.tried;
    log_.add(result_.key, result_.n, m);
    options_.reports(m, best() ? *best() : Measurement{});
  }

  // After some failures a device does nothing any more, and the next tiles are not to blame: throws what it says. The
  // trial then stays begun in the log, as if it had ended the process.
  void check_device() {
    float x = 0.0f;
    Buffer<float> buffer(queue_.context(), 1);
    buffer.write(queue_, &x, 0, 1);
    buffer.read(queue_, &x, 0, 1);
  }

  // The best few in turn, so that all of them meet the same clocks. Those that another process found right are looked
  // at again.
  void choose() {
    std::vector<Measurement> all;
    for (const Measurement& m : result_.measurements) {
      if (m.failure.empty()) all.push_back(m);
    }
    if (all.empty()) return;
    auto is_faster = [](const Measurement& x, const Measurement& y) { return x.gflops > y.gflops; };
    std::stable_sort(all.begin(), all.end(), is_faster);
    std::vector<Measurement> finalists;
    for (const Measurement& m : all) {
      const bool is_before = m.tile == result_.before.tile;
      const bool is_close =
          finalists.empty() || (finalists.size() < most_finalists && m.gflops >= close * finalists.front().gflops);
      if (!is_before && !is_close) continue;
      if (const Measurement again = check_again(m.tile); !again.failure.empty()) {
        for (Measurement& known : result_.measurements) {
          if (known.tile == m.tile) known = again;
        }
        log_.add(result_.key, result_.n, again);
        if (again.may_pass) check_device();
        continue;
      }
      finalists.push_back(m);
    }
    if (finalists.size() > 1) time_in_turn(finalists);
    std::stable_sort(finalists.begin(), finalists.end(), is_faster);
    if (!finalists.empty()) result_.best = finalists.front();
    for (const Measurement& m : finalists) {
      if (m.tile == result_.before.tile) result_.before = m;
    }
    if (const Measurement* m = known(result_.before.tile); m && !m->failure.empty()) result_.before = *m;
  }

  // No failure where it still is right.
  Measurement check_again(const tile::Tile& tile) {
    try {
      const bool is_of_this_call =
          std::find_if(result_.measurements.end() - result_.tried, result_.measurements.end(),
                       [&](const Measurement& m) { return m.tile == tile; }) != result_.measurements.end();
      return {tile, 0.0, is_of_this_call ? "" : functions_.find_error(tile)};
    } catch (const error& e) {
      return failed(tile, e);
    }
  }

  void time_in_turn(std::vector<Measurement>& finalists) {
    std::vector<std::vector<double>> seconds(finalists.size());
    Stopwatch watch;
    for (int round = 0; round < final_rounds; ++round) {
      if (round > 0 && watch.seconds() > 0.1 * options_.seconds) break;
      for (std::size_t i = 0; i < finalists.size(); ++i) seconds[i].push_back(trial_->seconds(finalists[i].tile));
    }
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      finalists[i].gflops = gflops(functions_.operations, median(seconds[i]));
    }
  }

  Stopwatch watch_;
  Queue& queue_;
  DeviceInfo device_;
  const TuneOptions& options_;
  TuningLog& log_;
  TuneResult result_;
  std::unique_ptr<Trial> trial_;
  TrialFunctions functions_;
};

}  // namespace

Measurement measure(const TrialFunctions& trial, const tile::Tile& tile, double best_gflops) {
  Measurement m{tile, 0.0, {}};
  try {
    m.failure = trial.find_error(tile);
    if (!m.failure.empty()) return m;
    trial.seconds(tile);
    std::vector<double> seconds;
    Stopwatch watch;
    auto is_hopeless = [&] { return gflops(trial.operations, seconds.front()) < hopeless * best_gflops; };
    while (std::ssize(seconds) < least_runs || (watch.seconds() < enough_seconds && std::ssize(seconds) < most_runs)) {
      seconds.push_back(trial.seconds(tile));
      if (is_hopeless()) break;
    }
    m.gflops = gflops(trial.operations, median(seconds));
    if (m.gflops == 0.0) m.failure = "takes no time by the device's clock";
  } catch (const error& e) {
    return failed(tile, e);
  }
  return m;
}

TuneResult tune(Queue& queue, const tile::TileKey& key, const TuneOptions& options, TuningLog& log) {
  return opencl::guarded("tuning", [&] {
    if (!queue.state()->is_profiled) throw error(errc::invalid_argument, "tune: the queue is made without profiling");
    return Search(queue, key, options, log).run();
  });
}

std::vector<tile::TileKey> keys_of(const DeviceInfo& device) {
  std::vector<tile::TileKey> keys;
  for (Precision p : {Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}) {
    if (!device.fp64 && !(p == Precision::s || p == Precision::c)) continue;
    const bool is_dd = tile::NumberKind{p}.is_double_double();
    // NN, NT, TN, TT: op(A)'s rows lie side by side where A is not transposed, op(B)'s columns where B is.
    for (auto [left, right] : {std::pair(true, false), {true, true}, {false, false}, {false, true}}) {
      if (is_dd && !(left && right)) continue;
      for (tile::SizeClass size : {tile::SizeClass::large, tile::SizeClass::medium, tile::SizeClass::small}) {
        keys.push_back({p, left, right, size});
      }
    }
  }
  return keys;
}

}  // namespace hilo::tune
