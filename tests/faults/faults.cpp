#include "faults.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace hilo::test::faults {
namespace {

struct Object {
  Kind kind;
  std::int64_t references = 1, failed_releases = 0, mappings = 0;
  void (*release)(void*) = nullptr;
};

struct State {
  std::mutex mutex;
  bool is_armed = false;
  Fault fault{};
  std::int64_t calls = 0, released_too_often = 0;
  std::set<std::string> failed;
  std::map<void*, Object> objects;
};

// Never destroyed: other statics' destructors release objects.
State& state() {
  static State& s = *new State;
  return s;
}

std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

cl_int status_of(const Fault& f, std::int64_t call, bool is_reference) {
  switch (f.when) {
    case When::once:
      return call == f.call ? f.status : CL_SUCCESS;
    case When::from_then_on:
      return call >= f.call ? f.status : CL_SUCCESS;
    case When::lost:
      return call >= f.call && !is_reference ? f.status : CL_SUCCESS;
    case When::random:
      break;
  }
  const std::uint64_t drawn = hash(f.seed ^ hash(static_cast<std::uint64_t>(call)));
  if (drawn % static_cast<std::uint64_t>(f.call) != 0) return CL_SUCCESS;
  return usual_statuses[(drawn >> 40) % usual_statuses.size()];
}

}  // namespace

void arm(const Fault& fault) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.is_armed = true;
  s.fault = fault;
  s.calls = 0;
  s.failed.clear();
}

void disarm() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.is_armed = false;
}

std::int64_t calls() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.calls;
}

std::set<std::string> failed() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.failed;
}

Live live(bool counts_failed_releases) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  Live count{};
  for (const auto& [object, o] : s.objects) {
    const std::int64_t failed_releases = counts_failed_releases ? o.failed_releases : 0;
    const std::int64_t held = std::max<std::int64_t>(o.references - failed_releases, 0);
    count[static_cast<std::size_t>(o.kind)] += held;
    if (held) count[static_cast<std::size_t>(Kind::mapping)] += o.mappings;
  }
  return count;
}

std::string more(const Live& now, const Live& before) {
  std::string text;
  for (std::size_t i = 0; i < kinds; ++i) {
    if (now[i] <= before[i]) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(now[i] - before[i]) + " " + std::string(kind_names[i]);
  }
  return text;
}

std::int64_t released_too_often() {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  return s.released_too_often;
}

void settle() {
  State& s = state();
  std::vector<std::pair<void*, Object>> left;
  {
    const std::lock_guard lock(s.mutex);
    for (const auto& [object, o] : s.objects) {
      if (o.failed_releases) left.emplace_back(object, o);
    }
    for (const auto& [object, o] : left) s.objects.erase(object);
  }
  for (const auto& [object, o] : left) {
    for (std::int64_t i = 0; i < o.references; ++i) o.release(object);
  }
}

cl_int next_call(const char* name, bool is_reference) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ++s.calls;
  if (!s.is_armed) return CL_SUCCESS;
  const cl_int status = status_of(s.fault, s.calls, is_reference);
  if (status != CL_SUCCESS) s.failed.insert(name);
  return status;
}

void note_created(Kind kind, void* object) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  s.objects[object] = {kind};
}

void note_retained(Kind kind, void* object) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  auto [found, is_new] = s.objects.try_emplace(object, Object{kind});
  if (!is_new) ++found->second.references;
}

bool note_released(void* object) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  auto found = s.objects.find(object);
  if (found == s.objects.end()) {
    ++s.released_too_often;
    return false;
  }
  Object& o = found->second;
  if (--o.references == 0) s.objects.erase(found);
  return true;
}

void note_failed_release(void* object, void (*release)(void*)) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  auto found = s.objects.find(object);
  if (found == s.objects.end()) return;
  ++found->second.failed_releases;
  found->second.release = release;
}

void note_mapped(void* buffer, int change) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  auto found = s.objects.find(buffer);
  if (found != s.objects.end()) found->second.mappings += change;
}

}  // namespace hilo::test::faults
