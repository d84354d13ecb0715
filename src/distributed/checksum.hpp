// CRC-64 with the polynomial of ECMA-182, reflected: finds every change of up to 64 bits in a row.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace hilo::distributed {

class Checksum {
 public:
  void add(std::span<const unsigned char> bytes) {
    std::size_t i = 0;
    std::uint64_t c = ~value_;
    // Eight bytes at a time: table t has what t zero bytes after a byte make of it.
    for (; i + 8 <= bytes.size(); i += 8) {
      for (std::size_t t = 0; t < 8; ++t) c ^= std::uint64_t{bytes[i + t]} << (8 * t);
      std::uint64_t next = 0;
      for (std::size_t t = 0; t < 8; ++t) next ^= tables[7 - t][(c >> (8 * t)) & 255];
      c = next;
    }
    for (; i < bytes.size(); ++i) c = tables[0][(c ^ bytes[i]) & 255] ^ (c >> 8);
    value_ = ~c;
  }
  template <class T>
  void add(const T* x, std::int64_t count) {
    add({reinterpret_cast<const unsigned char*>(x), static_cast<std::size_t>(count) * sizeof(T)});
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::array<std::array<std::uint64_t, 256>, 8> tables = [] {
    std::array<std::array<std::uint64_t, 256>, 8> made{};
    for (std::uint64_t i = 0; i < 256; ++i) {
      std::uint64_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xc96c5795d7870f42u : 0);
      made[0][i] = c;
    }
    for (std::size_t t = 1; t < 8; ++t) {
      for (std::size_t i = 0; i < 256; ++i) made[t][i] = made[0][made[t - 1][i] & 255] ^ (made[t - 1][i] >> 8);
    }
    return made;
  }();

  std::uint64_t value_ = 0;
};

}  // namespace hilo::distributed
