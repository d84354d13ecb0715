// What products find of an operand, kept for those that follow with the same matrix.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/panel_product.hpp"
#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/residues.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "gemm/modular/opencl/scan.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// How the residues of lines of an operand lie, all of their terms and moduli, and what they are made with.
struct ResidueForm {
  bool is_of_columns;  ///< of products of bytes, or of rows
  Range lines;
  std::int64_t padded_lines, padded_terms;  ///< of a block
  int tile_lines, levels;
  bool in_quads, is_montgomery;  ///< see ByteTile
  ScalingChoice choice;
};

/// A matrix as A, whose lines are its rows, or as B: of one view all its life, as nothing here says which. Who uses it
/// has it alone, its elements stay as they are, and its calls are of one ContextState, which lives as long.
class PreparedOperand {
 public:
  /// What is asked of lines: their exponents alone, figures too, or the sum test's besides.
  enum class Look : std::uint8_t { exponents, figures, sums };
  /// What a scan finds.
  struct Lines {
    opencl::Workspace exponents, norms, magnitudes;  ///< the last two where sums are tested
    std::optional<PanelFigures> figures;             ///< none until they have been read
    int tile_lines;                                  ///< of magnitudes, whether in quads, and their padded terms
    bool in_quads;
    std::int64_t depth;
    Look look;

    std::array<opencl::Workspace*, 3> memory() { return {&exponents, &norms, &magnitudes}; }
  };
  struct Kept {
    ResidueForm form;
    opencl::Workspace memory;
    std::int64_t bytes;
    bool is_made;
  };

  PreparedOperand() = default;
  PreparedOperand(const PreparedOperand&) = delete;
  ~PreparedOperand() { reset(); }

  /// Before a call: what its commands are to wait for besides. Forgets what a command that has failed may have left.
  void begin(const opencl::QueueState& queue, std::vector<cl::Event>& wait_list);
  /// Once earlier commands of an in-order queue are done: whether one of them has failed.
  bool has_failed() const;
  /// After all of its commands.
  void end(opencl::Call& call);

  /// What is kept of its lines, or a place for what a scan will find.
  Lines& lines(opencl::Call& call, const MagnitudeSizes& sizes, Look look);
  /// Memory for residues, which may be there already. Others of the same lines give way to them.
  Kept& residues(opencl::Call& call, const ResidueForm& form, ElementKind kind, std::int64_t bytes);

  /// What residues that are there were made with.
  std::optional<ScalingChoice> made_with() const;
  /// Lets go of memory for residues that nobody has made.
  void drop_unmade() noexcept;

  /// Of residues, and of all that is kept.
  std::int64_t residue_bytes() const;
  std::int64_t bytes() const;

  /// Gives all memory back, after the last command that reads it.
  void reset() noexcept;
  /// Lets go of memory that a call which has failed may still write to.
  void forget() noexcept;

 private:
  std::optional<Lines> lines_;
  std::list<Kept> kept_;
  cl::CommandQueue queue_;  // of the last call
  bool is_in_order_ = false;
  bool may_fail_ = false;  // as it waits for others' events
  cl::Event last_;
};

/// Of A and B, those that are prepared.
struct PreparedOperands {
  PreparedOperand* of[2] = {nullptr, nullptr};

  bool any() const { return of[0] || of[1]; }
  template <class F>
  void each(F f) const {
    for (PreparedOperand* x : of) {
      if (x) f(*x);
    }
  }
};

/// Exponents of lines of A and then of B, until the end of the call, where nobody asks for more
/// (DevicePlan::is_unwatched).
cl::Buffer find_exponents(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2],
                          const PreparedOperands& prepared);

/// The guardrail (scaling.hpp) of a product with an operand that is prepared, which is not looked at again.
class PreparedScaling {
 public:
  /// Whether it can tell of products with that plan.
  static bool suits(const DevicePlan& plan, const DeviceProduct& product);

  /// Scans what was not; all that is given must outlive it.
  PreparedScaling(opencl::Call& call, const DevicePlan& plan, const DeviceProduct& product,
                  const DeviceOperand (&operand)[2], const PreparedOperands& prepared);

  /// As a Guardrail's.
  std::optional<ScaledOperands> expected() const;
  void begin_read();
  /// None where it takes a Guardrail to tell.
  std::optional<DeviceScaling> settle();
  void release();

 private:
  // What is found of an operand by this product or one before.
  struct Found {
    cl::Buffer exponents, norms, magnitudes;
  };
  // Figures on their way to the host.
  struct Read {
    cl::Buffer figures;
    opencl::Pinned to;
  };

  MagnitudeSizes sizes_of(int operand) const;
  void find(int operand, const DeviceOperand& x);
  // Norms are there until the end of the call.
  cl::Buffer scan(int operand, const DeviceOperand& x, const cl::Buffer& exponents, const cl::Buffer& magnitudes);
  void test_sums();
  Figures figures_of(Read& read);

  opencl::Call& call_;
  const DevicePlan& plan_;
  const ElementKind kind_;
  const std::int64_t lines_[2], terms_;
  const PreparedOperands prepared_;
  PanelProduct whole_;
  const MagnitudeSizes sizes_;
  PreparedOperand::Lines* kept_[2] = {nullptr, nullptr};
  opencl::Workspace magnitudes_[2];  // of what is not prepared
  Found found_[2];
  std::optional<Read> scans_[2], of_sums_;
  cl::Buffer exponents_;
};

}  // namespace hilo::modular
