// What qd_program.hpp says: numbers by name, in order.
#pragma once

#include <string>
#include <vector>

struct QdProgramSays {
  struct Line {
    std::string name;
    bool is_exact;
    double hi, lo;
    std::string text;
  };
  std::vector<Line> lines;

  void exact(const char* name, double hi, double lo) { lines.push_back({name, true, hi, lo, ""}); }
  void close(const char* name, double hi, double lo) { lines.push_back({name, false, hi, lo, ""}); }
  void text(const char* name, const std::string& text) { lines.push_back({name, true, 0.0, 0.0, text}); }
};
