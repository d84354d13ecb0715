// The product of bytes by AMX, by oneDNN, and by plain loops, which are their oracle and serve where neither can be
// used.
#include "gemm/modular/cpu/bytes.hpp"

#include <algorithm>
#include <cstddef>

#include "gemm/modular/cpu/amx.hpp"

#if HILO_HAS_ONEDNN
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include <atomic>
#include <new>
#include <vector>

#include "host/thread_probe.hpp"
#endif

namespace hilo::modular {
namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;

// The plain loops. Blocks of the operands are copied as 16-bit integers, line by line along the depth: sums of products
// of those are one instruction a vector even on the oldest x86-64 and AArch64, and compilers find it.

constexpr int64_t row_block = 32;
constexpr int64_t column_block = 64;
constexpr int64_t depth_block = 512;
constexpr int64_t line_length = depth_block + 32;  // lines a power of two apart would share a few sets of the cache
constexpr int64_t tile_lines = 4;                  // rows, and columns, of a tile of sums in registers

static_assert(row_block % tile_lines == 0 && column_block % tile_lines == 0);

// Element (line, h) is at data[line * line_stride + h * depth_stride]. Zeros fill up the last tile:
// what was in memory might overflow.
template <class Byte>
void pack(const Byte* data, int64_t line_stride, int64_t depth_stride, int64_t lines, int64_t depth, int16_t* packed) {
  if (depth_stride == 1) {
    for (int64_t line = 0; line < lines; ++line) {
      const Byte* from = data + line * line_stride;
      int16_t* to = packed + line * line_length;
      for (int64_t h = 0; h < depth; ++h) to[h] = from[h];
    }
  } else {
    for (int64_t h = 0; h < depth; ++h) {
      const Byte* from = data + h * depth_stride;
      for (int64_t line = 0; line < lines; ++line) packed[line * line_length + h] = from[line * line_stride];
    }
  }
  for (int64_t line = lines; line % tile_lines != 0; ++line) {
    std::fill_n(packed + line * line_length, depth, int16_t{0});
  }
}

// tile[i][j] = sum over h of first[i][h] * second[j][h].
void multiply_tile(int64_t depth, const int16_t* __restrict first, const int16_t* __restrict second,
                   int32_t (&tile)[tile_lines][tile_lines]) {
  int32_t sums[tile_lines][tile_lines] = {};
  for (int64_t h = 0; h < depth; ++h) {
    for (int64_t i = 0; i < tile_lines; ++i) {
      for (int64_t j = 0; j < tile_lines; ++j) {
        sums[i][j] += int32_t{first[i * line_length + h]} * second[j * line_length + h];
      }
    }
  }
  std::copy_n(&sums[0][0], tile_lines * tile_lines, &tile[0][0]);
}

// Writes the products of a block's first terms, and adds those of the later ones.
void multiply_packed(int64_t depth, const int16_t* first, const int16_t* second, bool add, ByteSums sums) {
  for (int64_t i = 0; i < sums.rows; i += tile_lines) {
    for (int64_t j = 0; j < sums.columns; j += tile_lines) {
      int32_t tile[tile_lines][tile_lines];
      multiply_tile(depth, first + i * line_length, second + j * line_length, tile);
      for (int64_t r = 0; r < std::min(tile_lines, sums.rows - i); ++r) {
        int32_t* to = sums.data + (i + r) * sums.leading + j;
        for (int64_t c = 0; c < std::min(tile_lines, sums.columns - j); ++c) {
          to[c] = add ? to[c] + tile[r][c] : tile[r][c];
        }
      }
    }
  }
}

void multiply_plain(int64_t depth, ByteMatrix<std::uint8_t> first, ByteMatrix<std::int8_t> second, ByteSums sums) {
  alignas(64) int16_t packed_first[row_block * line_length];
  alignas(64) int16_t packed_second[column_block * line_length];
  int64_t row_stride = first.transposed ? 1 : first.leading, first_stride = first.transposed ? first.leading : 1;
  int64_t column_stride = second.transposed ? second.leading : 1,
          second_stride = second.transposed ? 1 : second.leading;
  for (int64_t j = 0; j < sums.columns; j += column_block) {
    int64_t columns = std::min(column_block, sums.columns - j);
    for (int64_t h = 0; h < depth; h += depth_block) {
      int64_t terms = std::min(depth_block, depth - h);
      pack(second.data + j * column_stride + h * second_stride, column_stride, second_stride, columns, terms,
           packed_second);
      for (int64_t i = 0; i < sums.rows; i += row_block) {
        int64_t rows = std::min(row_block, sums.rows - i);
        pack(first.data + i * row_stride + h * first_stride, row_stride, first_stride, rows, terms, packed_first);
        multiply_packed(terms, packed_first, packed_second, h > 0,
                        {sums.data + i * sums.leading + j, sums.leading, rows, columns});
      }
    }
  }
}

#if HILO_HAS_ONEDNN

// oneDNN starts a team of OpenMP threads for a caller that is in no parallel region. The number is each task's own.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// oneDNN's kernels are static objects of its own, made by the first product. Objects of the program that were there
// before and outlive them may still multiply.
std::atomic<bool> kernels_are_gone = false;
struct KernelLifetime {
  ~KernelLifetime() { kernels_are_gone = true; }
};

// False where it did not multiply, for want of memory, say; the sums may have been written to.
bool multiply_onednn(int64_t depth, ByteMatrix<std::uint8_t> first, ByteMatrix<std::int8_t> second, ByteSums sums) {
  if (kernels_are_gone) return false;
  // For a thread's first number of threads OpenMP's runtime takes memory, or ends the process.
  if (!host::has_memory(1024)) return false;
  OneThread one_thread;
  const int32_t offset = 0;
  return dnnl_gemm_u8s8s32(first.transposed ? 'T' : 'N', second.transposed ? 'T' : 'N', 'F', sums.rows, sums.columns,
                           depth, 1.0f, first.data, first.leading, 0, second.data, second.leading, 0, 0.0f, sums.data,
                           sums.leading, &offset) == dnnl_success;
}

enum class Finding { exact, inexact, fails };

// CPUs without VNNI add pairs of products in 16 bits, and silently saturate.
Finding check(int64_t rows, int64_t columns, int64_t depth) {
  struct {
    unsigned first;
    int second, other_second;
  } patterns[] = {{255, -128, -128}, {255, 127, 127}, {255, 127, -128}};
  auto size = [](int64_t x, int64_t y) { return static_cast<std::size_t>(x * y); };
  std::vector<std::uint8_t> first(size(rows, depth));
  std::vector<std::int8_t> second(size(depth, columns));
  std::vector<int32_t> expected(size(rows, columns)), sums(size(rows, columns));
  for (auto pattern : patterns) {
    // Where two values alternate, no row and no column is like its neighbour: a transposition is seen.
    bool varied = pattern.second != pattern.other_second;
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] = static_cast<std::uint8_t>(varied && i % 3 == 0 ? i * 37 : pattern.first);
    }
    for (std::size_t i = 0; i < second.size(); ++i) {
      second[i] = static_cast<std::int8_t>(i % 5 < 2 ? pattern.other_second : pattern.second);
    }
    for (bool first_transposed : {false, true}) {
      for (bool second_transposed : {false, true}) {
        ByteMatrix<std::uint8_t> x{first.data(), first_transposed ? rows : depth, first_transposed};
        ByteMatrix<std::int8_t> y{second.data(), second_transposed ? depth : columns, second_transposed};
        multiply_plain(depth, x, y, {expected.data(), columns, rows, columns});
        if (!multiply_onednn(depth, x, y, {sums.data(), columns, rows, columns})) return Finding::fails;
        if (sums != expected) return Finding::inexact;
      }
    }
  }
  return Finding::exact;
}

const char* find_obstacle() {
  // Teams of another kind of threads cannot be kept from a call.
  unsigned runtime = dnnl_version()->cpu_runtime;
  if (runtime != DNNL_RUNTIME_OMP && runtime != DNNL_RUNTIME_SEQ) return "it was built for threads other than OpenMP's";
  struct {
    int64_t rows, columns, depth;
  } shapes[] = {{1, 1, 1},   {7, 5, 1},   {9, 49, 3},   {1, 17, 64},   {17, 1, 64},
                {49, 9, 64}, {9, 49, 70}, {5, 20, 900}, {1, 1, 65536}, {2, 3, 65536}};
  for (auto [rows, columns, depth] : shapes) {
    switch (check(rows, columns, depth)) {
      case Finding::exact:
        break;
      case Finding::inexact:
        return "its sums are not exact on this CPU: without VNNI they saturate";
      case Finding::fails:
        return "its products fail on this machine";
    }
  }
  return "";
}

const char* obstacle() {
  static const char* const found = [] {
    // oneDNN's first products make its kernels, of 1.3 MB in version 2.6, and end the process where they cannot.
    constexpr std::size_t kernels = std::size_t{8} << 20;
    if (!host::has_memory(kernels)) throw std::bad_alloc();
    return find_obstacle();
  }();
  static const KernelLifetime kernels;  // after the kernels, and so destroyed before them
  return found;
}

#else

const char* obstacle() { return "not in this build"; }

#endif

}  // namespace

Int8Library int8_library(Int8Library wanted) {
  switch (wanted) {
    case Int8Library::automatic:
      if (has_amx()) return Int8Library::amx;
      return *obstacle() ? Int8Library::plain : Int8Library::onednn;
    case Int8Library::amx:
      if (!has_amx()) throw error(errc::unsupported, "gemm: this CPU or its system has no AMX for bytes");
      return wanted;
    case Int8Library::onednn:
      if (*obstacle()) throw error(errc::unsupported, std::string("gemm: oneDNN cannot multiply: ") + obstacle());
      return wanted;
    case Int8Library::plain:
      return wanted;
  }
  throw error(errc::invalid_argument, "gemm: options.int8_library is none of its values");
}

std::string int8_library_name(Int8Library library) {
  library = int8_library(library);
  if (library == Int8Library::amx) return "AMX";
#if HILO_HAS_ONEDNN
  if (library == Int8Library::onednn) {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }
#endif
  return "plain loops";
}

std::string_view int8_path(Int8Library library) {
  library = int8_library(library);
  if (library == Int8Library::amx) return "amx";
#if HILO_HAS_ONEDNN
  if (library == Int8Library::onednn) {
    static const char* const path = [] {
      // Of an instruction set the bits of all that it includes.
      const unsigned isa = dnnl_get_effective_cpu_isa();
      auto has = [isa](unsigned wanted) { return (isa & wanted) == wanted; };
      return has(dnnl_cpu_isa_avx512_core_amx)    ? "onednn-amx"
             : has(dnnl_cpu_isa_avx512_core_vnni) ? "onednn-avx512-vnni"
             : has(dnnl_cpu_isa_avx2_vnni)        ? "onednn-avx2-vnni"
                                                  : "onednn";
    }();
    return path;
  }
#endif
  return "plain";
}

std::string int8_obstacle() { return obstacle(); }

void multiply_bytes(Int8Library library, int64_t rows, int64_t columns, int64_t depth, ByteMatrix<std::uint8_t> first,
                    ByteMatrix<std::int8_t> second, int32_t* sums, int64_t leading_sums) {
  if (rows <= 0 || columns <= 0) return;
  if (depth <= 0) {
    for (int64_t i = 0; i < rows; ++i) std::fill_n(sums + i * leading_sums, columns, 0);
    return;
  }
  ByteSums result{sums, leading_sums, rows, columns};
  if (library == Int8Library::amx && multiply_amx(depth, first, second, result)) return;
#if HILO_HAS_ONEDNN
  if (library == Int8Library::onednn && multiply_onednn(depth, first, second, result)) return;
#endif
  multiply_plain(depth, first, second, result);
}

bool packs_bytes(Int8Library library) { return library == Int8Library::amx; }

int64_t packed_bytes(int64_t lines, int64_t terms) { return amx_packed_bytes(lines, terms); }
int64_t packed_at(int64_t line, int64_t term, int64_t depth) { return amx_packed_at(line, term, depth); }

void pack_bytes(ByteMatrix<std::uint8_t> first, int64_t lines, int64_t terms, int64_t depth, std::uint8_t* to) {
  pack_amx(first, lines, terms, depth, to);
}
void pack_bytes(ByteMatrix<std::int8_t> second, int64_t lines, int64_t terms, int64_t depth, std::uint8_t* to) {
  pack_amx(second, lines, terms, depth, to);
}

void transpose_words(const std::uint8_t* rows, std::uint8_t* to) { transpose_amx(rows, to); }

void multiply_packed_bytes(int64_t rows, int64_t columns, int64_t terms, int64_t depth, const std::uint8_t* first,
                           const std::uint8_t* second, int32_t* sums, int64_t leading_sums, const NextRows& next) {
  multiply_amx_packed(terms, depth, first, second, {sums, leading_sums, rows, columns}, next);
}

}  // namespace hilo::modular
