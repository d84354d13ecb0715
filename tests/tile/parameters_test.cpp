// One table of a tile's parameters: what is read, written, defined and tried comes from its rows.
#include "tile/parameters.hpp"

#include <gtest/gtest.h>

#include <hilo/error.hpp>
#include <set>

#include "tile/json.hpp"
#include "tile/run.hpp"

namespace {

using namespace hilo;
using tile::Copies;
using tile::Json;
using tile::Parameter;
using tile::parameters;
using tile::Tile;

const Tile async{.item_rows = 8,
                 .item_columns = 4,
                 .group_rows = 16,
                 .group_columns = 8,
                 .depth = 32,
                 .stages = 3,
                 .copies = Copies::async,
                 .row_run = 4,
                 .raster_rows = 8,
                 .groups_per_unit = 2};
constexpr tile::NumberKind s{Precision::s};

Tile read(const Json& tile, tile::NumberKind kind = s) {
  Json entry;
  entry["tile"] = tile;
  return tile::tile_at(entry, kind);
}

// As the files of 0.1 spell it.
TEST(TileParameters, AreWrittenAsEver) {
  EXPECT_EQ(tile::json_of(async).dump(),
            R"({"lanes":1,"item":[8,4],"group":[16,8],"depth":32,"stages":3,"copies":"async","ahead":false,)"
            R"("runs":[4,1],"raster":8,"unit_depth":1,"in_place":false,"packs_all":false,"groups_per_unit":2,)"
            R"("local_chunks":false,"by_operation":false})");
  EXPECT_EQ(read(tile::json_of(async)), async);
  Tile t = async;
  t.copies = Copies::bulk;
  t.packs_all = true;
  EXPECT_EQ(read(tile::json_of(t)), t);
}

TEST(TileParameters, ThatAFileLacksHaveTheirDefaults) {
  for (const Parameter& p : parameters) {
    SCOPED_TRACE(p.name);
    Json j = tile::json_of(async);
    j.erase(p.name);
    Tile want = async;
    for (const Parameter& q : parameters) {
      if (std::string_view(q.name) == p.name) q.member.set(want, q.standard());
    }
    if (p.is_needed()) {
      EXPECT_THROW(read(j), error);
    } else if (is_valid(want, s)) {
      EXPECT_EQ(read(j), want);
    }
  }
  Json j = tile::json_of(async);
  j["later"] = 7;
  EXPECT_EQ(read(j), async) << "unknown ones are passed over";
  EXPECT_EQ(read({{"item", {4, 4}}, {"group", {8, 8}}, {"depth", 8}}),
            (Tile{.item_rows = 4, .item_columns = 4, .group_rows = 8, .group_columns = 8, .depth = 8}));
}

TEST(TileParameters, OutOfRangeAreNamed) {
  for (const Parameter& p : parameters) {
    SCOPED_TRACE(p.name);
    if (p.member.is_flag() || p.member.is_copies()) continue;
    Tile wrong = async;
    p.member.set(wrong, 1025);
    EXPECT_FALSE(is_valid(wrong, s));
    try {
      read(tile::json_of(wrong));
      ADD_FAILURE() << "read";
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find(std::string("\"") + p.name + "\": 1025"), std::string::npos) << e.what();
    }
  }
}

TEST(TileParameters, AreAllInJsonInKeysAndInTheProgram) {
  for (const Parameter& p : parameters) {
    SCOPED_TRACE(p.name);
    int other = 1;
    while (!p.values.has(other) || other == p.member.of(async)) ASSERT_LT(++other, 2000);
    Tile t = async;
    p.member.set(t, other);
    EXPECT_EQ(p.member.of(t), other);
    EXPECT_NE(json_of(t), json_of(async));
    EXPECT_NE(numbers_of(t), numbers_of(async));
    if (*p.macro) {
      const std::string option = std::string(" -D") + p.macro + "=" + std::to_string(other);
      EXPECT_NE((tile_options(t, s) + " ").find(option + " "), std::string::npos) << tile_options(t, s);
    }
    if (!p.text.empty()) {
      EXPECT_NE(to_string(t).find(p.text), std::string::npos) << to_string(t);
    }
  }
}

TEST(TileParameters, HaveMovesThatAreValuesAndNamesOfTheirOwn) {
  std::multiset<std::string> names;
  std::set<std::string> macros;
  for (const Parameter& p : parameters) {
    SCOPED_TRACE(p.name);
    for (int x : p.moves) EXPECT_TRUE(p.values.has(x)) << x;
    for (int x : p.unit_moves) EXPECT_TRUE(p.values.has(x)) << x;
    EXPECT_TRUE(std::is_sorted(p.moves.begin(), p.moves.end()));
    EXPECT_TRUE(std::is_sorted(p.unit_moves.begin(), p.unit_moves.end()));
    names.insert(p.name);
    EXPECT_TRUE(!*p.macro || macros.insert(p.macro).second);
  }
  for (const std::string& name : names) {
    EXPECT_EQ(names.count(name), name == "item" || name == "group" || name == "runs" ? 2u : 1u) << name;
  }
}

}  // namespace
