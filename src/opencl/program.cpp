#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>

#include "opencl/disk_cache.hpp"
#include "opencl/kernel_text.hpp"
#include "opencl/late_bound.hpp"
#include "opencl/native.hpp"

namespace hilo::opencl {
namespace {

// The key: whatever decides the binary.
std::string key_of(const ContextState& context, const ProgramText& text) {
  const DeviceInfo& d = context.info;
  std::string all = text.source + '\0' + text.options + '\0' + d.name + '\0' + d.vendor + '\0' + d.version + '\0' +
                    d.driver + '\0' + std::to_string(d.compute_units);
  for (const std::string& instruction : text.late_instructions) all += '\0' + instruction;
  if (text.groups_per_unit) all += '\0' + std::to_string(text.groups_per_unit);
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

// Whether the compiler has seen the text and will not have it. Whatever else keeps a build from its end may pass.
bool is_refused(const ContextState& context, const cl::Program& program, cl_int status) try {
  const bool is_memory = status == CL_OUT_OF_HOST_MEMORY || status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
  return program() && !is_memory && program.getBuildInfo<CL_PROGRAM_BUILD_STATUS>(context.device) == CL_BUILD_ERROR;
} catch (const cl::Error&) {
  return false;
}

[[noreturn]] void refuse(const ContextState& context, const ProgramText& text, const std::string& why) {
  throw error(errc::build_failure, "the OpenCL program " + text.name + " does not build for device " +
                                       context.info.name + " (driver " + context.info.driver + "): " + why);
}

[[noreturn]] void interrupt(const ContextState& context, const ProgramText& text, const cl::Error& failure) {
  try {
    fail("building the program " + text.name + " for device " + context.info.name, failure);
  } catch (const error& e) {
    throw InterruptedBuild(e.code(), e.what());
  }
}

using Binary = std::vector<unsigned char>;

// Throws cl::Error with the build's own status, where the bindings ask for its log first.
void build_now(const ContextState& context, const ProgramText& text, const cl::Program& program) {
  const cl_int status = clBuildProgram(program(), 1, &context.device(), text.options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) throw cl::Error(status, "clBuildProgram");
}

// The same; `program` is what was to be built.
void build_binary(const ContextState& context, const ProgramText& text, const Binary& binary, cl::Program& program) {
  program = cl::Program(context.context, {context.device}, cl::Program::Binaries{binary});
  build_now(context, text, program);
}

std::set<std::string> kernel_names(const cl::Program& program) {
  std::istringstream all(program.getInfo<CL_PROGRAM_KERNEL_NAMES>());
  std::set<std::string> names;
  for (std::string name; std::getline(all, name, ';');) names.insert(name);
  return names;
}

// PoCL keeps what it compiles itself, and for a binary compiles all of a program's kernels, whether they run or not: in
// twice the time.
bool is_kept_on_disk(const ContextState& context) {
  const char* wish = std::getenv("HILO_CACHE");
  if (wish && std::string_view(wish) == "1") return cache_folder().has_value();
  return context.info.version.find(" PoCL ") == std::string::npos && cache_folder();
}

// On disk the names of a program's kernels, a line, stand before its binary: a driver may take a binary that lacks
// some.
bool build_from_disk(const ContextState& context, const ProgramText& text, const std::string& key,
                     cl::Program& program) try {
  const Binary stored = load_binary(key);
  const auto end = std::find(stored.begin(), stored.end(), '\n');
  if (end == stored.end()) return false;
  build_binary(context, text, Binary(end + 1, stored.end()), program);
  std::string line;
  for (const std::string& name : kernel_names(program)) {
    if (text.source.find(name) == std::string::npos) return false;
    line += name + ';';
  }
  return !line.empty() && std::equal(line.begin(), line.end(), stored.begin(), end);
} catch (const cl::Error&) {
  return false;
}

void store(const cl::Program& program, const std::string& key, const Binary& binary) try {
  Binary stored;
  for (const std::string& name : kernel_names(program)) {
    stored.insert(stored.end(), name.begin(), name.end());
    stored.push_back(';');
  }
  stored.push_back('\n');
  stored.insert(stored.end(), binary.begin(), binary.end());
  store_binary(key, stored);
} catch (const cl::Error&) {
  // Built again the next time.
}

cl::Program build(const ContextState& context, const ProgramText& text) {
  cl::Program program;
  try {
    program = cl::Program(context.context, text.source);
    build_now(context, text, program);
    return program;
  } catch (const cl::Error& failure) {
    if (!is_refused(context, program, failure.err())) interrupt(context, text, failure);
    refuse(context, text, status_name(failure.err()) + "\n" + head_of(build_log(program, context.device)));
  }
}

// Empty where nobody needs it, or the driver gives none.
Binary binary_of(const ContextState& context, const ProgramText& text, const cl::Program& program, bool is_kept) try {
  if (!is_kept && text.late_instructions.empty() && text.groups_per_unit == 0) return {};
  auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
    if (devices[i]() == context.device()) return binaries[i];
  }
  return {};
} catch (const cl::Error& failure) {
  // Only the disk needs the others.
  if (text.late_instructions.empty() && text.groups_per_unit == 0) return {};
  interrupt(context, text, failure);
}

// The program whose late instructions are comments becomes the one that has them; `binary` is its text.
cl::Program bind(const ContextState& context, const ProgramText& text, Binary& binary) {
  cl::Program program;
  try {
    const std::string bound =
        bind_late({reinterpret_cast<const char*>(binary.data()), binary.size()}, text.late_instructions);
    binary.assign(bound.begin(), bound.end());
    build_binary(context, text, binary, program);
    return program;
  } catch (const error& failure) {
    refuse(context, text, failure.what());
  } catch (const cl::Error& failure) {
    if (!is_refused(context, program, failure.err())) interrupt(context, text, failure);
    refuse(context, text,
           "with instructions bound late, " + status_name(failure.err()) + "\n" +
               head_of(build_log(program, context.device)));
  }
}

// The program with room for so many work-groups in a unit; the same where its binary has no place to say so.
cl::Program with_room(const ContextState& context, const ProgramText& text, const cl::Program& program,
                      Binary& binary) {
  const std::string bound =
      with_groups_per_unit({reinterpret_cast<const char*>(binary.data()), binary.size()}, text.groups_per_unit);
  if (bound.empty()) return program;
  cl::Program made;
  try {
    const Binary roomy(bound.begin(), bound.end());
    build_binary(context, text, roomy, made);
    binary = roomy;
    return made;
  } catch (const cl::Error& failure) {
    if (!is_refused(context, made, failure.err())) interrupt(context, text, failure);
    return program;
  }
}

}  // namespace

ProgramText program_text(const std::string& name, const std::string& root, const std::string& options) {
  for (const char* relaxed : {"-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math",
                              "-cl-finite-math-only", "-cl-no-signed-zeros", "-cl-denorms-are-zero"}) {
    if (options.find(relaxed) != std::string::npos) {
      throw error(errc::invalid_argument, "OpenCL build option " + std::string(relaxed) +
                                              " breaks double-double arithmetic; none of its kind is allowed");
    }
  }
  return {name, kernel_text(root), "-cl-std=CL1.2 " + options};
}

cl::Program ProgramStore::get(const ContextState& context, const ProgramRecipe& recipe) {
  const char* folder = std::getenv("HILO_KERNEL_PATH");
  std::string key = (folder ? folder : "") + std::string("\n") + recipe.options + '\n' + recipe.root;
  key += '\n' + std::to_string(recipe.groups_per_unit);
  return by_recipe_.get(key, [&] {
    ProgramText text = program_text(recipe.name, recipe.root, recipe.options);
    text.late_instructions = recipe.late_instructions;
    text.groups_per_unit = recipe.groups_per_unit;
    return get(context, text);
  });
}

cl::Program ProgramStore::get(const ContextState& context, const ProgramText& text) {
  std::string key = key_of(context, text);
  std::lock_guard lock(mutex_);
  if (auto found = programs_.find(key); found != programs_.end()) return found->second.program;
  cl::Program program;
  const bool is_kept = is_kept_on_disk(context);
  if (!is_kept || !build_from_disk(context, text, key, program)) {
    program = build(context, text);
    Binary binary = binary_of(context, text, program, is_kept);
    if (!text.late_instructions.empty()) program = bind(context, text, binary);
    if (text.groups_per_unit) program = with_room(context, text, program, binary);
    if (is_kept && !binary.empty()) store(program, key, binary);
  }
  programs_.emplace(key, Made{text, program});
  return program;
}

std::vector<ProgramStore::Made> ProgramStore::made() const {
  std::lock_guard lock(mutex_);
  std::vector<Made> all;
  for (const auto& [key, program] : programs_) all.push_back(program);
  return all;
}

}  // namespace hilo::opencl
