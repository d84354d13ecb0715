// Checksums of products, in the order of `contracts`; what HILO_PRINT_CHECKSUMS=1 prints.
#pragma once

#include <cstdint>

namespace hilo::test {

struct ProductChecksums {
  std::uint64_t storages, batch;
};

inline constexpr ProductChecksums product_checksums[] = {
    {0xc65d9f31361b3795, 0x74bd988af357e72b},  // dd, direct classic, FMA
    {0x0ef3950926f07f9d, 0xd9b79648b7627f2a},  // dd, direct classic, no FMA
    {0x18a2db87fd5fa8d9, 0x9405ac5388385231},  // dd, direct fast, FMA
    {0xe568359ceaddca89, 0xcfe2385a98e36942},  // dd, direct fast, no FMA
    {0xffaae1b32bafe312, 0x7635c9aa386e167b},  // zdd, direct classic, FMA
    {0x7f6ee19443b7add8, 0xf4c0749aafff03b3},  // zdd, direct classic, no FMA
    {0x2413388d6a68a852, 0x043653676a78edb3},  // zdd, direct fast, FMA
    {0x30a76869c5b22dd7, 0xa79411d9a0c4b2b6},  // zdd, direct fast, no FMA
    {0x603d672267cba8d0, 0x33011ee19b26c6e6},  // dd, modular classic
    {0x01e585909406d400, 0x4ad890e3f578d8ae},  // dd, modular fast
    {0xb443d2a69861592c, 0x81bfbb6d6269cdd9},  // dd, modular tight
    {0x47fe4843d708f21a, 0x121dc0143f4a4cb1},  // dd, modular normwise
    {0x2796271846a7e942, 0x198c6a55f86b4cc7},  // dd, modular bits
    {0x7f3ab4d110a3616e, 0x9e6580ba4d909d6f},  // dd, modular exact
    {0x89b10881315e89a0, 0x9810ca3869f3b151},  // zdd, modular classic
    {0xd817ada7d6f88360, 0x128efbd708f5cbe3},  // zdd, modular fast
    {0xe922d2299aa8e64e, 0xdab33f541e94dded},  // zdd, modular tight
    {0x362b6ef0db26a503, 0x6057beaf76a27abf},  // zdd, modular normwise
    {0x9756a7da8d4d3fef, 0x84d8533b57a5a804},  // zdd, modular bits
    {0x20017986b9c655c7, 0xfeaa829285acc244},  // zdd, modular exact
    {0x07f13fbf12c458b8, 0xbac62521add08400},  // d, modular classic
    {0xa96fdf5700232df1, 0x4ce44e2eb309faf9},  // d, modular fast
    {0x02e97c0769fadd0b, 0xbac62521add08400},  // d, modular tight
    {0xe15adff9bbb980b0, 0x4d5480c5115d95c2},  // d, modular normwise
    {0x02e97c0769fadd0b, 0xce1108df21af2a52},  // d, modular bits
    {0xe08d625ff20cb1d8, 0xad2a73c7dcd7d16f},  // d, modular exact
    {0x0152a3f30ea76fe1, 0xa7183794aeb0d647},  // z, modular classic
    {0xfaaca47d9dc601ec, 0xd7a5561398f8230d},  // z, modular fast
    {0xeee3f1fb334bc002, 0x5e59c6e03e8d5e8f},  // z, modular tight
    {0xf1fa6fca8cba9bd1, 0xf5fd3a1d9b281b9c},  // z, modular normwise
    {0xf7335fcdb4c7aab2, 0x5e59c6e03e8d5e8f},  // z, modular bits
    {0x076a1f04ad78cc96, 0x614d7700226e34c7},  // z, modular exact
};

}  // namespace hilo::test
