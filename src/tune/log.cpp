#include <algorithm>
#include <hilo/error.hpp>
#include <sstream>

#include "host/tuning_file.hpp"
#include "opencl/disk_cache.hpp"
#include "opencl/kernel_text.hpp"
#include "tile/json.hpp"
#include "tune/tuner.hpp"

namespace hilo::tune {
namespace {

// Of the kernels as they are now: figures of others do not count.
std::string fingerprint_of_kernels() { return opencl::fingerprint(opencl::all_kernel_texts()); }

std::optional<std::filesystem::path> log_file() {
  auto file = host::tuning_file();
  if (file) *file += ".progress";
  return file;
}

}  // namespace

TuningLog::TuningLog(const DeviceInfo& device) : device_(device), kernels_(fingerprint_of_kernels()) {
  auto file = log_file();
  if (!file) return;
  std::vector<Line> begun;
  auto is_same = [](const Line& x) {
    return [&](const Line& y) { return x.key == y.key && x.n == y.n && x.measurement.tile == y.measurement.tile; };
  };
  std::istringstream text(host::read_text(*file).value_or(""));
  for (std::string line; std::getline(text, line);) {
    const host::Json j = host::parsed(line);
    try {
      if (!tile::is_of_device(j, device) || tile::text_at(j, "kernels") != kernels_) continue;
      const tile::TileKey key = tile::key_at(j);
      Line read{key, tile::integer_at(j, "n"), {tile::tile_at(j, {key.precision}), 0.0, {}}};
      if (j.contains("begun")) {
        begun.push_back(read);
        continue;
      }
      if (j.contains("failure")) {
        read.measurement.failure = tile::text_at(j, "failure");
      } else {
        read.measurement.gflops = tile::number_at(j, "gflops");
      }
      std::erase_if(begun, is_same(read));
      if (j.contains("may_pass")) continue;
      std::erase_if(lines_, is_same(read));
      lines_.push_back(read);
    } catch (const error&) {
    }
  }
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const auto before = begun.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::count_if(begun.begin(), before, is_same(begun[i])) != 1) continue;
    begun[i].measurement.failure = "ends the process";
    lines_.push_back(begun[i]);
  }
}

std::vector<Measurement> TuningLog::find(const tile::TileKey& key, std::int64_t n) const {
  std::vector<Measurement> found;
  for (const Line& line : lines_) {
    if (line.key == key && line.n == n) found.push_back(line.measurement);
  }
  return found;
}

std::optional<std::int64_t> TuningLog::size(const tile::TileKey& key) const {
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->key == key) return line->n;
  }
  return std::nullopt;
}

void TuningLog::begin(const tile::TileKey& key, std::int64_t n, const tile::Tile& tile) {
  write({key, n, {tile, 0, {}}}, true);
}

void TuningLog::add(const tile::TileKey& key, std::int64_t n, const Measurement& m) {
  const Line line{key, n, m};
  write(line, false);
  if (!m.may_pass) lines_.push_back(line);
}

void TuningLog::write(const Line& line, bool is_begun) {
  auto file = log_file();
  if (!file) return;
  const Measurement& m = line.measurement;
  host::Json j;
  tile::put_device(j, device_);
  j["kernels"] = kernels_;
  tile::put_key(j, line.key);
  j["n"] = line.n;
  j["tile"] = tile::json_of(m.tile);
  if (is_begun) {
    j["begun"] = true;
  } else if (m.failure.empty()) {
    j["gflops"] = m.gflops;
  } else {
    j["failure"] = m.failure;
    if (m.may_pass) j["may_pass"] = true;
  }
  host::append_line(*file, j.dump(-1, ' ', false, host::Json::error_handler_t::replace));
}

}  // namespace hilo::tune
