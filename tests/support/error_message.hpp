// What an error says: message_of gives the text of the error that a call throws, expect_contains looks for words in it.
#pragma once

#include <gtest/gtest.h>

#include <hilo/error.hpp>
#include <initializer_list>
#include <string>

namespace hilo {

/// The message of the error that `call` throws; a failure where it throws none, or one of another code.
template <class Call>
std::string message_of(errc code, Call call) {
  try {
    call();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

inline void expect_contains(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks " << part;
}

}  // namespace hilo
