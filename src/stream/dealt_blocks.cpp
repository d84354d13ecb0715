// How blocks of L go from the devices that factor them to the others.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "stream/dealt_place.hpp"

namespace hilo::stream {
namespace {

// As long as a small kernel takes.
void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

}  // namespace

// Until all have taken the block whose place it has.
void DealtPlace::wait_for_place(int block) {
  if (!is_resident()) return;
  const int before = block - problem_.resident->passed->blocks();
  if (before < 0) return;
  lanes_.compute.queue.flush();
  board_.wait_until_taken(before);
}

void DealtPlace::pass(int block, int first, int end) {
  cl::Event done;
  lanes_.compute.queue.enqueueMarkerWithWaitList(nullptr, &done);
  lanes_.compute.queue.flush();
  const std::size_t before = fetched_.size();
  fetch_factor(block, first, end, done);
  for (std::size_t i = before; i < fetched_.size(); ++i) board_.tell_part(block, fetched_[i]);
}

void DealtPlace::fetch_factor(int block, int first, int end, const cl::Event& done) {
  const DealtColumns::Block& b = dealt(block);
  for (int part = first; part < end && has_part(b, part); ++part) {
    fetched_.push_back(own_.fetch(part_rows(b, part).first, b.at, passed(block, part), done));
  }
}

PassedBlocks::Rows DealtPlace::part_rows(const DealtColumns::Block& b, int part) const {
  return PassedBlocks::part_rows(part, b, problem_.a.rows);
}

PassedBlock DealtPlace::passed(int block, int part) const {
  if (is_resident()) return problem_.resident->passed->part(block, part, number_);
  const DealtColumns::Block& b = dealt(block);
  const PassedBlocks::Rows rows = part_rows(b, part);
  return {problem_.a.sub(rows.first, b.first, rows.count, b.columns)};
}

void DealtPlace::fetch_above(const DealtColumns::Block& b, const cl::Event& done) {
  if (b.first == 0) return;
  fetched_.push_back(own_.fetch(0, b.at, problem_.a.sub(0, b.first, b.first, b.columns), done));
}

// While it is on its way, or not begun, own columns are computed that are needed later, some at a time.
void DealtPlace::take_others(int block) {
  if (dealt(block).first == again_) {
    take_rest();
    begin_again();
  }
  const std::int64_t first = dealt(block).first;
  rests_.push_back({block, 0, first, first, problem_.is_positive, {}});
  // In LU who is next needs all rows: by the host these are long on their way, and there is something to do meanwhile.
  const bool takes_all = !problem_.is_positive && !is_passed_on_devices();
  cl::Event doing;
  while (true) {
    take_what_is_there();
    // Of earlier blocks the first part has been taken.
    const Rest& rest = rests_.back();
    if (rest.is_noted && (takes_all ? !has_more(rest) : rest.part > 0)) return;
    if (doing() && !is_over(doing)) {
      wait_a_little();
    } else if (run_some_tasks()) {
      doing = place_.mark();
      lanes_.compute.queue.flush();
    } else {
      wait_a_little();
    }
  }
}

bool DealtPlace::is_next(int block) const {
  return block + 1 < std::ssize(problem_.deal.blocks()) && dealt(block + 1).device == number_;
}

void DealtPlace::take_what_is_there() {
  bool is_first = true;
  for (Rest& rest : rests_) {
    const int block = rest.block;
    // Its rows may come before its pivots are known; moved they are only afterwards.
    if (!rest.is_noted && board_.is_told(block)) {
      note(board_.result(block), block);
      rest.is_noted = true;
    }
    const auto may_take = [&] {
      if (!has_more(rest) || !board_.has_part(block, rest.part)) return false;
      if (rest.part < PassedBlocks::short_parts) return true;
      // The next block is what all will wait for: from a device's memory its device reads first, and alone.
      const bool waits = is_passed_on_devices() && block + 1 < std::ssize(problem_.deal.blocks()) && !is_next(block);
      return is_first && (!waits || board_.is_taken_by_first(block));
    };
    while (may_take()) take_next(rest);
    is_first = is_first && !has_more(rest);
  }
}

void DealtPlace::take_next(Rest& rest) {
  const DealtColumns::Block& b = dealt(rest.block);
  const PassedBlocks::Rows rows = part_rows(b, rest.part);
  sent_.push_back(known_->send(passed(rest.block, rest.part), rows.first, known_column(b.first),
                               std::exchange(first_half_used_, {})));
  rest.taken = rows.first + rows.count;
  rest.arrivals.push_back({rest.taken, opencl::copied(sent_.back())});
  ++rest.part;
  if (!has_more(rest) && is_resident()) board_.tell_taken(rest.block, sent_.back());
}

// Of rows that nothing reads yet copies may still be on their way.
void DealtPlace::take_rows(const Area& l, std::int64_t end) {
  const std::int64_t needed = std::min(l.row + l.rows, end);
  for (Rest& rest : rests_) {
    if (!reads(l, rest)) continue;
    while (has_more(rest) && rest.taken < needed) {
      if (!board_.has_part(rest.block, rest.part)) {
        lanes_.compute.queue.flush();
        board_.wait_for_part(rest.block, rest.part);
      }
      take_next(rest);
    }
    cl::Event arrival;
    for (; !rest.arrivals.empty() && rest.held < needed; rest.arrivals.pop_front()) {
      arrival = std::move(rest.arrivals.front().event);
      rest.held = rest.arrivals.front().end;
    }
    if (arrival()) hold(arrival);
  }
  std::erase_if(rests_, [&](const Rest& rest) { return rest.is_noted && !has_more(rest) && rest.arrivals.empty(); });
}

bool DealtPlace::reads(const Area& l, const Rest& rest) const {
  const DealtColumns::Block& b = dealt(rest.block);
  return l.column < b.first + b.columns && l.column + l.columns > b.first;
}

}  // namespace hilo::stream
