// The arithmetic that the library's proofs are about, whatever the caller has set.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace hilo::host {

/// While it lives this thread rounds to nearest and keeps subnormal numbers, and x87's `long double` has its 64 bits;
/// then the caller's mode is back. Exception flags and masks are left alone. Where nothing differs, which a few
/// nanoseconds tell, nothing is written.
class IeeeArithmetic {
 public:
  IeeeArithmetic() : before_(read()) {
    if (const Control wanted = ieee(before_); wanted != before_) write(wanted);
  }
  ~IeeeArithmetic() {
    if (ieee(before_) != before_) write(before_);
  }
  IeeeArithmetic(const IeeeArithmetic&) = delete;
  IeeeArithmetic& operator=(const IeeeArithmetic&) = delete;

 private:
#if defined(__x86_64__)
  struct Control {
    unsigned sse;  // with the exception flags
    std::uint16_t x87;
    bool operator==(const Control&) const = default;
  };
  static constexpr unsigned sse_modes = 0xe040;       // flush to zero, rounding, denormals are zeros
  static constexpr std::uint16_t x87_modes = 0x0f00;  // rounding, precision
  static constexpr std::uint16_t x87_extended = 0x0300;

  static Control read() {
    Control control{_mm_getcsr(), 0};
    asm volatile("fnstcw %0" : "=m"(control.x87));
    return control;
  }
  static Control ieee(Control c) {
    return {c.sse & ~sse_modes, static_cast<std::uint16_t>((c.x87 & ~x87_modes) | x87_extended)};
  }
  static void write(Control c) {
    _mm_setcsr((_mm_getcsr() & ~sse_modes) | (c.sse & sse_modes));
    asm volatile("fldcw %0" : : "m"(c.x87) : "memory");
  }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  // Default NaN, flush to zero, rounding, and the alternate behaviours of FEAT_AFP.
  static constexpr Control modes = 0x03c00007;

  static Control read() {
    Control control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static Control ieee(Control c) { return c & ~modes; }
  static void write(Control c) { asm volatile("msr fpcr, %0" : : "r"(c) : "memory"); }
#else
  using Control = int;
  static Control read() { return std::fegetround(); }
  static Control ieee(Control) { return FE_TONEAREST; }
  static void write(Control c) { std::fesetround(c); }
#endif

  Control before_;
};

}  // namespace hilo::host
