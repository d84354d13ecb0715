// The list of entries in the user's tuning file, whatever they are for: {"format": 1, "entries": [{…}, …]}.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace hilo::host {

using Json = nlohmann::ordered_json;

inline constexpr int tuning_format = 1;

/// A file of such entries, or one of them; discarded where the text is no JSON, or nested more deeply than they are: to
/// parse and to copy it takes calls as deep.
Json parsed(const std::string& text);

/// The file without the entries that is_replaced tells, and with those of the list `added`; what others write there
/// meanwhile stays. A file that is no JSON, nested too deeply or without a list of entries where it has some is kept as
/// ….broken; one of another format is not touched. Throws io.
void replace_entries(const std::filesystem::path& file, const std::function<bool(const Json&)>& is_replaced,
                     const Json& added);

/// The user's file to write to. Throws io where there is none.
std::filesystem::path tuning_file_to_write();

}  // namespace hilo::host
