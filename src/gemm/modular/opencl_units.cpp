#include "gemm/modular/opencl_units.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>

#include "opencl/disk_cache.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;

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

// A finding with what decides it: device, driver and text.
std::string key_of(const ContextState& context, ByteUnit unit, const ByteFeatures& features) {
  const DeviceInfo& d = context.info;
  std::string all = "self-test of bytes 2\n" + std::string(name(unit)) + '\n' + d.name + '\n' + d.vendor + '\n' +
                    d.version + '\n' + d.driver + '\n' + std::to_string(d.compute_units);
  for (const ByteTile& tile : byte_tiles(unit)) {
    const opencl::ProgramRecipe recipe = byte_recipe(unit, tile, features);
    const opencl::ProgramText text = opencl::program_text(recipe.name, recipe.files, recipe.options);
    all += '\n' + text.options + '\n' + text.source;
  }
  return opencl::fingerprint(all);
}

// On disk, "usable" or "obstacle: …"; anything else is no finding.
constexpr std::string_view usable = "usable", obstacle_prefix = "obstacle: ";

std::optional<std::string> finding_on_disk(const std::string& key) {
  const std::vector<unsigned char> bytes = opencl::load_binary(key);
  const std::string text(bytes.begin(), bytes.end());
  if (text == usable) return "";
  if (text.starts_with(obstacle_prefix) && text.size() > obstacle_prefix.size()) {
    return text.substr(obstacle_prefix.size());
  }
  return std::nullopt;
}

void store_finding(const std::string& key, const std::string& obstacle) {
  const std::string text = obstacle.empty() ? std::string(usable) : std::string(obstacle_prefix) + obstacle;
  opencl::store_binary(key, {text.begin(), text.end()});
}

struct Probe {
  std::string obstacle;
  bool may_pass;  // next time
};

// A context that works. After a fault NVIDIA's driver gives a process none.
std::unique_ptr<ContextState> new_context(const ContextState& context) {
  auto own = std::make_unique<ContextState>(cl::Context(context.device), context.device);
  cl::CommandQueue queue(own->context, own->device);
  cl::Buffer buffer(own->context, CL_MEM_READ_WRITE, sizeof(cl_int));
  const cl_int zero = 0;
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof zero, &zero);
  return own;
}

Probe probe(const ContextState& context, ByteUnit unit) {
  std::unique_ptr<ContextState> own;
  try {
    own = opencl::guarded("making a context for the self-test of bytes", [&] { return new_context(context); });
    return {opencl::guarded("running the self-test of bytes", [&] { return byte_self_test(*own, unit); }), false};
  } catch (const error& failure) {
    return {failure.what(), !own || failure.code() == errc::out_of_memory};
  } catch (const std::exception& failure) {
    return {failure.what(), true};
  }
}

std::string find_obstacle(const ContextState& context, ByteUnit unit, const ByteFeatures& features) {
  static std::mutex mutex;
  static std::map<std::string, std::string> findings;
  const std::string key = key_of(context, unit, features);
  std::lock_guard lock(mutex);
  if (auto found = findings.find(key); found != findings.end()) return found->second;
  std::optional<std::string> obstacle = finding_on_disk(key);
  if (!obstacle) {
    const Probe outcome = probe(context, unit);
    obstacle = outcome.obstacle;
    if (!outcome.may_pass) store_finding(key, *obstacle);
  }
  return findings.emplace(key, *obstacle).first->second;
}

std::vector<UnitFinding> findings_of(const ContextState& context, const ByteFeatures& features) {
  const std::optional<ByteUnit> forced = asked_for();
  std::vector<UnitFinding> findings;
  for (ByteUnit unit : best_first) {
    if (forced && unit != *forced) continue;
    std::string obstacle = obstacle_of(unit, features);
    if (unit == ByteUnit::dot_product && !forced && !has_dot(features)) {
      obstacle = "the device has no instruction for products of four bytes";
    }
    if (obstacle.empty()) obstacle = find_obstacle(context, unit, features);
    findings.push_back({unit, obstacle});
    if (obstacle.empty()) break;
  }
  return findings;
}

}  // namespace

ByteFeatures byte_features(opencl::ContextState& context) {
  auto extensions = [&] { return context.device.getInfo<CL_DEVICE_EXTENSIONS>(); };
  ByteFeatures features{};
  features.compute_capability = context.findings.get("compute capability", [&] {
    if (extensions().find("cl_nv_device_attribute_query") == std::string::npos) return 0;
    constexpr cl_device_info major_number = 0x4000, minor_number = 0x4001;
    cl_uint major = 0, minor = 0;
    if (clGetDeviceInfo(context.device(), major_number, sizeof major, &major, nullptr) != CL_SUCCESS) return 0;
    if (clGetDeviceInfo(context.device(), minor_number, sizeof minor, &minor, nullptr) != CL_SUCCESS) return 0;
    return static_cast<int>(10 * major + minor);
  });
  features.integer_dot = context.findings.get("integer dot product", [&] {
    return static_cast<int>(extensions().find("cl_khr_integer_dot_product") != std::string::npos);
  });
  return features;
}

bool has_dot(const ByteFeatures& features) { return features.integer_dot || features.compute_capability >= 61; }

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
  const char *asked = std::getenv(variable), *folder = std::getenv("HILO_KERNEL_PATH");
  const std::string key = std::string("byte unit ") + (asked ? asked : "") + '\n' + (folder ? folder : "");
  // Before the search, as both are remembered in the same place.
  const ByteFeatures features = byte_features(context);
  return static_cast<ByteUnit>(context.findings.get(key, [&] {
    std::string obstacles;
    for (const UnitFinding& finding : findings_of(context, features)) {
      if (finding.obstacle.empty()) return static_cast<int>(finding.unit);
      obstacles += "\n  " + std::string(name(finding.unit)) + ": " + finding.obstacle;
    }
    throw error(errc::self_test_failure, "device " + context.info.name + " (driver " + context.info.driver +
                                             ") multiplies bytes in no way that can be used:" + obstacles);
  }));
}

}  // namespace hilo::modular
