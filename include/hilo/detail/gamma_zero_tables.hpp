// Written by scripts/gamma_zero_tables.py, which also finds that |log |Γ(x)|| exceeds 2^-108.58 at every x < 0.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

// 1/Γ(1 + t), within 2^-250 on [-1/2, 1/2]: multiples of 2^-254 in two's complement, the constant first.
inline constexpr int reciprocal_gamma_terms = 52;
inline constexpr uint256 long_reciprocal_gamma_polynomial[reciprocal_gamma_terms] = {
    {make_uint128(0x4000000000000000, 0x0000000000000000), make_uint128(0x0000000000000000, 0x000000000000000b)},
    {make_uint128(0x24f119f8df6c31e9, 0x346f8fe04054b2d5), make_uint128(0xa873b30ebd973006, 0x4300f7cd1c26bfef)},
    {make_uint128(0xd60617fb2a0ba462, 0x8f6dea4310a7b8a6), make_uint128(0xdc4be8918bdc12e8, 0xf49fa4f890bf535e)},
    {make_uint128(0xfd4fd42e0bb1f706, 0xe17a966f0d8ded3e), make_uint128(0xf7aff15239592a97, 0x7c80db388d298cd2)},
    {make_uint128(0x0aa891905a1fdf2e, 0xfd37fb09a1ef84da), make_uint128(0x1c0b5dd3d0874056, 0x0acd16f79ed4101c)},
    {make_uint128(0xfd4ca1df8797edb0, 0x8392fedf1dcd4d6f), make_uint128(0x453809db93be6e49, 0xe07ecdf1365ac93a)},
    {make_uint128(0xff625a86bdbe0ef5, 0x8e48617e7d8cac65), make_uint128(0x23e0c53aa0504665, 0xfa6f18932270516f)},
    {make_uint128(0x0076467149fd82c6, 0x56e8eb4ee9ee0f09), make_uint128(0x8c3403f17180f8b4, 0x91ba1f5ec5b893af)},
    {make_uint128(0xffece8eed31c5d58, 0x42d2248af94ee2d4), make_uint128(0xc722a74d010c8031, 0x1cf3dbf7d629e068)},
    {make_uint128(0xfffc79360321d538, 0x62ce0fee3f0de5b9), make_uint128(0x244a52e4da25e18b, 0xe5dd03f7204195b0)},
    {make_uint128(0x00021914f19b3f3a, 0x34f360d0cbeb36e4), make_uint128(0x9fe292c62cac9ec6, 0xaec6a2ec5f37e5ca)},
    {make_uint128(0xffffab8c5d42e055, 0x080936f46280e5a3), make_uint128(0xec12ac389058bdcb, 0xf47aabab652cdd04)},
    {make_uint128(0xfffffac14af80f2c, 0x1137f444aa74f91c), make_uint128(0x19a49bc18358339e, 0x38573db61f9ad2ba)},
    {make_uint128(0x000004c094276f03, 0x78b207b7fe5bf273), make_uint128(0x2785c396cbe1f044, 0xe7b0fc864e0b72f4)},
    {make_uint128(0xffffff2333cccc9e, 0xed171768dd10d317), make_uint128(0xf68f836c8a49b0b6, 0x29560e54ba697a32)},
    {make_uint128(0x00000006912dee88, 0xb58a2b290e637ec9), make_uint128(0xa0cee0410e2baf5b, 0x2f83869754277b08)},
    {make_uint128(0x000000055ef0ff0e, 0x10ccfecf57ddfa0b), make_uint128(0x73b68f02223f1a7e, 0x79a8349947e13b83)},
    {make_uint128(0xfffffffebb4b3123, 0x5c770838ecfcc78d), make_uint128(0x8ed000432a29b11b, 0x487e27887a06b3e3)},
    {make_uint128(0x000000001cae7675, 0xc18606c5f7efa707), make_uint128(0x32ac76c06be62d6f, 0xaeca87c4b84bbcbc)},
    {make_uint128(0x000000000223a0cb, 0x7f5e0ce8b5ac67c2), make_uint128(0xddf9c7199702c05b, 0x202495a892149e32)},
    {make_uint128(0xfffffffffefbdc45, 0x3735c0555b998743), make_uint128(0x20ec0bf7d73e19ab, 0x189839498031b31d)},
    {make_uint128(0x000000000023e402, 0xa26479a0723da18a), make_uint128(0xa2f76ea48cce2cae, 0x9e2155012159bb33)},
    {make_uint128(0xfffffffffffe8d34, 0x7715a5191885aade), make_uint128(0x4b7d00c12b35e82c, 0xacbf90b342166f8f)},
    {make_uint128(0xffffffffffff9fa8, 0x2357e83a432d9a67), make_uint128(0x3cc67dc1641453e5, 0x6612cb5e5a69aed9)},
    {make_uint128(0x0000000000001619, 0x8491a83bccbe2659), make_uint128(0x113ae32e90dcd7c6, 0x199c9127726217af)},
    {make_uint128(0xfffffffffffffddf, 0x3d844350aee85629), make_uint128(0x4647f5e5f7e152c1, 0x454a86561e2d4cd7)},
    {make_uint128(0x0000000000000005, 0x78ffba07783a7207), make_uint128(0xdd6d57b2b30ecf51, 0x9030d45459e197d5)},
    {make_uint128(0x0000000000000006, 0x8371dc3ee29266d2), make_uint128(0x3f2196c1e1ea92c7, 0x553fa489f39b69b2)},
    {make_uint128(0xfffffffffffffffe, 0xf09cacbb5d616071), make_uint128(0x721b9bb9dd95017c, 0x8261444c55afed48)},
    {make_uint128(0x0000000000000000, 0x143d79a4b90ce804), make_uint128(0x73261d4be61a8674, 0x25ef8411148bb8eb)},
    {make_uint128(0x0000000000000000, 0x00286b42018cf684), make_uint128(0x39917b1025bd9b2b, 0x600e0362b283036a)},
    {make_uint128(0xffffffffffffffff, 0xffc1ea234209a068), make_uint128(0x50446777a8608b64, 0xdacc211aff2cddc9)},
    {make_uint128(0x0000000000000000, 0x000844e695559c4b), make_uint128(0x41b7595096d742e9, 0x7729c8c415ed543f)},
    {make_uint128(0xffffffffffffffff, 0xffff79f7253f0252), make_uint128(0x2c2e1024ec34f752, 0x83d3564c832b6cd0)},
    {make_uint128(0xffffffffffffffff, 0xfffffe2c6e652321), make_uint128(0xf6d8f94b1e0a21aa, 0xd047ecded776cee6)},
    {make_uint128(0x0000000000000000, 0x0000017165deac7a), make_uint128(0xd6c4e461ac7172af, 0x506144be401e610e)},
    {make_uint128(0xffffffffffffffff, 0xffffffd410eb43be), make_uint128(0x731a6173d4cc973c, 0x350fdf9e1a5d5529)},
    {make_uint128(0x0000000000000000, 0x00000002920dbb56), make_uint128(0x90da7b3c3418bec4, 0x04c249782607e677)},
    {make_uint128(0x0000000000000000, 0x0000000005fca208), make_uint128(0xd98c4171cc8b3f30, 0x9882757661d0c746)},
    {make_uint128(0xffffffffffffffff, 0xfffffffffa4c34bf), make_uint128(0xf4d912cb55639afe, 0x0788705a9736a5ef)},
    {make_uint128(0x0000000000000000, 0x0000000000a5c66f), make_uint128(0x2766f22fbd8ea1fa, 0x643e4bfb1ae7444f)},
    {make_uint128(0xffffffffffffffff, 0xfffffffffff667c4), make_uint128(0xe010c1c91ecaf9fe, 0x83132e581133c2a9)},
    {make_uint128(0x0000000000000000, 0x00000000000003c5), make_uint128(0x56b8dc39a3491f5c, 0xe7f2bd1d38c35f47)},
    {make_uint128(0x0000000000000000, 0x0000000000000f6a), make_uint128(0x8a0eeea39adc339c, 0x7b0de758f27e77b5)},
    {make_uint128(0xffffffffffffffff, 0xfffffffffffffe39), make_uint128(0x19511907daa583c3, 0x54b6d2372c0a45e9)},
    {make_uint128(0x0000000000000000, 0x000000000000001b), make_uint128(0x4a657cd0aec01a9a, 0xf32374fabf23b5bc)},
    {make_uint128(0xffffffffffffffff, 0xffffffffffffffff), make_uint128(0x9f2d9225d6edf505, 0xd6dd9e6f962578dd)},
    {make_uint128(0xffffffffffffffff, 0xffffffffffffffff), make_uint128(0xe371f6fac913c351, 0x9897db46e78492e2)},
    {make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0x03965b25349b8b5a, 0xf52239d8579080b3)},
    {make_uint128(0xffffffffffffffff, 0xffffffffffffffff), make_uint128(0xffc51b12c8e80c7f, 0x87583aa0702b6245)},
    {make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0x00016cdfcf33538e, 0x35443ad29f248080)},
    {make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0x000023d2eefd546b, 0x3dd0c28721e9dc30)}};

}  // namespace hilo::detail
