// A page of HTML that needs no other file.
#pragma once

#include <string>
#include <vector>

namespace hilo::cli {

/// A part of a report: a command, what it printed, and what it drew.
struct ReportPart {
  std::string title, text;           ///< text says what it shows, in a sentence or two
  std::vector<std::string> command;  ///< as one would type it: "hilo", "bench", …
  std::string printed;
  std::string picture;  ///< SVG; empty where there is none
  std::string failure;  ///< why there is nothing; empty where there is something
  double seconds = 0.0;
};

/// Pictures are in it as data. `made` says when and by what.
std::string report_page(const std::string& title, const std::string& made, const std::vector<ReportPart>& parts);

/// A command line that a shell takes for these words.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace hilo::cli
