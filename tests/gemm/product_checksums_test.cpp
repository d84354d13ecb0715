// The bits of products in every storage and of batches, by either engine, on the CPU and on a device, against a table
// that was written once. HILO_PRINT_CHECKSUMS=1 prints the CPU's table.
#include "product_checksums.hpp"

#include <cstdio>
#include <cstdlib>

#include "contracts.hpp"
#if HILO_TEST_OPENCL
#include "opencl_modular.hpp"
#endif

namespace hilo::test {
namespace {

enum class Where { cpu, device, buffers };

template <class T>
std::vector<T> multiply(Where where, const Problem<T>& p, const GemmOptions& options, const Storage& s) {
#if HILO_TEST_OPENCL
  if (where == Where::device) return multiply_from_host(queue(), p, options, nullptr, s);
  if (where == Where::buffers) return multiply_in_buffers(queue(), p, options, nullptr, s);
#endif
  return p.multiply(options, nullptr, s);
}

// Small products, whose bits no number of threads changes.
GemmOptions by_one_thread(GemmOptions options) {
  options.threads = 1;
  return options;
}

template <class T>
void set_scalars_for(const GemmOptions& options, Problem<T>& p) {
  if (options.accuracy == Accuracy::exact) {
    p.alpha = number<T>(-4);
  } else {
    set_scalars(p);
  }
}

// Every layout and transpose, leading dimensions beyond the least.
template <class T>
std::uint64_t checksum_of_storages(Where where, const GemmOptions& options) {
  Checksum sum;
  std::int64_t turn = 0;
  for (Layout layout : {Layout::column, Layout::row}) {
    for (Op opa : {Op::none, Op::transpose, Op::conjugate_transpose}) {
      for (Op opb : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        auto p = generated<T>(range_kind(1), 13 + turn % 5, 11 + turn % 3, 30 + turn, 31 + static_cast<unsigned>(turn));
        if (turn % 2) set_scalars_for(options, p);
        sum.add(multiply(where, p, options, {layout, opa, opb, turn % 4}));
        ++turn;
      }
    }
  }
  return sum.value();
}

// Three products with one B.
template <class T>
std::uint64_t checksum_of_batch(Where where, const GemmOptions& options) {
  constexpr std::int64_t m = 9, n = 14, k = 33, count = 3, stride_a = m * k + 2, stride_c = m * n + 1;
  auto b = generated<T>(uniform_kind, m, n, k, 70);
  set_scalars_for(options, b);
  std::vector<T> a(static_cast<std::size_t>(count * stride_a)), c(static_cast<std::size_t>(count * stride_c));
  for (std::int64_t i = 0; i < count; ++i) {
    auto p = generated<T>(range_kind(1), m, n, k, 71 + static_cast<unsigned>(i));
    std::copy(p.a.begin(), p.a.end(), a.begin() + i * stride_a);
    std::copy(p.c0.begin(), p.c0.end(), c.begin() + i * stride_c);
  }
  if (where == Where::cpu) {
    gemm_strided_batch(Layout::column, Op::none, Op::none, m, n, k, b.alpha, a.data(), m, stride_a, b.b.data(), k, 0,
                       b.beta, c.data(), m, stride_c, count, options);
  }
#if HILO_TEST_OPENCL
  if (where == Where::device) {
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, b.alpha, a.data(), m, stride_a, b.b.data(),
                       k, 0, b.beta, c.data(), m, stride_c, count, options);
  }
  if (where == Where::buffers) {
    Placed<T> da(queue(), a, 3), db(queue(), b.b, 1), dc(queue(), c, 2);
    gemm_strided_batch(queue(), Layout::column, Op::none, Op::none, m, n, k, b.alpha, da.buffer(), da.offset(), m,
                       stride_a, db.buffer(), db.offset(), k, 0, b.beta, dc.buffer(), dc.offset(), m, stride_c, count,
                       {}, options)
        .wait();
    c = dc.read(queue());
  }
#endif
  Checksum sum;
  sum.add(c);
  return sum.value();
}

ProductChecksums checksums(Where where, const Contract& x) {
  return for_precision(x.precision, [&]<class T>() -> ProductChecksums {
    const GemmOptions options = by_one_thread(x.options);
    return {checksum_of_storages<T>(where, options), checksum_of_batch<T>(where, options)};
  });
}

void expect_table(Where where) {
  for (std::size_t i = 0; i < std::size(contracts); ++i) {
    const Contract& x = contracts[i];
    const ProductChecksums found = checksums(where, x);
    EXPECT_EQ(found.storages, product_checksums[i].storages) << name(x.precision) << ", " << x.name << ", storages";
    EXPECT_EQ(found.batch, product_checksums[i].batch) << name(x.precision) << ", " << x.name << ", batch";
  }
}

TEST(ProductChecksums, OnTheCpu) {
  static_assert(std::size(product_checksums) == std::size(contracts));
  if (!std::getenv("HILO_PRINT_CHECKSUMS")) return expect_table(Where::cpu);
  for (const Contract& x : contracts) {
    const ProductChecksums found = checksums(Where::cpu, x);
    std::printf("    {0x%016llx, 0x%016llx},  // %s, %s\n", static_cast<unsigned long long>(found.storages),
                static_cast<unsigned long long>(found.batch), name(x.precision).data(), x.name);
  }
}

#if HILO_TEST_OPENCL
TEST(ProductChecksums, FromHostMemoryOnADevice) { expect_table(Where::device); }
TEST(ProductChecksums, InBuffers) { expect_table(Where::buffers); }
#endif

}  // namespace
}  // namespace hilo::test
