// This program again, as a child whose lines are read as they come.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace hilo::test::faults {

class Child {
 public:
  explicit Child(const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The next line; nothing at the end, or where none comes for so long that the child was ended.
  std::optional<std::string> line(int seconds = 120);
  /// After the last line: empty, or how it ended.
  std::string end();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  bool is_stuck_ = false;
  std::string pending_;
};

}  // namespace hilo::test::faults
