// A modular product whose operands come to the device in panels of lines: each panel is prepared once, for products
// with all panels of the other operand. The same integers, moduli and bits as of the product in one piece, where the
// sum test settles it (docs/modular.md, 1.3), or where nothing but the number of terms does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gemm/modular/guarantee.hpp"
#include "gemm/modular/opencl/operand.hpp"
#include "gemm/modular/opencl/plan.hpp"
#include "gemm/modular/opencl/scaling.hpp"
#include "opencl/call.hpp"

namespace hilo::modular {

/// What panels tell of the whole product.
struct PanelFigures {
  SumTestFigures sums;
  std::int64_t largest[2];  ///< by operand, of the exponents of its lines
  bool has_bad_lines[2];    ///< with Inf or NaN

  static PanelFigures of_nothing();
  /// What a scan of a panel tells of its operand.
  static PanelFigures of_panel(int operand, const Figures& scanned);
  /// As if the panels of both had been looked at.
  void add(const PanelFigures& other);
};

/// A place for lines of an operand on the device, and how many there are. Its memory stays until it is given back.
struct PreparedPanel {
  std::int64_t lines = 0;
  opencl::Workspace exponents, norms, magnitudes, residues;

  void give_back(opencl::Call& call);
};

/// The bytes of device memory that panels take.
struct PanelBytes {
  std::int64_t operand;   ///< a prepared panel
  std::int64_t scanning;  ///< besides, while it is prepared
  std::int64_t pair;      ///< besides, while a pair is multiplied
};

class PanelProduct {
 public:
  /// Whether products with this accuracy and so many terms can come in panels.
  static bool suits(Accuracy accuracy, std::int64_t terms);

  /// The levels of Strassen's algorithm that the plan lets products of panels with so many lines and terms have, the
  /// most first, 0 last: where the device multiplies blocks.
  static std::vector<int> levels_of(const DevicePlan& plan, const std::int64_t (&lines)[2], std::int64_t terms);

  /// Of m × n × terms, alpha and beta; `plan` is of the whole product and must outlive it. Panels of A have at most
  /// lines[0] lines, of B lines[1]. With levels there are no triangles.
  PanelProduct(const DevicePlan& plan, const DeviceProduct& product, const std::int64_t (&lines)[2], int levels);

  /// Of a panel with so many lines of an operand, and of two such panels, with so many moduli.
  PanelBytes bytes(const DeviceInfo& device, int operand, int count) const;

  /// The lines that a panel is padded to a multiple of.
  std::int64_t padding(int operand) const;
  /// How much longer the product of bytes of two such panels takes, as some work-groups have a tile less than others.
  double stretch(const DeviceInfo& device, int count) const;

  /// What the number of terms decides, where nobody waits for figures (DevicePlan::is_unwatched).
  std::optional<ScalingChoice> choice_of_terms() const;

  /// What residues are made with from here on.
  void choose(const ScalingChoice& choice) { choice_ = choice; }
  /// As for entries of about one magnitude: what is tried first.
  ScalingChoice usual_choice() const;

  /// Device memory for figures, which say nothing yet.
  void begin(opencl::Call& call, int panels_of_a, int panels_of_b);
  /// A place for a panel of an operand; for residues, if has_residues, as chosen.
  PreparedPanel place(opencl::Call& call, int operand, bool has_residues) const;
  /// Takes the memory of scans and pairs and gives it back, so that it is there when it is needed.
  void reserve(opencl::Call& call) const;

  /// Exponents, norms and magnitudes of a panel, the `index`-th of its operand.
  void scan(opencl::Call& call, int operand, int index, const DeviceOperand& x, PreparedPanel& panel);
  /// Residues of a panel that was scanned.
  void find_residues(opencl::Call& call, int operand, const DeviceOperand& x, PreparedPanel& panel);
  /// Whether there is something to test_sums(), or lines tell all.
  bool has_sum_test() const { return has_sums_; }
  /// The sum test of two scanned panels; its answer joins the figures.
  void test_sums(opencl::Call& call, const PreparedPanel& a, const PreparedPanel& b);
  /// C = alpha · A · B + beta · C of two prepared panels, or only a triangle of a square C.
  void multiply(opencl::Call& call, const PreparedPanel& a, const PreparedPanel& b, const DeviceView& c,
                std::optional<Uplo> triangle = {});

  /// Waits for all that was launched: the figures of what was scanned and tested, whose memory is given back.
  PanelFigures end(opencl::Call& call);
  /// What they decide; none where the sum test leaves that to the spread test, or where lines cannot be scaled.
  std::optional<ScalingChoice> settle(const PanelFigures& figures) const;

  /// Puts what was chosen into the plan of the whole.
  void describe(GemmPlan& told) const;

 private:
  int rows_operand() const { return plan_.is_transposed ? 1 : 0; }
  int tile_lines(int operand) const { return operand == rows_operand() ? tile_.rows : tile_.columns; }
  MagnitudeSizes magnitude_sizes(int operand, std::int64_t lines) const;
  // Padded: of a block, and of all blocks of a panel, which is one where there are no levels.
  std::int64_t block_lines(int operand, std::int64_t lines) const;
  std::int64_t block_depth() const;
  std::int64_t padded_lines(int operand, std::int64_t lines) const;
  std::int64_t residue_bytes(int operand, std::int64_t planes) const;
  std::int64_t block_tiles(std::int64_t planes) const;
  std::int64_t scratch_bytes(const DeviceInfo& device, std::int64_t planes) const;

  const DevicePlan& plan_;
  const ElementKind kind_;
  const dd_complex alpha_, beta_;
  const std::int64_t terms_, lines_[2];
  const ByteTile tile_;
  const int levels_;           // of Strassen's algorithm
  bool forms_at_once_ = true;  // factors of blocks, as far as is known
  const Guarantee guarantee_;
  const bool has_sums_;
  ScalingChoice choice_;
  int panels_[2] = {0, 0};
  std::vector<bool> is_scanned_;
  opencl::Workspace figures_;  // of the sum tests, and of each panel
};

}  // namespace hilo::modular
