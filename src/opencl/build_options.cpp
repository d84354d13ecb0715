#include "opencl/build_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <hilo/error.hpp>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "host/escaped.hpp"
#include "opencl/kernel_text.hpp"

namespace hilo::opencl {
namespace {

constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", digits = "0123456789";

// Registers, messages and what debuggers see: nothing that arithmetic is made of.
constexpr std::array<std::string_view, 5> harmless = {"-cl-opt-disable", "-cl-kernel-arg-info", "-cl-nv-verbose", "-g",
                                                      "-Werror"};
constexpr std::array<std::string_view, 2> harmless_numbers = {"-cl-nv-maxrregcount", "-cl-nv-opt-level"};

// Options that begin so, and what they would do.
constexpr std::pair<std::string_view, std::string_view> harmful[] = {
    {"-cl-mad-enable", "it lets the compiler round once where the kernels round twice"},
    {"-cl-unsafe-math-optimizations", "it lets the compiler break IEEE arithmetic, of which double-double is made"},
    {"-cl-fast-relaxed-math", "it lets the compiler break IEEE arithmetic, of which double-double is made"},
    {"-cl-finite-math-only", "it lets the compiler take Inf and NaN for impossible"},
    {"-cl-no-signed-zeros", "it lets the compiler lose the sign of zeros"},
    {"-cl-denorms-are-zero", "it lets the device lose subnormal numbers"},
    {"-cl-single-precision-constant", "it rounds the kernels' constants to single precision"},
    {"-cl-std", "the kernels are OpenCL C 1.2, which hilo asks for itself"},
    {"-cl-nv-arch", "the device decides its instructions"},
    {"-cl-nv-cstd", "the kernels are OpenCL C 1.2, which hilo asks for itself"},
    {"-I", "the kernels' texts are hilo's own"},
    {"-include", "the kernels' texts are hilo's own"},
    {"-f", "it may change arithmetic"},
    {"-m", "it may change arithmetic"},
    {"-O", "it may change arithmetic"},
    {"-U", "the kernels' macros are hilo's own"},
};

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw error(errc::invalid_argument, "build option " + host::escaped(option) + " is refused: " + why);
}

bool is_made_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == text.npos;
}

bool is_of_a_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_name(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_of_a_name(text[at - 1])) && (end == text.size() || !is_of_a_name(text[end]))) return true;
  }
  return false;
}

// Capital names alone: functions of OpenCL C, types and keywords are none, whether a kernel mentions them or not.
void check_definition(const std::string& definition) {
  const std::string option = "-D" + definition, name = definition.substr(0, definition.find('='));
  if (!is_made_of(name, capitals) || digits.find(name[0]) != digits.npos) {
    refuse(option, "a name may have capital letters, digits and _");
  }
  for (const char* own : {"_", "HILO_", "HAS_", "CL_", "CLK_"}) {
    if (name.starts_with(own)) refuse(option, std::string("names that begin with ") + own + " are not a user's");
  }
  if (has_name(all_kernel_texts(), name)) refuse(option, "hilo's kernels have that name");
  for (char c : definition.substr(std::min(name.size() + 1, definition.size()))) {
    if (!is_of_a_name(c) && c != '.' && c != '+' && c != '-') {
      refuse(option, "a value may have letters, digits and . _ + -");
    }
  }
}

std::string list_of_harmless() {
  std::string list;
  for (std::string_view option : harmless) list += std::string(option) + ", ";
  for (std::string_view option : harmless_numbers) list += std::string(option) + "=N, ";
  return list + "-D NAME";
}

// Whether it takes a number, which the next word is where there is no '='.
bool takes_number(const std::string& option, std::string& number) {
  const std::string name = option.substr(0, option.find('='));
  if (std::find(harmless_numbers.begin(), harmless_numbers.end(), name) == harmless_numbers.end()) return false;
  number = option.substr(std::min(name.size() + 1, option.size()));
  return true;
}

}  // namespace

std::string checked_build_options(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  std::string checked;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string option = words[i], number;
    const bool has_next = i + 1 < words.size();
    if (option.starts_with("-D")) {
      if (option.size() == 2 && has_next) option += words[++i];
      check_definition(option.substr(2));
    } else if (takes_number(option, number)) {
      if (option.find('=') == option.npos && has_next) {
        number = words[++i];
        option += '=' + number;
      }
      if (!is_made_of(number, digits) || number.size() > 3) refuse(option, "it takes a number from 0 to 999");
    } else if (std::find(harmless.begin(), harmless.end(), option) == harmless.end()) {
      for (const auto& [beginning, why] : harmful) {
        if (option.starts_with(beginning)) refuse(option, std::string(why));
      }
      refuse(option, "only these are known to leave results as they are: " + list_of_harmless());
    }
    checked += (checked.empty() ? "" : " ") + option;
  }
  return checked;
}

}  // namespace hilo::opencl
