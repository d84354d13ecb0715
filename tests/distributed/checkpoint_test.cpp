// Checksums of checkpoints, and what is refused of where they are to lie. What becomes of them: restart_test.sh.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "distributed/checksum.hpp"
#include "error_message.hpp"
#include "ranks.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace hilo::test;
using namespace hilo;
using distributed::Checkpoint;
using distributed::Checksum;
using distributed::Matrix;

std::uint64_t checksum_of(std::string_view text) {
  Checksum sum;
  sum.add(text.data(), static_cast<std::int64_t>(text.size()));
  return sum.value();
}

TEST(DistributedChecksum, IsCrc64) {
  // The check value of CRC-64/XZ.
  EXPECT_EQ(checksum_of("123456789"), 0x995dc9bbdf1939fau);
  EXPECT_EQ(checksum_of(""), 0u);
}

TEST(DistributedChecksum, SeesEveryBitAndNoPieces) {
  const std::string text = "eight bytes at a time, and then one after the other";
  for (std::size_t i = 0; i < text.size(); ++i) {
    Checksum sum;
    sum.add(text.data(), static_cast<std::int64_t>(i));
    sum.add(text.data() + i, static_cast<std::int64_t>(text.size() - i));
    EXPECT_EQ(sum.value(), checksum_of(text));
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_NE(checksum_of(changed), checksum_of(text));
    }
  }
}

TEST(DistributedCheckpoint, NeedsAFolderAndAStep) {
  const Matrix<dd_real> a = shared_out(positive_definite<dd_real>(6, 1), 2);
  std::vector<std::int64_t> pivots(6);
  const auto said = [](auto call) { return message_of(errc::invalid_argument, call); };
  EXPECT_EQ(said([&] { potrf(Uplo::lower, a, Checkpoint{""}); }), "potrf: the checkpoint has no folder");
  EXPECT_EQ(said([&] {
              getrf(a, pivots, Checkpoint{"nowhere", 0});
            }),
            "getrf: a checkpoint every 0 steps; 1 or more were expected");
}

TEST(DistributedCheckpoint, IsNotMadeOfAFailureAndChangesNoBit) {
  if (cluster().ranks() > 1) GTEST_SKIP() << "the folder is one rank's";
  HostMatrix<dd_complex> a = positive_definite<dd_complex>(30, 2);
  const TemporaryFolder folder;
  const Matrix<dd_complex> x = shared_out(a, 7), y = shared_out(a, 7);
  EXPECT_EQ(potrf(Uplo::lower, x), 0);
  EXPECT_EQ(potrf(Uplo::lower, y, Checkpoint{folder.file("a")}), 0);
  EXPECT_TRUE(same_bits_on_rank_0(y, gathered(x)));
  EXPECT_TRUE(std::filesystem::exists(folder.file("a") + "/step-4/COMMIT"));

  a(8, 8) = dd_complex(dd_real(-1.0));
  EXPECT_EQ(potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("b")}), 9);
  EXPECT_TRUE(std::filesystem::exists(folder.file("b") + "/step-1/COMMIT"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("b") + "/step-2"));
  // From the checkpoint to the same failure.
  EXPECT_EQ(potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("b")}), 9);
}

TEST(DistributedCheckpoint, LeavesAloneWhatIsNoneInItsFolder) {
  if (cluster().ranks() > 1) GTEST_SKIP() << "the folder is one rank's";
  const HostMatrix<dd_real> a = positive_definite<dd_real>(30, 4);
  const TemporaryFolder folder;
  const char* const names[] = {"step-99999999999999999999", "step-007", "step-", "step-3x", "notes"};
  for (const char* name : names) {
    std::filesystem::create_directories(folder.file("a") + "/" + name);
    std::ofstream(folder.file("a") + "/" + name + "/COMMIT") << "none";
  }
  EXPECT_EQ(potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("a")}), 0);
  for (const char* name : names) {
    EXPECT_TRUE(std::filesystem::exists(folder.file("a") + "/" + name + "/COMMIT")) << name;
  }
  std::ofstream(folder.file("file")) << "no folder";
  expect_contains(
      message_of(errc::io, [&] { potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("file") + "/below"}); }),
      {"potrf: rank 0: ", "/below: cannot be made: "});
}

TEST(DistributedCheckpoint, IsRefusedWhereAnotherJobHasTheFolderOrATileIsOfAnotherMatrix) {
  if (cluster().ranks() > 1) GTEST_SKIP() << "the folder is one rank's";
  const HostMatrix<dd_real> a = positive_definite<dd_real>(30, 4), b = positive_definite<dd_real>(30, 5);
  const TemporaryFolder folder;
  EXPECT_EQ(potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("a")}), 0);
  EXPECT_EQ(potrf(Uplo::lower, shared_out(b, 7), Checkpoint{folder.file("b")}), 0);
  const int lock = open((folder.file("a") + "/LOCK").c_str(), O_RDWR);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  expect_contains(message_of(errc::io, [&] { potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("a")}); }),
                  {"potrf: rank 0: ", "/a/LOCK: another job has its checkpoints there"});
  close(lock);
  const char* const tile = "/step-4/tile-4-4";
  std::filesystem::copy_file(folder.file("b") + tile, folder.file("a") + tile,
                             std::filesystem::copy_options::overwrite_existing);
  expect_contains(message_of(errc::parse, [&] { potrf(Uplo::lower, shared_out(a, 7), Checkpoint{folder.file("a")}); }),
                  {"potrf: rank 0: ", tile, "is another tile, or of another step or matrix"});
}

TEST(DistributedCheckpoint, KeepsTheInfoOfLu) {
  if (cluster().ranks() > 1) GTEST_SKIP() << "the folder is one rank's";
  HostMatrix<dd_real> a(24, 24, 3);
  for (std::int64_t i = 0; i < 24; ++i) a(i, 4) = dd_real(0.0);
  const TemporaryFolder folder;
  std::vector<std::int64_t> pivots(24), again(24);
  const Matrix<dd_real> x = shared_out(a, 7), y = shared_out(a, 7);
  EXPECT_EQ(getrf(x, pivots, Checkpoint{folder.file("a")}), 5);
  EXPECT_EQ(getrf(y, again, Checkpoint{folder.file("a")}), 5);
  EXPECT_EQ(again, pivots);
  EXPECT_TRUE(same_bits_on_rank_0(y, gathered(x)));
}

}  // namespace
