// No memory at every place where the library asks for it: calls throw hilo::error (out_of_memory) and nothing else,
// leave their outputs alone, and the next call is right. The number's text, header-only, throws std::bad_alloc.
#include <gtest/gtest.h>

#include <cstdlib>
#include <hilo/text.hpp>
#include <iomanip>
#include <new>
#include <set>
#include <sstream>

#include "child_process.hpp"
#include "cpu_calls.hpp"
#include "data/matrix.hpp"
#include "temporary_folder.hpp"
#include "test_size.hpp"

namespace {

enum class Fails { never, once, from_then_on };

// Requests for memory since the count was set to 0, and which of them fail.
std::atomic<long> requests = 0;
std::atomic<long> failing = 0;
std::atomic<Fails> fails = Fails::never;

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails != Fails::never) {
    const long request = ++requests;
    if (request == failing || (fails == Fails::from_then_on && request > failing)) throw std::bad_alloc();
  }
  const std::size_t size = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(alignment, size);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The forms for arrays, and those that return null, call these.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace hilo::test {
namespace {

constexpr int threads = 3;

// Every request; in the short form, later ones less and less often.
long next(long nth) { return nth + 1 + (is_long() ? 0 : nth / 4); }

enum class Outcome { right, refused, bad_alloc, foreign };

template <class F>
Outcome outcome_of(F f, Fails how, long nth) {
  Outcome outcome = Outcome::right;
  failing = nth;
  requests = 0;
  fails = how;
  try {
    f();
  } catch (const error& e) {
    outcome = e.code() == errc::out_of_memory ? Outcome::refused : Outcome::foreign;
  } catch (const std::bad_alloc&) {
    outcome = Outcome::bad_alloc;
  } catch (...) {
    outcome = Outcome::foreign;
  }
  fails = Fails::never;
  return outcome;
}

// The results without a fault.
std::string expected_of(const CpuCall& call) {
  call.reset();
  call.run(threads);
  return call.results();
}

// What is wrong with a call whose nth request fails, and with the next one; empty where nothing is.
std::string complaint(const CpuCall& call, const std::string& expected, Fails how, long nth) {
  call.reset();
  const std::string before = call.results();
  const Outcome outcome = outcome_of([&] { call.run(threads); }, how, nth);
  if (outcome == Outcome::bad_alloc) return "std::bad_alloc";
  if (outcome == Outcome::foreign) return "another exception";
  // Of a batch, products before the one that is refused are done.
  const bool is_batch = call.name == "d modular batch";
  if (outcome == Outcome::refused && call.results() != before && !is_batch) return "outputs written to";
  if (outcome == Outcome::right && call.results() != expected) return "wrong results";
  if (outcome == Outcome::refused && expected_of(call) != expected) return "wrong results of the next call";
  return "";
}

std::vector<CpuCall> file_calls(const TemporaryFolder& folder) {
  auto matrix = std::make_shared<data::Matrix<dd_real>>();
  matrix->rows = 7;
  matrix->columns = 5;
  matrix->entries = numbers<dd_real>(35, 29);
  auto call = [&, matrix](const std::string& name) {
    const std::string path = folder.file(name);
    return CpuCall{name, [&folder, name] { folder.write(name, "old"); },
                   [matrix, path](int) { data::write_matrix(path, *matrix); },
                   [&folder, name] { return folder.read(name) + std::to_string(folder.count()); }};
  };
  auto read_call = [&, matrix](const std::string& name) {
    auto read = std::make_shared<data::Matrix<dd_real>>();
    const std::string path = folder.file(name);
    data::write_matrix(path, *matrix);
    return CpuCall{"read " + name, [read] { *read = {}; },
                   [read, path](int) { *read = data::read_matrix<dd_real>(path, Layout::row); },
                   [read] { return bytes_of(read->entries); }};
  };
  return {call("written.mtx"), call("written.npy"), read_call("read.mtx"), read_call("read.npy")};
}

std::vector<CpuCall> text_of_plan() {
  auto text = std::make_shared<std::string>();
  return {{"text of a plan", [text] { text->clear(); },
           [text](int) {
             *text = to_string(
                 plan_gemm<dd_real>(Layout::column, Op::none, Op::none, 5, 6, 7, {.engine = Engine::modular}));
           },
           [text] { return *text; }}};
}

// Wrong arguments: the message takes memory.
std::vector<CpuCall> refused_calls() {
  auto refused = [](auto f) {
    return [f](int) {
      try {
        f();
      } catch (const error& e) {
        if (e.code() != errc::invalid_argument) throw;
      }
    };
  };
  return {{"bad sizes", [] {}, refused([] {
             ddgemm(Layout::column, Op::none, Op::none, -3, 1, 1, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1);
           }),
           [] { return std::string(); }},
          {"arrays of two sizes", [] {}, refused([] {
             const dd_real x[2] = {};
             dd_real y[3];
             array::sqrt(x, y);
           }),
           [] { return std::string(); }}};
}

// In a process that has used nothing of the library, and knows nothing of the machine yet: children of this one, which
// must not multiply, and so come first.
TEST(ColdMemoryFaults, RequestsOfAFirstCall) {
  constexpr int not_reached = 77;
  const std::set<std::string> in_short = {"dd direct", "dd modular", "dd automatic", "d", "exp", "gemm_error"};
  for (const CpuCall& call : cpu_calls()) {
    if (!is_long() && !in_short.contains(call.name)) continue;
    for (Fails how : {Fails::once, Fails::from_then_on}) {
      int status = 0;
      for (long nth = 1; status != not_reached; nth = next(nth)) {
        status = exit_status_of_child([&] {
          call.reset();
          const std::string before = call.results();
          const Outcome outcome = outcome_of([&] { call.run(threads); }, how, nth);
          const bool is_reached = requests >= nth;
          const std::string found = call.results(), expected = expected_of(call);
          if (outcome == Outcome::bad_alloc || outcome == Outcome::foreign) return 1;
          if (found != (outcome == Outcome::refused ? before : expected)) return 2;
          return is_reached ? 0 : not_reached;
        });
        ASSERT_TRUE(status == 0 || status == not_reached)
            << call.name << ", request " << nth << (how == Fails::once ? "" : " and all after it") << ": " << status;
      }
    }
  }
}

TEST(MemoryFaults, RequestsOfEveryCall) {
  const TemporaryFolder folder;
  std::vector<CpuCall> all = cpu_calls();
  for (const auto& calls : {file_calls(folder), text_of_plan(), refused_calls()}) {
    all.insert(all.end(), calls.begin(), calls.end());
  }
  std::set<std::string> with_requests;
  for (const CpuCall& call : all) {
    const std::string expected = expected_of(call);
    for (Fails how : {Fails::once, Fails::from_then_on}) {
      bool is_reached = true;
      for (long nth = 1; is_reached; nth = how == Fails::once ? nth + 1 : next(nth)) {
        EXPECT_EQ(complaint(call, expected, how, nth), "")
            << call.name << ", request " << nth << (how == Fails::once ? "" : " and all after it");
        is_reached = requests >= nth;
        if (is_reached) with_requests.insert(call.name);
      }
    }
  }
  EXPECT_TRUE(with_requests.contains("dd modular"));
  EXPECT_TRUE(with_requests.contains("gemm_error"));
  EXPECT_TRUE(with_requests.contains("written.mtx"));
  EXPECT_TRUE(with_requests.contains("bad sizes"));
}

TEST(MemoryFaults, TextThrowsBadAllocOrAnError) {
  const dd_real x = dd_real(1) / 3;
  const std::string longest(2000, '1'), wrong = longest + "x";
  auto write = [&] { return to_string(x, 31) + to_string(x) + to_hex_string(x) + to_limb_string(x); };
  auto print = [&] {
    std::ostringstream out;
    out << std::setprecision(40) << x;
  };
  auto read = [&] {
    std::istringstream in(longest);
    dd_real y;
    in >> y;
  };
  auto refuse = [&] {
    try {
      parse(wrong);
    } catch (const error& e) {
      if (e.code() != errc::parse) throw;
    }
  };
  const std::string expected = write();
  for (const std::function<void()>& call : {std::function<void()>(write), std::function<void()>(print),
                                            std::function<void()>(read), std::function<void()>(refuse)}) {
    long nth = 0;
    do {
      EXPECT_NE(outcome_of(call, Fails::once, ++nth), Outcome::foreign) << nth;
    } while (requests >= nth);
    EXPECT_GT(nth, 1);
    EXPECT_EQ(write(), expected);
  }
}

}  // namespace
}  // namespace hilo::test
