// Written by scripts/error_function_tables.py. Coefficients are multiples of 2^-126 in two's complement, the constant
// first.
#pragma once

#include <hilo/detail/wide.hpp>

namespace hilo::detail {

// erf(x) / x, t = x² - 1/2, within 2^-126 on [-1/2, 1/2].
inline constexpr uint128 error_function_polynomial[24] = {
    make_uint128(0x3dca3d64796fd4c4, 0x4e014ccad83195c4), make_uint128(0xee02e9d6deae0290, 0x8c395117c4acec7b),
    make_uint128(0x05150da005ec107c, 0xc08cb76b0a8d5c38), make_uint128(0xfed46fd484d0ddbe, 0x38c9e89e088ed172),
    make_uint128(0x00390554493be84f, 0x9386e25755276ac5), make_uint128(0xfff6ce33723f14f7, 0xdeab904d3918b025),
    make_uint128(0x0001486638bca9f8, 0x63339b7e8ddfde77), make_uint128(0xffffd7ac2d8e8817, 0x731684bde79c0d82),
    make_uint128(0x0000046b57b723c9, 0xb9a6fb8ff3e5124c), make_uint128(0xffffff901c695c12, 0x54b8028ddc434dc8),
    make_uint128(0x0000000a14799ef6, 0xa81df33261034aab), make_uint128(0xffffffff2a9428dc, 0x5201684af9d02b97),
    make_uint128(0x00000000104ff7e5, 0xefc9dffe74b5ed48), make_uint128(0xfffffffffed758f2, 0xd2b0f731cab6f2fa),
    make_uint128(0x000000000013aedd, 0x3b1607f75dd4fe60), make_uint128(0xfffffffffffec660, 0xd52395d1e7763ae2),
    make_uint128(0x0000000000001261, 0x782eb33da005bcd2), make_uint128(0xfffffffffffffefb, 0x6fd06cd6ea1546b2),
    make_uint128(0x000000000000000d, 0xac8245d7bce9a8ae), make_uint128(0xffffffffffffffff, 0x516f1c9fcc4d20fc),
    make_uint128(0x0000000000000000, 0x084afad83cc9b91f), make_uint128(0xffffffffffffffff, 0xff9fb595f91b4443),
    make_uint128(0x0000000000000000, 0x000430505ba7ca33), make_uint128(0xffffffffffffffff, 0xffffd368d9ec7714)};

// 2 exp(x²) erfc(x), x = 1 (3/2 + t), within 2^-126 on [-1/2, 0.5].
inline constexpr uint128 scaled_complement_polynomial_1[33] = {
    make_uint128(0x2929b5ff455ad09c, 0xdef8786c71079fb6), make_uint128(0xeb0e677bbb350949, 0x2b14dec5e7181c10),
    make_uint128(0x09bf5138de2a5e8a, 0x9f97c6954babc976), make_uint128(0xfbc8eb8b5af864bb, 0x66fb05c3e5bb4b01),
    make_uint128(0x01b65944f34f7ad1, 0xdd08279d9222e6e8), make_uint128(0xff5760944ff971fc, 0x14361a134da73453),
    make_uint128(0x003dce0bce6c8c99, 0x53c86f9381dec9cc), make_uint128(0xffea4f54019a5cd2, 0xe089ee1ff8be4f91),
    make_uint128(0x00075142743505f5, 0x6925d530f9a62525), make_uint128(0xfffd9e7e27178864, 0x38809877b88b2f5d),
    make_uint128(0x0000bfccbc91aa1b, 0xf2c7bec1d546d205), make_uint128(0xffffc57d51ceea19, 0xd81f4e2d318cc554),
    make_uint128(0x00001156c936ac35, 0xc9291eb5b9bab96a), make_uint128(0xfffffaffec40245f, 0x284988da7ae49053),
    make_uint128(0x00000167cf5eb2ae, 0x5c3a23db0608a01c), make_uint128(0xffffff9d48f95bc9, 0x28df906e250aca41),
    make_uint128(0x0000001a779a978b, 0x8332384010f99178), make_uint128(0xfffffff90ea2076c, 0x858150628f00b5f8),
    make_uint128(0x00000001c89df5a1, 0x968eb28e50ee0c61), make_uint128(0xffffffff8d01935a, 0xd3be4e853b0074e3),
    make_uint128(0x000000001c69a1dd, 0xc8d9e91b091da722), make_uint128(0xfffffffff91b6e4c, 0xf050a346cfca6f29),
    make_uint128(0x0000000001a49dc1, 0x8d3a57c9bfa95e83), make_uint128(0xffffffffff9d6c14, 0xa2378b1b8da9398d),
    make_uint128(0x000000000016baa8, 0x190862368c424b67), make_uint128(0xfffffffffffad75e, 0x252336a6d11bdaa5),
    make_uint128(0x0000000000012735, 0x21163ce274ad5de7), make_uint128(0xffffffffffffbef8, 0x36efd23cb20d6b6b),
    make_uint128(0x0000000000000e1e, 0xe9530cd55b37081a), make_uint128(0xfffffffffffffcfc, 0xd8f4fb105fd0c4a1),
    make_uint128(0x00000000000000a2, 0xf96eeb8f82d0dfb9), make_uint128(0xffffffffffffffda, 0xcdddea66eea71464),
    make_uint128(0x0000000000000007, 0xa4c8f714a38de222)};

// 4 exp(x²) erfc(x), x = 2 (3/2 + t), within 2^-126 on [-1/2, 0.5].
inline constexpr uint128 scaled_complement_polynomial_2[39] = {
    make_uint128(0x2dd304fa453a599b, 0xe2b0863b29b46843), make_uint128(0xe42951b2eb4e9118, 0xd8f420c84479d5f9),
    make_uint128(0x1043fe1a98c0cd04, 0xa07add9e41aca5ad), make_uint128(0xf6d37cf22bd4b6ff, 0x6f212339bd4d5040),
    make_uint128(0x0502730bb4ffbf07, 0x8e5924e9bb3f974e), make_uint128(0xfd58426c5eed55aa, 0xd43e2a8d5617c9a3),
    make_uint128(0x015e73930484ff5f, 0xbb9ddba7a7350bcb), make_uint128(0xff4fed77e1f33c42, 0xc67a3b781dd1b1bb),
    make_uint128(0x005657c6d771d9c3, 0xe55534db3c44f8b0), make_uint128(0xffd69d73af371f07, 0xa950097456cfdf65),
    make_uint128(0x001369904b6a06a5, 0xe90a9c3043a241ee), make_uint128(0xfff714375d55ef46, 0x338b9f7751e103e5),
    make_uint128(0x000405423a47490a, 0x243d55bc32ecd1f4), make_uint128(0xfffe38adf9143920, 0xdeb527a3c6527020),
    make_uint128(0x0000c5df89157f46, 0x8a76149e3c071416), make_uint128(0xffffab7603937338, 0xe59faee6d504acf1),
    make_uint128(0x000023884739560d, 0xf15dbf00058ccd38), make_uint128(0xfffff14c7031a024, 0x9c7d0d08b693487d),
    make_uint128(0x000005fdbfc8c9e5, 0xb899dbcf7b650701), make_uint128(0xfffffd9806aea7fe, 0xe6b30306ba0cd441),
    make_uint128(0x000000f3ea52b58e, 0x5a6d5b65f4c576f6), make_uint128(0xffffffa0b934d880, 0xc4fc4dd919e3668f),
    make_uint128(0x00000024ba3ae6a9, 0x56589ae7a0940dbb), make_uint128(0xfffffff205c1cecf, 0xc4ac19c6a1807737),
    make_uint128(0x0000000540f48999, 0xf1d2169952ada98d), make_uint128(0xfffffffe0c8a6f8b, 0xa95d462e08a72ae7),
    make_uint128(0x00000000b7500f35, 0x9fe4426fe24d563e), make_uint128(0xffffffffbd7c02eb, 0x9710306dacc69751),
    make_uint128(0x0000000017de4df8, 0x807d8b289c586e14), make_uint128(0xfffffffff787028b, 0x0ddbaba188477277),
    make_uint128(0x0000000002f9d46e, 0x2a954f1493f5d698), make_uint128(0xfffffffffef7356d, 0x9368fc22b44a51ea),
    make_uint128(0x00000000005b20fd, 0x17ec368de4488ad5), make_uint128(0xffffffffffe0d90d, 0xd7fb7eedcef789b4),
    make_uint128(0x00000000000a833d, 0x7ce7fe48fdb19171), make_uint128(0xfffffffffffca056, 0x3a92607dcabdf367),
    make_uint128(0x0000000000011e8a, 0x589bdda34097f57e), make_uint128(0xffffffffffff81c3, 0x8cd5846203fa4cfb),
    make_uint128(0x00000000000028e6, 0xfcfb48b5702a98b4)};

// 8 exp(x²) erfc(x), x = 4 (3/2 + t), within 2^-126 on [-1/2, 0.5].
inline constexpr uint128 scaled_complement_polynomial_4[45] = {
    make_uint128(0x2f80690913ae42e5, 0x4e75dcd0e22125c3), make_uint128(0xe128099262f60227, 0x98d0bf33a64ae057),
    make_uint128(0x13c7764a81f4620b, 0x3aefb9e5b917636e), make_uint128(0xf377cac19430e25a, 0x0d0395d7d494b18b),
    make_uint128(0x07d9336701edac92, 0x73a8d54bbfb5ef57), make_uint128(0xfb23cbe6fa2287be, 0x43388b6fb475440d),
    make_uint128(0x02fa1c07db5d2ba9, 0xd7f377bc4a1bd257), make_uint128(0xfe321b31331cbc84, 0xb2f5b277418b7916),
    make_uint128(0x01151346a02119c3, 0x91900dbe3778a706), make_uint128(0xff5b722799fa4423, 0xbd86522a5fe36fc0),
    make_uint128(0x0060c8067d1b331d, 0x5f84e90a60a8f6ed), make_uint128(0xffc79da6ca948dff, 0x6b10839ff14c537a),
    make_uint128(0x00208c01cd456af6, 0xaaf9f126557924d3), make_uint128(0xffed61a1375a4aef, 0xcd9d81abbbe0f8d2),
    make_uint128(0x000a8ebf2541f569, 0xfe9b28ef9f728924), make_uint128(0xfffa108864c6e463, 0xd420ccda278bf1b9),
    make_uint128(0x00034f1778d897ff, 0x7a3f860994712f7e), make_uint128(0xfffe2b9d5e344c05, 0xc058c1cc6c7b2731),
    make_uint128(0x000100e9d20c839c, 0x91c670c3b6c45853), make_uint128(0xffff742f52fe6e36, 0x836a7ad675d34bc6),
    make_uint128(0x00004b814a76a7e4, 0xdfe2140e71da57dd), make_uint128(0xffffd78804190327, 0x9f743f034a9c78df),
    make_uint128(0x00001587bb11b535, 0xb30bf907afb5c2ff), make_uint128(0xfffff4a0da04f8b0, 0x718ca64c2567b5de),
    make_uint128(0x000005f6ad76e3bf, 0x118d15120cfd7e23), make_uint128(0xfffffce4f37a00f2, 0x7ba39d4bf6b0fb35),
    make_uint128(0x0000019b34873a60, 0x4ca044bec1f40cf7), make_uint128(0xffffff2cc0517f75, 0xe4c67d328ccc37e5),
    make_uint128(0x0000006bcedd5257, 0x09e2cd53b4e57224), make_uint128(0xffffffc956c00c00, 0x454c9fcea8335a39),
    make_uint128(0x0000001b89959000, 0xae375faebc4d1eee), make_uint128(0xfffffff236d3f38c, 0x9d4d30571a19b730),
    make_uint128(0x00000006dbd99351, 0xc86ba37c029c0340), make_uint128(0xfffffffc9bc92dcf, 0x5a9295d83d0a12e3),
    make_uint128(0x00000001aac24d7a, 0x7eaefe16a842756b), make_uint128(0xffffffff2f511c19, 0x2452dd406c13a0fa),
    make_uint128(0x00000000655f85b1, 0x604a6c5fccd63296), make_uint128(0xffffffffcf67cc98, 0xff70f04a852a8124),
    make_uint128(0x000000001758cbd9, 0x7b6e7a076c78b74f), make_uint128(0xfffffffff431a865, 0x92a31cdf6f8a65fb),
    make_uint128(0x00000000059910da, 0x8201ee97a4f9992f), make_uint128(0xfffffffffe294019, 0x98839d140472d228),
    make_uint128(0x0000000000df3d1f, 0x11ef36c611ece304), make_uint128(0xfffffffffefa733a, 0x292a1873ea134d1f),
    make_uint128(0x000000000078dc0d, 0x134e42fb6a88227c)};

// 16 exp(x²) erfc(x), x = 8 (3/2 + t), within 2^-126 on [-1/2, 0.5].
inline constexpr uint128 scaled_complement_polynomial_8[48] = {
    make_uint128(0x2ffa8d8bc10c9a62, 0x42a9b7d0e5d8867f), make_uint128(0xe03b884b9299a655, 0x8a273cd162b40e38),
    make_uint128(0x14f67f473cc4f8a4, 0x7924c2be79a6fbf3), make_uint128(0xf23689124ad9e20a, 0xa51027d987bf8112),
    make_uint128(0x09099c55a179768e, 0x179fd098a8b1950b), make_uint128(0xfa185b794e68632d, 0xa66346407defe8e3),
    make_uint128(0x03d8764c972b9c36, 0xc464d4c891e2fe70), make_uint128(0xfd80ec4ca78eadb3, 0x36773ea80b399e1c),
    make_uint128(0x019d8bf9281a0c39, 0x617b2c39650e3acb), make_uint128(0xfef53c93c2fc724b, 0x2638f31825ffa6b9),
    make_uint128(0x00ab8abd6dd5fbb4, 0x8a6e119f4bf48a5d), make_uint128(0xff9207fee5b372a2, 0x72d19d68d60a563a),
    make_uint128(0x004647d2eecc51ac, 0xf1ae31e03447facd), make_uint128(0xffd3386f3a12f79c, 0x34ac9eb5ac592534),
    make_uint128(0x001c7210360709f9, 0x2b371f01975e3940), make_uint128(0xffedfbfc1a958d66, 0x089946710ed0dc67),
    make_uint128(0x000b6052ef3af091, 0xb5b5d77c3f7dd7c7), make_uint128(0xfff8d65e28e1987d, 0x7bfeeaeb2df6569e),
    make_uint128(0x00047f1dae97b3f2, 0x7f99c812586f0654), make_uint128(0xfffd2f70638102b8, 0xab199ca3b9dc6da3),
    make_uint128(0x0001c1c1b23b0017, 0x8124bc25306fe1a4), make_uint128(0xfffee811e09b800c, 0xbb2160854d0d650e),
    make_uint128(0x0000adbd298d19d2, 0x51c5f028ba5e9e1a), make_uint128(0xffff9478531c9d8d, 0x3b6661bc54d03294),
    make_uint128(0x0000425e212ab694, 0x868138b18031ab15), make_uint128(0xffffd7267f4bd824, 0x81d206412f1f95b9),
    make_uint128(0x00001913143e4ea0, 0xc0376308e070a6b2), make_uint128(0xfffff0a679a0e057, 0xc40c051ace8418f4),
    make_uint128(0x0000095f0c3feb12, 0x7f41fc9bdca84e98), make_uint128(0xfffffa4b3e02c205, 0x133f6e2814b8a74d),
    make_uint128(0x0000037716ac2808, 0xdffc7e27cb17fb9c), make_uint128(0xfffffde6b4697e25, 0x41b44a0a41c26eb7),
    make_uint128(0x000001449400368c, 0x5b5c82d4da7c0171), make_uint128(0xffffff3c6da691b7, 0x26889afe8c6e6ae6),
    make_uint128(0x000000758ea1d2cf, 0x7aecd589d3cee712), make_uint128(0xffffffb9879bfd4f, 0xa20dd89248fba46d),
    make_uint128(0x0000002a105a2db5, 0x21438f43e4e4f94b), make_uint128(0xffffffe6e9075500, 0x6ca9b4f9f6a43016),
    make_uint128(0x0000000f230abc83, 0xd07b3213e3e39038), make_uint128(0xfffffff7051155ea, 0x63a29abe4eb41988),
    make_uint128(0x00000004da810936, 0x2dd85f5268c4389a), make_uint128(0xfffffffd20d74a86, 0xd4f466b8139d5fac),
    make_uint128(0x0000000272e91557, 0x9de0f4a8911e18fb), make_uint128(0xfffffffe913f428d, 0x5ddc092507e9055e),
    make_uint128(0xfffffffff9b41d5a, 0x624de48677cee69d), make_uint128(0x000000000269584d, 0xed535d12dbbc16f5),
    make_uint128(0x000000009c04e035, 0xd4be1ee9ee306d23), make_uint128(0xffffffffa59f7ac3, 0x86e8e6689da08c78)};

// 32 exp(x²) erfc(x), x = 16 (3/2 + t), within 2^-126 on [-1/2, 0.25].
inline constexpr uint128 scaled_complement_polynomial_16[45] = {
    make_uint128(0x301a3d11a78c3ffe, 0x706a6a507e553827), make_uint128(0xdffcb2e1c9576ddf, 0x6ab4720f00e52fd2),
    make_uint128(0x154964558f64cd90, 0x791566ffacfff3fd), make_uint128(0xf1db96c049c17ac0, 0x385db458436b2f68),
    make_uint128(0x09633aff0382d866, 0xd0fac2090ffff91f), make_uint128(0xf9c6191f9be6242d, 0x88bc8f248aa36293),
    make_uint128(0x04203a247404e3b4, 0xb1dd954b63a3d8d6), make_uint128(0xfd44aaf08cfe35e1, 0x028d73ef6d7d8248),
    make_uint128(0x01cea351e08d218d, 0x6c70cbde731bd1fa), make_uint128(0xfece344dbcde44b2, 0xefb303251f91734d),
    make_uint128(0x00c9f47f2bb4eb90, 0xcc43c7b773965adf), make_uint128(0xff7abc7413efa51d, 0x78e076da88cc689b),
    make_uint128(0x0057dce19a108a2a, 0xede8143facc2828d), make_uint128(0xffc61e8914fe35d3, 0x554db7372b250a4c),
    make_uint128(0x0026190838d62122, 0x04deca698cd4af15), make_uint128(0xffe6f1c9e65211eb, 0x0eb1859a7efd473e),
    make_uint128(0x001076e24a278052, 0x606e5f979009a747), make_uint128(0xfff530a0a736deb6, 0x9e40c60a380b2ad4),
    make_uint128(0x000717797116ee91, 0xbb4aea53f8077a4f), make_uint128(0xfffb59fb09658fe7, 0x37b6ae65ab50adfb),
    make_uint128(0x00030b6651871c5e, 0x4f257a9f279193fc), make_uint128(0xfffe01f42929540a, 0xfb558452dd4b42ef),
    make_uint128(0x00014d81635c1b03, 0x61f58b970ac92b66), make_uint128(0xffff261bab7dd35f, 0x1c6e69494952a9fe),
    make_uint128(0x00008e3db7cf40af, 0x40e7ca7ea67a355e), make_uint128(0xffffa3384130cce3, 0xb7b74ec69293bf43),
    make_uint128(0x00003c7817200731, 0xad0df75bc2361a8a), make_uint128(0xffffd89f12f1b484, 0x1977a8878ba437fe),
    make_uint128(0x0000199f89edfdaa, 0x3be6227762d47e1a), make_uint128(0xffffef5757ab587b, 0x2cd712154d68e568),
    make_uint128(0x00000ad334718bb3, 0x78236fb7e6f54290), make_uint128(0xfffff8f904e23265, 0x3a76b4197f282116),
    make_uint128(0x000004884fb1c638, 0x29e40de6ac87ad6e), make_uint128(0xfffffd0496f8af99, 0xcbf58f6d701870be),
    make_uint128(0x00000207082f3d05, 0xce781d9dbc241eac), make_uint128(0xffffff274ba1c56d, 0xb0a00b5b2b838024),
    make_uint128(0x000000e84a7bc7f3, 0xa758a2e5fc8909f0), make_uint128(0xfffffdde43bd3dfe, 0xd21dbcc5a70b6478),
    make_uint128(0xfffffce9e232894f, 0x99b988b577ba5a61), make_uint128(0xfffffee27758309e, 0xfe3d6bd58cf824e9),
    make_uint128(0x00000809f71f2334, 0x81b1df90f79bb4d2), make_uint128(0x0000108ff5b95ecb, 0xdc5ddf754a7384bb),
    make_uint128(0x000010cdb023d042, 0xbf34c577af84e4fe), make_uint128(0x0000090eba0e241b, 0x5bfe86f6b24a279d),
    make_uint128(0x0000023addcafd51, 0x512cb0c1a111730a)};

}  // namespace hilo::detail
