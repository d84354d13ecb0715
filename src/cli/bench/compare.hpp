// `hilo bench --compare`: what changed beyond noise between two results of `hilo bench --json`.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hilo::cli {

/// One object of `results`.
struct SavedRow {
  nlohmann::ordered_json key;  ///< what was measured: equal in both files of rows that are compared
  std::int64_t runs;
  double first_quartile, median, third_quartile;  ///< of the kernel's seconds
};

struct SavedBench {
  std::string file;
  nlohmann::ordered_json machine;  ///< what ran it
  std::vector<SavedRow> rows;
};

/// Reads what `hilo bench --json` printed. Throws hilo::error (io, parse) that names the file and the key.
SavedBench read_bench(const std::string& file);

enum class Verdict : std::uint8_t { same, faster, slower, unsure };
std::string_view name(Verdict);

/// How large a part of the median is noise: the larger of the two spreads between the quartiles relative to the
/// median, and at least 2 %.
double noise(const SavedRow& before, const SavedRow& after);

/// Faster or slower where the medians are further apart than the noise and the ranges between the quartiles are apart;
/// unsure where there are fewer than three runs.
Verdict verdict(const SavedRow& before, const SavedRow& after);

/// Prints what became of each case, as a table or a JSON object. Returns the exit code: 0, or 1 where something is
/// slower by more than so many percent. Throws as read_bench does.
int compare_benches(const std::vector<std::string>& files, std::optional<double> fail_on_slower, bool as_json);

}  // namespace hilo::cli
