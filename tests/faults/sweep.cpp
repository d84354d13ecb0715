#include "sweep.hpp"

#include <algorithm>
#include <cstdio>
#include <hilo/error.hpp>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scenarios.hpp"

namespace hilo::test::faults {
namespace {

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string in_one_line(std::string text) {
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

struct Attempt {
  bool threw = false, is_foreign = false;
  std::string message;
  Findings findings;
};

Attempt attempt(Scenario& scenario) {
  Attempt a;
  try {
    scenario.run(a.findings);
    return a;
  } catch (const error& e) {
    a.message = e.what();
  } catch (const std::exception& e) {
    a.message = e.what();
    a.is_foreign = true;
  } catch (...) {
    a.is_foreign = true;
  }
  a.threw = true;
  return a;
}

// As the C++ bindings call it: who asks for an object retains it.
bool names(const std::string& message, const std::string& call) {
  auto has = [&](const std::string& text) { return message.find(text) != message.npos; };
  if (call.starts_with("clRetain")) return has("Retain Object") || has("clGet");
  return has(call.starts_with("clRelease") ? "Release Object" : call);
}

bool names_a_call(const std::string& message, const std::set<std::string>& calls) {
  return std::any_of(calls.begin(), calls.end(), [&](const std::string& call) { return names(message, call); });
}

// What is wrong with a run in which `calls` failed; empty where nothing is.
std::string fault_of(const Attempt& a, const std::set<std::string>& calls) {
  std::string wrong;
  if (a.is_foreign) wrong += " foreign {" + a.message + "}";
  if (a.threw && !a.is_foreign && !names_a_call(a.message, calls)) wrong += " unnamed {" + a.message + "}";
  if (!a.findings.wrong.empty()) wrong += " wrong {" + a.findings.wrong + "}";
  if (a.findings.c_changed) wrong += " c_changed {" + a.message + "}";
  return wrong;
}

std::string fault_of_next(const Attempt& a) {
  if (a.threw) return " stuck {" + a.message + "}";
  return a.findings.wrong.empty() ? "" : " next_wrong {" + a.findings.wrong + "}";
}

std::string joined(const std::set<std::string>& names) {
  std::string all;
  for (const std::string& n : names) all += (all.empty() ? "" : ",") + n;
  return all.empty() ? "-" : all;
}

void report(std::int64_t call, const std::set<std::string>& failed_calls, cl_int status, const Attempt& a,
            const std::string& wrong) {
  const std::string verdict = !wrong.empty() ? wrong.substr(1) : a.threw ? "answered" : "absorbed";
  say("end " + std::to_string(call) + " " + joined(failed_calls) + " " + std::to_string(status) + " " +
      in_one_line(verdict));
}

// What a context's pools do not exchange.
Live lasting(Live x) {
  for (Kind kind : {Kind::event, Kind::buffer, Kind::mapping}) x[static_cast<std::size_t>(kind)] = 0;
  return x;
}

cl_int status_of(const Sweep& sweep, std::int64_t call) {
  return sweep.status ? sweep.status : usual_statuses[static_cast<std::size_t>(call) % usual_statuses.size()];
}

class Sweeper {
 public:
  explicit Sweeper(const Sweep& sweep) : sweep_(sweep), maker_(scenario(sweep.scenario)) {}

  void run() {
    // Tables and findings of the process, which stay.
    make();
    unmake();
    make();
    const std::int64_t stride = sweep_.stride ? sweep_.stride : stride_for(sweep_.samples);
    say("stride " + std::to_string(stride));
    for (std::int64_t n = sweep_.first ? sweep_.first : 1 + stride / 2; try_call(n); n += stride) {
    }
    if (const std::string left = unmake(); !left.empty()) report(0, {}, 0, {}, " leak {" + left + " at the end}");
    say("done " + std::to_string(calls_));
  }

 private:
  void make() {
    before_ = live();
    scenario_ = maker_.make({});
    for (int i = 0; i < 2; ++i) {
      if (const std::string wrong = fault_of_next(attempt(*scenario_)); !wrong.empty()) {
        throw std::runtime_error(sweep_.scenario + " does not run:" + wrong);
      }
    }
    warm_ = live();
  }

  // Odd, so that calls that come in pairs are both among them.
  std::int64_t stride_for(std::int64_t samples) {
    arm({std::numeric_limits<std::int64_t>::max(), 0, When::once});
    const std::string wrong = fault_of_next(attempt(*scenario_));
    disarm();
    if (!wrong.empty()) throw std::runtime_error(sweep_.scenario + " does not run:" + wrong);
    return (calls() / samples) | 1;
  }

  // What is left.
  std::string unmake() {
    scenario_.reset();
    const std::string left = more(live(), before_);
    settle();
    return left;
  }

  // False where a run has no such call.
  bool try_call(std::int64_t n) {
    say("begin " + std::to_string(n));
    const std::int64_t too_often = released_too_often();
    const cl_int status = status_of(sweep_, n);
    arm({n, status, sweep_.when});
    const Attempt a = attempt(*scenario_);
    disarm();
    const std::set<std::string> failed_calls = failed();
    if (failed_calls.empty()) {
      calls_ = calls();
      return false;
    }
    std::string wrong = fault_of(a, failed_calls);
    // A context whose device was lost is of no use any more.
    bool is_spent = sweep_.when == When::lost;
    if (!is_spent) {
      wrong += fault_of_next(attempt(*scenario_));
      const std::string grown = more(live(), warm_);
      if (maker_.is_steady && !grown.empty()) wrong += " grown {" + grown + "}";
      // Given back once more than taken, while others hold it.
      const std::string stolen = more(lasting(warm_), lasting(live(false)));
      if (!stolen.empty()) wrong += " stolen {" + stolen + "}";
      is_spent = !wrong.empty() || !grown.empty();
    }
    if (is_spent) {
      if (const std::string left = unmake(); !left.empty()) wrong += " leak {" + left + "}";
      make();
    }
    if (released_too_often() != too_often) wrong += " released_too_often";
    report(n, failed_calls, status, a, wrong);
    return true;
  }

  Sweep sweep_;
  const ScenarioMaker& maker_;
  std::unique_ptr<Scenario> scenario_;
  Live before_{}, warm_{};
  std::int64_t calls_ = 0;
};

}  // namespace

void run(const Sweep& sweep) { Sweeper(sweep).run(); }

void run_cold(const std::string& name, std::int64_t call, cl_int status) {
  const ScenarioMaker& maker = scenario(name);
  say("begin " + std::to_string(call));
  arm({call, status, When::once});
  std::unique_ptr<Scenario> cold = maker.make({});
  const Attempt first = attempt(*cold);
  disarm();
  const std::set<std::string> failed_calls = failed();
  const std::int64_t count = calls();
  std::string wrong = failed_calls.empty() ? fault_of_next(first) : fault_of(first, failed_calls);
  const Attempt second = attempt(*cold);
  wrong += fault_of_next(second);
  if (const std::string left = more(live(), {}); !left.empty()) wrong += " leak {" + left + "}";
  if (released_too_often()) wrong += " released_too_often";
  report(call, failed_calls, status, first, wrong);
  settle();
  say("ran " + second.findings.ran);
  say("done " + std::to_string(count));
}

void run_threads(int threads, int rounds, std::uint64_t seed) {
  {
    const std::vector<std::string> names = {"direct_dd", "modular_dd", "c_three_products", "staged_modular_dd"};
    const Context context;
    std::vector<std::unique_ptr<Scenario>> scenarios;
    for (int t = 0; t < threads; ++t) {
      scenarios.push_back(scenario(names[static_cast<std::size_t>(t) % names.size()]).make(context));
      if (fault_of_next(attempt(*scenarios.back())) != "") throw std::runtime_error("a thread's scenario does not run");
    }
    std::vector<std::string> wrong(scenarios.size());
    std::vector<Attempt> last(scenarios.size());
    say("begin 1");
    arm({25, 0, When::random, seed});
    std::vector<std::thread> team;
    for (std::size_t t = 0; t < scenarios.size(); ++t) {
      team.emplace_back([&, t] {
        for (int i = 0; i < rounds; ++i) {
          const Attempt a = attempt(*scenarios[t]);
          wrong[t] += fault_of(a, failed());
          last[t].threw = last[t].threw || a.threw;
        }
      });
    }
    for (std::thread& t : team) t.join();
    disarm();
    for (std::size_t t = 0; t < scenarios.size(); ++t) {
      wrong[t] += fault_of_next(attempt(*scenarios[t]));
      report(static_cast<std::int64_t>(t + 1), failed(), 0, last[t], wrong[t]);
    }
  }
  std::string wrong;
  if (const std::string left = more(live(), {}); !left.empty()) wrong += " leak {" + left + "}";
  if (released_too_often()) wrong += " released_too_often";
  if (!wrong.empty()) report(0, {}, 0, {}, wrong);
  settle();
  say("done " + std::to_string(calls()));
}

}  // namespace hilo::test::faults
