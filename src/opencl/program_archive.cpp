#include "opencl/program_archive.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <hilo/device.hpp>
#include <hilo/error.hpp>
#include <utility>

#include "opencl/disk_cache.hpp"
#include "opencl/kernel_text.hpp"

namespace hilo::opencl {
namespace {

constexpr std::string_view magic = "hilo programs 1\n";  // the format's version

struct Field {
  const char* name;  ///< in the file
  const char* what;  ///< for people
  std::string ArchiveHeader::*value;
};

constexpr std::array<Field, 9> fields = {{{"version", "hilo", &ArchiveHeader::version},
                                          {"kernels", "kernels", &ArchiveHeader::kernels},
                                          {"device", "device", &ArchiveHeader::device},
                                          {"vendor", "vendor", &ArchiveHeader::vendor},
                                          {"opencl", "OpenCL version", &ArchiveHeader::opencl},
                                          {"driver", "driver", &ArchiveHeader::driver},
                                          {"units", "number of compute units", &ArchiveHeader::compute_units},
                                          {"options", "build options", &ArchiveHeader::build_options},
                                          {"purpose", "purpose", &ArchiveHeader::purpose}}};

std::string in_one_line(std::string text) {
  for (char& c : text) c = std::iscntrl(static_cast<unsigned char>(c)) ? ' ' : c;
  return text;
}

// The next line of a text, which loses it; nothing where there is none.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::optional<ArchiveHeader> take_header(std::string_view& text) {
  ArchiveHeader header;
  for (const Field& field : fields) {
    const auto line = take_line(text);
    const std::string name = std::string(field.name) + ' ';
    if (!line || !line->starts_with(name)) return std::nullopt;
    header.*field.value = line->substr(name.size());
  }
  return header;
}

}  // namespace

ArchiveHeader archive_header(const DeviceInfo& device, const std::string& build_options, const std::string& purpose) {
  ArchiveHeader header{
      HILO_VERSION,  fingerprint(all_kernel_texts()),      device.name,   device.vendor, device.version,
      device.driver, std::to_string(device.compute_units), build_options, purpose};
  for (const Field& field : fields) header.*field.value = in_one_line(header.*field.value);
  return header;
}

ProgramArchive::ProgramArchive(std::string_view bytes, std::string path) : path_(std::move(path)) {
  if (!bytes.starts_with(magic)) throw error(errc::parse, path_ + " holds no programs of this format of hilo's");
  const auto damaged = [&] { return error(errc::parse, path_ + " is damaged, or not all of a file of programs"); };
  bytes.remove_prefix(magic.size());
  const auto print = take_line(bytes);
  if (!print || *print != fingerprint(bytes)) throw damaged();
  const auto header = take_header(bytes);
  if (!header) throw damaged();
  header_ = *header;
  while (!bytes.empty()) {
    const auto entry = take_entry(bytes);
    if (!entry) throw damaged();
    programs_[entry->key] = {entry->binary.begin(), entry->binary.end()};
  }
}

std::size_t ProgramArchive::size() const {
  const std::lock_guard lock(mutex_);
  return programs_.size();
}

void ProgramArchive::put(const std::string& key, const std::vector<unsigned char>& program) {
  const std::lock_guard lock(mutex_);
  programs_[key] = program;
}

std::optional<std::vector<unsigned char>> ProgramArchive::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = programs_.find(key);
  return found == programs_.end() ? std::nullopt : std::optional(found->second);
}

std::string ProgramArchive::text(const ArchiveHeader& header) const {
  std::string all;
  for (const Field& field : fields) all += std::string(field.name) + ' ' + header.*field.value + '\n';
  const std::lock_guard lock(mutex_);
  for (const auto& [key, program] : programs_) {
    const std::string_view bytes(reinterpret_cast<const char*>(program.data()), program.size());
    all += entry_header(key, bytes);
    all += bytes;
  }
  return std::string(magic) + fingerprint(all) + '\n' + all;
}

void check_archive(const ProgramArchive& archive, const ArchiveHeader& here) {
  for (const Field& field : fields) {
    if (field.value == &ArchiveHeader::purpose) continue;
    const std::string &theirs = archive.header().*field.value, &own = here.*field.value;
    if (theirs == own) continue;
    auto shown = [](const std::string& value) { return value.empty() ? "none" : "'" + value + "'"; };
    throw error(errc::invalid_argument, archive.path() + " is for other " + field.what + ": it has " + shown(theirs) +
                                            ", here is " + shown(own) + "; it must be made anew here");
  }
}

}  // namespace hilo::opencl
