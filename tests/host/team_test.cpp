// Teams of host threads: loops, exceptions, the children of a fork, and systems that have no more threads or memory.
#include "host/team.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "child_process.hpp"
#include "cpu_calls.hpp"
#include "test_size.hpp"

#if defined(__has_feature)
#define HILO_HAS_FEATURE(x) __has_feature(x)
#else
#define HILO_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || HILO_HAS_FEATURE(thread_sanitizer) || \
    HILO_HAS_FEATURE(address_sanitizer)
#define HILO_IS_SANITIZED 1
#else
#define HILO_IS_SANITIZED 0
#endif

namespace {

// How many more threads this process may start; negative: any number.
[[maybe_unused]] std::atomic<int> threads_left = -1;

}  // namespace

#if !HILO_IS_SANITIZED
// In the place of libc's, for the libraries too.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*),
                              void* x) noexcept {
  static const auto create = reinterpret_cast<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
      dlsym(RTLD_NEXT, "pthread_create"));
  struct Start {
    void* (*work)(void*);
    void* x;
  };
  if (threads_left < 0) return create(thread, attributes, work, x);
  if (threads_left.fetch_sub(1) <= 0) {
    ++threads_left;
    return EAGAIN;
  }
  const auto run = [](void* y) {
    const Start start = *static_cast<Start*>(y);
    delete static_cast<Start*>(y);
    struct Returned {
      ~Returned() { ++threads_left; }
    } returned;
    return start.work(start.x);
  };
  auto* start = new Start{work, x};
  const int status = create(thread, attributes, run, start);
  if (status != 0) {
    delete start;
    ++threads_left;
  }
  return status;
}
#endif

namespace hilo::test {
namespace {

using std::int64_t;

TEST(TeamTest, LoopsTakeEachIndexOnce) {
  for (int threads : {1, 2, 3, 7}) {
    for (int64_t count : {0, 1, 2, 3, 5, 100}) {
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count)), part(static_cast<std::size_t>(count));
      std::atomic<int> most = 0;
      host::for_each(threads, count, [&](int64_t i, int thread) {
        ++taken[static_cast<std::size_t>(i)];
        if (thread > most) most = thread;
      });
      host::for_parts(threads, count, [&](int64_t first, int64_t last) {
        EXPECT_LT(first, last);
        EXPECT_LE(last - first, count / threads + 1);
        for (int64_t i = first; i < last; ++i) ++part[static_cast<std::size_t>(i)];
      });
      for (const auto& x : taken) EXPECT_EQ(x, 1);
      for (const auto& x : part) EXPECT_EQ(x, 1);
      EXPECT_LT(most, threads);
    }
  }
}

TEST(TeamTest, HasAsManyThreadsAsAskedFor) {
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::set<int> numbers;
  host::on_team(4, [&](int thread) {
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
    numbers.insert(thread);
  });
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3}));
}

TEST(TeamTest, ACallerInARegionOfItsOwnWorksAlone) {
  int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
  host::on_team(4, [&](int thread) { members += thread == 0 ? 1 : 100; });
  EXPECT_EQ(members, 3);
}

TEST(TeamTest, AnExceptionReachesTheCaller) {
  for (int threads : {1, 3}) {
    EXPECT_THROW(host::on_team(threads,
                               [](int thread) {
                                 if (thread == 0) throw std::runtime_error("one");
                               }),
                 std::runtime_error);
    EXPECT_THROW(host::on_team(threads, [](int) { throw std::runtime_error("all"); }), std::runtime_error);
    EXPECT_THROW(host::for_each(threads, 100,
                                [](int64_t i, int) {
                                  if (i == 50) throw std::bad_alloc();
                                }),
                 std::bad_alloc);
    EXPECT_THROW(host::for_parts(threads, 100,
                                 [](int64_t, int64_t last) {
                                   if (last == 100) throw std::bad_alloc();
                                 }),
                 std::bad_alloc);
    std::atomic<int> count = 0;
    host::for_each(threads, 10, [&](int64_t, int) { ++count; });
    EXPECT_EQ(count, 10);
  }
}

// How many of the calls do not have the bits expected.
int wrong_calls(const std::vector<CpuCall>& calls, const std::map<std::string, std::string>& expected, int threads) {
  int wrong = 0;
  for (const CpuCall& call : calls) {
    call.reset();
    call.run(threads);
    if (call.results() != expected.at(call.name)) {
      std::fprintf(stderr, "wrong: %s\n", call.name.c_str());
      ++wrong;
    }
  }
  return wrong;
}

// A program that multiplies, forks, and multiplies in its children, as Python's multiprocessing does.
TEST(TeamTest, ChildrenOfAForkMultiply) {
  constexpr int threads = 3;
  const std::vector<CpuCall> calls = cpu_calls();
  std::map<std::string, std::string> expected;
  for (const CpuCall& call : calls) {
    call.reset();
    call.run(threads);
    expected[call.name] = call.results();
  }
  for (int child = 0; child < 2; ++child) {
    const int status = exit_status_of_child([&] {
      if (wrong_calls(calls, expected, threads)) return 1;
      // The team is a new one, and an exception still arrives.
      std::atomic<int> members = 0;
      host::on_team(threads, [&](int) { ++members; });
      if (members != threads) return 2;
      try {
        host::on_team(threads, [](int) { throw std::bad_alloc(); });
        return 3;
      } catch (const std::bad_alloc&) {
      }
      const int grandchild = exit_status_of_child([&] { return wrong_calls(calls, expected, threads); });
      if (grandchild != 0) return 4;
      // A thread that was not there at the fork.
      int wrong = 1;
      std::thread([&] { wrong = wrong_calls(calls, expected, threads); }).join();
      return wrong ? 5 : wrong_calls(calls, expected, threads);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(wrong_calls(calls, expected, threads), 0) << "in the parent";
  }
}

// Another thread's product is under way while the process forks.
TEST(TeamTest, AForkDuringAProduct) {
  constexpr int64_t n = 60;
  std::vector<double> x(n * n, 1.0), expected(n * n, double(n));
  auto multiply = [&] {
    std::vector<double> z(n * n);
    gemm(Layout::column, Op::none, Op::none, n, n, n, 1.0, x.data(), n, x.data(), n, 0.0, z.data(), n, {.threads = 2});
    return z == expected;
  };
  std::atomic<bool> ends = false;
  std::atomic<int> wrong = 0;
  std::thread other([&] {
    while (!ends) wrong += !multiply();
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(exit_status_of_child([&] { return multiply() ? 0 : 1; }), 0);
  ends = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

#if !HILO_IS_SANITIZED

// In a process that has not multiplied before, as children of which many are made.
class NewProcess : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
using NewProcessDeathTest = NewProcess;

int run_with_few_threads(const std::vector<CpuCall>& calls, int allowed) {
  std::map<std::string, std::string> expected;
  for (const CpuCall& call : calls) {
    call.reset();
    call.run(1);
    expected[call.name] = call.results();
  }
  threads_left = allowed;
  const int wrong = wrong_calls(calls, expected, 6);
  threads_left = -1;
  return wrong;
}

std::vector<CpuCall> calls_without_blas() {
  std::vector<CpuCall> calls = cpu_calls();
  std::erase_if(calls, [](const CpuCall& c) { return c.name.size() == 1; });
  return calls;
}

TEST_F(NewProcessDeathTest, MultipliesWithTheThreadsThatStart) {
  const auto all = [] {
    for (int allowed : {0, 1, 3}) {
      const int status = exit_status_of_child([=] { return run_with_few_threads(calls_without_blas(), allowed); });
      if (status != 0) return status;
    }
    return 0;
  };
  EXPECT_EXIT(std::_Exit(all()), testing::ExitedWithCode(0), "");
}

TEST_F(NewProcessDeathTest, BlasMultipliesWithTheThreadsThatStart) {
  const auto all = [] {
    constexpr int64_t n = 150;
    std::vector<double> x(n * n, 1.0), expected(n * n, double(n));
    for (int allowed : {0, 1, 100}) {
      std::vector<double> z(n * n);
      threads_left = allowed;
      gemm(Layout::column, Op::none, Op::none, n, n, n, 1.0, x.data(), n, x.data(), n, 0.0, z.data(), n,
           {.engine = Engine::direct, .threads = 9});
      threads_left = -1;
      if (z != expected) return 1;
    }
    return 0;
  };
  EXPECT_EXIT(std::_Exit(all()), testing::ExitedWithCode(0), "");
}

int64_t address_space() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// With `bytes` of memory more than there are at its start: right, or refused with hilo::error.
int run_with_memory(const CpuCall& call, int64_t bytes) {
  call.reset();
  const std::string before = call.results();
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t most = limit.rlim_cur;
  limit.rlim_cur = static_cast<rlim_t>(address_space() + bytes);
  setrlimit(RLIMIT_AS, &limit);
  int status = 0;
  bool is_refused = false;
  try {
    call.run(4);
  } catch (const error& e) {
    is_refused = e.code() == errc::out_of_memory;
    status = is_refused ? 0 : 2;
  } catch (...) {
    status = 3;
  }
  limit.rlim_cur = most;
  setrlimit(RLIMIT_AS, &limit);
  if (status) return status;
  if (is_refused && call.results() != before) return 4;
  const std::string first = call.results();
  call.reset();
  call.run(4);
  return is_refused || first == call.results() ? 0 : 5;
}

TEST_F(NewProcessDeathTest, MultipliesOrRefusesWhereMemoryEnds) {
  const auto all = [] {
    const std::set<std::string> first = {"dd direct", "dd modular", "gemm_error", "solve_residual"};
    for (const CpuCall& call : calls_without_blas()) {
      if (!is_long() && !first.contains(call.name)) continue;
      for (int64_t bytes = 0; bytes < (int64_t{128} << 20); bytes += (is_long() ? bytes / 16 : 3 * bytes) + 65536) {
        const int status = exit_status_of_child([&] { return run_with_memory(call, bytes); });
        if (status == 0) continue;
        std::fprintf(stderr, "%s with %lld bytes: %d\n", call.name.c_str(), static_cast<long long>(bytes), status);
        return 1;
      }
    }
    return 0;
  };
  EXPECT_EXIT(std::_Exit(all()), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace hilo::test
