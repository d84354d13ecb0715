// Streams of numbers: as those of double, with more digits.
#include <gtest/gtest.h>

#include <complex>
#include <hilo/complex.hpp>
#include <hilo/text.hpp>
#include <iomanip>
#include <sstream>
#include <streambuf>
#include <vector>

#include "decimal_oracle.hpp"

using hilo::dd_real;
using hilo::oracle::same_bits;
using namespace hilo::literals;

namespace {

constexpr dd_real tenth = 0.1_dd;

TEST(TextStreams, WriteAsForDouble) {
  const std::ios_base::fmtflags notations[] = {{}, std::ios::fixed, std::ios::scientific, std::ios::floatfield};
  const std::ios_base::fmtflags adjustments[] = {{}, std::ios::left, std::ios::right, std::ios::internal};
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  int cases = 0;
  for (double x : {0.0, -0.0, 1.0, -1.5, 1234567.0, 100000.0, 0.0001, 0.00001, 3.0e-200, -9.9999999e99, 9.5, 99999.95,
                   infinity, -infinity, nan})
    for (auto notation : notations)
      for (auto adjustment : adjustments)
        for (int bits = 0; bits < 8; ++bits)
          for (int precision : {0, 1, 6, 17, -1})
            for (int width : {0, 12, 30}) {
              // libstdc++ writes fixed infinities and NaN in lower case whatever uppercase says.
              if (!std::isfinite(x) && notation == std::ios::fixed && (bits & 4) != 0) continue;
              std::ostringstream expected, actual;
              for (auto* s : {&expected, &actual}) {
                s->setf(notation, std::ios::floatfield);
                s->setf(adjustment, std::ios::adjustfield);
                if (bits & 1) s->setf(std::ios::showpos);
                if (bits & 2) s->setf(std::ios::showpoint);
                if (bits & 4) s->setf(std::ios::uppercase);
                s->precision(precision);
                s->width(width);
                s->fill('*');
              }
              expected << x << '|';
              actual << dd_real(x) << '|';
              ASSERT_EQ(actual.str(), expected.str())
                  << "notation " << notation << " flags " << bits << " precision " << precision << " width " << width;
              ++cases;
            }
  EXPECT_EQ(cases, (15 * 4 * 8 - 3 * 4) * 4 * 5 * 3);
}

TEST(TextStreams, WriteComplexNumbersAsForDouble) {
  const double infinity = std::numeric_limits<double>::infinity();
  int cases = 0;
  for (std::complex<double> z :
       {std::complex(1.5, -2.0), std::complex(-0.0, 1e-20), std::complex(infinity, 12345678.0)})
    for (auto notation : {std::ios::fmtflags{}, std::ios::scientific, std::ios::floatfield})
      for (auto adjustment : {std::ios::fmtflags{}, std::ios::left, std::ios::right, std::ios::internal})
        for (auto sign : {std::ios::fmtflags{}, std::ios::showpos})
          for (int width : {0, 9, 60}) {
            std::ostringstream expected, actual;
            for (auto* s : {&expected, &actual}) {
              s->setf(notation | adjustment | sign);
              s->width(width);
              s->fill('*');
            }
            expected << z << '|';
            actual << hilo::dd_complex(z) << '|';
            ASSERT_EQ(actual.str(), expected.str());
            ++cases;
          }
  EXPECT_EQ(cases, 3 * 3 * 4 * 2 * 3);
}

TEST(TextStreams, KeepTheDigitsOfBothWords) {
  std::ostringstream s;
  s << std::setprecision(31) << dd_real(2) / 3 << ' ' << std::fixed << std::setprecision(2000)
    << dd_real(0x1p1023, 0x1p-1074);
  EXPECT_EQ(s.str().substr(0, 33), "0.6666666666666666666666666666667");
  EXPECT_EQ(s.str().size(), 33u + 1 + 308 + 1 + 2000);
}

// A stream that takes only so many characters.
struct small_buffer : std::streambuf {
  char text[8];
  small_buffer() { setp(text, text + sizeof text); }
};

TEST(TextStreams, ThatFail) {
  for (std::streamsize width : {std::streamsize{0}, std::numeric_limits<std::streamsize>::max()})
    for (std::streamsize precision : {std::streamsize{8}, std::numeric_limits<std::streamsize>::max()})
      for (auto adjustment : {std::ios::left, std::ios::right, std::ios::internal}) {
        if (width == 0 && precision == 8 && adjustment != std::ios::left) continue;
        small_buffer buffer;
        std::ostream stream(&buffer);
        stream.setf(std::ios::fixed, std::ios::floatfield);
        stream.setf(adjustment, std::ios::adjustfield);
        stream.width(width);
        stream.precision(precision);
        stream << dd_real(1.5);
        EXPECT_TRUE(stream.bad());
      }
  small_buffer buffer;
  std::ostream stream(&buffer);
  stream << dd_real(-123.125);
  EXPECT_TRUE(stream.good());
  EXPECT_EQ(std::string(buffer.text, 8), "-123.125");
}

// A buffer with room for some characters of either direction, and then no memory.
class throwing_buffer : public std::streambuf {
 public:
  throwing_buffer(std::string text, int room) : text_(std::move(text)), room_(room) {
    setg(text_.data(), text_.data(), text_.data() + text_.size());
  }

 protected:
  int_type underflow() override { throw std::bad_alloc(); }
  int_type overflow(int_type c) override {
    if (room_-- <= 0) throw std::bad_alloc();
    return c;
  }

 private:
  std::string text_;
  int room_;
};

TEST(TextStreams, TurnExceptionsIntoBadbit) {
  for (bool asks : {false, true}) {
    for (const char* text : {"", "1", "-1.5", "1e", "1e10"}) {
      throwing_buffer buffer(text, 0);
      std::istream in(&buffer);
      in.unsetf(std::ios::skipws);
      if (asks) in.exceptions(std::ios::badbit);
      dd_real x(7);
      if (asks) {
        EXPECT_THROW(in >> x, std::bad_alloc) << text;
      } else {
        EXPECT_NO_THROW(in >> x) << text;
      }
      EXPECT_TRUE(in.bad() && x == 7) << text;
    }
    for (int room : {0, 1, 5}) {
      throwing_buffer buffer("", room);
      std::ostream out(&buffer);
      if (asks) out.exceptions(std::ios::badbit);
      out.width(9);
      if (asks) {
        EXPECT_THROW(out << dd_real(1.5), std::ios_base::failure) << room;
      } else {
        EXPECT_NO_THROW(out << dd_real(1.5)) << room;
      }
      EXPECT_TRUE(out.bad()) << room;
    }
  }
}

TEST(TextStreams, Read) {
  struct {
    const char* text;
    dd_real value;
    bool fails;
    const char* rest;
  } const cases[] = {
      {"0.1", tenth, false, ""},
      {" \n+0.1 x", tenth, false, " x"},
      {"1.5,2", dd_real(1.5), false, ",2"},
      {"-.5e1;", dd_real(-5), false, ";"},
      {"1e5e5", dd_real(100000), false, "e5"},
      {"1.2.3", tenth * 12, false, ".3"},
      {"12abc", dd_real(12), false, "abc"},
      {"inf 1", dd_real(std::numeric_limits<double>::infinity()), false, " 1"},
      {"-Infinity", dd_real(-std::numeric_limits<double>::infinity()), false, ""},
      {"", dd_real(7), true, ""},
      {"  ", dd_real(7), true, ""},
      {"abc", dd_real(0), true, ""},
      {"1e", dd_real(0), true, ""},
      {"1e+x", dd_real(0), true, "x"},
      {"+-1", dd_real(0), true, "-1"},
      {"-+1", dd_real(0), true, "+1"},
      {".", dd_real(0), true, ""},
      {"*", dd_real(0), true, "*"},
      {"1e400 2", std::numeric_limits<dd_real>::max(), true, " 2"},
      {"-1e400", std::numeric_limits<dd_real>::lowest(), true, ""},
      {"1e-400", dd_real(0), false, ""},
  };
  for (const auto& c : cases) {
    std::istringstream s(c.text);
    dd_real x(7);
    s >> x;
    EXPECT_EQ(s.fail(), c.fails) << c.text;
    EXPECT_EQ(hilo::to_string(x, 30), hilo::to_string(c.value, 30)) << c.text;
    s.clear();
    std::string rest;
    std::getline(s, rest, '\0');
    EXPECT_EQ(rest, c.rest) << c.text;
  }
  std::istringstream nan("nan");
  dd_real x(7);
  EXPECT_TRUE(nan >> x);
  EXPECT_TRUE(std::isnan(x.hi));
}

TEST(TextStreams, ReadBackWhatTheyWrite) {
  hilo::oracle::numbers random(21);
  std::stringstream s;
  s << std::scientific << std::setprecision(33);
  std::vector<dd_real> written(1000);
  for (dd_real& x : written) s << (x = random.contiguous()) << ' ';
  for (dd_real x : written) {
    dd_real y;
    ASSERT_TRUE(s >> y);
    ASSERT_TRUE(same_bits(x, y));
  }
}

}  // namespace
