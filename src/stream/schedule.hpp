// A product in panels: C's panels one after the other, and which panels of A and B come to the device before each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <hilo/matrix.hpp>
#include <optional>
#include <vector>

namespace hilo::stream {

/// A panel of C, by numbers of panels of A and B.
struct Pair {
  int panel[2];
};

/// C, m × n, in panels. A's panels are of its rows, B's of its columns, each with all terms.
class Cut {
 public:
  /// Of rows × columns, the last ones smaller; where `grows`, the first ones too, so that there is something to
  /// multiply early.
  Cut(std::int64_t m, std::int64_t n, std::int64_t rows, std::int64_t columns, bool grows = false);
  /// Of which the entries on the diagonal and on one side of it are wanted, m >= n of lower ones, m <= n of upper ones:
  /// the panels that have it are squares, of panel i of A and panel i of B.
  static Cut of_triangle(Uplo triangle, std::int64_t m, std::int64_t n, std::int64_t lines, bool grows = false);

  /// The same, which is of no triangle, of a C with no more lines: as many panels, as large, but for the last, or each
  /// smaller in proportion. None where there are fewer lines than panels, or more than these have.
  std::optional<Cut> of(std::int64_t m, std::int64_t n) const;

  bool is_wanted(const Pair& pair) const {
    if (!triangle_) return true;
    return *triangle_ == Uplo::lower ? pair.panel[0] >= pair.panel[1] : pair.panel[0] <= pair.panel[1];
  }
  /// Whether entries are wanted of a panel of C, and others are not: the triangle that is.
  std::optional<Uplo> triangle_of(const Pair& pair) const {
    return pair.panel[0] == pair.panel[1] ? triangle_ : std::nullopt;
  }
  /// Of C, that are computed.
  std::int64_t entries() const;

  std::int64_t lines(int operand) const { return ends_[operand].back(); }
  /// Of the largest panel.
  std::int64_t panel_lines(int operand) const { return largest_[operand]; }
  std::int64_t rows() const { return largest_[0]; }
  std::int64_t columns() const { return largest_[1]; }
  int panels(int operand) const { return static_cast<int>(ends_[operand].size()); }
  std::int64_t first(int operand, int panel) const {
    return panel == 0 ? 0 : ends_[operand][static_cast<std::size_t>(panel) - 1];
  }
  std::int64_t count(int operand, int panel) const {
    return ends_[operand][static_cast<std::size_t>(panel)] - first(operand, panel);
  }

 private:
  std::int64_t largest_[2];
  std::vector<std::int64_t> ends_[2];
  std::optional<Uplo> triangle_;
};

/// A panel of an operand that comes to a place on the device, whose panel before it is of no further use.
struct Load {
  int operand, panel, slot;
};

/// What comes before a pair is multiplied, and where its operands are then.
struct Step {
  Pair pair;
  std::vector<Load> loads;
  int slot[2];
  std::optional<Uplo> triangle = {};  ///< of C's panel that is wanted alone: other entries stay as they are
};

/// Orders of all panels of C that are wanted that ask for few loads with so many places for panels of A and of B, at
/// least one each; which of them takes least depends on what loads and products take. Where all panels have a place:
/// squares that grow. Where not, blocks of the panels of operand `staying` with all of the other's; and the same with
/// the panels of a block following each other, so that the next block's come one by one.
std::vector<std::vector<Pair>> orders_of(const Cut& cut, const int (&slots)[2], int staying);

/// Places that hold no panel.
inline std::vector<int> nobody(int slots) { return std::vector<int>(static_cast<std::size_t>(slots), -1); }

/// The loads of pairs in that order. `held`: the panels that are there before, by operand and slot, −1 where there is
/// none; afterwards, those that are there then.
std::vector<Step> schedule(const Cut& cut, const std::vector<Pair>& order, std::vector<int> (&held)[2]);

}  // namespace hilo::stream
