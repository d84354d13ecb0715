// Programs: their text from the embedded kernels, built once for each context and kept on disk.
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "opencl/bindings.hpp"

namespace hilo::opencl {

struct ContextState;

struct ProgramText {
  std::string name;  ///< for messages
  std::string source;
  std::string options;
};

/// The files one after the other. A file that the folder $HILO_KERNEL_PATH holds is taken from there. Throws io where
/// that is no folder, and invalid_argument for options that would break IEEE arithmetic (-cl-mad-enable and its kin).
ProgramText program_text(const std::string& name, std::initializer_list<const char*> files, const std::string& options);

/// The programs of one context, by text and options. Thread-safe.
class ProgramStore {
 public:
  /// From memory, from disk, or built. Throws build_failure with the device's name and the head of its log.
  cl::Program get(const ContextState& context, const ProgramText& text);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, cl::Program> programs_;
};

}  // namespace hilo::opencl
