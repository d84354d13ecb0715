// The direct engine on OpenCL against its definition, bit by bit. HILO_TEST_PLATFORM and HILO_TEST_DEVICE choose the
// device, by default Context's own choice. HILO_TEST_SMALL=1 runs a small part, for checkers that interpret kernels.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <hilo/device.hpp>
#include <random>
#include <thread>

#include "gemm/direct/opencl.hpp"
#include "gemm/direct/reference.hpp"

namespace {

using namespace hilo;

bool is_small() {
  const char* value = std::getenv("HILO_TEST_SMALL");
  return value && std::string_view(value) == "1";
}

Context test_context() {
  const char* platform = std::getenv("HILO_TEST_PLATFORM");
  const char* device = std::getenv("HILO_TEST_DEVICE");
  return platform && device ? Context(std::atoi(platform), std::atoi(device)) : Context();
}

Queue& queue() {
  // Never destroyed: a runtime's own statics may be gone by then.
  static Queue& q = *new Queue(test_context());
  return q;
}

bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x != x && y != y);
}
bool same(dd_real x, dd_real y) { return same(x.hi, y.hi) && same(x.lo, y.lo); }
bool same(dd_complex x, dd_complex y) { return same(x.re, y.re) && same(x.im, y.im); }

template <class T>
struct Random {
  std::mt19937_64 engine;
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};

  explicit Random(std::uint64_t seed) : engine(seed) {}
  dd_real word() {
    double hi = uniform(engine) * std::ldexp(1.0, static_cast<int>(engine() % 9) - 4);
    return dd_real::sum(hi, hi * 0x1p-53 * uniform(engine));
  }
  T operator()() {
    if constexpr (std::same_as<T, dd_complex>) {
      dd_real re = word();
      return {re, word()};
    } else {
      return word();
    }
  }
};

template <class T>
T scalar(double re, double im) {
  dd_real x(re, re * 0x1p-55), y(im, -im * 0x1p-56);
  if constexpr (std::same_as<T, dd_complex>) {
    return {x, y};
  } else {
    return x;
  }
}

template <class T>
struct Problem {
  Layout layout = Layout::column;
  Op opa = Op::none, opb = Op::none;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  T alpha = scalar<T>(1.25, -0.5), beta = scalar<T>(-0.75, 0.3);
  GemmOptions options;
  std::vector<T> a, b, c;

  Problem(Layout l, Op oa, Op ob, std::int64_t m_, std::int64_t n_, std::int64_t k_, std::uint64_t seed,
          std::int64_t pad = 3)
      : layout(l), opa(oa), opb(ob), m(m_), n(n_), k(k_) {
    auto lines = [&](Op op, std::int64_t rows, std::int64_t columns, std::int64_t& leading) {
      bool contiguous = (layout == Layout::column) == (op == Op::none);
      leading = std::max<std::int64_t>(contiguous ? rows : columns, 1) + pad;
      return leading * (contiguous ? columns : rows);
    };
    Random<T> random(seed);
    a.resize(static_cast<std::size_t>(lines(opa, m, k, lda)));
    b.resize(static_cast<std::size_t>(lines(opb, k, n, ldb)));
    c.resize(static_cast<std::size_t>(lines(Op::none, m, n, ldc)));
    for (auto* x : {&a, &b, &c}) {
      for (T& e : *x) e = random();
    }
  }

  // What the definition makes of C, padding included.
  std::vector<T> reference(std::int64_t* recomputed = nullptr) const {
    std::vector<T> out = c;
    bool fma = options.fma != Fma::off;
    std::int64_t count =
        direct::reference_gemm<T>(alpha, view(layout, opa, a.data(), m, k, lda), view(layout, opb, b.data(), k, n, ldb),
                                  beta, view(layout, Op::none, out.data(), m, n, ldc), options.accuracy, fma);
    if (recomputed) *recomputed = count;
    return out;
  }

  GemmReport run(std::vector<T>& out, Queue& q = queue()) const {
    return gemm(q, layout, opa, opb, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, out.data(), ldc, options);
  }

  // On device buffers, by the internal call, which takes tiles and a workspace.
  std::vector<T> run_on_device(const direct::OpenclChoice& choice) const {
    Context context = queue().context();
    auto upload = [&](const std::vector<T>& x) {
      Buffer<T> buffer(context, static_cast<std::int64_t>(x.size()));
      buffer.write(queue(), x.data(), 0, buffer.size());
      return buffer;
    };
    Buffer<T> da = upload(a), db = upload(b), dc = upload(c);
    auto matrix = [&](Op op, const Buffer<T>& buffer, std::int64_t leading) {
      auto v = view<const T>(layout, op, nullptr, 0, 0, leading);
      return direct::OpenclMatrix{cl::Buffer(buffer.native(), true), 0, v.row_stride, v.column_stride, v.conjugate};
    };
    direct::OpenclProduct p{std::same_as<T, dd_complex>,
                            m,
                            n,
                            k,
                            dd_complex(alpha),
                            dd_complex(beta),
                            matrix(opa, da, lda),
                            matrix(opb, db, ldb),
                            matrix(Op::none, dc, ldc),
                            options.accuracy,
                            options.fma != Fma::off};
    direct::enqueue(*queue().state(), p, {}, choice).event.wait();
    std::vector<T> out(c.size());
    dc.read(queue(), out.data(), 0, dc.size());
    return out;
  }

  std::string text() const {
    return std::string(name(precision_of<T>)) + " " + std::string(name(layout)) + " " + std::string(name(opa)) +
           std::string(name(opb)) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           " " + std::string(name(options.accuracy)) + (options.fma == Fma::off ? " no fma" : " fma");
  }
};

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = got.size(); i-- > 0;) {
    if (!same(got[i], want[i])) ++wrong, first = i;
  }
  EXPECT_EQ(wrong, 0u) << what << ": element " << first << " is the first of them";
}

template <class T>
std::string alpha_beta_text(T alpha, T beta) {
  return "alpha = " + std::to_string(dd_complex(alpha).re.hi) + ", beta = " + std::to_string(dd_complex(beta).re.hi);
}

template <class T>
void expect_reference(const Problem<T>& p) {
  std::vector<T> out = p.c;
  GemmReport report = p.run(out);
  expect_same(out, p.reference(), p.text());
  EXPECT_EQ(report.entries_recomputed, 0) << p.text();
}

template <class T>
class OpenclGemm : public testing::Test {};
using Elements = testing::Types<dd_real, dd_complex>;
TYPED_TEST_SUITE(OpenclGemm, Elements);

const Op all_ops[] = {Op::none, Op::transpose, Op::conjugate_transpose};

TYPED_TEST(OpenclGemm, GivesTheReferencesBitsForEveryTransposeLayoutAndVariant) {
  const std::int64_t sizes[] = {1, 2, 3, 7, 17, 33, 65, 130};
  const std::int64_t depths[] = {1, 63, 64, 65, 200, 5, 130};
  std::uint64_t turn = 0;
  for (Accuracy accuracy : {Accuracy::classic, Accuracy::fast}) {
    for (Fma fma : {Fma::on, Fma::off}) {
      for (Layout layout : {Layout::column, Layout::row}) {
        for (Op opa : all_ops) {
          for (Op opb : all_ops) {
            for (int repeat = 0; repeat < 4; ++repeat, ++turn) {
              if (is_small() && turn % 97) continue;
              std::int64_t m = sizes[turn % 8], n = sizes[(turn / 8 + 3 * turn) % 8], k = depths[turn % 7];
              if (is_small())
                m = std::min<std::int64_t>(m, 17), n = std::min<std::int64_t>(n, 17), k = std::min<std::int64_t>(k, 70);
              Problem<TypeParam> p(layout, opa, opb, m, n, k, turn);
              p.options = {.accuracy = accuracy, .fma = fma};
              expect_reference(p);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(OpenclGemm, TakesEverySizeOfTheList) {
  std::uint64_t seed = 1000;
  for (std::int64_t m : {1, 2, 3, 7, 17, 33, 65, 130}) {
    for (std::int64_t n : {1, 2, 3, 7, 17, 33, 65, 130}) {
      if (is_small() && (m + n) % 5) continue;
      expect_reference(Problem<TypeParam>(Layout::column, Op::none, Op::none, m, n, 70, seed++, 0));
    }
  }
}

TYPED_TEST(OpenclGemm, AddsSuperchunksInOrder) {
  if (is_small()) GTEST_SKIP();
  for (Fma fma : {Fma::on, Fma::off}) {
    Problem<TypeParam> p(Layout::column, Op::transpose, Op::none, 5, 3, 4096 + 70, 7);
    p.options = {.accuracy = Accuracy::fast, .fma = fma};
    expect_reference(p);
  }
  expect_reference(Problem<TypeParam>(Layout::row, Op::none, Op::none, 3, 2, 3 * 4096, 8));
}

TYPED_TEST(OpenclGemm, IsTheSameInBlocksAndSlices) {
  Problem<TypeParam> p(Layout::column, Op::none, Op::transpose, is_small() ? 21 : 70, is_small() ? 9 : 40, 4096 + 130,
                       11);
  if (is_small()) p.k = 130;
  auto want = p.reference();
  direct::OpenclTile tile = direct::tile_for(queue().context().device());
  const std::int64_t parts = std::same_as<TypeParam, dd_complex> ? 2 : 1;
  for (std::int64_t workspace : {std::int64_t{0}, std::int64_t{6} << 20}) {
    expect_same(p.run_on_device({.tile = {}, .workspace = workspace}), want, p.text());
    auto blocks = direct::block_product(tile, p.m, p.n * parts, p.k * parts, workspace);
    EXPECT_TRUE(workspace > 0 || is_small() || (blocks.rows < p.m && blocks.slices > 1));
  }
}

TYPED_TEST(OpenclGemm, IsTheSameForEveryTile) {
  Problem<TypeParam> p(Layout::column, Op::none, Op::none, 37, 29, 150, 12);
  p.options.accuracy = Accuracy::fast;
  auto want = p.reference();
  const direct::OpenclTile tiles[] = {{1, 4, 4, 16, 8, 16, 2, 0},
                                      {1, 4, 2, 8, 8, 8, 1, 1},
                                      {1, 2, 4, 8, 8, 32, 2, 1},
                                      {2, 4, 2, 2, 2, 4, 0, 0},
                                      {4, 8, 2, 1, 1, 4, 0, 1}};
  for (const direct::OpenclTile& tile : tiles) {
    ASSERT_TRUE(direct::is_valid(tile));
    if (tile.local_bytes() > queue().context().device().local_memory) continue;
    expect_same(p.run_on_device({.tile = tile, .workspace = {}}), want, to_string(tile));
  }
}

TYPED_TEST(OpenclGemm, TakesSpecialAlphaAndBeta) {
  using T = TypeParam;
  const T values[] = {T(0), T(1), T(-1), scalar<T>(0.7, 0.0), scalar<T>(-3.0, 2.0)};
  for (T alpha : values) {
    if (alpha == T(0)) continue;
    for (T beta : values) {
      Problem<T> p(Layout::column, Op::none, Op::none, 9, 6, 20, 13);
      p.alpha = alpha;
      p.beta = beta;
      SCOPED_TRACE(alpha_beta_text(alpha, beta));
      expect_reference(p);
    }
  }
}

TYPED_TEST(OpenclGemm, NeverReadsCWhereBetaIsZeroNorAAndBWhereAlphaIsZero) {
  using T = TypeParam;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Problem<T> p(Layout::column, Op::none, Op::none, 9, 6, 20, 14);
  p.beta = T(0);
  for (T& x : p.c) x = T(dd_real(nan));
  expect_reference(p);

  for (std::int64_t k : {0, 20}) {
    for (T beta : {T(0), T(1), scalar<T>(2.5, 1.0)}) {
      Problem<T> q(Layout::row, Op::none, Op::none, 9, 6, 20, 15);
      q.k = k;
      if (k) q.alpha = T(0);
      q.beta = beta;
      std::vector<T> want = q.c, got = q.c;
      for (std::int64_t i = 0; i < q.m; ++i) {
        for (std::int64_t j = 0; j < q.n; ++j) {
          T& x = want[static_cast<std::size_t>(i * q.ldc + j)];
          x = beta == T(0) ? T(0) : beta == T(1) ? x : beta * x;
        }
      }
      gemm<T>(queue(), q.layout, q.opa, q.opb, q.m, q.n, q.k, q.alpha, nullptr, q.lda, nullptr, q.ldb, q.beta,
              got.data(), q.ldc, q.options);
      expect_same(got, want, q.text());
    }
  }
}

TYPED_TEST(OpenclGemm, ComputesEntriesThatAreNotFiniteAgainAsDoubles) {
  using T = TypeParam;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (Fma fma : {Fma::on, Fma::off}) {
    Problem<T> p(Layout::column, Op::none, Op::transpose, 20, 18, 90, 16);
    p.options.fma = fma;
    p.a[4] = T(dd_real(inf, 0.0));
    p.a[5] = T(dd_real(-inf, 0.0));
    p.b[7] = T(dd_real(nan, 0.0));
    p.b[8] = T(dd_real(0x1.8p1023, 0.0));
    p.a[10] = T(dd_real(0x1.8p1023, 0.0));
    // Too large to split, but finite.
    p.a[11] = T(dd_real(0x1p1000, 0x1p940));
    p.b[9] = T(dd_real(0x1p-30, 0.0));
    std::int64_t recomputed = 0;
    std::vector<T> want = p.reference(&recomputed), out = p.c;
    GemmReport report = p.run(out);
    expect_same(out, want, p.text());
    EXPECT_EQ(report.entries_recomputed, recomputed) << p.text();
    EXPECT_GT(recomputed, 0);
  }
}

TYPED_TEST(OpenclGemm, WorksOnDeviceBuffersWithOffsetsWaitListAndEvent) {
  using T = TypeParam;
  Problem<T> p(Layout::row, Op::transpose, Op::none, 33, 20, 70, 17);
  Context context = queue().context();
  // A and C share a buffer, B has its own.
  auto size = [](const std::vector<T>& x) { return static_cast<std::int64_t>(x.size()); };
  Buffer<T> shared(context, 5 + size(p.a) + size(p.c)), db(context, 2 + size(p.b));
  shared.write(queue(), p.a.data(), 5, size(p.a));
  shared.write(queue(), p.c.data(), 5 + size(p.a), size(p.c));
  db.write(queue(), p.b.data(), 2, size(p.b));
  GemmReport report{};
  Queue other(context);
  Event first = gemm(queue(), p.layout, p.opa, p.opb, p.m, p.n, p.k, p.alpha, shared, 5, p.lda, db, 2, p.ldb, p.beta,
                     shared, 5 + size(p.a), p.ldc, {}, p.options, &report);
  // C times a scalar, after it, from another queue.
  Event second = gemm(other, p.layout, p.opa, p.opb, p.m, p.n, p.k, T(0), shared, 5, p.lda, db, 2, p.ldb, T(2), shared,
                      5 + size(p.a), p.ldc, {first});
  second.wait();
  EXPECT_EQ(first.status(), EventStatus::complete);
  EXPECT_GT(first.seconds(), 0.0);
  EXPECT_EQ(report.entries_recomputed, -1);
  EXPECT_EQ(report.plan.backend, Backend::opencl);
  std::vector<T> got(p.c.size()), want = p.reference();
  shared.read(other, got.data(), 5 + size(p.a), size(p.c));
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      T& x = want[static_cast<std::size_t>(i * p.ldc + j)];
      x = T(2) * x;
    }
  }
  expect_same(got, want, p.text());
}

TEST(OpenclGemmEvents, NothingToDoIsDoneAfterTheWaitList) {
  Context context = queue().context();
  cl::UserEvent gate(cl::Context(context.native(), true));
  Buffer<dd_real> x(context, 16);
  const std::int64_t sizes[][3] = {{0, 4, 4}, {4, 0, 4}, {4, 4, 0}};
  std::vector<Event> events;
  for (const auto& [m, n, k] : sizes) {
    events.push_back(gemm(queue(), Layout::column, Op::none, Op::none, m, n, k, dd_real(1), x, 0, 4, x, 0, 4,
                          dd_real(1), x, 0, 4, {Event(gate())}));
    EXPECT_NE(events.back().status(), EventStatus::complete) << m << " x " << n << " x " << k;
  }
  gate.setStatus(CL_COMPLETE);
  for (const Event& event : events) event.wait();
}

TEST(OpenclGemmThreads, FourAtOnceGiveTheSameBits) {
  if (is_small()) GTEST_SKIP() << "oclgrind takes one thread";
  Problem<dd_real> p(Layout::column, Op::none, Op::transpose, 65, 48, 130, 18);
  auto want = p.reference();
  std::vector<std::vector<dd_real>> outs(4, p.c);
  std::vector<std::thread> threads;
  Queue shared(queue().context());
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Two share a queue, two have their own.
      Queue own(queue().context());
      for (int repeat = 0; repeat < 5; ++repeat) {
        outs[t] = p.c;
        p.run(outs[t], t < 2 ? shared : own);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& out : outs) expect_same(out, want, "a thread");
}

template <class Call>
std::string message_of(errc code, Call call) {
  try {
    call();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

void expect_contains(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks " << part;
}

TEST(OpenclGemmErrors, NameWhatIsWrongAndLeaveCAlone) {
  Problem<dd_real> p(Layout::column, Op::none, Op::none, 8, 6, 10, 19);
  auto before = p.c;
  auto host = [&](std::int64_t m, std::int64_t lda, const dd_real* b) {
    gemm(queue(), p.layout, p.opa, p.opb, m, p.n, p.k, p.alpha, p.a.data(), lda, b, p.ldb, p.beta, p.c.data(), p.ldc);
  };
  expect_contains(message_of(errc::invalid_argument, [&] { host(-3, p.lda, p.b.data()); }), {"m = -3"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, 7, p.b.data()); }), {"lda = 7"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, p.lda, nullptr); }), {"B is null"});
  expect_contains(message_of(errc::invalid_argument, [&] { host(8, p.lda, p.c.data()); }), {"C overlaps B"});
  expect_same(p.c, before, "C after errors");

  std::vector<double> d(100, 1.0);
  auto as_double = [&] {
    gemm(queue(), Layout::column, Op::none, Op::none, 4, 4, 4, 1.0, d.data(), 4, &d[16], 4, 0.0, &d[32], 4);
  };
  expect_contains(message_of(errc::unsupported, as_double), {"precision d", "opencl"});

  Context context = queue().context();
  Buffer<dd_real> a(context, 100), c(context, 100);
  auto device = [&](Buffer<dd_real>& out, std::int64_t offset_a, std::int64_t offset_b, std::int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, dd_real(1), a, offset_a, 5, a, offset_b, 5, dd_real(0),
         out, offset_c, 5);
  };
  expect_contains(message_of(errc::invalid_argument, [&] { device(c, 76, 0, 0); }), {"A covers 25", "76", "100"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(c, 0, -1, 0); }), {"offset of B = -1"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(a, 60, 30, 26); }), {"C overlaps B"});
  expect_contains(message_of(errc::invalid_argument, [&] { device(a, 20, 60, 0); }), {"C overlaps A"});
  Buffer<dd_real> elsewhere(test_context(), 100);
  expect_contains(message_of(errc::invalid_argument, [&] { device(elsewhere, 0, 0, 0); }), {"C belongs to another"});
  device(c, 0, 25, 50);
  // Blocks of one matrix, interleaved in memory, do not overlap.
  auto interleaved = [&](std::int64_t offset_c) {
    gemm(queue(), Layout::column, Op::none, Op::none, 5, 5, 5, dd_real(1), a, 0, 10, c, 0, 5, dd_real(0), a, offset_c,
         10);
  };
  EXPECT_NO_THROW(interleaved(5));
  expect_contains(message_of(errc::invalid_argument, [&] { interleaved(4); }), {"C overlaps A"});
}

TEST(OpenclGemmEvents, AFailedEventOfTheWaitListIsRefused) {
  Context context = queue().context();
  cl::UserEvent failed(cl::Context(context.native(), true));
  failed.setStatus(-5);
  std::vector<dd_real> ones(4, 1), result(4, 7);
  Buffer<dd_real> a(context, 4), c(context, 4);
  a.write(queue(), ones.data(), 0, 4);
  c.write(queue(), result.data(), 0, 4);
  auto multiply = [&](const std::vector<Event>& wait_list) {
    return gemm(queue(), Layout::column, Op::none, Op::none, 2, 2, 2, dd_real(1), a, 0, 2, a, 0, 2, dd_real(0), c, 0, 2,
                wait_list);
  };
  expect_contains(message_of(errc::device_failure, [&] { multiply({Event(failed())}); }), {"wait list"});
  c.read(queue(), result.data(), 0, 4);
  EXPECT_EQ(result, std::vector<dd_real>(4, 7));
  multiply({}).wait();
  c.read(queue(), result.data(), 0, 4);
  EXPECT_EQ(result, std::vector<dd_real>(4, 2));
}

TEST(OpenclGemmPlan, SaysWhatWillRun) {
  GemmPlan plan = plan_gemm<dd_complex>(queue(), Layout::column, Op::none, Op::transpose, 100, 200, 300,
                                        {.accuracy = Accuracy::fast, .fma = Fma::off});
  const DeviceInfo device = queue().context().device();
  EXPECT_EQ(plan.backend, Backend::opencl);
  EXPECT_EQ(plan.engine, Engine::direct);
  EXPECT_FALSE(plan.fma);
  EXPECT_EQ(std::string(plan.unit), device.name.substr(0, 63));
  EXPECT_GT(plan.workspace_bytes, 0);
  EXPECT_LE(plan.workspace_bytes, direct::default_workspace(device));
  EXPECT_GT(plan.error_bound_u2, 0.0);
  expect_contains(to_string(plan), {"opencl", "fast", "no FMA"});
  // Sizes alone are no reason to refuse, where the matrices would fit.
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_NO_THROW(plan_gemm<dd_real>(queue(), Layout::column, Op::transpose, Op::none, std::int64_t{1} << 30, 1, 1));
  EXPECT_EQ(plan_gemm<dd_complex>(queue(), Layout::column, Op::none, Op::none, 0, huge, 0).workspace_bytes, 0);
}

}  // namespace
