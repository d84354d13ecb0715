#include "cli/bench/sweep.hpp"

#include <algorithm>

#include "cli/bench/problem.hpp"
#include "cli/stopwatch.hpp"
#include "cli/timed_product.hpp"
#include "cli/verify.hpp"
#include "host/team.hpp"
#if HILO_HAS_OPENCL
#include "cli/bench/device_ceiling.hpp"
#endif

namespace hilo::cli {
namespace {

constexpr std::int64_t most_terms_checked = 1 << 15;  // some three seconds of MPFR on one core

// The queues of the cases' places; empty ones for the CPU.
class Queues {
 public:
  explicit Queues(const std::vector<BenchCase>& cases) {
    for (const BenchCase& what : cases) {
      if (!find(what.place)) all_.emplace_back(what.place, open_queue(what.place, Profiling::on));
    }
  }

  std::optional<Queue>& of(const BenchCase& what) { return *find(what.place); }

 private:
  std::optional<Queue>* find(const Place& place) {
    for (auto& [known, queue] : all_) {
      if (known == place) return &queue;
    }
    return nullptr;
  }

  std::vector<std::pair<Place, std::optional<Queue>>> all_;
};

template <class T>
void check_memory_of(const std::optional<Queue>& queue, const BenchCase& what, bool has_ceiling) {
  std::vector<MatrixSize> sizes = matrix_sizes(what);
  if (has_ceiling && !is_product(what.routine)) {
    for (MatrixSize size : matrix_sizes(product_of(what))) {
      size.name += " of gemm";
      sizes.push_back(size);
    }
  }
  check_memory<T>(sizes, 0);
  if (queue) check_device_memory<T>(sizes, {}, queue->context().device());
}

void check_memory_of(Queues& queues, const BenchRequest& request) {
  for (const BenchCase& what : request.cases) {
    with_type_of(what.precision, [&]<class T>(std::type_identity<T>) {
      for (const Shape& shape : request.shapes) {
        check_memory_of<T>(queues.of(what), of_shape(what, shape), request.has_ceilings);
      }
    });
  }
}

GemmPlan plan_of_case(Queues& queues, const BenchCase& what) {
  return with_type_of(what.precision,
                      [&]<class T>(std::type_identity<T>) { return plan_product<T>(queues.of(what), what); });
}

// The cases whose engines compute them at every shape. Of those that differ in their engines alone there must be one.
std::vector<BenchCase> supported(Queues& queues, const BenchRequest& request, BenchFindings& findings) {
  std::vector<BenchCase> cases;
  for (auto first = request.cases.begin(); first != request.cases.end();) {
    const auto last =
        std::find_if(first, request.cases.end(), [&](const BenchCase& c) { return !differ_in_engine(c, *first); });
    std::optional<error> refusal;
    const std::size_t before = cases.size();
    for (; first != last; ++first) {
      try {
        std::set<std::string> found;
        for (const Shape& shape : request.shapes) found.insert(plan_of_case(queues, of_shape(*first, shape)).unit);
        (first->place.backend == Backend::cpu ? findings.units : findings.devices).merge(found);
        cases.push_back(*first);
      } catch (const error& e) {
        const bool is_lacking = e.code() == errc::unsupported || e.code() == errc::self_test_failure;
        if (!request.chooses_engines || !is_lacking) throw;
        refusal = e;
      }
    }
    if (cases.size() == before) throw *refusal;
  }
  return cases;
}

// Measures shape after shape, in time.
class Sweep {
 public:
  Sweep(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell)
      : request_(request), progress_(progress), tell_(tell), queues_(request.cases) {
    check_memory_of(queues_, request);
    cases_ = supported(queues_, request, findings_);
    for (const Shape& shape : request.shapes) work_ += work_of(shape);
    if (request.has_ceilings) {
      progress.at("measuring ceilings");
      cpu_ceilings_.emplace(cases_);
    }
  }

  void run() {
    for (const Shape& shape : request_.shapes) {
      const bool is_late =
          request_.seconds && !findings_.sizes.empty() && watch_.seconds() + estimate(shape) > *request_.seconds;
      if (is_late || !findings_.left_out.empty()) {
        findings_.left_out.push_back(shape);
      } else {
        measure(shape);
      }
    }
    progress_.at("");
    tell_(findings_);
  }

 private:
  double work_of(const Shape& shape) const {
    double work = 0.0;
    for (const BenchCase& what : cases_) work += operations(of_shape(what, shape));
    return work;
  }

  // The part of all work, or of the time.
  void at(double done, const std::string& what) {
    progress_.at(request_.seconds ? watch_.seconds() / *request_.seconds : done / work_, what);
  }

  void measure(const Shape& shape) {
    const std::string size = (shape.size() == 1 ? "n = " : "") + in_words(shape) + ": ";
    findings_.sizes.push_back({shape});
    products_.clear();
    seconds_to_generate_ = seconds_to_probe_ = 0.0;
    for (auto first = cases_.begin(); first != cases_.end();) {
      const auto last =
          std::find_if(first, cases_.end(), [&](const BenchCase& c) { return !have_same_operands(c, *first); });
      with_type_of(first->precision, [&]<class T>(std::type_identity<T>) { measure<T>(shape, size, first, last); });
      first = last;
    }
    BenchSize& size_done = findings_.sizes.back();
    Stopwatch referring;
    if (request_.reference) {
      at(done_, size + request_.reference->command());
      size_done.reference = request_.reference->measure(shape.front());
    }
    seconds_to_refer_ = referring.seconds();
    size_done.is_done = true;
    progress_.at("");
    tell_(findings_);
  }

  using Cases = std::vector<BenchCase>::const_iterator;

  // Cases of the same operands.
  template <class T>
  void measure(const Shape& shape, const std::string& size, Cases first, Cases last) {
    const BenchCase common = of_shape(*first, shape);
    Stopwatch generating;
    std::optional<Operands<T>> operands;
    std::optional<Problem<T>> problem;
    if (common.routine == Routine::gemm) {
      operands.emplace(generated_operands<T>(common, false, progress_, size));
    } else {
      problem.emplace(common, progress_, size);
    }
    seconds_to_generate_ += generating.seconds();
    for (; first != last; ++first) {
      BenchRow row{of_shape(*first, shape)};
      const double work = operations(row.what);
      const std::string what =
          size + std::string(name(common.routine)) + ", " + std::string(name(first->options.engine));
      const RunWatch watch = [&](std::int64_t done, std::int64_t all) {
        at(done_ + work * static_cast<double>(done) / static_cast<double>(all), what);
      };
      const bool is_on_host = first->place.backend == Backend::cpu;
      const GemmPlan plan = plan_of_case(queues_, row.what);
      row.device = plan.unit;
      row.threads = !is_on_host ? 0 : first->options.threads > 0 ? first->options.threads : host::default_threads();
      if (operands) {
        run_product(*operands, row, watch);
      } else {
        const RoutineTiming timing = problem->time(queues_.of(*first), row.what, watch);
        row.kernel = times(timing.kernel);
        row.total = times(timing.total);
        row.residual_ratio = problem->residual_ratio();
      }
      if (cpu_ceilings_) row.ceiling = ceiling_of<T>(row, plan, size);
      done_ += work;
      findings_.sizes.back().rows.push_back(row);
      tell_(findings_);
    }
  }

  // Of a routine on top of products the rate of one, measured once for all that have it.
  template <class T>
  std::optional<Ceiling> ceiling_of(const BenchRow& row, const GemmPlan& plan, const std::string& size) {
    if (is_product(row.what.routine)) return ceiling_of_product(row.what, row.report ? row.report->plan : plan);
    const BenchCase product = product_of(row.what);
    const auto is_same = [&](const auto& known) {
      const BenchCase& other = known.first;
      return differ_in_engine(other, product) && other.options.engine == product.options.engine &&
             other.m == product.m && other.n == product.n && other.k == product.k;
    };
    auto found = std::find_if(products_.begin(), products_.end(), is_same);
    if (found == products_.end()) {
      const Stopwatch watch;
      Operands<T> operands = generated_operands<T>(product, false, progress_, size);
      const Timing timing =
          time_product(queues_.of(product), product, T(1), operands, T(0),
                       [&](std::int64_t, std::int64_t) { progress_.at(size + "a product of the same sizes"); });
      products_.emplace_back(product, operations(product) * 1e-9 / times(timing.kernel).median);
      found = std::prev(products_.end());
      seconds_to_probe_ += watch.seconds();
    }
    return Ceiling{found->second, "gemm in this run"};
  }

  std::optional<Ceiling> ceiling_of_product(const BenchCase& what, const GemmPlan& plan) {
#if HILO_HAS_OPENCL
    if (what.place.backend == Backend::opencl) return device_ceilings_.of(*queues_.of(what), what, plan);
#endif
    return cpu_ceilings_->of(what, plan);
  }

  template <class T>
  void run_product(Operands<T>& operands, BenchRow& row, const RunWatch& watch) {
    const Timing timing = time_product(queues_.of(row.what), row.what, T(1), operands, T(0), watch);
    row.report = timing.report;
    row.threads = timing.report.plan.threads;
    row.kernel = times(timing.kernel);
    row.total = times(timing.total);
    if (HILO_HAS_ACCURACY && row.what.k <= most_terms_checked) {
      row.max_error_u2 = verify(row.what, T(1), operands, T(0), timing.report.plan, progress_).max_error_u2;
    }
  }

  // How long another size takes, by the last one: products grow by the cube, matrices by the square.
  double estimate(const Shape& shape) const {
    const BenchSize& last = findings_.sizes.back();
    const double ratio = static_cast<double>(shape.front()) / static_cast<double>(last.shape.front());
    const double grown = ratio * ratio * ratio;
    double seconds = seconds_to_generate_ * ratio * ratio + (seconds_to_refer_ + seconds_to_probe_) * grown;
    for (const BenchRow& row : last.rows) {
      for (const Times* times : {&row.kernel, &row.total}) {
        if (row.what.place.backend == Backend::cpu && times == &row.total) continue;  // the same runs
        const double run = times->median * grown;
        seconds += run + std::max(run * row.what.repeat, row.what.least_seconds);
      }
    }
    return seconds;
  }

  const BenchRequest& request_;
  Progress& progress_;
  const std::function<void(const BenchFindings&)>& tell_;
  Queues queues_;
  std::vector<BenchCase> cases_;
  std::optional<CpuCeilings> cpu_ceilings_;
#if HILO_HAS_OPENCL
  DeviceCeilings device_ceilings_;
#endif
  std::vector<std::pair<BenchCase, double>> products_;  // of this shape, that ceilings asked for, and their rates
  BenchFindings findings_;
  Stopwatch watch_;
  double work_ = 0.0, done_ = 0.0, seconds_to_generate_ = 0.0, seconds_to_refer_ = 0.0, seconds_to_probe_ = 0.0;
};

}  // namespace

void bench(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell) {
  Sweep(request, progress, tell).run();
}

}  // namespace hilo::cli
