#include "host/tuning_entries.hpp"

#include <hilo/error.hpp>
#include <string>

#include "host/tuning_file.hpp"

namespace hilo::host {
namespace {

bool is_too_deep(const std::string& text) {
  constexpr int most = 16;  // a number in a tile's list is five deep
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string && c == '\\') {
      ++i;  // what is escaped
    } else if (c == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string && (c == '[' || c == '{')) {
      if (++depth > most) return true;
    } else if (!is_in_string && (c == ']' || c == '}')) {
      --depth;
    }
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

Json parsed(const std::string& text) {
  return is_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

std::filesystem::path tuning_file_to_write() {
  auto file = tuning_file();
  if (!file) throw error(errc::io, "no folder for the tuning file: HILO_TUNING is empty, or there is no HOME");
  return *file;
}

void replace_entries(const std::filesystem::path& file, const std::function<bool(const Json&)>& is_replaced,
                     const Json& added) {
  rewrite(file, [&](const std::string& text) {
    Json kept = Json::array();
    bool is_broken = !text.empty();
    if (Json old = parsed(text); old.is_object()) {
      if (old.contains("format") && old["format"] != tuning_format) {
        throw error(errc::io, "tuning file " + file.string() + " has format " + old["format"].dump() + ", expected " +
                                  std::to_string(tuning_format) + "; it is left as it is");
      }
      is_broken = old.contains("entries") && !old["entries"].is_array();
      if (old.contains("entries") && !is_broken) kept = old["entries"];
    }
    if (is_broken) {
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
