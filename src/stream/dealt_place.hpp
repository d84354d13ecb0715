// One device's part of a factorisation whose columns are dealt to several, each with a thread that runs through all of
// the recursion (lapack/lu.hpp, lapack/cholesky.hpp).
//
// A device has its own columns, and of the others' blocks L once it is known, which comes by way of the caller's
// memory, or, where columns are in the devices' memory before and after, of some that the library has (PassedBlocks).
// What is to be done with own columns waits until the next block of columns is needed: its device does that block's
// share first, factors it, and tells the others, in Cholesky part by part, who do theirs meanwhile, some at a time. A
// device alone has all columns, and does what is to be done at once; what it gains is that columns come and go while
// others are computed.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "blas/symmetric.hpp"
#include "gemm/modular/opencl/prepared.hpp"
#include "lapack/opencl/place.hpp"
#include "stream/board.hpp"
#include "stream/carrier.hpp"
#include "stream/dealt_columns.hpp"
#include "stream/dealt_storage.hpp"
#include "stream/host_matrix.hpp"
#include "stream/passed_blocks.hpp"

namespace hilo::stream {

/// A part of the matrix that is factored, or its transpose.
struct Area {
  std::int64_t row, column;    ///< of the matrix
  std::int64_t rows, columns;  ///< of the area as it is turned
  bool is_turned = false, conjugate = false;

  Area sub(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const {
    return {row + (is_turned ? j : i), column + (is_turned ? i : j), block_rows, block_columns, is_turned, conjugate};
  }
  Area turned(Op op) const;
};

/// What all devices are given: n <= m columns in pinned memory, or in their own.
struct DealtProblem {
  HostMatrix a;  ///< of columns in the devices' memory the shape alone
  const DealtColumns& deal;
  Precision precision;
  const BlockedOptions& options;
  bool is_positive;            ///< Cholesky of the lower trapezium; otherwise LU
  lapack::DevicePlace& plans;  ///< on the device whose engines all take
  /// Of each device its columns, which are there and stay, and the memory by which others come to know them.
  struct Resident {
    const std::vector<DeviceView>& columns;
    const PassedBlocks* passed;  ///< null where there is one device
  };
  std::optional<Resident> resident = {};
};

class DealtPlace {
 public:
  using Scalar = dd_complex;
  using Operand = Area;
  using Matrix = Area;

  /// With all its memory but that of products. Throws out_of_memory.
  DealtPlace(opencl::QueueState& device, int number, const DealtProblem& problem, Board& board);
  ~DealtPlace();

  /// Elements of a device's memory that it takes, beside what products do.
  static std::int64_t elements(const DealtProblem& problem, int number);

  std::int64_t block() const { return place_.block(); }
  std::int64_t solved_rows() { return place_.solved_rows(); }
  std::int64_t diagonal_rows() const { return place_.diagonal_rows(); }
  bool has_failed() const { return false; }

  bool factor_columns_at_once(const Area& a, std::int64_t first) { return factor_at_once(a, first); }
  bool factor_positive_columns_at_once(const Area& a, std::int64_t first) { return factor_at_once(a, first); }
  void move_rows(const Area& b, std::int64_t first, std::int64_t count);
  /// Of LU: solves with the factors of the columns on the left, and subtracts their product, as they come to be known.
  bool defer_update(const Area& left, const Area& right);
  void solve_block(Uplo uplo, Diag diag, const Area& a, const Area& b);
  void multiply(const dd_complex& alpha, const Area& a, const Area& b, const dd_complex& beta, const Area& c);
  bool multiply_triangle_at_once(Uplo uplo, blas::Symmetry symmetry, const dd_complex& alpha, const Area& a,
                                 const Area& b, const dd_complex& beta, const Area& c);
  /// Of a square on the diagonal only what is below it is wanted.
  void multiply_square_at_once(blas::Symmetry symmetry, const dd_complex& alpha, const Area& a, const Area& b,
                               const dd_complex& beta, const Area& c);

  /// Returns when own columns are where they are wanted.
  void finish();

  const DeviceInfo& device() const { return lanes_.compute.context->info; }
  /// Of the whole matrix.
  std::int64_t info() const { return info_; }
  /// Counted from 1.
  const std::vector<std::int64_t>& pivots() const { return pivots_; }
  /// Once it has finished.
  Traffic traffic() const;

 private:
  using Segment = DealtColumns::Segment;
  using Segments = std::vector<Segment>;
  struct RowRange {
    std::int64_t first, end;
  };
  // L of a product that is done some columns at a time, kept from the first ones to the last, as so many pivots have
  // its rows.
  struct KeptL {
    modular::PreparedOperand operand;
    std::int64_t pivots = 0;
  };
  // What is to be done with own columns among those from `first` on, which are some and lie side by side.
  struct Task {
    std::int64_t first, end;
    RowRange rows;       // of the matrix, that it changes
    Area l;              // what it reads of L
    std::int64_t terms;  // of a product that may be taken by some rows at a time; otherwise 0
    std::function<void(const Segments&, const RowRange&)> run;
    bool keeps_l;
    std::int64_t pivots = 0;  // in LU so many columns are factored before
    // Where it is done with rows before this one of the first columns, up to some_end.
    std::int64_t rows_done = 0, some_end = 0;
  };

  // Of the others: for all, or a half where there is less memory.
  void make_room_for_l();
  const DealtColumns::Block& dealt(int block) const { return problem_.deal.blocks()[static_cast<std::size_t>(block)]; }
  bool factor_at_once(const Area& a, std::int64_t first);
  void factor_own(int block);
  void factor_alone(int block);
  void factor_by_parts(lapack::DevicePlace& place, int block);
  void solve_rows(lapack::DevicePlace& place, const DealtColumns::Block& b, const RowRange& rows, std::int64_t column,
                  std::int64_t columns);
  void put_upper(lapack::DevicePlace& place, const DealtColumns::Block& b);
  void copy_to_known(const DealtColumns::Block& b);
  void wait_for_place(int block);
  // Some parts of a block to the others, as they are now.
  void pass(int block, int first, int end);
  // Parts of a block's L, and U above it, once they are done.
  void fetch_factor(int block, int first, int end, const cl::Event& done);
  void fetch_above(const DealtColumns::Block& b, const cl::Event& done);
  void take_others(int block);
  bool is_next(int block) const;
  // A block of others of which parts are still to be taken, or to be waited for by what is computed.
  struct Rest {
    struct Arrival {
      std::int64_t end;
      cl::Event event;
    };
    int block, part;               // the next part
    std::int64_t taken;            // rows before this one are here or on their way
    std::int64_t held;             // and before this one what is computed from here on comes after their arrival
    bool is_noted;                 // its pivots are known; in Cholesky there are none
    std::deque<Arrival> arrivals;  // of rows from `held` to `taken`
  };
  void take_what_is_there();
  void take_next(Rest& rest);
  bool has_more(const Rest& rest) const { return has_part(dealt(rest.block), rest.part); }
  // L's rows before one, and all: what is computed from here on comes after them.
  void take_rows(const Area& l, std::int64_t end);
  void take_rest() { take_rows({0, 0, problem_.a.rows, problem_.a.columns}, problem_.a.rows); }
  // Whether some of L is of the block, and some of that still to be taken.
  bool reads(const Area& l, const Rest& rest) const;
  bool is_to_be_taken(const Area& l, const Rest& rest) const { return reads(l, rest) && l.row + l.rows > rest.taken; }
  PassedBlocks::Rows part_rows(const DealtColumns::Block& b, int part) const;
  bool has_part(const DealtColumns::Block& b, int part) const {
    return part < PassedBlocks::parts && part_rows(b, part).count > 0;
  }
  // A part of a block where it is on its way to others.
  PassedBlock passed(int block, int part) const;
  void note(const Board::Result& result, int block);

  void add_task(const Area& c, const Area& l, std::int64_t terms,
                std::function<void(const Segments&, const RowRange&)> run, bool keeps_l = false);
  RowRange all_rows() const { return {0, problem_.a.rows}; }
  // What is to be done with some rows of own columns before `end`; and that all of it is done.
  void run_task(Task& task, std::int64_t end, const RowRange& rows);
  void run_other_rows(Task& task);
  void run_tasks_of_rows(std::int64_t end, const RowRange& rows);
  void drop_tasks(std::int64_t end);
  void run_tasks(std::int64_t end);
  // Those that need no more columns to be factored.
  void run_tasks_of_pivots(std::int64_t pivots);
  // False where there are none, or their L is not there.
  bool run_some_tasks();
  bool run_some_of(Task& task, std::int64_t before, double& operations);
  void run_all_tasks() { run_tasks(problem_.a.columns); }

  // A product that solve_by_rows() is still to subtract from rows of C.
  struct Update {
    Area a, b, c;
  };
  void solve_by_rows(const Area& a, const Area& b, std::int64_t most_rows, std::vector<Update>& updates);
  // Rows move when a task needs them where later pivots have them. Until then they lie as the first so many pivots have
  // them, which is the same for what a task reads and writes.
  void move_alike(const Task& task, const Segments& segments);
  void move_own(std::int64_t first, std::int64_t end, std::int64_t pivots);
  void move_known(std::int64_t first, std::int64_t end, std::int64_t pivots);
  void move_to_end();

  bool is_resident() const { return problem_.resident.has_value(); }
  bool is_alone() const { return problem_.deal.devices() == 1; }
  bool is_passed_on_devices() const {
    return is_resident() && !is_alone() && problem_.resident->passed->is_on_devices();
  }
  // Own ones among so many blocks are on their way; those that begin before a column are there.
  void bring(int blocks);
  void await(std::int64_t end);
  // All that is computed from here on, by whatever place, comes after it.
  void hold(const cl::Event& arrival);

  // L as far as it is known, with the rows of those that are factored in their places.
  DealtStorage& factors() { return is_alone() ? own_ : *known_; }
  const DealtStorage& factors() const { return is_alone() ? own_ : *known_; }
  // Where a column of L is among those that are known.
  std::int64_t known_column(std::int64_t column) const { return column < again_ ? column : column - again_; }
  // From here on the second half of L is known, once what the first half is needed for is done.
  void begin_again();
  // Of what is known of L the rows and columns of an area; own columns.
  DeviceView known(const Area& a) const;
  DeviceView own(std::int64_t row, std::int64_t rows, const Segments& segments) const;
  // use(B's columns that are those of C's segments): of own ones, or of L turned.
  template <class Use>
  void with_columns(const Area& b, const Area& c, const Segments& segments, Use use);
  // The engines of the products that follow are those of C of so many rows and columns.
  void plan_for(std::int64_t rows, std::int64_t columns);
  void multiply_part(const dd_complex& alpha, const Area& a, const Area& b, const dd_complex& beta, const Area& c,
                     const Segments& segments, const RowRange& rows, KeptL* l = nullptr);
  // Of LU by several devices, where the product takes own columns some at a time; otherwise null.
  std::shared_ptr<KeptL> keep_l(const Area& a, const Area& c);
  // For what products find of so many elements.
  bool has_room_to_keep(const KeptL& l, std::int64_t elements);

  const DealtProblem& problem_;
  const int number_;
  Board& board_;
  Lanes lanes_;
  cl::CommandQueue aside_;
  lapack::DevicePlace place_;
  DealtStorage own_;
  std::optional<DealtStorage> known_;  // of several devices
  // Where columns stay, that has room for a half of L: from this column on the second; otherwise for all.
  std::int64_t again_;
  cl::Event first_half_used_;  // until something takes its place
  // Of own blocks of a positive matrix in host memory what the caller has above their diagonal.
  std::optional<DealtStorage> upper_;
  std::list<Task> tasks_;
  std::vector<std::weak_ptr<KeptL>> kept_l_;
  std::deque<Rest> rests_;
  struct OnItsWay {
    DealtColumns::Block block;
    cl::Event arrival;
  };
  std::vector<OnItsWay> here_;          // of own blocks
  std::size_t next_ = 0, awaited_ = 0;  // of all blocks the first that is not on its way; of own ones, not waited for
  std::vector<cl::Event> sent_, fetched_;
  std::int64_t info_ = 0;
  std::vector<std::int64_t> pivots_;
  std::int64_t factored_ = 0;  // columns of which this device has the pivots
  // Of LU by several devices: by block the pivots that own columns, and L where it is known, have moved by.
  std::vector<std::int64_t> own_moved_, known_moved_;
};

}  // namespace hilo::stream
