#include "stream/dealt_place.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>
#include <utility>

#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"

namespace hilo::stream {
namespace {

// What is known to be needed soon is on its way: so many blocks of each device.
constexpr int blocks_ahead = 2;
// Columns that are computed between two looks at what others have done: in LU all, as triangular solves of few take
// nearly as long.
constexpr std::int64_t some_positive_columns = 512;

// As long as a small kernel takes.
void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

std::int64_t end_of(const std::vector<DealtColumns::Segment>& segments) {
  return segments.back().first + segments.back().columns;
}

// f(part, first column within the block) of its parts.
template <class F>
void for_parts(const DealtColumns::Block& b, F f) {
  int part = 0;
  for (std::int64_t j = 0; j < b.columns; j += PassedBlocks::part_columns(b.columns)) f(part++, j);
}

}  // namespace

Area Area::turned(Op op) const {
  if (op == Op::none) return *this;
  return {row, column, columns, rows, !is_turned, conjugate != (op == Op::conjugate_transpose)};
}

std::int64_t DealtPlace::elements(const DealtProblem& p, int number) {
  const std::int64_t m = p.a.rows, n = p.a.columns, columns = p.deal.columns_of(number);
  const bool is_alone = p.deal.devices() == 1;
  std::int64_t all = DealtStorage::elements(p.a, m, columns) + (is_alone ? 0 : DealtStorage::elements(p.a, m, n));
  if (!p.is_positive) return all;
  // Matrices are lent by powers of two: squares on the diagonal, and L turned, no more than half its rows by half its
  // columns.
  const auto lent = [](std::int64_t x) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(x, 1))));
  };
  all += DealtStorage::elements(p.a, p.deal.widest(), columns);
  all += lent(std::min(n, p.plans.diagonal_rows()) * p.deal.widest());
  return is_alone ? all : all + lent(columns * n / 4);
}

DealtPlace::DealtPlace(opencl::QueueState& device, int number, const DealtProblem& problem, Board& board)
    : problem_(problem),
      number_(number),
      board_(board),
      lanes_(device.context),
      aside_(device.context->context, device.context->device),
      place_(lanes_.compute, problem.precision, problem.options, {}),
      own_(problem.resident ? DealtStorage(lanes_, problem.resident->columns[static_cast<std::size_t>(number)],
                                           problem.a.element_bytes)
                            : DealtStorage(lanes_, problem.a, problem.a.rows, problem.deal.columns_of(number))) {
  lanes_.compute.trace = device.trace;
  place_.accept_normwise_products();
  const std::int64_t n = problem.a.columns;
  const bool begins_again = is_resident() && !is_alone() && problem.deal.blocks().size() > 1;
  again_ = begins_again ? blas::half(n, block()) : n;
  if (!is_alone()) known_.emplace(lanes_, problem.a, problem.a.rows, std::max(again_, n - again_));
  if (problem.is_positive) {
    if (!is_resident()) upper_.emplace(lanes_, problem.a, problem.deal.widest(), problem.deal.columns_of(number));
  } else {
    pivots_.resize(static_cast<std::size_t>(problem.a.columns));
    // Written once whoever had their memory is done with it, for which put_pivots() does not wait.
    place_.set_pivots(pivots_);
  }
}

DealtPlace::~DealtPlace() { settle(lanes_); }

bool DealtPlace::factor_at_once(const Area& a, std::int64_t first) {
  const int block = problem_.deal.block_of(first, a.columns);
  if (block < 0) return false;
  // A block that is factored makes at most as many again needed.
  const int devices = static_cast<int>(problem_.deal.devices());
  bring(2 * (block + 1) + blocks_ahead * devices);
  if (dealt(block).device == number_) {
    factor_own(block);
  } else {
    take_others(block);
  }
  return true;
}

void DealtPlace::factor_own(int block) {
  const DealtColumns::Block& b = dealt(block);
  run_tasks(b.first + b.columns);
  await(b.first + b.columns);
  if (is_alone()) {
    factor(place_, b, b.first);
    if (is_resident()) return;
    const cl::Event done = place_.mark();
    lanes_.compute.queue.flush();
    // In LU the rows of L have still to move.
    if (problem_.is_positive) {
      fetch_factor(block, done, [](const cl::Event&) {});
    } else {
      fetch_above(b, done);
    }
    return;
  }
  // With its own account of pivots and info, and of panels that other places on the device wait for.
  lapack::DevicePlace place(lanes_.compute, problem_.precision, problem_.options, {});
  place.accept_normwise_products();
  if (problem_.is_positive) {
    if (info_ != 0) place.note_failure();
  } else {
    place.make_pivots(b.columns);
  }
  factor(place, b, 0);
  const std::int64_t rows = problem_.a.rows - b.first;
  const DeviceView its = own_.matrix().sub(b.first, b.at, rows, b.columns),
                   to = known_->matrix().sub(b.first, known_column(b.first), rows, b.columns);
  const bool begins_again = b.first == again_;
  if (!begins_again) place.copy(its, to);
  const cl::Event done = place.mark();
  lanes_.compute.queue.flush();
  // Something to do while others hear of it.
  if (begins_again) {
    begin_again();
    place_.copy(its, to);
    lanes_.compute.queue.flush();
  } else if (run_some_tasks()) {
    lanes_.compute.queue.flush();
  }
  Board::Result result;
  if (!problem_.is_positive) result.pivots.resize(static_cast<std::size_t>(b.columns));
  const std::int64_t info = place.result_beside(aside_, done, result.pivots);
  result.info = info == 0 ? 0 : b.first + info;
  for (std::int64_t& p : result.pivots) p += b.first;
  note(result, b.first);
  board_.tell(block, std::move(result));
  // The place of one that all have taken, as they have by then where there are no more devices than places.
  if (is_resident()) {
    const int before = block - problem_.resident->passed->blocks();
    if (before >= 0) board_.wait_until_taken(before);
  }
  fetch_factor(block, done, [&](const cl::Event& part) { board_.tell_part(block, part); });
  if (!problem_.is_positive && !is_resident()) fetch_above(b, done);
  place.finish();
}

// Where it lies; its first column is column `first` of what the place factors.
void DealtPlace::factor(lapack::DevicePlace& place, const DealtColumns::Block& b, std::int64_t first) {
  const DeviceView columns = own_.matrix().sub(b.first, b.at, problem_.a.rows - b.first, b.columns);
  if (!problem_.is_positive) return lapack::factor_columns(place, columns, first);
  lapack::factor_positive_columns(place, columns, first);
  if (!upper_) return;
  // Above the diagonal stays what the caller had there.
  const DeviceView top = columns.sub(0, 0, b.columns, b.columns);
  const DeviceView kept = upper_->matrix().sub(0, b.at, b.columns, b.columns);
  place.put_triangle(Uplo::lower, blas::Symmetry::symmetric, top, kept);
  place.copy(kept, top);
}

// L of a block, and U above it, once they are done.
template <class Tell>
void DealtPlace::fetch_factor(int block, const cl::Event& done, Tell tell) {
  const DealtColumns::Block& b = dealt(block);
  for_parts(b, [&](int part, std::int64_t j) {
    fetched_.push_back(own_.fetch(b.first, b.at + j, passed(block, part), done));
    tell(fetched_.back());
  });
}

PassedBlock DealtPlace::passed(int block, int part) const {
  if (is_resident()) return problem_.resident->passed->part(block, part, number_);
  const DealtColumns::Block& b = dealt(block);
  const std::int64_t width = PassedBlocks::part_columns(b.columns), j = part * width;
  return {problem_.a.sub(b.first, b.first + j, problem_.a.rows - b.first, std::min(width, b.columns - j))};
}

void DealtPlace::fetch_above(const DealtColumns::Block& b, const cl::Event& done) {
  if (b.first == 0) return;
  fetched_.push_back(own_.fetch(0, b.at, problem_.a.sub(0, b.first, b.first, b.columns), done));
}

// While it is on its way, or not begun, own columns are computed that are needed later, some at a time.
void DealtPlace::take_others(int block) {
  const DealtColumns::Block& b = dealt(block);
  cl::Event doing;
  // The next block is what all will wait for: from a device's memory its device reads first, and alone.
  const bool waits_for_next = is_resident() && problem_.resident->passed->is_on_devices() &&
                              block + 1 < std::ssize(problem_.deal.blocks()) && dealt(block + 1).device != number_;
  for_parts(b, [&](int part, std::int64_t j) {
    const auto is_there = [&] {
      return board_.has_part(block, part) && (!waits_for_next || board_.is_taken_by_first(block));
    };
    for (; !is_there(); wait_a_little()) {
      if (doing() && !is_over(doing)) continue;
      if (!run_some_tasks()) {
        board_.wait_for_part(block, part);
        if (waits_for_next) board_.wait_until_taken_by_first(block);
        break;
      }
      doing = place_.mark();
      lanes_.compute.queue.flush();
    }
    if (part == 0) {
      note(board_.result(block), b.first);
      if (b.first == again_) begin_again();
    }
    sent_.push_back(
        known_->send(passed(block, part), b.first, known_column(b.first + j), std::exchange(first_half_used_, {})));
  });
  hold(sent_.back());
  if (is_resident()) board_.tell_taken(block, sent_.back());
}

void DealtPlace::begin_again() {
  run_all_tasks();
  has_begun_again_ = true;
  lanes_.compute.queue.enqueueMarkerWithWaitList(nullptr, &first_half_used_);
  lanes_.compute.queue.flush();
}

void DealtPlace::hold(const cl::Event& arrival) {
  const std::vector<cl::Event> wait = {arrival};
  lanes_.compute.queue.enqueueMarkerWithWaitList(&wait);
}

void DealtPlace::note(const Board::Result& result, std::int64_t first) {
  if (info_ == 0) info_ = result.info;
  place_.put_pivots(aside_, first, result.pivots);
  std::copy(result.pivots.begin(), result.pivots.end(), pivots_.begin() + first);
}

void DealtPlace::bring(int blocks) {
  if (is_resident()) return;
  const auto& all = problem_.deal.blocks();
  for (; next_ < std::min(static_cast<std::size_t>(std::max(blocks, 0)), all.size()); ++next_) {
    const DealtColumns::Block& b = all[next_];
    if (b.device != number_) continue;
    const std::int64_t row = problem_.is_positive ? b.first : 0;
    here_.push_back({b, own_.send(problem_.a.sub(row, b.first, problem_.a.rows - row, b.columns), row, b.at)});
    sent_.push_back(opencl::copied(here_.back().arrival));
  }
}

void DealtPlace::await(std::int64_t end) {
  if (is_resident()) return;
  const auto& all = problem_.deal.blocks();
  while (next_ < all.size() && all[next_].first < end) bring(static_cast<int>(next_) + 1);
  for (; awaited_ < here_.size() && here_[awaited_].block.first < end; ++awaited_) {
    const auto& [b, arrival] = here_[awaited_];
    hold(arrival);
    if (!upper_) continue;
    place_.copy(own_.matrix().sub(b.first, b.at, b.columns, b.columns),
                upper_->matrix().sub(0, b.at, b.columns, b.columns));
  }
}

void DealtPlace::add_task(const Area& c, std::function<void(const Segments&)> run) {
  tasks_.push_back({c.column, c.column + c.columns, std::move(run)});
  if (is_alone()) run_all_tasks();
}

void DealtPlace::run_tasks(std::int64_t end) {
  for (Task& task : tasks_) {
    const std::int64_t last = std::min(task.end, end);
    if (task.first >= last) continue;
    const Segments segments = problem_.deal.segments(number_, task.first, last);
    task.first = last;
    if (segments.empty()) continue;
    await(end_of(segments));
    task.run(segments);
  }
  std::erase_if(tasks_, [](const Task& task) { return task.first >= task.end; });
}

bool DealtPlace::run_some_tasks() {
  std::int64_t first = problem_.a.columns;
  for (const Task& task : tasks_) {
    const Segments segments = problem_.deal.segments(number_, task.first, task.end);
    if (!segments.empty()) first = std::min(first, segments.front().first);
  }
  std::int64_t columns = 0, end = first;
  for (const Segment& s : problem_.deal.segments(number_, first, problem_.a.columns)) {
    if (problem_.is_positive && columns >= some_positive_columns) break;
    columns += s.columns;
    end = s.first + s.columns;
  }
  run_tasks(end);
  return columns > 0;
}

DeviceView DealtPlace::known(const Area& a) const {
  return factors().matrix().sub(a.row, known_column(a.column), a.rows, a.columns);
}

DeviceView DealtPlace::own(std::int64_t row, std::int64_t rows, const Segments& segments) const {
  return own_.matrix().sub(row, segments.front().at, rows, DealtColumns::columns_of(segments));
}

void DealtPlace::finish() {
  run_all_tasks();
  const cl::Event done = place_.mark();
  lanes_.compute.queue.flush();
  if (!problem_.is_positive && !is_resident()) {
    // L as rows have moved since it was told, once nobody has still to take it as it was.
    if (!sent_.empty()) sent_.back().wait();
    board_.meet();
    for (const DealtColumns::Block& b : problem_.deal.blocks()) {
      if (b.device != number_) continue;
      const HostMatrix to = problem_.a.sub(b.first, b.first, problem_.a.rows - b.first, b.columns);
      fetched_.push_back(factors().fetch(b.first, b.first, to, done));
    }
  }
  if (is_alone()) {
    info_ = place_.result(pivots_);
  } else {
    // None of who has no columns.
    if (const Event end = place_.finish(); end.native()) end.wait();
  }
  // A failure of a command shows in its event alone.
  for (const std::vector<cl::Event>* events : {&sent_, &fetched_}) {
    for (const cl::Event& e : *events) e.wait();
  }
}

Traffic DealtPlace::traffic() const {
  Traffic all;
  const std::int64_t bytes = problem_.a.element_bytes, m = problem_.a.rows;
  for (const DealtColumns::Block& b : problem_.deal.blocks()) {
    const bool is_own = b.device == number_;
    const std::int64_t whole = m * b.columns * bytes, lower = (m - b.first) * b.columns * bytes;
    if (is_resident()) {
      if (!is_alone()) (is_own ? all.bytes_out : all.bytes_in) += lower;
      continue;
    }
    all.bytes_in += is_own && !problem_.is_positive ? whole : lower;
    if (is_own) all.bytes_out += problem_.is_positive ? lower : is_alone() ? whole : whole + lower;
  }
  for (const cl::Event& e : sent_) all.seconds_in += seconds_of(e);
  for (const cl::Event& e : fetched_) all.seconds_out += seconds_of(e);
  return all;
}

}  // namespace hilo::stream
