// The main of test programs under mpirun: every rank runs all tests, rank 0 tells of them, and the others of failures.
#include <iostream>
#include <optional>

#include "ranks.hpp"

namespace hilo::test {
namespace {

std::optional<Cluster> the_cluster;

class FailuresOfRank : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::cerr << "rank " << cluster().rank() << ": " << (result.file_name() ? result.file_name() : "") << ":"
              << result.line_number() << ": " << result.message() << std::endl;
  }
};

}  // namespace

const Cluster& cluster() { return *the_cluster; }

}  // namespace hilo::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  hilo::test::the_cluster.emplace();
  if (hilo::test::cluster().rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new hilo::test::FailuresOfRank);
  }
  const int status = RUN_ALL_TESTS();
  hilo::test::the_cluster.reset();
  return status;
}
