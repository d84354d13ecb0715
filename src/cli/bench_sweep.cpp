#include "cli/bench_sweep.hpp"

#include <algorithm>

#include "cli/statistics.hpp"
#include "cli/stopwatch.hpp"

namespace hilo::cli {
namespace {

GemmRequest of_size(GemmRequest request, std::int64_t n) {
  request.m = request.n = request.k = n;
  return request;
}

// The largest product's memory is enough for the others.
template <class T>
void check_largest(const std::optional<Queue>& queue, const BenchRequest& request) {
  const std::int64_t n = *std::max_element(request.sizes.begin(), request.sizes.end());
  const std::vector<MatrixSize> sizes = generated_sizes(of_size(request.products.front(), n), false);
  check_memory<T>(sizes, 0);
  if (queue) check_device_memory<T>(sizes, {}, queue->context().device());
}

// The products that their engines compute at every size.
template <class T>
std::vector<GemmRequest> supported(const std::optional<Queue>& queue, const BenchRequest& request,
                                   std::set<std::string>& units) {
  std::vector<GemmRequest> products;
  std::optional<error> refusal;
  for (const GemmRequest& product : request.products) {
    try {
      std::set<std::string> found;
      for (std::int64_t n : request.sizes) found.insert(plan_product<T>(queue, of_size(product, n)).unit);
      units.merge(found);
      products.push_back(product);
    } catch (const error& e) {
      const bool is_lacking = e.code() == errc::unsupported || e.code() == errc::self_test_failure;
      if (!request.chooses_engines || !is_lacking) throw;
      refusal = e;
    }
  }
  if (products.empty()) throw *refusal;
  return products;
}

// Measures size after size, in time.
template <class T>
class Sweep {
 public:
  Sweep(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell)
      : request_(request),
        progress_(progress),
        tell_(tell),
        queue_(open_queue(request.products.front().place, Profiling::on)) {
    check_largest<T>(queue_, request);
    products_ = supported<T>(queue_, request, findings_.units);
    for (std::int64_t n : request.sizes) work_ += cube(n);
  }

  void run() {
    for (std::int64_t n : request_.sizes) {
      const bool is_late =
          request_.seconds && !findings_.sizes.empty() && watch_.seconds() + estimate(n) > *request_.seconds;
      if (is_late || !findings_.left_out.empty()) {
        findings_.left_out.push_back(n);
      } else {
        measure(n);
      }
    }
    progress_.at("");
    tell_(findings_);
  }

 private:
  static double cube(std::int64_t n) {
    const auto x = static_cast<double>(n);
    return x * x * x;
  }

  // The part of all work, or of the time.
  void at(double done, const std::string& what) {
    progress_.at(request_.seconds ? watch_.seconds() / *request_.seconds : done / work_, what);
  }

  void measure(std::int64_t n) {
    const std::string size = "n = " + std::to_string(n) + ": ";
    findings_.sizes.push_back({n, {}, {}});
    BenchSize& row = findings_.sizes.back();
    Stopwatch generating;
    Operands<T> operands = generated_operands<T>(of_size(products_.front(), n), false, progress_, size);
    seconds_to_generate_ = generating.seconds();
    const double share = cube(n) / static_cast<double>(products_.size());
    for (const GemmRequest& product : products_) {
      const std::string what = size + std::string(name(product.options.engine));
      row.products.push_back(
          {product.options.engine, time_product(queue_, of_size(product, n), T(1), operands, T(0),
                                                [&](int done, int all) { at(done_ + share * done / all, what); })});
      done_ += share;
      tell_(findings_);
    }
    Stopwatch referring;
    if (request_.reference) {
      at(done_, size + request_.reference->command());
      row.reference = request_.reference->measure(n);
    }
    seconds_to_refer_ = referring.seconds();
    row.is_done = true;
    progress_.at("");
    tell_(findings_);
  }

  // How long another size takes, by the last one: products grow by the cube, matrices by the square.
  double estimate(std::int64_t n) const {
    const BenchSize& last = findings_.sizes.back();
    const double ratio = static_cast<double>(n) / static_cast<double>(last.n), grown = ratio * ratio * ratio;
    double seconds = seconds_to_generate_ * ratio * ratio + seconds_to_refer_ * grown;
    for (const BenchProduct& product : last.products) {
      for (const auto* times : {&product.timing.kernel, &product.timing.total}) {
        if (!queue_ && times == &product.timing.total) continue;  // the same runs
        const double run = median(*times) * grown;
        seconds += run + std::max(run * products_.front().repeat, products_.front().least_seconds);
      }
    }
    return seconds;
  }

  const BenchRequest& request_;
  Progress& progress_;
  const std::function<void(const BenchFindings&)>& tell_;
  std::optional<Queue> queue_;
  std::vector<GemmRequest> products_;
  BenchFindings findings_;
  Stopwatch watch_;
  double work_ = 0.0, done_ = 0.0, seconds_to_generate_ = 0.0, seconds_to_refer_ = 0.0;
};

}  // namespace

void bench(const BenchRequest& request, Progress& progress, const std::function<void(const BenchFindings&)>& tell) {
  with_type_of(request.products.front().precision,
               [&]<class T>(std::type_identity<T>) { Sweep<T>(request, progress, tell).run(); });
}

}  // namespace hilo::cli
