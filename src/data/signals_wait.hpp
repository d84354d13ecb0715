// Signals that end the process, held back while it would leave something behind.
#pragma once

namespace hilo::data {

/// While one of these lives, in any thread, the signals that are sent to end a process (SIGHUP, SIGINT, SIGQUIT,
/// SIGTERM, SIGXCPU, SIGXFSZ) wait. They are delivered when the last one ends, to whatever took them before. Those that
/// are ignored stay ignored, and those that the first one's thread blocks are left to who takes them.
class SignalsWait {
 public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

  /// Whether one is waiting.
  static bool has_come();
};

}  // namespace hilo::data
