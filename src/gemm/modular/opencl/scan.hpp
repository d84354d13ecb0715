// The scan of a modular product's operands on an OpenCL device, the sum test of what it finds, and the figures that
// come of both (docs/modular.md defines them; the sum test of the CPU is in modular/cpu/sums.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "gemm/modular/agreed.hpp"
#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/operand.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// What a scan tells, by figure_largest and its like.
using Figures = std::array<std::int32_t, figure_count>;

/// What the scan found and the count reads; buffers by operand, A and B.
struct ScannedOperands {
  std::int64_t lines[2], terms;
  cl::Buffer codes[2];   ///< of elements, 16 bits each: of A [line][term], of B [term][line], whole groups of 16
  cl::Buffer exponents;  ///< of lines, of A and then of B
  cl::Buffer uneven[2];  ///< null where no line takes a surcharge
  cl::Buffer balance;    ///< null where terms are not balanced
  int surcharge;
};

/// One of so many rows is in the sample that levels are tried with.
std::int64_t sample_step(std::int64_t rows);

/// Magnitudes of lines as bytes, for products of them: panels of tile.rows lines of A and tile.columns lines of B,
/// zeros beyond their last lines and terms.
struct MagnitudeSizes {
  ByteTile tile;
  std::int64_t rows, columns;  ///< whole panels
  std::int64_t depth;          ///< the terms that the sum test multiplies, padded

  MagnitudeSizes(const ByteTile& tile, std::int64_t lines_of_a, std::int64_t lines_of_b, std::int64_t terms);
  std::int64_t bytes() const { return (rows + columns) * depth; }
};

/// Magnitudes of A and, from first_of_b on, of B; norms of A's lines and, from first_norm_of_b on, of B's.
struct MagnitudePair {
  cl::Buffer a, b;
  std::int64_t first_of_b;
  cl::Buffer norms_of_a, norms_of_b;
  std::int64_t first_norm_of_b;
  std::int64_t lines_of_a, lines_of_b;
};

/// A word of each line.
struct LineWords {
  cl::Buffer words;
  std::int64_t lines;
};

struct ScanRequest {
  bool keeps_codes;          ///< magnitudes of elements
  bool finds_balance;        ///< and what would balance terms
  bool tests_sums;           ///< that tell how many bits entries ask for
  std::uint32_t limit;       ///< of entries that may spread beyond a level
  bool is_triangle = false;  ///< of the product only a triangle is wanted, by a unit that multiplies triangles
  bool has_figures = true;   ///< or exponents of lines alone
};

/// Launches that read both operands. What lines and terms have stays until the end of the call, codes and what the sum
/// test multiplies until release().
class Scan {
 public:
  /// Exponents of lines, and magnitudes of elements where they will be asked for. B may have no lines. `operand` and
  /// `call` must outlive it.
  Scan(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2], const ScanRequest& request);

  /// The figures of lines, where `of_lines`, and how far terms differ from what would balance them.
  void finish(bool of_lines);

  /// How many bits the entries of the product ask for, where that was requested: launches the sum test, with magnitudes
  /// multiplied by `unit`, and the summary of lines. The answer will be in the figures, and lines' exponents less v and
  /// w in `scaled`, of A and then of B.
  void test_sums(ByteUnit unit, const cl::Buffer& scaled);

  /// What test_sums() begins with: exponents and norms of lines, magnitudes, exponents less v and w.
  void find_magnitudes(const MagnitudeSizes& sizes, const cl::Buffer& bytes, const cl::Buffer& scaled);
  /// Norms of A's lines and then of B's, by find_magnitudes().
  const cl::Buffer& norms() const { return norms_; }

  /// And what it ends with: multiplies magnitudes, and puts what entries ask for among the figures. is_symmetric: so is
  /// the product, and tiles of its lower triangle tell all.
  static void multiply_magnitudes(opencl::Call& call, ByteUnit unit, const MagnitudeSizes& sizes,
                                  const MagnitudePair& magnitudes, bool is_symmetric, const cl::Buffer& figures);

  /// Words of some lines, and then of others.
  static void join_lines(opencl::Call& call, ElementKind kind, const LineWords& first, const LineWords& second,
                         const cl::Buffer& both);

  /// Lines whose sum few terms make: flags where `found` has none yet. Its exponents and balance count.
  void find_uneven(ScannedOperands& found);

  /// Exponents of lines with balanced terms, and by how much they narrow.
  cl::Buffer balance_lines();

  /// The bits that exact integers take.
  void count_bits();

  /// Gives back what the sum test multiplied.
  void release_magnitudes();
  /// And the codes.
  void release();

  opencl::Call& call() const { return call_; }
  const cl::Program& program() const { return program_; }
  const ScannedOperands& found() const { return found_; }
  const cl::Buffer& balance() const { return balance_; }
  const cl::Buffer& figures() const { return figures_; }

  /// Figures on their way to the host while it works, and their arrival.
  void begin_read();
  void wait();
  /// The figures as they are after all that was launched.
  void read();
  const Figures& read_figures() const { return figure_; }
  std::int64_t figure_of(int i) const { return figure_[static_cast<std::size_t>(i)]; }

  /// What the sum test says in the figures that were read.
  SumTestFigures sum_test_figures() const;

  /// Device memory for the codes of a product m × n × k, for the magnitudes of its sum test, and for what that has of
  /// so many lines until the end of the call.
  static std::int64_t code_bytes(std::int64_t m, std::int64_t n, std::int64_t k);
  static std::int64_t sum_test_bytes(std::int64_t m, std::int64_t n, std::int64_t k);
  static std::int64_t line_bytes(std::int64_t lines);

 private:
  void initialise();
  void launch();
  std::int64_t tiles_at_once() const;
  int first_exponent(int operand) const;
  int scanned_operands() const;
  const cl::Buffer& codes_or_others(int operand) const;

  opencl::Call& call_;
  const ElementKind kind_;
  const DeviceOperand (&operand_)[2];
  ScanRequest request_;
  cl::Program program_;
  std::int64_t m_, n_, k_;
  bool b_is_a_;  // B's lines are A's, and one look at them serves both
  ScannedOperands found_;
  opencl::Workspace codes_[2], magnitudes_;
  cl::Buffer figures_, norms_, of_terms_[2], balance_;
  cl::Buffer exponents_of_parts_;  // by the group that looked at a line, which sum_squares puts together
  std::int64_t parts_ = 1;
  bool is_first_ = false;  // nothing was set before the scan
  Figures figure_{};
  opencl::Pinned pinned_;
};

}  // namespace hilo::modular
