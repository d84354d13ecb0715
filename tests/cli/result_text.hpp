// What a command prints of a result, in a table and as JSON.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace hilo::cli {

template <class Result>
std::string table(const Result& result) {
  std::ostringstream out;
  print_table(out, result);
  return out.str();
}

template <class Result>
nlohmann::json object(const Result& result) {
  std::ostringstream out;
  print_json(out, result);
  return nlohmann::json::parse(out.str());
}

inline void expect_words(const std::string& text, std::initializer_list<const char*> all) {
  for (const char* words : all) EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
}

// Long names are of several words.
inline void expect_columns_of_a_terminal(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace hilo::cli
