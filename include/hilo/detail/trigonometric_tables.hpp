// Written by scripts/trigonometric_tables.py. Fractions of 2^128, rounded to nearest.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

// sin(j / 64); j = 0 … 51.
inline constexpr uint128 sine_of_64ths[52] = {
    make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0x03fff5555dddda9d, 0xaa938cac1f113dca),
    make_uint128(0x07ffaaabbbba1ba3, 0x2bf904ddb51e4656), make_uint128(0x0bfee008197dd454, 0xcc841722cd0cc475),
    make_uint128(0x0ffd557776a76d5a, 0x5d259b2f692d4acb), make_uint128(0x13facb12d1755a9b, 0x79bab59ae5d278c9),
    make_uint128(0x17f701032550e41a, 0xfc2d1800501a1008), make_uint128(0x1bf1b78568391d7a, 0x461077a9331f2958),
    make_uint128(0x1feaaeee86ee35ca, 0x069a86721f89f85a), make_uint128(0x23e1a7af5f9d5d48, 0x8357b344b2da517a),
    make_uint128(0x27d66258bacd96a3, 0xeb335b365c87d594), make_uint128(0x2bc89f9f424de548, 0x5de7ce03b2514953),
    make_uint128(0x2fb8205f75e56a2b, 0x56a1c4792f856258), make_uint128(0x33a4a5a19d862467, 0x10f602c44df4fa51),
    make_uint128(0x378df09db8c332ce, 0x0d2b53d865582e45), make_uint128(0x3b73c2bf6b4b9f66, 0x8ef9499c81f0d965),
    make_uint128(0x3f55dda9e62aed75, 0x13bd7b8e6a3d1636), make_uint128(0x4334033bcd90d660, 0x4f5f36c1d4b84452),
    make_uint128(0x470df5931ae1d946, 0x076fe0dcff47fe32), make_uint128(0x4ae37710fad27c8a, 0xa9c4cf96c03519ba),
    make_uint128(0x4eb44a5da74f6002, 0x07aaa090f0734e29), make_uint128(0x5280326c3cf48182, 0x3ba6bb08eac82c21),
    make_uint128(0x5646f27e8bd65cbe, 0x3a5d61ff06572291), make_uint128(0x5a084e28e35fda27, 0x76dfdbbb5531d74d),
    make_uint128(0x5dc40955d9084f48, 0xa94675a2498de5d8), make_uint128(0x6179e84a09a5258a, 0x40e9b5face03e526),
    make_uint128(0x6529afa7d51b1296, 0x31ec197c0a840a12), make_uint128(0x68d3247314332797, 0x3bc712bcc4ccddc4),
    make_uint128(0x6c760c14c8585a51, 0xdbd34660ae6c52ac), make_uint128(0x70122c5ec5028c8c, 0xff33abf4fd340ccc),
    make_uint128(0x73a74b8f52947b68, 0x1baf6928eb3fb021), make_uint128(0x77353054ca72690d, 0x4c6e171fd99e6b3a),
    make_uint128(0x7abba1d12c17bfa1, 0xd92f0d93f60ded9a), make_uint128(0x7e3a679daaf25c67, 0x6542bcb4028d0964),
    make_uint128(0x81b149ce34caa5a4, 0xe650f8d09fd4d6aa), make_uint128(0x852010f4f0800521, 0x378bd8dd614753d1),
    make_uint128(0x88868625b4e1dbb2, 0x3133101330225272), make_uint128(0x8be472f9776d809a, 0xf2b88171243d63d6),
    make_uint128(0x8f39a191b2ba6122, 0xa3fa4f41d5a3ffd4), make_uint128(0x9285dc9bc45dd9ea, 0x3d02457bcce59c41),
    make_uint128(0x95c8ef544210ec0b, 0x91c49bd2aa09e851), make_uint128(0x9902a58a45e27bed, 0x68412b426b675ed5),
    make_uint128(0x9c32cba2b14156ef, 0x05256c4f857991ca), make_uint128(0x9f592e9b66a9cf90, 0x6a3c7aa3c1019985),
    make_uint128(0xa2759c0e79c35582, 0x527c32b55f5405c2), make_uint128(0xa587e23555bb0808, 0x6d02b9c662cdd293),
    make_uint128(0xa88fcfebd9a8dd47, 0xe2f3c76ef9e24399), make_uint128(0xab8d34b36acd9872, 0x10ed343ec65d7e3b),
    make_uint128(0xae7fe0b5fc786b2d, 0x966e1d6af140a488), make_uint128(0xb167a4c90d63c424, 0x4cf5493b7cc23bd4),
    make_uint128(0xb44452709a597529, 0x05913765434a59d1), make_uint128(0xb715bbe205ef06f1, 0x8d67a8052ace9125)};

// cos(j / 64); the first, which is 1, is never read.
inline constexpr uint128 cosine_of_64ths[52] = {
    make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0xfff8000aaaa4fa51, 0x4514074bde6ace45),
    make_uint128(0xffe000aaa93e9589, 0x576da4ec94946fb9), make_uint128(0xffb8035fefccf674, 0xc4a9f9b72a141836),
    make_uint128(0xff800aaa4fa69a65, 0x070f73284de215b9), make_uint128(0xff381a094f7b771a, 0x05e641b4834be063),
    make_uint128(0xfee035fbf35cda63, 0x2056a6bf1b6b28e0), make_uint128(0xfe78640074cd88f5, 0x1ebc368c35611b2b),
    make_uint128(0xfe00aa93eade9b6d, 0x1e6a129df6f18ce5), make_uint128(0xfd791131e25e97ab, 0x54c7b317625d2cc1),
    make_uint128(0xfce1a053e621438b, 0x6d60c76e8c45bf0b), make_uint128(0xfc3a6170f767ac73, 0x5d63d99a9d439e1e),
    make_uint128(0xfb835efcf670dd2c, 0xe6fe7924697eea14), make_uint128(0xfabca467fb3cb8f1, 0xd069f01d8ea33ade),
    make_uint128(0xf9e63e1d9e8b6f6f, 0x2e296bae5b5ed9c1), make_uint128(0xf90039843324f9b9, 0x40416c1984b6cbed),
    make_uint128(0xf80aa4fbef750ba7, 0x83d33cb95f94f8a4), make_uint128(0xf7058fde0788dfc8, 0x05b8fe88789e4f42),
    make_uint128(0xf5f10a7bb77d3dfa, 0x0c1da8b578427833), make_uint128(0xf4cd261d3e6c15bb, 0x369c8758630d2ac0),
    make_uint128(0xf399f500c9e9fd37, 0xae9957263dab8877), make_uint128(0xf2578a595224dd2e, 0x6bfa2eb2f99cc675),
    make_uint128(0xf105fa4d66b607a6, 0x7d44e04272520443), make_uint128(0xefa559f5ec3aec3a, 0x4eb03319278a2d42),
    make_uint128(0xee35bf5ccac89052, 0xcd91ddb734d3a47e), make_uint128(0xecb7417b8d4ee3fe, 0xc37aba4073aa48f2),
    make_uint128(0xeb29f839f201fd13, 0xb93796827916a78f), make_uint128(0xe98dfc6c6be031e6, 0x0dd3089cbdd18a76),
    make_uint128(0xe7e367d2956cfb16, 0xb6aa11e5419cd005), make_uint128(0xe62a551594b970a7, 0x70b15d41d4c0e484),
    make_uint128(0xe462dfc670d421ab, 0x3d1a15901228f147), make_uint128(0xe28d245c58baef72, 0x225e232abc003c43),
    make_uint128(0xe0a94032dbea7ced, 0xbddd9da2fafad985), make_uint128(0xdeb7518814a7a931, 0xbbcc88c109cd41c5),
    make_uint128(0xdcb7777ac4207051, 0x68f31e3eb780ce9d), make_uint128(0xdaa9d20860827063, 0xfde51c09e855e993),
    make_uint128(0xd88e820b1526311d, 0xd561efbc0c1a9a53), make_uint128(0xd665a937b4ef2b1f, 0x6d51bad6d988a442),
    make_uint128(0xd42f6a1b9f0168cd, 0xf031c2f63c8d9305), make_uint128(0xd1ebe81a95ee752e, 0x48a26bcd32d6e923),
    make_uint128(0xcf9b476c897c25c5, 0xbfe750dd3f308eaf), make_uint128(0xcd3dad1b5328a2e4, 0x59f993f4f510881a),
    make_uint128(0xcad33f00658fe5e8, 0x204bbc0f3a66a0e7), make_uint128(0xc85c23c26ed7b6f0, 0x14ef546c47929682),
    make_uint128(0xc5d882d2ee48030c, 0x7c07d28e981e3480), make_uint128(0xc348846bbd363133, 0x8ffe2bfe9dd1381a),
    make_uint128(0xc0ac518c8b6ae710, 0xba37a3eeb90cb15b), make_uint128(0xbe0413f84f2a771c, 0x614946a88cbf4da2),
    make_uint128(0xbb4ff632a908f73e, 0xc151839cb9d993b5), make_uint128(0xb890237d3bb3c284, 0xb614a0539016bfa1),
    make_uint128(0xb5c4c7d4f7dae915, 0xac786ccf4b1a498d), make_uint128(0xb2ee0fef5c65cf9a, 0x0f92e3320e22d00f)};

// atan(j / 64); j = 0 … 64.
inline constexpr uint128 arctangent_of_64ths[65] = {
    make_uint128(0x0000000000000000, 0x0000000000000000), make_uint128(0x03ffeaab776e5356, 0xef9e31590057dd81),
    make_uint128(0x07ff556eea5d892a, 0x13bcebbb6ed46311), make_uint128(0x0bfdc0c2186d14fc, 0xf220e10d61df56ec),
    make_uint128(0x0ffaaddb967ef4e3, 0x6cb2792dc0e2e0d5), make_uint128(0x13f59f0e7c559d6b, 0x1338a177e11cd9bf),
    make_uint128(0x17ee182602f10e8c, 0x126acfcf099f06cf), make_uint128(0x1be39ebe6f07c37d, 0xee3ca681661cbb3e),
    make_uint128(0x1fd5ba9aac2f6dc6, 0x5912f313e7d111df), make_uint128(0x23c3f5f6086e4dc9, 0x6f4dd64a60e82be6),
    make_uint128(0x27adddd18cc4d8b0, 0xd1d8674940d83fa1), make_uint128(0x2b93023c7d84d3be, 0xad534ffbc30b7a65),
    make_uint128(0x2f72f6979cb6044d, 0x1ec2d3e207271d22), make_uint128(0x334d51d2d90c4c39, 0xec03cf68691bbacf),
    make_uint128(0x3721aea524c14408, 0xbd88697072d54bc1), make_uint128(0x3aefabbe40ae6ce3, 0x2468a9a2cbef5e3a),
    make_uint128(0x3eb6ebf25901bac5, 0x5b71e7bd7de885f9), make_uint128(0x4277165f618d8962, 0xe47390cb8655e9d1),
    make_uint128(0x462fd68c2fc5e098, 0x6523a458dfc414c7), make_uint128(0x49e0dc815fbd16f8, 0x8322c92037f0a23d),
    make_uint128(0x4d89dcdc1faf2f34, 0xe2d5da4c693d7994), make_uint128(0x512a90db0abc26a2, 0xa1bc3aa4c45c6cf2),
    make_uint128(0x54c2b6654735276d, 0x4cdbfbbdfbecf461), make_uint128(0x5852100c273f8658, 0xda8ea8ee100507e1),
    make_uint128(0x5bd86507937bc239, 0xc55190916e7f2242), make_uint128(0x5f55812d8ecfdd69, 0xc885c2b249a08813),
    make_uint128(0x62c934e5286c95b6, 0xd0ba3748fa85146f), make_uint128(0x6633551535ac619e, 0x6c988fd0a76cdbe2),
    make_uint128(0x6993bb0f308ff2db, 0x213e4af4800f389b), make_uint128(0x6cea44769971b1ae, 0x187b1ca504031a2f),
    make_uint128(0x7036d3253b27be33, 0xe318f6cb3cc65c02), make_uint128(0x73794d0cb04d425d, 0x305bbe70e536e164),
    make_uint128(0x76b19c1586ed3da2, 0xb7f222f65e1d4682), make_uint128(0x79dfadfc5d68d10e, 0x53dc1bf34356f9fd),
    make_uint128(0x7d03742d50505f2e, 0x33691e3eaee47661), make_uint128(0x801ce39e0d205c99, 0xa6d6c6c54d938596),
    make_uint128(0x832bf4a6d9867e2a, 0x4b6a09cb61a515c1), make_uint128(0x8630a2dada1ed065, 0xd3e84ed5013ca37e),
    make_uint128(0x892aecdfde9547b5, 0x094478fc472b4afc), make_uint128(0x8c1ad445f3e09b8c, 0x439d801860205921),
    make_uint128(0x8f005d5ef7f59f9b, 0x5c835e1665c43748), make_uint128(0x91db8f1664f350e2, 0x10e4f9c1126e0220),
    make_uint128(0x94ac72c9847186f6, 0x18c4f393f78a32f9), make_uint128(0x97731420365e538b, 0xabd3fe19f1aeb6b3),
    make_uint128(0x9a2f80e671bdda20, 0x4226f8e2204ff3bd), make_uint128(0x9ce1c8e6a0b8cdb9, 0xf799c4e8174cf11c),
    make_uint128(0x9f89fdc4f4b7a1ec, 0xf8b492644f0701e0), make_uint128(0xa22832dbcadaae08, 0x92fe9c08637af0e6),
    make_uint128(0xa4bc7d1934f70924, 0x19a87f2a457dac9f), make_uint128(0xa746f2ddb7602294, 0x67b7d66f2d74e019),
    make_uint128(0xa9c7abdc4830f5c8, 0x916a84b5be7933f6), make_uint128(0xac3ec0fb997dd6a1, 0xa36273a56afa8ef4),
    make_uint128(0xaeac4c38b4d8c080, 0x14725e2f3e52070a), make_uint128(0xb110688aebdc6f6a, 0x43d65788b9f6a7b5),
    make_uint128(0xb36b31c91f043691, 0x590141744462f93a), make_uint128(0xb5bcc49059ecc4af, 0xf8f3cee75e3907d5),
    make_uint128(0xb8053e2bc2319e73, 0xcb2da55210a4443d), make_uint128(0xba44bc7dd470782f, 0x654c2cb10942e386),
    make_uint128(0xbc7b5deae98af280, 0xd4113006e80fb290), make_uint128(0xbea94144fd049aac, 0x1043c5e755282e7d),
    make_uint128(0xc0ce85b8ac526640, 0x89dd62c46e92fa25), make_uint128(0xc2eb4abb661628b5, 0xb373fe45c61bb9fb),
    make_uint128(0xc4ffaffabf8fbd54, 0x8cb43d10bc9e0221), make_uint128(0xc70bd54ce602ee13, 0xe7d54fbd09f2be38),
    make_uint128(0xc90fdaa22168c234, 0xc4c6628b80dc1cd1)};

// 2^(-12 k) / (2 k + 1)!; k = 1 … 6.
inline constexpr uint128 sine_coefficients[6] = {
    make_uint128(0x0002aaaaaaaaaaaa, 0xaaaaaaaaaaaaaaab), make_uint128(0x0000000222222222, 0x2222222222222222),
    make_uint128(0x000000000000d00d, 0x00d00d00d00d00d0), make_uint128(0x0000000000000000, 0x2e3bc74aad8e671f),
    make_uint128(0x0000000000000000, 0x000006b99159fd51), make_uint128(0x0000000000000000, 0x0000000000b09231)};

// 2^(-12 (k - 1)) / (2 k)!; k = 1 … 6.
inline constexpr uint128 cosine_coefficients[6] = {
    make_uint128(0x8000000000000000, 0x0000000000000000), make_uint128(0x0000aaaaaaaaaaaa, 0xaaaaaaaaaaaaaaab),
    make_uint128(0x000000005b05b05b, 0x05b05b05b05b05b0), make_uint128(0x0000000000001a01, 0xa01a01a01a01a01a),
    make_uint128(0x0000000000000000, 0x049f93edde27d71d), make_uint128(0x0000000000000000, 0x0000008f76c77fc7)};

// 2^(-12 k) / (2 k + 1); k = 1 … 8.
inline constexpr uint128 arctangent_coefficients[8] = {
    make_uint128(0x0005555555555555, 0x5555555555555555), make_uint128(0x0000003333333333, 0x3333333333333333),
    make_uint128(0x0000000002492492, 0x4924924924924925), make_uint128(0x0000000000001c71, 0xc71c71c71c71c71c),
    make_uint128(0x0000000000000001, 0x745d1745d1745d17), make_uint128(0x0000000000000000, 0x0013b13b13b13b14),
    make_uint128(0x0000000000000000, 0x0000011111111111), make_uint128(0x0000000000000000, 0x000000000f0f0f0f)};

}  // namespace hilo::detail
