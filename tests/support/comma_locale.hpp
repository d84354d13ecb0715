// A decimal comma and groups of digits everywhere, in C++ and in C, until the end of a scope.
#pragma once

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>

#include "environment_variable.hpp"
#include "temporary_folder.hpp"

namespace hilo::test {

class CommaLocale {
 public:
  CommaLocale()
      : c_locale_(std::setlocale(LC_ALL, nullptr)),
        location_("LOCPATH", folder_.file("").c_str()),
        cpp_locale_(std::locale::global(std::locale(std::locale::classic(), new punctuation))) {
    // Few machines have any locale but C; the package locales has what is needed to make one.
    const std::string name = "de_DE.UTF-8";
    const std::string command = "localedef -i de_DE -f UTF-8 '" + folder_.file(name) + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) std::setlocale(LC_ALL, name.c_str());
  }
  ~CommaLocale() {
    std::locale::global(cpp_locale_);
    std::setlocale(LC_ALL, c_locale_.c_str());
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  /// Whether C has such a locale here.
  bool is_in_c() const {
    char text[10];
    std::snprintf(text, sizeof text, "%.1f", 1.5);
    return std::string(text) == "1,5";
  }

 private:
  struct punctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::string c_locale_;
  TemporaryFolder folder_;
  EnvironmentVariable location_;
  std::locale cpp_locale_;
};

}  // namespace hilo::test
