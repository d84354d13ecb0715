#include "cli/bench/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "cli/json.hpp"
#include "cli/option.hpp"
#include "cli/text.hpp"
#include "data/file.hpp"

namespace hilo::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr double least_noise = 0.02;
constexpr std::int64_t least_runs = 3;
constexpr const char* common_keys[] = {"layout", "accuracy", "fma",  "workspace", "depth",
                                       "int8",   "complex",  "init", "seed"};
constexpr const char* row_keys[] = {
    "routine",       "precision",    "m", "n", "k", "batch", "transa", "transb", "engine", "backend", "platform_number",
    "device_number", "threads_asked"};
constexpr const char* machine_keys[] = {"version", "compiler", "cpu", "cpu_threads"};

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw error(errc::parse, shown(file) + ": " + what + "; expected what hilo bench --json prints");
}

// A value that is a word, a number or null.
json scalar(const std::string& file, const json& object, const std::string& where, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(file, where + key + " is missing");
  if (!found->is_primitive()) refuse(file, where + key + " is no word and no number");
  return *found;
}

double seconds(const std::string& file, const json& object, const std::string& where, const char* key) {
  const json value = scalar(file, object, where, key);
  if (!value.is_number() || !(value.get<double>() >= 0.0)) refuse(file, where + key + " is not a number of seconds");
  return value.get<double>();
}

SavedRow read_row(const std::string& file, const json& bench, const json& row, std::size_t i) {
  const std::string where = "results[" + std::to_string(i) + "].";
  if (!row.is_object()) refuse(file, "results[" + std::to_string(i) + "] is not an object");
  SavedRow saved{};
  for (const char* key : row_keys) saved.key[key] = scalar(file, row, where, key);
  for (const char* key : common_keys) saved.key[key] = scalar(file, bench, "", key);
  const json runs = scalar(file, row, where, "runs");
  if (!runs.is_number_integer() || runs < 1) refuse(file, where + "runs is not a number of runs");
  saved.runs = runs;
  saved.first_quartile = seconds(file, row, where, "seconds_kernel_quartile_1");
  saved.median = seconds(file, row, where, "seconds_kernel");
  saved.third_quartile = seconds(file, row, where, "seconds_kernel_quartile_3");
  if (!(saved.first_quartile <= saved.median && saved.median <= saved.third_quartile) || saved.median == 0.0) {
    refuse(file, where + "seconds_kernel does not lie between its quartiles");
  }
  return saved;
}

// The sizes that a person would give, "512" or "512x512x64".
std::string shape_of(const json& key) {
  const bool is_cube = key["m"] == key["n"] && key["n"] == key["k"];
  return is_cube ? key["n"].dump() : key["m"].dump() + "x" + key["n"].dump() + "x" + key["k"].dump();
}

// A device as -p and -d name it.
std::string name_of_device(const json& row) {
  const bool is_named = !row["platform_number"].is_null() || !row["device_number"].is_null();
  const auto number = [](const json& x) { return x.is_null() ? std::string("0") : x.dump(); };
  return !is_named ? "device" : "device " + number(row["platform_number"]) + ":" + number(row["device_number"]);
}

std::string word(const json& value) { return value.is_string() ? in_one_line(value) : value.dump(); }

// What is measured, in a line's words: those that every row has alike are left out.
std::string words_of(const json& key, const json& alike) {
  std::string text = word(key["routine"]) + " " + shape_of(key);
  for (const auto& [name, value] : key.items()) {
    if (name == "routine" || name == "m" || name == "n" || name == "k" || value.is_null()) continue;
    if (alike.contains(name)) continue;
    const bool is_number = value.is_number();
    text += " " + (is_number ? name + "=" : std::string()) + word(value);
  }
  return text;
}

struct Pair {
  const SavedRow *before, *after;
};

// Rows of both files, and of one alone: of several equal ones the first with the first, and so on.
struct Matched {
  std::vector<Pair> both;
  std::vector<const SavedRow*> only_before, only_after;
};

Matched match(const SavedBench& before, const SavedBench& after) {
  Matched found;
  std::vector<bool> is_taken(after.rows.size());
  for (const SavedRow& row : before.rows) {
    std::size_t i = 0;
    while (i < after.rows.size() && (is_taken[i] || after.rows[i].key != row.key)) ++i;
    if (i == after.rows.size()) {
      found.only_before.push_back(&row);
    } else {
      is_taken[i] = true;
      found.both.push_back({&row, &after.rows[i]});
    }
  }
  for (std::size_t i = 0; i < after.rows.size(); ++i) {
    if (!is_taken[i]) found.only_after.push_back(&after.rows[i]);
  }
  return found;
}

// What all rows have alike.
json alike(const SavedBench& before, const SavedBench& after) {
  json common;
  for (const SavedBench* bench : {&before, &after}) {
    for (const SavedRow& row : bench->rows) {
      if (common.is_null()) common = row.key;
      for (const auto& [name, value] : row.key.items()) {
        if (common.contains(name) && common[name] != value) common.erase(name);
      }
    }
  }
  return common.is_null() ? json::object() : common;
}

struct Difference {
  std::string name;
  json before, after;  ///< null where one has none
};

// Of the machines, in whichever order devices were measured.
std::vector<Difference> differences(const json& before, const json& after) {
  json machines = before;  // of both, what one has alone too
  machines.insert(after.begin(), after.end());
  std::vector<Difference> found;
  for (const auto& item : machines.items()) {
    Difference d{item.key(), before.value(item.key(), json()), after.value(item.key(), json())};
    if (d.before != d.after) found.push_back(std::move(d));
  }
  return found;
}

std::string speed_ratio(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", x);
  return text;
}

std::size_t widest_of(const std::string& lines) {
  std::size_t widest = 0;
  for (const std::string& line : list(lines, '\n')) widest = std::max(widest, line.size());
  return widest;
}

std::array<int, 4> counts(const Matched& found) {
  std::array<int, 4> all{};
  for (const Pair& p : found.both) ++all[static_cast<std::size_t>(verdict(*p.before, *p.after))];
  return all;
}

void print_table(const SavedBench& before, const SavedBench& after, const Matched& found) {
  std::ostream& out = std::cout;
  out << "before     " << in_one_line(before.file) << "\nafter      " << in_one_line(after.file) << '\n';
  for (const Difference& d : differences(before.machine, after.machine)) {
    out << wrapped("differ     ", 11, d.name + ": " + word(d.before) + "; " + word(d.after));
  }
  const json common = alike(before, after);
  if (!found.both.empty()) {
    out << '\n';
    std::vector<Line> lines = {{"before, s", "after, s", "speed", "noise", ""}};
    for (const Pair& p : found.both) {
      lines.push_back({digits(p.before->median), digits(p.after->median),
                       speed_ratio(p.before->median / p.after->median), percent(noise(*p.before, *p.after)) + " %",
                       std::string(name(verdict(*p.before, *p.after)))});
    }
    std::stringstream figures;
    print_lines(figures, lines, [](std::size_t column) { return column >= 4; });
    const std::size_t begin = widest_of(figures.str()) + 2;
    std::string text;
    for (std::size_t i = 0; std::getline(figures, text); ++i) {
      text.resize(begin, ' ');
      out << wrapped(text, begin, i == 0 ? "what" : words_of(found.both[i - 1].before->key, common));
    }
  }
  const auto list = [&](const SavedBench& bench, const std::vector<const SavedRow*>& rows) {
    if (!rows.empty()) out << "\nonly in " << in_one_line(bench.file) << '\n';
    for (const SavedRow* row : rows) out << wrapped("  ", 4, words_of(row->key, common));
  };
  list(before, found.only_before);
  list(after, found.only_after);
  const auto [same, faster, slower, unsure] = counts(found);
  out << '\n' << faster << " faster, " << slower << " slower, " << same << " the same within noise";
  if (unsure) out << ", " << unsure << " unsure (fewer than " << least_runs << " runs)";
  out << '\n';
}

void print_json(const SavedBench& before, const SavedBench& after, const Matched& found) {
  json j;
  const auto keys = [](const std::vector<const SavedRow*>& rows) {
    json all = json::array();
    for (const SavedRow* row : rows) all.push_back(row->key);
    return all;
  };
  j["before"] = {{"file", before.file}, {"machine", before.machine}};
  j["after"] = {{"file", after.file}, {"machine", after.machine}};
  j["machines_differ"] = !differences(before.machine, after.machine).empty();
  j["results"] = json::array();
  for (const Pair& p : found.both) {
    json row = p.before->key;
    row["seconds_before"] = p.before->median;
    row["seconds_after"] = p.after->median;
    row["speed"] = p.before->median / p.after->median;
    row["noise"] = noise(*p.before, *p.after);
    row["verdict"] = name(verdict(*p.before, *p.after));
    j["results"].push_back(row);
  }
  j["only_before"] = keys(found.only_before);
  j["only_after"] = keys(found.only_after);
  const auto [same, faster, slower, unsure] = counts(found);
  j["same"] = same;
  j["faster"] = faster;
  j["slower"] = slower;
  j["unsure"] = unsure;
  print_object(std::cout, j);
}

}  // namespace

SavedBench read_bench(const std::string& file) {
  const json bench = json::parse(data::read_file(file), nullptr, false);
  if (bench.is_discarded()) refuse(file, "is not JSON");
  if (!bench.is_object()) refuse(file, "is not a JSON object");
  SavedBench saved{file, {}, {}};
  const auto results = bench.find("results");
  if (results == bench.end()) refuse(file, "results is missing");
  if (!results->is_array()) refuse(file, "results is not a list");
  for (const char* key : machine_keys) saved.machine[key] = scalar(file, bench, "", key);
  for (std::size_t i = 0; i < results->size(); ++i) {
    saved.rows.push_back(read_row(file, bench, (*results)[i], i));
    const json& row = (*results)[i];
    const json device = scalar(file, row, "results[" + std::to_string(i) + "].", "device");
    if (row["backend"] == "opencl") saved.machine[name_of_device(row)] = device;
  }
  return saved;
}

std::string_view name(Verdict v) {
  constexpr std::string_view names[] = {"same", "faster", "slower", "unsure"};
  return names[static_cast<std::size_t>(v)];
}

double noise(const SavedRow& before, const SavedRow& after) {
  const auto spread = [](const SavedRow& row) { return (row.third_quartile - row.first_quartile) / row.median; };
  return std::max({least_noise, spread(before), spread(after)});
}

Verdict verdict(const SavedRow& before, const SavedRow& after) {
  if (std::min(before.runs, after.runs) < least_runs) return Verdict::unsure;
  const double most = 1.0 + noise(before, after);
  if (before.median > after.median * most && before.first_quartile > after.third_quartile) return Verdict::faster;
  if (after.median > before.median * most && after.first_quartile > before.third_quartile) return Verdict::slower;
  return Verdict::same;
}

int compare_benches(const std::vector<std::string>& files, std::optional<double> fail_on_slower, bool as_json) {
  const SavedBench before = read_bench(files[0]), after = read_bench(files[1]);
  const Matched found = match(before, after);
  (as_json ? print_json : print_table)(before, after, found);
  if (!fail_on_slower) return 0;
  for (const Pair& p : found.both) {
    const bool is_slower = verdict(*p.before, *p.after) == Verdict::slower;
    if (is_slower && p.after->median > p.before->median * (1.0 + *fail_on_slower / 100.0)) return 1;
  }
  return 0;
}

}  // namespace hilo::cli
