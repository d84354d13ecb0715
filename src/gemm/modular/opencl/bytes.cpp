#include "gemm/modular/opencl/bytes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "gemm/modular/opencl/stairs.hpp"
#include "matrix/sizes.hpp"
#include "opencl/arguments.hpp"
#include "opencl/disk_cache.hpp"
#include "opencl/sequence.hpp"

namespace hilo::modular {
namespace {

using opencl::ContextState;
using opencl::define;

// What a tile's kernel is built and launched with. A work-group with `groups` above 0 computes tile after tile, and
// as many of them stay on a compute unit. A triangle's tiles come in bands of stair_rows rows of them.
struct TileRow {
  ByteUnit unit;
  ByteTile tile;
  int items, groups, stair_rows;
  const char* parameters;
};

// The tile for large products first.
constexpr TileRow tile_rows[] = {
    {ByteUnit::wgmma, {128, 256, 64}, 288, 1, 8, "-DSTAGES=8 -DLEAD=2 -DRASTER_ROWS=8"},
    {ByteUnit::wgmma, {128, 128, 64}, 288, 1, 8, "-DSTAGES=12 -DLEAD=4 -DRASTER_ROWS=8"},
    {ByteUnit::mma_sync, {128, 128, 64}, 128, 0, 16, "-DSTAGES=4 -DRASTER_ROWS=16"},
    {ByteUnit::dot_product, {128, 128, 16}, 256, 0, 16, ""},
    {ByteUnit::dot_product, {64, 64, 16}, 256, 0, 16, ""},
    {ByteUnit::plain, {16, 64, 16}, 64, 0, 16, ""},
    {ByteUnit::plain, {16, 16, 16}, 16, 0, 16, ""},
};

const TileRow& row_of(ByteUnit unit, const ByteTile& tile) {
  return *std::find_if(std::begin(tile_rows), std::end(tile_rows), [&](const TileRow& row) {
    return row.unit == unit && row.tile.rows == tile.rows && row.tile.columns == tile.columns;
  });
}

struct UnitRow {
  std::string_view name;
  const char* text;
};

const UnitRow& row_of(ByteUnit unit) {
  static const std::array<UnitRow, byte_units> rows = {{
      {"wgmma", "bytes/wgmma.cl"},
      {"mma_sync", "bytes/mma.cl"},
      {"dot_product", "bytes/dot.cl"},
      {"plain", "bytes/plain.cl"},
  }};
  return rows[static_cast<std::size_t>(unit)];
}

// Small tiles reach four fifths of the rate.
constexpr bool small_tiles_pay(std::int64_t small_area, std::int64_t large_area) {
  return 5 * small_area < 4 * large_area;
}

}  // namespace

std::string_view name(ByteUnit unit) { return row_of(unit).name; }

std::vector<ByteTile> byte_tiles(ByteUnit unit) {
  std::vector<ByteTile> tiles;
  for (const TileRow& row : tile_rows) {
    if (row.unit == unit) tiles.push_back(row.tile);
  }
  return tiles;
}

ByteTile byte_tile(ByteUnit unit, std::int64_t rows, std::int64_t columns) {
  const auto tiles = byte_tiles(unit);
  const ByteTile& large = tiles.front();
  const ByteTile& small = tiles.back();
  auto area = [&](const ByteTile& tile) { return round_up(rows, tile.rows) * round_up(columns, tile.columns); };
  // They also pay where large ones are too few for the device.
  constexpr std::int64_t few = 4;
  const bool is_small = area(large) <= few * large.rows * large.columns || small_tiles_pay(area(small), area(large));
  return is_small ? small : large;
}

ByteTile edge_tile(ByteUnit unit, const ByteTile& tile, std::int64_t columns) {
  const std::int64_t left = columns % tile.columns;
  if (columns < tile.columns || left == 0) return tile;
  // One column too many would cost a large tile for each of its rows: 3 % of a product of 8192 columns by wgmma.
  for (const ByteTile& narrow : byte_tiles(unit)) {
    const bool shares_rows = narrow.rows == tile.rows && narrow.depth == tile.depth;
    if (shares_rows && small_tiles_pay(round_up(left, narrow.columns), tile.columns)) return narrow;
  }
  return tile;
}

opencl::ProgramRecipe byte_recipe(ByteUnit unit, const ByteTile& tile, const ByteFeatures& features, ByteResult result,
                                  BytePart part) {
  std::string options =
      row_of(unit, tile).parameters + define("TILE_ROWS", tile.rows) + define("TILE_COLUMNS", tile.columns);
  if (unit == ByteUnit::dot_product) {
    options += define("DOT", features.integer_dot ? 1 : features.compute_capability >= 61 ? 2 : 0);
  }
  if (result == ByteResult::leading_bits) options += " -DLEADING_BITS";
  if (part == BytePart::triangle) options += define("STAIRS", 1) + define("STAIR_ROWS", row_of(unit, tile).stair_rows);
  opencl::ProgramRecipe recipe{"bytes by " + std::string(name(unit)), row_of(unit).text, options};
  if (unit == ByteUnit::wgmma) {
    recipe.late_instructions = {"wgmma.fence", "wgmma.mma_async", "wgmma.commit_group", "wgmma.wait_group"};
  }
  return recipe;
}

ByteMultiplier byte_multiplier(ContextState& context, ByteUnit unit, const ByteTile& tile, ByteResult result,
                               BytePart part) {
  cl::Program program = context.programs.get(context, byte_recipe(unit, tile, byte_features(context), result, part));
  const TileRow& row = row_of(unit, tile);
  return {context.kernels,
          std::move(program),
          row.tile,
          row.items,
          row.groups * context.info.compute_units,
          part == BytePart::triangle ? row.stair_rows : 0};
}

ByteMultiplier::Launch ByteMultiplier::launch(const ByteProduct& product) const {
  return opencl::guarded("preparing a product of bytes", [&] {
    opencl::BorrowedKernel borrowed = kernels_->borrow(program_, "multiply_bytes");
    const opencl::byte_product_arguments arguments{.first_of_b = product.first_of_b,
                                                   .first_plane = product.first_plane,
                                                   .planes = product.planes,
                                                   .row_panels = product.row_panels,
                                                   .column_panels = product.column_panels,
                                                   .depth = static_cast<int>(product.depth),
                                                   .accumulates = product.accumulates};
    const auto items = static_cast<std::size_t>(group_size_), planes = static_cast<std::size_t>(product.planes);
    auto tiles = static_cast<std::size_t>(product.row_panels) * static_cast<std::size_t>(product.column_panels);
    if (stair_rows_ == 0) {
      opencl::set_arguments(borrowed, product.a, product.b, product.c, product.moduli, arguments);
    } else {
      opencl::stair_arguments stairs{product.triangle.is_upper, opencl::narrow(product.triangle.diagonal), 0};
      stairs.tiles = stair_tiles(staircase_of(product.row_panels, product.column_panels, tile_.rows, tile_.columns,
                                              stair_rows_, stairs.is_upper, stairs.diagonal));
      opencl::set_arguments(borrowed, product.a, product.b, product.c, product.moduli, arguments, stairs);
      tiles = static_cast<std::size_t>(stairs.tiles);
    }
    if (groups_ == 0) return Launch{std::move(borrowed), cl::NDRange(tiles * items, planes), cl::NDRange(items, 1)};
    const std::size_t groups = std::min(static_cast<std::size_t>(groups_), tiles * planes);
    return Launch{std::move(borrowed), cl::NDRange(groups * items), cl::NDRange(items)};
  });
}

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<ByteUnit, byte_units> best_first = {ByteUnit::wgmma, ByteUnit::mma_sync, ByteUnit::dot_product,
                                                         ByteUnit::plain};
constexpr const char* variable = "HILO_INT8_UNIT";

std::string number_of(int compute_capability) {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

std::optional<ByteUnit> asked_for() {
  const char* value = std::getenv(variable);
  if (!value || !*value) return std::nullopt;
  std::string choices;
  for (ByteUnit unit : best_first) {
    if (value == name(unit)) return unit;
    choices += (choices.empty() ? "" : ", ") + std::string(name(unit));
  }
  throw error(errc::invalid_argument, std::string(variable) + " = " + value + " is none of " + choices);
}

// A finding with what decides it: device, driver and text.
std::string key_of(const ContextState& context, ByteUnit unit, const ByteFeatures& features) {
  const DeviceInfo& d = context.info;
  std::string all = "self-test of bytes 4\n" + std::string(name(unit)) + '\n' + d.name + '\n' + d.vendor + '\n' +
                    d.version + '\n' + d.driver + '\n' + std::to_string(d.compute_units);
  for (const ByteTile& tile : byte_tiles(unit)) {
    const opencl::ProgramRecipe recipe = byte_recipe(unit, tile, features);
    const opencl::ProgramText text = opencl::program_text(recipe.name, recipe.root, recipe.options);
    all += '\n' + text.options + '\n' + text.source;
  }
  return opencl::fingerprint(all);
}

// On disk, "usable", "obstacle: …", or "fault: …" of a unit that took the device from one process, which may pass.
// Anything else is no finding.
constexpr std::string_view usable = "usable", obstacle_prefix = "obstacle: ", fault_prefix = "fault: ";

std::string text_on_disk(const std::string& key) {
  const std::vector<unsigned char> bytes = opencl::load_binary(key);
  return {bytes.begin(), bytes.end()};
}

void store_text(const std::string& key, std::string_view text) {
  opencl::store_binary(key, {text.begin(), text.end()});
}

std::optional<std::string> finding_on_disk(const std::string& key) {
  const std::string text = text_on_disk(key);
  if (text == usable) return "";
  if (!text.starts_with(obstacle_prefix) || text.size() == obstacle_prefix.size()) return std::nullopt;
  const auto file = opencl::binary_file(key);
  return text.substr(obstacle_prefix.size()) + " (kept in " + (file ? file->string() : "") + ")";
}

// A context that works. After a fault NVIDIA's driver gives a process none.
std::unique_ptr<ContextState> new_context(const ContextState& context) {
  auto own = std::make_unique<ContextState>(cl::Context(context.device), context.device);
  cl::CommandQueue queue(own->context, own->device);
  cl::Buffer buffer(own->context, CL_MEM_READ_WRITE, sizeof(cl_int));
  const cl_int zero = 0;
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof zero, &zero);
  return own;
}

// What a self-test says in a context of its own.
struct Trial {
  std::string obstacle;
  std::optional<errc> failure;  // that kept it from an answer
  bool has_context;

  // What a compiler refuses it refuses again; what else fails need not fail the next time.
  bool may_pass() const { return failure && *failure != errc::build_failure; }
};

Trial try_once(const ContextState& context, ByteUnit unit) {
  bool has_context = false;
  try {
    auto own = opencl::guarded("making a context for the self-test of bytes", [&] { return new_context(context); });
    has_context = true;
    return {opencl::guarded("running the self-test of bytes", [&] { return byte_self_test(*own, unit); }), {}, true};
  } catch (const error& failure) {
    return {failure.what(), failure.code(), has_context};
  }
}

// Of a unit that faults: each process that tries it loses the device. One fault may pass, but not the second of two
// processes.
void store_fault(const std::string& key, const std::string& obstacle) {
  const bool is_second = text_on_disk(key).starts_with(fault_prefix);
  store_text(key, std::string(is_second ? obstacle_prefix : fault_prefix) +
                      "takes the device from the whole process: " + obstacle);
}

// Keeps answers on disk, right bytes or wrong ones.
Trial probe(const ContextState& context, ByteUnit unit, const std::string& key) {
  Trial trial = try_once(context, unit);
  if (trial.may_pass()) {
    Trial again = try_once(context, unit);
    // No unit takes the place of plain integers.
    if (trial.has_context && !again.has_context && unit != ByteUnit::plain) store_fault(key, trial.obstacle);
    if (again.has_context) trial = std::move(again);
  }
  if (!trial.failure) {
    store_text(key, trial.obstacle.empty() ? std::string(usable) : std::string(obstacle_prefix) + trial.obstacle);
  }
  return trial;
}

struct Known {
  UnitFinding finding;
  Clock::time_point next;  // trial, where the obstacle may pass
};

Known find(const ContextState& context, ByteUnit unit, const std::string& key) {
  if (std::optional<std::string> obstacle = finding_on_disk(key)) return {{unit, *obstacle}, {}};
  // Products go on with the next unit, and lose little time with this one.
  constexpr int share = 20;
  constexpr Clock::duration longest = std::chrono::seconds(10);
  const Clock::time_point start = Clock::now();
  const Trial trial = probe(context, unit, key);
  const Clock::time_point end = Clock::now();
  return {{unit, trial.obstacle, trial.may_pass() ? trial.failure : std::nullopt},
          end + std::min(share * (end - start), longest)};
}

// From memory, but for an obstacle that may have passed: where it is time, or where nothing else can be used.
Known find_once(const ContextState& context, ByteUnit unit, const ByteFeatures& features, bool is_last_hope) {
  static std::mutex mutex;
  static std::map<std::string, Known> all_known;
  const std::string key = key_of(context, unit, features);
  std::lock_guard lock(mutex);
  if (auto found = all_known.find(key); found != all_known.end()) {
    const Known& known = found->second;
    if (!known.finding.passing || (!is_last_hope && Clock::now() < known.next)) return known;
  }
  return all_known.insert_or_assign(key, find(context, unit, key)).first->second;
}

// Down to the first that can be used; all of them where none can.
std::vector<UnitFinding> search(const ContextState& context, const ByteFeatures& features, bool is_last_hope) {
  const std::optional<ByteUnit> forced = asked_for();
  std::vector<UnitFinding> findings;
  for (ByteUnit unit : best_first) {
    if (forced && unit != *forced) continue;
    UnitFinding finding{unit, obstacle_of(unit, features)};
    if (unit == ByteUnit::dot_product && !forced && !has_dot(features)) {
      finding.obstacle = "the device has no instruction for products of four bytes";
    }
    if (finding.obstacle.empty()) finding = find_once(context, unit, features, is_last_hope).finding;
    findings.push_back(finding);
    if (finding.obstacle.empty()) break;
  }
  return findings;
}

bool is_found(const std::vector<UnitFinding>& findings) { return findings.back().obstacle.empty(); }

// Whether they may be others at another time.
bool may_change(const std::vector<UnitFinding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const UnitFinding& f) { return f.passing.has_value(); });
}

std::vector<UnitFinding> findings_of(const ContextState& context, const ByteFeatures& features) {
  std::vector<UnitFinding> findings = search(context, features, false);
  if (!is_found(findings) && may_change(findings)) findings = search(context, features, true);
  return findings;
}

[[noreturn]] void refuse(const ContextState& context, const std::vector<UnitFinding>& findings) {
  errc code = errc::self_test_failure;
  std::string obstacles;
  for (const UnitFinding& finding : findings) {
    obstacles += "\n  " + std::string(name(finding.unit)) + ": " + finding.obstacle;
    if (finding.passing) code = *finding.passing;
  }
  throw error(code, "device " + context.info.name + " (driver " + context.info.driver +
                        ") multiplies bytes in no way that can be used:" + obstacles);
}

}  // namespace

ByteFeatures byte_features(ContextState& context) {
  return opencl::guarded("asking what a device has for products of bytes", [&] {
    ByteFeatures features{};
    features.compute_capability =
        context.findings.get("compute capability", [&] { return context.info.compute_capability; });
    features.integer_dot = context.findings.get("integer dot product", [&] {
      const std::string extensions = context.device.getInfo<CL_DEVICE_EXTENSIONS>();
      return static_cast<int>(extensions.find("cl_khr_integer_dot_product") != std::string::npos);
    });
    return features;
  });
}

bool has_dot(const ByteFeatures& features) { return features.integer_dot || features.compute_capability >= 61; }

std::string obstacle_of(ByteUnit unit, const ByteFeatures& features) {
  const int capability = features.compute_capability;
  const bool fits = unit == ByteUnit::wgmma ? capability == 90 : unit != ByteUnit::mma_sync || capability >= 80;
  if (fits) return "";
  const std::string wanted = unit == ByteUnit::wgmma ? "9.0" : "8.0 or more";
  return "needs an NVIDIA device of compute capability " + wanted + ", and this " +
         (capability ? "has " + number_of(capability) : "is no NVIDIA device");
}

std::vector<UnitFinding> find_units(ContextState& context) {
  return opencl::guarded("asking a device what multiplies bytes",
                         [&] { return findings_of(context, byte_features(context)); });
}

ByteUnit byte_unit(ContextState& context) {
  return opencl::guarded("asking a device what multiplies bytes", [&] {
    const char *asked = std::getenv(variable), *folder = std::getenv("HILO_KERNEL_PATH");
    const std::string key = std::string("byte unit ") + (asked ? asked : "") + '\n' + (folder ? folder : "");
    if (const std::optional<int> known = context.findings.find(key)) return static_cast<ByteUnit>(*known);
    const std::vector<UnitFinding> findings = findings_of(context, byte_features(context));
    if (!is_found(findings)) refuse(context, findings);
    const ByteUnit unit = findings.back().unit;
    if (!may_change(findings)) context.findings.put(key, static_cast<int>(unit));
    return unit;
  });
}

}  // namespace hilo::modular
