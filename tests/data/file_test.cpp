// Files read and written whole: what is refused by name, and that no interrupt leaves anything behind.
#include "data/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <hilo/error.hpp>
#include <thread>

#include "child_process.hpp"
#include "temporary_folder.hpp"
#include "test_size.hpp"

namespace hilo::data {
namespace {

using test::TemporaryFolder;

constexpr Unfinished both[] = {Unfinished::nameless, Unfinished::named};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

template <class Function>
std::string complaint(Function function, errc code = errc::io) {
  try {
    function();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  return "accepted";
}

// How a process ends that does this, in words.
template <class Function>
std::string end_of(Function function, int signal = 0, std::chrono::microseconds later = {}) {
  const pid_t child = test::start_child([&] {
    rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    try {
      function();
    } catch (...) {
      return 3;
    }
    return 0;
  });
  if (signal && child > 0) {
    std::this_thread::sleep_for(later);
    kill(child, signal);
  }
  const int status = test::end_of_child(child);
  return status < 1000 ? "exit code " + std::to_string(status) : "signal " + std::to_string(status - 1000);
}

TEST(OutputFile, AppearsWholeWithThePermissionsOfWhatItReplaces) {
  for (Unfinished unfinished : both) {
    const TemporaryFolder folder;
    const std::string path = folder.file("x");
    const mode_t mask = umask(027);
    for (const char* bytes : {"first", "second"}) {
      OutputFile file(path, unfinished);
      file.write(bytes);
      EXPECT_NE(folder.read("x"), bytes);
      file.commit();
      EXPECT_EQ(folder.read("x"), bytes);
      EXPECT_EQ(mode_of(path), 0640u);
    }
    umask(mask);
    chmod(path.c_str(), 0604);
    { OutputFile(path, unfinished).write("never"); }
    OutputFile file(path, unfinished);
    file.write("third");
    file.commit();
    EXPECT_EQ(folder.read("x"), "third");
    EXPECT_EQ(mode_of(path), 0604u);
    EXPECT_EQ(folder.count(), 1);
  }
}

TEST(OutputFile, RefusesLoopsAndReadOnlyFilesByName) {
  const TemporaryFolder folder;
  const std::string loop = folder.file("loop"), path = folder.write("read-only", "as it was");
  std::filesystem::create_symlink("back", loop);
  std::filesystem::create_symlink("loop", folder.file("back"));
  const std::string in_a_loop = loop + ": cannot be written: its symbolic links form a loop";
  EXPECT_EQ(complaint([&] { check_target(loop); }), in_a_loop);
  EXPECT_EQ(complaint([&] { OutputFile file(loop); }), in_a_loop);
  chmod(path.c_str(), 0444);
  std::filesystem::create_symlink("read-only", folder.file("link"));
  for (const std::string& name : {path, folder.file("link")}) {
    EXPECT_EQ(complaint([&] { check_target(name); }), name + ": cannot be written: it is read-only");
    EXPECT_EQ(complaint([&] { OutputFile file(name); }), name + ": cannot be written: it is read-only");
  }
  EXPECT_EQ(folder.read("read-only"), "as it was");
  EXPECT_EQ(folder.count(), 4);
}

// A process that replaces a file over and over is interrupted after 0, 1, 2, ... ms.
TEST(OutputFile, InterruptsLeaveTheOldFileOrTheNewOne) {
  const int rounds = test::is_long() ? 400 : 8;
  const std::string old(100, 'o'), fresh(3 << 20, 'n');
  for (Unfinished unfinished : both) {
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ}) {
      for (int round = 0; round < rounds; ++round) {
        const TemporaryFolder folder;
        const std::string path = folder.write("x", old);
        auto replace = [&] {
          for (bool is_large = true;; is_large = !is_large) {
            OutputFile file(path, unfinished);
            file.write(is_large ? fresh : old);
            file.commit();
          }
        };
        const std::chrono::microseconds later(round < 8 ? 1000 * round : std::rand() % 20000);
        EXPECT_EQ(end_of(replace, signal, later), "signal " + std::to_string(signal));
        EXPECT_EQ(folder.count(), 1) << "signal " << signal << " after " << later.count() << " us";
        const std::string found = folder.read("x");
        EXPECT_TRUE(found == old || found == fresh) << found.size();
      }
    }
  }
}

TEST(OutputFile, LongerThanAProcessMayWrite) {
  for (Unfinished unfinished : both) {
    const TemporaryFolder folder;
    auto write = [&] {
      const rlimit most{1 << 20, 1 << 20};
      setrlimit(RLIMIT_FSIZE, &most);
      OutputFile file(folder.file("x"), unfinished);
      file.write(std::string(3 << 20, 'x'));
    };
    EXPECT_EQ(end_of(write), "signal " + std::to_string(SIGXFSZ));
    EXPECT_EQ(folder.count(), 0);
    auto ignore = [&] {
      std::signal(SIGXFSZ, SIG_IGN);
      if (complaint(write).ends_with("x: cannot be written: File too large")) _exit(5);
    };
    EXPECT_EQ(end_of(ignore), "exit code 5");
    EXPECT_EQ(folder.count(), 0);
  }
}

// Of several files all get their names or, where one cannot, none.
TEST(OutputFile, SeveralAppearOrNone) {
  for (Unfinished unfinished : both) {
    for (bool is_refused : {false, true}) {
      const TemporaryFolder folder;
      folder.write("old", "as it was");
      chmod(folder.file("old").c_str(), 0604);
      {
        OutputFile fresh(folder.file("new"), unfinished), old(folder.file("old"), unfinished),
            last(folder.file("last"), unfinished);
        OutputFile* const files[] = {&fresh, &old, &last};
        for (OutputFile* file : files) file->write("written");
        if (is_refused) std::filesystem::create_directory(folder.file("last"));
        const std::string words = complaint([&] { OutputFile::commit_all(files); });
        EXPECT_NE(words.find(is_refused ? "last: cannot be replaced: " : "accepted"), std::string::npos) << words;
      }
      EXPECT_EQ(std::filesystem::exists(folder.file("new")), !is_refused);
      EXPECT_EQ(folder.read("old"), is_refused ? "as it was" : "written");
      EXPECT_EQ(mode_of(folder.file("old")), 0604u);
      const std::filesystem::directory_iterator all(folder.file("."));
      EXPECT_EQ(std::distance(begin(all), end(all)), is_refused ? 2 : 3);
    }
  }
}

TEST(OutputFile, AnInterruptLeavesNoneOfSeveral) {
  const TemporaryFolder folder;
  folder.write("old", "as it was");
  const auto write_all = [&] {
    OutputFile fresh(folder.file("new"), Unfinished::named), old(folder.file("old"), Unfinished::named);
    OutputFile* const files[] = {&fresh, &old};
    std::raise(SIGTERM);
    OutputFile::commit_all(files);
  };
  EXPECT_EQ(end_of(write_all), "signal " + std::to_string(SIGTERM));
  EXPECT_EQ(folder.read("old"), "as it was");
  const std::filesystem::directory_iterator all(folder.file("."));
  EXPECT_EQ(std::distance(begin(all), end(all)), 1);
}

TEST(SignalsWait, UntilTheLastOneEnds) {
  auto wait = [] {
    std::signal(SIGHUP, SIG_IGN);
    const SignalsWait outer;
    {
      const SignalsWait inner;
      std::raise(SIGHUP);
      if (SignalsWait::has_come()) _exit(4);
      std::raise(SIGTERM);
    }
    if (!SignalsWait::has_come()) _exit(5);
  };
  auto leave = [] {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    const SignalsWait waiting;
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
    std::raise(SIGINT);
  };
  EXPECT_EQ(end_of(leave), "signal " + std::to_string(SIGINT));
  EXPECT_EQ(end_of(wait), "signal " + std::to_string(SIGTERM));
}

// What /dev/stdout and /dev/fd/3 stand for is written to where others are, whatever it is.
TEST(OutputFile, WritesToOpenPipesAndFilesDirectly) {
  const TemporaryFolder folder;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int appended = open(folder.file("log").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(appended, "before\n", 7), 7);
  for (const int descriptor : {ends[1], appended}) {
    for (const std::string of : {"/dev/fd/", "/proc/self/fd/"}) {
      OutputFile file(of + std::to_string(descriptor));
      EXPECT_EQ(file.temporary(), "");
      file.write("words\n");
      file.commit();
    }
  }
  char found[32] = {};
  EXPECT_EQ(read(ends[0], found, sizeof found), 12);
  EXPECT_STREQ(found, "words\nwords\n");
  EXPECT_EQ(read_file(folder.file("log")), "before\nwords\nwords\n");
  const std::string for_reading = "/dev/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(complaint([&] { check_target(for_reading); }),
            for_reading + ": cannot be written: it is open for reading alone");
  for (const int descriptor : {ends[0], ends[1], appended}) close(descriptor);
}

TEST(ReadFile, RefusesDevices) {
  EXPECT_EQ(complaint([] { read_file("/dev/zero"); }), "/dev/zero: cannot be read: it is a device");
}

#ifndef __SANITIZE_ADDRESS__
TEST(ReadFile, TakesNoMoreMemoryThanTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("large");
  constexpr std::size_t bytes = std::size_t{300} << 20;
  const int made = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(ftruncate(made, bytes), 0);
  close(made);
  auto read = [&] {
    const rlimit most{std::size_t{1} << 29, std::size_t{1} << 29};
    setrlimit(RLIMIT_AS, &most);
    if (read_file(path).size() == bytes) _exit(5);
  };
  EXPECT_EQ(end_of(read), "exit code 5");
}

TEST(ReadFile, AnEndlessPipeEndsBeforeTheMemory) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { static_cast<void>(std::system(("yes >" + path + " 2>/dev/null").c_str())); });
  auto read = [&] {
    const rlimit most{std::size_t{1} << 29, std::size_t{1} << 29};
    setrlimit(RLIMIT_AS, &most);
    if (complaint([&] { read_file(path); }, errc::out_of_memory).find("pipe: cannot be read: no memory for ") !=
        std::string::npos) {
      _exit(5);
    }
  };
  EXPECT_EQ(end_of(read), "exit code 5");
  writer.join();
}
#endif

}  // namespace
}  // namespace hilo::data
