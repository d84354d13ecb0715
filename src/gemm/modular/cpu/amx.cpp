// Operands are packed to tiles of 16 lines × 64 terms, 1 KiB, a register each. The first operand's hold line after
// line; the second's, for each four terms, those of all lines. One is the other, transposed as 16 × 16 words of four
// bytes.
#include "gemm/modular/cpu/amx.hpp"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#define HILO_HAS_AMX 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "host/workspace.hpp"
#include "matrix/sizes.hpp"
// Others in place of AMX's, for tests on CPUs without it.
#ifdef HILO_AMX_INSTRUCTIONS
#include HILO_AMX_INSTRUCTIONS
#endif
#endif

namespace hilo::modular {

#if HILO_HAS_AMX

#if !defined(__clang__)
// Of GCC 12's own intrinsics, whose unused operands are without value on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace {

using std::int32_t;
using std::int64_t;
using std::int8_t;
using std::uint8_t;

#define HILO_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define HILO_AMX __attribute__((target("amx-tile,amx-int8")))

constexpr int64_t tile_lines = 16, tile_terms = 64, tile_bytes = tile_lines * tile_terms;
// Sums that stay in registers.
constexpr int64_t strip_lines = 2 * tile_lines;
// So many terms of a strip of the second operand, 36 KiB, stay in the first-level cache while strips of the first one
// stream past it.
constexpr int64_t most_tiles = 18;
// Cache lines that are brought to the second-level cache with each 64 terms of a block: of the strip of the second
// operand that comes next, all of it while this one is multiplied with 256 rows; and of the first operand's next rows.
constexpr int64_t lines_of_strip = 4, lines_of_rows = 1, line_bytes = 64;
// From one to the next 16 lines: parts of long ones a power of two apart would share cache sets.
constexpr int64_t line_tiles_bytes(int64_t terms) {
  const int64_t tiles = blocks(terms, tile_terms);
  return (tiles > 32 ? tiles | 1 : tiles) * tile_bytes;
}

bool can_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

// 16 × 16 words, transposed.
HILO_AVX512 inline void transpose(__m512i (&x)[16]) {
  __m512i y[16];
  for (int i = 0; i < 16; i += 2) {
    y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
    x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
    x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
    x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    y[i] = _mm512_shuffle_i32x4(x[i], x[i + 4], 0x88);
    y[i + 4] = _mm512_shuffle_i32x4(x[i], x[i + 4], 0xdd);
    y[i + 8] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0x88);
    y[i + 12] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; ++i) {
    x[i] = _mm512_shuffle_i32x4(y[i], y[i + 8], 0x88);
    x[i + 8] = _mm512_shuffle_i32x4(y[i], y[i + 8], 0xdd);
    x[i + 4] = _mm512_shuffle_i32x4(y[i + 4], y[i + 12], 0x88);
    x[i + 12] = _mm512_shuffle_i32x4(y[i + 4], y[i + 12], 0xdd);
  }
}

HILO_AVX512 inline void transpose_tile(const uint8_t* from, uint8_t* to) {
  __m512i word[tile_lines];
  for (int64_t l = 0; l < tile_lines; ++l) word[l] = _mm512_load_si512(from + l * 64);
  transpose(word);
  for (int64_t l = 0; l < tile_lines; ++l) _mm512_store_si512(to + l * 64, word[l]);
}

constexpr __mmask64 first_bytes(int64_t count) {
  return count >= 64 ? ~__mmask64{0} : (__mmask64{1} << std::max<int64_t>(count, 0)) - 1;
}

// One tile, of lines whose terms are neighbours; zeros beyond what there is. By words transposed, or not.
HILO_AVX512 void pack_lines(const uint8_t* data, int64_t leading, int64_t lines, int64_t terms, bool by_words,
                            uint8_t* to) {
  const __mmask64 mask = first_bytes(terms);
  __m512i line[tile_lines];
  for (int64_t l = 0; l < tile_lines; ++l) {
    line[l] = l < lines ? _mm512_maskz_loadu_epi8(mask, data + l * leading) : _mm512_setzero_si512();
  }
  if (by_words) transpose(line);
  for (int64_t l = 0; l < tile_lines; ++l) _mm512_store_si512(to + l * 64, line[l]);
}

// Four tiles side by side, of terms whose lines are neighbours; `tile_stride` bytes from one to the next.
HILO_AVX512 void pack_terms(const uint8_t* data, int64_t leading, int64_t lines, int64_t terms, bool by_words,
                            uint8_t* to, int64_t tile_stride) {
  const __mmask64 mask = first_bytes(lines);
  const int64_t tiles = std::min(blocks(lines, tile_lines), int64_t{4});
  for (int64_t h = 0; h < tile_terms; h += 4) {
    __m512i term[4];
    for (int64_t i = 0; i < 4; ++i) {
      term[i] = h + i < terms ? _mm512_maskz_loadu_epi8(mask, data + (h + i) * leading) : _mm512_setzero_si512();
    }
    const __m512i low[2] = {_mm512_unpacklo_epi8(term[0], term[1]), _mm512_unpacklo_epi8(term[2], term[3])};
    const __m512i high[2] = {_mm512_unpackhi_epi8(term[0], term[1]), _mm512_unpackhi_epi8(term[2], term[3])};
    // Quarter t of x[q]: the words of lines 16 t + 4 q and on.
    const __m512i x[4] = {_mm512_unpacklo_epi16(low[0], low[1]), _mm512_unpackhi_epi16(low[0], low[1]),
                          _mm512_unpacklo_epi16(high[0], high[1]), _mm512_unpackhi_epi16(high[0], high[1])};
    const __m512i y[4] = {_mm512_shuffle_i32x4(x[0], x[1], 0x88), _mm512_shuffle_i32x4(x[0], x[1], 0xdd),
                          _mm512_shuffle_i32x4(x[2], x[3], 0x88), _mm512_shuffle_i32x4(x[2], x[3], 0xdd)};
    const __m512i tile[4] = {_mm512_shuffle_i32x4(y[0], y[2], 0x88), _mm512_shuffle_i32x4(y[1], y[3], 0x88),
                             _mm512_shuffle_i32x4(y[0], y[2], 0xdd), _mm512_shuffle_i32x4(y[1], y[3], 0xdd)};
    for (int64_t t = 0; t < tiles; ++t) _mm512_store_si512(to + t * tile_stride + h * tile_lines, tile[t]);
  }
  if (by_words) return;
  for (int64_t t = 0; t < tiles; ++t) {
    uint8_t* const tile = to + t * tile_stride;
    transpose_tile(tile, tile);
  }
}

// Lines and terms of an operand, whichever of them are neighbours in memory.
struct Part {
  const uint8_t* data;
  int64_t leading;
  bool has_neighbouring_terms;
  int64_t lines, terms;

  const uint8_t* at(int64_t line, int64_t term) const {
    return data + (has_neighbouring_terms ? line * leading + term : term * leading + line);
  }
  Part part(int64_t line, int64_t line_count, int64_t term, int64_t term_count) const {
    return {at(line, term), leading, has_neighbouring_terms, line_count, term_count};
  }
};

// Tile (i, h) at to + i · stride + h · tile_bytes.
HILO_AVX512 void pack(const Part& x, bool by_words, uint8_t* to, int64_t stride) {
  for (int64_t h = 0; h < x.terms; h += tile_terms) {
    const int64_t terms = std::min(tile_terms, x.terms - h);
    uint8_t* tiles = to + h * tile_lines;
    if (x.has_neighbouring_terms) {
      for (int64_t l = 0; l < x.lines; l += tile_lines) {
        pack_lines(x.at(l, h), x.leading, std::min(tile_lines, x.lines - l), terms, by_words,
                   tiles + l / tile_lines * stride);
      }
    } else {
      for (int64_t l = 0; l < x.lines; l += 4 * tile_lines) {
        pack_terms(x.at(l, h), x.leading, x.lines - l, terms, by_words, tiles + l / tile_lines * stride, stride);
      }
    }
  }
}

// Sums of up to 32 × 32 from packed operands: written, or added to what is there.
struct Task {
  const uint8_t *first, *second;
  int64_t stride;  ///< from 16 lines to the next, of both
  int64_t tiles;   ///< of 64 terms
  int32_t* sums;
  int64_t leading, rows, columns;
  bool adds;
  const uint8_t *next_strip, *next_rows;  ///< what is brought to cache; what is there does no harm
};

struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Registers 0 to 3 hold sums, row by row; 4 and 5 tiles of the first operand, which need not stay in the first-level
// cache, 6 and 7 of the second.
template <bool TwoRows, bool TwoColumns>
HILO_AMX void multiply_tiles(const Task& t) {
  const auto stride = static_cast<std::size_t>(t.leading) * sizeof(int32_t);
  int32_t *const sums = t.sums, *const below = sums + tile_lines * t.leading;
  if (t.adds) {
    _tile_loadd(0, sums, stride);
    if constexpr (TwoColumns) _tile_loadd(1, sums + tile_lines, stride);
    if constexpr (TwoRows) _tile_loadd(2, below, stride);
    if constexpr (TwoRows && TwoColumns) _tile_loadd(3, below + tile_lines, stride);
  } else {
    _tile_zero(0);
    if constexpr (TwoColumns) _tile_zero(1);
    if constexpr (TwoRows) _tile_zero(2);
    if constexpr (TwoRows && TwoColumns) _tile_zero(3);
  }
  // A tile is loaded while products of the others are under way.
  const uint8_t *a = t.first, *b = t.second, *strip = t.next_strip, *rows = t.next_rows;
  _tile_stream_loadd(4, a, 64);
  _tile_loadd(6, b, 64);
  for (int64_t h = 1; h <= t.tiles; ++h, a += tile_bytes, b += tile_bytes) {
    const bool is_last = h == t.tiles;
    if constexpr (TwoColumns) _tile_loadd(7, b + t.stride, 64);
    for (int64_t l = 0; l < lines_of_strip; ++l, strip += line_bytes) _mm_prefetch(strip, _MM_HINT_T1);
    _tile_dpbusd(0, 4, 6);
    if constexpr (TwoRows) _tile_stream_loadd(5, a + t.stride, 64);
    for (int64_t l = 0; l < lines_of_rows; ++l, rows += line_bytes) _mm_prefetch(rows, _MM_HINT_T1);
    if constexpr (TwoColumns) _tile_dpbusd(1, 4, 7);
    if (!is_last) _tile_stream_loadd(4, a + tile_bytes, 64);
    if constexpr (TwoRows) _tile_dpbusd(2, 5, 6);
    if (!is_last) _tile_loadd(6, b + tile_bytes, 64);
    if constexpr (TwoRows && TwoColumns) _tile_dpbusd(3, 5, 7);
  }
  _tile_stored(0, sums, stride);
  if constexpr (TwoColumns) _tile_stored(1, sums + tile_lines, stride);
  if constexpr (TwoRows) _tile_stored(2, below, stride);
  if constexpr (TwoRows && TwoColumns) _tile_stored(3, below + tile_lines, stride);
}

void copy(const int32_t* from, int64_t from_leading, int32_t* to, int64_t to_leading, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from + i * from_leading, columns, to + i * to_leading);
}

HILO_AMX void multiply_whole_tiles(const Task& t) {
  const bool two_columns = t.columns > tile_lines;
  if (t.rows > tile_lines) {
    two_columns ? multiply_tiles<true, true>(t) : multiply_tiles<true, false>(t);
  } else {
    two_columns ? multiply_tiles<false, true>(t) : multiply_tiles<false, false>(t);
  }
}

void multiply(const Task& t) {
  if (t.rows % tile_lines == 0 && t.columns % tile_lines == 0) return multiply_whole_tiles(t);
  constexpr int64_t side = 2 * tile_lines;
  alignas(64) int32_t sums[side * side] = {};
  if (t.adds) copy(t.sums, t.leading, sums, side, t.rows, t.columns);
  Task padded = t;
  padded.sums = sums;
  padded.leading = side;
  multiply_whole_tiles(padded);
  copy(sums, side, t.sums, t.leading, t.rows, t.columns);
}

Part part_of(const ByteMatrix<uint8_t>& first, int64_t lines, int64_t terms) {
  return {first.data, first.leading, !first.transposed, lines, terms};
}
Part part_of(const ByteMatrix<int8_t>& second, int64_t lines, int64_t terms) {
  return {reinterpret_cast<const uint8_t*>(second.data), second.leading, second.transposed, lines, terms};
}

// Bytes of packed lines, one after the other, to be brought to cache. Nothing is wrong with those beyond what there is.
struct Ahead {
  const uint8_t* data;
  int64_t stride, length;  ///< from 16 lines to the next, and what is wanted of them
  int64_t at = 0;

  const uint8_t* take(int64_t bytes) {
    const uint8_t* const found = data + at / length * stride + at % length;
    at += bytes;
    return found;
  }
};

// From packed operands, some terms at a time: sums are written, or added to what is there.
void multiply_packed(int64_t terms, const uint8_t* first, const uint8_t* second, int64_t stride, const ByteSums& sums,
                     bool adds, const NextRows& next) {
  const int64_t tiles = blocks(terms, tile_terms), at_once = blocks(tiles, blocks(tiles, most_tiles));
  Ahead rows{next.first, stride, tiles * tile_bytes};
  const int64_t strips = blocks(sums.rows, strip_lines),
                asked = blocks(sums.columns, strip_lines) * strips * tiles * lines_of_rows * line_bytes,
                calls = blocks(2 * strips * rows.length, asked);
  // The last calls before they are wanted bring them.
  const bool brings_rows = next.first && next.calls < calls;
  if (brings_rows) rows.at = (calls - 1 - next.calls) * asked;
  for (int64_t h = 0; h < tiles; h += at_once) {
    const int64_t depth = std::min(at_once, tiles - h);
    for (int64_t j = 0; j < sums.columns; j += strip_lines) {
      const uint8_t* const strip = second + j / tile_lines * stride + h * tile_bytes;
      const uint8_t* after = strip + strip_lines / tile_lines * stride;
      // The next terms, or the first ones of the columns that follow.
      if (j + strip_lines >= sums.columns) {
        after = h + depth < tiles ? second + (h + depth) * tile_bytes : after - h * tile_bytes;
      }
      Ahead strips_ahead{after, stride, depth * tile_bytes};
      for (int64_t i = 0; i < sums.rows; i += strip_lines) {
        multiply({first + i / tile_lines * stride + h * tile_bytes, strip, stride, depth,
                  sums.data + i * sums.leading + j, sums.leading, std::min(strip_lines, sums.rows - i),
                  std::min(strip_lines, sums.columns - j), adds || h > 0,
                  strips_ahead.take(depth * lines_of_strip * line_bytes),
                  brings_rows ? rows.take(depth * lines_of_rows * line_bytes) : first});
      }
    }
  }
}

// Packs parts of both operands that stay in the second-level cache.
bool multiply_parts(int64_t depth, ByteMatrix<uint8_t> first, ByteMatrix<int8_t> second, const ByteSums& sums) {
  constexpr int64_t most_lines = 512, most_terms = most_tiles * tile_terms;
  const int64_t stride = line_tiles_bytes(std::min(depth, most_terms));
  const auto bytes = [&](int64_t lines) { return blocks(std::min(lines, most_lines), tile_lines) * stride; };
  try {
    const host::Workspace memory(bytes(sums.rows) + bytes(sums.columns));
    auto* const row_tiles = reinterpret_cast<uint8_t*>(memory.data());
    uint8_t* const column_tiles = row_tiles + bytes(sums.rows);
    const Part rows = part_of(first, sums.rows, depth), columns = part_of(second, sums.columns, depth);
    for (int64_t j = 0; j < sums.columns; j += most_lines) {
      const int64_t width = std::min(most_lines, sums.columns - j);
      for (int64_t h = 0; h < depth; h += most_terms) {
        const int64_t terms = std::min(most_terms, depth - h);
        pack(columns.part(j, width, h, terms), true, column_tiles, stride);
        for (int64_t i = 0; i < sums.rows; i += most_lines) {
          const int64_t height = std::min(most_lines, sums.rows - i);
          pack(rows.part(i, height, h, terms), false, row_tiles, stride);
          multiply_packed(terms, row_tiles, column_tiles, stride,
                          {sums.data + i * sums.leading + j, sums.leading, height, width}, h > 0, {});
        }
      }
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The system keeps the registers of those only who ask for them.
bool may_use_tiles() {
  constexpr unsigned tile_instructions = 1u << 24, int8_instructions = 1u << 25;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!can_avx512() || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  if (!(d & tile_instructions) || !(d & int8_instructions)) return false;
  constexpr long request_permission = 0x1023, tile_data = 18;
  return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace

bool has_amx() {
  static const bool found = may_use_tiles();
  return found;
}

HILO_AMX bool multiply_amx(int64_t depth, ByteMatrix<uint8_t> first, ByteMatrix<int8_t> second, const ByteSums& sums) {
  const TileConfiguration configuration;
  _tile_loadconfig(&configuration);
  const bool has_multiplied = multiply_parts(depth, first, second, sums);
  _tile_release();
  return has_multiplied;
}

int64_t amx_packed_bytes(int64_t lines, int64_t terms) { return blocks(lines, tile_lines) * line_tiles_bytes(terms); }
int64_t amx_packed_at(int64_t line, int64_t term, int64_t depth) {
  return line / tile_lines * line_tiles_bytes(depth) + term * tile_lines;
}

void pack_amx(ByteMatrix<uint8_t> first, int64_t lines, int64_t terms, int64_t depth, uint8_t* to) {
  pack(part_of(first, lines, terms), false, to, line_tiles_bytes(depth));
}
void pack_amx(ByteMatrix<int8_t> second, int64_t lines, int64_t terms, int64_t depth, uint8_t* to) {
  pack(part_of(second, lines, terms), true, to, line_tiles_bytes(depth));
}

void transpose_amx(const uint8_t* rows, uint8_t* to) { transpose_tile(rows, to); }

HILO_AMX void multiply_amx_packed(int64_t terms, int64_t depth, const uint8_t* first, const uint8_t* second,
                                  const ByteSums& sums, const NextRows& next) {
  const TileConfiguration configuration;
  _tile_loadconfig(&configuration);
  multiply_packed(terms, first, second, line_tiles_bytes(depth), sums, false, next);
  _tile_release();
}

#else

bool has_amx() { return false; }
std::int64_t amx_packed_bytes(std::int64_t, std::int64_t) { return 0; }
std::int64_t amx_packed_at(std::int64_t, std::int64_t, std::int64_t) { return 0; }
void pack_amx(ByteMatrix<std::uint8_t>, std::int64_t, std::int64_t, std::int64_t, std::uint8_t*) {}
void pack_amx(ByteMatrix<std::int8_t>, std::int64_t, std::int64_t, std::int64_t, std::uint8_t*) {}
void transpose_amx(const std::uint8_t*, std::uint8_t*) {}
void multiply_amx_packed(std::int64_t, std::int64_t, const std::uint8_t*, const std::uint8_t*, const ByteSums&,
                         const NextRows&) {}
bool multiply_amx(std::int64_t, ByteMatrix<std::uint8_t>, ByteMatrix<std::int8_t>, const ByteSums&) { return false; }

#endif

}  // namespace hilo::modular
