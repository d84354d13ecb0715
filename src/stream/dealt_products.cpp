// What is done with a device's own columns between the blocks that are factored.
#include <algorithm>
#include <utility>

#include "blas/triangular.hpp"
#include "matrix/sizes.hpp"
#include "stream/dealt_place.hpp"
#include "stream/device_bytes.hpp"

namespace hilo::stream {
namespace {

// Products that a triangle of own columns is made of: fewer compute more that is not wanted, more prepare A more often.
constexpr std::int64_t triangle_parts = 4, least_triangle_columns = 512;

// Of a triangle that is solved with as it comes to be known: fewer leave more to do when it is, more prepare the
// columns more often.
constexpr std::int64_t solved_parts = 8;

// Of L of fewer terms nothing is kept, and of all together no more than a part of a device's memory, nor of what is
// left of it.
constexpr std::int64_t least_kept_blocks = 16, kept_part = 8, kept_part_of_room = 4;
// About what an element's residues take.
std::int64_t kept_bytes(Precision precision) { return is_complex(precision) ? 80 : 32; }

}  // namespace

void DealtPlace::move_rows(const Area& b, std::int64_t first, std::int64_t count) {
  // Those of several move when tasks need it.
  if (b.columns == 0 || !is_alone()) return;
  if (b.column < first) return place_.move_rows(known(b), first, count);
  add_task(b, {}, 0, [this, b, first, count](const Segments& segments, const RowRange&) {
    place_.move_rows(own(b.row, b.rows, segments), first, count);
  });
}

void DealtPlace::solve_block(Uplo uplo, Diag diag, const Area& a, const Area& b) {
  add_task(b, a, 0, [this, uplo, diag, a, b](const Segments& segments, const RowRange&) {
    place_.solve_block(uplo, diag, known(a), own(b.row, b.rows, segments));
  });
}

bool DealtPlace::defer_update(const Area& left, const Area& right) {
  if (is_alone()) return false;
  const std::int64_t m = left.rows, h = left.columns, n = right.columns;
  const Area top = right.sub(0, 0, h, n);
  std::vector<Update> updates;
  const std::int64_t most_rows = std::max({blocks(h, solved_parts), problem_.deal.widest(), solved_rows()});
  solve_by_rows(left.sub(0, 0, h, h), top, most_rows, updates);
  multiply(-1, left.sub(h, 0, m - h, h), top, 1, right.sub(h, 0, m - h, n));
  return true;
}

// blas::solve_triangle() with the products of its halves by so many rows at a time, just before these are solved for.
void DealtPlace::solve_by_rows(const Area& a, const Area& b, std::int64_t most_rows, std::vector<Update>& updates) {
  const std::int64_t n = a.rows;
  if (n <= most_rows) {
    for (const Update& u : updates) {
      const Area a_rows = u.a.sub(b.row - u.c.row, 0, n, u.a.columns);
      const std::shared_ptr<KeptL> l = keep_l(a_rows, b);
      add_task(
          b, a_rows, u.a.columns,
          [this, u, b, l](const Segments& segments, const RowRange&) {
            plan_for(u.c.rows, u.c.columns);
            multiply_part(-1, u.a, u.b, 1, u.c, segments, {b.row, b.row + b.rows}, l.get());
          },
          l != nullptr);
    }
    return blas::solve_triangle(*this, Uplo::lower, Diag::unit, a, b);
  }
  const std::int64_t h = blas::half(n, block());
  const Area first = b.sub(0, 0, h, b.columns), last = b.sub(h, 0, n - h, b.columns);
  solve_by_rows(a.sub(0, 0, h, h), first, most_rows, updates);
  updates.push_back({a.sub(h, 0, n - h, h), first, last});
  solve_by_rows(a.sub(h, h, n - h, n - h), last, most_rows, updates);
  updates.pop_back();
}

template <class Use>
void DealtPlace::with_columns(const Area& b, const Area& c, const Segments& segments, Use use) {
  if (!b.is_turned) return use(own(b.row, b.rows, segments));
  const Op op = b.conjugate ? Op::conjugate_transpose : Op::transpose;
  const auto lines = [&](const Segment& s) { return known({b.row + s.first - c.column, b.column, s.columns, b.rows}); };
  if (segments.size() == 1) return use(lines(segments.front()).turned(op));
  const auto room = place_.lend(DealtColumns::columns_of(segments), b.rows);
  std::int64_t line = 0;
  for (const Segment& s : segments) {
    place_.copy(lines(s), room.matrix().sub(line, 0, s.columns, b.rows));
    line += s.columns;
  }
  use(room.matrix().turned(op));
}

void DealtPlace::plan_for(std::int64_t rows, std::int64_t columns) {
  if (!is_alone()) place_.take_as_parts_of({{&problem_.plans.context(), rows, columns}});
}

// Of C's rows those that are among some of the matrix.
void DealtPlace::multiply_part(const dd_complex& alpha, const Area& a, const Area& b, const dd_complex& beta,
                               const Area& c, const Segments& segments, const RowRange& rows, KeptL* l) {
  const std::int64_t first = std::max(c.row, rows.first), count = std::min(c.row + c.rows, rows.end) - first;
  if (count <= 0) return;
  if (l) {
    // All of its blocks have moved alike.
    const std::int64_t pivots = known_moved_[problem_.deal.number_at(a.column)];
    if (pivots != std::exchange(l->pivots, pivots)) l->operand.reset();
  }
  const bool keeps = l && has_room_to_keep(*l, count * a.columns);
  with_columns(b, c, segments, [&](const DeviceView& columns) {
    place_.multiply(alpha, known(a.sub(first - c.row, 0, count, a.columns)), columns, beta, own(first, count, segments),
                    {{keeps ? &l->operand : nullptr, nullptr}});
  });
}

bool DealtPlace::has_room_to_keep(const KeptL& l, std::int64_t elements) {
  if (l.operand.residue_bytes() > 0) return true;
  std::int64_t kept = elements * kept_bytes(problem_.precision);
  std::erase_if(kept_l_, [](const std::weak_ptr<KeptL>& other) { return other.expired(); });
  for (const std::weak_ptr<KeptL>& other : kept_l_) {
    if (const auto its = other.lock()) kept += its->operand.residue_bytes();
  }
  opencl::ContextState& context = place_.context();
  const std::int64_t room = context.info.global_memory - *context.buffer_bytes - context.workspaces.lent_bytes();
  return kept <= std::min(device_bytes(context.info, problem_.options) / kept_part, room / kept_part_of_room);
}

std::shared_ptr<DealtPlace::KeptL> DealtPlace::keep_l(const Area& a, const Area& c) {
  if (problem_.is_positive || is_alone() || a.columns < least_kept_blocks * block()) return nullptr;
  const Segments segments = problem_.deal.segments(number_, c.column, c.column + c.columns);
  if (segments.empty() || DealtColumns::columns_of(segments) <= problem_.deal.widest()) return nullptr;
  const auto l = std::make_shared<KeptL>();
  kept_l_.push_back(l);
  return l;
}

void DealtPlace::multiply(const dd_complex& alpha, const Area& a, const Area& b, const dd_complex& beta,
                          const Area& c) {
  if (c.rows == 0 || c.columns == 0) return;
  const std::shared_ptr<KeptL> l = keep_l(a, c);
  add_task(
      c, a, a.columns,
      [=, this](const Segments& segments, const RowRange& rows) {
        plan_for(c.rows, c.columns);
        multiply_part(alpha, a, b, beta, c, segments, rows, l.get());
      },
      l != nullptr);
}

bool DealtPlace::multiply_triangle_at_once(Uplo, blas::Symmetry symmetry, const dd_complex& alpha, const Area& a,
                                           const Area& b, const dd_complex& beta, const Area& c) {
  const std::int64_t n = c.rows;
  if (n != c.columns) return false;
  const DeviceProduct whole{
      problem_.precision, alpha, known(a),   known(b.turned(Op::transpose)).turned(Op::transpose), beta,
      known(c),           {},    Uplo::lower};
  if (!problem_.plans.takes_triangle_at_once(symmetry, whole)) return false;
  add_task(c, a, a.columns, [=, this](const Segments& segments, const RowRange& rows) {
    plan_for(n, n);
    const std::int64_t most =
        std::max(blocks(DealtColumns::columns_of(segments), triangle_parts), least_triangle_columns);
    for (auto begin = segments.begin(); begin != segments.end();) {
      Segments some;
      do some.push_back(*begin++);
      while (begin != segments.end() && DealtColumns::columns_of(some) + begin->columns <= most);
      const std::int64_t row = some.front().first - c.column;
      multiply_part(alpha, a.sub(row, 0, n - row, a.columns), b, beta, c.sub(row, 0, n - row, n), some, rows);
    }
  });
  return true;
}

void DealtPlace::multiply_square_at_once(blas::Symmetry symmetry, const dd_complex& alpha, const Area& a, const Area& b,
                                         const dd_complex& beta, const Area& c) {
  const std::int64_t n = c.rows;
  // Not by some rows at a time, which may cut a triangle: it is small.
  add_task(c, a, 0, [=, this](const Segments& segments, const RowRange& some) {
    plan_for(n, n);
    for (const Segment& s : segments) {
      const Segments one{s};
      const std::int64_t first = std::max(s.first, some.first), end = std::min(c.row + n, some.end);
      if (first >= end) continue;
      // Rows of the triangle on the diagonal, which are among them all or not at all.
      const std::int64_t triangle = first == s.first ? s.columns : 0, below = end - first - triangle;
      const DeviceView its = own(first, end - first, one);
      // Its columns contiguous, as the square's are: in complex products it has a say in the bits which operand is
      // first.
      const auto square = place_.lend(end - first, s.columns);
      const DeviceView top = its.sub(0, 0, triangle, s.columns), rest = its.sub(triangle, 0, below, s.columns);
      const DeviceView square_top = square.matrix().sub(0, 0, triangle, s.columns),
                       square_rest = square.matrix().sub(triangle, 0, below, s.columns);
      if (triangle > 0) place_.take_triangle(Uplo::lower, symmetry, top, square_top);
      place_.copy(rest, square_rest);
      with_columns(b, c, one, [&](const DeviceView& columns) {
        place_.multiply(alpha, known(a.sub(first - c.row, 0, end - first, a.columns)), columns, beta, square.matrix());
      });
      if (triangle > 0) place_.put_triangle(Uplo::lower, symmetry, square_top, top);
      place_.copy(square_rest, rest);
    }
  });
}

}  // namespace hilo::stream
