// Lists of options: in all commands what comes again in one counts no more, as it was asked for already. So ranges of
// sizes may overlap.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cli/option.hpp"

namespace hilo::cli {

/// Appends a value that is not there yet.
template <class T>
void append_new(std::vector<T>& values, const T& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

/// What read(word) makes of the words of a list, in the order in which values come first: "3,03,5" is 3 and 5.
template <class Read>
auto distinct(const std::string& text, Read read) {
  std::vector<decltype(read(text))> values;
  for (const std::string& word : list(text)) append_new(values, read(word));
  return values;
}

/// The words of a list as they come first, in upper or lower case: "dd,d,DD" is "dd" and "d".
inline std::vector<std::string> distinct_words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : list(text)) {
    const auto is_same = [&](const std::string& other) { return lower_case(word) == lower_case(other); };
    if (std::none_of(words.begin(), words.end(), is_same)) words.push_back(word);
  }
  return words;
}

}  // namespace hilo::cli
