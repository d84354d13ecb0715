#include "model/cpu_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <hilo/error.hpp>
#include <nlohmann/json.hpp>
#include <tuple>

#include "host/escaped.hpp"
#include "model/shipped_cpu_rates.hpp"

namespace hilo::model {
namespace {

using nlohmann::json;

constexpr const char* format = "1";

[[noreturn]] void refuse(const std::string& what) { throw error(errc::parse, what); }

// A member that is one word or number; of others the name.
struct Member {
  enum class Kind { text, number, other } kind;
  std::string name, text;
  double number;
};
using Entry = std::vector<Member>;

// Collects the entries of a file without a tree of all it holds, whose destructor takes memory and so may end the
// process where that ends.
class Reader : public nlohmann::json_sax<json> {
 public:
  std::vector<Entry> entries;
  std::string format;  // as it is written; empty where there is none
  bool has_entries = false;

  bool null() override { return take({Member::Kind::other, {}, {}, 0.0}); }
  bool boolean(bool) override { return take({Member::Kind::other, {}, {}, 0.0}); }
  bool number_integer(json::number_integer_t x) override {
    return take_number(static_cast<double>(x), std::to_string(x));
  }
  bool number_unsigned(json::number_unsigned_t x) override {
    return take_number(static_cast<double>(x), std::to_string(x));
  }
  bool number_float(json::number_float_t x, const json::string_t& text) override { return take_number(x, text); }
  bool string(json::string_t& x) override { return take({Member::Kind::text, {}, x, 0.0}); }
  bool binary(json::binary_t&) override { return take({Member::Kind::other, {}, {}, 0.0}); }
  bool key(json::string_t& name) override {
    if (depth_ == 1 || depth_ == in_entry) name_ = name;
    return true;
  }
  bool start_object(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  // {"entries": [{…}]}: where the list's elements are, and the members of one.
  static constexpr int in_list = 2, in_entry = 3;

  bool take_number(double x, const std::string& text) {
    if (depth_ == 1 && root_is_object_ && name_ == "format") format = text;
    return take({Member::Kind::number, {}, {}, x});
  }
  bool take(Member member) {
    if (depth_ == in_list && lists_entries_) entries.emplace_back();
    if (depth_ == in_entry && is_entry_) {
      member.name = name_;
      entries.back().push_back(std::move(member));
    }
    return true;
  }
  bool open(bool is_object) {
    if (depth_ == 0) root_is_object_ = is_object;
    if (depth_ == 1 && root_is_object_) {
      lists_entries_ = !is_object && name_ == "entries";
      has_entries |= lists_entries_;
    }
    take({Member::Kind::other, {}, {}, 0.0});
    if (depth_ == in_list) is_entry_ = lists_entries_ && is_object;
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  bool root_is_object_ = false, lists_entries_ = false, is_entry_ = false;
  std::string name_;
};

const Member* find(const Entry& entry, std::string_view name) {
  auto found = std::find_if(entry.begin(), entry.end(), [&](const Member& m) { return m.name == name; });
  return found == entry.end() ? nullptr : &*found;
}

const Member& member(const Entry& entry, const std::string& name, Member::Kind kind, const char* what) {
  const Member* found = find(entry, name);
  if (!found) refuse("\"" + name + "\" is missing");
  if (found->kind != kind) refuse("\"" + name + "\" is no " + what);
  return *found;
}
const std::string& text_at(const Entry& entry, const char* name) {
  return member(entry, name, Member::Kind::text, "text").text;
}
double number_at(const Entry& entry, const char* name) {
  return member(entry, name, Member::Kind::number, "number").number;
}

StepFma fma_at(const Entry& entry) {
  const std::string& text = text_at(entry, "fma");
  for (StepFma fma : {StepFma::none, StepFma::native, StepFma::emulated}) {
    if (text == name(fma)) return fma;
  }
  refuse("\"fma\": \"" + host::escaped(text) + "\" is none of none, native and emulated");
}

KnownRates known(const Entry& entry) {
  const double lanes = number_at(entry, "lanes");
  if (!(lanes >= 1 && lanes <= 1024 && lanes == std::floor(lanes))) refuse("\"lanes\" is no integer from 1 to 1024");
  KnownRates k{{text_at(entry, "target"), static_cast<int>(lanes), text_at(entry, "int8"), fma_at(entry)},
               {},
               text_at(entry, "cpu"),
               text_at(entry, "date"),
               text_at(entry, "library")};
  for (const RateName& r : rate_names()) {
    const double x = number_at(entry, r.name);
    if (!(x >= 0.0 && x < 1.0)) refuse(std::string("\"") + r.name + "\" is no number of seconds from 0 to 1");
    k.rates.*r.rate = x;
  }
  for (double x : {k.rates.direct_step, k.rates.direct_step_fast, k.rates.byte_product}) {
    if (x == 0.0) refuse("a step or a product of bytes takes 0 seconds");
  }
  return k;
}

// Powers of two from one number of lanes to the other.
int lanes_apart(int x, int y) { return std::abs(std::ilogb(x) - std::ilogb(y)); }

}  // namespace

std::string_view name(StepFma fma) {
  return std::array<std::string_view, 3>{"none", "native", "emulated"}[static_cast<std::size_t>(fma)];
}

std::string to_string(const CpuKind& kind) {
  return kind.target + ", " + kind.int8 + ", FMA " + std::string(name(kind.fma));
}

const std::vector<RateName>& rate_names() {
  static const auto& names = *new std::vector<RateName>{{"direct_step", &CpuRates::direct_step},
                                                        {"direct_step_fast", &CpuRates::direct_step_fast},
                                                        {"direct_entry", &CpuRates::direct_entry},
                                                        {"scan", &CpuRates::scan},
                                                        {"residue", &CpuRates::residue},
                                                        {"byte_product", &CpuRates::byte_product},
                                                        {"byte_pack", &CpuRates::byte_pack},
                                                        {"reduction", &CpuRates::reduction},
                                                        {"rebuild", &CpuRates::rebuild},
                                                        {"entry", &CpuRates::entry},
                                                        {"call", &CpuRates::call}};
  return names;
}

CpuTable parse_cpu_table(const std::string& text, const std::string& where) {
  CpuTable table;
  auto ignore = [&](const std::string& what) { table.ignored.push_back(where + ": " + what); };
  Reader file;
  if (!json::sax_parse(text, &file)) {
    ignore("is no JSON");
  } else if (file.format != format) {
    ignore(file.format.empty() ? "has no format" : "has format " + file.format + ", expected " + format);
  } else if (!file.has_entries) {
    ignore("has no list of entries");
  } else {
    for (std::size_t i = 0; i < file.entries.size(); ++i) {
      if (!find(file.entries[i], "cpu")) continue;
      try {
        table.entries.push_back(known(file.entries[i]));
      } catch (const error& e) {
        ignore("entry " + std::to_string(i) + ": " + e.what());
      }
    }
  }
  return table;
}

CpuTable shipped_cpu_table() { return parse_cpu_table(shipped_cpu_rates, "the shipped table of rates"); }

const KnownRates& nearest(const std::vector<KnownRates>& entries, const CpuKind& kind) {
  auto distance = [&](const KnownRates& e) {
    auto is_plain = [](const std::string& int8) { return int8 == "plain"; };
    const bool same_library = is_plain(e.kind.int8) == is_plain(kind.int8);
    return std::tuple(e.kind.int8 == kind.int8 ? 0
                      : same_library           ? 1
                                               : 2,
                      e.kind.target != kind.target, e.kind.fma != kind.fma, lanes_apart(e.kind.lanes, kind.lanes));
  };
  return *std::min_element(entries.begin(), entries.end(),
                           [&](const KnownRates& x, const KnownRates& y) { return distance(x) < distance(y); });
}

}  // namespace hilo::model
