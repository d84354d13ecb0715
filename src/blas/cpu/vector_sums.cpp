#include "blas/cpu/vector_sums.hpp"

#include <cmath>
#include <hilo/math.hpp>
#include <limits>

#include "blas/cpu/native_vectors.hpp"
#include "dd/reduction.hpp"
#include "matrix/sizes.hpp"

namespace hilo::blas {
namespace {

using array::ColumnSums;
using array::KernelSet;
using array::Turn;

// Real terms of a chunk, which one thread sums, and chunks between two that are added up (DD).
constexpr std::int64_t chunk = array::columns * array::chunk_rows;
constexpr std::int64_t superchunk = array::superchunk_rows / array::chunk_rows;
// Chunks whose sums are kept at a time: 4 MiB of them.
constexpr std::int64_t round = 4096;

// The sum of a chunk's terms, and chunks together. W is the type that is summed in.
template <class W>
struct Sum {
  W value;

  static Sum of_products(const VectorCall& call, std::int64_t n, const W* x, const W* y) {
    return {native::sums_of<W>(call.ahead, n, x, y, [=](std::int64_t i) { return x[i] * y[i]; })[0]};
  }
  // Both parts while the memory is read once.
  static void of_complex_products(const VectorCall& call, std::int64_t n, const W* x, const W* y, bool conjugate,
                                  Sum* to) {
    const auto product = [=](std::int64_t i) { return x[i] * y[i]; };
    const auto signed_product = [=](std::int64_t i) { return x[i] * (i % 2 == 0 ? y[i] : -y[i]); };
    const auto turned = [=](std::int64_t i) { return x[i] * y[i ^ 1]; };
    const auto signed_turned = [=](std::int64_t i) { return x[i] * (i % 2 == 0 ? y[i ^ 1] : -y[i ^ 1]); };
    const auto sums = conjugate ? native::sums_of<W>(call.ahead, n, x, y, product, signed_turned)
                                : native::sums_of<W>(call.ahead, n, x, y, signed_product, turned);
    to[0].value = sums[0], to[1].value = sums[1];
  }
  static Sum of_magnitudes(const VectorCall& call, std::int64_t n, const W* x) {
    return {native::sums_of<W>(call.ahead, n, x, x, [=](std::int64_t i) { return std::fabs(x[i]); })[0]};
  }
  void add(const KernelSet*, const Sum& part) { value += part.value; }
  W total(const KernelSet*, std::int64_t) const { return value; }
};

template <>
struct Sum<dd_real> {
  ColumnSums columns;

  static Sum of_products(const VectorCall& call, std::int64_t n, const dd_real* x, const dd_real* y) {
    Sum sum;
    call.set->dot_chunk(n, x, y, call.ahead, sum.columns);
    return sum;
  }
  static void of_complex_products(const VectorCall& call, std::int64_t n, const dd_real* x, const dd_real* y,
                                  bool conjugate, Sum* to) {
    ColumnSums sums[2];
    call.set->complex_dot_chunk(n, x, y, conjugate, call.ahead, sums);
    to[0].columns = sums[0], to[1].columns = sums[1];
  }
  static Sum of_magnitudes(const VectorCall& call, std::int64_t n, const dd_real* x) {
    Sum sum;
    call.set->magnitude_chunk(n, x, call.ahead, sum.columns);
    return sum;
  }
  void add(const KernelSet* set, const Sum& part) { set->add_columns(columns, part.columns); }
  dd_real total(const KernelSet* set, std::int64_t n) { return set->fold(columns, n); }
};

template <class W, int count>
struct Sums {
  W of[count];
};

// `count` sums of n real terms: sum_chunk(first, n, sums) gives those of a chunk.
template <class W, int count, class SumChunk>
Sums<W, count> sum_chunks(const VectorCall& call, std::int64_t n, SumChunk sum_chunk) {
  using Part = Sums<Sum<W>, count>;
  const std::int64_t chunks = blocks(n, chunk);
  if (chunks == 0) return {};
  const host::Workspace memory(std::min(chunks, round) * static_cast<std::int64_t>(sizeof(Part)));
  Part* const parts = reinterpret_cast<Part*>(memory.data());
  Part partial = {}, total = {};
  for (std::int64_t first = 0; first < chunks; first += round) {
    const std::int64_t last = std::min(first + round, chunks);
    host::for_parts(call.threads, last - first, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t from = (first + i) * chunk;
        sum_chunk(from, std::min(chunk, n - from), parts[i].of);
      }
    });
    for (std::int64_t i = first; i < last; ++i) {
      for (int s = 0; s < count; ++s) {
        Sum<W>& sum = partial.of[s];
        if (i % superchunk == 0) {
          sum = parts[i - first].of[s];
        } else {
          sum.add(call.set, parts[i - first].of[s]);
        }
        if ((i + 1) % superchunk != 0 && i + 1 != chunks) continue;
        if (i < superchunk) {
          total.of[s] = sum;
        } else {
          total.of[s].add(call.set, sum);
        }
      }
    }
  }
  Sums<W, count> result;
  for (int s = 0; s < count; ++s) result.of[s] = total.of[s].total(call.set, n);
  return result;
}

template <class T>
inline constexpr std::int64_t reals_of = is_complex(precision_of<T>) ? 2 : 1;

// Real terms first … first + n − 1 of x, side by side: where they lie, or in memory for a chunk of them.
template <class T>
const real_type<T>* terms(const VectorView<const T>& x, std::int64_t first, std::int64_t n, real_type<T>* memory) {
  const std::int64_t i = first / reals_of<T>, elements = n / reals_of<T>;
  T* const numbers = reinterpret_cast<T*>(memory);
  return reinterpret_cast<const real_type<T>*>(side_by_side(x, i, elements, numbers));
}

// Real term i.
template <class T>
real_type<T> term(const VectorView<const T>& x, Turn turn, std::int64_t i) {
  if constexpr (is_complex(precision_of<T>)) {
    const T z = x(i / 2);
    const bool is_im = (turn == Turn::im_re || turn == Turn::im_minus_re) != (i % 2 == 1);
    const bool is_negative = i % 2 == 1 && (turn == Turn::re_minus_im || turn == Turn::im_minus_re);
    const real_type<T> part = is_im ? z.imag() : z.real();
    return is_negative ? -part : part;
  } else {
    return x(i);
  }
}

template <class R>
double leading(const R& x) {
  if constexpr (std::same_as<R, dd_real>) {
    return x.hi;
  } else {
    return static_cast<double>(x);
  }
}

// What a sum that is not finite is, in double-double: that of plain(i), in increasing order.
template <class R, class Plain>
void make_plain(R& sum, std::int64_t n, Plain plain) {
  if constexpr (std::same_as<R, dd_real>) {
    if (sum.hi - sum.hi == 0.0) return;
    struct Terms {
      Plain plain;
    };
    sum = array::plain_sum(n, Terms{plain});
  }
}

// Memory for a chunk of each of two vectors.
template <class R>
class Spare {
 public:
  R* x() const { return reinterpret_cast<R*>(memory_.data()); }
  R* y() const { return x() + chunk; }

 private:
  host::Workspace memory_{2 * chunk * static_cast<std::int64_t>(sizeof(R))};
};

}  // namespace

template <gemm_scalar T>
T sum_of_products(const VectorCall& call, const VectorView<const T>& x, const VectorView<const T>& y, bool conjugate) {
  using R = real_type<T>;
  constexpr int parts = static_cast<int>(reals_of<T>);
  const Turn turns[2] = {conjugate || parts == 1 ? Turn::re_im : Turn::re_minus_im,
                         conjugate ? Turn::im_minus_re : Turn::im_re};
  const std::int64_t n = x.size * parts;
  auto sums = sum_chunks<R, parts>(call, n, [&](std::int64_t first, std::int64_t count, Sum<R>* to) {
    const Spare<R> spare;
    const R *left = terms<T>(x, first, count, spare.x()), *right = terms<T>(y, first, count, spare.y());
    if constexpr (parts == 2) {
      Sum<R>::of_complex_products(call, count, left, right, conjugate, to);
    } else {
      *to = Sum<R>::of_products(call, count, left, right);
    }
  });
  for (int s = 0; s < parts; ++s) {
    make_plain(sums.of[s], n, [&](std::int64_t i) {
      return detail::rounded_product(leading(term<T>(x, Turn::re_im, i)), leading(term<T>(y, turns[s], i)));
    });
  }
  if constexpr (parts == 2) {
    return T(sums.of[0], sums.of[1]);
  } else {
    return sums.of[0];
  }
}

template <gemm_scalar T>
real_type<T> sum_of_magnitudes(const VectorCall& call, const VectorView<const T>& x) {
  using R = real_type<T>;
  const std::int64_t n = x.size * reals_of<T>;
  auto sum = sum_chunks<R, 1>(call, n, [&](std::int64_t first, std::int64_t count, Sum<R>* to) {
    const Spare<R> spare;
    *to = Sum<R>::of_magnitudes(call, count, terms<T>(x, first, count, spare.x()));
  });
  make_plain(sum.of[0], n, [&](std::int64_t i) { return std::fabs(leading(term<T>(x, Turn::re_im, i))); });
  return sum.of[0];
}

template <gemm_scalar T>
real_type<T> root_of_squares(const VectorCall& call, const VectorView<const T>& x) {
  using R = real_type<T>;
  using std::ldexp, std::sqrt;
  const std::int64_t n = x.size * reals_of<T>;
  const auto sum = [&](auto terms_at) {
    return sum_chunks<R, 1>(call, n,
                            [&](std::int64_t first, std::int64_t count, Sum<R>* to) {
                              const Spare<R> spare;
                              const R* part = terms_at(first, count, spare.x());
                              *to = Sum<R>::of_products(call, count, part, part);
                            })
        .of[0];
  };
  const R squares = sum([&](std::int64_t first, std::int64_t count, R* memory) {
    return static_cast<const R*>(terms<T>(x, first, count, memory));
  });
  // What underflowed on the way is nothing beside the rounding error then.
  constexpr bool single = std::same_as<R, float>;
  if (leading(squares) >= (single ? 0x1p-80 : 0x1p-800) && leading(squares) <= (single ? 0x1p120 : 0x1p1000)) {
    return sqrt(squares);
  }

  double largest = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double m = std::fabs(leading(term<T>(x, Turn::re_im, i)));
    if (m != m) return std::numeric_limits<R>::quiet_NaN();
    largest = std::max(largest, m);
  }
  if (largest == 0.0 || largest == std::numeric_limits<double>::infinity()) return R(static_cast<float>(largest));
  const int exponent = std::ilogb(largest);
  const R scaled = sum([&](std::int64_t first, std::int64_t count, R* memory) {
    for (std::int64_t i = 0; i < count; ++i) memory[i] = ldexp(term<T>(x, Turn::re_im, first + i), -exponent);
    return static_cast<const R*>(memory);
  });
  return ldexp(sqrt(scaled), exponent);
}

#define HILO_INSTANTIATE(T)                                                                                       \
  template T sum_of_products<T>(const VectorCall&, const VectorView<const T>&, const VectorView<const T>&, bool); \
  template real_type<T> sum_of_magnitudes<T>(const VectorCall&, const VectorView<const T>&);                      \
  template real_type<T> root_of_squares<T>(const VectorCall&, const VectorView<const T>&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::blas
