#include "host/tuning_entries.hpp"

#include <hilo/error.hpp>
#include <string>

#include "host/tuning_file.hpp"

namespace hilo::host {
namespace {

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
    if (Json old = Json::parse(text, nullptr, false); old.is_object()) {
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
