// `--engine auto` on the CPU: two runs of the program on one machine, with one tuning file, take the same engine and so
// have the same bits, whatever else the machine does.
#include <csignal>
#include <thread>
#include <vector>

#include "child_process.hpp"
#include "cli_program.hpp"
#include "environment_variable.hpp"

namespace hilo {
namespace {

using nlohmann::json;

// Processes that keep every core busy.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      children_.push_back(test::start_child([] {
        for (volatile double x = 0.0;;) x = x + 1.0;
        return 0;
      }));
    }
  }
  ~Load() {
    for (pid_t child : children_) {
      if (child > 0) kill(child, SIGKILL);
      test::end_of_child(child);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<pid_t> children_;
};

struct Product {
  std::string engine, bits;
};

class AutomaticEngine : public test::Program {
 protected:
  // A product of n × n matrices in a process of its own.
  Product multiply(const char* precision, int n) {
    const std::string size = std::to_string(n);
    const json result = hilo_json("gemm -n " + size + " --precision " + precision + " --repeat 1 -o c.npy");
    return {result["engine"], folder.read("c.npy")};
  }

  // Around the n from which on the modular engine is taken.
  void expect_same_under_load() {
    const json products = hilo_json("info")["products"];
    for (const char* precision : {"dd", "zdd"}) {
      const json from = products[std::string("modular_from_") + precision];
      const int middle = from.is_null() ? 300 : from.get<int>();
      // It is looked for in steps of 16.
      for (int n : {middle - 24, middle - 16, middle, middle + 24}) {
        SCOPED_TRACE(std::string(precision) + ", n = " + std::to_string(n));
        const Product alone = multiply(precision, n);
        const Product loaded = [&] {
          const Load load;
          return multiply(precision, n);
        }();
        EXPECT_EQ(loaded.engine, alone.engine);
        EXPECT_TRUE(loaded.bits == alone.bits);
        const bool is_modular = !from.is_null() && n >= middle;
        if (n == middle - 16 || n == middle) {
          EXPECT_EQ(alone.engine, is_modular ? "modular" : "direct");
        }
      }
    }
  }
};

TEST_F(AutomaticEngine, IsTheSameUnderLoadByTheShippedTable) {
  const test::EnvironmentVariable none("HILO_TUNING", "");
  expect_same_under_load();
}

TEST_F(AutomaticEngine, IsTheSameUnderLoadByATuningFile) {
  const test::EnvironmentVariable tuning("HILO_TUNING", folder.file("tuning.json").c_str());
  ASSERT_EQ(hilo("tune --backend cpu --time 1").code, 0);
  EXPECT_EQ(hilo_json("info")["products"]["rates"], "user");
  expect_same_under_load();
}

}  // namespace
}  // namespace hilo
