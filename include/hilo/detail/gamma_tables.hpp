// Written by scripts/gamma_tables.py. Coefficients are multiples of 2^-126 in two's complement, the constant first.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

// 1/Γ(1 + t), within 2^-126 on [-1/2, 1/2].
inline constexpr uint128 reciprocal_gamma_polynomial[30] = {
    make_uint128(0x4000000000000000, 0x0000000000000000), make_uint128(0x24f119f8df6c31e9, 0x346f8fe04054b2d6),
    make_uint128(0xd60617fb2a0ba462, 0x8f6dea4310a7b876), make_uint128(0xfd4fd42e0bb1f706, 0xe17a966f0d8ded76),
    make_uint128(0x0aa891905a1fdf2e, 0xfd37fb09a1efbe27), make_uint128(0xfd4ca1df8797edb0, 0x8392fedf1dcd0cc7),
    make_uint128(0xff625a86bdbe0ef5, 0x8e48617e7d724fc0), make_uint128(0x0076467149fd82c6, 0x56e8eb4eea0bd370),
    make_uint128(0xffece8eed31c5d58, 0x42d2248affa7ef56), make_uint128(0xfffc79360321d538, 0x62ce0fee37e0f3b8),
    make_uint128(0x00021914f19b3f3a, 0x34f360cfe06f5468), make_uint128(0xffffab8c5d42e055, 0x080936f56d17ac2e),
    make_uint128(0xfffffac14af80f2c, 0x1137f45aeb06b936), make_uint128(0x000004c094276f03, 0x78b2079ec059be40),
    make_uint128(0xffffff2333cccc9e, 0xed1715f82c9fa3a0), make_uint128(0x00000006912dee88, 0xb58a2ccc669724fa),
    make_uint128(0x000000055ef0ff0e, 0x10cd0fa528558c9b), make_uint128(0xfffffffebb4b3123, 0x5c76f5019ed562a7),
    make_uint128(0x000000001cae7675, 0xc18579c2c0435530), make_uint128(0x000000000223a0cb, 0x7f5eaea19178af2f),
    make_uint128(0xfffffffffefbdc45, 0x373911629b001e55), make_uint128(0x000000000023e402, 0xa260a5730714d3f9),
    make_uint128(0xfffffffffffe8d34, 0x77076e4ee0d69cee), make_uint128(0xffffffffffff9fa8, 0x2368792114c6d5e2),
    make_uint128(0x0000000000001619, 0x84bbd86171d3c823), make_uint128(0xfffffffffffffddf, 0x3d525db002d335b8),
    make_uint128(0x0000000000000005, 0x78add43053e61d3c), make_uint128(0x0000000000000006, 0x83d5356920ce0fbc),
    make_uint128(0xfffffffffffffffe, 0xf0f87042b7e51ea2), make_uint128(0x0000000000000000, 0x13c80f9696329eca)};

// log Γ(2 + t) / t, within 2^-126 on [-1/2, 1/2].
inline constexpr uint128 log_gamma_polynomial[41] = {
    make_uint128(0x1b0ee6072093ce16, 0xcb90701fbfab4d2a), make_uint128(0x14a34cc4a60fa646, 0x1cf62448802eb37a),
    make_uint128(0xfbb07ff96aa27e5f, 0xb68be2f8821ea021), make_uint128(0x0151322ac7d84836, 0xbf2242232dcac686),
    make_uint128(0xff86fec0f79c2839, 0xe4a627cf1eb2fe0d), make_uint128(0x002f5badd5b6d85f, 0xa921f5cdfff95aea),
    make_uint128(0xffec753a3d4071f8, 0x3149839fb3ef1775), make_uint128(0x000859b57c31cb74, 0x5f2ce527545eed2d),
    make_uint128(0xfffc580567125a07, 0x071f1573c0ff4374), make_uint128(0x0001a127b0f17d65, 0xa33a6110f979c321),
    make_uint128(0xffff4390d2141bf0, 0x886881623492880d), make_uint128(0x0000560373b99bac, 0x08930af900096f6d),
    make_uint128(0xffffd8686d3863bb, 0x7af5276bee7e2558), make_uint128(0x000012597a39f34a, 0xab8ed28debf522c8),
    make_uint128(0xfffff77268a44c35, 0x5f7265850d480ed3), make_uint128(0x000004019337ac8b, 0xc3f3730333a745fa),
    make_uint128(0xfffffe1d9ff26c30, 0x2d023df8810bd6aa), make_uint128(0x000000e3b5dd9f83, 0xcf56db5141ff921f),
    make_uint128(0xffffff942964d101, 0xd723e9c225ca7148), make_uint128(0x000000333727840e, 0x481cac9f4fc660f3),
    make_uint128(0xffffffe79d38cb20, 0xa8e547375f886123), make_uint128(0x0000000ba34ed665, 0x651b854a8b720bfb),
    make_uint128(0xfffffffa6f2d5eef, 0x46256eafc0c7eb0c), make_uint128(0x00000002aab50f17, 0xd0291b1f795d3748),
    make_uint128(0xfffffffeb84e9862, 0x0155d37e0fd6fbe1), make_uint128(0x000000009d8ae8a3, 0xa5ab9bcee6965bc6),
    make_uint128(0xffffffffb42595da, 0x2d9a1270a9492262), make_uint128(0x0000000024926983, 0x6e2fa8ab4df68d29),
    make_uint128(0xffffffffee583b7f, 0x077e01350aa3e8d1), make_uint128(0x00000000088877ca, 0x7f13fcc517945560),
    make_uint128(0xfffffffffbdf0068, 0x6e3113424c00258d), make_uint128(0x000000000200464a, 0xec227a3e2039e683),
    make_uint128(0xffffffffff079fa3, 0xe827b9cb20bf8286), make_uint128(0x000000000077bd88, 0xf3bfe5bb618cabb3),
    make_uint128(0xffffffffffc5d7b1, 0xd7d5b91bac6daebc), make_uint128(0x00000000001dda6f, 0xe85e59284b89c697),
    make_uint128(0xfffffffffff17948, 0x3de96e20f78840d7), make_uint128(0x000000000004e7c0, 0x75e3abc86c78909b),
    make_uint128(0xfffffffffffd9ce5, 0x575ba18c5cb516c8), make_uint128(0x000000000002fcff, 0xfe738f7e32deeb5d),
    make_uint128(0xfffffffffffe8a8f, 0x56179fec7fd24fa4)};

// Where Stirling's formula begins.
inline constexpr int stirling_from = 16;

// (log Γ(x) - (x - 1/2) log x + x - log(2π)/2) / y, x = stirling_from / y, t = y² - 1/2, within 2^-118 on [-1/2, 1/2].
inline constexpr uint128 stirling_polynomial[14] = {
    make_uint128(0x005553e97283b5f5, 0x776b2e7c26d6d5ac), make_uint128(0xfffffd28a2158f0a, 0xb0292ec0559376ff),
    make_uint128(0x00000000cf243abe, 0x4afc1c05c6c0e78e), make_uint128(0xffffffffff65aab8, 0xc315a677557deb53),
    make_uint128(0x000000000000d7d8, 0x61ed1d048a86ad06), make_uint128(0xfffffffffffffe1c, 0x6c2da00620c4ff37),
    make_uint128(0x0000000000000006, 0x2b50024f162045a8), make_uint128(0xffffffffffffffff, 0xe46e200d514527bf),
    make_uint128(0x0000000000000000, 0x00a110c57a8e2d29), make_uint128(0xffffffffffffffff, 0xfffb5bd76f40630b),
    make_uint128(0x0000000000000000, 0x00002a11995fb1b1), make_uint128(0xffffffffffffffff, 0xfffffe35b0e3d89e),
    make_uint128(0x0000000000000000, 0x0000001718f780b2), make_uint128(0xffffffffffffffff, 0xfffffffea67ad228)};

}  // namespace hilo::detail
