#include "host/tuning_entries.hpp"

#include <hilo/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/tuning_file.hpp"

namespace hilo::host {
namespace {

constexpr int most_depth = 16;  // a number in a tile's list is five deep

// Whether it is nested more deeply than entries are: to copy and to print it would take calls as deep. Asked of what is
// parsed, as a parser that asks on its way looks at all entries again at the end of each.
bool is_too_deep(const Json& all) {
  std::vector<std::pair<const Json*, int>> left = {{&all, 0}};
  while (!left.empty()) {
    const auto [value, depth] = left.back();
    left.pop_back();
    if (!value->is_structured()) continue;
    if (depth == most_depth) return true;
    for (const Json& element : *value) left.emplace_back(&element, depth + 1);
  }
  return false;
}

// An entry a line.
std::string text_of(const Json& entries) {
  std::string text = "{\"format\": " + std::to_string(tuning_format) + ", \"entries\": [";
  const char* separator = "\n";
  for (const Json& entry : entries) {
    text += separator + entry.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n";
  }
  return text + "\n]}\n";
}

}  // namespace

std::filesystem::path tuning_file_to_write() {
  auto file = tuning_file();
  if (!file) throw error(errc::io, "no folder for the tuning file: HILO_TUNING is empty, or there is no HOME");
  return *file;
}

void replace_entries(const std::filesystem::path& file, const std::function<bool(const Json&)>& is_replaced,
                     const Json& added) {
  rewrite(file, [&](const std::string& text) {
    Json kept = Json::array();
    if (Json old = Json::parse(text, nullptr, false); old.is_object() && !is_too_deep(old)) {
      if (old.contains("format") && old["format"] != tuning_format) {
        throw error(errc::io, "tuning file " + file.string() + " has format " + old["format"].dump() + ", expected " +
                                  std::to_string(tuning_format) + "; it is left as it is");
      }
      if (old.contains("entries") && old["entries"].is_array()) kept = old["entries"];
    } else if (!text.empty()) {
      std::error_code ignored;
      std::filesystem::copy_file(file, file.string() + ".broken", std::filesystem::copy_options::overwrite_existing,
                                 ignored);
    }
    Json entries = Json::array();
    for (const Json& entry : kept) {
      if (!is_replaced(entry)) entries.push_back(entry);
    }
    for (const Json& entry : added) entries.push_back(entry);
    return text_of(entries);
  });
}

}  // namespace hilo::host
