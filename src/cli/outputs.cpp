#include "cli/outputs.hpp"

#include <filesystem>

#include "cli/option.hpp"
#include "host/links.hpp"

namespace hilo::cli {
namespace {

// Empty where the path leads nowhere; what is wrong with it is told where it is written.
std::filesystem::path place_of(const std::string& path) {
  std::error_code failure;
  // Of a relative path of which nothing exists it makes no absolute one.
  const auto absolute = std::filesystem::absolute(path, failure);
  if (failure) return {};
  // It stops at a link to what is not there yet, which would be written all the same.
  const auto target = host::behind_links(absolute);
  if (!target) return {};
  auto place = std::filesystem::weakly_canonical(*target, failure);
  return failure ? std::filesystem::path() : place;
}

}  // namespace

std::vector<std::string> output_paths(std::initializer_list<OutputName> names) {
  std::vector<std::string> paths;
  for (const OutputName* name = names.begin(); name != names.end(); ++name) {
    if (name->path.empty()) continue;
    paths.push_back(name->path);
    const auto place = place_of(name->path);
    for (const OutputName* other = names.begin(); other != name; ++other) {
      if (other->path.empty() || place.empty() || place_of(other->path) != place) continue;
      reject(std::string(other->option) + ' ' + shown(other->path) + " and " + name->option + ' ' + shown(name->path) +
             " are the same file");
    }
  }
  return paths;
}

void OutputFiles::commit() {
  if (files_.size() == 1) return files_.front()->commit();  // in one step, without a second name for what was there
  std::vector<data::OutputFile*> files;
  for (const auto& file : files_) files.push_back(file.get());
  data::OutputFile::commit_all(files);
}

void print_failure(const std::string& failure, const std::vector<std::string>& paths) {
  std::string line = "hilo: " + failure;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    line += (i == 0 ? "; " : i + 1 < paths.size() ? ", " : " and ") + shown(paths[i]);
  }
  std::cerr << line << (paths.empty() ? "" : paths.size() == 1 ? " was not written" : " were not written") << '\n';
}

}  // namespace hilo::cli
