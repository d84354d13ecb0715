// libFuzzer target for text.hpp. An input is a byte that chooses, then text to read, or two doubles and a precision
// to write.
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <hilo/error.hpp>
#include <hilo/text.hpp>
#include <sstream>
#include <string>
#include <string_view>

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
    expect_reads_back(x);
  }
  try {
    hilo::parse({first, last});
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy of its own, so that the sanitizer sees a read past either end.
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 != 0) {
    read(text.data(), text.data() + text.size());
  } else if (text.size() >= 18) {
    double words[2];
    std::uint16_t precision;
    std::memcpy(words, text.data(), 16);
    std::memcpy(&precision, text.data() + 16, 2);
    write({words[0], words[1]}, precision);
  }
  return 0;
}
