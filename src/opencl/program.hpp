// Programs: their text from the embedded kernels, built once for each context and kept on disk.
#pragma once

#include <cstdlib>
#include <hilo/error.hpp>
#include <hilo/programs.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "opencl/bindings.hpp"
#include "opencl/memo.hpp"

namespace hilo::opencl {

struct ContextState;
class ProgramArchive;

/// An option of a program, after others: " -DMACRO=value".
inline std::string define(const char* macro, int value) {
  return std::string(" -D") + macro + "=" + std::to_string(value);
}

/// Loops that CPUs take long to compile unrolled stay loops for them (kernels/number/loops.cl).
inline std::string unrolled(const DeviceInfo& device) { return define("IS_UNROLLED", device.type != DeviceType::cpu); }

struct ProgramText {
  std::string name;  ///< for messages
  std::string source;
  std::string options;
  std::vector<std::string> late_instructions = {};  ///< bound late (opencl/late_bound.hpp); of most programs none
  /// Work-groups that a compute unit shall hold at a time, for which the compiler takes as few registers as that needs;
  /// 0 leaves it to the compiler, as does a driver whose binaries are no PTX.
  int groups_per_unit = 0;
};

/// What a program is made of, before its texts are read.
struct ProgramRecipe {
  std::string name;  ///< for messages
  const char* root;  ///< the text that includes the others
  std::string options;
  std::vector<std::string> late_instructions = {};
  int groups_per_unit = 0;
};

/// The text at `root` with what it includes (opencl/kernel_text.hpp). Throws invalid_argument for options that would
/// break IEEE arithmetic (-cl-mad-enable and its kin).
ProgramText program_text(const std::string& name, const std::string& root, const std::string& options);

/// How a context's programs are made, and contexts' that test its device for it. To be set before the first program.
struct ProgramSettings {
  /// Of all programs, behind options of their own; checked_build_options (opencl/build_options.hpp) gave them.
  std::string options = {};
  std::shared_ptr<const ProgramArchive> source = {};  ///< where set, all come from it, and none is built
  std::shared_ptr<ProgramArchive> kept = {};          ///< where set, takes all of them
};

/// A build that failed for another reason than its text, which may pass.
class InterruptedBuild : public error {
 public:
  using error::error;
};

/// What `build` builds; nothing where the device's compiler does not take the text.
template <class Build>
auto built(Build build) -> std::optional<decltype(build())> {
  try {
    return build();
  } catch (const InterruptedBuild&) {
    throw;
  } catch (const error& e) {
    if (e.code() != errc::build_failure) throw;
    return std::nullopt;
  }
}

/// The programs of one context, by text and options. Thread-safe.
class ProgramStore {
 public:
  /// From memory, from disk, or built. Throws build_failure with the device's name and the head of its log, or with
  /// what late instructions lack, and InterruptedBuild.
  cl::Program get(const ContextState& context, const ProgramText& text);

  /// The same, without a look at the files where this recipe has been asked for before.
  cl::Program get(const ContextState& context, const ProgramRecipe& recipe);

  /// The same, without a look at the recipe either: `key` stands for it, by all that it is made from.
  template <class Key, class MakeRecipe>
  cl::Program get(const ContextState& context, const Key& key, MakeRecipe recipe) {
    static_assert(std::is_trivially_copyable_v<Key> && std::has_unique_object_representations_v<Key>);
    const char* folder = std::getenv("HILO_KERNEL_PATH");
    std::string name(reinterpret_cast<const char*>(&key), sizeof key);
    if (folder) name += folder;
    return by_key_.get(name, [&] { return get(context, recipe()); });
  }

  struct Made {
    ProgramText text;
    cl::Program program;
  };
  /// Alters the settings while there is no program yet; otherwise returns false.
  template <class Change>
  bool change_settings(Change change) {
    const std::lock_guard lock(mutex_);
    if (tally_.built + tally_.from_disk + tally_.loaded > 0) return false;
    ProgramSettings changed = settings_;
    change(changed);
    settings_ = std::move(changed);
    return true;
  }
  ProgramSettings settings() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }

  /// Of all programs by now.
  ProgramTally tally() const;
  /// Counts what another context made for this one's device.
  void add(const ProgramTally& tally) const;

  /// All that there are by now, for who wants to see what runs on the device.
  std::vector<Made> made() const;

 private:
  cl::Program make(const ContextState& context, const ProgramText& text, const std::string& key);

  ProgramSettings settings_;
  mutable std::mutex mutex_;
  mutable ProgramTally tally_;
  Memo<cl::Program> by_recipe_, by_key_;
  std::unordered_map<std::string, Made> programs_;
};

}  // namespace hilo::opencl
