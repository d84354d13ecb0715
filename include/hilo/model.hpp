// Bounds of the speed of matrix products from first principles: what registers, memory, instructions, products of bytes
// and transfers allow on a device that is described by a few figures. docs/model.md explains each of them. Arguments
// are positive.
#pragma once

#include <cstdint>
#include <hilo/precision.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hilo::model {

/// Nakasato, "A fast GEMM implementation on the Cypress GPU" (2010). A work-item that computes a block of b × b
/// entries reads 2b words for 2b² flops: W = 1/b words a flop.
///
/// Bytes a second that such blocks ask of the memory below registers: W F S, of `flops` F a second and words of
/// `word_bytes` S.
double block_bandwidth(double flops, double word_bytes, double block);

/// The least b for which `bandwidth`, in bytes a second, feeds `flops` a second; 1 to 2^31 − 1.
int least_block(double flops, double word_bytes, double bandwidth);

/// Flops a second of double-double numbers, half of them additions of `additions` instructions, the others
/// multiplications of `multiplications`, where `instructions` a second are issued.
double operation_peak(double instructions, double additions, double multiplications);

/// Registers that threads share.
struct RegisterFile {
  int registers;  ///< that `width` threads share at a time
  int width;      ///< threads that hold them side by side: 4 where a wavefront's threads take turns of four cycles
  int most;       ///< of one thread
};

/// How many threads run at once, each with so many registers: ⌊registers of the file / of a thread⌋ · width.
std::int64_t running_threads(const RegisterFile& file, int registers_of_thread);

/// Seconds of an n × n product at `flops` a second with A, B, C moved to the device and C back by a bus of `bandwidth`
/// bytes a second, one after the other: 2n³/F + 4 S n² / bandwidth.
double seconds_with_transfers(double n, double flops, double word_bytes, double bandwidth);

/// The least seconds of a product whose operands come, and whose C returns, while it is multiplied: kernels take
/// `kernel` seconds in all, A and B `in`, C `out`. Of what has come of both operands a share s, no more than s² of the
/// product can be done: where in <= 2 kernel, kernel + in²/(4 kernel), else in; no less than out.
double seconds_streamed(double kernel, double in, double out);

/// Lai and Seznec, "Performance upper bound analysis and optimization of SGEMM on Fermi and Kepler GPUs" (2013): a
/// kernel whose work-groups keep a tile of A and one of B in shared memory, and whose threads keep b × b entries of C
/// in registers.
struct TiledKernel {
  int threads;            ///< of a work-group, a square: T
  int depth;              ///< terms of k in shared memory at a time: L
  int word_registers;     ///< registers of a word
  int load_words;         ///< words that one instruction loads from shared memory: 1 LDS, 2 LDS.64, 4 LDS.128
  int address_registers;  ///< of a thread, for addresses and the loop's end
};

/// What a multiprocessor has.
struct Multiprocessor {
  RegisterFile file;
  int shared_bytes;
  int most_threads;
};

/// Entries in a row of C that a work-group computes: √T b.
std::int64_t tile_edge(const TiledKernel& kernel, int block);

/// Registers of a thread: b² of C, b of a column of A, `load_words` of B, the next tiles' words on their way,
/// 2 √T b L / T, and addresses.
std::int64_t block_registers(const TiledKernel& kernel, int block);

/// Bytes of shared memory of a work-group: 2 √T b L words.
std::int64_t tile_bytes(const TiledKernel& kernel, int block, int word_bytes);

/// The largest b whose registers and tiles fit; 0 if none does.
int largest_block(const TiledKernel& kernel, const Multiprocessor& multiprocessor, int word_bytes);

/// Work-groups that run on a multiprocessor at once: what registers, shared memory and threads allow.
std::int64_t running_groups(const TiledKernel& kernel, const Multiprocessor& multiprocessor, int block, int word_bytes);

/// The part of issued instructions that are multiply-adds: b² of b² + 2b / load_words.
double multiply_add_share(int block, int load_words);

/// The same, times the part of its rate at which such a mix is issued (measured, 1 if unknown): what part of the peak
/// is attainable.
double attainable_part(int block, int load_words, double throughput);

/// Flops a second that memory of `bandwidth` bytes a second feeds: a work-group's tile reads 2 words for each
/// 2 · tile_edge flops.
double tile_memory_roof(std::int64_t tile_edge, int word_bytes, double bandwidth);

/// Chien, "Hand-tuned SGEMM on GT200 GPU" (2010): instructions of a pattern, and the cycles that each keeps its
/// multiprocessor's issue from a warp's next one.
struct PatternStep {
  std::string name;
  int count;             ///< how often the pattern has it
  double cycles;         ///< of one, issued alone
  double paired_cycles;  ///< of one where it is issued beside multiply-adds; `cycles` where it cannot be
  bool multiplies_adds;  ///< whether it is one of the multiply-adds that count
};

enum class Issue : std::uint8_t {
  single,  ///< instructions one after the other
  dual     ///< two at once where they can be
};

/// Flops a second of a pattern where multiply-adds of `multiply_add_cycles` alone give `peak`.
double pattern_peak(double peak, double multiply_add_cycles, std::span<const PatternStep> pattern, Issue issue);

/// A pattern of a device's instructions.
struct Pattern {
  std::string name;
  Issue issue;
  std::vector<PatternStep> steps;
};

/// Instructions of double-double additions and multiplications.
struct OperationCount {
  std::string name;
  double additions, multiplications;
};

/// How instructions that load from shared memory mix with multiply-adds.
struct LoadMix {
  std::string name;
  int words;
  double throughput;  ///< attainable_part's
};

/// A product that somebody timed.
struct KernelRate {
  std::string name;
  Precision precision;
  bool is_modular;
  std::int64_t n;
  double gflops;
};

/// A device, by figures. What is 0 or empty is unknown, and bounds that need it are left out.
struct Device {
  std::string key;                               ///< by which it is asked for
  std::string name;                              ///< for people
  std::string source;                            ///< where the figures are from
  int units = 0;                                 ///< multiprocessors, compute units or cores
  double gflops_s = 0.0, gflops_d = 0.0;         ///< peaks of multiply-adds, two flops each, in 10^9 a second
  double matrix_gflops_d = 0.0;                  ///< the same by matrix units
  double double_gops = 0.0;                      ///< instructions of double precision a second, 10^9 of them
  bool has_fma = false;                          ///< fused multiply-adds in double precision
  double byte_gops = 0.0;                        ///< products of bytes and their additions, each counted
  double sustained_byte_gops = 0.0;              ///< the same at the clock that power sustains
  double memory_gbytes = 0.0;                    ///< a second, 10^9 bytes
  double cache_gbytes = 0.0;                     ///< a second, of what feeds registers
  std::vector<double> bus_gbytes;                ///< a second, from host to device
  std::string byte_unit;                         ///< what multiplies bytes, by hilo's name: "wgmma"
  double dd_gflops = 0.0, dd_gflops_fast = 0.0;  ///< the direct engine's step in registers, where it was measured
  RegisterFile file{};
  int register_bytes = 0;
  std::vector<int> kernel_registers;  ///< of threads whose numbers are of interest
  int shared_bytes = 0, most_threads = 0;
  int group_threads = 0, group_depth = 0, address_registers = 0;  ///< TiledKernel's
  std::vector<LoadMix> loads;
  std::vector<OperationCount> double_double;
  double multiply_add_cycles = 0.0;
  std::vector<Pattern> patterns;
  std::vector<KernelRate> kernels;
};

/// The device that JSON text describes (docs/model.md has the keys). Throws hilo::error (parse) that begins with
/// `where` and names the key and what was expected.
Device parse_device(const std::string& text, const std::string& where);

/// The devices that the library brings along, by key. Throws std::bad_alloc alone.
const std::vector<Device>& shipped_devices();

/// One of them, in upper or lower case. Throws hilo::error (invalid_argument) that lists the keys.
const Device& shipped_device(std::string_view key);

/// Instructions of the direct engine's step, one double-double multiply-add: renormalised after each, or after every
/// fourth (`is_fast`), with its share of what joins sums of 64 steps.
double step_instructions(bool has_fma, bool is_fast);

/// What limits a product. 0: not known.
struct Bound {
  double issue = 0.0;   ///< flops a second by instructions, or of bytes by products of bytes
  double memory = 0.0;  ///< flops a second where each matrix is read and written once
  double least() const { return issue == 0.0 || (memory > 0.0 && memory < issue) ? memory : issue; }
};

/// An n × n × n product by the direct engine (S, D, C, Z: native kernels). Flops are those of the precision: 2n³, or
/// 8n³ of complex numbers.
Bound direct_bound(const Device& device, Precision precision, double n, bool is_fast = false);

/// The same by the modular engine with so many moduli, whose residues, a byte for each of them, are written and read
/// once besides. With the rate that power sustains, where it is known.
Bound modular_bound(const Device& device, Precision precision, double n, int moduli);

/// Routines on matrices in tiles over ranks, as hilo::distributed has them (docs/distributed.md).
enum class TiledRoutine : std::uint8_t { gemm, potrf, getrf };

/// An n × n matrix, in gemm three of them, in square tiles, of which rank (i mod rows) · columns + j mod columns of a
/// grid has tile (i, j).
struct TiledProblem {
  std::int64_t n, tile;
  int word_bytes;  ///< of an element
  int grid_rows, grid_columns;
  int ranks_of_node = 1;  ///< of which those with successive numbers share a node
};

/// What a rank has from others and gives to them.
struct TiledTraffic {
  std::int64_t bytes_in = 0, bytes_out = 0;
  std::int64_t messages_in = 0, messages_out = 0;
  std::int64_t node_bytes_in = 0;  ///< of bytes_in, those from ranks of other nodes
};

/// What each rank moves in a routine, by going through its tiles: a tile goes once to each rank that reads it, and what
/// is written away from where it is at home goes there and back. Takes a time of n²/tile² · (rows + columns), in getrf
/// on several rows n³/tile³.
std::vector<TiledTraffic> tiled_traffic(TiledRoutine routine, const TiledProblem& problem);

/// What ranks with a device each have a second: flops, two of a multiply-add of elements, and bytes.
struct ClusterRates {
  double product;  ///< of products of tiles of this size on a device
  double solve;    ///< of triangular solves with such a tile on a device
  double
      diagonal;    ///< of what one rank does alone in a step: Cholesky of a tile on a device, a panel of LU on its host
  double bus;      ///< between a rank's host and its device, each way
  double network;  ///< into a node, and as much out of it
};

/// What a routine takes at the least, in seconds.
struct ClusterSeconds {
  double arithmetic;  ///< products and solves of the rank that has most
  double bus;         ///< tiles to the device of the rank that has most, each once, and LU's exchanges of rows
  double network;     ///< into the node that has most
  double chain;       ///< what waits for each other however many ranks there are: N steps by way of the diagonal
  /// Where all goes on at the same time, and where nothing does.
  double overlapped() const;
  double one_by_one() const { return arithmetic + bus + network + chain; }
};

/// Of devices that have room for their part of the matrices. Takes the time of tiled_traffic, and n²/tile² more.
ClusterSeconds cluster_seconds(TiledRoutine routine, const TiledProblem& problem, const ClusterRates& rates);

}  // namespace hilo::model
