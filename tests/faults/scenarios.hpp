// What a program does with hilo on an OpenCL device, small, for calls to fail in.
#pragma once

#include <functional>
#include <hilo/device.hpp>
#include <hilo/gemm.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hilo::test::faults {

/// What one run showed.
struct Findings {
  std::string wrong;       ///< a result, without an error, that is not right; or what nobody may write; else empty
  bool c_changed = false;  ///< after an error
  std::string ran;         ///< engine and unit, as a report or plan says
};

class Scenario {
 public:
  virtual ~Scenario() = default;
  /// All of it. Throws what hilo throws.
  virtual void run(Findings& findings) = 0;
};

struct ScenarioMaker {
  std::string name;
  /// On a queue of that context, or of a new one; "cold" ones make a context in each run.
  std::function<std::unique_ptr<Scenario>(const std::optional<Context>&)> make;
  /// Whether a run takes as much memory as the one before: commands out of order may need more, and so may matrices of
  /// several sizes, one of whose blocks a fault took away.
  bool is_steady = true;
};

const std::vector<ScenarioMaker>& scenarios();
const ScenarioMaker& scenario(const std::string& name);

}  // namespace hilo::test::faults
