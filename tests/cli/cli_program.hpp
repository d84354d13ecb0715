// The hilo program as tests run it: a process in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "temporary_folder.hpp"

namespace hilo::test {

struct Outcome {
  int code;
  std::string out, err;
};

class Program : public ::testing::Test {
 protected:
  // Runs `environment hilo arguments` by the shell in the test's folder.
  Outcome hilo(const std::string& arguments, const std::string& environment = "") {
    std::string command = "cd '" + folder.file(".") + "' && HILO_CACHE_DIR='" + folder.file("cache") + "' " +
                          environment + " " HILO_PROGRAM_FILE " " + arguments + " 2>stderr.txt";
    std::FILE* pipe = popen(command.c_str(), "r");
    Outcome run{-1, {}, {}};
    std::array<char, 4096> buffer;
    while (std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) run.out.append(buffer.data(), n);
    int status = pclose(pipe);
    run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.err = folder.read("stderr.txt");
    return run;
  }

  nlohmann::json hilo_json(const std::string& arguments) {
    Outcome run = hilo(arguments + " --json");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return nlohmann::json::parse(run.out);
  }

  // The run fails with `code`, and one line that starts with "hilo: " and holds `words`; nothing on standard output.
  void expect_error(const std::string& arguments, int code, const std::string& words,
                    const std::string& environment = "") {
    SCOPED_TRACE(arguments);
    Outcome run = hilo(arguments, environment);
    EXPECT_EQ(run.code, code);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(run.err.starts_with("hilo: ")) << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << run.err;
  }

  // A shell script in the test's folder, where the program runs.
  void script(const std::string& name, const std::string& text) {
    std::filesystem::permissions(folder.write(name, "#!/bin/sh\n" + text), std::filesystem::perms::owner_all);
  }

  bool has_device() { return !nlohmann::json::parse(hilo("info --json").out)["platforms"].empty(); }

  TemporaryFolder folder;
};

}  // namespace hilo::test
