// The device that tests run on: queue(), and test_context() for others on it; HILO_TEST_PLATFORM and HILO_TEST_DEVICE
// choose it.
#pragma once

#include <cstdlib>
#include <hilo/device.hpp>

namespace hilo {

inline Context test_context() {
  const char* platform = std::getenv("HILO_TEST_PLATFORM");
  const char* device = std::getenv("HILO_TEST_DEVICE");
  return platform && device ? Context(std::atoi(platform), std::atoi(device)) : Context();
}

inline Queue& queue() {
  // Never destroyed: a runtime's own statics may be gone by then.
  static Queue& q = *new Queue(test_context(), Profiling::on);
  return q;
}

}  // namespace hilo
