// The ladder of units that multiply bytes: which of them a device can use, by trying, and what is known of that.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "gemm/modular/opencl/bytes.hpp"
#include "opencl/disk_cache.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;

using Clock = std::chrono::steady_clock;

constexpr std::array<ByteUnit, byte_units> best_first = {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product,
                                                         ByteUnit::plain};
constexpr const char* variable = "HILO_INT8_UNIT";

std::string number_of(int compute_capability) {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

std::optional<ByteUnit> asked_for() {
  const char* value = std::getenv(variable);
  if (!value || !*value) return std::nullopt;
  std::string choices;
  for (ByteUnit unit : best_first) {
    if (value == name(unit)) return unit;
    choices += (choices.empty() ? "" : ", ") + std::string(name(unit));
  }
  throw error(errc::invalid_argument, std::string(variable) + " = " + value + " is none of " + choices);
}

// What is asked of a unit. Its triangles and its blocks have kernels of their own, and answers of their own.
struct Question {
  ByteUnit unit;
  BytePart part = BytePart::whole;
};

const char* question_text(BytePart part) {
  switch (part) {
    case BytePart::whole:
      return "self-test of bytes 6\n";
    case BytePart::triangle:
      return "self-test of triangles of bytes 3\n";
    case BytePart::blocks:
      return "self-test of blocks of bytes 2\n";
  }
  return "";
}

// A finding with what decides it: device, driver and text.
std::string key_of(const ContextState& context, const Question& question, const ByteFeatures& features) {
  const DeviceInfo& d = context.info;
  const ByteUnit unit = question.unit;
  std::string all = question_text(question.part) + std::string(name(unit)) + '\n' + d.name + '\n' + d.vendor + '\n' +
                    d.version + '\n' + d.driver + '\n' + std::to_string(d.compute_units);
  for (const ByteTile& tile : byte_tiles(unit)) {
    const opencl::ProgramRecipe recipe = byte_recipe(unit, tile, features, ByteResult::residue, question.part);
    const opencl::ProgramText text = opencl::program_text(recipe.name, recipe.root, recipe.options);
    all += '\n' + text.options + '\n' + text.source;
  }
  if (const std::string& own = context.programs.settings().options; !own.empty()) all += '\n' + own;
  return opencl::fingerprint(all);
}

// On disk, "usable", "obstacle: …", or "fault: …" of a unit that took the device from one process, which may pass.
// Anything else is no finding.
constexpr std::string_view usable = "usable", obstacle_prefix = "obstacle: ", fault_prefix = "fault: ";

std::string text_on_disk(const std::string& key) {
  const std::vector<unsigned char> bytes = opencl::load_binary(key);
  return {bytes.begin(), bytes.end()};
}

void store_text(const std::string& key, std::string_view text) {
  opencl::store_binary(key, {text.begin(), text.end()});
}

std::optional<std::string> finding_on_disk(const std::string& key) {
  const std::string text = text_on_disk(key);
  if (text == usable) return "";
  if (!text.starts_with(obstacle_prefix) || text.size() == obstacle_prefix.size()) return std::nullopt;
  const auto file = opencl::binary_file(key);
  return text.substr(obstacle_prefix.size()) + " (kept in " + (file ? file->string() : "") + ")";
}

// A context that works. After a fault NVIDIA's driver gives a process none.
std::unique_ptr<ContextState> new_context(const ContextState& context) {
  auto own = std::make_unique<ContextState>(cl::Context(context.device), context.device);
  own->programs.change_settings(
      [&](opencl::ProgramSettings& own_settings) { own_settings = context.programs.settings(); });
  cl::CommandQueue queue(own->context, own->device);
  cl::Buffer buffer(own->context, CL_MEM_READ_WRITE, sizeof(cl_int));
  const cl_int zero = 0;
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof zero, &zero);
  return own;
}

// What a self-test says in a context of its own.
struct Trial {
  std::string obstacle;
  std::optional<errc> failure;  // that kept it from an answer
  bool has_context;

  // What a compiler refuses it refuses again; what else fails need not fail the next time.
  bool may_pass() const { return failure && *failure != errc::build_failure; }
};

Trial try_once(const ContextState& context, const Question& question) {
  std::unique_ptr<ContextState> own;
  const auto count = [&] {
    if (own) context.programs.add(own->programs.tally());
    return own != nullptr;
  };
  try {
    own = opencl::guarded("making a context for the self-test of bytes", [&] { return new_context(context); });
    const std::string obstacle = opencl::guarded("running the self-test of bytes",
                                                 [&] { return byte_self_test(*own, question.unit, question.part); });
    return {obstacle, {}, count()};
  } catch (const error& failure) {
    return {failure.what(), failure.code(), count()};
  }
}

// Of a unit that faults: each process that tries it loses the device. One fault may pass, but not the second of two
// processes.
void store_fault(const std::string& key, const std::string& obstacle) {
  const bool is_second = text_on_disk(key).starts_with(fault_prefix);
  store_text(key, std::string(is_second ? obstacle_prefix : fault_prefix) +
                      "takes the device from the whole process: " + obstacle);
}

// Whether the programs are those that any context of the device has, so that what is found holds for all. Those of an
// archive need not be.
bool is_for_all(const ContextState& context) { return !context.programs.settings().source; }

// Keeps answers on disk, right bytes or wrong ones.
Trial probe(const ContextState& context, const Question& question, const std::string& key) {
  const bool is_stored = is_for_all(context);
  Trial trial = try_once(context, question);
  if (trial.may_pass()) {
    Trial again = try_once(context, question);
    // No unit takes the place of plain integers, but halves do that of triangles, and whole products that of blocks.
    const bool has_other = question.unit != ByteUnit::plain || question.part != BytePart::whole;
    if (trial.has_context && !again.has_context && has_other && is_stored) store_fault(key, trial.obstacle);
    if (again.has_context) trial = std::move(again);
  }
  if (!trial.failure && is_stored) {
    store_text(key, trial.obstacle.empty() ? std::string(usable) : std::string(obstacle_prefix) + trial.obstacle);
  }
  return trial;
}

struct Known {
  UnitFinding finding;
  Clock::time_point next;  // trial, where the obstacle may pass
};

Known find(const ContextState& context, const Question& question, const std::string& key) {
  const bool keeps_programs = context.programs.settings().kept != nullptr;  // those of the trial, too
  if (const auto obstacle = keeps_programs ? std::nullopt : finding_on_disk(key)) {
    return {{question.unit, *obstacle}, {}};
  }
  // Products go on with the next unit, triangles by halves, blocks as a whole: they lose little time with this one.
  constexpr int share = 20;
  constexpr Clock::duration longest = std::chrono::seconds(10);
  const Clock::time_point start = Clock::now();
  const Trial trial = probe(context, question, key);
  const Clock::time_point end = Clock::now();
  return {{question.unit, trial.obstacle, trial.may_pass() ? trial.failure : std::nullopt},
          end + std::min(share * (end - start), longest)};
}

// From memory, but for an obstacle that may have passed: where it is time, or where nothing else can be used.
Known find_once(const ContextState& context, const Question& question, const ByteFeatures& features,
                bool is_last_hope) {
  // Never destroyed: destructors of static objects may still multiply.
  static auto& mutex = *new std::mutex;
  static auto& all_known = *new std::map<std::string, Known>;
  const std::string key = key_of(context, question, features);
  const opencl::ProgramSettings& settings = context.programs.settings();
  if (settings.source || settings.kept) return find(context, question, key);  // its own programs are to be tried
  std::lock_guard lock(mutex);
  if (auto found = all_known.find(key); found != all_known.end()) {
    const Known& known = found->second;
    if (!known.finding.passing || (!is_last_hope && Clock::now() < known.next)) return known;
  }
  return all_known.insert_or_assign(key, find(context, question, key)).first->second;
}

// Down to the first that can be used; all of them where none can.
std::vector<UnitFinding> search(const ContextState& context, const ByteFeatures& features, bool is_last_hope) {
  const std::optional<ByteUnit> forced = asked_for();
  std::vector<UnitFinding> findings;
  for (ByteUnit unit : best_first) {
    if (forced && unit != *forced) continue;
    UnitFinding finding{unit, obstacle_of(unit, features)};
    if (unit == ByteUnit::dot_product && !forced && !has_dot(features)) {
      finding.obstacle = "the device has no instruction for products of four bytes";
    }
    if (finding.obstacle.empty()) finding = find_once(context, {unit}, features, is_last_hope).finding;
    findings.push_back(finding);
    if (finding.obstacle.empty()) break;
  }
  return findings;
}

bool is_found(const std::vector<UnitFinding>& findings) { return findings.back().obstacle.empty(); }

// Whether they may be others at another time.
bool may_change(const std::vector<UnitFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const UnitFinding& f) { return f.passing.has_value(); });
}

std::vector<UnitFinding> findings_of(const ContextState& context, const ByteFeatures& features) {
  std::vector<UnitFinding> findings = search(context, features, false);
  if (!is_found(findings) && may_change(findings)) findings = search(context, features, true);
  return findings;
}

[[noreturn]] void refuse(const ContextState& context, const std::vector<UnitFinding>& findings) {
  errc code = errc::self_test_failure;
  std::string obstacles;
  for (const UnitFinding& finding : findings) {
    obstacles += "\n  " + std::string(name(finding.unit)) + ": " + finding.obstacle;
    if (finding.passing) code = *finding.passing;
  }
  throw error(code, "device " + context.info.name + " (driver " + context.info.driver +
                        ") multiplies bytes in no way that can be used:" + obstacles);
}

std::string value_of(const char* of) {
  const char* value = std::getenv(of);
  return value ? value : "";
}

}  // namespace

ByteFeatures byte_features(ContextState& context) {
  return opencl::guarded("asking what a device has for products of bytes", [&] {
    ByteFeatures features{};
    features.compute_capability =
        context.findings.get("compute capability", [&] { return context.info.compute_capability; });
    features.integer_dot = context.findings.get("integer dot product", [&] {
      const std::string extensions = context.device.getInfo<CL_DEVICE_EXTENSIONS>();
      return static_cast<int>(extensions.find("cl_khr_integer_dot_product") != std::string::npos);
    });
    return features;
  });
}

bool has_dot(const ByteFeatures& features) { return features.integer_dot || features.has_dp4a(); }

std::string obstacle_of(ByteUnit unit, const ByteFeatures& features) {
  const int capability = features.compute_capability;
  const bool fits = unit == ByteUnit::wgmma ? capability == 90 : unit != ByteUnit::mma_sync || capability >= 80;
  if (fits) return "";
  const std::string wanted = unit == ByteUnit::wgmma ? "9.0" : "8.0 or more";
  return "needs an NVIDIA device of compute capability " + wanted + ", and this " +
         (capability ? "has " + number_of(capability) : "is no NVIDIA device");
}

std::vector<UnitFinding> find_units(ContextState& context) {
  return opencl::guarded("asking a device what multiplies bytes",
                         [&] { return findings_of(context, byte_features(context)); });
}

ByteUnit byte_unit(ContextState& context) {
  return opencl::guarded("asking a device what multiplies bytes", [&] {
    const std::string key = "byte unit " + value_of(variable) + '\n' + value_of("HILO_KERNEL_PATH");
    if (const std::optional<int> known = context.findings.find(key)) return static_cast<ByteUnit>(*known);
    const std::vector<UnitFinding> findings = findings_of(context, byte_features(context));
    if (!is_found(findings)) refuse(context, findings);
    const ByteUnit unit = findings.back().unit;
    if (!may_change(findings)) context.findings.put(key, static_cast<int>(unit));
    return unit;
  });
}

UnitFinding find_part(ContextState& context, ByteUnit unit, BytePart part) {
  const char* activity = part == BytePart::triangle ? "asking whether a device multiplies triangles of bytes"
                                                    : "asking whether a device multiplies blocks of bytes";
  try {
    return opencl::guarded(activity, [&] {
      return find_once(context, {unit, part}, byte_features(context), false).finding;
    });
  } catch (const error& failure) {
    return {unit, failure.what(), failure.code()};
  }
}

bool multiplies(ContextState& context, ByteUnit unit, BytePart part) {
  const std::string key = (part == BytePart::triangle ? "triangles by " : "blocks by ") + std::string(name(unit)) +
                          '\n' + value_of("HILO_KERNEL_PATH");
  if (const std::optional<int> known = context.findings.find(key)) return *known == 1;
  const UnitFinding finding = find_part(context, unit, part);
  if (!finding.passing) context.findings.put(key, finding.obstacle.empty());
  return finding.obstacle.empty();
}

}  // namespace hilo::modular
