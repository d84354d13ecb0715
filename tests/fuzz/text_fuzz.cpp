// libFuzzer target for text.hpp and, where {fmt} is installed, for fmt.hpp. An input is a byte that chooses, then text
// to read, or two doubles and how to write them: a precision and stream flags, or a format string.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <hilo/error.hpp>
#include <hilo/text.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#if __has_include(<fmt/format.h>)
#define HILO_HAS_FMT 1
#include <hilo/fmt.hpp>
#else
#define HILO_HAS_FMT 0
#endif

using hilo::dd_real;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

bool same(dd_real x, dd_real y) {
  if (x.hi != x.hi) return y.hi != y.hi;
  return std::bit_cast<std::uint64_t>(x.hi) == std::bit_cast<std::uint64_t>(y.hi) && x.lo == y.lo;
}

constexpr std::chars_format formats[] = {std::chars_format::general, std::chars_format::fixed,
                                         std::chars_format::scientific, std::chars_format::hex};

void expect_reads_back(dd_real x) {
  for (auto format : formats) {
    char text[2000];
    auto written = hilo::to_chars(text, text + sizeof text, x, format);
    require(written.ec == std::errc());
    dd_real y(42);
    auto read = hilo::from_chars(text, written.ptr, y, format);
    require(read.ec == std::errc() && read.ptr == written.ptr && same(x, y));
  }
  require(same(hilo::parse(hilo::to_string(x)), x));
  require(same(hilo::parse(hilo::to_hex_string(x)), x));
  require(same(hilo::parse(hilo::to_limb_string(x)), x));
  for (auto format : formats) require(same(hilo::parse(hilo::to_limb_string(x, format)), x));
  // Without a gap, 34 digits are enough.
  if (x.lo != 0.0 && std::ilogb(x.lo) >= std::ilogb(x.hi) - 55) require(same(hilo::parse(hilo::to_string(x, 34)), x));
}

// The text of a number has the value and the end that std::from_chars finds for its nearest double.
void read(const char* first, const char* last) {
  for (auto format : formats) {
    dd_real x(42);
    auto r = hilo::from_chars(first, last, x, format);
    double nearest = 42;
    auto expected = std::from_chars(first, last, nearest, format);
    // libstdc++ takes the two signs of 1p+-2 for one exponent.
    if (format == std::chars_format::hex && std::string_view(first, last).find("+-") != std::string_view::npos)
      expected.ptr = r.ptr, nearest = x.hi;
    require(r.ptr == expected.ptr);
    require((r.ec == std::errc::invalid_argument) == (expected.ec == std::errc::invalid_argument));
    if (r.ec != std::errc()) {
      require(same(x, dd_real(42)));
      continue;
    }
    // The even neighbour takes the place of the nearest double where lo is rounded up to half an ulp.
    require(x.hi + x.lo == x.hi || x.hi - x.hi != 0.0);
    if (expected.ec == std::errc() && x.hi == x.hi) {
      double off = nearest == x.hi ? 0.0 : nearest - x.hi;
      require(off == 0.0 || off == 2 * x.lo);
    }
    if (format == std::chars_format::hex) expect_reads_back(x);
  }
  try {
    expect_reads_back(hilo::parse({first, last}));
  } catch (const hilo::error& e) {
    require(e.code() == hilo::errc::parse && std::strlen(e.what()) < 250);
  }
  std::istringstream stream(std::string(first, last));
  for (dd_real x; stream >> x;) {
  }
}

void write(dd_real x, std::uint16_t bits) {
  dd_real canonical = x.lo == 0.0 ? x : dd_real::sum(x.hi, x.lo);
  expect_reads_back(canonical);
  for (auto format : formats) {
    char text[4000];
    const int precision = bits % 2000;
    auto r = hilo::to_chars(text, text + sizeof text, x, format, precision);
    require(r.ec == std::errc());
    const auto size = r.ptr - text;
    std::string exact(text, r.ptr), small(static_cast<std::size_t>(size), '\0');
    require(hilo::to_chars(small.data(), small.data() + size, x, format, precision).ptr == small.data() + size);
    require(small == exact);
    auto less = hilo::to_chars(small.data(), small.data() + size - 1, x, format, precision);
    require(less.ec == std::errc::value_too_large);
    if (canonical.lo == 0.0 && format != std::chars_format::hex) {
      char other[4000];
      auto end = std::to_chars(other, other + sizeof other, canonical.hi, format, precision).ptr;
      require(exact == std::string(other, end));
    }
  }
}

// What a stream writes is what to_chars writes, and around it at most a sign, 0x and padding.
void write_to_stream(dd_real x, std::uint32_t bits) {
  std::ostringstream stream;
  stream.flags(static_cast<std::ios::fmtflags>(bits) & (std::ios::floatfield | std::ios::adjustfield |
                                                        std::ios::showpos | std::ios::showpoint | std::ios::uppercase));
  stream.precision(static_cast<int>(bits >> 20) - 100);
  stream.width(bits >> 12 & 255);
  stream.fill('~');
  stream << x;
  const std::string text = stream.str();
  require(stream.good() && text.size() >= (bits >> 12 & 255) && text.find_first_not_of('~') != text.npos);
  std::string number;
  for (char c : text)
    if (c != '~') number += c;
  if ((stream.flags() & std::ios::floatfield) == std::ios::floatfield) {
    require(same(hilo::parse(number), x.lo == 0.0 ? x : dd_real::sum(x.hi, x.lo)));
  } else {
    // It is a number, though rounding may have taken it out of range.
    const char* const first = number.data() + (number[0] == '+');
    dd_real y;
    const auto r = hilo::from_chars(first, number.data() + number.size(), y);
    require(r.ptr == number.data() + number.size() && r.ec != std::errc::invalid_argument);
  }
}

#if HILO_HAS_FMT
// A wrong format string throws; widths and precisions of millions only cost time.
void format(dd_real x, const std::string& text) {
  int digits = 0;
  for (char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 4) return;
  }
  for (const std::string& whole : {text, "{:" + text + "}"}) {
    try {
      static_cast<void>(fmt::format(fmt::runtime(whole), x, 7, 40, x));
    } catch (const fmt::format_error& e) {
      require(std::strlen(e.what()) < 200);
    }
  }
  const dd_real canonical = x.lo == 0.0 ? x : dd_real::sum(x.hi, x.lo);
  const bool is_finite = canonical.hi - canonical.hi == 0.0;
  for (const char* exact : {"{}", "{:l}", "{:la}", is_finite ? "{:+030lA}" : "{:+lA}", "{:.1400g}"})
    require(same(hilo::parse(fmt::format(fmt::runtime(exact), x)), canonical));
  require(fmt::format("{}", x) == hilo::to_string(x));
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy of its own, so that the sanitizer sees a read past either end.
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 4 == 0) {
    read(text.data(), text.data() + text.size());
  } else if (text.size() >= 20) {
    double words[2];
    std::uint32_t bits;
    std::memcpy(words, text.data(), 16);
    std::memcpy(&bits, text.data() + 16, 4);
    const dd_real x{words[0], words[1]};
    if (data[0] % 4 == 1) write(x, static_cast<std::uint16_t>(bits));
    if (data[0] % 4 == 2) write_to_stream(x, bits);
#if HILO_HAS_FMT
    if (data[0] % 4 == 3) format(x, text.substr(16));
#endif
  }
  return 0;
}
