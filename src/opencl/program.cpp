#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "opencl/disk_cache.hpp"
#include "opencl/embedded.hpp"
#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

std::string file_text(const std::string& name) {
  if (const char* override_path = std::getenv("HILO_KERNEL_PATH"); override_path && *override_path) {
    std::filesystem::path folder(override_path);
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure)) {
      throw error(errc::io, "HILO_KERNEL_PATH = " + folder.string() + " is not a folder");
    }
    std::ifstream file(folder / name, std::ios::binary);
    if (file) return {std::istreambuf_iterator<char>(file), {}};
  }
  for (std::size_t i = 0; i < embedded_file_count; ++i) {
    const EmbeddedFile& file = embedded_files[i];
    if (name == file.name) return {reinterpret_cast<const char*>(file.bytes), file.size};
  }
  throw error(errc::io, "kernel file " + name + " is neither built in nor in HILO_KERNEL_PATH");
}

// The key: whatever decides the binary.
std::string key_of(const ContextState& context, const ProgramText& text) {
  const DeviceInfo& d = context.info;
  std::string all = text.source + '\0' + text.options + '\0' + d.name + '\0' + d.vendor + '\0' + d.version + '\0' +
                    d.driver + '\0' + std::to_string(d.compute_units);
  return fingerprint(all);
}

std::string head_of(const std::string& log) {
  constexpr int lines = 12;
  std::size_t end = 0;
  for (int i = 0; i < lines && end != std::string::npos; ++i) end = log.find('\n', end + (i > 0));
  return log.substr(0, std::min<std::size_t>(end, 2000));
}

std::string build_log(const cl::Program& program, const cl::Device& device) try {
  return program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
} catch (const cl::Error&) {
  return "no build log";
}

bool build_from_disk(const ContextState& context, const ProgramText& text, const std::string& key,
                     cl::Program& program) {
  std::vector<unsigned char> binary = load_binary(key);
  if (binary.empty()) return false;
  try {
    program = cl::Program(context.context, {context.device}, cl::Program::Binaries{binary});
    program.build({context.device}, text.options.c_str());
    return true;
  } catch (const cl::Error&) {
    return false;
  }
}

cl::Program build(const ContextState& context, const ProgramText& text) {
  cl::Program program;
  try {
    program = cl::Program(context.context, text.source);
    program.build({context.device}, text.options.c_str());
    return program;
  } catch (const cl::Error& failure) {
    std::string message = "the OpenCL program " + text.name + " does not build for device " + context.info.name +
                          " (driver " + context.info.driver + "): " + status_name(failure.err());
    if (program()) message += "\n" + head_of(build_log(program, context.device));
    throw error(errc::build_failure, message);
  }
}

void store_on_disk(const ContextState& context, const cl::Program& program, const std::string& key) try {
  auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
    if (devices[i]() == context.device() && !binaries[i].empty()) store_binary(key, binaries[i]);
  }
} catch (const cl::Error&) {
  // A driver that gives no binaries builds anew each time.
}

}  // namespace

ProgramText program_text(const std::string& name, std::initializer_list<const char*> files,
                         const std::string& options) {
  for (const char* relaxed : {"-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math",
                              "-cl-finite-math-only", "-cl-no-signed-zeros", "-cl-denorms-are-zero"}) {
    if (options.find(relaxed) != std::string::npos) {
      throw error(errc::invalid_argument, "OpenCL build option " + std::string(relaxed) +
                                              " breaks double-double arithmetic; none of its kind is allowed");
    }
  }
  ProgramText text{name, "", "-cl-std=CL1.2 " + options};
  for (const char* file : files) {
    text.source += "#line 1 \"" + std::string(file) + "\"\n" + file_text(file) + "\n";
  }
  // Comments hold signs beyond ASCII, which not every OpenCL compiler reads.
  for (char& c : text.source) c = (c & 0x80) ? '?' : c;
  return text;
}

cl::Program ProgramStore::get(const ContextState& context, const ProgramText& text) {
  std::string key = key_of(context, text);
  std::lock_guard lock(mutex_);
  if (auto found = programs_.find(key); found != programs_.end()) return found->second;
  cl::Program program;
  if (!build_from_disk(context, text, key, program)) {
    program = build(context, text);
    store_on_disk(context, program, key);
  }
  programs_.emplace(key, program);
  return program;
}

}  // namespace hilo::opencl
