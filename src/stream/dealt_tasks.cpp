// When what is to be done with a device's own columns is done.
#include <algorithm>
#include <utility>

#include "matrix/sizes.hpp"
#include "stream/dealt_place.hpp"

namespace hilo::stream {
namespace {

// What is computed between two looks at what others have done: so many tasks, and as many operations of products as so
// many blocks' products with a block; of a product of more so many blocks' columns, and some rows.
constexpr int most_tasks = 24;
constexpr double some_operations = 16;
constexpr std::int64_t some_blocks = 2;

std::int64_t end_of(const std::vector<DealtColumns::Segment>& segments) {
  return segments.back().first + segments.back().columns;
}

}  // namespace

void DealtPlace::add_task(const Area& c, const Area& l, std::int64_t terms,
                          std::function<void(const Segments&, const RowRange&)> run) {
  tasks_.push_back({c.column, c.column + c.columns, {c.row, c.row + c.rows}, l, terms, std::move(run)});
  if (is_alone()) run_all_tasks();
}

void DealtPlace::run_task(Task& task, std::int64_t end, const RowRange& rows) {
  const std::int64_t last = std::min(task.end, end);
  if (task.first >= last) return;
  const Segments segments = problem_.deal.segments(number_, task.first, last);
  if (segments.empty()) return;
  take_rows(task.l, rows.end);
  await(end_of(segments));
  task.run(segments, rows);
}

void DealtPlace::run_tasks_of_rows(std::int64_t end, const RowRange& rows) {
  for (Task& task : tasks_) {
    if (task.rows_done > 0 && task.first < end) {
      run_task(task, task.some_end, {task.rows_done, task.rows.end});
      task.first = task.some_end;
      task.rows_done = 0;
    }
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

// The first ones, of which products of many operations by some columns and rows at a time.
bool DealtPlace::run_some_tasks() {
  const auto widest = static_cast<double>(problem_.deal.widest());
  double left = some_operations * static_cast<double>(problem_.a.rows) * widest * widest;
  int count = 0;
  for (Task& task : tasks_) {
    while (left > 0 && count < most_tasks && run_some_of(task, left)) ++count;
    // Later ones change the same columns.
    if (!problem_.deal.segments(number_, task.first, task.end).empty()) break;
  }
  drop_tasks(0);
  return count > 0;
}

// Of so many operations, which they take away. False where there is nothing to do, or its L is not there.
bool DealtPlace::run_some_of(Task& task, double& operations) {
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return 2.0 * static_cast<double>(task.terms) * static_cast<double>(rows) * static_cast<double>(columns);
  };
  const std::int64_t first = std::max(task.rows_done, task.rows.first), rows = task.rows.end - first,
                     most_columns = some_blocks * problem_.deal.widest();
  std::int64_t columns = 0, end = task.first;
  for (const Segment& s : problem_.deal.segments(number_, task.first, task.rows_done > 0 ? task.some_end : task.end)) {
    const std::int64_t more = columns + s.columns;
    if (columns > 0 && more > most_columns && of(rows, more) > operations && task.rows_done == 0) break;
    columns = more;
    end = s.first + s.columns;
  }
  const auto is_read = [&](const Rest& rest) { return reads(task.l, problem_.a.rows, rest); };
  if (columns == 0 || std::ranges::any_of(rests_, is_read)) return false;
  // As many rows at least as columns: less than a half of the time goes to what is prepared of these.
  const auto affordable = static_cast<std::int64_t>(operations / std::max(of(1, columns), 1.0));
  const std::int64_t some_rows = round_up(std::max(affordable, columns), block());
  const bool is_all = task.terms == 0 || rows <= some_rows + some_rows / 2;
  run_task(task, end, {first, is_all ? task.rows.end : first + some_rows});
  task.rows_done = is_all ? 0 : first + some_rows;
  task.some_end = end;
  if (is_all) task.first = end;
  operations -= of(is_all ? rows : some_rows, columns);
  return true;
}

}  // namespace hilo::stream
