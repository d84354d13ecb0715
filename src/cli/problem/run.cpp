#include "cli/problem/run.hpp"

#include "data/matrix.hpp"

namespace hilo::cli {
namespace {

std::optional<Queue> opened_queue(const ProblemRequest& request) {
  for (const std::string& path : request.outputs) data::check_writable(path);
  return open_queue(request.place, Profiling::off);  // calls return when all is done, and are timed by the clock
}

}  // namespace

ProblemRun::ProblemRun(const ProblemArguments& arguments, const ProblemRequest& request, int threads)
    : outputs_(request.outputs),
      is_json_(arguments.json),
      repeat_(request.repeat),
      threads_(threads),
      queue_(opened_queue(request)),
      progress_(arguments.json),
      run_{request.place.backend, queue_ ? queue_->context().device().name : cpu_name(), queue_ ? 0 : threads} {}

error ProblemRun::named(const error& e, const std::string& matrix) {
  const std::string message = e.what();
  constexpr std::string_view buffer = "Buffer: ";
  return error(e.code(), matrix + ": " + (message.starts_with(buffer) ? message.substr(buffer.size()) : message));
}

}  // namespace hilo::cli
