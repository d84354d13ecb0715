#include "gemm/rate_table.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "gemm/direct/cpu/kernels.hpp"
#include "gemm/modular/cpu/bytes.hpp"
#include "host/cpu_name.hpp"
#include "host/mutex.hpp"
#include "host/tuning_entries.hpp"
#include "host/tuning_file.hpp"

namespace hilo {
namespace {

using host::Json;
using model::CpuKind;
using model::CpuTable;
using model::KnownRates;

// What a product asks by: cheaper to compare than a kind.
struct Key {
  const direct::KernelSet* set;
  std::string_view int8;
  bool fma;

  bool operator==(const Key&) const = default;
};

Key key_of(const GemmOptions& options) {
  const direct::KernelSet& set = direct::kernel_set(options.target);
  return {&set, modular::int8_path(options.int8_library),
          options.fma == Fma::automatic ? set.has_fma : options.fma == Fma::on};
}

CpuKind kind_of(const Key& key) {
  using enum model::StepFma;
  return {std::string(key.set->target), static_cast<int>(key.set->lanes), std::string(key.int8),
          !key.fma           ? none
          : key.set->has_fma ? native
                             : emulated};
}

CpuTable read_user() {
  auto file = host::tuning_file();
  std::error_code failure;
  if (!file || !std::filesystem::exists(*file, failure)) return {};
  auto text = host::read_text(*file);
  if (!text) return {{}, {file->string() + ": cannot be read"}};
  CpuTable table = model::parse_cpu_table(*text, file->string());
  if (table.entries.empty()) return table;
  const std::string cpu = host::cpu_name();
  std::erase_if(table.entries, [&](const KnownRates& e) { return e.cpu != cpu; });
  return table;
}

struct Tables {
  std::optional<CpuTable> user, shipped;
  std::vector<std::pair<Key, ChosenRates>> chosen;

  void read() {
    if (!user) user = read_user();
    if (!shipped) shipped = model::shipped_cpu_table();
  }

  ChosenRates choose(const Key& key) {
    read();
    const CpuKind kind = kind_of(key);
    // The later of two entries for one kind counts.
    auto known =
        std::find_if(user->entries.rbegin(), user->entries.rend(), [&](const KnownRates& e) { return e.kind == kind; });
    if (known != user->entries.rend()) return {known->rates, RatesFrom::user, kind};
    const KnownRates& found = model::nearest(shipped->entries, kind);
    return {found.rates, found.kind == kind ? RatesFrom::shipped : RatesFrom::nearest, found.kind};
  }
};

// Never destroyed: destructors of static objects may still multiply.
Tables& all_tables() {
  static auto& tables = *new Tables;
  return tables;
}

// Calls f(tables) alone.
template <class F>
auto with_tables(F f) {
  std::lock_guard lock(host::mutex_over_forks<Tables>());
  return f(all_tables());
}

host::Json json_of(const KnownRates& known) {
  host::Json j = {{"cpu", known.cpu},
                  {"target", known.kind.target},
                  {"lanes", known.kind.lanes},
                  {"int8", known.kind.int8},
                  {"fma", name(known.kind.fma)}};
  for (const model::RateName& r : model::rate_names()) j[r.name] = known.rates.*r.rate;
  j["date"] = known.date;
  j["library"] = known.library;
  return j;
}

bool is_for(const host::Json& entry, const KnownRates& known) {
  const host::Json wanted = json_of(known);
  auto is_same = [&](const char* name) { return entry.contains(name) && entry[name] == wanted[name]; };
  return entry.is_object() && is_same("cpu") && is_same("target") && is_same("int8") && is_same("fma");
}

}  // namespace

CpuKind cpu_kind(const GemmOptions& options) { return kind_of(key_of(options)); }

ChosenRates rates_for(const GemmOptions& options) {
  const Key key = key_of(options);
  return with_tables([&](Tables& tables) {
    for (const auto& [known, rates] : tables.chosen) {
      if (known == key) return rates;
    }
    return tables.chosen.emplace_back(key, tables.choose(key)).second;
  });
}

std::vector<std::string> ignored_rates() {
  return with_tables([](Tables& tables) {
    tables.read();
    return tables.user->ignored;
  });
}

void store_rates(const KnownRates& known) {
  host::replace_entries(
      host::tuning_file_to_write(), [&](const host::Json& entry) { return is_for(entry, known); },
      host::Json::array({json_of(known)}));
  forget_rates();
}

void check_rates_can_be_stored() {
  host::replace_entries(
      host::tuning_file_to_write(), [](const host::Json&) { return false; }, host::Json::array());
}

void forget_rates() {
  with_tables([](Tables& tables) {
    tables = {};
    return 0;
  });
}

}  // namespace hilo
