#include "opencl/kernel_text.hpp"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <hilo/error.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "host/user_file.hpp"
#include "opencl/embedded.hpp"

namespace hilo::opencl {
namespace {

std::optional<std::string> text_at(const std::string& path) {
  if (const char* override_path = std::getenv("HILO_KERNEL_PATH"); override_path && *override_path) {
    std::filesystem::path folder(override_path);
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure)) {
      throw error(errc::io, "HILO_KERNEL_PATH = " + folder.string() + " is not a folder");
    }
    constexpr std::size_t most = std::size_t{1} << 20;
    if (auto text = host::read_file(folder / path, host::Owner::any, most)) return text;
  }
  for (std::size_t i = 0; i < embedded_file_count; ++i) {
    const EmbeddedFile& file = embedded_files[i];
    if (path == file.name) return std::string(reinterpret_cast<const char*>(file.bytes), file.size);
  }
  return std::nullopt;
}

// `path` of a line that includes it.
std::optional<std::string> included_by(std::string_view line) {
  constexpr std::string_view directive = "#include \"";
  if (!line.starts_with(directive)) return std::nullopt;
  line.remove_prefix(directive.size());
  return std::string(line.substr(0, line.find('"')));
}

bool is_end_of_condition(std::string_view line) { return line.starts_with("#endif"); }
bool is_condition(std::string_view line) { return line.starts_with("#if"); }

// Includes stand where the compiler would put them. Those of a condition may be mentioned again: a macro says whether
// they are there.
class Resolver {
 public:
  void add(const std::string& path, const std::string& wanted_by, bool is_certain) {
    if (certain_.contains(path) || open_.contains(path)) return;
    const std::optional<std::string> found = text_at(path);
    if (!found) {
      throw error(errc::io, "kernel text " + path + (wanted_by.empty() ? "" : ", which " + wanted_by + " includes,") +
                                " is neither built in nor in HILO_KERNEL_PATH");
    }
    open_.insert(path);
    if (is_certain) certain_.insert(path);
    const std::string macro = macro_of(path);
    text += "#ifndef " + macro + "\n#define " + macro + "\n#line 1 \"" + path + "\"\n";
    std::istringstream lines(*found);
    int number = 0, conditions = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      conditions += is_condition(line) - is_end_of_condition(line);
      if (const auto included = included_by(line)) {
        add(*included, path, is_certain && conditions == 0);
        text += "#line " + std::to_string(number + 1) + " \"" + path + "\"\n";
      } else {
        text += (line == "#pragma once" ? "" : line) + '\n';
      }
    }
    text += "#endif\n";
    open_.erase(path);
  }

  std::string text;

 private:
  static std::string macro_of(const std::string& path) {
    std::string macro = "HAS_" + path;
    for (char& c : macro) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return macro;
  }

  std::set<std::string> certain_, open_;
};

// Comments hold signs beyond ASCII, which not every OpenCL compiler reads.
std::string in_ascii(std::string text) {
  for (char& c : text) c = (c & 0x80) ? '?' : c;
  return text;
}

}  // namespace

std::string kernel_text(const std::string& path) {
  Resolver resolver;
  resolver.add(path, "", true);
  return in_ascii(std::move(resolver.text));
}

std::string all_kernel_texts() {
  std::string all;
  for (std::size_t i = 0; i < embedded_file_count; ++i) {
    const std::string path = embedded_files[i].name;
    if (path.ends_with(".cl") || path.ends_with(".clh")) all += path + '\n' + *text_at(path) + '\n';
  }
  return in_ascii(all);
}

}  // namespace hilo::opencl
