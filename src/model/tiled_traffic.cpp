// What ranks move in routines on tiles.
#include <algorithm>
#include <hilo/model.hpp>

namespace hilo::model {
namespace {

// Of a mark of progress, and of a pivot.
constexpr std::int64_t number_bytes = 8;

class Counter {
 public:
  explicit Counter(const TiledProblem& problem)
      : problem_(problem),
        tiles_((problem.n + problem.tile - 1) / problem.tile),
        traffic_(static_cast<std::size_t>(problem.grid_rows) * static_cast<std::size_t>(problem.grid_columns)),
        last_piece_(traffic_.size(), 0) {}

  std::int64_t tiles() const { return tiles_; }
  std::int64_t rows(std::int64_t i) const { return std::min(problem_.tile, problem_.n - i * problem_.tile); }
  std::int64_t bytes(std::int64_t i, std::int64_t j) const { return rows(i) * rows(j) * problem_.word_bytes; }
  int owner(std::int64_t i, std::int64_t j) const {
    return static_cast<int>(i % problem_.grid_rows * problem_.grid_columns + j % problem_.grid_columns);
  }
  // A grid row has all its ranks in so many successive columns of tiles from `first` on, as far as there are tiles.
  std::int64_t end_of_row(std::int64_t first) const { return std::min(tiles_, first + problem_.grid_columns); }
  std::int64_t end_of_column(std::int64_t first) const { return std::min(tiles_, first + problem_.grid_rows); }

  // A piece of data on rank `from`, which goes once to each rank that reads it.
  void piece(int from, std::int64_t bytes) {
    from_ = from;
    bytes_ = bytes;
    ++piece_;
  }
  void read_on(int rank) {
    std::int64_t& last = last_piece_[static_cast<std::size_t>(rank)];
    if (rank == from_ || last == piece_) return;
    last = piece_;
    move(from_, rank, bytes_);
  }
  // Tile (i, j), which is computed on that rank.
  void visit(std::int64_t i, std::int64_t j, int rank) {
    const int home = owner(i, j);
    if (home == rank) return;
    move(home, rank, bytes(i, j));
    move(rank, home, bytes(i, j));
  }

  std::vector<TiledTraffic> take() { return std::move(traffic_); }

 private:
  void move(int from, int to, std::int64_t bytes) {
    TiledTraffic &x = traffic_[static_cast<std::size_t>(from)], &y = traffic_[static_cast<std::size_t>(to)];
    x.bytes_out += bytes;
    ++x.messages_out;
    y.bytes_in += bytes;
    ++y.messages_in;
    if (from / problem_.ranks_of_node != to / problem_.ranks_of_node) y.node_bytes_in += bytes;
  }

  TiledProblem problem_;
  std::int64_t tiles_;
  std::vector<TiledTraffic> traffic_;
  std::vector<std::int64_t> last_piece_;  // that each rank has had
  int from_ = 0;
  std::int64_t bytes_ = 0, piece_ = 0;
};

// A's tiles go along rows of the grid, B's along columns.
void count_gemm(Counter& c) {
  for (std::int64_t k = 0; k < c.tiles(); ++k) {
    for (std::int64_t i = 0; i < c.tiles(); ++i) {
      c.piece(c.owner(i, k), c.bytes(i, k));
      for (std::int64_t j = 0; j < c.end_of_row(0); ++j) c.read_on(c.owner(i, j));
      c.piece(c.owner(k, i), c.bytes(k, i));
      for (std::int64_t r = 0; r < c.end_of_column(0); ++r) c.read_on(c.owner(r, i));
    }
  }
}

// Tile (i, k) of a column of L meets those of row i and, transposed, those of column i; the diagonal one the column.
void count_potrf(Counter& c) {
  for (std::int64_t k = 0; k < c.tiles(); ++k) {
    // How far it went, to all that have to do with the step.
    c.piece(c.owner(k, k), number_bytes);
    for (std::int64_t i = k; i < c.tiles(); ++i) {
      for (std::int64_t j = k; j < std::min(i + 1, c.end_of_row(k)); ++j) c.read_on(c.owner(i, j));
    }
    c.piece(c.owner(k, k), c.bytes(k, k));
    for (std::int64_t i = k + 1; i < c.end_of_column(k + 1); ++i) c.read_on(c.owner(i, k));
    for (std::int64_t i = k + 1; i < c.tiles(); ++i) {
      c.piece(c.owner(i, k), c.bytes(i, k));
      for (std::int64_t j = k + 1; j < std::min(i + 1, c.end_of_row(k + 1)); ++j) c.read_on(c.owner(i, j));
      for (std::int64_t r = i; r < c.end_of_column(i); ++r) c.read_on(c.owner(r, i));
    }
  }
}

// The panel is one rank's, and exchanges of rows are of one rank for each column of tiles: of other rows of the grid
// tiles go there and back. Then L goes along rows of the grid, and U along columns.
void count_getrf(Counter& c) {
  for (std::int64_t k = 0; k < c.tiles(); ++k) {
    const int panel = c.owner(k, k);
    c.piece(c.owner(std::max<std::int64_t>(k - 1, 0), std::max<std::int64_t>(k - 1, 0)), number_bytes);
    c.read_on(panel);
    c.piece(panel, number_bytes * c.rows(k));
    for (std::int64_t j = 0; j < c.tiles(); ++j) {
      if (j != k) c.read_on(c.owner(k, j));
    }
    if (c.end_of_column(0) > 1) {
      for (std::int64_t j = 0; j < c.tiles(); ++j) {
        for (std::int64_t i = k; i < c.tiles(); ++i) c.visit(i, j, c.owner(k, j));
      }
    }
    for (std::int64_t i = k; i < c.tiles(); ++i) {
      c.piece(c.owner(i, k), c.bytes(i, k));
      for (std::int64_t j = k + 1; j < c.end_of_row(k + 1); ++j) c.read_on(c.owner(i, j));
    }
    for (std::int64_t j = k + 1; j < c.tiles(); ++j) {
      c.piece(c.owner(k, j), c.bytes(k, j));
      for (std::int64_t i = k + 1; i < c.end_of_column(k + 1); ++i) c.read_on(c.owner(i, j));
    }
  }
}

}  // namespace

std::vector<TiledTraffic> tiled_traffic(TiledRoutine routine, const TiledProblem& problem) {
  Counter counter(problem);
  switch (routine) {
    case TiledRoutine::gemm:
      count_gemm(counter);
      break;
    case TiledRoutine::potrf:
      count_potrf(counter);
      break;
    case TiledRoutine::getrf:
      count_getrf(counter);
      break;
  }
  return counter.take();
}

}  // namespace hilo::model
