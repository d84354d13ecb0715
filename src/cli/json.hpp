// JSON objects as commands print them.
#pragma once

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/machine.hpp"

namespace hilo::cli {

inline nlohmann::ordered_json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json();
}

/// Keys in this order, null as long as nothing else is said.
inline void add_nulls(nlohmann::ordered_json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) object[key] = nullptr;
}

/// How a problem's computation ended: why what was asked for is not there, empty where it is, and what it took.
inline void add_run(nlohmann::ordered_json& object, const std::string& failure, const Run& run) {
  if (!failure.empty()) object["failure"] = failure;
  object["backend"] = name(run.backend);
  add_nulls(object, {"device"});
  if (!run.device.empty()) object["device"] = run.device;
  object["threads"] = run.threads;
  object["repeat"] = run.repeat;
  object["seconds_kernel"] = run.seconds_kernel;
  object["seconds_total"] = run.seconds_total;
}

/// Lines; bytes that are not UTF-8 are replaced.
template <class Json>
void print_object(std::ostream& out, const Json& object) {
  out << object.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace hilo::cli
