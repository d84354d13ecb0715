// Descriptions of devices: read from JSON, and those that the library brings along.
#include <algorithm>
#include <cmath>
#include <hilo/error.hpp>
#include <hilo/model.hpp>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "host/escaped.hpp"
#include "model/shipped_devices.hpp"

namespace hilo::model {
namespace {

using nlohmann::json;

constexpr int most_depth = 16;  // a pattern's steps are four deep

// What a description may not be and the parser lets pass: deeper than a pattern's steps, whose values messages show by
// calls as deep as they are, and an object with a key twice, of which only the last would count.
class Watch {
 public:
  explicit Watch(const std::string& where) : where_(where) {}

  void operator()(int depth, json::parse_event_t event, const json& value) {
    if (depth > most_depth) throw error(errc::parse, where_ + ": is nested too deeply to be a description");
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(value.get<std::string>()).second) {
      throw error(errc::parse, where_ + ": has the key " + value.dump().substr(0, 60) + " twice in one object");
    }
  }

 private:
  const std::string& where_;
  std::vector<std::set<std::string>> open_;  // the keys by now of each object that is not at its end
};

// An object of a description, read key by key: what is wrong is told with where it stands.
class Object {
 public:
  Object(const json& value, std::string where) : value_(value), where_(std::move(where)) {
    if (!value.is_object()) refuse("is no object");
  }

  [[noreturn]] void refuse(const std::string& what) const { throw error(errc::parse, where_ + what); }

  /// Before all else: a key that means nothing is probably a misspelt one.
  void expect_keys(std::initializer_list<const char*> keys) const {
    for (const auto& item : value_.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
      std::string all;
      for (const char* key : keys) all += (all.empty() ? "" : ", ") + std::string(key);
      refuse("has the unknown key \"" + host::escaped(item.key()) + "\", expected some of " + all);
    }
  }

  bool has(const char* key) const { return value_.contains(key); }

  std::string text(const char* key) const {
    const json& x = needed(key, "a text");
    if (!x.is_string() || x.get_ref<const std::string&>().empty()) expected(key, "a text that is not empty");
    return x.get<std::string>();
  }
  std::string text_or(const char* key, const char* otherwise) const { return has(key) ? text(key) : otherwise; }

  double number(const char* key) const {
    needed(key, "a positive number");
    return number_or(key, 0.0);
  }
  double number_or(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    const double x = value_[key].is_number() ? value_[key].get<double>() : 0.0;
    if (!(x > 0.0 && std::isfinite(x))) expected(key, "a positive number");
    return x;
  }

  int integer(const char* key) const {
    needed(key, "an integer from 1");
    return integer_or(key, 0);
  }
  int integer_or(const char* key, int otherwise) const { return has(key) ? integer_of(value_[key], key) : otherwise; }

  bool flag_or(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!value_[key].is_boolean()) expected(key, "true or false");
    return value_[key].get<bool>();
  }

  Object object(const char* key) const { return {needed(key, "an object"), where_ + '"' + key + "\" "}; }

  /// f(Object) for each element of a list of objects, if there is one.
  template <class F>
  void for_objects(const char* key, F f) const {
    for_elements(key, [&](const json& x, const std::string& where) { f(Object(x, where)); });
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> all;
    for_elements(key, [&](const json& x, const std::string&) {
      if (!(x.is_number() && x.get<double>() > 0.0)) expected(key, "a list of positive numbers");
      all.push_back(x.get<double>());
    });
    return all;
  }
  std::vector<int> integers(const char* key) const {
    std::vector<int> all;
    for_elements(key, [&](const json& x, const std::string&) { all.push_back(integer_of(x, key)); });
    return all;
  }

  [[noreturn]] void expected(const char* key, const std::string& what) const {
    refuse("has \"" + std::string(key) + "\": " + (has(key) ? value_[key].dump().substr(0, 60) : "") + ", expected " +
           what);
  }

 private:
  const json& needed(const char* key, const char* what) const {
    if (!has(key)) refuse("has no \"" + std::string(key) + "\", expected " + what);
    return value_[key];
  }
  int integer_of(const json& x, const char* key) const {
    constexpr double most = std::numeric_limits<int>::max();
    if (!(x.is_number_integer() && x.get<double>() >= 1.0 && x.get<double>() <= most)) {
      expected(key, "an integer from 1 to " + std::to_string(std::numeric_limits<int>::max()));
    }
    return x.get<int>();
  }
  template <class F>
  void for_elements(const char* key, F f) const {
    if (!has(key)) return;
    if (!value_[key].is_array()) expected(key, "a list");
    for (std::size_t i = 0; i < value_[key].size(); ++i) {
      f(value_[key][i], where_ + '"' + key + "\", element " + std::to_string(i) + ' ');
    }
  }

  const json& value_;
  std::string where_;
};

Precision precision_at(const Object& o) {
  const std::string word = o.text("precision");
  for (Precision p : {Precision::s, Precision::d, Precision::c, Precision::z, Precision::dd, Precision::zdd}) {
    if (word == name(p)) return p;
  }
  o.expected("precision", "s, d, c, z, dd or zdd");
}

// Which of two words a key has.
bool is_second(const Object& o, const char* key, const char* first, const char* second) {
  const std::string word = o.text(key);
  if (word != first && word != second) o.expected(key, "\"" + std::string(first) + "\" or \"" + second + "\"");
  return word == second;
}

PatternStep step_of(const Object& o) {
  o.expect_keys({"name", "count", "cycles", "paired_cycles", "multiplies_adds"});
  const double cycles = o.number("cycles");
  return {o.text("name"), o.integer("count"), cycles, o.number_or("paired_cycles", cycles),
          o.flag_or("multiplies_adds", false)};
}

Pattern pattern_of(const Object& o) {
  o.expect_keys({"name", "issue", "steps"});
  Pattern p{o.text("name"), is_second(o, "issue", "single", "dual") ? Issue::dual : Issue::single, {}};
  o.for_objects("steps", [&](const Object& step) { p.steps.push_back(step_of(step)); });
  if (p.steps.empty()) o.refuse("has no \"steps\", expected a list of instructions");
  return p;
}

KernelRate kernel_of(const Object& o) {
  o.expect_keys({"name", "precision", "engine", "n", "gflops"});
  return {o.text("name"), precision_at(o), is_second(o, "engine", "direct", "modular"), o.integer("n"),
          o.number("gflops")};
}

void read_rates(const Object& o, Device& d) {
  d.units = o.integer_or("units", 0);
  d.gflops_s = o.number_or("gflops_s", 0.0);
  d.gflops_d = o.number_or("gflops_d", 0.0);
  d.matrix_gflops_d = o.number_or("matrix_gflops_d", 0.0);
  d.double_gops = o.number_or("double_gops", 0.0);
  d.has_fma = o.flag_or("has_fma", false);
  d.byte_gops = o.number_or("byte_gops", 0.0);
  d.sustained_byte_gops = o.number_or("sustained_byte_gops", 0.0);
  d.byte_unit = o.text_or("byte_unit", "");
  d.memory_gbytes = o.number_or("memory_gbytes", 0.0);
  d.cache_gbytes = o.number_or("cache_gbytes", 0.0);
  d.bus_gbytes = o.numbers("bus_gbytes");
  d.dd_gflops = o.number_or("dd_gflops", 0.0);
  d.dd_gflops_fast = o.number_or("dd_gflops_fast", 0.0);
}

void read_multiprocessor(const Object& o, Device& d) {
  if (o.has("registers")) {
    const Object r = o.object("registers");
    r.expect_keys({"file", "width", "most", "bytes"});
    d.file = {r.integer("file"), r.integer("width"), r.integer("most")};
    d.register_bytes = r.integer("bytes");
  }
  d.kernel_registers = o.integers("kernel_registers");
  d.shared_bytes = o.integer_or("shared_bytes", 0);
  d.most_threads = o.integer_or("most_threads", 0);
  if (o.has("group")) {
    const Object g = o.object("group");
    g.expect_keys({"threads", "depth", "address_registers"});
    d.group_threads = g.integer("threads");
    const auto edge = std::int64_t{std::lround(std::sqrt(d.group_threads))};
    if (edge * edge != d.group_threads) g.expected("threads", "a square");
    d.group_depth = g.integer("depth");
    d.address_registers = g.integer("address_registers");
  }
  o.for_objects("loads", [&](const Object& l) {
    l.expect_keys({"name", "words", "throughput"});
    const double throughput = l.number_or("throughput", 1.0);
    if (throughput > 1.0) l.expected("throughput", "a number in (0, 1]");
    d.loads.push_back({l.text("name"), l.integer("words"), throughput});
  });
}

}  // namespace

Device parse_device(const std::string& text, const std::string& where) {
  Watch watch(where);
  const auto check = [&](int depth, json::parse_event_t event, const json& value) {
    watch(depth, event, value);
    return true;
  };
  const json all = json::parse(text, check, false);
  if (all.is_discarded()) throw error(errc::parse, where + ": is no JSON");
  const Object o(all, where + ": ");
  o.expect_keys({"device",
                 "name",
                 "source",
                 "units",
                 "gflops_s",
                 "gflops_d",
                 "matrix_gflops_d",
                 "double_gops",
                 "has_fma",
                 "byte_gops",
                 "sustained_byte_gops",
                 "byte_unit",
                 "memory_gbytes",
                 "cache_gbytes",
                 "bus_gbytes",
                 "dd_gflops",
                 "dd_gflops_fast",
                 "registers",
                 "kernel_registers",
                 "shared_bytes",
                 "most_threads",
                 "group",
                 "loads",
                 "double_double",
                 "multiply_add_cycles",
                 "patterns",
                 "kernels"});
  Device d;
  d.key = o.text("device");
  d.name = o.text("name");
  d.source = o.text("source");
  read_rates(o, d);
  read_multiprocessor(o, d);
  o.for_objects("double_double", [&](const Object& c) {
    c.expect_keys({"name", "additions", "multiplications"});
    d.double_double.push_back({c.text("name"), c.number("additions"), c.number("multiplications")});
  });
  o.for_objects("patterns", [&](const Object& p) { d.patterns.push_back(pattern_of(p)); });
  d.multiply_add_cycles =
      d.patterns.empty() ? o.number_or("multiply_add_cycles", 0.0) : o.number("multiply_add_cycles");
  o.for_objects("kernels", [&](const Object& k) { d.kernels.push_back(kernel_of(k)); });
  return d;
}

const std::vector<Device>& shipped_devices() {
  static const auto& devices = *new std::vector<Device>([] {
    std::vector<Device> all;
    for (const char* text : shipped_device_texts()) all.push_back(parse_device(text, "a shipped device"));
    return all;
  }());
  return devices;
}

const Device& shipped_device(std::string_view key) {
  auto lower = [](std::string_view word) {
    std::string w(word);
    for (char& c : w) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return w;
  };
  std::string keys;
  for (const Device& d : shipped_devices()) {
    if (d.key == lower(key)) return d;
    keys += (keys.empty() ? "" : ", ") + d.key;
  }
  throw error(errc::invalid_argument, "'" + host::escaped(key) + "' is none of " + keys);
}

}  // namespace hilo::model
