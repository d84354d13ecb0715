// Sums of bytes reduced to residues, against integer division: all magnitudes that sums reach, every modulus, every
// instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "all_moduli.hpp"
#include "dd_against_mpfr.hpp"
#include "gemm/modular/cpu/kernels.hpp"

namespace hilo::modular {
namespace {

using std::int32_t;
using std::int64_t;
using std::int8_t;

// 65536 products of a residue from 0 to m − 1 with one from −m/2 to (m − 1)/2.
struct Range {
  int64_t least, most;
  explicit Range(int m) : least(-int64_t{65536} * (m - 1) * (m / 2)), most(int64_t{65536} * (m - 1) * ((m - 1) / 2)) {}
};

int8_t symmetric(int64_t x, int m) {
  auto r = static_cast<int>((x % m + m) % m);
  return static_cast<int8_t>(2 * r >= m ? r - m : r);
}

// The sums around x of which a rounded quotient goes wrong first: half way between two multiples of m.
template <class Visit>
void visit_half_ways(int64_t x, int m, Visit visit) {
  int64_t multiple = (x >= 0 ? x : x - m + 1) / m * m;
  for (int64_t half : {int64_t{(m - 1) / 2}, int64_t{m / 2}, int64_t{m / 2 + 1}}) visit(multiple + half);
}

// Ends, zero, and the half ways at both ends of every 2^16: the kernels take the two halves of a sum apart.
std::vector<int32_t> worst_sums(int m) {
  Range range(m);
  std::vector<int32_t> sums;
  auto push = [&](int64_t x) {
    if (range.least <= x && x <= range.most) sums.push_back(static_cast<int32_t>(x));
  };
  for (int64_t x : {range.least, int64_t{0}, range.most}) {
    for (int64_t i = -300; i <= 300; ++i) push(x + i);
  }
  int64_t step = 65536 * (testing::input_count(0) > 0 ? 1 : 1 + m % 16);
  for (int64_t x = range.least / 65536 * 65536; x <= range.most; x += step) {
    for (int64_t end : {x - 32768 + m, x - 32768, x - 32768 - m, x - m, x, x + m}) visit_half_ways(end, m, push);
  }
  testing::Inputs inputs(static_cast<std::uint64_t>(m));
  for (int i = 0, count = testing::input_count(2000); i < count; ++i) {
    push(range.least + static_cast<int64_t>(inputs.bits() % static_cast<std::uint64_t>(range.most - range.least + 1)));
    visit_half_ways(sums.back(), m, push);
  }
  return sums;
}

// Space for whole blocks, and a sentinel after them.
template <class T>
class Padded {
 public:
  Padded(std::size_t count, T fill)
      : end_((count + block_bytes - 1) / block_bytes * block_bytes), all_(end_ + 1, fill) {
    all_[end_] = T{77};
  }
  T* data() { return all_.data(); }
  T& operator[](std::size_t i) { return all_[i]; }
  bool is_kept() const { return all_[end_] == T{77}; }

 private:
  std::size_t end_;
  std::vector<T> all_;
};

template <class T>
Padded<T> padded(const std::vector<T>& x) {
  Padded<T> result(x.size(), T{0});
  std::copy(x.begin(), x.end(), result.data());
  return result;
}

// What was there before, if it goes on.
Added before(bool accumulates, const int8_t* re, const int8_t* im = nullptr) {
  Added added;
  if (accumulates) added.add(re, im);
  return added;
}

TEST(ModularReduceTest, EverySumOfAFullPanel) {
  for (int m : test::all_moduli()) {
    std::vector<int32_t> sums = worst_sums(m);
    Padded<int32_t> in = padded(sums);
    for (const KernelSet* set : kernel_sets()) {
      Padded<int8_t> out(sums.size(), 99);
      set->reduce(static_cast<int64_t>(sums.size()), reduction_constants(m, false), in.data(), {}, out.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(out[i], symmetric(sums[i], m)) << set->target << ", " << sums[i] << " mod " << m;
      }
      ASSERT_TRUE(out.is_kept());
    }
  }
}

TEST(ModularReduceTest, AccumulatesOnEveryResidue) {
  for (int m : test::all_moduli()) {
    Range range(m);
    std::vector<int32_t> sums;
    std::vector<int8_t> old;
    for (int residue = -(m / 2); residue <= (m - 1) / 2; ++residue) {
      for (int64_t x : {range.least, range.least / 2, int64_t{0}, range.most / 2, range.most}) {
        for (int64_t i = -m; i <= m; ++i) {
          if (x + i < range.least || x + i > range.most) continue;
          sums.push_back(static_cast<int32_t>(x + i));
          old.push_back(static_cast<int8_t>(residue));
        }
      }
    }
    Padded<int32_t> in = padded(sums);
    for (const KernelSet* set : kernel_sets()) {
      Padded<int8_t> out = padded(old);
      set->reduce(static_cast<int64_t>(sums.size()), reduction_constants(m, false), in.data(), before(true, out.data()),
                  out.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(out[i], symmetric(int64_t{sums[i]} + old[i], m))
            << set->target << ", " << sums[i] << " + " << int{old[i]} << " mod " << m;
      }
    }
  }
}

// As many as there can be, the largest there are.
TEST(ModularReduceTest, AddsSeveralResidues) {
  for (int m : test::all_moduli()) {
    const Range range(m);
    const int ends[] = {-(m / 2), (m - 1) / 2};
    for (int i = 0; i < 8; ++i) {
      const std::vector<int64_t> sums = {range.least, range.least / 2, -1, 0, 1, range.most / 2, range.most};
      Padded<int32_t> in = padded(std::vector<int32_t>(sums.begin(), sums.end()));
      std::vector<Padded<int8_t>> residues;
      Added added;
      for (int bit = 0; bit < Added::most; ++bit) {
        residues.push_back(padded(std::vector<int8_t>(sums.size(), static_cast<int8_t>(ends[i >> bit & 1]))));
      }
      for (auto& x : residues) added.add(x.data(), x.data());
      for (const KernelSet* set : kernel_sets()) {
        Padded<int8_t> out(sums.size(), 99), im(sums.size(), 99);
        const int32_t* const three[3] = {in.data(), in.data(), in.data()};
        set->reduce(static_cast<int64_t>(sums.size()), reduction_constants(m, false), in.data(), added, out.data());
        for (std::size_t j = 0; j < sums.size(); ++j) {
          const int64_t all = int64_t{residues[0][j]} + residues[1][j] + residues[2][j];
          ASSERT_EQ(out[j], symmetric(sums[j] + all, m)) << set->target << ", " << sums[j] << " mod " << m;
        }
        set->reduce_complex(static_cast<int64_t>(sums.size()), reduction_constants(m, false), three, added, out.data(),
                            im.data());
        for (std::size_t j = 0; j < sums.size(); ++j) {
          const int64_t all = int64_t{residues[0][j]} + residues[1][j] + residues[2][j];
          ASSERT_EQ(out[j], symmetric(all, m)) << set->target << ", " << sums[j] << " mod " << m;
          ASSERT_EQ(im[j], symmetric(all - sums[j], m)) << set->target << ", " << sums[j] << " mod " << m;
        }
        const int root = root_of_minus_one(m);
        if (root == 0) continue;
        Padded<int32_t> other = padded(std::vector<int32_t>(sums.rbegin(), sums.rend()));
        const int32_t* const two[2] = {in.data(), other.data()};
        set->reduce_split(static_cast<int64_t>(sums.size()), reduction_constants(m, true), two, added, out.data(),
                          im.data());
        for (std::size_t j = 0; j < sums.size(); ++j) {
          const int64_t all = int64_t{residues[0][j]} + residues[1][j] + residues[2][j];
          ASSERT_EQ(out[j], symmetric(int64_t{in[j]} + other[j] + all, m)) << set->target << ", mod " << m;
          ASSERT_EQ(symmetric(root * (im[j] - all), m), symmetric(int64_t{in[j]} - other[j], m))
              << set->target << ", mod " << m;
        }
      }
    }
  }
}

struct ComplexSums {
  std::vector<int32_t> sum[3];
  std::vector<int8_t> re, im;

  void push(const int32_t (&x)[3], int8_t old_re, int8_t old_im) {
    for (int i = 0; i < 3; ++i) sum[i].push_back(x[i]);
    re.push_back(old_re), im.push_back(old_im);
  }
  std::size_t size() const { return re.size(); }
};

ComplexSums complex_sums(int m) {
  ComplexSums all;
  testing::Inputs inputs(static_cast<std::uint64_t>(m));
  std::vector<int32_t> worst = worst_sums(m);
  Range range(m);
  const int ends[] = {-(m / 2), 0, (m - 1) / 2};
  auto end = [&](int i) { return static_cast<int32_t>(i == 0 ? range.least : i == 1 ? 0 : range.most); };
  for (int i = 0; i < 27; ++i) {
    for (int j = 0; j < 9; ++j) {
      const int32_t x[] = {end(i / 9), end(i / 3 % 3), end(i % 3)};
      all.push(x, static_cast<int8_t>(ends[j / 3]), static_cast<int8_t>(ends[j % 3]));
    }
  }
  // Of small sums, every residue meets every other.
  for (int x = -(m / 2); x <= (m - 1) / 2; ++x) {
    for (int y = -(m / 2); y <= (m - 1) / 2; y += 1 + m / 30) {
      const int32_t sums[] = {x, y, ends[(x & 1) + (y & 1)]};
      all.push(sums, static_cast<int8_t>(x), static_cast<int8_t>(y));
    }
  }
  for (int i = 0, count = testing::input_count(5000) / 4; i < count; ++i) {
    int32_t x[3];
    for (int32_t& s : x) s = worst[inputs.bits() % worst.size()];
    all.push(x, static_cast<int8_t>(inputs.below(m) - m / 2), static_cast<int8_t>(inputs.below(m) - m / 2));
  }
  return all;
}

TEST(ModularReduceTest, ComplexSumsAreThreeProducts) {
  for (int m : test::all_moduli()) {
    ComplexSums all = complex_sums(m);
    Padded<int32_t> in[] = {padded(all.sum[0]), padded(all.sum[1]), padded(all.sum[2])};
    const int32_t* const sums[3] = {in[0].data(), in[1].data(), in[2].data()};
    for (const KernelSet* set : kernel_sets()) {
      for (bool accumulates : {false, true}) {
        Padded<int8_t> re = padded(all.re), im = padded(all.im);
        set->reduce_complex(static_cast<int64_t>(all.size()), reduction_constants(m, false), sums,
                            before(accumulates, re.data(), im.data()), re.data(), im.data());
        for (std::size_t i = 0; i < all.size(); ++i) {
          int64_t x = in[0][i], y = in[1][i], z = in[2][i];
          int64_t old_re = accumulates ? all.re[i] : 0, old_im = accumulates ? all.im[i] : 0;
          ASSERT_EQ(re[i], symmetric(x - y + old_re, m))
              << set->target << ", " << x << " - " << y << " + " << old_re << " mod " << m;
          ASSERT_EQ(im[i], symmetric(z - x - y + old_im, m))
              << set->target << ", " << z << " - " << x << " - " << y << " + " << old_im << " mod " << m;
        }
      }
    }
  }
}

TEST(ModularReduceTest, SumsOfModuliThatSplitAreTwoProducts) {
  for (int l = 0; l < split_moduli; ++l) {
    const int m = complex_moduli[static_cast<std::size_t>(l)], root = root_of_minus_one(m);
    ComplexSums all = complex_sums(m);
    Padded<int32_t> in[] = {padded(all.sum[0]), padded(all.sum[1])};
    const int32_t* const sums[2] = {in[0].data(), in[1].data()};
    for (const KernelSet* set : kernel_sets()) {
      for (bool accumulates : {false, true}) {
        Padded<int8_t> re = padded(all.re), im = padded(all.im);
        set->reduce_split(static_cast<int64_t>(all.size()), reduction_constants(m, true), sums,
                          before(accumulates, re.data(), im.data()), re.data(), im.data());
        for (std::size_t i = 0; i < all.size(); ++i) {
          const int64_t x = in[0][i], y = in[1][i];
          const int64_t old_re = accumulates ? all.re[i] : 0, old_im = accumulates ? all.im[i] : 0;
          ASSERT_EQ(re[i], symmetric(x + y + old_re, m))
              << set->target << ", " << x << " + " << y << " + " << old_re << " mod " << m;
          ASSERT_EQ(symmetric(root * (im[i] - old_im), m), symmetric(x - y, m))
              << set->target << ", " << x << " - " << y << " + r " << old_im << " mod " << m;
        }
      }
    }
  }
}

TEST(ModularReduceTest, AnyCountStaysInItsBlocks) {
  constexpr int m = 251;
  for (std::size_t count = 1; count <= 200; ++count) {
    std::vector<int32_t> sums(count);
    for (std::size_t i = 0; i < count; ++i)
      sums[i] = (static_cast<int32_t>(i * 7919 % 62000) - 31000) * 65536 + static_cast<int32_t>(i);
    Padded<int32_t> in = padded(sums);
    const int32_t* const three[3] = {in.data(), in.data(), in.data()};
    for (const KernelSet* set : kernel_sets()) {
      Padded<int8_t> out(count, 3), re(count, 3), im(count, 3);
      set->reduce(static_cast<int64_t>(count), reduction_constants(m, false), in.data(), before(true, out.data()),
                  out.data());
      set->reduce_complex(static_cast<int64_t>(count), reduction_constants(m, false), three,
                          before(true, re.data(), im.data()), re.data(), im.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], symmetric(int64_t{sums[i]} + 3, m));
        ASSERT_EQ(re[i], 3);
        ASSERT_EQ(im[i], symmetric(3 - int64_t{sums[i]}, m));
      }
      ASSERT_TRUE(out.is_kept() && re.is_kept() && im.is_kept()) << set->target << ' ' << count;
    }
  }
}

}  // namespace
}  // namespace hilo::modular
