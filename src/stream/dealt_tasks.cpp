// When what is to be done with a device's own columns is done.
#include <algorithm>
#include <utility>

#include "matrix/sizes.hpp"
#include "stream/dealt_place.hpp"

namespace hilo::stream {
namespace {

// What is computed between two looks at what others have done: so many tasks, and as many operations of products as so
// many blocks' products with a block; of a product of more so many blocks' columns, or one's where L is kept, and some
// rows.
constexpr int most_tasks = 24;
constexpr double some_operations = 16;
constexpr std::int64_t some_blocks = 2;

std::int64_t end_of(const std::vector<DealtColumns::Segment>& segments) {
  return segments.back().first + segments.back().columns;
}

}  // namespace

void DealtPlace::add_task(const Area& c, const Area& l, std::int64_t terms,
                          std::function<void(const Segments&, const RowRange&)> run, bool keeps_l) {
  const std::int64_t end = c.column + c.columns, rows_end = c.row + c.rows;
  if (problem_.deal.segments(number_, c.column, end).empty()) return;
  Task task{c.column, end, {c.row, rows_end}, l, terms, std::move(run), keeps_l};
  if (!problem_.is_positive) {
    // Of all rows from one on it does not matter which are where; of others those have to be there that stay.
    task.pivots = std::max(l.column + l.columns, rows_end < problem_.a.rows ? rows_end : 0);
  }
  // What is needed sooner comes first; to the same columns things are done in order.
  const auto earlier = std::find_if(tasks_.rbegin(), tasks_.rend(), [&](const Task& t) { return t.first < end; });
  tasks_.insert(earlier.base(), std::move(task));
  if (is_alone()) run_all_tasks();
}

void DealtPlace::run_task(Task& task, std::int64_t end, const RowRange& rows) {
  const std::int64_t last = std::min(task.end, end);
  if (task.first >= last) return;
  const Segments segments = problem_.deal.segments(number_, task.first, last);
  if (segments.empty()) return;
  // A triangle's product reads, besides its own rows, those of its columns.
  take_rows(task.l, std::max(rows.end, end_of(segments)));
  await(end_of(segments));
  if (!problem_.is_positive && !is_alone()) move_alike(task, segments);
  task.run(segments, rows);
}

// Of the first columns those that are not done.
void DealtPlace::run_other_rows(Task& task) {
  if (task.rows_done == 0) return;
  run_task(task, task.some_end, {task.rows_done, task.rows.end});
  task.first = task.some_end;
  task.rows_done = 0;
}

// What is read of L within a block's own square is of rows that no later pivots move.
void DealtPlace::move_alike(const Task& task, const Segments& segments) {
  const std::int64_t first = segments.front().first, end = end_of(segments), l_end = task.l.column + task.l.columns;
  std::int64_t pivots = task.pivots;
  const auto& all = problem_.deal.blocks();
  for (std::size_t i = 0; i < all.size() && all[i].first < end; ++i) {
    const std::int64_t b = all[i].first;
    if (all[i].device == number_ && b >= first) pivots = std::max(pivots, own_moved_[i]);
    if (b >= task.l.column && b < l_end) pivots = std::max(pivots, known_moved_[i]);
  }
  move_own(first, end, pivots);
  move_known(task.l.column, l_end, pivots);
}

// Blocks that lie side by side, as earlier moves have left them, move together.
void DealtPlace::move_own(std::int64_t first, std::int64_t end, std::int64_t pivots) {
  const auto& all = problem_.deal.blocks();
  Segments some;
  std::int64_t moved = 0;
  const auto move = [&] {
    if (!some.empty()) place_.move_rows(own(moved, problem_.a.rows - moved, some), moved, pivots - moved);
    some.clear();
  };
  for (std::size_t i = 0; i < all.size() && all[i].first < end; ++i) {
    if (all[i].device != number_ || all[i].first < first || own_moved_[i] >= pivots) continue;
    const bool is_beside = !some.empty() && all[i].at == some.back().at + some.back().columns;
    if (!is_beside || own_moved_[i] != moved) move();
    moved = std::exchange(own_moved_[i], pivots);
    some.push_back({all[i].first, all[i].at, all[i].columns});
  }
  move();
}

void DealtPlace::move_known(std::int64_t first, std::int64_t end, std::int64_t pivots) {
  const auto& all = problem_.deal.blocks();
  std::int64_t begin = first, last = first, moved = 0;
  const auto move = [&] {
    if (begin == last) return;
    const std::int64_t rows = problem_.a.rows;
    take_rows({0, begin, rows, last - begin}, rows);
    place_.move_rows(known({moved, begin, rows - moved, last - begin}), moved, pivots - moved);
    begin = last;
  };
  for (std::size_t i = 0; i < all.size() && all[i].first < end; ++i) {
    if (all[i].first < first || known_moved_[i] >= pivots) continue;
    if (all[i].first != last || known_moved_[i] != moved) move();
    if (begin == last) begin = all[i].first;
    moved = std::exchange(known_moved_[i], pivots);
    last = all[i].first + all[i].columns;
  }
  move();
}

void DealtPlace::run_tasks_of_rows(std::int64_t end, const RowRange& rows) {
  for (Task& task : tasks_) {
    if (task.first < end) run_other_rows(task);
    run_task(task, end, rows);
  }
}

void DealtPlace::drop_tasks(std::int64_t end) {
  for (Task& task : tasks_) task.first = std::max(task.first, std::min(task.end, end));
  std::erase_if(tasks_, [](const Task& task) { return task.first >= task.end; });
}

void DealtPlace::run_tasks(std::int64_t end) {
  run_tasks_of_rows(end, all_rows());
  drop_tasks(end);
}

void DealtPlace::run_tasks_of_pivots(std::int64_t pivots) {
  for (Task& task : tasks_) {
    if (task.pivots > pivots) continue;
    run_other_rows(task);
    run_task(task, task.end, all_rows());
    task.first = task.end;
  }
  drop_tasks(0);
}

// The first ones, of which products of many operations by some columns and rows at a time.
bool DealtPlace::run_some_tasks() {
  const auto widest = static_cast<double>(problem_.deal.widest());
  double left = some_operations * static_cast<double>(problem_.a.rows) * widest * widest;
  int count = 0;
  // Columns that tasks are still to change before later ones do.
  std::int64_t first = problem_.a.columns, last = 0;
  for (Task& task : tasks_) {
    if (left <= 0 || count == most_tasks) break;
    const std::int64_t end = task.first >= last ? task.end : std::min(task.end, first);
    while (left > 0 && count < most_tasks && run_some_of(task, end, left)) ++count;
    if (task.first == task.end) continue;
    first = std::min(first, task.first);
    last = std::max(last, task.end);
  }
  drop_tasks(0);
  return count > 0;
}

// Of so many operations, which they take away, and of columns before one. False where there is nothing to do, or its L
// is not there.
bool DealtPlace::run_some_of(Task& task, std::int64_t before, double& operations) {
  if (task.first >= before || task.pivots > factored_) return false;
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return 2.0 * static_cast<double>(task.terms) * static_cast<double>(rows) * static_cast<double>(columns);
  };
  const std::int64_t first = std::max(task.rows_done, task.rows.first), rows = task.rows.end - first,
                     most_columns = (task.keeps_l ? 1 : some_blocks) * problem_.deal.widest();
  std::int64_t columns = 0, end = task.first;
  for (const Segment& s : problem_.deal.segments(number_, task.first, task.rows_done > 0 ? task.some_end : before)) {
    const std::int64_t more = columns + s.columns;
    if (columns > 0 && more > most_columns && of(rows, more) > operations && task.rows_done == 0) break;
    columns = more;
    end = s.first + s.columns;
  }
  const auto is_read = [&](const Rest& rest) { return is_to_be_taken(task.l, rest); };
  if (columns == 0) {
    task.first = before;
    return false;
  }
  if (std::ranges::any_of(rests_, is_read)) return false;
  // As many rows at least as columns: less than a half of the time goes to what is prepared of these.
  const auto affordable = static_cast<std::int64_t>(operations / std::max(of(1, columns), 1.0));
  const std::int64_t some_rows = round_up(std::max(affordable, columns), block());
  // In LU all rows at once: some may have to change places with others before these are done.
  const bool is_all = !problem_.is_positive || task.terms == 0 || rows <= some_rows + some_rows / 2;
  run_task(task, end, {first, is_all ? task.rows.end : first + some_rows});
  task.rows_done = is_all ? 0 : first + some_rows;
  task.some_end = end;
  if (is_all) task.first = end;
  operations -= of(is_all ? rows : some_rows, columns);
  return true;
}

}  // namespace hilo::stream
