#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>

#include "opencl/disk_cache.hpp"
#include "opencl/kernel_text.hpp"
#include "opencl/late_bound.hpp"
#include "opencl/native.hpp"
#include "opencl/program_archive.hpp"

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
  // Options are read before the text is.
  if (status == CL_INVALID_BUILD_OPTIONS) return true;
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

// On disk, and in an archive, the names of a program's kernels, a line, stand before its binary: a driver may take a
// binary that lacks some.
Binary with_kernel_names(const cl::Program& program, const Binary& binary) {
  Binary stored;
  for (const std::string& name : kernel_names(program)) {
    stored.insert(stored.end(), name.begin(), name.end());
    stored.push_back(';');
  }
  stored.push_back('\n');
  stored.insert(stored.end(), binary.begin(), binary.end());
  return stored;
}

// Whether it is the program of that text that is stored. Throws cl::Error.
bool build_stored(const ContextState& context, const ProgramText& text, const Binary& stored, cl::Program& program) {
  const auto end = std::find(stored.begin(), stored.end(), '\n');
  if (end == stored.end()) return false;
  build_binary(context, text, Binary(end + 1, stored.end()), program);
  std::string line;
  for (const std::string& name : kernel_names(program)) {
    if (text.source.find(name) == std::string::npos) return false;
    line += name + ';';
  }
  return !line.empty() && std::equal(line.begin(), line.end(), stored.begin(), end);
}

bool build_from_disk(const ContextState& context, const ProgramText& text, const Binary& stored,
                     cl::Program& program) try {
  return build_stored(context, text, stored, program);
} catch (const cl::Error&) {
  return false;
}

// Where all programs come from an archive, one that it lacks is an error and is not built.
cl::Program build_from_archive(const ContextState& context, const ProgramText& text, const std::string& key,
                               const ProgramArchive& archive) {
  const std::string& path = archive.path();
  const std::optional<Binary> stored = archive.find(key);
  if (!stored) {
    throw error(errc::build_failure,
                "the OpenCL program " + text.name + " is not in " + path +
                    ", from which all are to come; it holds those of: " + archive.header().purpose);
  }
  cl::Program program;
  try {
    if (build_stored(context, text, *stored, program)) return program;
    refuse(context, text, path + " holds another under its name");
  } catch (const cl::Error& failure) {
    const cl_int status = failure.err();
    if (status != CL_INVALID_BINARY && !is_refused(context, program, status)) interrupt(context, text, failure);
    refuse(context, text, "its binary in " + path + ", " + status_name(status));
  }
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

// Who wants a program's binary.
enum class Wanted : std::uint8_t {
  by_nobody,
  by_disk,  ///< which can do without
  by_archive
};

// Empty where nobody needs it, or the driver gives none.
Binary binary_of(const ContextState& context, const ProgramText& text, const cl::Program& program, Wanted wanted) try {
  if (wanted == Wanted::by_nobody && text.late_instructions.empty() && text.groups_per_unit == 0) return {};
  auto devices = program.getInfo<CL_PROGRAM_DEVICES>();
  auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  for (std::size_t i = 0; i < devices.size() && i < binaries.size(); ++i) {
    if (devices[i]() == context.device()) return binaries[i];
  }
  return {};
} catch (const cl::Error& failure) {
  if (wanted != Wanted::by_archive && text.late_instructions.empty() && text.groups_per_unit == 0) return {};
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

// What is stored of a program that was built; empty where that is not to be had, but an archive lacks nothing.
Binary stored_of(const ContextState& context, const ProgramText& text, const cl::Program& program, const Binary& binary,
                 Wanted wanted) try {
  if (wanted == Wanted::by_nobody) return {};
  if (!binary.empty()) return with_kernel_names(program, binary);
  if (wanted == Wanted::by_archive) refuse(context, text, "the driver gives no binary of it, and it is to be kept");
  return {};
} catch (const cl::Error& failure) {
  if (wanted == Wanted::by_archive) interrupt(context, text, failure);
  return {};
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
  // Compilers that print how much they warned of print it for users, who can do nothing about hilo's own kernels.
  const char* warnings = std::getenv("HILO_KERNEL_PATH") ? "" : "-w ";
  return {name, kernel_text(root), "-cl-std=CL1.2 " + std::string(warnings) + options};
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

cl::Program ProgramStore::get(const ContextState& context, const ProgramText& wanted) {
  ProgramText text = wanted;
  std::lock_guard lock(mutex_);
  if (!settings_.options.empty()) text.options += ' ' + settings_.options;
  const std::string key = key_of(context, text);
  if (auto found = programs_.find(key); found != programs_.end()) return found->second.program;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const cl::Program program = make(context, text, key);
  tally_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  programs_.emplace(key, Made{text, program});
  return program;
}

cl::Program ProgramStore::make(const ContextState& context, const ProgramText& text, const std::string& key) {
  if (settings_.source) {
    const cl::Program program = build_from_archive(context, text, key, *settings_.source);
    ++tally_.loaded;
    return program;
  }
  const bool is_on_disk = is_kept_on_disk(context);
  cl::Program program;
  Binary stored = is_on_disk ? load_binary(key) : Binary();
  if (!stored.empty() && build_from_disk(context, text, stored, program)) {
    ++tally_.from_disk;
  } else {
    const Wanted wanted = settings_.kept ? Wanted::by_archive : is_on_disk ? Wanted::by_disk : Wanted::by_nobody;
    program = build(context, text);
    Binary binary = binary_of(context, text, program, wanted);
    if (!text.late_instructions.empty()) program = bind(context, text, binary);
    if (text.groups_per_unit) program = with_room(context, text, program, binary);
    stored = stored_of(context, text, program, binary, wanted);
    if (is_on_disk && !stored.empty()) store_binary(key, stored);
    ++tally_.built;
  }
  if (settings_.kept) settings_.kept->put(key, stored);
  return program;
}

ProgramTally ProgramStore::tally() const {
  std::lock_guard lock(mutex_);
  return tally_;
}

void ProgramStore::add(const ProgramTally& others) const {
  std::lock_guard lock(mutex_);
  tally_.built += others.built;
  tally_.from_disk += others.from_disk;
  tally_.loaded += others.loaded;
  tally_.seconds += others.seconds;
}

std::vector<ProgramStore::Made> ProgramStore::made() const {
  std::lock_guard lock(mutex_);
  std::vector<Made> all;
  for (const auto& [key, program] : programs_) all.push_back(program);
  return all;
}

}  // namespace hilo::opencl
