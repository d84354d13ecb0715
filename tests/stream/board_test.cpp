// What devices that factor together tell each other: who waits is woken by what it waits for, and by a failure.
#include "stream/board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

#include "stream/team.hpp"

namespace hilo::stream {
namespace {

using namespace std::chrono_literals;

TEST(Board, TellsWhoWaits) {
  Board board(2);
  std::future<std::int64_t> waits = std::async(std::launch::async, [&] { return board.result(1).info; });
  EXPECT_FALSE(board.is_told(1));
  board.tell(0, {3, {}});
  EXPECT_EQ(waits.wait_for(50ms), std::future_status::timeout);
  board.tell(1, {7, {1, 2}});
  EXPECT_EQ(waits.get(), 7);
  EXPECT_TRUE(board.is_told(1));
  EXPECT_EQ(board.result(1).pivots, (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(board.has_part(1, 0));
}

// Whose place is used again once all others have read it.
TEST(Board, TellsWhenABlockIsTaken) {
  Board board(3);
  const cl::Context context(CL_DEVICE_TYPE_ALL);
  cl::UserEvent first(context), second(context);
  std::future<void> taken = std::async(std::launch::async, [&] { board.wait_until_taken(0); });
  board.tell_taken(0, first);
  first.setStatus(CL_COMPLETE);
  EXPECT_EQ(taken.wait_for(50ms), std::future_status::timeout);
  board.tell_taken(0, second);
  EXPECT_EQ(taken.wait_for(50ms), std::future_status::timeout);
  second.setStatus(CL_COMPLETE);
  taken.get();
}

// Who reads first tells the others when it has.
TEST(Board, TellsWhenTheFirstHasTakenABlock) {
  Board board(3);
  const cl::Context context(CL_DEVICE_TYPE_ALL);
  cl::UserEvent first(context), second(context);
  EXPECT_FALSE(board.is_taken_by_first(0));
  board.tell_taken(0, first);
  board.tell_taken(0, second);
  second.setStatus(CL_COMPLETE);
  EXPECT_FALSE(board.is_taken_by_first(0));
  first.setStatus(CL_COMPLETE);
  EXPECT_TRUE(board.is_taken_by_first(0));
  board.stop();
  EXPECT_THROW(board.is_taken_by_first(0), Board::Stopped);
  EXPECT_THROW(board.is_told(0), Board::Stopped);
}

TEST(Board, AllMeet) {
  Board board(3);
  std::atomic<int> gone = 0;
  auto meet = [&] {
    board.meet();
    ++gone;
  };
  std::future<void> first = std::async(std::launch::async, meet), second = std::async(std::launch::async, meet);
  EXPECT_EQ(first.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(gone, 0);
  meet();
  first.get();
  second.get();
  EXPECT_EQ(gone, 3);
}

TEST(Board, StopsWhoWaits) {
  Board board(2);
  std::future<void> result = std::async(std::launch::async, [&] { board.result(0); }),
                    part = std::async(std::launch::async, [&] { board.wait_for_part(0, 0); }),
                    taken = std::async(std::launch::async, [&] { board.wait_until_taken(0); }),
                    meeting = std::async(std::launch::async, [&] { board.meet(); });
  std::this_thread::sleep_for(20ms);
  board.stop();
  EXPECT_THROW(result.get(), Board::Stopped);
  EXPECT_THROW(part.get(), Board::Stopped);
  EXPECT_THROW(taken.get(), Board::Stopped);
  EXPECT_THROW(meeting.get(), Board::Stopped);
  EXPECT_THROW(board.has_part(0, 0), Board::Stopped);
}

struct Member {
  DeviceInfo info;
  const DeviceInfo& device() const { return info; }
};

// The first failure is the one that is thrown, with its device, and wakes those that wait.
TEST(Team, ThrowsTheFirstFailure) {
  Board board(2);
  std::vector<std::unique_ptr<Member>> members;
  for (const char* name : {"one", "another"}) {
    members.push_back(std::make_unique<Member>());
    members.back()->info.name = name;
  }
  Team<Member> team(members, "testing", [&] { board.stop(); });
  try {
    team.run([&](Member& member) {
      if (member.info.name == "another") throw error(errc::io, "it has failed");
      board.result(0);
    });
    FAIL() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::io);
    EXPECT_STREQ(e.what(), "it has failed; on device another");
  }
  EXPECT_TRUE(team.is_stopped());
}

}  // namespace
}  // namespace hilo::stream
