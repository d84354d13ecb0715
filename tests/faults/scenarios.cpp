#include "scenarios.hpp"

#include <stdexcept>

#include "eigenvalues_scenario.hpp"
#include "exchanges_scenario.hpp"
#include "faults.hpp"
#include "gemm/modular/opencl/bytes.hpp"
#include "kept_programs_scenario.hpp"
#include "opencl/native.hpp"
#include "orthogonal.hpp"
#include "panels_scenario.hpp"
#include "prepared_scenario.hpp"
#include "product.hpp"
#include "singular_values_scenario.hpp"
#include "solve_scenario.hpp"
#include "streaming_scenario.hpp"
#include "systems_scenario.hpp"
#include "tile/table.hpp"
#include "triangles_scenario.hpp"
#include "tune/trial.hpp"
#include "vectors_scenario.hpp"

namespace hilo::test::faults {
namespace {

constexpr GemmOptions by_direct = {.engine = Engine::direct}, by_modular = {.engine = Engine::modular};
constexpr GemmOptions by_blocks = {.engine = Engine::modular, .levels = 1};
constexpr GemmOptions by_three = {.engine = Engine::direct, .complex_product = ComplexProduct::three};

// Everything is staged, in pieces that neither lines nor parts are multiples of.
constexpr opencl::StagingSizes tiny = {.slot_bytes = 1000, .least_piece = 1, .least_bytes = 1, .parts_bytes = 1};

template <class T>
void multiply_in_buffers(Queue& q, const SmallProduct<T>& p, Findings& f, bool wants_seconds) {
  const Context context = q.context();
  auto upload = [&](const std::vector<T>& x) {
    Buffer<T> buffer(context, std::ssize(x));
    buffer.write(q, x.data(), 0, buffer.size());
    return buffer;
  };
  Buffer<T> a = upload(p.a), b = upload(p.b), c = upload(p.c);
  GemmReport report{};
  Event done =
      gemm_strided_batch(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a, 0, p.m, p.m * p.k, b, 0, p.k,
                         p.k * p.n, p.beta, c, p.edge, p.ldc(), p.stride_c(), p.batch, {}, p.options, &report);
  if (wants_seconds) {
    if (done.seconds() < 0.0) f.wrong += "negative time; ";
  } else {
    done.wait();
  }
  std::vector<T> got(p.c.size());
  c.read(q, got.data(), 0, c.size(), {done});
  p.check(got, "", f);
  f.ran = text_of(report);
}

// A batch whose matrices are called in reverse.
template <class T>
void multiply_scattered(Queue& q, const SmallProduct<T>& p, Findings& f) {
  const Context context = q.context();
  auto upload = [&](const std::vector<T>& x) {
    Buffer<T> buffer(context, std::ssize(x));
    buffer.write(q, x.data(), 0, buffer.size());
    return buffer;
  };
  Buffer<T> a = upload(p.a), b = upload(p.b), c = upload(p.c);
  std::vector<std::int64_t> of_a, of_b, of_c;
  for (std::int64_t i = p.batch; i-- > 0;) {
    of_a.push_back(i * p.m * p.k);
    of_b.push_back(i * p.k * p.n);
    of_c.push_back(p.edge + i * p.stride_c());
  }
  GemmReport report{};
  gemm_batch(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a, of_a.data(), p.m, b, of_b.data(), p.k,
             p.beta, c, of_c.data(), p.ldc(), p.batch, {}, p.options, &report)
      .wait();
  std::vector<T> got(p.c.size());
  c.read(q, got.data(), 0, c.size());
  p.check(got, "", f);
  f.ran = text_of(report);
}

class OnQueue : public Scenario {
 public:
  OnQueue(const std::optional<Context>& context, std::function<void(Queue&, Findings&)> run,
          Profiling profiling = Profiling::off, const std::optional<opencl::StagingSizes>& staging = {})
      : queue_(context ? *context : Context(), profiling), run_(std::move(run)) {
    if (staging) queue_.context().state()->staging.set_sizes(*staging);
  }
  void run(Findings& f) override { run_(queue_, f); }

 private:
  Queue queue_;
  std::function<void(Queue&, Findings&)> run_;
};

class Cold : public Scenario {
 public:
  explicit Cold(std::function<void(Queue&, Findings&)> run) : run_(std::move(run)) {}
  void run(Findings& f) override {
    Queue queue{Context()};
    run_(queue, f);
  }

 private:
  std::function<void(Queue&, Findings&)> run_;
};

cl::CommandQueue native_queue(const Context& context) {
  return {context.state()->context, context.state()->device,
          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE};
}

// Products one after the other by their events, on a queue out of order.
class WaitLists : public Scenario {
 public:
  explicit WaitLists(const GemmOptions& options) : product_(6, 5, 70, options), queue_(native_queue(Context())()) {}

  void run(Findings& f) override {
    multiply(queue_, product_, f);
    queue_.finish();
  }

 private:
  template <class T>
  static void multiply(Queue& q, const SmallProduct<T>& p, Findings& f) {
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> made(q.context(), std::ssize(x));
      Buffer<T> buffer(made.native());
      buffer.write(q, x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> a = upload(p.a), b = upload(p.b), c = upload(p.c), other = upload(p.c);
    auto enqueue = [&](Buffer<T>& to, const std::vector<Event>& wait) {
      return gemm(q, Layout::column, Op::none, Op::none, p.m, p.n, p.k, p.alpha, a, 0, p.m, b, 0, p.k, p.beta, to,
                  p.edge, p.ldc(), wait, p.options);
    };
    Event first = enqueue(other, {});
    Event second = enqueue(c, {first, Event(first.native())});
    if (second.status() == EventStatus::failed) f.wrong += "failed; ";
    std::vector<T> got(p.c.size());
    for (Buffer<T>* x : {&c, &other}) {
      x->read(q, got.data(), 0, x->size(), {second, first});
      p.check(got, "", f);
    }
    if (second.seconds() < 0.0) f.wrong += "negative time; ";
  }

  SmallProduct<dd_real> product_;
  Queue queue_;
};

// A program's own objects.
class OwnObjects : public Scenario {
 public:
  OwnObjects() : native_(native_queue(context_)) {}

  void run(Findings& f) override {
    Context context(context_.native(), context_.native_device());
    if (context.device().name != context_.device().name) f.wrong += "another device; ";
    Queue q(native_());
    multiply_in_buffers(q, product_, f, false);
  }

 private:
  Context context_;
  cl::CommandQueue native_;
  SmallProduct<float> product_{9, 7, 11, by_direct};
};

// What asks and computes nothing.
void ask(Queue& q, Findings& f) {
  std::size_t devices = 0;
  for (const PlatformInfo& platform : platforms()) devices += platform.devices.size();
  if (devices == 0) f.wrong += "no device; ";
  for (const GemmOptions& options : {by_direct, by_modular, GemmOptions{}}) {
    f.ran += plan_gemm<dd_real>(q, Layout::column, Op::none, Op::none, 300, 300, 300, options).unit + std::string("; ");
  }
  plan_gemm<std::complex<float>>(q, Layout::row, Op::none, Op::transpose, 30, 30, 30, by_three);
  for (const modular::UnitFinding& unit : modular::find_units(*q.context().state())) {
    f.ran += std::string(modular::name(unit.unit)) + (unit.obstacle.empty() ? "; " : " cannot be used; ");
  }
  if (Context(0, 0).device().name.empty()) f.wrong += "no name; ";
}

// What `hilo tune` does with each tile.
void try_a_tile(Queue& q, Findings& f) {
  const tile::TileKey key{Precision::s, true, false, tile::SizeClass::small};
  const tile::Tile tile = tile::default_tile(q.context().device(), key);
  auto trial = tune::make_trial(q, key, 16);
  f.wrong += trial->find_error(tile) + trial->find_error_of_timed(tile);
  if (trial->seconds(tile) < 0.0) f.wrong += "negative time; ";
}

template <class T>
ScenarioMaker host(const char* name, SmallProduct<T> p, const std::optional<opencl::StagingSizes>& staging = {},
                   bool is_steady = true) {
  return {name,
          [p, staging](const std::optional<Context>& context) {
            return std::make_unique<OnQueue>(
                context, [p](Queue& q, Findings& f) { multiply_from_host(q, p, f); }, Profiling::off, staging);
          },
          is_steady};
}

template <class T>
ScenarioMaker buffers(const char* name, SmallProduct<T> p, Profiling profiling = Profiling::off) {
  return {name, [p, profiling](const std::optional<Context>& context) {
            return std::make_unique<OnQueue>(
                context,
                [p, profiling](Queue& q, Findings& f) { multiply_in_buffers(q, p, f, profiling == Profiling::on); },
                profiling);
          }};
}

template <class T>
ScenarioMaker scattered(const char* name, SmallProduct<T> p) {
  return {name, [p](const std::optional<Context>& context) {
            return std::make_unique<OnQueue>(context, [p](Queue& q, Findings& f) { multiply_scattered(q, p, f); });
          }};
}

template <class T>
ScenarioMaker cold(const char* name, SmallProduct<T> p) {
  return {name, [p](const auto&) {
            return std::make_unique<Cold>([p](Queue& q, Findings& f) { multiply_from_host(q, p, f); });
          }};
}

}  // namespace

const std::vector<ScenarioMaker>& scenarios() {
  using Z = std::complex<double>;
  using C = std::complex<float>;
  static const std::vector<ScenarioMaker> all = {
      host<dd_real>("direct_dd", {9, 7, 11, by_direct}),
      host<dd_complex>("direct_zdd", {5, 6, 7, by_direct}),
      host<dd_real>("modular_dd", {6, 5, 70, by_modular}),
      host<dd_complex>("modular_zdd", {5, 6, 9, by_modular}),
      host<Z>("modular_z", {6, 5, 70, by_modular}),
      host<dd_real>("blocks_dd", {40, 35, 70, by_blocks}),
      host<dd_real>("modular_dd_entries", {300, 1, 12, by_modular, true, 1, true}),
      host<float>("s", {9, 7, 11, by_direct}),
      host<C>("c_three_products", {9, 7, 11, by_three}),
      host<dd_real>("batch_dd", {6, 5, 12, by_modular, true, 3}),
      host<float>("batch_s", {6, 5, 12, by_direct, true, 3}),
      buffers<dd_real>("buffers_direct_dd", {9, 7, 11, by_direct}),
      buffers<dd_complex>("buffers_modular_zdd", {6, 5, 70, by_modular}),
      buffers<double>("buffers_batch_d", {6, 5, 12, by_direct, true, 3}),
      buffers<dd_real>("buffers_batch_dd", {6, 5, 12, by_direct, true, 3}),
      scattered<dd_complex>("buffers_scattered_zdd", {3, 4, 5, by_direct, true, 3}),
      host<dd_real>("staged_modular_dd", {23, 19, 70, by_modular}, tiny),
      host<dd_complex>("staged_direct_zdd", {13, 9, 11, by_direct, false}, tiny),
      host<dd_real>("panels_modular_dd", {140, 135, 70, in_panels}, tiny, false),
      host<dd_real>("panels_at_once_dd", {140, 135, 70, in_panels, false}, {}, false),
      host<dd_real>("panels_undone_dd", {140, 135, 70, by_modular, false, 1, true},
                    opencl::StagingSizes{.panels_bytes = 1}, false),
      host<dd_real>("panels_blocks_dd", {140, 135, 130, by_blocks}, opencl::StagingSizes{.panels_bytes = 1}, false),
      {"prepared_dd", [](const auto& context) { return std::make_unique<PreparedProducts>(context); }, false},
      host<dd_real>("panels_direct_dd", {130, 70, 11, {.engine = Engine::direct, .device_bytes = 400000}}),
      {"panels_pinned_dd", [](const auto& context) { return std::make_unique<PinnedPanels>(context); }, false},
      {"two_devices_dd", [](const auto& context) { return std::make_unique<TwoDevices>(context); }, false},
      {"shared_panels_dd", [](const auto& context) { return std::make_unique<SharedPanels>(context); }, false},
      {"streamed_dd", [](const auto& context) { return std::make_unique<StreamedRoutines>(context); }, false},
      {"dealt_dd", [](const auto& context) { return std::make_unique<DealtColumns>(context); }, false},
      {"group_matrix_dd", [](const auto& context) { return std::make_unique<GroupMatrices>(context, 1); }, false},
      {"group_contexts_dd", [](const auto& context) { return std::make_unique<GroupMatrices>(context, 2); }, false},
      {"group_product_dd", [](const auto& context) { return std::make_unique<GroupProduct>(context); }, false},
      buffers<dd_real>("profiling_direct_dd", {9, 7, 11, by_direct}, Profiling::on),
      buffers<dd_real>("profiling_modular_dd", {6, 5, 70, by_modular, false}, Profiling::on),
      {"wait_lists_direct_dd", [](const auto&) { return std::make_unique<WaitLists>(by_direct); }, false},
      {"wait_lists_modular_dd", [](const auto&) { return std::make_unique<WaitLists>(by_modular); }, false},
      {"own_objects", [](const auto&) { return std::make_unique<OwnObjects>(); }},
      {"level3_dd", [](const auto& context) { return std::make_unique<Level3>(context); }},
      {"exchanges_zdd", [](const auto& context) { return std::make_unique<Exchanges>(context); }, false},
      {"triangles_s", [](const auto& context) { return std::make_unique<Triangles>(context); }, false},
      {"triangles_modular", [](const auto& c) { return std::make_unique<ModularTriangles>(c); }, false},
      {"vectors_dd", [](const auto& context) { return std::make_unique<Vectors>(context); }},
      {"systems_dd", [](const auto& context) { return std::make_unique<Systems>(context); }},
      {"qr_dd", orthogonal},
      {"solved_dd", [](const auto& context) { return std::make_unique<SolvedSystems>(context); }, false},
      {"eigenvalues_dd", [](const auto& context) { return std::make_unique<Eigensystems>(context); }, false},
      {"singular_values_dd", [](const auto& context) { return std::make_unique<SingularDecompositions>(context); },
       false},
      {"tuning", [](const auto& context) { return std::make_unique<OnQueue>(context, try_a_tile, Profiling::on); }},
      {"asking", [](const auto& context) { return std::make_unique<OnQueue>(context, ask); }},
      cold<dd_real>("cold_direct_dd", {9, 7, 11, by_direct}),
      cold<dd_real>("cold_modular_dd", {6, 5, 70, by_modular}),
      cold<dd_real>("cold_automatic_dd", {40, 40, 40, {}}),
      {"cold_kept_programs", [](const auto&) { return std::make_unique<KeptPrograms>(); }},
      cold<float>("cold_s", {9, 7, 11, by_direct}),
      {"cold_asking", [](const auto&) { return std::make_unique<Cold>(ask); }},
  };
  return all;
}

const ScenarioMaker& scenario(const std::string& name) {
  for (const ScenarioMaker& s : scenarios()) {
    if (s.name == name) return s;
  }
  throw std::invalid_argument("no scenario " + name);
}

}  // namespace hilo::test::faults
