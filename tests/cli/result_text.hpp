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

}  // namespace hilo::cli
