#include "stream/dealt_place.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "lapack/cholesky.hpp"
#include "lapack/lu.hpp"
#include "stream/device_bytes.hpp"

namespace hilo::stream {
namespace {

// What is known to be needed soon is on its way: so many blocks of each device.
constexpr int blocks_ahead = 2;

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
      lanes_(device.context, device.trace ? Profiling::on : Profiling::off),
      aside_(device.context->context, device.context->device),
      place_(lanes_.compute, problem.precision, problem.options, {}),
      own_(problem.resident ? DealtStorage(lanes_, problem.resident->columns[static_cast<std::size_t>(number)],
                                           problem.a.element_bytes)
                            : DealtStorage(lanes_, problem.a, problem.a.rows, problem.deal.columns_of(number))) {
  lanes_.compute.trace = device.trace;
  lanes_.compute.stands_apart = true;
  place_.accept_normwise_products();
  again_ = problem.a.columns;
  if (!is_alone()) make_room_for_l();
  if (problem.is_positive) {
    if (!is_resident()) upper_.emplace(lanes_, problem.a, problem.deal.widest(), problem.deal.columns_of(number));
  } else {
    pivots_.resize(static_cast<std::size_t>(problem.a.columns));
    // Written once whoever had their memory is done with it, for which put_pivots() does not wait.
    place_.set_pivots(pivots_);
    own_moved_.resize(problem.deal.blocks().size());
    known_moved_.resize(problem.deal.blocks().size());
  }
}

DealtPlace::~DealtPlace() { settle(lanes_); }

void DealtPlace::make_room_for_l() {
  const std::int64_t m = problem_.a.rows, n = problem_.a.columns;
  const auto make = [&] { known_.emplace(lanes_, problem_.a, m, std::max(again_, n - again_)); };
  const bool may_begin_again = is_resident() && problem_.deal.blocks().size() > 1;
  if (!may_begin_again) return make();
  const std::int64_t bytes = DealtStorage::elements(problem_.a, m, n) * problem_.a.element_bytes;
  if (bytes <= device_bytes(device(), problem_.options) / 4) {
    try {
      return make();
    } catch (const error& failure) {
      // Others have more of the memory than it seemed.
      if (failure.code() != errc::out_of_memory) throw;
    }
  }
  again_ = blas::half(n, block());
  make();
}

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
  if (is_alone()) return factor_alone(block);
  const DealtColumns::Block& b = dealt(block);
  const std::int64_t end = b.first + b.columns;
  await(end);
  wait_for_place(block);
  // With its own account of pivots and info, and of panels that other places on the device wait for.
  lapack::DevicePlace place(lanes_.compute, problem_.precision, problem_.options, {});
  place.accept_normwise_products();
  Board::Result result;
  if (problem_.is_positive) {
    factor_by_parts(place, block);
  } else {
    result.pivots.resize(static_cast<std::size_t>(b.columns));
    place.make_pivots(b.columns);
    run_tasks(end);
    move_own(b.first, end, b.first);
    lapack::factor_columns(place, own_.matrix().sub(b.first, b.at, problem_.a.rows - b.first, b.columns), 0);
  }
  const cl::Event done = place.mark();
  lanes_.compute.queue.flush();
  // Copies that were asked for before would come before it.
  place.ask_for_result(done, std::ssize(result.pivots));
  if (!problem_.is_positive) pass(block, 0, PassedBlocks::parts);
  if (!problem_.is_positive && !is_resident()) fetch_above(b, done);
  const bool begins_again = b.first == again_;
  if (!begins_again) copy_to_known(b);
  lanes_.compute.queue.flush();
  const std::int64_t info = place.hear_result(result.pivots);
  result.info = info == 0 ? 0 : b.first + info;
  for (std::int64_t& p : result.pivots) p += b.first;
  if (!problem_.is_positive) {
    note(result, block);
    own_moved_[static_cast<std::size_t>(block)] = end;
  }
  board_.tell(block, std::move(result));
  place.finish();
  // Something to do while others read it, behind which its way to them is not to be.
  if (is_passed_on_devices()) hold(fetched_.back());
  if (begins_again) {
    begin_again();
    copy_to_known(b);
  } else {
    run_some_tasks();
  }
  lanes_.compute.queue.flush();
}

void DealtPlace::factor_alone(int block) {
  const DealtColumns::Block& b = dealt(block);
  const std::int64_t end = b.first + b.columns;
  run_tasks(end);
  await(end);
  const DeviceView columns = own_.matrix().sub(b.first, b.at, problem_.a.rows - b.first, b.columns);
  if (problem_.is_positive) {
    lapack::factor_positive_columns(place_, columns, b.first);
    put_upper(place_, b);
  } else {
    lapack::factor_columns(place_, columns, b.first);
  }
  if (is_resident()) return;
  const cl::Event done = place_.mark();
  lanes_.compute.queue.flush();
  // In LU the rows of L have still to move.
  if (problem_.is_positive) {
    fetch_factor(block, 0, PassedBlocks::parts, done);
  } else {
    fetch_above(b, done);
  }
}

// The rows that all wait for come first: of each part what earlier blocks subtract, then L.
void DealtPlace::factor_by_parts(lapack::DevicePlace& place, int block) {
  const DealtColumns::Block& b = dealt(block);
  const std::int64_t end = b.first + b.columns, rows = problem_.a.rows;
  run_tasks_of_rows(end, {b.first, end});
  place.count_rows_elsewhere(rows - end, problem_.plans.context());
  lapack::factor_positive_columns(place, own_.matrix().sub(b.first, b.at, b.columns, b.columns), 0);
  put_upper(place, b);
  for (int part = 0; has_part(b, part); ++part) {
    const PassedBlocks::Rows its = part_rows(b, part);
    const RowRange below{std::max(its.first, end), its.first + its.count};
    if (below.first < below.end) {
      run_tasks_of_rows(end, below);
      solve_rows(place, b, below, 0, b.columns);
    }
    pass(block, part, part + 1);
  }
  drop_tasks(end);
}

// L of some rows below a block's square, whose triangle is known: by halves of columns, with the products of
// lapack::factor_positive_columns().
void DealtPlace::solve_rows(lapack::DevicePlace& place, const DealtColumns::Block& b, const RowRange& rows,
                            std::int64_t column, std::int64_t columns) {
  const auto part = [&](std::int64_t row, std::int64_t count, std::int64_t j, std::int64_t width) {
    return own_.matrix().sub(row, b.at + j, count, width);
  };
  const std::int64_t count = rows.end - rows.first;
  if (columns <= block()) {
    const DeviceView top = part(b.first + column, columns, column, columns);
    return blas::solve_triangle_right(place, Uplo::upper, Diag::non_unit, top.turned(Op::conjugate_transpose),
                                      part(rows.first, count, column, columns));
  }
  const std::int64_t h = blas::half(columns, block()), rest = columns - h, middle = column + h;
  solve_rows(place, b, rows, column, h);
  place.take_as_parts_of({{&problem_.plans.context(), problem_.a.rows - b.first - column - columns, rest}});
  place.multiply(-1, part(rows.first, count, column, h),
                 part(b.first + middle, rest, column, h).turned(Op::conjugate_transpose), 1,
                 part(rows.first, count, middle, rest));
  place.take_as_parts_of({});
  solve_rows(place, b, rows, middle, rest);
}

// Above the diagonal stays what the caller had there.
void DealtPlace::put_upper(lapack::DevicePlace& place, const DealtColumns::Block& b) {
  if (!upper_) return;
  const DeviceView top = own_.matrix().sub(b.first, b.at, b.columns, b.columns);
  const DeviceView kept = upper_->matrix().sub(0, b.at, b.columns, b.columns);
  place.put_triangle(Uplo::lower, blas::Symmetry::symmetric, top, kept);
  place.copy(kept, top);
}

void DealtPlace::copy_to_known(const DealtColumns::Block& b) {
  const std::int64_t rows = problem_.a.rows - b.first;
  place_.copy(own_.matrix().sub(b.first, b.at, rows, b.columns),
              known_->matrix().sub(b.first, known_column(b.first), rows, b.columns));
}

void DealtPlace::begin_again() {
  run_tasks_of_pivots(again_);
  lanes_.compute.queue.enqueueMarkerWithWaitList(nullptr, &first_half_used_);
  lanes_.compute.queue.flush();
}

void DealtPlace::hold(const cl::Event& arrival) {
  const std::vector<cl::Event> wait = {arrival};
  lanes_.compute.queue.enqueueMarkerWithWaitList(&wait);
}

void DealtPlace::note(const Board::Result& result, int block) {
  const DealtColumns::Block& b = dealt(block);
  if (info_ == 0) info_ = result.info;
  place_.put_pivots(aside_, b.first, result.pivots);
  std::copy(result.pivots.begin(), result.pivots.end(), pivots_.begin() + b.first);
  factored_ = b.first + b.columns;
  known_moved_[static_cast<std::size_t>(block)] = factored_;
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

DeviceView DealtPlace::known(const Area& a) const {
  return factors().matrix().sub(a.row, known_column(a.column), a.rows, a.columns);
}

DeviceView DealtPlace::own(std::int64_t row, std::int64_t rows, const Segments& segments) const {
  return own_.matrix().sub(row, segments.front().at, rows, DealtColumns::columns_of(segments));
}

// Rows of L where it is wanted to where all pivots have them.
void DealtPlace::move_to_end() {
  if (is_resident()) return move_own(0, factored_, factored_);
  for (const DealtColumns::Block& b : problem_.deal.blocks()) {
    if (b.device == number_) move_known(b.first, b.first + b.columns, factored_);
  }
}

void DealtPlace::finish() {
  take_rest();
  run_all_tasks();
  if (!problem_.is_positive && !is_alone()) move_to_end();
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
  if (problem_.is_positive && !is_alone()) {
    for (int block = 0; block < std::ssize(problem_.deal.blocks()) && info_ == 0; ++block) {
      info_ = board_.result(block).info;
    }
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
