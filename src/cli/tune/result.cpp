#include "cli/tune/result.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <sstream>

#include "cli/json.hpp"
#include "cli/text.hpp"
#include "tile/json.hpp"

namespace hilo::cli {
namespace {

using json = host::Json;

std::string rate(double x) {
  if (x == 0.0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, x < 1000.0 ? "%.4g" : "%.0f", x);
  return text;
}

std::string ratio(double x, double y) {
  if (x == 0.0 || y == 0.0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", x / y);
  return text;
}

std::ptrdiff_t failures(const tune::TuneResult& r) {
  return std::count_if(r.measurements.begin(), r.measurements.end(),
                       [](const tune::Measurement& m) { return !m.failure.empty(); });
}

std::string transposes(const tile::TileKey& key) {
  return std::string(key.left_together ? "N" : "T") + (key.right_together ? "T" : "N");
}

}  // namespace

std::string head(const tile::TileKey& key) {
  const bool is_dd = tile::NumberKind{key.precision}.is_double_double();
  return std::string(name(key.precision)) + "gemm " + (is_dd ? "" : transposes(key) + " ") +
         std::string(name(key.size));
}

void print_table(std::ostream& out, const TuneReport& report) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.0f s", report.seconds);
  out << wrapped("device     ", 11, report.device.name + ", driver " + report.device.driver) << "kept in    "
      << report.file << "\ntime       " << seconds << (report.is_interrupted ? ", interrupted" : "")
      << "\nGFlop/s    of the tile that is best now, and of the one in use before\n\n";
  std::vector<Line> lines = {{"product", "n", "tried", "failed", "GFlop/s", "before", "ratio"}};
  for (const tune::TuneResult& r : report.results) {
    const double best = r.best ? r.best->gflops : 0.0;
    lines.push_back({head(r.key), r.n ? std::to_string(r.n) : "-", std::to_string(r.measurements.size()),
                     std::to_string(failures(r)), rate(best), rate(r.before.gflops), ratio(best, r.before.gflops)});
  }
  // A tile takes a line of its own below its figures.
  std::stringstream figures;
  print_lines(figures, lines, [](std::size_t column) { return column == 0; });
  std::string line;
  std::getline(figures, line);
  out << line << '\n';
  for (const tune::TuneResult& r : report.results) {
    std::getline(figures, line);
    out << line << '\n'
        << wrapped("  ", 4,
                   r.best                   ? to_string(r.best->tile)
                   : r.measurements.empty() ? "no time for it"
                                            : "none is right");
  }
  for (const std::string& what : report.ignored) out << wrapped("ignored    ", 11, in_one_line(what));
}

void print_json(std::ostream& out, const TuneReport& report) {
  json j;
  j["device"] = report.device.name;
  j["driver"] = report.device.driver;
  j["version"] = report.device.version;
  j["file"] = report.file;
  j["seconds"] = report.seconds;
  j["interrupted"] = report.is_interrupted;
  json results = json::array();
  for (const tune::TuneResult& r : report.results) {
    json one;
    tile::put_key(one, r.key);
    one["n"] = r.n;
    one["known"] = r.measurements.size();
    one["tried"] = r.tried;
    one["failed"] = failures(r);
    one["tile"] = r.best ? tile::whole_json_of(r.best->tile) : json();
    one["gflops"] = r.best ? json(r.best->gflops) : json();
    one["tile_before"] = tile::whole_json_of(r.before.tile);
    one["gflops_before"] = r.before.gflops > 0.0 ? json(r.before.gflops) : json();
    json failed = json::array();
    for (const tune::Measurement& m : r.measurements) {
      if (!m.failure.empty()) failed.push_back({{"tile", tile::whole_json_of(m.tile)}, {"failure", m.failure}});
    }
    one["failures"] = failed;
    results.push_back(one);
  }
  j["results"] = results;
  j["ignored"] = report.ignored;
  print_object(out, j);
}

}  // namespace hilo::cli
