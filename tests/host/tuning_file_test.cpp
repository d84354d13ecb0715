// The user's tuning file: where it is, and what is not taken for one.
#include "host/tuning_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "environment_variable.hpp"
#include "error_message.hpp"
#include "temporary_folder.hpp"
#include "tile/table.hpp"

namespace {

using namespace hilo;
using test::EnvironmentVariable;

// Neither waits for who writes to a pipe nor reads without end.
TEST(TuningFile, WhatIsNoFileIsNeitherReadNorReplaced) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("tuning.json");
  const EnvironmentVariable named("HILO_TUNING", file.c_str());
  DeviceInfo device{};
  device.name = "A GPU";
  auto expect_left = [&] {
    tile::forget_tiles();
    EXPECT_FALSE(host::read_text(file));
    EXPECT_EQ(tile::tuned_tiles(device).user.size(), 0u);
    expect_contains(message_of(errc::io, [&] { tile::store_tiles(device, {}); }), {file});
    EXPECT_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
    std::filesystem::remove(file);
  };
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_left();
  std::filesystem::create_symlink("/dev/zero", file);
  expect_left();
  ASSERT_EQ(mkfifo((file + ".progress").c_str(), 0600), 0);
  message_of(errc::io, [&] { host::append_line(file + ".progress", "line"); });
  tile::forget_tiles();
}

TEST(TuningFile, IsReplacedBehindLinksWithItsPermissions) {
  namespace fs = std::filesystem;
  const test::TemporaryFolder folder;
  const std::string first = folder.file("first.json"), second = folder.file("second.json");
  fs::create_symlink("second.json", first);
  fs::create_symlink("dotfiles/tuning.json", second);
  const auto with = [](const char* more) { return [=](const std::string& text) { return text + more; }; };
  host::rewrite(first, with("a"));
  const std::string file = folder.file("dotfiles/tuning.json");
  EXPECT_EQ(folder.read("dotfiles/tuning.json"), "a");
  for (const fs::perms mode : {fs::perms(0600), fs::perms(0666), fs::perms(0444)}) {
    fs::permissions(file, mode);
    host::rewrite(first, with("b"));
    EXPECT_EQ(fs::status(file).permissions(), mode);
  }
  EXPECT_EQ(folder.read("dotfiles/tuning.json"), "abbb");
  EXPECT_TRUE(fs::is_symlink(first));
  EXPECT_TRUE(fs::is_symlink(second));
  EXPECT_FALSE(fs::exists(file + ".tmp"));
  fs::create_symlink("loop.json", folder.file("loop.json"));
  expect_contains(message_of(errc::io, [&] { host::rewrite(folder.file("loop.json"), with("c")); }),
                  {"loop.json: its symbolic links form a loop"});
}

TEST(TuningFile, IsFound) {
  EnvironmentVariable none("HILO_TUNING", nullptr), home("HOME", "/h");
  {
    EnvironmentVariable xdg("XDG_CONFIG_HOME", "x");
    EXPECT_EQ(host::tuning_file(), std::filesystem::path("/h/.config/hilo/tuning.json"));
    EnvironmentVariable relative("HOME", "h");
    EXPECT_FALSE(host::tuning_file());
  }
  {
    EnvironmentVariable xdg("XDG_CONFIG_HOME", "/x");
    EXPECT_EQ(host::tuning_file(), std::filesystem::path("/x/hilo/tuning.json"));
    EnvironmentVariable named("HILO_TUNING", "/t.json");
    EXPECT_EQ(host::tuning_file(), std::filesystem::path("/t.json"));
    EnvironmentVariable off("HILO_TUNING", "");
    EXPECT_FALSE(host::tuning_file());
  }
  EnvironmentVariable xdg("XDG_CONFIG_HOME", nullptr);
  EXPECT_EQ(host::tuning_file(), std::filesystem::path("/h/.config/hilo/tuning.json"));
}

}  // namespace
